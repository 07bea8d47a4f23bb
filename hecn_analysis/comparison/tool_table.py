"""Tools side by side: the measurements of each tool under each condition, and the fastest tool of each condition.

Rows come from a series of the documents (`documented`) or from logs and a matrix (`of_runs`); a condition is what the
rows of several tools have in common: the laboratory, or a size and a round-trip time.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, RangeError, unknown_name
from hecn_analysis.comparison.tools import compare_tools, conditions
from hecn_analysis.hardware import Scenario
from hecn_analysis.planning.matrix.cells import Matrix
from hecn_analysis.prediction.compare import compare, load_series
from hecn_analysis.prediction.draws import Z90
from hecn_analysis.prediction.sweep import sweep
from hecn_analysis.runs.statistics import difference

#: The documents' name for the sender's figure: data sent, not data received.
_SENT: Final = "source's figure"

#: Tools with a smaller predicted difference count as equal. [1]
ALIKE: Final = 0.02

#: Columns taken from a run unchanged.
_OF_RUN: Final = [
    "throughput_bps",
    "cpu_sender_fraction",
    "cpu_receiver_fraction",
    "retransmits",
    "rtt_s",
    "source_file",
    "line_first",
    "line_last",
]
_PREDICTED: Final = ["predicted_bps", "low_bps", "high_bps", "bottleneck", "bottleneck_class", "bottleneck_title"]
COLUMNS: Final = [
    "tool",
    "library_tool",
    "kind",
    "condition",
    "direction",
    "version",
    "streams",
    "threads",
    "window_bytes",
    *_OF_RUN,
    *_PREDICTED,
    "document",
    "place",
]


def documented(name: str = "sc09-tools") -> pd.DataFrame:
    """Tools measured side by side in a document."""
    series = load_series(name)
    rows: list[dict[Any, Any]] = []
    for row in compare(series).to_dict("records"):
        tool, _, condition = row["title"].rpartition(", ")
        if not pd.isna(row["measured_bps"]) and not tool.endswith(_SENT):
            extra = {"tool": tool, "condition": condition, "throughput_bps": row["measured_bps"]}
            rows.append(dict(row) | extra | _setting(series.scenarios[row["case"]]))
    return _ordered(rows)


def of_runs(matrix: Matrix, runs: pd.DataFrame, matched: pd.DataFrame) -> pd.DataFrame:
    """Tools of the logs, under the conditions of a matrix."""
    placed = conditions(matrix, matched)
    if placed.empty:
        raise InputError("no run that fits a cell of the matrix", "runs of its tools, sizes and round-trip times")
    index_of = {cell.name: index for index, cell in enumerate(matrix.cells)}
    outlook, rows = matrix.outlook, list[dict[Any, Any]]()
    for run, match in zip(runs.loc[placed.index].to_dict("records"), placed.to_dict("records"), strict=True):
        index = index_of[str(match["cell"])]
        setting = _setting(matrix.cells[index].scenario)
        binds, binds_class = outlook.limits[index]
        rows.append(
            {
                **{name: run[name] for name in _OF_RUN},
                **{name: setting[name] for name in ("library_tool", "kind", "threads")},
                **{name: run[name] for name in ("tool", "direction", "streams")},
                "condition": match["condition"],
                "version": run["tool_version"],
                "predicted_bps": float(outlook.throughput_bps[index]),
                "low_bps": float(outlook.low_bps[index]),
                "high_bps": float(outlook.high_bps[index]),
                "bottleneck": binds,
                "bottleneck_class": binds_class,
                "bottleneck_title": binds,
            }
        )
    return _ordered(rows)


def _ordered(rows: list[dict[Any, Any]]) -> pd.DataFrame:
    """Rows as a table, condition by condition."""
    order = {condition: position for position, condition in enumerate(dict.fromkeys(row["condition"] for row in rows))}
    by_condition = sorted(rows, key=lambda row: order[row["condition"]])
    return pd.DataFrame(by_condition).reindex(columns=COLUMNS).astype({"version": "string", "direction": "string"})


def _setting(scenario: Scenario) -> dict[str, Any]:
    tool = scenario.tool
    return {
        "library_tool": tool.name,
        "kind": "disk to disk" if tool.source_end == "disk" else "memory to memory",
        "streams": tool.streams,
        "threads": tool.threads,
        "window_bytes": tool.window.value if tool.protocol == "tcp" else None,
    }


def averaged(table: pd.DataFrame) -> pd.DataFrame:
    """Average the repeats of a tool under each condition into one row."""
    rows = []
    for (tool, condition), part in table.groupby(["tool", "condition"], sort=False):
        rates = part["throughput_bps"].to_numpy(float)
        first = part.iloc[0]
        one_file = len(set(part["source_file"])) == 1
        rows.append(
            {
                "case": f"{tool}, {condition}",
                "title": tool,
                "series_title": condition,
                "tool": tool,
                "condition": condition,
                "runs": len(part),
                "measured_bps": float(np.exp(np.log(rates).mean())),
                "least_bps": float(rates.min()),
                "most_bps": float(rates.max()),
                "measured_low_bound": False,
                **{name: first[name] for name in [*_PREDICTED, "kind", "library_tool", "source_file"]},
                "line_first": part["line_first"].min() if one_file else None,
                "line_last": part["line_last"].max() if one_file else None,
                **{name: first[name] for name in ("document", "place")},
            }
        )
    means = pd.DataFrame(rows).astype({"line_first": "Int64", "line_last": "Int64"})
    means["error"] = means["predicted_bps"].astype(float) / means["measured_bps"] - 1
    low, high = means["low_bps"].astype(float), means["high_bps"].astype(float)
    return means.assign(inside=(low <= means["measured_bps"]) & (means["measured_bps"] <= high))


def scatter_of(scenario: Scenario) -> float:
    """Standard deviation of the logarithm of a run, from the tool's description."""
    return float(np.log1p(scenario.tool.repeat.spread) / Z90)


