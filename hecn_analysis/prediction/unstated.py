"""Values that a scenario does not state and a prediction needs: drawn from priors instead of taken as exact.

A field counts as stated if the scenario, the host's file or the path's file gives it. A host called ``ideal`` has no
limits of its own, so none are drawn. The shipped hosts and paths are those of documents; what their files omit has
narrower priors (``documented`` in ``models/priors.yaml``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hecn_analysis.base import places
from hecn_analysis.hardware import Scenario, yaml_file
from hecn_analysis.hardware.description import GENERIC_CPU, Library
from hecn_analysis.hardware.host import Host
from hecn_analysis.hardware.parts import Cpu
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.limits import tcp_window
from hecn_analysis.prediction.draws import Draws, agreed
from hecn_analysis.prediction.priors import Circumstances, Unstated, before_calibration, of_key

if TYPE_CHECKING:
    from hecn_analysis.hardware import Path, Tool

#: Host without limits of its own.
IDEAL: Final = "ideal"

#: Below this round-trip time a window or a lost packet costs hardly anything. [s]
LONG_S: Final = 2.0**-9

#: Cards that only the machines of a cloud have.
_CLOUD_CARDS: Final = frozenset({"ena", "gvnic"})

#: Year of release of kernels, for hosts without a year.
_RELEASED: Final = (((2, 4), 2001), ((2, 6), 2004), ((3, 0), 2011), ((4, 0), 2015), ((5, 0), 2019), ((6, 0), 2022))

#: Kernel of hosts by their year: that of the newest release with long support of Red Hat or Ubuntu a year before.
_IN_USE: Final = (
    (2002, "2.4"),
    (2006, "2.6.9"),
    (2008, "2.6.18"),
    (2011, "2.6.32"),
    (2013, "3.2"),
    (2015, "3.13"),
    (2017, "4.4"),
    (2019, "4.15"),
    (2021, "5.4"),
    (2023, "5.15"),
    (2025, "6.8"),
)

#: Properties of a host that its kernel decides.
_BY_KERNEL: Final = ("initcwnd", "byte_counting", "gro")

#: First year of the processors for which the generic part stands.
_SERVERS_SINCE: Final = 2012

_COSTS: Final = (
    "send_cost",
    "receive_cost",
    "far_cost",
    "read_cost",
    "write_cost",
    "direct_cost",
    "send_interrupt_cost",
    "receive_interrupt_cost",
    "merged_interrupt_cost",
    "storage_interrupt_cost",
    "linear_cost",
    "send_packet_cost",
    "receive_packet_cost",
    "interrupt_packet_cost",
)

_OF_PORTS: Final = "the slowest port or allowance at its ends: networks are built for the ports that they connect"

_BUFFERS: Final = (("receiver", "tcp_rmem_max", "rmem_max"), ("sender", "tcp_wmem_max", "wmem_max"))


def completed(scenario: Scenario, draw: Draws) -> Scenario:
    """Scenario with a prior in place of each field that matters and is not stated."""
    networked = scenario.tool.protocol != "file" and not scenario.path.same_host
    hosts = {role: getattr(scenario, role) for role in ("sender", "receiver")}
    where = Circumstances(year=_year(hosts))
    path = scenario.path
    if networked:
        path, where = _path(scenario, draw, where)
    for role, host in hosts.items():
        if host is not None and not is_ideal(scenario, role):
            of_host = replace(
                where,
                documented=is_documented(scenario, role),
                cloud=host.instance_rate is not None or host.card in _CLOUD_CARDS,
                storage=host.storage or "",
                system=host.system,
            )
            hosts[role] = _host(scenario, role, host, of_host)
    tool = scenario.tool
    if networked and not tool.name and tool.streams > 1 and "threads" not in tool.model_fields_set:
        tool = tool.model_copy(
            update={"threads": "per-stream"}
        )  # most programs with many connections have many threads
    return replace(scenario, path=path, tool=tool, **hosts)


def is_ideal(scenario: Scenario, role: str) -> bool:
    """Whether a host is without limits of its own."""
    return str(scenario.keys.get(role)) == IDEAL


def is_documented(scenario: Scenario, role: str) -> bool:
    """Whether the description of a role is a shipped one of a real system: not a user's file, nor made up."""
    named = scenario.keys.get(role)
    made_up = bool(getattr(getattr(scenario, role), "example", False))
    return named is not None and not made_up and not str(named).endswith((".yaml", ".yml"))


