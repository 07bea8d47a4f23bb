"""Keys that a scenario states and that have no effect on it, each with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from hecn_analysis.hardware.scenario import Scenario

_Rule = tuple[tuple[str, ...], Callable[["Scenario"], bool], str]

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


def _one_way(scenario: Scenario) -> bool:
    return not scenario.tool.bidirectional


def _loses_nothing(scenario: Scenario) -> bool:
    return "loss" in scenario.path.model_fields_set and scenario.path.loss.value == 0


def _port_is_wide(scenario: Scenario) -> bool:
    """Whether the path's own rate is stated, and below the ports of both hosts."""
    rates = [host.port_rate.value for host in (scenario.sender, scenario.receiver) if host and host.port_rate]
    line = scenario.path.rate
    return line is not None and all(np.all(np.asarray(rate) >= line.value) for rate in rates)


def _rate_is_known(role: str, way: str) -> Callable[[Scenario], bool]:
    """Whether the storage of a host has a rate or disks, so that its kind says nothing more."""

    def known(scenario: Scenario) -> bool:
        host = getattr(scenario, role)
        return host is not None and (bool(host.arrays) or getattr(host, way) is not None)

    return known


#: Beginnings of keys, the condition under which they do nothing, and the reason.
_RULES: Final[tuple[_Rule, ...]] = (
    (("sender",), lambda scenario: scenario.sender is None, "this tool has no sender"),
    (("receiver",), lambda scenario: scenario.receiver is None, "this tool has no receiver"),
    (_NETWORK_KEYS, lambda scenario: scenario.tool.protocol == "file", "this tool uses no network"),
    (_TCP_KEYS, lambda scenario: scenario.tool.protocol in {"udp", "rdma"}, "this tool does not use TCP"),
    (("path.rdma_mtu",), lambda scenario: scenario.tool.protocol != "rdma", "this tool does not use RDMA"),
    (("path.tunnel_offload",), lambda scenario: scenario.path.tunnel is None, "path.tunnel is not set"),
    (("tool.duration",), lambda scenario: scenario.tool.bytes is not None, "tool.bytes sets the amount"),
    (
        ("tool.warm_up",),
        lambda scenario: scenario.tool.bytes is not None,
        "tool.bytes sets the amount, which counts whole",
    ),
    (("sender.storage",), _rate_is_known("sender", "read_rate"), "its rate or its disks are stated"),
    (("receiver.storage",), _rate_is_known("receiver", "write_rate"), "its rate or its disks are stated"),
    (("sender.port_rate", "receiver.port_rate"), _port_is_wide, "path.rate is no more than the ports"),
    (("path.spread",), lambda scenario: scenario.path.links == 1, "the path has a single link"),
    (("path.loss_burst",), _loses_nothing, "path.loss is 0"),
    (("tool.cipher",), lambda scenario: scenario.tool.encryption is None, "tool.encryption is not set"),
    (("tool.io",), lambda scenario: not _on_disk(scenario), "neither end of this tool is a file"),
    (("tool.sync",), lambda scenario: scenario.tool.sink_end != "disk", "the receiver writes no file"),
    (("sender.write_rate", "receiver.read_rate"), _one_way, "data flow one way, from the sender's storage"),
    (("sender.tcp_rmem_max", "sender.rmem_max"), _one_way, "the sender receives no data"),
    (("receiver.tcp_wmem_max", "receiver.wmem_max"), _one_way, "the receiver sends no data"),
    (("receiver.congestion_control",), _one_way, "the sender's congestion control counts"),
    (
        ("tool.outstanding",),
        lambda scenario: scenario.tool.request is None,
        "tool.request, the size of each request, is not set",
    ),
    (
        ("sender.qdisc",),
        lambda scenario: scenario.sender is not None and scenario.sender.congestion_control != "bbr",
        "the sender's congestion control does not pace",
    ),
    (
        ("receiver.lro_frames",),
        lambda scenario: scenario.receiver is not None and not scenario.receiver.lro,
        "receiver.lro is not set",
    ),
    (
        ("sender.card_queues",),
        lambda scenario: scenario.sender is not None and scenario.sender.card in _OF_HARDWARE,
        "the sender's card is no virtual one",
    ),
    (
        ("receiver.card_queues",),
        lambda scenario: scenario.receiver is not None and scenario.receiver.card in _OF_HARDWARE,
        "the receiver's card is no virtual one",
    ),
)


def _on_disk(scenario: Scenario) -> bool:
    return "disk" in {scenario.tool.source_end, scenario.tool.sink_end}


def idle(scenario: Scenario, keys: Collection[str]) -> Iterator[str]:
    """Warn of each of the keys that has no effect on the scenario."""
    for key in keys:
        if reason := why_idle(scenario, key):
            yield f"{key} has no effect: {reason}"


def why_idle(scenario: Scenario, key: str) -> str:
    """Explain why a key has no effect on a scenario.

    Parameters
    ----------
    scenario, key
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
        if any(key.startswith(f"{beginning}.") or key == beginning for beginning in beginnings) and holds(scenario):
            return reason
    return ""
