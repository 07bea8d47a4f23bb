"""The scenario of a verdict: what its folder states about path, tool and buffers, as keys for a prediction."""

from __future__ import annotations

from typing import Any, Final

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.facts import Fact, Facts
from hecn_analysis.diagnosis.verdict import Diagnosis
from hecn_analysis.hardware import Library

#: Tool that stands for one without a model.
_TOOL: Final = "iperf3"

#: Host of which nothing is stated, so that it sets no limit.
_HOST: Final = "ideal"


def scenario_keys(verdict: Diagnosis) -> dict[str, Any]:
    """Return the keys of a scenario that repeats the runs of a verdict.

    Parameters
    ----------
    verdict
        The verdict on transfers over a network.

    Returns
    -------
    dict
        Keys of a scenario in SI units, without what the folder does not state (the MTU is then 1500). The hosts set no
        limit but the buffers and shares of a core that are stated; a tool without a model is replaced by iperf3.

    Raises
    ------
    InputError
        A test of disks, or transfers without a rate.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import diagnose
    >>> keys = scenario_keys(diagnose(data_dir() / "transfers" / "over_time")[0])
    >>> keys["tool"], keys["path.rtt"]
    ('iperf3', 0.04)
    """
    kind, facts = verdict.kind, Facts(verdict.kind)
    if kind.is_local or verdict.measured_bps is None:
        raise InputError(f"{kind.condition}: no transfer over a network with a rate", "one that a scenario can repeat")
    tool = kind.tool if kind.tool in Library(places.models_dir()).names("tools") else _TOOL
    stated = {
        "path.rate": facts.line or facts.port,
        "path.rtt": facts.rtt_idle,
        "tool.window": facts.said("asked.window_bytes"),
        "sender.tcp_wmem_max": facts.buffer("sender"),
        "receiver.tcp_rmem_max": facts.buffer("receiver"),
        "sender.cpu_share": facts.said("cpu.quota", "sender", choose=min),
        "receiver.cpu_share": facts.said("cpu.quota", "receiver", choose=min),
    }
    keys: dict[str, Any] = {"sender": _HOST, "receiver": _HOST, "tool": tool, "path.mtu": float(facts.mtu)}
    keys |= {key: fact.value for key, fact in stated.items() if isinstance(fact, Fact)}
    if kind.streams > 1:
        keys["tool.streams"] = kind.streams
    if facts.asked_rate is not None:
        keys["tool.pace"] = facts.asked_rate.value / max(kind.streams, 1)
    if facts.duration_s > 0:
        keys["tool.duration"] = float(f"{facts.duration_s:.3g}")
    return keys
