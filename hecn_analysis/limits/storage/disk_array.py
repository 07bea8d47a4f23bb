r"""RAID: how much work a request makes for the disks, and the rate at which they do it.

A request keeps disks busy for some seconds in all: for every piece of a disk that is read or written, the time to get
there (none in a sequential stream) and the time of its bytes. Disks work side by side, so that a group of n working
disks does n seconds of work in a second.

References
----------
.. [1] P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, "RAID: high-performance, reliable secondary storage", ACM
   Computing Surveys 26(2), 1994, doi:10.1145/176979.176981: operations of each level, degraded modes.
.. [2] Linux, Documentation/driver-api/md/raid5-cache.rst (partial stripes are read before they are written),
   Documentation/admin-guide/md.rst (rebuild limits) and md(4) (layouts).
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

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

LEVELS: Final = (0, 1, 5, 6, 10, 50, 60)
Level = Literal[0, 1, 5, 6, 10, 50, 60]
_PARITY: Final = {0: 0, 1: 0, 5: 1, 6: 2, 10: 0, 50: 1, 60: 2}  # disks' worth of parity in a group
_SMALLEST_GROUP: Final = {0: 2, 1: 2, 5: 3, 6: 4, 10: 4, 50: 3, 60: 4}  # disks


@dataclass(frozen=True)
class _Array:
    """An array, checked: `groups` groups of `members` disks, `parity` of them for parity, `lost` of them lost."""

    level: Level
    groups: FloatArray
    members: FloatArray
    lost: FloatArray
    rate: FloatArray

    @property
    def parity(self) -> int:
        return _PARITY[self.level]

    @property
    def copies(self) -> FloatArray:
        """Copies of the data in an array without parity."""
        return self.members if self.level == 1 else np.asarray(2.0 if self.level == 10 else 1.0)

    @property
    def working(self) -> FloatArray:
        """Disks of a group that work at the pace of the stripe: a mirror pair with one disk holds up all pairs."""
        if self.level == 10:
            return np.where(self.lost > 0, self.members / 2, self.members) + 0 * self.lost
        return self.members - self.lost


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
    r"""Return the rate of sequential reads from a RAID.

    ======  ==============================  =======================================
    level   rate                            with
    ======  ==============================  =======================================
    0       n d                             n disks of rate d
    1       min(k, n - l) d                 k streams at once, l disks lost
    10      min(k n / 2, n) d               near layout; far layout n d
    5, 50   (n - g) d                       g groups, 1 for RAID 5
    6, 60   (n - 2 g) d                     the same
    5 to    (n - g l) d                     disks that skip parity for nothing (SSD)
    60
    ======  ==============================  =======================================

    Parameters
    ----------
    level
        RAID level: 0, 1, 5, 6, 10, 50 or 60.
    disks
        Disks n, of all groups together, without spares.
    disk_rate
        Rate d of one disk. [bit/s]
    groups
        Groups g that are striped over; without it 2 for 50 and 60, else 1.
    streams
        Sequential streams k at once; for mirrors only, whose halves serve one stream each.
    lost
        Disks l that are lost, in the group that has lost most.
    far
        Linux md's far layout of RAID 10, whose first halves of the disks are striped like RAID 0.
    solid_state
        Disks that go on behind a chunk of parity without losing time.

    Returns
    -------
    float or array
        The rate of data. [bit/s]

    Raises
    ------
    RangeError
        An unknown level, too few disks for it, disks that do not fill the groups evenly, more lost ones than the level
        survives.

    Notes
    -----
    Requests of at least a stripe, or read-ahead. A rotating disk loses as much time over a chunk of parity as by
    reading it. With a disk lost, the others read everything, and the missing chunks are computed: no slower
    for rotating disks, as long as the processor keeps up. Up to 8 disks: within 10 %
    in the median of published measurements, those with parity up to twice as slow as their disks (tests, file
    ``published_raid.csv``). Source: [1]_, [2]_ of the module.

    Examples
    --------
    >>> [raid_read_bps(level, 8, 800e6) / 8e6 for level in (0, 1, 10, 5, 6, 50, 60)]
    [800.0, 100.0, 400.0, 700.0, 600.0, 600.0, 400.0]
    >>> raid_read_bps(5, 8, 800e6, solid_state=True) / 8e6, raid_read_bps(5, 8, 800e6, solid_state=True, lost=1) / 8e6
    (800.0, 700.0)
    """
    array = _checked(level, disks, disk_rate, groups, lost)
    (streams,) = arrays(streams=streams)
    require_whole(1, streams=streams)
    return given(_sequential_disks(array, streams, far=far, solid_state=solid_state) * array.rate)


def _sequential_disks(array: _Array, streams: FloatArray, *, far: bool, solid_state: bool) -> FloatArray:
    """Number of disks' rates that sequential readers get."""
    if array.level == 1:
        return np.minimum(streams, array.working)
    if array.level == 10:
        each = array.members if far else streams * array.members / 2
        return np.minimum(each, array.working)
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
    level
        RAID level: 0, 1, 5, 6, 10, 50 or 60.
    disks
        Disks n, of all groups together, without spares.
    disk_rate
        Rate d of one disk. [bit/s]
    groups
        Groups g that are striped over; without it 2 for 50 and 60, else 1.
    chunk
        Chunk c, the part of a stripe on one disk. [B]
    request
        Size R of a write that reaches the array; None: whole stripes. [B]
    offset
        Where in a stripe the request begins; 0 is aligned. [B]
    access
        Time of a disk before each piece, for requests at random places; 0 in a sequential stream. [s]
    lost
        Disks that are lost, in the group that has lost most.

    Returns
    -------
    float or array
        The rate of data. [bit/s]

    Raises
    ------
    RangeError
        An unknown level, too few disks for it, disks that do not fill the groups evenly, a size not above 0, more lost
        disks than the level survives.

    Notes
    -----
    All disks are busy: enough requests are under way. The wait between reading and writing the same place is not
    counted, so that partial writes without a write-back cache are slower than this. One chunk of RAID 5 takes 4 disk
    operations, of RAID 6 takes 6. Linux before 4.1 has no read-modify-write for RAID 6. Source: [1]_, [2]_ of the
    module.

    Examples
    --------
    >>> [raid_write_bps(level, 8, 800e6) / 8e6 for level in (0, 1, 10, 5, 6, 50, 60)]
    [800.0, 100.0, 400.0, 700.0, 600.0, 600.0, 400.0]

    Relative to RAID 0, one chunk of a RAID 5 of 16 disks goes at 1/4, of a RAID 6 at 1/6 [1]_:

    >>> raid_write_bps(5, 16, 1.0, request=65536) / 16, raid_write_bps(6, 16, 1.0, request=65536) / 16
    (0.25, 0.166667)
    """
    array = _checked(level, disks, disk_rate, groups, lost)
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
        _partial_write_s(array, head, begin, chunk, access)
        + stripes * (array.members - array.lost) * (access + 8 * chunk / array.rate)
        + _partial_write_s(array, tail, np.asarray(0.0), chunk, access)
    )
    return given(array.groups * (array.members - array.lost) * 8 * size / busy)


def partial_write_s(
    members: Count,
    parity: Count,
    size: Bytes,
    disk_rate: Rate,
    *,
    chunk: Bytes = 65_536,
    offset: Bytes = 0,
    access: Time = 0,
    lost: Count = 0,
) -> Number:
    r"""Return the time of the disks, all together, for a write of a part of a stripe.

    ==================  ==============================  ==========================  =============================
    way                 reads                           writes                      possible when
    ==================  ==============================  ==========================  =============================
    read-modify-write   the old data and parity         data and parity             all touched data disks work
    reconstruct-write   the data not written            the same                    all other data disks work
    rebuild first       all disks that work             the same                    always
    ==================  ==============================  ==========================  =============================

    The cheapest possible way is taken. With lost disks it is the mean over which of the disks they are.

    Parameters
    ----------
    members
        Disks m of a group.
    parity
        Disks p of it for parity.
    size
        Data written, at most m - p chunks. [B]
    disk_rate
        Rate of one disk. [bit/s]
    chunk
        Chunk c, the part of a stripe on one disk. [B]
    offset
        Where in the stripe the data begin. [B]
    access
        Time of a disk before each piece. [s]
    lost
        Disks lost, p at most.

    Returns
    -------
    float or array
        Seconds of disks. [s]

    Raises
    ------
    RangeError
        An impossible value.

    Notes
    -----
    A write below a chunk touches as much of each parity chunk; a longer one touches all of them. Source: [1]_, [2]_ of
    the module.

    Examples
    --------
    One chunk of a RAID 5 of 8 disks is 4 pieces of 65536 bytes at 100 MB/s; of one of 4 disks with one
    lost, 3 in the mean:

    >>> partial_write_s(8, 1, 65536, 800e6) / (65536 * 8 / 800e6)
    4.0
    >>> partial_write_s(4, 1, 65536, 800e6, lost=1) / (65536 * 8 / 800e6)
    3.0
    """
    m, p, size, rate, chunk, offset, access, lost = arrays(
        members=members,
        parity=parity,
        size=size,
        disk_rate=disk_rate,
        chunk=chunk,
        offset=offset,
        access=access,
        lost=lost,
    )
    require_whole(2, members=m)
    require_positive(disk_rate=rate, chunk=chunk, size=size)
    require_not_negative(offset=offset, access=access, lost=lost)
    refuse("parity", p, (p != 1) & (p != 2), "1 or 2")
    refuse("lost", lost, lost > p, "at most as many as parity disks")
    refuse("size", size, offset + size > (m - p) * chunk, "the rest of a stripe or less")
    total: FloatArray = np.asarray(0.0)
    for count in (1, 2):
        level: Level = 5 if count == 1 else 6
        one = _partial_write_s(_Array(level, np.asarray(1.0), m, lost, rate), size, offset, chunk, access)
        total = total + np.where(p == count, one, 0.0)
    return given(total + 0 * p)


def _partial_write_s(
    array: _Array, size: FloatArray, begin: FloatArray, chunk: FloatArray, access: FloatArray
) -> FloatArray:
    """Time of a group's disks for `size` bytes (or none) from `begin` in a stripe: mean over places of lost ones."""
    touched = np.ceil((np.mod(begin, chunk) + size) / chunk)
    depth = np.minimum(size, chunk)  # bytes of each parity chunk
    total: FloatArray = np.asarray(0.0)
    for on_parity, on_touched, on_rest in _places(array.parity):
        share = _share(array, touched, on_parity, on_touched, on_rest)
        parity = array.parity - on_parity
        written = touched - on_touched
        new = written * size / np.maximum(touched, 1) + parity * depth
        write = (written + parity) * access + 8 * new / array.rate
        modify = np.inf if on_touched and parity else np.where(parity > 0, write, 0.0)
        data = array.members - array.parity
        rest = (data - touched) * access + 8 * (data * depth - size) / array.rate
        reconstruct = np.inf if on_rest else rest
        everything = (array.members - array.lost) * (access + 8 * depth / array.rate)
        read = np.minimum(np.minimum(modify, reconstruct), everything)
        total = total + np.where(share > 0, share * (read + write), 0.0)
    return np.where(size > 0, total, 0.0) + 0 * (array.lost + size)


