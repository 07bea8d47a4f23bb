"""Keys that a scenario states and that have no effect on it, each with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

import numpy as np

from hecn_analysis.hardware.transfer import Transfer

_Rule = tuple[tuple[str, ...], Callable[[Transfer], bool], str]

_NETWORK_KEYS: Final = ("path", "tool.pace", "tool.window", "tool.channel", "tool.message", "tool.encryption")
_TCP_KEYS: Final = (
    "tool.window",
    "tool.channel",
    "sender.congestion_control",
    "sender.tcp_wmem_max",
    "sender.wmem_max",
    "receiver.tcp_rmem_max",
    "receiver.rmem_max",
)

_OF_HARDWARE: Final = frozenset({"physical", "sr-iov", "ena", "gvnic"})


def _one_way(transfer: Transfer) -> bool:
    return not transfer.tool.bidirectional


def _loses_nothing(transfer: Transfer) -> bool:
    return "loss" in transfer.path.model_fields_set and transfer.path.loss.value == 0


def _port_is_wide(transfer: Transfer) -> bool:
    """Whether the path's own rate is stated, and below the ports of both hosts."""
    rates = [host.port_rate.value for host in (transfer.sender, transfer.receiver) if host and host.port_rate]
    line = transfer.path.rate
    return line is not None and all(np.all(np.asarray(rate) >= line.value) for rate in rates)


def _rate_is_known(role: str, way: str) -> Callable[[Transfer], bool]:
    """Whether the storage of a host has a rate or disks, so that its kind says nothing more."""

    def known(transfer: Transfer) -> bool:
        host = getattr(transfer, role)
        return host is not None and (bool(host.arrays) or getattr(host, way) is not None)

    return known


#: Beginnings of keys, the condition under which they do nothing, and the reason.
_RULES: Final[tuple[_Rule, ...]] = (
    (("sender",), lambda transfer: transfer.sender is None, "this tool has no sender"),
    (("receiver",), lambda transfer: transfer.receiver is None, "this tool has no receiver"),
    (_NETWORK_KEYS, lambda transfer: transfer.tool.protocol == "file", "this tool uses no network"),
    (_TCP_KEYS, lambda transfer: transfer.tool.protocol in {"udp", "rdma"}, "this tool does not use TCP"),
    (("path.rdma_mtu",), lambda transfer: transfer.tool.protocol != "rdma", "this tool does not use RDMA"),
    (("path.tunnel_offload",), lambda transfer: transfer.path.tunnel is None, "path.tunnel is not set"),
    (("tool.duration",), lambda transfer: transfer.tool.bytes is not None, "tool.bytes sets the amount"),
    (
        ("tool.warm_up",),
        lambda transfer: transfer.tool.bytes is not None,
        "tool.bytes sets the amount, which counts whole",
    ),
    (("sender.storage",), _rate_is_known("sender", "read_rate"), "its rate or its disks are stated"),
    (("receiver.storage",), _rate_is_known("receiver", "write_rate"), "its rate or its disks are stated"),
    (("sender.port_rate", "receiver.port_rate"), _port_is_wide, "path.rate is no more than the ports"),
    (("path.spread",), lambda transfer: transfer.path.links == 1, "the path has a single link"),
    (("path.loss_burst",), _loses_nothing, "path.loss is 0"),
    (("tool.cipher",), lambda transfer: transfer.tool.encryption is None, "tool.encryption is not set"),
    (("tool.io",), lambda transfer: not _on_disk(transfer), "neither end of this tool is a file"),
    (("tool.sync",), lambda transfer: transfer.tool.sink_end != "disk", "the receiver writes no file"),
    (("sender.write_rate", "receiver.read_rate"), _one_way, "data flow one way, from the sender's storage"),
    (("sender.tcp_rmem_max", "sender.rmem_max"), _one_way, "the sender receives no data"),
    (("receiver.tcp_wmem_max", "receiver.wmem_max"), _one_way, "the receiver sends no data"),
    (("receiver.congestion_control",), _one_way, "the sender's congestion control counts"),
    (
        ("tool.outstanding",),
        lambda transfer: transfer.tool.request is None,
        "tool.request, the size of each request, is not set",
    ),
    (
        ("sender.qdisc",),
        lambda transfer: transfer.sender is not None and transfer.sender.congestion_control != "bbr",
        "the sender's congestion control does not pace",
    ),
    (
        ("receiver.lro_frames",),
        lambda transfer: transfer.receiver is not None and not transfer.receiver.lro,
        "receiver.lro is not set",
    ),
    (
        ("sender.card_queues",),
        lambda transfer: transfer.sender is not None and transfer.sender.card in _OF_HARDWARE,
        "the sender's card is no virtual one",
    ),
    (
        ("receiver.card_queues",),
        lambda transfer: transfer.receiver is not None and transfer.receiver.card in _OF_HARDWARE,
        "the receiver's card is no virtual one",
    ),
)


def _on_disk(transfer: Transfer) -> bool:
    return "disk" in {transfer.tool.source_end, transfer.tool.sink_end}


def idle(transfer: Transfer, keys: Collection[str]) -> Iterator[str]:
    """Warn of each of the keys that has no effect on the transfer."""
    for key in keys:
        if reason := why_idle(transfer, key):
            yield f"{key} has no effect: {reason}"


def why_idle(transfer: Transfer, key: str) -> str:
    """Explain why a key has no effect on a transfer.

    Parameters
    ----------
    transfer, key
        The transfer, and a key of it, such as ``sender.tcp_rmem_max``.

    Returns
    -------
    str
        The reason; "" if the key may have an effect.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> why_idle(load_scenario("hotlava-transmit"), "sender.tcp_rmem_max")
    'the sender receives no data'
    """
    for beginnings, holds, reason in _RULES:
        if any(key.startswith(f"{beginning}.") or key == beginning for beginning in beginnings) and holds(transfer):
            return reason
    return ""
