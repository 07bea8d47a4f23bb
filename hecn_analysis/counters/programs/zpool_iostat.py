"""Output of ``zpool iostat``: what pools of ZFS read and write. There are no interfaces in it, all is facts.

Versions: OpenZFS 0.6 to 2.3, FreeBSD, illumos, Solaris 10 ("used" and "avail"); ``-v``, ``-l`` and ``-y`` or not. The
last report of each pool counts, and the largest rates of all but the first.

Units and traps
---------------
- Amounts, rates and operations have prefixes of 1024: "38.2M" is 38.2 * 2**20 bytes a second. Locales have commas.
- The first report is the mean since the pool was imported, unless ``-y`` left it out: `is_since_import` if alone.
- With ``-v`` rows below a pool are its groups and disks, by their indentation; "logs" and "cache" are no pools. Where
  the indentation is lost, the first group ("raidz2-0"), or disk without sizes, begins the parts of a pool.
- Latencies (``-l``) stand to the right, and are left out. Without headings (``-H``) nothing says what columns are.
- A last line without its line feed may lack a prefix: it is left out if it ends with a digit other than a lone 0.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import lines_with_ends
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number, scale

FORMATS: Final = ("zpool-iostat",)
VERSIONS: Final = "OpenZFS 0.6 to 2.3, FreeBSD, illumos"
WHOLE: Final = False

_HEADING: Final = re.compile(
    r"^(?P<margin>[ \t]{0,40})(?:pool|vdev)\s{1,200}(?:alloc|used)\s{1,8}(?:free|avail)\s{1,8}"
    r"read\s{1,8}write\s{1,8}read\s{1,8}write\b",
    re.MULTILINE,
)
_AMOUNT: Final = r"(?:\d{1,6}(?:[.,]\d{1,3})?[KMGTPE]?|-)"
_ROW: Final = re.compile(
    r"^(?P<indent>[ \t]{0,60})(?P<name>\S{1,200})\s{1,200}"
    rf"(?P<figures>{_AMOUNT}(?:\s{{1,12}}{_AMOUNT}){{5}})(?:\s|$)"
)
_COLUMNS: Final = ("alloc_bytes", "free_bytes", "read_ops_per_s", "write_ops_per_s", "read_bps", "write_bps")
_GROUP: Final = re.compile(r"(?:mirror|raidz\d?|draid\S{0,40}|replacing|spare|indirect)(?:-\d{1,6})?$")
_APART: Final = frozenset({"logs", "cache", "special", "spares", "dedup"})


def recognises(document: Document) -> bool:
    """Whether the heading of pools is in the file."""
    return ("alloc" in document.text or "used" in document.text) and _HEADING.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report of each pool."""
    findings.format = "zpool-iostat"
    pools: dict[str, dict[str, Any]] = {}
    reports: dict[str, list[tuple[bool, dict[str, float | None]]]] = {}  # with whether each is since the import
    shown: set[str] = set()  # by the open command
    pool: dict[str, Any] | None = None
    margin: int | None = None
    is_flat = False
    for line, text in enumerate(lines_with_ends(document, findings), 1):
        if heading := _HEADING.match(text):
            shown = set() if margin is None else shown
            margin, is_flat = len(heading["margin"].expandtabs()), False
        elif margin is None or not text.strip() or text.strip().startswith("---"):
            is_flat = False
        elif (row := _ROW.match(text)) is None:
            margin, pool = margin if _is_damaged(line, text, findings) else None, None
        elif row["name"] in _APART:
            is_flat = True  # until the line that ends the pool
        elif is_flat or _is_part(row, margin):
            is_flat = is_flat or len(row["indent"].expandtabs()) <= margin
            if pool is not None:
                pool["parts"].append({"name": row["name"], **_figures(row)})
        else:
            reports.setdefault(row["name"], []).append((row["name"] not in shown, _figures(row)))
            shown.add(row["name"])
            pool = pools[row["name"]] = {"name": row["name"], **_figures(row), "parts": []}
    for name, facts in pools.items():
        facts["is_since_import"] = reports[name][-1][0]
        of_intervals = [figures for is_first, figures in reports[name] if not is_first]
        for rate in ("read_bps", "write_bps"):
            facts[f"max_{rate}"] = max(each[rate] or 0.0 for each in of_intervals or [reports[name][-1][1]])
    findings.facts.update(pools=list(pools.values()), n_pools=len(pools))


def _is_part(row: re.Match[str], margin: int) -> bool:
    """Whether a row is that of a group or a disk, by its indentation, its name, or its sizes."""
    is_below = len(row["indent"].expandtabs()) > margin or _GROUP.match(row["name"]) is not None
    return is_below or row["figures"].startswith("-")


def _is_damaged(line: int, text: str, findings: CounterFindings) -> bool:
    """Whether a line that is not a row belongs to the table, and is damaged or the heading's first line."""
    words = text.split()
    if words[:2] == ["capacity", "operations"]:
        return True
    if len(words) != len(_COLUMNS) + 1 or not words[-1][:1].isdecimal():
        return False
    findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected a name and six figures; left out")
    return True


def _figures(row: re.Match[str]) -> dict[str, float | None]:
    """Figures of a row in SI units; None where there is none."""
    values: dict[str, float | None] = {}
    for name, text in zip(_COLUMNS, row["figures"].split(), strict=True):
        digits = number(text.rstrip("KMGTPE").replace(",", "."))
        unit = scale(text[-1], 1024) * (8 if name.endswith("_bps") else 1)
        values[name] = None if digits is None else digits * unit
    return values
