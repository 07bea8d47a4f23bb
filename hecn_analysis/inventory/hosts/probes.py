"""Probes of a capture (`hecn capture --probe`), and the cost of a byte on the host that follows from them.

Two kinds of short runs: a network tool over the loopback interface, without the limits of card and line, for the cost
of a byte; dd for the rate of a disk. Their command lines identify them: the address 127.0.0.1, the name of the file.

Costs follow the utilisation law: cycles used over bytes moved. They include all work of moving data through sockets
(bytes, packets, calls), for packets as large as those of the loopback interface, without a card's interrupts. Each tool
has its own.

The spread of a new run follows from the spread of the repeats (`known_by`) and the drift of a machine from one hour to
the next, which no run of one capture can show and which is stated here.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hecn_analysis.files.source import Lines
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.logs import registry as logs
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.runs.rates import run_rate

FORMATS: tuple[str, ...] = ("probe",)
VERSIONS: str = "nuttcp 6 and 8, iperf 3, dd of coreutils 8 and 9, as hecn capture --probe runs them"
#: None: other runs of these programs are no probes, and the business of `hecn parse`.
COMMANDS: tuple[str, ...] = ()
#: Name of the file that probes of a disk write and read, with whatever is put before it.
FILE: Final = "hecn-probe.dat"
BEGINS: re.Pattern[str] | None = re.compile(
    rf"\$ (?:(?:nuttcp|iperf3) .{{0,200}}\b127\.0\.0\.1\b|dd .{{0,300}}\b[io]f=\S{{0,300}}{re.escape(FILE)}(?!\S))"
)
REPEATS: bool = True

#: Line that a probe's output ends with.
LOAD: Final = "cores busy: {busy:.2f} of {cores}, with all programs"
_LOAD: Final = re.compile(r"(?m)^cores busy: (\d+\.\d\d) of (\d{1,5}), with all programs$")

#: What a machine differs by between a capture and a run at another hour, beside what repeats differ by: half width of
#: 90 %, of rates over the loopback interface and of disks.
DRIFT: Final = 0.1
DISK_DRIFT: Final = 0.2
#: Spread of a single run, whose repeatability is unknown.
_SINGLE: Final = 0.5
#: Nothing is stated to be wider than a factor 2 either way.
_WIDEST: Final = 0.95
#: Where less than this of a core was idle, processes share the cores with other programs.
_IDLE: Final = 0.2

#: Kinds of probes of a disk: the key of a disk that they tell, and how they did it.
_DISK: Final = (
    ("disk-read", "read_rate", "past the page cache"),
    ("disk-write", "write_rate", "past the page cache"),
    ("buffered-read", "buffered_read_rate", "through the page cache, which did not hold the file"),
    ("buffered-write", "buffered_write_rate", "through the page cache"),
)
#: What the costs of a byte hold already: packets as large as those of the loopback interface, with time stamps, and
#: that another core has touched the data.
_IN_PROBES: Final = {"measured_payload": 65483, "local_share": 1, "handover_cost": 0, "handover_packet_cost": 0}
#: Default message size of each tool. [B]
_MESSAGES: Final = {"nuttcp": 64 << 10, "iperf3": 128 << 10}


class Probed(NamedTuple):
    """A run of a tool: its rate [bit/s], the shares of a core that its ends used, and idle cores; None if unknown."""

    throughput_bps: float
    cpu_sender_fraction: float | None = None
    cpu_receiver_fraction: float | None = None
    idle_cores: float | None = None


def recognises(output: Output) -> bool:
    """Whether it begins with the command line of a probe."""
    return BEGINS is not None and BEGINS.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Read the result with the reader of that tool's logs."""
    findings = RunFindings(output.source_file)
    logs.read(Lines.of(_LOAD.sub("", output.text)), findings)
    words = output.lines[0].split()
    reads = any(word.startswith("if=") and word.endswith(FILE) for word in words)
    way = "read" if reads else "write"
    is_direct = any(word.endswith("flag=direct") for word in words)
    kind = "loopback" if words[1] != "dd" else f"disk-{way}" if is_direct else f"buffered-{way}"
    facts = output.facts("probe", {"kind": kind, "tool": words[1], "throughput_bps": None})
    run = next((run for run in findings.runs if _rate(run) is not None), None)
    if run is None:
        shown = " ".join(output.lines[1:2]).strip()[:60]
        facts.problem(output.first, "aborted", f"found {shown!r}, expected the result of a probe; left out")
    else:
        ends = ("cpu_sender_fraction", "cpu_receiver_fraction")
        facts.values.update({"throughput_bps": _rate(run), **{name: run.columns.get(name) for name in ends}})
        if load := _LOAD.search(output.text):
            facts.values["idle_cores"] = max(0.0, round(int(load[2]) - float(load[1]), 2))
    return facts


