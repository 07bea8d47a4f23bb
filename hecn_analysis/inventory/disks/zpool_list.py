"""``zpool list``: size of the pools of ZFS, and how full and how fragmented they are.

Versions: ZFS on Linux 0.6 to OpenZFS 2.3, FreeBSD, illumos; also with ``-v``, whose groups and disks are left out.

Units and traps
---------------
- Sizes have prefixes of 1024, and a decimal comma in some locales. They count parity, other than those of ``zfs list``.
- "FRAG" is that of the free space; a pool without the feature has "-".
- Columns are found by their heads, for versions have others. A blank line ends the table.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import size

FORMATS: tuple[str, ...] = ("zpool-list",)
VERSIONS: str = "ZFS on Linux 0.6 to OpenZFS 2.3, FreeBSD, illumos"
COMMANDS: tuple[str, ...] = ("zpool",)
BEGINS: re.Pattern[str] | None = re.compile(r"NAME\s{1,200}SIZE\s{1,12}ALLOC\s{1,12}FREE\s")
REPEATS: bool = True

_SIZE: Final = re.compile(r"\d{1,6}(?:[.,]\d{1,3})?[KMGTPE]?$")
_SHARE: Final = re.compile(r"(?P<percent>\d{1,3})%$")


def recognises(output: Output) -> bool:
    """Look for the heads."""
    return BEGINS is not None and BEGINS.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Read the pools."""
    pools: list[dict[str, Any]] = []
    facts = output.facts("zpool-list", {"pools": pools})
    heads = output.lines[0].split()
    for number, line in list(output.numbered())[1:]:
        words = line.split()
        if not words:
            break
        if line[:1].isspace() or words[0] in ("logs", "cache", "special", "spares"):
            continue
        row = dict(zip(heads, words, strict=False))
        sizes = [row.get(name, "") for name in ("SIZE", "ALLOC", "FREE")]
        if len(words) != len(heads) or not all(map(_SIZE.match, sizes)):
            facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected {len(heads)} cells; left out")
            continue
        total, used, free = map(size, sizes)
        shares = {"full_fraction": _share(row.get("CAP")), "fragmented_fraction": _share(row.get("FRAG"))}
        figures = {"size_bytes": total, "alloc_bytes": used, "free_bytes": free, **shares}
        pools.append({"name": words[0], **figures, "health": row.get("HEALTH")})
    return facts


def _share(text: str | None) -> float | None:
    match = _SHARE.match(text or "")
    return int(match["percent"]) / 100 if match else None
