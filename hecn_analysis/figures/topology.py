"""Topology of a host: a tree of processors, bridges, slots and arrays, with width and load of each link.

A line is a link towards the processor; its thickness shows its capacity. A link that is half full is orange, a full
one red. Loads come from a prediction; without one, the tree shows capacities only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.figures import theme

if TYPE_CHECKING:
    from hecn_analysis.hardware import Bridge, Host, Slot
    from hecn_analysis.prediction import Prediction

COLUMNS = ["node", "parent", "depth", "kind", "label", "link", "could", "capacity_bps", "load_bps", "percent", "hover"]

#: Marker, colour and name of each kind of node.
KINDS: Final = {
    "processor": ("square", theme.INK, "processor"),
    "bridge": ("hexagon", theme.PURPLE, "switch or bridge"),
    "nic": ("triangle-up", theme.SKY, "network card"),
    "controller": ("star", theme.GREEN, "storage controller"),
    "slot": ("circle", theme.MUTED, "other slot"),
    "array": ("triangle-down", theme.GREEN, "array or disk"),
}
_WRAP: Final = 40
_STEP: Final = 0.5
_ROW: Final = 52
#: Colours of links by how busy they are.
_BUSY: Final = ((0.9, theme.VERMILION), (0.5, theme.ORANGE))


def topology_rows(
    host: Host, *, prediction: Prediction | None = None, role: Literal["sender", "receiver"] = "sender"
) -> pd.DataFrame:
    """Compute what the figure draws: a row for each processor, bridge, slot and array, each below its parent."""
    return pd.DataFrame(list(_Tree(host, prediction, role).rows()), columns=COLUMNS)


class _Tree:
    """The rows of a host, each below its parent."""

    def __init__(self, host: Host, prediction: Prediction | None, role: str) -> None:
        self._host = host
        self._busy = prediction.utilisation if prediction is not None else {}
        self._role = role
        self._bridges = {**(host.board.bridges if host.board is not None else {}), **host.bridges}

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows, from the processors down."""
        host = self._host
        slots, bridges = host.slots.values(), self._bridges.values()
        nodes = sorted({slot.node for slot in slots} | {bridge.node for bridge in bridges}) or [0]
        title = host.cpu.title or "processor" if host.cpu is not None else "processor"
        for node in nodes:
            yield _row(f"node {node}", ("", 0), "processor", f"node {node}: {title}" if len(nodes) > 1 else title)
            yield from self._below(None, node, 1)
        for name, array in host.arrays.items():
            if not any(slot in host.slots for slot in array.slots):
                yield self._array(name, (f"node {nodes[0]}", 1))

    def _below(self, bridge_above: str | None, node: int, depth: int) -> Iterator[dict[str, Any]]:
        """Rows of the parts behind a bridge, or directly on a processor."""
        parent = (f"bridge {bridge_above}" if bridge_above is not None else f"node {node}", depth)
        for name, slot in self._host.slots.items():
            if slot.behind == bridge_above and (bridge_above is not None or slot.node == node):
                yield self._slot(name, slot, parent)
                for array, disk_array in self._host.arrays.items():
                    if disk_array.slots[:1] == [name]:
                        yield self._array(array, (f"slot {name}", depth + 1))
        for name, bridge in self._bridges.items():
            if bridge.behind == bridge_above and (bridge_above is not None or bridge.node == node):
                yield self._bridge(name, bridge, parent)
                yield from self._below(name, node, depth + 1)

    def _percent(self, resource: str) -> float | None:
        busy = self._busy.get(f"{self._role}.{resource}")
        return 100 * float(busy) if busy is not None else None

    def _slot(self, name: str, slot: Slot, at: tuple[str, int]) -> dict[str, Any]:
        card = slot.nic or slot.controller
        kind = "nic" if slot.nic is not None else "controller" if slot.controller is not None else "slot"
        figures: dict[str, Any] = {"percent": self._percent(f"slot.{name}")}
        if slot.bus == "pcix":
            clock = slot.clock.value if slot.clock is not None else 0.0
            figures["link"] = f"PCI-X {clock / 1e6:g} MHz"
            pcix = limits.pcix(clock=clock, width=slot.width, burst=int(slot.burst.value))
            figures["capacity_bps"] = float(pcix["throughput_bps"])
        else:
            gen = min(given for given in (slot.gen, card.gen if card else None) if given is not None)
            lanes = min(given for given in (slot.lanes, card.lanes if card else None) if given is not None)
            payload = slot.max_payload.value if slot.max_payload is not None else None
            figures |= {"link": f"Gen{gen} x{lanes}", "capacity_bps": _capacity(gen, lanes, payload)}
            card_link = (card.gen, card.lanes) if card is not None else (None, None)
            if None not in card_link and card_link != (gen, lanes):
                figures["could"] = f"Gen{card_link[0]} x{card_link[1]}"
        title = card.title if card is not None and card.title else ""
        return _row(f"slot {name}", at, kind, f"{name}: {title}" if title else f"slot {name}", **figures)

    def _bridge(self, name: str, bridge: Bridge, at: tuple[str, int]) -> dict[str, Any]:
        capacity = bridge.rate.value if bridge.rate is not None else _capacity(bridge.gen, bridge.lanes, None)
        link = f"Gen{bridge.gen} x{bridge.lanes}" if bridge.gen is not None and bridge.lanes is not None else ""
        more = {"link": link, "capacity_bps": capacity, "percent": self._percent(f"interconnect.{name}")}
        return _row(f"bridge {name}", at, "bridge", f"{name}: {bridge.title}" if bridge.title else name, **more)

    def _array(self, name: str, at: tuple[str, int]) -> dict[str, Any]:
        array = self._host.arrays[name]
        level = f"RAID {array.level} of {array.disks}" if array.level is not None else "one disk"
        label = f"{name}: {level}, {array.disk.title}" if array.disk.title else f"{name}: {level}"
        if len(array.slots) > 1:
            label += f", on {', '.join(array.slots)}"
        percents = [self._percent(f"{kind}.{name}") for kind in ("raid", "disk")]
        known = [percent for percent in percents if percent is not None]
        return _row(f"array {name}", at, "array", label, percent=known[0] if known else None)


