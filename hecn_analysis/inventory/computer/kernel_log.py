"""Lines of a kernel's log (dmesg, syslog, journal) about links of network cards, PCI Express and disks.

Units and traps
---------------
- A link that goes up and down leaves several lines; the last one of a port counts, and how often it went down.
  ``speed_bps`` of a port that is down is the one that it had.
- "63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at …": what is left after the coding; the slot
  runs at the rate and width that follow "limited by", the device could do those that follow "capable of".
- "PCI Express Bus: Speed 5.0GT/s Width x8" is the rate of the slot, too.
- "real memory" of FreeBSD is bytes; its "CPUs" are threads.
- Times, hosts and levels in front of the lines are left out. Other lines are nobody's business here.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import kernel
from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("kernel-log",)
VERSIONS: str = "Linux 2.6 to 6, FreeBSD 8 to 15"
COMMANDS: tuple[str, ...] = ("dmesg", "journalctl", "/var/log/messages", "/var/log/kern.log", "/var/run/dmesg.boot")
_ADDRESS: Final = r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
_UP: Final = re.compile(
    rf"(?:(?P<driver>[\w-]{{2,24}}):? (?:(?P<address>{_ADDRESS}):? )?)?"
    r"(?:\(unnamed net_device\)|(?P<name>[a-z]{1,10}\d[\w.]{0,14})):?"
    r"(?: \([^()]{1,40}\))?:? (?:[\w/-]{1,12}:? )?(?:NIC )?"
    r"[Ll]ink (?:is |becomes )?(?:(?P<up>[Uu]p|UP)|(?P<down>[Dd]own|DOWN))\b"
    r"(?!, [\d.]{1,5} GT/s)"
    r"(?P<rest>.{0,200})"
)
_RATE: Final = re.compile(r"(?P<rate>\d{1,6}(?:\.\d)?)\s?(?P<prefix>[GM])b(?:ps|it/s|/s)?\b", re.IGNORECASE)
_DUPLEX: Final = re.compile(
    r"(?P<duplex>full|half)[ -]?duplex|/(?P<short>Full|Half)\b|duplex[: ]{1,2}(?P<last>full|half)", re.IGNORECASE
)
_LIMITED: Final = re.compile(
    rf"(?P<address>{_ADDRESS}): (?P<available>\d{{1,4}}\.\d{{1,3}}) Gb/s available PCIe bandwidth"
    r"(?:, limited by (?P<gtps>\d{1,3}(?:\.\d)?) ?GT/s (?:PCIe )?x(?P<width>\d{1,2}) link)?"
    r"(?: at (?P<at>[0-9a-f:.]{7,12}))?"
    r"(?: \(capable of \d{1,4}\.\d{1,3} Gb/s with "
    r"(?P<cap_gtps>\d{1,3}(?:\.\d)?) ?GT/s (?:PCIe )?x(?P<cap_width>\d{1,2}) link)?"
)
_BUS: Final = re.compile(
    rf"(?:(?P<driver>[\w-]{{2,24}}) (?P<address>{_ADDRESS})|(?P<name>[a-z]{{1,8}}\d{{1,3}})):? ?.{{0,24}}?"
    r"\(?PCI Express(?: Bus)?: ?(?:Speed )?(?P<gtps>\d{1,3}(?:\.\d)?) ?GT/s,? ?:?(?:Width |Width:)x?(?P<width>\d{1,2})"
)
_LINES: Final = ((_LIMITED, "PCIe bandwidth"), (_BUS, "PCI Express"), (_UP, "ink"))
_COMPUTER: Final = re.compile(
    r"CPU: (?P<cpu_model>\S.{4,80}?) \(\d{2,5}\.\d{2}-MHz|real memory  = (?P<memory_bytes>\d{6,16})"
    r"|FreeBSD/SMP: Multiprocessor System Detected: (?P<cpus>\d{1,4}) CPUs"
)
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?=.{0,160}?(?:available PCIe bandwidth, limited|PCI Express(?: Bus)?: ?(?:Speed )?\d|"
    r"[\d\]] ?[\w:. -]{4,60}: (?:NIC )?[Ll]ink is [UuDd]|\w{2,12}: \w{3,12} NIC Link is ))"
)
REPEATS: bool = False
_MOST: Final = 20_000


def recognises(output: Output) -> bool:
    """Look for one of the lines among the first hundred, below a log's own command or a log's prefix."""
    return any(any(_matches(line)) or _COMPUTER.match(line[:200]) for line in output.lines[:100])


def _matches(line: str) -> tuple[re.Match[str] | None, ...]:
    """What each pattern finds in a line."""
    if len(line) > 600:
        return (None, None, None)
    return tuple(pattern.search(line) if word in line else None for pattern, word in _LINES)


def read(output: Output) -> Facts:
    """Read links and slots."""
    values: dict[str, Any] = {}
    links: dict[str, dict[str, Any]] = {}
    slots: dict[str, dict[str, Any]] = {}
    for line in output.lines[:_MOST]:
        if (own := _COMPUTER.match(line[:200])) is not None:
            values.update(_computer(own))
        limited, bus, link = _matches(line)
        if limited is not None:
            slot = slots.setdefault(kernel.address(limited["address"]), {"address": kernel.address(limited["address"])})
            slot["available_bps"] = float(limited["available"]) * 1e9
            _slot(slot, limited["gtps"], limited["width"])
            if limited["cap_gtps"]:
                slot.update(lnkcap_gtps=float(limited["cap_gtps"]), lnkcap_width=int(limited["cap_width"]))
        elif bus is not None:
            address = kernel.address(bus["address"]) if bus["address"] else None
            slot = slots.setdefault(address or bus["name"], {"address": address, "os_device": bus["name"]})
            _slot(slot, bus["gtps"], bus["width"])
        elif link is not None and (name := link["name"] or link["address"]):
            known = links.setdefault(name, {"name": link["name"], "address": None, "driver": None, "downs": 0})
            known["up"] = link["up"] is not None
            known["downs"] += not known["up"]
            known["driver"] = link["driver"] or known["driver"]
            known["address"] = kernel.address(link["address"]) if link["address"] else known["address"]
            if known["up"]:
                known.update(_rate(link["rest"]))
    return output.facts("kernel-log", {**values, "links": list(links.values()), "slots": list(slots.values())})


def _computer(line: re.Match[str]) -> dict[str, Any]:
    """What FreeBSD says of processors and memory."""
    found = {name: text for name, text in line.groupdict().items() if text}
    return {name: text.strip() if name == "cpu_model" else int(text) for name, text in found.items()}


def _slot(slot: dict[str, Any], gtps: str | None, width: str | None) -> None:
    if gtps and width:
        slot.update(lnksta_gtps=float(gtps), lnksta_width=int(width))


def _rate(rest: str) -> dict[str, Any]:
    """Rate and duplex of what follows "Link is up"."""
    rate, duplex = _RATE.search(rest), _DUPLEX.search(rest)
    word = (duplex["duplex"] or duplex["short"] or duplex["last"]).lower() if duplex else None
    speed = None if rate is None else float(rate["rate"]) * (1e9 if rate["prefix"].upper() == "G" else 1e6)
    return {"speed_bps": speed, "duplex": word}
