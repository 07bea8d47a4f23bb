r"""RAID: the work of a request for the disks, and the rate at which they do it.

Each piece of a disk that is read or written takes the access time (none in a sequential stream) and the time of its
bytes. A group of n working disks does n seconds of work in a second.

References
----------
.. [1] P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, "RAID: high-performance, reliable secondary storage", ACM
   Computing Surveys 26(2), 1994, doi:10.1145/176979.176981: operations of each level, degraded modes.
.. [2] Linux, Documentation/driver-api/md/raid5-cache.rst (partial stripes are read before they are written),
   Documentation/admin-guide/md.rst (rebuild limits) and md(4) (layouts).
"""

from typing import Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Fraction,
    Number,
    Rate,
    Time,
    arrays,
    given,
    refuse,
    require_not_negative,
    require_positive,
    require_whole,
    require_word,
)
from hecn_analysis.limits.storage.array_layout import Array, Level, checked
from hecn_analysis.limits.storage.partial_stripe import busy_s


def raid_read_bps(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    *,
    groups: Count | None = None,
    streams: Count = 1,
    lost: Count = 0,
    far: bool = False,
    solid_state: bool = False,
) -> Number:
    """Return the rate of sequential reads from a RAID.

    ======  ==============================  =======================================
    level   rate                            with
    ======  ==============================  =======================================
    0       n d                             n disks of rate d
    1       min(k, n - l) d                 k streams at once, l disks lost
    10      min(k n / 2, n) d               near layout; far layout n d
    5, 50   (n - g) d                       g groups, 1 for RAID 5
    6, 60   (n - 2 g) d                     the same
    5 to    (n - g l) d                     disks that skip parity at no cost (SSD)
    60
    ======  ==============================  =======================================

    Parameters
    ----------
    level, disks
        RAID level: 0, 1, 5, 6, 10, 50 or 60; disks n of all groups together, without spares.
    disk_rate
        Rate d of one disk. [bit/s]
    groups
        Groups g that are striped over; without it 2 for 50 and 60, else 1.
    streams
        Sequential streams k at once; for mirrors only, whose halves serve one stream each.
    lost
        Disks l lost, in the group with most losses.
    far
        Linux md's far layout of RAID 10, whose first halves of the disks are striped like RAID 0.
    solid_state
        Disks that skip a chunk of parity without losing time.

    Returns
    -------
    float or array [bit/s]

    Raises
    ------
    RangeError
        An unknown level, too few disks for it, disks that do not fill the groups evenly, more lost ones than the level
        survives.

    Notes
    -----
    Requests of at least a stripe, or read-ahead. A rotating disk loses as much time over a chunk of parity as by
    reading it. With a disk lost, the others read everything, and the missing chunks are computed: no slower for
    rotating disks, as long as the processor keeps up. Up to 8 disks, the median error against published measurements is
    10 %, but levels with parity are up to twice as slow (tests, file ``published_raid.csv``). Source: [1]_, [2]_ of the
    module.

    Examples
    --------
    >>> [raid_read_bps(level, 8, 800e6) / 8e6 for level in (0, 1, 10, 5, 6, 50, 60)]
    [800.0, 100.0, 400.0, 700.0, 600.0, 600.0, 400.0]
    """
    array = checked(level, disks, disk_rate, groups, lost)
    (streams,) = arrays(streams=streams)
    require_whole(1, streams=streams)
    return given(_sequential_disks(array, streams, far=far, solid_state=solid_state) * array.rate)


def _sequential_disks(array: Array, streams: FloatArray, *, far: bool, solid_state: bool) -> FloatArray:
    """Number of disks' rates that sequential readers get."""
    if array.level == 1:
        return np.minimum(streams, array.working)
    if array.level == 10:
        active = array.members if far else streams * array.members / 2
        return np.minimum(active, array.working)
    skipped = array.lost if solid_state else np.asarray(float(array.parity))
    return array.groups * (array.members - skipped) + 0 * streams + 0 * array.lost


