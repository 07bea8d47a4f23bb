"""What was measured on a host while it was captured (`hecn capture --probe`), and what a byte costs there by that.

Two kinds of short runs: a network tool over the loopback interface, which no card and no line limits, tells what a byte
costs the processor; dd past the page cache tells the rate of a disk. They are told from other runs by their command
lines: the address 127.0.0.1, the name of the file.

Costs are those of the utilisation law: cycles used over bytes moved. They hold all that moving data through sockets
takes (bytes, packets, calls), for packets as large as those of the loopback interface; a card's interrupts are not in
them.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hecn_analysis.files.source import Lines
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.logs import registry as logs
from hecn_analysis.logs.contract import Findings, Run

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

#: Least spread of what was probed: single runs of one condition differ so on machines that do other things too.
_COST_SPREAD: Final = 0.2
_RATE_SPREAD: Final = 0.25
_LARGEST_SPREAD: Final = 0.9
#: A process that gets less of a core than this shares it with other programs.
_WHOLE: Final = 0.9

_WAYS: Final = 2
#: What the costs of a byte hold already: packets as large as those of the loopback interface, with time stamps, and
#: that another core has touched the data.
_IN_PROBES: Final = {"measured_payload": 65483, "handover_cost": 0, "handover_packet_cost": 0}

#: A run of a tool: throughput [bit/s], and the shares of a core that its two ends used, where it says them.
Probed = tuple[float, float | None, float | None]

#: Shares of a core for a sending and a receiving process; None: a whole one.
Shares = tuple[dict[str, Any] | None, dict[str, Any] | None]


def recognises(output: Output) -> bool:
    """Whether it begins with the command line of a probe."""
    return BEGINS is not None and BEGINS.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Read the result, as the reader of that tool's logs finds it."""
    found = Findings(output.source_file)
    logs.read(Lines.of(output.text), found)
    words = output.lines[0].split()
    reads = any(word.startswith("if=") and word.endswith(FILE) for word in words)
    kind = "loopback" if words[1] != "dd" else "disk-read" if reads else "disk-write"
    facts = Facts("probe", {"kind": kind, "tool": words[1], "throughput_bps": None})
    run = next((run for run in found.runs if _rate(run) is not None), None)
    if run is None:
        said = " ".join(output.lines[1:2]).strip()[:60]
        facts.problem(output.first, "aborted", f"found {said!r}, expected the result of a probe; left out")
    else:
        ends = ("cpu_sender_fraction", "cpu_receiver_fraction")
        facts.values.update({"throughput_bps": _rate(run), **{name: run.columns.get(name) for name in ends}})
    return facts


def _rate(run: Run) -> float | None:
    rate = run.columns.get("throughput_bps") or run.columns.get("sender_throughput_bps")
    return rate if isinstance(rate, float) and not run.columns.get("error") else None


# what they tell of a host ---------------------------------------------------------------------------------------------


def costs(runs: Sequence[Probed], clock_hz: float, source: str) -> dict[str, Any]:
    """Costs of sending and receiving a byte, by the utilisation law: cycles used over bytes moved.

    Their spread is that of single runs.

    Parameters
    ----------
    runs
        Runs over the loopback interface.
    clock_hz
        Clock that the cycles are of. [Hz]
    source
        What they were.

    Examples
    --------
    >>> costs([(8e9, 0.5, 1.0), (8e9, 0.5, 1.0)], 2e9, "two runs")["receive_cost"]["value"]
    2.0
    """
    found = {}
    for key, part in (("send_cost", 1), ("receive_cost", 2)):
        values = [8 * clock_hz * share / run[0] for run in runs if (share := run[part])]
        if values:
            found[key] = _parameter(values, _COST_SPREAD, source)
    return found


