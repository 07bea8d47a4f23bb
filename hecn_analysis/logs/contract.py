"""Contract of a reader of logs: its input and output.

A reader is a class for one tool (or a family with equal output lines). The session makes one per file and offers it
lines in order, which the reader claims or not. It hands runs and problems to `RunFindings`, which checks them:
impossible or contradictory figures become problems with their line. No content of a log makes a reader raise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from hecn_analysis.base import tables, units
from hecn_analysis.base.bidi import escape_bidi
from hecn_analysis.files.source import Line
from hecn_analysis.logs.packing import AT_ONCE, Rows
from hecn_analysis.parsing import prefixes
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.problems import FileProblems

Array = np.ndarray[Any, np.dtype[np.float64]]
_SUMMARY_TOLERANCE: Final = 0.01
_KEPT: Final = 64  # runs that a reader may still look at when the others are packed
_SHOWN: Final = 20  # runs in the table of a notebook
MOST_CLAIMS: Final = 1 << 16
"""Stretches of claimed lines that are noted, more than a short file has."""
_SATURATED: Final = frozenset({2**31 - 1, 2**32 - 1})  # counters that went no further
_FEW_PACKETS: Final = 16  # that arrive late, and are counted as lost at first
_CONTRADICTION: Final = 0.1  # more than a rate over a part of the time, or with another unit's rounding, is off


@dataclass(frozen=True)
class Reading:
    """The tables of one or more logs; `hecn_analysis.base.tables.COLUMNS` describes the columns."""

    runs: pd.DataFrame
    streams: pd.DataFrame
    intervals: pd.DataFrame
    problems: pd.DataFrame

    def __str__(self) -> str:
        return ", ".join(
            units.format_count(len(table), noun)
            for table, noun in ((self.runs, "run"), (self.intervals, "interval"), (self.problems, "problem"))
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the counts and the first runs in a notebook."""
        columns = {"source_file": "file", "tool": "tool", "direction": "direction", "throughput_bps": "throughput"}
        shown = self.runs[list(columns)].head(_SHOWN).rename(columns=columns)
        shown["throughput"] = [units.format_rate(rate) for rate in shown["throughput"]]
        cells = shown.map(lambda cell: "" if pd.isna(cell) else escape_bidi(str(cell)))
        rest = f"<p>… and {len(self.runs) - _SHOWN} more</p>" if len(self.runs) > _SHOWN else ""
        return f"<p>{self}</p>{cells.to_html(index=False, border=0)}{rest}"

    def followed_by(self, other: Reading) -> Reading:
        """Return the rows of both readings.

        Parameters
        ----------
        other
            The second reading.

        Returns
        -------
        Reading
            A new one.

        Examples
        --------
        >>> from hecn_analysis.logs import read
        >>> from hecn_analysis.base.places import data_dir
        >>> reading = read(data_dir() / "logs" / "c-systems-dd.txt")
        >>> reading.followed_by(reading)
        4 runs, 0 intervals, 0 problems
        """
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("runs", "streams", "intervals", "problems"))
        return Reading(*(pd.concat(pair, ignore_index=True) for pair in pairs))


@dataclass(frozen=True)
class Command:
    """A command line in a log; ``program`` has no path, and is empty if no reader knows it."""

    line: int
    program: str
    arguments: tuple[str, ...]


@dataclass(slots=True)
class Run:
    """A run of a reader, with its first and last line in the file.

    ``columns`` are those of the table of runs, ``streams`` rows of the table of streams without the columns that name
    the run, ``intervals`` columns of the table of intervals, NaN where missing. ``rounding`` is the relative error that
    the log's own rounding may put between bytes / duration and the rate. ``interval_bytes`` is the expected sum of the
    intervals if not the column ``bytes``, for these may be of different ends; NaN if unknown.
    """

    line_first: int
    line_last: int
    columns: dict[str, object]
    streams: Sequence[Mapping[str, object]] = ()
    intervals: Mapping[str, Array] = field(default_factory=dict)
    rounding: float = 0.01
    interval_bytes: float | None = None


