"""Rank the possible changes of a transfer, alone and combined, by predicted gain; free ones first.

A gain compares two predictions of the whole transfer, with the change and without. A quick first look (`trials`) drops
changes without gain; only the others get an interval and a bottleneck.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.progress import track
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.planning.change.change import PRICE_BASES, Change
from hecn_analysis.planning.change.settings import possible
from hecn_analysis.planning.change.trials import Outcome, outcomes, throughputs
from hecn_analysis.prediction import Prediction, predict

#: Smaller gains are not reported. [fraction]
WORTH: Final = 0.005

#: Changes of a combination, and the single ones and pairs that larger combinations are made from.
LARGEST: Final = 3
_KEPT: Final = 4

#: Fields of a change to report.
_REPORTED: Final = (
    "name",
    "title",
    "kind",
    "how",
    "check",
    "risk",
    "source",
    "price_usd",
    "price_basis",
    "price_source",
)


@dataclass(frozen=True)
class Advice:
    """One or several changes together, and what they would gain.

    ``outcome`` is the throughput and the new limit of the ``scenario`` with the ``changes``. ``gain`` is that
    throughput over the one without, less 1; 90 % of the common draws of both predictions are between ``gain_low`` and
    ``gain_high``.
    """

    changes: tuple[Change, ...]
    scenario: Scenario
    outcome: Outcome
    gain: float
    gain_low: float
    gain_high: float

    @cached_property
    def prediction(self) -> Prediction:
        """The prediction with its ladder, computed on first use."""
        return predict(self.scenario)

    @property
    def name(self) -> str:
        """Names of the changes, joined by plus signs."""
        return " + ".join(change.name for change in self.changes)

    @property
    def title(self) -> str:
        """Words for all changes."""
        return "; ".join(change.title for change in self.changes)

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of the scenario with their new values."""
        return {key: value for change in self.changes for key, value in change.settings.items()}

    @property
    def is_free(self) -> bool:
        """Whether nothing has to be bought."""
        return all(change.is_free for change in self.changes)

    @property
    def price_usd(self) -> float | None:
        """Price of the parts to buy, None if one is unknown [USD]."""
        prices = [change.price_usd for change in self.changes]
        return None if None in prices else float(sum(price for price in prices if price is not None))

    @property
    def price_basis(self) -> str | None:
        """Weakest basis among the prices of the parts; None if nothing is bought."""
        bases = [change.price_basis for change in self.changes if change.price_basis is not None]
        return min(bases, key=PRICE_BASES.index) if bases else None

    @property
    def price_in_words(self) -> str:
        """Price in words; an unpublished price is marked as assumed."""
        if self.is_free:
            return "free"
        if self.price_usd is None:
            return "not known"
        return f"${self.price_usd:,.0f}" + (" (assumed)" if self.price_basis == "assumed" else "")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects."""
        return {
            "name": self.name,
            "title": self.title,
            "gain": self.gain,
            "gain_low": self.gain_low,
            "gain_high": self.gain_high,
            "throughput_bps": self.outcome.throughput_bps,
            "low_bps": self.outcome.low_bps,
            "high_bps": self.outcome.high_bps,
            "bottleneck": self.outcome.bottleneck,
            "bottleneck_class": self.outcome.bottleneck_class,
            "free": self.is_free,
            "price_usd": self.price_usd,
            "price_basis": self.price_basis,
            "settings": {key: value if isinstance(value, (str, int, float, bool, list)) else None
                         for key, value in self.settings.items()},
            "changes": [
                {name: getattr(change, name) for name in _REPORTED}
                for change in self.changes
            ],
        }  # fmt: skip


@dataclass(frozen=True)
class Advices:
    """A transfer as it is, and the changes that gain something, the best first.

    Attributes
    ----------
    now
        The transfer as it is.
    single
        Changes that gain something alone, by gain: free ones first, then purchases.
    together
        The best combinations whose every change adds to the gain.
    without_gain
        Names of the changes that gain nothing alone, or no more than a smaller change of the same kind.

    Examples
    --------
    >>> advices = advise("hotlava-transmit", purchases=False)
    >>> len(advices.to_steps()) == len(advices.to_rows()) == len(advices.to_dict()["single"])
    True
    """

    now: Prediction
    single: tuple[Advice, ...]
    together: tuple[Advice, ...]
    without_gain: tuple[str, ...]

    def _repr_html_(self) -> str:
        """Show the transfer as it is and a row for each change in a notebook."""
        columns = {"title": "change", "gain_words": "gain", "range_words": "90 % interval", "price_words": "price"}
        rows = self.to_rows()[list(columns)].rename(columns=columns)
        return f"<p>{html_text(str(self.now))}</p>{rows.to_html(index=False)}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "now": self.now.to_dict(),
            "single": [advice.to_dict() for advice in self.single],
            "together": [advice.to_dict() for advice in self.together],
            "without_gain": list(self.without_gain),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row an advice, singles first: name, title, gains, rates, bottleneck, price.

        Returns
        -------
        DataFrame
            Rates in bit/s, prices in USD.
        """
        columns = [
            *("name", "title", "gain", "gain_low", "gain_high", "throughput_bps", "bottleneck", "free", "price_usd"),
            *("bottleneck_class", "price_basis"),
        ]
        rows = [advice.to_dict() for advice in (*self.single, *self.together)]
        return with_units(pd.DataFrame(rows, columns=columns))

    def to_rows(self) -> pd.DataFrame:
        """`to_frame` with further columns for gain, its range and the price in words.

        Returns
        -------
        DataFrame
            The columns of `to_frame`, and texts whose names end with ``_words``.
        """
        rows = self.to_frame()
        return rows.assign(
            gain_words=rows["gain"].map(gain_in_words),
            range_words=[
                f"{gain_in_words(low)} to {gain_in_words(high)}"
                for low, high in zip(rows["gain_low"], rows["gain_high"], strict=True)
            ],
            price_words=[advice.price_in_words for advice in (*self.single, *self.together)],
        )

    def to_steps(self) -> pd.DataFrame:
        """One row a single change: how to make it, how to check it, its risk and its source.

        Returns
        -------
        DataFrame
            ``title``, ``how``, ``check``, ``risk`` and ``source``, all of them texts.
        """
        columns = ["title", "how", "check", "risk", "source"]
        steps = [{name: getattr(advice.changes[0], name) for name in columns} for advice in self.single]
        return with_units(pd.DataFrame(steps, columns=columns))

    def __str__(self) -> str:
        """Prediction as it is, and the first change to make."""
        best = next(iter((*self.single, *self.together)), None)
        if best is None:
            return f"{self.now}\nNone of the known changes would gain anything."
        gained = units.format_rate(best.outcome.throughput_bps)
        return f"{self.now}\nFirst: {best.title}, for {gained} ({units.format_change(best.gain)})."

    __repr__ = __str__


