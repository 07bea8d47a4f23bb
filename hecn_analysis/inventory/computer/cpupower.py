"""``cpupower frequency-info`` and the older ``cpufreq-info``: what sets the clock of each processor.

Versions: cpufrequtils 002 to 008, cpupower of Linux 3.1 to 6.x, in English; also ``-o``/``--policy`` alone.

Traps
-----
- ``cpupower`` shows one processor unless ``-c all`` asks for more: what holds for the others is not said.
- The facts are named as those of ``/sys``: ``min_hz`` and ``max_hz`` are the policy's, ``cpu_max_hz`` the hardware's.
- With ``intel_pstate`` and ``amd-pstate-epp`` the governor powersave lets the clock follow the load.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("cpupower",)
VERSIONS: str = "cpufrequtils 002 to 008, cpupower of Linux 3.1 to 6.x"
COMMANDS: tuple[str, ...] = ("cpupower", "cpufreq-info")
BEGINS: re.Pattern[str] | None = re.compile(r"\s{0,8}analyzing CPU \d{1,5}:")
REPEATS: bool = False

_CPU: Final = re.compile(r"\s{0,8}analyzing CPU (?P<cpu>\d{1,5}):")
_HZ: Final = r"(\d{1,6}(?:\.\d{1,3})?) ([kMG])Hz"
_DRIVER: Final = re.compile(r"\s{1,12}driver: (?P<driver>\S{1,40})")
_LIMITS: Final = re.compile(rf"\s{{1,12}}hardware limits: {_HZ} - {_HZ}")
_POLICY: Final = re.compile(rf"\s{{0,12}}current policy: frequency should be within {_HZ} and {_HZ}")
_GOVERNOR: Final = re.compile(r"\s{0,24}The governor \"(?P<governor>\w{1,20})\" may decide")
_SCALE: Final = {"k": 1e3, "M": 1e6, "G": 1e9}


def recognises(output: Output) -> bool:
    """Look for a processor and its policy or limits."""
    return (
        any(_CPU.match(line) for line in output.lines[:8])
        and re.search(r"hardware limits: |current policy: ", output.head(40)) is not None
    )


def read(output: Output) -> Facts:
    """Read governor, driver and bounds of each processor."""
    cpus: dict[str, dict[str, Any]] = {}
    cpu: dict[str, Any] | None = None
    for line in output.lines:
        if match := _CPU.match(line):
            cpu = cpus.setdefault(f"cpu{int(match['cpu'])}", {})
        elif cpu is not None:
            _take(cpu, line)
    return output.facts("cpupower", {"n_cpus": len(cpus), "cpus": cpus})


def _take(cpu: dict[str, Any], line: str) -> None:
    """Take a line of a processor."""
    if match := _DRIVER.match(line):
        cpu["driver"] = match["driver"]
    elif match := _LIMITS.match(line):
        cpu["cpu_max_hz"] = _hz(match[3], match[4])
    elif match := _POLICY.match(line):
        cpu["min_hz"], cpu["max_hz"] = _hz(match[1], match[2]), _hz(match[3], match[4])
    elif match := _GOVERNOR.match(line):
        cpu["governor"] = match["governor"]


def _hz(number: str, prefix: str) -> float:
    return float(number) * _SCALE[prefix]
