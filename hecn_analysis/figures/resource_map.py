"""The route of the data through both hosts: a row for each stage, filled by its utilisation; the fullest one binds.

The route runs from the sender's storage over slots, memory and cores to its ports, over the path, and up through the
receiver in reverse order. A stage of several equal parts (four links, two arrays) is a row of several cells. A stream
connects the rows, as wide as its share of each: where it fills a cell, nothing more goes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host
    from hecn_analysis.prediction import Assumption, Prediction

COLUMNS = ["end", "stage", "resource", "label", "percent", "full_at_gbps", "binds", "bottleneck_class", "hover"]

#: Stages of a host in the order in which sent data pass them.
STAGES: Final = (
    "storage",
    "controller",
    "storage slot",
    "memory",
    "filter",
    "core",
    "tool",
    "uplink",
    "network slot",
    "port",
)
_SEVERAL: Final = {
    "storage": "arrays or disks",
    "controller": "RAID controllers",
    "storage slot": "slots of controllers",
    "memory": "memories",
    "filter": "filter programs",
    "core": "processor cores",
    "tool": "limits of the tool",
    "uplink": "uplinks",
    "network slot": "slots of network cards",
    "port": "network ports",
    "transport": "limits of TCP",
    "proxy": "proxies",
    "link": "links",
}
_PATH: Final = ("transport", "proxy", "link")
_ENDS: Final = ("sender", "path", "receiver")
#: Limits of TCP, which bind although no part is full.
_TRANSPORT: Final = {"window": "TCP window", "loss": "packet loss", "start-up": "start-up of TCP"}

_SOURCES: Final = 3  # assumptions named in a hover text
_ROW, _HEADING, _BAR = 40, 26, 13  # pixels
_LABEL: Final = 34  # characters that leave room for the percentage at 380 px
_GAP: Final = 0.012  # between the cells of a stage, of the figure's width


def resource_map_rows(prediction: Prediction) -> pd.DataFrame:
    """Compute what the figure draws: a row for each resource, in the order in which the data pass it."""
    names = list(prediction.utilisation)
    limit = prediction.bottleneck
    if limit is not None and limit not in prediction.utilisation and prediction.bottleneck_class in _TRANSPORT:
        names.append(limit)
    rows = [_row(prediction, name) for name in names]
    rows.sort(key=_order)
    return pd.DataFrame(rows, columns=COLUMNS)


def _order(row: dict[str, Any]) -> tuple[int, int, list[int | str]]:
    end = _ENDS.index(row["end"])
    stages = _PATH if row["end"] == "path" else STAGES
    stage = stages.index(row["stage"])
    parts = re.split(r"(\d+)", row["resource"])
    number: list[int | str] = [int(part) if part.isdigit() else part for part in parts]
    return end, -stage if row["end"] == "receiver" else stage, number


def _row(prediction: Prediction, name: str) -> dict[str, Any]:
    end, kind, *rest = name.split(".")
    which = ".".join(rest)
    titles = {rung.resource: rung.title for rung in prediction.ladder}
    host = {"sender": prediction.scenario.sender, "receiver": prediction.scenario.receiver}.get(end)
    binds = name == prediction.bottleneck
    kind = prediction.bottleneck_class or kind if binds else kind
    if kind in _TRANSPORT:
        end, stage, label, percent = "path", "transport", _TRANSPORT[kind], 100.0
    else:
        stage, label = _stage(host, kind, which)
        percent = 100 * prediction.utilisation[name]
    full_at = prediction.throughput_bps / percent * 100 if percent > 0 else float("inf")
    words = [f"<b>{theme.text(titles.get(name, label))}</b>"]
    if kind in _TRANSPORT:
        words.append("limits the transfer; no part is full")
    else:
        words.append(f"{percent:.0f} % busy; full at {units.format_rate(full_at)} of this transfer")
    assumptions = _assumptions_of(prediction.assumptions, name, kind)
    words += [theme.label(_sourced_value(assumption)) for assumption in assumptions]
    return {
        "end": end,
        "stage": stage,
        "resource": name,
        "label": label,
        "percent": percent,
        "full_at_gbps": full_at * theme.GBPS,
        "binds": binds,
        "bottleneck_class": kind,
        "hover": "<br>".join([*words, theme.text(name)]),
    }


def _stage(host: Host | None, kind: str, which: str) -> tuple[str, str]:  # noqa: PLR0911 - one for each kind
    """Stage that a resource belongs to, and its label."""
    if kind in {"disk", "raid", "filesystem"}:
        if which.startswith("controller-"):
            return "controller", f"RAID controller in {which.removeprefix('controller-')}"
        array = host.arrays.get(which) if host is not None else None
        if array is None:
            return "storage", "storage"
        return "storage", f"{which}: RAID {array.level}, {array.disks} disks" if array.level is not None else which
    if kind == "cpu":
        if which.startswith("filter"):
            return "filter", "filter program"
        return "core", f"processor core {which.removeprefix('core')}"
    if kind == "slot":
        slot = host.slots.get(which) if host is not None else None
        bus = "PCI-X" if slot is not None and slot.bus == "pcix" else "PCIe"
        return "network slot" if slot is None or slot.nic is not None else "storage slot", f"{bus} slot ({which})"
    if kind == "nic":
        return "port", f"port {which.rpartition('.')[2]}"
    if kind == "interconnect":
        return "uplink", "links between sockets" if which == "sockets" else f"uplink {which}"
    if kind == "link":
        return "link", f"link {which}".rstrip()
    return {"memory": ("memory", "memory"), "pep": ("proxy", "proxies")}.get(kind, ("tool", "requests in flight"))


def _assumptions_of(assumptions: Sequence[Assumption], name: str, kind: str) -> list[Assumption]:
    """Assumptions behind a resource's demand: the least certain of each basis, then the other least certain ones."""
    end, _, which = name.partition(".")
    which = which.partition(".")[2].partition(".")[0]
    prefixes = {
        "cpu": [f"{end}.cpu.", f"{end}.filter"],
        "memory": [f"{end}.memory."],
        "slot": [f"{end}.slots.{which}.", f"{end}.max_payload"],
        "nic": [f"{end}.slots.{which}.nic"],
        "raid": [f"{end}.arrays.{which}."],
        "disk": [f"{end}.arrays.{which}.", f"{end}.read_rate", f"{end}.write_rate"],
        "interconnect": [f"{end}.board.", f"{end}.bridges.{which}."],
        "link": ["path.rate"],
        "pep": ["path.pep_rate"],
        "window": ["tool.window", f"{end}.tcp_", f"{end}.rmem", f"{end}.wmem", "path.rtt"],
        "loss": ["path.loss", "path.rtt"],
        "start-up": ["path.rtt"],
    }.get(kind, ["tool."])
    relevant = [assumption for assumption in assumptions if assumption.name.startswith(tuple(prefixes))]
    relevant.sort(key=lambda assumption: -assumption.spread)
    first = {assumption.basis: assumption for assumption in reversed(relevant)}.values()
    return sorted(relevant, key=lambda assumption: assumption not in first)[:_SOURCES]