def gain_in_words(gain: float) -> str:
    """Return a gain, a ratio less 1, in percent or, from three times as fast, as a factor (``22.7 times``)."""
    return units.format_change(gain, places=1) if gain < 2 else f"{1 + gain:.3g} times"


def advise(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    purchases: bool = True,
    also: Sequence[Change] = (),
    progress: bool = False,
) -> Advices:
    """Rank the possible changes of a transfer by gain.

    Parameters
    ----------
    scenario
        File, name, mapping of keys, or loaded scenario.
    purchases
        Whether to include purchases.
    also
        Further changes, such as fixes of the findings about a host.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    Advices
        The transfer, the changes that gain something, the best first, and the names of those that do not.

    Raises
    ------
    InputError
        The scenario is invalid.

    Examples
    --------
    >>> advices = advise("hotlava-transmit", purchases=False)
    >>> advices.now.bottleneck, advices.single[0].name, round(advices.single[0].gain, 2)
    ('sender.slot.x16', 'sender-max-payload', 0.13)
    """
    base = load_scenario(scenario)
    now = predict(base)
    changes = [change for change in (*also, *possible(base)) if purchases or change.is_free]
    if not (now.throughput_bps > 0 and np.isfinite(now.throughput_bps)):
        return Advices(now, (), (), tuple(change.name for change in changes))
    trials = _Trials(base, now, progress=progress)
    tried = trials.of([(change,) for change in changes])
    single = trials.advices(_worthwhile(tried))
    together = list(_combined(trials, tried, single))
    gaining = {advice.name for advice in single}
    return Advices(
        now,
        tuple(sorted(single, key=_order)),
        tuple(sorted(together, key=_order)),
        tuple(trial.name for trial in tried if trial.name not in gaining),
    )


def _worthwhile(trials: Sequence[_Trial]) -> list[_Trial]:
    """Trials that gain something and, within a family (4 streams, 8 streams), more than the smaller ones."""
    best: dict[frozenset[tuple[str, str]], float] = {}
    worthwhile = []
    for trial in trials:
        if trial.gain > best.get(trial.family, 0.0) + WORTH:
            best[trial.family] = trial.gain
            worthwhile.append(trial)
    return worthwhile


