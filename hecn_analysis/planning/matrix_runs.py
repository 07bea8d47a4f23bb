"""Which cells of a matrix the runs so far cover, how well their means are known, and how many runs are still needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from hecn_analysis import units
from hecn_analysis.errors import HecnError, InputError
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.planning.matrix import Cell, Matrix, repeats_needed
from hecn_analysis.planning.outlook import Belief
from hecn_analysis.prediction.parameters import value_at

#: A run belongs to a cell whose round-trip time is nearest, if it is so near: 17 ms to 15 ms, 87 ms to 90 ms; a size
#: of 64 GiB to 64 GB. Differences that are nothing beside a packet's way through hosts do not count. [1], [s]
_NEAR: Final = {"path.rtt": 0.2, "tool.bytes": 0.1}
_NEAR_RTT_S: Final = 0.002

#: Runs of a cell from which their own scatter is taken; with fewer, that of all cells of the tool.
_OWN: Final = 3

#: A run that is faster than this, over what the path carries, was not one over that path.
_FULL: Final = 1.02

_SAID: Final = {
    "tool": ("tool",),
    "tool.bytes": ("bytes",),
    "path.rtt": ("rtt_s", "rtt_min_s"),
    "tool.streams": ("streams",),
}


def match(matrix: Matrix, runs: pd.DataFrame, given: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Find the cell of each run: by tool, size, round-trip time and streams where the log says them.

    Parameters
    ----------
    matrix
        The matrix.
    runs
        Table of runs, as `hecn_analysis.read` gives it.
    given
        Keys of the scenario that the logs do not say and that hold for all runs: ``{"path.loss": "1e-6"}``.

    Returns
    -------
    DataFrame
        One row a run: ``source_file``, ``line_first``, ``line_last``, ``tool``, ``throughput_bps``, ``cell`` (missing
        where there is none) and ``reason`` why not.

    Raises
    ------
    InputError
        A key in `given` that cannot be.

    Examples
    --------
    >>> from hecn_analysis import tables
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hecn_analysis.planning.matrix import load_matrix
    >>> text = '''{title: copies, scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s},
    ...     grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}}'''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "far.yaml")
    ...     _ = file.write_text(text)
    ...     matrix = load_matrix(file)
    >>> runs = tables.make("runs", [{"source_file": "log", "run": 0, "error": False, "tool": "iperf3", "rtt_s": 0.09,
    ...                              "duration_s": 60.0, "throughput_bps": 5e9}])
    >>> match(matrix, runs)[["cell", "throughput_bps"]].to_dict("records")
    [{'cell': 'far/90ms', 'throughput_bps': 5000000000.0}]
    """
    told = _given(matrix, given or {})
    wanted = [_wanted(cell, {*_SAID, *told}) for cell in matrix.cells]
    rows = []
    for run in runs.to_dict("records"):
        cell, reason = _cell_of(matrix, wanted, {**_facts(run), **told}, run)
        rows.append(
            {
                **{name: run[name] for name in ("source_file", "line_first", "line_last", "tool", "throughput_bps")},
                "cell": None if cell is None else cell.name,
                "reason": reason,
            }
        )
    columns = ["source_file", "line_first", "line_last", "tool", "throughput_bps", "cell", "reason"]
    return pd.DataFrame(rows, columns=columns).astype({"cell": "string", "reason": "string"})


def _given(matrix: Matrix, given: Mapping[str, Any]) -> dict[str, Any]:
    scenario = matrix.cells[0].scenario.with_(given)
    found = {key: value_at(scenario, key) if key != "tool" else given[key] for key in given}
    return {key: float(value.value) if isinstance(value, Parameter) else value for key, value in found.items()}


def _facts(run: Mapping[Any, Any]) -> dict[str, Any]:
    """What a log says of a run, by keys of the scenario."""
    found = {}
    for key, columns in _SAID.items():
        value = next((run[column] for column in columns if not pd.isna(run[column])), None)
        if value is not None:
            found[key] = value if key == "tool" else float(value)
    return found


