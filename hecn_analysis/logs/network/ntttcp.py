"""Output of NTttcp (Microsoft), of Windows and of Linux: memory to memory over TCP or UDP.

Versions: Windows 5.28 to 5.40 (text and XML), ntttcp-for-linux 1.0 to 1.4 (text, XML and JSON); from the source code of
the Linux one and from documentation.

Units and traps
---------------
- MB, MEG and KB are powers of 1024; mbps, Gbps and so on powers of 1000. In the XML and JSON of Linux MB and mbps have
  the same base: 1024 up to 1.3, which divides whole numbers, 1000 since 1.4 of May 2021. Rate, bytes and seconds
  together show which.
- Windows prints MB/s with three decimals and no bit rate in its text.
- CPU time is left out: it is in per cent of the whole host (Windows), or a sum over all cores by another rule (Linux).
- ``ntttcps`` is the sender's file and ``ntttcpr`` the receiver's. The throughput of a sender's run is the sender's
  figure.
- Linux shows a ``Real-time throughput`` between carriage returns. It has no times and makes no intervals.
- The number of streams is that of the connections, or else of the threads. A receiver on Linux counts its listening
  threads and one more: that number is not used.
- Windows does not print which end it is: only the command line above does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, DocumentReader, Run, RunFindings
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at

_N: Final = r"\d{1,18}(?:\.\d{1,9})?"
_MIB: Final = 2**20
_NUMBER: Final = re.compile(rf"\s{{0,12}}{_N}\s{{0,12}}$")

_BANNER: Final = re.compile(
    r"NTTTCP for Linux (?P<version>\d\S{0,20})|^\s{0,8}Copyright Version (?P<windows>\d\S{0,20})"
)
_CLOCK: Final = re.compile(r"\b\d\d:\d\d:\d\d (?P<level>INFO|ERR |DBG ): ?(?P<text>.{0,300})$")
_TOTAL: Final = {
    "duration_s": re.compile(rf"test duration\s{{0,8}}:\s{{0,4}}(?P<value>{_N}) seconds"),
    "bytes": re.compile(r"total bytes\s{0,8}:\s{0,4}(?P<value>\d{1,19})\s{0,4}$"),
    "streams": re.compile(r"(?P<value>\d{1,7}) connections tested"),
    "threads": re.compile(r"(?P<value>\d{1,7}) threads created"),
    "retransmits": re.compile(r"\s{0,8}retrans segs\s{0,8}:\s{0,4}(?P<value>\d{1,15})"),
    "rtt_us": re.compile(r"tcpi rtt\s{0,8}:\s{0,4}(?P<value>\d{1,12}) us"),
}
_THROUGHPUT: Final = re.compile(rf"\s{{0,8}}throughput\s{{0,8}}:\s{{0,4}}(?P<value>{_N}) ?(?P<unit>[KMGT]?)bps")
_ELEMENT: Final = re.compile(
    r"<(?P<name>\w{1,40})(?: metric=\"(?P<metric>[^\"]{1,40})\")?>(?P<text>[^<]{0,200})</(?P=name)>"
)
_ROOT: Final = re.compile(r"<ntttcp(?P<role>[rs])\b(?P<attributes>[^>]{0,300})>")
_ROOT_END: Final = re.compile(r"</ntttcp[rs]>")
_ATTRIBUTE: Final = re.compile(r"\bversion=\"(?P<version>[^\"]{1,40})\"")
_COMMAND: Final = re.compile(r"(?:^|[\s>\\/])ntttcp(?:\.exe)? (?P<arguments>-.{0,300})$", re.IGNORECASE)
_UDP: Final = re.compile(r"\s{0,8}protocol:\s{1,12}UDP\s{0,8}$")
_BETWEEN: Final = 1.02
_NEAR: Final = 6
_TABLE: Final = ("Bytes(MEG)", "realtime(s)")
_PACKETS: Final = ("Packets Sent", "Retransmits")


@dataclass
class _OpenRun:
    """A run whose end has not been read."""

    first: int
    last: int
    command: Command
    version: str | None = None
    direction: str | None = None
    xml: bool = False
    thread: bool = False
    threads: int = 0
    udp: bool = False
    table: str = ""
    started: bool = False
    failed: bool = False
    totals: bool = False
    linux: bool = False
    connections: bool = False
    values: dict[str, float] = field(default_factory=dict)


class Ntttcp(DocumentReader):
    """Reader of NTttcp."""

    TOOLS: tuple[str, ...] = ("ntttcp",)
    VERSIONS: str = "Windows 5.28 to 5.40, Linux 1.0 to 1.4"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("NTTTCP", "<ntttcp", "Copyright Version", " INFO: ", " ERR : ", "Bytes(MEG)")
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"ntttcps"}), frozenset({"ntttcpr"}))

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of NTttcp's."""
        text = line.text
        if self._open is not None and self._open.xml:
            if "<" in text:
                return self._element(line, self._open)
            self._close()
        return self._beginning(line) or self._clock(line) or self._windows(line, text)

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> _OpenRun:
        self._close()
        self._open = _OpenRun(line.number, line.number, self.findings.command)
        return self._open

    def _beginning(self, line: Line) -> bool:
        root = _ROOT.search(line.text) if "<ntttcp" in line.text else None
        if root is not None:
            opened = self._begin(line)
            opened.xml = opened.started = True
            opened.direction = "send" if root["role"] == "s" else "receive"
            version = _ATTRIBUTE.search(root["attributes"])
            opened.version = version["version"] if version else None
            return True
        banner = _BANNER.search(line.text)
        if banner is None:
            return False
        opened = self._begin(line)
        opened.version = banner["version"] or banner["windows"]
        opened.linux = banner["version"] is not None
        words = [" ".join(opened.command.arguments)] if opened.command.program == "ntttcp" else []
        words += [match["arguments"] for above in self.findings.recent if (match := _COMMAND.search(above.text))]
        if words:
            opened.direction = (
                "send" if words[-1].startswith("-s") else "receive" if words[-1].startswith("-r") else None
            )
        return True

    # --- XML

    def _element(self, line: Line, opened: _OpenRun) -> bool:
        text = line.text
        opened.last = line.number
        if _ROOT_END.search(text):
            self._close()
            return True
        if "<thread " in text:
            opened.thread = True
            opened.threads += 1
        if "</thread>" in text:
            opened.thread = False
        for match in _ELEMENT.finditer(text):
            name, metric, value = match["name"], match["metric"], match["text"].strip()
            if name == "udp":
                opened.udp = value == "True"
            elif not opened.thread and _NUMBER.match(value):
                self._xml_value(opened, name, metric, float(value))
        return True

    def _xml_value(self, opened: _OpenRun, name: str, metric: str | None, value: float) -> None:
        match name, metric:
            case "total_bytes", "MB":
                opened.values["MB"] = value
            case "realtime", "s":
                opened.values["duration_s"] = value
            case "throughput", "mbps":
                opened.values["mbps"] = value
            case "packets_retransmitted", _:
                opened.values["retransmits"] = value
            case "conns_tested", _:
                opened.values["streams"] = value
            case "tcp_average_rtt", "us":
                opened.values["rtt_us"] = value
            case _:
                pass

    # --- text of Linux

    def _parameter(self, line: Line, opened: _OpenRun) -> bool:
        """Take the role or the protocol from the output of ``-V``."""
        if "*** sender role" in line.text or "*** receiver role" in line.text:
            opened.direction = "send" if "sender" in line.text else "receive"
        elif _UDP.match(line.text):
            opened.udp = True
        else:
            return False
        opened.last = line.number
        return True

    def _clock(self, line: Line) -> bool:
        opened = self._open
        match = _CLOCK.search(line.text)
        if match is None:
            return opened is not None and self._parameter(line, opened)
        text = match["text"]
        total = "test duration" in text or "#####  Totals" in text
        if opened is None or (opened.totals and total and "duration_s" in opened.values):
            if not total:
                return False
            opened = self._begin(line)
        opened.last = line.number
        if (match["level"] == "ERR " or "interrupted" in text) and not opened.failed:
            opened.failed = True
            self.findings.problem(line.number, "aborted", f"found {text.strip()[:200]!r}, expected a result")
        opened.started = True
        if "Starting sender activity" in text:
            opened.direction = "send"
        opened.connections = opened.connections or " connections " in text
        opened.udp = opened.udp or "UDP send size" in text
        opened.totals = opened.totals or total
        for name, pattern in _TOTAL.items():
            if (value := pattern.match(text)) is not None:
                opened.values[name] = float(value["value"])
        if opened.totals and (rate := _THROUGHPUT.match(text)) is not None:
            opened.values["throughput_bps"] = float(rate["value"]) * scale(rate["unit"], 1000)
        return True

    # --- text of Windows

    def _windows(self, line: Line, text: str) -> bool:
        opened = self._open
        if all(word in text for word in _TABLE):
            if opened is None or opened.totals:
                opened = self._begin(line)
            opened.started = opened.totals = True
            opened.table = "totals"
        elif opened is None or line.number > opened.last + _NEAR:
            return False
        elif all(word in text for word in _PACKETS):
            opened.table = "packets"
        elif text.lstrip().startswith("=="):
            opened.last = line.number
            return True
        else:
            return self._table_row(line, opened, text)
        opened.last = line.number
        return True

    def _table_row(self, line: Line, opened: _OpenRun, text: str) -> bool:
        words = text.split()
        if not words or len(words) > 12 or not all(map(_NUMBER.match, words)):
            known = text.lstrip().startswith(
                ("Network activity", "Thread ", "#####", "DPCs", "Throughput(", "Real-time")
            )
            opened.last = line.number if known else opened.last
            return known
        values = [float(word) for word in words]
        opened.last = line.number
        if opened.table == "totals" and len(values) == 4:
            opened.values |= {
                "bytes": values[0] * _MIB,
                "duration_s": values[1],
                "throughput_bps": values[3] * 8 * _MIB,
            }
        elif opened.table == "packets" and len(values) == 5:
            opened.values["retransmits"] = values[2]
        elif not opened.table and len(values) == 4:
            opened.threads += 1
            opened.started = True
        if opened.table:
            opened.table = "other"
        return True

    # --- runs

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        values = opened.values
        if "mbps" in values:
            amount, values["throughput_bps"] = _figures(values.get("MB"), values["mbps"], values.get("duration_s"))
            values |= {} if amount is None else {"bytes": amount}
        if opened.linux and opened.direction is None:
            opened.direction = "send" if opened.connections else "receive"
        if "throughput_bps" not in values and not opened.failed:
            if opened.started:
                self.findings.problem(
                    opened.last, "truncated", "found the beginning of a run of NTttcp and no totals; no run made"
                )
            return
        started = 0.0 if opened.direction == "receive" else values.get("threads", 0.0)
        streams = values.get("streams") or started or opened.threads
        rtt = values.get("rtt_us")
        columns: dict[str, object] = {
            "tool": "ntttcp",
            "tool_version": opened.version,
            "protocol": "udp" if opened.udp else "tcp",
            "direction": opened.direction,
            "streams": round(streams) or None,
            "duration_s": values.get("duration_s"),
            "bytes": round(values["bytes"]) if "bytes" in values else None,
            "throughput_bps": values.get("throughput_bps"),
            "retransmits": round(values["retransmits"]) if "retransmits" in values else None,
            "rtt_s": rtt / 1e6 if rtt else None,
            "error": opened.failed,
        }
        if opened.udp or (opened.command.program == "ntttcp" and "-u" in opened.command.arguments):
            columns["protocol"] = "udp"
        self.findings.run(Run(opened.first, opened.last, columns, rounding=0.01))

    # --- JSON

    def take(self, document: JsonDocument) -> bool:
        """Take the file that Linux writes with ``-j``."""
        self._close()
        role = "s" if "ntttcps" in document.value else "r"
        value = document.value[f"ntttcp{role}"]
        if at(value, "parameters") is None:
            return False
        rate = None
        rates = at(value, "throughputs")
        for entry in rates if isinstance(rates, list) else []:
            if at(entry, "metric") == "mbps":
                rate = _float(at(entry, "value"))
        amount, retransmits = _float(at(value, "totalBytes", "value")), _float(at(value, "packetsRetransmitted"))
        seconds = _float(at(value, "realTime", "value"))
        moved, bps = (None, None) if rate is None else _figures(amount, rate, seconds)
        threads = at(value, "threads")
        version = at(value, "version")
        columns: dict[str, object] = {
            "tool": "ntttcp",
            "tool_version": version if isinstance(version, str) else None,
            "protocol": "udp" if at(value, "parameters", "udp") == "True" else "tcp",
            "direction": "send" if role == "s" else "receive",
            "streams": len(threads) if isinstance(threads, list) and threads else None,
            "duration_s": seconds,
            "bytes": None if moved is None else round(moved),
            "throughput_bps": bps,
            "retransmits": None if retransmits is None else round(retransmits),
        }
        self.findings.run(Run(document.first, document.last, columns))
        return True


def _figures(amount: float | None, rate: float, seconds: float | None) -> tuple[float | None, float]:
    """Return bytes and bit/s of MB and mbps; their consistency decides between base 1000 and 1024."""
    if amount is None or not seconds or amount <= 0 or rate * seconds / (8 * amount) > _BETWEEN:
        return (None if amount is None else amount * _MIB), rate * 1e6
    unit = 1e6 if amount % 1 else float(_MIB)
    return amount * unit, rate * unit


def _float(value: Any) -> float | None:  # noqa: ANN401 - any JSON value
    """Return the number in a text, as this tool writes them."""
    return float(value) if isinstance(value, str) and _NUMBER.match(value) else None
