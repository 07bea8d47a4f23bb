r"""Disks and RAID: sequential rates from one disk's rate.

References
----------
.. [1] R. Van Meter, "Observing the effects of multi-zone disks", USENIX 1997: rate falls about linearly with capacity.
.. [2] P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, "RAID: high-performance, reliable secondary storage", ACM
   Computing Surveys 26(2), 1994, doi:10.1145/176979.176981.
.. [3] Linux, Documentation/driver-api/md/raid5-cache.rst (partial stripes are read before they are written) and md(4)
   (layouts).
"""

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
    require_between,
    require_not_negative,
    require_positive,
    require_whole,
    require_word,
)

LEVELS: Final = (0, 1, 5, 6, 10, 50, 60)
Level = Literal[0, 1, 5, 6, 10, 50, 60]
_PARITY: Final = {0: 0, 1: 0, 5: 1, 6: 2, 10: 0, 50: 1, 60: 2}  # disks' worth of parity in a group
_SMALLEST_GROUP: Final = {0: 2, 1: 2, 5: 3, 6: 4, 10: 4, 50: 3, 60: 4}  # disks


def zone_bps(outer_rate: Rate, inner_rate: Rate, position: Fraction) -> Number:
    r"""Return the rate of a zoned disk at one place.

    .. math:: d(x) = o - (o - i)\, x

    Parameters
    ----------
    outer_rate
        Rate o of the outermost zone, where the addresses begin. [bit/s]
    inner_rate
        Rate i of the innermost zone. [bit/s]
    position
        Place x as a part of the capacity: 0 at the first address, 1 at the last. [1]

    Returns
    -------
    float or array
        The rate there. [bit/s]

    Raises
    ------
    RangeError
        A rate that is not positive, an inner rate above the outer one, or a place outside 0 to 1.

    Notes
    -----
    Linear in capacity, adequate for whole-file averages; real disks have 10 to 30 steps. Source: [1]_ of the module.

    Examples
    --------
    >>> zone_bps(8 * 64.8e6, 8 * 31.0e6, 0.5) / 8e6
    47.9
    """
    outer_rate, inner_rate = _zones(outer_rate, inner_rate)
    (position,) = arrays(position=position)
    require_between(0, 1, position=position)
    return given(outer_rate - (outer_rate - inner_rate) * position)


def whole_disk_bps(outer_rate: Rate, inner_rate: Rate) -> Number:
    r"""Return the mean rate of a pass over a whole zoned disk.

    .. math:: \bar d = \frac{o - i}{\ln(o / i)}

    It is the capacity over the time, and below (o + i) / 2, because slow zones take longer.

    Parameters
    ----------
    outer_rate
        Rate o of the outermost zone. [bit/s]
    inner_rate
        Rate i of the innermost zone. [bit/s]

    Returns
    -------
    float or array
        The mean over time; o where both are equal. [bit/s]

    Raises
    ------
    RangeError
        A rate that is not positive, or an inner rate above the outer one.

    Notes
    -----
    Integral of 1 / d over the capacity, d linear as in :func:`zone_bps`.

    Examples
    --------
    A Hitachi 7K500 sustains 64.8 MB/s outside and 31.0 MB/s inside:

    >>> whole_disk_bps(8 * 64.8e6, 8 * 31.0e6) / 8e6
    45.8
    """
    outer_rate, inner_rate = _zones(outer_rate, inner_rate)
    fall = outer_rate / inner_rate - 1
    flat = fall == 0
    step = np.where(flat, 1.0, fall)
    return given(inner_rate * np.where(flat, 1.0, step / np.log1p(step)))


def _zones(outer_rate: Rate, inner_rate: Rate) -> tuple[FloatArray, FloatArray]:
    outer, inner = arrays(outer_rate=outer_rate, inner_rate=inner_rate)
    require_positive(outer_rate=outer, inner_rate=inner)
    refuse("inner_rate", inner, inner > outer, "a rate not above the outer rate")
    return outer, inner


