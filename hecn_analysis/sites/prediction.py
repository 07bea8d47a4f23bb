"""The prediction of a site: the course of its transfers for central values, and for draws of all that is uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hecn_analysis.hardware import Site
from hecn_analysis.hardware.site_file import load_site
from hecn_analysis.prediction.draws import DRAWS, FloatArray, order
from hecn_analysis.sites.flows import Flow, flows_of
from hecn_analysis.sites.result import SitePrediction, TransferPrediction, put_together
from hecn_analysis.sites.routes import narrowest
from hecn_analysis.sites.system import System
from hecn_analysis.sites.timeline import OVER, Course, course_of

if TYPE_CHECKING:
    from hecn_analysis.prediction.solve import IntArray

#: Transfers to follow in all draws together: of many transfers there are fewer draws, below the least none.
_MOST_FOLLOWED: Final = 4_000
_LEAST_DRAWS: Final = 40


def predict_site(
    site: str | Path | Mapping[str, Any] | Site, settings: Mapping[str, Any] | None = None
) -> SitePrediction:
    """Predict all transfers of a site: rate, end and limit of each, and the load of each resource.

    Parameters
    ----------
    site
        YAML file, name in ``models/sites``, mapping of keys, or a loaded site.
    settings
        Keys of the scenario of every transfer that replace its own, e.g. ``{"tool.streams": 4}``.

    Returns
    -------
    SitePrediction
        The transfers and resources; rates in bit/s, times in s.

    Raises
    ------
    InputError
        The site is invalid: unknown key or name, impossible value, no way between two hosts.

    Examples
    --------
    Two transfers of 1 GB share 1 Gb/s, and a third follows alone:

    >>> ends = {"sender": "ideal", "receiver": "ideal"}
    >>> first, last = {**ends, "count": 2}, {**ends, "start": "20 s"}
    >>> keys = {"path.rate": "1 Gb/s", "path.rtt": 0, "path.mtu": 1500, "path.loss": 0}
    >>> result = predict_site({**keys, "tool": "ftp", "tool.bytes": "1 GB", "transfers": [first, last]})
    >>> [(each.name, round(each.finish_s, 2), each.bottleneck) for each in result.transfers][1:]
    [('ideal to ideal (2) (2)', 16.99, 'path.link'), ('ideal to ideal (2)', 28.5, 'path.link')]
    """
    loaded = site if isinstance(site, Site) else load_site(site, settings)
    sketch = flows_of(loaded, 0)
    draws = min(DRAWS, _MOST_FOLLOWED // len(sketch))
    draws = draws if draws >= _LEAST_DRAWS else 0
    flows = flows_of(loaded, draws) if draws else sketch
    system = System(loaded, flows, draws)
    require_limits(loaded, system)
    course = course_of(system, 0)
    rates = course.moved_bits / _durations(flows, course)
    low, high, whole_range = _intervals(system, course, rates, draws)
    limits = _limits(system, course)
    transfers = tuple(
        TransferPrediction(
            flow.name,
            flow.sender,
            flow.receiver,
            flow.start_s,
            float(course.finish_s[number]),
            float(rates[number]),
            float(low[number]),
            float(high[number]),
            *limits[number],
        )
        for number, flow in enumerate(flows)
    )
    whole = _whole(flows, course) * whole_range
    return put_together(loaded, system, course, transfers, interval_bps=whole, draws=draws)


def require_limits(site: Site, system: System) -> None:
    """Refuse transfers that nothing limits.

    Parameters
    ----------
    site, system
        The site, and its transfers with their demands.

    Raises
    ------
    InputError
        Neither a link nor a host limits a transfer.

    Examples
    --------
    >>> site = load_site("sc13-two-waves")
    >>> require_limits(site, System(site, flows_of(site, 0), 0))
    """
    for flow, column, most in zip(system.flows, system.on_network, system.most_bps[:, 0], strict=True):
        network = system.resources[column.resource[0]].resource_class
        if not network and np.isinf(most) and not any(map(system.is_limited, (flow.sender, flow.receiver))):
            missing = f"no limit between {flow.sender} and {flow.receiver}"
            raise site.error(("transfers", str(flow.transfer)), missing, "a rate of a link or limits of a host")


def _durations(flows: list[Flow], course: Course) -> FloatArray:
    """Time from the start of each transfer to its end [s]."""
    return np.maximum(course.finish_s - [flow.start_s for flow in flows], 1e-12)


def _intervals(
    system: System, course: Course, rates: FloatArray, draws: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of the interval of each transfer's rate, and the ends of that of the whole, relative to it.

    With few draws for many transfers, the interval of each is that of its kind's own scatter and the model's error
    where it is limited.
    """
    flows = system.flows
    if not draws:
        return _rough(system, course, rates)
    of_flow, of_all = [], []
    whole = _whole(flows, course)
    for draw in range(1, draws + 1):
        drawn = course_of(system, draw)
        of_flow.append(drawn.moved_bits / _durations(flows, drawn))
        of_all.append(_whole(flows, drawn) / whole)
    scatter = np.array([_scatter(flow, draws) for flow in flows]).T
    on_link = [resource_class == "link" for _, resource_class in _limits(system, course)]
    scatter[:, on_link] = np.minimum(scatter[:, on_link], 1.0)  # no run exceeds what a link carries
    together = np.array(of_flow) * scatter
    low, high = np.quantile(together, (0.05, 0.95), axis=0)
    of_all = np.array(of_all) * (scatter * course.moved_bits).sum(axis=1) / course.moved_bits.sum()
    return np.minimum(low, rates), np.maximum(high, rates), np.quantile(of_all, (0.05, 0.95))


