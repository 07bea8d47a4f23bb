"""Rows of iperf and iperf3 whose rate cannot be read: it is computed from bytes and seconds."""

from __future__ import annotations

import re

from hecn_analysis.files.source import Line
from hecn_analysis.logs.amounts import with_rate
from hecn_analysis.logs.contract import Findings
from hecn_analysis.logs.damage import report_damaged_line


def repaired_row(findings: Findings, line: Line, pattern: re.Pattern[str], expected: str) -> re.Match[str] | None:
    """Return the row with a computed rate and report that, or report the damage and return None."""
    repaired = with_rate(line.text) if line.complete else None
    row = None if repaired is None else pattern.search(repaired[0])
    if repaired is None or row is None:
        report_damaged_line(findings, line, f"{expected}; left out")
        return None
    message = f"found {repaired[1]!r}, expected '… bits/sec'; computed from bytes and seconds"
    findings.problem(line.number, "unit", message)
    return row
