"""Parts that a person states in words: "2x Xeon Gold 6248, 256 GB DDR4, ConnectX-5 in a x8 slot".

Each part is taken by itself, with its line and the words that name it: nothing is added up, and no host is made of it,
for a text may be about several machines, or about what somebody would like to have.

Units and traps
---------------
- GB and TB of memory are powers of two, those of disks of ten. "2x32GB" is two modules of 32 GB.
- A count stands before its part: "2x Xeon", "Dual E5-2690", "12 x 4TB"; without one it is missing, not 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

_COUNT: Final = r"(?:(?P<count>\d{1,3}) ?\\?[xX*×] ?|(?P<word>[Dd]ual|[Tt]win|[Qq]uad)[ -])?"
_MAKER: Final = r"(?:Intel(?:\(R\)|®)? |AMD |Mellanox |NVIDIA |Broadcom |Chelsio |Solarflare )?"
_CPU: Final = re.compile(
    rf"{_COUNT}{_MAKER}(?P<model>(?:Xeon(?:\(R\)|®)?|EPYC|Epyc|Opteron|Ryzen|Threadripper|Pentium|Atom|"
    r"Core(?:\(TM\)|™)? i\d|i[3579]-|Ampere|Kunpeng|E[357]-(?=\d{4}))"
    r"(?:[ -]?(?:CPU|Gold|Silver|Platinum|Bronze|Threadripper|PRO|Pro|eMAG|Altra|Max"
    r"|[EWDX]?-?\d{1,5}[A-Z]{0,3}(?:[vV]\d)?(?!-[Cc]ore)|[vV]\d)\b){0,5})"
)
_MEMORY: Final = re.compile(
    r"(?:(?P<count>\d{1,3}) ?\\?[xX*×] ?)?(?P<size>\d{1,5}(?:\.\d)?) ?(?P<unit>[GT])i?B? (?:of )?"
    r"(?:(?:ECC|Reg|DDR\d?|RDIMM|PC\d?-?\d{3,5}\w?)[ -])*"
    r"(?:RAM|ram|[Mm]emory|DDR\d|RDIMM|DIMM|ECC)\b"
    r"|\b(?:RAM|Memory|memory|Arbeitsspeicher|内存)\s{0,4}[:\uff1a=]\s{0,4}"
    r"(?:(?P<times>\d{1,3}) ?\\?[xX*×] ?)?"
    r"(?P<total>\d{1,5}(?:\.\d)?) ?(?P<prefix>[GT])i?B\b"
)
_NIC: Final = re.compile(
    rf"{_COUNT}{_MAKER}(?P<model>ConnectX-?\d(?: ?(?:Lx|Dx|EN|VPI|Ex))?|[EX]\d{{3}}-[A-Z]{{2}}\d"
    r"|(?:Intel )?(?:X5[2457]0|X710|XL710|XXV710|E810|82599\w{0,2}|I350|I210)"
    r"|BCM57\d{2,3}|T[3-6]\d0(?:-\w{2})?(?= )|BlueField-?\d)\b"
)
_SLOT: Final = re.compile(
    r"(?:PCI-?[eE](?:xpress)? ?)?(?:[Gg]en ?(?P<gen>[1-6])(?:\.0)?|(?<=PCIe)(?P<digit>[1-6])(?:\.0)?)[ ,]{1,2}"
    r"x(?P<width>1|2|4|8|16)\b"
    r"|\bx(?P<lanes>1|4|8|16) (?:PCI-?[eE] )?slot"
)
_DISK: Final = re.compile(
    r"(?:(?P<count>\d{1,3}) ?\\?[xX*×] ?)(?:[A-Za-z]\w{0,11} ){0,3}?(?P<size>\d{1,5}(?:\.\d{1,2})?) ?(?P<unit>[GT])B\b"
    r"(?! ?(?:DDR|RAM|ECC|RDIMM|DIMM|PC\d))"
)
_WORDS: Final = {"dual": 2, "twin": 2, "quad": 4}
_SCALE: Final = {"G": 3, "T": 4}
_LONGEST: Final = 2000
_MOST: Final = 200


def stated(lines: Iterable[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    """Yield the parts that numbered lines name, each with its line, kind and words."""
    taken = 0
    for number, line in lines:
        if len(line) > _LONGEST or not any(map(str.isdigit, line)):
            continue
        for kind, match in _matches(line):
            taken += 1
            if taken > _MOST:
                return
            yield {"line": number, "kind": kind, "says": " ".join(match[0].split()), **_facts(kind, match)}


def _matches(line: str) -> Iterator[tuple[str, re.Match[str]]]:
    """What each pattern finds in a line, by where it stands."""
    kinds = (("cpu", _CPU), ("memory", _MEMORY), ("nic", _NIC), ("slot", _SLOT), ("disk", _DISK))
    matches = [(kind, match) for kind, pattern in kinds for match in pattern.finditer(line)]
    yield from sorted(matches, key=lambda each: each[1].start())


def _facts(kind: str, match: re.Match[str]) -> dict[str, Any]:
    """The values of a part."""
    parts = match.groupdict()
    count = (
        int(number)
        if (number := parts.get("count") or parts.get("times"))
        else _WORDS.get((parts.get("word") or "").lower())
    )
    if kind in ("cpu", "nic"):
        return {"model": match["model"].strip(), "count": count}
    if kind == "slot":
        gen, width = parts["gen"] or parts["digit"], parts["width"] or parts["lanes"]
        return {"gen": int(gen) if gen else None, "width": int(width)}
    size, unit = parts.get("size") or parts["total"], parts.get("unit") or parts["prefix"]
    scale = (1024 if kind == "memory" else 1000) ** _SCALE[unit]
    return {"size_bytes": round(float(size) * scale), "count": count}
