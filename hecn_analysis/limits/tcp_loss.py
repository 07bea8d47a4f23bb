r"""Closed forms for TCP on lossy paths: the window, or the throughput, that a congestion control holds at a given loss.

They describe the long run of one stream limited by random loss alone. `tcp_rounds` simulates timed tests, fixed
amounts, queues and windows. p is the probability of a loss *event* (at most one per round trip).

===========================  =================================  =================================================
:func:`mathis_bps`           p < 1 %, no timeouts               M. Mathis et al., ACM CCR 27(3), 1997 [1]_
:func:`pftk_bps`             timeouts too, p up to 30 %         J. Padhye et al., SIGCOMM 1998; RFC 5348, 3.1 [2]_
:func:`reno_window`          p < 1 %                            RFC 3649, table 2 [3]_
:func:`hstcp_window`         p < 1.5e-3 (else Reno's)           RFC 3649, tables 3 and 5 [3]_
:func:`cubic_window`         p < 1 %                            RFC 9438, 5.1 [4]_
===========================  =================================  =================================================

References
----------
.. [1] M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The macroscopic behavior of the TCP congestion avoidance algorithm",
   1997, doi:10.1145/263932.264023.
.. [2] S. Floyd et al., RFC 5348, "TCP Friendly Rate Control", 2008.
.. [3] S. Floyd, RFC 3649, "HighSpeed TCP for Large Congestion Windows", 2003.
.. [4] L. Xu et al., RFC 9438, "CUBIC for Fast and Long-Distance Networks", 2023.
.. [5] B. Briscoe et al., RFC 9330, "L4S Architecture", 2023, 5.1.
"""

import math
from typing import Final

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    Fraction,
    Number,
    Time,
    arrays,
    given,
    require_between,
    require_positive,
    warn_outside,
)

CUBIC_C: Final = 0.4
CUBIC_BETA: Final = 0.7


def _warn_of_timeouts(loss: Fraction, most: float = 0.01) -> None:
    """Warn if losses are so frequent that timeouts, which a formula omits, decide."""
    consequence = "windows are then so small that timeouts make the rate lower"
    warn_outside("loss", loss, np.asarray(loss) > most, f"{most:.10g} and less", consequence)


def mathis_bps(mss_bytes: Bytes, rtt_s: Time, loss: Fraction, *, constant: float = math.sqrt(1.5)) -> Number:
    r"""Throughput of Reno by the square-root law [bit/s].

    .. math:: X = \frac{8\, m}{T} \frac{C}{\sqrt p}

    Parameters
    ----------
    mss_bytes, rtt_s
        Payload of a packet [bytes], and round-trip time [s].
    loss
        Probability of a loss event per packet; 0 gives infinity. [fraction]
    constant
        1.22 with an ACK per packet (or byte counting), 0.87 with delayed ACKs, 0.93 in RFC 3819.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> mathis_bps(1460, 0.1, 1e-4) / 1e6
    14.305
    """
    require_positive(mss_bytes=mss_bytes, rtt_s=rtt_s)
    require_between(0, 1, loss=loss)
    _warn_of_timeouts(loss)
    mss, rtt, p = arrays(mss_bytes=mss_bytes, rtt_s=rtt_s, loss=loss)
    with np.errstate(divide="ignore"):
        return given(8 * mss / rtt * constant / np.sqrt(p))


