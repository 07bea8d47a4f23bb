r"""InfiniBand: from the signalling rate of its lanes to the data of its messages.

References
----------
.. [1] InfiniBand Architecture Specification, volume 1, release 1.7: local route header 8, base transport header 12,
   invariant check 4, variant check 2; global route header 40; RDMA extended header 16, acknowledge extended header 4.
.. [2] The same, volume 2: SDR, DDR and QDR with 8b/10b; FDR10, FDR and EDR with 64b/66b; HDR, NDR and XDR with PAM4 and
   RS(544,514) forward error correction of 256b/257b blocks.
"""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    arrays,
    given,
    refuse,
    require_one_of,
    require_whole,
    require_word,
)

Generation = Literal["sdr", "ddr", "qdr", "fdr10", "fdr", "edr", "hdr", "ndr", "xdr"]
Operation = Literal["write", "read", "send"]

LANES: Final = (1, 2, 4, 8, 12)
MTUS: Final = (256, 512, 1024, 2048, 4096)
LONGEST_MESSAGE: Final = 2.0**31  # [B]
_FEC: Final = 514 / 544 * 256 / 257
# Generation -> signalling rate of a lane [bit/s], and the part of it that carries data.
_SIGNALLING: Final = {
    "sdr": (2.5e9, 8 / 10),
    "ddr": (5e9, 8 / 10),
    "qdr": (10e9, 8 / 10),
    "fdr10": (10.3125e9, 64 / 66),
    "fdr": (14.0625e9, 64 / 66),
    "edr": (25.78125e9, 64 / 66),
    "hdr": (53.125e9, _FEC),
    "ndr": (106.25e9, _FEC),
    "xdr": (212.5e9, _FEC),
}
_HEADERS: Final = 8.0 + 12.0 + 4.0 + 2.0  # local route, base transport, invariant and variant check [B]
_GLOBAL_ROUTE: Final = 40.0  # [B]
_RDMA, _ACKNOWLEDGE = 16.0, 4.0  # [B]


def raw_bps(generation: Generation, lanes: Count = 4) -> Number:
    """Return the signalling rate of a link in one direction, coding included.

    Source: [2]_ of the module.

    Parameters
    ----------
    generation, lanes
        ``sdr``, ``ddr``, ``qdr``, ``fdr10``, ``fdr``, ``edr``, ``hdr``, ``ndr`` or ``xdr``; 1, 2, 4, 8 or 12 lanes.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> raw_bps("qdr") / 1e9, raw_bps("edr") / 1e9
    (40.0, 103.125)
    """
    require_word(tuple(_SIGNALLING), generation=generation)
    (lanes,) = arrays(lanes=lanes)
    require_one_of(LANES, lanes=lanes)
    return given(_SIGNALLING[generation][0] * lanes)


def data_bps(generation: Generation, lanes: Count = 4) -> Number:
    r"""Return the rate of a link after line coding and error correction.

    .. math:: D = s\, c\, \mathrm{lanes}

    with the signalling rate s of a lane and c = 8/10 (SDR to QDR), 64/66 (FDR10 to EDR), 514/544 * 256/257 (HDR on).

    Links are sold by this rate, except older ones, which are sold by their signalling rate: QDR "40 Gb/s" moves 32,
    FDR "56 Gb/s" 54.5. EDR is exact; HDR, NDR and XDR give 200, 400 and 800 Gb/s. Source: [2]_ of the module.

    Parameters
    ----------
    generation, lanes
        As for :func:`raw_bps`.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> [data_bps(generation) / 1e9 for generation in ("qdr", "fdr", "edr", "hdr")]
    [32.0, 54.545, 100.0, 200.0]
    """
    return given(np.asarray(raw_bps(generation, lanes)) * _SIGNALLING[generation][1])


def _message_bytes(
    mtu: Bytes, message: Bytes | None, op: Operation, *, global_route: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return data, bytes on the wire and packets of one message, in the direction of its data."""
    (mtu,) = arrays(mtu=mtu)
    require_one_of(MTUS, mtu=mtu)
    require_word(("write", "read", "send"), op=op)
    overhead = _HEADERS + (_GLOBAL_ROUTE if global_route else 0.0)
    if message is None:
        return mtu, mtu + overhead, np.ones_like(mtu)
    (size,) = arrays(message=message)
    require_whole(1, message=size)
    refuse("message", size, size > LONGEST_MESSAGE, "2147483648 B or less")
    packets = np.ceil(size / mtu)
    extended = {"write": _RDMA + 0 * packets, "read": _ACKNOWLEDGE * np.minimum(packets, 2), "send": 0 * packets}[op]
    return size, size + packets * overhead + extended, packets


def goodput_bps(
    generation: Generation,
    lanes: Count = 4,
    mtu: Bytes = 4096,
    *,
    message: Bytes | None = None,
    op: Operation = "write",
    global_route: bool = False,
) -> Number:
    r"""Return the rate of data of messages on a full link.

    .. math:: G = D\, \frac{n}{n + \lceil n / M \rceil h + x}

    with h = 26 bytes of headers and checks per packet (66 with a global route header); x = 16 for the first packet of
    an RDMA write, 4 for the first and the last packet of a read response, 0 for a send.

    An upper bound: without flow-control packets and skips, with enough messages in flight. The card's slot is often
    narrower: see `hecn_analysis.limits.pci_express`. Source: [1]_ of the module.

    Parameters
    ----------
    generation, lanes
        As for :func:`raw_bps`.
    mtu, message
        MTU M, the data of a packet (256, 512, 1024, 2048 or 4096), and size n of a message; None: many packets. [B]
    op
        ``write``, ``read`` or ``send``.
    global_route
        Packets have a global route header, as between subnets.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> goodput_bps("edr") / 1e9, goodput_bps("edr", message=4096) / 1e9
    (99.369, 98.985)
    """
    data, wire, _ = _message_bytes(mtu, message, op, global_route=global_route)
    return given(np.asarray(data_bps(generation, lanes)) * data / wire)


def infiniband(
    generation: Generation,
    *,
    lanes: Count = 4,
    mtu: Bytes = 4096,
    message: Bytes | None = None,
    op: Operation = "write",
    global_route: bool = False,
) -> dict[str, Number]:
    """Return the goodput of an InfiniBand link.

    Parameters
    ----------
    generation
        Generation of the link.
    lanes
        Lanes: 1, 2, 4, 8 or 12.
    mtu
        Data of a packet: 256, 512, 1024, 2048 or 4096. [B]
    message
        Size of one message; without it, many packets. [B]
    op
        What messages are: RDMA writes, RDMA reads or sends.
    global_route
        Packets have a global route header, as between subnets.

    Returns
    -------
    dict
        ``raw_bps`` (signalling), ``data_bps`` (after coding), ``goodput_bps`` (data of messages) [bit/s],
        ``packets_per_s``. [1/s]

    Examples
    --------
    >>> infiniband(generation="fdr", mtu=2048)["goodput_bps"] / 1e9
    53.862
    """
    data, wire, packets = _message_bytes(mtu, message, op, global_route=global_route)
    rate = np.asarray(data_bps(generation, lanes))
    return {
        "raw_bps": raw_bps(generation, lanes),
        "data_bps": given(rate),
        "goodput_bps": given(rate * data / wire),
        "packets_per_s": given(rate / 8 * packets / wire),
    }
