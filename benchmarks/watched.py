"""Series of hourly results as `hecn watch` judges them, a tenth of which drop by a fifth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hecn_analysis.watching.reasons import COLUMNS
from hecn_analysis.watching.series import Series

_DROPS_EVERY = 10
_DROP = 0.8


def series(count: int, hours: int) -> list[Series]:
    """Return so many series of so many hours: slow afternoons, errors of 5 %, one result in twenty missing."""
    return [_one(number, hours) for number in range(count)]


def _one(number: int, hours: int) -> Series:
    chance = np.random.default_rng([1, number])
    ran = np.flatnonzero(chance.random(hours) > 0.05)
    logs = 0.05 * chance.standard_normal(len(ran)) + 0.15 * np.cos(2 * np.pi * ran / 24)
    if number % _DROPS_EVERY == 0:
        logs[len(logs) * 9 // 10 :] += np.log(_DROP)
    times = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(ran, unit="h")
    runs = pd.DataFrame({"start_time": times, "rate_bps": 9e9 * np.exp(logs)})
    runs = runs.reindex(columns=["start_time", "rate_bps", *COLUMNS])
    return Series("a", f"b{number}", "iperf3", "tcp", "send", 1, runs, ())
