"""What a folder says about the path and the hosts of its runs, each fact with where it is from; the rest is assumed.

Nothing is claimed that the folder does not hold: a line rate that no file names is the next usual one above the fastest
run, and called assumed. The order of sources, best first: what was captured on a host, what the counters of ports name,
what the tool logged, what can be concluded from the runs themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.limits import framing

if TYPE_CHECKING:
    from hecn_analysis.inventory import CapturedHost

Basis = Literal["captured", "counted", "logged", "concluded", "assumed"]

#: Rates that lines have, those that one meets; and those that are taken only where a run nearly fills them. [bit/s]
_USUAL: Final = (1e6, 10e6, 100e6, 1e9, 10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 800e9)
_SELDOM: Final = (2.5e9, 5e9, 20e9, 50e9)
_NEARLY: Final = 0.88

_ETHERNET, _JUMBO = 1500, 9000

#: Round-trip times of ping that differ by less are those of one path. [1], [s]
_ONE_PATH: Final = 1.5
_ONE_PATH_S: Final = 0.001

#: By so much a tool's rounding may put a rate above what fits. [1]
_ROUNDING: Final = 1.003

#: A port whose counters saw more than this, over its stated speed, has another speed.
_FALSE: Final = 1.05

#: Interfaces that carry nothing over a wire.
_VIRTUAL: Final = r"^(?:lo\d*|br\d*|br-.*|docker.*|veth.*|virbr.*|dummy.*|ifb\d*|sit\d*|tun\d*|Null\d*)$"


@dataclass(frozen=True)
class Fact:
    """Something that a prediction rests on.

    Attributes
    ----------
    key
        Key of the scenario.
    name
        What it is, in words.
    value
        Its value in SI units; None: left open, and sets no limit.
    words
        The value in words.
    basis
        captured, counted, logged, concluded from the runs, or assumed.
    source
        Where it is from, or why it is assumed.
    spread
        What else it could be, where it is concluded or assumed.

    Examples
    --------
    >>> Fact("path.rtt", "round-trip time", 0.08, "80 ms", "logged", "said by nuttcp").setting()
    {'path.rtt': {'value': 0.08, 'basis': 'documented', 'source': 'said by nuttcp'}}
    """

    key: str
    name: str
    value: float | None
    words: str
    basis: Basis
    source: str
    spread: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the folder says it."""
        return self.basis in {"captured", "counted", "logged"}

    def setting(self) -> dict[str, Any]:
        """The key with its value, as a scenario takes it."""
        if self.value is None:
            return {}
        if self.key == "path.mtu":
            return {self.key: int(self.value)}
        basis = "documented" if self.is_known else "assumed"
        return {self.key: {"value": self.value, "basis": basis, "source": self.source}}


def line_rate(folder: Folder, fastest_bps: float) -> Fact:
    """The line rate of the path."""
    ports = [(_port(host), host) for host in folder.inventory.hosts]
    rates = [(rate, name, host) for (rate, name), host in ports if rate is not None]
    if rates:
        rate, name, host = min(rates, key=lambda one: one[0])
        return _rate(rate, "captured", f"speed of port {name} of {host.name}")
    counted = _counted_rate(folder, fastest_bps)
    if counted is not None:
        return counted
    if not fastest_bps > 0:
        return Fact("path.rate", "line rate", None, "not known", "assumed", "the folder does not show it")
    rate = next_rate(fastest_bps)
    part = fastest_bps / goodput(rate, _JUMBO)
    why = "the next usual rate above the fastest run over that distance"
    return _rate(rate, "assumed", why, "likely, since the run nearly fills it" if part > _NEARLY else "any faster one")


def _port(host: CapturedHost) -> tuple[float | None, str]:
    """The fastest port of a host that has a link, as its speed was captured."""
    seen = host.findings.seen
    speeds = {name: one.speed_bps for name, one in seen.ports.items() if one.link_detected is not False}
    known = {name: float(rate) for name, rate in speeds.items() if rate is not None and rate > 0}
    if not known:
        return None, ""
    name = max(known, key=lambda one: known[one])
    return known[name], name


def _counted_rate(folder: Folder, fastest_bps: float) -> Fact | None:
    """The speed of the slowest port that the runs can have crossed, as its counters state it."""
    seen = folder.counters.interfaces
    physical = seen[seen["speed_bps"].notna() & ~seen["interface"].fillna("").str.match(_VIRTUAL)]
    carried = physical[["peak_in_bps", "peak_out_bps"]].max(axis=1)
    honest = physical[~(carried > physical["speed_bps"] * _FALSE) & (physical["speed_bps"] >= fastest_bps)]
    busy = honest[carried[honest.index] >= fastest_bps / 2]
    if busy.empty:
        return None
    row = busy.sort_values("speed_bps", kind="stable").iloc[0]
    host = "" if pd.isna(row["host"]) else f" of {row['host']}"
    return _rate(float(row["speed_bps"]), "counted", f"stated speed of port {row['interface']}{host}")


def _rate(rate_bps: float, basis: Basis, source: str, spread: str = "") -> Fact:
    return Fact("path.rate", "line rate", rate_bps, units.format_rate(rate_bps, digits=3), basis, source, spread)


def next_rate(fastest_bps: float) -> float:
    """The next usual line rate above a throughput. [bit/s]."""
    able = [rate for rate in _USUAL if goodput(rate, _JUMBO) >= fastest_bps]
    nearly = [rate for rate in _SELDOM if _NEARLY <= fastest_bps / goodput(rate, _JUMBO) <= 1]
    return min([*nearly, *able[:1]], default=_USUAL[-1])


