"""Change of the cause between two sets of runs: both diagnoses, and the gain that the first one predicted.

A cause is removed if B has another one and is faster, or is as it should be. It remains if both sides have the same. It
appeared if B has another one and is slower, or not faster than an A that was as it should be. The outcome is
undetermined if a side has a single run, which shows no change, if its likeliest cause is improbable, or if both sides
are as they should be (a full line, a pace) at rates that differ by more than these limits do.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hecn_analysis.archive.selection import archive_of
from hecn_analysis.base import units
from hecn_analysis.counters import read_counters
from hecn_analysis.diagnosis.kinds import Kind, kinds
from hecn_analysis.diagnosis.outcomes import WINDOWS
from hecn_analysis.diagnosis.remedies import nothing
from hecn_analysis.diagnosis.result import FINE, UNDETERMINED, Diagnosis
from hecn_analysis.diagnosis.verdict import of_kind
from hecn_analysis.files.names import as_stored
from hecn_analysis.ingest.folder import Folder, read_folder
from hecn_analysis.inventory import read_inventory
from hecn_analysis.logs import Reading, read

REMOVED: Final = "removed"
REMAINS: Final = "remains"
APPEARED: Final = "appeared"

COLUMNS: Final = (
    *("cause_a", "cause_b", "probability_a", "probability_b", "outcome", "promised_low_bps", "promised_high_bps"),
)

#: Medians that differ by less are no sign that something changed: the interval of "no change seen". [1]
_MOVED: Final = 0.1

#: Least share of the runs of a side that one diagnosis has to be about. [1]
_MOST_OF: Final = 0.5

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Reading


def folder_of(paths: Paths, *, progress: bool = False) -> Folder:
    """Read a set of runs with the files beside them; tables, archives of results and pipes have runs only."""
    if isinstance(paths, Reading):
        return Folder("", paths, read_counters([]), read_inventory([]))
    names = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if names and all(_is_stored(os.fspath(name)) for name in names):
        return read_folder(names[0], beside=names[1:], progress=progress)
    return Folder("", read(names, progress=progress), read_counters([]), read_inventory([]))


def _is_stored(name: str) -> bool:
    """Whether a path is a file, or a folder that is read with all of its contents."""
    path = Path(as_stored(name))
    return archive_of(name) is None and (path.is_file() or path.is_dir())


@dataclass(frozen=True)
class Side:
    """One of two sets, with the kinds of run for which it can be diagnosed."""

    folder: Folder

    @cached_property
    def _kinds(self) -> list[Kind]:
        return kinds(self.folder)

    def diagnosis(self, runs: pd.DataFrame) -> Diagnosis | None:
        """The diagnosis of the kind to which most of the runs belong, or None."""
        wanted = _keys(runs)
        for name in ("runs", "piped"):
            shares = [len(_keys(getattr(kind, name)) & wanted) / len(wanted) for kind in self._kinds]
            if shares and max(shares) > _MOST_OF:
                return of_kind(self._kinds[shares.index(max(shares))])
        return None


def _keys(runs: pd.DataFrame) -> set[tuple[str, int]]:
    return set(zip(runs["source_file"].astype(str), runs["run"].astype(int), strict=True))


def causes(row: Mapping[str, Any], part: pd.DataFrame, sides: Sequence[Side]) -> dict[str, Any]:
    """Return the `COLUMNS` of a kind of run, and `told`, sentences on its cause; empty if a side has no run."""
    columns: dict[str, Any] = {**dict.fromkeys(COLUMNS), "told": ""}
    if not row["runs_a"] or not row["runs_b"]:
        return columns
    good = part[part["rate_bps"].notna()]
    a, b = (side.diagnosis(good[good["set"] == name]) for name, side in zip("AB", sides, strict=True))
    for letter, verdict in (("a", a), ("b", b)):
        if verdict is not None:
            likeliest = verdict.causes[0]
            columns |= {f"cause_{letter}": likeliest.kind, f"probability_{letter}": likeliest.probability}
    ratio = row["median_b_bps"] / row["median_a_bps"]
    is_lone = min(row["runs_a"], row["runs_b"]) == 1
    outcome = columns["outcome"] = UNDETERMINED if is_lone else _outcome(a, b, ratio)
    low, high = _promised(a)
    columns |= {"promised_low_bps": low, "promised_high_bps": high}
    says = _stand_alone(a, b) if is_lone and a is not None and b is not None else _says(outcome, a, b, ratio)
    columns["told"] = " ".join([says, *_of_promise(low, high, row, outcome)])
    return columns


def _family(name: str) -> str:
    """Name shared by causes that count as the same, such as both kinds of window."""
    return "window" if name in WINDOWS else name


def _outcome(a: Diagnosis | None, b: Diagnosis | None, ratio: float) -> str:
    """Compare the cause in A with that in B; `ratio` is the rate of B over that of A."""
    if a is None or b is None or UNDETERMINED in (a.verdict, b.verdict):
        return UNDETERMINED
    first, second = a.causes[0].kind, b.causes[0].kind
    if _family(first) == _family(second):
        return UNDETERMINED if first in FINE and _contradicts(a, b, ratio) else REMAINS
    if (second in FINE and first not in FINE) or ratio > 1 + _MOVED:
        return REMOVED
    if first in FINE or ratio < 1 - _MOVED:
        return APPEARED
    return UNDETERMINED


def _contradicts(a: Diagnosis, b: Diagnosis, ratio: float) -> bool:
    """Whether two full lines, or two paces, differ less than the rates do."""
    limits = a.causes[0].limit_bps, b.causes[0].limit_bps
    alike = limits[1] / limits[0] if limits[0] and limits[1] else 1.0
    return abs(math.log(ratio / alike)) > math.log(1 + _MOVED)


def _promised(a: Diagnosis | None) -> tuple[float | None, float | None]:
    """Interval of the rate expected after the remedy of A's cause [bit/s]."""
    if a is None or a.verdict == UNDETERMINED or a.causes[0].kind in FINE or nothing(a.causes[0].kind) is not None:
        return None, None
    return (a.changes[0].low_bps, a.changes[0].high_bps) if a.changes else (None, None)


