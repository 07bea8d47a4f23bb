r"""Writes of a part of a stripe of a RAID with parity: what the disks read and write.

References
----------
.. [1] P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, "RAID: high-performance, reliable secondary storage", ACM
   Computing Surveys 26(2), 1994, doi:10.1145/176979.176981: operations of each level, degraded modes.
.. [2] Linux, Documentation/driver-api/md/raid5-cache.rst (partial stripes are read before they are written),
   Documentation/admin-guide/md.rst (rebuild limits) and md(4) (layouts).
"""

import math

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    Rate,
    Time,
    arrays,
    given,
    refuse,
    require_not_negative,
    require_positive,
    require_whole,
)
from hecn_analysis.limits.storage.array_layout import Array, Level


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
    """Return the time of the disks, all together, for a write of a part of a stripe.

    ==================  ==============================  ==========================  =============================
    way                 reads                           writes                      possible when
    ==================  ==============================  ==========================  =============================
    read-modify-write   the old data and parity         data and parity             all touched data disks work
    reconstruct-write   the data not written            the same                    all other data disks work
    rebuild first       all disks that work             the same                    always
    ==================  ==============================  ==========================  =============================

    The cheapest possible way is taken; with lost disks the mean over their positions. A write below a chunk touches as
    much of each parity chunk; a longer one touches all of them. Source: [1]_, [2]_ of the module.

    Parameters
    ----------
    members, parity, lost
        Disks m of a group, p of them for parity, and at most p of them lost.
    size, chunk, offset
        Data written, at most m - p chunks; chunk c, the part of a stripe on one disk; position in the stripe. [B]
    disk_rate, access
        Rate of one disk [bit/s], and time of a disk before each piece [s].

    Returns
    -------
    float or array
        Seconds of disks. [s]

    Examples
    --------
    One chunk of a RAID 5 of 8 disks is 4 pieces of 65536 bytes at 100 MB/s:

    >>> partial_write_s(8, 1, 65536, 800e6) / (65536 * 8 / 800e6)
    4.0
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
        busy = busy_s(Array(level, np.asarray(1.0), m, lost, rate), size, offset, chunk, access)
        total = total + np.where(p == count, busy, 0.0)
    return given(total + 0 * p)


def busy_s(array: Array, size: FloatArray, begin: FloatArray, chunk: FloatArray, access: FloatArray) -> FloatArray:
    """Time of a group's disks for a write in a stripe: mean over places of lost ones [s].

    Parameters
    ----------
    array
        The array.
    size, begin, chunk
        Data written, position in the stripe, and part of a stripe on one disk. [bytes]
    access
        Access time. [s]

    Returns
    -------
    array
        Times of the disks, added up. [s]

    Examples
    --------
    One chunk of 64 KiB on five disks: data and parity are read, then written, 1.2 ms each with the access.

    >>> from hecn_analysis.limits.storage.array_layout import checked
    >>> array = checked(5, 5, 8 * 65536 / 0.2e-3, groups=1, lost=0)
    >>> float(busy_s(array, *(np.array(one) for one in (65536.0, 0.0, 65536.0, 1e-3)))) * 1e3
    4.8
    """
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
    """Ways to place up to `most` lost disks: on parity, on written data, on the rest of the stripe."""
    numbers = range(most + 1)
    return [(a, b, c) for a in numbers for b in numbers for c in numbers if a + b + c <= most]


def _share(array: Array, touched: FloatArray, on_parity: int, on_touched: int, on_rest: int) -> FloatArray:
    """Probability of such positions of the lost disks; parity moves from stripe to stripe."""
    rest = array.members - array.parity - touched
    ways = math.comb(array.parity, on_parity) * _choose(touched, on_touched) * _choose(rest, on_rest)
    lost = on_parity + on_touched + on_rest
    return np.where(array.lost == lost, ways / _choose(array.members, lost), 0.0)


def _choose(of: FloatArray, some: int) -> FloatArray:
    """Ways to choose 0, 1 or 2."""
    return np.asarray((1.0 + 0 * of, of, of * (of - 1) / 2)[some])