def _row(node: str, at: tuple[str, int], kind: str, label: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    parent, depth = at
    capacity, percent = more.get("capacity_bps"), more.get("percent")
    link, could = more.get("link", ""), more.get("could", "")
    lines = [f"{link} (the card could do {could})" if could else link]
    if capacity is not None:
        lines.append(f"carries {units.format_rate(capacity)} one way")
    if percent is not None:
        lines.append(f"{percent:.0f} % busy")
    hover = "<br>".join([f"<b>{theme.text(label)}</b>", *(theme.text(line) for line in lines if line)])
    load = capacity * percent / 100 if capacity is not None and percent is not None else None
    given = {"node": node, "parent": parent, "depth": depth, "kind": kind, "label": label, "link": link, "could": could}
    return {**given, "capacity_bps": capacity, "load_bps": load, "percent": percent, "hover": hover}


def _capacity(gen: int | None, lanes: int | None, max_payload: float | None) -> float | None:
    if gen is None or lanes is None:
        return None
    return float(limits.pcie(gen=gen, lanes=lanes, max_payload=int(max_payload or 256))["throughput_bps"])


def plot_topology(
    host: Host, *, prediction: Prediction | None = None, role: Literal["sender", "receiver"] = "sender"
) -> go.Figure:
    """Draw the tree of a host's processors, bridges, slots and arrays."""
    rows = list(_Tree(host, prediction, role).rows())
    if len(rows) == 1 and host.cpu is None:
        return theme.empty("This host's slots are unknown.")
    fig = theme.figure(x_title="", showlegend=True, height=_ROW * len(rows) + 90)
    position = {row["node"]: (row["depth"] * _STEP, float(-number)) for number, row in enumerate(rows)}
    for row in rows:
        if row["parent"] in position:
            _link(fig, position[row["parent"]], position[row["node"]], row)
    for kind, (symbol, colour, words) in KINDS.items():
        part = [row for row in rows if row["kind"] == kind]
        if not part:
            continue
        fig.add_scatter(
            x=[position[row["node"]][0] for row in part],
            y=[position[row["node"]][1] for row in part],
            mode="markers+text",
            name=words,
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"color": theme.INK, "width": 1}},
            text=[_words(row) for row in part],
            textposition="middle right",
            textfont={"size": 12},
            cliponaxis=False,
            hovertext=[row["hover"] for row in part],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    deepest = max(row["depth"] for row in rows) * _STEP
    fig.update_xaxes(visible=False, fixedrange=True, range=[-0.15, deepest + 4])
    fig.update_yaxes(visible=False, fixedrange=True, range=[-len(rows) + 0.4, 0.6])
    return fig


def _link(fig: go.Figure, above: tuple[float, float], here: tuple[float, float], row: dict[str, Any]) -> None:
    """Draw the link of a row, down from its parent and then across."""
    share = (row["percent"] or 0.0) / 100
    colour = next((colour for least, colour in _BUSY if share >= least), theme.MUTED)
    width = 1.5 + min(6.5, (row["capacity_bps"] or 0.0) / 20e9)
    style = {"color": colour, "width": width}
    fig.add_shape(type="line", x0=above[0], x1=above[0], y0=above[1], y1=here[1], line={**style, "width": 1.5})
    fig.add_shape(type="line", x0=above[0], x1=here[0], y0=here[1], y1=here[1], line=style, layer="below")


def _words(row: dict[str, Any]) -> str:
    """Text beside a marker: the label, then link and load."""
    words = [row["link"] + (f" of {row['could']}" if row["could"] else "")] if row["link"] else []
    if row["percent"] is not None:
        of = f"of {units.format_rate(row['capacity_bps'])}" if row["capacity_bps"] is not None else "busy"
        words.append(f"{row['percent']:.0f} % {of}")
    name = row["label"] if len(row["label"]) <= _WRAP else f"{row['label'][: _WRAP - 1]}…"
    return f"  {theme.text(name)}" + (f"<br>  <b>{theme.text(', '.join(words))}</b>" if words else "")
