"""``lsblk``: the tree for people, pairs (-P), JSON (-J).

Units and traps
---------------
- Without -b sizes are rounded to one decimal, in powers of two: 447.1G. JSON has numbers with -b, texts without.
- Columns are chosen by options: what is not there is missing. Other programs have tables with some of the same heads
  (swapon, nmcli), which is why all heads must be known. Below a blank line only whole rows belong to the table.
- ``disks`` are devices of the type ``disk``, and where there is no type those at the root of the tree.
- The same array or logical volume is listed below each of its members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import ELIDED
from hecn_analysis.parsing import amounts
from hecn_analysis.parsing.json_values import trimmed

FORMATS: tuple[str, ...] = ("lsblk", "lsblk-json")
VERSIONS: str = "util-linux 2.19 to 2.41"
COMMANDS: tuple[str, ...] = ("lsblk",)
_COLUMN: Final = (
    r"(?:K?NAME|PATH|MAJ(?::MIN)?|MIN|SIZE|ROTA|TYPE|FS(?:TYPE|VER|AVAIL|SIZE|USED|USE%|ROOTS)|LABEL|UUID|MOUNTPOINTS?|RM|RO"
    r"|RA|WSAME|STATE|SCHED|MODEL|SERIAL|VENDOR|REV|TRAN|HCTL|PKNAME|ZONE[A-Z-]{1,6}|ALIGNMENT|MIN-IO|OPT-IO|PHY-SEC"
    r"|LOG-SEC|RQ-SIZE|DISC-[A-Z]{2,4}|HOTPLUG|RAND|PT(?:UUID|TYPE)|PART[A-Z]{1,8}|OWNER|GROUP|MODE|WWN|SUBSYSTEMS|DAX"
    r"|START|ID(?:-LINK)?|DISK-SEQ|MQ)"
)
BEGINS: re.Pattern[str] | None = re.compile(rf"(?:K?NAME|PATH)(?:\s{{1,200}}{_COLUMN}){{1,80}}\s*$")
REPEATS: bool = False

_PAIRS: Final = re.compile(r'(?:[A-Z][A-Z:-]{1,12}="[^"]{0,400}" ?){2,60}$')
_PAIR: Final = re.compile(r'(?P<name>[A-Z][A-Z:-]{1,12})="(?P<value>[^"]{0,400})"')
_NAME: Final = re.compile(r"(?P<tree>[\s|`├└│─-]{0,40})(?P<name>[^\s|`├└│─-]\S{0,80})")
_HEAD: Final = re.compile(r"\S{2,14}")
_RIGHT: Final = frozenset(
    (
        "SIZE",
        "RM",
        "RO",
        "ROTA",
        "RA",
        "PHY-SEC",
        "LOG-SEC",
        "MIN-IO",
        "OPT-IO",
        "ALIGNMENT",
        "RQ-SIZE",
        "HOTPLUG",
        "RAND",
    )
)
_WORDS: Final = frozenset(("MODEL", "VENDOR", "LABEL", "PARTLABEL", "PARTTYPENAME", "MOUNTPOINT", "MOUNTPOINTS"))
_PATHS: Final = frozenset(("PATH", "FSROOTS", "MOUNTPOINT", "MOUNTPOINTS", "MODEL", "LABEL", "PARTLABEL"))
_SWAP: Final = "[SWAP]"
#: The end of a row that mail has put on a line of its own: a type, a mount or both.
_END: Final = re.compile(
    r"(?:[01]\s{1,20})?(?P<type>disk|part|lvm|crypt|loop|rom|mpath|md|raid\d{1,2})?(?(type)(?:\s{1,80}|$))"
    r"(?:/\S{0,400}|\[SWAP\])?$"
)
_NUMBERED: Final = re.compile(r"\s\d{1,4}:\d{1,7}\s")
_TREE: Final = frozenset(" \t|`├└│")
_USUAL: Final = ("MAJ:MIN", "RM", "SIZE", "RO", "TYPE")
_BY_ORDER: Final = re.compile(
    r"\s{1,200}(\d{1,4}:\d{1,7})\s{1,40}([01])\s{1,40}(\S{1,20})\s{1,40}([01])\s{1,40}(\w{1,12})(?:\s{1,80}(\S.{0,300}))?$"
)
_MOST: Final = 4096
_DEEPEST: Final = 12


def recognises(output: Output) -> bool:
    """Look for the head of the columns, for pairs, or for the list of devices."""
    head = output.head(12)
    if re.search(r'"blockdevices"\s?:\s?\[', head) is not None:
        return True
    first = next((line for line in output.lines[:12] if not line.startswith("lsblk: ")), "")
    if BEGINS is not None and BEGINS.match(first):
        return True
    return _PAIRS.match(first[:4000]) is not None and "NAME=" in first


def read(output: Output) -> Facts:
    """Read all devices."""
    if re.search(r'"blockdevices"\s?:\s?\[', output.head(12)) is not None:
        facts = output.facts("lsblk-json", {})
        rows = [row for value in output.json if isinstance(value, dict) for row in _tree(value.get("blockdevices"), 0)]
    else:
        facts = output.facts("lsblk", {})
        rows = list(_lines(_unbroken(output.lines)))
    blocks: dict[str, dict[str, Any]] = {}
    for row in rows:
        block = _block(row)
        known = blocks.setdefault(block["name"], block)
        known["below"] = sorted({*known["below"], *block["below"]})
    kinds = {"disk"} if any(entry["type"] for entry in blocks.values()) else {None}
    disks = {
        name: entry
        for name, entry in blocks.items()
        if entry["type"] in kinds and (entry["type"] or not entry["below"])
    }
    facts.values["disks"] = {name: entry["size_bytes"] for name, entry in disks.items()}
    for fact in ("rotational", "physical_sector", "logical_sector"):
        facts.values[fact] = {name: entry[fact] for name, entry in blocks.items() if entry[fact] is not None}
    facts.values["mounts"] = {mount: name for name, entry in blocks.items() for mount in entry["mounts"]}
    facts.values["devices"] = list(blocks.values())
    if not blocks:
        facts.problem(output.last, "truncated", "found a head without rows below it, expected devices")
    return facts


def _tree(values: object, depth: int, parent: str | None = None) -> Iterator[dict[str, Any]]:
    """Devices of a JSON list with those below them."""
    if not isinstance(values, list) or depth > _DEEPEST:
        return
    for value in values[:_MOST]:
        if isinstance(value, dict):
            row = {str(name).upper(): text for name, text in value.items()}
            name = row.get("KNAME") if row.get("NAME") is None else row["NAME"]
            if isinstance(name, str) and name:
                yield {**row, "NAME": name, "_parent": parent}
                yield from _tree(value.get("children"), depth + 1, name)


def _unbroken(lines: Iterable[str]) -> Iterator[str]:
    """Lines of the tree whose ends mail has put on lines of their own, joined again."""
    kept, numbered = None, False
    for line in lines:
        if ELIDED.match(line):
            continue
        head = kept is not None and BEGINS is not None and BEGINS.match(kept) is not None
        if head and kept is not None and line.strip() and re.fullmatch(rf"(?:\s{{0,8}}{_COLUMN}){{1,40}}\s*", line):
            kept = f"{kept.rstrip()} {line.strip()}"
            continue
        numbered = "MAJ:MIN" in (kept or "") if head else numbered
        row = kept is not None and _NUMBERED.search(kept) is not None
        if kept is not None and numbered and row and line.strip() and _END.match(line.strip()):
            yield f"{kept.rstrip()} {line.strip()}"
            kept = None
            continue
        if kept is not None:
            yield kept
        kept = line
    if kept is not None:
        yield kept


def _lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Devices of the tree for people, or of pairs."""
    columns: list[tuple[str, int, int]] = []
    above: list[tuple[int, str]] = []
    is_parted = False  # by a blank line, below which only a whole row belongs to the table
    for line in map(str.rstrip, lines):
        if _PAIRS.match(line[:4000]) is not None:
            pairs = {pair["name"]: pair["value"] for pair in _PAIR.finditer(line[:4000])}
            if pairs.get("NAME") or pairs.get("KNAME"):
                yield {**pairs, "NAME": pairs.get("NAME") or pairs["KNAME"], "_parent": pairs.get("PKNAME") or None}
        elif BEGINS is not None and BEGINS.match(line):
            columns = [(head[0], head.start(), head.end()) for head in _HEAD.finditer(line[:2000])]
            is_parted = False
        elif not line.strip():
            is_parted = True
        elif is_parted and not ((named := _NAME.match(line)) and _BY_ORDER.match(line, named.end())):
            columns = []
        elif any(head == "MAJ:MIN" for head, *_ in columns) and not _NUMBERED.search(line):
            columns = (
                columns if line[:1] in _TREE else []
            )  # another mount of the device above, or words below the table
        elif columns and (match := _NAME.match(line)) is not None:
            depth = len(match["tree"])
            above = [parent for parent in above if parent[0] < depth]
            cells = _cells(columns, line, match.end())
            yield {**cells, "NAME": match["name"], "_parent": above[-1][1] if above else None}
            above.append((depth, match["name"]))


