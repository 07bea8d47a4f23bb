"""PCI and PCI-X: a shared, half-duplex bus that pays a number of clocks for each burst.

Both directions share the bus: what is sent and what is received add up to the figures here. MMRBC, the longest burst of
a read, limits what a network card sends; what it receives are posted writes.

References
----------
.. [1] PCI-SIG, PCI-X Addendum to the PCI Local Bus Specification 2.0, 2003: phases of a transaction, maximum memory
   read byte count.
.. [2] HECN team, NASA Goddard Space Flight Center, 2004: 3.2 Gb/s with bursts of 512 bytes and more than 5.0 Gb/s with
   4096 through one 10-Gigabit adapter on a 133 MHz bus.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    Frequency,
    Number,
    Rate,
    arrays,
    given,
    refuse,
    require_between,
    require_not_negative,
    require_positive,
    require_word,
)

CLOCKS: Final = (25e6, 533.4e6)
"""Slowest and fastest clock: slower PCI buses are not met; PCI-X 533 has 533.33 million transfers a second. [Hz]"""
LONGEST_BURST: Final = 4096.0
"""Longest burst of PCI-X. [B]"""


def raw_bps(clock: Frequency, width: Literal[32, 64] = 64) -> Number:
    """Return the rate of a bus that moves data on each clock.

    Parameters
    ----------
    clock, width
        Data clock: 33.33, 66.67, 100 or 133.33 MHz; 266.67 or 533.33 for PCI-X 2.0 [Hz]. Width of the bus: 32 or 64
        [bit].

    Returns
    -------
    float or array
        The rate, both directions together. [bit/s]

    Raises
    ------
    RangeError
        No such width, or a clock outside 25 to 533.4 MHz.

    Examples
    --------
    >>> raw_bps(133.333333e6) / 1e9
    8.533
    """
    (clock,) = arrays(clock=clock)
    low, high = CLOCKS
    refuse("clock", clock, (clock < low) | (clock > high), "25 MHz to 533.4 MHz, in Hz")
    require_word((32, 64), width=width)
    return given(clock * width)


def throughput_bps(
    clock: Frequency, width: Literal[32, 64] = 64, burst: Bytes = 512, overhead_clocks: Count = 100
) -> Number:
    r"""Return the rate of data of a bus whose bursts each cost some clocks.

    .. math:: B = R\, \frac{N}{N + c\, w / 8}

    The 100 clocks are an assumption: the documents' 3.2 Gb/s with bursts of 512 bytes gives 105 [2]_. Chipsets differ;
    two measurements with different bursts give c. Source: [1]_ of the module.

    Parameters
    ----------
    clock, width
        As for :func:`raw_bps`; the width is w. [Hz, bit]
    burst
        Length N of a burst, MMRBC for reads: 512 (default), 1024, 2048 or 4096; shorter where transfers are. [B]
    overhead_clocks
        Clocks c for address, attributes, turnaround and the wait for data, of each burst.

    Returns
    -------
    float or array
        The rate of data, both directions together. [bit/s]

    Examples
    --------
    >>> throughput_bps(133.333333e6, burst=4096) / 1e9
    7.14
    """
    raw = raw_bps(clock, width)
    burst, overhead_clocks = arrays(burst=burst, overhead_clocks=overhead_clocks)
    require_between(1, LONGEST_BURST, burst=burst)
    require_not_negative(overhead_clocks=overhead_clocks)
    return given(raw * burst / (burst + np.asarray(overhead_clocks) * (width / 8)))


def burst_overhead_clocks(clock: Frequency, width: Literal[32, 64], burst: Bytes, measured: Rate) -> Number:
    r"""Return the clocks that a burst costs beside its data, from a measured rate, to calibrate a chipset.

    .. math:: c = \frac{8 N}{w} \left(\frac{R}{B} - 1\right)

    The inverse of :func:`throughput_bps`. Two measurements with different bursts that give different clocks have
    another limit in them. Source: [1]_ of the module.

    Parameters
    ----------
    clock, width, burst
        As for :func:`throughput_bps`. [Hz, bit, B]
    measured
        Rate B that the bus carried, headers included. [bit/s]

    Returns
    -------
    float or array
        Clocks c, for :func:`throughput_bps`.

    Examples
    --------
    The documents' 3.2 Gb/s of TCP data with bursts of 512 bytes, of which 9014 of 8948 bytes cross the bus:

    >>> burst_overhead_clocks(133.333333e6, 64, 512, 3.2e9 * 9014 / 8948)
    105.4
    """
    raw = raw_bps(clock, width)
    burst, measured = arrays(burst=burst, measured=measured)
    require_between(1, LONGEST_BURST, burst=burst)
    require_positive(measured=measured)
    refuse("measured", measured, measured > np.asarray(raw), "a rate that the bus can carry, in bit/s")
    return given(8 * burst / width * (np.asarray(raw) / measured - 1))


def pcix(clock: Frequency, width: Literal[32, 64], burst: Bytes, overhead_clocks: Count = 100) -> dict[str, Number]:
    """Return the rate of a PCI or PCI-X bus, both directions together.

    Parameters
    ----------
    clock
        Data clock: 33.33, 66.67, 100 or 133.33 MHz; 266.67 or 533.33 for PCI-X 2.0. [Hz]
    width
        Width of the bus: 32 or 64. [bit]
    burst
        Length of a burst, MMRBC for reads: 512, 1024, 2048 or 4096. [B]
    overhead_clocks
        Clocks of each burst in addition to its data.

    Returns
    -------
    dict
        ``raw_bps``, ``throughput_bps``. [bit/s]

    Examples
    --------
    >>> pcix(clock=133.333333e6, width=64, burst=4096)["throughput_bps"] / 1e9
    7.14
    """
    return {"raw_bps": raw_bps(clock, width), "throughput_bps": throughput_bps(clock, width, burst, overhead_clocks)}