def raid_write_bps(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    *,
    groups: Count | None = None,
    chunk: Bytes = 65_536,
    request: Bytes | None = None,
    offset: Bytes = 0,
    access: Time = 0,
    lost: Count = 0,
) -> Number:
    r"""Return the rate of writes to a RAID.

    .. math:: B = g\,n_w\,\frac{8 R}{t}

    where n_w disks of each of g groups work, and a request of R bytes costs t seconds of their time:

    - level 0: R bytes are moved; level 10: 2 R; level 1: n R;
    - levels 5, 6, 50, 60, with groups of m disks, p of them parity, and chunks of c bytes: each full stripe of
      (m - p) c bytes moves m c. A remainder of r bytes touches u = min(r, c) bytes of each parity chunk and costs the
      less of two: old data and parity are read, 2 (r + p u) bytes moved (read-modify-write), or the rest of the stripe
      is read, m u bytes moved (reconstruct-write). See :func:`partial_write_s`.

    Parameters
    ----------
    level, disks, disk_rate, groups, lost
        As for :func:`raid_read_bps`. [1, 1, bit/s, 1, 1]
    chunk, request
        Chunk c, the part of a stripe on one disk; size R of a write that reaches the array; None: whole stripes. [B]
    offset
        Position in a stripe at which the request begins; 0 is aligned. [B]
    access
        Time of a disk before each piece, for requests at random places; 0 in a sequential stream. [s]

    Returns
    -------
    float or array [bit/s]

    Notes
    -----
    All disks are busy: enough requests are in flight. Without a write-back cache, partial writes are slower than this,
    since the wait between reading and writing the same place is not counted. One chunk of RAID 5 takes 4 disk
    operations, of RAID 6 takes 6. Linux before 4.1 has no read-modify-write for RAID 6. Source: [1]_, [2]_ of the
    module.

    Examples
    --------
    Relative to RAID 0, one chunk of a RAID 5 of 16 disks goes at 1/4, of a RAID 6 at 1/6 [1]_:

    >>> raid_write_bps(5, 16, 1.0, request=65536) / 16, raid_write_bps(6, 16, 1.0, request=65536) / 16
    (0.25, 0.166667)
    """
    array = checked(level, disks, disk_rate, groups, lost)
    chunk, offset, access = arrays(chunk=chunk, offset=offset, access=access)
    require_positive(chunk=chunk)
    require_not_negative(offset=offset, access=access)
    whole = (array.members - array.parity) * chunk
    size = whole if request is None else arrays(request=request)[0]
    require_positive(request=size)
    if not array.parity:
        pieces = _pieces(array, size, offset, chunk)
        copies = array.working if array.level == 1 else array.copies
        busy = copies * (pieces * access + 8 * size / array.rate)
        working = array.members + 0 * array.lost if array.level == 10 else array.working  # lost copies are not written
        return given(working * 8 * size / busy)
    begin = np.mod(offset, whole)
    head = np.where(begin == 0, 0.0, np.minimum(size, whole - begin))
    stripes = np.floor((size - head) / whole)
    tail = size - head - stripes * whole
    busy = (
        busy_s(array, head, begin, chunk, access)
        + stripes * (array.members - array.lost) * (access + 8 * chunk / array.rate)
        + busy_s(array, tail, np.asarray(0.0), chunk, access)
    )
    return given(array.groups * (array.members - array.lost) * 8 * size / busy)


def raid_random_read_bps(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    request: Bytes,
    access: Time,
    *,
    groups: Count | None = None,
    chunk: Bytes = 65_536,
    offset: Bytes = 0,
    lost: Count = 0,
) -> Number:
    r"""Return the rate of reads at random places of a RAID.

    .. math:: B = g\,n_w\,\frac{8 R}{k\,(t_a + 8 R / (k d))}

    A request in k pieces is k accesses. A piece on a lost disk of a group of m with p for parity is read from m - p
    others. Enough requests are in flight to keep all disks busy; all copies of a mirror are read. Source: [1]_ of the
    module, which has half the rate of small reads for a RAID 5 with a disk lost.

    Parameters
    ----------
    level, disks, disk_rate, groups, lost
        As for :func:`raid_read_bps`. [1, 1, bit/s, 1, 1]
    request, chunk, offset
        Size R of a request, part of a stripe on one disk, and position in a chunk at which a request begins. [B]
    access
        Time t_a of a disk before each piece. [s]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    Ratio with one of 8 disks lost to the whole array, 4 KiB:

    >>> complete, degraded = (raid_random_read_bps(5, 8, 1e15, 4096, 10e-3, lost=lost) for lost in (0, 1))
    >>> degraded / complete
    0.5
    """
    array = checked(level, disks, disk_rate, groups, lost)
    request, access, chunk, offset = arrays(request=request, access=access, chunk=chunk, offset=offset)
    require_positive(request=request, chunk=chunk)
    require_not_negative(access=access, offset=offset)
    pieces = _pieces(array, request, offset, chunk)
    again = array.lost / array.members * (array.members - array.parity - 1) if array.parity else np.asarray(0.0)
    busy = (1 + again) * (pieces * access + 8 * request / array.rate)
    return given(array.groups * array.working * 8 * request / busy)


