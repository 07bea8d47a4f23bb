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

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import Path as FilePath
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse

from hecn_analysis import units
from hecn_analysis.errors import InputError, RangeError
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.planning.builds import (
    GROUPS,
    ROLES,
    Entry,
    HostBuild,
    Line,
    Platform,
    Processors,
    Role,
    bill,
    host_keys,
    line_usd,
)
from hecn_analysis.planning.offers import Offers, ddr_of, offered, offered_by, price_usd
from hecn_analysis.planning.options import (
    MANY,
    Level,
    Option,
    Request,
    accepts,
    front,
    lines,
    more_disks,
    options,
    worse,
)
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.model import Model

#: Processes that are tried, unless the settings say how many there are.
PROCESSES: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)

#: Tool of a purchase whose tool is not named.
TOOLS: Final = {"memory": "nuttcp", "disk": "nuttscp"}

#: What can stand in the way of a target, with words for it.
LIMITS: Final = {
    "sockets": "no processor on offer fits a board on offer",
    "slots": "slots wide enough for the cards and controllers together",
    "lanes": "PCI Express lanes of the processors",
    "memory channels": "memory channels of processors and boards",
    "bays": "bays for the drives",
    "power": "what the power supplies deliver",
    "budget": "the budget",
    "prediction": "what the prediction says of cores, memory, drives and the path together",
}

#: Groups of what a host has that are predicted alone, the smallest first; the board goes with all its cards.
_PARTS: Final = (
    ("processors",),
    ("modules",),
    ("storage",),
    ("processors", "modules"),
    ("processors", "storage"),
    ("processors", "modules", "storage"),
    ("platform", "cards", "storage"),
    ("processors", "modules", "storage", "cards", "platform"),
)

#: More processes are worth it where they gain more than this.
FELT: Final = 1.02

#: Steps from one point of a front to the next, relative.
STEP: Final = 0.02

#: Purchases that are tried for one target; no catalogue of today needs a tenth of them.
_ROUNDS: Final = 2000


@dataclass(frozen=True)
class Purchase:
    """What to buy for two hosts, and what it should reach.

    Attributes
    ----------
    target_bps
        What was asked for. [bit/s]
    hosts, line
        What each host is made of, and the links between them.
    entries
        The bill of materials.
    prediction
        The transfer with it.
    rounds, cuts
        How many purchases were predicted, and how many groups of parts were ruled out.
    """

    target_bps: float
    hosts: Mapping[Role, HostBuild]
    line: Line
    entries: tuple[Entry, ...]
    prediction: Prediction
    rounds: int
    cuts: int

    @property
    def usd(self) -> float:
        """Price of everything [USD]."""
        return sum(entry.quantity * entry.price_usd for entry in self.entries)

    @property
    def doubt_usd(self) -> float:
        """What it may cost more or less, as far as its prices are assumed [USD]."""
        return sum(entry.doubt_usd for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects."""
        return {
            "target_bps": self.target_bps,
            "price_usd": self.usd,
            "price_doubt_usd": self.doubt_usd,
            "throughput_bps": self.prediction.throughput_bps,
            "low_bps": self.prediction.low_bps,
            "high_bps": self.prediction.high_bps,
            "bottleneck": self.prediction.bottleneck,
            "rounds": self.rounds,
            "cuts": self.cuts,
            "bill": self.to_frame().to_dict("records"),
            "scenario": dict(self.prediction.scenario.keys),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a line of the bill: host, part, title, quantity, price of one and of all, where it is from."""
        rows = [
            {
                "host": entry.role,
                "part": entry.part,
                "title": entry.title,
                "quantity": entry.quantity,
                "price_usd": entry.price_usd,
                "total_usd": entry.quantity * entry.price_usd,
                "basis": "" if isinstance(entry.price, float) else entry.price.basis,
                "source": "" if isinstance(entry.price, float) else entry.price.source,
            }
            for entry in self.entries
        ]
        return pd.DataFrame(
            rows, columns=["host", "part", "title", "quantity", "price_usd", "total_usd", "basis", "source"]
        )

    def __str__(self) -> str:
        """Say what it costs and reaches."""
        doubt = f" (give or take ${self.doubt_usd:,.0f}, where prices are assumed)" if self.doubt_usd else ""
        return f"${self.usd:,.0f}{doubt} for both hosts. {self.prediction}"


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

    Raises
    ------
    InputError
        Nothing that can be bought reaches even that target.
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
    tried = [_Reached(base if count is None else base.with_({"tool.processes": count})) for count in counts]
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


def front_frame(found: Iterable[Purchase]) -> pd.DataFrame:
    """One row a purchase of a front: price, throughput, what holds it back, and what each further dollar bought."""
    rows: list[dict[str, Any]] = []
    for one in found:
        before = rows[-1] if rows else None
        gained = None
        if before is not None:
            gained = (one.prediction.throughput_bps - before["throughput_bps"]) / (one.usd - before["price_usd"])
        rows.append(
            {
                "price_usd": one.usd,
                "throughput_bps": one.prediction.throughput_bps,
                "bps_per_dollar": gained,
                "bottleneck": one.prediction.bottleneck,
            }
        )
    return pd.DataFrame(rows, columns=["price_usd", "throughput_bps", "bps_per_dollar", "bottleneck"])


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
) -> _Search:
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
    return _Search(base, offers, between, raid, direct=direct, reach_m=reach_m)


