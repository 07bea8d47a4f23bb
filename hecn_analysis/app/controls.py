"""The controls of the app: each with its steps, and which of them a scenario has.

A control is a list of steps, so that a slider, a keyboard and a screen reader all go through the same values. The
scenario's own value is always one of the steps.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_args

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Library
from hecn_analysis.hardware.host import CongestionControl
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import value_at

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario, Slot

#: The parts of a scenario, each with its folder of models.
ROLES: Final = {"sender": "hosts", "receiver": "hosts", "path": "paths", "tool": "tools"}

#: Slots that the app adds to a host for more network cards: ``added1``, ``added2``, …
ADDED: Final = "added"
_MOST_ADDED: Final = 6

_GBPS: Final = (0.01, 0.1, 0.622, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800, 1600)
_MTU: Final = (576, 1280, 1500, 2000, 4470, 9000, 16_000, 64_000)
_WINDOW: Final = (0, *(2**power for power in range(14, 33)))
_COUNTS: Final = (*range(1, 17), 20, 24, 32, 48, 64, 96, 128)


def _decades(low: int, high: int, steps: Iterable[float]) -> list[float]:
    return [float(f"{step * 10.0**power:.4g}") for power in range(low, high) for step in steps] + [10.0**high]


_RTT: Final = (0.0, *_decades(-5, 0, (1, 1.5, 2, 3, 4, 5, 6, 8)), 1.2, 2.0)
_LOSS: Final = (0.0, *_decades(-9, -2, (1, 2, 5)), 0.02, 0.05)
_BYTES: Final = tuple(_decades(6, 13, (1, 2, 5)))
_SECONDS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
_CLOCKS: Final = tuple(round(1e9 + 0.2e9 * step) for step in range(26))


def format_loss(fraction: float) -> str:
    """Write a loss as one packet in so many."""
    return "none" if fraction == 0 else f"1 in {1 / fraction:,.0f}"


def _number(value: float) -> str:
    return f"{value:g}"


def _window(size: float) -> str:
    return "autotuned" if size == 0 else _size(size)


def _size(size: float) -> str:
    for step, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= step and (size / step).is_integer():
            return f"{size / step:.0f} {unit}"
    return units.format_bytes(size)


@dataclass(frozen=True)
class Control:
    """A setting that the user can change."""

    key: str  # key of the scenario, or ``sender.cards`` for a number of cards
    group: str  # group on the page: path, tool, sender or receiver
    # its name, and an explanation
    label: str
    help: str
    steps: tuple[Any, ...]  # values to choose from
    format_value: Callable[[Any], str] = str  # writes a value
    menu: bool = False


def controls_of(scenario: Scenario) -> list[tuple[Control, Any]]:
    """Controls of a scenario, each with its value."""
    controls = [*_of_path(scenario), *_of_tool(scenario)]
    for role in ("sender", "receiver"):
        host: Host | None = getattr(scenario, role)
        if host is not None:
            controls += _of_host(scenario, role, host)
    return controls


def _plain(value: Any) -> Any:  # noqa: ANN401 - a field of a description
    return value.value if isinstance(value, Parameter) else value


def _with_value(scenario: Scenario, control: Control) -> tuple[Control, Any]:
    return control, _plain(value_at(scenario, control.key))


def _of_path(scenario: Scenario) -> Iterable[tuple[Control, Any]]:
    if scenario.tool.protocol == "file" or scenario.path.same_host:
        return
    rates = tuple(step * 1e9 for step in _GBPS)
    rate, count = units.format_rate, _number
    if scenario.path.rate is not None:
        yield _with_value(
            scenario, Control("path.rate", "path", "Line rate of a link", "speed of the port", rates, rate)
        )
    links = Control("path.links", "path", "Links side by side", "equal links between the hosts", _COUNTS[:16], count)
    yield _with_value(scenario, links)
    yield _with_value(scenario, Control("path.rtt", "path", "Round-trip time", "without load", _RTT, units.format_time))
    loss = Control("path.loss", "path", "Packet loss", "random, in the data direction", _LOSS, format_loss)
    yield _with_value(scenario, loss)
    yield _with_value(scenario, Control("path.mtu", "path", "MTU", "largest IP packet", _MTU, units.format_bytes))


def _of_tool(scenario: Scenario) -> Iterable[tuple[Control, Any]]:
    tool = scenario.tool
    processes = Control("tool.processes", "tool", "Processes", "transfers at once", _COUNTS[:16], _number)
    yield _with_value(scenario, processes)
    if tool.protocol == "tcp":
        streams = Control("tool.streams", "tool", "Streams", "TCP connections of each process", _COUNTS, _number)
        yield _with_value(scenario, streams)
        words = "requested by the tool"
        yield _with_value(scenario, Control("tool.window", "tool", "Window", words, _WINDOW, _window))
        words, names = "of the sender's kernel", get_args(CongestionControl)
        control = Control("sender.congestion_control", "tool", "Congestion control", words, names, menu=True)
        yield _with_value(scenario, control)
    if tool.bytes is not None:
        amount = Control("tool.bytes", "tool", "Amount of data", "of each process", _BYTES, _size)
        yield _with_value(scenario, amount)
    elif tool.duration is not None:
        length = Control("tool.duration", "tool", "Length of the test", "start-up counts", _SECONDS, units.format_time)
        yield _with_value(scenario, length)


def _of_host(scenario: Scenario, role: str, host: Host) -> Iterable[tuple[Control, Any]]:
    networked = scenario.tool.protocol != "file" and not scenario.path.same_host
    on_disk = (scenario.tool.source_end if role == "sender" else scenario.tool.sink_end) == "disk"
    if networked and host.slots:
        cards = network_cards(host)
        if cards and cards[0][1].nic is not None and cards[0][1].nic.part:
            own = sum(not name.startswith(ADDED) for name, _ in cards)
            words = "all like the first"
            free = _free_slots(host, cards[0][1])
            most = max(len(cards) + (_MOST_ADDED if free is None else len(free)), own)
            if most > own:
                steps = tuple(range(own, most + 1))
                yield Control(f"{role}.cards", role, "Network cards", words, steps, _number), len(cards)
        sizes = (128, 256, 512, 1024, 2048, 4096)
        payload = Control(f"{role}.max_payload", role, "MaxPayload", "of PCI Express", sizes, units.format_bytes)
        yield _with_value(scenario, payload)
    if on_disk and host.file_arrays and getattr(host, _storage_rate(role)) is None:
        array = host.arrays[host.file_arrays[0]]
        if array.level is not None:
            step = array.groups if array.groups > 1 else 2 if array.level in {1, 10} else 1
            least = step * {5: 3, 50: 3, 6: 4, 60: 4, 1: 1}.get(array.level, 2)
            key = f"{role}.arrays.{host.file_arrays[0]}.disks"
            words = f"of array {host.file_arrays[0]}"
            yield _with_value(scenario, Control(key, role, "Disks", words, tuple(range(least, 65, step)), _number))
    rate = _storage_rate(role)
    if getattr(host, rate) is not None:
        rates = tuple(step * 1e9 for step in (*_GBPS, 15, 20, 30, 60, 80, 150, 300))
        words = "given by its rate only"
        yield _with_value(
            scenario, Control(f"{role}.{rate}", role, "Storage", words, tuple(sorted(rates)), units.format_rate)
        )
    if host.cpu is not None:
        clock = Control(f"{role}.cpu.clock", role, "Processor clock", "of every core", _CLOCKS, _frequency)
        yield _with_value(scenario, clock)
        if networked and scenario.tool.protocol == "tcp" and role == "receiver":
            words = "large receive offload"
            yield _with_value(scenario, Control(f"{role}.lro", role, "LRO", words, (False, True), _on_off, menu=True))


def _storage_rate(role: str) -> str:
    return "read_rate" if role == "sender" else "write_rate"


def _frequency(hertz: float) -> str:
    return f"{hertz / 1e9:.4g} GHz"


def _on_off(value: object) -> str:
    return "on" if value else "off"


def network_cards(host: Host) -> list[tuple[str, Slot]]:
    """Slots of a host that hold a network card, by name."""
    return [(name, slot) for name, slot in host.slots.items() if slot.nic is not None]


def shown(control: Control, value: Any, own: Any) -> dict[str, Any]:  # noqa: ANN401 - what a key may hold
    """A control as plain values for the page."""
    steps = list(control.steps)
    for extra in (own, value):
        if extra is not None and extra not in steps:
            if control.menu:
                steps.append(extra)
            else:
                steps.insert(bisect.bisect(steps, extra), extra)
    return {
        "key": control.key,
        "group": control.group,
        "label": control.label,
        "help": control.help,
        "menu": control.menu,
        "steps": steps,
        "texts": [control.format_value(step) for step in steps],
        "at": steps.index(value),
        "own": steps.index(value if own is None else own),
        "keep": own is None,
    }


def card_keys(role: str, host: Host, wanted: int) -> dict[str, Any]:
    """Scenario keys that add network cards like the first one until the host has the wanted number."""
    cards = network_cards(host)
    count = wanted - len(cards)
    if count <= 0 or not cards:
        return {}
    _, first = cards[0]
    assert first.nic is not None  # noqa: S101 - it is a slot with a card
    keys: dict[str, Any] = {}
    free = _free_slots(host, first)
    if free is not None and len(free) < count:
        title = host.board.title if host.board is not None else "board"
        free_slots = "no slot" if not free else "1 slot" if len(free) == 1 else f"{len(free)} slots"
        limit = f"{len(cards) + len(free)} at most: its {title} has {free_slots} left for the card"
        raise InputError(f"{wanted} network cards in the {role}", limit)
    for number in range(count):
        slot_key = f"{role}.slots.{ADDED}{number + 1}"
        if free is not None:
            keys[f"{slot_key}.at"] = free[number]
        else:
            fields = ("bus", "gen", "lanes", "clock", "width", "node", "behind")
            keys |= {
                f"{slot_key}.{name}": _plain(given) for name in fields if (given := getattr(first, name)) is not None
            }
        keys[f"{slot_key}.max_read_request"] = int(first.max_read_request.value)
        keys[f"{slot_key}.nic"] = first.nic.part
    return keys


def _free_slots(host: Host, like: Slot) -> list[str] | None:
    """Free slots of the board that fit the card's bus; None if the board is unknown."""
    if host.board is None or not host.board.slots or not all(slot.at for slot in host.slots.values()):
        return None
    taken = {slot.at for slot in host.slots.values()}
    sockets = host.cpu.sockets if host.cpu is not None else host.board.sockets
    return [
        name
        for name, slot in host.board.slots.items()
        if name not in taken and slot.bus == like.bus and slot.node < sockets
    ]


@cache
def choices(kind: str) -> tuple[tuple[str, str], ...]:
    """Names of the models of a kind, each with its title."""
    library = Library(places.models_dir())
    named = []
    for name in library.names(kind):
        title = library.entry(kind, name).values.get("title", "")
        named.append((name, f"{name} · {title}" if title else name))
    return tuple(named)


def added_cards(keys: Mapping[str, Any], role: str) -> int:
    """Number of cards that `card_keys` has added."""
    stem = f"{role}.slots.{ADDED}"
    return len({key.removeprefix(stem).partition(".")[0] for key in keys if key.startswith(stem)})