def _places(most: int) -> list[tuple[int, int, int]]:
    """Ways to place up to `most` lost disks: on parity, on data that are written, on the rest of the stripe."""
    numbers = range(most + 1)
    return [(a, b, c) for a in numbers for b in numbers for c in numbers if a + b + c <= most]


def _share(array: _Array, touched: FloatArray, on_parity: int, on_touched: int, on_rest: int) -> FloatArray:
    """How probable it is that the lost disks are placed so: parity moves from stripe to stripe."""
    rest = array.members - array.parity - touched
    ways = math.comb(array.parity, on_parity) * _choose(touched, on_touched) * _choose(rest, on_rest)
    lost = on_parity + on_touched + on_rest
    return np.where(array.lost == lost, ways / _choose(array.members, lost), 0.0)


def _choose(of: FloatArray, some: int) -> FloatArray:
    """Ways to choose 0, 1 or 2."""
    return np.asarray((1.0 + 0 * of, of, of * (of - 1) / 2)[some])


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
    others.

    Parameters
    ----------
    level
        RAID level: 0, 1, 5, 6, 10, 50 or 60.
    disks
        Disks n, of all groups together, without spares.
    disk_rate
        Rate d of one disk. [bit/s]
    request
        Size R of a request. [B]
    access
        Time t_a of a disk before each piece. [s]
    groups
        Groups g that are striped over; without it 2 for 50 and 60, else 1.
    chunk
        Part of a stripe on one disk. [B]
    offset
        Where in a chunk a request begins; 0 is aligned. [B]
    lost
        Disks that are lost, in the group that has lost most.

    Returns
    -------
    float or array
        The rate of data. [bit/s]

    Raises
    ------
    RangeError
        As :func:`raid_write_bps`.

    Notes
    -----
    Enough requests are under way to keep all disks busy; all copies of a mirror are read. Source: [1]_ of the module,
    which has half the rate of small reads for a RAID 5 with a disk lost.

    Examples
    --------
    Ratio to the whole array, of 4 KiB with one of 8 disks lost:

    >>> whole = raid_random_read_bps(5, 8, 1e15, 4096, 10e-3)
    >>> whole / 8 / 4096, raid_random_read_bps(5, 8, 1e15, 4096, 10e-3, lost=1) / whole
    (800.0, 0.5)
    """
    array = _checked(level, disks, disk_rate, groups, lost)
    request, access, chunk, offset = arrays(request=request, access=access, chunk=chunk, offset=offset)
    require_positive(request=request, chunk=chunk)
    require_not_negative(access=access, offset=offset)
    pieces = _pieces(array, request, offset, chunk)
    again = array.lost / array.members * (array.members - array.parity - 1) if array.parity else np.asarray(0.0)
    busy = (1 + again) * (pieces * access + 8 * request / array.rate)
    return given(array.groups * array.working * 8 * request / busy)


def _pieces(array: _Array, size: FloatArray, offset: FloatArray, chunk: FloatArray) -> FloatArray:
    """Chunks that a request touches; a plain mirror has none."""
    chunks = np.ceil((np.mod(offset, chunk) + size) / chunk)
    return 1.0 + 0 * chunks if array.level == 1 else chunks


def rebuild_s(capacity: Bytes, disk_rate: Rate, share: Fraction = 1.0) -> Number:
    r"""Return the time to rebuild a lost disk.

    .. math:: t = \frac{8 C}{d\, s}

    Parameters
    ----------
    capacity
        Capacity C of a disk. [B]
    disk_rate
        Rate d of a disk, the mean over all of it: ``whole_disk_bps``. [bit/s]
    share
        Part s of the disks' time given to the rebuild; the data get the rest. [1]

    Returns
    -------
    float or array
        The time. [s]

    Raises
    ------
    RangeError
        A capacity or rate that is not positive, or a share that is not above 0 and at most 1.

    Notes
    -----
    All disks are passed over once, side by side: the number of them does not matter. Linux md gives the rebuild what is
    left, but at least ``speed_limit_min`` (1 MB/s) and at most ``speed_limit_max`` (200 MB/s) a disk. Source: [2]_ of
    the module.

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