def goodput(rate_bps: float, mtu: int) -> float:
    """What TCP carries at most on an Ethernet line. [bit/s]."""
    return rate_bps * float(framing.payload_bytes(mtu)) / float(framing.wire_bytes(mtu))


def packet_size(folder: Folder, rate: Fact, fastest_bps: float) -> Fact:
    """The MTU of the path."""
    captured = [
        (mtu, f"port {name} of {host.name}")
        for host in folder.inventory.hosts
        for name in (_port(host)[1] or _uplink(host),)
        if name and (mtu := host.findings.seen.mtu(name)) is not None
    ]
    if captured:
        mtu, where = min(captured)
        return _mtu(mtu, "captured", where)
    if rate.value is not None and fastest_bps > goodput(rate.value, _ETHERNET) * _ROUNDING:
        return _mtu(_JUMBO, "concluded", f"runs too fast for {rate.words} with packets of 1500 B")
    return _mtu(_ETHERNET, "assumed", "the Ethernet default", "9000 B would carry 5 % more")


def _uplink(host: CapturedHost) -> str:
    """The one interface that is up and is not within the machine."""
    links = {
        name: one
        for name, one in host.findings.seen.links.items()
        if not one.loopback and name != "lo" and (one.up or one.state in {"up", "UP"})
    }
    return next(iter(links)) if len(links) == 1 else ""


def _mtu(mtu: int, basis: Basis, source: str, spread: str = "") -> Fact:
    return Fact("path.mtu", "MTU", float(mtu), f"{mtu} B", basis, source, spread)


def round_trip(folder: Folder, runs: pd.DataFrame) -> Fact:
    """The round-trip time of some runs."""
    logged = runs["path_rtt_s"].dropna()
    pings = ping_rtt(folder)
    near = None if pings is None else pings[0]
    if len(logged):
        tools = ", ".join(dict.fromkeys(runs["tool"][logged.index]))
        own = float(logged.median())
        if near is not None and near < own:
            return _rtt(near, "logged", f"ping in {pings[1] if pings else ''}; the runs include their own queue")
        return _rtt(own, "logged", f"reported by {tools}", "less, without the queue of the runs themselves")
    if pings is not None:
        return _rtt(pings[0], "logged", f"ping in {pings[1]}")
    why = "no run and no ping says it; windows and losses are left out of the prediction, which is therefore at most"
    return Fact("path.rtt", "round-trip time", None, "not known", "assumed", why, "any")


def ping_rtt(folder: Folder) -> tuple[float, str] | None:
    """The smallest delay that probes saw [s], and in which file, where they all saw one path."""
    probes = folder.runs[folder.runs["tool"].isin(["ping", "fping"]) & folder.runs["rtt_min_s"].notna()]
    times = probes["rtt_min_s"].astype(float)
    if times.empty or times.max() > max(times.min() * _ONE_PATH, times.min() + _ONE_PATH_S):
        return None
    return float(times.min()), folder.short(str(probes["source_file"].iloc[int(np.argmin(times.to_numpy()))]))


def _rtt(rtt_s: float, basis: Basis, source: str, spread: str = "") -> Fact:
    return Fact("path.rtt", "round-trip time", rtt_s, units.format_time(rtt_s, digits=3), basis, source, spread)


def ends(folder: Folder, sends: bool) -> tuple[dict[str, Any], list[Fact]]:
    """The hosts of a transfer: one or two captured ones, else hosts without limits."""
    hosts = [host for host in folder.inventory.hosts if _tells(host)]
    local, remote = ("sender", "receiver") if sends else ("receiver", "sender")
    keys: dict[str, Any] = {"sender": "ideal", "receiver": "ideal"}
    facts: list[Fact] = []
    if len(hosts) > len(keys):
        return keys, [_host("both hosts", "assumed", f"{len(hosts)} captured hosts, of which any two may be the ends")]
    for role, host in zip((local, remote), _near_first(folder, hosts), strict=False):
        keys[role] = host.description
        keys[f"{role}.name"] = host.label
        sure = "" if len(hosts) == 1 else ", by the location of the files"
        facts.append(_host(role, "captured", f"{host.name}, assigned as the {role}{sure}"))
    facts += [
        _host(role, "assumed", "not captured: sets no limit in the prediction")
        for role in (local, remote)
        if keys[role] == "ideal"
    ]
    return keys, facts


def _host(role: str, basis: Basis, source: str) -> Fact:
    words, spread = ("no limit", "any") if basis == "assumed" else ("as captured", "")
    return Fact(role, role, None, words, basis, source, spread)


def _tells(host: CapturedHost) -> bool:
    """Whether enough of a host is captured to predict with: its processor, and settings or slots."""
    return bool(host.machine.cpu.model or host.machine.cpu.cores) and (
        bool(host.host.slots) or bool(host.machine.kernel.facts)
    )


def _near_first(folder: Folder, hosts: Sequence[CapturedHost]) -> list[CapturedHost]:
    """Hosts whose files lie nearest to the logs first."""
    logs = folder.reading.runs["source_file"].astype(str).unique().tolist()

    def distance(host: CapturedHost) -> int:
        own = [name.rpartition("/")[0] for name in host.source_files]
        return -max((len(_common(log, place)) for log in logs[:100] for place in own[:1]), default=0)

    return sorted(hosts, key=distance)


def _common(one: str, other: str) -> str:
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]