def pftk_bps(
    mss_bytes: Bytes, rtt_s: Time, loss: Fraction, *, timeout_s: Time | None = None, ack_every: Count = 1
) -> Number:
    r"""Throughput of Reno with timeouts, RFC 5348's form [bit/s].

    .. math:: X = \frac{8\, s}{T \sqrt{2bp/3} + t_{RTO}\, 3 \sqrt{3bp/8}\; p\, (1 + 32 p^2)}

    Parameters
    ----------
    mss_bytes, rtt_s, loss
        Counted bytes of a packet; the others as for :func:`mathis_bps`. [bytes, s, fraction]
    timeout_s, ack_every
        Retransmission timeout, by default four round trips [s]; packets per ACK b: RFC 5348 recommends 1.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    RFC 4828, table 1: 100 ms, loss 1 %, 168.61 KB/s (its packets count 1500 bytes).

    >>> pftk_bps(1500, 0.1, 0.01) / 8e3
    168.5
    """
    require_positive(mss_bytes=mss_bytes, rtt_s=rtt_s, ack_every=ack_every)
    require_between(0, 1, loss=loss)
    _warn_of_timeouts(loss, 0.3)
    mss, rtt, p, b = arrays(mss_bytes=mss_bytes, rtt_s=rtt_s, loss=loss, ack_every=ack_every)
    rto = 4 * rtt if timeout_s is None else arrays(timeout_s=timeout_s)[0]
    seconds = rtt * np.sqrt(2 * b * p / 3) + rto * 3 * np.sqrt(3 * b * p / 8) * p * (1 + 32 * p**2)
    with np.errstate(divide="ignore"):
        return given(8 * mss / seconds)


def reno_window(loss: Fraction) -> Number:
    r"""Average window of Reno [packets].

    .. math:: W = 1.2 / \sqrt p

    Parameters
    ----------
    loss
        Probability of a loss event per packet; 0 gives infinity. [fraction]

    Returns
    -------
    float or array [packets]

    Examples
    --------
    RFC 3649, table 2:

    >>> [round(reno_window(p)) for p in (1e-2, 1e-4, 1e-10)]
    [12, 120, 120000]
    """
    require_between(0, 1, loss=loss)
    _warn_of_timeouts(loss)
    (p,) = arrays(loss=loss)
    with np.errstate(divide="ignore"):
        return given(1.2 / np.sqrt(p))


def hstcp_window(loss: Fraction) -> Number:
    """Average window of HighSpeed TCP, and Reno's where that is larger [packets].

    .. math:: W = 0.12 / p^{0.835}

    Parameters
    ----------
    loss
        Probability of a loss event per packet; 0 gives infinity. [fraction]

    Returns
    -------
    float or array [packets]

    Examples
    --------
    RFC 3649, table 5:

    >>> [round(hstcp_window(p)) for p in (1e-5, 1e-8)]
    [1795, 574356]
    """
    (p,) = arrays(loss=loss)
    reno = np.asarray(reno_window(loss))
    with np.errstate(divide="ignore"):
        return given(np.maximum(reno, 0.12 / p**0.835))


def cubic_window(loss: Fraction, rtt_s: Time, *, c: float = CUBIC_C, beta: float = CUBIC_BETA) -> Number:
    r"""Average window of CUBIC, and Reno's where that is larger (the Reno-friendly region) [packets].

    .. math:: W = \left( \frac{C (3 + \beta)}{4 (1 - \beta)} \right)^{1/4} \left( \frac{T}{p} \right)^{3/4}

    Parameters
    ----------
    loss, rtt_s
        Probability of a loss event per packet, 0 gives infinity [fraction]; round-trip time [s].
    c, beta
        Aggressiveness C, 0.4 in RFC 9438, 410/1024 in Linux [packets/s³]; part of the window kept at a loss: 0.7, in
        Linux 717/1024.

    Returns
    -------
    float or array [packets]

    Examples
    --------
    RFC 9438, tables 1 and 2 (100 ms and 10 ms):

    >>> round(cubic_window(1e-8, 0.1)), round(cubic_window(1e-5, 0.01))
    (187400, 379)
    """
    require_positive(rtt_s=rtt_s, c=c)
    require_between(0, 1, loss=loss, beta=beta)
    p, rtt = arrays(loss=loss, rtt_s=rtt_s)
    with np.errstate(divide="ignore"):
        cubic = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75
    return given(np.maximum(np.asarray(reno_window(loss)), cubic))