def _checked(level: Level, disks: Count, disk_rate: Rate, groups: Count | None, lost: Count) -> _Array:
    """Return the array, its numbers checked against the level."""
    require_word(LEVELS, level=level)
    nested = level in {50, 60}
    n, g, rate, lost = arrays(
        disks=disks, groups=(2 if nested else 1) if groups is None else groups, disk_rate=disk_rate, lost=lost
    )
    require_whole(1, disks=n)
    require_whole(2 if nested else 1, groups=g)
    require_whole(0, lost=lost)
    require_positive(disk_rate=rate)
    if not nested:
        refuse("groups", g, g != 1, f"1 for RAID {level}; striped groups are RAID 50 or 60")
    least = _SMALLEST_GROUP[level]
    of_group = f" in each of {np.nanmax(g):.0f} groups" if nested and not np.isnan(g).all() else ""
    refuse("disks", n, n < least * g, f"{least} or more{of_group} for RAID {level}")
    refuse("disks", n, n % g > 0, "the same number in each group")
    if level == 10:
        refuse("disks", n, n % 2 != 0, "an even number for RAID 10")
    survived = {1: n - 1, 10: n / 2}.get(level, np.asarray(float(_PARITY[level])))
    words = {1: "fewer than the disks", 10: "one of each pair or fewer"}.get(level, f"{_PARITY[level]} or fewer")
    refuse("lost", lost, lost > survived, f"{words}: RAID {level} survives no more")
    return _Array(level, g, n / g, lost, rate)


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
        Time of a disk before each piece of a request at a random place: see disk; 0 for sequential ones. [s]
    streams
        Sequential streams at once, when mirrors are read.
    lost
        Disks lost, in the group that has lost most.
    rebuild
        Part of the disks' time that a rebuild takes. [1]
    far
        Linux md's far layout of RAID 10.
    solid_state
        Disks go on behind parity without losing time (SSD), when read.
    controller_rate
        What the controller carries at most. [bit/s]

    Returns
    -------
    dict
        ``throughput_bps``. [bit/s]

    Raises
    ------
    RangeError
        An impossible value.

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
