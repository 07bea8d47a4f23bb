"""One figure of a folder of logs: `plot`, which ``hecn plot`` calls, too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, get_args

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.diagnosis.courses import LOG, RunCourse
from hecn_analysis.figures import theme
from hecn_analysis.figures.comparison import plot_comparison
from hecn_analysis.figures.course import MOST_RUNS, plot_course
from hecn_analysis.figures.distribution import plot_distribution
from hecn_analysis.figures.run_names import first_lines, run_names, spread
from hecn_analysis.logs import Reading, read
from hecn_analysis.runs import course
from hecn_analysis.runs.alike import with_conditions

_KEYS: Final = {"source_file", "run"}  # of a run, in every table
_EXPECTED: Final = "runs or intervals of hecn.read, with the columns source_file and run"
View = Literal["time", "cdf", "box", "runs", "latency"]


#: What `plot` draws: what was read, a table of its runs or intervals, or what `hecn_analysis.read` can read.
Source = Reading | pd.DataFrame | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def plot(data: Source, view: View = "time") -> go.Figure:
    """Draw the runs of logs in one figure.

    Parameters
    ----------
    data
        What `hecn_analysis.read` returned, its table of runs or of intervals or a part of one, or what it can read: a
        file, a folder, or several.
    view
        ``time``: rate, congestion window, RTT and retransmits of up to six runs over time, from each folder
        in turn. ``cdf``, ``box``:
        distribution of the rates of each run's intervals. ``runs``: the rate of every run, by kind of run. ``latency``:
        distribution of the round-trip times, of ping and of the tools that report them.

    Returns
    -------
    plotly.graph_objects.Figure
        Rates in Gb/s, Mb/s or kb/s, as its axis says; a sentence where nothing can be drawn.

    Raises
    ------
    InputError
        An unknown view, a single path that does not exist, or a table of something else.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> figure = plot(data_dir() / "transfers" / "over_time")
    >>> figure.layout.yaxis.title.text
    'Throughput (Mb/s)'
    """
    if view not in _VIEWS:
        raise unknown_name("view", view, get_args(View))
    return _VIEWS[view](_reading(data))


def _reading(data: Source) -> Reading:
    """What was read, with empty tables for those that are not given."""
    if isinstance(data, Reading):
        return data
    if not isinstance(data, pd.DataFrame):
        return read(data)
    if not set(data.columns) >= _KEYS:
        raise InputError(f"a table with the columns {', '.join(map(str, data.columns))}", _EXPECTED)
    known = {name: tables.make(name, []) for name in ("runs", "streams", "intervals", "problems")}
    is_intervals = "t_end_s" in data.columns
    runs = data[[*_KEYS]].drop_duplicates() if is_intervals else data
    known["runs"] = runs.reset_index(drop=True).reindex(columns=known["runs"].columns)
    return Reading(**known | ({"intervals": data.reindex(columns=known["intervals"].columns)} if is_intervals else {}))


def _time(reading: Reading) -> go.Figure:
    parts = reading.intervals.groupby(["source_file", "run"], sort=False)
    courses = {place: table for place, part in parts if len(table := course.together(part)) > 1}
    runs = reading.runs.loc[
        [place in courses for place in zip(reading.runs["source_file"], reading.runs["run"], strict=True)]
    ]
    shown = spread(runs, MOST_RUNS)
    fig = plot_course(
        [
            RunCourse(name, run["source_file"], line, LOG, courses[run["source_file"], run["run"]], {})
            for name, line, run in zip(run_names(shown), first_lines(shown), shown.to_dict("records"), strict=True)
        ]
    )
    theme.remark_on_choice(fig, len(shown), len(runs))
    return fig


def _runs(reading: Reading) -> go.Figure:
    runs = with_conditions(reading.runs)
    return plot_comparison(runs.assign(group=runs["condition"]))


_VIEWS: Final[Mapping[str, Callable[[Reading], go.Figure]]] = {
    "time": _time,
    "cdf": lambda reading: plot_distribution(reading.runs, reading.intervals, form="cdf"),
    "box": lambda reading: plot_distribution(reading.runs, reading.intervals, form="box"),
    "runs": _runs,
    "latency": lambda reading: plot_distribution(reading.runs, reading.intervals, "rtt"),
}
