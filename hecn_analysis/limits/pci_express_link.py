r"""A PCI Express link, generations 1 to 6: from the raw rate of its lanes to what is left for packets (TLPs).

The link that counts is the negotiated one (:func:`negotiated`). Devices behind a switch or a chipset share its uplink
(:func:`shared_bps`).

How often an acknowledgement goes out
-------------------------------------
The base specification limits the delay of an acknowledgement (ACK) or a flow-control update in symbol times. For
generations 3 to 5 that number is taken as a number of bytes, as pcie-bench's open model does [2]_; its authors compared
it with measurements of network cards. On a wide link this counts more ACKs than the specification asks for, and often
more than one per packet: a calibration, not a derivation. For generations 1 and 2, with shorter limits, it would count
three ACKs per packet on a x16 link. There, at most one ACK and one update per packet of MaxPayload are counted; UG962
[4]_ also assumes an ACK per packet. The documents' transmit tests through a PCIe 2.0 x16 slot [3]_ are then met within
0.5 %, while [2]_ is 6 to 8 % low. FLIT mode (generation 6) carries both in 6 bytes of each FLIT.

References
----------
.. [1] PCI Express Base Specification 5.0, 2019: framing and DLLPs (chapters 3 and 4), flow-control updates (tables 2-46
   to 2-48), ACK latency limits (tables 3-7 to 3-9). FLIT mode: Base Specification 6.0, 2022.
.. [2] R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018,
   doi:10.1145/3230543.3230560; model: https://github.com/pcie-bench/pcie-model.
.. [3] HECN team, NASA Goddard Space Flight Center, "Introduction to GSFC High End Computing 20, 40 & 100 Gbps Network
   Testbeds", 2010, "Nuttcp Sample Test Results With One HotLava Systems 6x10GE", 2, 3, 4 and 6 of 8.
.. [4] Xilinx UG962, "VC709 Virtex-7 FPGA XT Connectivity Targeted Reference Design", v3.0, 2014, chapter 4.
"""

import functools
from typing import Final

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    arrays,
    given,
    require_not_negative,
    require_one_of,
)

GENERATIONS: Final = (1, 2, 3, 4, 5, 6)
LANES: Final = (1, 2, 4, 8, 12, 16, 32)
SIZES: Final = (128, 256, 512, 1024, 2048, 4096)
"""MaxPayload and MaxReadRequest settings. [B]"""

# Indexed by generation; index 0 is unused.
TRANSFERS_PER_LANE: Final = np.array([np.nan, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9])
"""Signalling by generation. [T/s]"""
# 8b/10b, 128b/130b, and in FLIT mode the 236 of 256 bytes that carry packets (6 DLP, 8 CRC, 6 FEC).
_CODING: Final = np.array([np.nan, 8 / 10, 8 / 10, 128 / 130, 128 / 130, 128 / 130, 236 / 256])
_ACK_DELAY: Final = np.array([np.nan, 19.0, 70.0, 115.0, 115.0, 115.0, np.nan])  # internal delay, symbol times [1]

# Indexed by lanes: how many packets may share an ACK, for MaxPayload to 256 and above [1].
_ACK_FACTOR_SMALL: Final = np.full(33, np.nan)
_ACK_FACTOR_LARGE: Final = np.full(33, np.nan)
for _lanes, _small, _large in ((1, 1.4, 1), (2, 1.4, 1), (4, 1.4, 1), (8, 2.5, 1), (12, 3, 2), (16, 3, 2), (32, 3, 2)):
    _ACK_FACTOR_SMALL[_lanes], _ACK_FACTOR_LARGE[_lanes] = _small, _large

_DLLP: Final = 8.0  # start 2, body 4, CRC 2 [B]
_PACKET_OVERHEAD: Final = 28.0  # what the specification adds to MaxPayload for headers and framing here [B]
_SKIP: Final = 4 / 1538  # clock compensation: 4 symbols at most every 1538


def look_up(table: FloatArray, key: FloatArray) -> FloatArray:
    """Return the table's values at whole keys, NaN at NaN.

    Parameters
    ----------
    table, key
        Values, one for each whole number from 0 on; whole numbers or NaN.

    Returns
    -------
    array
        A value for each key, in the table's unit.

    Examples
    --------
    >>> look_up(np.array([0.0, 2.5e9, 5e9]), np.array([2.0, np.nan])).tolist()
    [5000000000.0, nan]
    """
    missing = np.isnan(key)
    if not missing.any():
        return np.asarray(table[key.astype(np.intp)])
    return np.where(missing, np.nan, table[np.where(missing, 1, key).astype(np.intp)])


