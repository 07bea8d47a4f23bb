r"""Solid-state disks: requests in flight, the fast part that fills up, and what rewriting costs.

References
----------
.. [1] J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.
.. [2] P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012, doi:10.1145/2367589.2367603.
"""

from typing import Final

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    Fraction,
    Number,
    Rate,
    Time,
    arrays,
    given,
    require_not_negative,
    require_positive,
    warn_outside,
)

_PLENTY: Final = 1e6  # with as much spare, nothing is ever moved
_STEPS: Final = 10  # Newton steps from 2 s, an upper bound: the last digit from a spare part of 0.01 % on


def outstanding_bps(block: Bytes, outstanding: Count, latency: Time, rate: Rate) -> Number:
    r"""Return the rate at which a device answers a fixed number of requests in flight.

    .. math:: B = \frac{8 N b}{t + 8 b / r}

    An upper bound: requests may wait for each other inside the device. Source: [1]_ of the module.

    Parameters
    ----------
    block, outstanding
        Size b of a request [B], and requests in flight N: threads times queue depth.
    latency, rate
        Time t from a request to its answer on an idle device, without the transfer [s], and rate r of the transfer: of
        the interface, or of one channel [bit/s].

    Returns
    -------
    float or array
        The rate, whatever else limits it. [bit/s]

    Examples
    --------
    A SATA disk of 3 Gb/s answers 4 KiB in 61.6 us; two in flight make 32,450 answers a second (32,871 measured):

    >>> outstanding_bps(4096, 2, 61.6e-6 - 4096 * 8 / 2.4e9, 2.4e9) / 8 / 4096
    32467.5
    """
    block, outstanding, latency, rate = arrays(block=block, outstanding=outstanding, latency=latency, rate=rate)
    require_positive(block=block, outstanding=outstanding, rate=rate)
    require_not_negative(latency=latency)
    return given(8 * outstanding * block / (latency + 8 * block / rate))


def filled_bps(
    amount: Bytes,
    cache_rate: Rate,
    cache: Bytes,
    rate: Rate,
    *,
    direct: Bytes = 0,
    direct_rate: Rate | None = None,
) -> Number:
    r"""Return the mean rate of writing an amount to an idle disk whose first part is fast.

    .. math:: B = \frac{8 W}{8 W_c / r_c + 8 W_d / r_d + 8 (W - W_c - W_d) / r}

    with :math:`W_c = \min(W, C)` and :math:`W_d = \min(W - W_c, D)`.

    A single long write to a disk that was erased or long idle; a nearly full disk has a smaller fast part. The three
    phases are those of reviews: the median error for four disks filled to the end is 5 %, the largest 24 % (tests, file
    ``published_fill.csv``).

    Parameters
    ----------
    amount, cache, direct
        Data W written in one go, C of them to cells used as single-level ones, then D, if the disk does so, straight to
        multi-level cells. [B]
    cache_rate, direct_rate, rate
        Rates r_c, r_d (by default `rate`) and r of these parts; in the last, the disk also empties the fast part.
        [bit/s]

    Returns
    -------
    float or array
        The mean over the amount. [bit/s]

    Examples
    --------
    A disk of 2 TB takes 407 GB at 6 GB/s, then up to 1150 GB at 1.4 GB/s, then 0.7 GB/s; measured 1060 MB/s in all:

    >>> filled_bps(2e12, 48e9, 407e9, 5.6e9, direct=743e9, direct_rate=11.2e9) / 8e6
    1103.2
    """
    amount, cache_rate, cache, rate, direct, direct_rate = arrays(
        amount=amount,
        cache_rate=cache_rate,
        cache=cache,
        rate=rate,
        direct=direct,
        direct_rate=rate if direct_rate is None else direct_rate,
    )
    require_positive(amount=amount, cache_rate=cache_rate, rate=rate, direct_rate=direct_rate)
    require_not_negative(cache=cache, direct=direct)
    fast = np.minimum(amount, cache)
    between = np.minimum(amount - fast, direct)
    return given(amount / (fast / cache_rate + between / direct_rate + (amount - fast - between) / rate))


