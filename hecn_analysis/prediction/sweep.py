"""Sweeps: one scenario over many values of its keys, predicted together.

Combinations of values are split into parts whose scenarios differ only in numbers: by each value of names, counts and
switches, and where numbers change the structure (see `draws.agreed`). A part is computed in one go: first the central
values, then the draws, in blocks that fit a processor's cache.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from hecn_analysis.prediction.model import Model
from hecn_analysis.prediction.parameters import with_parameters
from hecn_analysis.prediction.solve import IntArray

#: Scenarios computed at once: for central values, for draws, and where TCP is simulated over time.
_CENTRAL_BLOCK = 16_384
_DRAWN_BLOCK = 1024
_SIMULATED_BLOCK = 64

#: glibc maps new memory for each array above 128 KiB and unmaps it with the array, which costs more than the
#: computation. After a larger array is freed once, glibc reuses freed memory up to that size (mallopt(3)).
_LARGEST_ARRAY = 2**24


def sweep(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    vary: Mapping[str, Iterable[Any]],
    *,
    grid: bool = True,
    intervals: bool = True,
    progress: bool = False,
) -> pd.DataFrame:
    """Predict a scenario over many values of its keys; the numbers are those of `predict` for each.

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
    run = _Sweep(base, columns, count, intervals=intervals)
    np.empty(_LARGEST_ARRAY, dtype=np.uint8)
    progress_steps = run.parts(np.arange(count), {})
    for _ in (
        track((None for rows in progress_steps for _ in range(rows)), "predicting", total=count)
        if progress
        else progress_steps
    ):
        pass
    for warning in run.warnings:
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

    def model(self, draw: Draws, *, levels: int) -> Model:
        """Model of all rows."""
        parameters = {
            key: value_at(self.scenario, key).model_copy(update={"value": numbers[:, None]})
            for key, numbers in self.numbers.items()
        }
        return Model(with_parameters(self.scenario, parameters), draw, count=self.rows.size, levels=levels)


class _Sweep:
    """Rows of a sweep and their results."""

    def __init__(self, base: Scenario, columns: Mapping[str, _Column], count: int, *, intervals: bool) -> None:
        self.base = base
        self.columns = columns
        self.intervals = intervals
        rates = {name: np.full(count, np.nan) for name in ("throughput_bps", "low_bps", "high_bps")}
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
            for block in part.blocks(_SIMULATED_BLOCK):
                yield from self._apart(block, self._simulated)
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
