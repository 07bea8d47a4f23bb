"""``ibv_devinfo``, also with ``-v``: RDMA devices, their firmware, and state, MTU and rate of their ports.

Units and traps
---------------
- Values are followed by their code: "4096 (5)", "25.0 Gbps (32)". ``active_speed`` is that of one lane: four lanes of
  25.0 Gbps are EDR, 100 Gb/s. A code without a name is a speed that the program did not know.
- Pasted text has lost its margins, or begins below the name of the device: ``name`` is then missing.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("ibv-devinfo",)
VERSIONS: str = "libibverbs 1.1 to rdma-core 55"
COMMANDS: tuple[str, ...] = ("ibv_devinfo",)
BEGINS: re.Pattern[str] | None = re.compile(r"\s{0,8}hca_id:\s{1,12}\S")
REPEATS: bool = False

_FIELD: Final = re.compile(r"[\s>]{0,60}(?P<name>[a-z_]{3,24}):\s{1,60}(?P<value>\S.{0,80}?)\s{0,40}$")
_CODE: Final = re.compile(r"(?P<text>.{1,60}?) \((?P<code>\d{1,10})\)$")
_SPEED: Final = re.compile(r"(?P<rate>\d{1,4}(?:\.\d)?) Gbps")
_WIDTH: Final = re.compile(r"(?P<lanes>\d{1,2})X$")
_DEVICE: Final = {"transport": "transport", "fw_ver": "firmware", "board_id": "board", "vendor_part_id": "part_id"}
_PORT: Final = {"state": "state", "link_layer": "link_layer", "active_mtu": "mtu", "max_mtu": "max_mtu"}
_OWN: Final = ("phys_port_cnt:", "vendor_part_id:")


def recognises(output: Output) -> bool:
    """Look for labels that only this program has."""
    head = output.head(16)
    return all(word in head for word in _OWN) and not head.startswith(("CA '", "    CA"))


def read(output: Output) -> Facts:
    """Read all devices with their ports."""
    devices: list[dict[str, Any]] = []
    for line in output.lines:
        field = _FIELD.match(line) if len(line) < 200 else None
        if field is None:
            continue
        coded = _CODE.match(field["value"])
        name, value = field["name"], coded["text"] if coded else field["value"]
        if name == "hca_id" or not devices:
            empty = dict.fromkeys(_DEVICE.values())
            devices.append({"name": value if name == "hca_id" else None, **empty, "ports": []})
        ports: list[dict[str, Any]] = devices[-1]["ports"]
        if name in _DEVICE:
            devices[-1][_DEVICE[name]] = value
        elif name == "port" and value.isdigit():
            ports.append({"port": int(value), **dict.fromkeys((*_PORT.values(), "width", "lane_bps", "rate_bps"))})
        elif ports:
            _take(ports[-1], name, value)
    return output.facts("ibv-devinfo", {"n_devices": len(devices), "devices": devices})


def _take(port: dict[str, Any], name: str, value: str) -> None:
    """Take a value of a port."""
    if name in ("active_mtu", "max_mtu"):
        port[_PORT[name]] = int(value) if value.isdigit() else None
    elif name in _PORT:
        port[_PORT[name]] = value
    elif name == "active_width" and (width := _WIDTH.match(value)) is not None:
        port["width"] = int(width["lanes"])
    elif name == "active_speed" and (speed := _SPEED.match(value)) is not None:
        port["lane_bps"] = float(speed["rate"]) * 1e9
    if port["width"] and port["lane_bps"]:
        port["rate_bps"] = port["width"] * port["lane_bps"]
