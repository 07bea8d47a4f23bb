"""``systeminfo`` of Windows as a list: system, processors, memory, network cards.

Versions: Windows XP and Server 2003 to Windows 11 and Server 2025, in English.

Units and traps
---------------
- Memory is whole "MB" of 2^20 bytes; the mark between thousands is that of the region: "6,143 MB", "6.143 MB".
- "Processor(s): 2 Processor(s) Installed." counts sockets; each has a line below with family and clock, but no name.
- Numbered lines below "Network Card(s)" are cards; those below "IP address(es)" are addresses of the last one.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("systeminfo",)
VERSIONS: str = "Windows XP to 11, Server 2003 to 2025"
COMMANDS: tuple[str, ...] = ("systeminfo", "systeminfo.exe")
BEGINS: re.Pattern[str] | None = re.compile(r"Host Name:\s{2,30}\S")
REPEATS: bool = True

_TEXTS: Final = {"Host Name": "host_name", "OS Name": "os", "OS Version": "os_version", "System Model": "product"}
_MEMORY: Final = {"Total Physical Memory": "memory_bytes", "Available Physical Memory": "memory_available_bytes"}
_MEGABYTES: Final = re.compile(r"(?P<digits>\d{1,3}(?:[.,'\u00a0\u202f ]\d{3}){0,3}|\d{1,9}) MB$")
_NUMBERED: Final = re.compile(r"\s{10,40}\[(?P<number>\d{1,3})\]: (?P<text>\S.{0,200})$")
_CLOCK: Final = re.compile(r"~(?P<mhz>\d{2,5}) Mhz", re.IGNORECASE)
_SECTIONS: Final = ("Processor(s)", "Network Card(s)")


def recognises(output: Output) -> bool:
    """Look for the name of the host, and for that of Windows below it."""
    return BEGINS is not None and any(map(BEGINS.match, output.lines[:4])) and "OS Name:" in output.head(8)


def read(output: Output) -> Facts:
    """Read the list; what is numbered belongs to the label above."""
    cards: list[str] = []
    values: dict[str, Any] = {}
    facts = output.facts("systeminfo", values)
    section, indent = "", 0
    for number, line in output.numbered():
        entry = _NUMBERED.match(line)
        if entry is not None and section == "Network Card(s)":
            indent = indent or entry.start("number")
            if entry.start("number") == indent:
                cards.append(entry["text"].strip())
        elif entry is not None and section == "Processor(s)" and (clock := _CLOCK.search(entry["text"])):
            values |= {"cpu_family": entry["text"].partition(" ~")[0], "mhz": float(clock["mhz"])}
        elif not line[:1].isspace() and (field := labelled(number, line)) is not None:
            section = field.name if field.name in _SECTIONS else ""
            if field.name in _TEXTS and field.value:
                values[_TEXTS[field.name]] = field.value
            elif field.name == "Processor(s)":
                values["sockets"] = amounts.whole(field.value.partition(" ")[0])
            elif field.name in _MEMORY:
                if (size := _MEGABYTES.match(field.value)) is None:
                    facts.problem(number, "malformed", f"found memory {field.value[:40]!r}, expected MB; left out")
                else:
                    values[_MEMORY[field.name]] = int(re.sub(r"\D", "", size["digits"])) << 20
    values["cards"] = cards
    return facts
