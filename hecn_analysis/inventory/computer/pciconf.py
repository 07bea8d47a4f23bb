"""``pciconf -lvc`` of FreeBSD: the devices on the PCI buses, and their links.

Versions: FreeBSD 8 to 15.

Traps
-----
- Selectors are decimal: ``pci0:130:0:1`` is 0000:82:00.1.
- "link x8(x8) speed 8.0(8.0)" is what runs, and in brackets what the device can, in lanes and GT/s; old versions print
  no speed. "max data 256(512)" is MaxPayload as set and at most.
- "none0" is a device without a driver. Without root the capabilities are absent: they are missing, not 0.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("pciconf",)
VERSIONS = "FreeBSD 8 to 15"
COMMANDS = ("pciconf",)
BEGINS = re.compile(r"\w{1,24}@pci\d{1,5}:\d{1,3}:\d{1,2}:\d:?\s")
REPEATS = False

_DEVICE: Final = re.compile(
    r"(?P<driver>[a-z]\w{0,22}?)\d{0,4}@pci(?P<domain>\d{1,5}):(?P<bus>\d{1,3}):(?P<slot>\d{1,2}):(?P<function>\d):?\s"
    r".{0,60}?class=0x(?P<code>[0-9a-f]{4})"
)
_OS: Final = re.compile(r"(?P<name>\w{1,24})@")
_QUOTED: Final = re.compile(r"\s{1,40}(?P<name>vendor|device)\s{1,20}= '(?P<value>[^']{1,200})'")
_EXPRESS: Final = re.compile(
    r"\s{1,40}cap 10\[\w{2}\] = PCI-Express \d (?P<type>[a-z][a-z ]{2,30}?)(?: link)? max data "
    r"(?P<set>\d{2,5})\((?P<most>\d{2,5})\)"
)
_READ: Final = re.compile(r"\s{1,60}max read (?P<bytes>\d{2,5})")
_LINK: Final = re.compile(
    r"(?:^\s{1,60}|\s)link x(?P<width>\d{1,2})\(x(?P<most>\d{1,2})\)"
    r"(?: speed (?P<speed>\d{1,2}\.\d)\((?P<fastest>\d{1,2}\.\d)\))?"
)
_TYPES: Final = {"endpoint": "Endpoint", "root port": "Root Port", "legacy endpoint": "Legacy Endpoint"}


def recognises(output: Output) -> bool:
    """Look for a device among the first lines."""
    return any(_DEVICE.match(line) for line in output.lines[:4])


def read(output: Output) -> Facts:
    """Read all devices."""
    devices: list[dict[str, Any]] = []
    facts = output.facts("pciconf", {"devices": devices})
    for number, line in output.numbered():
        line = line[:400]  # noqa: PLW2901 - no line of pciconf is longer
        if (match := _DEVICE.match(line)) is not None:
            place = "{:04x}:{:02x}:{:02x}.{}".format(
                *(int(match[name]) for name in ("domain", "bus", "slot", "function"))
            )
            driver = None if match["driver"] == "none" else match["driver"]
            device: dict[str, Any] = {"address": place, "class_code": match["code"], "driver": driver}
            name = _OS.match(line)
            devices.append(device | ({"os_device": name["name"]} if driver and name else {}))
        elif BEGINS.match(line):
            facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected 'class=0x…'; left out")
            devices.append({})
        elif devices:
            _detail(devices[-1], line)
    devices[:] = [device for device in devices if device.get("address")]
    facts.values["n_devices"] = len(devices)
    return facts


def _detail(device: dict[str, Any], line: str) -> None:
    """Take a line below a device."""
    if (match := _QUOTED.match(line)) is not None:
        key = "device_name" if match["name"] == "device" else "vendor"
        device[key] = match["value"]
        device["name"] = " ".join(str(device[part]) for part in ("vendor", "device_name") if part in device)
    elif (match := _EXPRESS.match(line)) is not None:
        device["express_type"] = _TYPES.get(match["type"], match["type"].title())
        device.update(max_payload=int(match["set"]), max_payload_cap=int(match["most"]))
    elif (match := _READ.match(line)) is not None:
        device["max_read_req"] = int(match["bytes"])
    if (match := _LINK.search(line)) is not None:
        device.update(lnksta_width=int(match["width"]), lnkcap_width=int(match["most"]))
        if match["speed"]:
            device.update(lnksta_gtps=float(match["speed"]), lnkcap_gtps=float(match["fastest"]))
