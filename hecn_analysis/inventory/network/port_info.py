"""``ibportstate`` and ``smpquery portinfo``: the state of a port of an InfiniBand fabric.

Units and traps
---------------
- Labels are filled with dots. "LinkSpeedActive" is the rate of one lane, "LinkWidthActive" the number of lanes: 4X at
  10.0 Gbps is 40 Gb/s of symbols, of which 8b/10b leaves four fifths up to 10 Gbps (QDR).
- "LinkSpeedExtActive" (FDR and later) replaces "LinkSpeedActive" where it is not "No Extended Speed".
- ``signal_bps`` counts all bits on the wire. What follows "Peer PortInfo" is the other end of the cable.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("ib-port-info",)
VERSIONS: str = "infiniband-diags 1.4 to 5"
COMMANDS: tuple[str, ...] = ("ibportstate", "smpquery")
BEGINS: re.Pattern[str] | None = re.compile(r"# Port info: (?:Lid|DR)|(?:Peer )?PortInfo:\s{0,8}$")
REPEATS: bool = False

_PORT: Final = re.compile(r"# Port info: (?P<path>(?:Lid|DR).{1,120}?) port (?P<port>\d{1,3})\s{0,8}$")
_FIELD: Final = re.compile(r"(?P<name>[A-Za-z]{3,30}):\.{1,60}(?P<value>.{0,120})$")
_LANES: Final = re.compile(r"(?P<lanes>\d{1,2})X\b")
_RATE: Final = re.compile(r"(?P<rate>\d{1,4}(?:\.\d{1,6})?) Gbps")
_STATES: Final = {"LinkState": "state", "PhysLinkState": "physical_state"}


def recognises(output: Output) -> bool:
    """Look for the line of a port."""
    return any(_PORT.match(line) for line in output.lines[:3])


def read(output: Output) -> Facts:
    """Read all ports."""
    ports: list[dict[str, Any]] = []
    for line in output.lines:
        if (port := _PORT.match(line)) is not None:
            empty = dict.fromkeys(("state", "physical_state", "width", "lane_bps", "signal_bps"))
            ports.append({"path": port["path"], "port": int(port["port"]), **empty})
        elif ports and (field := _FIELD.match(line)) is not None:
            _take(ports[-1], field["name"], field["value"].strip())
    for port_facts in ports:
        if port_facts["width"] and port_facts["lane_bps"]:
            port_facts["signal_bps"] = port_facts["width"] * port_facts["lane_bps"]
    return output.facts("ib-port-info", {"n_ports": len(ports), "ports": ports})


def _take(port: dict[str, Any], name: str, value: str) -> None:
    """Take a labelled value."""
    if name in _STATES:
        port[_STATES[name]] = value
    elif name == "LinkWidthActive" and (lanes := _LANES.match(value)):
        port["width"] = int(lanes["lanes"])
    elif name in ("LinkSpeedActive", "LinkSpeedExtActive") and (rate := _RATE.match(value)):
        port["lane_bps"] = float(rate["rate"]) * 1e9
