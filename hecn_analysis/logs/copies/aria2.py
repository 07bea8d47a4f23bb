"""Output of aria2c: the results of downloads.

Versions: 1.8 to 1.37. One run for each row of "Download Results".

Units and traps
---------------
- "112MiB/s" is 2**20 bytes a second, a whole number, or one digit below 10; "n/a" is a file that was there already.
- The rate is a mean over the download. The lines of progress ("DL:115MiB") are those of a moment, and are left out.
- Several connections and servers may share one download: the results do not say how many.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_ROW: Final = re.compile(
    r"^\s{0,8}(?P<gid>[0-9a-f]{6,16})\|(?P<status>OK|ERR|INPR|RM)\s{0,3}\|\s{0,12}"
    r"(?:(?P<n>\d{1,6}(?:\.\d{1,3})?)(?P<unit>(?:[KMG]i)?)B/s|n/a)\|"
)
_LIKE: Final = re.compile(r"^\s{0,8}[0-9a-f]{6,16}\|(?:OK|ERR|INPR|RM)\s{0,3}\|")


class Aria2:
    """Reader of aria2c."""

    TOOLS: tuple[str, ...] = ("aria2c", "aria2")
    VERSIONS: str = "1.8 to 1.37"
    HINTS: tuple[str, ...] = ("|OK ", "|ERR ", "|INPR", "|RM ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take a row of the results."""
        match = _ROW.match(line.text)
        if match is None:
            if _LIKE.match(line.text) is None:
                return False
            report_damaged_line(self._findings, line, "'…|OK  |… MiB/s|…'; left out")
            return True
        if match["n"] is None:
            return True
        failed = match["status"] == "ERR"
        rate = 8 * float(match["n"]) * scale(match["unit"], 1024)
        if failed:
            message = "found a download with an error, expected one that is OK"
            self._findings.problem(line.number, "aborted", message)
        columns: dict[str, object] = {"tool": "aria2c", "protocol": "tcp", "direction": "receive", "error": failed}
        self._findings.run(Run(line.number, line.number, {**columns, "throughput_bps": None if failed else rate}))
        return True

    def finish(self) -> None:
        """Do nothing: a row is a run."""