def reno_loss(window: Count) -> Number:
    """Loss at which Reno holds a window on average: the inverse of `reno_window` [fraction].

    Parameters
    ----------
    window
        Average window. [packets]

    Returns
    -------
    float or array
        Probability of a loss event per packet. [fraction]

    Examples
    --------
    RFC 9438, table 3: 10 Gb/s over 100 ms in packets of 1500 bytes allow one loss in 5e9 packets.

    >>> reno_loss(10e9 * 0.1 / 12000) * 1e10
    2.07
    """
    require_positive(window=window)
    (w,) = arrays(window=window)
    return given((1.2 / w) ** 2)


def cubic_loss(window: Count, rtt_s: Time, *, c: float = CUBIC_C, beta: float = CUBIC_BETA) -> Number:
    """Loss at which CUBIC holds a window on average: the inverse of `cubic_window` [fraction].

    Parameters
    ----------
    window, rtt_s, c, beta
        Average window; the others as for :func:`cubic_window`. [packets, s, packets/s³, 1]

    Returns
    -------
    float or array
        Probability of a loss event per packet. [fraction]

    Examples
    --------
    RFC 9438, table 3: 10 Gb/s over 100 ms in packets of 1500 bytes.

    >>> cubic_loss(10e9 * 0.1 / 12000, 0.1) * 1e8
    2.9
    """
    require_positive(window=window, rtt_s=rtt_s, c=c)
    w, rtt = arrays(window=window, rtt_s=rtt_s)
    cubic = rtt * ((c * (3 + beta) / (4 * (1 - beta))) ** 0.25 / w) ** (4 / 3)
    return given(np.maximum(np.asarray(reno_loss(window)), cubic))


def reno_recovery_s(window: Count, rtt_s: Time) -> Number:
    """Time that Reno needs from a loss back to the window before it, W/2 round trips [s].

    Parameters
    ----------
    window, rtt_s
        Window at the loss [packets], and round-trip time at that window; if a queue causes it, the average is 3/4 [s].

    Returns
    -------
    float or array [s]

    Examples
    --------
    RFC 9330, 5.1: 120 Mb/s, at most 30 ms, packets of 1500 bytes: 3.38 s.

    >>> reno_recovery_s(120e6 * 0.03 / 12000, 0.03)
    3.38
    """
    require_positive(window=window, rtt_s=rtt_s)
    w, rtt = arrays(window=window, rtt_s=rtt_s)
    return given(w / 2 * 0.75 * rtt)


def cubic_recovery_s(window: Count, *, c: float = CUBIC_C, beta: float = CUBIC_BETA) -> Number:
    r"""Time that CUBIC needs from a loss back to the window before it [s].

    .. math:: K = \sqrt[3]{W (1 - \beta) / C}

    Parameters
    ----------
    window, c, beta
        Window at the loss; the others as for :func:`cubic_window`. [packets, packets/s³, 1]

    Returns
    -------
    float or array [s]

    Examples
    --------
    RFC 9330, 5.1: 7.68 Gb/s over 30 ms in packets of 1500 bytes: 24.3 s.

    >>> cubic_recovery_s(7.68e9 * 0.03 / 12000)
    24.3
    """
    require_positive(window=window, c=c)
    (w,) = arrays(window=window)
    return given(np.cbrt(w * (1 - beta) / c))


def packet_loss(bit_error_rate: Fraction, frame_bytes: Bytes) -> Number:
    """Probability that independent bit errors damage a frame [fraction].

    .. math:: p = 1 - (1 - e)^{8 n}

    Parameters
    ----------
    bit_error_rate, frame_bytes
        Probability of a wrong bit [fraction], and length of the frame [bytes].

    Returns
    -------
    float or array [fraction]

    Examples
    --------
    >>> packet_loss(1e-12, 9018) * 1e8
    7.2144
    """
    require_between(0, 1, bit_error_rate=bit_error_rate)
    require_positive(frame_bytes=frame_bytes)
    e, n = arrays(bit_error_rate=bit_error_rate, frame_bytes=frame_bytes)
    with np.errstate(divide="ignore"):
        return given(-np.expm1(8 * n * np.log1p(-e)))