def _says(outcome: str, a: Diagnosis | None, b: Diagnosis | None, ratio: float) -> str:
    """Describe the change of the cause in a sentence."""
    if a is None or b is None:
        side = "A and B" if a is b else "A" if a is None else "B"
        return f"The cause cannot be compared: no diagnosis of these runs in {side}."
    in_a, in_b = map(_likeliest, (a, b))
    if outcome == REMOVED:
        return f"The likeliest cause in A, {a.causes[0].resource} ({in_a}), is removed: now {b.finding} ({in_b})."
    if outcome == APPEARED:
        return f"A new cause appeared: {b.finding} ({in_b}); in A: {a.finding} ({in_a})."
    if outcome == REMAINS:
        rose = "" if ratio <= 1 + _MOVED else f", although B is {ratio:.3g} times as fast"
        return f"The cause remains{rose}: {b.finding} ({in_a} in A; {in_b} in B)."
    return _says_uncertain(a, b)


def _says_uncertain(a: Diagnosis, b: Diagnosis) -> str:
    """Say which side has a cause, if only one has."""
    in_a, in_b = map(_likeliest, (a, b))
    if a.verdict == UNDETERMINED != b.verdict:
        return f"In B, {b.finding} ({in_b}); the cause in A is uncertain (most likely {in_a})."
    if b.verdict == UNDETERMINED != a.verdict:
        return f"In A, {a.finding} ({in_a}); the cause in B is uncertain (most likely {in_b})."
    return f"The diagnoses do not show why: most likely {in_a}, in A, and {in_b}, in B."


def _likeliest(diagnosis: Diagnosis) -> str:
    """The class of the likeliest cause, and how likely it is."""
    return f"{diagnosis.causes[0].kind}, {units.format_probability(diagnosis.causes[0].probability)}"


def _stand_alone(a: Diagnosis, b: Diagnosis) -> str:
    """Describe both diagnoses, without a claim that anything changed."""
    told = [f"{verdict.finding} ({_likeliest(verdict)})" for verdict in (a, b)]
    return f"Each diagnosis stands alone; in A: {told[0]}; in B: {told[1]}."


def _of_promise(low: float | None, high: float | None, row: Mapping[str, Any], outcome: str) -> list[str]:
    """Compare the expected rate with the measured one."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return []
    words = f"{units.format_rate(low)} to {units.format_rate(high)}"
    median = row["median_b_bps"]
    if low <= median <= high:
        return [f"The first change advised for A would give {words}: B is within that."]
    if median < low:
        return [f"The first change advised for A would give {words}: B is below that."]
    more = "; that cause alone cannot explain it" if outcome in (REMOVED, APPEARED) else ""
    return [f"The first change advised for A would give {words}: B is above that{more}."]
