"""What else changed at a change: round-trip time, loss, where it begins, retransmits, processors, packet size, version.

Each is a sentence with the last result before and the first one after as evidence. A figure counts as changed if a rank
test says so at one in a hundred, and it moved by more than `_LEAST`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.runs.statistics import shift
from hecn_analysis.watching.measures import DELAY

#: Results on each side that are compared.
_COMPARED: Final = 48

#: Fewer results on a side show nothing.
_FEWEST: Final = 3

#: Accepted probability of such a difference by chance, for each figure. [1]
_LEVEL: Final = 0.01

#: Smaller changes of a figure explain nothing. [1]
_LEAST: Final = 0.1

_FIGURES: Final[tuple[tuple[str, str, Callable[[float], str]], ...]] = (
    ("path_rtt_s", "the round-trip time", units.format_time),
    ("loss_fraction", "the loss", lambda value: units.format_fraction(value, digits=2)),
    ("retransmits_per_gb", "the number of retransmits", lambda value: f"{units.format_number(value)} per GB"),
    ("cpu_sender_fraction", "the sender's processor time", lambda value: f"{value:.2f} cores"),
    ("cpu_receiver_fraction", "the receiver's processor time", lambda value: f"{value:.2f} cores"),
    ("port_speed_bps", "the speed of the port", units.format_rate),
    ("mss_bytes", "the segment size", lambda value: f"{value:.0f} B"),
)

#: Tools whose delays are those of one way.
_ONE_WAY: Final = frozenset({"owping", "powstream"})

#: Columns of the results that reasons are found in.
COLUMNS: Final = (*(name for name, _, _ in _FIGURES), "loss_from", "tool", "tool_version", "source_file", "line_first")


def reasons(before: pd.DataFrame, after: pd.DataFrame, *, but: str = "") -> list[str]:
    """Sentences on what differs between the results before and after a change, but one figure, with their evidence."""
    before, after = before.tail(_COMPARED), after.head(_COMPARED)
    evidence = f"({_place(before.iloc[-1])}; {_place(after.iloc[0])})"
    sentences = (*_of_figures(before, after, but), *_of_hops(before, after), *_of_versions(before, after))
    return [f"{sentence} {evidence}" for sentence in sentences]


def _of_figures(before: pd.DataFrame, after: pd.DataFrame, but: str) -> Iterator[str]:
    for name, words, form in _FIGURES:
        a, b = (side[name].dropna().to_numpy(dtype=float) for side in (before, after))
        if name == but or min(len(a), len(b)) < _FEWEST:
            continue
        moved = shift(a, b, confidence=0.9)
        middle = float(pd.Series(a).median())
        if moved.p <= _LEVEL and abs(moved.median) > _LEAST * abs(middle):
            verb = "rose" if moved.median > 0 else "fell"
            is_one_way = name == DELAY.column and after["tool"].iloc[0] in _ONE_WAY
            yield f"{'the delay' if is_one_way else words} {verb} from {form(middle)} to {form(middle + moved.median)}"


def _of_hops(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """The hop from which on most results after it lose packets, if most of those before it do not."""
    old, new = (side["loss_from"].value_counts() for side in (before, after))
    if len(new) and 2 * new.iloc[0] > len(after) and 2 * old.get(new.index[0], 0) <= len(before):
        yield f"loss begins at {new.index[0]}"


def _of_versions(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    old, new = before["tool_version"].iloc[-1], after["tool_version"].iloc[0]
    if not pd.isna(old) and not pd.isna(new) and old != new:
        yield f"the version of {after['tool'].iloc[0]} changed from {old} to {new}"


def _place(run: Any) -> str:  # noqa: ANN401 - a row
    line = "" if pd.isna(run["line_first"]) else f":{int(run['line_first'])}"
    return f"{run['source_file']}{line}"
