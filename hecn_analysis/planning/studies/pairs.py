"""Measured changes of the documents: the gain between both sides, as measured and as predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import yaml_file
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.prediction.compare import Series, load_series, measured
from hecn_analysis.prediction.result import Rung

#: Columns of `compare_pairs`.
COLUMNS: Final = (
    *("pair", "title", "series", "before", "after", "determined"),
    *("measured_before_bps", "measured_after_bps", "measured_low_bound", "measured_gain"),
    *("predicted_before_bps", "predicted_after_bps", "predicted_gain", "gain_low", "gain_high"),
    *("points", "ratio_error", "inside"),
    *("limit", "bottleneck_before", "next_before", "bottleneck_after", "order_right"),
    *("document", "place_before", "place_after"),
)


class Pair(BaseModel):
    """A change between measured cases of one series."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    series: str
    before: Annotated[list[str], Field(min_length=1, description="cases; the mean of several repeats")]
    after: Annotated[list[str], Field(min_length=1)]
    eases: list[str] = Field(default=[], description="classes of limits that the change eases, its purpose first")


class StatedGain(BaseModel):
    """A gain that a document states without the inputs of a prediction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    gain: float
    document: str
    place: str
    words: str
    missing: str


class _PairsFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: dict[str, Pair]
    stated: dict[str, StatedGain] = {}


def _load() -> _PairsFile:
    document = yaml_file.load(places.data_dir() / "pairs.yaml")
    return yaml_file.validate(_PairsFile, document.values, lambda key: (document.source, document.line(key)))


def pairs() -> dict[str, Pair]:
    """Changes of ``data/pairs.yaml`` by their names."""
    return _load().pairs


def stated_gains() -> dict[str, StatedGain]:
    """Gains that the documents state without both rates, by their names."""
    return _load().stated


@dataclass(frozen=True)
class _Side:
    """Measured and predicted rate of one side of a pair; several cases are repeats of it."""

    series: Series
    cases: Sequence[str]
    prediction: Prediction

    @classmethod
    def of(cls, series: Series, cases: Sequence[str]) -> _Side:
        return cls(series, cases, predict(series.scenarios[cases[0]]))

    def measured(self) -> tuple[float, bool]:
        """Mean of the repeats [bit/s], NaN where a figure is not available, and whether one is "more than"."""
        values = [measured(self.series.cases[case], self.series) for case in self.cases]
        rates = [np.nan if figures["measured_bps"] is None else figures["measured_bps"] for figures in values]
        return float(np.mean(rates)), any(figures["measured_low_bound"] for figures in values)

    @property
    def stated_limit(self) -> str:
        """Class of the limit that the document names, "" where it names none."""
        return self.series.cases[self.cases[0]].stated_limit

    @property
    def place(self) -> str:
        """Where the figures stand."""
        return "; ".join(dict.fromkeys(self.series.cases[case].place for case in self.cases))


def compare_pairs(names: Sequence[str] | None = None) -> pd.DataFrame:
    """Compare the measured gain of each change with the predicted one.

    Parameters
    ----------
    names
        Pairs, all by default.

    Returns
    -------
    DataFrame
        A row a pair, columns `COLUMNS`. Gains are ratios less 1; ``points`` is predicted less measured gain in
        percentage points, ``ratio_error`` the predicted ratio after/before over the measured one, less 1. ``gain_low``
        and ``gain_high`` hold 90 % of the predicted gains between two single runs; ``inside``: the measured gain is
        between them. ``measured_low_bound``: the figure after the change is "more than". ``order_right``: before the
        change the limit binds that it addresses, and after it the one that the document names or, without one, the next
        of the ladder. Missing: not measured, or the figure is not in our copy of the document.

    Examples
    --------
    >>> pair = compare_pairs(["max-payload-transmit"]).iloc[0]
    >>> f"{pair['measured_gain']:.1%}", f"{pair['predicted_gain']:.1%}", pair["bottleneck_before"]
    ('12.9%', '12.8%', 'sender.slot.x16')
    """
    known = pairs()
    loaded: dict[str, Series] = {}
    rows = []
    for name in known if names is None else names:
        pair = known[name]
        series = loaded.setdefault(pair.series, load_series(pair.series))
        rows.append({"pair": name, **_row(pair, _Side.of(series, pair.before), _Side.of(series, pair.after))})
    return with_units(pd.DataFrame(rows, columns=list(COLUMNS)).convert_dtypes())


def _row(pair: Pair, before: _Side, after: _Side) -> dict[str, Any]:
    (held, _), (freed, at_least) = before.measured(), after.measured()
    then, now = after.prediction, before.prediction
    told = freed / held - 1
    gain = then.throughput_bps / now.throughput_bps - 1
    low, high = _interval(before, after)
    following = _next(now, pair.eases)
    return {
        "title": pair.title,
        "series": pair.series,
        "before": " ".join(pair.before),
        "after": " ".join(pair.after),
        "determined": before.series.determined,
        "measured_before_bps": held,
        "measured_after_bps": freed,
        "measured_low_bound": at_least,
        "measured_gain": told,
        "predicted_before_bps": now.throughput_bps,
        "predicted_after_bps": then.throughput_bps,
        "predicted_gain": gain,
        "gain_low": low,
        "gain_high": high,
        "points": 100 * (gain - told),
        "ratio_error": (1 + gain) / (1 + told) - 1,
        "inside": None if np.isnan(told) else low <= told <= high,
        "limit": next(iter(pair.eases), None),
        "bottleneck_before": now.bottleneck,
        "next_before": None if following is None else following.resource,
        "bottleneck_after": then.bottleneck,
        "order_right": _in_order(pair, now, then, stated=after.stated_limit) if pair.eases else None,
        "document": before.series.document,
        "place_before": before.place,
        "place_after": after.place,
    }


def _next(prediction: Prediction, eased: Sequence[str]) -> Rung | None:
    """First limit after the bottleneck that a change does not ease."""
    return next((rung for rung in prediction.ladder[1:] if rung.resource_class not in eased), None)


def _in_order(pair: Pair, now: Prediction, then: Prediction, *, stated: str) -> bool:
    following = _next(now, pair.eases)
    expected = {stated} if stated else {*pair.eases, following.resource_class if following is not None else None}
    return now.bottleneck_class == pair.eases[0] and then.bottleneck_class in expected


def _interval(before: _Side, after: _Side) -> tuple[float, float]:
    """90 % interval of the gain between single runs, whose parameters are drawn together and whose scatter is not."""
    rng = np.random.default_rng(1)

    def runs(side: _Side) -> np.ndarray[Any, np.dtype[np.float64]]:
        # the mean of several repeats scatters less than a single run
        spread = np.log1p(side.prediction.scenario.tool.repeat.spread) / 1.6449 / np.sqrt(len(side.cases))
        return side.prediction.draws_bps * rng.lognormal(0.0, spread, side.prediction.draws_bps.size)

    low, high = np.quantile(runs(after) / runs(before), [0.05, 0.95]) - 1
    return float(low), float(high)


def summary(table: pd.DataFrame) -> Mapping[str, int]:
    """Count pairs: all, measured ones, those within 5 points, and those in the right order.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    mapping
        Numbers by name.

    Examples
    --------
    >>> rows = pd.DataFrame({"measured_gain": [0.5, None], "points": [3.0, None], "order_right": [True, None]})
    >>> summary(rows)
    {'pairs': 2, 'measured': 1, 'within_5_points': 1, 'order_right': 1, 'order_known': 1}
    """
    measured = table["measured_gain"].notna()
    return {
        "pairs": len(table),
        "measured": int(measured.sum()),
        "within_5_points": int((table["points"].abs() <= 5).sum()),
        "order_right": int(table["order_right"].fillna(value=False).sum()),
        "order_known": int(table["order_right"].notna().sum()),
    }
