"""Do the intervals of forecast dates hold what they say? Series whose future is known, of several kinds.

Run as `python -m benchmarks.forecast_dates`.

Each series is made with its future. The forecast sees its past only; the day on which the busy level reaches the
capacity is held to the 90 % interval of the date. Where a forecast gives no date, because it saw no trend or because
less than half of its paths get there, there is nothing to hold: such series are counted beside.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.planning.forecast.port_forecast import forecast
from hecn_analysis.planning.forecast.series import DAY, busy_level

Floats = npt.NDArray[np.float64]

FIRST = pd.Timestamp("2023-01-02", tz="UTC")
WEEK = np.log([1.0, 1.04, 1.05, 1.02, 0.92, 0.55, 0.5])
FUTURE = 800

#: Part of the dates that are to lie inside of their 90 % intervals.
LEAST, MOST = 0.85, 0.95


@dataclass(frozen=True)
class Kind:
    """How series of a kind go.

    Parameters
    ----------
    growth
        In a year. [fraction]
    scatter, lasting
        Standard deviation of the errors of days, and how much of an error stays on the next day. [1]
    wander
        Standard deviation of what a day adds to the level. [1]
    turning
        Standard deviation of what a day adds to the growth of a day. [1]
    log
        Whether it grows in per cent rather than in bit/s.
    bursts
        Part of the days that are two to four times as busy. [fraction]
    """

    growth: float = 0.6
    scatter: float = 0.05
    lasting: float = 0.4
    wander: float = 0.0
    turning: float = 0.0
    log: bool = True
    bursts: float = 0.0


KINDS = {
    "grows in per cent": Kind(),
    "grows in bit/s": Kind(log=False, growth=1.0),
    "errors that stay on": Kind(lasting=0.85, scatter=0.04),
    "wanders by 0.2 % a day": Kind(wander=0.002),
    "wanders by 0.5 % a day": Kind(wander=0.005, growth=1.0),
    "wanders by 1 % a day": Kind(wander=0.01, growth=1.5),
    "growth that changes": Kind(turning=4e-5, growth=1.0),
    "bursts": Kind(bursts=0.05),
}


def series(kind: Kind, past: int, chance: np.random.Generator) -> Floats:
    """Percentiles of the days of a port, past and future. [bit/s]."""
    days = past + FUTURE
    errors = np.zeros(days)
    for day, shock in enumerate(chance.normal(0, kind.scatter, days)):
        errors[day] = shock + kind.lasting * errors[day - 1]
    slope = np.cumsum(chance.normal(0, kind.turning, days)) if kind.turning else np.zeros(days)
    level = np.cumsum(slope + chance.normal(0, kind.wander, days)) if kind.wander or kind.turning else np.zeros(days)
    years = np.arange(days) / 365.25
    level = level + (np.log1p(kind.growth) * years if kind.log else np.log1p(kind.growth * years))
    values: Floats = 3e9 * np.exp(level + np.resize(WEEK, days) + errors)
    bursts = chance.random(days) < kind.bursts
    values[bursts] *= chance.uniform(2, 4, int(bursts.sum()))
    return values


def trial(kind: Kind, chance: np.random.Generator) -> dict[str, Any]:
    """Forecast one series, and hold the day that came to the interval."""
    past = int(chance.integers(150, 500))
    values = series(kind, past, chance)
    busy = busy_level(values[None], DAY)[0]
    years = chance.uniform(0.15, 0.8) * past / 365.25
    now = float(busy[past - DAY.window])
    capacity = now * float((1 + kind.growth) ** years if kind.log else 1 + kind.growth * years / (1 + kind.growth))
    rates = pd.DataFrame(
        {
            "host": "switch", "interface": "eth0", "time": FIRST + np.arange(1, past + 1) * pd.Timedelta(1, "D"),
            "interval_s": 86_400.0, "in_bps": values[:past], "out_bps": 0.1 * values[:past], "flag": "given",
        }
    )  # fmt: skip
    row = forecast(rates, speeds=capacity, capacity=1.0, draws=400).ports.iloc[0]
    full = busy >= capacity
    full[: past - DAY.window + 1] = False
    came = FIRST + pd.Timedelta(DAY.window - 1 + int(full.argmax()), "D") if full.any() else pd.Timestamp.max
    came = came.tz_localize("UTC") if came.tzinfo is None else came
    dated = row["status"] == "date"
    late, early = dated and pd.notna(row["date_high"]) and came > row["date_high"], dated and came < row["date_low"]
    return {
        "dated": dated, "held": dated and not late and not early, "early": early, "late": late,
        "days": (row["date_high"] - row["date_low"]).days if dated and pd.notna(row["date_high"]) else np.nan,
        "ahead": (came - FIRST).days - past,
    }  # fmt: skip


def trials(count: int, *, seed: int = 5, kinds: Sequence[str] = tuple(KINDS)) -> pd.DataFrame:
    """Trials of each kind, one a row."""
    rows = []
    for name in kinds:
        chance = np.random.default_rng([seed, list(KINDS).index(name)])
        rows += [{"kind": name, **trial(KINDS[name], chance)} for _ in range(count)]
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the part of the dates that was held, by kind; status 1 where it is too little or too much over all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="series of each kind (default: 60)")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), metavar="KIND")
    parser.add_argument("--seed", type=int, default=5)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print(f"{'kind':<26}{'series':>7}{'dated':>7}{'held':>7}{'early':>7}{'late':>7}{'days wide':>11}")
    every = []
    for name in asked.kinds:
        found = trials(asked.count, seed=asked.seed, kinds=(name,))
        every.append(found)
        dated = found[found["dated"]]
        held, early, late = (
            f"{dated[column].mean():.0%}" if len(dated) else "–" for column in ("held", "early", "late")
        )
        print(
            f"{name:<26}{len(found):>7}{len(dated):>7}{held:>7}{early:>7}{late:>7}{dated['days'].median():>11.0f}",
            flush=True,
        )
    both = pd.concat(every)
    share = float(both.loc[both["dated"], "held"].mean())
    print(f"all together: {share:.1%} of {int(both['dated'].sum())} dates inside of their 90 % intervals")
    return 0 if LEAST <= share <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
