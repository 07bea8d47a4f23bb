"""Coverage of a matrix by runs so far: cells, precision of their means, and missing runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.planning.matrix.cells import FILES, Cell, Matrix, repeats_needed
from hecn_analysis.planning.matrix.outlook import Belief
from hecn_analysis.runs.circumstances import EMULATED, SIMULTANEOUS, circumstances
from hecn_analysis.runs.rates import run_rate, why_no_rate

#: A run matches the nearest cell within these relative tolerances: 17 ms and 15 ms, 87 ms and 90 ms; 64 GiB and 64 GB.
#: Round-trip times may also differ by the time that packets spend in hosts. [1], [s]
_NEAR: Final = {"path.rtt": 0.2, "tool.bytes": 0.1}
_NEAR_RTT_S: Final = 0.002

#: Runs of a cell that suffice for its own scatter; with fewer, the scatter of the tool's cells is used.
_OWN: Final = 3

#: A run faster than the path's rate by this factor used another path.
_FULL: Final = 1.02

_LOG_COLUMNS: Final = {
    "tool": ("tool",),
    "tool.bytes": ("bytes",),
    "path.rtt": ("rtt_s", "rtt_min_s"),
    "tool.streams": ("streams",),
}


def match(matrix: Matrix, runs: pd.DataFrame, given: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Find the cell of each run, by tool, size, round-trip time and streams where the log gives them.

    Parameters
    ----------
    matrix
        The matrix.
    runs
        Table of runs, from `hecn_analysis.read`.
    given
        Keys of the scenario that the logs omit, with values for all runs: ``{"path.loss": "1e-6"}``.

    Returns
    -------
    DataFrame
        One row a run: ``source_file``, ``line_first``, ``line_last``, ``tool``, ``throughput_bps`` (from
        `hecn_analysis.runs.rates.run_rate`), ``kind`` (circumstances that separate it from other runs of the same
        cell), ``cell`` (missing if none matches) and the ``reason``. All runs of a cell are of one kind.

    Raises
    ------
    InputError
        A key in `given` is invalid.

    Examples
    --------
    >>> from hecn_analysis.base import tables
    >>> runs = tables.make("runs", [{"source_file": "log", "run": 0, "error": False, "tool": "iperf3", "rtt_s": 0.09,
    ...                              "duration_s": 60.0, "throughput_bps": 5e9}])
    >>> match(matrix, runs)[["cell", "throughput_bps"]].to_dict("records")
    [{'cell': 'far/90ms', 'throughput_bps': 5000000000.0}]
    """
    given_facts = _given(matrix, given or {})
    wanted = [_wanted(cell, {*_LOG_COLUMNS, *given_facts}) for cell in matrix.cells]
    rows = []
    for run, around in zip(runs.to_dict("records"), circumstances(runs), strict=True):
        rated = {**run, "throughput_bps": run_rate(run), "circumstances": around}
        cell, reason = _cell_of(matrix, wanted, {**_facts(run), **given_facts}, rated)
        rows.append(
            {
                **{name: rated[name] for name in ("source_file", "line_first", "line_last", "tool", "throughput_bps")},
                "kind": _kind(rated, cell),
                "cell": None if cell is None else cell.name,
                "reason": reason,
            }
        )
    columns = ["source_file", "line_first", "line_last", "tool", "throughput_bps", "kind", "cell", "reason"]
    matched = pd.DataFrame(rows, columns=columns).astype({"kind": "string", "cell": "string", "reason": "string"})
    return _of_one_kind(matrix, matched)


def _kind(run: Mapping[Any, Any], cell: Cell | None) -> str | None:
    """Circumstances, losses, streams and size of a run, which separate it from other runs of the same cell."""
    if cell is None:
        return None
    words = [run["circumstances"]] if run["circumstances"] else []
    if not pd.isna(run["retransmits"]):
        words.append("retransmissions" if run["retransmits"] > 0 else "no retransmissions")
    if not pd.isna(run["streams"]):
        words.append(f"{run['streams']:.0f} streams" if run["streams"] > 1 else "1 stream")
    if cell.scenario.tool.bytes is not None and not pd.isna(run["bytes"]):
        words.append(units.format_bytes(float(run["bytes"])))
    return ", ".join(words) or None


def _of_one_kind(matrix: Matrix, matched: pd.DataFrame) -> pd.DataFrame:
    """Keep the kind with most runs in each cell, and give the reason why the other runs do not count."""
    cells = {cell.name: cell for cell in matrix.cells}
    for name, part in matched.groupby("cell", sort=False):
        counts = part["kind"].fillna("").value_counts(sort=False)
        if len(counts) == 1:
            continue
        lossy = float(cells[str(name)].scenario.path.loss.value) > 0
        order = sorted(counts.index, key=lambda kind: (_fits(kind, matrix, lossy=lossy), counts[kind]), reverse=True)
        others = part.index[part["kind"].fillna("") != order[0]]
        of = f"{units.format_count(counts[order[0]], 'run')} ({order[0] or 'kind unknown'})"
        matched.loc[others, "reason"] = [
            f"not a repeat of the {of} that count in {name}: {kind or 'kind unknown'}"
            for kind in matched.loc[others, "kind"].fillna("")
        ]
        matched.loc[others, "cell"] = None
    return matched


