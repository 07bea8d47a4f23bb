"""Circumstances of runs besides tool, size and distance: simultaneous runs, kind of path, hosts.

Repeats are runs under the same circumstances. The two halves of one test are not repeats of each other, nor are runs
over an emulated and a real path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]

_NEEDED: Final = frozenset(
    ("source_file", "tool", "protocol", "direction", "start_time", "duration_s", "line_first", "line_last")
)
_NETWORK: Final = ("tcp", "udp", "rdma")
#: Logs give whole seconds, so that consecutive runs may seem to overlap by one. [s]
_OVERLAP_S: Final = 1.5

SIMULTANEOUS: Final = "simultaneous"
EMULATED: Final = "emulated path"
REAL: Final = "real path"

_WORDS: Final = (
    (SIMULTANEOUS, re.compile(r"\bsimultaneous|\bbi-?\s?directional|\bboth (?:ways|directions)\b", re.IGNORECASE)),
    (EMULATED, re.compile(r"\bemulated\b|\bnetem\b", re.IGNORECASE)),
    (REAL, re.compile(r"\breal (?:WAN|network|path|link|testbed)\b", re.IGNORECASE)),
)
_HOSTS: Final = re.compile(r"(?<![\w-])(?P<name>[A-Z])-systems?\b", re.IGNORECASE)
#: Lower-case substrings; a text without any of them names no circumstances.
CIRCUMSTANTIAL: Final = ("simultaneous", "directional", "both ", "emulated", "netem", "real ", "-system")


def named(text: str) -> list[str]:
    """Return the circumstances that a heading or a label names, each once, in a fixed order; hosts last."""
    hosts = dict.fromkeys(f"{match['name'].upper()}-systems" for match in _HOSTS.finditer(text))
    return [*(word for word, pattern in _WORDS if pattern.search(text)), *hosts]


def joined(words: Iterable[str]) -> str | None:
    """Join circumstances by commas, each once; None if there are none."""
    return ", ".join(dict.fromkeys(word for word in words if word)) or None


def circumstances(runs: pd.DataFrame) -> list[str | None]:
    """Return the circumstances of each run, joined by commas, from the words of its log and from runs that overlap."""
    logged = runs["circumstances"] if "circumstances" in runs.columns else [None] * len(runs)
    return [
        joined([SIMULTANEOUS if simultaneous else "", *(words.split(", ") if isinstance(words, str) else [])])
        for words, simultaneous in zip(logged, _simultaneous(runs).tolist(), strict=True)
    ]


def _simultaneous(runs: pd.DataFrame) -> Any:  # noqa: ANN401 - an array of booleans
    """Mask of halves of bidirectional tests, which overlap in time or, without times, in lines of the log."""
    is_simultaneous = np.zeros(len(runs), dtype=np.bool_)
    if not set(runs.columns) >= _NEEDED or runs.empty:
        return is_simultaneous
    places = np.flatnonzero(runs["protocol"].isin(_NETWORK) & runs["direction"].isin(("send", "receive")))
    network = runs.iloc[places]
    log = network.groupby(["source_file", "tool"], dropna=False, sort=False).ngroup().to_numpy()
    sends = (network["direction"] == "send").to_numpy(dtype=bool)
    time_ns = pd.DatetimeIndex(pd.to_datetime(network["start_time"], utc=True)).as_unit("ns").asi8
    begin = np.where(network["start_time"].notna(), time_ns * 1e-9, np.nan)
    end = begin + network["duration_s"].to_numpy(dtype=float, na_value=np.nan)
    first, last = (network[name].to_numpy(dtype=float, na_value=np.nan) for name in ("line_first", "line_last"))
    timed = np.isfinite(end)
    order = np.argsort(log, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(log[order])) + 1):
        for known, starts, ends, least in ((timed, begin, end, _OVERLAP_S), (~timed, first, last + 1, 0.0)):
            forward, backward = rows[known[rows] & sends[rows]], rows[known[rows] & ~sends[rows]]
            for these, others in ((forward, backward), (backward, forward)):
                overlaps = _overlap(starts[these], ends[these], starts[others], ends[others], least)
                is_simultaneous[places[these]] |= overlaps
    return is_simultaneous


def _overlap(begin: Floats, end: Floats, others_begin: Floats, others_end: Floats, least: float) -> Any:  # noqa: ANN401
    """Mask of intervals that overlap any of the others by more than `least`."""
    if len(others_begin) == 0:
        return np.zeros(len(begin), dtype=np.bool_)
    order = np.argsort(others_begin, kind="stable")
    reached = np.r_[-np.inf, np.maximum.accumulate(others_end[order])]
    return reached[np.searchsorted(others_begin[order], end - least)] > begin + least