def _order(advice: Advice) -> tuple[bool, float, bool, float]:
    """Sort key: free ones first, then by throughput within 1 %, faults of a host before settings, then by price."""
    price, throughput = advice.price_usd, round(np.log1p(advice.gain) / 0.01)
    return not advice.is_free, -throughput, "-fix-" not in advice.name, np.inf if price is None else price


@dataclass(frozen=True)
class _Trial:
    """Changes, the scenario with them, and what they gain."""

    changes: tuple[Change, ...]
    scenario: Scenario
    gain: float

    @property
    def name(self) -> str:
        return " + ".join(change.name for change in self.changes)

    @property
    def family(self) -> frozenset[tuple[str, str]]:
        """Key of trials that differ only in a number or in the part to buy; 0 ("automatic") is a family of its own."""
        return frozenset(
            (key, repr(value) if (isinstance(value, str | bool | list) and change.is_free) or value == 0 else "")
            for change in self.changes
            for key, value in change.settings.items()
        )


class _Trials:
    """Predictions of changes of a transfer."""

    def __init__(self, base: Scenario, now: Prediction, *, progress: bool) -> None:
        self._base = base
        self._now = now
        self._progress = progress
        (self._screened_bps,) = throughputs([base])

    def of(self, combinations: Sequence[tuple[Change, ...]]) -> list[_Trial]:
        """Trials of combinations, without impossible ones (a card that does not fit the slot)."""
        tracked = track(combinations, "advising") if self._progress else combinations
        scenarios = [(changes, self._scenario(changes)) for changes in tracked]
        possible = [(changes, scenario) for changes, scenario in scenarios if scenario is not None]
        rates = throughputs([scenario for _, scenario in possible])
        return [
            _Trial(changes, scenario, throughput / self._screened_bps - 1)
            for (changes, scenario), throughput in zip(possible, rates, strict=True)
            if throughput is not None and np.isfinite(throughput) and self._screened_bps is not None
        ]

    def _scenario(self, changes: Sequence[Change]) -> Scenario | None:
        try:
            return self._base.with_({key: value for change in changes for key, value in change.settings.items()})
        except HecnError:
            return None

    def advices(self, trials: Sequence[_Trial]) -> list[Advice]:
        """Advice for trials that still gain something in the full prediction."""
        advices = []
        for trial, then in zip(trials, outcomes([trial.scenario for trial in trials]), strict=True):
            # both predictions use the same draws, but for the part of the model's error that a change brings
            low, high = np.quantile(then.draws_bps / self._now.draws_bps, [0.05, 0.95]) - 1
            gain = then.throughput_bps / self._now.throughput_bps - 1
            if gain > WORTH:
                ends = min(float(low), gain), max(float(high), gain)
                advices.append(Advice(trial.changes, trial.scenario, then, gain, *ends))
        return advices


def _combined(trials: _Trials, tried: Sequence[_Trial], single: Sequence[Advice]) -> Iterator[Advice]:
    """Yield combinations whose every change adds to the gain, even one that gains nothing alone."""
    gains = {frozenset([trial.name]): trial.gain for trial in tried}
    front: list[tuple[Change, ...]] = [advice.changes for advice in sorted(single, key=lambda item: -item.gain)[:_KEPT]]
    for _ in range(LARGEST - 1):
        larger = {
            frozenset(change.name for change in (*start, *other.changes)): (*start, *other.changes)
            for start in front
            for other in tried
            if _fit(start, other.changes)
        }
        better = []
        for trial in trials.of(list(larger.values())):
            names = frozenset(change.name for change in trial.changes)
            gains[names] = trial.gain
            parts = [gains.get(frozenset(part)) for part in combinations(names, len(names) - 1)]
            if all(part is None or trial.gain > part + WORTH for part in parts):
                better.append(trial)
        best = sorted(_worthwhile(better), key=lambda trial: -trial.gain)[:_KEPT]
        advices = trials.advices(best)
        yield from advices
        front = [advice.changes for advice in advices[: _KEPT // 2]]


def _fit(first: Sequence[Change], second: Sequence[Change]) -> bool:
    """Whether changes can be combined: none sets a key to a different value than another."""
    settings = {key: value for change in first for key, value in change.settings.items()}
    names = {change.name for change in first}
    return all(
        change.name not in names and all(settings.get(key, value) == value for key, value in change.settings.items())
        for change in second
    )
