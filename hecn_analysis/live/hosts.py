"""The host itself as a scenario's keys: what was captured of it, what its kernel says now.

Where the inventory can be read into a host, that is the host, with the costs that its components are known for. What it
leaves open is probed (`probes`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.live.places import Place

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host

_CONTROLS: Final = ("reno", "cubic", "bbr", "htcp", "bic")
_SYSCTL: Final = {
    "tcp_rmem_max": "/proc/sys/net/ipv4/tcp_rmem",
    "tcp_wmem_max": "/proc/sys/net/ipv4/tcp_wmem",
    "rmem_max": "/proc/sys/net/core/rmem_max",
    "wmem_max": "/proc/sys/net/core/wmem_max",
}


def settings_of_kernel(place: Place) -> dict[str, Any]:
    """What the kernel there says of itself: version, buffers, congestion control."""
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
    """Cores and clock."""
    clocks = [float(found) for found in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", place.text("/proc/cpuinfo"))]
    clock = max(clocks, default=1000.0) * 1e6
    return {
        "cores": max(1, len(place.busy())),
        "clock": {"value": clock, "basis": "documented", "source": "/proc/cpuinfo; costs are cycles of this clock"},
    }


def load(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Share of the time between two looks that each core worked [1]."""
    return {
        core: (after[core][0] - before[core][0]) / (after[core][1] - before[core][1])
        for core in before
        if core in after and after[core][1] > before[core][1]
    }


def described(host: Host | None) -> dict[str, Any]:
    """A host of an inventory as keys of a scenario, without what was not found."""
    if host is None:
        return {}
    return host.model_dump(mode="python", exclude_unset=True, exclude={"name", "title", "bill"})
