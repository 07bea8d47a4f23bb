"""Output of smbclient: files got from and put to a share of Windows or Samba.

Versions: Samba 2.2 to 4.21. One run for each file.

Units and traps
---------------
- "KiloBytes/sec" and "kb/s" are 1024 bytes a second. Locales have a decimal comma.
- The average in brackets is that of all files of the session, and is left out.
- The size of a file is printed for "getting" only. Small files show the round trips, and not the line.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_N: Final = r"\d{1,9}(?:[.,]\d{1,3})?"
_NAME: Final = r"(?:(?!(?:get|put)ting file ).){1,400}"
_FILE: Final = re.compile(
    rf"\b(?P<what>getting|putting) file {_NAME}? (?:of size (?P<bytes>\d{{1,18}}) )?as {_NAME}? "
    rf"\((?P<rate>{_N}) (?:KiloBytes/sec|kb/s)\) \(average {_N} (?:KiloBytes/sec|kb/s)\)"
)
_LIKE: Final = re.compile(rf"\b(?:getting|putting) file {_NAME}? as {_NAME}?\(average ")


class Smbclient:
    """Reader of smbclient."""

    TOOLS: tuple[str, ...] = ("smbclient",)
    VERSIONS: str = "Samba 2.2 to 4.21"
    HINTS: tuple[str, ...] = ("getting file ", "putting file ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take a file."""
        match = _FILE.search(line.text)
        if match is None:
            if _LIKE.search(line.text):
                report_damaged_line(self._findings, line, "'getting file … (… KiloBytes/sec) (average …)'; left out")
                return True
            return False
        rate = 8 * 1024 * float(match["rate"].replace(",", "."))
        columns: dict[str, object] = {
            "tool": "smbclient",
            "protocol": "file",
            "direction": "receive" if match["what"] == "getting" else "send",
            "bytes": int(match["bytes"]) if match["bytes"] else None,
            "throughput_bps": rate or None,
        }
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Do nothing: a file is a run."""
