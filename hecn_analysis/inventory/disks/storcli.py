"""Broadcom's storcli and perccli: ``/cALL show all``, ``/cx/vall show``, ``/cx/eall/sall show``, JSON (J) and tables.

Units and traps
---------------
- KB, MB, GB and TB are powers of two; storcli2 writes KiB and so on, PID for DID, and two caches, of which the current
  one counts.
- A PCI address is ``domain:bus:device:function``, all hexadecimal, with colons only.
- A volume's id is drive group and volume, ``0/0``; states are short: Optl, Dgrd, Pdgd, OfLn, Rec.
- A topology pasted without its head has the columns of storcli 1 to 7: ``DG Arr Row EID:Slot DID Type State BT Size``.
- ``Cache`` is put together: R or NR (read ahead), WB or WT (write back or through; ``AWB`` always), D or C (direct or
  cached): ``RWBD``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory import kernel, labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts
from hecn_analysis.parsing.json_values import at, objects

FORMATS: tuple[str, ...] = ("storcli-json", "storcli")
VERSIONS: str = "storcli 1.0 to 7, perccli 1 to 7, storcli2 and perccli2"
COMMANDS: tuple[str, ...] = ("storcli", "storcli64", "perccli", "perccli64", "storcli2", "perccli2")
BEGINS: re.Pattern[str] | None = re.compile(
    r"CLI Version = \S|Generating detailed summary of the adapter|(?:DG/VD +TYPE|EID:Slt +[DP]ID) +State "
    r"|Drive /c\d{1,3}(?:/e\d{1,5})?/s\d{1,5} (?:- Detailed Information|Device attributes) :"
)
REPEATS: bool = False

_TEXT: Final = re.compile(
    r"^CLI Version = \S|^DG/VD +TYPE +State |^EID:Slt +[DP]ID +State |^Ctl +Model +Ports +PDs |^DG .{0,30}EID:Slo?t "
    r"|^Drive /c\d{1,3}(?:/e\d{1,5})?/s\d{1,5} (?:- Detailed|Device attributes)",
    re.MULTILINE,
)
_TOPOLOGY: Final = re.compile(
    r"^\s{0,6}\d{1,3} +(?:-|\d{1,3}) +(?:-|\d{1,3}) +(?:-|\d{0,5}:\d{1,5}) +(?:-|\d{1,5}) +(?:RAID\d{1,2}|DRIVE)"
    r" +[A-Z]\w{1,5} +[YN-] +\d{1,9}(?:\.\d{1,6})? [KMGTP]i?B\b",
    re.MULTILINE,
)
_TOPOLOGY_HEADS: Final = ["DG", "Arr", "Row", "EID:Slt", "DID", "Type", "State", "BT", "Size"]
_DRIVE: Final = re.compile(
    r"Drive /c\d{1,3}(?:/e(?P<enclosure>\d{1,5}))?/s(?P<slot>\d{1,5}) (?:Device attributes|State) :"
)
_HEADS: Final = frozenset({"DG/VD", "EID:Slt", "EID:Slot"})
_OVERVIEW: Final = re.compile(r"\s{0,4}\d{1,3} +(?P<model>[A-Za-z]\S{1,40}) +\d{1,4} +\d{1,4} +\d{1,4} +\S")
_PAIR: Final = re.compile(r"(?P<name>[A-Z][\w /.()-]{1,60}?) = ?(?P<value>.{0,200})$")
_SIZE: Final = re.compile(r"^\d{1,9}(?:\.\d{1,6})? ?[KMGTP]i?B$")
_ADDRESS: Final = re.compile(r"(?P<place>[0-9a-fA-F]{1,5}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}):(?P<function>[0-9a-fA-F]{2})$")
_UNITS: Final = frozenset(("B", *(f"{prefix}{unit}" for prefix in "KMGTP" for unit in ("B", "iB"))))


def _pci(text: str) -> str | None:
    place = _ADDRESS.search(text)
    return kernel.address(f"{place['place']}.{int(place['function'], 16):x}") if place else None


_FIELDS: Final[labels.Fields] = {
    "Model": ("controller", labels.text),
    "Product Name": ("controller", labels.text),
    "Driver Name": ("driver", labels.text),
    "Driver Version": ("driver_version", labels.text),
    "Firmware Version": ("firmware_version", labels.text),
    "FW Version": ("firmware_version", labels.text),
    "Device Interface": ("interface", labels.text),
    "Controller Status": ("state", labels.text),
    "PCI Address": ("pci", _pci),
    "On Board Memory Size": ("memory_bytes", lambda text: amounts.size(text) or None),
}
_VOLUME_FIELDS: Final[labels.Fields] = {
    "DG/VD": ("id", str),
    "TYPE": ("level", str.lower),
    "State": ("state", str),
    "CurrentCache": ("cache", str),
    "Cache": ("cache", str),
    "Size": ("size_bytes", amounts.size),
    "Name": ("name", str),
}
_DRIVE_FIELDS: Final[labels.Fields] = {
    "EID:Slt": ("slot", str),
    "State": ("state", str),
    "Status": ("state", str),
    "DG": ("group", lambda text: None if text in ("-", "F") else text),
    "Size": ("size_bytes", amounts.size),
    "Intf": ("interface", str),
    "Med": ("media", str),
    "Model": ("model", str),
}


#: What the details of a drive say of it, and nothing else in the output does.
_DETAILS: Final[labels.Fields] = {
    "Model Number": ("model", labels.text),
    "Raw size": ("size_bytes", lambda text: amounts.size(text.partition(" [")[0])),
    "Link Speed": ("link_bps", labels.line_rate),
    "Logical Sector Size": ("logical_sector", amounts.size),
}
#: Levels of a drive group in the table of the topology, whose other rows are spans and drives.
_GROUP: Final = re.compile(r"RAID\d{1,2}$")


def recognises(output: Output) -> bool:
    """Look for the list of controllers, the heads of the tables, or rows of the topology."""
    return _is_text(output) or _is_json(output)


def _is_json(output: Output) -> bool:
    return '"Controllers"' in output.head(40) and '"Command Status"' in output.head(60)


def _is_text(output: Output) -> bool:
    head = output.head(60)
    return _TEXT.search(head) is not None or (_TOPOLOGY.search(head) is not None and not _is_json(output))


def read(output: Output) -> Facts:
    """Read controllers, volumes and drives."""
    values: dict[str, Any] = dict.fromkeys(("controller", "pci", "driver", "interface", "memory_bytes"))
    values.update(n_controllers=None, volumes=[], drives=[])
    if _is_text(output):
        return _tables(output, output.facts("storcli", values))
    facts = output.facts("storcli-json", values)
    controllers = [part for value in output.json for part in objects(at(value, "Controllers"))]
    values["n_controllers"] = len(controllers)
    for controller in controllers:
        data = controller.get("Response Data")
        for name, value in _flat(data):
            _named(values, name, value)
            if name == "Number of Controllers":
                values["n_controllers"] = amounts.whole(value)
        for row in _rows(data):
            _row(values, row)
    return facts


def _flat(data: object) -> Iterator[tuple[str, str]]:
    """Names and values of an object and of the objects in it, not of its lists."""
    level = [data]
    for _ in range(3):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                yield from ((str(name), str(value)) for name, value in item.items() if isinstance(value, (str, int)))
                below.extend(value for value in item.values() if isinstance(value, dict))
        level = below


def _rows(data: object) -> Iterator[dict[str, Any]]:
    """The rows of all lists in an object."""
    level = [data]
    for _ in range(4):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                for value in item.values():
                    if isinstance(value, list):
                        yield from objects(value)
                    else:
                        below.append(value)
        level = below


def _tables(output: Output, facts: Facts) -> Facts:
    """Read the form for people: pairs, and tables whose columns stand under their heads."""
    heads: list[str] = []
    overview = False
    drive: dict[str, Any] | None = None
    for line in output.lines:
        words = line.split()
        overview = bool(words) and (overview or words[:3] == ["Ctl", "Model", "Ports"])
        if not words:
            heads = []
        elif overview and (controller := _OVERVIEW.match(line)) is not None:
            facts.values["n_controllers"] = (facts.values["n_controllers"] or 0) + 1
            facts.values["controller"] = facts.values["controller"] or controller["model"]
        elif not _HEADS.isdisjoint(words):
            heads = line.replace("LU/NS Count", "LU/NS").replace("EID:Slot", "EID:Slt").split()
        elif (details := _DRIVE.match(line)) is not None:
            drive = _drive(facts.values["drives"], f"{details['enclosure'] or ''}:{details['slot']}")
        elif not line.startswith("-") and (row := _cells(heads or _heads(line), words)) is not None:
            _row(facts.values, row)
        elif (pair := _PAIR.match(line)) is not None:
            if pair["name"] == "Controller" and pair["value"].strip().isdigit():
                facts.values["n_controllers"] = (facts.values["n_controllers"] or 0) + 1
            if drive is not None and pair["name"] in _DETAILS:
                field, parse = _DETAILS[pair["name"]]
                drive[field] = drive.get(field) or parse(pair["value"].strip())
            _named(facts.values, pair["name"], pair["value"].strip())
    return facts


def _heads(line: str) -> list[str]:
    """The heads of a row of the topology, none for another line."""
    return _TOPOLOGY_HEADS if _TOPOLOGY.match(line) is not None else []


def _drive(drives: list[dict[str, Any]], slot: str) -> dict[str, Any]:
    """The drive in a slot, as the tables have it, or a new one."""
    known = next((drive for drive in drives if drive.get("slot") == slot), None)
    if known is None:
        known = {"slot": slot, **{field: None for field, _ in _DRIVE_FIELDS.values() if field != "slot"}}
        drives.append(known)
    return known


def _cells(heads: list[str], words: list[str]) -> dict[str, str] | None:
    """Words under their heads: a size has two words, and the last column takes what is left."""
    row: dict[str, str] = {}
    rest = list(words)
    for head in heads:
        if not rest:
            break
        cell = rest.pop(0)
        if head in ("Size", "SeSz") and rest and rest[0] in _UNITS:
            cell = f"{cell} {rest.pop(0)}"
        if head == "Model":
            while len(rest) > len(heads) - heads.index(head) - 1:
                cell = f"{cell} {rest.pop(0)}"
        row[head] = cell
    if row.get("Name", "").startswith("---"):
        del row["Name"]  # the rule below the table, which a mail put behind the last row
    return row if _SIZE.match(row.get("Size", "")) else None


def _named(values: dict[str, Any], name: str, text: str) -> None:
    """Take a fact of the first controller that has it."""
    if name in _FIELDS and not values.get(_FIELDS[name][0]):
        labels.take(values, _FIELDS, name, text.strip())


def _row(values: dict[str, Any], row: dict[str, Any]) -> None:
    cells = {str(name): str(value).strip() for name, value in row.items() if isinstance(value, (str, int))}
    if {"DG", "Row", "EID:Slt"} <= set(cells):
        _topology(values, cells)
        return
    if "DG/VD" in cells:
        table, fields = values["volumes"], _VOLUME_FIELDS
    elif "EID:Slt" in cells and ("DID" in cells or "PID" in cells):
        table, fields = values["drives"], _DRIVE_FIELDS
    else:
        return
    if (record := labels.row(cells, fields)) not in table:
        table.append(record)


def _topology(values: dict[str, Any], cells: dict[str, str]) -> None:
    """Take a row of the topology: a drive group, or a drive that no other table has."""
    slot, kind = cells["EID:Slt"], cells.get("Type", "")
    if slot != "-" and all(drive["slot"] != slot for drive in values["drives"]):
        values["drives"].append(
            labels.row({**cells, "State": cells.get("Status") or cells.get("State")}, _DRIVE_FIELDS)
        )
    elif slot == "-" and cells.get("Arr", cells.get("Span")) == "-" and _GROUP.match(kind):
        group = {"id": cells["DG"], "level": kind.lower(), "size_bytes": amounts.size(cells.get("Size"))}
        values.setdefault("drive_groups", []).append(group)
    elif slot == "-" and cells["Row"] == "-" and values.get("drive_groups"):
        group = values["drive_groups"][-1]
        group["n_spans"] = group.get("n_spans", 0) + 1
