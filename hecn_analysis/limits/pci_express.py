r"""PCI Express 1 to 6: from the raw rate of a slot to what a device moves through it.

`pci_express_link` has the raw rate (:func:`raw_bps`) and what is left for packets (TLPs, :func:`packet_bps`);
:func:`throughput_bps` takes off framing, headers and read requests. :func:`tag_limit_bps` is the limit of outstanding
reads, however wide the link is, and :func:`tmt_bps` the HECN documents' "theoretical maximum throughput": raw rate and
write overhead only.

Directions are the device's: a device *writes* to host memory (a network card that receives) and *reads* from it (one
that sends). "Both" is both at once, each way at the same rate.

Where sources differ
--------------------
A write has 24 bytes beside its data: with 32-bit addresses 20, as UG962 [4]_ counts, with ECRC, which is off by
default, 28. UCX [5]_ counts 26 from generation 3 on, with the sequence number both in the start token and by itself:
0.7 % less at MaxPayload 256. A factor of 0.985 is the coding alone, 128/130.

How good it is
--------------
Against all of pcie-bench's published measurements [2]_ of 512 bytes and more (PCIe 3.0 x8, 21 settings of 7 hosts), the
median error is 2.9 % for reads and writes. Both at once, it is 3 % high for 2 KiB, and 19 % high for 512 bytes, which
that card starts at most 10.4 million times a second in any host; no link explains that. Graphics cards of generations 4
and 5 are within 9 % one way.

References
----------
.. [1] PCI Express Base Specification 5.0, 2019: headers (chapter 2), framing (chapters 3 and 4). FLIT mode: Base
   Specification 6.0, 2022.
.. [2] R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018,
   doi:10.1145/3230543.3230560; model: https://github.com/pcie-bench/pcie-model.
.. [3] HECN team, NASA Goddard Space Flight Center, "Introduction to GSFC High End Computing 20, 40 & 100 Gbps Network
   Testbeds", 2010, "Nuttcp Sample Test Results With One HotLava Systems 6x10GE", 2, 3, 4 and 6 of 8.
.. [4] Xilinx UG962, "VC709 Virtex-7 FPGA XT Connectivity Targeted Reference Design", v3.0, 2014, chapter 4.
.. [5] UCX, https://github.com/openucx/ucx/pull/6416 (overhead of a packet) and 3223 (0.9846).
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    Time,
    arrays,
    given,
    require_one_of,
    require_positive,
    require_whole,
    require_word,
    warn_outside,
)
from hecn_analysis.limits.pci_express_link import GENERATIONS, LANES, SIZES, look_up, negotiated, packet_bps, raw_bps

BOUNDARIES: Final = (64, *SIZES)
"""Sizes at which read completions are cut. [B]"""
OPS: Final = ("read", "write", "both")
Op = Literal["read", "write", "both"]

PORT_SHARE: Final = 0.85
"""Share of a port's line rate that data reach, after coding and packet headers; a rule of thumb. [1]"""

SHORT_TRANSFER: Final = 128.0
"""Below this size the cards that were measured reach less than 0.85 of the link: their own engines bind. [B]"""

LONGEST_ROUND_TRIP: Final = 1e-3
"""A longer time of a read counts as a mistake; cards give up after 50 us to 50 ms. [s]"""

# Indexed by generation; index 0 is unused.
_TAGS: Final = np.array([np.nan, 256.0, 256.0, 256.0, 768.0, 768.0, 15_360.0])  # tags of 8, 10 and 14 bits [1]
# Framing: generations 1 and 2 start 1, sequence 2, LCRC 4, end 1; 3 to 5 start token 4 with the sequence, LCRC 4; FLIT
# mode none [B].
_FRAMING: Final = 8.0
_COMPLETION_HEADER: Final = 12.0  # [B]
_ECRC: Final = 4.0  # [B]
TMT_OVERHEAD: Final = 24.0
"""Bytes per packet in the documents' TMT: start 1, sequence 2, header 16, LCRC 4, end 1. [B]"""


def tmt_bps(gen: Count, lanes: Count, max_payload: Bytes) -> Number:
    r"""Return the documents' "theoretical maximum throughput" (TMT) of a slot.

    .. math:: \mathrm{TMT} = R\, \frac{M}{M + 24}

    An upper bound for writes of whole packets with 64-bit addresses; reads have 4 bytes less per packet. The documents
    give it for generation 2; the other generations' coding is put in its place. Source: [3]_ of the module.

    Parameters
    ----------
    gen, lanes, max_payload
        As for :func:`pcie`; MaxPayload is M. [1, 1, B]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    The slides' values for PCIe 2.0 x16, MaxPayload 128 and 256 (58.51428..., which the slides cut off):

    >>> tmt_bps(2, 16, 128) / 1e9, tmt_bps(2, 16, 256) / 1e9
    (53.8947, 58.5142)
    """
    (max_payload,) = arrays(max_payload=max_payload)
    require_one_of(SIZES, max_payload=max_payload)
    return given(raw_bps(gen, lanes) * max_payload / (max_payload + TMT_OVERHEAD))


