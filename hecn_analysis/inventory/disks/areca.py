"""Areca's cli64: ``disk info``, ``rsf info`` (RAID sets), ``vsf info`` (volumes), ``sys info``.

Units and traps
---------------
- GB are 10^9 bytes; memory is 2^20.
- A slot without a disk is listed with the model ``N.A.`` and 0.0 GB: it counts as a slot, not as a disk.
- Slots are named by channel on old controllers, by enclosure and slot on those with an expander.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("areca-cli64",)
VERSIONS: str = "cli64 1.8 to 1.15: ARC-11xx to ARC-188x"
COMMANDS: tuple[str, ...] = ("cli64", "cli32", "areca_cli64")
BEGINS: re.Pattern[str] | None = re.compile(
    r"\s{0,8}#\s{1,8}(?:Enc#\s+Slot#|Ch#|Name\s+(?:Disks|Raid Name))\s|The System Information$"
)
REPEATS: bool = False

_HEAD: Final = re.compile(
    r"^\s{0,8}#\s{1,8}(?:(?:Enc#\s+Slot#|Ch#)\s+ModelName|Name\s+(?:Disks\s+TotalCap|Raid Name))"
    r"|^Controller Name\s{0,12}: ARC-",
    re.MULTILINE,
)
_DISK: Final = re.compile(
    r"\s{0,8}(?P<id>\d{1,4})\s+(?:(?P<enclosure>\d{1,3})\s+)?(?P<slot>(?i:slot)[ #]?\s?\d{1,3}|\d{1,3})\s+"
    r"(?P<model>\S(?:.{0,59}?\S)??)\s++(?P<size>\d{1,9}(?:\.\d{1,3})?[KMGT]B)\s+(?P<usage>\S(?:.{0,59}?\S)??)\s*$"
)
_RAID_SET: Final = re.compile(
    r"\s{0,8}(?P<id>\d{1,4})\s+(?P<name>\S.{0,40}?)\s+(?P<disks>\d{1,4})\s+(?P<size>\d{1,9}(?:\.\d{1,3})?[KMGT]B)\s+"
    r"(?P<free>\d{1,9}(?:\.\d{1,3})?[KMGT]B)\s+(?P<least>\S{1,64})\s+(?P<state>\S.{0,40}?)\s*$"
)
_VOLUME: Final = re.compile(
    r"\s{0,8}(?P<id>\d{1,4})\s+(?P<names>\S.{0,60}?)\s+(?P<level>Raid\S{1,8}|JBOD|Single)\s+"
    r"(?P<size>\d{1,9}(?:\.\d{1,3})?[KMGT]B)\s+(?P<channel>\d{2}/\d{2}/\d{2})\s+(?P<state>\S.{0,40}?)\s*$"
)
_ABSENT: Final = "N.A."


def recognises(output: Output) -> bool:
    """Look for the head of a table."""
    return _HEAD.search(output.head(30)) is not None


def read(output: Output) -> Facts:
    """Read disks, RAID sets or volumes, whatever of them the output has."""
    facts = output.facts("areca-cli64", {})
    table, column = "", 0
    for number, line in output.numbered():
        if "ModelName" in line:
            table = "disks"
            facts.values.update(n_slots=0, n_present=0, disks=[])
        elif "TotalCap" in line:
            table = "raidsets"
            facts.values["raidsets"] = []
        elif "Raid Name" in line:
            table, column = "volumes", line.index("Raid Name")
            facts.values["volumes"] = []
        elif table:
            _row(facts.values, table, column, line)
        elif (found := labelled(number, line)) is not None:
            if found.name == "Controller Name":
                facts.values["controller"] = found.value or None
            elif found.name == "System Memory":
                facts.values["memory_bytes"] = amounts.size(found.value.partition("/")[0])
    return facts


def _row(values: dict[str, Any], table: str, column: int, line: str) -> None:
    if table == "disks" and (disk := _DISK.match(line)) is not None:
        values["n_slots"] += 1
        if disk["model"] != _ABSENT:
            values["n_present"] += 1
            one = {"id": int(disk["id"]), "model": disk["model"], "usage": disk["usage"]}
            values["disks"].append({**one, "size_bytes": amounts.size(disk["size"], kilo=1000)})
    elif table == "raidsets" and (found := _RAID_SET.match(line)) is not None:
        values["raidsets"].append(
            {
                "id": int(found["id"]),
                "name": found["name"],
                "n_disks": int(found["disks"]),
                "size_bytes": amounts.size(found["size"], kilo=1000),
                "free_bytes": amounts.size(found["free"], kilo=1000),
                "state": found["state"],
            }
        )
    elif table == "volumes" and (volume := _VOLUME.match(line)) is not None:
        values["volumes"].append(
            {
                "id": int(volume["id"]),
                "name": line[volume.start("names") : column].strip(),
                "raidset": line[max(column, volume.start("names")) : volume.end("names")].strip(),
                "level": volume["level"].lower().replace("+", ""),
                "size_bytes": amounts.size(volume["size"], kilo=1000),
                "state": volume["state"],
            }
        )
