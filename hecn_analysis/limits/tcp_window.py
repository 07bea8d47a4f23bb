"""Windows: the bandwidth-delay product, what a window allows, and how much of a socket buffer Linux uses as one.

Linux counts packets in socket buffers with their headers and slack. So the window that TCP can use is neither what a
tool asked for nor what the kernel stored:

1. ``setsockopt(SO_RCVBUF or SO_SNDBUF, w)`` is cut to `net.core.rmem_max` / `wmem_max`, stored doubled, and ends
   autotuning (socket(7)). Autotuned buffers grow up to the third value of `tcp_rmem` / `tcp_wmem`, which is not
   doubled (tcp(7)).
2. The receive window is a part of the buffer space. Up to Linux 6.5 the part was set by `tcp_adv_win_scale`
   (`include/net/tcp.h`, `tcp_win_from_space`): 3/4 by default before Linux 3.4, half from there on. Since 6.6 it is
   the payload of the packets over the memory they occupy (`truesize`), measured packet by packet, in steps of 1/256.
3. The send buffer counts memory too, but outgoing payload takes nearly all of its pages; the receive window is the
   smaller one. But a process that finds it full sleeps until a third is free again, and the data in flight fall below
   a window of more than two thirds (`written_window`).

References
----------
.. [1] RFC 6349, "Framework for TCP Throughput Testing", 3.3.1 and 4.1.2; RFC 7323, window scale (at most 14).
.. [2] Linux: `include/net/tcp.h`, `net/core/sock.c` (`__sock_set_rcvbuf`), `net/ipv4/tcp_input.c`
   (`tcp_measure_rcv_mss`), `Documentation/networking/ip-sysctl.rst`; commits "tcp: change
   tcp_adv_win_scale and tcp_rmem[2]" (3.4) and "tcp: get rid of sysctl_tcp_adv_win_scale" (6.6).
"""

import re
from typing import Final

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import (
    Bytes,
    FloatArray,
    Number,
    Rate,
    Time,
    arrays,
    given,
    require_not_negative,
    require_positive,
)

LARGEST_WINDOW: Final = 65535.0 * 2**14
"""The largest window that the header field and its scale can say (RFC 7323). [bytes]"""

_PAGE: Final = 4096

_OFFLOAD_BYTES: Final = 65536
_BUNCHES_PER_S: Final = 1024  # tcp_tso_autosize: sk_pacing_shift is 10
_PACING_GAIN: Final = 4.0  # of a flow held by its window: twice the rate of a congestion window twice as large
_SEND_OVERHEAD: Final = 896
"""Memory of a packet's descriptor and headers in the send buffer (SKB_TRUESIZE of MAX_TCP_HEADER). [bytes]"""


def bdp_bytes(rate_bps: Rate, rtt_s: Time) -> Number:
    r"""Bandwidth-delay product: the data in flight when a path is just full [bytes].

    .. math:: B = R\, T / 8

    Parameters
    ----------
    rate_bps, rtt_s
        Rate of the narrowest link [bit/s], and round-trip time without queueing [s].

    Returns
    -------
    float or array [bytes]

    Examples
    --------
    RFC 6349, table 3.3.1: 1 Gb/s over 1 ms.

    >>> bdp_bytes(1e9, 1e-3)
    125000.0
    """
    require_positive(rate_bps=rate_bps, rtt_s=rtt_s)
    rate, rtt = arrays(rate_bps=rate_bps, rtt_s=rtt_s)
    return given(rate * rtt / 8)


def window_limit_bps(window_bytes: Bytes, rtt_s: Time) -> Number:
    """Throughput that a window allows: one window each round trip [bit/s].

    .. math:: X = 8 W / T

    Exact while the path itself is not full; a queue is part of T.

    Parameters
    ----------
    window_bytes, rtt_s
        Usable window of all streams together [bytes], and round-trip time [s].

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    RFC 6349, 4.1.2: 16 KB over 5 ms.

    >>> window_limit_bps(16e3, 5e-3) / 1e6
    25.6
    """
    require_positive(window_bytes=window_bytes, rtt_s=rtt_s)
    window, rtt = arrays(window_bytes=window_bytes, rtt_s=rtt_s)
    return given(8 * window / rtt)