def _cells(columns: list[tuple[str, int, int]], line: str, name_end: int) -> dict[str, str]:
    """Words of a row under the head that they overlap or are next to; heads of numbers end where numbers end."""
    cells: dict[str, str] = {}
    names = [head for head, *_ in columns[1:]]
    if tuple(names[:-1]) in (_USUAL[:-1], _USUAL) and (row := _BY_ORDER.match(line, name_end)) is not None:
        return {name: value.strip() for name, value in zip(names, row.groups(), strict=False) if value}
    # A long name pushes the rest of its row to the right.
    second = re.compile(r"\d{1,4}:\d{1,7}").search(line, name_end)
    shift = 0
    place = next((start for head, start, _ in columns if head == "MAJ:MIN"), None)
    if second is not None and place is not None:
        colon = line.index(":", second.start())
        shift = colon - (place + len("MAJ"))
    for word in re.finditer(r"\S{1,200}", line[name_end:4000]):
        start, end = word.start() + name_end - shift, word.end() + name_end - shift
        under = next((head for head, *place in columns[1:] if _is_under(head, place, start, end)), None)
        if word[0].startswith(("/", "[SWAP]")) and under not in _PATHS:  # shortened cells move it from its head
            under = next((head for head in names if head.startswith("MOUNTPOINT")), under)
        if under is None:
            before = [head for head, first, _ in columns[1:] if first <= start]
            under = before[-1] if before and before[-1] in _WORDS else None
        if under is not None:
            cells[under] = f"{cells[under]} {word[0]}" if under in cells else word[0]
    return cells


