"""Circumstances of runs beside tool, size and distance: alone or with others, over which kind of path, on which hosts.

Repeats are runs under the same circumstances. Two halves of one test, or a run over an emulated path and one over a
real one, are no repeats of each other, however alike their sizes and round-trip times are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

SIMULTANEOUS: Final = "simultaneous"
EMULATED: Final = "emulated path"
REAL: Final = "real path"

_WORDS: Final = (
    (SIMULTANEOUS, re.compile(r"\bsimultaneous|\bbi-?\s?directional|\bboth (?:ways|directions)\b", re.IGNORECASE)),
    (EMULATED, re.compile(r"\bemulated\b|\bnetem\b", re.IGNORECASE)),
    (REAL, re.compile(r"\breal (?:WAN|network|path|link|testbed)\b", re.IGNORECASE)),
)
_HOSTS: Final = re.compile(r"(?<![\w-])(?P<name>[A-Z])-systems?\b", re.IGNORECASE)


def named(text: str) -> list[str]:
    """Circumstances that a text names.

    Parameters
    ----------
    text
        A heading or a label.

    Returns
    -------
    list of str
        Each once, in a fixed order; hosts last.

    Examples
    --------
    >>> named("Two simultaneous copies between B-Systems"), named("over a ~3000km-emulated (by netem) WAN")
    (['simultaneous', 'B-systems'], ['emulated path'])
    """
    hosts = dict.fromkeys(f"{found['name'].upper()}-systems" for found in _HOSTS.finditer(text))
    return [*(word for word, pattern in _WORDS if pattern.search(text)), *hosts]


def joined(words: Iterable[str]) -> str | None:
    """Join circumstances, each once.

    Parameters
    ----------
    words
        The circumstances; empty ones do not count.

    Returns
    -------
    str or None
        The words, joined by commas; None where there are none.

    Examples
    --------
    >>> joined(["simultaneous", "B-systems", "simultaneous"]), joined([])
    ('simultaneous, B-systems', None)
    """
    return ", ".join(dict.fromkeys(word for word in words if word)) or None


def circumstances(runs: pd.DataFrame) -> list[str | None]:
    """Circumstances of each run, as its log says and as the runs of a log overlap.

    Parameters
    ----------
    runs
        The table ``runs``.

    Returns
    -------
    list of str or None
        Words for each run, joined by commas; None where nothing is said.

    Examples
    --------
    >>> runs = pd.DataFrame({"source_file": "a", "circumstances": ["real path", None], "line_first": [1, 2],
    ...                      "line_last": [1, 2], "start_time": pd.NaT, "duration_s": 10.0})
    >>> circumstances(runs)
    ['real path', None]
    """
    said = runs["circumstances"] if "circumstances" in runs.columns else [None] * len(runs)
    return [
        joined([SIMULTANEOUS] * several + (words.split(", ") if isinstance(words, str) else []))
        for words, several in zip(said, _together(runs).tolist(), strict=True)
    ]


def _together(runs: pd.DataFrame) -> Any:  # noqa: ANN401 - an array of booleans
    """Which runs of a log were under way while another one of it was: they overlap in time, or stand in one passage."""
    found = np.zeros(len(runs), dtype=np.bool_)
    needed = {"source_file", "start_time", "duration_s", "line_first", "line_last"}
    if not needed <= set(runs.columns) or runs.empty:
        return found
    seconds = pd.to_datetime(runs["start_time"], utc=True).astype("datetime64[ns, UTC]").astype("int64") / 1e9
    begin = seconds.where(runs["start_time"].notna()).to_numpy(dtype=float)
    end = begin + runs["duration_s"].to_numpy(dtype=float, na_value=np.nan)
    lines = [runs[name].to_numpy(dtype=float, na_value=np.nan) for name in ("line_first", "line_last")]
    for places in runs.groupby("source_file", sort=False).indices.values():
        for first, last, least in ((begin, end, _OVERLAP_S), (*lines, 0.0)):
            rows = np.asarray(places)[np.isfinite(first[places]) & np.isfinite(last[places])]
            rows = rows[np.argsort(first[rows], kind="stable")]
            if len(rows) > 1:
                reached = np.maximum.accumulate(last[rows])[:-1]
                over = (first[rows][1:] < reached - least) & (first[rows][1:] < last[rows][1:])
                found[rows[1:][over]] = True
                found[rows[:-1][over]] = True
    return found


#: Clocks of logs are of whole seconds: runs that follow each other may seem to overlap by one. [s]
_OVERLAP_S: Final = 1.5
