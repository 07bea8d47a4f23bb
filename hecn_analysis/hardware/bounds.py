"""Bounds that boards, hubs, slots and processors set on the numbers of a host.

A number above its bound is replaced by the bound, and a warning names both. Where there is no number to replace (more
links than ports, more lanes than the processors have), there is only the warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hecn_analysis.base import units
from hecn_analysis.hardware.host import Host, Memory, Slot
from hecn_analysis.hardware.parts import Bridge, Cpu
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Parameter


def bounded(host: Host, role: str) -> tuple[Host, list[str]]:
    """Host with the bounds of its parts applied, and the warnings."""
    bounds = _Bounded(host, role)
    memory = bounds.memory(host.memory) if host.memory is not None else None
    slots = {name: bounds.slot(name, slot) for name, slot in host.slots.items()}
    warnings = list(dict.fromkeys([*bounds.warnings, *_lanes_in_use(host, role)]))
    changed = memory is not host.memory or any(slots[name] is not slot for name, slot in host.slots.items())
    return host.model_copy(update={"memory": memory, "slots": slots}) if changed else host, warnings


def exceeded_ports(host: Host, role: str, path: Path) -> Iterator[str]:
    """Warn if a path has more links than the host has ports: links then share ports."""
    ports = sum(slot.nic.ports for slot in host.slots.values() if slot.nic is not None)
    if 0 < ports < path.links:
        yield f"path.links={path.links} exceeds the {ports} network ports of the {role}: links share ports"


@dataclass
class _Bounded:
    """Bounds of one host, and the warnings so far."""

    host: Host
    role: str
    warnings: list[str] = field(default_factory=list)

    def _least(self, key: str, value: Any, bounds: list[tuple[Any, str]], written: Any = str) -> Any:  # noqa: ANN401
        """The value, or with a warning the smallest bound if the value exceeds it."""
        bound, owner = min(((limit, owner) for limit, owner in bounds if limit is not None), default=(None, ""))
        if bound is None or value is None or value <= bound:
            return value
        text, limit = written(value), written(bound)
        self.warnings.append(f"{self.role}.{key}={text} exceeds the {limit} of {owner}: {limit} is used")
        return bound

    def slot(self, name: str, slot: Slot) -> Slot:
        """Slot within the bounds of the board, its bridges and the processor."""
        if slot.bus != "pcie":
            return slot
        board, cpu = self.host.board, self.host.cpu
        wired = board.slots.get(slot.at) if board is not None and slot.at is not None else None
        at = f"slot {slot.at} of {board.title or 'the board'}" if board is not None else ""
        direct = cpu if slot.behind is None else None
        gens = [(wired and wired.gen, at), (direct and direct.gen, _title(cpu))]
        new: dict[str, Any] = {
            "gen": self._least(f"slots.{name}.gen", slot.gen, gens),
            "lanes": self._least(f"slots.{name}.lanes", slot.lanes, [(wired and wired.lanes, at)]),
        }
        key, payload = f"slots.{name}.max_payload", slot.max_payload
        if payload is None:
            key, payload = "max_payload", self.host.max_payload
        above = [
            (bridge.max_payload and bridge.max_payload.value, bridge.title or at) for at, bridge in self._above(slot)
        ]
        least = self._least(key, payload.value, above, units.format_bytes)
        if least != payload.value:
            new["max_payload"] = payload.model_copy(update={"value": least})
        changed = {field: value for field, value in new.items() if value != getattr(slot, field)}
        return slot.model_copy(update=changed) if changed else slot

    def _above(self, slot: Slot) -> Iterator[tuple[str, Bridge]]:
        """Bridges between a slot and the processor."""
        bridges = self.host.all_bridges
        bridge_name = slot.behind
        while bridge_name is not None:
            yield bridge_name, bridges[bridge_name]
            bridge_name = bridges[bridge_name].behind

    def memory(self, memory: Memory) -> Memory:
        """Memory within the bounds of the board and the processors."""
        board, cpu = self.host.board, self.host.cpu
        speeds = [
            (part.memory_transfers.value, part.title or "the board or processor")
            for part in (board, cpu)
            if part is not None and part.memory_transfers is not None
        ]
        channels = cpu.memory_channels * cpu.sockets if cpu is not None and cpu.memory_channels is not None else None
        transfers = self._least("memory.transfers", memory.transfers.value, speeds, _as_transfers)
        count = self._least("memory.channels", memory.channels.value, [(channels, _title(cpu))], lambda n: f"{n:g}")
        new = {"transfers": (memory.transfers, transfers), "channels": (memory.channels, count)}
        changed: dict[str, Parameter] = {
            name: was.model_copy(update={"value": value}) for name, (was, value) in new.items() if was.value != value
        }
        return memory.model_copy(update=changed) if changed else memory


def _lanes_in_use(host: Host, role: str) -> Iterator[str]:
    """Warn if the cards on a processor's own lanes need more lanes than it has."""
    cpu = host.cpu
    if cpu is None or cpu.lanes is None:
        return
    for node in range(cpu.sockets):
        cards = [
            slot
            for slot in host.slots.values()
            if slot.bus == "pcie" and slot.behind is None and slot.node == node and (slot.nic or slot.controller)
        ]
        lanes = sum(slot.lanes or 0 for slot in cards)
        if lanes > cpu.lanes:
            yield f"{role}.slots take {lanes} lanes of processor {node}, which exceeds the {cpu.lanes} of {_title(cpu)}"


def _title(cpu: Cpu | None) -> str:
    return (cpu.title if cpu is not None else "") or "the processor"


def _as_transfers(value: float) -> str:
    return f"{value / 1e6:g} MT/s"