def _wanted(cell: Cell, keys: set[str]) -> dict[str, Any]:
    """What a run of a cell has to be, by keys of the scenario; without what the cell leaves open."""
    found: dict[str, Any] = {}
    for key in keys:
        if key == "tool":
            found[key] = cell.scenario.tool.name
            continue
        try:
            value = value_at(cell.scenario, key)
        except HecnError:
            continue
        if value is not None:  # a test by time moves what it moves
            found[key] = float(value.value) if isinstance(value, Parameter) else value
    return found


def _cell_of(
    matrix: Matrix, wanted: Sequence[Mapping[str, Any]], facts: Mapping[str, Any], run: Mapping[Any, Any]
) -> tuple[Cell | None, str | None]:
    if run["error"] or pd.isna(run["throughput_bps"]):
        return None, "no rate"
    found = [(number, distance) for number, one in enumerate(wanted) if (distance := _distance(one, facts)) is not None]
    if not found:
        said = ", ".join(
            f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in facts.items()
        )
        return None, f"no cell with {said}"
    unsaid = {
        key
        for number, _ in found
        for key, values in matrix.grids[matrix.cells[number].grid].axes.items()
        if key not in facts and len(values) > 1
    }
    # a grid about which the log says too little counts only where there is no other one
    whole = [one for one in found if not unsaid & set(matrix.grids[matrix.cells[one[0]].grid].axes)]
    if not whole:
        return None, f"the log does not say {', '.join(sorted(unsaid))}"
    number = min(whole, key=lambda one: one[1])[0]
    carried = float(matrix.outlook.most_bps[number])
    if run["throughput_bps"] > carried * _FULL:
        return None, f"faster than the matrix's path carries ({units.format_rate(carried)})"
    return matrix.cells[number], None


def _distance(wanted: Mapping[str, Any], facts: Mapping[str, Any]) -> float | None:
    """How far a run is from a cell; None: too far."""
    distance = 0.0
    for key in facts.keys() & wanted.keys():
        value, aim = facts[key], wanted[key]
        if key not in _NEAR:
            if aim != value:
                return None
            continue
        away = abs(value - aim) / max(abs(aim), abs(value), 1e-30)
        if away > _NEAR[key] and not (key == "path.rtt" and abs(value - aim) <= _NEAR_RTT_S):
            return None
        distance += away
    return distance


def status(matrix: Matrix, matched: pd.DataFrame) -> pd.DataFrame:
    """What the runs cover of a matrix.

    Parameters
    ----------
    matrix
        The matrix.
    matched
        The runs, of `match`.

    Returns
    -------
    DataFrame
        One row a cell: ``cell``, a column an axis, ``predicted_bps`` [bit/s], ``runs``, ``mean_bps`` with the ends
        of its interval ``mean_low_bps`` and ``mean_high_bps`` (Student's t, the matrix's confidence; missing for one
        run) [bit/s], ``scatter_fraction`` (standard deviation of a run over the mean) [1], ``scatter_of`` ("cell",
        "tool" or "model"), ``needed`` repeats in all, ``missing`` of them, ``inside`` (whether the mean is inside the
        interval of the prediction).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hecn_analysis.planning.matrix import load_matrix
    >>> text = '''{title: copies, scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s},
    ...     grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}}'''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "far.yaml")
    ...     _ = file.write_text(text)
    ...     matrix = load_matrix(file)
    >>> matched = pd.DataFrame({"cell": ["far/90ms"] * 3, "throughput_bps": [5.0e9, 5.1e9, 4.9e9]})
    >>> status(matrix, matched)[["cell", "runs", "mean_bps"]].to_dict("records")[1]
    {'cell': 'far/90ms', 'runs': 3, 'mean_bps': 5000000000.0}
    """
    outlook = matrix.outlook
    rates = {str(cell): group.to_numpy(float) for cell, group in matched.groupby("cell")["throughput_bps"]}
    pooled = _pooled(matrix, rates)
    rows = []
    for number, cell in enumerate(matrix.cells):
        found = rates.get(cell.name, np.empty(0))
        scatter, basis = float(outlook.repeat[number]), "model"
        if found.size >= _OWN:
            scatter, basis = float(found.std(ddof=1) / found.mean()), "cell"
        elif cell.scenario.tool.name in pooled:
            scatter, basis = pooled[cell.scenario.tool.name], "tool"
        needed = repeats_needed(scatter, matrix.repeats)
        mean = float(found.mean()) if found.size else np.nan
        half = np.nan
        if found.size > 1:
            half = stdtrit(found.size - 1, (1 + matrix.repeats.confidence) / 2) * found.std(ddof=1)
            half /= np.sqrt(found.size)
        low, high = outlook.low_bps[number], outlook.high_bps[number]
        rows.append(
            {
                "cell": cell.name,
                **{key: cell.setting.get(key) for key in matrix.axes},
                "predicted_bps": float(outlook.throughput_bps[number]),
                "runs": found.size,
                "mean_bps": mean,
                "mean_low_bps": np.fmax(mean - half, 0.0) if found.size > 1 else np.nan,
                "mean_high_bps": mean + half,
                "scatter_fraction": scatter,
                "scatter_of": basis,
                "needed": needed,
                "missing": max(0, needed - found.size),
                "inside": bool(low <= mean <= high) if found.size else None,
            }
        )
    return pd.DataFrame(rows)


