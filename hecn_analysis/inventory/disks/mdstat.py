"""``/proc/mdstat``: the arrays of Linux' software RAID (md).

Units and traps
---------------
- A block is 1 KiB, whatever the array's own block; so is the K of a rate, and of a chunk.
- The chunk of ``bitmap: …, 65536KB chunk`` is the bitmap's, not the stripe's.
- ``super``, the form of the superblock, is left out for the oldest one (0.90).
- The order of the members means nothing; they are given sorted. (F) failed, (S) spare, (W) write-mostly, (R) a
  replacement, (J) a journal.
- ``[6/4]``: six devices make the array, four of them work.
- Mail breaks long lines. What begins at the margin, as nothing does below an array, goes on with the line above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("mdstat",)
VERSIONS: str = "Linux 2.4 to 6"
COMMANDS: tuple[str, ...] = ("/proc/mdstat",)
BEGINS: re.Pattern[str] | None = re.compile(r"Personalities ?:|md[\w.-]{1,60} : (?:in)?active\b")
REPEATS: bool = False

_ARRAY: Final = re.compile(
    r"(?P<name>md[\w.-]{0,60}) : (?P<state>[a-z]{1,20})(?P<mode> \((?:auto-)?read-only\))?"
    r"(?: (?P<level>raid\d{1,2}|linear|multipath|faulty)(?=\s|$))?(?P<rest>.{0,4000})$"
)
_MEMBER: Final = re.compile(
    r"(?<![^\s\[\]])(?P<name>[^\s\[\]]{1,80}+)\[(?P<slot>\d{1,6})\](?P<flags>(?:\([A-Z]\)){0,6})"
)
_BLOCKS: Final = re.compile(r"(?P<blocks>\d{1,18}) blocks(?P<rest>.{0,400})")
_CHUNK: Final = re.compile(r"(?P<chunk>\d{1,9})[kK] chunks?\b")
_ROUNDING: Final = re.compile(r"(?P<rounding>\d{1,9})[kK] rounding\b")
_ALGORITHM: Final = re.compile(r"algorithm (?P<algorithm>\d{1,4})")
_LAYOUT: Final = re.compile(r"(?P<layout>\d{1,3} (?:near|far|offset)-copies)")
_SUPER: Final = re.compile(r"super (?P<super>\S{1,80})")
_WORKING: Final = re.compile(r"\[(?P<configured>\d{1,6})/(?P<working>\d{1,6})\](?: \[(?P<map>[U_]{1,512})\])?")
_SYNC: Final = re.compile(r"(?P<action>resync|recovery|reshape|check|repair)\s?=\s{0,4}(?P<rest>.{1,200})")
_PROGRESS: Final = re.compile(
    r"(?P<percent>\d{1,3}(?:\.\d{1,3})?)%(?:.{0,60}?finish=(?P<finish>\d{1,12}(?:\.\d{1,3})?)min)?"
    r"(?:.{0,20}?speed=(?P<speed>\d{1,15})K/sec)?"
)
_PENDING: Final = re.compile(r"(?P<pending>[A-Z]{3,20})\b")
_NEAR: Final = 12
_BEGINNING: Final = re.compile(r"(?:Personalities|unused devices| *md\S{0,60} :)")
_LONGEST: Final = 4000
_NAME: Final = re.compile(r"[a-z][a-z0-9_!-]{1,31}(?:\[\d{1,4}\])?(?:\([A-Z]\))?")
_UNUSED: Final = re.compile(r"unused devices: ?(?P<names>.{0,400})")


def recognises(output: Output) -> bool:
    """Look for the line of the personalities, or of an array in front of its blocks."""
    head = output.lines[:3]
    if any(line.startswith(("Personalities :", "Personalities:")) for line in head):
        return True
    return any(
        _ARRAY.match(line) and any(" blocks" in below for below in output.lines[index + 1 : index + _NEAR])
        for index, line in enumerate(head)
    )


def read(output: Output) -> Facts:
    """Read all arrays."""
    arrays: list[dict[str, Any]] = []
    facts = output.facts("mdstat", {"n_arrays": 0, "arrays": arrays, "personalities": None})
    for number, line in _unbroken(output):
        if line.startswith("Personalities"):
            facts.values["personalities"] = re.findall(r"\[(\w{1,20})\]", line[:400])
        elif (match := _ARRAY.match(line)) is not None:
            array = _array(match)
            arrays.append(array)
            _geometry(array, match["rest"])
        elif (unused := _UNUSED.match(line)) is not None:
            facts.values["unused"] = list(takewhile(_NAME.fullmatch, unused["names"].split()))
        elif arrays and line[:1].isspace():
            _details(arrays[-1], line)
        elif line.strip() and re.match(r"md\w{0,60} :", line):
            facts.problem(number, "malformed", f"found {line[:80]!r}, expected the state of an array; left out")
    facts.values["n_arrays"] = len(arrays)
    return facts


def _unbroken(output: Output) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, those that were broken joined again."""
    kept: tuple[int, str] | None = None
    for number, line in output.numbered():
        begins = not line.strip() or line[0].isspace() or _BEGINNING.match(line) is not None
        if not begins and kept is not None and kept[1].strip():
            kept = (kept[0], f"{kept[1]} {line}") if len(kept[1]) < _LONGEST else kept
            continue
        if kept is not None:
            yield kept
        kept = (number, line)
    if kept is not None:
        yield kept


