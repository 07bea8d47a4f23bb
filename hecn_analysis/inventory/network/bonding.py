"""``/proc/net/bonding/*``: several ports as one.

Units and traps
---------------
- The mode is given by the kernel's short name: ``IEEE 802.3ad Dynamic link aggregation`` is 802.3ad.
- Speed is in Mb/s (10^6); ``Unknown`` is missing. Only slaves of the active aggregator carry traffic.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import amounts
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, all_labelled

FORMATS: tuple[str, ...] = ("proc-net-bonding",)
VERSIONS: str = "bonding driver 2.4 to 5, Linux 6"
COMMANDS: tuple[str, ...] = ("/proc/net/bonding",)
BEGINS: re.Pattern[str] | None = re.compile(r"Ethernet Channel Bonding Driver: ")
REPEATS: bool = True

_MODES: Final = {
    "load balancing (round-robin)": "balance-rr",
    "fault-tolerance (active-backup)": "active-backup",
    "load balancing (xor)": "balance-xor",
    "fault-tolerance (broadcast)": "broadcast",
    "IEEE 802.3ad Dynamic link aggregation": "802.3ad",
    "transmit load balancing": "balance-tlb",
    "adaptive load balancing": "balance-alb",
}
_SPEED: Final = re.compile(r"(?P<mbps>\d{1,9})(?: ?Mbps)?$")


def recognises(output: Output) -> bool:
    """Look for the driver's name or the mode."""
    return re.search(r"^Ethernet Channel Bonding Driver: |^Bonding Mode: ", output.head(6), re.MULTILINE) is not None


def read(output: Output) -> Facts:
    """Read the bond and its slaves."""
    slaves: list[dict[str, Any]] = []
    values: dict[str, Any] = dict.fromkeys(
        ("interface", "mode", "hash_policy", "lacp_rate", "state", "active_slave", "active_aggregator", "active_ports")
    )
    values["slaves"] = slaves
    name = re.search(
        r"/proc/net/bonding/(\S{1,40})|net[/_]bonding[/_](\w{1,40})$", " ".join((*output.command, output.source_file))
    )
    values["interface"] = (name[1] or name[2]) if name else None
    for line in all_labelled(output.numbered()):
        if line.name == "Slave Interface":
            slaves.append(
                {"name": line.value, "state": None, "speed_bps": None, "aggregator": None, "link_failures": None}
            )
        elif slaves:
            _slave(slaves[-1], line)
        else:
            _bond(values, line)
    return Facts("proc-net-bonding", values)


def _bond(values: dict[str, Any], line: Labelled) -> None:
    text = line.value
    if line.name == "Bonding Mode":
        mode = re.sub(r" \(fail_over_mac \w{1,20}\)$", "", text)
        values["mode"] = _MODES.get(mode, mode or None)
    elif line.name == "Transmit Hash Policy":
        values["hash_policy"] = text.partition(" ")[0] or None
    elif line.name == "LACP rate":
        values["lacp_rate"] = text or None
    elif line.name == "MII Status":
        values["state"] = text or None
    elif line.name == "Currently Active Slave":
        values["active_slave"] = None if text in ("", "None") else text
    elif line.name == "Aggregator ID":
        values["active_aggregator"] = amounts.whole(text)
    elif line.name == "Number of ports":
        values["active_ports"] = amounts.whole(text)


def _slave(slave: dict[str, Any], line: Labelled) -> None:
    if line.name == "MII Status":
        slave["state"] = line.value or None
    elif line.name == "Speed":
        speed = _SPEED.match(line.value)
        slave["speed_bps"] = int(speed["mbps"]) * 10**6 if speed else None
    elif line.name == "Link Failure Count":
        slave["link_failures"] = amounts.whole(line.value)
    elif line.name == "Aggregator ID" and slave["aggregator"] is None:
        slave["aggregator"] = amounts.whole(line.value)
    elif line.name == "Duplex":
        slave["duplex"] = line.value or None
