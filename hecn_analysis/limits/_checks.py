"""Types of the parameters of limits, and checks of their values.

An annotation such as ``Rate`` (bit/s), ``Time`` (s), ``Transfers`` (T/s) or ``CyclesPerByte`` is
``Annotated[Number, dimension]`` with a dimension of :func:`hecn_analysis.base.units.parse`; the command line builds its
options from it. A module with such functions does not import ``annotations`` from ``__future__``: its annotations are
read at run time.

``Number`` is a number or an array. :func:`arrays` turns arguments into arrays, and :func:`given` turns the result back
into a float if all arguments were numbers. Impossible values (loss 1.2, three lanes) raise `RangeError`
(``require_…``, :func:`refuse`); values outside a formula's range give its value and a `ValidityWarning`
(:func:`warn_outside`); NaN gives a warning, and NaN in its own element only.
"""

import sys
import typing
import warnings
from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.base.units import Dimension

FloatArray: TypeAlias = npt.NDArray[np.float64]
Number: TypeAlias = float | FloatArray

Rate: TypeAlias = Annotated[Number, "rate"]
Bytes: TypeAlias = Annotated[Number, "bytes"]
Time: TypeAlias = Annotated[Number, "time"]
Fraction: TypeAlias = Annotated[Number, "fraction"]
Count: TypeAlias = Annotated[Number, "count"]
Frequency: TypeAlias = Annotated[Number, "frequency"]
Transfers: TypeAlias = Annotated[Number, "transfers"]
Cycles: TypeAlias = Annotated[Number, "cycles"]
CyclesPerByte: TypeAlias = Annotated[Number, "cycles_per_byte"]


def dimension(annotation: Any) -> Dimension | None:  # noqa: ANN401 an annotation is any object
    """Return the dimension that a parameter's annotation names, also inside ``X | None``, or None."""
    if typing.get_origin(annotation) is Annotated:
        return cast("Dimension", annotation.__metadata__[0])
    return next((inner for part in typing.get_args(annotation) if (inner := dimension(part)) is not None), None)


def arrays(**values: Number) -> tuple[FloatArray, ...]:
    """Return the values as arrays of floats, not yet broadcast; RangeError for non-numbers, ValidityWarning for NaN."""
    out = []
    for name, value in values.items():
        array = _numbers(name, value)
        if (missing := np.isnan(array)).any():
            _warn(f"{name}: NaN{_place(missing)}; what depends on it is NaN")
        out.append(array)
    try:
        np.broadcast_shapes(*(array.shape for array in out))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(values, out, strict=True))
        raise RangeError(f"found arrays of shapes {shapes}, expected shapes that broadcast") from None
    return tuple(out)


def _numbers(name: str, value: Number) -> FloatArray:
    """Return a value as an array of floats; RangeError for what is no number, such as a text with a unit."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise RangeError(f"{name}: found {value!r}, expected a number or an array of numbers")
    return array.astype(np.float64, copy=False)


def given(result: Any) -> Number:  # noqa: ANN401 numpy's scalar types are many
    """Return a Python float for a result without dimensions, else the array."""
    array = np.asarray(result, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def refuse(name: str, values: Number, bad: Any, expected: str) -> None:  # noqa: ANN401 bool or an array of them
    """Raise RangeError for the first value where `bad` is true and that is not NaN; `expected`: "a time > 0 s"."""
    if not np.any(bad):
        return
    array = np.asarray(values, dtype=np.float64)
    array, where = np.broadcast_arrays(array, bad)
    where = where & ~np.isnan(array)
    if where.any():
        raise RangeError(f"{name}: found {array[where][0]:.10g}{_place(where)}, expected {expected}")


def warn_outside(name: str, values: Number, outside: Any, valid: str, consequence: str) -> None:  # noqa: ANN401 bool or an array of them
    """Warn of the first possible value outside the range of a formula, and count them; the caller returns its value."""
    array, where = np.broadcast_arrays(np.asarray(values, dtype=np.float64), outside)
    where = where & ~np.isnan(array)
    if where.any():
        _warn(f"{name}: found {array[where][0]:.10g}{_place(where)}, the formula holds for {valid}: {consequence}")


def _place(where: npt.NDArray[np.bool_]) -> str:
    """Return the place of the first true element and their number, in words; nothing for a single number."""
    if where.ndim == 0:
        return ""
    first = ", ".join(str(int(index[0])) for index in np.nonzero(where))
    count = int(np.count_nonzero(where))
    return f" at [{first}]" + (f" and {count - 1} more" if count > 1 else "")


def _warn(message: str) -> None:
    """Warn at the line that called this package, so that all warnings about one call count once."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 2  # noqa: SLF001 warnings' own skip_file_prefixes came with Python 3.12
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ValidityWarning, stacklevel=level)


def require_positive(**values: Number) -> None:
    """Refuse values that are not greater than 0; infinity is allowed."""
    for name, value in values.items():
        refuse(name, value, _numbers(name, value) <= 0, "a number > 0")


def require_not_negative(**values: Number) -> None:
    """Refuse values below 0; infinity is allowed."""
    for name, value in values.items():
        refuse(name, value, _numbers(name, value) < 0, "a number >= 0")


def require_between(low: float, high: float, **values: Number) -> None:
    """Refuse values outside [low, high]."""
    for name, value in values.items():
        array = _numbers(name, value)
        refuse(name, value, (array < low) | (array > high), f"{low:.10g} to {high:.10g}")


def require_whole(low: float, **values: Number) -> None:
    """Refuse values that are not whole numbers, or are below `low`."""
    for name, value in values.items():
        array = _numbers(name, value)
        whole = np.isfinite(array) & (np.floor(array) == array)
        refuse(name, value, ~whole | (array < low), f"a whole number >= {low:.10g}")


def require_one_of(allowed: Iterable[float], **values: Number) -> None:
    """Refuse numbers other than the allowed ones."""
    choices = list(allowed)
    for name, value in values.items():
        array = _numbers(name, value)
        bad = np.logical_and.reduce([array != choice for choice in choices])
        if bad.any():
            words = ", ".join(f"{choice:.10g}" for choice in choices[:-1]) + f" or {choices[-1]:.10g}"
            refuse(name, value, bad, words)


def require_word(allowed: Iterable[object], **values: object) -> None:
    """Refuse words other than the allowed ones."""
    choices = list(allowed)
    for name, value in values.items():
        if value not in choices:
            raise RangeError(f"{name}: found {value!r}, expected one of {', '.join(map(repr, choices))}")