def _rate(run: Run) -> float | None:
    rate = run_rate(run.columns)
    return None if math.isnan(rate) else rate


# what they tell of a host ---------------------------------------------------------------------------------------------


def known_by(groups: Iterable[Sequence[float]], drift: float) -> float:
    """Half width of the 90 % interval of a new run around the mean of the known ones [1]."""
    from scipy.special import stdtrit  # noqa: PLC0415 - for captures with probes alone

    logs_of = [[math.log(value) for value in group] for group in groups if group]
    freedom = sum(len(group) - 1 for group in logs_of)
    if freedom <= 0:
        return max(_SINGLE, drift)
    squares = sum((value - statistics.fmean(group)) ** 2 for group in logs_of for value in group)
    fewest = min(len(group) for group in logs_of)
    own = float(stdtrit(freedom, 0.95)) * math.sqrt(squares / freedom * (1 + 1 / fewest))
    return min(_WIDEST, math.expm1(math.hypot(own, math.log1p(drift))))


def processor(by_tool: Mapping[str, Sequence[Probed]], clock_hz: float, source: str) -> dict[str, Any]:
    """Return keys of a host from runs over its loopback interface: costs of each tool, and of any other.

    Parameters
    ----------
    by_tool, source
        Runs of each tool, and their origin.
    clock_hz
        Clock of the cycles. [Hz]

    Returns
    -------
    dict
        Keys ``cpu`` (costs in cycles a byte, those of each tool) and, on a busy machine, ``cpu_quota``; empty if no run
        has the use of both ends.

    Examples
    --------
    >>> keys = processor({"nuttcp": [Probed(8e9, 0.25, 0.75), Probed(8e9, 0.25, 0.75)]}, 2e9, "two runs")
    >>> keys["cpu"]["receive_cost"]["value"], keys["cpu"]["tools"]["nuttcp"]["cores"]["value"]
    (1.5, 1.0)
    """
    whole = {
        tool: kept
        for tool, runs in by_tool.items()
        if (kept := [run for run in runs if run.cpu_sender_fraction and run.cpu_receiver_fraction])
    }
    if not whole:
        return {}

    def cost(run: Probed, share: float | None) -> float:
        return 8 * clock_hz * (share or 0.0) / run.throughput_bps

    sent = {tool: [cost(run, run.cpu_sender_fraction) for run in runs] for tool, runs in whole.items()}
    received = {tool: [cost(run, run.cpu_receiver_fraction) for run in runs] for tool, runs in whole.items()}
    rates = {tool: [run.throughput_bps for run in runs] for tool, runs in whole.items()}
    costs_of = {"send_cost": sent, "receive_cost": received}
    spread = {key: known_by(costs.values(), DRIFT) for key, costs in costs_of.items()}
    tools = {}
    for tool, each in rates.items():
        origin = f"{_runs(len(each), [tool])} {source}"
        parts = {key: _parameter(costs[tool], spread[key], origin) for key, costs in costs_of.items()}
        in_both = sum(part["value"] for part in parts.values())
        got = _mean(each) * in_both / (8 * clock_hz)
        tools[tool] = {
            **parts,
            "message": {"value": _MESSAGES[tool], "basis": "documented", "source": "the tool's default"},
            "cores": _parameter([got], known_by(rates.values(), DRIFT), origin),
        }
    origin = f"{_runs(sum(map(len, rates.values())), list(rates))} {source}"
    sums = [[sum(both) for both in zip(sent[tool], received[tool], strict=True)] for tool in whole]
    of_any = {key: [value for each in costs.values() for value in each] for key, costs in costs_of.items()}
    messages = _mean([float(_MESSAGES[tool]) for tool in whole])
    cpu = {
        "measured_message": {"value": round(messages), "basis": "documented", "source": "mean of the tools' defaults"},
        **{key: _parameter(values, known_by([values], DRIFT), origin) for key, values in of_any.items()},
        "scatter": {"value": 1, "spread": round(known_by(sums, 0.0), 3), "basis": "calibrated", "source": origin},
        "tools": tools,
    }
    host: dict[str, Any] = {"cpu": cpu}
    every = [run for runs in whole.values() for run in runs]
    idle = [run.idle_cores for run in every if run.idle_cores is not None]
    if idle and statistics.fmean(idle) < _IDLE:  # other programs keep the cores busy
        shares = [max(run.cpu_sender_fraction or 0.0, run.cpu_receiver_fraction or 0.0) for run in every]
        host["cpu_quota"] = _parameter(shares, known_by([shares], DRIFT), f"{origin}, beside other programs")
    return host


