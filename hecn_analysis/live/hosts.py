"""A real host as keys of a scenario: its capture, and the current settings of its kernel.

If the inventory can be read, it gives the host, with the known costs of its components. The rest is probed (`probes`).
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
    """Settings of the kernel at a place: version, buffers, congestion control."""
    settings: dict[str, Any] = {}
    if version := re.match(r"\d+\.\d+", place.text("/proc/sys/kernel/osrelease")):
        settings["kernel"] = version[0]
    control = place.text("/proc/sys/net/ipv4/tcp_congestion_control").strip()
    if control in _CONTROLS:
        settings["congestion_control"] = control
    for key, path in _SYSCTL.items():
        if numbers := place.text(path).split():
            settings[key] = {"value": int(numbers[-1]), "basis": "documented", "source": path}
    return settings


def processor(place: Place) -> dict[str, Any]:
    """Cores and clock."""
    clocks = [float(clock) for clock in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", place.text("/proc/cpuinfo"))]
    clock = max(clocks, default=1000.0) * 1e6
    return {
        "cores": max(1, len(place.busy())),
        "clock": {"value": clock, "basis": "documented", "source": "/proc/cpuinfo; costs are cycles of this clock"},
    }


def load(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Load of each core between two readings, as a share of the time [1]."""
    return {
        core: (after[core][0] - before[core][0]) / (after[core][1] - before[core][1])
        for core in before
        if core in after and after[core][1] > before[core][1]
    }


def described(host: Host | None) -> dict[str, Any]:
    """A host of an inventory as keys of a scenario, without unset fields."""
    if host is None:
        return {}
    return host.model_dump(mode="python", exclude_unset=True, exclude={"name", "title", "bill"})
