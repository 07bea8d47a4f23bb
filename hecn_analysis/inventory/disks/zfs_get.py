"""``zfs get`` and ``zfs list``: record size, compression, sync, and sizes of data sets of ZFS.

Units and traps
---------------
- Sizes have prefixes of 1024 ("118G", "1,5T"); those of ``zfs list`` do not count parity, others than ``zpool list``'s.
- The source of a property may be several words ("inherited from storage"); "-" is missing.
- ``recordsize`` is the largest block of a file, ``volblocksize`` that of a volume. [B]
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import size

FORMATS: tuple[str, ...] = ("zfs-get", "zfs-list")
VERSIONS: str = "Solaris 10 and 11, illumos, FreeBSD, ZFS on Linux 0.6 to OpenZFS 2.3"
COMMANDS: tuple[str, ...] = ("zfs",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"(NAME\s{1,200}PROPERTY\s{1,60}VALUE\s)|(NAME\s{1,200}USED\s{1,12}AVAIL\s)"
)
REPEATS: bool = True

_SIZE: Final = re.compile(r"\d{1,20}(?:[.,]\d{1,3})?[KMGTPE]?B?$")
_SOURCE: Final = re.compile(r"\s(?:-|default|local|temporary|received|inherited from \S.{0,200})\s{0,8}$")
_SIZES: Final = {
    "recordsize": "recordsize_bytes",
    "volblocksize": "volblocksize_bytes",
    "used": "used_bytes",
    "available": "avail_bytes",
    "referenced": "refer_bytes",
    "volsize": "volsize_bytes",
}
_TEXTS: Final = (
    "compression",
    "sync",
    "atime",
    "primarycache",
    "logbias",
    "dedup",
    "checksum",
    "xattr",
    "compressratio",
)
_HEADS: Final = {"USED": "used_bytes", "AVAIL": "avail_bytes", "REFER": "refer_bytes"}


def recognises(output: Output) -> bool:
    """Look for the heads."""
    begins = BEGINS is not None and BEGINS.match(output.lines[0]) is not None
    return begins or (output.command[:1] == ("zfs",) and output.lines[0].startswith("NAME "))


def read(output: Output) -> Facts:
    """Read the data sets."""
    datasets: dict[str, dict[str, Any]] = {}
    heads = output.lines[0].split()
    is_get = heads[1] == "PROPERTY"
    facts = output.facts("zfs-get" if is_get else "zfs-list", {"datasets": []})
    for number, line in list(output.numbered())[1:]:
        words = line.split(maxsplit=3 if is_get else len(heads) - 1)
        if not words:
            break
        is_row = not is_get or len(heads) < len(words) or _SOURCE.search(line) is not None
        if len(words) < min(len(heads), 4) or not is_row:
            facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected {len(heads)} cells; left out")
            continue
        known = datasets.setdefault(words[0], {"name": words[0]})
        if is_get:
            _take(facts, number, known, words[1], words[2])
            continue
        for head, word in zip(heads, words, strict=False):
            if head in _HEADS:
                _take(facts, number, known, {"AVAIL": "available", "REFER": "referenced"}.get(head, "used"), word)
    facts.values["datasets"] = list(datasets.values())
    return facts


def _take(facts: Facts, number: int, known: dict[str, Any], name: str, value: str) -> None:
    """Take a property of a data set."""
    if name in _SIZES and value != "-":
        if _SIZE.match(value) is None:
            facts.problem(number, "malformed", f"found {value[:40]!r}, expected the size {name!r}; left out")
            return
        known[_SIZES[name]] = size(value)
    elif name in _TEXTS and value != "-":
        known[name] = value
