"""``mii-tool``: rate and duplex of ports of up to 1 Gb/s.

Units and traps
---------------
- ``eth0: negotiated 100baseTx-FD flow-control, link ok``: FD is full duplex, HD half. The tool knows nothing of rates
  above 1 Gb/s, and calls some ports of 1 Gb/s 100baseTx.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("mii-tool",)
VERSIONS: str = "net-tools 1.60 to 2.10"
COMMANDS: tuple[str, ...] = ("mii-tool",)
BEGINS: re.Pattern[str] | None = re.compile(r"[\w.-]{1,16}: (?:negotiated|no autonegotiation|no link|\d{1,4} ?Mbit)")
REPEATS: bool = False

_LINE: Final = re.compile(
    r"(?P<name>[\w.-]{1,16}): (?:(?P<how>negotiated|no autonegotiation,) ?)?"
    r"(?:(?P<rate>\d{1,4})(?:base\w{1,3}-(?P<duplex>[FH])D| ?Mbit, (?P<word>full|half) duplex))?.{0,40}?"
    r"(?P<link>link ok|no link)"
)


def recognises(output: Output) -> bool:
    """Look for a port with the state of its link."""
    return _LINE.match(output.lines[0][:200]) is not None


def read(output: Output) -> Facts:
    """Read all ports."""
    interfaces: list[dict[str, Any]] = []
    for line in output.lines:
        if (match := _LINE.match(line[:200])) is not None:
            duplex = {"F": "full", "H": "half"}.get(match["duplex"] or "", match["word"])
            speed = float(match["rate"]) * 1e6 if match["rate"] else None
            negotiated = None if match["how"] is None else match["how"] == "negotiated"
            up = match["link"] == "link ok"
            facts = {"speed_bps": speed if up else None, "duplex": duplex, "autoneg": negotiated, "link_detected": up}
            interfaces.append({"name": match["name"], **facts})
    return output.facts("mii-tool", {"interfaces": interfaces})
