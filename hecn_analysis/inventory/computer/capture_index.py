"""``index.csv`` of ``hecn capture``: which commands ran, into which file, and how each ended."""

from __future__ import annotations

import csv
import re
from typing import Any

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("capture-index",)
VERSIONS = "hecn-analysis 0.1"
COMMANDS: tuple[str, ...] = ()
BEGINS = re.compile(r"file,command,ended,duration_s,note$")
REPEATS = False


def recognises(output: Output) -> bool:
    """Whether the first line is its header."""
    return BEGINS.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Each command, and how many gave nothing."""
    commands: list[dict[str, Any]] = []
    facts = output.facts("capture-index", {"commands": commands, "n_commands": 0, "n_failed": 0})
    try:
        rows = list(csv.DictReader(output.lines))
    except csv.Error as error:
        facts.problem(output.first, "malformed", f"found {error}, expected CSV; left out")
        return facts
    commands += [{name: row.get(name) or None for name in ("file", "command", "ended", "note")} for row in rows]
    facts.values["n_commands"] = len(commands)
    facts.values["n_failed"] = sum(not row["file"] for row in commands)
    return facts
