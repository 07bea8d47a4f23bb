"""The fit recognises linear and exponential growth, or leaves the growth undecided."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.planning.forecast.growth import growth_of
from hecn_analysis.planning.forecast.port_forecast import forecast
from hecn_analysis.planning.forecast.series import DAY

FIRST = pd.Timestamp("2025-01-06", tz="UTC")
WEEK = np.array([1.0, 1.04, 1.05, 1.02, 0.92, 0.55, 0.5])


def daily(kind, days, growth, seed, scatter=0.06):
    """Percentiles of days: a week, errors that stay on for days, growth a year."""
    chance, errors = np.random.default_rng(seed), np.zeros(days)
    for day, shock in enumerate(chance.normal(0, scatter, days)):
        errors[day] = shock + 0.4 * errors[day - 1]
    years = np.arange(days) / 365.25
    grown = 1 + growth * years if kind == "linear" else (1 + growth) ** years
    return 3e9 * grown * np.resize(WEEK, days) * np.exp(errors)


def port(values, **options):
    rates = pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth0",
            "time": FIRST + np.arange(1, len(values) + 1) * pd.Timedelta(1, "D"),
            "interval_s": 86400.0,
            "in_bps": values,
            "out_bps": values / 10,
            "flag": "given",
        }
    )
    found = forecast(rates, draws=150, **options)
    return found.ports.iloc[0], str(found)


@pytest.mark.parametrize("kind", ["linear", "exponential"])
def test_a_long_history_decides_and_a_short_one_does_not(kind):
    assert Counter(growth_of(daily(kind, 730, 0.8, seed), DAY)[0] for seed in range(8)) == {kind: 8}
    assert Counter(growth_of(daily(kind, 150, 0.3, seed), DAY)[0] for seed in range(8)) == {"undecided": 8}


def test_a_shift_of_the_level_is_not_taken_for_a_bend():
    values = daily("exponential", 730, 0.6, 3)
    values[:300] *= 0.6
    assert growth_of(values, DAY)[0] != "linear"


@pytest.mark.parametrize(("kind", "unit"), [("linear", "b/s (+"), ("exponential", " % (+")])
def test_dates_and_words_are_those_of_the_growth(kind, unit):
    full = daily(kind, 1000, 0.8, 11)
    busy = pd.Series(full).rolling(28).apply(lambda level: np.sort(level)[-4], raw=True).to_numpy()
    capacity = (busy[699] + busy[-1]) / 2
    row, words = port(full[:700], speeds=capacity / 0.8)
    assert (row["growth"], row["method"]) == (
        kind,
        {"linear": "growth in bit/s", "exponential": "growth in per cent"}[kind],
    )
    assert f"{unit}" in words
    assert "undecided" not in words
    reached = FIRST + pd.Timedelta(int(np.argmax(busy[700:] >= capacity)) + 700, "D")
    assert row["date_low"] <= reached <= row["date_high"]
    assert abs((row["date"] - reached).days) < 30
    assert pd.isna(row["date_linear"])


def test_where_the_growth_is_undecided_both_dates_are_given():
    row, words = port(daily("linear", 300, 0.5, 5), speeds=6.6e9)
    assert row["growth"] == "undecided"
    assert row["date_low"] <= min(row["date_linear"], row["date_exponential"])
    assert min(row["date_linear"], row["date_exponential"]) <= row["date"] <= row["date_high"]
    assert f"on {row['date_linear']:%Y-%m-%d} or on {row['date_exponential']:%Y-%m-%d}" in words


def test_a_level_without_a_trend_has_no_growth():
    row, words = port(daily("linear", 400, 0.0, 2), speeds=1e10)
    assert row["status"] == "flat"
    assert pd.isna(row["growth"])
    assert "no trend" in words


def wandering(seed, step):
    """Percentiles of a year whose level is a random walk."""
    return daily("linear", 365, 0.0, seed) * np.exp(np.cumsum(np.random.default_rng(seed + 1000).normal(0, step, 365)))


@pytest.mark.slow
def test_a_level_that_wanders_is_not_called_growth():
    named = [port(wandering(seed, step))[0]["growth"] for seed in range(10) for step in (0.02, 0.08)]
    assert sum(growth in {"linear", "exponential"} for growth in named) <= 2