def winners(table: pd.DataFrame, *, scatter: float | None = None, confidence: float = 0.95) -> pd.DataFrame:
    """The fastest tool under each condition, its lead, and the probability of such a lead by chance."""
    rows = []
    for condition, part in table.groupby("condition", sort=False):
        means = averaged(part).sort_values("measured_bps", ascending=False, kind="stable", ignore_index=True)
        best = means.iloc[0]
        row: dict[str, Any] = {
            "condition": condition,
            "tools": len(means),
            "fastest": best["tool"],
            "throughput_bps": best["measured_bps"],
        }
        if len(means) > 1:
            rates = [
                part.loc[part["tool"] == tool, "throughput_bps"].to_numpy(float).tolist() for tool in means["tool"][:2]
            ]
            significance = difference(*rates, scatter=scatter, confidence=confidence)
            row |= {"second": means["tool"][1], "second_bps": means["measured_bps"][1], **vars(significance)}
        if means["predicted_bps"].notna().any():
            by_prediction = means.sort_values("predicted_bps", ascending=False, kind="stable", ignore_index=True)
            n_alike = int((by_prediction["predicted_bps"] >= by_prediction["predicted_bps"][0] * (1 - ALIKE)).sum())
            others = f" and {n_alike - 1} equal" if n_alike > 1 else ""
            row |= {"expected": by_prediction["tool"][0] + others, "expected_bps": by_prediction["predicted_bps"][0]}
        rows.append(row)
    columns = ["condition", "tools", "fastest", "throughput_bps", "second", "second_bps", "ratio", "ratio_low"]
    return pd.DataFrame(rows).reindex(columns=[*columns, "ratio_high", "p", "basis", "expected", "expected_bps"])


