"""The path between two places, as far as it can be determined before a test: RTT, line rate, MTU, throttle."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from hecn_analysis.base.errors import InputError
from hecn_analysis.limits import framing
from hecn_analysis.live.places import Place
from hecn_analysis.live.programs import Ended
from hecn_analysis.logs import read

_PINGS: Final = 5
_NAME: Final = re.compile(r"[^-/\s][^/\s]*")

#: Overhead of a frame in a token bucket (its header), and on an Ethernet line (with checksum, preamble and gap). [B]
_HEADER: Final = 14
_LINE: Final = framing.FRAME_OVERHEAD


@dataclass(frozen=True)
class Throttle:
    """A queueing discipline that limits the rate; packets count with their Ethernet header."""

    rate_bps: float  # long-term rate [bit/s]
    burst_bytes: float = 0.0  # amount that passes at once after a pause [B]
    queue_bytes: float | None = None  # largest queue; None: unknown [B]


@dataclass(frozen=True)
class Device:
    """A network interface at one end."""

    name: str  # the interface
    mtu: int  # its MTU [B]
    speed_bps: float | None = None  # line rate; None if it has none (loopback, virtual pairs) [bit/s]
    throttle: Throttle | None = None  # token bucket or emulator on it, or None


def address_of(receiver: Place, sender: Place) -> str:
    """Return the default address at which the sender reaches the receiver."""
    if receiver == sender:
        return "127.0.0.1"
    if receiver.kind == "ssh":
        return receiver.name.rpartition("@")[2].strip("[]")
    if receiver.kind == "netns":
        for link in _json(receiver.run(["ip", "-j", "addr", "show", "scope", "global"])):
            for entry in link.get("addr_info", []):
                if "local" in entry:
                    return str(entry["local"])
    raise InputError(f"no address of the receiver ({receiver})", "--address with the address that the sender uses")


def device(place: Place, address: str) -> Device | None:
    """The interface through which a place reaches an address."""
    try:
        ipaddress.ip_address(address)
    except ValueError:
        address = resolved(place, address)
    routes = _json(place.run(["ip", "-j", "route", "get", address])) if address else []
    return _device(place, str(routes[0].get("dev", ""))) if routes else None


def _device(place: Place, name: str) -> Device | None:
    if not _NAME.fullmatch(name):
        return None
    folder = f"/sys/class/net/{name}"
    mtu = place.text(f"{folder}/mtu").strip()
    is_device = place.run(["test", "-e", f"{folder}/device"]).ok
    speed = place.text(f"{folder}/speed").strip() if is_device else ""
    return Device(
        name,
        min(int(mtu), int(framing.LARGEST_MTU)) if mtu.isdecimal() else 1500,
        float(speed) * 1e6 if speed.isdecimal() and int(speed) > 0 else None,
        _throttle(_json(place.run(["tc", "-j", "qdisc", "show", "dev", name]))),
    )


def device_with(place: Place, address: str) -> Device | None:
    """The interface of a place that has an address."""
    for link in _json(place.run(["ip", "-j", "addr"])):
        if address in [entry.get("local") for entry in link.get("addr_info", [])]:
            return _device(place, str(link.get("ifname", "")))
    return None


def resolved(place: Place, name: str) -> str:
    """Address of a name, as resolved at a place."""
    words = place.run(["getent", "ahosts", name]).stdout.split()
    return words[0].decode(errors="replace") if words else ""


def _json(ended: Ended) -> list[dict[str, Any]]:
    """List of objects printed by a program of iproute2; empty if it failed."""
    try:
        objects = json.loads(ended.stdout)
    except ValueError:
        return []
    return [entry for entry in objects if isinstance(entry, dict)] if isinstance(objects, list) else []


def _throttle(disciplines: list[dict[str, Any]]) -> Throttle | None:
    """The slowest throttle among queueing disciplines; tc gives bytes per second and microseconds."""
    throttles = []
    for discipline in disciplines:
        options = discipline.get("options") or {}
        rate = options.get("rate")
        rate = rate.get("rate") if isinstance(rate, dict) else rate  # netem prints an object
        if discipline.get("kind") not in {"tbf", "netem"} or not isinstance(rate, int | float) or rate <= 0:
            continue
        numbers = {key: value for key, value in options.items() if isinstance(value, int | float)}
        burst, latency = numbers.get("burst", 0), numbers.get("lat")
        queue = None if latency is None else rate * latency / 1e6 + burst
        throttles.append(Throttle(rate * 8, burst, queue))
    return min(throttles, default=None, key=lambda throttle: throttle.rate_bps)


def keys(
    sender: Device | None, receiver: Device | None, rtt_s: float | None, duration_s: float = float("inf")
) -> dict[str, Any]:
    """Scenario keys of the path."""
    path_keys: dict[str, Any] = {}
    if rtt_s is not None:
        path_keys["path.rtt"] = {
            "value": rtt_s,
            "spread": 0.2,
            "basis": "calibrated",
            "source": f"ping, least of {_PINGS}",
        }
    ends = [end for end in (sender, receiver) if end is not None]
    if ends:
        path_keys["path.mtu"] = min(end.mtu for end in ends)
    limits = [(end.speed_bps, None, f"speed of {end.name}") for end in ends if end.speed_bps]
    if sender is not None and (throttle := sender.throttle) is not None:
        line_ratio = (path_keys["path.mtu"] + _LINE) / (path_keys["path.mtu"] + _HEADER)
        description = (
            f"tc on {sender.name}: {throttle.rate_bps:.0f} bit/s of packets without the checksum, preamble and gap of "
            f"Ethernet, and {throttle.burst_bytes:.0f} B at once"
        )
        queue = None if throttle.queue_bytes is None else throttle.queue_bytes * line_ratio
        limits.append(((throttle.rate_bps + 8 * throttle.burst_bytes / duration_s) * line_ratio, queue, description))
    if limits:
        rate, queue, source = min(limits, key=lambda limit: limit[0])
        path_keys["path.rate"] = {"value": rate, "basis": "documented", "source": source}
        if queue is not None:
            path_keys["path.queue"] = {"value": queue, "basis": "documented", "source": source}
    return path_keys


def ping(address: str) -> tuple[str, ...]:
    """The command that measures the round-trip time."""
    return ("ping", "-n", "-c", str(_PINGS), "-i", "0.2", "-w", "5", address)


def round_trip(log: str) -> float | None:
    """Smallest round-trip time in a log of ping [s]."""
    runs = read(log).runs
    times = runs["rtt_min_s"].dropna()
    return float(times.iloc[0]) if len(times) else None
