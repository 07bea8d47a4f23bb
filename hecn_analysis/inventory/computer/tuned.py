"""``tuned-adm active`` and ``tuned-adm list``: the profile that sets governor, buffers and read-ahead.

Versions: tuned 0.2 to 2.25.

Traps
-----
- "No current active profile." and "It seems that tuned daemon is not running" leave the kernel's defaults.
- A profile of several names ("throughput-performance my-own") has the later ones win.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("tuned-adm",)
VERSIONS: str = "tuned 0.2 to 2.25"
COMMANDS: tuple[str, ...] = ("tuned-adm",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"Current active profile: \S|No current active profile|Available profiles:$"
)
REPEATS: bool = False

_ACTIVE: Final = re.compile(r"Current active profile: (?P<profile>\S.{0,100}?)\s*$")
_NONE: Final = re.compile(r"No current active profile")
_STOPPED: Final = re.compile(
    r"(?:It seems that tuned daemon is not running|Cannot talk to TuneD daemon)", re.IGNORECASE
)
_PROFILE: Final = re.compile(r"- (?P<name>[\w.+-]{1,60})(?:\s|$)")


def recognises(output: Output) -> bool:
    """Look for the line of the profile, or for the list above it."""
    if any(_ACTIVE.match(line) or _NONE.match(line) for line in output.lines[:3]):
        return True
    listed = output.lines[0].strip() == "Available profiles:" and len(output.lines) > 1
    return listed and _PROFILE.match(output.lines[1]) is not None


def read(output: Output) -> Facts:
    """Read the profile, and those that there are."""
    facts = output.facts("tuned-adm", {"profile": None, "running": None, "profiles": []})
    for line in output.lines:
        if match := _ACTIVE.match(line):
            facts.values.update(profile=match["profile"], running=True)
        elif _STOPPED.search(line):
            facts.values["running"] = False
        elif facts.values["profile"] is None and (match := _PROFILE.match(line)):
            facts.values["profiles"].append(match["name"])
    return facts
