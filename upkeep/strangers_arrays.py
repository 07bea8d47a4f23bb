"""Keys of the disks and arrays that a configuration names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from hecn_analysis.base import units

#: Year from which disks are as the prior has them.
_NEW_DISKS: Final = 2009

#: Capacity from which disks of 7200 rpm are as the prior has them: platters of 500 GB came in 2009 (Barracuda XT).
_NEW_BYTES: Final = 450e9

#: Media that wait for heads and revolutions.
_ROTATING: Final = frozenset({"hdd", "hdd-2008", "unknown"})


def keys_of(role: str, known: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of an array of the disks that a configuration names."""
    rates = _one_disk(known, rules)
    keys = {f"{role}.arrays.data.disk.{way}_rate": rates.get(way, rates["read"]) for way in ("read", "write")}
    disks = _in_use(known, rules)
    if disks > 1:
        keys |= {f"{role}.arrays.data.disks": disks, f"{role}.arrays.data.level": int(known.get("level", 0))}
        keys |= {f"{role}.arrays.data.software": known.get("software")}
    if {"uplink_gen", "uplink_lanes"} <= set(known):
        slot = f"{role}.slots.up"
        keys |= {f"{slot}.gen": int(known["uplink_gen"]), f"{slot}.lanes": int(known["uplink_lanes"])}
        keys[f"{role}.arrays.data.slots"] = ["up"]
    if np.isfinite(most := _ports(known)):
        keys[f"{role}.arrays.data.ceiling"] = most
    elif known.get("clients") == 1 and known.get("cluster_clients") == "cluster-client":
        keys |= {f"{role}.arrays.data.ceiling": rules["client"], f"{role}.arrays.data.software": "cluster"}
    elif known.get("attachment") in rules["attachments"]:
        keys[f"{role}.arrays.data.ceiling"] = rules["attachments"][known["attachment"]]
    if "replicas" in known or ("ceph" in known and disks > 1):
        keys[f"{role}.arrays.data.copies"] = int(known.get("replicas", min(rules["ceph_copies"], disks)))
    keys |= {f"{role}.arrays.data.{name}": known[name] for name in ("chunk", "layout", "stripe_cache") if name in known}
    if "at_rest" in known:
        keys[f"{role}.filter_rate"] = rules["at_rest"]
    if known.get("medium") == "ssd":
        keys[f"{role}.arrays.data.disk.link"] = "sata-6"
    return {key: value for key, value in keys.items() if value is not None}


def _one_disk(known: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Rates of one disk: as stated, else those of its kind and time."""
    if "one_disk" in known:
        rates = {"read": {"value": known["one_disk"], "basis": "documented"}}
        if known.get("medium", "unknown") in _ROTATING:  # seeks to the journal and for space
            rates["write"] = {"value": known["one_disk"] * rules["written"], "basis": "documented"}
        return rates
    medium = known.get("medium", "unknown")
    is_old = known.get("year", _NEW_DISKS) < _NEW_DISKS or known.get("capacity", _NEW_BYTES) < _NEW_BYTES
    if medium in {"hdd", "unknown"} and is_old:
        medium = "hdd-2008"
    zone = known.get("zone", 1.0) if medium.startswith("hdd") else 1.0
    of_kind = rules["media"][medium]
    return {way: {**rate, "value": units.parse(rate["value"], "rate") * zone} for way, rate in of_kind.items()}


def _ports(known: Mapping[str, Any]) -> float:
    """What the ports of all nodes and of all clients of a cluster carry; infinite where they are not known [bit/s]."""
    of_nodes = (known.get(name, np.inf) for name in ("nodes", "rate", "links"))
    of_clients = (known.get(name, np.inf) for name in ("clients", "client_rate"))
    return float(min(np.prod(list(of_nodes)), np.prod(list(of_clients))))


def _in_use(known: Mapping[str, Any], rules: Mapping[str, Any]) -> int:
    """Disks that work on a transfer: those of an array, or with a daemon of a storage cluster."""
    if "osds" not in known:
        return count(known, rules)
    if not {"disks", "per_node"} & set(known):  # one object store daemon for each disk
        return int(known["osds"])
    few = count(known, rules)
    return few if "nodes" in known else min(few, int(known["osds"]))


def count(known: Mapping[str, Any], rules: Mapping[str, Any]) -> int:
    """Disks of all nodes together."""
    few = rules["arrays"].get(int(known["level"]), 1) if "level" in known else 1
    return int(known.get("per_node", known.get("disks", few)) * (known.get("nodes", 1) if "per_node" in known else 1))
