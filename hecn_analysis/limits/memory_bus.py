r"""Memory: how often a byte crosses the bus, and the link between sockets.

References
----------
.. [1] A. Romanow et al., "Remote direct memory access (RDMA) over IP problem statement", RFC 4297, 2005: passes over
   memory.
.. [2] J. McCalpin, "Memory bandwidth and machine balance in current high performance computers", IEEE TCCA Newsletter,
   1995: STREAM, the part of the nominal rate that programs reach.
"""

from typing import Final

import numpy as np

from hecn_analysis.limits._checks import (
    Count,
    Fraction,
    Number,
    Rate,
    Transfers,
    arrays,
    given,
    refuse,
    require_between,
    require_not_negative,
    require_positive,
    require_whole,
    warn_outside,
)

CHANNEL_BYTES: Final = 8.0
"""Width of a memory channel. [B]"""


def memory_bps(bandwidth: Rate, passes: Count) -> Number:
    """Return the rate of data that crosses a memory bus several times.

    .. math:: B = W / k

    Caches that take DMA writes (DDIO) save passes while the data fit their share. Source: [1]_ of the module.

    Parameters
    ----------
    bandwidth
        Usable bandwidth W, reads and writes together. [bit/s]
    passes
        How often each byte crosses the bus, k: a socket receive 3 (card writes, copy reads and writes); disk to network
        with sendfile 2, through user space 4 or more. A mean may be fractional.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    The example of [1]_: 1 GB/s received with 3 passes.

    >>> memory_bps(8e9, 3) / 1e9
    2.67
    """
    bandwidth, passes = arrays(bandwidth=bandwidth, passes=passes)
    require_positive(bandwidth=bandwidth, passes=passes)
    return given(bandwidth / passes)


def bandwidth_bps(channels: Count, transfers: Transfers, usable: Fraction = 0.8) -> Number:
    r"""Return the usable bandwidth of memory channels.

    .. math:: W = 64\, n\, r\, \eta

    Local memory; the link to another socket is a limit of its own: :func:`numa_bps`. A memory benchmark such as STREAM
    gives the usable part of a given host. Source: the data sheets of memory modules (64 data bits a channel), [2]_ of
    the module.

    Parameters
    ----------
    channels
        Channels n, of 8 bytes each.
    transfers
        Transfer rate r of the memory: 2666e6 for DDR4-2666. [T/s]
    usable
        Part of the nominal rate that mixed reads and writes reach; 0.7 to 0.85 is usual, 0.8 an assumption. [1]

    Returns
    -------
    float or array
        The bandwidth, reads and writes together. [bit/s]

    Warns
    -----
    ValidityWarning
        A usable part above 0.95, except 1, which gives the nominal rate.

    Examples
    --------
    Three channels of DDR3-1333, nominally 32 GB/s:

    >>> bandwidth_bps(3, 1333.33e6, usable=1.0) / 8e9
    32.0
    """
    channels, transfers, usable = arrays(channels=channels, transfers=transfers, usable=usable)
    require_whole(1, channels=channels)
    require_positive(transfers=transfers)
    refuse("usable", usable, (usable <= 0) | (usable > 1), "a fraction above 0, at most 1")
    refreshed = "0.95 or less"
    warn_outside("usable", usable, (usable > 0.95) & (usable < 1), refreshed, "refresh and turnarounds take more")
    return given(8 * CHANNEL_BYTES * channels * transfers * usable)


def numa_bps(bandwidth: Rate, passes: Count, link_rate: Rate, link_passes: Count, both_ways: Fraction = 0.0) -> Number:
    r"""Return the rate of data that crosses memory, and some of the times the link between two sockets.

    .. math:: B = \min\left(\frac{W}{k}, \frac{L}{k_L (1 - b / 2)}\right)

    An upper bound. A core that waits for remote lines has its own, lower limit: lines in flight times 64 bytes over the
    remote latency (Little's law), which costs cycles per byte.

    Parameters
    ----------
    bandwidth, passes
        W and k, as for :func:`memory_bps`; W of the memory that holds the data. [bit/s, 1]
    link_rate
        Rate L of all links between the two sockets, one way: see the kind interconnect. [bit/s]
    link_passes
        How often each byte crosses the link, k_L: 1 where the card, or the program, is on the other socket than the
        buffers, 2 where both are; 0 where all is local.
    both_ways
        Part b of these crossings that the two directions share evenly: 0 all one way, 1 half each way. [1]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    A card on the other socket, with 12.8 GB/s of link, of which 8/9 are data:

    >>> numa_bps(8 * 40e9, 3, 8 * 11.4e9, 1) / 8e9
    11.4
    """
    local = memory_bps(bandwidth, passes)
    link, crossings, even = arrays(link_rate=link_rate, link_passes=link_passes, both_ways=both_ways)
    require_positive(link_rate=link)
    require_not_negative(link_passes=crossings)
    require_between(0, 1, both_ways=even)
    one_way = crossings * (1 - even / 2)
    over = np.where(one_way == 0, np.inf, link / np.where(one_way == 0, 1.0, one_way))
    return given(np.minimum(local, over))


def memory(
    channels: Count,
    transfers: Transfers,
    *,
    passes: Count = 3,
    usable: Fraction = 0.8,
    link_rate: Rate | None = None,
    link_passes: Count = 1,
) -> dict[str, Number]:
    """Return the data rate of a memory system.

    Parameters
    ----------
    channels
        Channels of 8 bytes.
    transfers
        Transfer rate of the memory: 2666 MT/s for DDR4-2666. [T/s]
    passes
        How often each byte crosses the memory bus: a socket receive 3, sendfile from disk 2, through user space 4.
    usable
        Part of the nominal rate that mixed reads and writes reach. [1]
    link_rate
        Rate of the links to the other socket, one way; without it, all is local. [bit/s]
    link_passes
        How often each byte crosses that link, one way.

    Returns
    -------
    dict
        ``throughput_bps``, and ``bandwidth_bps``, what the memory carries. [bit/s]

    Examples
    --------
    >>> memory(channels=3, transfers=1333.33e6)["throughput_bps"] / 1e9
    68.27
    """
    bandwidth = bandwidth_bps(channels, transfers, usable)
    through = memory_bps(bandwidth, passes)
    if link_rate is not None:
        through = numa_bps(bandwidth, passes, link_rate, link_passes)
    return {"throughput_bps": through, "bandwidth_bps": bandwidth}
