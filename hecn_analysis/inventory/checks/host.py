"""Checks of memory and processors: channels without modules, and reduced clocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis import limits
from hecn_analysis.inventory.checks.finding import Finding, Seen, listed, positive, whole
from hecn_analysis.inventory.parts.computer import Clocks

_CHANNELS: Final = (
    (re.compile(r"Xeon.{0,12}(?:[XEWL]55\d\d|[XELW]56\d\d)\b"), 3),
    (re.compile(r"Core.{0,8}i7.{0,6} 9\d\d\b"), 3),
    (re.compile(r"Xeon.{0,16}E5-[24]6\d\d"), 4),
    (re.compile(r"Xeon.{0,16}E5-16\d\d"), 4),
    (re.compile(r"Xeon.{0,16}E5-24\d\d"), 3),
    (re.compile(r"Xeon.{0,16}E3-\d{4}"), 2),
    (re.compile(r"Xeon.{0,16}(?:Bronze|Silver|Gold|Platinum) \d[12]\d\d"), 6),
    (re.compile(r"Xeon.{0,16}(?:Silver|Gold|Platinum) \d[345]\d\d"), 8),
    (re.compile(r"EPYC 7\d\d[123]"), 8),
    (re.compile(r"EPYC (?:9\d{3}|9\w{2,3}4)"), 12),
    (re.compile(r"EPYC 8\d\d4"), 6),
)
_MEMORY: Final = "data sheets of the processors; limits.memory: each byte received crosses memory three times"
_GOVERNOR: Final = "Linux admin-guide/pm/cpufreq.rst: powersave is the lowest clock, of intel_pstate a slow start"
_SLOW: Final = ("powersave", "conservative")
_ONE: Final = "one core: limits.cpu with 1 cycle a byte and 4000 a packet of 64 KiB (assumed)"
_CYCLES: Final = {"cycles_per_byte": 1.0, "cycles_per_packet": 4000}


def channels_of(model: str | None) -> int | None:
    """Memory channels of a processor, by its name; None if unknown."""
    return next((count for name, count in _CHANNELS if name.search((model or "")[:200])), None)


def memory_channels(seen: Seen) -> Iterator[Finding]:
    """Memory channels without a module."""
    memory, cpu = seen.machine.memory, seen.machine.cpu
    each, sockets = channels_of(cpu.model), whole(cpu.sockets) or 1
    modules, rate = whole(memory.n_dimms), positive(memory.mtps)
    if each is None or modules is None:
        return
    most = each * sockets
    filled = min(whole(memory.channels) or modules, most)
    if filled >= most:
        return
    yield Finding(
        "memory-channels",
        f"{sockets} x {cpu.model}",
        f"{modules} modules, which reach {filled} channels at most",
        f"a module in each of the {most} channels",
        limit_bps=float(limits.memory(filled, rate * 1e6)["throughput_bps"]) if rate else None,
        fixed_bps=float(limits.memory(most, rate * 1e6)["throughput_bps"]) if rate else None,
        basis=f"limits.memory at {rate:g} MT/s, three passes of each byte, 80 % of nominal" if rate else "",
        fix="alike modules in the first slot of each channel, as the board's manual orders them",
        verify="dmidecode -t memory | grep -E 'Locator|Size|Configured'",
        source=_MEMORY,
        scenario_settings={"host.memory.channels": most},
    )


def governor(seen: Seen) -> Iterator[Finding]:
    """Processors whose clock is reduced to save power."""
    slow: dict[tuple[str, str], list[tuple[str, Clocks]]] = {}
    capped: list[tuple[str, float, float]] = []
    for facts in seen.facts("sysfs", "cpupower"):
        for cpu, clocks in ((cpu, Clocks.of(clock)) for cpu, clock in facts["cpus"].items()):
            if clocks.governor in _SLOW:
                slow.setdefault((clocks.governor, clocks.driver or ""), []).append((cpu, clocks))
            now, most = positive(clocks.max_hz), positive(clocks.cpu_max_hz)
            if now is not None and most is not None and now < 0.95 * most:
                capped.append((cpu, now, most))
    for (name, driver), cpus in sorted(slow.items(), key=lambda item: item[0]):
        first = cpus[0][1]
        low, high = positive(first.min_hz), positive(first.cpu_max_hz) or positive(first.max_hz)
        keeps_low = "pstate" not in driver and name == "powersave"
        yield Finding(
            "governor",
            f"{len(cpus)} processors: {listed((cpu for cpu, _ in cpus), 3)}",
            f"governor {name}" + (f" of {driver}" if driver else ""),
            "performance",
            limit_bps=_core(low) if keeps_low else None,
            fixed_bps=_core(high) if keeps_low else None,
            basis=f"at its lowest and at its highest clock, {_ONE}"
            if keeps_low
            else "no figure: the clock follows the load, only later than a burst of packets",
            fix="cpupower frequency-set -g performance; BIOS: power profile on Maximum Performance",
            verify="cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c",
            source=_GOVERNOR,
        )
    if capped:
        _, now, most = capped[0]
        yield Finding(
            "clock-cap",
            f"{len(capped)} processors: {listed((name for name, _, _ in capped), 3)}",
            f"at most {now / 1e9:.2f} GHz",
            f"{most / 1e9:.2f} GHz, which the processor can do",
            limit_bps=_core(now),
            fixed_bps=_core(most),
            basis=_ONE,
            fix="cpupower frequency-set -u MAXIMUM; BIOS: power profile, Turbo",
            verify="cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq | sort | uniq -c",
            source=_GOVERNOR,
            scenario_settings={"host.cpu.clock": most},
        )


def _core(clock: float | None) -> float | None:
    return None if clock is None else float(limits.cpu(clock, **_CYCLES)["throughput_bps"])
