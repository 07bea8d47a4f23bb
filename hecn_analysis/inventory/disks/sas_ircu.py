"""LSI's sas2ircu and sas3ircu, LIST and DISPLAY: controller, integrated RAID volumes, disks.

Units and traps
---------------
- MB are 2^20 bytes; of a disk the sectors (512 bytes) are given too, but not which of the two was rounded.
- The rows ``PHY[0] Enclosure#/Slot#`` are the disks of a volume.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from hecn_analysis.inventory import kernel, labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("sas2ircu",)
VERSIONS: str = "sas2ircu 4 to 20, sas3ircu 1 to 17"
COMMANDS: tuple[str, ...] = ("sas2ircu", "sas3ircu")
BEGINS: re.Pattern[str] | None = re.compile(
    r"LSI Corporation SAS[23] IR Configuration Utility|Avago Technologies SAS[23] IR"
)
REPEATS: bool = True

_KNOWN: Final = re.compile(r"SAS[23] IR Configuration Utility|^Device is an? Hard disk$|^SAS[23]IRCU: ", re.MULTILINE)
_VOLUME: Final = re.compile(r"\s{0,8}IR [Vv]olume (?P<id>\d{1,6})\s{0,8}$")
_DEVICE: Final = re.compile(r"\s{0,8}Device is an? (?P<kind>.{1,60}?)\s{0,8}$")
_BOTH: Final = re.compile(r"(?P<mb>\d{1,12})/(?P<sectors>\d{1,18})")
_LISTED: Final = re.compile(
    r"\s{0,8}\d{1,3}\s{1,8}(?P<type>\S{1,20})\s{1,8}[0-9a-fA-F]{1,4}h\s{1,8}[0-9a-fA-F]{1,4}h\s{1,8}"
    r"(?P<domain>[0-9a-fA-F]{1,4})h:(?P<bus>[0-9a-fA-F]{1,2})h:(?P<device>[0-9a-fA-F]{1,2})h:(?P<function>\d)\d?h\s"
)
_HARD: Final = "Hard disk"

_CONTROLLER_FIELDS: Final[labels.Fields] = {
    "Controller type": ("controller", labels.text),
    "Firmware version": ("firmware", labels.text),
    "Bus": ("pci_bus", amounts.whole),
}
_VOLUME_FIELDS: Final[labels.Fields] = {
    "RAID level": ("level", lambda text: text.lower() or None),
    "Size (in MB)": ("size_bytes", partial(amounts.size, unit=1 << 20)),
    "Status of volume": ("state", labels.text),
    "Volume state": ("state", labels.text),
}
_DRIVE_FIELDS: Final[labels.Fields] = {
    "Model Number": ("model", labels.text),
    "Manufacturer": ("vendor", labels.text),
    "Protocol": ("protocol", labels.text),
    "State": ("state", labels.text),
    "Drive Type": ("type", labels.text),
    "Enclosure #": ("enclosure", amounts.whole),
    "Slot #": ("slot", amounts.whole),
}


def recognises(output: Output) -> bool:
    """Look for the name of the program, or a disk as it lists one."""
    return _KNOWN.search(output.head(400)) is not None


def read(output: Output) -> Facts:
    """Read controller, volumes and disks."""
    values: dict[str, Any] = {"controller": None, "pci_bus": None, "volumes": [], "drives": []}
    volume: dict[str, Any] | None = None
    drive: dict[str, Any] | None = None
    for number, line in output.numbered():
        if (one := _VOLUME.match(line)) is not None:
            volume = {"id": int(one["id"]), "level": None, "size_bytes": None, "state": None, "n_drives": None}
            values["volumes"].append(volume)
        elif (listed := _LISTED.match(line)) is not None and values["controller"] is None:
            values["controller"], values["pci_bus"] = listed["type"], int(listed["bus"], 16)
            values["pci"] = kernel.address(
                f"{listed['domain']}:{listed['bus']}:{listed['device']}.{int(listed['function'], 16):x}"
            )
        elif line.startswith("----"):
            volume = drive = None
        elif (kind := _DEVICE.match(line)) is not None:
            volume = drive = None
            if kind["kind"] == _HARD:
                drive = {"enclosure": None, "slot": None, "model": None, "size_bytes": None}
                values["drives"].append(drive)
        elif (field := labelled(number, line)) is not None:
            _take(values, volume, drive, field)
    values["n_drives"] = len(values["drives"]) if "Physical device information" in output.text else None
    return output.facts("sas2ircu", values)


def _take(values: dict[str, Any], volume: dict[str, Any] | None, drive: dict[str, Any] | None, line: Labelled) -> None:
    """Give a line to what it belongs to."""
    if volume is not None:
        _volume(volume, line)
    elif drive is not None:
        _drive(drive, line)
    else:
        labels.take(values, _CONTROLLER_FIELDS, line.name, line.value)


def _volume(volume: dict[str, Any], line: Labelled) -> None:
    if not labels.take(volume, _VOLUME_FIELDS, line.name, line.value) and line.name.startswith("PHY["):
        volume["n_drives"] = (volume["n_drives"] or 0) + 1


def _drive(drive: dict[str, Any], line: Labelled) -> None:
    labels.take(drive, _DRIVE_FIELDS, line.name, line.value)
    if line.name.startswith("Size (in MB)") and (both := _BOTH.match(line.value)) is not None:
        drive["size_bytes"], drive["sectors"] = int(both["mb"]) << 20, int(both["sectors"])
