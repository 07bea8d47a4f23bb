"""Resources, and the time that each needs for a payload bit of each flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray


@dataclass(frozen=True)
class Resource:
    """A part of a host, path or tool that can be fully used.

    ``name`` has whose, its class, which one: ``receiver.cpu.core1``, ``path.link``.
    """

    name: str
    resource_class: str
    title: str


class Demands:
    """Collects demands by resource and flow."""

    def __init__(self) -> None:
        self.table: dict[tuple[str, str], tuple[Resource, dict[int, FloatArray]]] = {}

    def add(self, flow: int, name: str, seconds_per_bit: FloatArray, *, title: str, variant: str = "") -> None:
        """Add a demand of `flow` on a resource; `variant` separates the two directions of one resource."""
        key = (name, variant)
        by_flow = self.table[key][1] if key in self.table else {}
        by_flow[flow] = by_flow[flow] + seconds_per_bit if flow in by_flow else seconds_per_bit
        self.table[key] = (Resource(name, name.split(".")[1], title), by_flow)
