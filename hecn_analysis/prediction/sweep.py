"""Sweeps: one scenario over many values of its keys, predicted together.

Combinations of values are split into parts whose scenarios differ only in numbers: by each value of names, counts and
switches, and where numbers change the structure (see `draws.agreed`). A part is computed in one go: first the central
values, then the draws, in blocks that fit a processor's cache.

Where TCP is simulated over time, a scenario takes milliseconds. Of many rows, a `Lattice` of points is then simulated,
and the share of the rate without simulation that TCP reaches is interpolated between them; that rate itself is computed
for each row. Some rows are simulated as a check, and a warning says what they show.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError, RangeError, ValidityWarning
from hecn_analysis.base.progress import track
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.hardware.quantity import DIMENSION_OF, Parameter
from hecn_analysis.hardware.scenario import bare_numbers, scalar, value_at
from hecn_analysis.prediction.draws import Disagreement, Draws, FloatArray
from hecn_analysis.prediction.ladder import KINDS
from hecn_analysis.prediction.lattice import Lattice
from hecn_analysis.prediction.model import STEADY, THOROUGH, Effort, Model
from hecn_analysis.prediction.parameters import with_parameters
from hecn_analysis.prediction.solve import IntArray

#: Scenarios computed at once: for central values, for draws, and where TCP is simulated over time.
_CENTRAL_BLOCK = 16_384
_DRAWN_BLOCK = 1024
_SIMULATED_BLOCK = 64

#: Rows above which TCP over time is interpolated; then scenarios to simulate, and rows to check, per sweep.
_EACH_SIMULATED = 2_000
_SIMULATED = 1_200
_CHECKED = 48

#: Largest logarithm of a gain between which gains are interpolated: what has no other limit gains without end.
_MOST_GAIN = 50.0

_RATES = ("throughput_bps", "low_bps", "high_bps")

#: glibc maps new memory for each array above 128 KiB and unmaps it with the array, which costs more than the
#: computation. After a larger array is freed once, glibc reuses freed memory up to that size (mallopt(3)).
_LARGEST_ARRAY = 2**24


def sweep(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    vary: Mapping[str, Iterable[Any]],
    *,
    grid: bool = True,
    intervals: bool = True,
    exact: bool = False,
    progress: bool = True,
) -> pd.DataFrame:
    """Predict a scenario over many values of its keys; the numbers are those of `predict` for each.

    Where TCP is simulated over time and there are more than 2,000 rows, most rows are interpolated, and a warning says
    how many, and how far they are from simulated ones.

    Parameters
    ----------
    scenario
        YAML file, name in ``models/scenarios``, mapping of keys, or a loaded scenario.
    vary
        Values of each key, as `predict` takes them: ``{"path.rtt": ["1 ms", "80 ms"], "tool.streams": [1, 4]}``; None
        is an absent key.
    grid
        Every combination of values, the last key varying fastest; False: the first values of all keys, then the
        second ones, and so on.
    intervals
        Whether to give ``low_bps`` and ``high_bps``; False: they are missing.
    exact
        Whether to simulate TCP over time in each row, however long that takes.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    DataFrame
        One row a combination: a column for each key with its value as given, then ``throughput_bps``, ``low_bps``,
        ``high_bps`` [bit/s], ``bottleneck``, ``bottleneck_class`` (None where nothing sets a limit).

    Raises
    ------
    InputError
        The scenario or one of the values is invalid; the message names the key.

    Examples
    --------
    >>> line = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "10 Gb/s", "path.mtu": 9000}
    >>> sweep(line, {"path.rtt": ["1 ms", "80 ms"], "tool.window": ["256 KiB", "64 MiB"]})["bottleneck_class"].tolist()
    ['window', 'link', 'window', 'window']
    """
    axes = {key: _plain(key, values) for key, values in vary.items()}
    base = load_scenario(scenario, {key: values[0] for key, values in axes.items() if values})
    places = _places({key: len(values) for key, values in axes.items()}, grid=grid)
    count = len(next(iter(places.values()))) if places else 1
    columns = {key: _Column(key, axes[key], places[key]) for key in axes}
    run = _Sweep(base, columns, count, intervals=intervals, exact=exact)
    np.empty(_LARGEST_ARRAY, dtype=np.uint8)
    progress_steps = run.parts(np.arange(count), {})
    for _ in (
        track((None for rows in progress_steps for _ in range(rows)), "predicting", total=count)
        if progress
        else progress_steps
    ):
        pass
    for warning in (*run.warnings, *run.check.words(count)):
        warnings.warn(warning, ValidityWarning, stacklevel=2)
    return with_units(pd.DataFrame({**{key: column.cells() for key, column in columns.items()}, **run.results}))


def _plain(key: str, values: Iterable[Any]) -> list[Any]:
    """Values as plain Python objects."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{key}: {values!r}", "a list of values to try")
    if isinstance(values, np.ndarray | pd.Series | pd.Index):
        return list(values.tolist())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _places(lengths: Mapping[str, int], *, grid: bool) -> dict[str, IntArray]:
    """Index of each key's value in each row."""
    if not lengths:
        return {}
    if grid:
        counts = tuple(lengths.values())
        return dict(zip(lengths, np.unravel_index(np.arange(int(np.prod(counts))), counts), strict=True))
    if len(set(lengths.values())) > 1:
        counted = ", ".join(f"{length} of {key}" for key, length in lengths.items())
        raise InputError(f"values side by side: {counted}", "as many of each key, or grid=True for all combinations")
    return {key: np.arange(length) for key, length in lengths.items()}