def tag_limit_bps(
    outstanding: Count, round_trip: Time, max_read_request: Bytes, transfer: Bytes | None = None
) -> Number:
    r"""Return the rate of reads that a number of outstanding requests allows (Little's law).

    .. math:: B = \frac{8\, N}{t}\, \frac{n}{\lceil n / m \rceil}

    It binds for small transfers, remote memory, IOMMU misses, and on fast links with few tags. Source: [2]_.

    Parameters
    ----------
    outstanding
        Read requests N that the device keeps open: its tags, 32 by default, 256 extended, 768 with 10-bit tags.
    round_trip
        Time t from request to last completion on an idle link. [s]
    max_read_request
        MaxReadRequest m. [B]
    transfer
        Size n of one transfer, which is cut into requests of at most m bytes; None: many times m. [B]

    Returns
    -------
    float or array
        The rate of read data. [bit/s]

    Warns
    -----
    ValidityWarning
        A round trip above 1 ms.

    Examples
    --------
    >>> tag_limit_bps(32, 1e-6, 512) / 1e9
    131.072
    """
    outstanding, round_trip, max_read_request = arrays(
        outstanding=outstanding, round_trip=round_trip, max_read_request=max_read_request
    )
    require_whole(1, outstanding=outstanding)
    require_positive(round_trip=round_trip)
    require_one_of(SIZES, max_read_request=max_read_request)
    late = round_trip > LONGEST_ROUND_TRIP
    warn_outside("round_trip", round_trip, late, "1 ms and less", "reads take about 1 us; is the value in us or ns?")
    size = max_read_request if transfer is None else _whole_transfer(transfer)
    return given(8 * outstanding * (size / np.ceil(size / max_read_request)) / round_trip)


def throughput_bps(
    gen: Count,
    lanes: Count,
    max_payload: Bytes,
    *,
    op: Op = "write",
    transfer: Bytes | None = None,
    max_read_request: Bytes = 512,
    completion_boundary: Bytes | None = None,
    address_bits: Literal[32, 64] = 64,
    ecrc: bool = False,
) -> Number:
    r"""Return the rate of data that a device moves through a busy link, all protocol overhead included.

    .. math:: B = T\, n / \max(u, v)

    where a transfer of n bytes takes u bytes on the wire from the device to the host and v bytes back:

    ======  ============================  ============================
    op      u                             v
    ======  ============================  ============================
    write   n + W h                       0
    read    Q h                           n + C g
    both    n + W h + Q h                 n + C g
    ======  ============================  ============================

    W = ceil(n / M) writes and Q = ceil(n / m) read requests have h = 8 + 16 bytes of framing and header (64-bit
    addresses; 8 + 12 for 32 bits), the C completions g = 8 + 12; ECRC adds 4 to each; FLIT mode has no framing. Each
    request is answered in completions of at most s = min(M, completion boundary) bytes.

    Transfers are aligned. Enough outstanding reads, see :func:`tag_limit_bps`. Descriptors and doorbells of a network
    card are transfers of their own. FLIT mode: headers only, no measurement to compare with. Source: [1]_, [2]_.

    Parameters
    ----------
    gen, lanes, completion_boundary, address_bits, ecrc
        As for :func:`pcie`. [1, 1, B, 1, 1]
    max_payload, max_read_request
        MaxPayload M and MaxReadRequest m. [B]
    op
        What the device does: read, write, or both at once (the rate each way).
    transfer
        Size n of one transfer; None: many times MaxPayload and MaxReadRequest. [B]

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    The reference values of [2]_: PCIe 3.0 x8, MaxPayload 256, 4096 bytes:

    >>> [throughput_bps(3, 8, 256, op=op, transfer=4096) / 1e9 for op in ("write", "read", "both")]
    [52.923, 53.690, 50.748]
    """
    packets = packet_bps(gen, lanes, max_payload)
    gen, max_payload, max_read_request = arrays(gen=gen, max_payload=max_payload, max_read_request=max_read_request)
    require_one_of(SIZES, max_read_request=max_read_request)
    require_word(OPS, op=op)
    require_word((32, 64), address_bits=address_bits)
    size = np.maximum(max_payload, max_read_request) if transfer is None else _whole_transfer(transfer)
    flits = gen == 6
    framing = np.where(flits, 0.0, _FRAMING) if flits.any() else _FRAMING
    fixed = framing + (_ECRC if ecrc else 0.0)
    request_overhead = fixed + (16.0 if address_bits == 64 else 12.0)
    up = down = np.zeros(())
    if op != "read":
        up = size + np.ceil(size / max_payload) * request_overhead
    if op != "write":
        cut = max_payload if completion_boundary is None else np.minimum(max_payload, _boundary(completion_boundary))
        # All are powers of 2: a request is cut into whole pieces, or is one itself.
        completions = np.ceil(size / np.minimum(cut, max_read_request))
        up = up + np.ceil(size / max_read_request) * request_overhead
        down = size + completions * (fixed + _COMPLETION_HEADER)
    return given(packets * size / np.maximum(up, down))


