"""``wmic nic get Name,Speed`` of Windows: network adapters, as a table or as a list (``/format:list``).

Versions: Windows 7 to 10, Server 2008 to 2019; `windows_adapters` reads what later ones have.

Units and traps
---------------
- Speed is bit/s. That of a port without a link is empty, or 2**63 - 1.
- Tables have their columns in the order of the alphabet, at the place of their heads; names may hold blanks.
- ``wmic memorychip get Name,Speed`` looks alike, with MHz: an adapter has at least 1 Mbit/s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("wmic-nic",)
VERSIONS: str = "Windows 7 to 10, Server 2008 to 2019"
COMMANDS: tuple[str, ...] = ("wmic", "wmic.exe")
BEGINS: re.Pattern[str] | None = re.compile(r"Name {2,200}(?:NetConnectionID\s{2,200})?Speed\s*$")
REPEATS: bool = True

_FIELD: Final = re.compile(r"(?P<name>[A-Z]\w{2,30})=(?P<value>.{0,200})$")
_SPEED: Final = re.compile(r"\d{1,19}$")
_LEAST: Final = 10**6
_NO_LINK: Final = 2**63 - 1

_Row = dict[str, tuple[int, str]]


def recognises(output: Output) -> bool:
    """Look for a table or a list with speeds that an adapter may have."""
    speeds = [row["Speed"][1] for row in _rows(output) if "Speed" in row and "Name" in row]
    return any(_SPEED.match(speed) and int(speed) >= _LEAST for speed in speeds)


def read(output: Output) -> Facts:
    """Read all adapters."""
    adapters: list[dict[str, Any]] = []
    facts = output.facts("wmic-nic", {"adapters": adapters})
    for row in _rows(output):
        line, speed = row.get("Speed", (output.first, ""))
        is_cut = line == output.last and not output.complete
        if speed and (is_cut or not _SPEED.match(speed)):
            kind = "truncated" if is_cut else "malformed"
            facts.problem(line, kind, f"found speed {speed[:40]!r}, expected bit/s on a complete line; left out")
            speed = ""
        rate = float(speed) if speed and int(speed) != _NO_LINK else None
        name = row.get("NetConnectionID", (0, ""))[1] or None
        adapters.append({"name": name, "description": row["Name"][1] if "Name" in row else None, "speed_bps": rate})
    return facts


def _rows(output: Output) -> Iterator[_Row]:
    """Rows of the table, or blocks of the list, with the line of each value."""
    if BEGINS is not None and BEGINS.match(output.lines[0]):
        yield from _table(output)
        return
    row: _Row = {}
    for number, line in output.numbered():
        if (match := _FIELD.match(line)) is None:
            continue
        if match["name"] in row:
            yield row
            row = {}
        row[match["name"]] = number, match["value"].strip()
    if row:
        yield row


def _table(output: Output) -> Iterator[_Row]:
    heads = [(match[0], match.start()) for match in re.finditer(r"\w+", output.lines[0])]
    ends = [start for _, start in heads[1:]] + [None]
    for number, line in list(output.numbered())[1:]:
        if line.strip():
            cells = zip(heads, ends, strict=True)
            yield {name: (number, line[start:end].strip()) for (name, start), end in cells}