def write_amplification(spare: Fraction) -> Number:
    r"""Return how often a disk writes each byte of small writes at random places.

    .. math:: A = \frac{\alpha}{x}, \quad 1 - \frac{x}{\alpha} = e^{-x}, \quad \alpha = 1 + s

    Writes of a page, uniform over all addresses, blocks cleaned in the order they were written; cleaning the emptiest
    first writes less, and so do addresses of unequal popularity. Source: [2]_ of the module, LRU cleaning. The long-run
    rate of such writes is the sequential one over A.

    Parameters
    ----------
    spare
        Spare part s: physical capacity over the capacity that holds data, less 1. Parts that were trimmed or never
        written are spare. [1]

    Returns
    -------
    float or array
        Physical over written bytes A; 1 is ideal, and what sequential writes have. [1]

    Warns
    -----
    ValidityWarning
        A spare part below 2 %.

    Examples
    --------
    7 % of spare (1 TiB of cells sold as 1 TB):

    >>> write_amplification(0.07)
    7.82
    """
    (spare,) = arrays(spare=spare)
    require_positive(spare=spare)
    warn_outside("spare", spare, spare < 0.02, "0.02 and more", "a block's size matters there, the real value is lower")
    alpha = np.minimum(1 + spare, _PLENTY)
    x = np.minimum(2 * (alpha - 1), alpha)
    for _ in range(_STEPS):
        x = x - (1 - x / alpha - np.exp(-x)) / (np.exp(-x) - 1 / alpha)
    return given(alpha / x)


def ssd(
    rate: Rate,
    *,
    cache_rate: Rate | None = None,
    cache: Bytes = 0,
    amount: Bytes | None = None,
    block: Bytes | None = None,
    outstanding: Count = 1,
    latency: Time = 0,
    iops: Count | None = None,
    spare: Fraction | None = None,
) -> dict[str, Number]:
    """Return the rate of a solid-state disk: the lowest of its limits.

    Parameters
    ----------
    rate
        Sequential rate of the disk, for writes the rate once its fast part is full. [bit/s]
    cache_rate
        Rate of writes while the fast part (SLC cache) takes them. [bit/s]
    cache
        Size of the fast part. [B]
    amount
        Data written without a pause to an idle disk; without it, endless. [B]
    block
        Size of a request; without it, large ones. [B]
    outstanding
        Requests in flight: threads times queue depth. Used with a block size.
    latency
        Time from a request to its answer on an idle disk. [s]
    iops
        Highest number of requests that the disk answers in a second.
    spare
        Physical over used capacity, less 1: with it, for small writes at random places in the long run. [1]

    Returns
    -------
    dict
        ``throughput_bps``. [bit/s]

    Raises
    ------
    RangeError
        An impossible value, an amount without the rate of the fast part, or a number of requests without their size.

    Examples
    --------
    >>> ssd(11.2e9, cache_rate=48e9, cache=400e9, amount=1e12)["throughput_bps"] / 8e9
    2.02
    """
    (rate,) = arrays(rate=rate)
    require_positive(rate=rate)
    limit = rate
    if cache_rate is not None:
        limit = limit if amount is None else np.asarray(filled_bps(amount, cache_rate, cache, given(rate)))
    elif amount is not None:
        raise RangeError("cache_rate: found nothing, expected the rate of the fast part, since an amount is given")
    if spare is not None:
        limit = limit / write_amplification(spare)
    if block is not None:
        wire = rate if cache_rate is None else np.maximum(rate, arrays(cache_rate=cache_rate)[0])
        limit = np.minimum(limit, outstanding_bps(block, outstanding, latency, given(wire)))
    if iops is not None:
        (iops,) = arrays(iops=iops)
        require_positive(iops=iops)
        if block is None:
            raise RangeError("block: found nothing, expected the size of a request beside iops")
        limit = np.minimum(limit, 8 * iops * arrays(block=block)[0])
    return {"throughput_bps": given(limit)}
