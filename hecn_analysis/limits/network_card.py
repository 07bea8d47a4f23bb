r"""Network cards in a PCI Express slot: frames, and the traffic between card and driver about them.

Besides the frames, descriptors, pointers and interrupts cross the slot. Their number depends on the driver: one that
handles each frame on its own, a kernel driver that batches, or one that polls (DPDK). They are most of the traffic for
small frames.

References
----------
.. [1] R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018, section 3,
   doi:10.1145/3230543.3230560: the three cards; model: https://github.com/pcie-bench/pcie-model.
.. [2] Intel 82599 10 GbE Controller Datasheet: descriptors of 16 bytes (7.1.6, 7.2.3.2.4), fetched up to 40 at a time
   (7.2.3.4), and sent ones written back 8 at a time by Linux' setting.
"""

from typing import Final, Literal, NamedTuple

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    arrays,
    given,
    require_between,
    require_one_of,
    require_word,
)
from hecn_analysis.limits.pci_express_link import SIZES, packet_bps

Driver = Literal["simple", "kernel", "polling"]
Operation = Literal["send", "receive", "both"]

CHECK: Final = 4.0
"""Frame check sequence, which cards leave out of memory. [B]"""
_WRITE, _COMPLETION = (
    24.0,
    20.0,
)  # header and framing with 64-bit addresses, of a write or request and of a completion [B]
_DESCRIPTOR, _POINTER, _INTERRUPT = 16.0, 4.0, 4.0  # [B]


class _Message(NamedTuple):
    """Transfer across the slot: direction and operation, bytes (0: the frame), and frames that share one transfer."""

    by: Literal["card reads", "card is given", "card writes", "host reads", "host writes"]
    size: float
    frames: float = 1


_FRAME: Final = 0.0
_SEND: Final[dict[str, list[_Message]]] = {
    "simple": [
        _Message("host writes", _POINTER),
        _Message("card reads", _DESCRIPTOR),
        _Message("card reads", _FRAME),
        _Message("card writes", _INTERRUPT),
        _Message("host reads", _POINTER),
    ],
    "kernel": [
        _Message("host writes", _POINTER),
        _Message("card reads", 40 * _DESCRIPTOR, 40),
        _Message("card reads", _FRAME),
        _Message("card writes", 8 * _DESCRIPTOR, 8),
        _Message("card writes", _INTERRUPT, 32),
        _Message("host reads", _POINTER),
    ],
    "polling": [
        _Message("host writes", _POINTER, 32),
        _Message("card reads", 40 * _DESCRIPTOR, 40),
        _Message("card reads", _FRAME),
        _Message("card writes", 8 * _DESCRIPTOR, 8),
    ],
}
_RECEIVE: Final[dict[str, list[_Message]]] = {
    "simple": [
        _Message("host writes", _POINTER),
        _Message("card is given", _DESCRIPTOR),
        _Message("card writes", _FRAME),
        _Message("card writes", _DESCRIPTOR),
        _Message("card writes", _INTERRUPT),
        _Message("host reads", _POINTER),
    ],
    "kernel": [
        _Message("host writes", _POINTER, 32),
        _Message("card is given", _DESCRIPTOR),
        _Message("card writes", _FRAME),
        _Message("card writes", _DESCRIPTOR),
        _Message("card writes", _INTERRUPT, 32),
        _Message("host reads", _POINTER, 8),
    ],
    "polling": [
        _Message("host writes", _POINTER, 32),
        _Message("card is given", _DESCRIPTOR),
        _Message("card writes", _FRAME),
        _Message("card writes", _DESCRIPTOR),
    ],
}


