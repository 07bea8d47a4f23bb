"""``geom disk list`` of FreeBSD: all disks with their sizes, sectors and rotation.

Versions: FreeBSD 8 to 15. Other classes (``geom mirror list``) have other fields and are not read.

Units and traps
---------------
- "Mediasize" is in bytes; what stands in parentheses is rounded. "Stripesize" is the physical sector of a disk.
- "rotationrate: 0" is an SSD, "unknown" says nothing.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import all_labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("geom-disk",)
VERSIONS: str = "FreeBSD 8 to 15"
COMMANDS: tuple[str, ...] = ("geom",)
BEGINS: re.Pattern[str] | None = re.compile(r"(?=Geom name: \S)")
REPEATS: bool = False

_NAME: Final = re.compile(r"\d{1,3}\. Name$")
_DISK: Final = re.compile(r"^\s{1,16}fw(?:sectors|heads): \d", re.MULTILINE)
_FIELDS: Final[labels.Fields] = {
    "Mediasize": ("size_bytes", lambda value: amounts.whole(value.partition(" ")[0])),
    "Sectorsize": ("logical_sector", amounts.whole),
    "Stripesize": ("physical_sector", amounts.whole),
    "descr": ("model", labels.text),
    "rotationrate": ("rpm", amounts.whole),
}


def recognises(output: Output) -> bool:
    """Look for a geom that is a disk: only these have sectors of the firmware."""
    head = output.head(40)
    return re.search(r"^Geom name: \S", head, re.MULTILINE) is not None and _DISK.search(head) is not None


def read(output: Output) -> Facts:
    """Read all disks."""
    disks: list[dict[str, Any]] = []
    for line in all_labelled(output.numbered()):
        if _NAME.match(line.name):
            disks.append({"node": line.value, "model": None, "size_bytes": None, "rpm": None})
        elif disks:
            labels.take(disks[-1], _FIELDS, line.name, line.value)
    for disk in disks:
        disk["ssd"] = None if disk["rpm"] is None else disk["rpm"] == 0
        disk["rpm"] = disk["rpm"] or None
        disk["physical_sector"] = disk.get("physical_sector") or None
    return output.facts("geom-disk", {"n": len(disks), "devices": disks})
