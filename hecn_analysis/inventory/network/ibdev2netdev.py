"""``ibdev2netdev`` of the drivers of NVIDIA and Mellanox: which RDMA device is which network interface.

Versions: MLNX_OFED 2 to 24, with and without -v.

Units and traps
---------------
- "(Up)" is the state of the network interface, not of the InfiniBand port.
- With -v the PCI address stands in front; MTUs are those of the RDMA port.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import address

FORMATS: tuple[str, ...] = ("ibdev2netdev",)
VERSIONS: str = "MLNX_OFED 2 to 24"
COMMANDS: tuple[str, ...] = ("ibdev2netdev",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?:[0-9a-f]{4}:[0-9a-f:.]{7} )?[a-z]\w{1,23} {1,20}(?:\(.{1,200}\) .{0,200}?)?port {1,8}\d{1,2} .{0,120}?==> "
)
REPEATS: bool = False

_LINE: Final = re.compile(
    r"(?:(?P<address>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d) )?(?P<device>[a-z]\w{1,23}) {1,20}"
    r"(?:\(.{1,200}\) .{0,200}?)?port {1,8}(?P<port>\d{1,2}) .{0,120}?==> {1,8}(?P<interface>[\w.@-]{1,32}) {1,20}"
    r"\((?P<state>Up|Down)\)\s{0,8}(?:#.{0,200})?$"
)


def recognises(output: Output) -> bool:
    """Look for a line of it first."""
    return _LINE.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Read all pairs."""
    pairs: list[dict[str, Any]] = []
    facts = output.facts("ibdev2netdev", {"pairs": pairs})
    for number, line in output.numbered():
        if (match := _LINE.match(line[:500])) is not None:
            place = address(match["address"]) if match["address"] else None
            pair = {"device": match["device"], "port": int(match["port"]), "interface": match["interface"]}
            pairs.append({**pair, "up": match["state"] == "Up", "address": place})
        elif "==>" in line:
            facts.problem(number, "malformed", f"found {line.strip()[:80]!r}, expected '… port … ==> … (Up)'; left out")
    return facts
