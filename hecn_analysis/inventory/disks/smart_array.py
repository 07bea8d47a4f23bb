"""HP's hpacucli, hpssacli and ssacli: ``ctrl all show config [detail]``, ``ctrl … ld all show``.

The detailed form of the controller is called ``ssacli``, the short forms ``hpacucli``, whichever program wrote them:
both write both, but where the command line is there its program decides.

Units and traps
---------------
- The size of a logical drive is in powers of two ("2.2 TB" are 2^40), that of a physical drive in powers of ten, both
  with two or three digits only.
- The cache size is in GB where no unit is printed.
- RAID 1+0 is RAID 10, "6 (ADG)" is RAID 6. A mirror of two drives is printed as 1 or as 1+0.
- A shelf of its own (MSA) is named by its chassis: "MSA1500 CS in BACKUP".
- Drives are listed under the array they belong to; a spare is listed there too, and is not counted.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from hecn_analysis.inventory import kernel, labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("ssacli", "hpacucli")
VERSIONS: str = "hpacucli 8 to 9, hpssacli 1 to 2, ssacli 2 to 6"
COMMANDS: tuple[str, ...] = ("ssacli", "hpssacli", "hpacucli", "ssascripting")
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?:(?:HPE? )?(?:Dynamic )?Smart (?:Array|HBA) .{1,40} in Slot \S{1,12}"
    r"|HPE [MNS][RS]\d\S{1,12}(?: \S{1,12}){0,2} in Slot \d{1,4})(?:[^\n]{0,120}\n {3}(Bus Interface): )?"
)
REPEATS: bool = False

_CONTROLLER: Final = re.compile(
    r"(?:HPE? )?(?P<model>(?:Dynamic )?Smart (?:Array|HBA) .{1,60}?|(?<=HPE )[MNS][RS]\d\S{1,12}(?: \S{1,12}){0,2}?"
    r"|MSA\S{1,8}(?: CS)?(?! in Slot)) in (?:Slot (?P<slot>\d{1,3})?|(?<=[\dSs] in ))(?P<rest>.{0,120})$"
)
_ARRAY: Final = re.compile(r"\s{1,12}[Aa]rray:? (?P<name>[A-Z]{1,3})\b")
_UNASSIGNED: Final = re.compile(r"\s{1,12}(?i:unassigned|hba drives)")
_LOGICAL: Final = re.compile(
    r"\s{1,16}logicaldrive (?P<id>\d{1,4}) \((?P<size>[^,]{1,9}), (?:RAID )?(?P<level>[^,]{1,9}), (?P<state>[^)]{1,80})"
)
_LOGICAL_DETAIL: Final = re.compile(r"\s{1,16}Logical Drive: (?P<id>\d{1,4})\s{0,8}$")
_PHYSICAL: Final = re.compile(r"(?P<indent>\s{1,16})physicaldrive (?P<id>\S{1,20})(?: \((?P<rest>.{1,200})\))?\s*$")
_PCIE: Final = re.compile(r"PCIe (?P<gen>\d)(?:\.\d)? x(?P<width>\d{1,2})")
_OWN_INDENT: Final = 8


def recognises(output: Output) -> bool:
    """Look for a controller in its slot."""
    return any(_CONTROLLER.match(line) for line in output.lines[:20])


def read(output: Output) -> Facts:
    """Read controllers, logical and physical drives."""
    reading = _Reading()
    for number, line in output.numbered():
        reading.line(number, line)
    values = reading.values()
    program = output.command[0] if output.command else ""
    detailed = any(line.startswith("   Bus Interface:") for line in output.lines)
    short = program == "hpacucli" or (not detailed and program not in ("ssacli", "hpssacli"))
    return output.facts("hpacucli" if short else "ssacli", values)


class _Reading:
    """Which object the lines belong to."""

    def __init__(self) -> None:
        self._controllers: list[dict[str, Any]] = []
        self._arrays: dict[tuple[int, str], set[str]] = {}
        self._array: tuple[int, str] | None = None
        self._volume: dict[str, Any] | None = None
        self._drive: dict[str, Any] | None = None

    def line(self, number: int, line: str) -> None:
        """Take a line."""
        if (match := _CONTROLLER.match(line)) is not None:
            self._controller(match)
        elif not self._controllers:
            return
        elif _UNASSIGNED.match(line) is not None:
            self._array = self._volume = self._drive = None
        elif (array := _ARRAY.match(line)) is not None:
            self._array = (len(self._controllers), array["name"])
            self._arrays.setdefault(self._array, set())
            self._volume = self._drive = None
        elif (logical := _LOGICAL.match(line)) is not None:
            self._logical(logical["id"], logical["size"], logical["level"], logical["state"])
        elif (logical := _LOGICAL_DETAIL.match(line)) is not None:
            self._logical(logical["id"])
        elif (physical := _PHYSICAL.match(line)) is not None:
            self._physical(physical)
        elif (named := labelled(number, line)) is not None:
            self._named(named)

    def _controller(self, match: re.Match[str]) -> None:
        slot = match["slot"]
        controller = {
            "model": match["model"],
            "slot": int(slot) if slot else None,
            "embedded": "Embedded" in match["rest"],
        }
        self._controllers.append({**controller, "volumes": [], "drives": []})
        self._array = self._volume = self._drive = None

    def _logical(self, number: str, size: str = "", level: str = "", state: str = "") -> None:
        volume = {
            "id": int(number),
            "level": _level(level),
            "size_bytes": amounts.size(size),
            "state": state or None,
            "array": self._array,
        }
        self._controllers[-1]["volumes"].append(volume)
        self._volume, self._drive = volume, None

    def _physical(self, match: re.Match[str]) -> None:
        rest = [part.strip() for part in (match["rest"] or "").split(",")]
        spare = "spare" in rest
        if self._array is not None and not spare:
            self._arrays[self._array].add(match["id"])
        if match["rest"] is None and len(match["indent"]) <= _OWN_INDENT:
            self._volume = None
        drives = self._controllers[-1]["drives"]
        known = next((drive for drive in drives if drive["id"] == match["id"]), None)
        if known is None:
            known = {"id": match["id"], "array": self._array}
            drives.append(known)
        known["array"] = known["array"] or self._array
        if len(rest) > 3:
            known["type"], known["size_bytes"] = rest[-3], amounts.size(rest[-2], kilo=1000)
            known["state"] = rest[-1]
        self._drive = known if match["rest"] is None else self._drive

    def _named(self, line: Labelled) -> None:
        if self._drive is not None and self._volume is None:
            self._of_drive(self._drive, line)
        elif self._volume is not None:
            labels.take(self._volume, _VOLUME_FIELDS, line.name, line.value)
        else:
            _of_controller(self._controllers[-1], line)

    def _of_drive(self, drive: dict[str, Any], line: Labelled) -> None:
        labels.take(drive, _DRIVE_FIELDS, line.name, line.value)
        if line.name == "Drive Type" and "Spare" in line.value and drive["array"] is not None:
            self._arrays[drive["array"]].discard(drive["id"])

    def values(self) -> dict[str, Any]:
        """The facts: of all controllers, and of the first one that has volumes by themselves."""
        for controller in self._controllers:
            for volume in controller["volumes"]:
                array = volume.pop("array")
                volume["n_drives"] = len(self._arrays.get(array, ())) or None if array is not None else None
            for drive in controller["drives"]:
                drive["array"] = drive["array"][1] if drive["array"] is not None else None
        first = next((each for each in self._controllers if each["volumes"]), self._controllers[0])
        own = {name: first.get(name) for name in ("pci", "pcie_gen", "pcie_width", "cache_bytes", "state")}
        volumes = [volume for each in self._controllers for volume in each["volumes"]]
        return {"controller": first["model"], **own, "volumes": volumes, "controllers": self._controllers}


def _of_controller(controller: dict[str, Any], line: Labelled) -> None:
    name, text = line.name, line.value
    if name == "PCI Address (Domain" and (
        address := re.search(r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d", text)
    ):
        controller["pci"] = kernel.address(address[0])
    elif name == "Negotiated PCIe Data Rate" and (rate := _PCIE.match(text)) is not None:
        controller["pcie_gen"], controller["pcie_width"] = int(rate["gen"]), int(rate["width"])
    else:
        labels.take(controller, _CONTROLLER_FIELDS, name, text)


def _level(text: str) -> str | None:
    """The name of a level: ``1+0`` is raid10, ``6 (ADG)`` raid6."""
    match = re.match(r"(?P<level>\d(?:\+0|0)?)", text)
    return f"raid{match['level'].replace('+', '')}" if match else text.strip().lower() or None


_DRIVE_FIELDS: Final[labels.Fields] = {
    "Size": ("size_bytes", partial(amounts.size, kilo=1000)),
    "Model": ("model", lambda text: text.removeprefix("ATA ").strip() or None),
    "PHY Transfer Rate": ("link_bps", labels.line_rate),
    "Drive Type": ("use", labels.text),
}
_VOLUME_FIELDS: Final[labels.Fields] = {
    "Size": ("size_bytes", amounts.size),
    "Fault Tolerance": ("level", _level),
    "Strip Size": ("strip_bytes", amounts.size),
    "Status": ("state", labels.text),
    "Caching": ("cache", labels.text),
}
_CONTROLLER_FIELDS: Final[labels.Fields] = {
    "Total Cache Size": (
        "cache_bytes",
        lambda text: amounts.size(text if re.search(r"[KMGT]B", text) else f"{text} GB"),
    ),
    "Controller Status": ("state", labels.text),
}
