"""Limit of each part of a host, and its bottleneck, between two equal hosts.

By default the host's own ports are wired to those of its twin, so that only the host limits. Between memories, each
port has a process; between disks, each array has one or two copies, whichever is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final, Literal, get_args

import pandas as pd

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Host, Scenario, load_scenario
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.prediction.compare import load_series, measured, series_names
from hecn_analysis.prediction.model import Effort

Kind = Literal["disk to disk", "memory to memory"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

#: Tool that makes each kind of transfer.
TOOLS: Final[Mapping[Kind, str]] = {"disk to disk": "nuttscp", "memory to memory": "nuttcp"}

#: Copies at once on an array: a second one takes another core, and costs rotating disks seeks.
COPIES: Final = (1, 2)

#: Round-trip time of hosts side by side, as the documents' tests in the laboratory show it. [s]
SIDE_BY_SIDE_S: Final = 1e-4

#: Limits of TCP, which no utilisation tells: they are taken from the ladder.
_OF_TCP: Final = ("window", "loss", "start-up")

#: Of predictions that are only set against each other.
_CENTRAL: Final = Effort(draws=20, rungs=1)

COLUMNS: Final = [
    "host",
    "title",
    "year",
    "kind",
    "resource",
    "resource_class",
    "throughput_bps",
    "binds",
    "predicted_bps",
    "low_bps",
    "high_bps",
]


def limits_of(prediction: Prediction) -> pd.DataFrame:
    """Return the throughput that each part would allow alone.

    A part that is busy for a share u of the time at the predicted throughput x allows x / u, if the flows keep their
    proportions. Limits of TCP are those of the ladder.

    Parameters
    ----------
    prediction
        The prediction.

    Returns
    -------
    DataFrame
        ``resource``, ``resource_class``, ``throughput_bps`` [bit/s], ``binds``; the lowest first.

    Examples
    --------
    >>> slow = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s", "path.rtt": 0}
    >>> limits_of(predict(slow))[["resource", "binds"]].values.tolist()
    [['path.link', True]]
    """
    rows = [
        {
            "resource": resource,
            "resource_class": resource.split(".")[1],
            "throughput_bps": prediction.throughput_bps / busy,
            "binds": resource == prediction.bottleneck,
        }
        for resource, busy in prediction.utilisation.items()
        if busy > 0
    ]
    rows += [
        {
            "resource": rung.resource,
            "resource_class": rung.resource_class,
            "throughput_bps": rung.throughput_bps,
            "binds": rung.resource == prediction.bottleneck,
        }
        for rung in prediction.ladder
        if rung.resource_class in _OF_TCP
    ]
    columns = ["resource", "resource_class", "throughput_bps", "binds"]
    return pd.DataFrame(rows, columns=columns).sort_values("throughput_bps", kind="stable", ignore_index=True)


def networked_hosts() -> list[str]:
    """Names of the shipped hosts whose network cards are described, by year and by name.

    Returns
    -------
    list of str
        Names in ``models/hosts``.

    Examples
    --------
    >>> {"b", "c"} <= set(networked_hosts())
    True
    """
    hosts = []
    for path in (places.models_dir() / "hosts").glob("*.yaml"):
        host = _host(path.stem)
        if _ports(host) and not host.example:
            hosts.append((host.year or 0, path.stem))
    return [name for _, name in sorted(hosts)]


def layouts(host: Host) -> list[list[str]]:
    """Ways to lay files on a host's arrays so that no two arrays share disks or a controller."""
    if not host.arrays:
        return [host.file_arrays]
    arrangements: list[list[str]] = [host.files_on] if host.files_on else []
    for first in (name for name in host.arrays if name not in host.files_on):
        taken, used = [first], set(host.arrays[first].slots)
        for name, array in host.arrays.items():
            is_free = name != first and name not in host.files_on
            if is_free and array.slots and used.isdisjoint(array.slots):
                taken.append(name)
                used |= set(array.slots)
        taken = [name for name in host.arrays if name in taken]
        if taken not in arrangements:
            arrangements.append(taken)
    return arrangements


