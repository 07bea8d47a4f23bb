"""Interfaces, bonds and queues."""

from dataclasses import dataclass

from hecn_analysis.inventory.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Interface(Part):
    """A network interface, by ethtool, lshw and sysfs.

    Parameters
    ----------
    bus_info
        PCI address of its card as it says itself.
    address
        The same where a PCI device has it.
    port
        Kind of its connector.
    link_detected
        Whether there is a signal.
    duplex
        ``full`` or ``half``.
    speed_bps, supported_max_bps, advertised_max_bps
        What runs, and the fastest link mode that it can do and that it offers. [bit/s]
    rx, tx, rx_max, tx_max
        Packets of its rings, as set and at most.
    features, fixed
        Whether each offload is on, by its long name, and those that cannot be changed.
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
    """What ip link and sysfs say of an interface.

    Parameters
    ----------
    mtu
        Largest packet of IP. [B]
    up
        Whether somebody switched it on.
    state
        In the words of the source.
    loopback
        Whether it leads back to the host.
    kind
        What it is made of software: ``bond``, ``bridge``, ``vlan`` …; None for a card's port.
    """

    mtu: int | None = None
    up: bool | None = None
    state: str | None = None
    loopback: bool | None = None
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class Slave(Part):
    """A port of a bond.

    Parameters
    ----------
    name
        Its interface.
    state
        ``up`` or another word of the driver.
    speed_bps
        Its line rate. [bit/s]
    aggregator
        Number of the aggregator that it is in.
    """

    name: str = ""
    state: str | None = None
    speed_bps: float | None = None
    aggregator: int | None = None


@dataclass(frozen=True, kw_only=True)
class Bond(Part):
    """Several ports as one.

    Parameters
    ----------
    interface
        Its name.
    mode
        By the kernel's short name: ``802.3ad``, ``active-backup`` …
    active_aggregator
        Number of the aggregator whose ports carry traffic.
    """

    interface: str | None = None
    mode: str | None = None
    active_aggregator: int | None = None

    @property
    def slaves(self) -> list[Slave]:
        """Its ports."""
        return [Slave.of(one) for one in self.facts.get("slaves", ())]


@dataclass(frozen=True, kw_only=True)
class Queue(Part):
    """A queue in front of a port, by tc.

    Parameters
    ----------
    dev
        The interface.
    root
        Whether it is the whole queue, not one of its parts.
    sent_packets, dropped
        Packets since it was made.
    """

    dev: str | None = None
    root: bool | None = None
    sent_packets: int | None = None
    dropped: int | None = None
