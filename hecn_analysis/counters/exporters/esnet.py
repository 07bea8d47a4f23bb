"""Rates of router interfaces as ESnet publishes them, in the JSON that NERSC's pytokio keeps.

Versions: pytokio 0.10 to 0.15: ``{router: {interface: {"in": {time: rate}, "out": {…}, "units": "bytes/sec"}}}``.

Units and traps
---------------
- Rates are bytes a second where "units" says so, bits a second for "bits/sec".
- Times, the keys, are seconds since 1970 at the start of the interval, all of the same length. The table of rates has
  the end of the interval; the facts have the times of the file.
"""

from __future__ import annotations

from typing import Any, Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval, series
from hecn_analysis.counters.programs.readings import moment
from hecn_analysis.files.documents import Document

FORMATS: Final = ("esnet-snmp-json",)
VERSIONS: Final = "pytokio 0.10 to 0.15"
WHOLE: Final = True

_MOST: Final = 1e18  # what no port carries
_FACTORS: Final = {"bytes/sec": 8, "bits/sec": 1, "bytes/s": 8, "bits/s": 1, "Bps": 8, "bps": 1}


def recognises(document: Document) -> bool:
    """Whether the file is such a mapping of mappings."""
    return any(True for _ in _interfaces(document.json))


def _interfaces(value: Any) -> Any:  # noqa: ANN401 - of any JSON
    for router, links in value.items() if isinstance(value, dict) else ():
        for name, link in links.items() if isinstance(links, dict) else ():
            ways = [link.get(way) for way in ("in", "out")] if isinstance(link, dict) else []
            if any(
                isinstance(way, dict) and way and all(str(key).isdecimal() and len(str(key)) >= 9 for key in way)
                for way in ways
            ):
                yield router, name, link


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rates of all interfaces."""
    findings.format = "esnet-snmp-json"
    every: set[int] = set()
    for router, name, link in _interfaces(document.json):
        factor = _FACTORS.get(str(link.get("units", "bytes/sec")))
        if factor is None:
            findings.problem(
                None, "unit", f"found units {link.get('units')!r}, expected 'bytes/sec'; {name} is left out"
            )
            continue
        ways = {way: link[way] if isinstance(link.get(way), dict) else {} for way in ("in", "out")}
        times = sorted({int(key) for way in ways.values() for key in way if str(key).isdecimal() and moment(int(key))})
        every.update(times)
        step = interval(times)
        for time in times:
            values = {way: of.get(str(time)) for way, of in ways.items()}
            known = {
                f"{way}_bps": float(factor * value)
                for way, value in values.items()
                if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _MOST
            }
            findings.rate(host=router, interface=name, time=time + (step or 0), interval_s=step, **known)
    moments = sorted(every)
    facts = []
    for router in {str(row.get("host")): None for row in findings.rates}:
        for port in series(row for row in findings.rates if row.get("host") == router):
            facts.append({**port, "name": f"{router}/{port['name']}"})  # noqa: PERF401 - two levels
    findings.facts["series"] = facts
    if moments:
        findings.facts.update(n_samples=len(moments), first_time=iso(moments[0]), last_time=iso(moments[-1]))
        findings.facts["interval_s"] = interval(moments)
