"""Results of nuttcp and nuttscp as reports give them: a rate and what follows it, without bytes and seconds.

nuttscp copies files with nuttcp. Neither a description nor recorded output of it is public: this reader is based on
slides of NASA's High End Computer Network team (2009, 2010). They show results of both tools in the same form::

    — File copy 1: 5092.5196-Mbps  43% TX 77% RX 0retrans 0.10ms RTT
    — Put file1:
    7184.8745 Mbps 41 % TX 71 %RX 0 retrans 0.11 msRTT

Units and traps
---------------
- Fields as in `hecn_analysis.logs.network.nuttcp`, with blanks and dashes anywhere between number and unit.
- "File copy", "Get" and "Put" in front of a result, or on the line above it, mean nuttscp; "… second test", "TX" and
  "RX" mean nuttcp. Otherwise it is the tool named last above.
- The size of the copied files stands in a heading ("64-GB file") and holds until the next one. A GB is 2**30 bytes
  there: the durations given with three of the results confirm it.
- The duration stands in the heading of a test ("60 Second Transmit Test", "30 second test using …:"), or after a file
  copy in "(completed in 57.58 seconds)".
- The number of streams is known from "using 4 streams" above, or from retransmissions per stream. It is missing
  otherwise.
- "Aggregate throughput" is no run: it is compared with the sum of the runs above it, which were simultaneous.
- Headings name the circumstances: simultaneous copies, an emulated or a real path, the hosts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.network.nuttcp_figures import NUMBER, fields, figures, label, streams, unread, way
from hecn_analysis.runs.circumstances import CIRCUMSTANTIAL, SIMULTANEOUS, joined, named

_N: Final = NUMBER
_RATE: Final = re.compile(rf"(?P<mbps>{_N})\s*+-?\s*+Mbps\b")
_PROCESSOR: Final = re.compile(r"\d\s?%\s?[TR]X\b")
_OTHER_FORMS: Final = re.compile(r"\d MB\s*/|megabytes=|nuttcp-[tr]\b")

_TEST: Final = re.compile(rf"(?P<seconds>{_N})[ -]?sec(?:ond)?s?\b.{{0,60}}?\btests?\b", re.IGNORECASE)
_BOTH_WAYS: Final = re.compile(r"\bbi-?directional\b", re.IGNORECASE)
_ONE_WAY: Final = re.compile(r"\b(?:(?P<send>transmit|tx)|(?P<receive>receive|rx))", re.IGNORECASE)
_SIZE: Final = re.compile(r"\b(?P<number>\d{1,6})[ -]?(?P<unit>[KMGT])i?B(?:ytes?)?[ -]files?\b", re.IGNORECASE)
_UNITS: Final = ("B", "b", "yte", "ytes", "YTE", "YTES")  # ends of those in front of "file"
_STREAMS: Final = re.compile(r"\busing (?P<streams>[1-9]\d{0,3}) (?:parallel )?streams\b", re.IGNORECASE)
_NAME: Final = re.compile(r"\bnutts?cp\b", re.IGNORECASE)
_COPY: Final = re.compile(r"(?:file cop(?:y|ies)|get|put)\b", re.IGNORECASE)
_COMPLETED: Final = re.compile(rf"\bcompleted in (?P<seconds>{_N}) sec", re.IGNORECASE)
_AGGREGATE: Final = re.compile(
    rf"\baggregate\b.{{0,40}}?throughput\b\W{{0,4}}(?:(?P<mbps>{_N})\s*-?Mbps)?", re.IGNORECASE
)
_BARE_RATE: Final = re.compile(rf"\s*(?P<mbps>{_N})\s*-?Mbps\b")
_SLIDE: Final = re.compile(r"\W{0,8}slides?\b", re.IGNORECASE)
_FEW_LINES: Final = 3
_MOST_SUMMED: Final = 1000


@dataclass
class _Heading:
    """The properties of a result that the prose above it names."""

    tool: str = "nuttcp"
    file_bytes: int | None = None
    streams: int | None = None
    test_seconds: float | None = None
    test_direction: str | None = None
    test_is_next: bool = False
    circumstances: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class Nuttscp:
    """Reader of results in the form of reports."""

    TOOLS: tuple[str, ...] = ("nuttscp",)
    VERSIONS: str = "as on the HECN slides of 2009 and 2010"
    HINTS: tuple[str, ...] = (
        *("uttcp", "uttscp", "UTTCP", "UTTSCP", "mulated", "netem", "imultaneous", "irectional", "slide", "Slide"),
        *(f"eal {path}" for path in ("WAN", "network", "path", "link", "testbed")),
        *(f"{unit}{dash}{files}" for unit in _UNITS for dash in " -" for files in ("file", "File", "FILE")),
        *("oth ways", "oth directions", "-system", "-System"),
    )
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = (
        ("Mbps", "TX"),
        ("Mbps", "RX"),
        ("econd", "est"),
        ("ECOND", "EST"),
        ("sing ", "streams"),
    )
    LATER_HINTS: tuple[str, ...] = ("Mbps", "second", "Second", "SECOND", "ompleted in")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._heading = _Heading()
        self._waiting: Run | None = None
        self._runs: list[Run] = []

    def feed(self, line: Line) -> bool:
        """Take a result, its duration or a total; keep what a heading says."""
        if "Mbps" in line.text and (self._result(line) or self._aggregate(line)):
            return True
        words = line.text.lower()
        if "completed" in words and self._completed(line):
            return True
        if any(map(words.__contains__, ("file", "second", "streams", "nutt"))):
            self._note(line.text)
        if any(map(words.__contains__, ("file", "slide", "test", *CIRCUMSTANTIAL))):
            self._note_circumstances(line.text)
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._hand_over()

    def _result(self, line: Line) -> bool:
        match = _RATE.search(line.text)
        if match is None or not _PROCESSOR.search(line.text, match.end()) or _OTHER_FORMS.search(line.text):
            return False
        self._hand_over()
        texts, left = fields(line.text[match.end() :])
        unread(self._findings, line, left)
        words = label(self._findings, line, line.text[: match.start()])
        heading = self._heading
        columns = figures(self._findings, line, {**texts, "mbps": match["mbps"]})
        if self._is_copy(words):
            columns |= {"tool": "nuttscp", "protocol": "file", "bytes": heading.file_bytes, "direction": way(words)}
        else:
            test = _TEST.search(words or "")
            columns |= {
                "tool": "nuttcp",
                "protocol": "udp" if "sent" in texts else "tcp",
                "duration_s": float(test["seconds"]) if test else heading.test_seconds,
                "direction": way(words) or heading.test_direction,
                "streams": texts["each"].count("+") + 1 if "each" in texts else heading.streams,
            }
            if heading.test_is_next:
                self._end_test()
        columns |= {"label": words, "circumstances": joined((*heading.circumstances, *heading.hosts))}
        self._waiting = Run(line.number, line.number, columns, streams(texts), {}, 0.005)
        self._runs = [*self._runs[-_MOST_SUMMED:], self._waiting]
        return True

    def _is_copy(self, words: str | None) -> bool:
        if words is not None and _COPY.match(words):
            return True
        if words is not None and (_TEST.search(words) or way(words)):
            return False
        return self._heading.tool == "nuttscp"

    def _completed(self, line: Line) -> bool:
        """Take the duration of the result right above."""
        run, match = self._waiting, _COMPLETED.search(line.text)
        if run is None or match is None or line.number - run.line_last > _FEW_LINES:
            return False
        run.columns["duration_s"] = float(match["seconds"])
        run.line_last = line.number
        self._hand_over()
        return True

    def _aggregate(self, line: Line) -> bool:
        """Compare a total with the sum of the last runs, in its direction if it names one."""
        match, words = _AGGREGATE.search(line.text), line.text
        if match is None and (bare := _BARE_RATE.match(line.text)) and self._findings.recent:
            above = self._findings.recent[-1]
            if above.number == line.number - 1 and _AGGREGATE.search(above.text):
                match, words = bare, above.text
        if match is None or match["mbps"] is None or not self._runs:
            return False
        self._hand_over()
        named = _ONE_WAY.search(words)
        direction = None if named is None else "send" if named["send"] else "receive"
        summed = [
            (run, rate)
            for run in reversed(self._runs)
            if isinstance(rate := run.columns["throughput_bps"], float)
            and (direction is None or run.columns.get("direction") == direction)
        ]
        rates = [rate for _, rate in summed]
        total, sums = float(match["mbps"]), np.cumsum(rates) / 1e6
        rounding = 0.51 * 10.0 ** -len(match["mbps"].partition(".")[2]) + 1e-4 * len(rates)
        if len(sums) and float(np.min(np.abs(sums - total))) > rounding:
            nearest = float(sums[np.argmin(np.abs(sums - total))])
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found an aggregate of {total:.10g} Mbps, expected a sum of the runs above it, "
                f"nearest {nearest:.10g} Mbps",
            )
        elif len(sums) and (many := int(np.argmin(np.abs(sums - total)))):
            for run, _ in summed[: many + 1]:
                run.columns["circumstances"] = joined(
                    (SIMULTANEOUS, *str(run.columns["circumstances"] or "").split(", "))
                )
        self._end_test()
        return True

    def _note_circumstances(self, text: str) -> None:
        """Keep the circumstances that a heading names; a path holds until the next copy or slide."""
        heading = self._heading
        if _SIZE.search(text) or _SLIDE.match(text):
            heading.circumstances = ()
        elif _TEST.search(text):
            heading.circumstances = tuple(word for word in heading.circumstances if word != SIMULTANEOUS)
        circumstances = named(text)
        hosts = tuple(word for word in circumstances if word.endswith("-systems"))
        heading.hosts = hosts or heading.hosts
        more = (word for word in circumstances if word not in hosts)
        heading.circumstances = tuple(dict.fromkeys((*heading.circumstances, *more)))

    def _note(self, text: str) -> None:
        """Keep the properties that a heading gives to the results below it."""
        heading = self._heading
        words = text.lower()
        if "file" in words and (size := _SIZE.search(text)):
            power = "KMGT".index(size["unit"].upper()) + 1
            heading.file_bytes = int(size["number"]) * 1024**power
            self._end_test()
        if "test" in words and (test := _TEST.search(text)):
            named = None if _BOTH_WAYS.search(text) else _ONE_WAY.search(text)
            heading.test_seconds = float(test["seconds"])
            heading.test_direction = None if named is None else "send" if named["send"] else "receive"
            heading.test_is_next = text.rstrip().endswith((":", ";"))
        if "streams" in words and (stated := _STREAMS.search(text)):
            heading.streams = int(stated["streams"])
        for name in _NAME.findall(text):
            heading.tool = name.lower()

    def _end_test(self) -> None:
        self._heading.test_seconds = self._heading.test_direction = None
        self._heading.test_is_next = False

    def _hand_over(self) -> None:
        if self._waiting is not None:
            self._findings.run(self._waiting)
            self._waiting = None
