"""``sysctl -a`` of Linux, FreeBSD and macOS, and ``sysctl.conf``: how the kernel's network is set.

Units and traps
---------------
- Linux prints ``key = value``, three values apart by tabs; FreeBSD and macOS ``key: value``, and values of many lines.
- ``tcp_rmem`` and ``tcp_wmem`` are bytes (least, default, largest), ``tcp_mem`` pages. ``rmem_max`` cuts what a program
  asks for, not what the kernel tunes.
- macOS: the largest buffers are ``autorcvbufmax`` and ``autosndbufmax``; FreeBSD: ``recvbuf_max`` and ``sendbuf_max``.
- What is switched, timestamps and scaling of windows, is one key on FreeBSD (``rfc1323``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("sysctl",)
VERSIONS: str = "Linux 2.4 to 6, FreeBSD 8 to 14, macOS 10.6 to 14"
COMMANDS: tuple[str, ...] = ("sysctl",)
_KEY: Final = (
    r"(?:abi|crypto|compat|debug|dev|fs|hw|iogpu|kern|kernel|ktrace|machdep|net|p1003_1b|security|sunrpc|sys|user|vfs"
    r"|vm|audit|kperf)\.[\w./:+%@*-]{1,120}?"
)
BEGINS: re.Pattern[str] | None = re.compile(rf"(?={_KEY}(?:\s?=\s?|:\s))")
REPEATS: bool = False

_LINE: Final = re.compile(rf"(?P<key>{_KEY})\s?(?:=\s?|:(?:\s|$))(?P<value>.{{0,2000}})$")
_HEAD: Final = 40
_LEAST: Final = 2


def _int(text: str) -> int | None:
    return amounts.whole(text)


def _three(text: str) -> list[int] | None:
    numbers = [amounts.whole(word) for word in text.split()]
    return [number for number in numbers if number is not None] if len(numbers) == 3 and None not in numbers else None


def _flag(text: str) -> bool | None:
    number = amounts.whole(text)
    return None if number is None else number > 0


def _text(text: str) -> str | None:
    return text.strip() or None


def _words(text: str) -> list[str]:
    return text.split()


_KEYS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "net.ipv4.tcp_rmem": ("tcp_rmem", _three),
    "net.ipv4.tcp_wmem": ("tcp_wmem", _three),
    "net.ipv4.tcp_mem": ("tcp_mem_pages", _three),
    "net.core.rmem_max": ("rmem_max", _int),
    "net.core.wmem_max": ("wmem_max", _int),
    "net.core.rmem_default": ("rmem_default", _int),
    "net.core.wmem_default": ("wmem_default", _int),
    "net.core.optmem_max": ("optmem_max", _int),
    "net.core.netdev_max_backlog": ("netdev_max_backlog", _int),
    "net.core.netdev_budget": ("netdev_budget", _int),
    "net.core.default_qdisc": ("default_qdisc", _text),
    "net.core.busy_poll": ("busy_poll", _int),
    "net.ipv4.tcp_congestion_control": ("congestion_control", _text),
    "net.ipv4.tcp_available_congestion_control": ("available_congestion_control", _words),
    "net.ipv4.tcp_mtu_probing": ("mtu_probing", _int),
    "net.ipv4.tcp_sack": ("sack", _flag),
    "net.ipv4.tcp_window_scaling": ("window_scaling", _flag),
    "net.ipv4.tcp_timestamps": ("timestamps", _flag),
    "net.ipv4.tcp_moderate_rcvbuf": ("moderate_rcvbuf", _flag),
    "net.ipv4.tcp_adv_win_scale": ("adv_win_scale", _int),
    "net.ipv4.tcp_no_metrics_save": ("no_metrics_save", _flag),
    "net.ipv4.tcp_slow_start_after_idle": ("slow_start_after_idle", _flag),
    "net.ipv4.tcp_limit_output_bytes": ("limit_output_bytes", _int),
    "net.ipv4.tcp_ecn": ("ecn", _int),
    "vm.dirty_ratio": ("dirty_ratio", _int),
    "vm.dirty_background_ratio": ("dirty_background_ratio", _int),
    "vm.min_free_kbytes": ("min_free_kib", _int),
    "vm.zone_reclaim_mode": ("zone_reclaim_mode", _int),
    "dev.raid.speed_limit_max": ("raid_speed_limit_max", _int),
    "kernel.ostype": ("os", _text),
    "kernel.osrelease": ("kernel", _text),
    "kernel.hostname": ("host_name", _text),
    "kernel.numa_balancing": ("numa_balancing", _int),
    "kern.ostype": ("os", _text),
    "kern.osrelease": ("kernel", _text),
    "kern.hostname": ("host_name", _text),
    "kern.ipc.maxsockbuf": ("maxsockbuf", _int),
    "net.inet.tcp.sendbuf_max": ("tcp_sendbuf_max", _int),
    "net.inet.tcp.recvbuf_max": ("tcp_recvbuf_max", _int),
    "net.inet.tcp.autosndbufmax": ("tcp_sendbuf_max", _int),
    "net.inet.tcp.autorcvbufmax": ("tcp_recvbuf_max", _int),
    "net.inet.tcp.sendspace": ("tcp_sendspace", _int),
    "net.inet.tcp.recvspace": ("tcp_recvspace", _int),
    "net.inet.tcp.cc.algorithm": ("congestion_control", _text),
    "net.inet.tcp.sack": ("sack", _flag),
    "net.inet.tcp.sack.enable": ("sack", _flag),
    "hw.ncpu": ("cpus", _int),
    "hw.logicalcpu": ("cpus", _int),
    "hw.physicalcpu": ("cores", _int),
    "kern.smp.cores": ("cores", _int),
    "hw.packages": ("sockets", _int),
    "hw.memsize": ("memory_bytes", _int),
}
#: Taken where nothing better is there.
_ELSE: Final[dict[str, tuple[tuple[str, ...], Callable[[str], Any]]]] = {
    "hw.model": (("cpu_model",), _text),
    "hw.physmem": (("memory_bytes",), _int),
    "hw.realmem": (("memory_bytes",), _int),
    "net.inet.tcp.rfc1323": (("timestamps", "window_scaling"), _flag),
}


def recognises(output: Output) -> bool:
    """Look for keys among the first lines."""
    lines = [line for line in output.lines[:_HEAD] if line.strip() and not line.startswith(("#", ";", "sysctl: "))]
    settings = sum(_LINE.match(line) is not None for line in lines)
    enough = _LEAST if len(lines) > 1 else 1
    return settings >= enough and 2 * settings >= min(len(lines), _HEAD // 2)


def read(output: Output) -> Facts:
    """Read what matters to transfers."""
    values: dict[str, Any] = {}
    rest: dict[str, str] = {}
    facts = output.facts("sysctl", values)
    count = 0
    above: str = ""
    for number, line in output.numbered():
        match = _LINE.match(line)
        if match is None:
            if (
                above == "net.inet.tcp.cc.available"
                and (listed := re.match(r"(?!CCmod)(\w{2,20})\s", f"{line} ")) is not None
            ):
                values.setdefault("available_congestion_control", []).append(listed[1])
            continue
        count += 1
        above, text = match["key"], (match["value"] or "").strip()
        if above in _KEYS:
            _key(facts, number, above, text)
        elif above in _ELSE or above == "machdep.cpu.brand_string":
            rest[above] = text
        elif above == "net.inet.tcp.cc.available" and "PCB" not in text and text:
            values["available_congestion_control"] = [word.strip(",* ") for word in text.split(",")]
    values["n_keys"] = count
    _otherwise(values, rest)
    return facts


def _otherwise(values: dict[str, Any], rest: dict[str, str]) -> None:
    """Take what has no better key."""
    if "machdep.cpu.brand_string" in rest:
        values["cpu_model"] = rest["machdep.cpu.brand_string"] or None
    for key, (names, parse) in _ELSE.items():
        for name in names:
            if key in rest and values.get(name) is None:
                values[name] = parse(rest[key])


def _key(facts: Facts, number: int, key: str, text: str) -> None:
    name, parse = _KEYS[key]
    value = parse(text)
    if value is None and text:
        facts.problem(number, "malformed", f"{key}: found {text[:40]!r}, expected a number; left out")
    facts.values.setdefault(name, value)
