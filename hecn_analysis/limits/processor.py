r"""Processors: throughput of a core, a thread's share of a core, and scaling to another processor.

References
----------
.. [1] A. Romanow et al., "Remote direct memory access (RDMA) over IP problem statement", RFC 4297, 2005: how the cost
   per byte and per packet share the time, for three packet sizes.
.. [2] Linux, include/linux/netdevice.h (``GSO_LEGACY_MAX_SIZE`` 65536) and net/core/gro.c: packets are handled as one.
.. [3] Linux, Documentation/scheduler/sched-design-CFS.rst and sched-bwc.rst, kernel/sched/core.c
   (``sched_prio_to_weight``: a nice level is a factor of 1.25).
.. [4] Linux, Documentation/networking/scaling.rst: RSS puts a connection on one receive queue by a hash.
"""

from typing import Final

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    Cycles,
    CyclesPerByte,
    FloatArray,
    Fraction,
    Frequency,
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

SEGMENTS_TOGETHER: Final = 65_536
"""Most that TSO, GSO, LRO or GRO handle as one packet, unless BIG TCP is configured. [B]"""
NICE_FACTOR: Final = 1.25
"""Ratio of the weights of two threads a nice level apart."""


def cost_cycles_per_byte(
    cycles_per_byte: CyclesPerByte,
    cycles_per_packet: Cycles = 0,
    unit: Bytes = SEGMENTS_TOGETHER,
    cycles_per_call: Cycles = 0,
    message: Bytes = 131_072,
) -> Number:
    r"""Return the total cost of a byte on a core.

    .. math:: c = c_\mathrm{byte} + \frac{c_\mathrm{packet}}{u} + \frac{c_\mathrm{call}}{m}

    Zero copy (sendfile, MSG_ZEROCOPY) takes the copy out of the cycles per byte, and adds to those per call. Costs are
    measured: cycles = busy part of the core * clock / byte rate, at two packet sizes or more to tell the kinds apart.
    Source: [1]_ of the module.

    Parameters
    ----------
    cycles_per_byte, cycles_per_packet, cycles_per_call
        Cycles per byte (copies and checksums) [cycles/B], per packet (protocol, buffers, interrupts) [cycles], and per
        system call [cycles].
    unit, message
        Data u handled as one packet, see :func:`offload_unit_bytes`, and data m of one system call. [B]

    Returns
    -------
    float or array [cycles/B]

    Examples
    --------
    >>> cost_cycles_per_byte(1.0, 4000, 65536, 2000, 8192)
    1.305
    """
    per_byte, per_packet, unit, per_call, message = arrays(
        cycles_per_byte=cycles_per_byte,
        cycles_per_packet=cycles_per_packet,
        unit=unit,
        cycles_per_call=cycles_per_call,
        message=message,
    )
    require_positive(unit=unit, message=message)
    require_not_negative(cycles_per_byte=per_byte, cycles_per_packet=per_packet, cycles_per_call=per_call)
    cost = per_byte + per_packet / unit + per_call / message
    refuse("cycles_per_byte", per_byte, cost == 0, "a cost per byte, per packet or per call")
    return given(cost)


def core_bps(
    clock: Frequency,
    cycles_per_byte: CyclesPerByte,
    cycles_per_packet: Cycles = 0,
    unit: Bytes = SEGMENTS_TOGETHER,
    *,
    cycles_per_call: Cycles = 0,
    message: Bytes = 131_072,
) -> Number:
    r"""Return the rate at which one core moves data when it does nothing else.

    .. math:: B = \frac{8 f}{c}

    c as in :func:`cost_cycles_per_byte`. One flow runs on one core, plus the core that takes the interrupts; costs on
    the same core add up. At this rate the core is fully busy; below it, it is busy in proportion.

    Parameters
    ----------
    clock
        Clock f of the core. [Hz]
    cycles_per_byte, cycles_per_packet, unit, cycles_per_call, message
        As for :func:`cost_cycles_per_byte`, which gives c. [cycles/B, cycles, B, cycles, B]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    3 GHz, 1 cycle a byte and 4000 a packet, 64 KiB units:

    >>> core_bps(3e9, 1.0, 4000, 65536) / 1e9
    22.62
    """
    (clock,) = arrays(clock=clock)
    require_positive(clock=clock)
    cost = cost_cycles_per_byte(cycles_per_byte, cycles_per_packet, unit, cycles_per_call, message)
    return given(8 * clock / cost)


