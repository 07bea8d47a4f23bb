"""``/proc/net/bonding/*``: several ports as one.

Units and traps
---------------
- The mode is given by the kernel's short name: ``IEEE 802.3ad Dynamic link aggregation`` is 802.3ad.
- Speed is in Mb/s (10^6); ``Unknown`` is missing. Only slaves of the active aggregator carry traffic.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import all_labelled
from hecn_analysis.parsing import amounts

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
    """Look for the mode; the kernel's log names the driver, too."""
    return re.search(r"^Bonding Mode: ", output.head(6), re.MULTILINE) is not None


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
    slave: dict[str, Any] | None = None
    for line in all_labelled(output.numbered()):
        if line.name == "Slave Interface":
            slave = next((port for port in slaves if port["name"] == line.value), None)  # quoted again, as by grep
            if slave is None:
                slave = {"name": line.value, **dict.fromkeys(("state", "speed_bps", "aggregator", "link_failures"))}
                slaves.append(slave)
        elif slave is not None:
            if line.name != "Aggregator ID" or slave["aggregator"] is None:  # details of LACP repeat the label
                labels.take(slave, _SLAVE_FIELDS, line.name, line.value)
        else:
            labels.take(values, _BOND_FIELDS, line.name, line.value)
    return output.facts("proc-net-bonding", values)


def _mode(text: str) -> str | None:
    mode = re.sub(r" \(fail_over_mac \w{1,20}\)$", "", text)
    return _MODES.get(mode, mode or None)


def _speed(text: str) -> int | None:
    speed = _SPEED.match(text)
    return int(speed["mbps"]) * 10**6 if speed else None


_BOND_FIELDS: Final[labels.Fields] = {
    "Bonding Mode": ("mode", _mode),
    "Transmit Hash Policy": ("hash_policy", lambda text: text.partition(" ")[0] or None),
    "LACP rate": ("lacp_rate", labels.text),
    "MII Status": ("state", labels.text),
    "Currently Active Slave": ("active_slave", lambda text: None if text in ("", "None") else text),
    "Aggregator ID": ("active_aggregator", amounts.whole),
    "Number of ports": ("active_ports", amounts.whole),
}
_SLAVE_FIELDS: Final[labels.Fields] = {
    "MII Status": ("state", labels.text),
    "Speed": ("speed_bps", _speed),
    "Link Failure Count": ("link_failures", amounts.whole),
    "Aggregator ID": ("aggregator", amounts.whole),
    "Duplex": ("duplex", labels.text),
}
