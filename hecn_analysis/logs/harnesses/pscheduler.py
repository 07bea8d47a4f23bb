"""Results of perfSONAR's pScheduler: JSON, and the text of throughput, latency and round-trip tests.

Versions: pScheduler 1.0 to 5.x. JSON as ``pscheduler result`` and ``task`` print it (``--format json``: the result), as
the API returns a run ("result-merged"), and as archivers receive it ("test", "tool", "run").

Units and traps
---------------
- Durations are ISO 8601 ("PT5.002407S"). Rates are bit/s. "throughput-bits" is the sender's rate beside
  "receiver-throughput-bits", and otherwise the only one. The text has "Mbps", 10**6 bit/s, and a column "Receiver
  Throughput" in newer versions; those of each interval "Retransmits" and "Current Window" in MBytes of 2**20 bytes.
- "throughput-bytes" is the sender's number of bytes, not a rate; it is read with the sender's rate. For nuttcp and old
  iperf it confuses MB with MiB: if it contradicts the rate it is left out.
- Latency tests have a histogram of one-way delays, whose keys are multiples of the bucket width ("bucket-width" in the
  test's specification, else 1 ms), rounded to 0.01 of it. Minimum, mean and maximum are computed from it, and left out
  if the clocks make one of them negative. loss_fraction is computed from the counts. The text has them in ms; jitter is
  its "P95 - P50", as in owping.
- The text of round trips truncates the loss to a whole per cent: the fraction is computed from the packet lines if they
  agree.
- Archives of esmond ("ts" and "val") name neither their test nor their unit, and are not read.
- jitter is ms. Omitted intervals (the start of the test) are left out. "rtt" of a stream is microseconds.
- A trace is a run without figures; other tests (DNS, HTTP, disk to disk) have their duration.
- "succeeded": false is an aborted run; the reason is in "error" or "diags".
- Text: the column is "Lost / Sent" or "Sent/Lost", depending on the version; the heading decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hecn_analysis.base import tables
from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Array, DocumentReader, Run, RunFindings
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number, objects, utc_time, words

_DURATION: Final = re.compile(
    r"P(?:(?P<days>\d{1,6})D)?(?:T(?:(?P<hours>\d{1,6})H)?(?:(?P<minutes>\d{1,6})M)?(?:(?P<seconds>\d{1,9}(?:\.\d{1,12})?)S)?)?"
)
_HEAD: Final = re.compile(r"^\W{0,20}Interval\s{2,12}Throughput(?:\s{2,12}\S.{0,120})?$")
_ROW: Final = re.compile(
    r"^\W{0,20}(?P<start>\d{1,9}(?:\.\d{1,9})?) - (?P<end>\d{1,9}(?:\.\d{1,9})?)\s{1,12}"
    r"(?P<rate>\d{1,9}(?:\.\d{1,6})?) (?P<power>[KMG]?)bps(?P<rest>\s.{0,200}|)$"
)
_TITLE: Final = re.compile(r"^\W{0,20}(?:Stream ID (?P<stream>\w{1,12})(?P<sum> Summary)?|(?P<all>Summary))\s*$")
_JITTER: Final = re.compile(r"(?P<jitter>\d{1,9}(?:\.\d{1,12})?)(?: ?ms)?")
_DELAY: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_OMITTED: Final = re.compile(r"\(?omitted\)?\s*$")
_RATE: Final = re.compile(r"(?P<rate>\d{1,9}(?:\.\d{1,6})?) (?P<power>[KMG]?)bps")
_WINDOW: Final = re.compile(r"(?P<size>\d{1,9}(?:\.\d{1,6})?) (?P<power>[KMG]?)Bytes")
_PAIR: Final = re.compile(r"(?P<one>\d{1,15}) / (?P<two>\d{1,15})")
_LATENCY: Final = re.compile(
    r"^\W{0,20}(?:Packets (?P<packets>Sent|Lost) \.{2,12} (?P<count>\d{1,12}) packets"
    r"|Delay (?P<delay>Minimum|Mean|Maximum) \.{2,12} (?P<ms>-?\d{1,9}(?:\.\d{1,6})?) ms"
    r"|(?P<jitter>P95 - P50) \.{2,12} (?P<jitter_ms>\d{1,9}(?:\.\d{1,6})?) ms)\s*$"
)
_LATENCY_REST: Final = re.compile(
    r"^\W{0,20}(?:Packets? |One-way Latency|Delay |-{10,30}$|Max Clock|Common Jitter|P75 - P25"
    r"|Variance|Std Dev|Histogram:|-?[\d.]{1,12} ms: \d)"
)
_ROUND_TRIP: Final = re.compile(
    r"^\W{0,20}\d{1,6}\s{1,8}(?P<what>\S.{0,300}?\bRTT\s{1,8}[\d.]{1,12} ms|No Response|\S.{0,300}?: \S)"
)
_ROUND_TRIPS: Final = re.compile(
    r"^\W{0,20}(?:(?P<loss>\d{1,3})% Packet Loss)?\s{1,8}RTT Min/Mean/Max/StdDev = "
    r"(?P<low>[\w.]{1,14})/(?P<mean>[\w.]{1,14})/(?P<high>[\w.]{1,14})/[\w.]{1,14} ms"
)
_PLAIN: Final = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_TOLERANCE: Final = 0.01
_SECONDS: Final = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
_FAR: Final = 4


@dataclass
class _Text:
    """The text of a throughput test so far; `title` names the stream of the lines, "" for the sum."""

    first: int
    last: int
    title: str = ""
    fields: list[str] = field(default_factory=list)
    intervals: list[tuple[str, list[float]]] = field(default_factory=list)
    streams: list[dict[str, object]] = field(default_factory=list)


@dataclass
class _Delays:
    """The text of a latency test so far, or the packets of a round-trip test."""

    first: int
    last: int
    columns: dict[str, object] = field(default_factory=dict)
    delays: dict[str, float] = field(default_factory=dict)
    sent: int = 0
    lost: int = 0


class Pscheduler(DocumentReader):
    """Reader of pScheduler's results."""

    TOOLS: tuple[str, ...] = ("pscheduler",)
    VERSIONS: str = "1.0 to 5.x"
    HINTS: tuple[str, ...] = (
        "Stream ID ",
        "Summary",
        "Interval  ",
        "Packets Sent .",
        "Packet Loss  RTT",
        "  RTT ",
        "No Response",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"result-merged"}),
        frozenset({"run", "test"}),
        frozenset({"succeeded", "intervals", "summary"}),
        frozenset({"succeeded", "packets-sent"}),
        frozenset({"succeeded", "roundtrips"}),
        frozenset({"succeeded", "paths"}),
        frozenset({"succeeded", "schema", "time"}),
        frozenset({"succeeded", "error", "schema"}),
        frozenset({"succeeded", "error", "diags"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._text: _Text | None = None
        self._latency_text: _Delays | None = None
        self._packets: _Delays | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of the text of a throughput test."""
        text, opened = line.text, self._text
        if opened is not None and line.number > opened.last + _FAR:
            self._break_off()
            opened = None
        if (title := _TITLE.match(text)) is not None:
            self._title(line, title["stream"] or "", title["sum"] or "")
            return title["stream"] is not None
        if opened is None:
            return self._delay_line(line) or self._round_trip_line(line)
        if _HEAD.match(text):
            opened.fields, opened.last = re.split(r"\s{2,20}", text.strip(" >\t")), line.number
            return True
        if opened.fields and (row := _ROW.match(text)) is not None:
            self._row(line, opened, row)
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._break_off()
        self._close_latency()
        self._drop_packets()

    def take(self, document: JsonDocument) -> bool:
        """Take a result, alone or in the wrapping of the API or of an archiver."""
        value = document.value
        around = value["run"] if isinstance(value.get("run"), dict) else value
        result = around.get("result-merged", value)
        if not isinstance(result, dict) or (result is value and "succeeded" not in value):
            return False
        self._break_off()
        columns: dict[str, object] = {"tool": "pscheduler"}
        columns["label"] = words(at(value, "test", "type"))
        columns["start_time"] = utc_time(around.get("start-time"))
        run = Run(document.first, document.last, columns)
        if result.get("succeeded") is False:
            columns["error"] = True
            text = next((text for text in map(words, (result.get("error"), result.get("diags"))) if text), "no reason")
            self.findings.problem(document.last, "aborted", f"found {text.strip()[:300]!r}, expected a result")
        elif isinstance(at(result, "summary", "summary"), dict):
            self._throughput(document, run, result)
        elif "packets-sent" in result:
            width = number(at(value, "test", "spec", "bucket-width"))
            self._latency(document, columns, result, 1e-3 if width is None or width <= 0 else width)
        elif "roundtrips" in result or "mean" in result:
            columns |= _round_trips(result)
        elif not document.truncated:
            known = {"time", "succeeded", "schema", "diags", "error", "bytes-sent"}
            columns["duration_s"] = _seconds(result.get("time"))
            columns["protocol"] = "file" if "time" in result and result.keys() <= known else None
        lines = document.lines("intervals") if result is value else []
        run.intervals = _intervals(document, _list(result.get("intervals")), lines)
        self.findings.run(run)
        return True

    def _delay_line(self, line: Line) -> bool:
        """Take a line of the text of a latency test, which begins with the packets sent."""
        text, opened = line.text, self._latency_text
        match = _LATENCY.match(text)
        if opened is not None and (line.number > opened.last + _FAR or (match and match["packets"] == "Sent")):
            self._close_latency()
            opened = None
        if opened is None:
            if match is None or match["packets"] != "Sent":
                return False
            opened = self._latency_text = _Delays(line.number, line.number)
        if match is None:
            if not _LATENCY_REST.match(text):
                return False
        elif match["packets"]:
            opened.columns["sent_packets" if match["packets"] == "Sent" else "lost_packets"] = int(match["count"])
        elif match["delay"]:
            opened.delays[match["delay"]] = float(match["ms"]) / 1e3
        else:
            opened.columns["jitter_s"] = float(match["jitter_ms"]) / 1e3
        opened.last = line.number
        return True

    def _close_latency(self) -> None:
        opened, self._latency_text = self._latency_text, None
        if opened is None:
            return
        columns = opened.columns | {"tool": "pscheduler", "label": "latency", "protocol": "udp"}
        sent, lost = columns.get("sent_packets"), columns.get("lost_packets")
        if isinstance(sent, int) and isinstance(lost, int) and 0 <= lost <= sent and sent:
            columns["loss_fraction"] = lost / sent
        low = opened.delays.get("Minimum", 0.0)
        if low < 0:
            self._two_clocks(opened.last, low)
        else:
            names = {"Minimum": "rtt_min_s", "Mean": "rtt_avg_s", "Maximum": "rtt_max_s"}
            columns |= {names[name]: seconds for name, seconds in opened.delays.items()}
        self.findings.run(Run(opened.first, opened.last, columns))

    def _two_clocks(self, line: int, low: float) -> None:
        self.findings.problem(
            line,
            "inconsistent",
            f"found a delay of {low:g} s, expected at least 0: the two clocks differ; delays left out",
        )

    def _round_trip_line(self, line: Line) -> bool:
        """Take a packet of the text of a round-trip test, or its summary."""
        opened = self._packets
        if opened is not None and line.number > opened.last + _FAR:
            self._drop_packets()
            opened = None
        match = _ROUND_TRIP.match(line.text)
        if match is not None and (opened is not None or "RTT" in match["what"] or match["what"] == "No Response"):
            if opened is None:
                opened = self._packets = _Delays(line.number, line.number)
            opened.sent, opened.last = opened.sent + 1, line.number
            opened.lost += "RTT" not in match["what"]
            return True
        if "StdDev = " not in line.text or (match := _ROUND_TRIPS.match(line.text)) is None:
            return False
        self._packets = None
        columns: dict[str, object] = {"tool": "pscheduler", "label": "rtt", "protocol": "icmp"}
        for name, column in (("low", "rtt_min_s"), ("mean", "rtt_avg_s"), ("high", "rtt_max_s")):
            if _PLAIN.fullmatch(match[name]):
                columns[column] = float(match[name]) / 1e3
        if match["loss"]:
            columns["loss_fraction"] = int(match["loss"]) / 100
            if opened is not None and opened.sent and int(100 * opened.lost / opened.sent) == int(match["loss"]):
                columns |= {"sent_packets": opened.sent, "lost_packets": opened.lost}
                columns["loss_fraction"] = opened.lost / opened.sent
        self.findings.run(Run(opened.first if opened else line.number, line.number, columns))
        return True

    def _drop_packets(self) -> None:
        opened, self._packets = self._packets, None
        if opened is not None:
            self.findings.problem(
                opened.last,
                "truncated",
                f"found {opened.sent} packets and no summary, expected 'RTT Min/Mean/Max/StdDev = …'; "
                "no run made of them",
            )

    def _title(self, line: Line, stream: str, total: str) -> None:
        if self._text is None:
            self._text = _Text(line.number, line.number)
        self._text.title, self._text.fields, self._text.last = stream + total, [], line.number

    def _row(self, line: Line, opened: _Text, row: re.Match[str]) -> None:
        """Take a row of a table: an interval of a stream, or a summary of one or of all."""
        opened.last = line.number
        start, end, rate = float(row["start"]), float(row["end"]), float(row["rate"]) * scale(row["power"], 1000)
        if _OMITTED.search(row["rest"]):
            return
        cells = re.split(r"\s{2,20}", row["rest"].strip())
        known = dict(zip(opened.fields[2:], cells, strict=True)) if len(cells) == len(opened.fields) - 2 else {}
        if opened.title and not opened.title.endswith(" Summary"):
            opened.intervals.append((opened.title, [line.number, start, end, rate, *_of_sender(known)]))
            return
        columns: dict[str, object] = {"duration_s": end - start if end >= start else None, "throughput_bps": rate}
        columns |= _cells(known)
        if (received := columns.pop("received", None)) is not None:
            columns |= {"throughput_bps": received, "sender_throughput_bps": rate}
        if opened.title:
            opened.streams.append({"stream": len(opened.streams), "line": line.number, **_rows_only(columns)})
            return
        self._text = None
        self._hand_over(opened, columns)

    def _hand_over(self, opened: _Text, columns: dict[str, object]) -> None:
        """Hand over a run with the figures of the summary, if there is one."""
        names = list(dict.fromkeys(name for name, _ in opened.intervals))
        protocol = "udp" if "sent_packets" in columns else "tcp" if "retransmits" in columns else None
        columns |= {"tool": "pscheduler", "label": "throughput", "protocol": protocol, "streams": len(names) or None}
        run = Run(opened.first, opened.last, columns, opened.streams)
        if opened.intervals:
            rows = np.array([values for _, values in opened.intervals], dtype=float)
            numbers = np.array([names.index(name) for name, _ in opened.intervals], dtype=float)
            run.intervals = {
                "line": rows[:, 0],
                "stream": numbers if len(names) > 1 else np.full(len(rows), np.nan),
                "t_start_s": rows[:, 1],
                "t_end_s": rows[:, 2],
                "throughput_bps": rows[:, 3],
                "retransmits": rows[:, 4],
                "cwnd_bytes": rows[:, 5],
            }
        self.findings.run(run)

    def _break_off(self) -> None:
        opened, self._text = self._text, None
        if opened is not None and (opened.intervals or opened.streams):
            self.findings.problem(
                opened.last, "truncated", "found no summary, expected one of all streams; only the intervals are read"
            )
            self._hand_over(opened, {})

    def _throughput(self, document: JsonDocument, run: Run, result: Mapping[str, Any]) -> None:
        summary = result["summary"]
        streams = objects(summary.get("streams"))
        run.columns |= self._figures(document, summary["summary"])
        run.columns["label"] = run.columns["label"] or "throughput"
        run.columns["protocol"] = "udp" if number(summary["summary"].get("sent")) is not None else "tcp"
        if "retransmits" in summary["summary"]:
            run.columns["protocol"] = "tcp"
        run.columns["streams"] = len(streams) or None
        times = [rtt for row in streams if (rtt := number(row.get("rtt"))) is not None and rtt > 0]
        if len(times) == 1:
            run.columns["rtt_s"] = times[0] / 1e6
        run.streams = [
            {"stream": position, "line": document.last, **_rows_only(self._figures(None, row))}
            for position, row in enumerate(streams)
        ]

    def _figures(self, document: JsonDocument | None, row: Mapping[str, Any]) -> dict[str, object]:
        """Return the figures of a summary; with a document, report contradictions."""
        start, end = number(row.get("start")), number(row.get("end"))
        rate, received = number(row.get("throughput-bits")), number(row.get("receiver-throughput-bits"))
        jitter, amount = number(row.get("jitter")), count(row.get("throughput-bytes"))
        seconds = end - start if start is not None and end is not None and end > start else None
        if amount is not None and rate is not None and seconds is not None:
            expected = rate * seconds / 8
            if abs(amount - expected) > _TOLERANCE * expected:
                if document is not None:
                    self.findings.problem(
                        document.last,
                        "unit",
                        f"found throughput-bytes of {amount}, expected {expected:.0f} from the rate; left out",
                    )
                amount = None
        sent, lost = count(row.get("sent")), count(row.get("lost"))
        return {
            "duration_s": seconds,
            "bytes": amount if received is None else None,
            "throughput_bps": rate if received is None else received,
            "sender_throughput_bps": None if received is None else rate,
            "retransmits": count(row.get("retransmits")),
            "sent_packets": sent,
            "lost_packets": lost,
            "loss_fraction": lost / sent if sent and lost is not None and 0 <= lost <= sent else None,
            "jitter_s": None if jitter is None else jitter / 1e3,
        }

    def _latency(
        self, document: JsonDocument, columns: dict[str, object], result: Mapping[str, Any], width: float
    ) -> None:
        sent, lost = count(result.get("packets-sent")), count(result.get("packets-lost"))
        columns |= {"protocol": "udp", "sent_packets": sent, "lost_packets": lost}
        if sent and lost is not None and 0 <= lost <= sent:
            columns["loss_fraction"] = lost / sent
        histogram = result.get("histogram-latency")
        if not isinstance(histogram, dict) or document.truncated:
            return
        pairs = [(_float(delay), count(times)) for delay, times in histogram.items()]
        known = [(delay, times) for delay, times in pairs if delay is not None and times is not None and times > 0]
        if not known:
            return
        low = width * min(delay for delay, _ in known)
        if low < 0:
            self._two_clocks(document.last, low)
            return
        columns["rtt_min_s"] = low
        columns["rtt_avg_s"] = width * sum(delay * times for delay, times in known) / sum(times for _, times in known)
        columns["rtt_max_s"] = width * max(delay for delay, _ in known)


def _round_trips(result: Mapping[str, Any]) -> dict[str, object]:
    sent, lost, loss = count(result.get("sent")), count(result.get("lost")), number(result.get("loss"))
    return {
        "protocol": "icmp",
        "sent_packets": sent,
        "lost_packets": lost,
        "loss_fraction": lost / sent if sent and lost is not None and 0 <= lost <= sent else loss,
        "rtt_min_s": _seconds(result.get("min")),
        "rtt_avg_s": _seconds(result.get("mean")),
        "rtt_max_s": _seconds(result.get("max")),
    }


def _of_sender(cells: Mapping[str, str]) -> tuple[float, float]:
    """Retransmits and congestion window [B] of an interval, NaN where it has none."""
    resent, window = cells.get("Retransmits", ""), _WINDOW.fullmatch(cells.get("Current Window", ""))
    size = float("nan") if window is None else float(round(float(window["size"]) * scale(window["power"], 1024)))
    return float(resent) if resent.isdecimal() else float("nan"), size


def _cells(cells: Mapping[str, str]) -> dict[str, object]:
    """Return columns from the cells of a text summary behind the throughput."""
    columns: dict[str, object] = {}
    for name, text in cells.items():
        if name == "Retransmits" and text.isdecimal():
            columns["retransmits"] = int(text)
        elif name == "Receiver Throughput" and (rate := _RATE.fullmatch(text)):
            columns["received"] = float(rate["rate"]) * scale(rate["power"], 1000)
        elif name == "Jitter" and (jitter := _JITTER.fullmatch(text)):
            columns["jitter_s"] = float(jitter["jitter"]) / 1e3
        elif name in {"Lost / Sent", "Sent/Lost", "Sent / Lost"} and (pair := _PAIR.fullmatch(text)):
            first, second = int(pair["one"]), int(pair["two"])
            lost, sent = (first, second) if name.startswith("Lost") else (second, first)
            columns |= {"sent_packets": sent, "lost_packets": lost}
            columns["loss_fraction"] = lost / sent if 0 <= lost <= sent and sent else None
    return columns


def _rows_only(columns: Mapping[str, object]) -> dict[str, object]:
    """Return the columns without impossible values; stream rows are not checked elsewhere."""
    faults = tables.faults("streams", columns)
    return {name: value for name, value in columns.items() if name not in faults}


def _intervals(document: JsonDocument, rows: Sequence[object], lines: Sequence[int]) -> dict[str, Array]:
    """Return the aggregate rows without omitted ones."""
    intervals: list[list[float]] = []
    for position, row in enumerate(rows):
        summary = at(row, "summary")
        start, end, rate = (number(at(summary, name)) for name in ("start", "end", "throughput-bits"))
        if start is None or end is None or rate is None or min(start, end, rate) < 0 or at(summary, "omitted") is True:
            continue
        retransmits = count(at(summary, "retransmits"))
        line = lines[position] if position < len(lines) else document.last
        intervals.append(
            [line, start, end, rate, np.nan if retransmits is None or not 0 <= retransmits < 2**53 else retransmits]
        )
    if not intervals:
        return {}
    table = np.array(intervals, dtype=float)
    return {
        name: table[:, position]
        for position, name in enumerate(("line", "t_start_s", "t_end_s", "throughput_bps", "retransmits"))
    }


def _seconds(value: object) -> float | None:
    """Return the seconds of an ISO 8601 duration."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None or not any(match.groups()):
        return None
    return sum(float(match[name] or 0) * seconds for name, seconds in _SECONDS.items())


def _float(text: str) -> float | None:
    return float(text) if _DELAY.fullmatch(text) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
