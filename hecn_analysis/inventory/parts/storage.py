"""Disks, what RAID controllers say of them, arrays and pools."""

from dataclasses import dataclass, field
from typing import Any

from hecn_analysis.inventory.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Disk(Part):
    """A disk, by the system or by the program of its RAID controller.

    Parameters
    ----------
    model
        Its model number.
    size_bytes
        What it holds. [B]
    rotational, ssd
        Whether it turns, and whether it says that it does not.
    transport, protocol, interface, type, media
        How it is attached and what it is made of, in the words of each program.
    link_bps, link_max_bps
        Line rate of its link, and the fastest that it can do. [bit/s]
    pci
        PCI address of its controller.
    slot
        Its place in an enclosure.
    """

    model: str | None = None
    size_bytes: float | None = None
    rotational: bool | None = None
    ssd: bool | None = None
    transport: str | None = None
    protocol: str | None = None
    interface: str | None = None
    type: str | None = None
    media: str | None = None
    link_bps: float | None = None
    link_max_bps: float | None = None
    pci: str | None = None
    slot: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Volume(Part):
    """What a RAID controller shows the system as one disk.

    Parameters
    ----------
    id
        Its number or name.
    level
        RAID level in the words of the program.
    n_drives, n_segments
        Number of disks that carry it.
    size_bytes, strip_bytes
        What it holds, and what is written to one disk before the next one's turn. [B]
    state, cache
        In the words of the program.
    """

    id: int | str | None = None
    level: str | None = None
    n_drives: int | None = None
    n_segments: int | None = None
    size_bytes: float | None = None
    strip_bytes: int | None = None
    state: str | None = None
    cache: str | None = None


@dataclass(frozen=True, kw_only=True)
class Controller(Part):
    """A RAID controller with what hangs on it, by its program.

    Parameters
    ----------
    controller, model
        Its name, under which programs print it.
    pci
        Its PCI address.
    """

    controller: str | None = None
    model: str | None = None
    pci: str | None = None

    @property
    def volumes(self) -> list[Volume]:
        """What it shows the system as disks."""
        return [Volume.of(one) for one in self.facts.get("volumes", ())]

    @property
    def raidsets(self) -> list[Volume]:
        """Sets of disks, by Areca's program."""
        return [Volume.of(one) for one in self.facts.get("raidsets", ())]

    @property
    def drives(self) -> list[Disk]:
        """Its disks."""
        return [Disk.of(one) for one in self.facts.get("drives", ())]


@dataclass(frozen=True, kw_only=True)
class SoftwareArray(Part):
    """An array of Linux' software RAID, by mdstat, mdadm or sysfs.

    Parameters
    ----------
    name, device
        Its name, and the path that mdadm gives.
    level, state
        In the words of the source.
    members, spares
        Names of its disks, and of those that only wait.
    n_configured, n_raid_devices
        Number of disks that make it, by mdstat and by the others.
    n_working, n_active
        Number of disks that work, by mdstat and by mdadm.
    size_bytes, chunk_bytes
        What it holds, and what is written to one disk before the next one's turn. [B]
    stripe_cache_size
        Pages of a disk that writes are collected in.
    """

    name: str | None = None
    device: str | None = None
    level: str | None = None
    state: str | None = None
    members: list[str] | None = None
    spares: list[str] | None = None
    n_configured: int | None = None
    n_raid_devices: int | None = None
    n_working: int | None = None
    n_active: int | None = None
    size_bytes: float | None = None
    chunk_bytes: int | None = None
    stripe_cache_size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Array:
    """Disks that work as one.

    Parameters
    ----------
    name
        Name of the device, or of the controller and the volume.
    level
        RAID level.
    disks
        Number of disks that carry it.
    members
        Names of the disks, where they are known.
    size_bytes
        What it holds. [B]
    chunk_bytes
        What is written to one disk before the next one's turn. [B]
    state
        In the words of the source.
    working
        Number of disks that work, None where that is not known.
    controller
        Its controller, None for software RAID.
    disk
        What its controller says of its disks.
    """

    name: str
    level: int
    disks: int
    members: list[str] = field(default_factory=list)
    size_bytes: float | None = None
    chunk_bytes: int | None = None
    state: str | None = None
    working: int | None = None
    controller: Controller | None = None
    disk: Disk = field(default_factory=Disk)

    @property
    def facts(self) -> dict[str, Any]:
        """What JSON shows of it."""
        by = self.controller
        controller = {} if by is None else {"model": by.controller or by.model, "pci": by.pci}
        return {**vars(self), "controller": controller, "disk": dict(self.disk.facts)}


@dataclass(frozen=True, kw_only=True)
class Pool(Part):
    """A pool of ZFS.

    Parameters
    ----------
    name
        Its name.
    state
        ``ONLINE`` or another word of zpool.
    """

    name: str | None = None
    state: str | None = None

    @property
    def failed(self) -> list[str]:
        """Disks that are not online."""
        return [disk for group in self.facts.get("groups", ()) for disk in group["failed"]]
