r"""Hosts: what a core and a memory system can move.

References
----------
.. [1] A. Romanow et al., "Remote direct memory access (RDMA) over IP problem statement", RFC 4297, 2005: passes over
   memory, and how the cost per byte and per packet share the time.
"""

from typing import Final

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    Cycles,
    CyclesPerByte,
    Fraction,
    Frequency,
    Number,
    Rate,
    Transfers,
    arrays,
    given,
    refuse,
    require_not_negative,
    require_positive,
    require_whole,
)

CHANNEL_BYTES: Final = 8.0
"""Width of a memory channel. [B]"""


def core_bps(
    clock: Frequency, cycles_per_byte: CyclesPerByte, cycles_per_packet: Cycles = 0, unit: Bytes = 65_536
) -> Number:
    r"""Return the rate at which one core moves data when it does nothing else.

    .. math:: B = \frac{8 f}{c_\mathrm{byte} + c_\mathrm{packet} / u}

    Parameters
    ----------
    clock
        Clock f of the core. [Hz]
    cycles_per_byte
        Cycles per byte: copies and checksums. [cycles/B]
    cycles_per_packet
        Cycles per packet handled: protocol, buffers, interrupts and system calls. [cycles]
    unit
        Data u handled as one packet: the segment without offloads, up to 64 KiB with TSO, LRO or GRO. [B]

    Returns
    -------
    float or array
        The rate. [bit/s]

    Raises
    ------
    RangeError
        A clock or unit that is not positive, negative costs, or no cost at all.

    Notes
    -----
    One flow runs on one core, plus the core that takes the interrupts; costs of what runs on the same core add up. At
    this rate the core is fully busy; below it, it is busy in proportion. Costs are measured: cycles = busy fraction *
    clock / byte rate. Source: [1]_ of the module.

    Examples
    --------
    3 GHz, 1 cycle a byte and 4000 a packet: 1448-byte segments, then 64 KiB units.

    >>> core_bps(3e9, 1.0, 4000, 1448) / 1e9, core_bps(3e9, 1.0, 4000, 65536) / 1e9
    (6.378, 22.62)
    """
    clock, cycles_per_byte, cycles_per_packet, unit = arrays(
        clock=clock, cycles_per_byte=cycles_per_byte, cycles_per_packet=cycles_per_packet, unit=unit
    )
    require_positive(clock=clock, unit=unit)
    require_not_negative(cycles_per_byte=cycles_per_byte, cycles_per_packet=cycles_per_packet)
    cost = cycles_per_byte + cycles_per_packet / unit
    refuse("cycles_per_byte", cycles_per_byte, cost == 0, "a cost per byte or per packet")
    return given(8 * clock / cost)


def memory_bps(bandwidth: Rate, passes: Count) -> Number:
    r"""Return the rate of data that crosses a memory bus several times.

    .. math:: B = W / k

    Parameters
    ----------
    bandwidth
        Usable bandwidth W, reads and writes together. [bit/s]
    passes
        How often each byte crosses the bus, k: a socket receive 3 (card writes, copy reads and writes); disk to network
        with sendfile 2, through user space 4 or more. A mean may be broken.

    Returns
    -------
    float or array
        The rate. [bit/s]

    Raises
    ------
    RangeError
        A bandwidth or number of passes that is not positive.

    Notes
    -----
    Caches that take DMA writes (DDIO) save passes while the data fit their share. Source: [1]_ of the module.

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

    Raises
    ------
    RangeError
        No whole number of channels, a transfer rate that is not positive, or a usable part outside 0 to 1.

    Notes
    -----
    Local memory; the link to another socket is a limit of its own. A memory benchmark such as STREAM gives the usable
    part of a given host. Source: the data sheets of memory modules (64 data bits a channel).

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
    return given(8 * CHANNEL_BYTES * channels * transfers * usable)


def cpu(
    clock: Frequency, cycles_per_byte: CyclesPerByte, *, cycles_per_packet: Cycles = 0, unit: Bytes = 65_536
) -> dict[str, Number]:
    """Return what one core moves.

    Parameters
    ----------
    clock
        Clock of the core. [Hz]
    cycles_per_byte
        Cycles per byte: copies and checksums. [cycles/B]
    cycles_per_packet
        Cycles per packet handled. [cycles]
    unit
        Data handled as one packet: the segment, or up to 64 KiB with TSO, LRO or GRO. [B]

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
    >>> cpu(clock=3e9, cycles_per_byte=1.0, cycles_per_packet=4000, unit=1448)["throughput_bps"] / 1e9
    6.378
    """
    return {"throughput_bps": core_bps(clock, cycles_per_byte, cycles_per_packet, unit)}


def memory(channels: Count, transfers: Transfers, *, passes: Count = 3, usable: Fraction = 0.8) -> dict[str, Number]:
    """Return the rate of data that a memory system lets through.

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
    >>> memory(channels=3, transfers=1333.33e6)["throughput_bps"] / 1e9
    68.27
    """
    return {"throughput_bps": memory_bps(bandwidth_bps(channels, transfers, usable), passes)}
