"""3ware's tw_cli: controllers (``info``), units, drives, and ``/c0 show all``.

Units and traps
---------------
- GB and TB are 2^30 and 2^40 bytes. A drive's blocks are 512 bytes, which is exact.
- The cache is ON or OFF on older controllers; on newer ones R and Ri cache reads only, W caches writes, RiW both.
- A unit's own parts (``u0-0``) are not units. SPARE and JBOD are kinds of units too.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("tw_cli",)
VERSIONS: str = "tw_cli 2 to 10: controllers 7000 to 9750"
COMMANDS: tuple[str, ...] = ("tw_cli", "tw_cli.x86_64", "tw-cli")
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?:Ctl\s+Model\s|Unit\s+UnitType\s|V?Port\s+Status\s+Unit\s|/c\d{1,3} (?:Driver Version|Model) =)"
)
REPEATS: bool = False

_HEAD: Final = re.compile(
    r"^(?:Ctl\s+Model\s.{0,60}Units|Unit\s+UnitType\s+Status|V?Port\s+Status\s+Unit\s+Size"
    r"|/c\d{1,3}(?:/[pu]\d{1,4})? [A-Z][\w ]{1,40} = )",
    re.MULTILINE,
)
_CONTROLLER: Final = re.compile(
    r"(?P<id>c\d{1,3})\s+(?P<model>\S{1,40})\s+(?P<ports>\d{1,4})\s+(?P<drives>\d{1,4})\s+(?P<units>\d{1,4})\s+"
    r"(?P<not_optimal>\d{1,4})\s+\S{1,8}\s+\S{1,8}(?:\s+(?P<bbu>\S{1,20}))?"
)
_UNIT: Final = re.compile(
    r"(?P<id>u\d{1,4})\s+(?P<type>[A-Za-z][\w-]{1,20})\s+(?P<status>[A-Z][A-Z-]{1,30})\s+(?P<rebuilt>\S{1,12})\s+(?P<verified>\S{1,16})"
    r"\s+(?P<stripe>\S{1,8})\s+(?P<size>\d{1,9}(?:\.\d{1,6})?|-)(?:\s+(?P<cache>\S{1,6}))?"
)
_PART: Final = re.compile(
    r"(?P<unit>u\d{1,4})-(?P<id>\d{1,4}(?:-\d{1,4})?)\s+(?P<type>[A-Z][\w-]{1,20})\s+(?P<status>[A-Z][A-Z-]{1,30})\s"
)
_DRIVE: Final = re.compile(
    r"(?P<id>p\d{1,4})\s+(?P<status>[A-Z][A-Z-]{1,30})\s+(?P<unit>u\d{1,4}|-)\s+"
    r"(?P<size>\d{1,9}(?:\.\d{1,6})? [KMGTP]B|-)\s+(?P<rest>.{0,200})"
)
_FOR_ALL: Final = re.compile(r"/c(?P<controller>\d{1,3}) (?P<name>[A-Z][\w ()-]{1,60}?) = (?P<value>.{0,200})$")
_FIRST: Final = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,3})?)")
_WRITES: Final = {"ON": True, "OFF": False, "W": True, "RiW": True, "RW": True, "Ri": False, "R": False, "RbW": True}
_SECTOR: Final = 512
_FIELDS: Final[labels.Fields] = {
    "Model": ("model", labels.text),
    "Driver Version": ("driver_version", labels.text),
    "Firmware Version": ("firmware_version", labels.text),
    "Available Memory": ("memory_bytes", amounts.size),
    "Controller Bus Type": ("bus", labels.text),
}


def recognises(output: Output) -> bool:
    """Look for the head of a table, or a line of ``show all``."""
    return _HEAD.search(output.head(60)) is not None


def read(output: Output) -> Facts:
    """Read controllers, units and drives, whatever of them the output has."""
    values: dict[str, Any] = {"model": None, "n_drives": None, "memory_bytes": None, "driver_version": None}
    controllers: list[dict[str, Any]] = []
    volumes: list[dict[str, Any]] = []
    drives: list[dict[str, Any]] = []
    values.update(controllers=controllers, volumes=volumes, drives=drives)
    for line in output.lines:
        if (controller := _CONTROLLER.match(line)) is not None:
            controllers.append(_controller(controller))
        elif (unit := _UNIT.match(line)) is not None:
            volumes.append(_unit(unit))
        elif (part := _PART.match(line)) is not None:
            if volumes and part["type"] == "DISK":
                volumes[-1]["parts"].append({"id": part["id"], "state": part["status"]})
        elif (drive := _DRIVE.match(line)) is not None:
            drives.append(_drive(drive))
        elif (named := _FOR_ALL.match(line)) is not None:
            _named(values, named["name"].strip(), named["value"].strip())
    if values["n_drives"] is None and drives:
        values["n_drives"] = sum(each["size_bytes"] is not None for each in drives)
    if controllers:
        values["model"] = values["model"] or controllers[0]["model"]
        values["n_drives"] = values["n_drives"] or sum(each["drives"] for each in controllers)
    return output.facts("tw_cli", values)


def _controller(match: re.Match[str]) -> dict[str, Any]:
    counts = {name: int(match[name]) for name in ("ports", "drives", "units", "not_optimal")}
    bbu = match["bbu"]
    return {"id": match["id"], "model": match["model"], **counts, "bbu": None if bbu in (None, "-") else bbu}


def _unit(match: re.Match[str]) -> dict[str, Any]:
    cache = match["cache"] or ""
    done = next((_FIRST.match(match[name]) for name in ("rebuilt", "verified") if match[name] != "-"), None)
    return {
        "id": match["id"],
        "level": match["type"].replace("-", "").lower(),
        "state": match["status"],
        "progress": round(float(done["number"]) / 100, 4) if done else None,
        "strip_bytes": amounts.size(match["stripe"]),
        "size_bytes": amounts.size(f"{match['size']} GB"),
        "write_cache": _WRITES.get(cache),
        "cache": cache if cache not in ("", "-") else None,
        "parts": [],
    }


def _drive(match: re.Match[str]) -> dict[str, Any]:
    rest = match["rest"].split(None, 3)
    drive: dict[str, Any] = {
        "port": match["id"],
        "state": match["status"],
        "unit": None if match["unit"] == "-" else match["unit"],
        "size_bytes": amounts.size(match["size"]),
    }
    if rest and rest[0].isdigit():
        blocks = amounts.whole(rest[0])
        drive["size_bytes"] = blocks * _SECTOR if blocks else drive["size_bytes"]
    elif len(rest) > 3:
        drive["type"], drive["model"] = rest[0], rest[3].strip() or None
    return drive


def _named(values: dict[str, Any], name: str, text: str) -> None:
    number = _FIRST.match(text)
    if labels.take(values, _FIELDS, name, text) or number is None:
        return
    if name in ("Drives", "Number of Drives"):
        values["n_drives"] = amounts.whole(number["number"])
    elif name == "Controller Bus Width":
        values["pcie_lanes" if "lane" in text else "pcix_width_bits"] = int(float(number["number"]))
    elif name == "Controller Bus Speed":
        if "lane" in text:
            values["pcie_gtps"] = float(number["number"])
        else:
            values["pcix_clock_hz"] = float(number["number"]) * 1e6
