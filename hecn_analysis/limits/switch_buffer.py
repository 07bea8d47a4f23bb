r"""Buffers of switches between a fast link and a slow one, and what they must hold for TCP.

A burst that arrives faster than it leaves fills the buffer of the slow port; the excess is lost. Senders burst above
their mean rate: an offloaded send is 64 KiB at the speed of the card, slow start sends a window in half a round trip.

References
----------
.. [1] R. L. Cruz, "A calculus for network delay, part I", IEEE Transactions on Information Theory 37(1), 1991,
   doi:10.1109/18.61109: backlog of a burst.
.. [2] G. Appenzeller, I. Keslassy, N. McKeown, "Sizing router buffers", SIGCOMM 2004, doi:10.1145/1015467.1015499: one
   bandwidth-delay product over the root of the number of flows.
.. [3] RFC 5681 (Reno halves its window) and RFC 9438 (CUBIC keeps 0.7 of it).
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
    require_not_negative,
    require_positive,
    require_whole,
    require_word,
    warn_outside,
)

DECREASE: Final = {"reno": 0.5, "cubic": 0.7}
"""Part of the window that is kept at a loss. [1]"""
Control = Literal["reno", "cubic"]


def needed_bytes(ingress: Rate, egress: Rate, burst: Bytes) -> Number:
    r"""Return the buffer that takes a burst without loss.

    .. math:: Q = S \left(1 - \frac{R_\mathrm{out}}{R_\mathrm{in}}\right), \quad R_\mathrm{in} > R_\mathrm{out}

    The buffer is empty before, and of bytes: with one of packet slots, small packets fill it sooner. Source: [1]_.

    Parameters
    ----------
    ingress, egress
        Rates at which the burst arrives and leaves. [bit/s]
    burst
        Size S of the burst. [B]

    Returns
    -------
    float or array
        The buffer; 0 where the way out is not slower. [B]

    Examples
    --------
    64 KiB at 10 Gb/s into 1 Gb/s:

    >>> needed_bytes(10e9, 1e9, 65536)
    58982.4
    """
    fast, slow, size = _burst(ingress, egress, burst)
    return given(size * np.maximum(0.0, 1 - slow / fast))


def largest_burst_bytes(ingress: Rate, egress: Rate, buffer: Bytes) -> Number:
    r"""Return the largest burst that a buffer takes without loss.

    .. math:: S = \frac{Q}{1 - R_\mathrm{out} / R_\mathrm{in}}

    The inverse of :func:`needed_bytes`, with the same conditions. Source: [1]_ of the module.

    Parameters
    ----------
    ingress, egress
        As for :func:`needed_bytes`. [bit/s]
    buffer
        Buffer Q of the slow port. [B]

    Returns
    -------
    float or array
        The burst; infinite where the way out is not slower. [B]

    Examples
    --------
    >>> largest_burst_bytes(40e9, 10e9, 750e3)
    1000000.0
    """
    fast, slow = arrays(ingress=ingress, egress=egress)
    require_positive(ingress=fast, egress=slow)
    (room,) = arrays(buffer=buffer)
    require_not_negative(buffer=room)
    grows = 1 - slow / fast
    no_limit = np.inf + 0 * (room + grows)  # missing where one of them is
    return given(np.where(grows > 0, room / np.where(grows > 0, grows, 1.0), no_limit))


def safe_rate_bps(egress: Rate, buffer: Bytes, burst: Bytes) -> Number:
    r"""Return the fastest pace at which a burst of this size passes without loss, to pace a sender.

    .. math:: R = \frac{R_\mathrm{out}}{1 - Q / S}, \quad S > Q

    A long transfer is one long burst: it must be paced to the slow link itself. Source: [1]_ of the module.

    Parameters
    ----------
    egress, buffer, burst
        As for :func:`largest_burst_bytes`; size S of the burst. [bit/s, B, B]

    Returns
    -------
    float or array
        The pace; infinite where the burst fits into the buffer. [bit/s]

    Examples
    --------
    >>> safe_rate_bps(1e9, 512e3, 1e6) / 1e9
    2.049
    """
    (slow,) = arrays(egress=egress)
    require_positive(egress=slow)
    room, size = arrays(buffer=buffer, burst=burst)
    require_not_negative(buffer=room)
    require_positive(burst=size)
    part = 1 - room / size
    no_limit = np.inf + 0 * (room + size + slow)  # missing where one of them is
    return given(np.where(part > 0, slow / np.where(part > 0, part, 1.0), no_limit))


def full_rate_buffer_bytes(rate: Rate, rtt: Time, *, flows: Count = 1, congestion_control: Control = "reno") -> Number:
    r"""Return the buffer with which TCP keeps a link full through its losses.

    .. math:: Q = \frac{R\, T}{8} \cdot \frac{1 - \beta}{\beta} \cdot \frac{1}{\sqrt{N}}

    Long flows. Valid for 1 flow, and 100 and more. Source: [2]_, [3]_ of the module.

    Parameters
    ----------
    rate, rtt
        Rate R of the link [bit/s], and round-trip time T without queues [s].
    flows
        Flows N, whose losses do not coincide.
    congestion_control
        ``reno`` (beta = 0.5: one bandwidth-delay product) or ``cubic`` (0.7: 0.43 of it).

    Returns
    -------
    float or array [B]

    Warns
    -----
    ValidityWarning
        2 to 99 flows: the root of N needs hundreds of unsynchronised flows; fewer need up to what one flow needs.

    Examples
    --------
    10 Gb/s over 80 ms:

    >>> full_rate_buffer_bytes(10e9, 0.08, congestion_control="cubic") / 1e6
    42.86
    """
    rate, rtt, count = arrays(rate=rate, rtt=rtt, flows=flows)
    require_positive(rate=rate, rtt=rtt)
    require_whole(1, flows=count)
    require_word(tuple(DECREASE), congestion_control=congestion_control)
    warn_outside(
        "flows",
        count,
        (count > 1) & (count < 100),
        "1, and 100 or more",
        "losses of few flows coincide, they need more",
    )
    keep = DECREASE[congestion_control]
    return given(rate * rtt / 8 * (1 - keep) / keep / np.sqrt(count))


def bufferless_fraction(congestion_control: Control = "reno") -> Fraction:
    r"""Return the part of a link without a buffer that one flow fills.

    .. math:: U = \frac{1 + \beta}{2}

    The window swings between beta and all of what fits, evenly in time: exact for Reno's linear growth, a little low
    for CUBIC, which stays near the top. Source: [3]_ of the module.

    Parameters
    ----------
    congestion_control
        ``reno`` or ``cubic``.

    Returns
    -------
    float
        The part. [1]

    Examples
    --------
    >>> bufferless_fraction("reno"), bufferless_fraction("cubic")
    (0.75, 0.85)
    """
    require_word(tuple(DECREASE), congestion_control=congestion_control)
    return (1 + DECREASE[congestion_control]) / 2


def _burst(ingress: Rate, egress: Rate, burst: Bytes) -> tuple[FloatArray, FloatArray, FloatArray]:
    fast, slow, size = arrays(ingress=ingress, egress=egress, burst=burst)
    require_positive(ingress=fast, egress=slow)
    require_not_negative(burst=size)
    return fast, slow, size


def buffer(
    ingress: Rate, egress: Rate, buffer: Bytes, *, burst: Bytes = 65_536, interval: Time | None = None
) -> dict[str, Number]:
    """Return the throughput where a fast link meets a slow one, and the fastest pace without loss.

    Parameters
    ----------
    ingress
        Rate of the fast link, at which bursts arrive. [bit/s]
    egress
        Rate of the slow link. [bit/s]
    buffer
        Buffer of the slow port. [B]
    burst
        Size of a burst: 64 KiB from a card with offloads, up to a window in slow start. [B]
    interval
        Time from burst to burst, such as the round-trip time; without it, a single burst. [s]

    Returns
    -------
    dict
        ``throughput_bps``: the rate that gets through, per burst or interval [bit/s]; ``buffer_needed_bytes``;
        ``largest_burst_bytes`` that this buffer takes [B]; ``loss_fraction``: the tail of a burst that is lost [1];
        ``pace_bps``: the fastest pace at which the burst passes whole. [bit/s]

    Raises
    ------
    RangeError
        An impossible value, or bursts that come faster than the fast link carries them.

    Examples
    --------
    A window of 1 MB each 80 ms, from 10 Gb/s into 1 Gb/s through 512 kB:

    >>> figures = buffer(ingress=10e9, egress=1e9, buffer=512e3, burst=1e6, interval=0.08)
    >>> figures["loss_fraction"], figures["throughput_bps"] / 1e6, figures["pace_bps"] / 1e9
    (0.388, 61.2, 2.049)
    """
    fast, slow, size = _burst(ingress, egress, burst)
    require_positive(burst=size)
    (room,) = arrays(buffer=buffer)
    require_not_negative(buffer=room)
    needed = np.asarray(needed_bytes(fast, slow, size))
    passed = size - np.maximum(0.0, needed - room)
    if interval is None:
        time = 8 * passed / np.minimum(slow, fast)  # when the last byte has left
    else:
        (time,) = arrays(interval=interval)
        require_positive(interval=time)
        refuse("interval", time, time < 8 * size / fast, "at least the time that a burst takes on the fast link")
        # A burst that finds the last one still in the buffer has less room: the slow link is then busy all the time.
        passed = np.minimum(passed, slow * time / 8)
    return {
        "throughput_bps": given(8 * passed / time),
        "buffer_needed_bytes": given(needed),
        "largest_burst_bytes": largest_burst_bytes(fast, slow, room),
        "loss_fraction": given(1 - passed / size),
        "pace_bps": safe_rate_bps(slow, room, size),
    }
