"""The theme of all figures: colours, markers, units, hover texts, and the places of labels and legends.

Rules for every figure: throughput in Gb/s (Mb/s if all rates are small) on an axis that starts at 0 and names its unit;
a measured value is a black diamond, a prediction a coloured mark with its 90 % interval; both colour and marker show
the class of the bottleneck, so that a grey print keeps it; row labels stand above their row and legends below the plot,
so that everything fits on a phone.

Figures are drawn for a light page. `dark` converts one for a dark page: the eight colours stay, and text and lines
change. On a dark page, a brief does the same in the browser with the same table of colours.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base.bidi import escape_bidi

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK, MUTED, GRID, PAPER = "#1b1f24", "#57606a", "#e3e6ea", "#ffffff"
DARK = {INK: "#e6e9ed", MUTED: "#a7b0ba", GRID: "#323a43", PAPER: "#14181d"}  # the same four on a dark page

# Okabe and Ito, "Color Universal Design" (2008): eight colours that remain distinct under common colour-vision types.
ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#f0e442",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
)
LINES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)  # of runs, in their order
BAND = "rgba(0, 114, 178, 0.22)"  # translucent blue for intervals

GBPS = 1e-9  # bit/s to the Gb/s of the axes
LABEL_WIDTH = 48  # characters of a row label that fit in 380 px
ROW_HEIGHT, LINE_HEIGHT = 44, 15  # pixels of a row with one label line, and of each further line
HEADING_ROWS = 0.6  # height of a group's heading, in rows
BAR = {"width": 0.3, "orientation": "h", "textposition": "none", "hovertemplate": "%{text}<extra></extra>"}


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
    """Colour, marker and legend text of a bottleneck class; grey for an unknown class.

    Parameters
    ----------
    bottleneck_class
        One of `CLASSES`, or anything else.

    Returns
    -------
    Style
        Colour and symbol in Plotly's notation, and the text for a legend.

    Examples
    --------
    >>> style_of("slot").words, style_of(None).words
    ('PCI slot', 'other')
    """
    return CLASSES.get(str(bottleneck_class), OTHER)


def text(value: object) -> str:
    """Escape text from a log or a person for Plotly, which interprets labels and hover texts as HTML and LaTeX."""
    return html.escape(escape_bidi(str(value)), quote=False).replace("$", "&#36;")


def label(value: object, width: int = LABEL_WIDTH) -> str:
    """Row label, escaped and wrapped to the width of a phone."""
    return "<br>".join(text(line) for line in textwrap.wrap(str(value), width) or [""])


def place(row: Mapping[Any, Any]) -> str:
    """Source of a measured value: file and lines, then the document and the place in it; empty if unknown."""

    def known(name: str) -> str:
        value = row.get(name)
        return "" if value is None or pd.isna(value) else str(value)

    file, first, last = known("source_file"), known("line_first"), known("line_last")
    lines = first if last in ("", first) else f"{first}-{last}"
    where = f"{file}:{lines}" if file and lines else file
    document = ", ".join(part for part in (known("document"), known("place")) if part)
    return "<br>".join(text(part) for part in (where, document) if part)


def is_true(value: Any) -> bool:  # noqa: ANN401  (a cell of a table)
    """Whether a cell of a nullable column is true; a missing one is not."""
    return not pd.isna(value) and bool(value)


def gbps(value_bps: float) -> str:
    """Throughput in Gb/s to four digits, for hover texts; a dash when missing."""
    return "–" if pd.isna(value_bps) else f"{value_bps * GBPS:.4g}"


def figure(*, x_title: str, **layout: Any) -> go.Figure:  # noqa: ANN401  (Plotly's layout is open)
    """Empty figure in this theme."""
    fig = go.Figure(layout={"template": TEMPLATE, **layout})
    fig.update_xaxes(title_text=x_title)
    return fig


def dark(fig: go.Figure) -> go.Figure:
    """Return the same figure for a dark page."""

    def swapped(part: Any) -> Any:  # noqa: ANN401  (any part of Plotly's JSON)
        if isinstance(part, str):
            return DARK.get(part, part)
        if isinstance(part, Mapping):
            return {name: swapped(value) for name, value in part.items()}
        return [swapped(item) for item in part] if isinstance(part, list | tuple) else part

    return go.Figure(swapped(fig.to_plotly_json()))


def empty(why: str) -> go.Figure:
    """Figure with a text that explains why nothing is drawn."""
    fig = figure(x_title="", height=120)
    fig.update_xaxes(visible=False).update_yaxes(visible=False)
    fig.add_annotation(text=text(why), showarrow=False, xref="paper", yref="paper", x=0.5, y=0.5)
    return fig


def remark_on_choice(fig: go.Figure, shown: int, runs: int) -> None:
    """State above a figure how many of the runs it shows, unless it shows all."""
    if shown < runs:
        words = f"{shown} of {runs} runs, from each folder in turn"
        place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        fig.add_annotation(text=words, showarrow=False, font={"size": 12, "color": MUTED}, **place)


def group_starts(groups: Sequence[str]) -> list[str]:
    """Return the heading above each row: the group's name at its first row, else empty; all empty for a single group.

    Parameters
    ----------
    groups
        Group of each row.

    Returns
    -------
    list of str
        Heading of each row.

    Examples
    --------
    >>> group_starts(["B", "B", "C"]), group_starts(["B", "B"])
    (['B', '', 'C'], ['', ''])
    """
    if len(set(groups)) < 2:
        return [""] * len(groups)
    return [group if number == 0 or group != groups[number - 1] else "" for number, group in enumerate(groups)]


def draw_rows(
    *, labels: Sequence[str], x_title: str, legend_entries: int, headings: Sequence[str] | None = None
) -> tuple[go.Figure, list[float]]:
    """Make a figure with a row below each label; return it with the rows' positions, top down."""
    positions: list[float] = []
    notes: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    top = 0.0  # in units of a row
    for number, row_label in enumerate(labels):
        if headings is not None and headings[number]:
            notes.append(_label_note(f"<b>{headings[number]}</b>", top + HEADING_ROWS - 0.05))
            top += HEADING_ROWS
        y = top + LINE_HEIGHT * row_label.count("<br>") / ROW_HEIGHT + 0.7
        notes.append(_label_note(row_label, y - 0.2))
        line: dict[str, Any] = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "layer": "below"}
        lines.append(line | {"line": {"color": GRID, "width": 1}})
        positions.append(y)
        top = y + 0.3
    fig = figure(  # all at once, since Plotly rechecks the whole list at each addition
        x_title=x_title,
        showlegend=True,
        annotations=notes,
        shapes=lines,
        yaxis={"range": [top + 0.1, 0], "visible": False, "fixedrange": True},
        height=round((top + 0.1) * ROW_HEIGHT) + 76 + 22 * -(-legend_entries // 2),
    )
    return fig, positions


def _label_note(words: str, y: float) -> dict[str, Any]:
    """Annotation with a label at the left edge, its bottom at `y`."""
    return {
        "text": words,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": y,
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "xshift": 3,
        "borderpad": 1,
        "bgcolor": PAPER,
        "font": {"size": 12},
    }


def bar_marker(colour: str, *, striped: bool = False) -> dict[str, Any]:
    """Marker of a bar; stripes distinguish it in a grey print."""
    stripes = {"shape": "/", "fillmode": "overlay", "fgcolor": PAPER, "size": 7, "solidity": 0.35}
    return {"color": colour, "line": {"color": INK, "width": 1}, "pattern": stripes if striped else {"shape": ""}}


def predicted_trace(
    rows: pd.DataFrame, unit: str, *, name: str, symbol: str, colour: str, size: int = 14
) -> go.Scatter:
    """Trace of predicted values: a coloured mark on a thick bar for the interval."""
    middle = rows[f"predicted_{unit}"]
    return go.Scatter(
        x=middle.tolist(),
        y=rows["y"].tolist(),
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"color": INK, "width": 1}},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": (rows[f"high_{unit}"] - middle).tolist(),
            "arrayminus": (middle - rows[f"low_{unit}"]).tolist(),
            "color": colour,
            "thickness": 4,
            "width": 0,
        },
        text=rows["hover"].tolist(),
        hovertemplate="%{text}<extra></extra>",
        legendrank=10,
    )


def measured_trace(
    x: Sequence[float],
    y: Sequence[float],
    hover: Sequence[str],
    *,
    at_least: bool = False,
) -> go.Scatter:
    """Trace of measured values: the same diamond in every figure, or an arrow for lower bounds."""
    return go.Scatter(
        x=list(x),
        y=list(y),
        mode="markers",
        name="measured, at least" if at_least else "measured",
        marker=MEASURED_AT_LEAST if at_least else MEASURED,
        text=list(hover),
        hovertemplate="%{text}<extra></extra>",
        legendrank=2 if at_least else 1,
        showlegend=True,
    )
