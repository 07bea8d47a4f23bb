"""``system_profiler`` of macOS as text: SPHardwareDataType, SPNetworkDataType, SPEthernetDataType, SPStorageDataType.

Versions: Mac OS X 10.5 to macOS 15, in English. The line "Hardware:" may be missing.

Units and traps
---------------
- Memory in "GB" is 2^30 bytes; capacities of volumes are 10^9, with the exact number of bytes in brackets.
- "Total Number of Cores: 8 (4 performance and 4 efficiency)" counts both kinds.
- "Processor Speed" is left out by Apple's own processors, which are named "Chip".
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, all_labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("system-profiler",)
VERSIONS: str = "Mac OS X 10.5 to macOS 15"
COMMANDS: tuple[str, ...] = ("system_profiler",)
_SECTIONS: Final = ("Hardware", "Network", "Ethernet Cards", "Ethernet", "Storage")
BEGINS: re.Pattern[str] | None = re.compile(rf"((?:{'|'.join(_SECTIONS)}):\s*$)|(\s?Hardware Overview:\s*$)")
REPEATS: bool = True

_KNOWN: Final = re.compile(
    r"^\s{0,8}Hardware Overview:\s*$(?=\s{1,40}(?:Model|Machine) (?:Name|Identifier))"
    r"|^\s{4,12}(?:BSD (?:Device )?Name|Link Speed|Mount Point): \S",
    re.MULTILINE,
)
_BYTES: Final = re.compile(r"\((?P<bytes>[\d,.\u00a0\u202f']{1,24}) bytes\)")
_SPEED: Final = re.compile(r"(?P<number>\d{1,4}(?:\.\d{1,2})?) ?(?P<prefix>[MG])(?:b/s|bit/s|bps)", re.IGNORECASE)
_GTPS: Final = re.compile(r"x?(?P<number>\d{1,3}(?:\.\d)?)(?: GT/s)?$")
_CLOCK: Final = re.compile(r"(?P<number>\d{1,4}(?:[.,]\d{1,3})?) ?GHz")


def recognises(output: Output) -> bool:
    """Look for a section, and for labels that only it has."""
    begins = BEGINS is not None and BEGINS.match(output.lines[0]) is not None
    return begins and _KNOWN.search(output.head(80)) is not None


def read(output: Output) -> Facts:
    """Read a section."""
    values: dict[str, Any] = {"section": output.lines[0].strip().rstrip(":").removesuffix(" Overview")}
    parts: list[dict[str, Any]] = []
    for field in all_labelled(output.numbered()):
        if not field.value and field.indent:
            parts.append({"name": field.name})
        elif values["section"] == "Hardware":
            _hardware(values, field)
        elif parts:
            _part(parts[-1], field)
    if values["section"] != "Hardware":
        values["parts"] = [part for part in parts if len(part) > 1]
    return output.facts("system-profiler", values)


def _hardware(values: dict[str, Any], line: Labelled) -> None:
    """Take a line of the overview."""
    if line.name == "Model Identifier":
        values["product"] = line.value
    elif line.name in ("Chip", "Processor Name"):
        values["cpu_model"] = line.value
    elif line.name.lower() == "total number of cores":
        values["cores"] = amounts.whole(line.value.partition(" ")[0])
    elif line.name.lower() == "number of processors":
        values["sockets"] = amounts.whole(line.value)
    elif line.name == "Processor Speed" and (clock := _CLOCK.match(line.value)):
        values["mhz"] = 1e3 * float(clock["number"].replace(",", "."))
    elif line.name == "Memory":
        values["memory_bytes"] = amounts.size(line.value)


def _part(part: dict[str, Any], line: Labelled) -> None:
    """Take a line of an interface or a volume."""
    if line.name in ("BSD Device Name", "BSD Name"):
        part["device"] = line.value
    elif line.name == "Link Speed" and (speed := _SPEED.match(line.value)):
        part["speed_bps"] = float(speed["number"]) * {"M": 1e6, "G": 1e9}[speed["prefix"].upper()]
    elif line.name in ("Capacity", "Free", "Available") and (amount := _BYTES.search(line.value)):
        digits = re.sub(r"\D", "", amount["bytes"])
        part["size_bytes" if line.name == "Capacity" else "free_bytes"] = int(digits)
    elif line.name in ("Mount Point", "File System", "Medium Type", "Protocol"):
        part[line.name.lower().replace(" ", "_")] = line.value
    elif line.name in ("PCIe Link Speed", "PCIe Link Width") and (number := _GTPS.match(line.value)):
        part["lnksta_gtps" if line.name.endswith("Speed") else "lnksta_width"] = float(number["number"])
    elif line.name == "MTU":
        part["mtu"] = amounts.whole(line.value)
