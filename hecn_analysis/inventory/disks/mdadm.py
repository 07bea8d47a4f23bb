"""Linux' mdadm: ``--detail`` of an array, ``--examine`` of one of its members.

Units and traps
---------------
- ``Array Size`` and ``Used Dev Size`` of an array are KiB, with or without a unit. In --examine of superblocks from
  version 1 on, sizes of a device are sectors of 512 bytes, and so was the size of the array before mdadm 3.2; where no
  unit is printed, the size for people in brackets, ``(5.46 TiB 6.00 TB)``, says which it is.
- A container (IMSM, DDF) has members but no size; ``-`` stands for what has no number, ``removed`` for no device.
- ``rebuild_fraction`` is how much of a rebuild or of a first synchronisation is done; checks and reshapes have
  fractions of their own.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, all_labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("mdadm-detail", "mdadm-examine")
VERSIONS: str = "mdadm 2 to 4: superblocks 0.90 and 1.x, DDF and IMSM as far as they name the same things"
COMMANDS: tuple[str, ...] = ("mdadm",)
BEGINS: re.Pattern[str] | None = re.compile(r"/dev/\S{1,120}:\s{0,8}$")
REPEATS: bool = True

_UNKNOWN: Final = (1 << 64) - 1  # mdadm prints it where the superblock has no size
_DEVICE: Final = re.compile(r"(?P<device>/dev/\S{1,120}):\s{0,8}$")
_NAMED: Final = re.compile(r"^\s{0,30}(?:MBR )?(?:Raid Level|Raid Devices|Magic) :|\sRaidDevice\s", re.MULTILINE)
_TABLE: Final = re.compile(r"\s{0,12}Number\s+Major\s+Minor\s+RaidDevice\b")
_ROW: Final = re.compile(
    r"\s{0,20}(?:-|\d{1,6})\s+\d{1,6}\s+\d{1,7}\s+(?:-|\d{1,6})\s++"
    r"(?P<state>(?:[a-zA-Z-]++(?:\s++(?=[a-zA-Z-]))?){0,12}+)\s*+(?P<device>/dev/\S{1,120})?\s*$"
)
_THIS: Final = re.compile(
    r"this\s+\d{1,6}\s+\d{1,6}\s+\d{1,7}\s+(?P<slot>\d{1,6})\s+(?P<state>[a-z ]{1,40}?)(?:\s{2}|$)"
)
_PEOPLE: Final = re.compile(r"\((?P<binary>\d{1,9}(?:\.\d{1,4})? [KMGTPE]iB)")
_UNIT: Final = re.compile(r"(?P<number>\d{1,20})(?!\d)\s?(?P<unit>sectors|KiB|K|M|G)?")
_STATUS: Final = re.compile(r"(?P<percent>\d{1,3}(?:\.\d{1,3})?)% complete")
_SECTOR: Final = 512
_EXAMINED: Final = ("Magic", "MBR Magic")

_TEXTS: Final = {
    "Version": "metadata",
    "Raid Level": "level",
    "Layout": "layout",
    "State": "state",
    "Consistency Policy": "consistency_policy",
    "Intent Bitmap": "bitmap",
    "Container": "container",
}
_COUNTS: Final = {
    "Raid Devices": "n_raid_devices",
    "Total Devices": "n_total",
    "Active Devices": "n_active",
    "Working Devices": "n_working",
    "Failed Devices": "n_failed",
    "Spare Devices": "n_spare",
}
_FRACTIONS: Final = {
    "Rebuild Status": "rebuild_fraction",
    "Resync Status": "rebuild_fraction",
    "Recovery Status": "rebuild_fraction",
    "Check Status": "check_fraction",
    "Reshape Status": "reshape_fraction",
}


def recognises(output: Output) -> bool:
    """Look for what mdadm names below the device."""
    head = output.head(60)
    if "--detail" in output.command or "--examine" in output.command:
        return _NAMED.search(head) is not None
    if re.search(r"^\s{0,30}(?:MBR )?Magic : (?!6d746962)\w", head, re.MULTILINE):  # that of a bitmap (-X) is another
        return True
    if re.search(r"^\s{0,30}Working Devices : \d", head, re.MULTILINE) is not None and _NAMED.search(head) is not None:
        return True  # of what somebody copied without the heading
    named = re.search(r"^/dev/\S{1,120}:\s{0,8}$", head, re.MULTILINE) is not None
    return (
        named
        and re.search(r"^\s{0,30}(?:Raid Level :|Number\s+Major\s+Minor\s+RaidDevice)", head, re.MULTILINE) is not None
    )


def read(output: Output) -> Facts:
    """Read an array or a member."""
    lines = list(all_labelled(output.numbered()))
    examine = any(line.name in _EXAMINED for line in lines)
    values: dict[str, Any] = {"device": None, "level": None, "size_bytes": None, "state": None}
    facts = output.facts("mdadm-examine" if examine else "mdadm-detail", values)
    for text in output.lines:
        if (match := _DEVICE.match(text)) is not None:
            values["device"] = match["device"]
            break
    for line in lines:
        _name(facts, line, examine=examine)
    if examine:
        _role(output, values)
    else:
        _members(output, values)
    return facts


def _name(facts: Facts, line: Labelled, *, examine: bool) -> None:
    """Take over one named value."""
    values = facts.values
    if line.name in _TEXTS:
        values[_TEXTS[line.name]] = line.value or None
    elif line.name in _COUNTS:
        values[_COUNTS[line.name]] = amounts.whole(line.value)
    elif line.name in ("Array Size", "Used Dev Size", "Avail Dev Size", "Chunk Size", "Rounding", "Data Offset"):
        _size(facts, line, examine=examine)
    elif line.name in _FRACTIONS and (status := _STATUS.match(line.value)) is not None:
        values[_FRACTIONS[line.name]] = round(float(status["percent"]) / 100, 6)
    elif line.name == "Device Role":
        match = re.fullmatch(r"(\w+) device (\d{1,6})", line.value)
        values["role"] = f"{match[1].lower()} {match[2]}" if match else line.value or None
    elif line.name == "Array State":
        values["array_state"] = line.value.split(" ", 1)[0] or None


def _size(facts: Facts, line: Labelled, *, examine: bool) -> None:
    name = {
        "Array Size": "size_bytes",
        "Used Dev Size": "used_dev_bytes",
        "Avail Dev Size": "avail_dev_bytes",
        "Chunk Size": "chunk_bytes",
        "Rounding": "rounding_bytes",
        "Data Offset": "data_offset_bytes",
    }[line.name]
    match = _UNIT.match(line.value)
    if match is None:
        facts.problem(line.number, "malformed", f"{line.name}: found {line.value[:40]!r}, expected a size; left out")
        return
    number = int(match["number"])
    if number >= _UNKNOWN:
        return
    scale = {"sectors": _SECTOR, "KiB": 1024, "K": 1024, "M": 1 << 20, "G": 1 << 30, None: 1024}[match["unit"]]
    if match["unit"] is None:
        device = line.name in ("Avail Dev Size", "Data Offset")
        scale = _sectors_or_kib(number, line.value) or (_SECTOR if examine and device else 1024)
    facts.values[name] = number * scale


def _sectors_or_kib(number: int, text: str) -> int | None:
    """Bytes of the unit of a number, by the size for people behind it."""
    people = _PEOPLE.search(text)
    shown = amounts.size(people["binary"]) if people else None
    if not shown or not number:
        return None
    return min((_SECTOR, 1024), key=lambda scale: abs(number * scale - shown))


def _role(output: Output, values: dict[str, Any]) -> None:
    """The role of a member in the table of the oldest superblocks."""
    for line in output.lines:
        if (match := _THIS.match(line)) is not None:
            state = match["state"].split()
            values.setdefault("role", f"{state[0]} {match['slot']}" if state else None)


def _members(output: Output, values: dict[str, Any]) -> None:
    """The table of the devices."""
    lists: dict[str, list[str]] = {
        name: [] for name in ("members", "active_devices", "failed_devices", "rebuilding_devices", "spare_devices")
    }
    table, removed = False, 0
    for line in output.lines:
        table = table or _TABLE.match(line) is not None
        row = _ROW.match(line) if table else None
        if row is None:
            continue
        state, device = row["state"].split(), row["device"]
        removed += "removed" in state
        if device is None:
            continue
        lists["members"].append(device)
        if "faulty" in state:
            lists["failed_devices"].append(device)
        elif "rebuilding" in state:
            lists["rebuilding_devices"].append(device)
        elif "active" in state:
            lists["active_devices"].append(device)
        elif "spare" in state:
            lists["spare_devices"].append(device)
    if table:
        values.update(lists, n_removed=removed, n_members_active=len(lists["active_devices"]))
