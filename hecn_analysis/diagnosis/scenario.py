"""The scenario of a verdict: what its folder states about path, tool and buffers, and its cause, as keys.

A likely loss, cap, full core or disk is part of the scenario, so that the prediction is of what was measured.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.facts import ETHERNET, SLOW_ETHERNET, Fact, Facts
from hecn_analysis.diagnosis.kinds import OF_STORES, Kind
from hecn_analysis.diagnosis.of_files import transfers_at_once
from hecn_analysis.diagnosis.result import UNDETERMINED, Diagnosis
from hecn_analysis.hardware import Library

#: Tool that stands for one without a model, and models of tools with other names.
_TOOL: Final = "iperf3"
_MODELS: Final = MappingProxyType(
    dict.fromkeys(OF_STORES, "s3")
    | dict.fromkeys(("robocopy", "smbclient"), "smb")
    | dict.fromkeys(("lftp", "ncftp"), "ftp")
    | dict.fromkeys(("curl", "wget", "wget2", "aria2c", "axel"), "https")
    | {"globus-url-copy": "gridftp", "xrdcp": "xrootd"}
)

#: File services by the words of the lines that mount their shares.
_SERVICES: Final = MappingProxyType(
    {
        "smb": re.compile(r"\b(?:cifs|smb3?|smbfs)\b|^//"),
        "nfs": re.compile(r"\bvers=[23]\b|\bnfsvers=[23]\b"),
        "nfs4": re.compile(r"\bnfs"),
    }
)

_Keys: TypeAlias = dict[str, float]

#: Share of a line from which on it is full. [1]
_FULL: Final = 0.9

#: Models of tools that wait for answers to requests; those of ssh have the window of its channel.
_OF_REQUESTS: Final = frozenset({"nfs", "nfs4", "s3", "smb"})

#: Clock of the core whose cost follows from a rate: a usual one, beside whose cost that of ciphers is small. [Hz]
_CLOCK_HZ: Final = 3e9

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
        limit but the buffers and shares of a core that are stated, and the likeliest cause: a loss, a cap, a full core,
        or a disk as fast as the runs. A tool without a model is replaced by iperf3.

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
    stated = {
        "path.rate": facts.line or facts.port,
        "path.rtt": facts.rtt_idle,
        "tool.window": facts.said("asked.window_bytes"),
        "sender.tcp_wmem_max": facts.buffer("sender"),
        "receiver.tcp_rmem_max": facts.buffer("receiver"),
        "sender.cpu_share": facts.said("cpu.quota", "sender", choose=min),
        "receiver.cpu_share": facts.said("cpu.quota", "receiver", choose=min),
    }
    keys: dict[str, Any] = {"sender": _HOST, "receiver": _HOST, "tool": _tool(kind), "path.mtu": float(facts.mtu)}
    keys |= {key: fact.value for key, fact in stated.items() if isinstance(fact, Fact)}
    if kind.streams > 1:
        keys["tool.streams"] = kind.streams
    if facts.asked_rate is not None:
        keys["tool.pace"] = facts.asked_rate.value / max(kind.streams, 1)
    if kind.copies_files and facts.bytes > 0:
        keys["tool.bytes"] = facts.bytes
    elif facts.duration_s > 0:
        keys["tool.duration"] = float(f"{facts.duration_s:.3g}")
    if verdict.verdict == UNDETERMINED:
        return keys
    keys |= _of_cause(verdict.causes[0].kind, facts, keys["tool"])
    return {key: value for key, value in keys.items() if f"{key}.cpu.clock" not in keys}  # that host is described


def _tool(kind: Kind) -> str:
    """The model of the tool, or of the service of a share."""
    if kind.share is not None:
        return next((name for name, words in _SERVICES.items() if words.search(kind.share.says)), _TOOL)
    name = _MODELS.get(kind.tool, kind.tool)
    return name if name in Library(places.models_dir()).names("tools") else _TOOL


def _of_cause(cause: str, facts: Facts, tool: str) -> _Keys:
    """Keys that make a cause part of the scenario."""
    if cause in ("cpu-sender", "cpu-receiver"):
        return _core(cause.removeprefix("cpu-"), facts)
    if cause in ("disk-read", "disk-write"):
        name = "sender.read_rate" if cause == "disk-read" else "receiver.write_rate"
        return {name: facts.measured} if facts.kind.copies_files else {}
    if cause == "latency-protocol":
        return _requests(facts) if tool in _OF_REQUESTS else {}
    of_path = {"loss": _loss, "shaper": _cap, "link": _line}
    return of_path[cause](facts) if cause in of_path else {}


def _loss(facts: Facts) -> _Keys:
    """The share of lost packets, and how many are lost at once if single ones would leave less than was measured."""
    told = (facts.said(name, choose=max) for name in ("path.loss_from_hop", "path.ping_loss_idle"))
    lost = [fact.value for fact in (facts.resent, *told) if fact is not None and 0 < fact.value < 1]
    if not lost:
        return {}
    limit = (facts.tcp_at(lost[0]) or 0.0) * facts.streams
    at_once = round((facts.measured / limit) ** (4 / 3)) if limit else 1  # CUBIC: losses^(-3/4), RFC 9438, 5.1
    return {"path.loss": lost[0], **({"path.loss_burst": at_once} if at_once > 1 else {})}


def _cap(facts: Facts) -> _Keys:
    """The rate that a shaper or policer allows."""
    cap = facts.said("queue.rate_bps", choose=min)
    rate = facts.plateau if facts.plateau > 0 else facts.measured
    carried = rate / facts.payload_share(facts.mtu)  # some caps count fewer headers than a line carries
    return {"path.rate": carried if cap is None else max(cap.value, carried)}


def _line(facts: Facts) -> _Keys:
    """The rate of a full line that nobody states: the usual one that the runs nearly fill, else what they fill."""
    if facts.line is not None or facts.port is not None:
        return {}
    filled = facts.measured / facts.payload_share(facts.mtu)
    usual = (rate for rate in (*SLOW_ETHERNET, *ETHERNET) if _FULL * rate <= filled and facts.measured <= rate)
    return {"path.rate": next(usual, filled)}


def _requests(facts: Facts) -> _Keys:
    """The transfers at once, each of which waits for the answer to what is in flight."""
    if facts.rtt_idle is None:
        return {}
    number = max(transfers_at_once(facts), 1.0)
    in_flight = facts.measured * facts.rtt_idle.value / 8
    return {"tool.streams": int(number), "tool.outstanding": 1, "tool.request": max(in_flight / number, 1.0)}


def _core(end: str, facts: Facts) -> _Keys:
    """A core that the measured rate fills as far as the folder says, or in full."""
    told = facts.of_runs(f"cpu_{end}_fraction", "") or facts.said("cpu.busiest", end)
    quota = facts.said("cpu.quota", end, choose=min)
    share = min(1.0 if told is None or not told.value > 0 else told.value, 1.0 if quota is None else quota.value, 1.0)
    cost = share * _CLOCK_HZ * 8 / facts.measured  # cycles per byte
    own, other = ("send", "receive") if end == "sender" else ("receive", "send")
    described = {"clock": _CLOCK_HZ, "cores": 1, f"{own}_cost": cost, f"{other}_cost": 0.0}
    of_tool = {"tool.cost": 0.0} if facts.kind.copies_files else {}  # that of the core has it
    return {**{f"{end}.cpu.{name}": value for name, value in described.items()}, **of_tool}