def transfers(name: str, kind: Kind, *, path: str = "", tool: str = "", mtu: float = 9000) -> Iterator[Scenario]:
    """Transfers that fill two equal hosts; between disks, each layout with one and two copies per array."""
    host, disk = _host(name), kind == "disk to disk"
    if disk and not host.arrays:
        return
    ports = _ports(host)
    if not ports and not path:
        raise InputError(f"host {name!r} without a network card", "one with a card, or a path")
    wired = {"path.rate": max(ports, default=0.0), "path.links": len(ports), "path.mtu": mtu, "path.loss": 0}
    own: dict[str, Any] = {"path": path} if path else {**wired, "path.rtt": SIDE_BY_SIDE_S}
    keys = {"sender": name, "receiver": name, "tool": tool or TOOLS[kind], **own}
    if not disk:
        processes = len(ports) if not path else load_scenario(keys).path.links
        yield load_scenario({**keys, "tool.processes": processes, "tool.bonding": False, "tool.duration": 60.0})
        return
    for layout, copies in product(layouts(host), COPIES):
        files = {"sender.files_on": layout, "receiver.files_on": layout, "tool.processes": copies * len(layout)}
        yield load_scenario({**keys, **files})


def fastest(name: str, kind: Kind, *, path: str = "", tool: str = "", mtu: float = 9000) -> Prediction | None:
    """Predict the fastest of `transfers`, which takes the same parameters; None without transfers.

    Parameters
    ----------
    name, kind
        Host of ``models/hosts`` or a file; between memories or disks.
    path
        Path of ``models/paths``, or a file.
    path
        Path of ``models/paths``, or a file.
    tool, mtu
        Tool, by default that of `TOOLS`; MTU of the links if no path is given [B].

    Returns
    -------
    Prediction or None
        The prediction; rates are in bit/s.

    Examples
    --------
    >>> prediction = fastest("b", "memory to memory")
    >>> round(prediction.throughput_bps / 1e9, 1), prediction.bottleneck
    (39.6, 'path.link.1')
    """
    ways = list(transfers(name, kind, path=path, tool=tool, mtu=mtu))
    rates = [predict(scenario, effort=_CENTRAL).throughput_bps if len(ways) > 1 else 0.0 for scenario in ways]
    return predict(ways[rates.index(max(rates))]) if ways else None


def host_limits(
    names: Iterable[str],
    kinds: Iterable[Kind] = KINDS,
    *,
    path: str = "",
    tools: Mapping[Kind, str] | None = None,
    mtu: float = 9000,
) -> pd.DataFrame:
    """Return the lowest limit of each class of parts of each host.

    Parameters
    ----------
    names, kinds
        Hosts and kinds of transfers.
    path, mtu, tools
        As in `fastest`; tools by kind.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``throughput_bps`` is what the lowest part of its class allows, ``binds`` whether it is the
        bottleneck; ``predicted_bps``, ``low_bps``, ``high_bps`` of the transfer. [bit/s]

    Examples
    --------
    >>> limits = host_limits(["b"], ["memory to memory"])
    >>> limits.loc[limits["binds"], ["host", "resource_class"]].to_dict("records")
    [{'host': 'b', 'resource_class': 'link'}]
    """
    rows = []
    for kind in kinds:
        for name in names:
            prediction = fastest(name, kind, path=path, tool=(tools or {}).get(kind, ""), mtu=mtu)
            if prediction is None:
                continue
            host = prediction.scenario.sender
            about = {"host": name, "title": host.title if host else "", "year": host.year if host else None}
            end = {
                "predicted_bps": prediction.throughput_bps,
                "low_bps": prediction.low_bps,
                "high_bps": prediction.high_bps,
            }
            lowest = limits_of(prediction).sort_values("binds", ascending=False, kind="stable")
            rows += [
                {**about, "kind": kind, **row, **end}
                for row in lowest.drop_duplicates("resource_class").to_dict("records")
            ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"year": "Int64"})


