"""The path between two places, as far as it can be found out before a test: round trip, line rate, MTU, a throttle."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass
from typing import Any, Final

import hecn_analysis as hecn
from hecn_analysis.errors import InputError
from hecn_analysis.live.places import Place
from hecn_analysis.live.programs import Ended

LARGEST_MTU: Final = 65_535
_PINGS: Final = 5
_NAME: Final = re.compile(r"[^-/\s][^/\s]*")

#: What a token bucket counts of a frame, and what the frame takes of an Ethernet line: its header alone; with
#: checksum, preamble and gap.
_HEADER: Final = 14
_LINE: Final = 38


@dataclass(frozen=True)
class Device:
    """A network interface at one end.

    Attributes
    ----------
    name
        The interface.
    mtu
        Its MTU. [B]
    speed_bps
        Line rate; None where it has none (loopback, virtual pairs). [bit/s]
    throttle_bps
        Rate of a token bucket or an emulator on it, packets with their Ethernet header. [bit/s]
    queue_bytes
        Bytes that this holds at most. [B]
    """

    name: str
    mtu: int
    speed_bps: float | None = None
    throttle_bps: float | None = None
    queue_bytes: float | None = None


def address_of(receiver: Place, sender: Place) -> str:
    """Where the sender finds the receiver, if nobody says it.

    Parameters
    ----------
    receiver, sender
        The places.

    Raises
    ------
    InputError
        It cannot be told.
    """
    if receiver == sender:
        return "127.0.0.1"
    if receiver.kind == "ssh":
        return receiver.name.rpartition("@")[2].strip("[]")
    if receiver.kind == "netns":
        for link in _json(receiver.run(["ip", "-j", "addr", "show", "scope", "global"])):
            for one in link.get("addr_info", []):
                if "local" in one:
                    return str(one["local"])
    raise InputError(f"no address of the receiver ({receiver})", "--address, as the sender reaches it")


def device(place: Place, address: str) -> Device | None:
    """The interface through which a place reaches an address.

    Parameters
    ----------
    place
        Where to look.
    address
        Address or name.
    """
    try:
        ipaddress.ip_address(address)
    except ValueError:
        address = _resolved(place, address)
    routes = _json(place.run(["ip", "-j", "route", "get", address])) if address else []
    return _device(place, str(routes[0].get("dev", ""))) if routes else None


def _device(place: Place, name: str) -> Device | None:
    if not _NAME.fullmatch(name):
        return None
    folder = f"/sys/class/net/{name}"
    mtu = place.text(f"{folder}/mtu").strip()
    is_device = place.run(["test", "-e", f"{folder}/device"]).ok
    speed = place.text(f"{folder}/speed").strip() if is_device else ""
    throttle, queue = _throttle(_json(place.run(["tc", "-j", "qdisc", "show", "dev", name])))
    return Device(
        name,
        min(int(mtu), LARGEST_MTU) if mtu.isdecimal() else 1500,
        float(speed) * 1e6 if speed.isdecimal() and int(speed) > 0 else None,
        throttle,
        queue,
    )


def device_with(place: Place, address: str) -> Device | None:
    """The interface of a place that has an address.

    Parameters
    ----------
    place
        Where to look.
    address
        Address or name.
    """
    for link in _json(place.run(["ip", "-j", "addr"])):
        if address in [one.get("local") for one in link.get("addr_info", [])]:
            return _device(place, str(link.get("ifname", "")))
    return None


def _resolved(place: Place, name: str) -> str:
    """The address that a place knows a name by."""
    words = place.run(["getent", "ahosts", name]).stdout.split()
    return words[0].decode(errors="replace") if words else ""


def _json(ended: Ended) -> list[dict[str, Any]]:
    """List of objects that a program of iproute2 prints; none where it failed."""
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _throttle(disciplines: list[dict[str, Any]]) -> tuple[float | None, float | None]:
    """Rate and queue of the slowest throttle among queueing disciplines; tc gives bytes per second."""
    found: list[tuple[float, float | None]] = []
    for one in disciplines:
        options = one.get("options") or {}
        rate, queue = options.get("rate"), options.get("limit")
        if one.get("kind") == "netem":
            rate, queue = (rate or {}).get("rate") if isinstance(rate, dict) else rate, None
        if one.get("kind") in {"tbf", "netem"} and isinstance(rate, int | float) and rate > 0:
            queue = queue if isinstance(queue, int | float) else _latency_bytes(options, rate)
            found.append((rate * 8, queue))
    return min(found, default=(None, None), key=lambda one: one[0] or 0)


def _latency_bytes(options: dict[str, Any], bytes_per_s: float) -> float | None:
    """Bytes that a token bucket holds whose limit is given as a latency [µs]."""
    latency, burst = options.get("lat"), options.get("burst")
    if not isinstance(latency, int | float) or not isinstance(burst, int | float):
        return None
    return bytes_per_s * latency / 1e6 + burst


def keys(sender: Device | None, receiver: Device | None, rtt_s: float | None) -> dict[str, Any]:
    """Keys of a scenario for the path.

    Parameters
    ----------
    sender, receiver
        The interfaces at both ends, where known.
    rtt_s
        Round-trip time; None: not known. [s]
    """
    found: dict[str, Any] = {}
    if rtt_s is not None:
        found["path.rtt"] = {"value": rtt_s, "spread": 0.2, "basis": "calibrated", "source": f"ping, least of {_PINGS}"}
    ends = [end for end in (sender, receiver) if end is not None]
    if ends:
        found["path.mtu"] = min(end.mtu for end in ends)
    limits = [(end.speed_bps, None, f"speed of {end.name}") for end in ends if end.speed_bps]
    if sender is not None and sender.throttle_bps:
        counted = (found["path.mtu"] + _LINE) / (found["path.mtu"] + _HEADER)
        words = f"tc on {sender.name}, whose packets count without the checksum, preamble and gap of Ethernet"
        queue = None if sender.queue_bytes is None else sender.queue_bytes * counted
        limits.append((sender.throttle_bps * counted, queue, words))
    if limits:
        rate, queue, source = min(limits, key=lambda one: one[0])
        found["path.rate"] = {"value": rate, "basis": "documented", "source": source}
        if queue is not None:
            found["path.queue"] = {"value": queue, "basis": "documented", "source": source}
    return found


def ping(address: str) -> tuple[str, ...]:
    """The command that measures the round-trip time."""
    return ("ping", "-n", "-c", str(_PINGS), "-i", "0.2", "-w", "5", address)


def round_trip(log: str) -> float | None:
    """Least round-trip time that a log of ping holds [s].

    Parameters
    ----------
    log
        Name of the file.
    """
    runs = hecn.read(log).runs
    times = runs["rtt_min_s"].dropna()
    return float(times.iloc[0]) if len(times) else None
