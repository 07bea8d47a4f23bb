"""Interfaces, bonds and queues."""

from dataclasses import dataclass

from hecn_analysis.inventory.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Interface(Part):
    """A network interface, from ethtool, lshw and sysfs.

    ``bus_info`` is the PCI address of its card, ``address`` the same if a PCI device has it, ``port`` the kind of its
    connector. ``speed_bps`` is the current rate, ``supported_max_bps`` and ``advertised_max_bps`` the fastest modes
    [bit/s]. ``rx``, ``tx``, ``rx_max`` and ``tx_max`` are packets of its rings. ``features`` has offloads by long name,
    ``fixed`` those that cannot be changed.
    """

    bus_info: str | None = None
    address: str | None = None
    port: str | None = None
    link_detected: bool | None = None
    duplex: str | None = None
    speed_bps: float | None = None
    supported_max_bps: float | None = None
    advertised_max_bps: float | None = None
    rx: int | None = None
    tx: int | None = None
    rx_max: int | None = None
    tx_max: int | None = None
    features: dict[str, bool] | None = None
    fixed: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Part):
    """Facts of an interface from ip link and sysfs: MTU [B], and whether it is switched on.

    ``state`` is in the words of the source. ``kind`` is that of a software interface (``bond``, ``bridge``, ``vlan``
    …), None for a card's port.
    """

    mtu: int | None = None
    up: bool | None = None
    state: str | None = None
    loopback: bool | None = None
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class Slave(Part):
    """A port of a bond: interface, state in the driver's words, line rate [bit/s], and number of its aggregator."""

    name: str = ""
    state: str | None = None
    speed_bps: float | None = None
    aggregator: int | None = None


@dataclass(frozen=True, kw_only=True)
class Bond(Part):
    """Several ports as one; ``mode`` has the kernel's short name, only ports of the active aggregator carry traffic."""

    interface: str | None = None
    mode: str | None = None
    active_aggregator: int | None = None

    @property
    def slaves(self) -> list[Slave]:
        """Its ports."""
        return [Slave.of(slave) for slave in self.facts.get("slaves", ())]


@dataclass(frozen=True, kw_only=True)
class Queue(Part):
    """A queue before a port, from tc; ``root``: the entire queue, not a part. Packets count since it was made."""

    dev: str | None = None
    root: bool | None = None
    sent_packets: int | None = None
    dropped: int | None = None