def binding(limits: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """Return the bottleneck of each host, the next one of another class, and the highest measured rate.

    Parameters
    ----------
    limits, reported
        Tables of `host_limits` and `most_measured`; the lower of a host's best rates as sender and as receiver counts.

    Returns
    -------
    DataFrame
        ``kind``, ``host``, ``title``, ``year``, ``predicted_bps``, ``resource``, ``resource_class``, ``next`` (a
        resource), ``next_bps``, ``most_measured_bps`` (missing if not measured). [bit/s]

    Examples
    --------
    >>> unmeasured = pd.DataFrame(columns=["kind", "host", "measured_bps"])
    >>> binding(host_limits(["b"], ["memory to memory"]), unmeasured)[["host", "next"]].to_dict("records")
    [{'host': 'b', 'next': 'receiver.slot.nic1'}]
    """
    least = reported.groupby(["kind", "host"])["measured_bps"].min()
    rows = []
    for (kind, host), parts in limits.groupby(["kind", "host"], sort=False):
        first = parts[parts["binds"]].iloc[0]
        others = parts[~parts["binds"]].sort_values("throughput_bps", kind="stable")
        rows.append(
            {
                **first[["kind", "host", "title", "year", "predicted_bps", "resource", "resource_class"]].to_dict(),
                "next": others["resource"].iloc[0] if len(others) else None,
                "next_bps": others["throughput_bps"].iloc[0] if len(others) else None,
                "most_measured_bps": least.get((kind, host)),
            }
        )
    columns = ["kind", "host", "title", "year", "predicted_bps", "resource", "resource_class", "next", "next_bps"]
    return pd.DataFrame(rows, columns=[*columns, "most_measured_bps"])


def most_measured(names: Iterable[str]) -> pd.DataFrame:
    """The highest rates that the documents report of hosts as a sender and as a receiver, one way, by kind.

    Parameters
    ----------
    names
        Hosts.

    Returns
    -------
    DataFrame
        ``host``, ``kind``, ``role`` ("both" between two alike), ``title`` of the case, ``measured_bps`` [bit/s],
        ``measured_low_bound``, ``source_file``, ``line_first``, ``line_last``, ``series_title``, ``document``,
        ``place``.

    Examples
    --------
    >>> highest = most_measured(["c"])
    >>> highest.loc[highest["kind"] == "disk to disk", ["role", "measured_bps"]].round(-8).to_dict("records")
    [{'role': 'both', 'measured_bps': 17800000000.0}]
    """
    wanted = set(names)
    rows = [
        {"host": host, "kind": kind, "role": role, "title": case.title, **measured(case, series), **stands}
        for series in map(load_series, series_names())
        if series.determined
        for name, case in series.cases.items()
        if (kind := _kind(series.scenarios[name])) is not None
        for role, host in _ends(series.scenarios[name])
        if host in wanted
        for stands in [{"series_title": series.title, "document": series.document, "place": case.place}]
    ]
    columns = ["host", "kind", "role", "title", "measured_bps", "measured_low_bound", "source_file", "line_first"]
    cases = pd.DataFrame(rows, columns=[*columns, "line_last", "series_title", "document", "place"]).dropna(
        subset="measured_bps"
    )
    best = cases.sort_values("measured_bps", ascending=False, kind="stable").drop_duplicates(["host", "kind", "role"])
    return best.sort_index(ignore_index=True).astype({"line_first": "Int64", "line_last": "Int64"})


def _kind(scenario: Scenario) -> Kind | None:
    """Kind of a transfer one way between hosts; None for any other."""
    ends = {scenario.tool.source_end, scenario.tool.sink_end}
    if scenario.tool.bidirectional or scenario.tool.protocol == "file" or len(ends) > 1:
        return None
    return "disk to disk" if ends == {"disk"} else "memory to memory"


def _ends(scenario: Scenario) -> list[tuple[str, str]]:
    """Roles and names of the hosts of a transfer; one role where both are alike."""
    sender, receiver = (host.name if host else "" for host in (scenario.sender, scenario.receiver))
    return [("both", sender)] if sender == receiver else [("sender", sender), ("receiver", receiver)]


def _host(name: str) -> Host:
    host = load_scenario({"sender": name, "receiver": "ideal", "tool": "nuttcp", "path.rate": 1e9}).sender
    assert host is not None  # noqa: S101 - a tool between hosts has both
    return host


def _ports(host: Host) -> list[float]:
    """Rates of a host's network ports [bit/s]."""
    return [slot.nic.port_rate.value for slot in host.slots.values() if slot.nic for _ in range(slot.nic.ports)]
