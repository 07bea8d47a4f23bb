"""A port of a switch, router or firewall in one output, with the line of each value.

Readers take matches by the names of their groups. `COUNTS`, `_TEXTS` and `_FACTS` list the names; amounts with a unit
have a second group, `speed` and `speed_unit`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hecn_analysis.parsing.amounts import grouped

Problem = Callable[[int | None, str, str], None]

#: Counters of a sample.
COUNTS: Final = frozenset(
    f"{way}_{what}" for way in ("in", "out") for what in ("octets", "packets", "errors", "discards")
)
#: Counters that are the sum of others; the first set of parts that is complete counts.
_SUMS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    **{
        f"{way}_packets": (
            (f"{way}_unicast", f"{way}_nonunicast"),
            (f"{way}_unicast", f"{way}_multicast", f"{way}_broadcast"),
        )
        for way in ("in", "out")
    },
    "out_discards": (("out_drops", "out_queue_drops"), ("out_queue_drops",)),
}
_PARTS: Final = frozenset(part for sets in _SUMS.values() for parts in sets for part in parts)
_FACTS: Final = frozenset(
    {"crc_errors", "collisions", "late_collisions", "runts", "giants", "max_frame_bytes", "mtu", "index"}
)
_WHOLE: Final = COUNTS | _PARTS | _FACTS
_TEXTS: Final = frozenset(
    {"description", "hardware", "last_cleared", "speed_configured", "duplex_configured", "clock", "zone"}
)
_WAYS: Final = {"in": "in", "rx": "in", "received": "in", "out": "out", "tx": "out", "sent": "out"}
_DUPLEX: Final = {"fdx": "full", "hdx": "half", "yes": "full", "no": "half"}
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_UP: Final = ("up", "trunking", "enabled", "active", "link up", "link-ok")
#: Amounts with a unit: the name of the value, and the unit where the group has no second one.
_AMOUNTS: Final[Mapping[str, tuple[str, str]]] = {
    "speed": ("speed_bps", ""),
    "speed_mbit": ("speed_bps", "m"),
    "bandwidth": ("bandwidth_bps", ""),
    **{f"{way}_rate": (f"{way}_bps", "") for way in ("in", "out")},
    **{f"{way}_mbit": (f"{way}_bps", "m") for way in ("in", "out")},
}
_PREFIXES: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_GENERIC: Final = frozenset({"octets", "packets", "errors", "discards", "rate", "unicast", "multicast", "broadcast"})
_VIRTUAL: Final = re.compile(
    r"(?:lo(?:opback)?|inloop\w{0,10}|null|tun(?:nel)?|gr|ip|vl(?:an(?:if)?)?|irb|bvi|bdi|nve|nvi|sp|lt|mt|lsq|dialer"
    r"|wlan-\w{2,6})[\d./: -]"
    r"|.{1,60}\.\d{1,9}$|(?:vlan-interface|register-tunnel|virtual-)",
    re.IGNORECASE,
)
_BUNDLE: Final = re.compile(
    r"(?:port-?channel|po|bundle-ether|ae|bridge-aggregation|eth-trunk|trk|lag|bond(?:ing)?) ?\d", re.IGNORECASE
)

#: What a port of a name can do [bit/s], by the beginning of the name; the longest beginning that fits counts.
_NAMED: Final[Mapping[str, float]] = {
    **dict.fromkeys(("fastethernet", "fa", "fe-"), 100000000.0),
    **dict.fromkeys(("gigabitethernet", "gi", "ge", "ge-"), 1000000000.0),
    **dict.fromkeys(("twogigabitethernet", "tw"), 2500000000.0),
    **dict.fromkeys(("fivegigabitethernet",), 5000000000.0),
    **dict.fromkeys(("tengigabitethernet", "tengige", "te", "xe-", "xgigabitethernet", "10ge"), 10000000000.0),
    **dict.fromkeys(("ten-gigabitethernet", "10gigabitethernet", "sfp-sfpplus"), 10000000000.0),
    **dict.fromkeys(("twentyfivegige", "twentyfivegigabitethernet", "25ge"), 25000000000.0),
    **dict.fromkeys(("fortygigabitethernet", "fortygige", "40ge", "40gigabitethernet"), 40000000000.0),
    **dict.fromkeys(("hundredgige", "hundredgigabitethernet", "100ge", "100gigabitethernet"), 100000000000.0),
}
_NAME: Final = re.compile(r"\d{0,3}[A-Za-z-]{1,30}")
_MODES: Final = re.compile(r"(?<![\w.])(?P<modes>\d{2,6}(?:/\d{2,6}){1,4}) ?(?:Base|Ethernet)", re.IGNORECASE)


@dataclass
class Port:
    """A port in one output, from `line` on.

    `host` is the device in the prompt above, or None. `values` are counters, rates [bit/s], settings and texts by name,
    `lines` the line of each; `blocked` are names of unreadable values.
    """

    interface: str
    line: int
    host: str | None = None
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)

    def take(self, groups: Mapping[str, str | None], line: int, way: str = "") -> None:
        """Take the groups of a match; the first value of a name counts."""
        way = _WAYS.get((groups.get("way") or way).lower().removesuffix("put"), way)
        for name, text in groups.items():
            if text is None or (name in _GENERIC and not way):
                continue
            for known, value in _values(f"{way}_{name}" if name in _GENERIC else name, text.strip(), groups):
                if known not in self.values and known not in self.blocked:
                    self.values[known], self.lines[known] = value, line

    def add_up(self) -> None:
        """Sum counters that the output gives in parts only."""
        for name, sets in _SUMS.items():
            parts = next((parts for parts in sets if all(part in self.values for part in parts)), ())
            if parts and name not in self.values and name not in self.blocked:
                self.values[name] = sum(self.values[part] for part in parts)
                self.lines[name] = self.lines[parts[0]]

    def block(self, groups: Iterable[str], text: str, way: str) -> None:
        """Prevent later values from replacing one that could not be read."""
        ways = tuple(each for each in ("in", "out") if each in text.lower()) if "way" in groups else (way,)
        self.blocked |= {f"{each}_{name}" for name in groups for each in ways if name in _GENERIC} | set(groups)

    @property
    def is_virtual(self) -> bool:
        """Whether it carries the traffic of other ports, or nothing."""
        return _VIRTUAL.match(self.interface) is not None

    @property
    def is_line(self) -> bool:
        """Whether it is a port with a line of its own."""
        return not self.is_virtual and _BUNDLE.match(self.interface) is None

    @property
    def supported_bps(self) -> float | None:
        """Highest speed by its name or hardware [bit/s]."""
        if not self.is_line:
            return None
        modes = _MODES.search(str(self.values.get("hardware", "")))
        if modes is not None:
            return 1e6 * max(float(mode) for mode in modes["modes"].split("/"))
        name = _NAME.match(self.interface)
        return _NAMED.get(name[0].lower()) if name else None

    @property
    def reported_bps(self) -> float | None:
        """Speed of the line; bandwidth of a bundle or a port without a stated speed [bit/s]."""
        speed, bandwidth = self.values.get("speed_bps"), self.values.get("bandwidth_bps")
        nominal = bandwidth if not self.is_virtual and self.values.get("up") else None
        return max(speed or 0.0, nominal or 0.0) or None if _BUNDLE.match(self.interface) else speed or nominal


def _values(name: str, text: str, groups: Mapping[str, str | None]) -> Iterable[tuple[str, Any]]:
    """Values of a group, by their stored names."""
    if name in _WHOLE:
        yield name, grouped(text[:40])
    elif name in _TEXTS and text:
        yield name, text
    elif name in _AMOUNTS:
        known, unit = _AMOUNTS[name]
        unit = unit or (groups.get(f"{name.rpartition('_')[2]}_unit") or "").lower()
        number = float(text.replace(",", "")) * _PREFIXES.get(unit[:1], 1.0) * (8.0 if "byte" in unit else 1.0)
        if number > 0 or known in ("in_bps", "out_bps"):  # a speed of 0 says nothing
            yield known, number
    elif name in _WORDED:
        yield from _WORDED[name](text, groups)


def _window(text: str, groups: Mapping[str, str | None]) -> Iterator[tuple[str, Any]]:
    yield "interval_s", float(text) * _SECONDS[(groups.get("window_unit") or "s")[0].lower()]


def _state(text: str, groups: Mapping[str, str | None]) -> Iterator[tuple[str, Any]]:
    words = [word.strip().lower() for word in (text, groups.get("protocol")) if word]
    yield "up", all(word.startswith(_UP) for word in words)


def _flags(text: str, _: Mapping[str, str | None]) -> Iterator[tuple[str, Any]]:
    yield "up", "R" in text


def _duplex(text: str, _: Mapping[str, str | None]) -> Iterator[tuple[str, Any]]:
    yield "duplex", _DUPLEX.get(text.lower(), text.lower())


def _mac(text: str, _: Mapping[str, str | None]) -> Iterator[tuple[str, Any]]:
    digits = re.sub(r"[^0-9a-f]", "", text.lower())
    if len(digits) == 12:
        yield "mac_address", ":".join(digits[at : at + 2] for at in range(0, 12, 2))


_WORDED: Final[Mapping[str, Callable[[str, Mapping[str, str | None]], Iterator[tuple[str, Any]]]]] = {
    "window": _window,
    "state": _state,
    "flags": _flags,
    "duplex": _duplex,
    "mac": _mac,
}
