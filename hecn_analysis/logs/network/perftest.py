"""Output of perftest, the RDMA tests of the OpenFabrics stack: ib_write_bw, ib_read_lat, raw_ethernet_bw and so on.

Versions: perftest 1.0 (2006, with rdma_bw and rdma_lat) to 26.x, from the source code: the tables of ``ib_*_bw`` and
``raw_ethernet_bw`` (also ``--report_gbits``, ``--report-per-port``, ``--cpu_util``, quality of service, ``-D``), of
``ib_*_lat`` (also by duration), the lines of rdma_bw and rdma_lat, and the file of ``--out_json``.
``--output=bandwidth``, a bare number, is not read. The samples are ours, written from the format strings.

Units and traps
---------------
- One run per row, which is one message size. The rate is "BW average"; "BW peak" is 0.00 on the server's side and
  with ``-N``, and is left out.
- MB/sec is 2**20 bytes per second; since 4.5 it is written MiB/sec, which is the same. Gb/sec is 10**9 bit/s. The JSON
  file has no unit: the message rate decides.
- A bidirectional test prints the sum of both directions, and has no direction here. With ``--report-both`` the two
  ends' own results follow, in JSON as "results_local" and "results_remote".
- The streams are the queue pairs. In versions that print a "TX depth", only the client does: that gives the direction.
  A read brings data to the client.
- Latencies are half of a round trip for send and write, a whole one for read and atomic operations, as printed. The
  "typical" one is the median, and is left out. Cycles (``-C``) are left out.
- A warning about the CPU frequency may stand between the head and the rows; the last rule may be missing.
- Payload bytes and duration are not printed, and not derived from size and iterations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number

_UNITS: Final = {"MB": 8.0 * 2**20, "MiB": 8.0 * 2**20, "Gb": 1e9}
_NUMBER: Final = r"\d{1,15}(?:\.\d{1,9})?|-?nan|inf"
_G: Final = r"\d{1,15}(?:\.\d{1,9})?(?:e[+-]\d{1,2})?"
_TITLE: Final = re.compile(
    r"\s*(?P<name>(?:Send|RDMA_Write|RDMA_Read|Atomic)[\w/ ]{0,60}? (?:BW|Latency)(?: [\w ]{1,30})? Test)\s*$"
)
_QUEUE_PAIRS: Final = re.compile(
    r"Number of qp'?s\s{0,30}(?:running)?\s{0,3}:?\s{0,3}(?P<a>\d{1,6})|(?P<b>\d{1,6}) qp's running"
)
_TX_DEPTH: Final = re.compile(r"TX depth\s{0,30}:")
_HEAD: Final = re.compile(r"^[^\w#\"]{0,40}#bytes\s{1,30}(?:#sl\s{1,30})?#iterations\s")
_COLUMN: Final = re.compile(
    r"#bytes|#sl|#iterations|"
    r"BW peak\[(?P<peak>\w{1,8})/sec\]|BW average\[(?P<average>\w{1,8})/sec\]|MsgRate\[\w{1,8}\]|"
    r"(?:BW|MsgRate) \w{1,8}\[[\w/]{1,12}\]|(?P<time>t_min|t_max|t_typical|t_avg|t_stdev)\[(?P<unit>\w{1,8})\]|"
    r"[\d.]{1,6}% percentile\[\w{1,8}\]|tps average|CPU_Util\[%%?\]"
)
_ROW: Final = re.compile(rf"\s*(?:(?:{_NUMBER})(?:\s+|$)){{3,16}}$")
_WHOLE: Final = re.compile(r"\.\d\d")
_LIKE_ROW: Final = re.compile(r"\s*\d{1,12}\s+\d")
_RULE: Final = re.compile(r"\s*-{20,200}\s*$")
_WHOSE: Final = re.compile(r"\s*(?P<label>(?:Local|Remote) results):\s*$")
_ERROR: Final = re.compile(
    r"^[^\w\"]{0,20}(?:\d{1,8}:\w{1,40}: )?(?:Completion with? error at|Failed status \d|"
    r"Unable to init the socket connection|Unable to open file descriptor for socket|"
    r"Unable to Connect the HCA|Unable to find the Infiniband|IB device \S{1,60} not found|"
    r"Did not detect devices|Can't produce a report|Couldn't connect to \S{1,200}:\d|"
    r"Failed to complete \w{1,40} function|Failed to exchange data between server|Couldn't read remote address|"
    r"Failed to modify QP|ERRNO: )"
)
_ALONE: Final = re.compile(
    r"^[^\w\"]{0,20}(?:Unable to init the socket|Unable to open file descriptor|"
    r"Unable to find the Infiniband|Did not detect devices)"
)
_OLD_HEAD: Final = re.compile(r"(?:^|\s)(?:\d{1,8}: )?\| port=\d{1,6} \| ib_port=")
_OLD_DUPLEX: Final = re.compile(r"\| duplex=1 ")
_OLD_PEAK: Final = re.compile(rf"(?:^|\s)(?:\d{{1,8}}: )?Bandwidth peak \(#\d{{1,9}} to #\d{{1,9}}\): {_G} MB/sec")
_OLD_AVERAGE: Final = re.compile(rf"(?:^|\s)(?:\d{{1,8}}: )?Bandwidth average: (?P<rate>{_G}) MB/sec\s*$")
_OLD_LATENCY: Final = re.compile(
    rf"(?:^|\s)Latency (?P<which>typical|best|worst)\s{{0,4}}: (?P<value>{_G}) (?P<unit>usec|cycles)\s*$"
)
_RESULTS: Final = {"results": None, "results_local": "Local results", "results_remote": "Remote results"}
_NEAR: Final = 40
_NEARLY: Final = 0.02


@dataclass
class _Test:
    """An open test: what stands above its rows."""

    first: int
    last: int
    name: str = ""
    queue_pairs: int | None = None
    client: bool | None = None
    label: str | None = None
    columns: tuple[str, ...] = ()
    unit: str = ""
    sure: bool = False
    rows: int = 0
    failed: bool = False
    latencies: dict[str, float] = field(default_factory=dict)


class Perftest(DocumentReader):
    """Reader of perftest."""

    TOOLS: tuple[str, ...] = ("perftest",)
    VERSIONS: str = "1.0 to 26.x, with rdma_bw and rdma_lat"
    HINTS: tuple[str, ...] = (" Test", "#bytes", "Bandwidth", "Latency", "| port=", "Unable to", "Did not")
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"test_info"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._test: _Test | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of perftest's."""
        if " Test" in line.text and (title := _TITLE.match(line.text)) is not None:
            self._close()
            self._test = _Test(line.number, line.number, " ".join(title["name"].split()))
            return True
        return self._head(line) or self._old(line) or self._inside(line) or self._error(line)

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _inside(self, line: Line) -> bool:
        """Take a line between the title and the end of the table."""
        test = self._test
        if test is None or not (self._in_table(line, test) if test.columns else self._above_table(line.text, test)):
            return False
        test.last, test.sure = line.number, True
        return True

    def _in_table(self, line: Line, test: _Test) -> bool:
        if _ROW.match(line.text):
            self._row(line, test)
        elif _RULE.match(line.text):
            if test.rows:
                test.columns = ()
        elif _LIKE_ROW.match(line.text):
            self._malformed(line, test)
        else:
            return False
        return True

    def _above_table(self, text: str, test: _Test) -> bool:
        if (pairs := _QUEUE_PAIRS.search(text)) is not None:
            test.queue_pairs = max(1, int(pairs["a"] or pairs["b"]))
            if pairs["a"]:  # such a version prints a TX depth next, unless it is a server
                test.client = False
        elif (whose := _WHOSE.match(text)) is not None:
            test.label = whose["label"]
        elif _TX_DEPTH.search(text):
            test.client = True
        elif not _RULE.match(text):
            return text.lstrip().startswith(("local address", "remote address", "GID:"))
        return True

    # --- tables

    def _head(self, line: Line) -> bool:
        if "#bytes" not in line.text or not _HEAD.search(line.text):
            return False
        headings = list(_COLUMN.finditer(line.text))
        columns = tuple(column["time"] or column.group().split("[")[0] for column in headings)
        unit = next(
            (heading["average"] or heading["unit"] for heading in headings if heading["average"] or heading["unit"]), ""
        )
        if unit not in {*_UNITS, "usec", "cycles"} or not {"BW average", "t_avg", "t_typical"} & set(columns):
            expected = (
                "'#bytes #iterations … BW average[MB/sec, MiB/sec or Gb/sec]' or '… t_avg[usec]'; its rows are left out"
            )
            report_damaged_line(self.findings, line, expected, f"the head {line.text.strip()[:200]!r}")
            self._test = None
            return True
        if self._test is None or (self._test.rows and self._test.columns):
            self._close()
            self._test = _Test(line.number, line.number)
        self._test.columns, self._test.unit, self._test.last, self._test.sure = columns, unit, line.number, True
        return True

    def _row(self, line: Line, test: _Test) -> None:
        texts = line.text.split()
        if _has_message_rate(test, texts):
            texts = texts[:-1]
        ends_well = line.complete or _WHOLE.search(texts[-1])
        if len(texts) != len(test.columns) or not ends_well or not (texts[0].isdigit() and texts[1].isdigit()):
            self._malformed(line, test)
            return
        figures = {name: float(text) for name, text in zip(test.columns, texts, strict=True) if text[-1].isdigit()}
        if test.client is False and figures.get("BW peak"):  # the serving end prints 0.00
            test.client = True
        values = self._values(test, texts[0])
        if "BW average" in figures:
            values["throughput_bps"] = figures["BW average"] * _UNITS[test.unit]
        elif test.unit == "usec":
            values |= _latencies(figures, "t_min", "t_avg", "t_max")
        first = test.first if not test.rows else line.number
        test.rows += 1
        self.findings.run(Run(first, line.number, values))

    def _malformed(self, line: Line, test: _Test) -> None:
        expected = f"{len(test.columns)} figures: {', '.join(test.columns)}; no run made of it"
        report_damaged_line(self.findings, line, expected)
        test.rows += 1

    def _values(self, test: _Test, size: str | None) -> dict[str, object]:
        words = [test.label, test.name or None, f"{size} bytes" if size else None]
        return {
            "tool": "perftest",
            "protocol": "rdma",
            "label": ", ".join(word for word in words if word) or None,
            "direction": _direction(test),
            "streams": test.queue_pairs,
        }

    # --- rdma_bw and rdma_lat

    def _old(self, line: Line) -> bool:
        text, test = line.text, self._test
        if not any(word in text for word in ("| port=", "Bandwidth", "Latency")):
            return False
        if _OLD_HEAD.search(text):
            self._close()
            name = "Bidirectional" if _OLD_DUPLEX.search(text) else ""
            self._test = _Test(line.number, line.number, name)
            return True
        near = test is not None and not test.columns and not test.rows and line.number - test.last <= _NEAR
        if _OLD_PEAK.search(text):
            if not near:
                self._close()
                self._test = _Test(line.number, line.number)
            return True
        if near and test is not None and (average := _OLD_AVERAGE.search(text)) is not None:
            values = self._values(test, None)
            values["label"] = "rdma_bw"
            values["throughput_bps"] = float(average["rate"]) * _UNITS["MB"]
            test.rows, test.columns = 1, ()
            self.findings.run(Run(test.first, line.number, values))
            return True
        if (latency := _OLD_LATENCY.search(text)) is not None:
            return self._old_latency(line, latency)
        return False

    def _old_latency(self, line: Line, latency: re.Match[str]) -> bool:
        """Take one of three lines: typical, best, worst."""
        if latency["which"] == "typical":
            if self._test is None or self._test.rows:
                self._close()
                self._test = _Test(line.number, line.number)
            self._test.latencies = {"typical": 0.0}
            self._test.last = line.number
            return True
        test = self._test
        if test is None or not test.latencies or line.number - test.last > 2:
            return False
        test.last = line.number
        if latency["unit"] == "usec":
            test.latencies[latency["which"]] = float(latency["value"])
        if latency["which"] == "worst":
            values = self._values(test, None)
            values |= {"label": "rdma_lat", "direction": None}
            values |= _latencies(test.latencies, "best", "", "worst")
            test.rows, test.latencies = 1, {}
            self.findings.run(Run(test.first, line.number, values))
        return True

    # --- JSON

    def take(self, document: JsonDocument) -> bool:
        """Take the file of --out_json."""
        about = at(document.value, "test_info")
        results = {name: at(document.value, name) for name in _RESULTS}
        if not isinstance(about, dict):
            return False
        if not any(isinstance(result, dict) for result in results.values()):
            return document.truncated
        test = _Test(document.first, document.last, str(about.get("test", "")).replace("_", " "))
        test.name = test.name.replace("RDMA ", "RDMA_")
        test.queue_pairs = count(about.get("Number_of_qps"))
        if "Connection_type" in about:
            test.client = "TX_depth" in about
        for name, result in results.items():
            if isinstance(result, dict):
                test.label = _RESULTS[name]
                self._result(document, test, result)
        return True

    def _result(self, document: JsonDocument, test: _Test, results: Mapping[str, object]) -> None:
        """Take the figures of one row."""
        size = count(results.get("MsgSize"))
        values = self._values(test, None if size is None else str(size))
        figures = {name: figure for name, value in results.items() if (figure := number(value)) is not None}
        if (rate := figures.get("BW_average")) is not None:
            values["throughput_bps"] = self._rate(document.last, rate, 8e6 * (size or 0) * figures.get("MsgRate", 0.0))
        values |= _latencies(figures, "t_min", "t_avg", "t_max")
        self.findings.run(Run(document.first, document.last, values))

    def _rate(self, line: int, rate: float, by_messages: float) -> float | None:
        """Return the rate [bit/s] in the unit that agrees with the message rate."""
        nearest = min((rate * unit for unit in _UNITS.values()), key=lambda candidate: abs(candidate - by_messages))
        if by_messages and abs(nearest - by_messages) <= 0.3 * by_messages:
            return nearest
        self.findings.problem(
            line,
            "ambiguous",
            f"found BW_average {rate:g} without its unit, expected a message rate that tells whether it is MiB/s or "
            "Gb/s; throughput_bps left out",
        )
        return None

    # --- ends

    def _error(self, line: Line) -> bool:
        match = _ERROR.search(line.text)
        test = self._test
        near = test is not None and line.number - test.last <= _NEAR
        if match is None or not (near or _ALONE.search(line.text)):
            return False
        self.findings.problem(line.number, "aborted", f"found {line.text.strip()[:200]!r}, expected a row of figures")
        if test is None or not near:
            test = self._test = _Test(line.number, line.number)
        test.failed, test.last, test.columns = True, line.number, ()
        return True

    def _truncated(self, line: int, found: str, expected: str) -> None:
        self.findings.problem(line, "truncated", f"found {found}, expected {expected}; no run made of it")

    def _close(self) -> None:
        test, self._test = self._test, None
        if test is None:
            return
        if test.failed:
            values = self._values(test, None) | {"error": True}
            self.findings.run(Run(test.last if test.rows else test.first, test.last, values))
        elif test.sure and not test.rows:
            self._truncated(test.last, "the beginning of a test without a row of figures", "at least one")


def _has_message_rate(test: _Test, texts: list[str]) -> bool:
    """Return whether a row ends with a message rate that its head lacks: size times messages are the mean rate."""
    if len(texts) != len(test.columns) + 1 or test.columns[-1:] != ("BW average",) or not texts[0].isdigit():
        return False
    try:
        mean, messages = float(texts[-2]) * _UNITS[test.unit], float(texts[-1])
    except ValueError:
        return False
    return abs(8e6 * int(texts[0]) * messages - mean) <= _NEARLY * mean


def _latencies(figures: dict[str, float], least: str, mean: str, most: str) -> dict[str, object]:
    """Return latencies [s] of microseconds as columns of the table of runs."""
    wanted = (("rtt_min_s", least), ("rtt_avg_s", mean), ("rtt_max_s", most))
    return {column: figures[name] * 1e-6 for column, name in wanted if name in figures}


def _direction(test: _Test) -> str | None:
    """Return the direction of the data as seen by the end that wrote the log."""
    if test.client is None or "Bidirectional" in test.name or "BW" not in test.name or "Atomic" in test.name:
        return None
    return "send" if test.client != ("RDMA_Read" in test.name) else "receive"
