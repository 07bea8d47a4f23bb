"""``ip link`` and ``ip addr``: text and JSON (-j).

Units and traps
---------------
- ``mtu`` is bytes of the IP packet. ``state`` is what the device says; many say UNKNOWN and work: ``up`` is that
  somebody switched it on, ``lower_up`` that there is a signal.
- ``eth0.7@eth0`` is a device on another one, ``veth0@if5`` one whose peer is in another network namespace.
- Addresses are not taken over.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("ip-link", "ip-link-json")
VERSIONS: str = "iproute2 2 to 6"
COMMANDS: tuple[str, ...] = ("ip",)
BEGINS: re.Pattern[str] | None = re.compile(r"\d{1,6}: \S{1,40}: <[A-Z0-9_,-]{0,200}> mtu \d")
REPEATS: bool = False

_LINE: Final = re.compile(
    r"\s{0,4}(?P<index>\d{1,6}): (?P<name>[^\s:@]{1,40})(?:@(?P<below>[^\s:]{1,40}))?: <(?P<flags>[A-Z0-9_,-]{0,200})>"
    r"(?P<rest>.{0,400})$"
)
_DETAIL: Final = re.compile(r"\b(?P<kind>bond|bridge|vlan|vxlan|macvlan|ipvlan|team|veth|tun|dummy|vrf)(?: |$)")
_PASTED: Final = re.compile(
    r"\s(?=\d{1,6}: [^\s:]{1,40}: <[A-Z0-9_,-]{0,200}> mtu \d)"
)  # rows that lost their line feeds
_STATES: Final = frozenset({"UP", "DOWN", "UNKNOWN", "DORMANT", "LOWERLAYERDOWN", "TESTING", "NOTPRESENT"})
_MOST: Final = 4096


def recognises(output: Output) -> bool:
    """Look for a device with its flags, or the JSON of one."""
    if any(_LINE.match(line) is not None and " mtu " in line for line in output.lines[:3]):
        return True
    head = output.head(12)
    return output.lines[0].lstrip().startswith("[") and '"ifname"' in head and '"flags"' in head


def read(output: Output) -> Facts:
    """Read all devices."""
    interfaces: list[dict[str, Any]] = []
    if output.lines[0].lstrip().startswith("["):
        facts = output.facts("ip-link-json", {"n": 0, "interfaces": interfaces})
        for value in output.json:
            rows = value if isinstance(value, list) else [value]
            interfaces.extend(_object(row) for row in rows[:_MOST] if isinstance(row, dict) and "ifname" in row)
    else:
        facts = output.facts("ip-link", {"n": 0, "interfaces": interfaces})
        for line in (part for row in output.lines for part in _PASTED.split(row)):
            if (match := _LINE.match(line)) is not None:
                interfaces.append(_line(match))
            elif interfaces and interfaces[-1]["kind"] is None and (kind := _DETAIL.match(line.strip())) is not None:
                interfaces[-1]["kind"] = kind["kind"]
    facts.values["n"] = len(interfaces)
    return facts


def _line(match: re.Match[str]) -> dict[str, Any]:
    words = match["rest"].split()
    after = dict(pairwise(words))
    return _interface(
        name=match["name"],
        flags=match["flags"].split(","),
        mtu=amounts.whole(after.get("mtu")),
        state=state if (state := after.get("state")) in _STATES else None,  # of a bridge's port: forwarding
        qdisc=after.get("qdisc"),
        master=after.get("master"),
        below=match["below"],
        qlen=amounts.whole(after.get("qlen")),
    )


def _object(row: dict[str, Any]) -> dict[str, Any]:
    flags = row.get("flags")
    info = row.get("linkinfo")
    texts = {
        name: row.get(name) if isinstance(row.get(name), str) else None
        for name in ("operstate", "qdisc", "master", "link")
    }
    numbers = {name: row.get(name) if type(row.get(name)) is int else None for name in ("mtu", "txqlen")}
    interface = _interface(
        name=str(row["ifname"]),
        flags=[str(flag) for flag in flags] if isinstance(flags, list) else [],
        mtu=numbers["mtu"],
        state=texts["operstate"],
        qdisc=texts["qdisc"],
        master=texts["master"],
        below=texts["link"],
        qlen=numbers["txqlen"],
    )
    interface["kind"] = (
        info.get("info_kind") if isinstance(info, dict) and isinstance(info.get("info_kind"), str) else None
    )
    return interface


def _interface(*, name: str, flags: list[str], **facts: object) -> dict[str, Any]:
    switches = {"up": "UP" in flags, "lower_up": "LOWER_UP" in flags, "loopback": "LOOPBACK" in flags}
    return {"name": name, **facts, **switches, "kind": None}
