"""What can be bought: parts with a price, from the catalogue or from the bill of materials of a host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Library, Scenario, load_scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.host import Bill
from hecn_analysis.hardware.parts import Board, Controller, Cpu, Disk, Enclosure, Module, Nic, Optic, Part

#: Kinds of parts that are bought.
KINDS: Final = ("boards", "controllers", "cpus", "disks", "enclosures", "modules", "nics", "optics")

#: Power of a part whose own is not known, by kind: typical data sheets of the catalogue's parts. [W]
TYPICAL_POWER: Final = {
    "boards": 60.0,
    "controllers": 15.0,
    "cpus": 200.0,
    "disks": 8.0,
    "modules": 5.0,
    "nics": 20.0,
}
NVME_POWER: Final = 15.0

#: Fastest transfers of each generation of DDR memory in servers [T/s].
_FASTEST_DDR: Final = ((1.9e9, 3), (3.3e9, 4), (float("inf"), 5))


@dataclass(frozen=True)
class Offers:
    """Parts that can be bought, by kind and name, each with a price.

    Attributes
    ----------
    parts
        By kind, then by name. A kind that is not there comes with the host: nothing is bought of it, nothing limits.
    fixed_usd
        What each host costs beside these parts. [USD]
    fixed_title
        What that is.
    base
        Keys of each host that are there already, such as its memory.
    """

    parts: Mapping[str, Mapping[str, Part]]
    fixed_usd: float = 0.0
    fixed_title: str = ""
    base: Mapping[str, Any] = field(default_factory=dict)

    def bought(self, kind: str) -> bool:
        """Whether parts of a kind are to be bought at all.

        Parameters
        ----------
        kind
            A kind of parts, such as ``disks``.

        Returns
        -------
        bool
            Whether there are offers of it.

        Examples
        --------
        >>> offers, _, _ = offered_by("a++")
        >>> offers.bought("nics"), offers.bought("enclosures")
        (True, False)
        """
        return kind in self.parts

    def of(self, kind: str) -> dict[str, Any]:
        """Parts of a kind, by name.

        Parameters
        ----------
        kind
            A kind of parts, such as ``disks``.

        Returns
        -------
        dict
            Part by its name; none where nothing is bought.

        Examples
        --------
        >>> offers, _, _ = offered_by("a++")
        >>> list(offers.of("nics"))
        ['myri-10g-pcie2-8b2-2s']
        """
        return dict(self.parts.get(kind, {}))

    @property
    def boards(self) -> dict[str, Board]:
        """Boards on offer."""
        return cast("dict[str, Board]", self.of("boards"))

    @property
    def cpus(self) -> dict[str, Cpu]:
        """Processors on offer."""
        return cast("dict[str, Cpu]", self.of("cpus"))

    @property
    def nics(self) -> dict[str, Nic]:
        """Network cards on offer."""
        return cast("dict[str, Nic]", self.of("nics"))

    @property
    def controllers(self) -> dict[str, Controller]:
        """Controllers on offer."""
        return cast("dict[str, Controller]", self.of("controllers"))

    @property
    def disks(self) -> dict[str, Disk]:
        """Drives on offer."""
        return cast("dict[str, Disk]", self.of("disks"))

    @property
    def enclosures(self) -> dict[str, Enclosure]:
        """Enclosures on offer."""
        return cast("dict[str, Enclosure]", self.of("enclosures"))

    @property
    def modules(self) -> dict[str, Module]:
        """Memory modules on offer."""
        return cast("dict[str, Module]", self.of("modules"))

    @property
    def optics(self) -> dict[str, Optic]:
        """Transceivers and cables on offer."""
        return cast("dict[str, Optic]", self.of("optics"))


def price_usd(part: Part) -> float:
    """Price of a part on offer [USD]."""
    assert part.price is not None  # noqa: S101 - what has none is not on offer
    return part.price.value


def power_w(kind: str, part: Part) -> float:
    """Power of a part, or that of its kind where its own is not known [W]."""
    if part.power is not None:
        return part.power.value
    if isinstance(part, Disk) and part.link == "pcie":
        return NVME_POWER
    return TYPICAL_POWER[kind]


def ddr_of(transfers: float | None) -> int | None:
    """Generation of DDR memory whose servers transfer that fast at most."""
    if transfers is None:
        return None
    return next(ddr for fastest, ddr in _FASTEST_DDR if transfers <= fastest)


def offered(*, assume_prices: bool = False) -> Offers:
    """Everything in the catalogue whose price is known."""
    found = {
        kind: {
            name: part
            for name, part in parts(kind).items()
            if part.price is not None and (assume_prices or part.price.basis != "assumed")
        }
        for kind in KINDS
    }
    return Offers(found)


def offered_by(name: str) -> tuple[Offers, Scenario, Bill]:
    """The parts of a host's bill of materials at its prices; what has no entry in the catalogue comes with each host.

    Parameters
    ----------
    name
        Host of the models with a bill.

    Returns
    -------
    offers, host, bill
        What can be bought; a scenario that has the host at both ends; its bill.

    Raises
    ------
    InputError
        There is no such host, or it has no bill.

    Examples
    --------
    >>> offers, host, bill = offered_by("a++")
    >>> host.sender.name, bill.year
    ('a++', 2009)
    """
    scenario = load_scenario({"sender": name, "receiver": name, "path": "lan-10ge", "tool": "nuttcp"})
    host = scenario.sender
    assert host is not None  # noqa: S101 - the tool has both ends
    bill = host.bill
    if bill is None:
        known = [each for each in Library(places.models_dir()).names("hosts") if _has_bill(each)]
        raise InputError(f"host {name!r} without a bill of materials", f"one of {', '.join(known)}")
    catalogue = {kind: parts(kind) for kind in KINDS}
    found: dict[str, dict[str, Part]] = {kind: {} for kind in ("boards", "cpus", "nics", "controllers", "disks")}
    rest = 0.0
    for item in bill.items:
        kind = next((kind for kind, known in catalogue.items() if item.part in known), None)
        if kind is not None and item.price is not None:
            part = catalogue[kind][item.part].model_copy(update={"price": item.price})
            found.setdefault(kind, {})[item.part] = part
        elif item.price is not None:
            rest += item.quantity * item.price.value
    offers = Offers(found, rest, f"the rest of the list of {host.title or name}", {})
    base: dict[str, Any] = {"max_payload": host.max_payload.value, "lro": host.lro, "kernel": host.kernel}
    base |= {"hystart": host.hystart, "congestion_control": host.congestion_control}
    if host.memory is not None:
        base["memory.channels"] = int(host.memory.channels.value)
        base["memory.transfers"] = host.memory.transfers.value
    return replace(offers, base=base), scenario, bill


def _has_bill(name: str) -> bool:
    return "bill" in Library(places.models_dir()).entry("hosts", name).values