def _year(hosts: Mapping[str, Host | None]) -> int | None:
    known = [host for host in hosts.values() if host is not None]
    years = [host.year for host in known if host.year is not None]
    for host in known:
        if "kernel" in host.model_fields_set:
            version = tcp_window.kernel_version(host.kernel)
            years += [max(year for first, year in _RELEASED if first <= max(version, (2, 4)))]
    return min(years, default=None)


def _path(scenario: Scenario, draw: Draws, where: Circumstances) -> tuple[Path, Circumstances]:
    """Path with priors in place of what is not stated, and the circumstances that it sets."""
    path, stated = scenario.path, scenario.path.model_fields_set
    new: dict[str, Any] = {}
    where = replace(where, documented=is_documented(scenario, "path"))
    if path.rate is None:
        rtt_s = _size(path.rtt.value) if "rtt" in stated else 0.0
        new["rate"] = _rate(scenario, replace(where, rtt_s=rtt_s), long=rtt_s >= LONG_S)
    elif (port := _port(scenario)) is not None and np.any(np.asarray(port.value) < path.rate.value):
        new["rate"] = port
    if "rtt" not in stated:
        new["rtt"] = of_key("path.rtt", where)
    first = path.model_copy(update=new)
    assert first.rate is not None  # noqa: S101 - filled in above
    where = replace(where, rate_bps=_size(first.rate.value), rtt_s=_size(first.rtt.value))
    if "loss" not in stated and where.rtt_s >= LONG_S and scenario.tool.protocol != "rdma" and not path.pep:
        new["loss"] = of_key("path.loss", where)
    if "mtu" not in stated and path.framing == "ethernet" and scenario.tool.protocol in {"tcp", "udp"}:
        new["mtu"] = draw("path.mtu", of_key("path.mtu", where))
    return path.model_copy(update=new), where


def _rate(scenario: Scenario, where: Circumstances, *, long: bool) -> Parameter:
    """Rate of a path: that of the slower port at its ends if one is known, as networks are built for their ports.

    The far end of a long path may have a slower port than the end that is known.
    """
    hosts = [host for host in (scenario.sender, scenario.receiver) if host is not None]
    allowed = [host.instance_rate for host in hosts if host.instance_rate is not None]
    ports = [slot.nic.port_rate.value for host in hosts for slot in host.slots.values() if slot.nic is not None]
    rates = [] if long else ports
    if allowed:  # a cloud's backbone carries what its machines may send
        rates = [rate.value * (1 + rate.spread) for rate in allowed]
    own = _port(scenario)
    prior = of_key("path.rate", where if own is None else replace(where, rate_bps=_size(own.value)))
    if rates:
        least = _least(rates, prior.unit)
        return least if own is None else _least([least.value, own.value], prior.unit)
    if own is None:
        return prior
    if not long or sum(host.port_rate is not None for host in hosts) == 2:
        return own
    most = float(agreed(own.value))
    capped = np.minimum(prior.quantiles, most)
    return prior.model_copy(update={"value": min(prior.value, most), "quantiles": tuple(capped.tolist())})


def _port(scenario: Scenario) -> Parameter | None:
    """Rate of the slower port of the hosts; None where none is stated."""
    hosts = [host for host in (scenario.sender, scenario.receiver) if host is not None]
    rates = [host.port_rate.value for host in hosts if host.port_rate is not None]
    return _least(rates, "bit/s") if rates else None


def _least(rates: Sequence[Any], unit: str) -> Parameter:
    least = np.minimum.reduce([np.asarray(rate, dtype=np.float64) for rate in rates])
    known_rate = Parameter(value=0, basis="assumed", source=_OF_PORTS, unit=unit)
    return known_rate.model_copy(update={"value": float(least) if least.ndim == 0 else least})


