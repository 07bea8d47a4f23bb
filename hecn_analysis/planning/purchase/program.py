"""The integer program of a purchase: the cheapest choice that fits and that no cut forbids, solved exactly by HiGHS.

Its columns are the options of each host, the sets of links, and the number of each enclosure. Its rows are sockets,
slots, lanes, memory channels, bays, power, the budget, and the cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import scipy.optimize
import scipy.sparse

from hecn_analysis.planning.purchase.builds import GROUPS, ROLES, Line, Platform, Processors, Role, line_usd
from hecn_analysis.planning.purchase.offers import Offers, ddr_of, price_usd
from hecn_analysis.planning.purchase.options import MANY, Option, accepts

#: Limits that can prevent a target, each with its description.
LIMITS: Final = {
    "sockets": "no processor on offer fits a board on offer",
    "slots": "wide enough slots for the cards and controllers together",
    "lanes": "PCI Express lanes of the processors",
    "memory channels": "memory channels of processors and boards",
    "bays": "bays for the drives",
    "power": "the power of the supplies",
    "budget": "USD for both hosts together",
    "prediction": "the predicted limits of cores, memory, drives and the path together",
}

#: Form of the drives that do not fit into every bay.
LARGE: Final = "3.5 inch"

#: Most enclosures of a kind for one host.
_MOST_BOXES: Final = 20


@dataclass(frozen=True)
class Cut:
    """Sets of options; a choice must not take one option from every set."""

    sets: tuple[frozenset[Hashable], ...]


@dataclass
class _Rows:
    """Rows of an integer program under construction."""

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
        row, column, value = (np.array(part) for part in zip(*self.entries, strict=True))
        places = (
            np.asarray(row, dtype=np.int32),
            np.asarray(column, dtype=np.int32),
        )  # older SciPy accepts no other type
        matrix = scipy.sparse.csr_array((value, places), shape=(len(self.low), self.size))
        return scipy.optimize.LinearConstraint(matrix, self.low, self.high)


@dataclass(frozen=True)
class Choice:
    """A solution of the integer program."""

    options: Mapping[Role, Mapping[str, Option]]
    line: Line
    enclosures: Mapping[Role, tuple[tuple[Any, int], ...]]


@dataclass(frozen=True)
class Program:
    """Integer programs for one question."""

    offers: Offers  # what can be bought
    end: Literal["memory", "disk"]  # where the data come from and go to: only between disks is there storage to buy
    direct: bool  # whether the hosts are connected directly, without a switch

    def solve(
        self, known: list[Option], over: list[Line], cuts: list[Cut], budget: float | None, *, without: str = ""
    ) -> Choice | None:
        """Return the cheapest choice that fits and is not cut, or None."""
        boxes = [(role, number) for role in ROLES for number in range(len(self.offers.enclosures))]
        columns: dict[Hashable, int] = {item: number for number, item in enumerate((*known, *over, *boxes))}
        price = self._prices(columns)
        rows = _Rows(len(columns))
        rows.add(((columns[line], 1.0) for line in over), low=1, high=1)
        for role in ROLES:
            self._fit_host(rows, role, columns, without=without)
        if without != "prediction":
            for cut in cuts:
                held = [(columns[option], 1.0) for options in cut.sets for option in options if option in columns]
                rows.add(held, high=len(cut.sets) - 1)
        if budget is not None and without != "budget":
            rows.add(enumerate(price), high=budget - len(ROLES) * self.offers.fixed_usd)
        upper = np.ones(len(columns))
        upper[[columns[box] for box in boxes]] = _MOST_BOXES
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
            role: {option.group: option for option in known if option.role == role and values[columns[option]]}
            for role in ROLES
        }
        inside: dict[Role, tuple[tuple[Any, int], ...]] = {
            role: tuple(
                (box, int(values[columns[role, number]]))
                for number, box in enumerate(self.offers.enclosures.values())
                if values[columns[role, number]]
            )
            for role in ROLES
        }
        return Choice(picked, next(line for line in over if values[columns[line]]), inside)

    def groups(self) -> list[str]:
        """Groups that each host needs."""
        return [
            group
            for group in GROUPS
            if (group != "storage" or self.end == "disk") and (group != "modules" or self.offers.bought("modules"))
        ]

    def _prices(self, columns: Mapping[Hashable, int]) -> npt.NDArray[np.float64]:
        """Price of one unit of each column [USD]."""
        boxes = [price_usd(box) for box in self.offers.enclosures.values()]
        price = np.zeros(len(columns))
        for item, column in columns.items():
            if isinstance(item, Option):
                price[column] = item.usd
            elif isinstance(item, Line):
                price[column] = line_usd(item, direct=self.direct)
            elif isinstance(item, tuple):  # role and number of an enclosure
                price[column] = boxes[item[1]]
        return price

    def _fit_host(
        self,
        rows: _Rows,
        role: Role,
        columns: Mapping[Hashable, int],
        *,
        without: str,
    ) -> None:
        """Require one option of each group for a host, compatible except for the omitted limit."""
        at = {item: column for item, column in columns.items() if isinstance(item, Option) and item.role == role}
        groups = {group: [item for item in at if item.group == group] for group in GROUPS}
        boxes = [columns[role, number] for number in range(len(self.offers.enclosures))]
        for group in self.groups():
            rows.add(((at[item], 1.0) for item in groups[group]), low=1, high=1)
        self._fit_line(rows, groups, at, {item: column for item, column in columns.items() if isinstance(item, Line)})
        limits: dict[str, Callable[[], None]] = {
            "sockets": lambda: self._fit_sockets(rows, groups, at),
            "slots": lambda: self._fit_slots(rows, groups, at),
            "lanes": lambda: self._fit_lanes(rows, groups, at),
            "memory channels": lambda: self._fit_memory(rows, groups, at),
            "bays": lambda: self._fit_boxes(rows, groups, at, boxes, "bays"),
            "power": lambda: self._fit_boxes(rows, groups, at, boxes, "power"),
        }
        for name, fit in limits.items():
            if name != without:
                fit()

    @staticmethod
    def _fit_line(
        rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int], over: Mapping[Line, int]
    ) -> None:
        """Require cards that fit the chosen line: one row for all cards that fit the same lines."""
        able: dict[frozenset[Line], list[Option]] = {}
        for option in groups["cards"]:
            able.setdefault(frozenset(line for line in over if accepts(option.chosen, line)), []).append(option)
        for on, members in able.items():
            rows.add([*((at[card], 1.0) for card in members), *((over[line], -1.0) for line in on)], high=0)

    @staticmethod
    def _fit_sockets(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Require as many filled sockets as processors, of their type."""
        kinds: dict[Hashable, list[tuple[int, float]]] = {}
        for option in groups["platform"]:
            kinds.setdefault((option.chosen.board.socket, option.chosen.sockets), []).append((at[option], 1.0))
        for option in groups["processors"]:
            kinds.setdefault((option.chosen.cpu.socket, option.chosen.count), []).append((at[option], -1.0))
        for terms in kinds.values():
            rows.add(terms, low=0, high=0)

    @staticmethod
    def _fit_slots(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Require slots for the cards, for the controllers, and for both together (Hall's theorem)."""
        boards = {option: option.chosen.slots().values() for option in groups["platform"]}

        def room(fitting: frozenset[Any]) -> list[tuple[int, float]]:
            return [(at[part], -float(sum(slot in fitting for slot in slots))) for part, slots in boards.items()]

        kinds: list[dict[frozenset[Any], list[Option]]] = [{}, {}]
        for kind, group in zip(kinds, ("cards", "storage"), strict=True):
            for option in groups[group]:
                kind.setdefault(option.fitting, []).append(option)
        most = max((option.cards for group in ("cards", "storage") for option in groups[group]), default=0)

        def taken(members: list[Option]) -> list[tuple[int, float]]:  # empty if another kind of slot is needed
            return [(at[part], float(part.cards + 2 * most)) for part in members]

        for kind in kinds:
            for fitting, members in kind.items():
                rows.add([*taken(members), *room(fitting)], high=2 * most)
        for first, cards in kinds[0].items():
            for second, storages in kinds[1].items():
                rows.add([*taken(cards), *taken(storages), *room(first | second)], high=4 * most)

    @staticmethod
    def _fit_lanes(rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Require enough lanes of the processors for the cards, unless a hub provides the lanes."""
        many = 10_000.0
        used = [(at[option], float(option.lanes)) for group in ("cards", "storage") for option in groups[group]]
        there = [(at[option], -many if option.lanes < 0 else -float(option.lanes)) for option in groups["processors"]]
        rows.add([*used, *there], high=0)

    def _fit_memory(self, rows: _Rows, groups: Mapping[str, list[Option]], at: Mapping[Option, int]) -> None:
        """Require modules of the processors' DDR generation, one per channel of processors and board."""
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
        wanted = [(at[chosen], float(chosen.chosen.channels)) for chosen in groups["modules"]]
        rows.add([*wanted, *((at[chosen], -_channels(chosen.chosen)) for chosen in groups["processors"])], high=0)
        rows.add([*wanted, *((at[chosen], -_channels(chosen.chosen)) for chosen in groups["platform"])], high=0)

    def _fit_boxes(
        self,
        rows: _Rows,
        groups: Mapping[str, list[Option]],
        at: Mapping[Option, int],
        boxes: list[int],
        of: Literal["bays", "power"],
    ) -> None:
        """Require enclosures with bays for the drives and power for all parts."""
        if not boxes:
            return
        rows.add(((box, 1.0) for box in boxes), low=1)
        there = [
            (column, -float(box.bays) if of == "bays" else -box.supply.value)
            for column, box in zip(boxes, self.offers.enclosures.values(), strict=True)
        ]
        if of == "bays":
            used = [(at[option], float(option.chosen.bays)) for option in groups["storage"]]
            large = [term for option, term in zip(groups["storage"], used, strict=True) if _is_large(option)]
            roomy = [
                each for each, box in zip(there, self.offers.enclosures.values(), strict=True) if box.bay_form == LARGE
            ]
            rows.add([*large, *roomy], high=0)
        else:
            used = [(at[option], option.power_w) for members in groups.values() for option in members]
        rows.add([*used, *there], high=0)


def _is_large(option: Option) -> bool:
    """Whether the drives of a storage fit only large bays."""
    return bool(option.chosen.disk.form == LARGE)


def _channels(chosen: Platform | Processors) -> float:
    """Number of memory channels that can hold a module."""
    if isinstance(chosen, Processors):
        return float(chosen.count * (chosen.cpu.memory_channels or MANY))
    board = chosen.board
    channels = chosen.sockets * (board.memory_channels or MANY)
    slots = MANY if board.memory_slots is None else board.memory_slots * chosen.sockets // board.sockets
    return float(min(channels, slots))