def _fits(kind: str, matrix: Matrix, *, lossy: bool) -> tuple[bool, bool]:
    """Whether a kind of run matches its cell in losses, and the matrix in emulation of the path."""
    words = kind.split(", ")
    lost = "retransmissions" in words
    return lost == lossy or not ({"retransmissions", "no retransmissions"} & {*words}), (
        (EMULATED in words) if matrix.emulator is not None else (EMULATED not in words)
    )


def _given(matrix: Matrix, given: Mapping[str, Any]) -> dict[str, Any]:
    apart = {key: given[key] for key in given if key in {"tool", FILES}}
    scenario = matrix.cells[0].scenario.with_({key: given[key] for key in given if key != FILES})
    values = {key: apart[key] if key in apart else value_at(scenario, key) for key in given}
    return {key: float(value.value) if isinstance(value, Parameter) else value for key, value in values.items()}


def _facts(run: Mapping[Any, Any]) -> dict[str, Any]:
    """Facts of a run from its log, by keys of the scenario."""
    facts = {}
    for key, columns in _LOG_COLUMNS.items():
        value = next((run[column] for column in columns if not pd.isna(run[column])), None)
        if value is not None:
            facts[key] = value if key == "tool" else float(value)
    return facts


def _wanted(cell: Cell, keys: set[str]) -> dict[str, Any]:
    """Facts that a run of a cell must have, by keys of the scenario, without those that the cell leaves open."""
    facts: dict[str, Any] = {}
    for key in keys:
        if key == "tool":
            facts[key] = cell.scenario.tool.name
            continue
        if key == FILES:
            facts[key] = cell.setting.get(FILES)
            continue
        try:
            value = value_at(cell.scenario, key)
        except HecnError:
            continue
        if value is not None:  # a test of fixed duration has no fixed size
            facts[key] = float(value.value) if isinstance(value, Parameter) else value
    return facts


def _cell_of(
    matrix: Matrix, wanted: Sequence[Mapping[str, Any]], facts: Mapping[str, Any], run: Mapping[Any, Any]
) -> tuple[Cell | None, str | None]:
    if math.isnan(run["throughput_bps"]):
        return None, f"no rate: {why_no_rate(run)}"
    near = [
        (number, distance) for number, cell in enumerate(wanted) if (distance := _distance(cell, facts)) is not None
    ]
    if not near:
        described = ", ".join(
            f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in facts.items()
        )
        return None, f"no cell with {described}"
    unknown = {
        key
        for number, _ in near
        for key, values in matrix.grids[matrix.cells[number].grid].axes.items()
        if key not in facts and len(values) > 1
    }
    # a grid with unknown axes counts only if there is no other one
    known = [match for match in near if not unknown & set(matrix.grids[matrix.cells[match[0]].grid].axes)]
    if not known:
        return None, f"the log does not give {', '.join(sorted(unknown))}"
    around = (run["circumstances"] or "").split(", ")
    fitting = [item for item in known if (SIMULTANEOUS in around) is matrix.cells[item[0]].scenario.tool.bidirectional]
    if not fitting:
        return None, "one of several simultaneous runs, but the cell has single runs"
    number = min(fitting, key=lambda item: item[1])[0]
    mismatch = _mismatch(matrix, number, around, float(run["throughput_bps"]))
    return (None, mismatch) if mismatch else (matrix.cells[number], None)


def _mismatch(matrix: Matrix, number: int, around: Sequence[str], rate_bps: float) -> str | None:
    """Reason why a run cannot be from the hosts and the path of a cell, or None."""
    scenario = matrix.cells[number].scenario
    hosts = [word.removesuffix("-systems") for word in around if word.endswith("-systems")]
    ends = {host.name.upper() for host in (scenario.sender, scenario.receiver) if host is not None}
    if hosts and not ends & {*hosts} and all(len(end) == 1 for end in ends):
        return f"between {', '.join(hosts)}-systems, but the matrix has {' and '.join(sorted(ends))}-systems"
    carried = float(matrix.outlook.most_bps[number])
    if rate_bps > carried * _FULL:
        return f"faster than the matrix's path carries ({units.format_rate(carried)})"
    return None


