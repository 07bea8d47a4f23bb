"""Disks, arrays and pools, and their facts from RAID controllers."""

from dataclasses import dataclass, field
from typing import Any

from hecn_analysis.inventory.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Disk(Part):
    """A disk, from the system or the program of its RAID controller.

    ``ssd``: it says that it does not rotate. ``transport``, ``protocol``, ``interface``, ``type`` and ``media`` are in
    the words of each program; ``link_bps`` and ``link_max_bps`` are the current and highest line rate [bit/s], ``pci``
    is the address of its controller, ``slot`` its place in an enclosure.
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
    """A volume of a RAID controller, in the words of its program; ``strip_bytes`` is the part of a stripe on a disk."""

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
    """A RAID controller with its volumes and drives, from its program."""

    controller: str | None = None
    model: str | None = None
    pci: str | None = None

    @property
    def volumes(self) -> list[Volume]:
        """Its volumes, which the system sees as disks."""
        return [Volume.of(volume) for volume in self.facts.get("volumes", ())]

    @property
    def raidsets(self) -> list[Volume]:
        """Sets of disks, from Areca's program."""
        return [Volume.of(raidset) for raidset in self.facts.get("raidsets", ())]

    @property
    def drives(self) -> list[Disk]:
        """Its disks."""
        return [Disk.of(drive) for drive in self.facts.get("drives", ())]


@dataclass(frozen=True, kw_only=True)
class SoftwareArray(Part):
    """An array of Linux' software RAID, from mdstat, mdadm or sysfs.

    ``n_configured`` and ``n_working`` are mdstat's numbers of disks, ``n_raid_devices`` and ``n_active`` the others'.
    ``chunk_bytes`` is the part of a stripe on one disk [B], ``stripe_cache_size`` the pages per disk that collect
    writes.
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
    """Disks that work as one; ``name`` is that of the device, or of the controller and the volume.

    ``chunk_bytes`` is the part of a stripe on one disk [B], ``working`` the number of working disks, None if unknown;
    ``controller`` is None for software RAID, and ``disk`` has the controller's facts about its disks.
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
        """Its facts for JSON."""
        by = self.controller
        controller = {} if by is None else {"model": by.controller or by.model, "pci": by.pci}
        return {**vars(self), "controller": controller, "disk": dict(self.disk.facts)}


@dataclass(frozen=True, kw_only=True)
class Pool(Part):
    """A pool of ZFS; ``state`` is ``ONLINE`` or another word of zpool."""

    name: str | None = None
    state: str | None = None

    @property
    def failed(self) -> list[str]:
        """Disks that are not online."""
        return [disk for group in self.facts.get("groups", ()) for disk in group["failed"]]
