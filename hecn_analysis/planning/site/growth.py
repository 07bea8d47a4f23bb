"""What a growing demand needs of a site: how many hosts of which build and how many links of which rate, and when.

The transfers of the site say who sends to whom, and in which shares. Of hosts and links with a price, more can be
bought; each carries what the demands of the model say for its part of the transfers (`demands_together`), which spread
evenly. An integer programme (HiGHS) finds the cheapest purchases, year by year, with which every group of hosts and
every bundle of links carries the demand even without its largest member (N-1). All else is as it is: `full` says when
it has no room left. Central values; other traffic is that of the site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.hardware import Site, load_scenario
from hecn_analysis.hardware.site_file import load_site
from hecn_analysis.sites.flows import Flow, flows_of
from hecn_analysis.sites.prediction import require_limits
from hecn_analysis.sites.system import System
from hecn_analysis.sites.timeline import demands_together

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray

#: Most members of a group or bundle; a demand that needs more is more likely a slip.
_MOST: Final = 10_000

#: Part of a price by which a purchase a year earlier counts as dearer, so that of equal costs the later one wins.
_LATER: Final = 1e-7

#: Loads within this of 1 are full.
_EQUAL: Final = 1e-9


class Offer(NamedTuple):
    """A host or a link to buy: payload that it carries of its part of the transfers [bit/s], and its price [USD]."""

    build: str
    carries_bps: float
    usd: float


class Pool(NamedTuple):
    """A group of hosts or a bundle of links: its present members, its part of the demand, and what can be bought."""

    name: str
    kind: Literal["hosts", "links"]
    there: int
    carries_bps: float
    part: float
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class Bought:
    """A purchase: at the beginning of ``year`` (0: now), ``number`` of a build, for ``usd`` together."""

    year: int
    pool: str
    kind: Literal["hosts", "links"]
    build: str
    number: int
    usd: float
    carries_bps: float


@dataclass(frozen=True)
class Load:
    """Demand on a pool in a year, and what it carries, as a whole and without its largest member [bit/s]."""

    year: int
    pool: str
    members: int
    demand_bps: float
    carries_bps: float
    without_one_bps: float


@dataclass(frozen=True)
class Full:
    """A resource of which nothing can be bought: the total demand that it allows [bit/s], and when that is exceeded."""

    name: str
    resource_class: str
    title: str
    allows_bps: float
    year: int


@dataclass(frozen=True)
class Case:
    """The answer if something is otherwise: its cost, and the members to buy in each pool."""

    change: str
    usd: float
    members: Mapping[str, int]


@dataclass(frozen=True)
class SitePurchase:
    """Purchases for a site, with the cost of all [USD], the load of each pool in each year, and what else is full.

    ``cases`` are the answers for other growths, demands and prices.
    """

    name: str
    demands_bps: tuple[float, ...]
    spare: bool
    usd: float
    bought: tuple[Bought, ...]
    loads: tuple[Load, ...]
    full: tuple[Full, ...]
    cases: tuple[Case, ...]

    def __str__(self) -> str:
        """What to buy for how much, in a sentence or two."""
        rate = units.format_rate
        years = len(self.demands_bps) - 1
        until = f" now and {rate(self.demands_bps[-1])} in {units.format_count(years, 'year')}" if years else ""
        without = ", even if one of each fails" if self.spare else ""
        said = f"{self.name or 'a site'}: ${self.usd:,.0f} for {rate(self.demands_bps[0])}{until}{without}."
        if not self.full:
            return said
        first = self.full[0]
        when = "now" if first.year == 0 else f"in year {first.year}"
        return f"{said} But {first.name} allows at most {rate(first.allows_bps)}, which is exceeded {when}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, under fixed names.

        Returns
        -------
        dict
            Numbers in SI and USD, texts and lists, for JSON.

        Examples
        --------
        >>> SitePurchase("a", (1e9,), False, 0.0, (), (), (), ()).to_dict()["sentence"]
        'a: $0 for 1.00 Gb/s.'
        """
        return {"sentence": str(self), **asdict(self)}


