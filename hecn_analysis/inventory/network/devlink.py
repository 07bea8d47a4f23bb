"""``devlink dev info`` and ``devlink port show``: drivers and firmware of network devices, and their ports.

Versions: iproute2 4.6 to 6.

Units and traps
---------------
- A device is named by its bus: only ``pci/…`` is an address; ``auxiliary/…`` is a part of a device and has none.
- Versions are those that run; those that are only stored count after the next start.
- Ports of switches that stand for virtual functions have the flavour ``pcivf``, those on the line ``physical``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import address

FORMATS: tuple[str, ...] = ("devlink",)
VERSIONS: str = "iproute2 4.6 to 6"
COMMANDS: tuple[str, ...] = ("devlink",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?:pci|auxiliary)/[\w:.]{3,60}(?::\s{0,8}\n\s{1,12}driver \S|/\d{1,9}: type \w)"
)
REPEATS: bool = False

_DEVICE: Final = re.compile(r"(?P<bus>pci|auxiliary)/(?P<place>[\w:.]{3,60}?):\s*$")
_PORT: Final = re.compile(
    r"(?P<bus>pci|auxiliary)/(?P<place>[\w:.]{3,60})/(?P<port>\d{1,9}): (?P<pairs>type \w.{0,300})$"
)
_WORDS: Final = re.compile(r"\s{1,24}(?P<name>[a-z][\w.-]{1,40})(?P<colon>:)?(?: (?P<value>\S.{0,120}?))?\s*$")


def recognises(output: Output) -> bool:
    """Look for a device with its driver, or a port with its type."""
    return BEGINS is not None and BEGINS.match(output.head(2)) is not None


def read(output: Output) -> Facts:
    """Read the devices and the ports."""
    devices: list[dict[str, Any]] = []
    ports: list[dict[str, Any]] = []
    kind = ""
    for _, line in output.numbered():
        if match := _PORT.match(line):
            words = match["pairs"].split()
            pairs = dict(zip(words[::2], words[1::2], strict=False))
            port = {"address": _address(match), "port": int(match["port"]), "interface": pairs.get("netdev")}
            ports.append({**port, "flavour": pairs.get("flavour"), "rdma_device": pairs.get("ibdev")})
        elif match := _DEVICE.match(line):
            devices.append({"address": _address(match), "driver": None, "running": {}})
            kind = ""
        elif devices and (match := _WORDS.match(line)):
            if match["colon"]:
                kind = match["name"]
            elif kind == "running":
                devices[-1]["running"][match["name"]] = match["value"]
            elif match["name"] == "driver":
                devices[-1]["driver"] = match["value"]
    return output.facts("devlink", {"devices": devices, "ports": ports})


def _address(match: re.Match[str]) -> str | None:
    return address(match["place"]) if match["bus"] == "pci" else None