@dataclass(frozen=True)
class _Cut:
    """Groups of options of which not one of each can be chosen together."""

    sets: tuple[frozenset[Hashable], ...]


@dataclass
class _Rows:
    """Rows of an integer program as they are put together."""

    size: int
    entries: list[tuple[int, int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def add(self, terms: Iterable[tuple[int, float]], *, low: float = -np.inf, high: float = np.inf) -> None:
        """Add a row: low <= sum of coefficients times variables <= high."""
        number = len(self.low)
        self.entries += [(number, column, value) for column, value in terms if value]
        self.low.append(low)
        self.high.append(high)

    def constraint(self) -> scipy.optimize.LinearConstraint:
        """All rows."""
        row, column, value = (np.array(each) for each in zip(*self.entries, strict=True))
        places = (np.asarray(row, dtype=np.int32), np.asarray(column, dtype=np.int32))  # older SciPy takes no others
        matrix = scipy.sparse.csr_array((value, places), shape=(len(self.low), self.size))
        return scipy.optimize.LinearConstraint(matrix, self.low, self.high)


@dataclass(frozen=True)
class _Choice:
    """A solution of the integer program."""

    options: Mapping[Role, Mapping[str, Option]]
    line: Line
    enclosures: Mapping[Role, tuple[tuple[Any, int], ...]]


class _Reached:
    """What a scenario reaches: `allowed_bps` is what its resources allow, `bps` what TCP makes of that over time."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._lossy = scenario.path.loss.value > 0
        self._model = Model(scenario, Draws(0), levels=2)
        self.allowed_bps = float(self._model.levels[0][0].sum())

    @cached_property
    def bps(self) -> float:
        """Central value of the full prediction [bit/s]."""
        if self._lossy:  # the median of random runs
            return predict(self.scenario).throughput_bps
        return float(self._model.ground(with_draws=False)[0][0])


class _Search:
    """Purchases for one question, at any target."""

    def __init__(
        self,
        base: Scenario,
        offers: Offers,
        end: Literal["memory", "disk"],
        raid: Level,
        *,
        direct: bool,
        reach_m: float,
    ) -> None:
        self.base = base
        self.offers = offers
        self.end: Literal["memory", "disk"] = end
        self.raid = raid
        self.direct = direct
        self.reach_m = reach_m
        self._last: int | None = None
        self._known: dict[str, _Reached] = {}

    # from a target to a purchase -------------------------------------------------------------------------------------

    def cheapest(self, target_bps: float, budget: float | None) -> Purchase:
        """Cheapest purchase that reaches a target."""
        if not (np.isfinite(target_bps) and target_bps > 0):
            raise RangeError(f"target: found {target_bps}, expected more than 0 bit/s")
        max_payload: dict[Role, float] = {}
        for role in ROLES:
            host = getattr(self.base, role)
            max_payload[role] = self.offers.base.get("max_payload", host.max_payload.value)
        request = Request(
            target_bps, self.offers, self.base.path, self.end, self.raid, self.reach_m, self.direct, max_payload
        )
        over = lines(request)
        known = list(options(request, over))
        self._explain_missing(request, over, known)
        self._explain_path(request, over)
        cuts: list[_Cut] = []
        touched: set[Option] = set()
        for number in range(1, _ROUNDS + 1):
            asked = [*touched, *front([option for option in known if option not in touched])]
            chosen = self._solve(asked, over, cuts, budget)
            if chosen is None:
                raise self._infeasible(target_bps, asked, over, cuts, budget)
            failing = self._failing(chosen, target_bps)
            if failing is None:
                return self._bought(chosen, target_bps, number, len(cuts))
            cut = self._cut(failing, chosen, known, over)
            cuts.append(cut)
            fresh = {each for each in known if any(each in one for one in cut.sets)} - touched
            known += [more for each in fresh if each.group == "storage" and (more := more_disks(each)) is not None]
            touched |= fresh
        raise InputError(f"no purchase for {units.format_rate(target_bps)} in {_ROUNDS} rounds", "a smaller question")

    def _failing(self, chosen: _Choice, target_bps: float) -> list[Option] | None:
        """Smallest group of options that falls short of the target by itself, None where all reach it together."""
        if self._reaches(chosen, _whole(chosen), target_bps) is not None:
            return None
        for over_time, parts, role in product((False, True), _PARTS, ROLES):  # first what needs no TCP over time
            mine = tuple(group for group in parts if group in chosen.options[role])
            if parts[0] in mine and self._reaches(chosen, {role: mine}, target_bps, over_time=over_time) is None:
                return [chosen.options[role][group] for group in mine]
        return [option for each in chosen.options.values() for option in each.values()]

    def _cut(self, failing: list[Option], chosen: _Choice, known: list[Option], over: list[Line]) -> _Cut:
        """Forbid what fell short, with all that can do no better in its place, on the links that it fell short on."""
        sets: list[frozenset[Hashable]] = []
        for option in failing:
            same = [each for each in known if each.role == option.role and each.group == option.group]
            sets.append(frozenset(worse(option, same)))
        line = chosen.line
        sets.append(frozenset(each for each in over if (each.rate_bps, each.links) == (line.rate_bps, line.links)))
        return _Cut(tuple(sets))

    def _bought(self, chosen: _Choice, target_bps: float, rounds: int, cuts: int) -> Purchase:
        reached = self._best(chosen, target_bps)
        hosts: dict[Role, HostBuild] = {}
        for role in ROLES:
            parts: dict[str, Any] = {group: option.chosen for group, option in chosen.options[role].items()}
            hosts[role] = HostBuild(
                parts["platform"],
                parts["processors"],
                parts.get("modules"),
                parts["cards"],
                parts.get("storage"),
                chosen.enclosures[role],
            )
        entries = bill(
            hosts,
            chosen.line,
            direct=self.direct,
            fixed_usd=self.offers.fixed_usd,
            fixed_title=self.offers.fixed_title,
        )
        return Purchase(target_bps, hosts, chosen.line, entries, predict(reached.scenario), rounds, cuts)

    # predictions -----------------------------------------------------------------------------------------------------

    def _keys(self, chosen: _Choice, parts: Mapping[Role, tuple[str, ...]], processes: int | None) -> dict[str, Any]:
        keys: dict[str, Any] = {"path.rate": chosen.line.rate_bps, "path.links": chosen.line.links}
        if processes is not None:
            keys["tool.processes"] = processes
        for role, groups in parts.items():
            mine = chosen.options[role]
            fitting = {group: mine[group].fitting for group in ("cards", "storage") if group in mine}
            picked = {group: mine[group].chosen for group in groups}
            keys |= host_keys(role, picked, fitting, raid=self.raid, base=self.offers.base)
        return keys

    def _reaches(
        self,
        chosen: _Choice,
        parts: Mapping[Role, tuple[str, ...]],
        target_bps: float,
        *,
        over_time: bool = True,
    ) -> _Reached | None:
        """Whether some of what was chosen reaches the target, everything else beyond limits, and with which processes.

        What was predicted once is known: a part that is looked at again costs nothing.
        """
        counts: list[int | None] = [None] if "tool.processes" in self.base.keys else [*PROCESSES]
        counts.sort(key=lambda count: count != self._last)  # what reached a target before does so again, as a rule
        for count in counts:
            if parts and over_time and self._scenario(chosen, {}, count).bps < target_bps:
                continue  # not even hosts without limits do
            known = self._scenario(chosen, parts, count)
            if known.allowed_bps >= target_bps and (not over_time or known.bps >= target_bps):
                self._last = count
                return known
        return None

    def _scenario(self, chosen: _Choice, parts: Mapping[Role, tuple[str, ...]], count: int | None) -> _Reached:
        keys = self._keys(chosen, parts, count)
        name = repr(keys)
        if name not in self._known:
            self._known[name] = _Reached(self.base.with_(keys))
        return self._known[name]

    def _best(self, chosen: _Choice, target_bps: float) -> _Reached:
        """What was chosen, with as many processes as serve best: more only for what is felt."""
        best = self._reaches(chosen, _whole(chosen), target_bps)
        assert best is not None  # noqa: S101 - what falls short is not bought
        if "tool.processes" in self.base.keys:
            return best
        for count in PROCESSES:
            more = self._scenario(chosen, _whole(chosen), count)
            if more.allowed_bps > best.bps * FELT and more.bps > best.bps * FELT:
                best = more
        return best

    # the integer program ---------------------------------------------------------------------------------------------

    def _solve(  # noqa: C901, PLR0912 - one program, row by row
        self,
        known: list[Option],
        over: list[Line],
        cuts: list[_Cut],
        budget: float | None,
        *,
        without: str = "",
    ) -> _Choice | None:
        """Cheapest choice that fits and is not cut; None where there is none.

        Parameters
        ----------
        without
            A limit of `LIMITS` that is left out.
        """
        boxes = list(self.offers.enclosures.values())
        columns: dict[Hashable, int] = {}
        for each in (*known, *over, *((role, number) for role in ROLES for number in range(len(boxes)))):
            columns[each] = len(columns)
        price = np.zeros(len(columns))
        for option in known:
            price[columns[option]] = option.usd
        for line in over:
            price[columns[line]] = line_usd(line, direct=self.direct)
        for role in ROLES:
            for number, box in enumerate(boxes):
                price[columns[role, number]] = price_usd(box)
        rows = _Rows(len(columns))
        rows.add(((columns[line], 1.0) for line in over), low=1, high=1)
        for role in ROLES:
            groups = {group: [each for each in known if each.role == role and each.group == group] for group in GROUPS}
            at = {each: columns[each] for members in groups.values() for each in members}
            for group in self._groups():
                rows.add(((at[each], 1.0) for each in groups[group]), low=1, high=1)
            self._fit_line(rows, groups, at, {line: columns[line] for line in over})
            limits: dict[str, Callable[[], None]] = {
                "sockets": partial(self._fit_sockets, rows, groups, at),
                "slots": partial(self._fit_slots, rows, groups, at),
                "lanes": partial(self._fit_lanes, rows, groups, at),
                "memory channels": partial(self._fit_memory, rows, groups, at),
                "bays": partial(
                    self._fit_boxes, rows, groups, at, [columns[role, n] for n in range(len(boxes))], "bays"
                ),
                "power": partial(
                    self._fit_boxes, rows, groups, at, [columns[role, n] for n in range(len(boxes))], "power"
                ),
            }
            for name, fit in limits.items():
                if name != without:
                    fit()
        if without != "prediction":
            for cut in cuts:
                held = [(columns[each], 1.0) for one in cut.sets for each in one if each in columns]
                rows.add(held, high=len(cut.sets) - 1)
        if budget is not None and without != "budget":
            rows.add(enumerate(price), high=budget - len(ROLES) * self.offers.fixed_usd)
        upper = np.ones(len(columns))
        for role in ROLES:
            for number in range(len(boxes)):
                upper[columns[role, number]] = 20
        solved = scipy.optimize.milp(
            price,
            constraints=rows.constraint(),
            integrality=np.ones(len(columns)),
            bounds=scipy.optimize.Bounds(0, upper),
            options={"mip_rel_gap": 0.0},
        )
        if solved.x is None:
            return None
        values = np.round(solved.x).astype(int)
        picked: dict[Role, dict[str, Option]] = {
            role: {each.group: each for each in known if each.role == role and values[columns[each]]} for role in ROLES
        }
        inside: dict[Role, tuple[tuple[Any, int], ...]] = {
            role: tuple(
                (box, int(values[columns[role, number]]))
                for number, box in enumerate(boxes)
                if values[columns[role, number]]
            )
            for role in ROLES
        }
        return _Choice(picked, next(line for line in over if values[columns[line]]), inside)

    def _groups(self) -> list[str]:
        """Groups of which each host has one."""
        return [
            group
            for group in GROUPS
            if (group != "storage" or self.end == "disk") and (group != "modules" or self.offers.bought("modules"))
        ]

    @staticmethod
    def _fit_line(
        rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int], over: Mapping[Line, int]
    ) -> None:
        """Cards are on the line that is chosen: one row for all cards that can be on the same lines."""
        able: dict[frozenset[Line], list[Option]] = {}
        for option in groups["cards"]:
            able.setdefault(frozenset(line for line in over if accepts(option.chosen, line)), []).append(option)
        for on, members in able.items():
            rows.add([*((at[each], 1.0) for each in members), *((over[line], -1.0) for line in on)], high=0)

    @staticmethod
    def _fit_sockets(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """As many sockets are filled as there are processors, of their kind."""
        kinds: dict[Hashable, list[tuple[int, float]]] = {}
        for option in groups["platform"]:
            kinds.setdefault((option.chosen.board.socket, option.chosen.sockets), []).append((at[option], 1.0))
        for option in groups["processors"]:
            kinds.setdefault((option.chosen.cpu.socket, option.chosen.count), []).append((at[option], -1.0))
        for terms in kinds.values():
            rows.add(terms, low=0, high=0)

    @staticmethod
    def _fit_slots(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Cards and controllers find slots: enough for each of the two alone, and for both (Hall's theorem)."""
        boards = {option: option.chosen.slots().values() for option in groups["platform"]}

        def room(fitting: frozenset[Any]) -> list[tuple[int, float]]:
            return [(at[each], -float(sum(slot in fitting for slot in slots))) for each, slots in boards.items()]

        kinds: list[dict[frozenset[Any], list[Option]]] = [{}, {}]
        for kind, group in zip(kinds, ("cards", "storage"), strict=True):
            for option in groups[group]:
                kind.setdefault(option.fitting, []).append(option)
        most = max((option.cards for group in ("cards", "storage") for option in groups[group]), default=0)

        def taken(members: list[Option]) -> list[tuple[int, float]]:  # nothing, where another kind of slot is wanted
            return [(at[each], float(each.cards + 2 * most)) for each in members]

        for kind in kinds:
            for fitting, members in kind.items():
                rows.add([*taken(members), *room(fitting)], high=2 * most)
        for first, cards in kinds[0].items():
            for second, storages in kinds[1].items():
                rows.add([*taken(cards), *taken(storages), *room(first | second)], high=4 * most)

    @staticmethod
    def _fit_lanes(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Cards have no more lanes than the processors, where those have lanes of their own and no hub between."""
        many = 10_000.0
        used = [(at[each], float(each.lanes)) for group in ("cards", "storage") for each in groups[group]]
        there = [(at[each], -many if each.lanes < 0 else -float(each.lanes)) for each in groups["processors"]]
        rows.add([*used, *there], high=0)

    def _fit_memory(self, rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Modules are of the processors' kind, one a channel that processors and board both have."""
        if not self.offers.bought("modules"):
            return
        kinds: dict[int, list[tuple[int, float]]] = {}
        for option in groups["modules"]:
            kinds.setdefault(option.chosen.module.ddr, []).append((at[option], 1.0))
        for option in groups["processors"]:
            transfers = option.chosen.cpu.memory_transfers
            ddr = ddr_of(None if transfers is None else transfers.value)
            if ddr is None:
                for terms in kinds.values():
                    terms.append((at[option], -1.0))
            else:
                kinds.setdefault(ddr, []).append((at[option], -1.0))
        for terms in kinds.values():
            rows.add(terms, high=0)
        wanted = [(at[each], float(each.chosen.channels)) for each in groups["modules"]]
        rows.add([*wanted, *((at[each], -_channels(each.chosen)) for each in groups["processors"])], high=0)
        rows.add([*wanted, *((at[each], -_channels(each.chosen)) for each in groups["platform"])], high=0)

    def _fit_boxes(
        self,
        rows: _Rows,
        groups: Mapping[str, list[Option]],
        at: Mapping[Option, int],
        boxes: list[int],
        of: Literal["bays", "power"],
    ) -> None:
        """Enclosures, at least one, have bays for the drives, or power for everything."""
        if not boxes:
            return
        rows.add(((box, 1.0) for box in boxes), low=1)
        there = [
            (column, -float(box.bays) if of == "bays" else -box.supply.value)
            for column, box in zip(boxes, self.offers.enclosures.values(), strict=True)
        ]
        if of == "bays":
            used = [(at[each], float(each.chosen.bays)) for each in groups["storage"]]
        else:
            used = [(at[each], each.power_w) for members in groups.values() for each in members]
        rows.add([*used, *there], high=0)

    # why not ---------------------------------------------------------------------------------------------------------

    def _explain_missing(self, request: Request, over: list[Line], known: list[Option]) -> None:
        """Say which kind of part there is none of, that closed forms let reach the target."""
        target = units.format_rate(request.target_bps)
        nothing = f"nothing to buy that reaches {target}"
        missing = [kind for kind in ("boards", "cpus", "nics") if not self.offers.parts.get(kind)]
        if self.end == "disk":
            missing += [kind for kind in ("disks", "controllers") if not self.offers.parts.get(kind)]
        if missing:
            raise InputError(nothing, f"{' and '.join(missing)} with a price on offer", advice=_ADVICE)
        path = self.base.path
        if not over and path.rate is not None and path.links * path.rate.value < request.target_bps:
            most = units.format_rate(path.links * path.rate.value)
            raise InputError(nothing, f"a path of more than {most}, which its links carry together")
        if not over:
            raise InputError(nothing, "a transceiver or cable of the links' rate on offer", advice=_ADVICE)
        words = {
            "processors": "a processor with a price for a socket of a board on offer",
            "modules": "memory modules on offer",
            "cards": f"network cards on offer that carry {target} through slots and ports of the path's rate",
            "storage": f"drives and controllers on offer that {{}} {target} together",
        }
        for role in ROLES:
            for group in self._groups():
                if not any(option.role == role and option.group == group for option in known):
                    verb = "read" if role == "sender" else "write"
                    raise InputError(nothing, words[group].format(verb), advice=_ADVICE)

    def _explain_path(self, request: Request, over: list[Line]) -> None:
        """Say what hosts without limits reach, where that is less than the target."""
        for line in {(each.rate_bps, each.links): each for each in over}.values():
            alone = _Choice({role: {} for role in ROLES}, line, {})
            if self._reaches(alone, {}, request.target_bps) is not None:
                return
        most = max(one.bps for one in self._known.values())
        raise InputError(
            f"nothing to buy that reaches {units.format_rate(request.target_bps)}",
            f"at most {units.format_rate(most)}: hosts without limits reach no more over this path with this tool",
        )

    def _infeasible(
        self, target_bps: float, known: list[Option], over: list[Line], cuts: list[_Cut], budget: float | None
    ) -> InputError:
        """Say which limits, lifted one at a time, would let the target be reached."""
        in_the_way = [name for name in LIMITS if self._solve(known, over, cuts, budget, without=name) is not None]
        nothing = f"nothing to buy that reaches {units.format_rate(target_bps)}"
        if budget is not None:
            nothing += f" for {budget:,.0f} USD"
        if not in_the_way:
            return InputError(
                nothing, "a smaller target: no single limit stands in the way, several do", advice=_ADVICE
            )
        words = "; ".join(f"{name} ({LIMITS[name]})" for name in in_the_way)
        return InputError(nothing, f"more of any of these: {words}", advice=_ADVICE)


_ADVICE: Final = "parts without a known price are not bought: --assume-prices buys those whose price is only assumed"


def _whole(chosen: _Choice) -> dict[Role, tuple[str, ...]]:
    """Everything that was chosen."""
    return {role: tuple(each) for role, each in chosen.options.items()}


def _channels(chosen: Platform | Processors) -> float:
    """Memory channels that can be filled, one module each."""
    if isinstance(chosen, Processors):
        return float(chosen.count * (chosen.cpu.memory_channels or MANY))
    board = chosen.board
    channels = chosen.sockets * (board.memory_channels or MANY)
    slots = MANY if board.memory_slots is None else board.memory_slots * chosen.sockets // board.sockets
    return float(min(channels, slots))
