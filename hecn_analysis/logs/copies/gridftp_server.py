"""Transfer log of the GridFTP server of the Globus Toolkit and of the Grid Community Toolkit.

``globus-gridftp-server -log-transfer FILE`` writes a line of NetLogger's for every transfer ("NL.EVNT=FTP_INFO"), each
of which is one run. Versions: Globus Toolkit 2 to 6 and GCT 6.2; the later ones add TASKID and, on Linux, the
retransmissions of every stream ("retrans=0,3").

Units and traps
---------------
- START and DATE (the end) are UTC with microseconds: their difference is the duration. The rate is not printed: it is
  NBYTES over the duration, which includes opening the file and the data connections. Early versions omit leading zeros
  of the microseconds: ".2102" is 0.002102 s.
- TYPE is the server's view: RETR sends, STOR receives (ERET and ESTO: parts of files). Directory listings are transfers
  too, with their own TYPE and no direction.
- CODE is the FTP reply. Any code but 2xx is a failed transfer; NBYTES is then the bytes moved before.
- STREAMS counts the TCP connections of one stripe.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import pandas as pd

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_INFO: Final = re.compile(
    r"(?:^|[^\w.])DATE=(?P<end>\d{14}(?:\.\d{1,6})?) HOST=\S* PROG=\S* NL\.EVNT=FTP_INFO "
    r"START=(?P<start>\d{14}(?:\.\d{1,6})?) USER=\S* FILE=.{0,3000}? BUFFER=\d{1,19} BLOCK=\d{1,19} "
    r"NBYTES=(?P<bytes>\d{1,19}) VOLUME=\S* STREAMS=(?P<streams>\d{1,9}) STRIPES=\d{1,9} DEST=\S* "
    r"TYPE=(?P<type>\w{1,12}) CODE=(?P<code>\d{1,4})(?: TASKID=\S*)?(?: retrans=(?P<retrans>[\d,]{1,400}))?"
)
_WAYS: Final = {"RETR": "send", "ERET": "send", "STOR": "receive", "ESTO": "receive", "APPE": "receive"}
_EXPECTED: Final = "'DATE=… START=… NBYTES=… STREAMS=… TYPE=… CODE=…'"


class GridftpServer:
    """Reader of the transfer log of a GridFTP server."""

    TOOLS: tuple[str, ...] = ("gridftp-server",)
    VERSIONS: str = "Globus Toolkit 2 to 6, GCT 6.2"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("NL.EVNT=FTP_INFO",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take a line of the transfer log."""
        if "NL.EVNT=FTP_INFO" not in line.text or "DATE=" not in line.text:
            return False  # source code that mentions the event has no DATE
        match = _INFO.search(line.text)
        start, end = (_time(match["start"]), _time(match["end"])) if match else (None, None)
        if match is None or start is None or end is None or end < start:
            report_damaged_line(self._findings, line, f"{_EXPECTED}; no run made of it")
            return True
        amount, seconds = int(match["bytes"]), (end - start).total_seconds()
        error = not match["code"].startswith("2")
        if error:
            self._findings.problem(
                line.number, "aborted", f"found CODE={match['code']}, expected 2xx for a transfer that was finished"
            )
        values: dict[str, object] = {
            "tool": "gridftp-server",
            "protocol": "tcp",
            "direction": _WAYS.get(match["type"]),
            "start_time": pd.Timestamp(start),
            "duration_s": seconds,
            "bytes": amount,
            "throughput_bps": 8 * amount / seconds if seconds > 0 else None,
            "streams": int(match["streams"]) or None,
            "retransmits": sum(map(int, filter(None, match["retrans"].split(",")))) if match["retrans"] else None,
            "error": error,
        }
        self._findings.run(Run(line.number, line.number, values))
        return True

    def finish(self) -> None:
        """The output has ended; every line was a run of its own."""


def _time(text: str) -> datetime | None:
    """Return the date [UTC] of NetLogger's fourteen digits and microseconds, None if they are not a date."""
    digits, _, microseconds = text.partition(".")
    month, day, hour, minute, second = (int(digits[start : start + 2]) for start in range(4, 14, 2))
    try:
        return datetime(int(digits[:4]), month, day, hour, minute, second, int(microseconds or 0), tzinfo=UTC)
    except ValueError:
        return None