def raw_bps(gen: Count, lanes: Count) -> Number:
    r"""Return the data rate of a link in one direction after line coding.

    .. math:: R = r_\mathrm{gen}\, c_\mathrm{gen}\, \mathrm{lanes}

    with r = 2.5, 5, 8, 16, 32, 64 GT/s and c = 8/10 (generations 1, 2), 128/130 (3 to 5), 236/256 (6: the part of a
    FLIT that carries packets).

    Linux prints 126.016 Gb/s for generation 3 x16, because it rounds each lane down to 7876 Mb/s. Source: [1]_ of the
    module.

    Parameters
    ----------
    gen, lanes
        PCI Express generation, 1 to 6; 1, 2, 4, 8, 12, 16 or 32 lanes.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> raw_bps(3, 16) / 1e9
    126.031
    """
    gen, lanes = arrays(gen=gen, lanes=lanes)
    require_one_of(GENERATIONS, gen=gen)
    require_one_of(LANES, lanes=lanes)
    return given(look_up(TRANSFERS_PER_LANE * _CODING, gen) * lanes)


def ack_limit(gen: Count, lanes: Count, max_payload: Bytes) -> Number:
    r"""Return the longest delay of an ACK or a flow-control update in symbol times: the specification's tables.

    .. math:: L = \left\lfloor \frac{(M + 28)\, a}{\mathrm{lanes}} + d_\mathrm{gen} \right\rfloor

    with the internal delay d = 19, 70, 115 symbol times (generations 1, 2, 3 to 5) and a factor a of 1 to 3 packets.

    Source: [1]_ of the module, tables 2-46 to 2-48 (flow control) and 3-7 to 3-9 (ACK), which have the same numbers.

    Parameters
    ----------
    gen, lanes
        As for :func:`raw_bps`; NaN for generation 6, whose FLIT mode has no such limit.
    max_payload
        MaxPayload M. [B]

    Returns
    -------
    float or array
        Symbol times.

    Examples
    --------
    >>> ack_limit(1, 8, 128), ack_limit(3, 8, 256)
    (67.0, 203.0)
    """
    gen, lanes, max_payload = arrays(gen=gen, lanes=lanes, max_payload=max_payload)
    require_one_of(GENERATIONS, gen=gen)
    require_one_of(LANES, lanes=lanes)
    require_one_of(SIZES, max_payload=max_payload)
    small, large = look_up(_ACK_FACTOR_SMALL, lanes), look_up(_ACK_FACTOR_LARGE, lanes)
    factor = np.where(max_payload <= 256, small, large)
    return given(np.floor((max_payload + _PACKET_OVERHEAD) * factor / lanes + look_up(_ACK_DELAY, gen)))


def packet_bps(gen: Count, lanes: Count, max_payload: Bytes) -> Number:
    r"""Return the rate left for packets in one direction of a busy link.

    .. math:: T = R \left(1 - \frac{8}{A} - \frac{8}{F} - \frac{4}{1538}\right)

    One ACK of 8 bytes goes out per A bytes, one flow-control update of 8 bytes per F = A bytes, and 4 symbols of clock
    compensation per 1538. A is :func:`ack_limit` taken as bytes, and in generations 1 and 2 at least one packet
    of M + 28 bytes. In FLIT mode (6), T = R.

    A calibration, see the head of the module; no error and no replay on the link. Source: [1]_, [2]_ of the module.

    Parameters
    ----------
    gen, lanes, max_payload
        As for :func:`raw_bps`; MaxPayload M. [1, 1, B]

    Returns
    -------
    float or array
        The rate of packets, their framing and headers included. [bit/s]

    Examples
    --------
    The "TLP layer" of [2]_ for PCIe 3.0 x8 with MaxPayload 256:

    >>> packet_bps(3, 8, 256) / 1e9
    57.885
    """
    gen, lanes, max_payload = arrays(gen=gen, lanes=lanes, max_payload=max_payload)
    require_one_of(GENERATIONS, gen=gen)
    require_one_of(LANES, lanes=lanes)
    require_one_of(SIZES, max_payload=max_payload)
    table = _packet_table()
    place = (gen * table.shape[1] + lanes) * table.shape[2] + max_payload / SIZES[0]
    return given(look_up(table.ravel(), place))