class Runs:
    """The runs of a file in order; if there are many, all but the last ones are kept as columns."""

    def __init__(self) -> None:
        self._last: list[Run] = []
        self._packed = Rows("runs")
        self._parts: dict[int, tuple[Sequence[Mapping[str, object]], Mapping[str, Array]]] = {}

    def __len__(self) -> int:
        return len(self._packed) + len(self._last)

    @property
    def is_packed(self) -> bool:
        """Whether the first runs are columns, which are final."""
        return len(self._packed) > 0

    def __iter__(self) -> Iterator[Run]:
        return iter(self._last)

    def __getitem__(self, place: int) -> Run:
        return self._last[place]

    def append(self, run: Run) -> None:
        """Add a run."""
        self._last.append(run)
        if len(self._last) == AT_ONCE + _KEPT:
            self._pack(AT_ONCE)

    def _pack(self, number: int) -> None:
        """Pack the first runs into columns; streams and intervals stay as they are."""
        runs, self._last = self._last[:number], self._last[number:]
        for place, run in enumerate(runs, len(self._packed)):
            if run.streams or run.intervals:
                self._parts[place] = run.streams, run.intervals
        self._packed.extend({"line_first": run.line_first, "line_last": run.line_last, **run.columns} for run in runs)

    def tables(self, source_file: str, content_hash: str) -> tuple[Rows, Rows, list[tables.Block]]:
        """Rows of runs and streams, and blocks of intervals, numbered in the order of the file; once only."""
        self._pack(len(self._last))
        file = {"source_file": source_file, "content_hash": content_hash}
        runs, streams = Rows("runs"), Rows("streams")
        blocks: list[tables.Block] = []
        if len(self._packed) < AT_ONCE:
            unpacked = [{**row, **file} for row in self._packed]
            order = sorted(range(len(unpacked)), key=lambda place: int(unpacked[place]["line_first"]))
            runs.extend({**unpacked[place], "run": number} for number, place in enumerate(order))
        else:
            frame, self._packed = self._packed.frame(), Rows("runs")
            firsts = frame["line_first"].to_numpy("int64")
            places = np.argsort(firsts, kind="stable")
            if np.any(np.diff(firsts) < 0):
                frame = frame.iloc[places].reset_index(drop=True)
            for name, value in file.items():
                frame[name] = pd.array([value] * len(frame), dtype="string")
            frame["run"] = pd.array(np.arange(len(frame)), dtype="Int64")
            runs.add(frame)
            order = places.tolist()
        for number, place in enumerate(order):
            if place in self._parts:
                of_run = {"source_file": source_file, "run": number}
                rows, intervals = self._parts[place]
                streams.extend({**of_run, **row} for row in rows)
                if intervals:
                    blocks.append(tables.Block(len(next(iter(intervals.values()))), of_run, intervals))
        return runs, streams, blocks


class Recent:
    """The last unclaimed lines, at most ``length``, without the prefixes of loggers."""

    def __init__(self, length: int = 8) -> None:
        self._lines: deque[Line] = deque(maxlen=length)
        self._new: deque[Line] = deque(maxlen=length)  # with their prefixes, which are looked for when somebody asks
        self.append = self._new.append
        self.extend = self._new.extend

    def __len__(self) -> int:
        return len(self._settled())

    def __iter__(self) -> Iterator[Line]:
        return iter(self._settled())

    def __getitem__(self, place: int) -> Line:
        return self._settled()[place]

    def _settled(self) -> deque[Line]:
        while self._new:
            line = self._new.popleft()
            bare = [text for text in prefixes.without(line.text) if text]
            self._lines.append(line._replace(text=bare[-1]) if bare else line)
        return self._lines