def _array(match: re.Match[str]) -> dict[str, Any]:
    members = [(member["name"], member["flags"]) for member in _MEMBER.finditer(match["rest"])]
    return {
        "name": match["name"],
        "state": match["state"],
        "read_only": match["mode"] is not None,
        "level": match["level"],
        "members": sorted(name for name, _ in members),
        "failed": sorted(name for name, flags in members if "(F)" in flags),
        "spares": sorted(name for name, flags in members if "(S)" in flags),
        "size_bytes": None,
        "n_configured": None,
        "n_working": None,
        "chunk_bytes": None,
        "algorithm": None,
        "layout": None,
        "metadata": None,
        "sync": None,
    }


def _details(array: dict[str, Any], line: str) -> None:
    if _BLOCKS.search(line) is not None and "bitmap:" not in line:
        _geometry(array, line)
    elif "bitmap:" not in line and (sync := _SYNC.search(line)) is not None:
        array["sync"] = _sync(sync)


def _geometry(array: dict[str, Any], line: str) -> None:
    """Size, chunk and number of devices; the oldest kernels print them on the line of the array."""
    match = _BLOCKS.search(line)
    if match is None:
        return
    array["size_bytes"] = int(match["blocks"]) * 1024
    rest = match["rest"]
    if (chunk := _CHUNK.search(rest)) is not None:
        array["chunk_bytes"] = int(chunk["chunk"]) * 1024
    elif (rounding := _ROUNDING.search(rest)) is not None:
        array["rounding_bytes"] = int(rounding["rounding"]) * 1024
    if (algorithm := _ALGORITHM.search(rest)) is not None:
        array["algorithm"] = int(algorithm["algorithm"])
    if (layout := _LAYOUT.search(rest)) is not None:
        array["layout"] = layout["layout"]
    if (superblock := _SUPER.search(rest)) is not None:
        array["metadata"] = superblock["super"]
    if (working := _WORKING.search(rest)) is not None:
        array["n_configured"], array["n_working"] = int(working["configured"]), int(working["working"])


def _sync(match: re.Match[str]) -> dict[str, Any]:
    progress = _PROGRESS.match(match["rest"])
    if progress is None:
        pending = _PENDING.match(match["rest"])
        return {"action": match["action"], "pending": pending["pending"] if pending else None}
    finish, speed = amounts.number(progress["finish"]), amounts.whole(progress["speed"])
    return {
        "action": match["action"],
        "fraction": round(float(progress["percent"]) / 100, 6),
        "finish_s": None if finish is None else round(finish * 60),
        "speed_bytes_per_s": None if speed is None else speed * 1024,
    }