def _is_under(head: str, place: list[int], start: int, end: int) -> bool:
    """Whether a word from a place to another stands under a head: at the side to which it is set, or over it."""
    first, last = place
    return (end == last if head in _RIGHT else start == first) or (start < last and end > first)


def _block(row: dict[str, Any]) -> dict[str, Any]:
    size = row.get("SIZE")
    given = row.get("MOUNTPOINTS") or row.get("MOUNTPOINT")
    mounts = given if isinstance(given, list) else [given]
    return {
        "name": row["NAME"],
        "type": trimmed(row.get("TYPE")),
        "size_bytes": size if isinstance(size, int) and not isinstance(size, bool) else amounts.size(trimmed(size)),
        "rotational": _flag(row.get("ROTA")),
        "physical_sector": _whole(row.get("PHY-SEC")),
        "logical_sector": _whole(row.get("LOG-SEC")),
        "model": trimmed(row.get("MODEL")),
        "transport": trimmed(row.get("TRAN")),
        "scheduler": trimmed(row.get("SCHED")),
        "mounts": [mount for mount in mounts if isinstance(mount, str) and (mount.startswith("/") or mount == _SWAP)],
        "below": [row["_parent"]] if row.get("_parent") else [],
    }


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else amounts.whole(trimmed(value))


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"1": True, "0": False}.get(str(value))
