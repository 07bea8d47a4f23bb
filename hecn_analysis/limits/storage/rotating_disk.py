r"""Rotating disks: zones, access time, several streams.

References
----------
.. [1] R. Van Meter, "Observing the effects of multi-zone disks", USENIX 1997: rate falls about linearly with capacity.
.. [2] Hitachi Global Storage Technologies, Deskstar 7K500 specification: sustained rates, seek and latency times.
"""

from typing import Final

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
    warn_outside,
)

_SLOWEST: Final = 0.1  # [s] of a seek or revolution


def zone_bps(outer_rate: Rate, inner_rate: Rate, position: Fraction) -> Number:
    r"""Return the rate of a zoned disk at one place.

    .. math:: d(x) = o - (o - i)\, x

    Linear in capacity, adequate for whole-file averages; real disks have 10 to 30 steps. Outer zones are 1.3 to 2.5
    times as fast as inner ones. Source: [1]_ of the module.

    Parameters
    ----------
    outer_rate, inner_rate
        Rates o and i of the outermost zone, where the addresses begin, and of the innermost zone. [bit/s]
    position
        Place x as a part of the capacity: 0 at the first address, 1 at the last. [1]

    Returns
    -------
    float or array
        The rate there. [bit/s]

    Warns
    -----
    ValidityWarning
        An inner rate below a third of the outer one.

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

    The capacity over the time: the integral of 1 / d over the capacity, d linear as in :func:`zone_bps`.

    Parameters
    ----------
    outer_rate, inner_rate
        o and i, as for :func:`zone_bps`. [bit/s]

    Returns
    -------
    float or array
        The mean over time; o where both are equal. [bit/s]

    Examples
    --------
    A Hitachi 7K500 sustains 64.8 MB/s outside and 31.0 MB/s inside ([2]_ of the module):

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
    few = "an inner rate of a third of the outer one or more"
    warn_outside("inner_rate", inner, 3 * inner < outer, few, "no disk's zones differ as much; is one of them a cache?")
    return outer, inner


def access_s(seek: Time, revolution: Time) -> Number:
    r"""Return the time until the heads are over data at a random place.

    .. math:: t_a = t_\mathrm{seek} + t_\mathrm{rev} / 2

    One request at a time. A disk that reorders its queue needs less: two of 7200 revolutions a minute served 1.2 times
    as many 4 KiB reads with a queue of 8, and 1.4 and 1.8 times as many with 32 (github.com/louwrentius/fio-plot,
    benchmark data). Writes into the disk's own cache return sooner.

    Parameters
    ----------
    seek, revolution
        Times of an average seek, settling included, and of a revolution. [s]

    Returns
    -------
    float or array [s]

    Warns
    -----
    ValidityWarning
        A time above 0.1 s.

    Examples
    --------
    A seek of 8.9 ms at 7200 revolutions a minute:

    >>> access_s(8.9e-3, 60 / 7200) * 1e3
    13.07
    """
    seek, revolution = arrays(seek=seek, revolution=revolution)
    require_not_negative(seek=seek, revolution=revolution)
    for name, value in (("seek", seek), ("revolution", revolution)):
        warn_outside(name, value, value > _SLOWEST, "0.1 s or less", "no disk is so slow; is the value in ms?")
    return given(seek + revolution / 2)


def random_bps(rate: Rate, request: Bytes, access: Time) -> Number:
    r"""Return the rate of requests at random places of one disk, one after the other.

    .. math:: B = \frac{8 R}{t_a + 8 R / d}

    Parameters
    ----------
    rate, request, access
        Sequential rate d [bit/s], size R of a request [B], and time t_a before each, see :func:`access_s` [s].

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> random_bps(800e6, 4096, 13.07e-3) / 8 / 4096
    76.3
    """
    rate, request, access = arrays(rate=rate, request=request, access=access)
    require_positive(rate=rate, request=request)
    require_not_negative(access=access)
    return given(8 * request / (access + 8 * request / rate))


def interleaved_bps(rate: Rate, chunk: Bytes, seek: Time, revolution: Time) -> Number:
    r"""Return the rate of a disk (or a set of disks that move together) that serves sequential streams in turn.

    .. math:: B = \frac{8 s}{t_\mathrm{seek} + t_\mathrm{rev} / 2 + 8 s / d}

    For two or more streams; no reordering beyond the chunk.

    Parameters
    ----------
    rate
        Rate d of one stream alone. [bit/s]
    chunk
        Data s moved for one stream before the heads go to the next: read-ahead, or the request. [B]
    seek, revolution
        As for :func:`access_s`; the seek is that between the streams' places. [s]

    Returns
    -------
    float or array
        The sum over the streams, however many. [bit/s]

    Examples
    --------
    >>> interleaved_bps(800e6, 1e6, seek=8e-3, revolution=60 / 7200) / 8e6
    45.11
    """
    rate, chunk = arrays(rate=rate, chunk=chunk)
    require_positive(rate=rate, chunk=chunk)
    return random_bps(given(rate), given(chunk), access_s(seek, revolution))


def disk(
    outer_rate: Rate,
    *,
    inner_rate: Rate | None = None,
    position: Fraction | None = None,
    request: Bytes | None = None,
    streams: Count = 1,
    chunk: Bytes = 1_048_576,
    seek: Time = 8.5e-3,
    revolution: Time = 60 / 7200,
) -> dict[str, Number]:
    """Return the rate of one rotating disk.

    Parameters
    ----------
    outer_rate
        Rate of the outermost zone, or of the whole disk where it has no zones. [bit/s]
    inner_rate
        Rate of the innermost zone; without it, the same everywhere. [bit/s]
    position
        Place as a part of the capacity, 0 outside to 1 inside; without it, the mean of a pass over the disk. [1]
    request
        Size of requests at random places, one after the other; without it, sequential. [B]
    streams
        Sequential streams at once; two or more make the heads move.
    chunk
        Data moved for one stream before the heads move to the next. [B]
    seek
        Time of a seek. [s]
    revolution
        Time of a revolution: 8.3 ms at 7200 per minute. [s]

    Returns
    -------
    dict
        ``throughput_bps``, the sum over the streams. [bit/s]

    Examples
    --------
    >>> disk(outer_rate=8 * 64.8e6, inner_rate=8 * 31.0e6)["throughput_bps"] / 8e6
    45.8
    """
    inner = outer_rate if inner_rate is None else inner_rate
    alone = whole_disk_bps(outer_rate, inner) if position is None else zone_bps(outer_rate, inner, position)
    (streams,) = arrays(streams=streams)
    require_whole(1, streams=streams)
    if request is not None:
        return {"throughput_bps": given(random_bps(alone, request, access_s(seek, revolution)) + 0 * streams)}
    shared = interleaved_bps(alone, chunk, seek, revolution)
    return {"throughput_bps": given(np.where(streams > 1, shared, alone) + 0 * streams)}