def _pooled(matrix: Matrix, rates: Mapping[str, Any]) -> dict[str, float]:
    """Scatter of the runs of each tool about the means of their cells, where there are enough repeats."""
    squares: dict[str, list[tuple[float, int]]] = {}
    for cell in matrix.cells:
        found = rates.get(cell.name, np.empty(0))
        if found.size > 1:
            squares.setdefault(cell.scenario.tool.name, []).append(
                (float(np.var(found / found.mean()) * found.size), found.size - 1)
            )
    freedom = {tool: sum(count for _, count in parts) for tool, parts in squares.items()}
    return {
        tool: float(np.sqrt(sum(square for square, _ in parts) / freedom[tool]))
        for tool, parts in squares.items()
        if freedom[tool] >= _OWN - 1
    }


def believed(matrix: Matrix, matched: pd.DataFrame) -> Belief:
    """What is believed of the cells after runs.

    Parameters
    ----------
    matrix
        The matrix.
    matched
        The runs, of `match`.

    Returns
    -------
    Belief
        Of the logarithms of the rates of all cells. [bit/s]

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hecn_analysis.planning.matrix import load_matrix
    >>> text = '''{title: copies, scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s},
    ...     grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}}'''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "far.yaml")
    ...     _ = file.write_text(text)
    ...     matrix = load_matrix(file)
    >>> belief = believed(matrix, pd.DataFrame({"cell": ["far/90ms"], "throughput_bps": [5e9]}))
    >>> belief.tested, bool(np.exp(belief.mean[1]) < np.exp(matrix.belief().mean[1]))
    ([1], True)
    """
    belief = matrix.belief()
    number = {cell.name: place for place, cell in enumerate(matrix.cells)}
    belief.tell_all([
        (number[str(row["cell"])], float(row["throughput_bps"]))
        for row in matched[matched["cell"].notna()].to_dict("records")
    ])  # fmt: skip
    return belief


def asked_cells(matrix: Matrix, names: list[str]) -> list[Cell]:
    """Cells by their names.

    Parameters
    ----------
    matrix
        The matrix.
    names
        Names of cells.

    Returns
    -------
    list of Cell
        The cells, in the order of the names.

    Raises
    ------
    InputError
        There is none of that name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hecn_analysis.planning.matrix import load_matrix
    >>> text = '''{title: copies, scenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s},
    ...     grids: {far: {set: {tool: iperf3}, axes: {path.rtt: [0 ms, 90 ms]}}}}'''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "far.yaml")
    ...     _ = file.write_text(text)
    ...     matrix = load_matrix(file)
    >>> [cell.setting for cell in asked_cells(matrix, ["far/90ms"])]
    [{'path.rtt': '90 ms'}]
    """
    by_name = {cell.name: cell for cell in matrix.cells}
    for name in names:
        if name not in by_name:
            raise InputError(f"cell {name!r}", "a name that hecn matrix plan lists", source=matrix.source)
    return [by_name[name] for name in names]
