"""Output of ss with internal TCP information (``ss -ti``, ``-tin``, ``-iet``): one run for each connection.

Versions: iproute2 from 2009 to today, also with ``-O`` (one line for each socket), ``-e`` and ``-m``.

Units and traps
---------------
- Times are milliseconds: "rtt:10.06/0.002" is the smoothed round-trip time and its mean deviation.
- "retrans:0/737" is the number in flight and the total: the total is read. It is printed only if it is not zero, so a
  connection without it has had none.
- "wscale:7,7" was "wscale:8,9 rto:241" with or without the comma, and very old versions print "rtt:1.5/0.75".
- A socket without "rtt" (listening, or not yet connected) makes no run.
- There is no duration, and so no rate of a transfer. "send", "pacing_rate" and "delivery_rate" are momentary estimates
  and are not read. "bytes_sent" (with retransmissions) and "bytes_acked" count since the connection was opened and are
  not read either.
- The label is the two ends of the connection, as on the line above. ``state established`` and the like omit the column
  of states.
- Lines that a terminal or a document wrapped are joined.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_RTT: Final = re.compile(
    r"(?:^|\s)rtt:(?P<rtt>\d{1,9}(?:\.\d{1,9})?(?:e\+\d\d)?)(?:/\d{1,9}(?:\.\d{1,9})?(?:e\+\d\d)?)?(?=\s|$)"
)
_DAMAGED: Final = re.compile(r"(?:^|\s)rtt:\S{0,40}")
_INFORMATION: Final = re.compile(
    r"(?:^|\s)rto:\d{1,9}(?:\.\d{1,9})?(?:e\+\d\d)?(?:\s|$)|\swscale:\d{1,2},\d{1,2}\srtt:.{1,80}\scwnd:\d"
)
_RETRANSMITS: Final = re.compile(r"(?:^|\s)retrans:\d{1,12}/(?P<total>\d{1,18})(?=\s|$)")
_MORE: Final = re.compile(
    r"^[\s>#|]{1,40}(?:(?:[a-z]{1,4}mss|pmtu|cwnd|ssthresh|bytes_[a-z_]{3,9}|(?:data_)?segs_(?:in|out)|send|last(?:snd|rcv|ack)"
    r"|pacing_rate|delivery_rate|delivered|busy|unacked|retrans|lost|sacked|dsack_dups|reordering|rcv_rtt|rcv_space"
    r"|rcv_ssthresh|notsent|minrtt|rcv_ooopack|snd_wnd|rcv_wnd)[: ]\d|app_limited|skmem:)"
)
_SOCKET: Final = re.compile(
    r"^\W{0,8}(?:tcp\s{1,12})?(?:ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-[12]|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|UNCONN|LISTEN)\s{1,40}"
    r"\d{1,12}\s{1,40}\d{1,12}\s{1,80}(?P<local>\S{1,120})\s{1,80}(?P<peer>\S{1,120})"
)
_STATELESS: Final = re.compile(
    r"^\W{0,8}(?:tcp\s{1,12})?\d{1,12}\s{1,40}\d{1,12}\s{1,80}(?P<local>\S{1,110}:[\w-]{1,20})\s{1,80}"
    r"(?P<peer>\S{1,110}:[\w-]{1,20})"
)
_NEAR: Final = 2


class Ss:
    """Reader of ss."""

    TOOLS: tuple[str, ...] = ("ss",)
    VERSIONS: str = "iproute2 from 2009 to 6.x"
    HINTS: tuple[str, ...] = ("rto:", " cwnd:", "ESTAB ", "WAIT", "LAST-ACK", "CLOSING", "LISTEN ", "SYN-")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._socket: tuple[int, str] | None = None
        self._run: Run | None = None

    def feed(self, line: Line) -> bool:
        """Take a socket, or the kernel's TCP information about it."""
        text = line.text
        run = self._run
        if run is not None and line.number == run.line_last + 1 and "rto:" not in text and _MORE.match(text):
            self._more(line, run)
            return True
        match = _SOCKET.match(text)
        if match is not None:
            self._close()
            self._socket = (line.number, f"{match['local']} {match['peer']}")
        if not _INFORMATION.search(text):
            return match is not None
        self._close()
        first, label = self._of_socket(line)
        rtt = _RTT.search(text)
        if rtt is None or (not line.complete and rtt.end() == len(text)):
            if (damaged := _DAMAGED.search(text)) is not None or not line.complete:
                shown = damaged[0].strip() if damaged else text.strip()[-40:]
                report_damaged_line(self._findings, line, "'rtt:…/…'; no run made of it", repr(shown))
            return True
        columns: dict[str, object] = {"tool": "ss", "protocol": "tcp", "label": label, "rtt_s": float(rtt["rtt"]) / 1e3}
        self._run = Run(first, line.number, columns)
        self._more(line, self._run)
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _of_socket(self, line: Line) -> tuple[int, str | None]:
        """Return the line of the socket above, and its two ends."""
        socket, self._socket = self._socket, None
        if socket is not None and line.number - socket[0] <= _NEAR:
            return socket
        above = self._findings.recent[-1] if self._findings.recent else None
        match = _STATELESS.match(above.text) if above is not None and line.number - above.number <= _NEAR else None
        return (above.number, f"{match['local']} {match['peer']}") if above and match else (line.number, None)

    def _more(self, line: Line, run: Run) -> None:
        """Take the retransmissions, which may stand on a line below."""
        run.line_last = line.number
        total = _RETRANSMITS.search(line.text)
        if total is not None and (line.complete or total.end() < len(line.text)):
            run.columns["retransmits"] = int(total["total"])

    def _close(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            self._findings.run(run)
