"""Results of sources over HTTP, added to an archive once each, whatever order and how often a source returns them.

The place reached is what the archive holds of a source, so that a stop at any moment neither loses nor doubles a
result. Each look asks again for the last day, the first one and one each hour for two weeks: results arrive late. A
source that does not answer as it should is named once, and asked again after a pause that doubles up to an hour.
Results from the future are left out until their time has come.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import pandas as pd

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.watching.incoming import Batch
from hecn_analysis.watching.web import Backoff, SourceError

#: Time before the newest result that is asked for again, at each look, and at the first and once an hour. [s]
_AGAIN_S: Final = 86400.0
_LATE_S: Final = 14 * 86400.0
_LATE_EVERY_S: Final = 3600.0

#: Clocks may differ by so much. [s]
_AHEAD_S: Final = 3600.0

#: Results that are added at once; a stop loses the work on so many at most.
_AT_ONCE: Final = 1000

#: Remarks on single results of a look that are shown.
_SHOWN: Final = 5

#: Source, two names, and time: of a run its number, of a rate host and port.
Identity = tuple[str, str, str, int]

#: Time from which a file or source is asked for. [s since 1970]
Since = Callable[[str], float]


@dataclass(frozen=True)
class Found:
    """A result: what tells it from others, and its rows by table."""

    identity: Identity
    rows: Mapping[str, Sequence[Mapping[str, object]]]


class Source(Protocol):
    """A source over HTTP."""

    name: str

    def owns(self, file: str) -> bool:
        """Whether the archive has a result of this name from here."""

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:
        """Yield the results since a time; SourceError if it does not answer, notes for what cannot be used."""


@dataclass
class _State:
    """What is known of a source: results by identity, the newest of each file, and what was said."""

    known: set[Identity]
    newest_s: dict[str, float]
    said: set[str] = field(default_factory=set)
    backoff: Backoff = field(default_factory=Backoff)
    late_s: float = -_LATE_EVERY_S


class Remote:
    """Sources over HTTP.

    Parameters
    ----------
    sources, archive, first_s
        The sources, the archive that takes their results, and the time before which none is wanted. [s since 1970]
    """

    def __init__(self, sources: Sequence[Source], archive: Archive, first_s: float) -> None:
        self._sources = sources
        self._archive = archive
        self._first_s = first_s
        self._states: dict[str, _State] = {}

    def take(self) -> Batch:
        """Add what is new of all sources that are not paused."""
        batch = Batch()
        for source in self._sources:
            state = self._states.get(source.name)
            if state is None:
                state = self._states[source.name] = self._begin(source)
            if state.backoff.is_due():
                self._look(source, state, batch)
        return batch

    def _begin(self, source: Source) -> _State:
        """What the archive holds of a source."""
        day = pd.Timestamp(self._first_s, unit="s", tz="UTC").strftime("%Y-%m-%d")
        state = _State(set(), {})
        for table, column, names in (("runs", "start_time", ("run", None)), ("rates", "time", ("host", "interface"))):
            rows = self._archive.table(table, first_day=day, damaged=[])
            rows = rows[
                rows["source_file"].isin([file for file in rows["source_file"].unique() if source.owns(str(file))])
            ]
            texts = [rows[name].astype(str) if name else [""] * len(rows) for name in names]
            moments = rows[column].dt.as_unit("ns").astype("int64") // 10**9
            for identity in zip(rows["source_file"], *texts, moments, strict=True):
                state.known.add(identity)
                _note_newest(state, source.name, identity)
        return state

    def _look(self, source: Source, state: _State, batch: Batch) -> None:
        """Ask a source; add what is whole, even if a later answer fails."""
        is_late = time.monotonic() - state.late_s >= _LATE_EVERY_S
        before_s = _LATE_S if is_late else _AGAIN_S
        newest_s = dict(state.newest_s)

        def since(name: str) -> float:
            return max(newest_s.get(name, self._first_s) - before_s, self._first_s)

        notes: set[str] = set()
        try:
            self._gather(source, state, source.find(since, notes, is_thorough=is_late), notes, batch)
        except SourceError as error:
            if state.backoff.failed(str(error)):
                batch.remarks.append(f"{source.name}: {error}")
        else:
            state.backoff.worked()
            if is_late:
                state.late_s = time.monotonic()
        news = sorted(notes - state.said)
        batch.remarks += [f"{source.name}: {note}" for note in news[:_SHOWN]]
        if len(news) > _SHOWN:
            batch.remarks.append(f"{source.name}: and {len(news) - _SHOWN} more of this kind")
        state.said |= notes

    def _gather(self, source: Source, state: _State, results: Iterator[Found], notes: set[str], batch: Batch) -> None:
        """Add the new ones of some results; what came before a fault, too."""
        fresh: dict[Identity, Found] = {}
        limit_s = time.time() + _AHEAD_S
        try:
            for answer in results:
                moment_s = answer.identity[3]
                if moment_s > limit_s:
                    notes.add("found results from the future, expected none; check its clock; left out until then")
                elif moment_s >= self._first_s and answer.identity not in state.known:
                    fresh.setdefault(answer.identity, answer)
                if len(fresh) >= _AT_ONCE:
                    self._add(source, state, fresh, batch)
                    fresh = {}
        finally:
            if fresh:
                self._add(source, state, fresh, batch)

    def _add(self, source: Source, state: _State, fresh: Mapping[Identity, Found], batch: Batch) -> None:
        """Add results as one unit of the archive: all of them, or none."""
        gathered: dict[str, list[Any]] = {}
        for answer in fresh.values():
            for table, rows in answer.rows.items():
                gathered.setdefault(table, []).extend(rows)
        key = hashlib.sha256(repr(sorted(fresh)).encode()).hexdigest()
        self._archive.add(key, {name: tables.make(name, rows) for name, rows in gathered.items()}, source=source.name)
        batch.added += len(fresh)
        state.known |= fresh.keys()
        for identity in fresh:
            _note_newest(state, source.name, identity)


def seconds(moment: pd.Timestamp) -> int:
    """Whole seconds since 1970, as an identity has them."""
    return int(moment.as_unit("ns").value // 10**9)


def _note_newest(state: _State, source: str, identity: Identity) -> None:
    for name in (source, identity[0]):
        state.newest_s[name] = max(state.newest_s.get(name, 0.0), float(identity[3]))
