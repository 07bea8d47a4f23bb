"""``sesutil show`` of FreeBSD: the disks in the slots of enclosures.

Versions: FreeBSD 12 to 15; ``sesutil map``, which lists elements without models, is not read.

Units and traps
---------------
- Columns are found by the places of their heads, for cells hold blanks. A blank line ends a table.
- A size has one digit ("2T"): it is left out. A slot without a disk has "-" for its device.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("sesutil",)
VERSIONS: str = "FreeBSD 12 to 15"
COMMANDS: tuple[str, ...] = ("sesutil",)
BEGINS: re.Pattern[str] | None = re.compile(r"ses\d{1,3}:\s{1,4}<[^>]{1,80}>; ID: \S")
REPEATS: bool = False

_ENCLOSURE: Final = re.compile(
    r"(?P<name>ses\d{1,3}):\s{1,4}<(?P<model>[^>]{1,80})>; ID: (?P<id>[0-9a-fA-F]{1,32})\s*$"
)
_HEADS: Final = re.compile(
    r"Desc\s{1,40}(?P<device>Dev(?:ice)?\s{1,40})(?P<model>Model\s{1,60})(?P<ident>(?:Ident|Serial)\s{1,60})(?P<status>\S)"
)
_DISK: Final = re.compile(r"[a-z]{2,6}\d{1,5}(?:,[a-z]{2,6}\d{1,5}){0,3}")


def recognises(output: Output) -> bool:
    """Look for the name of an enclosure, with the heads below."""
    return _ENCLOSURE.match(output.lines[0]) is not None and any(map(_HEADS.match, output.lines[1:2]))


def read(output: Output) -> Facts:
    """Read all enclosures."""
    enclosures: list[dict[str, Any]] = []
    facts = output.facts("sesutil", {"enclosures": enclosures, "n_drives": 0})
    heads: re.Match[str] | None = None
    for number, line in output.numbered():
        if match := _ENCLOSURE.match(line):
            enclosures.append({**match.groupdict(), "n_slots": 0, "drives": []})
        elif match := _HEADS.match(line):
            heads = match
        elif not line.strip():
            heads = None
        elif heads is not None:
            starts = [0, *(heads.start(name) for name in ("device", "model", "ident", "status")), len(line)]
            slot, device, model, _, status = (line[start:end].strip() for start, end in pairwise(starts))
            if any(line[start - 1 : start].strip() for start in starts[1:-1]) or not (
                device == "-" or _DISK.fullmatch(device)
            ):
                expected = "slot, device, model, identity and status below their heads"
                facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected {expected}; left out")
                continue
            enclosures[-1]["n_slots"] += 1
            if device != "-":
                named = None if slot == "-" else slot
                enclosures[-1]["drives"].append({"slot": named, "device": device, "model": model, "status": status})
    facts.values["n_drives"] = sum(len(enclosure["drives"]) for enclosure in enclosures)
    return facts
