"""Rows of readers, packed into columns once they are many, which takes a tenth of the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import pandas as pd

from hecn_analysis.base import tables

AT_ONCE: Final = 8192
"""Rows that are packed together."""


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
            if len(self._rows) == AT_ONCE:
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
