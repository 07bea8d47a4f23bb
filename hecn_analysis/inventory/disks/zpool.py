"""``zpool status``: pools of ZFS with what they are made of.

Units and traps
---------------
- A pool stripes over its groups (mirror-0, raidz2-1), and over disks that stand alone. ``logs``, ``cache``, ``spares``
  and ``special`` are groups of their own that hold no bulk data.
- How deep a line is indented says what it belongs to. Names may be whole paths.
- A paste may begin below "pool:": the first row of the configuration has the name and the state.
- The state of a pool is ONLINE, DEGRADED, FAULTED, SUSPENDED …; a rebuild is called resilver.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("zpool-status",)
VERSIONS: str = "ZFS on Linux 0.6 to OpenZFS 2.3, FreeBSD, illumos"
COMMANDS: tuple[str, ...] = ("zpool",)
BEGINS: re.Pattern[str] | None = re.compile(r"\s{0,4}pool: \S{1,200}")
REPEATS: bool = False

_FIELD: Final = re.compile(r"\s{0,4}(?P<name>pool|state|status|action|scan|scrub|errors): ?(?P<value>.{0,300})$")
_ROW: Final = re.compile(
    r"(?P<indent>[\t ]{0,40})(?P<name>\S{1,200})(?:\s+(?P<state>[A-Z]{4,10})(?:\s+[\d.KMGT]{1,12}){0,3})?"
    r"(?:\s+\S.{0,200})?$"
)
_GROUP: Final = re.compile(
    r"(?:mirror|raidz[123]?|draid\d?|spare|replacing|special|log)(?:[:\w]{0,40})?-\d{1,6}$|raidz[123]?$|mirror$"
)
_WHOLE: Final = re.compile(r"(?:mirror|raidz[123]?|draid\d?)(?:[:\w]{0,40})?-\d{1,6}$")  # in no other group
_APART: Final = frozenset(("logs", "cache", "spares", "special", "dedup"))
_PROGRESS: Final = re.compile(r"(?P<percent>\d{1,3}(?:\.\d{1,3})?)% done")

_FIELDS: Final[labels.Fields] = {
    "state": ("state", labels.text),
    "scan": ("scan", labels.text),
    "scrub": ("scan", labels.text),
    "errors": ("errors", lambda text: None if text in ("", "No known data errors") else text),
}

_POOL: Final = re.compile(r"^\s{0,4}pool: \S", re.MULTILINE)
_HEAD: Final = re.compile(r"^[\t ]{0,40}NAME\s{1,80}STATE\s{1,20}READ\s{1,8}WRITE\s{1,8}CKSUM\s*$", re.MULTILINE)
_PART: Final = re.compile(
    r"^\s{0,4}config:\s{1,200}?\S{1,200}\s{1,80}(?:ONLINE|DEGRADED|FAULTED|SUSPENDED|UNAVAIL)\s+\d", re.MULTILINE
)


def recognises(output: Output) -> bool:
    """Look for a pool and its configuration, or for the configuration alone."""
    head = output.head(60)
    if _POOL.search(head) is not None:
        return "config:" in output.text[:20_000]
    return _HEAD.search(head) is not None or _PART.search(head) is not None


def read(output: Output) -> Facts:
    """Read all pools."""
    pools: list[dict[str, Any]] = []
    depths: list[int] = []
    facts = output.facts("zpool-status", {"n_pools": 0, "pools": pools})
    config, apart = False, False
    for line in output.lines:
        field = _FIELD.match(line)
        is_head = _HEAD.match(line) is not None
        if not pools and (field is not None or is_head or line.strip() == "config:"):
            pools.append(_pool())
        if field is not None and field["name"] == "pool":
            if pools[-1]["name"] is not None or depths:
                pools.append(_pool())
            pools[-1]["name"] = field["value"].strip()
            config, depths = False, []
        elif pools and field is not None:
            labels.take(pools[-1], _FIELDS, field["name"], field["value"].strip())
            config = config and field["name"] != "errors"
        elif pools and (line.strip() == "config:" or (is_head and not config)):
            config, apart, depths = True, False, []
        elif pools and (progress := _PROGRESS.search(line)) is not None:
            pools[-1]["progress"] = round(float(progress["percent"]) / 100, 6)
        elif pools and config and labels.ELIDED.match(line):
            pools[-1]["is_partial"] = True  # somebody left out members
        elif pools and config and (row := _row(line)) is not None:
            apart = _member(pools[-1], row, depths, apart=apart)
    facts.values["n_pools"] = len(pools)
    return facts


def _pool() -> dict[str, Any]:
    """A pool of which nothing is known."""
    return {"name": None, "state": None, "scan": None, "errors": None, "groups": [], "apart": []}


def _row(line: str) -> re.Match[str] | None:
    """A line of the configuration; one without its margin has a state, else it is the end of a line above."""
    row = _ROW.match(line)
    if row is None or row["name"] == "NAME":
        return None
    return row if row["indent"] or row["state"] is not None or row["name"] in _APART else None


def _stand_by(pool: dict[str, Any], row: re.Match[str], *, apart: bool) -> None:
    """Add a disk of the logs, the cache, the spares."""
    if apart and pool["apart"] and row["state"] and not _GROUP.match(row["name"]):
        pool["apart"][-1]["disks"].append(row["name"])


def _member(pool: dict[str, Any], row: re.Match[str], depths: list[int], *, apart: bool) -> bool:
    """Take over a line of the configuration; say whether what follows holds no bulk data."""
    depth = len(row["indent"].expandtabs(8))
    if not depths:
        depths.append(depth)  # the pool itself
        pool.update(name=pool["name"] or row["name"], state=pool["state"] or row["state"])
        return False
    if row["name"] in _APART and row["state"] is None:
        pool["apart"].append({"kind": row["name"], "disks": []})
        return True
    if depth <= depths[0] and _WHOLE.match(row["name"]) and not pool["groups"]:
        depths.append(depth)  # without any margin, names alone tell
    is_flat = len(depths) > 1
    if apart or (depth <= depths[0] and not is_flat):
        _stand_by(pool, row, apart=apart)
        return True
    kind = _GROUP.match(row["name"])
    if kind is not None and ((depth <= depths[0] + 2 and not is_flat) or _WHOLE.match(row["name"])):
        level = row["name"].partition("-")[0].partition(":")[0]
        pool["groups"].append({"level": level, "state": row["state"], "disks": [], "failed": []})
    elif kind is None:
        if depth <= depths[0] + 2 and not is_flat:
            pool["groups"].append({"level": "disk", "state": row["state"], "disks": [], "failed": []})
        if pool["groups"]:
            group = pool["groups"][-1]
            group["disks"].append(row["name"])
            if row["state"] not in (None, "ONLINE"):
                group["failed"].append(row["name"])
    return False
