"""Rates of arrays from their disks, the files that share them, and the requests in flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis import limits
from hecn_analysis.limits import storage
from hecn_analysis.prediction.draws import agreed

if TYPE_CHECKING:
    from hecn_analysis.hardware import Array, Disk, Tool
    from hecn_analysis.prediction.draws import Draws, FloatArray
    from hecn_analysis.prediction.slots import Operation


def array_rate(tool: Tool, draw: Draws, role: str, name: str, array: Array, *, streams: int, reads: bool) -> FloatArray:
    """Rate of an array that `streams` files share [bit/s]."""
    at = f"{role}.arrays.{name}.disk"
    disk = array.disk
    field, known = ("read_rate", disk.read_rate) if reads else ("write_rate", disk.write_rate)
    buffered = disk.buffered_read_rate if reads else disk.buffered_write_rate
    if tool.io == "buffered" and buffered is not None:
        field, known = f"buffered_{field}", buffered
    rate = draw(f"{at}.{field}", known)
    if not reads and disk.sustained_write_rate is not None:
        rate = np.minimum(rate, draw(f"{at}.sustained_write_rate", disk.sustained_write_rate))
    if streams > 1 and agreed(np.isfinite(disk.run_bytes.value)):  # a disk that seeks loses time between files
        shared = storage.interleaved_bps(
            rate,
            draw(f"{at}.run_bytes", disk.run_bytes),
            seek=draw(f"{at}.seek", disk.seek),
            revolution=draw(f"{at}.revolution", disk.revolution),
        )
        rate = np.asarray(shared, dtype=np.float64)
    if array.level is not None:
        op: Operation = "read" if reads else "write"
        figures = limits.raid(
            level=array.level,
            disks=array.disks,
            groups=array.groups,
            disk_rate=rate,
            op=op,
            solid_state=agreed(disk.solid_state),
        )
        rate = np.asarray(figures["throughput_bps"], dtype=np.float64)
    return np.minimum(rate, _answered_rate(tool, draw, at, disk, rate, reads=reads))


def _answered_rate(
    tool: Tool, draw: Draws, at: str, disk: Disk, rate: FloatArray, *, reads: bool
) -> FloatArray | float:
    """Rate at which direct I/O answers the requests in flight [bit/s]; infinite for buffered I/O."""
    if tool.request is None or tool.io != "direct":
        return np.inf
    way = "read" if reads else "write"
    latency, most = (draw(f"{at}.{way}_{figure}", getattr(disk, f"{way}_{figure}")) for figure in ("latency", "iops"))
    request = draw("tool.request", tool.request)
    answered = storage.outstanding_bps(request, tool.outstanding * tool.streams, latency, rate)
    return np.minimum(np.asarray(answered, dtype=np.float64), most * 8 * request)
