"""``ifconfig`` of FreeBSD, OpenBSD, NetBSD, macOS, Solaris and Linux: MTU, medium and state of each interface.

Units and traps
---------------
- ``media: Ethernet autoselect (10Gbase-SR <full-duplex>)``: what is negotiated stands in parentheses; without them a
  medium is what was asked for, and its rate is taken only from a link that is active or says no status.
- Linux prints no medium: the rate of its ports is not known from here.
- ``rxpause`` and ``txpause`` among the options of the medium are negotiated pause frames.
- Addresses are not taken over; bytes and packets are counters, which ``hecn counters`` reads.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("ifconfig",)
VERSIONS: str = "FreeBSD 4 to 15, OpenBSD, NetBSD, macOS 10 to 15, Solaris 10 and 11, net-tools 1.60 to 2.10"
COMMANDS: tuple[str, ...] = ("ifconfig",)
_NEW: Final = r"(?P<name>[\w.:-]{1,32}): flags=[0-9a-fA-Fx]{1,16}<(?P<flags>[^>]{0,300})>(?P<rest>.{0,200})$"
_OLD: Final = r"(?P<device>[\w.:-]{1,32})\s{1,12}Link encap:"
BEGINS: re.Pattern[str] | None = re.compile(
    r"[\w.:-]{1,32}: flags=[0-9a-fA-Fx]{1,16}<|[\w.:-]{1,32}\s{1,12}Link encap:"
)
REPEATS: bool = False

_FIRST: Final = re.compile(rf"{_NEW}|{_OLD}")
_OLD_FLAGS: Final = re.compile(r"\s{1,16}(?P<flags>(?:[A-Z]{2,16} {1,2}){1,16})MTU:(?P<mtu>\d{1,6})")
_MTU: Final = re.compile(r"\bmtu (?P<mtu>\d{1,6})")
_MEDIUM: Final = re.compile(r"\s{1,12}media: (?P<asked>[^(]{1,120})(?:\((?P<now>[^)]{1,120})\))?")
_STATUS: Final = re.compile(r"\s{1,12}status: (?P<status>\S.{0,40})$")
_DRIVER: Final = re.compile(r"\s{1,12}drivername: (?P<driver>\S{1,32})")
_RATE: Final = re.compile(r"(?<![\w.])(?P<number>\d{1,4}(?:\.\d)?)(?P<prefix>[GM]?)[Bb]ase", re.IGNORECASE)
_OPTIONS: Final = re.compile(r"\s{1,12}options=[0-9a-f]{1,16}<(?P<options>[^>]{1,400})>")


def recognises(output: Output) -> bool:
    """Look for an interface with its flags."""
    return any(_FIRST.match(line) is not None for line in output.lines[:4])


def read(output: Output) -> Facts:
    """Read all interfaces."""
    interfaces: list[dict[str, Any]] = []
    for line in output.lines:
        if len(line) > 1000:
            continue
        if (first := _FIRST.match(line)) is not None:
            interfaces.append(_interface(first["name"] or first["device"], first["flags"] or "", first["rest"] or ""))
        elif interfaces:
            _take(interfaces[-1], line)
    for interface in interfaces:
        if interface["status"] not in (None, "active", "associated"):
            interface["speed_bps"] = interface["duplex"] = None
    return output.facts("ifconfig", {"n": len(interfaces), "interfaces": interfaces})


def _interface(name: str, flags: str, rest: str) -> dict[str, Any]:
    mtu = _MTU.search(rest)
    empty = dict.fromkeys(("media", "status", "speed_bps", "duplex"))
    words = flags.split(",")
    switches = {"up": "UP" in words if flags else None, "lower_up": "RUNNING" in words if flags else None}
    return {"name": name, "mtu": int(mtu["mtu"]) if mtu else None, **switches, **empty, "loopback": "LOOPBACK" in words}


def _take(interface: dict[str, Any], line: str) -> None:
    """Take a line below that of the flags."""
    if (flags := _OLD_FLAGS.match(line)) is not None:
        words = flags["flags"].split()
        interface.update(mtu=int(flags["mtu"]), up="UP" in words, lower_up="RUNNING" in words)
        interface["loopback"] = "LOOPBACK" in words
    elif (medium := _MEDIUM.match(line)) is not None:
        now = medium["now"] or medium["asked"]
        rate = _RATE.search(now)
        interface["media"] = (medium["asked"].strip() + (f" ({medium['now']})" if medium["now"] else "")) or None
        if rate is not None:
            interface["speed_bps"] = float(rate["number"]) * (1e9 if rate["prefix"].upper() == "G" else 1e6)
        interface["duplex"] = next((word for word in ("full", "half") if f"{word}-duplex" in now), None)
    elif (status := _STATUS.match(line)) is not None:
        interface["status"] = status["status"].strip()
    elif (driver := _DRIVER.match(line)) is not None:
        interface["driver"] = driver["driver"].rstrip("0123456789") or None
    elif (options := _OPTIONS.match(line)) is not None:
        interface["options"] = options["options"].split(",")
