"""Input and output of the checks of a captured host."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base import units
from hecn_analysis.inventory.parts.computer import Device
from hecn_analysis.inventory.parts.network import Interface, Link
from hecn_analysis.inventory.parts.storage import Controller

if TYPE_CHECKING:
    from hecn_analysis.hardware import Path
    from hecn_analysis.inventory.hosts.machine import Machine
    from hecn_analysis.inventory.registry import Captured

_NAMED_SPEED: Final = re.compile(
    r"(?<![\w.])(?P<number>1|2\.5|5|10|20|25|40|50|56|100|200|400|800) ?G(?:b(?:E|/s|ps|it)?|ig\w*|E)?\b"
)
_SFP28: Final = {"SFP+": 10.0, "SFP28": 25.0, "QSFP+": 40.0, "QSFP28": 100.0, "QSFP56": 200.0, "OSFP": 400.0}
_OWN_MODE: Final = 56e9


@dataclass(frozen=True)
class Finding:
    """A property of a host that limits transfers, or may limit them. Rates are in bit/s, None if unknown.

    Parameters
    ----------
    check, place
        Name of the check, a heading of the page on findings, and the card, port, array or setting concerned.
    limit_bps, fixed_bps, needs_bps, basis
        Rate of the part as it is and after the fix, and the highest rate required of it, such as that of a card's
        ports; how these were computed, with the assumptions.
    fix, verify
        Command, BIOS item or action that fixes it; command that shows whether it is fixed.
    scenario_settings
        Keys of a scenario that the fix sets, without the role for those of the host (``host.tcp_rmem_max``).
    predicted_bps, predicted_fixed_bps
        Predicted rate of a transfer with this host on a named path, as it is and with `scenario_settings`.
    """

    check: str
    place: str
    found: str
    expected: str
    limit_bps: float | None = None
    fixed_bps: float | None = None
    needs_bps: float | None = None
    basis: str = ""
    fix: str = ""
    verify: str = ""
    source: str = ""
    scenario_settings: Mapping[str, Any] = field(default_factory=dict)
    predicted_bps: float | None = None
    predicted_fixed_bps: float | None = None

    def __str__(self) -> str:
        limit = "" if self.limit_bps is None else f"; at most {units.format_rate(self.limit_bps)}"
        fixed = "" if self.fixed_bps is None else f", fixed {units.format_rate(self.fixed_bps)}"
        return f"{self.check}: {self.place}: found {self.found}, expected {self.expected}{limit}{fixed}"

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON can hold it.

        Returns
        -------
        dict
            Its fields by name, rates in bit/s.

        Examples
        --------
        >>> Finding("mtu", "eth0", "1500 B", "9000 B").to_dict()["place"]
        'eth0'
        """
        return {**vars(self), "scenario_settings": dict(self.scenario_settings)}


