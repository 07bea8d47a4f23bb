"""A schedule for a site: starts with which transfers are done by their deadlines, or what stands in the way.

Transfers are placed one after another, the earliest deadline first. Each starts as early as it can without making any
more late: at its own earliest start, else when another one ends. Every trial follows all transfers with the solver of
the site, in fair shares; so does the result, with its intervals. If that is late, or
leaves a transfer less than its ``at_least``, all start as early as they can, each held to a pace (`paces`). If that is
late, too, they have priorities in the order of their deadlines: the best there is on a single resource. At last, linear
programmes over time slots (`slots`) tell whether any schedule could do better, and which resource would have to grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Site
from hecn_analysis.hardware.clock import is_date, seconds_after
from hecn_analysis.hardware.site import HIGHEST_PRIORITY, LATEST_S
from hecn_analysis.hardware.site_file import load_site
from hecn_analysis.planning.site.pace_options import pace_command
from hecn_analysis.planning.site.paces import Needs, without_needless
from hecn_analysis.planning.site.slots import Windows
from hecn_analysis.prediction.packets import streams_per_process
from hecn_analysis.sites.flows import Flow, flows_of
from hecn_analysis.sites.prediction import predict_site
from hecn_analysis.sites.result import SitePrediction, TransferPrediction
from hecn_analysis.sites.system import System
from hecn_analysis.sites.timeline import course_of, demands_together, lowest_bps

if TYPE_CHECKING:
    from hecn_analysis.hardware.quantity import Parameter
    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import BoolArray, IntArray

#: Starts to try for each transfer; among more, evenly chosen ones.
_MOST_STARTS: Final = 16

#: Later than its deadline by less than this part of its time is in time.
_EQUAL: Final = 1e-6

#: Resources to name in the sentence of those that would have to grow.
_NAMED: Final = 2

#: Number of late transfers and their delays, where none is late.
_NONE_LATE: Final = (0, 0.0)

InTime = Literal["yes", "at risk", "no", ""]


@dataclass(frozen=True)
class ScheduledTransfer:
    """A transfer of a schedule; times in s after time 0.

    One run in 20 ends after ``late_finish_s``. ``late_s`` is the time from its deadline to its end if that is later.
    ``in_time``: yes, if even the late end is before the deadline; at risk, if only the predicted end is; no; or empty
    without a deadline. ``priority`` is that of the site, or what the schedule needs.

    ``required_bps`` is the rate that its deadline or ``at_least`` needs, None if neither is given. ``pace_bps`` is what
    its tool is to be held to, all streams together, None if no pace is needed; ``pace_command`` does so, or is empty.
    ``lowest_bps`` is its lowest predicted rate once it has started up. ``kept`` is for ``at_least`` what ``in_time`` is
    for the deadline.
    """

    name: str
    earliest_s: float
    start_s: float
    finish_s: float
    late_finish_s: float
    by_s: float | None
    late_s: float
    in_time: InTime
    throughput_bps: float
    bottleneck: str
    priority: int
    required_bps: float | None
    pace_bps: float | None
    pace_command: str
    lowest_bps: float
    kept: InTime


@dataclass(frozen=True)
class Left:
    """What a resource has left from time 0 to the last deadline or end: part of its time, and data to move in it."""

    name: str
    resource_class: str
    title: str
    left_fraction: float
    left_bytes: float | None


@dataclass(frozen=True)
class Needed:
    """Payload rate of a resource now and as the deadlines need it, others growing likewise [bit/s]."""

    name: str
    resource_class: str
    title: str
    now_bps: float
    needed_bps: float


@dataclass(frozen=True)
class Schedule:
    """Starts of the transfers of a site, and what comes of them.

    ``least_delay_s`` is how much later than its deadlines every schedule is, however it holds rates: 0 if there might
    be one in time. ``needed`` are the resources that would have to grow for that: none for a schedule in time.
    ``site`` has the starts.

    Examples
    --------
    >>> wave = {"path.rate": "10 Gb/s", "path.rtt": 0, "path.loss": 0, "tool": "ftp", "clock": "2026-11-23 08:00"}
    >>> transfer = {"sender": "ideal", "receiver": "ideal", "bytes": "10 TB"}
    >>> found = schedule({**wave, "transfers": [transfer]}, "Tuesday")
    >>> found.when(found.transfers[0].finish_s), found.to_dict()["schedule"]["in_time"]
    ('Mon 2026-11-23 10:21', True)
    """

    prediction: SitePrediction
    transfers: tuple[ScheduledTransfer, ...]
    left: tuple[Left, ...]
    least_delay_s: float
    needed: tuple[Needed, ...]
    clock: datetime | None
    site: Site = field(repr=False, compare=False)

    @property
    def in_time(self) -> bool:
        """Whether every transfer is predicted to be done by its deadline.

        Returns
        -------
        bool
            True if none is late.
        """
        return all(each.in_time != "no" for each in self.transfers)

    @property
    def disturbed(self) -> tuple[ScheduledTransfer, ...]:
        """Transfers that are predicted to fall below their ``at_least``.

        Returns
        -------
        tuple of ScheduledTransfer
            None, if the schedule leaves each its rate.
        """
        return tuple(each for each in self.transfers if each.kept == "no")

    def when(self, seconds: float | None) -> str:
        """Write a time after 0: as a date if the clock is known.

        Parameters
        ----------
        seconds
            Time after 0, or None [s].

        Returns
        -------
        str
            Such as ``Fri 2026-11-27 18:00`` or ``44.4 h``.
        """
        if self.clock is None or seconds is None:
            return units.format_time(seconds)
        return (self.clock + timedelta(seconds=seconds)).strftime("%a %Y-%m-%d %H:%M")

    def __str__(self) -> str:
        """What the schedule comes to, in a few sentences."""
        rate = units.format_rate
        fallen = [f" {each.name} falls to {rate(each.lowest_bps)}, below its at_least." for each in self.disturbed]
        return "".join([self._of_deadlines(), *fallen[:_NAMED]])

    def _of_deadlines(self) -> str:
        timed = [each for each in self.transfers if each.by_s is not None]
        name = self.prediction.title or self.prediction.name or "a site"
        count, time = units.format_count(len(timed), "transfer"), units.format_time
        if self.in_time:
            tight = min(timed, key=lambda each: (each.by_s or 0.0) - each.late_finish_s)
            room = (tight.by_s or 0.0) - tight.late_finish_s
            if any(each.pace_bps is not None for each in self.transfers):
                count += " with these paces"
            elif any(each.priority for each in self.transfers):
                count += " with these priorities"
            runs = f"has {time(room)} left in 95 % of runs"
            if room < 0:
                runs = f"is at risk: more than {time(-room)} late in one run of 20"
            return f"{name}: {count} in time; the tightest, {tight.name}, {runs}."
        late = [each for each in timed if each.in_time == "no"]
        worst = max(late, key=lambda each: each.late_s)
        said = f"{name}: {len(late)} of {count} late; {worst.name} misses its deadline by {time(worst.late_s)}."
        if not self.least_delay_s:
            return (
                said + " The resources would do, but not with one pace each: hold rates that change, or change weights."
            )
        said += f" No schedule is less than {time(self.least_delay_s)} late"
        if not self.needed:
            return f"{said}, and no resource helps."
        rate, more = units.format_rate, len(self.needed) - _NAMED
        grow = [f"{each.name} carry {rate(each.needed_bps)} instead of {rate(each.now_bps)}" for each in self.needed]
        rest = [f"{units.format_count(more, 'other')} more"] if more > 0 else []
        return f"{said}; for the deadlines, let {', '.join([*grow[:_NAMED], *rest])}."

    def to_dict(self) -> dict[str, Any]:
        """The prediction with these starts, and under ``schedule`` what the schedule says.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            **self.prediction.to_dict(),
            "schedule": {
                "sentence": str(self),
                "in_time": self.in_time,
                "clock": None if self.clock is None else self.clock.isoformat(),
                "transfers": [asdict(each) for each in self.transfers],
                "left": [asdict(each) for each in self.left],
                "least_delay_s": self.least_delay_s,
                "needed": [asdict(each) for each in self.needed],
            },
        }