class _Column:
    """The distinct values of a key, and the index of each row's value."""

    def __init__(self, key: str, values: Sequence[Any], places: IntArray) -> None:
        self.key = key
        self.values = values
        self.places = places
        self._numbers: dict[str, FloatArray] = {}
        self._codes: IntArray | None = None

    def cells(self) -> pd.Series[Any]:
        """Value of each row."""
        return pd.Series(self.values).take(self.places).reset_index(drop=True)

    def bare_number(self) -> str | None:
        """Warning about the first value given as a number without a unit."""
        texts = (value for value in self.values if isinstance(value, str))
        return next((text for value in texts for text in bare_numbers({self.key: value}).values()), None)

    def at(self, row: int) -> Any:  # noqa: ANN401 - any value of a key
        """Value of a row."""
        return self.values[self.places[row]]

    def numbers(self, rows: IntArray, unit: str) -> FloatArray:
        """Values of rows in SI; NaN for a value that is not a plain quantity of that unit."""
        if unit not in self._numbers:
            if set(map(type, self.values)) <= {int, float}:
                self._numbers[unit] = np.array(self.values, dtype=np.float64)
            else:
                self._numbers[unit] = np.array([_number(value, unit) for value in self.values])
        return self._numbers[unit][self.places[rows]]

    def apart(self, rows: IntArray) -> Iterator[tuple[Any, IntArray]]:
        """Each distinct value of some rows, with the rows that have it."""
        if self._codes is None:
            known: dict[tuple[type, str], int] = {}
            self._codes = np.array([known.setdefault((type(value), repr(value)), len(known)) for value in self.values])
        codes = self._codes[self.places[rows]]
        for code in dict.fromkeys(codes.tolist()):
            same = rows[codes == code]
            yield self.at(same[0]), same


def _rates(model: Model, draws: FloatArray) -> FloatArray:
    """Throughput and ends of the interval of each scenario, shape (scenarios, 3) [bit/s]."""
    throughput = model.answer(draws)
    return np.stack([throughput, *model.interval(draws, throughput)], axis=1)


def _steady_rates(model: Model) -> FloatArray:
    return _rates(model, model.throughputs([], with_draws=True)[1])


def _number(value: object, unit: str) -> float:
    try:
        return units.parse(scalar(value), DIMENSION_OF[unit])
    except RangeError:
        return np.nan


