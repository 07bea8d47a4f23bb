"""Comma-separated values of bwm-ng, which have semicolons, and what it prints with ``-o plain``.

Versions: 0.5 and 0.6, ``-o csv`` with any -T.

Units and traps
---------------
- No heading: time; interface; bytes out a second; in; total; bytes in; out; packets out a second; in; … Out stands
  before in among the rates, behind it among the amounts.
- "total" is no interface.
- The length of an interval is the bytes over their rate, or the time since the row before where nothing was sent.
- Times are seconds since 1970.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.files.documents import Document

FORMATS: Final = ("bwm-ng-csv",)
VERSIONS: Final = "bwm-ng 0.5 and 0.6"
WHOLE: Final = True

_ROW: Final = re.compile(
    r"(?P<time>\d{9,10}(?:\.\d{1,9})?)(?P<mark>[;,])(?P<name>[^;,\s]{1,64})(?P=mark)(?P<out>-?\d+(?:\.\d+)?)(?P=mark)"
    r"(?P<in>-?\d+(?:\.\d+)?)(?P=mark)(?P<both>-?\d+(?:\.\d+)?)(?P=mark)(?P<bytes_in>\d{1,20})(?P=mark)(?P<bytes_out>\d{1,20})"
    r"(?:(?P=mark)-?[\d.]+){3,20}(?P=mark)?\s*"
)


def recognises(document: Document) -> bool:
    """Whether the first line is a row."""
    return _ROW.fullmatch(document.start.split("\n", 1)[0]) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows."""
    findings.format = "bwm-ng-csv"
    before: dict[str, float] = {}
    times: list[float] = []
    for line, text in enumerate(document.lines, 1):
        match = _ROW.fullmatch(text.strip())
        if match is None:
            if text.strip():
                findings.problem(line, "malformed", f"found {text[:80]!r}, expected a row of bwm-ng; left out")
            continue
        time, name, both = float(match["time"]), match["name"], float(match["both"])
        times.append(time)
        if name == "total":
            continue
        amount = int(match["bytes_in"]) + int(match["bytes_out"])
        length = amount / both if both > 0 and amount else time - before[name] if name in before else None
        before[name] = time
        findings.rate(
            line=line, interface=name, time=time, interval_s=length, in_bps=8 * float(match["in"]),
            out_bps=8 * float(match["out"]),
        )  # fmt: skip
    own = [[float(str(row["time"])) for row in findings.rates if row["interface"] == name] for name in before]
    longest = max(own, key=len, default=[])
    findings.facts.update(n_samples=len(longest), first_time=iso(times[0]), last_time=iso(times[-1]))
    findings.facts["interval_s"] = round(step, 1) if (step := interval(longest)) is not None else None
