"""The report of a line that a reader knows and cannot use."""

from __future__ import annotations

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import RunFindings


def report_damaged_line(findings: RunFindings, line: Line, expected: str, found: str | None = None) -> None:
    """Report a line as malformed, or as truncated where the file ends inside it; `found` is by default its text."""
    shown = repr(line.text.strip()[:200]) if found is None else found
    kind = "malformed" if line.complete else "truncated"
    findings.problem(line.number, kind, f"found {shown}, expected {expected}")
