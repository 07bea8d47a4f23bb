"""The cheapest parts for two hosts that reach a throughput, provably so under the prediction.

An integer program (HiGHS) chooses parts that fit together and reach the target by closed forms. Each choice is
predicted. If the prediction falls short, the smallest group of parts that falls short by itself is forbidden, together
with all parts that are no faster, and the program is solved again. So every cheaper purchase either does not fit or is
predicted to fall short.

Each host has network cards of one kind, and likewise processors, modules, controllers and drives. Each controller has
one array, files alternate over all arrays, and the number of processes is the best one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Final, Literal

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.purchase.builds import ROLES
from hecn_analysis.planning.purchase.offers import Offers, offered, offered_by
from hecn_analysis.planning.purchase.options import Level
from hecn_analysis.planning.purchase.result import Purchase
from hecn_analysis.planning.purchase.search import FELT, PROCESSES, Reached, Search
from hecn_analysis.prediction import Prediction, predict

#: Default tools.
TOOLS: Final = {"memory": "nuttcp", "disk": "nuttscp"}

#: Steps from one point of a front to the next, relative.
STEP: Final = 0.02


def purchase(
    target: str | float,
    *,
    path: str | FilePath | Mapping[str, Any],
    between: Literal["memory", "disk"] = "disk",
    budget: float | None = None,
    tool: str | None = None,
    raid: Level = 0,
    capacity: str | float | None = None,
    assume_prices: bool = False,
    since: int | None = None,
    like: str | None = None,
    settings: Mapping[str, Any] | None = None,
    direct: bool = False,
    reach_m: float = 3.0,
    offers: Offers | None = None,
) -> Purchase:
    """Find the cheapest parts for both hosts with which the prediction reaches a target.

    Parameters
    ----------
    target
        Throughput of all processes together [bit/s].
    path
        Path between the hosts: a name, a file, or its keys. Without a rate, the cards set that of the links.
    between
        ``disk``: from drives to drives; ``memory``: from memory to memory.
    budget
        Largest price of both hosts together [USD].
    tool
        Tool of the transfer; default: nuttcp between memories, nuttscp between drives.
    raid
        RAID level of the arrays: 0, 5, 6 or 10.
    capacity
        Usable capacity of each host, without parity and copies [B].
    assume_prices
        Also buy parts whose price is only assumed.
    since
        Oldest year of the parts; default: ten years before the newest part of the catalogue.
    like
        Host with a bill of materials: only its parts, at the prices of its list.
    settings
        Further keys of the scenario, such as ``tool.streams``.
    direct
        Connect the hosts directly, without a switch.
    reach_m
        Length of the cable at each host [m].
    offers
        Parts on offer, in place of the catalogue.

    Returns
    -------
    Purchase
        The parts of both hosts, the bill of materials with its price ``usd`` [USD], and the prediction of the transfer.

    Raises
    ------
    InputError
        No purchase reaches the target; the message names the limits.

    Examples
    --------
    >>> bought = purchase("40 Gb/s", path="back-to-back-12x10ge", between="memory", like="a++")
    >>> bought.usd < 2 * 11080, bought.prediction.throughput_bps >= 40e9
    (True, True)
    """
    search = _search(
        path=path,
        between=between,
        tool=tool,
        raid=raid,
        capacity=capacity,
        assume_prices=assume_prices,
        since=since,
        like=like,
        settings=settings,
        direct=direct,
        reach_m=reach_m,
        offers=offers,
    )
    return search.cheapest(units.parse(target, "rate", name="target"), budget)


def purchase_front(
    target: str | float,
    *,
    budget: float | None = None,
    points: int = 12,
    **wanted: Any,  # noqa: ANN401
) -> tuple[Purchase, ...]:
    """Return the cheapest purchases from a target upwards; none costs more and is slower than another, within `STEP`.

    Parameters
    ----------
    target
        Throughput of the first purchase [bit/s].
    budget
        Largest price of both hosts together [USD].
    points
        Most purchases to look for.
    wanted
        As `purchase` takes them.

    Returns
    -------
    tuple of Purchase
        Each is dearer and faster than the one before it.

    Raises
    ------
    InputError
        No purchase reaches that target.

    Examples
    --------
    >>> wanted = {"path": "back-to-back-12x10ge", "between": "memory", "like": "a++"}
    >>> purchases = purchase_front("40 Gb/s", points=1, **wanted)
    >>> [bought.prediction.throughput_bps >= 40e9 for bought in purchases]
    [True]
    """
    search = _search(**wanted)
    purchases = [search.cheapest(units.parse(target, "rate", name="target"), budget)]
    while len(purchases) < points:
        try:
            purchases.append(search.cheapest(purchases[-1].prediction.throughput_bps * (1 + STEP), budget))
        except InputError:
            break
    return tuple(
        bought
        for bought, after in zip(purchases, [*purchases[1:], None], strict=True)
        if after is None or bought.usd < after.usd
    )


def as_listed(
    name: str,
    *,
    path: str | FilePath | Mapping[str, Any],
    between: Literal["memory", "disk"] = "disk",
    tool: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> tuple[float, Prediction]:
    """Return the price of two hosts by their own list, and their best prediction over numbers of processes."""
    _, _, listed = offered_by(name)
    base = load_scenario({**_path_and_tool(path, between, tool), "sender": name, "receiver": name, **(settings or {})})
    counts: tuple[int | None, ...] = (None,) if "tool.processes" in base.keys else PROCESSES
    tried = [Reached(base if count is None else base.with_({"tool.processes": count})) for count in counts]
    best = tried[0]
    for more in tried:
        if more.allowed_bps > best.bps * FELT and more.bps > best.bps * FELT:
            best = more
    total = listed.sum_usd + listed.off_usd if listed.total is None else listed.total.value
    return len(ROLES) * total, predict(best.scenario)


def _path_and_tool(path: str | FilePath | Mapping[str, Any], between: str, tool: str | None) -> dict[str, Any]:
    """Keys of the path and the tool."""
    if between not in TOOLS:
        raise InputError(f"between {between!r}", f"one of {', '.join(TOOLS)}")
    keys: dict[str, Any] = {"tool": tool or TOOLS[between]}
    return keys | (
        {f"path.{key}": value for key, value in path.items()} if isinstance(path, Mapping) else {"path": str(path)}
    )


def _search(
    *,
    path: str | FilePath | Mapping[str, Any],
    between: Literal["memory", "disk"] = "disk",
    tool: str | None = None,
    raid: Level = 0,
    capacity: str | float | None = None,
    assume_prices: bool = False,
    since: int | None = None,
    like: str | None = None,
    settings: Mapping[str, Any] | None = None,
    direct: bool = False,
    reach_m: float = 3.0,
    offers: Offers | None = None,
) -> Search:
    keys = _path_and_tool(path, between, tool)
    if raid not in {0, 5, 6, 10}:
        raise InputError(f"RAID {raid}", "one of 0, 5, 6, 10")
    if capacity is not None and between != "disk":
        raise InputError("a capacity between memories", "a transfer between disks")
    if like is not None:
        offers = offered_by(like)[0]
    elif offers is None:
        offers = offered(assume_prices=assume_prices, since=since)
    for role in ROLES:
        keys |= {role: "ideal", f"{role}.name": role, f"{role}.lro": True}
    base = load_scenario({**keys, **(settings or {})})
    ends = (base.tool.source_end, base.tool.sink_end)
    if ends != (between, between):
        raise InputError(f"tool {tool!r} from {ends[0]} to {ends[1]}", f"a tool from {between} to {between}")
    holds = 0.0 if capacity is None else units.parse(capacity, "bytes", name="capacity")
    return Search(base, offers, between, raid, direct=direct, reach_m=reach_m, capacity_bytes=holds)
