"""Rows of iperf and iperf3 whose rate cannot be read: it is computed from bytes and seconds."""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_RATE_IN_ROW: Final = re.compile(
    r"\] {1,6}(?P<start>\d{1,8}\.\d{1,6})- {0,4}(?P<end>\d{1,8}\.\d{1,6}) {0,8}sec\s{1,12}"
    r"(?P<amount>\d{1,12}(?:\.\d{1,6})?) {0,3}(?P<scale>[KMGTPE]?)Bytes\s{1,12}"
    r"(?P<rate>\S{1,40}(?: {1,3}(?!\d{1,12}(?:\s|$))[^\s]{1,40})?)(?=\s|$)"
)


def repaired_row(findings: RunFindings, line: Line, pattern: re.Pattern[str], expected: str) -> re.Match[str] | None:
    """Return the row with a computed rate and report that, or report the damage and return None."""
    repaired = _with_rate(line.text) if line.complete else None
    row = None if repaired is None else pattern.search(repaired[0])
    if repaired is None or row is None:
        report_damaged_line(findings, line, f"{expected}; left out")
        return None
    message = f"found {repaired[1]!r}, expected '… bits/sec'; computed from bytes and seconds"
    findings.problem(line.number, "unit", message)
    return row


def _with_rate(row: str) -> tuple[str, str] | None:
    """Put the rate into an iperf row whose own cannot be read."""
    match = _RATE_IN_ROW.search(row)
    if match is None:
        return None
    seconds = float(match["end"]) - float(match["start"])
    if seconds <= 0:
        return None
    bits = 8 * float(match["amount"]) * scale(match["scale"], 1024) / seconds
    return f"{row[: match.start('rate')]}{bits:.0f} bits/sec{row[match.end('rate') :]}", match["rate"]