def _sourced_value(assumption: Assumption) -> str:
    """An assumption as text: name, value, basis and source."""
    is_rate = assumption.unit == "bit/s"
    value = units.format_rate(assumption.value) if is_rate else f"{assumption.value:.6g} {assumption.unit}".rstrip()
    return f"{assumption.name.partition('.')[2]} {value}, {assumption.basis}: {assumption.source or 'no source'}"


def plot_resource_map(prediction: Prediction) -> go.Figure:
    """Draw the route of the data from the sender's storage to the receiver's, each stage filled by its utilisation."""
    return go.Figure(resource_map_spec(prediction))


def resource_map_spec(prediction: Prediction) -> dict[str, Any]:
    """Return the same figure as plain values, without Plotly's checks, in a quarter of the time; for the app.

    Parameters
    ----------
    prediction
        The prediction to explain.

    Returns
    -------
    dict
        The figure in Plotly's JSON form, with ``data`` and ``layout``.

    Examples
    --------
    >>> from hecn_analysis import predict
    >>> sorted(resource_map_spec(predict("hotlava-transmit")))
    ['data', 'layout']
    """
    rows = resource_map_rows(prediction)
    if rows.empty:
        return dict(theme.empty("Nothing limits this transfer.").to_plotly_json())
    return _Drawing(prediction, rows).spec()


