"""Output of FTP clients, and the logs of FTP servers (xferlog, vsftpd's own).

Clients: BSD and netkit ftp, inetutils, tnftp (lukemftp, macOS), Solaris, AIX, HP-UX, Windows. Servers: wu-ftpd,
ProFTPD, Pure-FTPD, vsftpd. lftp has a reader of its own. Written from runs of tnftp, inetutils and vsftpd, and from
manuals and sources of the others, of which no logs are public.

Units and traps
---------------
- "30000000 bytes received in 0.141 secs (2.1e+05 Kbytes/sec)" is one run. K and M are powers of 1024 in every client
  except that of Windows ("ftp: 30000000 bytes received in 0.14Seconds 212765.96Kbytes/sec."), where they are powers of
  1000. Bytes over seconds decide if they have enough digits.
- tnftp prints the time as a clock ("in 00:02 (14.31 MiB/s)"): below one second it is left out.
- In ASCII mode the bytes on the network differ: line ends are added.
- xferlog: "Thu Jan  1 12:00:00 2026 2 host 30000000 /file b _ o r user ftp 0 * c": whole seconds, at least 1 in most
  servers, so the rate of a short transfer is far too low; bytes; "o" is sent by the server, which wrote the log, "i"
  received; the last letter is c (complete) or i (incomplete: the run failed). The clock has local time, so the start is
  unknown. Deletions ("d") are not transfers.
- vsftpd: "OK DOWNLOAD: Client …, 30000000 bytes, 14664.40Kbyte/sec": K is 1024. It leaves out "0 bytes".
- A reply of 4xx or 5xx between "local: … remote: …" (or "150 …") and the end is a file that failed.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, decimal, half_digit, scale

_F: Final = r"\d{1,12}(?:[.,]\d{1,9})?(?:e[+-]?\d{1,2})?"
_DONE: Final = re.compile(
    rf"(?<![\w.])(?P<bytes>\d{{1,19}}) bytes (?P<way>sent|received) in (?:(?P<clock>(?:\d{{1,4}}:)?\d\d:\d\d)|"
    rf"(?P<seconds>{_F}) ?(?:secs?|seconds?|Seconds|s)) ?\(?(?P<rate>{_F}) ?(?P<unit>[kKMGT]?)(?:bytes|iB|B)/s(?:ec)?"
)
_XFERLOG: Final = re.compile(
    r"^(?:[A-Z][a-z]{2} ){2}[ \d]\d \d\d:\d\d:\d\d \d{4} (?P<seconds>\d{1,9}) \S{1,300} (?P<bytes>\d{1,19}) .{1,2000} "
    r"[ab] \S{1,4} (?P<way>[iod]) [arg] \S{1,200} \S{1,40} [01] \S{1,200}(?: (?P<status>[ci]))?\s*$"
)
_VSFTPD: Final = re.compile(
    r"\] (?P<status>OK|FAIL) (?P<way>DOWNLOAD|UPLOAD): Client \"[^\"]{1,80}\", .{0,600}?"
    r"(?:(?P<bytes>\d{1,19}) bytes|\"), (?P<rate>\d{1,15}\.\d\d)Kbyte/sec"
)
_BEGUN: Final = re.compile(r"^(?:ftp> )?(?:local: \S.{0,400} remote: \S|1[25][05][ -])")
_REPLY: Final = re.compile(r"^[45]\d\d \S")
_CUT: Final = re.compile(r"(?<![\w.,] )(?<![\w.])\d{1,19} bytes (?:sent|received) in\b")


class Ftp:
    """Reader of FTP clients and servers."""

    TOOLS: tuple[str, ...] = ("ftp",)
    VERSIONS: str = "BSD, netkit, inetutils, tnftp, Solaris, AIX, HP-UX, Windows; xferlog; vsftpd"
    DATED: bool = True
    HINTS: tuple[str, ...] = (
        "bytes sent in",
        "bytes received in",
        " ftp ",
        " 0 * ",
        "LOAD: Client",
        "150 ",
        "125 ",
        "local: ",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._begun: int | None = None

    def feed(self, line: Line) -> bool:  # noqa: PLR0911 - one for each kind of line
        """Take a line of a client's or a server's."""
        text = line.text
        if match := _DONE.search(text):
            self._done(line, match)
            return True
        if match := _XFERLOG.search(text):
            self._transfer(line, match)
            return True
        if match := _VSFTPD.search(text):
            self._served(line, match)
            return True
        if _BEGUN.search(text):
            self._begun = line.number
            return True
        if self._begun is not None and line.number <= self._begun + 8 and _REPLY.search(text):
            self._failed(line, text.strip())
            return True
        if not line.complete and _CUT.search(text):
            message = f"found {text.strip()[:200]!r}, expected '… bytes received in … secs (… Kbytes/sec)'"
            self._findings.problem(line.number, "truncated", message + "; no run made of it")
            return True
        return False

    def finish(self) -> None:
        """The output has ended; every run was complete with its line."""

    def _run(self, line: Line, figures: dict[str, object], rounding: float = 0.01) -> None:
        values = {"tool": "ftp", "protocol": "file", "error": False, **figures}
        self._findings.run(Run(line.number, line.number, values, rounding=rounding))

    def _done(self, line: Line, match: re.Match[str]) -> None:
        self._begun = None
        amount = int(match["bytes"])
        seconds = clock(match["clock"]) if match["clock"] else decimal(match["seconds"])
        rate, unit = decimal(match["rate"]), match["unit"]
        slack = half_digit(match["rate"]) + (
            1 / max(seconds or 0, 1) if match["clock"] else half_digit(match["seconds"])
        )
        candidates = [8 * rate * scale(unit, base) for base in (1024, 1000)]
        windows = "Seconds" in match[0]
        throughput = candidates[1 if windows else 0]
        if seconds and slack < 0.01:
            throughput = min(candidates, key=lambda candidate: abs(candidate - 8 * amount / seconds))
        figures: dict[str, object] = {
            "direction": "send" if match["way"] == "sent" else "receive",
            "bytes": amount,
            "duration_s": seconds or None,
            "throughput_bps": throughput,
        }
        self._run(line, figures, 0.03 + slack)

    def _transfer(self, line: Line, match: re.Match[str]) -> None:
        if match["way"] == "d":
            return
        amount, seconds, failed = int(match["bytes"]), int(match["seconds"]), match["status"] == "i"
        if failed:
            self._findings.problem(
                line.number, "aborted", "found an incomplete transfer ('i'), expected a complete one"
            )
        figures: dict[str, object] = {
            "direction": "send" if match["way"] == "o" else "receive",
            "bytes": amount,
            "duration_s": float(seconds),
            "throughput_bps": 8 * amount / seconds if seconds else None,
            "error": failed,
        }
        self._run(line, figures)

    def _served(self, line: Line, match: re.Match[str]) -> None:
        failed = match["status"] == "FAIL"
        if failed:
            self._findings.problem(line.number, "aborted", "found 'FAIL', expected a transfer that is 'OK'")
        figures: dict[str, object] = {
            "direction": "send" if match["way"] == "DOWNLOAD" else "receive",
            "bytes": int(match["bytes"] or 0),
            "throughput_bps": 8 * 1024 * float(match["rate"]),
            "error": failed,
        }
        self._run(line, figures)

    def _failed(self, line: Line, text: str) -> None:
        self._begun = None
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a file transferred to its end")
        self._run(line, {"error": True})