def shares(runs: Sequence[Probed], source: str) -> Shares:
    """Share of a core that a sending and a receiving process got, where others keep the cores busy.

    Parameters
    ----------
    runs
        Runs over the loopback interface.
    source
        What they were.
    """
    found: list[dict[str, Any] | None] = []
    wandered = _range([run[0] for run in runs])
    for part in (1, 2):
        values = [share for run in runs if (share := run[part])]
        found.append(_parameter(values, wandered, f"{source}, beside other programs") if values else None)
    return found[0], found[1]


def rate(runs: Sequence[Probed], source: str) -> dict[str, Any]:
    """Rate of a disk, by what short runs reached.

    Parameters
    ----------
    runs
        The runs.
    source
        What they were.
    """
    return _parameter([run[0] for run in runs], _RATE_SPREAD, source)


def probed(keys: Mapping[str, Any], clock_hz: float, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A host with what its probes measured in place of what it was taken to have.

    Parameters
    ----------
    keys
        The host so far.
    clock_hz
        Clock of its processor. [Hz]
    found
        Facts of its probes.
    """
    host = dict(keys)
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for facts in found:
        if facts["throughput_bps"]:
            by_kind.setdefault(facts["kind"], []).append(facts)
    ends = ("throughput_bps", "cpu_sender_fraction", "cpu_receiver_fraction")
    if runs := by_kind.get("loopback"):
        taken: list[Probed] = [tuple(run[name] for name in ends) for run in runs]
        source = f"{_counted(runs)} over the loopback interface"
        clock = {"value": clock_hz, "basis": "documented", "source": "costs are cycles of this clock"}
        host = with_processor(host, {"clock": clock, **costs(taken, clock_hz, source)})
        share = max(
            (one for one in shares(taken, source) if one is not None), key=lambda one: one["value"], default=None
        )
        if share is not None and share["value"] < _WHOLE:
            host["cpu_quota"] = share
    disk = {
        key: rate([(run["throughput_bps"], None, None) for run in runs], f"{_counted(runs)}, past the page cache")
        for kind, key in (("disk-read", "read_rate"), ("disk-write", "write_rate"))
        if (runs := by_kind.get(kind))
    }
    if len(disk) == _WAYS:  # in front, where files lie unless somebody says else
        host["arrays"] = {"probed": {"disk": disk}, **host.get("arrays", {})}
    return host


def _counted(runs: Sequence[Mapping[str, Any]]) -> str:
    """How many runs of which tools."""
    tools = dict.fromkeys(str(run["tool"]) for run in runs)
    return f"{len(runs)} short run{'' if len(runs) == 1 else 's'} of {' and '.join(tools)}"


def with_processor(found: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    """A host with the costs of its processor as they were measured, in place of those that it was taken to have.

    What smaller packets and messages cost more stays as it was taken to be.

    Parameters
    ----------
    found
        The host so far, as keys.
    measured
        Clock, and costs of a byte of runs over the loopback interface.

    Examples
    --------
    >>> host = {"cpu": {"title": "X", "send_cost": 0.3, "send_packet_cost": 500}}
    >>> with_processor(host, {"send_cost": 0.4})["cpu"] == {
    ...     "title": "X", "send_cost": 0.4, "send_packet_cost": 500,
    ...     "handover_cost": 0, "handover_packet_cost": 0, "measured_payload": 65483,
    ... }
    True
    """
    return {**found, "cpu": {**(found.get("cpu") or {}), **_IN_PROBES, **measured}}


def _parameter(values: Sequence[float], least: float, source: str) -> dict[str, Any]:
    middle = statistics.median(values)
    spread = min(_LARGEST_SPREAD, max(least, _range(values)))
    return {"value": float(f"{middle:.6g}"), "spread": round(spread, 3), "basis": "calibrated", "source": source}


def _range(values: Sequence[float]) -> float:
    """Range over the median [1].

    Of five runs that is 2.33 sigma. A further run differs from their median by 1.89 sigma with 90 %, and as five runs
    tell sigma badly, by more where it is not known: the range is about right (Student's t with 4 degrees of freedom).
    """
    return (max(values) - min(values)) / statistics.median(values)
