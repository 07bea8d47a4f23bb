"""``ibstat`` and ``ibstatus``: InfiniBand and RoCE adapters with their ports.

Units and traps
---------------
- ibstat's rate is in Gb/s without a unit, rounded down for old rates (2.5 prints as 2); ibstatus prints ``100 Gb/sec
  (4X EDR)``. Both are the rate of data after coding but for SDR, DDR and QDR, where 8b/10b still has to come off.
- The state of an adapter is that of its first port.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("ibstat", "ibstatus")
VERSIONS: str = "infiniband-diags 1.5 to 2, rdma-core"
COMMANDS: tuple[str, ...] = ("ibstat", "ibstatus")
BEGINS: re.Pattern[str] | None = re.compile(r"(CA '[\w-]{1,40}')|(Infiniband device '[\w-]{1,40}' port \d)")
REPEATS: bool = False

_CA: Final = re.compile(r"\s{0,8}CA '(?P<name>[\w-]{1,40})'")
_DEVICE: Final = re.compile(r"\s{0,8}Infiniband device '(?P<name>[\w-]{1,40})' port (?P<port>\d{1,3}) status")
_PORT: Final = re.compile(r"\s{0,16}Port (?P<port>\d{1,3}):\s*$")
_NAMES: Final = {"CA type": "type", "Firmware version": "firmware"}
_RATE: Final = re.compile(
    r"(?P<rate>\d{1,5}(?:\.\d{1,3})?)(?: Gb/sec)?(?: \((?P<width>\d{1,2})X (?P<speed>[A-Z0-9]{2,6})\))?"
)


def recognises(output: Output) -> bool:
    """Look for an adapter."""
    return any(_CA.match(line) or _DEVICE.match(line) for line in output.lines[:6])


def read(output: Output) -> Facts:
    """Read all adapters."""
    cas: list[dict[str, Any]] = []
    status = any(_DEVICE.match(line) for line in output.lines[:6])
    port: dict[str, Any] | None = None
    for number, line in output.numbered():
        if (one := _CA.match(line)) is not None:
            cas.append(_ca(one))
            port = None
        elif (one := _DEVICE.match(line)) is not None:
            if not cas or cas[-1]["name"] != one["name"]:
                cas.append(_ca(one))
            port = _new(cas[-1], one["port"])
        elif cas and (one := _PORT.match(line)) is not None:
            port = _new(cas[-1], one["port"])
        elif cas and (field := labelled(number, line)) is not None:
            if port is not None:
                _port(port, field.name.lower().replace("_", " "), field.value)
            elif field.name in _NAMES:
                cas[-1][_NAMES[field.name]] = field.value or None
    for ca in cas:
        first = ca["ports"][0] if ca["ports"] else {}
        ca.update({name: first.get(name) for name in ("state", "rate_bps", "link_layer")})
    return output.facts("ibstatus" if status else "ibstat", {"n_cas": len(cas), "cas": cas})


def _ca(match: re.Match[str]) -> dict[str, Any]:
    return {"name": match["name"], "type": None, "firmware": None, "ports": []}


def _new(ca: dict[str, Any], number: str) -> dict[str, Any]:
    port = {"port": int(number), "state": None, "physical_state": None, "rate_bps": None, "link_layer": None}
    ca["ports"].append(port)
    return port


def _port(port: dict[str, Any], name: str, text: str) -> None:
    if name == "state":
        port["state"] = text.partition(": ")[2].capitalize() if ": " in text else text or None
    elif name in ("physical state", "phys state"):
        port["physical_state"] = text.rpartition(": ")[2] or None
    elif name == "link layer":
        port["link_layer"] = text or None
    elif name == "rate" and (rate := _RATE.match(text)) is not None:
        number = amounts.number(rate["rate"])
        port["rate_bps"] = None if number is None else round(number * 1e9)
        if rate["speed"]:
            port["width"], port["speed"] = int(rate["width"]), rate["speed"]
