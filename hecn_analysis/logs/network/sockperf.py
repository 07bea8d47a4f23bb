"""Output of sockperf: message rate and bandwidth, or latency.

Versions: 2.5 to 3.10, client side: throughput, ping-pong, under-load, playback.

Units and traps
---------------
- "MBps" is 2**20 bytes per second, "Mbps" 2**20 bit/s, and with ``--giga-size`` "Gbps" is 1000 of those. With
  ``--increase_output_precision`` (nine decimals) the line says "Gbps" and means Mbps: that is a problem of kind unit.
- The rate is what the sender passes to its socket. Over TCP the receiver gets as much; over UDP it is the sender's
  figure only.
- The latency is half of the measured round trip: the columns have the round trip, twice the printed figure.
  ``--full-rtt`` prints the round trip itself ("avg-rtt", "Round trip is").
- "Valid Duration" leaves out the warm-up: the figures cover it, not "Total Run". Under load most messages need no
  answer: the loss is "dropped messages", not sent less received.
- "Server No: 1" and on: several servers, each with statistics of its own, each a run.
- A log of results alone has no version and no heading: a total, or a second summary of the same kind, begins the next
  run.
- A server prints no figures: its output makes no run, and a problem says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_N: Final = r"\d{1,12}(?:\.\d{1,12})?"
_VERSION: Final = re.compile(r"sockperf: == version #(?P<version>[\w.-]{1,40})")
_PROTOCOL: Final = re.compile(r"\bIP = \S{1,60}\s{1,12}PORT =\s{1,6}\d{1,5} # (?P<protocol>TCP|UDP)")
_TOTAL: Final = re.compile(rf"sockperf: Total of (?P<messages>\d{{1,18}}) messages sent in (?P<seconds>{_N}) sec")
_SIZE: Final = re.compile(r"using msg-size=(?P<size>\d{1,9})\.")
_MESSAGES: Final = re.compile(r"sockperf: Summary: Message Rate is (?P<rate>\d{1,18}) \[msg/sec\]")
_BANDWIDTH: Final = re.compile(
    rf"sockperf: Summary: BandWidth is {_N} [MG]Bps "
    r"\((?P<bits>\d{1,12}\.(?P<decimals>\d{1,12})) (?P<unit>[MG])bps\)"
)
_SERVER: Final = re.compile(r"sockperf: =+ Printing statistics for Server No: \d")
_VALID: Final = re.compile(
    rf"sockperf: \[Valid Duration\] RunTime=(?P<seconds>{_N}) sec; (?:SentMessages|Sent Messages)=(?P<sent>\d{{1,18}})"
)
_MEAN: Final = re.compile(
    rf"sockperf: (?:====> avg-(?P<kind>lat(?:ency)?|rtt)=\s{{0,12}}(?P<us>{_N})"
    rf"|Summary: (?P<words>Latency|Round trip)(?: of burst of \d{{1,9}} messages)? is (?P<us2>{_N}) usec)"
)
_DROPPED: Final = re.compile(r"sockperf: # dropped messages = (?P<dropped>\d{1,18})")
_EXTREME: Final = re.compile(rf"sockperf: ---> <(?P<which>MAX|MIN)> observation =\s{{0,12}}(?P<us>{_N})")
_ERROR: Final = re.compile(r"(?<![\"'])sockperf: ERROR: (?P<text>[^\s\"].{0,300})")
_UNREAD: Final = re.compile(
    r"sockperf: Summary: (?:BandWidth|Latency|Round trip)\b.{0,200}|sockperf: ====> avg-.{0,60}"
)
_BEGINS: Final = re.compile(r"sockperf: (?:\[Total Run\]|Total of \d|Warmup stage|Starting test)")
_SUMMARY: Final = re.compile(r"sockperf: Summary: (?P<kind>BandWidth|Latency|Round trip|Message Rate)")
_RATES: Final = ("BandWidth", "Message Rate")
_IN_VAIN: Final = re.compile(
    r"sockperf: (?P<text>(?:No messages were (?:received from the server|sent)|Test end before test start"
    r"|No valid observations found).{0,200})"
)
_SERVES: Final = re.compile(r"sockperf: ?\[SERVER\] listen on:")
_DIFFERENCE: Final = 0.01


@dataclass
class _OpenRun:
    """A run whose end has not been read."""

    first: int
    last: int
    columns: dict[str, object] = field(default_factory=dict)
    factor: int = 2
    size: int | None = None
    messages: int | None = None
    statistics: bool = False
    result: bool = False
    serves: bool = False
    summaries: set[str] = field(default_factory=set)


class Sockperf:
    """Reader of sockperf."""

    TOOLS: tuple[str, ...] = ("sockperf",)
    VERSIONS: str = "2.5 to 3.10, the client's output"
    HINTS: tuple[str, ...] = ("sockperf", " PORT =")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of sockperf's."""
        text = line.text
        if match := _PROTOCOL.search(text):
            if self._open is None:
                return False
            self._begin(line).columns["protocol"] = match["protocol"].lower()
            return True
        if "sockperf: " not in text and "sockperf[" not in text:
            return False
        if match := _VERSION.search(text):
            self._close()
            self._begin(line).columns["tool_version"] = match["version"]
        elif match := (_ERROR.search(text) or _IN_VAIN.search(text)):
            self._failure(line, match["text"].strip())
        elif _SERVER.search(text):
            self._next_server(line)
        elif not self._figures(line, self._continued(line)) and (match := _UNREAD.search(text)):
            report_damaged_line(self._findings, line, "a figure with its unit", repr(match[0].strip()))
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number)
        self._open.last = line.number
        return self._open

    def _continued(self, line: Line) -> _OpenRun:
        """Return the run that a line belongs to: the open one, or the next."""
        opened = self._open
        summary = _SUMMARY.search(line.text)
        again = False
        if summary is not None and opened is not None:
            other = any((kind in _RATES) != (summary["kind"] in _RATES) for kind in opened.summaries)
            again = other or summary["kind"] in opened.summaries
        if again or (opened is not None and opened.result and _BEGINS.search(line.text)):
            self._close()
        opened = self._begin(line)
        opened.serves |= _SERVES.search(line.text) is not None
        if summary is not None:
            opened.summaries.add(summary["kind"])
        return opened

    def _figures(self, line: Line, opened: _OpenRun) -> bool:
        text, columns = line.text, opened.columns
        if match := _TOTAL.search(text):
            columns |= {"sent_packets": int(match["messages"]), "duration_s": float(match["seconds"])}
        elif match := _SIZE.search(text):
            opened.size = int(match["size"])
        elif match := _MESSAGES.search(text):
            opened.messages = int(match["rate"])
        elif match := _BANDWIDTH.search(text):
            self._bandwidth(line, opened, match)
        elif match := _VALID.search(text):
            columns |= {"sent_packets": int(match["sent"]), "duration_s": float(match["seconds"])}
        elif match := _MEAN.search(text):
            opened.factor = 1 if "rtt" in (match["kind"] or "") or match["words"] == "Round trip" else 2
            columns["rtt_avg_s"] = opened.factor * float(match["us"] or match["us2"]) / 1e6
            opened.result = True
        elif match := _DROPPED.search(text):
            columns["lost_packets"] = int(match["dropped"])
        elif match := _EXTREME.search(text):
            columns[f"rtt_{match['which'].lower()}_s"] = opened.factor * float(match["us"]) / 1e6
        else:
            return False
        return True

    def _bandwidth(self, line: Line, opened: _OpenRun, match: re.Match[str]) -> None:
        rate = float(match["bits"]) * 2**20
        if match["unit"] == "G" and match["decimals"] != "0" * 9 and len(match["decimals"]) > 3:
            self._findings.problem(
                line.number, "unit", f"found {match['bits']} Gbps, read as Mbps: sockperf misprints it"
            )
        elif match["unit"] == "G":
            rate *= 1000
        if opened.size and opened.messages:
            expected = 8.0 * opened.size * opened.messages
            if abs(rate - expected) > _DIFFERENCE * max(rate, expected) + 8e6:
                self._findings.problem(
                    line.number,
                    "inconsistent",
                    f"found a rate of {rate:.6g} bit/s, expected {expected:.6g} bit/s from {opened.messages} messages "
                    f"per second of {opened.size} bytes; kept as printed",
                )
        sender_only = opened.columns.get("protocol") == "udp"
        opened.columns["sender_throughput_bps"] = rate
        if not sender_only:
            opened.columns["throughput_bps"] = rate
        opened.result = True

    def _next_server(self, line: Line) -> None:
        """Begin the statistics of a server, which are a run of their own."""
        shared: dict[str, object] = {}
        if self._open is not None and self._open.statistics:
            columns = self._open.columns
            shared = {name: columns[name] for name in ("protocol", "tool_version") if name in columns}
            self._close()
        opened = self._begin(line)
        opened.columns |= shared
        opened.statistics = True

    def _failure(self, line: Line, text: str) -> None:
        opened = self._begin(line)
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a summary")
        opened.columns["error"] = True
        opened.result = True
        self._close()

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.serves and not opened.result:
            self._findings.problem(
                opened.last, "unrecognised", "found the output of a server, which has no figures, expected a client's"
            )
            return
        if not opened.result:
            if "sent_packets" in opened.columns or "protocol" in opened.columns:
                self._findings.problem(
                    opened.last, "truncated", "found no summary, expected 'Summary: …'; no run made of it"
                )
            return
        self._findings.run(Run(opened.first, opened.last, {"tool": "sockperf", **opened.columns}))
