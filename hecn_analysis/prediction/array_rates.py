"""Rates of arrays: their disks, the files that share them, the requests in flight, and what all disks share.

Rates of disks in an array do not add up: each doubling of their number costs a share of the rate, and controllers,
expanders, parity and the file system cap all together. Values that a description omits are drawn (`array_priors`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from hecn_analysis import limits
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.limits import storage
from hecn_analysis.prediction.array_priors import assumed
from hecn_analysis.prediction.draws import agreed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hecn_analysis.hardware import Array, Disk, Tool
    from hecn_analysis.prediction.draws import Draws, FloatArray

#: Disks' worth of parity in each group.
_PARITY = {5: 1, 6: 2, 50: 1, 60: 2}

#: Rate of a SAS lane by the link of the disks behind an expander; SATA disks are tunnelled at their own rate. [bit/s]
_LANE_BPS = {link: storage.coded_bps(link) for link in ("sata-3", "sata-6", "sas-3", "sas-6", "sas-12", "sas-24")}

#: Disks that one controller or expander serves: servers have 12 to 36. More disks have several, in one host or many.
_ATTACHED = 24

#: Stripes of a page from which a cache holds whole stripes of every disk while more are filled: 8 MiB for each disk.
_LARGE_CACHE = 2048

#: Requests that a file server works on at once, unless its administrator sets more threads: rpc.nfsd(8).
_SERVED = 8

#: More than a disk on SATA or SAS reads: a faster one is on PCI Express lanes of its own. [bit/s]
_FASTEST_SAS_BPS = 2.4e9 * 8


def array_rate(tool: Tool, draw: Draws, role: str, name: str, array: Array, *, streams: int, reads: bool) -> FloatArray:
    """Rate of an array that `streams` files share [bit/s]."""
    at = f"{role}.arrays.{name}"
    rate = _disk_rate(tool, draw, f"{at}.disk", array, files=streams, reads=reads)
    if array.level is not None:
        rate = _together(tool, draw, at, array, rate, files=streams, reads=reads)
    rate = np.minimum(rate, _answered_rate(tool, draw, at, array, rate, files=streams, reads=reads))
    for parameter_name, ceiling in _ceilings(array, at, reads=reads):
        rate = np.minimum(rate, draw(parameter_name, ceiling))
    return np.asarray(rate if reads else rate / array.copies, dtype=np.float64)


def _disk_rate(tool: Tool, draw: Draws, at: str, array: Array, *, files: int, reads: bool) -> FloatArray:
    """Rate of one disk, for the files that share it [bit/s]."""
    disk = array.disk
    field, known = ("read_rate", disk.read_rate) if reads else ("write_rate", disk.write_rate)
    buffered = disk.buffered_read_rate if reads else disk.buffered_write_rate
    if tool.io == "buffered" and buffered is not None:
        field, known = f"buffered_{field}", buffered
    rate = draw(f"{at}.{field}", known)
    if not reads and disk.sustained_write_rate is not None:
        rate = _lasting(tool, draw, at, array, rate, files=files)
    elif not reads and disk.form.startswith("M.2"):  # a consumer's drive writes that fast into its cache alone
        rate = rate * np.minimum(1.0, draw(f"{at}.sustained", assumed("sustained")))
    if files > 1 and agreed(np.isfinite(disk.run_bytes.value)):  # a disk that seeks loses time between files
        shared = storage.interleaved_bps(
            rate,
            draw(f"{at}.run_bytes", disk.run_bytes),
            seek=draw(f"{at}.seek", disk.seek),
            revolution=draw(f"{at}.revolution", disk.revolution),
        )
        rate = np.asarray(shared, dtype=np.float64)
    if array.software == "cluster":
        rate = np.minimum(rate, draw(f"{at}.served", assumed("ceiling", "cluster-disk")))
    return rate


def _lasting(tool: Tool, draw: Draws, at: str, array: Array, burst: FloatArray, *, files: int) -> FloatArray:
    """Write rate of a drive with a fast cache: at first that of the cache, then the sustained one [bit/s]."""
    disk = array.disk
    assert disk.sustained_write_rate is not None  # noqa: S101 - the caller asks only then
    sustained = np.minimum(burst, draw(f"{at}.sustained_write_rate", disk.sustained_write_rate))
    if disk.cache is None or tool.bytes is None:
        return np.asarray(sustained)
    share = draw("tool.bytes", tool.bytes) * files / _data_disks(array)
    cached = np.minimum(share, draw(f"{at}.cache", disk.cache))
    return np.asarray(share / (cached / burst + (share - cached) / sustained))


def _data_disks(array: Array) -> float:
    """Disks whose data differ: without parity and copies."""
    if array.level is None or array.level == 1:
        return 1.0
    if array.level == 10:
        return array.disks / 2
    return array.disks - array.groups * _PARITY.get(array.level, 0)


def _together(
    tool: Tool, draw: Draws, at: str, array: Array, rate: FloatArray, *, files: int, reads: bool
) -> FloatArray:
    """Rate of the disks of an array together [bit/s]."""
    op: Literal["read", "write"] = "read" if reads else "write"
    level, far = array.level, array.layout == "far"
    assert level is not None  # noqa: S101 - the caller asks only then
    copies = {1: array.disks, 10: 2}.get(level, 1)
    streams = copies if array.software == "zfs" and reads else min(files, copies)  # ZFS reads all copies for one file
    chunk, request = draw(f"{at}.chunk", array.chunk), None if reads else _request_alone(tool, draw, array)
    figures = limits.raid(
        level=level,
        disks=array.disks,
        groups=array.groups,
        disk_rate=rate,
        op=op,
        streams=streams,
        far=far,
        solid_state=agreed(array.disk.solid_state),
        request=request,
        chunk=chunk,
    )
    total = np.asarray(figures["throughput_bps"], dtype=np.float64)
    if request is not None:
        cut = np.mod(request, _data_disks(array) / array.groups * chunk) > 0
        wait = np.where(cut, _reread_s(draw, at, array.disk), 0.0)
        total = np.minimum(total, files * 8 * request / (8 * request / total + wait))
    lost = array.doubling_loss or assumed("doubling_loss", "zfs" if array.software == "zfs" else "other")
    kept = 1 - draw(f"{at}.doubling_loss", lost)
    total = total * kept ** np.log2(np.maximum(total / rate, 1.0))
    if not reads and array.software == "md" and level in _PARITY:
        total = total * np.minimum(draw(f"{at}.complete_stripes", _complete_stripes(array)), 1.0)
    return np.asarray(total)


def _complete_stripes(array: Array) -> Parameter:
    """Share of its rate that md keeps as most stripes are complete when they are written."""
    if array.stripe_cache is None:
        return assumed("complete_stripes", "unknown")
    return assumed("complete_stripes", "large" if array.stripe_cache >= _LARGE_CACHE else "default")


def _request_alone(tool: Tool, draw: Draws, array: Array) -> FloatArray | None:
    """Size of a write for which parity is computed at once, since nothing merges it with the next one [B]."""
    merged = tool.io != "direct" or tool.outstanding > 1 or array.software not in {"md", "btrfs"}
    return None if merged or tool.request is None or array.level not in _PARITY else draw("tool.request", tool.request)


def _reread_s(draw: Draws, at: str, disk: Disk) -> FloatArray:
    """Wait of a write that does not fill its stripes: the old data are read before their place is written [s]."""
    if not agreed(disk.solid_state):
        return draw(f"{at}.disk.reread", assumed("latency", "rotating-reread"))
    ways = ("read", "write")
    return np.asarray(sum(draw(f"{at}.disk.{way}_latency", _latency(disk, way)) for way in ways))


def _ceilings(array: Array, at: str, *, reads: bool) -> Iterator[tuple[str, Parameter]]:
    """Ceilings that all disks of an array share, by the name of the parameter [bit/s]."""
    way = "read" if reads else "write"
    if array.ceiling is not None:
        yield f"{at}.ceiling", array.ceiling
        return
    if array.expander_lanes is not None and array.disk.link is not None:
        lanes = array.expander_lanes * float(_LANE_BPS[array.disk.link])
        yield f"{at}.expander_lanes", Parameter(value=lanes, unit="bit/s", source="SAS: lanes times the payload of one")
    if array.level is None or array.disks == 1:
        return
    if array.software in {"zfs", "btrfs"}:
        yield f"{at}.{array.software}-{way}", assumed("ceiling", f"{array.software}-{way}")
    if array.software == "md" and array.level in _PARITY and not reads:
        yield f"{at}.md-parity-write", assumed("ceiling", "md-parity-write")
    if not array.slots and not _on_pcie(array.disk):
        ceiling = assumed("ceiling", "attachment")
        yield (
            f"{at}.attachment",
            ceiling.model_copy(update={"value": ceiling.value * max(1.0, array.disks / _ATTACHED)}),
        )


def _answered_rate(
    tool: Tool, draw: Draws, at: str, array: Array, rate: FloatArray, *, files: int, reads: bool
) -> FloatArray | float:
    """Rate at which the requests in flight are answered [bit/s]; infinite for buffered writes."""
    if tool.io == "buffered" and reads:
        return _read_ahead_rate(draw, at, array, files)
    flushed = tool.sync and not reads
    if not flushed and (tool.request is None or tool.io != "direct"):
        return np.inf
    way = "read" if reads else "write"
    latency = draw(f"{at}.disk.{way}_latency", _latency(array.disk, way))
    if flushed:
        latency = latency + _flush_s(draw, at, array.disk)
    most = draw(f"{at}.disk.{way}_iops", getattr(array.disk, f"{way}_iops"))
    request = request_size(tool, draw)
    disks = _data_disks(array)
    busy = np.clip(np.ceil(request / draw(f"{at}.chunk", array.chunk)), 1.0, disks)  # disks with a part of a request
    in_flight = (flushed_together(tool) if flushed else tool.outstanding * tool.streams) * files
    answered = storage.outstanding_bps(request, in_flight, latency, rate * busy / disks)
    most_bps = most * disks / busy * 8 * request
    return np.asarray(np.minimum(answered, most_bps), dtype=np.float64)


def request_size(tool: Tool, draw: Draws) -> FloatArray:
    """Size of the tool's requests, assumed if it is not stated [B]."""
    return draw("tool.request", assumed("request") if tool.request is None else tool.request)