def against_leader(table: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """The tool that leads in most pairs, against each other tool; empty if no two tools share a condition."""
    try:
        pairs = compare_tools(table, confidence=confidence).pairs
    except InputError:
        return pd.DataFrame(columns=["faster", "slower", "conditions", "wins", "ratio", "ratio_low", "ratio_high"])
    leader = pairs["faster"].value_counts().idxmax()
    return pairs[pairs["faster"] == leader].assign(pairs=len(pairs)).reset_index(drop=True)


def verdict(won: pd.DataFrame, lost: pd.DataFrame) -> str:
    """Name the fastest tool of the first and of the last condition, and the cost of distance."""
    words = []
    for row in [won.iloc[index] for index in sorted({0, len(won) - 1})]:
        sentence = f"{row['condition']}: {row['fastest']} was fastest with {units.format_rate(row['throughput_bps'])}"
        if not pd.isna(row["ratio"]):
            doubt = " (not significant)" if row["p"] > 0.05 else ""
            sentence += f", {row['ratio']:.2f} times {row['second']}{doubt}"
        words.append(sentence)
    text = "; ".join(words)
    if len(lost):
        most, least = lost.iloc[0], lost.iloc[-1]
        text += (
            f". From near to far {least['tool']} kept {units.format_fraction(least['kept_fraction'])} of its rate"
            f" (predicted {units.format_fraction(least['predicted_fraction'])}), {most['tool']}"
            f" {units.format_fraction(most['kept_fraction'])} ({units.format_fraction(most['predicted_fraction'])})"
        )
    return f"{text[0].upper()}{text[1:]}."


def kept(table: pd.DataFrame, near: str, far: str) -> pd.DataFrame:
    """Fraction of its rate that each tool keeps from one condition to another, measured and predicted."""
    means = averaged(table).set_index(["condition", "tool"]).astype({"predicted_bps": float})
    measured, predicted = means["measured_bps"].to_dict(), means["predicted_bps"].to_dict()
    rows = [
        {
            "tool": tool,
            "near_bps": measured[near, tool],
            "far_bps": measured[far, tool],
            "kept_fraction": measured[far, tool] / measured[near, tool],
            "predicted_fraction": predicted[far, tool] / predicted[near, tool],
        }
        for tool in dict.fromkeys(table["tool"])
        if {(near, tool), (far, tool)} <= measured.keys()
    ]
    columns = ["tool", "near_bps", "far_bps", "kept_fraction", "predicted_fraction"]
    return pd.DataFrame(rows, columns=columns).sort_values("kept_fraction", ascending=False, ignore_index=True)


def expected(matrix: Matrix, grid: str) -> pd.DataFrame:
    """Predicted rate of each cell of a grid."""
    if grid not in matrix.grids:
        raise unknown_name("grid", grid, matrix.grids, source=matrix.source)
    cells = [cell for cell in matrix.cells if cell.grid == grid]
    predicted = sweep(cells[0].scenario, matrix.grids[grid].axes)
    names = pd.DataFrame({"cell": [cell.name for cell in cells]})
    return predicted.assign(cell=names["cell"], condition=conditions(matrix, names)["condition"])


def beside(cells: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Measurements, each with the nearest cell of a grid."""
    known = list(dict.fromkeys(cells["path.rtt"]))
    rtts_s = np.array([units.parse(rtt, "time") for rtt in known])
    measured_s = [_seconds(str(condition).rpartition("/")[2]) for condition in means["condition"]]
    nearest = [known[int(np.abs(rtts_s - rtt_s).argmin())] for rtt_s in measured_s]
    return means.assign(tool=means["library_tool"], **{"path.rtt": nearest})


def _seconds(words: str) -> float:
    """A condition as a round-trip time, or 0 for other conditions [s]."""
    try:
        return units.parse(words, "time")
    except RangeError:
        return 0.0


def best_expected(cells: pd.DataFrame, *, alike: float = ALIKE) -> pd.DataFrame:
    """Tools with the highest predicted rate under each condition, including ties."""
    rows = []
    for condition, part in cells.groupby("condition", sort=False):
        order = part.sort_values("throughput_bps", ascending=False, kind="stable")
        best = float(order["throughput_bps"].iloc[0])
        good = order[order["throughput_bps"] >= best * (1 - alike)]
        axes = {key: order[key].iloc[0] for key in order.columns if "." in str(key)}
        last = order.iloc[-1]
        rows.append(
            {"condition": condition, **axes, "tools": ", ".join(good["tool"]), "throughput_bps": best}
            | {"slowest": last["tool"], "slowest_bps": float(last["throughput_bps"])}
        )
    return pd.DataFrame(rows)