def _whole(flows: list[Flow], course: Course) -> float:
    """Rate of all transfers together, from the first start to the last end [bit/s]."""
    return float(course.moved_bits.sum() / (course.finish_s.max() - flows[0].start_s))


def _scatter(flow: Flow, draws: int) -> FloatArray:
    """Scatter of single runs of a transfer, as a factor in each draw."""
    values = flow.kind.model.draw("tool.repeat", flow.kind.scenario.tool.repeat)[1:]
    return np.broadcast_to(values, draws)[np.argsort(order(f"site run {flow.name}")[:draws])]


def _rough(system: System, course: Course, rates: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Intervals from the model's error where each kind of transfer is limited, and the scatter of its runs."""
    ranges: dict[tuple[int, str], FloatArray] = {}
    low, high = np.zeros_like(rates), np.zeros_like(rates)
    for number, (flow, (name, resource_class)) in enumerate(zip(system.flows, _limits(system, course), strict=True)):
        key = (id(flow.kind), resource_class)
        if key not in ranges:
            ranges[key] = flow.kind.error_range(resource_class, is_receiver=name.startswith(f"{flow.receiver}."))
        low[number], high[number] = rates[number] * ranges[key]
    moved = course.moved_bits / course.moved_bits.sum()
    return low, high, np.array([(moved * low / rates).sum(), (moved * high / rates).sum()])


def _limits(system: System, course: Course) -> list[tuple[str, str]]:
    """Name and class of what holds each transfer back for most of its time."""
    count, changes = len(system.flows), course.changes
    flows = np.concatenate(changes.flows)
    times = np.repeat(changes.time_s, [changed.size for changed in changes.flows])
    limits = np.concatenate(changes.limits)
    by_flow = np.lexsort((times, flows))
    flows, times, limits = flows[by_flow], times[by_flow], limits[by_flow]
    lasted = np.append(np.diff(times), 0.0)
    under_way = limits > OVER
    pairs, place = np.unique(np.stack([flows[under_way], limits[under_way]]), axis=1, return_inverse=True)
    total = np.bincount(place.ravel(), lasted[under_way])
    longest: IntArray = np.full(count, OVER, dtype=np.int64)
    by_time = np.argsort(total, kind="stable")
    longest[pairs[0, by_time]] = pairs[1, by_time]
    starting = system.delay_s[:, 0] > (course.finish_s - [flow.start_s for flow in system.flows]) / 2
    return [
        (f"{narrowest(system.site, flow.route)}.start-up", "start-up")
        if is_starting
        else own
        if limit < 0
        else (system.resources[limit].name, system.resources[limit].resource_class)
        for flow, limit, own, is_starting in zip(system.flows, longest.tolist(), system.own, starting, strict=True)
    ]
