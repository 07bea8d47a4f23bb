"""Adaptec's arcconf GETCONFIG: controller, logical devices, physical devices.

Units and traps
---------------
- MB are 2^20 bytes, KB 2^10.
- A missing drive stays listed, with an empty model and 0 MB.
- An enclosure's own processor is a device too, but no drive.
- Names of the same thing changed with the versions: "Status of logical device" and "Status of Logical Device", "Size"
  and "Total Size" of a drive, "Transfer Speed" and "Negotiated Physical Link Rate".
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import kernel, labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("arcconf",)
VERSIONS: str = "arcconf 4 to 4.x of Microchip: ServeRAID, Series 2 to 8, SmartRAID"
COMMANDS: tuple[str, ...] = ("arcconf", "arcconf64")
BEGINS: re.Pattern[str] | None = re.compile(r"Controllers [Ff]ound: \d{1,3}\s{0,8}$")
REPEATS: bool = True

_KNOWN: Final = re.compile(
    r"^Controllers [Ff]ound: \d|^\s{0,12}Controller (?:Model|Status)\s{1,60}: |"
    r"^\s{0,12}Logical (?:[Dd]evice|[Dd]rive) number \d|^\s{0,12}Device is a Hard drive",
    re.MULTILINE,
)
_VOLUME: Final = re.compile(r"\s{0,12}Logical (?:device|drive) number (?P<id>\d{1,6})\s{0,8}$", re.IGNORECASE)
_DEVICE: Final = re.compile(r"\s{0,12}Device #(?P<id>\d{1,6})\s{0,8}$")
_KIND: Final = re.compile(r"\s{0,16}Device is an? (?P<kind>.{1,60}?)\s{0,8}$")
_SECTION: Final = re.compile(
    r"\s{0,4}(?:Controller|Logical device|Logical drive|Physical Device|Connector|Array|maxCache) information$",
    re.IGNORECASE,
)
_SEGMENT: Final = re.compile(r"(?:Group \d{1,4}, )?Segment \d{1,4}|Device \d{1,6}")
_PCI: Final = re.compile(r"(?P<device>[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}):(?P<function>[0-7])")
_LEVEL: Final = re.compile(r"(?P<level>\d[\dEe]{0,3})\b")
_NUMBER: Final = re.compile(r"(?P<number>\d{1,9})")
_HARD: Final = "hard drive"
_HEADINGS: Final = {
    "drives": re.compile("physical device information", re.IGNORECASE),
    "volumes": re.compile("logical (?:device|drive) (?:information|number)", re.IGNORECASE),
}


def recognises(output: Output) -> bool:
    """Look for the number of controllers or the heads of the parts."""
    return _KNOWN.search(output.head(400)) is not None


def read(output: Output) -> Facts:
    """Read controller, volumes and drives."""
    facts = output.facts("arcconf", {"controller": None, "memory_bytes": None, "volumes": [], "drives": []})
    reading = _Reading(facts.values)
    for number, line in output.numbered():
        reading.line(number, line)
    for name, heading in _HEADINGS.items():
        facts.values[f"n_{name}"] = len(facts.values[name]) if heading.search(output.text) else None
    return facts


class _Reading:
    """Which object the lines belong to."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._volume: dict[str, Any] | None = None
        self._drive: dict[str, Any] | None = None

    def line(self, number: int, line: str) -> None:
        """Take a line."""
        if _SECTION.match(line) is not None:
            self._volume = self._drive = None
        elif (volume := _VOLUME.match(line)) is not None:
            self._volume = {
                "id": int(volume["id"]),
                "name": None,
                "level": None,
                "size_bytes": None,
                "strip_bytes": None,
            }
            self._volume.update(state=None, n_segments=0)
            self._values["volumes"].append(self._volume)
        elif _DEVICE.match(line) is not None:
            self._volume = self._drive = None
        elif (kind := _KIND.match(line)) is not None:
            self._drive = None
            if kind["kind"].lower() == _HARD:
                self._drive = {"model": None, "size_bytes": None, "link_bps": None, "state": None}
                self._values["drives"].append(self._drive)
        elif (field := labelled(number, line)) is not None:
            self._take(field)

    def _take(self, line: Labelled) -> None:
        if self._drive is not None:
            _drive(self._drive, line)
        elif self._volume is not None:
            _volume(self._volume, line)
        else:
            _controller(self._values, line)


def _controller(values: dict[str, Any], line: Labelled) -> None:
    name, text = line.name.lower(), line.value
    number = _NUMBER.match(text)
    if name == "controller model":
        values["controller"] = values["controller"] or text or None
    elif name in ("installed memory", "cache memory"):
        values["memory_bytes"] = values["memory_bytes"] or amounts.size(text)
    elif name == "controller status":
        values.setdefault("state", text or None)
    elif name.startswith("pci address") and (pci := _PCI.search(text)) is not None:
        values["pci"] = kernel.address(f"{pci['device']}.{pci['function']}")
    elif name == "host bus link width" and number is not None:
        values["pcie_lanes"] = int(number["number"])
    elif name == "host bus speed" and number is not None:
        values["pcie_gtps"] = int(number["number"]) / 1000


def _level(text: str) -> str | None:
    level = _LEVEL.match(text)
    return f"raid{level['level'].lower()}" if level else text.lower() or None


_VOLUME_FIELDS: Final[labels.Fields] = {
    "logical device name": ("name", labels.text),
    "logical drive name": ("name", labels.text),
    "raid level": ("level", _level),
    "status of logical device": ("state", labels.text),
    "status of logical drive": ("state", labels.text),
    "size": ("size_bytes", amounts.size),
    "stripe-unit size": ("strip_bytes", amounts.size),
    "strip size": ("strip_bytes", amounts.size),
    "stripe unit size": ("strip_bytes", amounts.size),
}
_DRIVE_FIELDS: Final[labels.Fields] = {
    "model": ("model", labels.text),
    "vendor": ("vendor", labels.text),
    "size": ("size_bytes", amounts.size),
    "total size": ("size_bytes", amounts.size),
    "ssd": ("ssd", lambda text: {"yes": True, "no": False}.get(text.lower())),
}


def _volume(volume: dict[str, Any], line: Labelled) -> None:
    name, text = line.name.lower(), line.value
    if labels.take(volume, _VOLUME_FIELDS, name, text):
        return
    if name in ("read-cache mode", "read-cache status"):
        volume.setdefault("read_cache", text or None)
    elif name in ("write-cache mode", "write-cache status"):
        volume.setdefault("cache", text or None)
    elif _SEGMENT.fullmatch(line.name) is not None:
        volume["n_segments"] += 1


def _drive(drive: dict[str, Any], line: Labelled) -> None:
    name, text = line.name.lower(), line.value
    if labels.take(drive, _DRIVE_FIELDS, name, text):
        return
    if name == "state":
        drive["state"] = drive["state"] or text or None
    elif name in ("transfer speed", "negotiated physical link rate") and drive["link_bps"] is None:
        drive["link_bps"] = labels.line_rate(text)
