"""Parts on offer: parts with a price, from the catalogue or from the bill of materials of a host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError, one_of, unknown_name
from hecn_analysis.hardware import Library, Scenario, load_scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.host import Bill
from hecn_analysis.hardware.parts import KINDS as PART_KINDS
from hecn_analysis.hardware.parts import Board, Controller, Cpu, Disk, Enclosure, Module, Nic, Optic, Part

#: Kinds of parts to buy: all but switches.
KINDS: Final = tuple(kind for kind in PART_KINDS if kind != "switches")

#: Power of a part without a figure of its own, by kind: typical of the catalogue's data sheets. [W]
TYPICAL_POWER: Final = {
    "boards": 60.0,
    "controllers": 15.0,
    "cpus": 200.0,
    "disks": 8.0,
    "modules": 5.0,
    "nics": 20.0,
}
NVME_POWER: Final = 15.0

#: Age up to which parts are bought by default. [years]
_DECADE: Final = 10

#: Fastest transfers of each generation of DDR memory in servers [T/s].
_FASTEST_DDR: Final = ((1.9e9, 3), (3.3e9, 4), (float("inf"), 5))


@dataclass(frozen=True)
class Offers:
    """Parts on offer by kind and name, each with a price.

    A kind that is absent from ``parts`` comes with the host: it is not bought and sets no limit. ``fixed_usd`` is the
    cost of each host besides these parts [USD], ``base`` has given keys of each host, such as its memory.
    ``published_only`` says that parts with an assumed price were left out.
    """

    parts: Mapping[str, Mapping[str, Part]]
    fixed_usd: float = 0.0
    fixed_title: str = ""
    base: Mapping[str, Any] = field(default_factory=dict)
    published_only: bool = False

    def bought(self, kind: str) -> bool:
        """Whether parts of a kind are on offer.

        Parameters
        ----------
        kind
            A kind of parts, such as ``disks``.

        Returns
        -------
        bool
            True if there are offers of that kind.

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
            Parts by name; empty if the kind is not on offer.

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
    assert part.price is not None  # noqa: S101 - parts without a price are not on offer
    return part.price.value


def power_w(kind: str, part: Part) -> float:
    """Power of a part, or the typical power of its kind [W]."""
    if part.power is not None:
        return part.power.value
    if isinstance(part, Disk) and part.link == "pcie":
        return NVME_POWER
    return TYPICAL_POWER[kind]


def ddr_of(transfers: float | None) -> int | None:
    """Generation of DDR memory for a transfer rate [T/s]."""
    if transfers is None:
        return None
    return next(ddr for fastest, ddr in _FASTEST_DDR if transfers <= fastest)


def offered(*, assume_prices: bool = False, since: int | None = None) -> Offers:
    """All parts of the catalogue with a price and no older than `since`, by default ten years before the newest."""
    catalogue = {kind: parts(kind) for kind in KINDS}
    if since is None:
        since = max(part.year or 0 for kind in catalogue.values() for part in kind.values()) - _DECADE
    by_kind = {
        kind: {
            name: part
            for name, part in known.items()
            if part.price is not None
            and (assume_prices or part.price.basis != "assumed")
            and (part.year is None or part.year >= since)
        }
        for kind, known in catalogue.items()
    }
    return Offers(by_kind, published_only=not assume_prices)


def offered_by(name: str) -> tuple[Offers, Scenario, Bill]:
    """The parts of a host's bill of materials at its prices; items outside the catalogue are a fixed cost.

    Parameters
    ----------
    name
        Host of the models with a bill.

    Returns
    -------
    offers, host, bill
        The parts on offer; a scenario with the host at both ends; its bill.

    Raises
    ------
    InputError
        The host is unknown or has no bill.

    Examples
    --------
    >>> offers, host, bill = offered_by("a++")
    >>> host.sender.name, bill.year
    ('a++', 2009)
    """
    hosts = Library(places.models_dir()).names("hosts")
    if name not in hosts and not name.endswith((".yaml", ".yml")):
        raise unknown_name("host", name, _listed(hosts))
    scenario = load_scenario({"sender": name, "receiver": name, "path": "lan-10ge", "tool": "nuttcp"})
    host = scenario.sender
    assert host is not None  # noqa: S101 - the tool has both ends
    bill = host.bill
    if bill is None:
        raise InputError(f"host {name!r} without a bill of materials", one_of(_listed(hosts), name))
    catalogue = {kind: parts(kind) for kind in KINDS}
    by_kind: dict[str, dict[str, Part]] = {kind: {} for kind in ("boards", "cpus", "nics", "controllers", "disks")}
    other_usd = 0.0
    for item in bill.items:
        kind = next((kind for kind, known in catalogue.items() if item.part in known), None)
        if kind is not None and item.price is not None:
            part = catalogue[kind][item.part].model_copy(update={"price": item.price})
            by_kind.setdefault(kind, {})[item.part] = part
        elif item.price is not None:
            other_usd += item.quantity * item.price.value
    offers = Offers(by_kind, other_usd, f"the rest of the list of {host.title or name}", {})
    base: dict[str, Any] = {"max_payload": host.max_payload.value, "lro": host.lro, "kernel": host.kernel}
    base |= {"hystart": host.hystart, "congestion_control": host.congestion_control}
    if host.memory is not None:
        base["memory.channels"] = int(host.memory.channels.value)
        base["memory.transfers"] = host.memory.transfers.value
    return replace(offers, base=base), scenario, bill


def _listed(hosts: Iterable[str]) -> list[str]:
    """Those of the hosts that have a bill."""
    library = Library(places.models_dir())
    return [name for name in hosts if "bill" in library.entry("hosts", name).values]
