"""When a host uses its last free port: a straight line through counts of used ports, plus planned ones.

Counts come from the file of planned changes. Without them, a port with counters counts as used on a day on which it
carried traffic: most sources omit the state of an interface, so a port that is up and idle counts as free.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import numpy as np
import pandas as pd
from statsmodels.regression.linear_model import OLS

from hecn_analysis.planning.forecast.planned_changes import Count, Plan
from hecn_analysis.traffic.ports import port_key

LEAST_COUNTS: Final = 6
LEAST_DAYS: Final = 90
_DAY_S: Final = 86_400.0
_ENDS: Final = (5.0, 50.0, 95.0)
COLUMNS: Final = (
    *("host", "counts", "ports", "used", "free", "growth_per_year", "growth_low_per_year", "growth_high_per_year"),
    *("date_low", "date", "date_high", "probability", "basis", "reason"),
)


def free_ports(plan: Plan, rates: pd.DataFrame, *, horizon_s: float, draws: int, seed: int) -> pd.DataFrame:
    """Forecast the used ports of each host."""
    counts: dict[str, list[Count]] = {}
    for count in plan.counts:
        counts.setdefault(count.host, []).append(count)
    carried: dict[str, list[Count]] = {}
    for count in used_ports(rates):
        carried.setdefault(count.host, []).append(count)
    rows = []
    for host in sorted({*counts, *carried}):
        basis = "counts of the file" if host in counts else "ports that carried anything"
        every = sorted(counts.get(host) or carried[host], key=lambda change: change.day)
        planned = [
            (change.begin, change.amount) for change in plan.changes if change.kind == "ports" and change.host == host
        ]
        rows.append({"host": host, "basis": basis, **_row(every, planned, horizon_s, draws, seed)})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def used_ports(rates: pd.DataFrame) -> Iterator[Count]:
    """Count the interfaces of each host that carried anything in a week, of those with counters: one count a week."""
    rates = rates[rates["host"].notna() & rates["time"].notna()]
    rates = rates.assign(**port_key(rates))
    week = rates["time"].dt.tz_convert("UTC").dt.tz_localize(None).dt.to_period("W").dt.end_time.dt.normalize()
    carried = rates[["in_bps", "out_bps"]].astype(float).fillna(0.0).sum(axis=1)
    most: Any = carried.groupby([rates["host"], week, rates["interface"]]).max()
    for (host, day), part in most.groupby(level=[0, 1]):
        yield Count(day.date(), str(host), int((part > 0).sum()), len(part))


def _row(
    counts: list[Count], planned: list[tuple[date, float]], horizon_s: float, draws: int, seed: int
) -> dict[str, Any]:
    last = counts[-1]
    row: dict[str, Any] = {
        "counts": len(counts),
        "ports": last.ports,
        "used": last.used,
        "free": last.ports - last.used,
    }
    days = np.array([(count.day - last.day).days for count in counts], dtype=float)
    if len(counts) < LEAST_COUNTS or -days[0] < LEAST_DAYS:
        reason = (
            f"too short: {len(counts)} counts of {-days[0]:.0f} days, {LEAST_COUNTS} of {LEAST_DAYS} days are needed"
        )
        return row | {"reason": reason}
    used = np.array([count.used for count in counts], dtype=float)
    line = OLS(used, np.column_stack([np.ones(len(days)), days])).fit()
    slope = float(line.params[1])
    low, high = map(float, line.conf_int(0.1)[1])
    row |= {
        "growth_per_year": slope * 365.25,
        "growth_low_per_year": low * 365.25,
        "growth_high_per_year": high * 365.25,
    }
    flat = low <= 0 <= high
    ahead = np.arange(1, max(round(min(horizon_s / _DAY_S, -days[0])), 1) + 1)
    chance = np.random.default_rng(seed)
    slopes = np.zeros(draws) if flat else slope + float(line.bse[1]) * chance.standard_t(line.df_resid, draws)
    paths = last.used + slopes[:, None] * ahead
    for begin, more in planned:
        paths += np.where(ahead >= (begin - last.day).days, more, 0.0)
    full = paths >= last.ports - 0.5  # ports are whole
    first = np.where(full.any(axis=1), full.argmax(axis=1), len(ahead))
    ends = [int(end) for end in np.percentile(first, _ENDS, method="inverted_cdf")]
    when = [pd.Timestamp(last.day) + pd.Timedelta(end + 1, "D") if end < len(ahead) else pd.NaT for end in ends]
    row["probability"] = float((first < len(ahead)).mean())
    if when[1] is pd.NaT:
        end = pd.Timestamp(last.day) + pd.Timedelta(len(ahead), "D")
        words = "no trend: the 90 % interval of the growth contains 0" if flat else f"not full by {end:%Y-%m-%d}"
        return row | {"reason": words}
    return row | {"date_low": when[0], "date": when[1], "date_high": when[2], "reason": ""}