def _distance(wanted: Mapping[str, Any], facts: Mapping[str, Any]) -> float | None:
    """Distance of a run from a cell; None if it is outside the tolerances."""
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
    """Coverage of a matrix by runs.

    Parameters
    ----------
    matrix
        The matrix.
    matched
        The runs, from `match`.

    Returns
    -------
    DataFrame
        One row a cell: ``cell``, a column an axis, ``predicted_bps`` [bit/s], ``runs``, ``kind`` (their common
        circumstances, missing if the logs give none), ``mean_bps`` with the ends of its interval ``mean_low_bps`` and
        ``mean_high_bps`` (Student's t, the matrix's confidence; missing for one run) [bit/s], ``scatter_fraction``
        (standard deviation of a run over the mean) [1], ``scatter_of`` ("cell", "tool" or "model"), ``needed`` repeats
        in all, ``missing`` of them, ``inside`` (whether the mean is inside the interval of the prediction).

    Examples
    --------
    >>> matched = pd.DataFrame({"cell": ["far/90ms"] * 3, "throughput_bps": [5.0e9, 5.1e9, 4.9e9]})
    >>> status(matrix, matched)[["cell", "runs", "mean_bps"]].to_dict("records")[1]
    {'cell': 'far/90ms', 'runs': 3, 'mean_bps': 5000000000.0}
    """
    outlook = matrix.outlook
    rates = {str(cell): group.to_numpy(float) for cell, group in matched.groupby("cell")["throughput_bps"]}
    kinds = dict(zip(matched["cell"], matched["kind"], strict=True)) if "kind" in matched else {}
    pooled = _pooled(matrix, rates)
    rows = []
    for number, cell in enumerate(matrix.cells):
        cell_rates = rates.get(cell.name, np.empty(0))
        scatter, basis = float(outlook.repeat[number]), "model"
        if cell_rates.size >= _OWN:
            scatter, basis = float(cell_rates.std(ddof=1) / cell_rates.mean()), "cell"
        elif cell.scenario.tool.name in pooled:
            scatter, basis = pooled[cell.scenario.tool.name], "tool"
        needed = repeats_needed(scatter, matrix.repeats)
        mean = float(cell_rates.mean()) if cell_rates.size else np.nan
        half = np.nan
        if cell_rates.size > 1:
            half = stdtrit(cell_rates.size - 1, (1 + matrix.repeats.confidence) / 2) * cell_rates.std(ddof=1)
            half /= np.sqrt(cell_rates.size)
        low, high = outlook.low_bps[number], outlook.high_bps[number]
        rows.append(
            {
                "cell": cell.name,
                **{key: cell.setting.get(key) for key in matrix.axes},
                "predicted_bps": float(outlook.throughput_bps[number]),
                "runs": cell_rates.size,
                "kind": kinds.get(cell.name),
                "mean_bps": mean,
                "mean_low_bps": np.fmax(mean - half, 0.0) if cell_rates.size > 1 else np.nan,
                "mean_high_bps": mean + half,
                "scatter_fraction": scatter,
                "scatter_of": basis,
                "needed": needed,
                "missing": max(0, needed - cell_rates.size),
                "inside": bool(low <= mean <= high) if cell_rates.size else None,
            }
        )
    return pd.DataFrame(rows)


def _pooled(matrix: Matrix, rates: Mapping[str, Any]) -> dict[str, float]:
    """Scatter of each tool's runs around the means of their cells, if there are enough repeats."""
    squares: dict[str, list[tuple[float, int]]] = {}
    for cell in matrix.cells:
        cell_rates = rates.get(cell.name, np.empty(0))
        if cell_rates.size > 1:
            squares.setdefault(cell.scenario.tool.name, []).append(
                (float(np.var(cell_rates / cell_rates.mean()) * cell_rates.size), cell_rates.size - 1)
            )
    freedom = {tool: sum(count for _, count in parts) for tool, parts in squares.items()}
    return {
        tool: float(np.sqrt(sum(square for square, _ in parts) / freedom[tool]))
        for tool, parts in squares.items()
        if freedom[tool] >= _OWN - 1
    }


def believed(matrix: Matrix, matched: pd.DataFrame) -> Belief:
    """Belief about the cells after runs.

    Parameters
    ----------
    matrix
        The matrix.
    matched
        The runs, from `match`.

    Returns
    -------
    Belief
        Belief about the logarithms of the rates of all cells. [bit/s]

    Examples
    --------
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
    """Find cells by name.

    Parameters
    ----------
    matrix, names
        The matrix, and names of cells.

    Returns
    -------
    list of Cell
        The cells, in the order of the names.

    Raises
    ------
    InputError
        A name is unknown.

    Examples
    --------
    >>> [cell.setting for cell in asked_cells(matrix, ["far/90ms"])]
    [{'path.rtt': '90 ms'}]
    """
    by_name = {cell.name: cell for cell in matrix.cells}
    for name in names:
        if name not in by_name:
            raise InputError(f"cell {name!r}", "a name that hecn matrix plan lists", source=matrix.source)
    return [by_name[name] for name in names]