@functools.cache
def _packet_table() -> FloatArray:
    """Work out the rates of packets of all links: by generation, lanes, and MaxPayload in units of the smallest."""
    table = np.full((max(GENERATIONS) + 1, max(LANES) + 1, max(SIZES) // SIZES[0] + 1), np.nan)
    gen, lanes, size = (axis.astype(np.float64) for axis in np.meshgrid(GENERATIONS, LANES, SIZES, indexing="ij"))
    late = np.asarray(ack_limit(gen, lanes, size))
    spacing = np.where(gen <= 2, np.maximum(late, size + _PACKET_OVERHEAD), late)
    left = np.where(gen == 6, 1.0, 1 - 2 * _DLLP / spacing - _SKIP)
    at = tuple(axis.astype(np.intp) for axis in (gen, lanes, size / SIZES[0]))
    table[at] = np.asarray(raw_bps(gen, lanes)) * left
    return table


def negotiated(gen: Count, lanes: Count, slot_gen: Count, slot_lanes: Count) -> tuple[Number, Number]:
    """Return the generation and width of a link: the lower of the capabilities of both ends.

    Dirt or a bad lane can lower both. ``lspci -vv`` shows them as ``LnkCap`` and ``LnkSta``. 12 lanes and 8 train to 8,
    12 and 16 to 12. Source: [1]_ of the module, link training.

    Parameters
    ----------
    gen, lanes
        Generation and lanes of the device.
    slot_gen, slot_lanes
        Generation of the slot, the lowest of port, riser and retimers, and its wired lanes, often fewer than the
        connector has.

    Returns
    -------
    tuple
        Generation and lanes of the link.

    Examples
    --------
    A PCIe 4.0 x16 card in a 3.0 slot with 8 lanes wired:

    >>> negotiated(4, 16, 3, 8)
    (3.0, 8.0)
    """
    gen, lanes, slot_gen, slot_lanes = arrays(gen=gen, lanes=lanes, slot_gen=slot_gen, slot_lanes=slot_lanes)
    require_one_of(GENERATIONS, gen=gen, slot_gen=slot_gen)
    require_one_of(LANES, lanes=lanes, slot_lanes=slot_lanes)
    return given(np.minimum(gen, slot_gen)), given(np.minimum(lanes, slot_lanes))


def shared_bps(wanted: Number, uplink: Number) -> FloatArray:
    r"""Return the rate of each device behind one uplink, each way: equal shares, but none above what it wants.

    .. math:: x_i = \min(w_i, s), \quad \sum_i x_i = \min\left(\sum_i w_i, U\right)

    Switches arbitrate in turns, by packets: equal shares for equal MaxPayload. Chipset uplinks are such links too: DMI
    2.0 is PCIe 2.0 x4, DMI 3.0 is 3.0 x4, DMI 4.0 is 4.0 x8. Traffic between two devices of a switch does not cross
    its uplink. Source: [1]_ of the module, chapter 6.3 (port arbitration, round robin by default).

    Parameters
    ----------
    wanted
        What each device would move alone, w; devices along the last axis. [bit/s]
    uplink
        What the uplink carries in this direction, U: `pci_express.throughput_bps` of its generation and lanes. [bit/s]

    Returns
    -------
    array
        The rate of each device. [bit/s]

    Examples
    --------
    A fast and two slow drives behind a chipset's PCIe 3.0 x4:

    >>> [round(float(share) / 1e9, 2) for share in shared_bps(np.array([28e9, 4e9, 4e9]), 25.6e9)]
    [17.6, 4.0, 4.0]
    """
    wanted, uplink = arrays(wanted=wanted, uplink=uplink)
    require_not_negative(wanted=wanted, uplink=uplink)
    ordered = np.sort(np.atleast_1d(wanted), axis=-1)
    count = ordered.shape[-1]
    # The level that fills the uplink, if the i smallest get all they want: the largest of these levels is right.
    before = np.cumsum(ordered, axis=-1) - ordered
    levels = (np.asarray(uplink)[..., None] - before) / np.arange(count, 0, -1)
    level = np.max(levels, axis=-1, keepdims=True)
    return np.asarray(np.minimum(np.atleast_1d(wanted), np.maximum(level, 0.0)))