@dataclass(frozen=True)
class Unchecked:
    """A check without its input; `missing` is the command to capture."""

    check: str
    missing: str

    def __str__(self) -> str:
        return f"{self.check}: not checked, for the output of {self.missing} is missing"

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Seen:
    """A captured host as checks see it: the joint facts of its outputs, and the outputs.

    ``path`` is the path of its transfers, if named; ``slots`` are the names of slots in its description, by the PCI
    address of the card without the function.
    """

    machine: Machine
    captured: Sequence[Captured] = ()
    path: Path | None = None
    slots: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def formats(self) -> dict[str, list[dict[str, Any]]]:
        """Facts of the outputs by format."""
        by_format: dict[str, list[dict[str, Any]]] = {}
        for output in self.captured:
            by_format.setdefault(output.facts.format, []).append(output.facts.values)
        return by_format

    def facts(self, *formats: str) -> Iterator[dict[str, Any]]:
        """Facts of all outputs of these formats."""
        for name in formats:
            yield from self.formats.get(name, ())

    def controllers(self, *formats: str) -> Iterator[Controller]:
        """RAID controllers by outputs of these formats."""
        return map(Controller.of, self.facts(*formats))

    # devices ----------------------------------------------------------------------------------------------------------

    @cached_property
    def cards(self) -> dict[str, list[Device]]:
        """Network cards, storage controllers and NVMe drives: functions by address without the function."""
        return self.machine.cards()

    def title(self, device: Device) -> str:
        """Name of a device for people."""
        names = self.interfaces_of(device.card)
        what = (device.name or device.class_ or "device")[:80]
        return f"{device.address} {what}" + (f" ({', '.join(names)})" if names else "")

    def needs(self, device: Device) -> float | None:
        """Return the total rate of a network card's ports [bit/s], None if unknown."""
        if device.purpose != "nic":
            return None
        rates = [self.port_bps(name) for name in self.interfaces_of(device.card)]
        if not rates:
            rates = [_named_speed(port.name) for port in self.cards.get(device.card, ()) if port.purpose == "nic"]
        known = [rate for rate in rates if rate is not None]
        return sum(known) if known and len(known) == len(rates) else None

    def slot_settings(self, address: str, **settings: object) -> dict[str, Any]:
        """Scenario keys for the slot of a card, if the host's description has it."""
        slot = self.slots.get(address.rpartition(".")[0])
        return {} if slot is None else {f"host.slots.{slot}.{name}": value for name, value in settings.items()}

    # interfaces -------------------------------------------------------------------------------------------------------

    def interfaces_of(self, card: str) -> list[str]:
        """Interfaces of a card, by its address without the function."""
        return sorted(
            name
            for name, interface in self.machine.interfaces.items()
            if (interface.bus_info or interface.address or "").rpartition(".")[0] == card
        )

    @cached_property
    def links(self) -> dict[str, Link]:
        """Facts of each interface from ip link, ifconfig and the like, and sysfs."""
        by_name: dict[str, dict[str, Any]] = {}
        for facts in self.facts("sysfs"):
            for name, link in facts["net"].items():
                by_name.setdefault(name, {}).update(link)
        for facts in self.facts("ifconfig", "esxi-nics", "dladm", "ip-link", "ip-link-json"):
            for link in facts["interfaces"]:
                by_name.setdefault(link["name"], {}).update(
                    {name: value for name, value in link.items() if value is not None}
                )
        return {name: Link.of(facts) for name, facts in by_name.items()}

    def link(self, name: str) -> Link:
        """Facts of an interface from ip link and sysfs; empty if it was not captured."""
        return self.links.get(name, Link())

    def mtu(self, name: str) -> int | None:
        """Return the MTU of an interface [B]."""
        mtu = self.link(name).mtu
        return mtu if mtu is not None and 0 < mtu <= 65_536 else None

    @cached_property
    def ports(self) -> dict[str, Interface]:
        """Interfaces that are ports of a card: no bridges, bonds, loopback or networks of guests."""
        cabled = {}
        for name, interface in self.machine.interfaces.items():
            link = self.link(name)
            card = any(
                fact is not None for fact in (interface.address, interface.bus_info, interface.port, interface.rx_max)
            )
            if card and not link.loopback and not link.kind:
                cabled[name] = interface
        return cabled

    def port_bps(self, name: str) -> float | None:
        """Return the highest rate of a port [bit/s]: its fastest mode, else its speed, else that in its card's name."""
        port = self.ports.get(name, Interface())
        card = self.machine.device(port.bus_info or port.address)
        modes = positive(port.supported_max_bps)
        if modes == _OWN_MODE:  # between cards of one maker only
            modes = positive(port.advertised_max_bps)
        return modes or positive(port.speed_bps) or _named_speed(card.name)


def positive(value: object) -> float | None:
    """Return a number above 0, None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if value > 0 else None


def whole(value: object) -> int | None:
    """Return a whole number above 0, None for everything else."""
    number = positive(value)
    return int(number) if number is not None and number.is_integer() else None


def _named_speed(name: str | None) -> float | None:
    """Return the rate of a port in the name of a card [bit/s]."""
    text = (name or "").replace("-Gigabit", "G").replace(" Gigabit Ethernet", " 1GbE")
    match = _NAMED_SPEED.search(text)
    if match is not None:
        return float(match["number"]) * 1e9
    return next((rate * 1e9 for cage, rate in sorted(_SFP28.items(), reverse=True) if cage in text), None)


def listed(words: Iterable[str], most: int = 6) -> str:
    """Join words by commas, truncated if there are many."""
    given = list(words)
    more = len(given) - most
    return ", ".join(given) if more <= 0 else f"{', '.join(given[:most])} and {more} more"
