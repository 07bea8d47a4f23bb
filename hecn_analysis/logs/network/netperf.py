"""Output of netperf (Rick Jones): streams and transactions over TCP, UDP and SCTP.

Versions 2.1 to 2.7, from the source code and from runs: the banner and the tables of the classic tests (with ``-c -C``,
``-f``, ``-v 0`` to ``-v 2``, ``-i`` and ``-I``, ``-B``), interim results (``-D``), and the three outputs of the omni
tests: a table (``-O``), a line of values below one of names (``-o``), and KEY=VALUE (``-k``). Without banner and titles
(``-P 0``), KEY=VALUE is still read, and so is the row of a classic test below its command line.

Units and traps
---------------
- `hecn_analysis.logs.network.netperf_tables` describes the units.
- Request/response tests count transactions per second. The column may be called throughput; only its units differ. With
  ``-f m`` it is the sum of both directions in bits. These runs have no rate here. Latencies are in microseconds.
- CPU utilisation is that of the whole host, not of one core: it is left out.
- Classic tests measure the rate of a TCP stream at the sender. The two rows of a UDP stream are the sender's and the
  receiver's; with ``-v 0`` only the sender's is printed. Omni tests print the receiver's rate.
- The loss of UDP is computed from the messages sent and received. "Errors" are messages that were never sent.
- With ``DUMP_TCP_INFO`` in its environment netperf prints the kernel's state of the connection: its RTT (microseconds)
  and retransmits are read.
- -1 means not measured, also for retransmits that the system does not count.
- A single figure (``-v 0``) has no unit: the unit is that of the command line, else 10^6bits, with a problem.
- Tests in the background mix their output: a result belongs to the first banner of its kind that has none. Interim
  results of simultaneous tests cannot be assigned and are left out, with a problem.
- Errors are not buffered, so they may precede their banner or follow it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.logs.losses import loss_columns
from hecn_analysis.logs.network.netperf_runs import (
    PROTOCOLS,
    OpenTest,
    kind_of_test,
    option,
    requested_test,
    unit_of,
    without_titles,
)
from hecn_analysis.logs.network.netperf_tables import (
    ABOVE_HEAD,
    DEFAULT,
    FACTORS,
    FIRST_NAME,
    HEADS,
    MORE_NAMES,
    ROWS,
    UNIT,
    by_comma,
    by_place,
)

_BANNER: Final = re.compile(
    r"(?:^|\s)(?:MIGRATED |EXS |XTI )?(?P<transport>TCP|UDP|SCTP|SDP|STREAM|DG|DLPI C[OL]|OMNI)"
    r"(?P<what> [\w|/ -]{1,60}?)? TEST(?P<rest>$|\s*$|,| (?:from|to) \S.{0,300}| : .{0,200})"
)
_REST_OF_BANNER: Final = re.compile(r"\s*\S{1,255} \(\S{0,45}\) port \d{1,5} AF_INET6?\b")
_TITLE: Final = re.compile(
    r"\s*(?:Recv\s+Send\s+Send|Socket\s|Size\s+Size|Local\s*/Remote|Send\s+Recv\s|Recv\s+Send\s|Alignment\s|"
    r"Local\s+Remote\s+Local|Maximum\s*$|Segment\s*$|Size \(bytes\)|!!! )"
)
_SECOND_ROW: Final = re.compile(r"\s*-?\d{1,12}\s+-?\d{1,12}\s*$")
_ALONE: Final = re.compile(r"\s*(?P<rate>\d{1,15}\.\d{2,3})(?P<demand> \S)?\s*$")
_LIKE_ROW: Final = re.compile(r"\s*-?\d{1,12}(?:\s|$)")
_INTERIM: Final = re.compile(
    rf"Interim result:\s{{0,20}}(?P<rate>-?\d{{1,15}}\.\d{{1,3}}) (?P<unit>{UNIT})/s "
    r"over (?P<seconds>\d{1,9}\.\d{1,6}) seconds(?: ending at (?P<end>\d{1,10}\.\d{1,6}))?\s*$"
)
_INTERIM_BROKEN: Final = re.compile(r"Interim result:.{0,100}\b(?:over|seconds|ending|at)\s*$")  # by mail
_INTERIM_VALUES: Final = re.compile(
    rf"\s*(?P<rate>-?\d{{1,15}}\.\d{{1,3}}),(?P<unit>{UNIT})/s,(?P<seconds>\d{{1,9}}\.\d{{1,6}}),"
    r"(?P<end>\d{9,10}\.\d{3})\s*$"
)
_PAIR: Final = re.compile(r"\s*(?P<key>[A-Z][A-Z0-9_]{3,40})(?:\[\d{1,9}\])?=(?P<value>.{0,1000})$")
_OWN_KEY: Final = re.compile(
    r"(?:THROUGHPUT|ELAPSED_TIME|PROTOCOL|DIRECTION|SOCKET_TYPE|TRANS(?:ACTION_RATE|PORT_MSS)|RT_LATENCY|NETPERF_|SD_UNITS|"
    r"CONFIDENCE_|COMMAND_LINE|UUID|RESULT_BRAND|BURST_SIZE|(?:LOCAL|REMOTE|SOURCE|DEST|REQUEST|RESPONSE|[LR]S[SR])_|"
    r"(?:MIN|MAX|MEAN|STDDEV|P\d\d)_LATENCY)"
)
_WHOLE: Final = re.compile(r"(?:\.\d\d|[^\d.,\s])\s*$")
_PLAIN: Final = re.compile(r"-?\d{1,18}(?:\.\d{1,9})?")
_VALUE: Final = re.compile(r"(?:^|[\s,])-?\d{1,18}(?:\.\d{1,9})?(?=$|[\s,])")
_ERROR: Final = re.compile(
    r"^\s*(?:netperf: (?!send_\w+: requesting|get_sock|set_sock)\S|"
    r"(?:send|udp|recv|tcp|sctp)_\w{1,40}: (?!received a |\d)\S|establish control: |"
    r"establish_control(?:: \S| could not)|"
    r"shutdown_control: (?:no|error)|connect_data_socket|(?:netperf: )?remote error \d|catcher: |"
    r"The test you requested \(\w{1,40}\) is unknown to this netperf)"
)
_ALWAYS_OURS: Final = re.compile(r"netperf: |establish[ _]control|this netperf")
_PASSED_ON: Final = re.compile(r"netperf: remote error \d")  # names no test: alone it says no more
_VERSION: Final = re.compile(r"^\s*Netperf version (?P<version>\d[\w.]{0,20})")
_MICROSECONDS: Final = re.compile(
    r"\s*-?\d{1,5}\s+-?\d{1,5}\s+-?\d{1,5}\s+-?\d{1,5}\s+(?P<round>\d{1,12}\.\d{3})\s+\d{1,12}\.\d{3}\s"
)
_TCP_INFO: Final = re.compile(r"\btcpi_(?P<name>rtt|total_retrans) (?P<value>\d{1,12})(?!\d)")
_NEAR: Final = 3


class Netperf:
    """Reader of netperf."""

    TOOLS: tuple[str, ...] = ("netperf",)
    VERSIONS: str = "2.1 to 2.7"
    HINTS: tuple[str, ...] = (
        " TEST",
        "nterim result",
        "THROUGHPUT",
        "_SIZE",
        "ELAPSED_TIME",
        "_LATENCY",
        "_UTIL",
        "PROTOCOL=",
        "SOCKET_TYPE",
        "DIRECTION=",
        "_RETRANS",
        "NETPERF_",
        "secs",
        "10^",
        "Bytes/s",
        "netperf",
        "Netperf",
        "control",
        *("send_", "udp_", "recv_", "tcp_", "sctp_"),
        *(f"   {first}" for first in "-0123456789SR"),
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: list[OpenTest] = []
        self._version: str | None = None
        self._table: tuple[str, str, int] | None = None  # kind, unit, line
        self._unit_above = ""
        self._sent: tuple[OpenTest, re.Match[str], str, int] | None = None
        self._names: list[str] = []
        self._pairs: dict[str, str] = {}
        self._pairs_at = (0, 0)
        self._interim: dict[str, str] = {}
        self._broken: Line | None = None
        self._done: tuple[int, Run | None] = (-_NEAR, None)
        self._mixed = False

    def feed(self, line: Line) -> bool:
        """Take a line of netperf's."""
        text = line.text
        broken, self._broken = self._broken, None
        if broken is not None and line.number == broken.number + 1:
            joined = line._replace(text=f"{broken.text.rstrip()} {text.strip()}")
            if self._interim_result(joined):
                return True
        if "nterim result" in text and self._interim_result(line):
            return True
        if "=" in text and (pair := _PAIR.match(text)) is not None and _OWN_KEY.match(pair["key"]):
            return self._pair(line, pair)
        if self._pairs:
            self._close_pairs()
        if self._banner(line) or self._head(line):
            return True
        if self._open or self._table or self._sent or self._findings.command.program == "netperf":
            taken = self._interim_values(line) or self._row(line) or self._values(line)
            return taken or self._error(line) or self._other_line(line)
        return self._interim_values(line) or self._error(line) or self._other_line(line)

    def finish(self) -> None:
        """The output has ended."""
        self._close_pairs()
        self._close_sent()
        while self._open:
            self._close(self._open.pop(0))

    # --- tests

    def _begin(self, line: Line, kind: str = "") -> OpenTest:
        test = OpenTest.of_command(line.number, self._findings.command, kind)
        self._open.append(test)
        return test

    def _banner(self, line: Line) -> bool:
        match = _BANNER.search(line.text) if " TEST" in line.text else None
        if match is None:
            return False
        self._close_sent()
        self._names, self._table = [], None
        self._close_failed(line, banner=True)
        transport, what = match["transport"], (match["what"] or "").strip()
        alone = self._open[-1] if self._open else None
        if alone is None or not alone.failed or alone.banner or line.number - alone.last > _NEAR:
            alone = self._begin(line)
        alone.banner, alone.last = True, line.number
        alone.take_banner(transport, what)
        return True

    def _close_failed(self, line: Line, *, banner: bool) -> None:
        """Close the tests that failed before a banner or many lines ago."""
        for test in list(self._open):
            if test.failed and ((banner and test.banner) or line.number - test.last > _NEAR):
                self._open.remove(test)
                self._close(test)

    def _take(self, line: Line, kind: str) -> OpenTest:
        """Return the first test of this kind without a result, and remove it from the open ones."""
        waiting = [test for test in self._open if not test.failed]
        fits = [test for test in waiting if test.kind in {kind, ""}] or waiting
        if not fits:
            fits = [self._begin(line, kind)]
            if kind in {"stream", "datagram"}:
                fits[0].direction = fits[0].direction or "send"
        self._open.remove(fits[0])
        fits[0].last = line.number
        return fits[0]

    def _close(self, test: OpenTest) -> None:
        """End a test that has no result."""
        if test.failed:
            self._hand_over(test, {"error": True})
            return
        shown = f" and {len(test.interims)} interim results" if test.interims else ""
        self._findings.problem(
            test.last, "truncated", f"found the beginning of a test{shown} but no result, expected a row of figures"
        )
        if test.interims:
            self._hand_over(test, {})

    def _hand_over(self, test: OpenTest, values: Mapping[str, object]) -> None:
        run = test.run(self._version, values)
        self._findings.run(run)
        self._done = (test.last, run)

    # --- interim results

    def _interim_result(self, line: Line) -> bool:
        match = _INTERIM.search(line.text)
        if match is None:
            self._broken = line if _INTERIM_BROKEN.search(line.text) else None
            return self._broken is not None
        self._add_interim(line, match["rate"], match["unit"], match["seconds"], match["end"])
        return True

    def _interim_values(self, line: Line) -> bool:
        """Take an interim result as -D prints it together with -o."""
        match = _INTERIM_VALUES.match(line.text) if not self._names and "/s," in line.text else None
        if match is None:
            return False
        self._add_interim(line, match["rate"], match["unit"], match["seconds"], match["end"])
        return True

    def _add_interim(self, line: Line, rate: str, unit: str, seconds: str, end: str | None) -> None:
        waiting = self._open
        if len(waiting) != 1 or waiting[0].failed:
            waiting = [test for test in self._open if not test.failed] or [self._begin(line)]
        if len(waiting) > 1:
            if not self._mixed:
                self._findings.problem(
                    line.number,
                    "ambiguous",
                    f"found an interim result while {len(waiting)} tests run, expected one test at a time; interim "
                    "results of several tests are left out",
                )
            self._mixed = True
            return
        if float(rate) < 0 or float(seconds) < 0:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found an interim result of {rate} in {seconds} s, expected neither below 0; left out",
            )
            return
        factor = FACTORS.get(unit, float("nan"))
        stamp = float(end) if end else float("nan")
        waiting[0].interims.append((line.number, float(rate) * factor, float(seconds), stamp))
        waiting[0].last = line.number

    # --- the tables of the classic tests

    def _head(self, line: Line) -> bool:
        if "local" in line.text and (above := ABOVE_HEAD.match(line.text)) is not None:
            self._unit_above = above["unit"]
            return True
        if "secs" not in line.text:
            return False
        for kind, pattern in HEADS.items():
            if (match := pattern.search(line.text)) is not None:
                self._close_sent()
                self._table = (kind, match["unit"] or self._unit_above or "Trans", line.number)
                self._unit_above, self._names = "", []
                return True
        return False

    def _row(self, line: Line) -> bool:
        if self._sent is not None:
            return self._received(line)
        kind, unit, at = self._table or self._without_titles()
        if not kind:
            return self._figure_alone(line)
        match = ROWS[kind].match(line.text)
        if match is None or not (line.complete or re.search(r"\.\d\d", match["rate"])):
            if at and _LIKE_ROW.match(line.text):
                self._table = None
                test = self._take(line, kind)
                report_damaged_line(self._findings, line, f"the row of a {kind} test; no run made of it")
                if test.interims:
                    self._hand_over(test, {})
                return True
            return False
        self._table = None
        test = self._take(line, kind)
        if kind == "datagram":
            self._sent = (test, match, unit, line.number)
            return True
        values: dict[str, object] = {"duration_s": float(match["seconds"])}
        if unit in FACTORS and kind == "stream":
            values["throughput_bps"] = float(match["rate"]) * FACTORS[unit]
        self._hand_over(test, values)
        return True

    def _received(self, line: Line) -> bool:
        """Take the second row of a UDP test."""
        match = ROWS["received"].match(line.text)
        if match is None or self._sent is None or not (line.complete or re.search(r"\.\d\d", match["rate"])):
            return False
        test, sent, unit, _ = self._sent
        self._sent = None
        test.last = line.number
        count, arrived, size = int(sent["count"]), int(match["count"]), int(sent["size"])
        values: dict[str, object] = {
            "duration_s": float(sent["seconds"]),
            "sent_packets": count,
            "bytes": arrived * size,
        }
        values |= loss_columns(count, arrived)
        if unit in FACTORS:
            values["throughput_bps"] = float(match["rate"]) * FACTORS[unit]
            values["sender_throughput_bps"] = float(sent["rate"]) * FACTORS[unit]
        self._hand_over(test, values)
        return True

    def _close_sent(self) -> None:
        """Hand over a UDP test whose second row is missing."""
        if self._sent is None:
            return
        test, sent, unit, number = self._sent
        self._sent = None
        self._findings.problem(
            number, "truncated", "found the sender's row of a UDP test, expected the receiver's below"
        )
        values: dict[str, object] = {"duration_s": float(sent["seconds"]), "sent_packets": int(sent["count"])}
        if unit in FACTORS:
            values["sender_throughput_bps"] = float(sent["rate"]) * FACTORS[unit]
        self._hand_over(test, values)

    def _without_titles(self) -> tuple[str, str, int]:
        """Return kind, unit and line of the titles that -P 0 leaves out, from the command line."""
        command = self._findings.command
        if command.program != "netperf" or not without_titles(command) or self._names:
            return "", "", 0
        kind = kind_of_test(requested_test(command))
        unit = "Trans" if kind == "request" and not option(command, "-f") else unit_of(command)
        return kind, unit, 0

    def _figure_alone(self, line: Line) -> bool:
        """Take the output of -v 0: a rate, or with -c -C the service demand."""
        waiting = [test for test in self._open if test.banner and not test.failed]
        match = _ALONE.match(line.text)
        if match is None or len(waiting) != 1 or self._names:
            return False
        test = self._take(line, waiting[0].kind)
        values: dict[str, object] = {}
        if not match["demand"] and test.kind in {"stream", "datagram"}:
            if test.command.program != "netperf":
                self._findings.problem(
                    line.number,
                    "ambiguous",
                    f"found {match['rate']} without a unit, expected one; read as {DEFAULT}/s, netperf's default",
                )
            column = "throughput_bps" if test.kind == "stream" else "sender_throughput_bps"
            values[column] = float(match["rate"]) * FACTORS[unit_of(test.command)]
        self._hand_over(test, values)
        return True

    # --- omni tests

    def _pair(self, line: Line, pair: re.Match[str]) -> bool:
        key, value = pair["key"], pair["value"].strip()
        if not line.complete and _PLAIN.fullmatch(value) and not re.search(r"\.\d\d$", value):
            self._findings.problem(line.number, "truncated", f"found {line.text.strip()[:200]!r} at the end; left out")
            return True
        if key.startswith("NETPERF_"):
            self._interim[key] = value
            wanted = [self._interim.get(f"NETPERF_{name}", "") for name in ("INTERIM_RESULT", "INTERVAL", "ENDING")]
            if key == "NETPERF_ENDING":
                if all(map(_PLAIN.fullmatch, wanted)):
                    unit = self._interim.get("NETPERF_UNITS", "").removesuffix("/s")
                    self._add_interim(line, wanted[0], unit, wanted[1], wanted[2])
                self._interim = {}
            return True
        if key in self._pairs:
            self._close_pairs()
        self._names, self._table = [], None
        self._pairs[key] = value
        self._pairs_at = (self._pairs_at[0] if len(self._pairs) > 1 else line.number, line.number)
        return True

    def _close_pairs(self) -> None:
        pairs, self._pairs = self._pairs, {}
        if "THROUGHPUT" in pairs or (pairs and any(not test.failed for test in self._open)):
            first, last = self._pairs_at
            self._omni(Line(last, ""), pairs, first)

    def _values(self, line: Line) -> bool:
        """Take the names that -o and -O print, and the values below."""
        text = line.text
        if not self._open:
            return self._values_alone(line)
        if self._open[-1].failed or self._table is not None:
            return False
        if not self._names:
            if FIRST_NAME.match(text):
                self._names = [text]
            return bool(self._names) or _REST_OF_BANNER.match(text) is not None
        if _VALUE.search(text) is not None and self._named(line):
            return True
        if len(self._names) < 2 * _NEAR and MORE_NAMES.fullmatch(text):
            self._names.append(text)
            return True
        return False

    def _values_alone(self, line: Line) -> bool:
        """Take the values of -o with -P 0: their names are in the command line."""
        command = self._findings.command
        if command.program != "netperf" or not without_titles(command) or "--" not in command.arguments:
            return False
        own = command.arguments[command.arguments.index("--") :]
        keys = option(Command(command.line, command.program, own), "-o").split(",")
        values = [value.strip() for value in next(csv.reader([line.text]))]
        if len(keys) != len(values) or "THROUGHPUT" not in keys or not line.complete:
            return False
        pairs = dict(zip(keys, values, strict=True))
        if _PLAIN.fullmatch(pairs["THROUGHPUT"]) is None:
            return False
        self._omni(line, pairs, line.number)
        return True

    def _named(self, line: Line) -> bool:
        """Take values below their names."""
        text = line.text
        pairs = (by_comma if "," in self._names[0] else by_place)(self._names, text)
        if pairs is None or not (line.complete or _WHOLE.search(text)):
            return False
        self._names = []
        self._omni(line, pairs, line.number)
        return True

    def _omni(self, line: Line, texts: Mapping[str, str], first: int) -> None:
        """Hand over a run made of the figures of an omni test, by their keys."""
        figures = {key: float(text) for key, text in texts.items() if _PLAIN.fullmatch(text)}
        way = texts.get("DIRECTION", "")
        kind = "request" if "Send|Recv" in way or texts.get("THROUGHPUT_UNITS", "").startswith("Trans") else "omni"
        test = self._take(Line(first, ""), kind)
        test.last = line.number
        test.protocol = PROTOCOLS.get(texts.get("PROTOCOL", ""), test.protocol)
        known = {"Send": "send", "Receive": "receive", "Send|Recv": None, "Connect|Send|Recv": None}
        test.direction = known.get(way, test.direction)
        values: dict[str, object] = {"duration_s": figures.get("ELAPSED_TIME")}
        receiving = test.direction == "receive"
        request = "request" in {kind, test.kind}
        if request:
            test.direction = None
        if "THROUGHPUT" in figures and not request:
            factor = FACTORS[self._unit_of(line, texts, test)]
            values["throughput_bps"] = figures["THROUGHPUT"] * factor
            sender = figures.get("REMOTE_SEND_THROUGHPUT" if receiving else "LOCAL_SEND_THROUGHPUT")
            values["sender_throughput_bps"] = None if sender is None else sender * factor
            values["bytes"] = _count(figures, "LOCAL_BYTES_RECVD" if receiving else "REMOTE_BYTES_RECVD")
        values["mss_bytes"] = _count(figures, "TRANSPORT_MSS") or None
        values["retransmits"] = _count(figures, f"{'REMOTE' if receiving else 'LOCAL'}_TRANSPORT_RETRANS")
        if test.protocol == "udp" and not request and not receiving:
            sent, arrived = _count(figures, "LOCAL_SEND_CALLS"), _count(figures, "REMOTE_RECV_CALLS")
            values["sent_packets"] = sent
            if sent and arrived is not None:
                values |= loss_columns(sent, arrived)
        if request:
            mean = "MEAN_LATENCY" if "MEAN_LATENCY" in figures else "RT_LATENCY"
            for column, key in (("rtt_min_s", "MIN_LATENCY"), ("rtt_avg_s", mean), ("rtt_max_s", "MAX_LATENCY")):
                if figures.get(key, -1.0) >= 0:
                    values[column] = figures[key] * 1e-6
        self._hand_over(test, values)

    def _unit_of(self, line: Line, texts: Mapping[str, str], test: OpenTest) -> str:
        unit = texts.get("THROUGHPUT_UNITS", "").removesuffix("/s")
        if unit in FACTORS:
            return unit
        if test.command.program != "netperf":
            self._findings.problem(
                line.number,
                "ambiguous",
                f"found a throughput of {texts['THROUGHPUT']} without its units, expected them; read as {DEFAULT}/s, "
                "netperf's default",
            )
        return unit_of(test.command)

    # --- the rest

    def _error(self, line: Line) -> bool:
        text = line.text.strip()
        if _ERROR.match(text) is None:
            return False
        self._close_failed(line, banner=False)
        recent = self._open[-1] if self._open else None
        if recent is None:
            if not _ALWAYS_OURS.search(text):
                return False
            command = self._findings.command
            if _PASSED_ON.match(text) and (command.program != "netperf" or line.number - command.line > 2 * _NEAR):
                self._findings.problem(line.number, "aborted", f"found {text[:200]!r}, expected a result")
                self._findings.run(Run(line.number, line.number, {"tool": "netperf", "error": True}))
                return True
            recent = self._begin(line)
        self._findings.problem(line.number, "aborted", f"found {text[:200]!r}, expected a result")
        recent.failed, recent.last, self._names = True, line.number, []
        return True

    def _other_line(self, line: Line) -> bool:
        """Take titles, the second row of request/response tests, and the additions of -v 2."""
        text = line.text
        if "etperf v" in text and (version := _VERSION.match(text)) is not None:
            self._version = version["version"]
            return True
        if "tcpi_" in text and len(self._open) == 1:
            for match in _TCP_INFO.finditer(text):
                value = int(match["value"])
                self._open[0].connection |= (
                    {"rtt_s": value * 1e-6} if match["name"] == "rtt" else {"retransmits": value}
                )
            return True
        last, run = self._done
        if run is not None and line.number - last <= 2 * _NEAR:
            latency = _MICROSECONDS.match(text)
            if latency is not None and "bytes" not in run.columns and "throughput_bps" not in run.columns:
                run.columns["rtt_avg_s"] = float(latency["round"]) * 1e-6
                run.line_last = line.number
                return True
            if _SECOND_ROW.match(text) and line.number == last + 1:
                run.line_last = line.number
                return True
        near = bool(self._open) or line.number - last <= 2 * _NEAR
        return near and _TITLE.match(text) is not None


def _count(figures: Mapping[str, float], key: str) -> int | None:
    value = figures.get(key, -1.0)
    return int(value) if value >= 0 else None
