"""The search for a purchase: predict each choice of the integer program, and forbid those that fall short."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any, Final, Literal

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.hardware import Scenario
from hecn_analysis.planning.purchase.builds import ROLES, HostBuild, Line, Role, bill, host_keys
from hecn_analysis.planning.purchase.offers import Offers
from hecn_analysis.planning.purchase.options import Level, Option, Request, front, lines, more_disks, options, worse
from hecn_analysis.planning.purchase.program import LIMITS, Choice, Cut, Program
from hecn_analysis.planning.purchase.result import Purchase
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.model import Model

#: Numbers of processes to try, unless the settings give one.
PROCESSES: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)

#: Groups of parts to predict alone, the smallest first; a board is predicted with all its cards.
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

#: More processes must gain more than this factor.
FELT: Final = 1.02

#: Most purchases to try for one target; today's catalogue needs less than a tenth of them.
_ROUNDS: Final = 2000

#: Most targets to search for until the median reaches the one that was asked for.
_MOST_RAISES: Final = 4

#: Advice of an error where parts with an assumed price were not on offer.
ASSUME_PRICES: Final = (
    "parts without a published price are left out: --assume-prices includes those with an assumed price"
)


class Reached:
    """Throughput of a scenario: `allowed_bps` by its resources, `bps` with TCP over time."""

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


class Search:
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
        capacity_bytes: float = 0.0,
    ) -> None:
        self.base = base
        self.offers = offers
        self.end: Literal["memory", "disk"] = end
        self.raid = raid
        self.direct = direct
        self.reach_m = reach_m
        self.capacity_bytes = capacity_bytes
        self.program = Program(offers, end, direct=direct)
        self._advice = ASSUME_PRICES if offers.published_only else None
        self._last: int | None = None
        self._known: dict[str, Reached] = {}

    # from a target to a purchase -------------------------------------------------------------------------------------

    def cheapest(self, target_bps: float, budget: float | None) -> Purchase:
        """Cheapest purchase whose prediction, the median of its draws, reaches a target.

        The search asks for central values, which are fast. If the median is lower, it asks for as much more.
        """
        bought = self._cheapest(target_bps, budget)
        for _ in range(_MOST_RAISES):
            if bought.prediction.throughput_bps >= target_bps:
                break
            try:
                bought = self._cheapest(bought.asked_bps * target_bps / bought.prediction.throughput_bps, budget)
            except InputError:  # the most that can be had falls short
                break
        return replace(bought, target_bps=target_bps)

    def _cheapest(self, target_bps: float, budget: float | None) -> Purchase:
        """Cheapest purchase that reaches a target by central values."""
        if not (np.isfinite(target_bps) and target_bps > 0):
            raise RangeError(f"target: found {target_bps}, expected more than 0 bit/s")
        max_payload: dict[Role, float] = {}
        for role in ROLES:
            host = getattr(self.base, role)
            max_payload[role] = self.offers.base.get("max_payload", host.max_payload.value)
        request = Request(
            target_bps,
            self.offers,
            self.base.path,
            self.end,
            self.raid,
            self.reach_m,
            self.direct,
            max_payload,
            self.capacity_bytes,
        )
        over = lines(request)
        known = list(options(request, over))
        self._explain_missing(request, over, known)
        self._explain_path(request, over)
        cuts: list[Cut] = []
        touched: set[Option] = set()
        for number in range(1, _ROUNDS + 1):
            candidates = [*touched, *front([option for option in known if option not in touched])]
            chosen = self.program.solve(candidates, over, cuts, budget)
            if chosen is None:
                raise self._infeasible(target_bps, candidates, over, cuts, budget)
            failing = self._failing(chosen, target_bps)
            if failing is None:
                return self._bought(chosen, target_bps, number, len(cuts))
            cut = self._cut(failing, chosen, known, over)
            cuts.append(cut)
            fresh = {option for option in known if any(option in members for members in cut.sets)} - touched
            known += [
                more for option in fresh if option.group == "storage" and (more := more_disks(option)) is not None
            ]
            touched |= fresh
        raise InputError(
            f"no purchase for {units.format_rate(target_bps)} in {_ROUNDS} rounds",
            "fewer parts on offer, or a lower target",
        )

    def _failing(self, chosen: Choice, target_bps: float) -> list[Option] | None:
        """Smallest group of options that falls short of the target by itself; None if the whole choice reaches it."""
        if self._reaches(chosen, _whole(chosen), target_bps) is not None:
            return None
        for over_time, parts, role in product(
            (False, True), _PARTS, ROLES
        ):  # first without TCP over time, which is faster
            mine = tuple(group for group in parts if group in chosen.options[role])
            if parts[0] in mine and self._reaches(chosen, {role: mine}, target_bps, over_time=over_time) is None:
                return [chosen.options[role][group] for group in mine]
        return [option for groups in chosen.options.values() for option in groups.values()]

    def _cut(self, failing: list[Option], chosen: Choice, known: list[Option], over: list[Line]) -> Cut:
        """Cut that forbids failing options, and all that are no faster, on the links of the choice."""
        sets: list[frozenset[Hashable]] = []
        placed = any(option.group == "platform" for option in failing)  # then the slots of a card matter
        for option in failing:
            same = [other for other in known if other.role == option.role and other.group == option.group]
            same = [other for other in same if not placed or other.fitting == option.fitting]
            sets.append(frozenset(worse(option, same)))
        line = chosen.line
        sets.append(frozenset(other for other in over if (other.rate_bps, other.links) == (line.rate_bps, line.links)))
        return Cut(tuple(sets))

    def _bought(self, chosen: Choice, target_bps: float, rounds: int, cuts: int) -> Purchase:
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
        prediction = predict(reached.scenario)
        return Purchase(target_bps, hosts, chosen.line, entries, prediction, rounds, cuts, target_bps, self.raid)

    # predictions -----------------------------------------------------------------------------------------------------

    def _keys(self, chosen: Choice, parts: Mapping[Role, tuple[str, ...]], processes: int | None) -> dict[str, Any]:
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
        chosen: Choice,
        parts: Mapping[Role, tuple[str, ...]],
        target_bps: float,
        *,
        over_time: bool = True,
    ) -> Reached | None:
        """Scenario with part of the choice and no other limits, if it reaches the target; None if it falls short."""
        counts: list[int | None] = [None] if "tool.processes" in self.base.keys else [*PROCESSES]
        counts.sort(key=lambda count: count != self._last)  # the count that reached the last target often works again
        for count in counts:
            if parts and over_time and self._scenario(chosen, {}, count).bps < target_bps:
                continue  # even hosts without limits fall short
            known = self._scenario(chosen, parts, count)
            if known.allowed_bps >= target_bps and (not over_time or known.bps >= target_bps):
                self._last = count
                return known
        return None

    def _scenario(self, chosen: Choice, parts: Mapping[Role, tuple[str, ...]], count: int | None) -> Reached:
        keys = self._keys(chosen, parts, count)
        name = repr(keys)
        if name not in self._known:
            self._known[name] = Reached(self.base.with_(keys))
        return self._known[name]

    def _best(self, chosen: Choice, target_bps: float) -> Reached:
        """Scenario of the choice with the best number of processes; more only if they gain over `FELT`."""
        best = self._reaches(chosen, _whole(chosen), target_bps)
        assert best is not None  # noqa: S101 - the choice reaches the target
        if "tool.processes" in self.base.keys:
            return best
        for count in PROCESSES:
            more = self._scenario(chosen, _whole(chosen), count)
            if more.allowed_bps > best.bps * FELT and more.bps > best.bps * FELT:
                best = more
        return best

    # why not ---------------------------------------------------------------------------------------------------------

    def _explain_missing(self, request: Request, over: list[Line], known: list[Option]) -> None:
        """Report which kind of part has no candidate that could reach the target."""
        target = units.format_rate(request.target_bps)
        nothing = f"nothing to buy that reaches {target}"
        missing = [kind for kind in ("boards", "cpus", "nics") if not self.offers.parts.get(kind)]
        if self.end == "disk":
            missing += [kind for kind in ("disks", "controllers") if not self.offers.parts.get(kind)]
        if missing:
            raise InputError(nothing, f"{' and '.join(missing)} with a price on offer", advice=self._advice)
        path = self.base.path
        if not over and path.rate is not None and path.links * path.rate.value < request.target_bps:
            most = units.format_rate(path.links * path.rate.value)
            raise InputError(nothing, f"a path faster than {most}, the rate of its links together")
        if not over:
            raise InputError(nothing, "a transceiver or cable of the links' rate on offer", advice=self._advice)
        holding = f" and hold {units.format_bytes(request.capacity_bytes)}" if request.capacity_bytes else ""
        words = {
            "processors": "a processor with a price for a socket of a board on offer",
            "modules": "memory modules on offer",
            "cards": f"network cards on offer that carry {target} through slots and ports of the path's rate",
            "storage": f"drives and controllers on offer that {{}} {target} together{holding}",
        }
        for role in ROLES:
            for group in self.program.groups():
                if not any(option.role == role and option.group == group for option in known):
                    verb = "read" if role == "sender" else "write"
                    raise InputError(nothing, words[group].format(verb), advice=self._advice)

    def _explain_path(self, request: Request, over: list[Line]) -> None:
        """Raise if even hosts without limits fall short of the target."""
        for line in {(item.rate_bps, item.links): item for item in over}.values():
            alone = Choice({role: {} for role in ROLES}, line, {})
            if self._reaches(alone, {}, request.target_bps) is not None:
                return
        most = max(reached.bps for reached in self._known.values())
        raise InputError(
            f"nothing to buy that reaches {units.format_rate(request.target_bps)}",
            f"at most {units.format_rate(most)}: hosts without limits reach no more over this path with this tool",
        )

    def _infeasible(
        self, target_bps: float, known: list[Option], over: list[Line], cuts: list[Cut], budget: float | None
    ) -> InputError:
        """Error that names each limit whose removal alone would allow the target."""
        in_the_way = [
            name for name in LIMITS if self.program.solve(known, over, cuts, budget, without=name) is not None
        ]
        nothing = f"nothing to buy that reaches {units.format_rate(target_bps)}"
        if budget is not None:
            nothing += f" for {budget:,.0f} USD"
        if not in_the_way:
            return InputError(
                nothing, "a smaller target: several limits together prevent it, no single one", advice=self._advice
            )
        words = "; ".join(f"{name} ({LIMITS[name]})" for name in in_the_way)
        return InputError(nothing, f"more of any of these: {words}", advice=self._advice)


def _whole(chosen: Choice) -> dict[Role, tuple[str, ...]]:
    """All groups of the choice."""
    return {role: tuple(groups) for role, groups in chosen.options.items()}
