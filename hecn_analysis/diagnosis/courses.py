"""The courses of a folder: rate, windows, RTT and losses of each run over time, from logs, ss and captures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from hecn_analysis.diagnosis.result import Diagnosis
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.runs import course

#: Where a course comes from.
LOG, SAMPLES, PACKETS = "log", "ss", "packets"

#: What held a connection back, as shares of its time.
HELD: Final = ("rwnd_limited", "sndbuf_limited", "app_limited", "stalled_by_timeouts")

#: Columns of the table of features, a row for each run.
TABLE: Final = ("run", "source_file", "line", "source", "shape", *course.FEATURES, *HELD)

#: Directions of captures, and samples of connections, that carry less than this share of the largest are left out. [1]
_SHARE: Final = 0.1


@dataclass(frozen=True)
class RunCourse:
    """The course of one run, from its first line or packet on.

    ``run`` is its name: the file and the place, and the connection if there are several. ``source`` is `LOG`, `SAMPLES`
    or `PACKETS`, ``course`` has the columns `hecn_analysis.runs.course.COURSE`. ``held`` has the shares of the time in
    which the receiver's window, the send buffer, the sending program and timeouts limited it (`HELD`); NaN if unknown.
    """

    run: str
    source_file: str
    line: int
    source: str
    course: pd.DataFrame
    held: dict[str, float]


def courses(folder: Folder, verdicts: Sequence[Diagnosis]) -> list[RunCourse]:
    """Return the courses of the runs of a folder.

    Parameters
    ----------
    folder, verdicts
        The folder, and the verdicts on it.

    Returns
    -------
    list of RunCourse
        Those of at least two intervals: the runs of the first kind whose logs have intervals, then connections that
        `ss` sampled several times, then the large directions of the packet captures.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import of_folder
    >>> from hecn_analysis.ingest.folder import read_folder
    >>> folder = read_folder(data_dir() / "transfers" / "over_time")
    >>> [(course.run, course.source) for course in courses(folder, of_folder(folder))][-2:]
    [('iperf3-3.json:1', 'log'), ('ss-sender.txt:19', 'ss')]
    """
    known = [*_of_logs(folder, verdicts), *_of_samples(folder), *_of_packets(folder)]
    return [run for run in known if len(run.course) >= 2]


def _of_logs(folder: Folder, verdicts: Sequence[Diagnosis]) -> Iterator[RunCourse]:
    for verdict in verdicts:
        runs = [
            _named(folder, (str(run["source_file"]), line), LOG, whole)
            for run in verdict.kind.runs.to_dict("records")
            for line in [1 if pd.isna(run["line_first"]) else int(run["line_first"])]
            if (whole := verdict.kind.courses.get((str(run["source_file"]), int(run["run"])))) is not None
        ]
        if any(len(member.course) >= 2 for member in runs):
            yield from runs
            return


def of_kind(verdict: Diagnosis, run: RunCourse) -> bool:
    """Whether a course belongs to a run of a kind.

    Parameters
    ----------
    verdict, one
        The verdict on the kind, and the course.

    Returns
    -------
    bool
        Whether its file holds runs of the kind.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import of_folder
    >>> from hecn_analysis.ingest.folder import read_folder
    >>> folder = read_folder(data_dir() / "transfers" / "over_time")
    >>> verdicts = of_folder(folder)
    >>> of_kind(verdicts[0], courses(folder, verdicts)[0])
    True
    """
    return run.source_file in verdict.kind.files


def _of_samples(folder: Folder) -> Iterator[RunCourse]:
    for socket in folder.sockets:
        held = {"rwnd_limited": socket.rwnd_limited, "sndbuf_limited": socket.sndbuf_limited}
        yield _named(folder, (socket.source_file, socket.line), SAMPLES, socket.course, held)


def _of_packets(folder: Folder) -> Iterator[RunCourse]:
    for capture in folder.captures:
        for direction in capture.directions:
            if direction.bytes < _SHARE * capture.directions[0].bytes:
                continue
            held = {
                "rwnd_limited": math.nan if direction.window_limited is None else direction.window_limited,
                "sndbuf_limited": direction.buffer_limited,
                "app_limited": direction.idle,
                "stalled_by_timeouts": direction.stalled,
            }
            yield _named(folder, (capture.source_file, direction.first), PACKETS, direction.course.table(), held)


def _named(
    folder: Folder,
    place: tuple[str, int],
    source: str,
    table: pd.DataFrame,
    held: Mapping[str, float] = MappingProxyType({}),
) -> RunCourse:
    """Make a course with its name: the file and the line where it begins."""
    every = {**dict.fromkeys(HELD, math.nan), **held}
    return RunCourse(f"{folder.short(place[0])}:{place[1]}", *place, source, table, every)


def features_table(runs: Sequence[RunCourse]) -> pd.DataFrame:
    """Return the features of courses, a row for each run.

    Parameters
    ----------
    runs
        The courses.

    Returns
    -------
    DataFrame
        Columns `TABLE`: the result of `hecn_analysis.runs.course.features`, ``shape`` in words, and the shares of the
        time in which a limit held [1].

    Examples
    --------
    >>> features_table([]).empty
    True
    """
    rows: list[dict[str, Any]] = []
    for run in runs:
        own = course.features(run.course)
        named = {"run": run.run, "source_file": run.source_file, "line": run.line, "source": run.source}
        rows.append({**named, "shape": course.words(own), **own, **run.held})
    return pd.DataFrame(rows, columns=list(TABLE))
