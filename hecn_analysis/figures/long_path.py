"""What runs measured among the limits of TCP: a prediction over a key, the line of each limit, and the runs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme
from hecn_analysis.figures.whatif import plot_whatif

COLUMNS = ["kind", "line", "x", "throughput_gbps", "hover"]

_DASHES = {"link": "dashdot", "window": "dash", "loss": "dot"}


def long_path_rows(lines: pd.DataFrame, measured: pd.DataFrame, *, x: str) -> pd.DataFrame:
    """Compute what is drawn beside the prediction: a row for each point of a line, and for each run.

    Parameters
    ----------
    lines
        Columns ``x``, ``line`` (the class of what limits) and ``throughput_bps``, as
        `hecn_analysis.planning.studies.long_paths.limit_lines` gives them; may be empty.
    measured
        Rows with ``measured_bps`` and the column `x`, and what says where they stand (see `theme.place`).
    x
        Column of `measured` that the horizontal axis shows.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; ``kind`` is ``limit`` or ``measured``, throughput in Gb/s. Runs without either are left out.

    Examples
    --------
    >>> lines = pd.DataFrame({"x": [0.08], "line": ["window"], "throughput_bps": [6.7e9]})
    >>> runs = pd.DataFrame({"rtt_s": [0.08, None], "measured_bps": [6.4e9, 9e9]})
    >>> long_path_rows(lines, runs, x="rtt_s")[["kind", "x", "throughput_gbps"]].values.tolist()
    [['limit', 0.08, 6.7], ['measured', 0.08, 6.4]]
    """
    rows = [
        {
            "kind": "limit",
            "line": str(row["line"]),
            "x": float(row["x"]),
            "throughput_gbps": float(row["throughput_bps"]) * theme.GBPS,
            "hover": f"{theme.style_of(row['line']).words} allows {theme.gbps(row['throughput_bps'])} Gb/s",
        }
        for row in lines.to_dict("records")
    ]
    known = measured.dropna(subset=[x, "measured_bps"]) if len(measured) else measured
    rows += [
        {
            "kind": "measured",
            "line": "measured",
            "x": float(row[x]),
            "throughput_gbps": float(row["measured_bps"]) * theme.GBPS,
            "hover": "<br>".join(
                part
                for part in (
                    theme.text(row["title"]) if "title" in row else "",
                    f"<b>measured {theme.gbps(row['measured_bps'])} Gb/s</b>",
                    theme.place(row),
                )
                if part
            ),
        }
        for row in known.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_long_path(
    table: pd.DataFrame,
    varied: Sequence[str],
    *,
    x_title: str,
    names: Sequence[str] = (),
    lines: pd.DataFrame | None = None,
    measured: pd.DataFrame | None = None,
    x: str = "x",
) -> go.Figure:
    """Draw a prediction over a key, what binds as bands, the line of each limit, and measured runs.

    Parameters
    ----------
    table, varied
        As `hecn_analysis.figures.plot_whatif` takes them.
    x_title
        Title of the horizontal axis, with its unit.
    names
        Words for the lines of the prediction, in the order of `table`; by default the keys and their values.
    lines, measured, x
        As in `long_path_rows`; none by default.

    Returns
    -------
    Figure
        The drawing; rates in Gb/s.

    Examples
    --------
    >>> from hecn_analysis.planning.change.whatif import whatif
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "tool.window": "4 MB"}
    >>> table = whatif(base, vary={"path.rtt": [0.001, 0.01, 0.1]})
    >>> fig = plot_long_path(table, ["path.rtt"], x_title="Round-trip time (s)", names=["a window of 4 MB"])
    >>> [trace.name for trace in fig.data if trace.mode == "lines+markers"]
    ['a window of 4 MB']
    """
    fig = plot_whatif(table, varied)
    for trace, words in zip((one for one in fig.data if one.mode == "lines+markers"), names, strict=False):
        trace.name = words
    rows = long_path_rows(*(pd.DataFrame() if one is None else one for one in (lines, measured)), x=x)
    for name, line in rows[rows["kind"] == "limit"].groupby("line", sort=False):
        style = theme.style_of(name)
        fig.add_scatter(
            x=line["x"].tolist(),
            y=line["throughput_gbps"].tolist(),
            mode="lines",
            name=f"{style.words} alone",
            line={"color": style.colour, "width": 2.5, "dash": _DASHES.get(str(name), "longdash")},
            text=line["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    points = rows[rows["kind"] == "measured"]
    if len(points):
        fig.add_trace(
            theme.measured_trace(points["x"].tolist(), points["throughput_gbps"].tolist(), points["hover"].tolist())
        )
    link = rows.loc[rows["line"] == "link", "throughput_gbps"]
    largest = max(
        [
            float(one.max())
            for one in (table["throughput_bps"] * theme.GBPS, points["throughput_gbps"], link)
            if len(one)
        ]
    )
    fig.update_xaxes(title_text=x_title, dtick=1 if fig.layout.xaxis.type == "log" else None, exponentformat="power")
    fig.update_yaxes(range=[0, 1.1 * largest])
    return fig