@cache
def _template() -> dict[str, Any]:
    return dict(theme.TEMPLATE.to_plotly_json())


class _Drawing:
    """Builds the figure as plain values."""

    def __init__(self, prediction: Prediction, rows: pd.DataFrame) -> None:
        self.prediction = prediction
        self.notes: list[dict[str, Any]] = []
        self.beds: list[tuple[float, float, float, str]] = []  # left end, width, middle, hover
        self.fills: dict[bool, list[tuple[float, float, float, str]]] = {True: [], False: []}
        self.stages: list[tuple[float, list[tuple[float, float]]]] = []  # middle of the bar; the fill of each cell
        self.height = 0.0
        self.binding: list[tuple[float, float, float]] = []
        records: list[dict[str, Any]] = rows.to_dict("records")  # type: ignore[assignment]  # names of columns are text
        for end, members in groupby(records, key=lambda row: str(row["end"])):
            self._heading(end)
            for _, cells in groupby(members, key=lambda row: str(row["stage"])):
                self._stage(list(cells))

    def _heading(self, end: str) -> None:
        scenario = self.prediction.scenario
        host = {"sender": scenario.sender, "receiver": scenario.receiver}.get(end)
        name = scenario.path.title or scenario.path.name if host is None else host.title or host.label
        words = f"<b>{end.capitalize()}</b>  {theme.text(_cut(name))}" if name else f"<b>{end.capitalize()}</b>"
        self.height += _HEADING
        self._write(words, self.height - 5, size=13)

    def _stage(self, cells: list[dict[str, Any]]) -> None:
        binding = any(cell["binds"] for cell in cells)
        busy = sorted(cell["percent"] for cell in cells)
        label = str(cells[0]["label"])
        if len(cells) > 1:
            label = f"{len(cells)} {_SEVERAL[cells[0]['stage']]}"
        share = f"{busy[0]:.0f} to {busy[-1]:.0f} %" if round(busy[0]) != round(busy[-1]) else f"{busy[-1]:.0f} %"
        if cells[0]["stage"] == "transport":
            share = "binds"
        elif binding:
            share = f"binds, {share}"
        top = self.height + 18
        middle = top + _BAR / 2
        weight = ("<b>", "</b>") if binding else ("", "")
        self._write(f"{weight[0]}{theme.text(_cut(label))}{weight[1]}", top - 1)
        self._write(f"{weight[0]}{share}{weight[1]}", top - 1, right=True)
        width = (1 - _GAP * (len(cells) - 1)) / len(cells)
        fills = []
        for number, cell in enumerate(cells):
            left = number * (width + _GAP)
            fill = width * min(cell["percent"], 100.0) / 100
            self.beds.append((left, width, middle, cell["hover"]))
            self.fills[bool(cell["binds"])].append((left, fill, middle, cell["hover"]))
            if cell["binds"]:
                self.binding.append((left, width, middle))
            fills.append((left, fill))
        self.stages.append((middle, fills))
        self.height += _ROW

    def _write(self, words: str, y: float, *, right: bool = False, size: int = 12) -> None:
        """Write a line with its bottom at `y`, at the left or the right edge."""
        edge = "right" if right else "left"
        self.notes.append(
            {
                "text": words,
                "x": 1.0 if right else 0.0,
                "xref": "paper",
                "xanchor": edge,
                "align": edge,
                "y": y,
                "yanchor": "bottom",
                "showarrow": False,
                "borderpad": 0,
                "font": {"size": size},
            }
        )

    def spec(self) -> dict[str, Any]:
        """The whole figure."""
        stream = {
            "type": "path",
            "path": " ".join(self._stream()),
            "fillcolor": theme.GRID,
            "line": {"width": 0},
            "layer": "below",
        }
        frames = [
            {
                "type": "rect",
                "x0": left,
                "x1": left + width,
                "y0": middle - _BAR / 2 - 1.5,
                "y1": middle + _BAR / 2 + 1.5,
                "line": {"color": theme.INK, "width": 2},
            }
            for left, width, middle in self.binding
        ]
        bar: dict[str, Any] = {"type": "bar", "orientation": "h", "textposition": "none"}
        bar |= {"hovertemplate": "%{text}<extra></extra>", "showlegend": False}
        data = [
            bar | _bars(self.beds) | {"marker": {"color": theme.PAPER, "line": {"color": theme.MUTED, "width": 1}}},
            bar | _bars(self.fills[False]) | {"marker": {"color": theme.SKY, "line": {"width": 0}}},
            bar | _bars(self.fills[True]) | {"marker": {"color": theme.BLUE, "line": {"width": 0}}},
        ]
        return {
            "data": data,
            "layout": {
                "template": _template(),
                "barmode": "overlay",
                "height": round(self.height) + 22,
                "margin": {"l": 6, "r": 6, "t": 4, "b": 10},
                "xaxis": {"visible": False, "fixedrange": True, "range": [-0.003, 1.003]},
                "yaxis": {"visible": False, "fixedrange": True, "range": [self.height + 6, 0]},
                "annotations": self.notes,
                "shapes": [stream, *frames],
                "hovermode": "closest",
            },
        }

    def _stream(self) -> Iterator[str]:
        """Outline of the stream between adjacent stages."""
        for (upper, above), (lower, below) in pairwise(self.stages):
            for (a0, a1), (b0, b1) in _joined(above, below):
                y0, y1 = upper + _BAR / 2, lower - _BAR / 2
                bend = (y0 + y1) / 2
                yield (
                    f"M{a0:.4f},{y0:.1f} C{a0:.4f},{bend:.1f} {b0:.4f},{bend:.1f} {b0:.4f},{y1:.1f} "
                    f"L{b1:.4f},{y1:.1f} C{b1:.4f},{bend:.1f} {a1:.4f},{bend:.1f} {a1:.4f},{y0:.1f} Z"
                )