def interleaved_bps(rate: Rate, chunk: Bytes, seek: Time, revolution: Time) -> Number:
    r"""Return the rate of a disk (or a set of disks that move together) that serves sequential streams in turn.

    .. math:: B = \frac{s}{t_\mathrm{seek} + t_\mathrm{rev} / 2 + s / d}

    Parameters
    ----------
    rate
        Rate d of one stream alone. [bit/s]
    chunk
        Data s moved for one stream before the heads go to the next: read-ahead, or the request. [B]
    seek
        Time of a seek between the streams' places. [s]
    revolution
        Time of a revolution; half of it is waited. [s]

    Returns
    -------
    float or array
        The sum over the streams, however many. [bit/s]

    Raises
    ------
    RangeError
        A rate or chunk that is not positive, or a negative time.

    Notes
    -----
    For two or more streams; no reordering beyond the chunk.

    Examples
    --------
    >>> interleaved_bps(800e6, 1e6, seek=8e-3, revolution=60 / 7200) / 8e6
    45.11
    """
    rate, chunk, seek, revolution = arrays(rate=rate, chunk=chunk, seek=seek, revolution=revolution)
    require_positive(rate=rate, chunk=chunk)
    require_not_negative(seek=seek, revolution=revolution)
    return given(8 * chunk / (seek + revolution / 2 + 8 * chunk / rate))


def disk(
    outer_rate: Rate,
    *,
    inner_rate: Rate | None = None,
    position: Fraction | None = None,
    streams: Count = 1,
    chunk: Bytes = 1_048_576,
    seek: Time = 8.5e-3,
    revolution: Time = 60 / 7200,
) -> dict[str, Number]:
    """Return the sequential rate of one disk.

    Parameters
    ----------
    outer_rate
        Rate of the outermost zone, or of the whole disk where it has no zones. [bit/s]
    inner_rate
        Rate of the innermost zone; without it, the same everywhere. [bit/s]
    position
        Place as a part of the capacity, 0 outside to 1 inside; without it, the mean of a pass over the disk. [1]
    streams
        Sequential streams at once; two or more make the heads move.
    chunk
        Data moved for one stream before the heads go to the next. [B]
    seek
        Time of a seek. [s]
    revolution
        Time of a revolution: 8.3 ms at 7200 per minute. [s]

    Returns
    -------
    dict
        ``throughput_bps``, the sum over the streams. [bit/s]

    Raises
    ------
    RangeError
        An impossible value.

    Examples
    --------
    >>> disk(outer_rate=8 * 64.8e6, inner_rate=8 * 31.0e6)["throughput_bps"] / 8e6
    45.8
    """
    inner = outer_rate if inner_rate is None else inner_rate
    alone = whole_disk_bps(outer_rate, inner) if position is None else zone_bps(outer_rate, inner, position)
    (streams,) = arrays(streams=streams)
    require_whole(1, streams=streams)
    shared = interleaved_bps(alone, chunk, seek, revolution)
    return {"throughput_bps": given(np.where(streams > 1, shared, alone) + 0 * streams)}


def raid_read_bps(
    level: Level, disks: Count, disk_rate: Rate, *, groups: Count | None = None, streams: Count = 1
) -> Number:
    r"""Return the rate of sequential reads from a RAID.

    ======  ==========================  =====================
    level   rate                        with
    ======  ==========================  =====================
    0       n d                         n disks of rate d
    1       min(k, n) d                 k streams at once
    10      min(k n / 2, n) d           near layout
    5, 50   (n - g) d                   g groups, 1 for RAID 5
    6, 60   (n - 2 g) d                 the same
    ======  ==========================  =====================

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

    Returns
    -------
    float or array
        The rate of data. [bit/s]

    Raises
    ------
    RangeError
        An unknown level, too few disks for it, or disks that do not fill the groups evenly.

    Notes
    -----
    Requests of at least a stripe. Parity is skipped over, which costs as much as reading it; many streams can reach
    n d. Source: [2]_, [3]_ of the module.

    Examples
    --------
    >>> [raid_read_bps(level, 8, 800e6) / 8e6 for level in (0, 1, 10, 5, 6, 50, 60)]
    [800.0, 100.0, 400.0, 700.0, 600.0, 600.0, 400.0]
    """
    n, g, rate = _members(level, disks, disk_rate, groups)
    (streams,) = arrays(streams=streams)
    require_whole(1, streams=streams)
    if level == 1:
        return given(np.minimum(streams, n) * rate)
    if level == 10:
        return given(np.minimum(streams * n / 2, n) * rate)
    return given((n - _PARITY[level] * g) * rate + 0 * streams)


