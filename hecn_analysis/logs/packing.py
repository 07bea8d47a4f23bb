"""Rows of readers, packed into columns once they are many, which takes a tenth of the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pandas as pd

from hecn_analysis.base import tables

if TYPE_CHECKING:
    from hecn_analysis.logs.contract import Array, Run

_AT_ONCE: Final = 8192
_KEPT: Final = 64  # runs that a reader may still look at


@dataclass
class Rows:
    """Rows of a table, a key of `tables.COLUMNS`."""

    table: str
    _rows: list[Mapping[str, object]] = field(default_factory=list)
    _frames: list[pd.DataFrame] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._rows) + sum(map(len, self._frames))

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for frame in self._frames:
            yield from cast("list[dict[str, Any]]", frame.to_dict("records"))
        yield from self._rows

    def extend(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Add rows; absent keys are missing values, and an absent flag is False."""
        for row in rows:
            self._rows.append(row)
            if len(self._rows) == _AT_ONCE:
                self._pack()

    def join(self, other: Rows) -> None:
        """Add the rows of another one."""
        for frame in other._frames:
            self.add(frame)
        self.extend(other._rows)

    def add(self, frame: pd.DataFrame) -> None:
        """Add rows that are a table already."""
        self._pack()
        self._frames.append(frame)

    def frame(self) -> pd.DataFrame:
        """Make the table, checked and with all its columns."""
        if not self._frames:
            return tables.make(self.table, self._rows)
        self._pack()
        if len(self._frames) > 1:
            self._frames = [pd.concat(self._frames, ignore_index=True)]  # the parts would take as much memory again
        return self._frames[0]

    def _pack(self) -> None:
        if self._rows:
            self._frames.append(tables.make(self.table, self._rows))
            self._rows = []


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
        if len(self._last) == _AT_ONCE + _KEPT:
            self._pack(_AT_ONCE)

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
        if len(self._packed) < _AT_ONCE:
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
