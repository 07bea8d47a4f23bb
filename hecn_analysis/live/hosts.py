"""The host itself as a scenario's keys: what was captured of it, what its kernel says now, and what short runs tell.

Where the inventory can be read into a host, that is the host, with the costs that its components are known for. What it
leaves open is measured: the processor's cost of a byte by runs of the tool over the loopback interface, which no card
or line limits; the disk by short runs of dd. Such numbers are marked as calibrated, and say by what.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.live.places import Place

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host

PROBES: Final = 5
PROBE_S: Final = 1.0
PROBE_BYTES: Final = 128 << 20

#: Least spread of what was probed: single runs of one condition differ so on machines that do other things too.
_COST_SPREAD: Final = 0.2
_RATE_SPREAD: Final = 0.25
_LARGEST_SPREAD: Final = 0.9

#: A core that others keep busy for more of the time than this counts as shared.
_SHARED: Final = 0.5
_WATCH_S: Final = 0.5

_FILE_COSTS: Final = frozenset({"read_cost", "write_cost", "direct_cost", "file_call_cost", "storage_interrupt_cost"})

_CONTROLS: Final = ("reno", "cubic", "bbr", "htcp", "bic")
_SYSCTL: Final = {
    "tcp_rmem_max": "/proc/sys/net/ipv4/tcp_rmem",
    "tcp_wmem_max": "/proc/sys/net/ipv4/tcp_wmem",
    "rmem_max": "/proc/sys/net/core/rmem_max",
    "wmem_max": "/proc/sys/net/core/wmem_max",
}

#: A run of a tool: throughput [bit/s], and the shares of a core that its two ends used, where it says them.
Probed = tuple[float, float | None, float | None]

#: Shares of a core for a sending and a receiving process; None: a whole one.
Shares = tuple[dict[str, Any] | None, dict[str, Any] | None]


def settings_of_kernel(place: Place) -> dict[str, Any]:
    """What the kernel there says of itself: version, buffers, congestion control.

    Parameters
    ----------
    place
        Where to look.
    """
    found: dict[str, Any] = {}
    if version := re.match(r"\d+\.\d+", place.text("/proc/sys/kernel/osrelease")):
        found["kernel"] = version[0]
    control = place.text("/proc/sys/net/ipv4/tcp_congestion_control").strip()
    if control in _CONTROLS:
        found["congestion_control"] = control
    for key, path in _SYSCTL.items():
        if numbers := place.text(path).split():
            found[key] = {"value": int(numbers[-1]), "basis": "documented", "source": path}
    return found


def processor(place: Place) -> dict[str, Any]:
    """Cores and clock.

    Parameters
    ----------
    place
        Where to look.
    """
    clocks = [float(found) for found in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", place.text("/proc/cpuinfo"))]
    clock = max(clocks, default=1000.0) * 1e6
    return {
        "cores": max(1, len(place.busy())),
        "clock": {"value": clock, "basis": "documented", "source": "/proc/cpuinfo; costs are cycles of this clock"},
    }


def busy_cores(place: Place) -> list[int]:
    """Cores that others keep busy just now.

    Parameters
    ----------
    place
        Where to look.
    """
    before = place.busy()
    time.sleep(_WATCH_S)
    return [int(core.removeprefix("cpu")) for core, busy in load(before, place.busy()).items() if busy > _SHARED]


def load(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Share of the time between two looks that each core worked [1].

    >>> load({"cpu0": (10, 100)}, {"cpu0": (60, 200), "cpu1": (0, 0)})
    {'cpu0': 0.5}
    """
    return {
        core: (after[core][0] - before[core][0]) / (after[core][1] - before[core][1])
        for core in before
        if core in after and after[core][1] > before[core][1]
    }


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
    """Share of a core that sending and receiving processes got, where others keep the cores busy.

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


def _parameter(values: Sequence[float], least: float, source: str) -> dict[str, Any]:
    middle = statistics.median(values)
    spread = min(_LARGEST_SPREAD, max(least, _range(values)))
    return {"value": float(f"{middle:.6g}"), "spread": round(spread, 3), "basis": "calibrated", "source": source}


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


def _range(values: Sequence[float]) -> float:
    """Range over the median [1].

    Of five runs that is 2.33 sigma. A further run differs from their median by 1.89 sigma with 90 %, and as five runs
    tell sigma badly, by more where it is not known: the range is about right (Student's t with 4 degrees of freedom).
    """
    return (max(values) - min(values)) / statistics.median(values)


def described(host: Host | None) -> dict[str, Any]:
    """A host of an inventory as keys of a scenario, without what was not found.

    Parameters
    ----------
    host
        The host; None: there is none.
    """
    if host is None:
        return {}
    return host.model_dump(mode="python", exclude_unset=True, exclude={"name", "title", "bill"})


def with_processor(found: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    """A host with the costs of its processor as they were measured, in place of those that it was taken to have.

    Parameters
    ----------
    found
        The host so far, see `described`.
    measured
        Cores, clock, and costs of moving data through sockets, which hold all of it: bytes, packets, calls.

    Examples
    --------
    >>> host = {"cpu": {"title": "X", "send_packet_cost": 500, "read_cost": 0.3}}
    >>> with_processor(host, {"send_cost": 0.4})["cpu"]
    {'title': 'X', 'read_cost': 0.3, 'send_cost': 0.4}
    """
    cpu = {
        key: value
        for key, value in (found.get("cpu") or {}).items()
        if key in _FILE_COSTS or not (key.endswith("_cost") or key in {"measured_payload", "measured_message"})
    }
    return {**found, "cpu": {**cpu, **measured}}
