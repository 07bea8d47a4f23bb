"""``esxcli network nic list`` and ``esxcfg-nics -l``: the ports of an ESXi host.

Units and traps
---------------
- "Speed" is Mb/s, and 0 of a port without a link; ``esxcfg-nics`` writes "10000Mbps". "MTU" is that of the port.
- The order of the columns differs between versions: rows are read by what stands in them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import kernel
from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("esxi-nics",)
VERSIONS: str = "ESXi 4 to 8"
COMMANDS: tuple[str, ...] = ("esxcli", "esxcfg-nics")
BEGINS: re.Pattern[str] | None = re.compile(r"Name\s{1,20}PCI(?: Device)?\s{1,24}Driver\s")
REPEATS: bool = True

_ROW: Final = re.compile(
    r"(?P<name>vmnic\w{1,8}|vusb\d{1,3})\s{1,20}(?P<address>[0-9a-f:.]{5,12})\s{1,20}(?P<driver>[\w-]{1,32})\s{1,20}"
    r"(?:(?:Up|Down)\s{1,20})?(?P<link>Up|Down)\s{1,20}(?P<speed>\d{1,7})(?:Mbps)?\s{1,20}(?P<duplex>Full|Half)"
    r"\s{1,20}(?P<mac>(?:[0-9a-fA-Fx*]{2}:){5}[0-9a-fA-Fx*]{2})\s{1,20}(?P<mtu>\d{2,5})\b(?P<description>.{0,120})"
)
_RULE: Final = re.compile(r"[-\s]{4,400}$")


def recognises(output: Output) -> bool:
    """Look for the heads and for a port."""
    return BEGINS is not None and BEGINS.match(output.lines[0]) is not None and "vmnic" in output.head(4)


def read(output: Output) -> Facts:
    """Read all ports."""
    interfaces: list[dict[str, Any]] = []
    facts = output.facts("esxi-nics", {"interfaces": interfaces})
    for number, line in list(output.numbered())[1:]:
        if not line.strip():
            break
        if _RULE.match(line):
            continue
        row = _ROW.match(line[:400])
        if row is None:
            facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected a row of the table; left out")
            continue
        up = row["link"] == "Up"
        card = {
            "address": kernel.address(row["address"]),
            "driver": row["driver"],
            "description": row["description"].strip() or None,
        }
        runs = {
            "up": up,
            "speed_bps": float(row["speed"]) * 1e6 or None,
            "duplex": row["duplex"].lower() if up else None,
        }
        interfaces.append({"name": row["name"], **card, **runs, "mtu": int(row["mtu"])})
    return facts
