"""The result of predicting a site: its transfers, its resources, and the rates over time."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.tables import with_units
from hecn_analysis.sites.timeline import lowest_bps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hecn_analysis.hardware.site import Site
    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.sites.system import System
    from hecn_analysis.sites.timeline import Course

#: Later than a deadline by less than this part of the transfer's time is in time.
_EQUAL = 1e-6

#: Rows that a page shows; the tables have all.
_SHOWN = 30


@dataclass(frozen=True)
class TransferPrediction:
    """One transfer: its end [s], mean rate from its start to its end [bit/s], and what holds it back longest."""

    name: str
    sender: str
    receiver: str
    start_s: float
    finish_s: float
    throughput_bps: float
    low_bps: float
    high_bps: float
    bottleneck: str
    bottleneck_class: str


@dataclass(frozen=True)
class ResourceUse:
    """Load of a resource, 1 when full: its highest, and its mean from the first start to the last end.

    Of a resource with two directions, each figure is that of the fuller one. ``cost_usd`` is the price of a link.
    """

    name: str
    resource_class: str
    title: str
    peak: float
    mean: float
    full_s: float
    cost_usd: float | None


@dataclass(frozen=True)
class SitePrediction:
    """All transfers of a site.

    ``throughput_bps`` is what all transfers move, over the time from the first start to the last end, with the interval
    of a single run of the whole [bit/s]. ``bottleneck`` is the resource that is full longest. ``basis`` says what the
    intervals rest on.

    Examples
    --------
    >>> from hecn_analysis.sites.prediction import predict_site
    >>> result = predict_site("sc13-two-waves")
    >>> result.bottleneck_class, len(result.transfers), result.to_dict()["transfers"][0]["bottleneck"]
    ('link', 8, 'north.link')
    """

    name: str
    title: str
    throughput_bps: float
    low_bps: float
    high_bps: float
    bottleneck: str | None
    bottleneck_class: str | None
    transfers: tuple[TransferPrediction, ...]
    resources: tuple[ResourceUse, ...]
    warnings: tuple[str, ...]
    basis: str
    events: int
    _course: Course = field(repr=False, compare=False)

    def __str__(self) -> str:
        """Summary in one or two sentences."""
        rate, time = units.format_rate, units.format_time
        last = max(transfer.finish_s for transfer in self.transfers)
        count = len(self.transfers)
        return (
            f"{self.title or self.name or 'a site'}: {count} transfer{'s' if count > 1 else ''} with "
            f"{rate(self.throughput_bps)} together (90 % of single runs between {rate(self.low_bps)} and "
            f"{rate(self.high_bps)}), the last one done at {time(last)}; limited by {self.bottleneck}."
        )

    __repr__ = __str__

    @property
    def timeline(self) -> pd.DataFrame:
        """Rate of each transfer from each event on [bit/s], by the time of the event [s].

        Returns
        -------
        DataFrame
            A row for each event, a column for each transfer.
        """
        changes = self._course.changes
        table = np.full((len(changes.time_s), len(self.transfers)), np.nan)
        for row, (flows, rates) in enumerate(zip(changes.flows, changes.rates, strict=True)):
            table[row, flows] = rates
        frame = pd.DataFrame(table, columns=[transfer.name for transfer in self.transfers]).ffill().fillna(0.0)
        return frame.set_axis(pd.Index(changes.time_s, name="time_s"))

    def lowest_bps(self) -> FloatArray:
        """Lowest rate of each transfer from the end of its start-up to its end [bit/s].

        Returns
        -------
        ndarray
            In the order of ``transfers`` [bit/s].
        """
        return lowest_bps(self._course)

    def totals(self) -> pd.DataFrame:
        """Rate of all transfers together from each event on.

        Returns
        -------
        DataFrame
            ``time_s`` [s], ``throughput_bps`` [bit/s], and the number of transfers ``under_way``.
        """
        changes = self._course.changes
        rate, now = np.zeros(len(self.transfers)), []
        total, active = 0.0, 0
        for flows, rates in zip(changes.flows, changes.rates, strict=True):
            total += float(rates.sum() - rate[flows].sum())
            active += int((rates > 0).sum() - (rate[flows] > 0).sum())
            rate[flows] = rates
            now.append((total if active else 0.0, active))
        frame = pd.DataFrame(now, columns=["throughput_bps", "under_way"])
        frame.insert(0, "time_s", changes.time_s)
        return with_units(frame)

    def to_frame(self) -> pd.DataFrame:
        """Transfers as a table.

        Returns
        -------
        DataFrame
            A row for each transfer; rates in bit/s, times in s.
        """
        return with_units(pd.DataFrame([asdict(transfer) for transfer in self.transfers]))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, under fixed names.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "name": self.name,
            "sentence": str(self),
            "throughput_bps": self.throughput_bps,
            "low_bps": self.low_bps,
            "high_bps": self.high_bps,
            "bottleneck": self.bottleneck,
            "bottleneck_class": self.bottleneck_class,
            "utilisation": {use.name: use.mean for use in self.resources},
            "ladder": [],
            "warnings": list(self.warnings),
            "transfers": [asdict(transfer) for transfer in self.transfers],
            "resources": [asdict(use) for use in self.resources],
            "timeline": self.totals().to_dict("records"),
            "interval": self.basis,
            "events": self.events,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Like `to_dict`, as JSON text.

        Parameters
        ----------
        indent
            Spaces of indentation per level; None: all in one line.

        Returns
        -------
        str
            The text.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def _repr_html_(self) -> str:
        """Sentence, transfers and fullest resources for Jupyter."""
        rate, time, share = units.format_rate, units.format_time, units.format_fraction
        rows = "".join(
            f"<tr><td>{html_text(each.name)}</td><td>{time(each.start_s)}</td><td>{time(each.finish_s)}</td>"
            f"<td style='text-align:right'>{rate(each.throughput_bps)}</td>"
            f"<td>{rate(each.low_bps)} to {rate(each.high_bps)}</td>"
            f"<td><code>{html_text(each.bottleneck)}</code></td></tr>"
            for each in self.transfers[:_SHOWN]
        )
        uses = "".join(
            f"<tr><td><code>{html_text(use.name)}</code></td><td>{share(use.peak)}</td><td>{share(use.mean)}</td></tr>"
            for use in self.resources[:_SHOWN]
        )
        more = len(self.transfers) - _SHOWN
        rest = f"<p>and {more} more</p>" if more > 0 else ""
        warnings = "".join(f"<p>⚠ {html_text(warning)}</p>" for warning in self.warnings)
        head = "<tr><th>transfer</th><th>start</th><th>end</th><th>rate</th><th>90 % of runs</th><th>limit</th></tr>"
        loads = "<tr><th>resource</th><th>peak</th><th>mean</th></tr>"
        return (
            f"<p>{html_text(self)}</p>{warnings}<table><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}"
            f"<table><thead>{loads}</thead><tbody>{uses}</tbody></table>"
        )


def put_together(
    site: Site,
    system: System,
    course: Course,
    transfers: tuple[TransferPrediction, ...],
    *,
    interval_bps: FloatArray,
    draws: int,
) -> SitePrediction:
    """Result of predicting a site, from the course of its transfers."""
    start = min(transfer.start_s for transfer in transfers)
    length = max(transfer.finish_s for transfer in transfers) - start
    total = float(course.moved_bits.sum()) / length
    used = _uses(site, system, course, length)
    fullest = max(used, key=lambda use: use.full_s, default=None)
    held: tuple[str, str] | tuple[None, None] = (None, None)
    if fullest is not None and fullest.full_s > 0:
        held = (fullest.name, fullest.resource_class)
    else:  # no resource is full: the limit of its own that holds most transfers
        names = [(transfer.bottleneck, transfer.bottleneck_class) for transfer in transfers]
        held = max(dict.fromkeys(names), key=names.count)
    basis = (
        f"{draws} draws of all that is uncertain, each followed to its end"
        if draws
        else "the model's error where each transfer is limited, and the scatter of runs"
    )
    return SitePrediction(
        site.name,
        site.title,
        total,
        min(float(interval_bps[0]), total),
        max(float(interval_bps[1]), total),
        *held,
        transfers,
        used,
        (
            *dict.fromkeys(text for flow in system.flows for text in flow.kind.described.warnings),
            *_missed(site, system, transfers),
        ),
        basis,
        course.events,
        course,
    )


def _missed(site: Site, system: System, transfers: tuple[TransferPrediction, ...]) -> Iterator[str]:
    """Transfers that end after their deadlines."""
    for flow, each in zip(system.flows, transfers, strict=True):
        by = site.transfers[flow.transfer].by
        if by is not None and (late := each.finish_s - by.value) > _EQUAL * (each.finish_s - each.start_s):
            yield f"{each.name} ends {units.format_time(late)} after its deadline"


def _uses(site: Site, system: System, course: Course, length: float) -> tuple[ResourceUse, ...]:
    """Use of each resource, the fullest first."""
    uses: dict[str, ResourceUse] = {}
    for number, resource in enumerate(system.resources[: course.peak.size]):  # draws may have met others later
        if not resource.resource_class:
            continue
        peak, mean, full = (
            min(1.0, round(float(course.peak[number]), 9)),
            min(1.0, round(float(course.busy_s[number] / length), 9)),
            float(course.full_s[number]),
        )
        before = uses.get(resource.name)
        if before is not None:
            peak, mean, full = max(peak, before.peak), max(mean, before.mean), max(full, before.full_s)
        link = site.links.get(resource.name.removesuffix(".link"))
        cost = None if link is None or link.cost is None else link.cost.value
        uses[resource.name] = ResourceUse(
            resource.name, resource.resource_class, resource.title, peak, mean, full, cost
        )
    return tuple(sorted(uses.values(), key=lambda use: (-use.full_s, -use.mean, use.name)))
