"""Checks of arrays and disks: degraded, chunk and stripe cache of software RAID, controller caches, slow links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError
from hecn_analysis.inventory.checks.finding import Finding, Seen, listed, positive, whole
from hecn_analysis.inventory.parts.storage import Disk, Pool, SoftwareArray

_DISK_BPS: Final = {True: 1.2e9, False: 4.0e9, None: 1.2e9}
_PARITY: Final = {5: 1, 6: 2}
_REBUILD: Final = 0.3
_PAGE: Final = 4096
_DEFAULT_STRIPES: Final = 256
_WANTED_STRIPES: Final = 8192
_CHUNKS: Final = (65_536, 1 << 20)
_BAD: Final = (
    *("degrad", "dgrd", "pdgd", "interim", "recover", "rebuild", "impacted", "inoperable", "fail", "offl", "ofln"),
)
_CONTROLLERS: Final = (
    *("storcli-json", "storcli", "megacli", "ssacli", "hpacucli", "arcconf", "tw_cli", "sas2ircu", "areca-cli64"),
)
_STRIPES: Final = "Linux admin-guide/md.rst: stripe_cache_size; writes of part of a stripe read the rest first"
_DEGRADED: Final = "HECN, limits.raid: what a lost disk costs; Linux admin-guide/md.rst"
_LINKS: Final = "SATA 3.x and SAS-2: 8 bits travel as 10"


def _disk_bps(seen: Seen, names: Sequence[str], disk: Disk) -> tuple[float, str]:
    """Return the rate of a disk of an array [bit/s], and its derivation."""
    known = [seen.machine.disks[name] for name in names if name in seen.machine.disks]
    turning = next((each.rotational for each in known if each.rotational is not None), None)
    media = (disk.media or disk.type or "").lower()
    if turning is None and media:
        turning = not ("ssd" in media or "solid" in media)
    rate = _DISK_BPS[turning]
    return rate, f"{units.format_rate(rate)} a disk (assumed)"


def _rate(level: int, disks: int, rate: float, op: str, **more: object) -> float | None:
    try:
        return float(limits.raid(level=level, disks=disks, disk_rate=rate, op=op, **more)["throughput_bps"])  # type: ignore[arg-type]
    except RangeError:
        return None


def _bad(state: str) -> bool:
    """Whether a state, in the words of any program, is that of an array with missing disks."""
    return any(word in state.lower() for word in _BAD)


def degraded(seen: Seen) -> Iterator[Finding]:
    """Arrays that run without some of their disks."""
    for array in seen.machine.arrays:
        lost = array.disks - array.working if array.working is not None else None
        state = (array.state or "").lower()
        bad = _bad(state)
        if not (lost or 0) > 0 and not bad:
            continue
        rate, assumed = _disk_bps(seen, array.members, array.disk)
        level = array.level
        gone = max(lost or 0, 1 if bad else 0)
        words = []
        if lost:
            words.append(f"{array.working} of {array.disks} disks work")
        if array.state:
            words.append(f"state {array.state!r}")
        software = array.name.startswith("md")
        rebuild = _REBUILD if any(word in state for word in ("recover", "rebuild")) else 0.0
        yield Finding(
            "degraded-array",
            f"{array.name}, RAID {level}",
            ", ".join(words),
            f"all {array.disks} disks",
            limit_bps=_rate(level, array.disks, rate, "read", lost=gone, rebuild=rebuild),
            fixed_bps=_rate(level, array.disks, rate, "read"),
            basis=f"limits.raid, sequential reads, {assumed}, "
            f"{units.format_percent(rebuild)} of the disks' time for the rebuild",
            fix=f"mdadm --manage /dev/{array.name} --remove failed; replace the disk; "
            f"mdadm --manage /dev/{array.name} --add /dev/DISK"
            if software
            else "replace the failed disk; a spare starts the rebuild by itself",
            verify="cat /proc/mdstat" if software else "the controller's program: the volume's state is optimal",
            source=_DEGRADED,
        )
    yield from _degraded_volumes(seen)
    yield from _degraded_pools(seen)


def _degraded_volumes(seen: Seen) -> Iterator[Finding]:
    """Volumes of a controller with too few facts for an array."""
    known = {array.name for array in seen.machine.arrays}
    for controller in seen.controllers(*_CONTROLLERS):
        for volume in (*controller.volumes, *controller.raidsets):
            name = f"{controller.controller or 'raid'} {volume.id}"
            if name not in known and volume.state is not None and _bad(volume.state):
                yield Finding(
                    "degraded-array",
                    f"{name}, {volume.level or 'level not known'}",
                    f"state {volume.state!r}",
                    "all disks",
                    fix="replace the failed disk; a spare starts the rebuild by itself",
                    verify="the controller's program: the volume's state is optimal",
                    source=_DEGRADED,
                )


def _degraded_pools(seen: Seen) -> Iterator[Finding]:
    """ZFS pools that run without some of their disks."""
    for facts in seen.facts("zpool-status"):
        for pool in map(Pool.of, facts["pools"]):
            failed = pool.failed
            if pool.state in (None, "ONLINE") and not failed:
                continue
            yield Finding(
                "degraded-array",
                f"ZFS pool {pool.name}",
                f"state {pool.state}" + (f", {listed(failed)} failed" if failed else ""),
                "ONLINE with all disks",
                fix=f"zpool replace {pool.name} {failed[0] if failed else 'DISK'} NEW_DISK",
                verify=f"zpool status {pool.name}",
                source=_DEGRADED,
            )


def stripe_cache(seen: Seen) -> Iterator[Finding]:
    """Software RAID with parity whose stripe cache is as small as the default."""
    for facts in seen.facts("sysfs"):
        for name, fields in facts["arrays"].items():
            known = SoftwareArray.of(fields)
            stripes, disks = whole(known.stripe_cache_size), whole(known.n_raid_devices)
            level = {"raid5": 5, "raid6": 6}.get(known.level or "")
            if stripes is None or level is None or disks is None or stripes > _DEFAULT_STRIPES * 2:
                continue
            array = next((array_part for array_part in seen.machine.arrays if array_part.name == name), None)
            rate, assumed = _disk_bps(seen, array.members if array else [], Disk())
            chunk = whole(known.chunk_bytes) or (array.chunk_bytes if array else None) or 524_288
            part = min(stripes * _PAGE, chunk * max(disks - _PARITY[level], 1) // 2)
            memory = _WANTED_STRIPES * _PAGE * disks
            yield Finding(
                "stripe-cache",
                f"/dev/{name}, RAID {level} of {disks}",
                f"stripe_cache_size {stripes}",
                f"{_WANTED_STRIPES}, which takes {units.format_bytes(memory)} of memory",
                limit_bps=_rate(level, disks, rate, "write", chunk=chunk, request=max(part, _PAGE)),
                fixed_bps=_rate(level, disks, rate, "write", chunk=chunk),
                basis=f"limits.raid, writes that reach the disks as {units.format_bytes(part)} and as whole stripes, "
                f"chunk {units.format_bytes(chunk)}, {assumed}",
                fix=f"echo {_WANTED_STRIPES} > /sys/block/{name}/md/stripe_cache_size at each start",
                verify=f"cat /sys/block/{name}/md/stripe_cache_size",
                source=_STRIPES,
            )


def chunk(seen: Seen) -> Iterator[Finding]:
    """Arrays with parity whose chunk is too small or too large for sequential writes."""
    for array in seen.machine.arrays:
        size, level = array.chunk_bytes, array.level
        if size is None or level not in _PARITY or _CHUNKS[0] <= size <= _CHUNKS[1]:
            continue
        rate, assumed = _disk_bps(seen, array.members, array.disk)
        request = 1 << 20
        yield Finding(
            "chunk",
            f"{array.name}, RAID {level} of {array.disks}",
            f"chunk {units.format_bytes(size)}",
            "64 to 1024 KiB: small ones take many requests, large ones make stripes that programs do not fill",
            limit_bps=_rate(level, array.disks, rate, "write", chunk=size, request=request),
            fixed_bps=_rate(level, array.disks, rate, "write", chunk=1 << 18),
            basis=f"limits.raid, writes of 1 MiB, and whole stripes of 256 KiB chunks, {assumed}",
            fix=f"make the array anew with mdadm --create … --chunk=256, or mdadm --grow /dev/{array.name} --chunk=256 "
            "(takes days); align the file system: mkfs.xfs -d su=256k,sw=DATA_DISKS",
            verify=f"mdadm --detail /dev/{array.name} | grep Chunk",
            source=_STRIPES,
        )


def controller_cache(seen: Seen) -> Iterator[Finding]:
    """Volumes with parity on a controller that writes through its cache."""
    for controller in seen.controllers("megacli", "storcli-json", "storcli", "arcconf"):
        for volume in controller.volumes:
            cache, level = volume.cache or "", volume.level or ""
            through = cache == "WriteThrough" or ("WT" in cache and "WB" not in cache) or "write-through" in cache
            if not through or level not in ("raid5", "raid6", "raid50", "raid60"):
                continue
            count, strip = whole(volume.n_drives), whole(volume.strip_bytes) or 65_536
            number = {"raid5": 5, "raid6": 6}.get(level)
            known = count is not None and number is not None
            rate = _DISK_BPS[None]
            yield Finding(
                "controller-cache",
                f"{controller.controller or 'controller'}, volume {volume.id}, {level}",
                f"cache {cache}",
                "write back, with a healthy battery or capacitor",
                limit_bps=_rate(number, count, rate, "write", chunk=strip, request=strip)
                if known and number and count
                else None,
                fixed_bps=_rate(number, count, rate, "write", chunk=strip) if known and number and count else None,
                basis=f"limits.raid, writes of a strip and of whole stripes, {units.format_rate(rate)} a disk (assumed)"
                if known
                else "",
                fix="replace the battery; storcli /cX/vY set wrcache=wb (MegaCli -LDSetProp WB -Lall -aALL)",
                verify="storcli /cX/vall show; MegaCli -LDInfo -Lall -aALL | grep 'Current Cache Policy'",
                source="the controllers' manuals: write back only with a battery, for it survives a power cut",
            )


def disk_links(seen: Seen) -> Iterator[Finding]:
    """Disks whose link runs below the disk's maximum."""
    for name, disk in sorted(seen.machine.disks.items()):
        does, can = positive(disk.link_bps), positive(disk.link_max_bps)
        if does is not None and can is not None and does < can:
            yield _slow(name, disk.model or "disk", does, can, f"smartctl -i /dev/{name} | grep SATA")
    for controller in seen.controllers("megacli"):
        slow = [
            (drive, does, can)
            for drive in controller.drives
            if (does := positive(drive.link_bps)) and (can := positive(drive.link_max_bps)) and does < can
        ]
        if slow:
            places = listed(f"slot {drive.slot}" for drive, _, _ in slow)
            first, does, can = slow[0]
            yield _slow(places, first.model or "disks", does, can, "MegaCli -PDList -aALL | grep -E 'Slot|Speed'")


def _slow(place: str, model: str, does: float, can: float, verify: str) -> Finding:
    return Finding(
        "disk-link",
        f"{place}, {model}",
        f"a link of {units.format_rate(does)}",
        f"{units.format_rate(can)}, which the disk can do",
        limit_bps=0.8 * does,
        fixed_bps=0.8 * can,
        basis="line rate less 8b/10b coding; it matters to solid-state drives, and where an expander shares it",
        fix="cable, backplane and port of that rate; the controller's setting for link speed on Auto",
        verify=verify,
        source=_LINKS,
    )
