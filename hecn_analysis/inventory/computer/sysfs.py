"""Small files of ``/sys`` and ``/proc/irq`` with their paths, as ``grep -H`` prints them: ``/sys/…/mtu:9000``.

What the kernel says of itself: links of PCI devices, nodes, ports, arrays, queues of disks, clocks of processors, and
which processors take which interrupt. A path names the PCI device that a port or a disk hangs on.

Units and traps
---------------
- ``speed`` of a port is Mb/s and -1 where there is no link; ``*_kb`` are KiB; frequencies are kHz.
- ``max_link_speed`` is printed as ``8.0 GT/s PCIe``, by old kernels without the last word, ``Unknown`` where none is.
- A ``numa_node`` of -1 means unknown; it is missing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from hecn_analysis.inventory import kernel
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("sysfs",)
VERSIONS: str = "Linux 2.6.32 to 6"
COMMANDS: tuple[str, ...] = ("grep", "find")
BEGINS: re.Pattern[str] | None = re.compile(r"/(?:sys/(?:devices|class|block|module)|proc/irq)/\S{1,400}:")
REPEATS: bool = False

_LINE: Final = re.compile(r"(?P<path>/(?:sys|proc/irq)/\S{0,400}/[\w-]{1,60}):(?P<value>.{0,400})$")
_ADDRESS: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_NET: Final = re.compile(r"/net/(?P<name>[^/]{1,40})/(?P<rest>[\w/-]{1,60})$")
_MD: Final = re.compile(r"/block/(?P<name>md[\w.-]{0,40})/md/(?P<rest>\w{1,40})$")
_QUEUE: Final = re.compile(r"/(?P<name>[\w!.-]{1,40})/queue/(?P<rest>\w{1,40})$")
_CPU: Final = re.compile(
    r"/cpufreq/(?P<name>policy\d{1,6}|cpu\d{1,6})/(?P<rest>\w{1,60})$|/cpu(?P<cpu>\d{1,6})/cpufreq/(?P<old>\w{1,60})$"
)
_IRQ: Final = re.compile(r"/proc/irq/(?P<name>\d{1,9})/smp_affinity_list$")
_CHOSEN: Final = re.compile(r"\[(?P<chosen>[\w-]{1,40})\]")
_GTPS: Final = re.compile(r"(?P<number>\d{1,3}(?:\.\d)?) GT/s")
_FEWEST: Final = 2


def recognises(output: Output) -> bool:
    """Look for paths with values."""
    files = [file for line in output.lines[:10] if (file := _LINE.match(line)) is not None]
    names = {file["path"].rpartition("/")[2] for file in files}
    return len(files) >= min(_FEWEST, len(output.lines)) and not names.isdisjoint({*_PARSERS, "smp_affinity_list"})


def read(output: Output) -> Facts:
    """Read what is known of each device."""
    values: dict[str, Any] = {name: {} for name in ("devices", "net", "block", "arrays", "cpus", "interrupts")}
    for line in output.lines:
        file = _LINE.match(line)
        if file is not None:
            _file(values, file["path"], file["value"].strip())
    values["devices"] = [{"address": address, **facts} for address, facts in values["devices"].items()]
    return output.facts("sysfs", values)


def _file(values: dict[str, Any], path: str, text: str) -> None:
    addresses = _ADDRESS.findall(path)
    if (net := _NET.search(path)) is not None:
        port = values["net"].setdefault(net["name"], {})
        if addresses:
            port["bus_info"] = addresses[-1]
        _take(port, net["rest"], text)
    elif (array := _MD.search(path)) is not None:
        _take(values["arrays"].setdefault(array["name"], {}), array["rest"], text)
    elif (queue := _QUEUE.search(path)) is not None:
        disk = values["block"].setdefault(queue["name"].replace("!", "/"), {})
        if addresses:
            disk["pci"] = addresses[-1]
        _take(disk, queue["rest"], text)
    elif (cpu := _CPU.search(path)) is not None:
        name = cpu["name"] or f"cpu{cpu['cpu']}"
        _take(values["cpus"].setdefault(name, {}), cpu["rest"] or cpu["old"], text)
    elif (irq := _IRQ.match(path)) is not None:
        values["interrupts"][irq["name"]] = kernel.numbers(text)
    elif addresses and path.rsplit("/", 2)[-2] == addresses[-1]:
        _take(
            values["devices"].setdefault(addresses[-1], {"parent": addresses[-2]} if len(addresses) > 1 else {}),
            path,
            text,
        )


def _node(text: str) -> int | None:
    number = amounts.whole(text)
    return number if number is not None and number >= 0 else None


def _speed(text: str) -> int | None:
    number = amounts.whole(text)
    return number * 10**6 if number is not None and number > 0 else None


def _gtps(text: str) -> float | None:
    match = _GTPS.match(text)
    return float(match["number"]) if match else None


def _chosen(text: str) -> str | None:
    match = _CHOSEN.search(text)
    return match["chosen"] if match else text or None


def _khz(text: str) -> int | None:
    number = amounts.whole(text)
    return None if number is None else number * 1000


def _width(text: str) -> int | None:
    number = amounts.whole(text)
    return number if number is not None and 0 < number < 255 else None


def _flag(text: str) -> bool | None:
    return {"1": True, "0": False}.get(text)


_PARSERS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "mtu": ("mtu", amounts.whole),
    "speed": ("speed_bps", _speed),
    "duplex": ("duplex", _chosen),
    "operstate": ("state", _chosen),
    "tx_queue_len": ("qlen", amounts.whole),
    "numa_node": ("numa_node", _node),
    "current_link_speed": ("lnksta_gtps", _gtps),
    "current_link_width": ("lnksta_width", _width),
    "max_link_speed": ("lnkcap_gtps", _gtps),
    "max_link_width": ("lnkcap_width", _width),
    "level": ("level", _chosen),
    "raid_disks": ("n_raid_devices", amounts.whole),
    "chunk_size": ("chunk_bytes", amounts.whole),
    "degraded": ("n_missing", amounts.whole),
    "array_state": ("state", _chosen),
    "stripe_cache_size": ("stripe_cache_size", amounts.whole),
    "group_thread_cnt": ("threads", amounts.whole),
    "sync_action": ("sync_action", _chosen),
    "scheduler": ("scheduler", _chosen),
    "nr_requests": ("nr_requests", amounts.whole),
    "read_ahead_kb": ("read_ahead_kib", amounts.whole),
    "rotational": ("rotational", _flag),
    "write_cache": ("write_cache", _chosen),
    "scaling_governor": ("governor", _chosen),
    "scaling_driver": ("driver", _chosen),
    "scaling_min_freq": ("min_hz", _khz),
    "scaling_max_freq": ("max_hz", _khz),
    "scaling_cur_freq": ("hz", _khz),
    "cpuinfo_max_freq": ("cpu_max_hz", _khz),
    "base_frequency": ("base_hz", _khz),
    "energy_performance_preference": ("preference", _chosen),
}


def _take(device: dict[str, Any], path: str, text: str) -> None:
    """Take over a file of a device, by its last name."""
    name = path.rpartition("/")[2]
    if name in _PARSERS:
        fact, parse = _PARSERS[name]
        value = parse(text)
        if value is not None:
            device[fact] = value