@dataclass(frozen=True)
class _Part:
    """Rows whose scenarios differ only in the values of some parameters, and these values by key."""

    scenario: Scenario
    numbers: Mapping[str, FloatArray]
    rows: IntArray

    def take(self, chosen: slice | npt.NDArray[np.bool_]) -> _Part:
        """Some of the rows."""
        return replace(
            self, numbers={key: numbers[chosen] for key, numbers in self.numbers.items()}, rows=self.rows[chosen]
        )

    def blocks(self, size: int) -> Iterator[_Part]:
        """All rows, in blocks of `size`."""
        return (self.take(slice(start, start + size)) for start in range(0, self.rows.size, size))

    def model(self, draw: Draws, *, levels: int, effort: Effort = THOROUGH) -> Model:
        """Model of all rows."""
        parameters = {
            key: value_at(self.scenario, key).model_copy(update={"value": numbers[:, None]})
            for key, numbers in self.numbers.items()
        }
        scenario = with_parameters(self.scenario, parameters)
        return Model(scenario, draw, count=self.rows.size, levels=levels, effort=effort)


@dataclass
class _Check:
    """Interpolated rows, simulated points, and how far checked rows are off: throughput and ends [1]."""

    rows: int = 0
    points: int = 0
    off: list[FloatArray] = field(default_factory=list)

    def words(self, count: int) -> Iterator[str]:
        """Warning about interpolated rows, if there are any."""
        if not self.rows:
            return
        off = np.concatenate(self.off)
        middle, most = 100 * np.median(off, axis=0), 100 * off.max(axis=0)
        yield (
            f"{self.rows:,} of {count:,} rows are interpolated between {self.points:,} simulated scenarios; in "
            f"{len(off)} rows simulated as a check, the throughput differs by {middle[0]:.1f} % in the middle and by "
            f"{most[0]:.1f} % at most, an end of the interval by {middle[1]:.1f} % and {most[1]:.1f} %; "
            "exact=True simulates each row"
        )


