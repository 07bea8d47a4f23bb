"""Results of CrystalDiskMark and KDiskMark: one row for each pattern of reads or writes.

Versions: CrystalDiskMark 3 to 8, KDiskMark 2 and 3.

Units and traps
---------------
- MB/s is 10**6 bytes a second, as the head says; since version 7 there may be GB/s in rows that were set to it.
- Q is the number of requests under way, T that of threads. The rows are best values of some runs, not means.
- "[Mix]" rows are reads and writes together: they have no direction.
- "Sequential" of version 3 has 1 MiB, "512K" and "4K" are random.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_RATE: Final = r"\s{0,8}:\s{1,12}(?P<rate>\d{1,9}\.\d{1,3}) (?P<unit>[MG])B/s(?:\s|$)"
_HEAD: Final = re.compile(r"^\s{0,8}\[(?P<head>Read|Write|Mix)\]")
_ROW: Final = re.compile(
    r"^\s{0,12}(?P<way>SEQ|RND|Sequential|Random)\s{1,6}(?P<size>\d{1,6}) ?(?P<size_unit>[KM]iB)\s{0,4}"
    r"\(Q=\s{0,4}(?P<queue>\d{1,4}), ?T=\s{0,4}(?P<threads>\d{1,4})\)" + _RATE
)
_OLD: Final = re.compile(
    r"^\s{0,20}(?P<way>Sequential|Random)\s{1,3}(?P<what>Read|Write)"
    r"(?:\s{1,3}(?P<size>\d{1,6}) ?(?P<size_unit>[KM]i?B))?"
    r"\s{0,4}(?:\(Q=\s{0,4}(?P<queue>\d{1,4}), ?T=\s{0,4}(?P<threads>\d{1,4})\)|\(QD=\d{1,4}\))?" + _RATE
)
_LIKE: Final = re.compile(r"^\s{0,20}(?:SEQ|RND|Sequential|Random)\s.{0,40}:\s")


class CrystalDiskMark:
    """Reader of CrystalDiskMark and KDiskMark."""

    TOOLS: tuple[str, ...] = ("CrystalDiskMark", "KDiskMark")
    VERSIONS: str = "CrystalDiskMark 3 to 8, KDiskMark 2 and 3"
    HINTS: tuple[str, ...] = (
        "CrystalDiskMark ",
        "KDiskMark ",
        "[Read]",
        "[Write]",
        "[Mix]",
        "SEQ ",
        "RND ",
        *("Sequential ", "Random "),
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._tool = ""
        self._what = ""

    def feed(self, line: Line) -> bool:
        """Take the head or a row."""
        text = line.text
        if (title := re.match(r"^\s{0,8}(CrystalDiskMark|KDiskMark) \(?\d", text)) is not None:
            self._tool, self._what = title[1], ""
            return True
        if not self._tool:
            return False
        if (head := _HEAD.match(text)) is not None:
            self._what = {"Read": "read", "Write": "write", "Mix": "mix"}[head["head"]]
            return True
        row = _ROW.match(text) if self._what else None
        old = _OLD.match(text) if row is None else None
        match = row or old
        if match is None:
            if _LIKE.match(text):
                report_damaged_line(self._findings, line, "a row with '… MB/s'; left out")
                return True
            return False
        what = old["what"].lower() if old is not None else self._what
        way = "random_" if match["way"] in ("RND", "Random") else ""
        columns: dict[str, object] = {
            "tool": self._tool,
            "protocol": "file",
            "direction": None if what == "mix" else way + what,
            "streams": int(match["threads"]) if match["threads"] else None,
            "throughput_bps": float(match["rate"]) * 8 * {"M": 1e6, "G": 1e9}[match["unit"]],
            "circumstances": " ".join(text.partition(":")[0].split()),
        }
        if row is not None:
            columns["circumstances"] = f"{row['size']} {row['size_unit']}, Q={row['queue']}, T={row['threads']}"
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Forget the head."""
        self._tool = self._what = ""
