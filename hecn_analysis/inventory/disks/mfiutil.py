"""``mfiutil`` and ``mrsasutil`` of FreeBSD: ``show drives``, ``show volumes``, ``show config`` and ``show adapter``.

Versions: FreeBSD 8 to 14.

Units and traps
---------------
- Sizes are in binary units, rounded to whole ones: "( 1863G)" is 2^30 bytes each.
- A drive's link is written as its interface: "SCSI-6" and "SAS" drives have no rate here.
- A row of ``show volumes`` ends with cache and name, both of which may be missing.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("mfiutil",)
VERSIONS: str = "FreeBSD 8 to 14"
COMMANDS: tuple[str, ...] = ("mfiutil", "mrsasutil")
BEGINS: re.Pattern[str] | None = re.compile(r"(?:/dev/)?mfi\d{1,2} (?:Physical Drives|Volumes|Configuration|Adapter):")
REPEATS: bool = True

_DRIVE: Final = re.compile(
    r"\s{0,8}(?P<id>\d{1,5}) \(\s{0,6}(?P<size>\d{1,6}(?:\.\d{1,2})?[KMGTP])\) "
    r"(?P<state>[A-Z][A-Z/-]{1,20}(?: [A-Z/-]{1,20}){0,2})\s{1,30}"
    r"<(?P<model>[^>]{1,80})>"
    r"(?: (?P<interface>\S{1,12}))?(?: (?:E(?P<enclosure>\d{1,4}):)?S(?P<slot>\d{1,4}))?"
)
_VOLUME: Final = re.compile(
    r"\s{0,8}(?:mfid)?(?P<id>\d{1,4}) \(\s{0,6}(?P<size>\d{1,6}(?:\.\d{1,2})?[KMGTP])\) (?P<level>RAID-?\d{1,2})\s{1,8}"
    r"(?P<strip>\d{1,5}[KM])\s{1,8}(?P<state>[A-Z]{2,20})(?:\s{1,8}(?P<cache>Enabled|Disabled|Writes|Reads))?"
)


def recognises(output: Output) -> bool:
    """Look for the title, or for a drive as it is listed."""
    if BEGINS is not None and any(BEGINS.match(line) for line in output.lines[:4]):
        return True
    return any((match := _DRIVE.match(line)) is not None and match["slot"] for line in output.lines[:8])


def read(output: Output) -> Facts:
    """Read adapter, volumes and drives."""
    facts = output.facts("mfiutil", {"controller": None, "memory_bytes": None, "volumes": [], "drives": []})
    for number, line in output.numbered():
        if (match := _DRIVE.match(line)) is not None:
            facts.values["drives"].append(_drive(match))
        elif (match := _VOLUME.match(line)) is not None:
            facts.values["volumes"].append(_volume(match))
        elif (pair := labelled(number, line)) is not None:
            if pair.name == "Product Name":
                facts.values["controller"] = pair.value or None
            elif pair.name == "Onboard Memory":
                facts.values["memory_bytes"] = amounts.size(pair.value)
    facts.values["n_drives"] = len(facts.values["drives"]) or None
    return facts


def _drive(match: re.Match[str]) -> dict[str, Any]:
    words = [word for word in match["model"].split() if not word.startswith("serial=")]
    return {
        "id": int(match["id"]),
        "enclosure": int(match["enclosure"]) if match["enclosure"] else None,
        "slot": int(match["slot"]) if match["slot"] else None,
        "model": " ".join(words[:-1] if len(words) > 1 else words) or None,
        "size_bytes": amounts.size(f"{match['size']}iB"),
        "state": match["state"],
        "interface": match["interface"],
    }


def _volume(match: re.Match[str]) -> dict[str, Any]:
    return {
        "id": int(match["id"]),
        "level": match["level"].lower().replace("-", ""),
        "size_bytes": amounts.size(f"{match['size']}iB"),
        "strip_bytes": amounts.size(f"{match['strip']}iB"),
        "state": match["state"],
        "cache": match["cache"],
    }