def _carried(
    messages: list[_Message], data: FloatArray, payload: FloatArray, request: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bytes that cross the slot for a frame, from the card and to it."""
    up = down = np.zeros(())
    for by, fixed, frames in messages:
        size = data if fixed == _FRAME else np.asarray(fixed)
        if by == "host writes":
            down = down + (_WRITE + size) / frames
        elif by == "host reads":
            down, up = down + _WRITE / frames, up + (_COMPLETION + size) / frames
        elif by == "card writes":
            up = up + (np.ceil(size / payload) * _WRITE + size) / frames
        else:
            if by == "card reads":
                up = up + np.ceil(size / request) * _WRITE / frames
            down = down + (np.ceil(size / payload) * _COMPLETION + size) / frames
    return up, down


def slot_bytes(
    frame: Bytes,
    max_payload: Bytes,
    max_read_request: Bytes = 512,
    *,
    op: Operation = "both",
    driver: Driver = "kernel",
) -> tuple[Number, Number]:
    """Return the bytes that cross the slot for each frame: from the card, and to it.

    64-bit addresses. The card's requests for the descriptors of free buffers are left out, as in the figures of [1]_:
    it asks for many at once. Source: [1]_, [2]_ of the module.

    Parameters
    ----------
    frame, max_payload, max_read_request
        Ethernet frame with its check sequence, 64 to 16,384; the others as for :func:`nic`. [B]
    op
        ``send``, ``receive``, or ``both``: one of each.
    driver
        ``simple``: all is done for each frame; ``kernel``: interrupts, descriptors and pointers for several at once, as
        Linux' driver of an 82599 does; ``polling``: no interrupts, no pointers read, as DPDK's.

    Returns
    -------
    tuple
        Bytes from the card, bytes to the card. [B]

    Examples
    --------
    >>> slot_bytes(64, 256, op="send", driver="simple"), slot_bytes(64, 256, op="send", driver="polling")
    ((100.0, 168.0), (44.2, 98.375))
    """
    frame, payload, request = arrays(frame=frame, max_payload=max_payload, max_read_request=max_read_request)
    require_between(64, 16_384, frame=frame)
    require_one_of(SIZES, max_payload=payload, max_read_request=request)
    require_word(("send", "receive", "both"), op=op)
    require_word(tuple(_SEND), driver=driver)
    messages = (_SEND[driver] if op != "receive" else []) + (_RECEIVE[driver] if op != "send" else [])
    up, down = _carried(messages, frame - CHECK, payload, request)
    return given(up), given(down)


def nic(
    gen: Count,
    lanes: Count,
    max_payload: Bytes,
    *,
    frame: Bytes = 1518,
    op: Operation = "both",
    driver: Driver = "kernel",
    max_read_request: Bytes = 512,
) -> dict[str, Number]:
    """Return the rate of a network card through its slot, driver traffic included.

    Upper bound of the slot alone; the card's port is another limit, see ethernet.

    Parameters
    ----------
    gen
        PCI Express generation, 1 to 5.
    lanes
        Lanes: 1, 2, 4, 8, 12, 16 or 32.
    max_payload
        MaxPayload as set, 128 to 4096. [B]
    frame
        Ethernet frames with their check sequence, which stays in the card. [B]
    op
        Send, receive, or both at once (the rate each way).
    driver
        A driver that handles each frame on its own, a kernel driver that batches, or one that polls.
    max_read_request
        MaxReadRequest as set, 128 to 4096. [B]

    Returns
    -------
    dict
        ``throughput_bps``: frames without check sequence [bit/s]; ``frames_per_s`` [1/s]; ``slot_overhead``: the part
        of the packets' rate in the busier direction that is not frames. [1]

    Raises
    ------
    RangeError
        An impossible value; generation 6 too, for which no card is known.

    Examples
    --------
    The figures of pcie-bench's model for frames of 1499 bytes, both ways through PCIe 3.0 x8: 46.06, 48.08, 48.86 Gb/s

    >>> [nic(3, 8, 256, frame=1499, driver=name)["throughput_bps"] / 1e9 for name in ("simple", "kernel", "polling")]
    [46.06, 48.08, 48.86]
    """
    (gen,) = arrays(gen=gen)
    require_one_of((1, 2, 3, 4, 5), gen=gen)
    packets = np.asarray(packet_bps(gen, lanes, max_payload))
    up, down = slot_bytes(frame, max_payload, max_read_request, op=op, driver=driver)
    (length,) = arrays(frame=frame)
    busier = np.maximum(up, down)
    frames = packets / 8 / busier
    return {
        "throughput_bps": given(frames * 8 * (length - CHECK)),
        "frames_per_s": given(frames),
        "slot_overhead": given(1 - (length - CHECK) / busier),
    }