def kernel_version(kernel: str) -> tuple[int, int]:
    """Major and minor number of a Linux version such as "6.18" or "3.10.0-1160.el7".

    Parameters
    ----------
    kernel
        The version, as ``uname -r`` prints it.

    Returns
    -------
    tuple of int
        Major and minor number.

    Examples
    --------
    >>> kernel_version("3.10.0-1160.el7")
    (3, 10)
    """
    version = re.match(r"(\d+)\.(\d+)", kernel)
    if version is None:
        raise RangeError(f"kernel: found {kernel!r}, expected a Linux version such as '6.18'")
    return int(version[1]), int(version[2])


def truesize_bytes(mss_bytes: Bytes) -> Number:
    """Memory of a received packet that is not merged with others by LRO or GRO [bytes].

    Frames of up to about half a page get half a page (2048), longer ones whole pages, and each the packet's descriptor
    (256). Drivers differ: with merged or page-recycled packets less is wasted.

    Parameters
    ----------
    mss_bytes
        Payload of a packet. [bytes]

    Returns
    -------
    float or array [bytes]

    Examples
    --------
    >>> truesize_bytes(8948)
    12544.0
    """
    require_positive(mss_bytes=mss_bytes)
    (mss,) = arrays(mss_bytes=mss_bytes)
    return given(np.where(mss <= 1600, _PAGE / 2, np.ceil(mss / _PAGE) * _PAGE) + 256 + 0 * mss)


def window_from_space(
    space_bytes: Bytes, *, kernel: str = "6.18", mss_bytes: Bytes = 8948, adv_win_scale: int | None = None
) -> Number:
    r"""Receive window that Linux offers out of a receive buffer [bytes].

    .. math:: W = S - S / 2^a \; (a > 0), \quad S\, 2^{a} \; (a \le 0); \qquad
              W = \lfloor 256\, m / t \rfloor S / 256 \; \text{since Linux 6.6}

    Parameters
    ----------
    space_bytes
        Receive buffer: the third value of `tcp_rmem`, or twice what was asked for with SO_RCVBUF. [bytes]
    kernel
        Linux version of the receiver.
    mss_bytes
        Payload of a packet; matters since Linux 6.6. [bytes]
    adv_win_scale
        The sysctl `tcp_adv_win_scale` where it was changed; not used since Linux 6.6.

    Returns
    -------
    float or array [bytes]

    Examples
    --------
    >>> window_from_space(6291456, kernel="5.15"), window_from_space(6291456, kernel="2.6.32")
    (3145728.0, 4718592.0)
    """
    require_not_negative(space_bytes=space_bytes)
    space, mss = arrays(space_bytes=space_bytes, mss_bytes=mss_bytes)
    version = kernel_version(kernel)
    if version >= (6, 6):
        return given(np.floor(256 * mss / truesize_bytes(mss)) / 256 * space)
    scale = adv_win_scale if adv_win_scale is not None else 1 if version >= (3, 4) else 2
    return given((1 - 0.5**scale if scale > 0 else 2.0**scale) * space + 0 * mss)


def usable_window(
    window_bytes: Bytes,
    *,
    kernel: str = "6.18",
    mss_bytes: Bytes = 8948,
    rmem_max: Bytes = np.inf,
    wmem_max: Bytes = np.inf,
    adv_win_scale: int | None = None,
) -> Number:
    """Usable window after a tool asked for one with SO_SNDBUF and SO_RCVBUF at both ends [bytes].

    Parameters
    ----------
    window_bytes
        What the tool asked for (`-w`). [bytes]
    kernel, mss_bytes, adv_win_scale
        As for :func:`window_from_space`. [1, bytes, 1]
    rmem_max, wmem_max
        Sysctls `net.core.rmem_max` of the receiver and `net.core.wmem_max` of the sender, which cap the request.
        [bytes]

    Returns
    -------
    float or array [bytes]

    Examples
    --------
    Doubled by the kernel; then half, three quarters, or the measured part of it:

    >>> usable_window(1e6, kernel="5.15"), usable_window(1e6, kernel="2.6.32"), usable_window(1e6, kernel="6.18")
    (1000000.0, 1500000.0, 1421875.0)
    """
    require_positive(window_bytes=window_bytes, rmem_max=rmem_max, wmem_max=wmem_max)
    asked, rmem, wmem = arrays(window_bytes=window_bytes, rmem_max=rmem_max, wmem_max=wmem_max)
    space: FloatArray = 2 * np.minimum(asked, rmem)
    receive = window_from_space(given(space), kernel=kernel, mss_bytes=mss_bytes, adv_win_scale=adv_win_scale)
    return given(np.minimum(np.minimum(receive, 2 * np.minimum(asked, wmem)), LARGEST_WINDOW))


