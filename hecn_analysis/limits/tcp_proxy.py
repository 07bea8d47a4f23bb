"""Split connections: a proxy on each side of a long or lossy part of a path (performance enhancing proxy, PEP).

A proxy ends the host's TCP connection and carries the data on by one of its own, or by a protocol made for the link.
Each part then has its own window, losses and shorter round trip; data wait between parts, so that the slowest part sets
the pace. The delay from end to end stays. Satellites are the usual case: one round trip over a geostationary one takes
about 0.56 s.

References
----------
.. [1] RFC 3135, "Performance Enhancing Proxies Intended to Mitigate Link-Related Degradations", 2001, 2.1 and 3.1.2.
.. [2] RFC 2488, "Enhancing TCP Over Satellite Channels using Standard Mechanisms", 1999, 3.1.
"""

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import Bytes, FloatArray, Number, Rate, Time, arrays, given, require_positive


def split_bps(window_bytes: Bytes, rtt_s: Time, *, rate_bps: Rate = np.inf, loss_limit_bps: Rate = np.inf) -> Number:
    r"""Throughput of a path whose connections are split, the parts along the last axis [bit/s].

    .. math:: X = \min_i \min\left( \frac{8 W_i}{T_i}, R_i, L_i \right)

    For the long run: the buffers between the parts neither run empty nor full. One part is a path without proxies.

    Parameters
    ----------
    window_bytes, rtt_s
        Usable window [bytes] and round-trip time [s] of each part.
    rate_bps, loss_limit_bps
        Largest payload of each part, and its limit by losses, see `tcp_loss`; infinite for a protocol that does not
        slow down at a loss. [bit/s]

    Returns
    -------
    float or array
        The throughput, without the last axis. [bit/s]

    Examples
    --------
    A satellite with a window of 64 KB throughout: 117,027 bytes/s (RFC 2488). With proxies on the ground, 10 ms from
    the hosts, and 4 MB between them:

    >>> split_bps([65535], [0.56]) / 8, split_bps([65535, 4e6, 65535], [0.01, 0.54, 0.01]) / 1e6
    (117026.79, 52.428)
    """
    require_positive(window_bytes=window_bytes, rtt_s=rtt_s, rate_bps=rate_bps, loss_limit_bps=loss_limit_bps)
    window, rtt, rate, loss_limit = _parts(
        window_bytes=window_bytes, rtt_s=rtt_s, rate_bps=rate_bps, loss_limit_bps=loss_limit_bps
    )
    return given(np.min(np.minimum(np.minimum(8 * window / rtt, rate), loss_limit), axis=-1))


def split_transfer_s(amount_bytes: Bytes, part_bps: Rate, rtt_s: Time) -> Number:
    r"""Time from the first byte sent to the last one received over a split path, the parts along the last axis [s].

    .. math:: t = \frac{8 S}{\min_i X_i} + \sum_i \frac{T_i}{2}

    Without the start-up of the parts: proxies keep connections open, and short parts start up in little time.

    Parameters
    ----------
    amount_bytes, part_bps, rtt_s
        Amount to transfer [bytes]; throughput [bit/s] and round-trip time [s] of each part.

    Returns
    -------
    float or array
        The time, without the last axis. [s]

    Examples
    --------
    100 MB through two proxies over a satellite:

    >>> split_transfer_s(100e6, [52.428e6, 45e6, 52.428e6], [0.01, 0.54, 0.01])
    18.058
    """
    require_positive(amount_bytes=amount_bytes, part_bps=part_bps, rtt_s=rtt_s)
    rate, rtt = _parts(part_bps=part_bps, rtt_s=rtt_s)
    (amount,) = arrays(amount_bytes=amount_bytes)
    return given(8 * amount / np.min(rate, axis=-1) + np.sum(rtt, axis=-1) / 2)


def _parts(**values: Number) -> tuple[FloatArray, ...]:
    """Broadcast; each must have a last axis with the parts."""
    parts = np.broadcast_arrays(*arrays(**values))
    if parts[0].ndim == 0:
        names = ", ".join(values)
        raise RangeError(f"{names}: found single numbers, expected one for each part of the path, in a list")
    return parts