def _pieces(array: Array, size: FloatArray, offset: FloatArray, chunk: FloatArray) -> FloatArray:
    """Number of chunks that a request touches; 0 for a plain mirror."""
    chunks = np.ceil((np.mod(offset, chunk) + size) / chunk)
    return 1.0 + 0 * chunks if array.level == 1 else chunks


def rebuild_s(capacity: Bytes, disk_rate: Rate, share: Fraction = 1.0) -> Number:
    r"""Return the time to rebuild a lost disk.

    .. math:: t = \frac{8 C}{d\, s}

    One pass over all disks, whatever their number. Linux md gives the rebuild what is left, but at least
    ``speed_limit_min`` (1 MB/s) and at most ``speed_limit_max`` (200 MB/s) a disk. Source: [2]_ of the module.

    Parameters
    ----------
    capacity, disk_rate
        Capacity C of a disk [B], and its mean rate d, ``whole_disk_bps`` [bit/s].
    share
        Part s of the disks' time for the rebuild. [1]

    Returns
    -------
    float or array [s]

    Examples
    --------
    2 TB at 120 MB/s, in hours:

    >>> rebuild_s(2e12, 960e6) / 3600
    4.63
    """
    capacity, disk_rate, share = arrays(capacity=capacity, disk_rate=disk_rate, share=share)
    require_positive(capacity=capacity, disk_rate=disk_rate)
    refuse("share", share, (share <= 0) | (share > 1), "a fraction above 0, at most 1")
    return given(8 * capacity / (disk_rate * share))


def raid(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    *,
    op: Literal["read", "write"],
    groups: Count | None = None,
    chunk: Bytes = 65_536,
    request: Bytes | None = None,
    offset: Bytes = 0,
    access: Time = 0,
    streams: Count = 1,
    lost: Count = 0,
    rebuild: Fraction = 0,
    far: bool = False,
    solid_state: bool = False,
    controller_rate: Rate | None = None,
) -> dict[str, Number]:
    """Return the rate of a RAID.

    Parameters
    ----------
    level
        RAID level: 0, 1, 5, 6, 10, 50 or 60.
    disks
        Disks of all groups together, without spares.
    disk_rate
        Rate of one disk. [bit/s]
    op
        Read or write.
    groups
        Groups that are striped over; without it 2 for 50 and 60, else 1.
    chunk
        Part of a stripe on one disk. [B]
    request
        Size of a write that reaches the array, or of a read at a random place; without it, whole stripes, which
        read-ahead makes of sequential reads of any size. [B]
    offset
        Where in a stripe a request begins; 0 is aligned. [B]
    access
        Access time of a disk for each piece of a request at a random place: see disk; 0 for sequential ones. [s]
    streams
        Sequential streams at once, when mirrors are read.
    lost
        Disks lost, in the group with most losses.
    rebuild
        Part of the disks' time that a rebuild takes. [1]
    far
        Linux md's far layout of RAID 10.
    solid_state
        Disks skip parity without losing time (SSD). Affects reads only.
    controller_rate
        Highest rate of the controller. [bit/s]

    Returns
    -------
    dict
        ``throughput_bps``. [bit/s]

    Examples
    --------
    >>> raid(level=6, disks=8, disk_rate=800e6, op="write")["throughput_bps"] / 8e6
    600.0
    """
    require_word(("read", "write"), op=op)
    if op == "write":
        rate = raid_write_bps(
            level,
            disks,
            disk_rate,
            groups=groups,
            chunk=chunk,
            request=request,
            offset=offset,
            access=access,
            lost=lost,
        )
    elif request is not None and np.any(np.asarray(access) != 0):
        rate = raid_random_read_bps(
            level, disks, disk_rate, request, access, groups=groups, chunk=chunk, offset=offset, lost=lost
        )
    else:
        rate = raid_read_bps(
            level, disks, disk_rate, groups=groups, streams=streams, lost=lost, far=far, solid_state=solid_state
        )
        if request is not None:  # read-ahead makes whole stripes of them, whatever their size
            (size,) = arrays(request=request)
            require_positive(request=size)
            rate = given(rate + 0 * size)
    (rebuild,) = arrays(rebuild=rebuild)
    refuse("rebuild", rebuild, (rebuild < 0) | (rebuild >= 1), "0 or more, and less than 1")
    rate = given(rate * (1 - rebuild))
    if controller_rate is not None:
        (cap,) = arrays(controller_rate=controller_rate)
        require_positive(controller_rate=cap)
        rate = given(np.minimum(rate, cap))
    return {"throughput_bps": rate}