def flushed_together(tool: Tool) -> int:
    """Writes of a process that wait for stable storage at once: one, or what a client has under way at a server."""
    return 1 if tool.protocol == "file" else min(tool.outstanding * tool.streams, _SERVED)


def flush_time(tool: Tool, draw: Draws, role: str) -> FloatArray:
    """Time for a bit of synchronous writes to storage that is known by its rate alone [s/bit]."""
    wait = draw(f"{role}.flush", assumed("latency", "unknown-flush"))
    return np.asarray(wait / (8 * request_size(tool, draw) * flushed_together(tool)))


def _read_ahead_rate(draw: Draws, at: str, array: Array, files: int) -> FloatArray | float:
    """Rate at which solid-state disks answer what the kernel reads ahead for each file [bit/s]."""
    own = array.level is not None and array.software != "md"  # controllers and file systems read ahead themselves
    if own or not agreed(array.disk.solid_state):
        return np.inf
    window = draw(f"{at}.read_ahead", array.read_ahead)
    if array.level is not None:
        window = np.maximum(window, 2 * _data_disks(array) * draw(f"{at}.chunk", array.chunk))
    latency = draw(f"{at}.disk.read_latency", _latency(array.disk, "read"))
    with np.errstate(divide="ignore"):
        return np.asarray(8 * window * files / latency)


def _flush_s(draw: Draws, at: str, disk: Disk) -> FloatArray:
    """Time until a disk has what it was sent on stable storage [s]."""
    if agreed(disk.solid_state):
        return draw(f"{at}.disk.flush", assumed("latency", "flash-flush"))
    return draw(f"{at}.disk.flush", assumed("latency", "rotating-flush"))


def _latency(disk: Disk, way: str) -> Parameter:
    """Latency of one request: as stated, else that of the disk's kind."""
    stated: Parameter = getattr(disk, f"{way}_latency")
    if f"{way}_latency" in disk.model_fields_set or not agreed(disk.solid_state):
        return stated
    return assumed("latency", f"{'pcie' if _on_pcie(disk) else 'sata'}-{way}")


def _on_pcie(disk: Disk) -> bool:
    return disk.link == "pcie" or not agreed(disk.read_rate.value < _FASTEST_SAS_BPS)