def _whole_transfer(transfer: Bytes) -> FloatArray:
    (size,) = arrays(transfer=transfer)
    require_whole(1, transfer=size)
    return size


def _boundary(completion_boundary: Bytes) -> FloatArray:
    (size,) = arrays(completion_boundary=completion_boundary)
    require_one_of(BOUNDARIES, completion_boundary=size)
    return size


def pcie(
    gen: Count,
    lanes: Count,
    max_payload: Bytes = 256,
    *,
    max_read_request: Bytes = 512,
    completion_boundary: Bytes | None = None,
    address_bits: Literal[32, 64] = 64,
    ecrc: bool = False,
    transfer: Bytes | None = None,
    op: Op = "write",
    outstanding: Count | None = None,
    round_trip: Time | None = None,
    slot_gen: Count | None = None,
    slot_lanes: Count | None = None,
    uplink_gen: Count | None = None,
    uplink_lanes: Count | None = None,
    devices: Count = 1,
) -> dict[str, Number]:
    """Return the rate of a PCI Express slot.

    Parameters
    ----------
    gen
        PCI Express generation, 1 to 6.
    lanes
        Lanes: 1, 2, 4, 8, 12, 16 or 32.
    max_payload
        MaxPayload as set, 128 to 4096; lspci -vv shows it. Most servers set 256. [B]
    max_read_request
        MaxReadRequest as set, 128 to 4096. [B]
    completion_boundary
        Size of the host's read completions, if below MaxPayload: 64 on older chipsets. [B]
    address_bits
        Width of the addresses: 32 where all buffers are below 4 GiB.
    ecrc
        Packets carry an end-to-end checksum.
    transfer
        Size of one transfer; without it, many times MaxPayload. [B]
    op
        What the device does: read (it sends), write (it receives), or both at once (the rate each way).
    outstanding
        Read requests that the device keeps open; needs the round trip too.
    round_trip
        Time of one read on an idle link. [s]
    slot_gen
        Generation of the slot, where it is lower than the device's.
    slot_lanes
        Lanes wired to the slot, where there are fewer than the device's.
    uplink_gen
        Generation of the uplink of the switch or chipset that the device is behind; needs its lanes too.
    uplink_lanes
        Lanes of that uplink.
    devices
        Devices like this one that share the uplink and are busy at the same time.

    Returns
    -------
    dict
        ``raw_bps``, ``tmt_bps`` (the documents' formula), both of the negotiated link, ``throughput_bps`` (best
        estimate of what a device measures). [bit/s]

    Raises
    ------
    RangeError
        An impossible value, or only one of `outstanding` and `round_trip`, or of `uplink_gen` and `uplink_lanes`.

    Warns
    -----
    ValidityWarning
        Transfers below 128 bytes, where devices start fewer than a link carries; more outstanding reads than a
        generation has tags (256 up to 3, 768 in 4 and 5, 15,360 in 6).

    Examples
    --------
    >>> pcie(gen=2, lanes=16, max_payload=128)["tmt_bps"] / 1e9
    53.8947
    """
    gen, lanes = negotiated(
        gen, lanes, GENERATIONS[-1] if slot_gen is None else slot_gen, LANES[-1] if slot_lanes is None else slot_lanes
    )

    def of_link(link_gen: Count, link_lanes: Count) -> Number:
        return throughput_bps(
            link_gen,
            link_lanes,
            max_payload,
            op=op,
            transfer=transfer,
            max_read_request=max_read_request,
            completion_boundary=completion_boundary,
            address_bits=address_bits,
            ecrc=ecrc,
        )

    throughput = of_link(gen, lanes)
    if transfer is not None:
        (size,) = arrays(transfer=transfer)
        short = size < SHORT_TRANSFER
        warn_outside("transfer", size, short, "128 B and more", "devices start fewer transfers than a link carries")
    if outstanding is not None and round_trip is not None:
        reads = tag_limit_bps(outstanding, round_trip, max_read_request, transfer)
        (open_reads,) = arrays(outstanding=outstanding)
        tags = look_up(_TAGS, np.asarray(gen))
        warn_outside("outstanding", open_reads, open_reads > tags, "the tags that the generation has", "fewer are open")
        if op != "write":  # writes wait for no answer
            throughput = given(np.minimum(throughput, reads))
    elif outstanding is not None:
        raise RangeError("round_trip: found none, expected the time of a read beside outstanding")
    elif round_trip is not None:
        raise RangeError("outstanding: found none, expected the number of open reads beside round_trip")
    (sharing,) = arrays(devices=devices)
    require_whole(1, devices=sharing)
    if uplink_gen is not None and uplink_lanes is not None:
        throughput = given(np.minimum(throughput, np.asarray(of_link(uplink_gen, uplink_lanes)) / sharing))
    elif uplink_gen is not None or uplink_lanes is not None:
        raise RangeError("uplink_gen and uplink_lanes: found only one, expected both or none")
    return {
        "raw_bps": raw_bps(gen, lanes),
        "tmt_bps": tmt_bps(gen, lanes, max_payload),
        "throughput_bps": throughput,
    }
