"""Output of ``iftop -t``: rates of an interface over the last seconds, in text.

Versions: iftop 1.0pre3 and later. One row of rates for each report; connections are left out.

Units and traps
---------------
- "9.10Gb" are bits a second with prefixes of 1024, in three digits; with ``-B`` "1.14GB" are bytes a second.
- The columns are means over the last 2, 10 and 40 seconds; the one of 10 counts. The peak is that of 2 seconds.
- A filter (``-f``) leaves traffic out of all figures: the text does not say so.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import scale

FORMATS: Final = ("iftop",)
VERSIONS: Final = "iftop 1.0pre3 and later: -t"
WHOLE: Final = False

_INTERFACE: Final = re.compile(r"^\s{0,8}(?:interface: |Listening on )(?P<name>[\w.:@-]{1,40})\s*$")
_TOTAL: Final = re.compile(r"^\s{0,8}Total (?P<way>send|receive) rate:\s{1,40}(?P<figures>\S.{0,80}?)\s*$")
_PEAK: Final = re.compile(r"^\s{0,8}Peak rate \(sent/received/total\):\s{1,40}(?P<figures>\S.{0,80}?)\s*$")
_FIGURE: Final = re.compile(r"(?P<digits>\d{1,6}(?:\.\d{1,3})?)(?P<power>[KMGT]?)(?P<unit>[bB])")
_SECONDS: Final = 10.0


def recognises(document: Document) -> bool:
    """Whether a total of a report is in the file."""
    return "Total send rate:" in document.text and any(map(_TOTAL.match, document.lines))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the totals of each report."""
    findings.format = "iftop"
    interface: str | None = None
    totals: dict[str, float] = {}
    for line, text in enumerate(document.lines, 1):
        if match := _INTERFACE.match(text):
            interface = match["name"]
        elif match := _TOTAL.match(text) or _PEAK.match(text):
            rates = _rates(match["figures"])
            if rates is None:
                findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected three rates; left out")
            elif "way" in match.groupdict():
                totals[match["way"]] = rates[1]
            else:
                peaks = {"out_max_bps": rates[0], "in_max_bps": rates[1]}
                _hand_over(findings, line, interface, totals, peaks)
    _hand_over(findings, len(document.lines), interface, totals, {})


def _rates(text: str) -> list[float] | None:
    """The three rates of a line [bit/s]; None if it has others."""
    figures = [_FIGURE.fullmatch(word) for word in text.split()]
    rates = [
        float(match["digits"]) * scale(match["power"], 1024) * (8 if match["unit"] == "B" else 1)
        for match in figures
        if match
    ]
    return rates if len(rates) == len(figures) == len(("2 s", "10 s", "40 s")) else None


def _hand_over(
    findings: CounterFindings, line: int, interface: str | None, totals: dict[str, float], peaks: dict[str, float]
) -> None:
    """Add the row of a report, which its peak or the end of the file ends."""
    if totals:
        rates = {"in_bps": totals.get("receive"), "out_bps": totals.get("send"), **peaks}
        findings.rate(line=line, interface=interface, interval_s=_SECONDS, **rates)
        totals.clear()
