"""Output of bonnie, the program of Tim Bray that bonnie++ comes from: block writes, rewrites and block reads.

Versions: 1.0 to 2.0.6, also as FreeBSD and Debian had it. A run is a block result, as of bonnie++. Results per
character and seeks are no transfers and are left out.

Units and traps
---------------
- Rates are KiB per second ("K/sec"), the size is MiB ("MB"). The name of the machine may be blank.
- The three tests write and read one file: a figure far above the disk's is the page cache.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_TITLE: Final = re.compile(
    r"^\s{0,20}-{5,8}Sequential Output-{6,10} -{2,4}Sequential Input-{1,3} -{1,3}Random-{1,3}\s*$"
)
_HEAD: Final = re.compile(r"^\s{0,20}-Per Char- --Block--- -Rewrite-- -Per Char- ")
_UNITS: Final = re.compile(r"^(?:Machine\s{1,12})?\s{0,20}MB\s{1,4}K/sec %CPU ")
_PAIR: Final = r"\s{1,12}\d{1,12}\s{1,4}\d{1,4}\.\d"
_ROW: Final = re.compile(
    rf"^(?P<name>\S{{0,40}})\s{{1,20}}(?P<mb>\d{{1,9}}){_PAIR}\s{{1,12}}(?P<write>\d{{1,12}})\s{{1,4}}\d{{1,4}}\.\d"
    rf"\s{{1,12}}(?P<rewrite>\d{{1,12}})\s{{1,4}}\d{{1,4}}\.\d{_PAIR}\s{{1,12}}(?P<read>\d{{1,12}})\s{{1,4}}\d{{1,4}}\.\d(?:\s|$)"
)
_NEAR: Final = 4


class BonnieFirst:
    """Reader of bonnie."""

    TOOLS: tuple[str, ...] = ("bonnie",)
    VERSIONS: str = "1.0 to 2.0.6"
    HINTS: tuple[str, ...] = ("Sequential Output-", "-Per Char-", "K/sec %CPU")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._table = -_NEAR

    def feed(self, line: Line) -> bool:
        """Take the heads of the table, and its rows."""
        if any(head.match(line.text) for head in (_TITLE, _HEAD, _UNITS)):
            self._table = line.number
            return True
        if line.number != self._table + 1:
            return False
        if (row := _ROW.match(line.text)) is None:
            if line.text.strip() and line.text.split()[-1].replace(".", "").isdigit():
                report_damaged_line(self._findings, line, "a size and six pairs of rate and share; no runs made")
                return True
            return False
        self._table = line.number  # rows of further machines
        for direction in ("write", "rewrite", "read"):
            columns: dict[str, object] = {
                "tool": "bonnie",
                "protocol": "file",
                "label": row["name"] or None,
                "direction": direction,
                "bytes": int(row["mb"]) << 20,
                "throughput_bps": 8192.0 * int(row[direction]),
            }
            self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Do nothing: every row is complete."""