def offload_unit_bytes(
    segment: Bytes, rate: Rate | None = None, interval: Time | None = None, most: Bytes = SEGMENTS_TOGETHER
) -> Number:
    r"""Return how much data an offload handles as one packet.

    .. math:: u = s \max\left(1, \left\lfloor \frac{\min(M, r t / 8)}{s} \right\rfloor\right)

    The card (TSO) or the kernel (GSO) cuts what is sent: M alone counts. What arrives is merged only with packets of
    the same flow, in order, since the last poll. Source: [2]_ of the module.

    Parameters
    ----------
    segment, most
        Payload s of a packet on the wire, and most M handled as one. [B]
    rate, interval
        Only for merging on receipt (LRO, GRO): rate r at which one flow's packets arrive [bit/s], and time t between
        two interrupts, or two polls [s].

    Returns
    -------
    float or array
        Whole segments, at least one. [B]

    Warns
    -----
    ValidityWarning
        More than 512 KiB at once.

    Examples
    --------
    10 Gb/s merged each 20 us:

    >>> offload_unit_bytes(1448, 10e9, 20e-6)
    24616.0
    """
    segment, most = arrays(segment=segment, most=most)
    require_positive(segment=segment, most=most)
    big = "512 KiB or less"
    warn_outside("most", most, most > 524_288, big, "no kernel handles more as one packet (BIG TCP)")
    together = most
    if rate is not None and interval is not None:
        rate, interval = arrays(rate=rate, interval=interval)
        require_positive(rate=rate, interval=interval)
        together = np.minimum(most, rate * interval / 8)
    return given(segment * np.maximum(1.0, np.floor(together / segment)))


def byte_share(cycles_per_byte: CyclesPerByte, cycles_per_packet: Cycles, unit: Bytes) -> Number:
    r"""Return the part of a core's time spent on bytes rather than packets.

    .. math:: s = \frac{c_\mathrm{byte}\, u}{c_\mathrm{byte}\, u + c_\mathrm{packet}}

    Source: [1]_ of the module, which has 18 to 25 % for 1500-byte packets, 35 to 50 % for 4352 and 55 to 65 % for 9180;
    these fit 5000 bytes' worth of work a packet.

    Parameters
    ----------
    cycles_per_byte, cycles_per_packet, unit
        As for :func:`cost_cycles_per_byte`. [cycles/B, cycles, B]

    Returns
    -------
    float or array
        The part that zero copy could save at most. [1]

    Examples
    --------
    >>> byte_share(1.0, 5000, 1460), byte_share(1.0, 5000, 9140)
    (0.226, 0.646)
    """
    per_byte, unit = arrays(cycles_per_byte=cycles_per_byte, unit=unit)
    return given(per_byte / cost_cycles_per_byte(given(per_byte), cycles_per_packet, given(unit)))


def core_share(
    neighbours: Count = 0,
    *,
    weight: Number = 1.0,
    neighbour_use: Fraction = 1.0,
    interrupts: Fraction = 0.0,
    quota: Fraction | None = None,
) -> Number:
    r"""Return the part of a core that a busy thread gets.

    .. math:: s = \min\left(q, (1 - i) \max\left(\frac{w}{w + k}, 1 - k\, n\right)\right)

    Interrupts come first; the thread and its neighbours share the rest by weight, and the thread gets what they leave.
    Valid over many scheduling periods of some milliseconds. A group of threads counts as one neighbour with its group's
    weight. Work in interrupts is neither charged to the thread nor limited by its quota. Source: [3]_ of the module.

    Parameters
    ----------
    neighbours, neighbour_use
        Other threads k on this core, all alike, and part n of the rest of the core that each would use alone. [1]
    weight
        Weight w of the thread over that of a neighbour: 1.25 to the power of the nice levels between them. [1]
    interrupts, quota
        Part i of the core for interrupts and softirqs, and part q that a CPU quota (cgroup ``cpu.max``) allows. [1]

    Returns
    -------
    float or array [1]

    Examples
    --------
    Beside a busy loop; beside one that is 5 nice levels lower:

    >>> core_share(1), core_share(1, weight=1.25**5)
    (0.5, 0.753)
    """
    k, w, use, taken = arrays(neighbours=neighbours, weight=weight, neighbour_use=neighbour_use, interrupts=interrupts)
    require_whole(0, neighbours=k)
    require_positive(weight=w)
    require_between(0, 1, neighbour_use=use, interrupts=taken)
    share = (1 - taken) * _left_of(k, w, use)
    if quota is not None:
        (most,) = arrays(quota=quota)
        require_positive(quota=most)
        share = np.minimum(share, most)
    return given(share)


def _left_of(neighbours: FloatArray, weight: FloatArray, use: FloatArray) -> FloatArray:
    """Return a thread's share of the time of all threads: by its weight, or all that the others leave."""
    return np.maximum(weight / (weight + neighbours), 1 - neighbours * use)


