"""``free``: main memory and swap.

Versions: procps 2 to 4, procps-ng 3.3 and 4.0, busybox, in any language (the columns are known by their order).

Traps
-----
- Without an option the unit is KiB; with -b, -m, -g another one, which stands nowhere in the output. The command line
  says it where it is there. Else it is told by the numbers: memory comes in pages of at least 4 KiB, so that sizes in
  KiB are multiples of 4 and sizes in bytes of 4096; taking another unit than KiB is a problem of kind ``unit``.
- -h of procps-ng 3.3.10 writes "3.7G" for GiB, younger ones "3.7Gi".
- Until procps-ng 3.3.10 "used" includes buffers and cache ("-/+ buffers/cache" gives it without); there is no
  "available".
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import size

FORMATS = ("free",)
VERSIONS = "procps 2 to 4, procps-ng 3.3 and 4.0, busybox"
COMMANDS = ("free",)
BEGINS = re.compile(r"\s{6,40}total\s{1,20}used\s{1,20}free\b")
REPEATS = True

_ROW: Final = re.compile(
    r"\s{0,8}(?P<name>[^\s\d:][^:\d]{1,24}):?\s{1,40}(?P<sizes>\d[\d.,]{0,18}[KMGTPEkBi]{0,3}(?:\s{1,40}\d\S{0,20}){1,7})\s*$"
)
_HEADER: Final = re.compile(r"\s{6,60}[^\s\d]{2,20}(?:\s{1,20}[^\s\d]{2,20}){3,8}\s*$")
_NEW: Final = ("total", "used", "free", "shared", "cache", "available")
_WIDE: Final = ("total", "used", "free", "shared", "buffers", "cache", "available")
_OLD: Final = ("total", "used", "free", "shared", "buffers", "cached")
_UNITS: Final = {
    "-b": 1,
    "--bytes": 1,
    "-k": 1024,
    "--kibi": 1024,
    "-m": 1 << 20,
    "--mebi": 1 << 20,
    "-g": 1 << 30,
    "--gibi": 1 << 30,
}
_NOT_SWAP: Final = ("-/+", "Low", "High", "Total")
_SMALLEST: Final = 4096


def recognises(output: Output) -> bool:
    """Whether a header of words is followed by a row of memory and one of swap."""
    for index, line in enumerate(output.lines[:4]):
        if _HEADER.match(line):
            rows = [_ROW.match(row) for row in output.lines[index + 1 : index + 4]]
            return bool(rows and rows[0]) and len([row for row in rows if row]) >= 2 and "CPU0" not in line
    return False


def read(output: Output) -> Facts:
    """The sizes, in bytes."""
    facts = output.facts("free")
    rows = [(number, match) for number, line in output.numbered() if (match := _ROW.match(line))]
    header = next(line for line in output.lines if _HEADER.match(line)).split()
    number, memory = rows[0]
    sizes = memory["sizes"].split()
    old = any(match["name"].startswith("-/+") for _, match in rows) or (len(sizes) == 6 and header[-1] == "cached")
    columns = _OLD if old else _WIDE if len(sizes) >= 7 else _NEW
    unit = _unit(facts, number, sizes, output.command)
    swap = next((match["sizes"].split() for _, match in rows[1:] if not match["name"].startswith(_NOT_SWAP)), [])
    for name, text in zip(columns, sizes, strict=False):
        key = {"buffers": "buffers_bytes", "cache": "cache_bytes", "cached": "cached_bytes"}.get(
            name, f"mem_{name}_bytes"
        )
        facts.values[key] = size(text, unit=unit)
    for name, text in zip(("total", "used", "free"), swap, strict=False):
        facts.values[f"swap_{name}_bytes"] = size(text, unit=unit)
    return facts


def _unit(facts: Facts, line: int, sizes: list[str], words: tuple[str, ...]) -> int:
    """Bytes of a number without a unit."""
    asked = next((_UNITS[word] for word in words if word in _UNITS), None)
    whole = [int(text) for text in sizes if text.isdigit()]
    if asked is not None or len(whole) < len(sizes) or len(whole) < 3:
        return asked or (1024 if len(whole) == len(sizes) else 1)
    unit = 1024
    if all(number % _SMALLEST == 0 for number in whole) and whole[0] >= 1 << 28:
        unit = 1
    elif any(number % 4 for number in whole):
        unit = 1 << 30 if whole[0] < 1024 else 1 << 20
    if unit != 1024:
        name = {1: "bytes", 1 << 20: "MiB", 1 << 30: "GiB"}[unit]
        facts.problem(line, "unit", f"found sizes without a unit that cannot be whole pages in KiB; read as {name}")
    return unit