def other_traffic(scenario: Scenario) -> Unstated | None:
    """Share of the line that others use; None on paths that are short, documented or measured, or looked at alone."""
    path = scenario.path
    measured = "loss" in path.model_fields_set and not hasattr(path.loss, "quantiles")
    alone = all(is_ideal(scenario, role) for role in ("sender", "receiver"))
    if measured or alone or path.pep or scenario.tool.protocol == "rdma" or is_documented(scenario, "path"):
        return None
    rtt_s = _size(path.rtt.value)
    if rtt_s < LONG_S:
        return None
    where = Circumstances(rtt_s=rtt_s) if path.rate is None else Circumstances(rtt_s, _size(path.rate.value))
    return of_key("path.background", where)


def _size(values: Any) -> float:  # noqa: ANN401 - number or array
    """Power of two below a number; scenarios with numbers of one size are computed together."""
    with np.errstate(divide="ignore"):
        return float(2.0 ** agreed(np.floor(np.log2(np.asarray(values, dtype=np.float64)))))


def _host(scenario: Scenario, role: str, host: Host, where: Circumstances) -> Host:
    """Host with priors in place of what is not stated."""
    tool, stated = scenario.tool, host.model_fields_set
    networked = tool.protocol != "file" and not scenario.path.same_host
    new: dict[str, Any] = {}
    if "kernel" not in stated and host.year is not None and host.system == "linux" and not where.documented:
        new |= _kernel(host, host.year)
    if networked and tool.protocol == "tcp" and where.rtt_s >= LONG_S:
        for buffer in ("tcp_rmem_max", "tcp_wmem_max"):
            if buffer not in stated:
                new[buffer] = of_key(f"host.{buffer}", where)
    if host.cpu is None and not where.documented and (tool.protocol != "file" or _copies(tool)):
        new["cpu"] = _processor(where)
    end, rate = (tool.source_end, "read_rate") if role == "sender" else (tool.sink_end, "write_rate")
    if end == "disk" and not host.arrays and getattr(host, rate) is None:
        new[rate] = of_key(f"host.{rate}", where)
    return host.model_copy(update=new) if new else host


def _kernel(host: Host, year: int) -> dict[str, Any]:
    """Kernel in use in a year, and what it decides where that is not stated."""
    kernel = max((entry for entry in _IN_USE if entry[0] <= year), default=_IN_USE[0])[1]
    usual = Host.model_validate({"name": host.name, "source": host.source, "kernel": kernel})
    return {"kernel": kernel} | {name: getattr(usual, name) for name in _BY_KERNEL if name not in host.model_fields_set}


def _copies(tool: Tool) -> bool:
    """Whether a core's work on files counts: copies into and out of the page cache, or requests of a stated size."""
    return tool.io == "buffered" or tool.request is not None


def _processor(where: Circumstances) -> Cpu:
    """Processor without any known facts: a server's of two sockets, or one of its time."""
    if (where.year or _SERVERS_SINCE) >= _SERVERS_SINCE:
        cores = int(of_key("host.cpu.cores", where).value)
        known = {"clock": of_key("host.cpu.clock", where), "cores": cores, "cores_per_socket": None, "sockets": 2}
        return _generic().model_copy(update=known)
    unknown = Cpu.model_validate(
        {
            "clock": of_key("host.cpu.clock", where),
            "cores": int(of_key("host.cpu.cores", where).value),
            **{cost: {"value": 1, "basis": "calibrated"} for cost in _COSTS},
        }
    )
    costs = {cost: before_calibration(cost, getattr(unknown, cost), where.year) for cost in _COSTS}
    return unknown.model_copy(update=costs)


@cache
def _generic() -> Cpu:
    """Part that stands for a processor without measurements."""
    entry = Library(places.models_dir()).part("cpus", GENERIC_CPU, (None, None))
    return yaml_file.validate(Cpu, entry.values, entry.place, prefix=(GENERIC_CPU,))


def drawn_names(draw: Draws) -> list[str]:
    """Names of the parameters drawn because the scenario does not state them."""
    return [name for name, parameter in draw.used.items() if isinstance(parameter, Unstated) and parameter.spread > 0]
