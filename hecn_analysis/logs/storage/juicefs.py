"""Output of ``juicefs bench``: big files written and read.

Versions: JuiceFS 0.17 to 1.2. Two runs for each bench: big files written, and read.

Units and traps
---------------
- MiB/s is 2**20 bytes a second, of all threads together.
- A table that compares several benches, with more columns, is none of the program's own, and is left out.
- Small files are counted in files a second, and are left out, as are the times of stat and of FUSE operations.
- Reads of a bench that has just written the files may come from the cache of the client.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_THREADS: Final = re.compile(r"BlockSize: .{1,80}BigFileSize: .{1,80}NumThreads: (?P<threads>\d{1,5})\s{0,8}$")
_ROW: Final = re.compile(
    r"^\s{0,8}[|│]\s{1,12}(?P<what>Write|Read) big file\s{1,12}[|│]\s{1,20}(?P<rate>\d{1,9}\.\d{1,3}) MiB/s\s{1,12}[|│]"
    r"\s{1,12}\S{1,16} s/file\s{0,12}[|│]?\s{0,8}$"
)
_LIKE: Final = re.compile(r"^\s{0,8}[|│]\s{1,12}(?:Write|Read) big file(?:[^|│]{0,40}[|│]){2}[^|│]{0,40}[|│]?\s{0,8}$")


class Juicefs:
    """Reader of juicefs bench."""

    TOOLS: tuple[str, ...] = ("juicefs",)
    VERSIONS: str = "0.17 to 1.2: bench"
    HINTS: tuple[str, ...] = ("BigFileSize: ", " big file ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._threads: int | None = None

    def feed(self, line: Line) -> bool:
        """Take the head or a row of big files."""
        if (head := _THREADS.search(line.text)) is not None:
            self._threads = int(head["threads"])
            return True
        match = _ROW.match(line.text)
        if match is None:
            if _LIKE.match(line.text):
                report_damaged_line(self._findings, line, "'| Write big file | … MiB/s | … |'; left out")
                return True
            return False
        columns: dict[str, object] = {
            "tool": "juicefs",
            "protocol": "file",
            "direction": match["what"].lower(),
            "streams": self._threads,
            "throughput_bps": float(match["rate"]) * 8 * 2**20,
        }
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Forget the head."""
        self._threads = None
