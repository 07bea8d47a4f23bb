"""One look for all figures: colours, markers, units, hover texts, and where labels and legends stand.

Rules that every figure keeps: throughput in Gb/s on an axis that starts at 0 and says its unit; a measured value is a
black diamond, a prediction a coloured mark with its 90 % interval; colour and marker both tell the class of the
bottleneck, so that a grey print still does; row labels stand above their row and legends below the plot, so that a
phone shows all of it.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK, MUTED, GRID, PAPER = "#1b1f24", "#57606a", "#e3e6ea", "#ffffff"

# Okabe and Ito, "Color Universal Design" (2008): eight colours that people with any common colour vision tell apart.
ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#f0e442",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
)

GBPS = 1e-9  # bit/s to the Gb/s of the axes
LABEL_WIDTH = 46  # characters of a row label that fit a window of 380 px
ROW_HEIGHT, LINE_HEIGHT = 44, 15  # pixels of a row with one label line, and of each further line


class Style(NamedTuple):
    """Colour and marker of one bottleneck class, and the words for it in a legend."""

    colour: str
    symbol: str
    words: str


CLASSES = {
    "cpu": Style(VERMILION, "circle", "processor core"),
    "memory": Style(PURPLE, "square", "memory"),
    "interconnect": Style(PURPLE, "hexagon", "interconnect"),
    "slot": Style(BLUE, "square", "PCI slot"),
    "nic": Style(SKY, "triangle-up", "network card"),
    "disk": Style(GREEN, "triangle-down", "disk"),
    "raid": Style(GREEN, "star", "RAID"),
    "filesystem": Style(GREEN, "pentagon", "file system"),
    "tool": Style(ORANGE, "cross", "tool"),
    "window": Style(ORANGE, "triangle-left", "TCP window"),
    "loss": Style(VERMILION, "x", "packet loss"),
    "start-up": Style(YELLOW, "triangle-right", "start-up"),
    "link": Style(SKY, "circle", "link"),
    "switch": Style(SKY, "hexagon2", "switch"),
    "pep": Style(YELLOW, "hourglass", "PEP"),
}
OTHER = Style(MUTED, "circle-dot", "other")

MEASURED = {"symbol": "diamond", "size": 10, "color": INK, "line": {"color": PAPER, "width": 1}}
MEASURED_AT_LEAST = {**MEASURED, "symbol": "triangle-right", "size": 12}  # the document says "greater than"

TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 13, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "colorway": [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY],
        "margin": {"l": 8, "r": 16, "t": 12, "b": 8},
        "hoverlabel": {"bgcolor": PAPER, "bordercolor": MUTED, "font": {"family": FONT, "size": 12}, "align": "left"},
        "legend": {
            "orientation": "h",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "x": 0,
            "xanchor": "left",
            "font": {"size": 12},
            "itemsizing": "constant",
        },
        "xaxis": {
            "gridcolor": GRID,
            "zerolinecolor": MUTED,
            "linecolor": MUTED,
            "automargin": True,
            "title": {"font": {"size": 12, "color": MUTED}, "standoff": 8},
        },
        "yaxis": {"gridcolor": GRID, "zeroline": False, "linecolor": MUTED, "automargin": True},
    }
)


def style_of(bottleneck_class: object) -> Style:
    """Colour, marker and words of a bottleneck class; a grey one for a class that is missing or new."""
    return CLASSES.get(str(bottleneck_class), OTHER)


def text(value: object) -> str:
    """Text that a log or a person wrote, made safe for Plotly, which reads labels and hover texts as HTML.

    Examples
    --------
    >>> text("<b>x</b> & y")
    '&lt;b&gt;x&lt;/b&gt; &amp; y'
    """
    return html.escape(str(value), quote=False)


def label(value: object, width: int = LABEL_WIDTH) -> str:
    """Row label, wrapped so that it fits a phone's window and escaped.

    Examples
    --------
    >>> label("RAID50 over two controllers, netem 80 ms, receiver overclocked")
    'RAID50 over two controllers, netem 80 ms,<br>receiver overclocked'
    """
    return "<br>".join(text(line) for line in textwrap.wrap(str(value), width) or [""])


def place(row: Mapping[Any, Any]) -> str:
    """Where a measured value stands: file and lines, then the document and the place in it; empty when unknown.

    Parameters
    ----------
    row
        Has (some of) the keys ``source_file``, ``line_first``, ``line_last``, ``document``, ``place``.

    Examples
    --------
    >>> place({"source_file": "b.log", "line_first": 3, "line_last": 4, "document": "HECN 2010", "place": "slide 7"})
    'b.log:3-4<br>HECN 2010, slide 7'
    """

    def known(name: str) -> str:
        value = row.get(name)
        return "" if value is None or pd.isna(value) else str(value)

    file, first, last = known("source_file"), known("line_first"), known("line_last")
    lines = first if last in ("", first) else f"{first}-{last}"
    where = f"{file}:{lines}" if file and lines else file
    document = ", ".join(part for part in (known("document"), known("place")) if part)
    return "<br>".join(text(part) for part in (where, document) if part)


def is_true(value: Any) -> bool:  # noqa: ANN401  (a cell of a table)
    """Whether a cell of a nullable column is true: a missing one is not."""
    return not pd.isna(value) and bool(value)


def gbps(value_bps: float) -> str:
    """Throughput in Gb/s to four digits, for hover texts; a dash when missing.

    Examples
    --------
    >>> gbps(9824205400.0), gbps(float("nan"))
    ('9.824', '–')
    """
    return "–" if pd.isna(value_bps) else f"{value_bps * GBPS:.4g}"


def figure(*, height: int, x_title: str, **layout: Any) -> go.Figure:  # noqa: ANN401  (Plotly's layout is open)
    """Empty figure in this theme.

    Parameters
    ----------
    height
        Height on a screen. [px]
    x_title
        Title of the horizontal axis, with its unit.
    **layout
        Further Plotly layout.
    """
    fig = go.Figure(layout={"template": TEMPLATE, "height": height, **layout})
    fig.update_xaxes(title_text=x_title)
    return fig


def empty(why: str) -> go.Figure:
    """Figure that says why there is nothing to draw."""
    fig = figure(height=120, x_title="")
    fig.update_xaxes(visible=False).update_yaxes(visible=False)
    fig.add_annotation(text=text(why), showarrow=False, xref="paper", yref="paper", x=0.5, y=0.5)
    return fig


def rows_height(labels: Iterable[str], *, legend_entries: int = 0) -> int:
    """Height of a figure with one row for each label, in pixels.

    Parameters
    ----------
    labels
        Labels as `label` made them.
    legend_entries
        Entries of the legend below; two stand side by side on a phone.
    """
    rows = sum(ROW_HEIGHT + LINE_HEIGHT * one.count("<br>") for one in labels)
    return rows + 76 + 22 * -(-legend_entries // 2)


def label_rows(fig: go.Figure, labels: Sequence[str]) -> list[float]:
    """Write each label above its row, draw a guide line for the row, and give the rows' positions from top to bottom.

    Rows with more label lines get more room: positions are in units of `ROW_HEIGHT`.
    """
    positions: list[float] = []
    top = 0.0
    for one in labels:
        lines = LINE_HEIGHT * one.count("<br>") / ROW_HEIGHT
        positions.append(top + lines + 0.7)
        top += lines + 1
    for one, y in zip(labels, positions, strict=True):
        fig.add_annotation(
            text=one,
            x=0,
            xref="paper",
            xanchor="left",
            y=y - 0.2,
            yanchor="bottom",
            align="left",
            showarrow=False,
            xshift=3,
            borderpad=1,
            bgcolor=PAPER,
            font={"size": 12.5},
        )
        fig.add_shape(
            type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line={"color": GRID, "width": 1}, layer="below"
        )
    fig.update_yaxes(range=[top + 0.1, 0], visible=False, fixedrange=True)
    return positions


def gbps_axis(fig: go.Figure, largest_gbps: float) -> None:
    """Let the horizontal throughput axis start at 0 and end a little beyond the largest value."""
    fig.update_xaxes(range=[0, largest_gbps * 1.08 or 1.0])


def measured_trace(
    x: Sequence[float],
    y: Sequence[float],
    hover: Sequence[str],
    *,
    at_least: bool = False,
    show_legend: bool = True,
) -> go.Scatter:
    """Draw measured values: the same diamond in every figure, or an arrow for values that are lower bounds."""
    return go.Scatter(
        x=list(x),
        y=list(y),
        mode="markers",
        name="measured, at least" if at_least else "measured",
        marker=MEASURED_AT_LEAST if at_least else MEASURED,
        text=list(hover),
        hovertemplate="%{text}<extra></extra>",
        legendrank=2 if at_least else 1,
        showlegend=show_legend,
    )