def raid_write_bps(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    *,
    groups: Count | None = None,
    chunk: Bytes = 65_536,
    request: Bytes | None = None,
) -> Number:
    r"""Return the rate of sequential writes to a RAID.

    .. math:: B = n\, d\, \frac{R}{x}

    where a request of R bytes moves x bytes to and from the disks:

    - level 0: x = R; level 10: 2 R; level 1: n R;
    - levels 5, 6, 50, 60, with groups of m disks, p of them parity, and chunks of c bytes: each full stripe of
      (m - p) c bytes moves m c. A remainder of r bytes touches u = min(r, c) bytes of each parity chunk and moves the
      less of 2 (r + p u), when old data and parity are read (read-modify-write), and m u, when the rest of the stripe
      is read (reconstruct-write).

    Parameters
    ----------
    level
        RAID level: 0, 1, 5, 6, 10, 50 or 60.
    disks
        Disks n, of all groups together, without spares.
    disk_rate
        Rate d of one disk. [bit/s]
    groups
        Groups that are striped over; without it 2 for 50 and 60, else 1.
    chunk
        Chunk c, the part of a stripe on one disk. [B]
    request
        Size R of a write that reaches the array, aligned to a stripe; None: whole stripes. [B]

    Returns
    -------
    float or array
        The rate of data. [bit/s]

    Raises
    ------
    RangeError
        An unknown level, too few disks for it, disks that do not fill the groups evenly, or a size not above 0.

    Notes
    -----
    All disks are busy; the wait between reading and writing the same place is not counted, so that partial writes
    without a write-back cache are slower than this. One chunk of RAID 5 takes 4 disk operations, of RAID 6 takes 6.
    Source: [2]_, [3]_ of the module.

    Examples
    --------
    >>> [raid_write_bps(level, 8, 800e6) / 8e6 for level in (0, 1, 10, 5, 6, 50, 60)]
    [800.0, 100.0, 400.0, 700.0, 600.0, 600.0, 400.0]

    Relative to RAID 0, one chunk of a RAID 5 of 16 disks goes at 1/4, of a RAID 6 at 1/6 [2]_:

    >>> raid_write_bps(5, 16, 1.0, request=65536) / 16, raid_write_bps(6, 16, 1.0, request=65536) / 16
    (0.25, 0.166667)
    """
    n, g, rate = _members(level, disks, disk_rate, groups)
    (chunk,) = arrays(chunk=chunk)
    require_positive(chunk=chunk)
    parity = _PARITY[level]
    members = n / g
    whole = (members - parity) * chunk
    if request is None:
        size = whole
    else:
        (size,) = arrays(request=request)
        require_positive(request=size)
    if parity:
        stripes = np.floor(size / whole)
        rest = size - stripes * whole
        touched = np.minimum(rest, chunk)
        moved = stripes * members * chunk + np.minimum(2 * (rest + parity * touched), members * touched)
    else:
        copies = n if level == 1 else np.asarray(2.0 if level == 10 else 1.0)
        moved = size * copies
    return given(n * rate * size / moved)


def _members(
    level: Level, disks: Count, disk_rate: Rate, groups: Count | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return disks, groups and rate, checked against the level."""
    require_word(LEVELS, level=level)
    nested = level in {50, 60}
    n, g, rate = arrays(disks=disks, groups=(2 if nested else 1) if groups is None else groups, disk_rate=disk_rate)
    require_whole(1, disks=n)
    require_whole(2 if nested else 1, groups=g)
    require_positive(disk_rate=rate)
    if not nested:
        refuse("groups", g, g != 1, f"1 for RAID {level}; striped groups are RAID 50 or 60")
    least = _SMALLEST_GROUP[level]
    of_group = f" in each of {np.nanmax(g):.0f} groups" if nested and not np.isnan(g).all() else ""
    refuse("disks", n, n < least * g, f"{least} or more{of_group} for RAID {level}")
    refuse("disks", n, n % g > 0, "the same number in each group")
    if level == 10:
        refuse("disks", n, n % 2 != 0, "an even number for RAID 10")
    return n, g, rate


def raid(
    level: Level,
    disks: Count,
    disk_rate: Rate,
    *,
    op: Literal["read", "write"],
    groups: Count | None = None,
    chunk: Bytes = 65_536,
    request: Bytes | None = None,
    controller_rate: Rate | None = None,
    streams: Count = 1,
) -> dict[str, Number]:
    """Return the sequential rate of a RAID.

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
        Size of a write that reaches the array, aligned to a stripe; without it, whole stripes. [B]
    controller_rate
        What the controller carries at most. [bit/s]
    streams
        Sequential streams at once, when mirrors are read.

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
    if op == "read":
        rate = raid_read_bps(level, disks, disk_rate, groups=groups, streams=streams)
    else:
        rate = raid_write_bps(level, disks, disk_rate, groups=groups, chunk=chunk, request=request)
    if controller_rate is not None:
        (cap,) = arrays(controller_rate=controller_rate)
        require_positive(controller_rate=cap)
        rate = given(np.minimum(rate, cap))
    return {"throughput_bps": rate}
