"""Checks of hosts with Windows: limited receive windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.inventory.checks.finding import Finding, Seen
from hecn_analysis.limits.tcp_window import bdp_bytes, window_limit_bps

_SHIFTS: Final = {"disabled": 0, "highlyrestricted": 2, "restricted": 4, "normal": 8}
_SOURCE: Final = "Microsoft, Performance tuning network adapters: TCP receive window autotuning level"


def _window(level: str) -> int:
    """Largest receive window of a level [bytes]."""
    return 0xFFFF << _SHIFTS[level]


def autotuning(seen: Seen) -> Iterator[Finding]:
    """Receive windows whose level of autotuning keeps them below the need of the named path."""
    path = seen.path
    rate, rtt = (path.rate, path.rtt.value) if path is not None else (None, None)
    need = float(bdp_bytes(rate.value, rtt)) if rate is not None and rtt is not None else None
    for facts in seen.facts("netsh-tcp-global", "get-nettcpsetting"):
        level = facts["autotuning"]
        if level not in _SHIFTS or level == "normal" or (need is not None and _window(level) >= need):
            continue
        yield Finding(
            "autotuning",
            "TCP receive window",
            f"auto-tuning level {level}, a window of {_window(level)} bytes at most",
            f"normal, which reaches {_window('normal')} bytes",
            limit_bps=float(window_limit_bps(_window(level), rtt)) if rtt else None,
            fixed_bps=float(window_limit_bps(_window("normal"), rtt)) if rtt else None,
            basis=f"one stream: the window each {units.format_time(rtt)}" if rtt else "no figure: no path is named",
            fix="netsh int tcp set global autotuninglevel=normal",
            verify="netsh int tcp show global",
            source=_SOURCE,
            scenario_settings={"host.tcp_rmem_max": _window("normal")},
        )
