"""Output of ss with internal TCP information (``ss -ti``, ``-tin``, ``-iet``): one run for each connection.

Versions: iproute2 from 2009 to today, also with ``-O`` (one line for each socket), ``-e`` and ``-m``.

Units and traps
---------------
- Times are milliseconds: "rtt:10.06/0.002" is the smoothed round-trip time and its mean deviation.
- "retrans:0/737" is what waits to be acknowledged now, and the total: the total is read. It is printed only where it
  is not zero, so that a connection without it has had none.
- "wscale:7,7" was "wscale:8,9 rto:241" with or without the comma, and very old versions print "rtt:1.5/0.75".
- A socket without "rtt" (listening, or not yet connected) is no run.
- There is no duration, and thus no rate of a transfer: "send", "pacing_rate" and "delivery_rate" are estimates of the
  moment and are not read. "bytes_sent" and "bytes_acked" count both of retransmissions or not, since the connection
  was made, and are not read either.
- The label is the two ends of the connection, as on the line above.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.logs.contract import Findings, Run
from hecn_analysis.logs.source import Line

_RTT: Final = re.compile(
    r"(?:^|\s)rtt:(?P<rtt>\d{1,9}(?:\.\d{1,9})?)(?:/(?P<deviation>\d{1,9}(?:\.\d{1,9})?))?(?=\s|$)"
)
_DAMAGED: Final = re.compile(r"(?:^|\s)rtt:\S{0,40}")
_INFORMATION: Final = re.compile(r"(?:^|\s)rto:\d{1,9}(?:\.\d{1,9})?\s")
_RETRANSMITS: Final = re.compile(r"\sretrans:\d{1,12}/(?P<total>\d{1,18})(?=\s|$)")
_SOCKET: Final = re.compile(
    r"^\W{0,8}(?:tcp\s{1,12})?(?:ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-[12]|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|UNCONN|LISTEN)\s{1,40}"
    r"\d{1,12}\s{1,40}\d{1,12}\s{1,80}(?P<local>\S{1,120})\s{1,80}(?P<peer>\S{1,120})"
)
_NEAR: Final = 2


class Ss:
    """Reader of ss."""

    TOOLS: tuple[str, ...] = ("ss",)
    VERSIONS: str = "iproute2 from 2009 to 6.x"
    HINTS: tuple[str, ...] = ("rto:", "ESTAB ", "WAIT", "LAST-ACK", "CLOSING", "LISTEN ", "SYN-")

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._socket: tuple[int, str] | None = None

    def feed(self, line: Line) -> bool:
        """Take a socket, or what is known inside of the kernel about it."""
        text = line.text
        found = _SOCKET.match(text)
        if found is not None:
            self._socket = (line.number, f"{found['local']} {found['peer']}")
        if "rto:" not in text or not _INFORMATION.search(text):
            return found is not None and "rto:" not in text
        socket, self._socket = self._socket, None
        first, label = line.number, None
        if socket is not None and line.number - socket[0] <= _NEAR:
            first, label = socket
        rtt = _RTT.search(text)
        if rtt is None or (not line.complete and rtt.end() == len(text)):
            if (damaged := _DAMAGED.search(text)) is not None or not line.complete:
                kind = "malformed" if line.complete else "truncated"
                shown = damaged[0].strip() if damaged else text.strip()[-40:]
                self._findings.problem(line.number, kind, f"found {shown!r}, expected 'rtt:…/…'; no run made of it")
            return True
        total = _RETRANSMITS.search(text)
        columns: dict[str, object] = {
            "tool": "ss",
            "protocol": "tcp",
            "label": label,
            "rtt_s": float(rtt["rtt"]) / 1e3,
            "retransmits": int(total["total"]) if total else None,
        }
        self._findings.run(Run(first, line.number, columns))
        return True

    def finish(self) -> None:
        """The file has ended."""