@dataclass
class RunFindings(FileProblems):
    """Results for one file so far, and the lines that no reader claimed.

    ``recent`` are the last of these, ``left_over`` the numbers of the first ones that have a hint of a reader;
    ``claimed`` is the number of the last claimed line, ``claims`` are the first and the last one of the stretches of
    claimed lines, up to a number of them. ``keep_intervals``: all rows of intervals, or only the sums to
    check results against.
    """

    keep_intervals: bool = True
    runs: Runs = field(default_factory=Runs)
    command: Command = Command(0, "", ())
    recent: Recent = field(default_factory=Recent)
    claimed: int = 0
    claims: list[tuple[int, int]] = field(default_factory=list)
    left_over: list[int] = field(default_factory=list)

    def claim(self, first: int, last: int) -> None:
        """Note claimed lines."""
        self.claimed = last
        claims = self.claims
        if claims and claims[-1][1] == first - 1:
            claims[-1] = (claims[-1][0], last)
        elif len(claims) < MOST_CLAIMS:
            claims.append((first, last))

    def run(self, run: Run) -> None:
        """Check a run and add it: impossible values are left out, and contradictions reported."""
        for name, fault in tables.faults("runs", run.columns).items():
            run.columns[name] = None
            self.problem(run.line_last, "inconsistent", f"{fault}; left out")
        run.streams = [self._checked_stream(row, run.line_last) for row in run.streams]
        run.intervals = self._checked_intervals(run)
        self._check_packets(run)
        self._check_rate(run)
        self._check_intervals(run)
        if not self.keep_intervals:
            run.intervals = {}
        self.runs.append(run)

    def _checked_stream(self, row: Mapping[str, object], last: int) -> Mapping[str, object]:
        faults = tables.faults("streams", row)
        line = row.get("line")
        for fault in faults.values():
            self.problem(line if isinstance(line, int) else last, "inconsistent", f"{fault}; left out")
        return {name: None if name in faults else value for name, value in row.items()} if faults else row

    def _checked_intervals(self, run: Run) -> Mapping[str, Array]:
        """Columns of the intervals without impossible values, each column with one problem."""
        intervals = dict(run.intervals)
        for name, values in intervals.items():
            wrong = tables.COLUMNS["intervals"][name].wrong(values)
            if wrong.any():
                first = int(np.argmax(wrong))
                lines = intervals.get("line")
                known = lines is not None and np.isfinite(lines[first])
                intervals[name] = np.where(wrong, np.nan, values)
                self.problem(
                    int(lines[first]) if lines is not None and known else run.line_last,
                    "inconsistent",
                    f"{name}: found {values[first]:g} in the intervals, expected "
                    f"{tables.COLUMNS['intervals'][name].expected}; {int(wrong.sum())} left out",
                )
        return intervals

    def _check_packets(self, run: Run) -> None:
        sent, lost = run.columns.get("sent_packets"), run.columns.get("lost_packets")
        if sent in _SATURATED or lost in _SATURATED:
            for name in ("sent_packets", "lost_packets", "loss_fraction"):
                run.columns[name] = None
            self.problem(
                run.line_last,
                "inconsistent",
                f"found a counter at its end, {max(_SATURATED & {sent, lost})}; packets left out",
            )
        elif isinstance(lost, int) and (losses := run.intervals.get("lost_packets")) is not None:
            streams = run.intervals.get("stream")
            rows = float(np.nansum(losses if streams is None else losses[np.isnan(streams)]))
            if rows > 2 * lost + _FEW_PACKETS:
                run.columns["loss_fraction"] = None
                message = (
                    f"found {rows:.0f} packets lost in the intervals and {lost} in the summary; loss_fraction left out"
                )
                self.problem(run.line_last, "inconsistent", message)
        if isinstance(sent, int) and isinstance(lost, int) and lost > sent:
            run.columns["loss_fraction"] = None
            self.problem(
                run.line_last,
                "inconsistent",
                f"found {lost} packets lost of {sent} sent, expected no more lost than sent; loss_fraction left out",
            )

    def _check_rate(self, run: Run) -> None:
        amount, duration, rate = (run.columns.get(name) for name in ("bytes", "duration_s", "throughput_bps"))
        if not (isinstance(amount, int) and isinstance(duration, float) and isinstance(rate, float) and duration > 0):
            return
        expected = 8 * amount / duration
        apart = abs(rate - expected) / max(rate, expected, 1.0)
        if apart > run.rounding:
            contradicts = apart > max(_CONTRADICTION, run.rounding)
            if contradicts:
                run.columns["throughput_bps"] = None
            self.problem(
                run.line_last,
                "inconsistent",
                f"found a rate of {rate:.6g} bit/s, expected {expected:.6g} bit/s from "
                f"{amount} bytes in {duration:g} s; {'left out' if contradicts else 'kept as printed'}",
            )

    def _check_intervals(self, run: Run) -> None:
        amounts, ends = run.intervals.get("bytes"), run.intervals.get("t_end_s")
        duration = run.columns.get("duration_s")
        total = run.columns.get("bytes") if run.interval_bytes is None else run.interval_bytes
        if amounts is None or ends is None or not isinstance(total, (int, float)) or not isinstance(duration, float):
            return
        streams = run.intervals.get("stream")
        whole = slice(None) if streams is None else np.isnan(streams)
        found, covered = float(np.nansum(amounts[whole])), float(np.max(ends[whole], initial=0.0))
        slack = _SUMMARY_TOLERANCE * total
        if found > total + slack or (covered >= duration * (1 - _SUMMARY_TOLERANCE / 2) and found < total - slack):
            self.problem(
                run.line_last,
                "inconsistent",
                f"found {found:.6g} bytes in the intervals and {total} in the summary, expected a difference below 1 %",
            )

    def tables(self, content_hash: str) -> tuple[Rows, Rows, list[tables.Block]]:
        """Rows of runs and streams, and blocks of intervals, numbered in the order of the file; once only."""
        return self.runs.tables(self.source_file, content_hash)


