r"""Files through the host's page cache, and what a file system's journal costs.

References
----------
.. [1] Linux, mm/page-writeback.c (``dirty_freerun_ceiling``: writers run freely up to the middle of both thresholds)
   and Documentation/admin-guide/sysctl/vm.rst (``dirty_background_ratio`` 10 %, ``dirty_ratio`` 20 % of the memory).
.. [2] Linux, Documentation/filesystems/ext4: ``commit`` (5 s by default), ``data=journal``.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import (
    Bytes,
    FloatArray,
    Fraction,
    Number,
    Rate,
    Time,
    arrays,
    given,
    refuse,
    require_between,
    require_not_negative,
    require_positive,
    require_word,
    warn_outside,
)

ACCESSES_PER_COMMIT: Final = 2.0
"""The heads go to the journal and back to the data."""


def buffered_read_bps(size: Bytes, cached: Bytes, memory_rate: Rate, disk_rate: Rate) -> Number:
    r"""Return the mean rate of reading a file of which a part is in memory.

    .. math:: B = \frac{F}{M / m + (F - M) / d}

    A file larger than the memory that is read from start to end repeatedly is never cached where it is needed (least
    recently used pages go first): M = 0 then. M explains a measurement above the disk's rate.

    Parameters
    ----------
    size, cached
        Size F of the file, and part M of it in memory. [B]
    memory_rate, disk_rate
        Rate m of a copy from the page cache, and rate d of the disk, with read-ahead. [bit/s]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> buffered_read_bps(64e9, 16e9, 8 * 5e9, 8 * 0.2e9) / 8e9
    0.263
    """
    size, cached, memory, disk = arrays(size=size, cached=cached, memory_rate=memory_rate, disk_rate=disk_rate)
    require_positive(size=size, memory_rate=memory, disk_rate=disk)
    require_not_negative(cached=cached)
    hit = np.minimum(cached, size)
    return given(size / (hit / memory + (size - hit) / disk))


def buffered_write_bps(
    size: Bytes,
    available: Bytes,
    memory_rate: Rate,
    disk_rate: Rate,
    *,
    background_ratio: Fraction = 0.1,
    dirty_ratio: Fraction = 0.2,
    sync: bool = False,
) -> Number:
    r"""Return the mean rate of writing a file through the page cache.

    Up to b A bytes nothing goes to the disk; then it drains at d while the writer goes on at m until (b + q) A / 2
    bytes wait, and at d from there:

    .. math:: W_1 = b A + \frac{(q - b) A}{2} \frac{m}{m - d}, \quad
              t = \frac{\min(W, W_1)}{m} + \frac{\max(W - W_1, 0)}{d}

    With a flush at the end (``sync``), all of it has to reach the disk: :math:`t = \min(W, b A) / m + W / d`.

    One writer, one disk, Linux 3.2 and later; data older than 30 s are written earlier (``dirty_expire_centisecs``).
    Source: [1]_ of the module.

    Parameters
    ----------
    size, available
        Size W of the file, and free and reclaimable memory A. [B]
    memory_rate, disk_rate
        Rate m of a copy into the page cache, and rate d of the disk. [bit/s]
    background_ratio, dirty_ratio
        Part b of the memory from which the kernel writes, and part q that may wait at most. [1]
    sync
        The flush to the disk is part of the time.

    Returns
    -------
    float or array
        The rate, at most that of the memory. [bit/s]

    Warns
    -----
    ValidityWarning
        A disk faster than the copy: the writer is then limited by neither.

    Examples
    --------
    64 GB of memory, copy 4 GB/s, disk 0.4 GB/s: 6.4 + 3.2 / 0.9 = 9.96 GB at the memory's rate.

    >>> [buffered_write_bps(size, 64e9, 32e9, 3.2e9) / 8e9 for size in (9.95e9, 100e9)]
    [4.0, 0.44]
    """
    size, available, memory, disk, background, dirty = arrays(
        size=size,
        available=available,
        memory_rate=memory_rate,
        disk_rate=disk_rate,
        background_ratio=background_ratio,
        dirty_ratio=dirty_ratio,
    )
    require_positive(size=size, available=available, memory_rate=memory, disk_rate=disk)
    require_between(0, 1, background_ratio=background, dirty_ratio=dirty)
    refuse("dirty_ratio", dirty, dirty < background, "a part not below background_ratio")
    slower = "a disk slower than the copy into memory"
    warn_outside("disk_rate", disk, disk > memory, slower, "the copy is the limit, its rate is given")
    if sync:
        waits = np.minimum(size, background * available) / memory
        time = np.where(disk < memory, waits + size / disk, size / memory)
    else:
        free = _free_running(available, memory, disk, background, dirty)
        at_memory = np.minimum(size, free)
        time = at_memory / memory + (size - at_memory) / disk
    return given(size / time)


def _free_running(
    available: FloatArray, memory: FloatArray, disk: FloatArray, background: FloatArray, dirty: FloatArray
) -> FloatArray:
    """Bytes written before the writer slows down: unlimited if the disk is as fast."""
    lead = np.where(memory > disk, memory / np.where(memory > disk, memory - disk, 1.0), np.inf)
    gap = (dirty - background) * available
    return background * available + np.where(gap == 0, 0.0, gap / 2 * lead)


def journal_bps(rate: Rate, access: Time = 0, *, commit: Time = 5.0, data: bool = False) -> Number:
    r"""Return what a journalling file system leaves of a disk's rate for one large file.

    .. math:: B = \frac{d}{w} \left(1 - \frac{2 t_a}{t_c}\right)

    For writes; the metadata of a large file are negligible, since an extent of ext4 covers up to 128 MiB with 12 bytes.
    Copy on write and checksums cost the processor more than the disk. Fragments cost an access each: see
    :func:`hecn_analysis.limits.storage.rotating_disk.random_bps`. Source: [2]_ of the module.

    Parameters
    ----------
    rate
        Rate d of the disk or array. [bit/s]
    access, commit
        Time t_a of an access, 0 for a solid-state disk, and time t_c between commits of the journal. [s]
    data
        The data go through the journal too (``data=journal``): w = 2, else 1.

    Returns
    -------
    float or array [bit/s]

    Raises
    ------
    RangeError
        A rate or interval that is not positive, a negative time, or commits that take all the time.

    Examples
    --------
    >>> journal_bps(800e6, 13e-3, data=True) / 8e6
    49.7
    """
    rate, access, commit = arrays(rate=rate, access=access, commit=commit)
    require_positive(rate=rate, commit=commit)
    require_not_negative(access=access)
    busy = ACCESSES_PER_COMMIT * access / commit
    refuse("access", access, busy >= 1, "less than half of the time between commits")
    return given(rate * (1 - busy) / (2 if data else 1))


def pagecache(
    size: Bytes,
    *,
    memory_rate: Rate,
    disk_rate: Rate,
    op: Literal["read", "write"],
    cached: Bytes = 0,
    available: Bytes | None = None,
    background_ratio: Fraction = 0.1,
    dirty_ratio: Fraction = 0.2,
    sync: bool = False,
) -> dict[str, Number]:
    """Return the mean rate of a file read or written through the page cache.

    Parameters
    ----------
    size
        Size of the file. [B]
    memory_rate
        Rate of a copy between page cache and program. [bit/s]
    disk_rate
        Rate of the disk. [bit/s]
    op
        Read or write.
    cached
        Part of the file that is in memory before it is read. [B]
    available
        Memory that a written file may use: free and reclaimable. [B]
    background_ratio
        Part of that memory from which the kernel writes to the disk. [1]
    dirty_ratio
        Part of it that may wait for the disk at most. [1]
    sync
        The flush to the disk is part of the time.

    Returns
    -------
    dict
        ``throughput_bps``. [bit/s]

    Raises
    ------
    RangeError
        An impossible value, or a write without the available memory.

    Examples
    --------
    >>> pagecache(10e9, memory_rate=40e9, disk_rate=1.6e9, op="read", cached=5e9)["throughput_bps"] / 8e9
    0.385
    """
    require_word(("read", "write"), op=op)
    if op == "read":
        return {"throughput_bps": buffered_read_bps(size, cached, memory_rate, disk_rate)}
    if available is None:
        raise RangeError("available: found nothing, expected the memory that a written file may use")
    rate = buffered_write_bps(
        size,
        available,
        memory_rate,
        disk_rate,
        background_ratio=background_ratio,
        dirty_ratio=dirty_ratio,
        sync=sync,
    )
    return {"throughput_bps": rate}