def autotuned_window(
    *,
    tcp_rmem_max: Bytes,
    tcp_wmem_max: Bytes,
    kernel: str = "6.18",
    mss_bytes: Bytes = 8948,
    adv_win_scale: int | None = None,
) -> Number:
    """Largest window that Linux reaches by autotuning [bytes].

    Parameters
    ----------
    tcp_rmem_max, tcp_wmem_max
        Third values of the receiver's `tcp_rmem` and the sender's `tcp_wmem`. [bytes]
    kernel, mss_bytes, adv_win_scale
        As for :func:`window_from_space`. [1, bytes, 1]

    Returns
    -------
    float or array [bytes]

    Examples
    --------
    Common defaults, 6 MiB and 4 MiB: the receiver holds 3 MiB in flight.

    >>> autotuned_window(tcp_rmem_max=6 * 2**20, tcp_wmem_max=4 * 2**20, kernel="5.15") / 2**20
    3.0
    """
    require_positive(tcp_rmem_max=tcp_rmem_max, tcp_wmem_max=tcp_wmem_max)
    receive = window_from_space(tcp_rmem_max, kernel=kernel, mss_bytes=mss_bytes, adv_win_scale=adv_win_scale)
    (wmem,) = arrays(tcp_wmem_max=tcp_wmem_max)
    return given(np.minimum(np.minimum(receive, wmem), LARGEST_WINDOW))


def written_window(
    window_bytes: Bytes, send_space_bytes: Bytes, *, mss_bytes: Bytes, rtt_s: Time
) -> tuple[Number, Number]:
    r"""Least and largest mean of the data that a process keeps in flight with a fixed send buffer [bytes], [bytes].

    Full packets only, so the window is rounded down. A process that finds its buffer of payload P full sleeps until
    2P/3 are left (`sk_stream_write_space`), then fills it again. Once all of it is in flight, W, flight falls to 2P/3
    before more is written. Where ACKs come evenly, the mean over such a cycle is

    .. math:: \bar W = \frac{(P - W) W + (W^2 - (2P/3)^2) / 2}{P/3}, \quad W > 2P/3

    which is the largest. If they come in bunches, the gap may fall where flight is least: 2P/3. Less than a bunch waits
    until all of it may be sent (`tcp_tso_should_defer`): half a bunch on average.

    Packets are kept in bunches of b (what 4 times the rate brings in 1/1024 s, 2 packets to 64 KiB), each with
    o = 896 bytes of overhead, so that P = S b m / (b m + o).

    Parameters
    ----------
    window_bytes, send_space_bytes
        Window that the receiver offers, and send buffer S, twice the SO_SNDBUF requested. [bytes]
    mss_bytes, rtt_s
        Payload of a packet m [bytes], and round-trip time [s].

    Returns
    -------
    tuple of float or array
        The least and the largest mean. [bytes]

    Examples
    --------
    A receive window of 0.7 of a buffer of 1 MiB, 9000 bytes, 90 ms: nuttcp on Linux 6.18 kept 707 KB in flight.

    >>> [round(mean / 1e3) for mean in written_window(743834, 2**20, mss_bytes=8948, rtt_s=0.09)]
    [668, 736]
    """
    require_positive(window_bytes=window_bytes, send_space_bytes=send_space_bytes, mss_bytes=mss_bytes, rtt_s=rtt_s)
    w, space, mss, rtt = arrays(
        window_bytes=window_bytes, send_space_bytes=send_space_bytes, mss_bytes=mss_bytes, rtt_s=rtt_s
    )
    w = np.maximum(np.floor(w / mss), 1.0) * mss
    bunch = np.floor(np.minimum(_PACING_GAIN * w / rtt / _BUNCHES_PER_S, _OFFLOAD_BYTES) / mss)
    bunch = np.maximum(bunch, 2.0) * mss
    full = np.maximum(space * bunch / (bunch + _SEND_OVERHEAD), mss)
    w = np.minimum(w, full)
    wake = np.minimum(2 / 3 * full, w)
    even = np.where(wake < w, ((full - w) * w + (w**2 - wake**2) / 2) / (full / 3), w)
    least = np.maximum(wake - np.minimum((bunch - mss) / 2, wake / 3), mss)
    return given(least), given(np.maximum(even, least))
