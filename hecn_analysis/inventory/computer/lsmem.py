"""``lsmem``: ranges of memory and whether they are online.

Versions: util-linux 2.30 to 2.41 (text and JSON), s390-tools. The ranges are exact, the totals below them rounded
("383.8G"); where both are there and agree, the sum of the ranges is taken.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import size
from hecn_analysis.parsing.json_values import at, objects

FORMATS = ("lsmem",)
VERSIONS = "util-linux 2.30 to 2.41"
COMMANDS = ("lsmem",)
BEGINS = re.compile(r"RANGE\s{1,60}SIZE(?:\s|$)|Address Range\s{2,40}Size")
REPEATS = True

_RANGE: Final = re.compile(
    r"\s{0,4}0x(?P<first>[0-9a-f]{1,16})-0x(?P<last>[0-9a-f]{1,16})\s{1,20}\S{1,12}\s{1,20}(?P<state>o\w{1,8})"
)
_TOTAL: Final = re.compile(
    r"(?P<name>Memory (?:block|device) size|Total (?:online|offline) memory)\s{0,8}:"
    r"\s{0,20}(?P<size>\S{1,20}(?: [kMG]B)?)\s*$"
)
_NAMES: Final = {
    "Memory block size": "block_bytes",
    "Memory device size": "block_bytes",
    "Total online memory": "memory_online_bytes",
    "Total offline memory": "memory_offline_bytes",
}
_ROUNDED: Final = 0.015


def recognises(output: Output) -> bool:
    """Whether this is its table, its totals or its JSON."""
    if BEGINS.match(output.lines[0]) or any(_TOTAL.match(line) for line in output.lines[:4]):
        return True
    return output.text.lstrip().startswith("{") and '"memory"' in output.head(3) and '"range"' in output.head(9)


def read(output: Output) -> Facts:
    """How much memory there is, online and offline, and of how large blocks."""
    facts = output.facts("lsmem", dict.fromkeys(_NAMES.values()))
    sums = {"online": 0, "offline": 0}
    for line in output.lines:
        if match := _RANGE.match(line):
            state = "online" if match["state"].startswith("on") else "offline"
            sums[state] += int(match["last"], 16) - int(match["first"], 16) + 1
        elif match := _TOTAL.match(line):
            facts.values[_NAMES[match["name"]]] = size(match["size"])
    for value in output.json:
        for row in objects(at(value, "memory")):
            if match := _RANGE.match(f"{row.get('range')} {row.get('size')} {row.get('state')}"):
                sums["online" if match["state"] == "online" else "offline"] += (
                    int(match["last"], 16) - int(match["first"], 16) + 1
                )
    for state, total in sums.items():
        name = f"memory_{state}_bytes"
        printed = facts.values[name]
        if sums["online"] and (printed is None or abs(total - printed) <= _ROUNDED * printed):
            facts.values[name] = total
    return facts
