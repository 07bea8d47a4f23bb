"""Judge series with changes of known time and size: ``python -m upkeep.backtest``, and series of ports: ``… FILES``.

Quiet series of hourly results give the false alarms per 100 series and month. The same series with a drop give the
share that is found within so many results. Both depend on the scatter, and on how the errors of a series behave:
`KINDS`. Series of FILES (counters of ports) are real, not known to be quiet: their changes are counted.
The tables of ``docs/howto/watch.md`` are the output of this command with ``--series 100``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from hecn_analysis.counters import read_counters
from hecn_analysis.traffic.utilisation import slot_table
from hecn_analysis.watching.changes import changes
from hecn_analysis.watching.measures import DELAY, LOSS

Floats = npt.NDArray[np.float64]
Maker = Callable[[np.random.Generator, Floats], Floats]
Times = Callable[[np.random.Generator, int], Floats]

_HOUR_S: Final = 3600.0
_MONTH: Final = 30 * 24
_FIRST_S: Final = 1.6e9
_SCATTER: Final = 0.05
_WITHIN: Final = (3, 6, 12, 24)
_DROPS: Final = (0.1, 0.2, 0.3, 0.5)
_LEAST_SCALE: Final = 0.01
_LEAST_BPS: Final = 1e3


def _errors(chance: np.random.Generator, count: int, persistence: float = 0.0) -> Floats:
    """Normal errors of variance 1, each correlated with the one before."""
    noise = chance.standard_normal(count + 200) * np.sqrt(1 - persistence**2)
    errors: Floats = lfilter([1.0], [1.0, -persistence], noise)[200:]
    return errors


def _persistent(chance: np.random.Generator, times_s: Floats) -> Floats:
    return _SCATTER * _errors(chance, len(times_s), 0.3)


def _very_persistent(chance: np.random.Generator, times_s: Floats) -> Floats:
    return _SCATTER * _errors(chance, len(times_s), 0.6)


def _heavy(chance: np.random.Generator, times_s: Floats) -> Floats:
    errors: Floats = 0.7 * _SCATTER * chance.standard_t(3, len(times_s))
    return errors


def _outliers(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Return errors of which three in a hundred met other traffic: slower, never faster."""
    rates = _persistent(chance, times_s)
    met = chance.random(len(times_s)) < 0.03
    rates[met] -= chance.exponential(0.6, int(met.sum()))
    return rates