def schedule(
    site: str | Path | Mapping[str, Any] | Site,
    by: str | float | None = None,
    *,
    clock: datetime | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Schedule:
    """Find starts with which all transfers of a site are done by their deadlines.

    Parameters
    ----------
    site
        YAML file, name in ``models/sites``, mapping of keys, or a loaded site. ``start`` of a transfer is its earliest
        start. Those of a fixed duration and repeated ones keep their starts.
    by
        Deadline of the transfers that have none: a time after 0 [s], or a date.
    clock
        Date of time 0, for dates; default: that of the site, else now.
    settings
        Keys of the scenario of every transfer that replace its own.

    Returns
    -------
    Schedule
        Starts, ends and what is left over; if deadlines are missed, by how much, and what would have to grow.

    Raises
    ------
    InputError
        No transfer has a deadline, or one is in the past; or the site is invalid.

    Examples
    --------
    2 PB over a wave of 100 Gb/s take 44.9 h; the second transfer waits, so that the first is done in time:

    >>> wave = {"path.rate": "100 Gb/s", "path.rtt": 0, "path.mtu": 9000, "path.loss": 0, "tool": "ftp"}
    >>> ends = {"sender": "ideal", "receiver": "ideal"}
    >>> due = {"name": "due", **ends, "bytes": "1 PB", "by": "30 h"}
    >>> rest = {"name": "rest", **ends, "bytes": "1 PB"}
    >>> found = schedule({**wave, "transfers": [rest, due]}, "50 h")
    >>> [(each.name, each.in_time, round(each.finish_s / 3600, 1)) for each in found.transfers]
    [('due', 'yes', 22.4), ('rest', 'yes', 44.9)]
    """
    loaded = _with_deadlines(site if isinstance(site, Site) else load_site(site, settings), by, clock)
    flows = flows_of(loaded, 0)
    for flow in flows:
        if loaded.transfers[flow.transfer].by is not None and not flow.size.is_amount:
            key = ("transfers", str(flow.transfer), "by")
            raise loaded.error(key, f"by of {flow.name}, which has a fixed duration", "bytes")
    search = _Search(loaded, flows)
    started = search.starts()
    moved = [
        transfer.model_copy(update={"start": transfer.start.model_copy(update={"value": float(start)})})
        for transfer, start in zip(loaded.transfers, started, strict=True)
    ]
    planned = replace(loaded, transfers=tuple(moved))
    prediction = predict_site(planned)
    transfers = _all_judged(prediction, loaded, planned)
    for other in _held(search):
        if _lateness(transfers)[0] == 0:
            break
        first = predict_site(other)
        judged = _all_judged(first, loaded, other)
        if _lateness(judged) < _lateness(transfers):
            planned, prediction, transfers = other, first, judged
    in_time = all(each.in_time != "no" for each in transfers)
    delay, needed = (0.0, ()) if in_time else search.shortfall()
    delay = min(delay, max(each.late_s for each in transfers))
    left = _left(prediction, search.last_s, search.rates())
    return Schedule(prediction, transfers, left, delay, needed, loaded.clock, planned)


def _with_deadlines(site: Site, by: str | float | None, clock: datetime | None) -> Site:
    """The site with a clock if one is needed, and the deadline of transfers that have none."""
    if clock is not None or (site.clock is None and is_date(by)):
        site = replace(site, clock=clock or datetime.now(UTC).replace(microsecond=0))
    if by is None:
        if all(transfer.by is None for transfer in site.transfers):
            raise site.error(("transfers",), "no deadline", "by of a transfer, or --by WHEN for all")
        return site
    try:
        seconds = seconds_after(by, site.clock)
    except ValueError as error:
        found, _, expected = str(error).removeprefix("found ").partition(", expected ")
        raise InputError(f"a deadline {found}", expected) from None
    now = (
        "time 0" if site.clock is None else f"{site.clock:%Y-%m-%d %H:%M} UTC{site.clock:%z}".replace("UTC+0000", "UTC")
    )
    if not 0 < seconds <= LATEST_S:
        late = f"at most {LATEST_S:g} s after {now}"
        raise InputError(f"a deadline {str(by)!r}", late if seconds > 0 else f"one after {now}, from which times count")
    transfers = list(site.transfers)
    for number, transfer in enumerate(transfers):
        if transfer.by is not None or transfer.duration is not None or transfer.every is not None:
            continue
        if transfer.start.value >= seconds:
            found = f"a start at {transfer.start.value:g} s"
            raise site.error(("transfers", str(number), "start"), found, f"one before the deadline, {seconds:g} s")
        transfers[number] = transfer.model_copy(update={"by": transfer.start.model_copy(update={"value": seconds})})
    if all(transfer.by is None for transfer in transfers):
        expected = "bytes of a transfer: fixed durations and repetitions have no deadline"
        raise site.error(("transfers",), "no transfer that a deadline could be for", expected)
    return replace(site, transfers=tuple(transfers))


class _Search:
    """The search for starts, for central values."""

    def __init__(self, site: Site, flows: list[Flow]) -> None:
        self.site, self.flows = site, flows
        self.system = System(site, flows, 0)
        self.entry: IntArray = np.array([flow.transfer for flow in flows])
        self.earliest = np.array([transfer.start.value for transfer in site.transfers])
        self.offset = np.array([flow.start_s for flow in flows]) - self.earliest[self.entry]
        self.by = np.array([np.inf if each.by is None else each.by.value for each in site.transfers])
        self.last_s = float(self.by[np.isfinite(self.by)].max())

    def starts(self) -> FloatArray:
        """Start of each transfer of the site [s]; with room for slow runs if there is any."""
        certain = np.ones(len(self.flows))
        placements = [self._placed(stretch) for stretch in (self.slow, certain)]
        return min(placements, key=lambda starts: (self._late(starts, certain)[0], self._late(starts, self.slow)[0]))

    @cached_property
    def slow(self) -> FloatArray:
        """Predicted over late rate of each flow, all started as early as they may."""
        first = {each.name: each for each in predict_site(self.site).transfers}
        return np.array([first[flow.name].throughput_bps / first[flow.name].low_bps for flow in self.flows])

    def _placed(self, stretch: FloatArray) -> FloatArray:
        """Starts of the transfers, placed one after another, each of whose flows may take longer by a factor."""
        starts = self.earliest.copy()
        if self._late(starts, stretch)[0] == _NONE_LATE:
            return starts
        starts[:] = np.nan
        moves = [
            np.isfinite(self.by[number]) or (transfer.every is None and self._is_amount(number))
            for number, transfer in enumerate(self.site.transfers)
        ]
        order = sorted(range(starts.size), key=lambda number: (moves[number], self.by[number], self.earliest[number]))
        ends: FloatArray = np.zeros(0)
        for number in order:
            tried = []
            for start in self._candidates(number, ends) if moves[number] else self.earliest[[number]]:
                starts[number] = start
                late, finish = self._late(starts, stretch)
                tried.append((late, float(start), finish))
                if late == _NONE_LATE:
                    break
            _, starts[number], ends = min(tried, key=lambda trial: trial[:2])
        return starts

    def _is_amount(self, number: int) -> bool:
        return all(flow.size.is_amount for flow in self.flows if flow.transfer == number)

    def _candidates(self, number: int, ends: FloatArray) -> FloatArray:
        """Starts to try: the earliest, and the ends of others after it."""
        early = self.earliest[number]
        starts = np.unique(np.concatenate([[early], ends[ends > early]]))
        if starts.size > _MOST_STARTS:
            starts = starts[np.linspace(0, starts.size - 1, _MOST_STARTS).round().astype(int)]
        return starts

    def _late(self, starts: FloatArray, stretch: FloatArray) -> tuple[tuple[int, float], FloatArray]:
        """Number of late transfers and their delays summed [s], and the end of each [s]."""
        begin = starts[self.entry] + self.offset
        there = ~np.isnan(begin)
        finish = course_of(self.system.at(begin), 0).finish_s
        lasts = finish - begin[there]
        late = begin[there] + lasts * stretch[there] - self.by[self.entry[there]]
        late = late[late > _EQUAL * lasts]
        return (late.size, float(late.sum())), finish

    def paced(self) -> Site | None:
        """The site with a pace for each transfer that needs one; those for which no rate is left start last."""
        entry, by = self.entry, self.by[self.entry]
        opens = self.earliest[entry] + self.offset + self.system.delay_s[:, 0]
        bits = np.array([flow.size.of if flow.size.is_amount else np.nan for flow in self.flows])
        promised = np.array([_rate(self.site.transfers[number].at_least) for number in entry])
        with np.errstate(divide="ignore", invalid="ignore"):  # of what has no promised rate
            lasts = np.where(np.isnan(bits), [flow.size.of for flow in self.flows], bits / promised)
        timed = np.isfinite(by)
        if (by <= opens).any():
            return None
        least = np.maximum(np.where(timed, bits / (by - opens), 0.0), promised)
        moves = np.array([transfer.every is None for transfer in self.site.transfers])
        moves[entry[np.isnan(bits)]] = False
        moves[entry[~timed & (promised > 0)]] = False
        needs = Needs(
            entry, opens, np.where(timed, by, opens + lasts), least, self.system.most_bps[:, 0], self.slow, moves
        )
        paces = needs.paces(*_demands(self.system))
        if paces is None or np.isinf(paces).all():
            return None
        start = self.offset + np.where(paces == 0, np.maximum(self.last_s, self.earliest), self.earliest)[entry]
        system = self.system.at(start)

        def faults(tried: System) -> tuple[float, ...]:
            course = course_of(tried, 0)
            lasts = course.finish_s - start
            late = [(start + lasts * stretch > by + _EQUAL * lasts).sum() for stretch in (1.0, self.slow)]
            below = np.divide(lowest_bps(course), promised, where=promised > 0, out=np.ones(by.size))
            lacks = float(np.maximum(1 - below, 0.0).sum())
            return (late[0] + (below < 1 - _EQUAL).sum(), round(lacks, 6), late[1])

        paces = without_needless(system, entry, np.where(paces == 0, np.inf, paces), faults)
        moved = []
        for number, transfer in enumerate(self.site.transfers):
            flow = int(np.flatnonzero(entry == number)[0])
            change = {"start": transfer.start.model_copy(update={"value": float(start[flow] - self.offset[flow])})}
            if np.isfinite(paces[number]):
                streams = streams_per_process(self.flows[flow].kind.scenario)
                change["pace"] = transfer.start.model_copy(update={"value": float(paces[number]) / streams})
            moved.append(transfer.model_copy(update=change))
        return replace(self.site, transfers=tuple(moved))

    def shortfall(self) -> tuple[float, tuple[Needed, ...]]:
        """How late every schedule is [s], and the resources that would have to grow."""
        timed = np.where(np.isfinite(self.by[self.entry]), self.earliest[self.entry], np.nan)
        system = self.system.at(timed)
        limits = system.most_bps[:, 0]
        own = np.flatnonzero(np.isfinite(limits))
        flow, resource, seconds = _demands(system)
        count = len(system.resources)
        opens = np.array([flow.start_s for flow in system.flows]) + system.delay_s[:, 0]
        bits = np.array([flow.size.of for flow in system.flows])
        windows = Windows(
            opens,
            self.by[[flow.transfer for flow in system.flows]],
            bits,
            np.concatenate([flow, own]),
            np.concatenate([resource, count + own]),
            np.concatenate([seconds, 1 / limits[own]]),
        )
        growths = windows.growths()
        if growths == []:
            return 0.0, ()
        needed = dict[str, Needed]()
        for number, factor in growths or ():
            now = _payload_bps(windows.bits, windows.flow, windows.seconds, windows.resource == number)
            if number < count:
                known = system.resources[number]
                names = (known.name, known.resource_class, known.title)
            else:
                name, resource_class = system.own[number - count]
                names = (name, resource_class, f"limit of {system.flows[number - count].name}")
            each = Needed(*names, now, now * factor)
            if each.name not in needed or needed[each.name].needed_bps < each.needed_bps:
                needed[each.name] = each
        most = sorted(needed.values(), key=lambda each: -each.needed_bps / each.now_bps)
        return windows.least_delay_s(), tuple(most)

    def rates(self) -> dict[str, float]:
        """Payload rate of each resource, for the transfers that use it [bit/s]."""
        flow, resource, seconds = _demands(self.system)
        bits = np.array([each.size.of for each in self.flows])
        rates = dict[str, float]()
        for number in np.unique(resource):
            name = self.system.resources[number].name
            rates[name] = min(rates.get(name, np.inf), _payload_bps(bits, flow, seconds, resource == number))
        return rates


def _demands(system: System) -> tuple[IntArray, IntArray, FloatArray]:
    """Demands of all transfers at once: the number of each, the resource, and its time for a bit [s/bit]."""
    columns = demands_together(system)
    flow = np.repeat(np.arange(len(columns)), [column.resource.size for column in columns])
    seconds = np.concatenate([column.seconds for column in columns])
    return flow, np.concatenate([column.resource for column in columns]), seconds


def _payload_bps(bits: FloatArray, flow: IntArray, seconds: FloatArray, users: BoolArray) -> float:
    """Rate of a resource for the data of its users [bit/s]."""
    moved = bits[flow[users]]
    return float(moved.sum() / (moved * seconds[users]).sum())


def _rate(parameter: Parameter | None) -> float:
    return 0.0 if parameter is None else parameter.value


def _held(search: _Search) -> Iterator[Site]:
    """The site held in other ways than by starts: with paces, and with priorities if it has none of its own."""
    if (paced := search.paced()) is not None:
        yield paced
    if not any(transfer.priority for transfer in search.site.transfers):
        yield _by_priority(search.site)


def _by_priority(site: Site) -> Site:
    """The site with all earliest starts, and the earlier deadlines first."""
    order = sorted({transfer.by.value for transfer in site.transfers if transfer.by is not None})
    moved = []
    for transfer in site.transfers:
        rank = len(order) if transfer.by is None else order.index(transfer.by.value)
        moved.append(transfer.model_copy(update={"priority": max(0, HIGHEST_PRIORITY - rank)}))
    return replace(site, transfers=tuple(moved))


def _lateness(transfers: tuple[ScheduledTransfer, ...]) -> tuple[int, float, float]:
    """Number of transfers that are late or below their rate, the delays summed [s], and what rates lack, in parts."""
    faults = sum("no" in (each.in_time, each.kept) for each in transfers)
    lacks = sum(1 - each.lowest_bps / (each.required_bps or np.inf) for each in transfers if each.kept == "no")
    return faults, sum(each.late_s for each in transfers), lacks


def _all_judged(prediction: SitePrediction, site: Site, planned: Site) -> tuple[ScheduledTransfer, ...]:
    """All transfers against their deadlines."""
    flows = {flow.name: flow for flow in flows_of(planned, 0)}
    lowest = prediction.lowest_bps()
    return tuple(
        _judged(each, site, planned, flows[each.name], float(least))
        for each, least in zip(prediction.transfers, lowest, strict=True)
    )


def _judged(each: TransferPrediction, site: Site, planned: Site, flow: Flow, lowest: float) -> ScheduledTransfer:
    """A transfer against its deadline and its ``at_least``."""
    transfer, placed = site.transfers[flow.transfer], planned.transfers[flow.transfer]
    by = None if transfer.by is None else transfer.by.value
    lasts = each.finish_s - each.start_s
    slow = each.throughput_bps / each.low_bps if flow.size.is_amount else 1.0
    late_finish = each.start_s + lasts * slow
    late = 0.0 if by is None else max(0.0, each.finish_s - by)
    late = late if late > _EQUAL * lasts else 0.0
    in_time: InTime = "" if by is None else "no" if late else "yes" if late_finish <= by else "at risk"
    promised = _rate(transfer.at_least)
    kept: InTime = ""
    if promised:
        low = lowest * min(1.0, each.low_bps / each.throughput_bps)
        kept = "no" if lowest < promised * (1 - _EQUAL) else "yes" if low >= promised else "at risk"
    due = flow.size.of / (by - transfer.start.value) if by is not None else 0.0
    pace, command = None, ""
    if placed.pace is not None and placed.pace is not transfer.pace:
        streams = streams_per_process(flow.kind.scenario)
        pace, tool = placed.pace.value * streams, flow.kind.scenario.tool
        command = pace_command(tool.name, tool.protocol, pace, streams)
    return ScheduledTransfer(
        each.name, transfer.start.value, each.start_s, each.finish_s, late_finish, by, late, in_time,
        each.throughput_bps, each.bottleneck, placed.priority, max(due, promised) or None, pace, command, lowest, kept,
    )  # fmt: skip


def _left(prediction: SitePrediction, until_s: float, rates: Mapping[str, float]) -> tuple[Left, ...]:
    """What each resource has left up to the last deadline or end, the least first."""
    finish = max(each.finish_s for each in prediction.transfers)
    length, until = finish - min(each.start_s for each in prediction.transfers), max(until_s, finish)
    left = []
    for use in prediction.resources:
        share = max(0.0, 1 - use.mean * length / until)
        rate = rates.get(use.name)  # none, if it is used only while others are not under way
        amount = None if rate is None else share * until * rate / 8
        left.append(Left(use.name, use.resource_class, use.title, share, amount))
    return tuple(sorted(left, key=lambda each: (each.left_fraction, each.name)))
