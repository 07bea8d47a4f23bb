"""``hdparm -I``: what an ATA disk says of itself.

Units and traps
---------------
- ``device size with M = 1000*1000`` is rounded to 10^6 bytes; sectors times their size are exact.
- ``Gen3 signaling speed (6.0Gb/s)`` with a star is what the disk can do, not what runs.
- A nominal rotation rate of 1, or ``Solid State Device``, means that the drive does not rotate.
- Mail and forums lose the blanks in front of lines.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("hdparm-I",)
VERSIONS: str = "hdparm 6 to 9"
COMMANDS: tuple[str, ...] = ("hdparm",)
BEGINS: re.Pattern[str] | None = re.compile(r"/dev/\S{1,120}:\s{0,8}$")
REPEATS: bool = False

_DEVICE: Final = re.compile(r"(?P<device>/dev/\S{1,80}):\s*$")
_MODEL: Final = re.compile(r"\s{0,8}Model Number:\s{1,20}(?P<model>\S.{0,80}?)\s*$")
_SECTORS: Final = re.compile(r"\s{0,16}LBA(?P<wide>48)?\s{1,8}user addressable sectors:\s{0,40}(?P<sectors>\d{1,18})")
_SECTOR: Final = re.compile(
    r"\s{0,16}(?P<which>Logical|Physical|Logical/Physical)\s{1,4}Sector size:\s{0,40}(?P<bytes>\d{1,6}) bytes"
)
_SIZE: Final = re.compile(r"\s{0,16}device size with M = 1000\*1000:\s{1,20}(?P<mb>\d{1,12}) MBytes")
_ROTATION: Final = re.compile(r"\s{0,16}(?:Nominal Media )?Rotation Rate: (?P<rate>\d{1,6}|Solid State Device)")
_SIGNAL: Final = re.compile(r"\s{0,12}\*\s{1,8}Gen\d signaling speed \((?P<rate>\d{1,2}(?:\.\d)?)Gb/s\)")
_FEWEST: Final = 2


def recognises(output: Output) -> bool:
    """Look for hdparm's words for a device and its model."""
    head = output.head(20)
    return (
        re.search(r"^(?:ATA|CompactFlash ATA) device, with ", head, re.MULTILINE) is not None and "Model Number" in head
    )


def read(output: Output) -> Facts:
    """Read a disk."""
    values: dict[str, Any] = dict.fromkeys(
        ("device", "model", "size_bytes", "rpm", "ssd", "logical_sector", "physical_sector", "link_max_bps")
    )
    values["protocol"] = "ATA"
    sectors = rounded = None
    for line in output.lines:
        if (device := _DEVICE.match(line)) is not None:
            values["device"] = device["device"]
        elif (model := _MODEL.match(line)) is not None:
            values["model"] = model["model"]
        elif (count := _SECTORS.match(line)) is not None:
            sectors = max(int(count["sectors"]), sectors or 0)
        elif (size := _SIZE.match(line)) is not None:
            rounded = int(size["mb"]) * 10**6
        elif (sector := _SECTOR.match(line)) is not None:
            _sector(values, sector["which"], int(sector["bytes"]))
        elif (rotation := _ROTATION.match(line)) is not None:
            turning = rotation["rate"].isdigit() and int(rotation["rate"]) >= _FEWEST
            values["ssd"], values["rpm"] = not turning, int(rotation["rate"]) if turning else None
        elif (signal := _SIGNAL.match(line)) is not None:
            values["link_max_bps"] = max(float(signal["rate"]) * 1e9, values["link_max_bps"] or 0.0)
    values["size_bytes"] = sectors * (values["logical_sector"] or 512) if sectors else rounded
    return output.facts("hdparm-I", values)


def _sector(values: dict[str, Any], which: str, size: int) -> None:
    if "Logical" in which:
        values["logical_sector"] = size
    if "Physical" in which:
        values["physical_sector"] = size