def purchase_for_site(
    site: str | Path | Mapping[str, Any] | Site,
    target: str | float,
    *,
    growth: str | float = 0.0,
    years: int = 0,
    spare: bool = True,
    price_change: str | float = 0.0,
    vary: str | float = 0.2,
    settings: Mapping[str, Any] | None = None,
) -> SitePurchase:
    """Find the cheapest hosts and links with which a site carries a growing demand.

    Parameters
    ----------
    site
        YAML file, name in ``models/sites``, mapping of keys, or a loaded site. ``cost`` and ``offers`` of its hosts and
        links say what can be bought; a host with a bill of materials has its price.
    target
        Rate of all its transfers together, now [bit/s].
    growth
        Growth of the demand in a year, as a fraction.
    years
        Years to plan for.
    spare
        Whether each group and bundle carries the demand without its largest member.
    price_change
        Change of the prices in a year, as a fraction; negative if they fall.
    vary
        By how much growth, demand and prices vary for the sensitivity, as a fraction; 0: no sensitivity.
    settings
        Keys of the scenario of every transfer that replace its own.

    Returns
    -------
    SitePurchase
        What to buy when, what everything carries, what else is full, and how the answer depends on what is uncertain.

    Raises
    ------
    InputError
        The site is invalid, or nothing in it has a price.

    Examples
    --------
    30 Gb/s need four waves of 9.9 Gb/s, and a fifth as a spare; two are there:

    >>> pair = {"hosts": {"a": "ideal", "b": "ideal"}, "tool": "ftp", "transfers": [{"sender": "a", "receiver": "b"}]}
    >>> wave = {"ends": ["a", "b"], "rate": "10 Gb/s", "rtt": 0, "mtu": 9000, "loss": 0, "links": 2, "cost": "5000 USD"}
    >>> found = purchase_for_site({**pair, "links": {"wave": wave}, "tool.duration": "60 s"}, "30 Gb/s")
    >>> [(each.pool, each.number, each.usd) for each in found.bought]
    [('wave', 3, 15000.0)]
    """
    loaded = site if isinstance(site, Site) else load_site(site, settings)
    question = _Question(
        units.parse(target, "rate", name="target"),
        units.parse(growth, "fraction", name="growth"),
        years,
        spare,
        units.parse(price_change, "fraction", name="price-change"),
    )
    question.check()
    varied = units.parse(vary, "fraction", name="vary")
    if not 0 <= varied < 1:
        raise InputError(f"vary {vary}", "a part from 0 to less than 1, such as 20 %")
    pools, full = _Supply(loaded).pools(question)
    if not pools:
        raise loaded.error(
            ("hosts",), "nothing with a price", "cost or offers of hosts or links that its transfers use"
        )
    bought, usd = _cheapest(pools, question)
    return SitePurchase(
        loaded.title or loaded.name,
        tuple(question.demands.tolist()),
        spare,
        usd,
        tuple(bought),
        tuple(_loads(pools, bought, question)),
        tuple(full),
        tuple(_cases(pools, question, varied)) if varied else (),
    )


@dataclass(frozen=True)
class _Question:
    """Demand now [bit/s], its growth and the change of prices in a year, and whether one of each may fail."""

    target_bps: float
    growth: float
    years: int
    spare: bool
    price_change: float

    def check(self) -> None:
        """Refuse what cannot be."""
        if not 0 < self.target_bps < np.inf:
            raise InputError(f"a target of {self.target_bps:g} bit/s", "more than 0, and an end")
        if not 0 <= self.years <= 50:
            raise InputError(f"{self.years} years", "0 to 50")
        for name, change in (("growth", self.growth), ("change of prices", self.price_change)):
            if not -1 < change <= 10:
                raise InputError(f"a {name} of {change:g} a year", "more than -100 % and at most 1000 %, such as 30 %")

    @property
    def demands(self) -> FloatArray:
        """Demand in each year [bit/s]."""
        return np.asarray(self.target_bps * (1 + self.growth) ** np.arange(self.years + 1))

    @property
    def prices(self) -> FloatArray:
        """Price in each year, relative to that of now."""
        return np.asarray((1 + self.price_change) ** np.arange(self.years + 1))


