"""The cheapest parts for two hosts that reach a throughput, proved so for what the prediction says.

An integer program (HiGHS) chooses boards, processors, memory, network cards, drives with their controllers, enclosures
and cables: sockets, slots, lanes, power, memory channels and bays fit, and closed forms of cards, drives and links
reach the target. Whatever it chooses is predicted. Where the prediction falls short, the smallest group of parts that
falls short by itself, with everything else beyond limits, is forbidden together with all that can do no better, and
the program is solved again. So every cheaper purchase either does not fit or was predicted to fall short.

Of each host, network cards are of one kind, and so are processors, modules, controllers and drives; an array hangs on
each controller; files lie on all arrays in turn; there are as many processes as serve best.
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

#: Tool of a purchase whose tool is not named.
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
    assume_prices: bool = False,
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
        Path between the hosts: a name, a file, or its keys. Where it has no rate, the cards decide on the links.
    between
        ``disk``: from drives to drives; ``memory``: from memory to memory.
    budget
        Most that both hosts may cost together [USD].
    tool
        What moves the data; default: nuttcp between memories, nuttscp between drives.
    raid
        Level of the arrays: 0, 5, 6 or 10.
    assume_prices
        Also buy parts whose price is only assumed.
    like
        Host with a bill of materials: only its parts, at the prices of its list.
    settings
        Further keys of the scenario, such as ``tool.streams``.
    direct
        The hosts are plugged into one another, without a switch.
    reach_m
        Distance from each host to what it is plugged into [m].
    offers
        What can be bought, in place of the catalogue.

    Returns
    -------
    Purchase
        The parts of both hosts, the bill of materials with its price ``usd`` [USD], and the prediction of the transfer.

    Raises
    ------
    InputError
        Nothing that can be bought reaches the target; it says what stands in the way.

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
        assume_prices=assume_prices,
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
    """Cheapest purchases from a target upwards: no other one is both cheaper and faster, to `STEP`.

    Parameters
    ----------
    target
        Throughput to begin with [bit/s].
    budget
        Most that both hosts may cost together [USD].
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
        Nothing that can be bought reaches even that target.

    Examples
    --------
    >>> wanted = {"path": "back-to-back-12x10ge", "between": "memory", "like": "a++"}
    >>> found = purchase_front("40 Gb/s", points=1, **wanted)
    >>> [one.prediction.throughput_bps >= 40e9 for one in found]
    [True]
    """
    search = _search(**wanted)
    found = [search.cheapest(units.parse(target, "rate", name="target"), budget)]
    while len(found) < points:
        try:
            found.append(search.cheapest(found[-1].prediction.throughput_bps * (1 + STEP), budget))
        except InputError:
            break
    return tuple(
        one for one, after in zip(found, [*found[1:], None], strict=True) if after is None or one.usd < after.usd
    )


def as_listed(
    name: str,
    *,
    path: str | FilePath | Mapping[str, Any],
    between: Literal["memory", "disk"] = "disk",
    tool: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> tuple[float, Prediction]:
    """Price of two hosts by the total of their own list, and what they reach as described, with the best processes.

    Parameters
    ----------
    name
        Host with a bill of materials.
    path, between, tool, settings
        As `purchase` takes them.

    Raises
    ------
    InputError
        The host has no bill, or the scenario cannot be.
    """
    _, _, listed = offered_by(name)
    base = load_scenario({**_asked(path, between, tool), "sender": name, "receiver": name, **(settings or {})})
    counts: tuple[int | None, ...] = (None,) if "tool.processes" in base.keys else PROCESSES
    tried = [Reached(base if count is None else base.with_({"tool.processes": count})) for count in counts]
    best = tried[0]
    for more in tried:
        if more.allowed_bps > best.bps * FELT and more.bps > best.bps * FELT:
            best = more
    total = listed.sum_usd + listed.off_usd if listed.total is None else listed.total.value
    return len(ROLES) * total, predict(best.scenario)


def _asked(path: str | FilePath | Mapping[str, Any], between: str, tool: str | None) -> dict[str, Any]:
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
    assume_prices: bool = False,
    like: str | None = None,
    settings: Mapping[str, Any] | None = None,
    direct: bool = False,
    reach_m: float = 3.0,
    offers: Offers | None = None,
) -> Search:
    keys = _asked(path, between, tool)
    if raid not in {0, 5, 6, 10}:
        raise InputError(f"RAID {raid}", "one of 0, 5, 6, 10")
    if like is not None:
        offers = offered_by(like)[0]
    elif offers is None:
        offers = offered(assume_prices=assume_prices)
    for role in ROLES:
        keys |= {role: "ideal", f"{role}.name": "purchase", f"{role}.lro": True}
    base = load_scenario({**keys, **(settings or {})})
    ends = (base.tool.source_end, base.tool.sink_end)
    if ends != (between, between):
        raise InputError(f"tool {tool!r} from {ends[0]} to {ends[1]}", f"a tool from {between} to {between}")
    return Search(base, offers, between, raid, direct=direct, reach_m=reach_m)