class _Sweep:
    """Rows of a sweep and their results."""

    def __init__(
        self, base: Scenario, columns: Mapping[str, _Column], count: int, *, intervals: bool, exact: bool
    ) -> None:
        self.base = base
        self.columns = columns
        self.count = count
        self.intervals = intervals
        self.exact = exact or count <= _EACH_SIMULATED
        self.check = _Check()
        self._waiting: list[_Part] = []
        rates = {name: np.full(count, np.nan) for name in _RATES}
        names = {name: np.full(count, None, dtype=object) for name in ("bottleneck", "bottleneck_class")}
        self.results: dict[str, npt.NDArray[Any]] = {**rates, **names}
        bare = [text for column in columns.values() if (text := column.bare_number())]
        self.warnings = dict.fromkeys((*base.warnings, *bare))

    def parts(self, rows: IntArray, fixed: Mapping[str, Any]) -> Iterator[int]:
        """Compute rows with `fixed` values of some keys; yields the number of rows done at each step."""
        if rows.size == 0:
            return
        keys = {key: fixed.get(key, column.at(rows[0])) for key, column in self.columns.items()}
        scenario = self.base.with_(keys)
        self.warnings |= dict.fromkeys(scenario.warnings)
        values: dict[str, FloatArray] = {}
        for key in (key for key in keys if key not in fixed):
            known = value_at(scenario, key) if "." in key else None
            numbers = self.columns[key].numbers(rows, known.unit) if isinstance(known, Parameter) else None
            if numbers is None or np.isnan(numbers).all():
                yield from self._one_by_one(key, rows, fixed)
                return
            if np.isnan(numbers).any():
                yield from self.parts(rows[~np.isnan(numbers)], fixed)
                yield from self._one_by_one(key, rows[np.isnan(numbers)], fixed)
                return
            values[key] = numbers
        part = _Part(scenario, values, rows)
        if (other := self._structural_key(part)) is not None:
            yield from self._one_by_one(other, rows, fixed)
            return
        for block in part.blocks(_CENTRAL_BLOCK):
            yield from self._apart(block, self._central)
        if self._waiting:
            chosen = np.concatenate([waiting.rows for waiting in self._waiting])
            self._waiting.clear()
            places = np.isin(part.rows, chosen)
            yield from self._apart(part.take(places), self._over_time)

    def _one_by_one(self, key: str, rows: IntArray, fixed: Mapping[str, Any]) -> Iterator[int]:
        """Compute rows separately for each value of a key."""
        for value, same in self.columns[key].apart(rows):
            yield from self.parts(same, {**fixed, key: value})

    def _structural_key(self, part: _Part) -> str | None:
        """Key whose value changes more of the scenario than its own parameter, or None."""
        ends = [{key: int(find(numbers)) for key, numbers in part.numbers.items()} for find in (np.argmin, np.argmax)]
        try:
            if all(self._differs_in_parameters(part, end) for end in ends):
                return None
        except InputError:
            pass  # raised again below, for the key at fault
        alone = [{key: number} for end in ends for key, number in end.items()]
        return next((key for end in alone if not self._differs_in_parameters(part, end) for key in end), None)

    def _differs_in_parameters(self, part: _Part, others: Mapping[str, int]) -> bool:
        """Whether the values of some keys in other rows change only the parameters of these keys."""
        settings = {key: self.columns[key].at(part.rows[number]) for key, number in others.items()}
        changed = {
            key: value_at(part.scenario, key).model_copy(update={"value": float(part.numbers[key][number])})
            for key, number in others.items()
        }
        return replace(part.scenario.with_(settings), keys={}) == replace(
            with_parameters(part.scenario, changed), keys={}
        )

    def _apart(self, part: _Part, solve: Callable[[_Part], Iterator[int]]) -> Iterator[int]:
        """Compute a part, split where its scenarios differ in structure or one of them is invalid."""
        try:
            yield from solve(part)
        except Disagreement as difference:
            parts = [part.take(difference.answers == answer) for answer in np.unique(difference.answers)]
        except HecnError as error:
            if part.rows.size == 1:
                values = ", ".join(f"{key} = {column.at(part.rows[0])!r}" for key, column in self.columns.items())
                raise InputError(values, f"compatible values ({error})") from None
            parts = list(part.blocks(-(-part.rows.size // 2)))
        else:
            return
        for smaller in parts:
            yield from self._apart(smaller, solve)

    def _central(self, part: _Part) -> Iterator[int]:
        """Compute the central values of a part, then its draws."""
        model = part.model(Draws(0), levels=2)
        if model.simulated:
            self._waiting.append(part)
            return
        self._keep(part, model, *model.ground(with_draws=False)[:2])
        drawn = partial(self._drawn, Draws())
        for block in part.blocks(_DRAWN_BLOCK):
            yield from self._apart(block, drawn)

    def _drawn(self, draw: Draws, part: _Part) -> Iterator[int]:
        """Compute the draws of a part; `draw` keeps values common to all parts."""
        draw.forget_scenarios()
        model = part.model(draw, levels=0)
        draws = model.throughputs([], with_draws=True)[1]
        self.results["throughput_bps"][part.rows] = model.answer(draws)
        if self.intervals:
            self._keep_interval(part, model, draws)
        yield part.rows.size

    def _over_time(self, part: _Part) -> Iterator[int]:
        """Simulate all rows of a part, or interpolate most of them."""
        if not self.exact:
            part.model(Draws(0), levels=2).limits_of_tcp()  # raises Disagreement
            lattice = Lattice(part.numbers, round(_SIMULATED * part.rows.size / self.count))
            if 2 * lattice.size < part.rows.size:
                yield from self._interpolated(part, lattice)
                return
        yield from self._each_simulated(part)

    def _each_simulated(self, part: _Part) -> Iterator[int]:
        for block in part.blocks(_SIMULATED_BLOCK):
            yield from self._apart(block, self._simulated)

    def _interpolated(self, part: _Part, lattice: Lattice) -> Iterator[int]:
        """Simulate the points of a lattice and some rows, and interpolate the others."""
        shares = np.full((lattice.size, 3 + len(KINDS)), np.nan)

        def simulate(points: _Part) -> Iterator[int]:
            shares[points.rows] = self._shares(points)
            yield points.rows.size

        shown = done = 0
        try:
            for points in _Part(part.scenario, lattice.points, np.arange(lattice.size)).blocks(_SIMULATED_BLOCK):
                for number in self._apart(points, simulate):
                    done += number
                    step = part.rows.size * done // lattice.size - shown
                    shown += step
                    yield step
        except InputError:  # a point between valid rows is impossible
            yield from self._each_simulated(part)
            return
        for block in part.blocks(_DRAWN_BLOCK):
            for _ in self._apart(block, partial(self._between, lattice, shares)):
                pass
        found = np.stack([self.results[name][part.rows] for name in _RATES], axis=1)
        known = np.isfinite(found if self.intervals else found[:, :1]).all(axis=1)
        checks = max(1, round(_CHECKED * part.rows.size / self.count))
        places = np.flatnonzero(known)
        chosen = np.isin(np.arange(known.size), places[places.size // (2 * checks) :: -(-places.size // checks) or 1])
        for _ in self._each_simulated(part.take(chosen | ~known)):
            pass
        simulated = np.stack([self.results[name][part.rows[chosen]] for name in _RATES], axis=1)
        off = np.abs(found[chosen] / simulated - 1)
        self.check.off.append(np.stack([off[:, 0], off[:, 1:].max(axis=1)], axis=1))
        self.check.points += lattice.size
        self.check.rows += int(np.count_nonzero(known & ~chosen))

    def _shares(self, part: _Part) -> FloatArray:
        """Logarithms of the shares that TCP reaches of throughput and interval without simulation, and of gains."""
        model = part.model(Draws(), levels=2)
        gains, _, draws = model.gains(with_draws=True)
        steady = part.model(Draws(), levels=0, effort=STEADY)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.log(_rates(model, draws)) - np.log(_steady_rates(steady))
            return np.concatenate([shares, np.minimum(np.log(gains), _MOST_GAIN)], axis=1)

    def _between(self, lattice: Lattice, shares: FloatArray, part: _Part) -> Iterator[int]:
        """Interpolate rows; NaN where that is impossible."""
        model = part.model(Draws(), levels=1, effort=STEADY)
        is_limit = ~np.isnan(shares[:, 3:]).all(axis=0)
        filled = np.concatenate([shares[:, :3], np.where(is_limit, np.nan_to_num(shares[:, 3:]), np.nan)], axis=1)
        found = lattice.between(filled, part.numbers)
        with np.errstate(invalid="ignore"):
            throughput, low, high = (_steady_rates(model) * np.exp(found[:, :3])).T
        self._keep(part, model, throughput, model.limit(np.exp(found[:, 3:])))
        if self.intervals:
            self.results["low_bps"][part.rows] = np.minimum(low, throughput)
            self.results["high_bps"][part.rows] = np.maximum(high, throughput)
        yield part.rows.size

    def _simulated(self, part: _Part) -> Iterator[int]:
        """Compute a part whose transfers are simulated: central values and draws at once."""
        model = part.model(Draws(), levels=2)
        throughput, limit, draws = model.ground(with_draws=True)
        self._keep(part, model, throughput, limit)
        if self.intervals:
            self._keep_interval(part, model, draws)
        yield part.rows.size

    def _keep(self, part: _Part, model: Model, throughput: FloatArray, limit: IntArray) -> None:
        self.results["throughput_bps"][part.rows] = throughput
        names = np.array([*model.limits()], dtype=object)[limit]
        self.results["bottleneck"][part.rows], self.results["bottleneck_class"][part.rows] = names.T

    def _keep_interval(self, part: _Part, model: Model, draws: FloatArray) -> None:
        low, high = model.interval(draws, self.results["throughput_bps"][part.rows])
        self.results["low_bps"][part.rows], self.results["high_bps"][part.rows] = low, high