def rate(runs: Sequence[Probed], source: str) -> dict[str, Any]:
    """Return the rate of a disk from short runs.

    Parameters
    ----------
    runs, source
        The runs, and their origin.

    Returns
    -------
    dict
        Their mean with its spread, as a description has it. [bit/s]

    Examples
    --------
    >>> rate([Probed(4e9), Probed(4e9)], "two runs")
    {'value': 4000000000.0, 'spread': 0.2, 'basis': 'calibrated', 'source': 'two runs'}
    """
    rates = [run.throughput_bps for run in runs]
    return _parameter(rates, known_by([rates], DISK_DRIFT), source)


def probed(keys: Mapping[str, Any], clock_hz: float, probes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Replace assumptions about a host by the results of its probes."""
    host = dict(keys)
    network: dict[str, list[Probed]] = {}
    on_disk: dict[str, list[Probed]] = {}
    for facts in probes:
        if facts["throughput_bps"]:
            run = Probed(facts["throughput_bps"], *(facts.get(name) for name in Probed._fields[1:]))
            kept = (
                network.setdefault(facts["tool"], [])
                if facts["kind"] == "loopback"
                else on_disk.setdefault(facts["kind"], [])
            )
            kept.append(run)
    measured = processor(network, clock_hz, "over the loopback interface")
    if measured:
        clock = {"value": clock_hz, "basis": "documented", "source": "costs are cycles of this clock"}
        host = with_processor(host, {**measured, "cpu": {"clock": clock, **measured["cpu"]}})
    disk = {
        key: rate(runs, f"{_runs(len(runs), ['dd'])} {how}") for kind, key, how in _DISK if (runs := on_disk.get(kind))
    }
    if disk.keys() >= {"read_rate", "write_rate"}:  # in front, where files lie unless somebody says else
        host["arrays"] = {"probed": {"disk": disk}, **host.get("arrays", {})}
    return host


def _runs(count: int, tools: Sequence[str]) -> str:
    """Number of runs and names of their tools."""
    return f"{count} short run{'' if count == 1 else 's'} of {' and '.join(tools)}"


def with_processor(known: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the assumed costs of a host's processor by measured ones; costs of smaller packets and messages stay.

    Parameters
    ----------
    known, measured
        Keys of the host so far, and keys of `processor`.

    Returns
    -------
    dict
        The keys of the host.

    Examples
    --------
    >>> host = {"cpu": {"title": "X", "send_cost": 0.3, "send_packet_cost": 500}}
    >>> with_processor(host, {"cpu": {"send_cost": 0.4}})["cpu"] == {
    ...     "title": "X", "send_cost": 0.4, "send_packet_cost": 500,
    ...     "local_share": 1, "handover_cost": 0, "handover_packet_cost": 0, "measured_payload": 65483,
    ... }
    True
    """
    return {**known, **measured, "cpu": {**(known.get("cpu") or {}), **_IN_PROBES, **measured["cpu"]}}


def _mean(values: Sequence[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def _parameter(values: Sequence[float], spread: float, source: str) -> dict[str, Any]:
    return {
        "value": float(f"{_mean(values):.6g}"),
        "spread": round(spread, 3),
        "basis": "calibrated",
        "source": source,
    }
