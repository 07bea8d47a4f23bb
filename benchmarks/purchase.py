"""The cheapest purchase: `hecn.purchase` against going through all purchases of a small catalogue by price.

Both predict in full whatever they look at, and find the same price, or nothing is timed. The peer leaves out only
what does not fit: it sorts all pairs of hosts by price and predicts them until one reaches the target.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import hecn_analysis as hecn
from benchmarks.harness import Pair
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.planning.purchase.builds import Cards, Platform, Processors, host_keys
from hecn_analysis.planning.purchase.offers import Offers, price_usd

TARGET_BPS = 85e9
TARGET = 1 / 20
PATH = {"rate": "25 Gb/s", "links": 4, "rtt": "0.1 ms", "mtu": 9000}
PROCESSES = 4


def offers() -> Offers:
    """A board, processors for it and network cards."""
    nics = {name: nic for name, nic in parts("nics").items() if nic.price is not None and nic.bus == "pcie"}
    chosen = ("intel-xxv710-da2", "mellanox-mcx4111a-acat", "mellanox-mcx4121a-acat", "intel-e810-xxvda4")
    cpus = {name: cpu for name, cpu in parts("cpus").items() if cpu.price is not None and "epyc-7" in name}
    board = parts("boards")["supermicro-h12ssl-i"]
    return Offers({"boards": {board.part: board}, "cpus": cpus, "nics": {name: nics[name] for name in chosen}})


def enumerated(known: Offers) -> float:
    """Price of the cheapest pair of hosts that reaches the target, by predicting them in the order of their prices."""
    (board,) = known.boards.values()
    platform = Platform(board, 1)
    slots = platform.slots()
    sides: dict[str, list[tuple[float, int, dict[str, object]]]] = {"sender": [], "receiver": []}
    for role, hosts in sides.items():
        for cpu, nic, count in itertools.product(known.cpus.values(), known.nics.values(), range(1, 5)):
            for ports in range(1, nic.ports + 1):
                cards = Cards(nic, count, ports)
                if cards.links > int(PATH["links"]):
                    continue
                fits = frozenset(slot for slot in slots.values() if slot[2] >= (nic.lanes or 0))
                chosen = {"platform": platform, "processors": Processors(cpu, 1), "cards": cards}
                keys = host_keys("sender" if role == "sender" else "receiver", chosen, {"cards": fits}, raid=0, base={})
                hosts.append((price_usd(board) + price_usd(cpu) + count * price_usd(nic), cards.links, keys))
    both = [
        (one[0] + other[0], one[1], {**one[2], **other[2]})
        for one, other in itertools.product(sides["sender"], sides["receiver"])
        if one[1] == other[1]
    ]
    base = {f"path.{key}": value for key, value in PATH.items()} | {"tool": "nuttcp", "tool.processes": PROCESSES}
    base |= {"sender": "ideal", "receiver": "ideal", "sender.lro": True, "receiver.lro": True}
    for usd, links, keys in sorted(both, key=lambda pair: pair[0]):
        if hecn.predict({**base, **keys, "path.links": links}).throughput_bps >= TARGET_BPS:
            return usd
    raise AssertionError("nothing reaches the target")


def bought(known: Offers) -> float:
    """Price of the same by `hecn.purchase`."""
    settings = {"tool.processes": PROCESSES}
    return hecn.purchase(TARGET_BPS, path=PATH, between="memory", offers=known, settings=settings).usd


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """The one pair, once both agree."""
    known = offers()
    if round(bought(known)) != round(enumerated(known)):
        raise AssertionError("purchase and enumeration disagree")
    yield [
        Pair(
            "hecn.purchase, a small catalogue",
            "all its purchases by price",
            lambda: bought(known),
            lambda: enumerated(known),
            TARGET,
            most_rounds=3,
        )
    ]
