"""Output of tc with statistics of queues (``tc -s qdisc``, text and ``-j``): one run for each queue.

Versions: iproute2 from 2004 to 6.x, every kind of queue.

Units and traps
---------------
- "Sent … bytes" are the bytes of frames with link headers since the queue was created. No other count is printed, so
  the column of payload bytes has it. There is no duration and no rate.
- "Sent … pkt" counts what has left the queue: loss_fraction is dropped over sent and dropped together. With TSO, pkt
  counts the segments. A queue may drop more than leaves it; sent_packets is then left out, since it cannot be below the
  lost ones. "ingress" and "clsact" count dropped packets as sent too, so their loss is dropped over sent.
- A queue includes the drops of its inner queues ("mq" and its "fq_codel"): sums over all rows count twice.
- Unused queues such as "qdisc noqueue" have zeros.
- The label is the device, the kind and the handle, such as "eth0 fq 8001:".
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import count

_QUEUE: Final = re.compile(
    r"^\W{0,8}qdisc (?P<kind>[a-z]\w{1,19}) (?P<handle>[\da-f]{0,8}:) "
    r"(?:\[Unknown .{0,40}\] )?(?:dev (?P<device>\S{1,20}) )?"
)
_SENT: Final = re.compile(
    r"^\W{0,8}\s?Sent (?P<bytes>\d{1,19}) bytes (?P<packets>\d{1,19}) pkts? "
    r"\(dropped (?P<dropped>\d{1,19}), overlimits\b"
)
_LIKE_SENT: Final = re.compile(r"^\W{0,8}\s?Sent \d.{0,120}")
_REST: Final = re.compile(
    r"^\s{1,8}(?:backlog|rate|maxpacket|new_flows|memory|capacity|min/max|average|flows|throttled|gc|marked|count"
    r"|lastcount|ldelay|prob|pkts|ecn_mark|thresh|target|interval|[pas][kvp]_delay|way_|drops|marks|ack_drop|[sbu][pkn]_flows"
    r"|max_len|quantum|bytes|Tin|Bulk)"
)
_BOTH_COUNTED: Final = re.compile(r"(?:^|\s)(?:ingress|clsact)\s")
_NEAR: Final = 3


class Tc(DocumentReader):
    """Reader of tc."""

    TOOLS: tuple[str, ...] = ("tc",)
    VERSIONS: str = "iproute2 from 2004 to 6.x"
    HINTS: tuple[str, ...] = ("qdisc ",)
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"kind", "handle", "bytes", "packets", "drops", "overlimits"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._queue: tuple[int, str] | None = None
        self._run: Run | None = None

    def feed(self, line: Line) -> bool:
        """Take a queue, its counts, or a line that follows them."""
        text = line.text
        if "qdisc " in text and (match := _QUEUE.match(text)):
            self._close()
            self._queue = (line.number, " ".join(filter(None, (match["device"], match["kind"], match["handle"]))))
            return True
        if self._queue is not None and line.number - self._queue[0] <= _NEAR:
            if match := _SENT.match(text):
                self._close()
                number, label = self._queue
                values = (int(match[name]) for name in ("bytes", "packets", "dropped"))
                self._run, self._queue = _run((number, line.number), label, *values), None
                return True
            if match := _LIKE_SENT.match(text):
                expected = "'Sent … bytes … pkt (dropped …'; no run made of it"
                report_damaged_line(self.findings, line, expected, repr(match[0].strip()))
                self._queue = None
                return True
        if self._run is not None and line.number == self._run.line_last + 1 and _REST.match(text):
            self._run.line_last = line.number
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def take(self, document: JsonDocument) -> bool:
        """Take a queue in JSON."""
        value = document.value
        amounts = [count(value[name]) for name in ("bytes", "packets", "drops")]
        if None in amounts or not (isinstance(value["kind"], str) and isinstance(value["handle"], str)):
            return False
        self._close()
        device = value.get("dev")
        words = (device if isinstance(device, str) else None, value["kind"], value["handle"])
        figures = (amount for amount in amounts if amount is not None)
        self.findings.run(_run((document.first, document.last), " ".join(filter(None, words)), *figures))
        return True

    def _close(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            self.findings.run(run)


def _run(lines: tuple[int, int], label: str, amount: int, sent: int, dropped: int) -> Run:
    offered = sent if _BOTH_COUNTED.search(label) else sent + dropped
    columns: dict[str, object] = {
        "tool": "tc",
        "label": label,
        "bytes": amount,
        "sent_packets": sent if dropped <= sent else None,
        "lost_packets": dropped,
        "loss_fraction": dropped / offered if 0 <= dropped <= offered and offered else None,
    }
    return Run(*lines, columns)