def _bars(parts: Sequence[tuple[float, float, float, str]]) -> dict[str, Any]:
    return {
        "base": [left for left, *_ in parts],
        "x": [width for _, width, *_ in parts],
        "y": [middle for _, _, middle, _ in parts],
        "text": [hover for *_, hover in parts],
        "width": _BAR,
    }


def _joined(
    above: Sequence[tuple[float, float]], below: Sequence[tuple[float, float]]
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Pairs of intervals, above and below, that carry the same share of the stream, from left to right."""
    sums = [sum(width for _, width in stage) for stage in (above, below)]
    if not all(sums):
        return
    ends = [_ends(stage, total) for stage, total in zip((above, below), sums, strict=True)]
    cuts = sorted({0.0, *(end for _, end in ends[0]), *(end for _, end in ends[1])})
    for start, stop in pairwise(cuts):
        if stop - start > 1e-6:
            yield _part(above, ends[0], start, stop), _part(below, ends[1], start, stop)


def _ends(stage: Sequence[tuple[float, float]], total: float) -> list[tuple[float, float]]:
    """Start and end of each cell's share of the stream, as fractions."""
    ends, start = [], 0.0
    for _, width in stage:
        ends.append((start, round(start + width / total, 9)))
        start = ends[-1][1]
    ends[-1] = (ends[-1][0], 1.0)
    return ends


def _part(
    stage: Sequence[tuple[float, float]], ends: Sequence[tuple[float, float]], start: float, stop: float
) -> tuple[float, float]:
    """Horizontal extent of a share of the stream within its cell."""
    middle = (start + stop) / 2
    number = next(number for number, (_, end) in enumerate(ends) if middle <= end)
    (left, width), (first, last) = stage[number], ends[number]
    scale = width / (last - first) if last > first else 0.0
    return left + (start - first) * scale, left + (stop - first) * scale


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