def _seasonal(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Slow afternoons, faster weekends."""
    day = times_s / (24 * _HOUR_S)
    weekend = (np.floor(day) + 3) % 7 >= 5
    return _persistent(chance, times_s) + 0.15 * np.cos(2 * np.pi * day) + 0.1 * weekend


def _busy_hours(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Four hours of backups each night."""
    hour = times_s % (24 * _HOUR_S) // _HOUR_S
    return _persistent(chance, times_s) - 0.7 * (hour < 4)


def _two_rates(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results of two paths, of which routing picks one."""
    rates: Floats = np.where(chance.random(len(times_s)) < 0.3, np.log(0.6), 0.0)
    return rates + 0.003 * chance.standard_normal(len(times_s))


def _capped(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results at a full line, printed in whole Mbit/s, a tenth of them slower."""
    slower = np.where(chance.random(len(times_s)) < 0.1, chance.exponential(0.05, len(times_s)), 0.0)
    rates: Floats = np.log(np.round(941 * np.exp(-slower - np.abs(0.0003 * chance.standard_normal(len(times_s))))))
    return rates


def _two_digits(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results of a tool that prints two digits: 9.4, 9.3 and so on."""
    rates: Floats = np.log(np.round(9.4 * np.exp(0.01 * _errors(chance, len(times_s), 0.3)), 1))
    return rates


def _busy_scatter(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results that scatter four times as much in the eight hours of work of a weekday."""
    day = times_s / (24 * _HOUR_S)
    works = (times_s % (24 * _HOUR_S) >= 8 * _HOUR_S) & (times_s % (24 * _HOUR_S) < 16 * _HOUR_S)
    is_busy = works & ((np.floor(day) + 3) % 7 < 5)
    return np.where(is_busy, 1.0, 0.25) * _persistent(chance, times_s)


def _weekly_job(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Six hours of backups in one night of the week."""
    hour = (times_s // _HOUR_S + 3 * 24) % (7 * 24)
    return _persistent(chance, times_s) - 0.5 * (hour < 6)


def _two_routes(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results of two routes, each kept for some ten results: the second one for a fifth of the time."""
    is_second = np.zeros(len(times_s), dtype=bool)
    for place, draw in enumerate(chance.random(len(times_s) - 1), 1):
        is_second[place] = draw >= 0.1 if is_second[place - 1] else draw < 0.025
    return 0.02 * _errors(chance, len(times_s)) - 0.3 * is_second


def _skewed(chance: np.random.Generator, times_s: Floats) -> Floats:
    """Results that meet other traffic to a varying extent, never faster than the line."""
    rates: Floats = -_SCATTER * chance.exponential(1.0, len(times_s))
    return rates


KINDS: Final[Mapping[str, Maker]] = {
    "independent": lambda chance, times_s: _SCATTER * _errors(chance, len(times_s)),
    "persistence 0.3": _persistent,
    "persistence 0.6": _very_persistent,
    "heavy tails": _heavy,
    "outliers": _outliers,
    "day and week": _seasonal,
    "busy hours": _busy_hours,
    "two rates": _two_rates,
    "full line": _capped,
    "two digits": _two_digits,
    "scatter at work": _busy_scatter,
    "weekly job": _weekly_job,
    "two routes": _two_routes,
    "skewed": _skewed,
    "irregular times": _persistent,
    "nights missing": _persistent,
    "six a day": _persistent,
    "three a day": _seasonal,
}


def _times(chance: np.random.Generator, count: int) -> Floats:
    """Hours at which a test ran: one in twenty is missing, and a day and a half in the third week."""
    hours = np.arange(count + 36, dtype=np.float64)
    hours = hours[(hours < 400) | (hours >= 436)]
    kept = hours[(chance.random(len(hours)) > 0.05)]
    return _FIRST_S + _HOUR_S * (kept + 0.1 * chance.random(len(kept)))


def _irregular(chance: np.random.Generator, count: int) -> Floats:
    """Times of a tool that people start: gaps between results are exponential, of an hour on average."""
    return _FIRST_S + _HOUR_S * np.cumsum(np.maximum(chance.exponential(1.0, count), 0.05))


def _without_nights(chance: np.random.Generator, count: int) -> Floats:
    times_s = _times(chance, count)
    return times_s[times_s % (24 * _HOUR_S) >= 7 * _HOUR_S]


def _every(hours: int) -> Times:
    return lambda chance, count: (_times(chance, count) - _FIRST_S) * hours + _FIRST_S


#: When the results of a kind come, if not each hour.
TIMES: Final[Mapping[str, Times]] = {
    "irregular times": _irregular,
    "nights missing": _without_nights,
    "six a day": _every(4),
    "three a day": _every(8),
}


def quiet(months: int, series: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield each kind with its false alarms per 100 series and month."""
    for kind, make in KINDS.items():
        yield kind, false_alarms(make, months, series, seed, times=TIMES.get(kind, _times))


def false_alarms(
    make: Maker, months: int, series: int, seed: int, *, least_scale: float = _LEAST_SCALE, times: Times = _times
) -> float:
    """Return the changes per 100 series and month of hourly results, of series without one."""
    chance = np.random.default_rng([seed, 1])
    alarms = 0
    for _ in range(series):
        times_s = times(chance, months * _MONTH)
        alarms += len(changes(times_s, make(chance, times_s), least_scale=least_scale))
    return 100 * alarms / (series * months)


def found(
    make: Maker, drop: float, series: int, seed: int, *, least_scale: float = _LEAST_SCALE, times: Times = _times
) -> Floats:
    """Return the share of drops after three weeks that show within each of `_WITHIN` results."""
    chance = np.random.default_rng([seed, 2])
    taken = np.full(series, np.inf)
    for number in range(series):
        times_s = times(chance, 22 * 24 + 36)
        values = make(chance, times_s)
        at = len(values) - max(_WITHIN)
        values[at:] += np.log(1 - drop)
        seen = [change.seen for change in changes(times_s, values, least_scale=least_scale) if change.seen >= at]
        taken[number] = seen[0] - at + 1 if seen else np.inf
    return np.array([(taken <= within).mean() for within in _WITHIN])


def _losses(packets: int, share: float, added: float = 0.0) -> Maker:
    """Return what makes losses of results of so many packets, which rise for the last results."""

    def make(chance: np.random.Generator, times_s: Floats) -> Floats:
        shares = np.full(len(times_s), share)
        shares[len(times_s) - max(_WITHIN) :] += added
        return LOSS.compared(chance.binomial(packets, shares) / packets, packets)

    return make


def _delays(base_s: float, jitter_s: float, ratio: float = 1.0) -> Maker:
    """Return what makes least delays, which grow for the last results."""

    def make(chance: np.random.Generator, times_s: Floats) -> Floats:
        delays = np.full(len(times_s), base_s)
        delays[len(times_s) - max(_WITHIN) :] *= ratio
        return DELAY.compared(delays + chance.exponential(jitter_s, len(times_s)), 1)

    return make


#: Losses (packets of a result, usual share) and delays (least one, mean of what queues add) [s].
_LOSSES: Final = ((10, 0.01), (100, 0.003), (100, 0.01), (600, 0.0), (600, 0.001), (600, 0.01), (36_000, 0.0001))
_DELAYS: Final = ((0.02, 5e-5), (0.02, 5e-4), (2e-4, 2e-5))


def of_paths(months: int, series: int, seed: int) -> None:
    """Print the tables of false alarms of losses and delays, and of steps that are found."""
    kinds = [
        *(
            (
                f"loss {100 * share:g} % of {packets} packets",
                LOSS,
                _losses(packets, share),
                _losses(packets, share, 0.005),
                "0.5 % more",
            )
            for packets, share in _LOSSES
        ),
        *(
            (f"delay {base_s * 1e3:g} ms, queues {jitter_s * 1e3:g} ms", DELAY, *makers, "10 % longer")
            for base_s, jitter_s in _DELAYS
            for makers in [(_delays(base_s, jitter_s), _delays(base_s, jitter_s, 1.1))]
        ),
    ]
    head = " | ".join(f"within {within}" for within in _WITHIN)
    print(f"\n| delay or loss | false alarms per 100 series and month | step | {head} |")
    print(f"|---|---|---|{'---|' * len(_WITHIN)}")
    for words, measure, quiet_one, stepped, step in kinds:
        scale = measure.least_scale
        alarms = false_alarms(quiet_one, months, series, seed, least_scale=scale)
        print(
            _row(f"{words} | {alarms:.1f} | {step}", found(stepped, 0.0, series, seed, least_scale=scale)), flush=True
        )


def _scattered(scatter: float) -> Maker:
    return lambda chance, times_s: scatter * _errors(chance, len(times_s))


def _row(words: str, shares: Floats) -> str:
    return f"| {words} | {' | '.join(f'{share:.0%}' for share in shares)} |"


def synthetic(months: int, series: int, seed: int) -> None:
    """Print the tables of false alarms and of drops that are found."""
    print("| errors of quiet series | false alarms per 100 series and month |\n|---|---|")
    for kind, alarms in quiet(months, series, seed):
        print(f"| {kind} | {alarms:.1f} |", flush=True)
    head = " | ".join(f"within {within}" for within in _WITHIN)
    print(f"\n| drop, scatter of single results | {head} |\n|---|{'---|' * len(_WITHIN)}")
    for drop in _DROPS:
        for scatter in (0.02, 0.04, 0.06, 0.1, 0.2):
            shares = found(_scattered(scatter), drop, series, seed)
            print(_row(f"{drop:.0%}, {scatter:.0%}", shares), flush=True)
    print(f"\n| drop of 20 % in errors | {head} |\n|---|{'---|' * len(_WITHIN)}")
    for kind, make in KINDS.items():
        print(_row(kind, found(make, 0.2, series, seed, times=TIMES.get(kind, _times))), flush=True)


def of_ports(paths: Sequence[str]) -> None:
    """Print the changes of real series of ports, and after how many hours a drop of half of the rate shows.

    Like a watch, it judges hourly means, and leaves out means over more than an hour.
    """
    rates = read_counters(paths).rates
    short = rates[rates["interval_s"] <= _HOUR_S]
    files = short["source_file"].astype(str).map(lambda file: Path(file).name)
    hours = slot_table(short.assign(host=files + " " + short["host"].fillna("")), slot_s=_HOUR_S)
    for (host, port), own in hours.groupby(["host", "interface"]):
        for direction in ("in_bps", "out_bps"):
            known: Any = own[own[direction].notna()]
            if len(known) < 8 * 24:
                continue
            times_s = known["time"].dt.as_unit("ns").astype("int64").to_numpy() / 1e9
            values = np.log(known[direction].clip(lower=_LEAST_BPS).to_numpy(dtype=float))
            usual = changes(times_s, values, least_scale=_LEAST_SCALE)
            at = len(values) - 25
            values[at:] += np.log(0.5)
            seen = [one.seen for one in changes(times_s, values, least_scale=_LEAST_SCALE) if one.seen >= at]
            after = f"after {seen[0] - at + 1} hours" if seen else "not within 25 hours"
            days = (times_s[-1] - times_s[0]) / 86400
            said = f"{len(known)} hours, {days:.0f} days, {len(usual)} changes; half of the rate shows {after}"
            print(f"{host} {port} {direction}: {said}")


def main(argv: list[str] | None = None) -> int:
    """Print the tables, or the series of files."""
    parser = argparse.ArgumentParser(prog="python -m upkeep.backtest", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="counters of ports")
    parser.add_argument("--months", type=int, default=2, help="length of each quiet series (default: 2)")
    parser.add_argument("--series", type=int, default=100, help="series of each kind (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    options = parser.parse_args(argv)
    if options.files:
        of_ports(options.files)
    else:
        synthetic(options.months, options.series, options.seed)
        of_paths(options.months, options.series, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
