"""``Get-NetAdapter`` and ``Get-NetAdapterStatistics`` of Windows, as lists (``| Format-List *``) or as tables.

Versions: Windows 8 and Server 2012 to Windows 11 and Server 2025, in English.

Units and traps
---------------
- "LinkSpeed : 10 Gbps" is the rate of the port; "Speed" and "ReceiveLinkSpeed" are the same in bit/s.
- "MtuSize" is that of IP; "FullDuplex : False" of a port that is up is half duplex.
- People mask a part of the address: "48-**-**-**-**-F4".
- Tables cut long descriptions with "..."; a name may hold blanks: columns are found by their heads.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import all_labelled

FORMATS: tuple[str, ...] = ("get-netadapter",)
VERSIONS: str = "Windows 8 to 11, Server 2012 to 2025"
COMMANDS: tuple[str, ...] = ("Get-NetAdapter", "get-netadapter")
BEGINS: re.Pattern[str] | None = re.compile(r"Name\s{1,60}InterfaceDescription\s{1,60}ifIndex Status")
REPEATS: bool = True

_SPEED: Final = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,3})?)\s?(?P<prefix>[KMGT]?)bps")
_PREFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_OTHER: Final = {"InterfaceDescription": "description", "ifDesc": "description"}
_ROW: Final = re.compile(
    r"(?P<name>\S.{0,60}?)\s{2,60}(?P<description>\S.{0,80}?)\s{1,40}(?P<index>\d{1,6}) "
    r"(?P<status>Up|Down|Disconnected|Disabled|Not Present)\s{1,20}(?P<mac>(?:[0-9A-FX*]{2}-){5}[0-9A-FX*]{2})?\s{1,20}"
    r"(?P<speed>\d{1,9}(?:\.\d{1,3})?\s?[KMGT]?bps)\s{0,8}$"
)


def recognises(output: Output) -> bool:
    """Look for the head of the table, or for the labels of the list."""
    head = output.head(60)
    if BEGINS is not None and any(BEGINS.match(line) for line in output.lines[:4]):
        return True
    return (
        re.search(r"^\s{0,8}(?:(?:if)?Name|ifAlias)\s{1,60}:", head, re.MULTILINE) is not None
        and "LinkSpeed" in head
        and " : " in head
    )


def read(output: Output) -> Facts:
    """Read all adapters."""
    adapters: list[dict[str, Any]] = []
    facts = output.facts("get-netadapter", {"adapters": adapters})
    is_table = False
    for number, line in output.numbered():
        if BEGINS is not None and BEGINS.match(line):
            is_table = True
        elif is_table and line.strip() and not line.startswith("-"):
            if (row := _ROW.match(line[:400])) is None:
                facts.problem(
                    number, "malformed", f"found {line.strip()[:80]!r}, expected a row of the table; left out"
                )
                continue
            adapters.append(_adapter(row["name"]) | {"description": row["description"], "up": row["status"] == "Up"})
            adapters[-1]["speed_bps"] = _rate(row["speed"])
    if not is_table:
        for field in all_labelled(output.numbered()):
            if field.name == "Name" and adapters and adapters[-1]["name"] == field.value:
                continue
            if field.name in ("Name", "ifAlias"):
                adapters.append(_adapter(field.value))
            elif adapters:
                _take(adapters[-1], field.name, field.value)
    return facts


def _adapter(name: str) -> dict[str, Any]:
    return {"name": name, "speed_bps": None, "up": None}


def _take(adapter: dict[str, Any], name: str, value: str) -> None:
    """Take a labelled value of an adapter."""
    if name == "LinkSpeed":
        adapter["speed_bps"] = _rate(value)
    elif name == "Status":
        adapter["up"] = value == "Up"
    elif name == "FullDuplex" and value in ("True", "False"):
        adapter["duplex"] = "full" if value == "True" else "half"
    elif name == "MtuSize" and value.isdecimal() and len(value) < 8:
        adapter["mtu"] = int(value)
    elif name in ("InterfaceDescription", "ifDesc", "DriverVersion", "DriverDate"):
        adapter[_OTHER.get(name, name.replace("Driver", "driver_").lower())] = value


def _rate(text: str) -> float | None:
    """The rate of a speed as Windows prints it. [bit/s]."""
    match = _SPEED.match(text.strip())
    return None if match is None else float(match["number"]) * _PREFIXES[match["prefix"]] or None