def queues_in_use(connections: Count, queues: Count) -> Number:
    r"""Return the expected number of receive queues that connections use, spread by a hash.

    .. math:: u = q \left(1 - \left(1 - \frac{1}{q}\right)^n\right)

    If interrupts are the limit, the throughput is that of the queues in use. Source: [4]_ of the module.

    Parameters
    ----------
    connections, queues
        Connections n, all alike, and receive queues q, each served by a core.

    Returns
    -------
    float or array
        The queues in use, from 1 to the smaller of n and q.

    Examples
    --------
    >>> queues_in_use(1, 8), queues_in_use(8, 8)
    (1.0, 5.251)
    """
    n, q = arrays(connections=connections, queues=queues)
    require_whole(1, connections=n, queues=q)
    spread = q * -np.expm1(n * np.log1p(-1 / np.maximum(q, 2)))
    return given(np.where(q == 1, 1.0, spread))


def scaled_bps(
    rate: Rate, clock: Frequency, new_clock: Frequency, *, architecture: Number = 1.0, memory_part: Fraction = 0.0
) -> Number:
    r"""Return what a core-bound rate becomes on a core of another clock or architecture.

    .. math:: B' = \frac{B}{(1 - \mu) \dfrac{f}{a f'} + \mu}

    Amdahl's law with the memory as the serial part, which is large for copies from memory, and small for protocol work.
    Only a measurement on both gives the architecture's factor.

    Parameters
    ----------
    rate, clock, new_clock
        Rate B measured with the core fully busy [bit/s]; clock f under that load, and clock f' of the other core [Hz].
    architecture
        Work per cycle a of the other core over that of the first, on such code. [1]
    memory_part
        Part mu of the time that waits for memory, which no clock shortens. [1]

    Returns
    -------
    float or array [bit/s]

    Warns
    -----
    ValidityWarning
        A core more than three times as fast, or as slow.

    Examples
    --------
    A receiver of 3.2 GHz at 9.8 Gb/s, overclocked to 3.4 GHz:

    >>> scaled_bps(9.8e9, 3.2e9, 3.4e9) / 1e9
    10.41
    """
    rate, clock, new, faster, memory = arrays(
        rate=rate, clock=clock, new_clock=new_clock, architecture=architecture, memory_part=memory_part
    )
    require_positive(rate=rate, clock=clock, new_clock=new, architecture=faster)
    require_between(0, 1, memory_part=memory)
    speed = faster * new / clock
    near = "cores from a third to three times as fast"
    warn_outside("new_clock", new, (speed > 3) | (speed < 1 / 3), near, "caches and memory differ too much")
    return given(rate / ((1 - memory) / speed + memory))


def cpu(
    clock: Frequency,
    cycles_per_byte: CyclesPerByte,
    *,
    cycles_per_packet: Cycles = 0,
    unit: Bytes = SEGMENTS_TOGETHER,
    cycles_per_call: Cycles = 0,
    message: Bytes = 131_072,
    cores: Count = 1,
    neighbours: Count = 0,
    neighbour_use: Fraction = 1.0,
    interrupts: Fraction = 0.0,
    quota: Fraction | None = None,
) -> dict[str, Number]:
    """Return the throughput of the cores of a processor.

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
    cycles_per_call
        Cycles per system call. [cycles]
    message
        Data of one system call: what the program reads or writes at once. [B]
    cores
        Cores with a thread and its flow each.
    neighbours
        Other busy threads on each of these cores, of equal weight.
    neighbour_use
        Part of a core that each of them would use alone. [1]
    interrupts
        Part of each core that interrupts take. [1]
    quota
        Part of a core that a CPU quota allows each thread. [1]

    Returns
    -------
    dict
        ``throughput_bps`` [bit/s], and ``byte_share``: the part of the work that is per byte. [1]

    Examples
    --------
    >>> cpu(clock=3e9, cycles_per_byte=1.0, cycles_per_packet=4000, unit=1448)["throughput_bps"] / 1e9
    6.378
    """
    (number,) = arrays(cores=cores)
    require_whole(1, cores=number)
    share = core_share(neighbours, neighbour_use=neighbour_use, interrupts=interrupts, quota=quota)
    rate = core_bps(clock, cycles_per_byte, cycles_per_packet, unit, cycles_per_call=cycles_per_call, message=message)
    cost = cost_cycles_per_byte(cycles_per_byte, cycles_per_packet, unit, cycles_per_call, message)
    (per_byte,) = arrays(cycles_per_byte=cycles_per_byte)
    return {"throughput_bps": given(number * share * rate), "byte_share": given(per_byte / cost)}
