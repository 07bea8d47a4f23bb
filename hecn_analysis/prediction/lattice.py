"""A regular lattice over the values of a sweep, and multilinear interpolation between its points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from hecn_analysis.prediction.draws import FloatArray


class Lattice:
    """Points spread evenly over what `numbers` span, in the logarithm of those above 0; about `most` of them.

    A key whose numbers are all equal takes no axis of its own.
    """

    def __init__(self, numbers: Mapping[str, FloatArray], most: int) -> None:
        self._ends = {key: (float(values.min()), float(values.max())) for key, values in numbers.items()}
        spans = {}
        for key, (low, high) in self._ends.items():
            first, last = self._scaled(key, np.array([low, high]))
            if last > first:
                spans[key] = (first, last)
        counts = _counts({key: last - first for key, (first, last) in spans.items()}, most)
        self._axes = {key: np.linspace(first, last, counts[key]) for key, (first, last) in spans.items()}
        self._shape = tuple(counts[key] for key in spans)
        self.size = int(np.prod(self._shape))

    @property
    def points(self) -> dict[str, FloatArray]:
        """Numbers of each key at all points."""
        mesh = dict(zip(self._axes, np.meshgrid(*self._axes.values(), indexing="ij"), strict=True))
        return {
            key: np.clip(self._plain(key, mesh[key].ravel()), low, high) if key in mesh else np.full(self.size, low)
            for key, (low, high) in self._ends.items()
        }

    def between(self, figures: FloatArray, numbers: Mapping[str, FloatArray]) -> FloatArray:
        """Figures of any numbers, from those of the points, shape (points, figures)."""
        if not self._axes:
            return np.repeat(figures, len(next(iter(numbers.values()))), axis=0)
        table = figures.reshape(*self._shape, figures.shape[1])
        where = np.stack([self._scaled(key, numbers[key]) for key in self._axes], axis=1)
        interpolate = RegularGridInterpolator(list(self._axes.values()), table, bounds_error=False, fill_value=None)
        return np.asarray(interpolate(where))

    def _scaled(self, key: str, values: FloatArray) -> FloatArray:
        low, high = self._ends[key]
        return np.log(values) if low > 0 else values / max(abs(low), abs(high), 1e-300)

    def _plain(self, key: str, scaled: FloatArray) -> FloatArray:
        low, high = self._ends[key]
        return np.exp(scaled) if low > 0 else scaled * max(abs(low), abs(high), 1e-300)


def _counts(spans: Mapping[str, float], most: int) -> dict[str, int]:
    """Points along each axis, in proportion to its length and at least two."""
    counts, left = {}, float(most)
    axes = sorted(spans, key=spans.__getitem__)
    for number, key in enumerate(axes):
        share = (left / np.prod([spans[each] for each in axes[number:]])) ** (1 / (len(axes) - number))
        counts[key] = max(2, int(spans[key] * share))
        left = max(left / counts[key], 1.0)
    return counts
