"""What a host's network counted since it started: ``ethtool -S``, ``/proc/net/softnet_stat``.

``hecn counters`` makes rates of two or more readings of them; here they say what was dropped, and where.

- Names of ``ethtool -S`` are the driver's own: `losses` are those, above 0, that name drops, discards, misses or
  errors.
- A line of ``softnet_stat`` is a processor: packets, drops for a full backlog, and how often its turn was too short
  (hexadecimal).
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("ethtool-S", "softnet-stat")
VERSIONS = "ethtool 2 to 6, Linux 2.6 to 6.x"
COMMANDS = ("/proc/net/softnet_stat",)
BEGINS = re.compile(r"NIC statistics:\s*$")
REPEATS = True

_COUNT: Final = re.compile(r"\s{1,20}(?P<name>[\w .\[\]:/()-]{1,80}?):\s{1,20}(?P<value>\d{1,20})\s*$")
_LOSS: Final = re.compile(r"drop|discard|miss|error|no_buf|nobuf|overrun|out_of_buffer", re.IGNORECASE)
_SOFTNET: Final = re.compile(
    r"(?P<packets>[0-9a-f]{8}) (?P<dropped>[0-9a-f]{8}) (?P<squeezed>[0-9a-f]{8})(?: [0-9a-f]{8}){6,12}\s*$"
)
_INTERFACE: Final = re.compile(r"ethtool_-S_(?P<name>[\w.@-]{1,40})$")


def recognises(output: Output) -> bool:
    """Whether this is a driver's statistics, or lines of hexadecimal counts."""
    if BEGINS.match(output.lines[0]):
        return True
    return all(_SOFTNET.match(line) for line in output.lines[:4])


def read(output: Output) -> Facts:
    """What was dropped."""
    if BEGINS.match(output.lines[0]):
        named = _INTERFACE.search(output.source_file)
        words = [word for word in output.command[1:] if not word.startswith("-")]
        counts = {match["name"].strip(): int(match["value"]) for line in output.lines if (match := _COUNT.match(line))}
        losses = {name: count for name, count in counts.items() if count and _LOSS.search(name)}
        interface = words[0] if words else named["name"] if named else None
        return output.facts("ethtool-S", {"interface": interface, "n_counters": len(counts), "losses": losses})
    names = ("packets", "dropped", "squeezed")
    lines = [match for line in output.lines if (match := _SOFTNET.match(line))]
    rows = [{name: int(match[name], 16) for name in names} for match in lines]
    return output.facts("softnet-stat", {"cpus": rows, "dropped": sum(row["dropped"] for row in rows)})
