"""``nvme list``: the table for people, and JSON of versions 1 and 2.

Units and traps
---------------
- JSON gives bytes. The table rounds to three digits, in powers of ten; ``4.00  TB /   4.00  TB`` is used and size.
- Version 2.10 and later nest devices in subsystems and controllers, and name the address of the PCI device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory import kernel
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts
from hecn_analysis.parsing.json_values import at, objects, positive, trimmed

FORMATS: tuple[str, ...] = ("nvme-list", "nvme-list-json")
VERSIONS: str = "nvme-cli 0.8 to 2.11"
COMMANDS: tuple[str, ...] = ("nvme",)
BEGINS: re.Pattern[str] | None = re.compile(r"Node\s+(?:Generic\s+)?(?:SN\s+)?Model\s")
REPEATS: bool = False

_JSON: Final = re.compile(r'"Devices"\s?:\s?\[')
_KEYS: Final = ('"DevicePath"', '"ModelNumber"', '"Subsystems"', '"HostNQN"')
_USAGE: Final = re.compile(
    r"(?P<used>\d{1,9}(?:[.,]\d{1,4})?\s{0,4}[kKMGTP]?B)\s{1,4}/\s{1,6}(?P<size>\d{1,9}(?:[.,]\d{1,4})?\s{0,4}[kKMGTP]?B)"
)
_FORMAT: Final = re.compile(r"(?P<sector>\d{1,9}(?:\.\d{1,3})?\s{0,4}(?:[kK]i?)?B)\s")
_SQUEEZED: Final = re.compile(  # a row whose blanks a page has taken
    r"(?P<node>/dev/nvme\S{1,20}) (?:/dev/ng\S{1,20} )?(?:\S{1,40} )?(?P<model>\S.{0,60}?) (?:\d{1,9}|0x[0-9a-f]{1,8}) "
    r"(?P<usage>\d[\d.,]{0,12} [kKMGTP]?B / \d[\d.,]{0,12} [kKMGTP]?B) (?P<sector>\d{1,6} (?:[kK]i?)?B) "
)
_NODE: Final = re.compile(r"(?P<dev>/dev/)?(?P<name>nvme\d{1,4}n\d{1,4})(?P<partition>p\d{1,4})?\s")
_HEADS: Final = re.compile(r"Node|Generic|SN|Model|Version|Name?space|Usage|Format|FW Rev")
_MOST: Final = 4096


def recognises(output: Output) -> bool:
    """Look for the head of the table, or for the list of devices."""
    head = output.head(40)
    if any(BEGINS is not None and BEGINS.match(line) for line in output.lines[:3]):
        return True
    match = _JSON.search(head)
    if match is None:
        return False
    return any(key in head for key in _KEYS) or re.match(r"\s*\]", head[match.end() :]) is not None


def read(output: Output) -> Facts:
    """Read all devices."""
    devices: list[dict[str, Any]] = []
    if not any(BEGINS is not None and BEGINS.match(line) for line in output.lines[:3]):
        facts = output.facts("nvme-list-json", {"n": 0, "devices": devices})
        for value in output.json:
            devices.extend(_devices(objects(at(value, "Devices"))[:_MOST]))
    else:
        facts = output.facts("nvme-list", {"n": 0, "devices": devices})
        devices.extend(_table(output.lines))
        _missed(facts, output, devices)
    facts.values["n"] = len(devices)
    return facts


def _devices(values: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Devices of a list, or of the subsystems in it."""
    for value in values:
        if isinstance(value.get("Subsystems"), list):
            for subsystem in objects(value["Subsystems"]):
                yield from _subsystem(subsystem)
        elif "DevicePath" in value or "ModelNumber" in value:
            yield _device(value, value, value.get("DevicePath"))


def _subsystem(subsystem: dict[str, Any]) -> Iterator[dict[str, Any]]:
    controllers = objects(subsystem.get("Controllers"))
    for controller in controllers:
        for space in objects(controller.get("Namespaces")):
            yield _device(controller, space, _node(space))
    for space in objects(subsystem.get("Namespaces")):
        yield _device(controllers[0] if controllers else {}, space, _node(space))


def _node(space: dict[str, Any]) -> str | None:
    name = space.get("NameSpace")
    return f"/dev/{name}" if isinstance(name, str) else None


def _device(controller: dict[str, Any], space: dict[str, Any], node: object) -> dict[str, Any]:
    model, address = controller.get("ModelNumber"), controller.get("Address")
    place = (
        re.match(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]", address)
        if isinstance(address, str)
        else None
    )
    return {
        "node": node if isinstance(node, str) else None,
        "model": trimmed(model),
        "size_bytes": positive(space.get("PhysicalSize")),
        "sector_bytes": positive(space.get("SectorSize")),
        "pci": kernel.address(place[0]) if place else None,
        "transport": controller.get("Transport") if isinstance(controller.get("Transport"), str) else None,
    }


def _missed(facts: Facts, output: Output, devices: list[dict[str, Any]]) -> None:
    """Report a row below the heads if no device was read."""
    row = next(((n, line) for n, line in output.numbered() if _NODE.match(f"{line} ")), None)
    if row is not None and not devices:
        facts.problem(row[0], "malformed", f"found {row[1][:60]!r}, expected cells below the heads; left out")


def _table(lines: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Rows of the table: the dashes under the heads say where columns begin, or else the heads."""
    places: dict[str, tuple[int, int | None]] = {}
    heads = ""
    for line in lines:
        node = _NODE.match(line)
        if line.startswith("Node"):
            heads, places = line, {}
        elif line.startswith("---") and heads:
            spans = [match.start() for match in re.finditer(r"-{3,80}", line)]
            places = {
                heads[start:end].strip(): (start, end) for start, end in zip(spans, [*spans[1:], None], strict=True)
            }
        elif heads and not places and (row := _SQUEEZED.match(line)):
            yield _row(row["node"], row["model"], row["usage"], row["sector"])
        elif heads and node and not node["partition"]:
            if places:
                cells = {name: line[start:end].strip() for name, (start, end) in places.items()}
                sector = _FORMAT.match(f"{cells.get('Format', '')} ")
            else:
                cells = dict(zip(_HEADS.findall(heads), re.split(r"\s{2,80}", line), strict=False))
                used = _USAGE.search(line)
                sector = _FORMAT.match(line[used.end() :].lstrip()) if used else None
                if used is None or _USAGE.search(cells.get("Model", "")):
                    continue  # fewer cells than heads
            yield _row(f"/dev/{node['name']}", cells.get("Model"), line, sector["sector"] if sector else None)


def _row(node: str, model: str | None, usage: str, sector: str | None) -> dict[str, Any]:
    used = _USAGE.search(usage)
    return {
        "node": node,
        "model": model or None,
        "size_bytes": amounts.size(used["size"].replace(",", "."), kilo=1000) if used else None,
        "sector_bytes": amounts.size(sector, kilo=1024) if sector else None,
        "pci": None,
        "transport": None,
    }