class _Supply:
    """What the hosts and links of a site carry, and what more can be bought."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.group_of = {
            host: max(
                (name for name in site.groups if host in site.groups[name]), key=lambda name: len(site.groups[name])
            )
            for host in site.hosts
        }
        self.access = {  # links that come with a host
            name: self.group_of[end]
            for name, link in site.links.items()
            for end in link.ends or ()
            if end in site.hosts and (len(site.groups[self.group_of[end]]) > 1 or site.hosts[end].is_offered)
        }

    def pools(self, question: _Question) -> tuple[list[Pool], list[Full]]:
        """Groups and bundles of which more can be bought, and other resources that become full."""
        loads, parts = self._loads(self.site)
        pools = [*self._hosts(loads, parts), *self._links(loads, parts)]
        return pools, list(self._full(loads, {pool.name for pool in pools}, question))

    def _hosts(self, loads: Mapping[str, float], parts: Mapping[str, float]) -> Iterator[Pool]:
        for group in dict.fromkeys(self.group_of.values()):
            described = self.site.hosts[self.site.groups[group][0]]
            if group not in loads or not described.is_offered:
                continue
            first = self.site.groups[group][0]
            access = [
                link for name, link in self.site.links.items() if name in self.access and first in (link.ends or ())
            ]
            own = sum(link.cost.value for link in access if link.cost is not None)
            many = len(self.site.groups[group])
            offers = []
            for build, stated in self._builds(group):
                price = stated if stated is not None else _bill_usd(build)
                if price is None:
                    found, expected = (
                        f"no price of {build!r}, which has no bill of materials",
                        "a price, such as 14000 USD",
                    )
                    raise self.site.error(("hosts", group, "offers", build), found, expected)
                changed = {
                    host: described.model_copy(update={"host": build}) if host in self.site.groups[group] else other
                    for host, other in self.site.hosts.items()
                }
                load = loads if build == described.host else self._loads(replace(self.site, hosts=changed))[0]
                offers.append(Offer(build, parts[group] / (many * load[group]), price + own))
            if offers:
                yield Pool(group, "hosts", many, parts[group] / (many * loads[group]), parts[group], tuple(offers))

    def _builds(self, group: str) -> Iterator[tuple[str, float | None]]:
        """Builds that a group can have more of, with the price that the site states."""
        described = self.site.hosts[self.site.groups[group][0]]
        if described.cost is not None:
            yield described.host, described.cost.value
        for build, price in described.offers.items():
            if described.cost is None or build != described.host:
                yield build, None if price is None else price.value

    def _links(self, loads: Mapping[str, float], parts: Mapping[str, float]) -> Iterator[Pool]:
        for name, link in self.site.links.items():
            if name in self.access or name not in loads or link.rate is None:
                continue
            carries = parts[name] / (link.links * loads[name])
            offers = [] if link.cost is None else [Offer(units.format_rate(link.rate.value), carries, link.cost.value)]
            for rate, price in link.offers.items():
                try:
                    bps = units.parse(rate, "rate")
                except HecnError as error:
                    raise self.site.error(
                        ("links", name, "offers", rate), f"{rate!r}", "a rate and its price"
                    ) from error
                offers.append(Offer(units.format_rate(bps), carries * bps / link.rate.value, price.value))
            if offers:
                yield Pool(name, "links", link.links, carries, parts[name], tuple(offers))

    def _loads(self, site: Site) -> tuple[dict[str, float], dict[str, float]]:
        """Load of each pool and other resource at a total rate of 1 bit/s, if spread evenly; and part of each pool."""
        flows = flows_of(site, 0)
        system = System(site, flows, 0)
        require_limits(site, system)
        shares = _shares(site, flows)
        by_resource: dict[tuple[str, int], float] = defaultdict(float)
        for column, share in zip(demands_together(system), shares, strict=True):
            for resource, seconds in zip(column.resource.tolist(), column.seconds.tolist(), strict=True):
                by_resource[system.resources[resource].name, resource] += share * seconds
        loads: dict[str, float] = defaultdict(float)
        at_host: dict[str, float] = defaultdict(float)
        for (name, _), load in by_resource.items():
            for key, table in self._owners(name, loads, at_host):
                table[key] = max(table[key], load)
        for flow, share, most, (own, _) in zip(flows, shares, system.most_bps[:, 0].tolist(), system.own, strict=True):
            ends = [end for end in (flow.sender, flow.receiver) if site.hosts[end].is_offered]
            for end in ends:  # more hosts have more transfers
                at_host[end] = max(at_host[end], share / most)
            if not ends:
                loads[own] = max(loads[own], share / most)
        for host, load in at_host.items():
            group = self.group_of[host]
            loads[group] += load / len(self.site.groups[group])
        return {name: load for name, load in loads.items() if load > 0}, self._parts(flows, shares)

    def _owners(
        self, name: str, loads: dict[str, float], at_host: dict[str, float]
    ) -> Iterator[tuple[str, dict[str, float]]]:
        """Where the load of a resource counts: at its host, at the hosts of an access link, or by itself."""
        owner, _, part = name.partition(".")
        if owner in self.group_of:
            yield owner, at_host
        elif owner in self.access and part == "link":
            for end in self.site.links[owner].ends or ():
                if self.group_of.get(end) == self.access[owner]:
                    yield end, at_host
        else:
            yield owner if part == "link" else name, loads

    def _parts(self, flows: list[Flow], shares: list[float]) -> dict[str, float]:
        """Part of the demand at each group, and on each link in its fuller direction."""
        parts: dict[str, float] = defaultdict(float)
        directions: dict[tuple[str, bool], float] = defaultdict(float)
        for flow, share in zip(flows, shares, strict=True):
            for end in {self.group_of[flow.sender], self.group_of[flow.receiver]}:
                parts[end] += share
            for hop in flow.route:
                directions[hop.link, hop.backwards] += share
        for (link, _), share in directions.items():
            parts[link] = max(parts[link], share)
        return dict(parts)

    def _full(self, loads: Mapping[str, float], bought: set[str], question: _Question) -> Iterator[Full]:
        """Resources of which nothing can be bought, and that the demand exceeds, the first to be full first."""
        exhausted = []
        for name, load in loads.items():
            exceeded = np.flatnonzero(question.demands * load > 1 + _EQUAL)
            if name not in bought and exceeded.size:
                resource_class, title = self._described(name)
                exhausted.append(Full(name, resource_class, title, 1 / load, int(exceeded[0])))
        yield from sorted(exhausted, key=lambda each: each.allows_bps)

    def _described(self, name: str) -> tuple[str, str]:
        if name in self.site.groups:
            return "hosts", f"hosts {name}"
        if name in self.site.links:
            return "link", self.site.links[name].title or f"link {name}"
        owner, _, part = name.partition(".")
        return part.partition(".")[0], f"{part.replace('.', ' ')} of {owner}"


def _shares(site: Site, flows: list[Flow]) -> list[float]:
    """Part of each transfer in the demand: by its bytes, or equal parts if all have durations."""
    kinds = {flow.size.is_amount for flow in flows}
    if len(kinds) > 1:
        expected = "bytes for all transfers: they say who moves how much"
        raise site.error(("transfers",), "amounts and durations", expected)
    amounts = [flow.size.of if flow.size.is_amount else 1.0 for flow in flows]
    return [amount / sum(amounts) for amount in amounts]


def _bill_usd(build: str) -> float | None:
    """Price of a host by its bill of materials."""
    host = load_scenario({"sender": build, "receiver": build, "path": "lan-10ge", "tool": "nuttcp"}).sender
    if host is None or host.bill is None:
        return None
    return float(host.bill.sum_usd if host.bill.total is None else host.bill.total.value)


def _cheapest(pools: list[Pool], question: _Question) -> tuple[list[Bought], float]:
    """The cheapest purchases for all pools and years."""
    bought = [each for pool in pools for each in _for_pool(pool, question)]
    return sorted(bought, key=lambda each: each.year), sum(each.usd for each in bought)


def _for_pool(pool: Pool, question: _Question) -> Iterator[Bought]:
    """Purchases for a pool: integers for each offer and year, solved by HiGHS.

    After them come a 0 or 1 for each offer and year: whether there is one, so that one may fail.
    """
    offers, years = len(pool.offers), question.years + 1
    count = offers * years
    prices = np.array([offer.usd for offer in pool.offers])
    cost = np.outer(prices, question.prices * (1 + _LATER * np.arange(years)[::-1])).ravel()
    sizes = np.array([offer.carries_bps for offer in pool.offers])
    demand, present = pool.part * question.demands, pool.there * pool.carries_bps
    scale = float(demand.max())
    rows: list[FloatArray] = []
    low: list[float] = []
    for year in range(years):
        until = np.zeros((offers, years))
        until[:, : year + 1] = sizes[:, None]
        row = np.concatenate([until.ravel(), np.zeros(count)])
        lost = pool.carries_bps if question.spare and pool.there else 0.0
        rows.append(row / scale)
        low.append((demand[year] * (1 - _EQUAL) - present + lost) / scale)
        for offer in range(offers) if question.spare else ():
            there = np.zeros(2 * count)
            there[count + offer * years + year] = 1.0
            rows.append((row - sizes[offer] * there) / scale)
            low.append((demand[year] * (1 - _EQUAL) - present) / scale)
            number = np.zeros((offers, years))
            number[offer, : year + 1] = -1.0
            rows.append(np.concatenate([number.ravel(), np.zeros(count)]) + _MOST * there)
            low.append(0.0)
    solved = scipy.optimize.milp(
        np.concatenate([cost, np.zeros(count)]),
        constraints=scipy.optimize.LinearConstraint(scipy.sparse.csr_array(np.array(rows)), low, np.inf),
        integrality=np.ones(2 * count),
        bounds=scipy.optimize.Bounds(0, np.concatenate([np.full(count, _MOST), np.ones(count)])),
        options={"mip_rel_gap": 0.0},
    )
    if solved.x is None:
        need = units.format_rate(float(demand[-1]))
        raise InputError(f"a demand of {need} on {pool.name}", f"what at most {_MOST:,} of each offer carry")
    numbers = np.round(solved.x[:count]).astype(int).reshape(offers, years)
    for place, year in np.argwhere(numbers).tolist():
        chosen, many = pool.offers[place], int(numbers[place, year])
        usd = many * chosen.usd * float(question.prices[year])
        yield Bought(year, pool.name, pool.kind, chosen.build, many, usd, chosen.carries_bps)


def _loads(pools: list[Pool], bought: list[Bought], question: _Question) -> Iterator[Load]:
    """What each pool carries in each year."""
    for pool in pools:
        for year, demand in enumerate(question.demands.tolist()):
            more = [each for each in bought if each.pool == pool.name and each.year <= year]
            carries = pool.there * pool.carries_bps + sum(each.number * each.carries_bps for each in more)
            largest = max([each.carries_bps for each in more] + ([pool.carries_bps] if pool.there else []), default=0.0)
            members = pool.there + sum(each.number for each in more)
            yield Load(year, pool.name, members, pool.part * demand, carries, carries - largest)


def _cases(pools: list[Pool], question: _Question, vary: float) -> Iterator[Case]:
    """Answers for other demands, growths and prices."""
    for sign in (-1, 1):
        factor, change = 1 + sign * vary, f"{100 * sign * vary:+.3g} %".replace("-", "−")
        others = [
            (f"demand {change}", pools, replace(question, target_bps=question.target_bps * factor)),
            (
                f"growth {100 * question.growth * factor:.3g} % a year",
                pools,
                replace(question, growth=question.growth * factor),
            ),
            *((f"prices of {kind} {change}", _repriced(pools, kind, factor), question) for kind in ("hosts", "links")),
        ]
        for name, priced, asked in others:
            kinds = {pool.kind for pool in priced}
            if (name.startswith("growth") and not (question.growth and question.years)) or (
                name.startswith("prices") and name.split()[2] not in kinds
            ):
                continue
            bought, usd = _cheapest(priced, asked)
            numbers: dict[str, int] = defaultdict(int)
            for each in bought:
                numbers[f"{each.pool}: {each.build}"] += each.number
            yield Case(name, usd, dict(numbers))


def _repriced(pools: list[Pool], kind: str, factor: float) -> list[Pool]:
    """Pools with other prices of one kind."""
    return [
        pool._replace(offers=tuple(offer._replace(usd=offer.usd * factor) for offer in pool.offers))
        if pool.kind == kind
        else pool
        for pool in pools
    ]