class Reader(Protocol):
    """A reader of one tool's output; the session makes one for each file.

    `registry` finds such a class in any module of this package. A reader whose own lines begin with a date or a level,
    as loggers' do, sets ``DATED = True``. Three more tuples of hints keep prose from a reader: ``HINTS_TOGETHER`` has
    tuples of words that count only together on a line, ``HINTS_REPEATED`` ASCII characters that count if a line has at
    least so many of them, and ``LATER_HINTS`` words that count after the reader has claimed a line or a command line
    has named its tool.
    """

    TOOLS: tuple[str, ...]
    """Names of the tools in the table of runs; also the programs that are looked for in command lines."""
    VERSIONS: str
    """The versions whose wording the reader knows, for the documentation."""
    HINTS: tuple[str, ...]
    """At least one of them is in every line that the reader wants to see, unless it took the line before."""

    def __init__(self, findings: RunFindings) -> None: ...

    def feed(self, line: Line) -> bool:
        """Claim a line of the tool and return True, or return False to leave it to other readers."""

    def finish(self) -> None:
        """End the output, at a shell prompt or with the file: add an open run."""


class DocumentReader:
    """A reader of JSON documents.

    It says in `DOCUMENTS` which top-level keys a document of the tool has (all of one of the sets). A tool that prints
    text as well implements `feed` and `HINTS` in the same class, as any reader does.

    .. code-block:: python

        class Example(DocumentReader):
            TOOLS = ("example",)
            VERSIONS = "1.0 to 2.3"
            DOCUMENTS = (frozenset({"example version", "results"}),)

            def take(self, document: JsonDocument) -> bool:
                value = document.value
                seconds = number(at(value, "results", 0, "seconds"))  # None where a step is missing or no number
                columns = {"tool": "example", "protocol": "tcp", "duration_s": seconds}
                lines = document.lines("results")  # the last line of each element of a top-level array
                self.findings.run(Run(document.first, document.last, columns))
                return True  # False: not the tool's after all, and the next reader is asked

    `hecn_analysis.parsing.json_values` has `at`, `number` and their like. The registry reports a truncated document
    (`JsonDocument.truncated`) and invalid JSON; the reader decides which figures of a truncated document are valid.
    """

    TOOLS: tuple[str, ...] = ()
    VERSIONS: str = ""
    HINTS: tuple[str, ...] = ()
    DOCUMENTS: tuple[frozenset[str], ...] = ()
    """Sets of top-level keys; a document that has all of one set is offered to the reader."""

    def __init__(self, findings: RunFindings) -> None:
        self.findings = findings

    def feed(self, line: Line) -> bool:  # noqa: ARG002 - readers of text as well use it
        """Take no line of text."""
        return False

    def finish(self) -> None:
        """The output has ended."""

    def take(self, document: JsonDocument) -> bool:
        """Claim a document of the tool and return True, or return False to leave it to other readers."""
        raise NotImplementedError

    @classmethod
    def wants(cls, value: dict[str, Any]) -> bool:
        """Whether an object has the top-level keys of the tool's documents."""
        return any(keys <= value.keys() for keys in cls.DOCUMENTS)


@runtime_checkable
class RowReader(Protocol):
    """A reader of output that has tables of rows, which may be millions of lines long."""

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take further rows of the table that the reader has just claimed a line of.

        `texts` are consecutive lines, of which those from `start` on are unclaimed, `numbers` their numbers in the
        file. Returns the number of rows taken from `start` on; a line that is not a row is left to `feed`.
        """
