"""Test matrices: tools over sizes, distances, losses and numbers of streams, with the prediction of each test.

A matrix is a YAML file: a scenario that all tests share, and grids, each with axes (keys of the scenario with their
values) and keys of its own. A cell is one combination of a grid. Shipped matrices are in `models/matrices`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field
from scipy.special import stdtrit

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import InputError, RangeError, unknown_name
from hecn_analysis.hardware import Scenario, load_scenario, yaml_file
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.planning.matrix.outlook import Belief, Outlook

#: Default duration of a test with a tool that sends for a fixed time. [s]
DURATION_S: Final = 10.0

#: Most repeats to plan; larger scatter has a cause to find first.
MOST_REPEATS: Final = 100

#: The axis of sets of files; it is not a key of the scenario, since the model has no cost per file.
FILES: Final = "files"
_FILES: Final = re.compile(r"(?P<number>[1-9]\d{0,5})@(?P<size>[1-9]\d{0,5})")


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Grid(_Described):
    """Tests of all combinations of the values of some keys."""

    title: str = ""
    place: str = Field(default="", description="place in the document: slide title or page")
    set: dict[str, Any] = Field(default={}, description="keys of the scenario that differ from the matrix's")
    axes: Annotated[
        dict[str, list[str | int | float | bool]],
        Field(min_length=1, description="keys of the scenario; or files, such as 16@16: 16 files of 16 GB each"),
    ]


class Repeats(_Described):
    """Required precision of the mean of a cell."""

    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    within: Annotated[float, Field(gt=0, lt=1, description="half width of the interval of the mean, relative")] = 0.05
    at_least: Annotated[int, Field(ge=1)] = 3


class Emulator(_Described):
    """A host between both ends that delays and drops packets with netem."""

    forward: str = Field(description="its interface towards the receiver")
    back: str = Field(description="its interface towards the sender")
    base_rtt: str | float = Field(default=0.0, description="round-trip time without the emulator")


class Commands(_Described):
    """Commands of a tool that `hecn measure` cannot start; {address}, {file}, {streams} … are filled in."""

    client: str
    server: str = ""
    once: bool = Field(default=False, description="the server exits after each run and must be restarted")


class _MatrixFile(_Described):
    title: str
    document: str = ""
    place: str = ""
    scenario: dict[str, Any]
    grids: Annotated[dict[str, Grid], Field(min_length=1)]
    repeats: Repeats = Repeats()
    pause: str | float = Field(default=0.0, description="time between two tests, for setup and clearing caches")
    emulator: Emulator | None = None
    commands: dict[str, Commands] = {}


@dataclass(frozen=True)
class Cell:
    """One test of a matrix.

    ``name`` is the grid and the values: ``distances/nuttscp/16GB/90ms``. ``setting`` has the values of the axes as
    written, ``numbers`` the same values in SI if they are quantities.
    """

    name: str
    grid: str
    setting: Mapping[str, Any]
    numbers: Mapping[str, Any]
    scenario: Scenario


@dataclass(frozen=True)
class Matrix:
    """A test matrix.

    ``source`` is its file or the name of a shipped matrix; ``document`` and ``place`` are its origin. ``cells`` are its
    tests, grid by grid, the last axis fastest; ``repeats`` is the required precision of means, ``pause_s`` the time
    between two tests [s]. Without an ``emulator`` the path is not emulated. ``commands`` are those of further tools.
    """

    source: str
    title: str
    document: str
    place: str
    grids: Mapping[str, Grid]
    cells: tuple[Cell, ...]
    repeats: Repeats
    pause_s: float
    emulator: Emulator | None
    commands: Mapping[str, Commands]

    @property
    def axes(self) -> list[str]:
        """Keys that are varied in any grid."""
        return list(dict.fromkeys(key for grid in self.grids.values() for key in grid.axes))

    @cached_property
    def outlook(self) -> Outlook:
        """Predictions of all cells."""
        return Outlook.of({cell.name: cell.scenario for cell in self.cells}, progress=True)

    def belief(self) -> Belief:
        """Return the belief about the cells before any measurement.

        Returns
        -------
        Belief
            Belief about the logarithms of the rates of all cells. [bit/s]

        Examples
        --------
        >>> matrix.belief().mean.size
        2
        """
        return Belief(self.outlook, [{"grid": cell.grid, **cell.numbers} for cell in self.cells])


def matrix_names() -> list[str]:
    """Names of the shipped matrices."""
    return sorted(path.stem for path in (places.models_dir() / "matrices").glob("*.yaml"))


def load_matrix(name: str | Path) -> Matrix:
    """Read a matrix.

    Parameters
    ----------
    name
        YAML file, or name of a shipped matrix.

    Returns
    -------
    Matrix
        The matrix; the scenarios of its cells are in SI.

    Raises
    ------
    InputError
        The name is unknown, or the file is invalid (with the line).

    Examples
    --------
    >>> matrix = load_matrix("sc09")
    >>> matrix.cells[0].name, len(matrix.axes)
    ('distances/aspera/16GB/0ms', 6)
    """
    path = Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        path = places.models_dir() / "matrices" / f"{name}.yaml"
        if str(name) not in matrix_names():
            raise unknown_name("matrix", str(name), matrix_names(), also="a YAML file or ", where="models/matrices")
    document = yaml_file.load(path)
    content = yaml_file.validate(_MatrixFile, document.values, lambda key: (document.source, document.line(key)))
    cells = [
        cell for grid, described in content.grids.items() for cell in _cells(document, content, grid, described)
    ]  # fmt: skip
    try:
        pause_s = units.parse(content.pause, "time", name="pause")
    except RangeError as error:
        raise InputError(str(content.pause), str(error), source=path, line=document.line(("pause",))) from None
    return Matrix(
        str(name),
        content.title,
        content.document,
        content.place,
        content.grids,
        tuple(cells),
        content.repeats,
        pause_s,
        content.emulator,
        content.commands,
    )


def _cells(document: yaml_file.Document, content: _MatrixFile, name: str, grid: Grid) -> list[Cell]:
    cells = []
    for combination in product(*grid.axes.values()):
        values = dict(zip(grid.axes, combination, strict=True))
        cell_name = "/".join([name, *(str(value).replace(" ", "") for value in combination)])
        try:
            keys = {**values, **_volume(values.get(FILES))}
            keys.pop(FILES, None)
            scenario = load_scenario(
                {
                    **content.scenario,
                    "name": cell_name,
                    "set": {**(content.scenario.get("set") or {}), **grid.set, **keys},
                }
            )
        except InputError as error:
            line = document.line(("grids", name))
            raise InputError(
                error.found, error.expected, source=document.source, line=line, advice=error.advice
            ) from None
        cells.append(
            Cell(cell_name, name, values, {key: _number(scenario, key, values[key]) for key in values}, scenario)
        )
    return cells


def _volume(files: Any) -> dict[str, str]:  # noqa: ANN401 - any value of an axis
    """Total amount of a set of files, as a key of the scenario; empty without a set."""
    if files is None:
        return {}
    match = _FILES.fullmatch(str(files))
    if match is None:
        raise InputError(f"files {files!r}", "their number and size in GB, such as 16@16")
    return {"tool.bytes": f"{int(match['number']) * int(match['size'])} GB"}


def _number(scenario: Scenario, key: str, written: Any) -> Any:  # noqa: ANN401 - any value of a key
    """Value of an axis as a number, if it is a quantity."""
    if key == FILES:
        return written
    value = value_at(scenario, key)
    return float(value.value) if isinstance(value, Parameter) else written


def repeats_needed(scatter: float, repeats: Repeats) -> int:
    """Runs that the mean needs for the required precision."""
    counts = np.arange(2, MOST_REPEATS + 1)
    width = stdtrit(counts - 1, (1 + repeats.confidence) / 2) * scatter / np.sqrt(counts)
    enough = counts[width <= repeats.within]
    return max(repeats.at_least, int(enough[0]) if enough.size else MOST_REPEATS)


def amounts(scenario: Scenario, throughput_bps: float) -> tuple[float, float]:
    """Duration of a test [s], and the data that it moves [B]."""
    if scenario.tool.bytes is not None:
        moved = scenario.tool.bytes.value * scenario.tool.processes * (2 if scenario.tool.bidirectional else 1)
        return 8 * moved / throughput_bps, moved
    duration = DURATION_S if scenario.tool.duration is None else scenario.tool.duration.value
    return duration, throughput_bps * duration / 8


def plan(matrix: Matrix) -> pd.DataFrame:
    """Prediction of each cell, and the repeats, time and data to measure it.

    Parameters
    ----------
    matrix
        The matrix.

    Returns
    -------
    DataFrame
        One row a cell: ``cell``, a column for each axis, ``predicted_bps``, ``low_bps``, ``high_bps`` [bit/s],
        ``bottleneck``, ``load_fraction`` (share of the path's rate [1]), ``time_s`` and ``data_bytes`` of
        one run, ``repeats`` that the mean needs, and ``all_time_s``, ``all_data_bytes`` of all repeats with pauses.

    Examples
    --------
    >>> plan(matrix)[["cell", "repeats"]].to_dict("records")
    [{'cell': 'far/0ms', 'repeats': 3}, {'cell': 'far/90ms', 'repeats': 3}]
    """
    outlook = matrix.outlook
    rows = []
    for number, cell in enumerate(matrix.cells):
        rate = float(outlook.throughput_bps[number])
        test_s, moved = amounts(cell.scenario, rate)
        repeats = repeats_needed(float(outlook.repeat[number]), matrix.repeats)
        rows.append(
            {
                "cell": cell.name,
                **{key: cell.setting.get(key) for key in matrix.axes},
                "predicted_bps": rate,
                "low_bps": float(outlook.low_bps[number]),
                "high_bps": float(outlook.high_bps[number]),
                "bottleneck": outlook.limits[number][0],
                "load_fraction": float(outlook.load_fraction[number]),
                "time_s": test_s,
                "data_bytes": moved,
                "repeats": repeats,
                "all_time_s": repeats * (test_s + matrix.pause_s),
                "all_data_bytes": repeats * moved,
            }
        )
    return pd.DataFrame(rows)


def by_grid(matrix: Matrix, planned: pd.DataFrame, covered: pd.DataFrame) -> pd.DataFrame:
    """Sum a plan and its coverage by runs for each grid.

    Parameters
    ----------
    matrix, planned, covered
        The matrix, its `plan`, and its coverage from `hecn_analysis.planning.matrix.runs.status`.

    Returns
    -------
    DataFrame
        ``grid``, ``title``, ``cells``, ``run`` (cells with runs), ``enough`` (cells without missing runs), ``repeats``
        and ``missing`` runs, and time [s] and data [B] of all needed repeats, ``all_time_s`` and
        ``all_data_bytes``.

    Examples
    --------
    >>> names = [cell.name for cell in matrix.cells]
    >>> covered = pd.DataFrame({"cell": names, "runs": [3, 0], "needed": 3, "missing": [0, 3]})
    >>> by_grid(matrix, plan(matrix), covered)[["grid", "cells", "run", "missing"]].to_dict("records")
    [{'grid': 'far', 'cells': 2, 'run': 1, 'missing': 3}]
    """
    cells = planned.merge(covered[["cell", "runs", "needed", "missing"]], on="cell")
    cells = cells.assign(
        grid=[cell.grid for cell in matrix.cells],
        run=cells["runs"] > 0,
        enough=cells["missing"] == 0,
        all_time_s=cells["needed"] * (cells["time_s"] + matrix.pause_s),
        all_data_bytes=cells["needed"] * cells["data_bytes"],
    )
    sums = cells.groupby("grid", sort=False, as_index=False).agg(
        cells=("cell", "size"),
        run=("run", "sum"),
        enough=("enough", "sum"),
        repeats=("needed", "sum"),
        missing=("missing", "sum"),
        all_time_s=("all_time_s", "sum"),
        all_data_bytes=("all_data_bytes", "sum"),
    )
    return sums.assign(title=[matrix.grids[grid].title or grid for grid in sums["grid"]])
