"""Areca's cli64: ``disk info``, ``rsf info`` (RAID sets), ``vsf info`` (volumes), ``sys info``.

Units and traps
---------------
- GB are 10^9 bytes; memory is 2^20.
- A slot without a disk is listed with the model ``N.A.`` and 0.0 GB: it counts as a slot, not as a disk.
- Slots are named by channel on old controllers, by enclosure and slot on those with an expander.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from hecn_analysis.inventory import labels
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
_GIGABYTES: Final = r"\d{1,9}(?:\.\d{1,3})?[KMGT]B"
_ROWS: Final = {
    "disks": re.compile(
        r"\s{0,8}(?P<id>\d{1,4})\s+(?:(?P<enclosure>\d{1,3})\s+)?(?P<slot>(?i:slot)[ #]?\s?\d{1,3}|\d{1,3})\s+"
        rf"(?P<model>\S(?:.{{0,59}}?\S)??)\s++(?P<size_bytes>{_GIGABYTES})\s+(?P<usage>\S(?:.{{0,59}}?\S)??)\s*$"
    ),
    "raidsets": re.compile(
        rf"\s{{0,8}}(?P<id>\d{{1,4}})\s+(?P<name>\S.{{0,40}}?)\s+(?P<n_disks>\d{{1,4}})\s+(?P<size_bytes>{_GIGABYTES})"
        rf"\s+(?P<free_bytes>{_GIGABYTES})\s+(?P<least>\S{{1,64}})\s+(?P<state>\S.{{0,40}}?)\s*$"
    ),
    "volumes": re.compile(
        r"\s{0,8}(?P<id>\d{1,4})\s+(?P<names>\S.{0,60}?)\s+(?P<level>Raid\S{1,8}|JBOD|Single)\s+"
        rf"(?P<size_bytes>{_GIGABYTES})\s+(?P<channel>\d{{2}}/\d{{2}}/\d{{2}})\s+(?P<state>\S.{{0,40}}?)\s*$"
    ),
}
_COLUMNS: Final = {
    "disks": ("id", "model", "usage", "size_bytes"),
    "raidsets": ("id", "name", "n_disks", "size_bytes", "free_bytes", "state"),
    "volumes": ("id", "name", "raidset", "level", "size_bytes", "state"),
}
_PARSED: Final[dict[str, Callable[[str], object]]] = {
    **dict.fromkeys(("id", "n_disks"), int),
    **dict.fromkeys(("size_bytes", "free_bytes"), partial(amounts.size, kilo=1000)),
    "level": lambda text: text.lower().replace("+", ""),
}
_FIELDS: Final[labels.Fields] = {
    "Controller Name": ("controller", labels.text),
    "System Memory": ("memory_bytes", lambda text: amounts.size(text.partition("/")[0])),
}
_ABSENT: Final = "N.A."


def recognises(output: Output) -> bool:
    """Look for the head of a table."""
    return _HEAD.search(output.head(30)) is not None


def read(output: Output) -> Facts:
    """Read disks, RAID sets or volumes, whatever of them the output has."""
    facts = output.facts("areca-cli64")
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
        elif (field := labelled(number, line)) is not None:
            labels.take(facts.values, _FIELDS, field.name, field.value)
    return facts


def _row(values: dict[str, Any], table: str, column: int, line: str) -> None:
    """Take a row; the second name of a volume begins in a column."""
    match = _ROWS[table].match(line)
    if match is None:
        return
    cells = match.groupdict()
    if table == "disks":
        values["n_slots"] += 1
        if cells["model"] == _ABSENT:
            return
        values["n_present"] += 1
    elif table == "volumes":
        start, end = match.span("names")
        cells.update(name=line[start:column].strip(), raidset=line[max(column, start) : end].strip())
    values[table].append({name: _PARSED.get(name, str)(cells[name]) for name in _COLUMNS[table]})
