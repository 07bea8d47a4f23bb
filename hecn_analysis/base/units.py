"""Conversion between quantities as people write them and SI numbers.

Inside the package every number is in SI base units: bit/s, bytes, seconds, fractions, hertz, transfers per second.
:func:`parse` reads quantities from YAML files and command lines; ``format_rate`` and its siblings write them for
people. Ambiguous quantities ("10 Gbit" for a rate, "64 KB" for bytes) are refused.

Prefixes are decimal (k, M, G, T, P); only KiB, MiB, GiB, TiB and PiB are binary. Case matters: b is a bit, B a byte.
A letter alone is read as iperf3 reads it: "10G" is 10 Gb/s as a rate and 10 GiB as a size.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hecn_analysis.base.errors import RangeError

Dimension: TypeAlias = Literal[
    "rate",
    "bytes",
    "time",
    "fraction",
    "frequency",
    "transfers",
    "dollars",
    "power",
    "count",
    "cycles",
    "cycles_per_byte",
]
"""Dimension of a number. `rate` bit/s, `bytes` B, `time` s, `fraction` 1 = all, `frequency` Hz, `transfers` T/s,
`dollars` US dollars, `power` W, `count` a whole number, `cycles` clock cycles, `cycles_per_byte` clock cycles per
byte."""

MISSING: Final = "–"
"""Text of the format functions for a missing value."""

_DECIMAL: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY: Final = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}

#: Units of one letter, as tools read them: `-b 10G` of iperf3 and `rate 100M` are decimal, `-w 4M` and `-l 64K` binary.
_SHORT_RATE: Final = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SHORT_SIZE: Final = {"k": 2.0**10, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}


def _units(names: str, scale: float, prefixes: dict[str, float]) -> dict[str, float]:
    return {prefix + name: scale * factor for name in names.split() for prefix, factor in prefixes.items()}


@dataclass(frozen=True)
class _Kind:
    """Notation of a dimension: its units with their value in SI, and the text of the error message."""

    units: dict[str, float]
    expected: str
    whole: bool = False


_KINDS: Final[dict[str, _Kind]] = {
    "rate": _Kind(
        # "Kbps" always means 1000 bit/s, so a capital K is accepted for bit rates; "KB/s" is ambiguous and refused.
        _units("b/s bps bit/s bits/s bits/sec", 1.0, _DECIMAL | _BINARY | {"K": 1e3})
        | _units("B/s bytes/s bytes/sec", 8.0, _DECIMAL | _BINARY)
        | _SHORT_RATE,
        "a rate such as '10 Gb/s' or '204 MB/s'",
    ),
    "bytes": _Kind(
        _units("B", 1.0, _DECIMAL | _BINARY) | {"byte": 1.0, "bytes": 1.0} | _SHORT_SIZE,
        "a size such as '9000 B', '64 kB' (64,000) or '64 KiB' (65,536)",
    ),
    "time": _Kind(
        {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
        | {"min": 60.0, "h": 3600.0, "d": 86400.0},
        "a time such as '80 ms' or '30 s'",
    ),
    "fraction": _Kind({"%": 0.01}, "a fraction such as '0.05' or '5 %'"),
    "frequency": _Kind(_units("Hz", 1.0, _DECIMAL), "a frequency such as '3.2 GHz'"),
    "transfers": _Kind(_units("T/s", 1.0, _DECIMAL), "a transfer rate such as '8 GT/s' or '2666 MT/s'"),
    "dollars": _Kind({"USD": 1.0, "$": 1.0}, "an amount such as '6800 USD' or '$6800'"),
    "power": _Kind({"W": 1.0, "kW": 1e3}, "a power such as '15 W'"),
    "count": _Kind({}, "a whole number such as '8'", whole=True),
    "cycles": _Kind({"cycles": 1.0}, "a number of clock cycles such as '4000' or '4000 cycles'"),
    "cycles_per_byte": _Kind(
        {"cycles/B": 1.0, "cycles/byte": 1.0}, "a number of clock cycles per byte such as '1.1' or '1.1 cycles/B'"
    ),
}

# A unit begins with a letter, %, $ or a micro sign, so that "1e9" is a number and "1 e9" is refused.
_QUANTITY: Final = re.compile(
    r"\s*+(?P<dollar>\$)?\s*+(?P<number>[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?|[+-]?inf)\s*+"
    r"(?P<unit>[^\d\s.]\S*+)?\s*"
)


#: A number, alone or with the unit of one letter that tools accept.
_PLAIN: Final = re.compile(r"\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+([kKMGT])?\s*+")
#: Buffers, of which nobody has one that small. [B]
_LEAST_BUFFER: Final = 1024
_BUFFERS: Final = re.compile("window|queue|buffer|channel|mem_max")


def parse(value: object, dimension: Dimension, *, name: str = "value") -> float:
    """Read a quantity as an SI number.

    Parameters
    ----------
    value
        A number, which is taken as SI, or text: a number with or without a unit.
    dimension
        Dimension of the quantity.
    name
        Its name in an error message.

    Returns
    -------
    float
        The value in bit/s, bytes, seconds, fractions, hertz, transfers per second, US dollars, watts or cycles.

    Raises
    ------
    RangeError
        The text is not such a quantity or is ambiguous, or the value is a truth value or not a number (NaN).

    Examples
    --------
    >>> parse("10 Gb/s", "rate"), parse("80 ms", "time"), parse("64 GiB", "bytes")
    (10000000000.0, 0.08, 68719476736.0)
    """
    kind = _KINDS[dimension]
    number = _number(value, kind)
    if number is None or math.isnan(number) or (kind.whole and not number.is_integer()):
        raise RangeError(f"{name}: found {value!r}, expected {kind.expected}")
    return number


def doubt(written: object, dimension: Dimension, *, name: str) -> str | None:
    """Warn of a rate or a time without a unit, of a tiny buffer, and of the short unit of tools.

    Parameters
    ----------
    written
        The quantity as people write it.
    dimension
        Its dimension.
    name
        Its key or option.

    Returns
    -------
    str or None
        The warning; None if nothing is doubtful, or if the text is no such quantity.

    Examples
    --------
    >>> doubt("80", "time", name="path.rtt")
    'path.rtt=80 is read as 80.0 s: write the unit if you mean another'
    >>> doubt("64", "bytes", name="tool.window"), doubt("1500", "bytes", name="path.mtu")
    ('tool.window=64 is read as 64 B: write the unit if you mean another', None)
    """
    if not isinstance(written, str) or (match := _PLAIN.fullmatch(written)) is None:
        return None
    value = _number(written, _KINDS[dimension])
    if not value:
        return None
    if dimension == "bytes":
        if match[1] is None and not (abs(value) < _LEAST_BUFFER and _BUFFERS.search(name)):
            return None
        shown = f"{value:.0f} B"
    elif dimension in {"rate", "time"}:
        shown = format_rate(value) if dimension == "rate" else format_time(value)
    else:
        return None
    return f"{name}={written} is read as {shown}: write the unit if you mean another"


def _number(value: object, kind: _Kind) -> float | None:
    """SI value, or None if the text is not such a quantity."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str) or (match := _QUANTITY.fullmatch(value)) is None:
        return None
    dollar, number, unit = match["dollar"], float(match["number"]), match["unit"]
    if dollar is not None:
        return number if "$" in kind.units and unit is None else None
    if unit is None:
        return number
    return None if unit not in kind.units else _scaled(number, kind.units[unit])


def _scaled(number: float, scale: float) -> float:
    """Multiply; a small scale divides by its whole reciprocal, so that 80 ms is exactly 0.08."""
    return number * scale if scale >= 1 else number / round(1 / scale)


def _missing(value: object) -> bool:
    """Whether a value is None, NaN or pandas' NA."""
    return not isinstance(value, numbers.Real) or math.isnan(value)


def _digits(value: float, digits: int) -> str:
    """Write a number with these significant digits, never in exponent notation; integer digits are kept."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(decimals, 0)}f}"


def _format(value: float | None, steps: list[tuple[float, str]], digits: int) -> str:
    """Write a value with the largest unit that leaves at least 1; units are in ascending order."""
    if value is None or _missing(value):
        return MISSING
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return f"0 {next(unit for scale, unit in steps if scale == 1)}"
    rounded = abs(float(f"{value:.{digits - 1}e}"))  # 999.99 Mb/s is 1.00 Gb/s
    scale, unit = next((step for step in reversed(steps) if rounded >= step[0]), steps[0])
    return f"{_digits(value / scale, digits)} {unit}"


def format_rate(bps: float | None, *, digits: int = 3, of: Literal["bits", "bytes"] = "bits") -> str:
    """Write a rate for people.

    Parameters
    ----------
    bps, digits
        The rate, or None [bit/s], and the number of significant digits.
    of
        What to write per second: ``bits``, or ``bytes`` as is usual for disks.

    Returns
    -------
    str
        For example ``9.90 Gb/s``; a dash for a missing value.

    Examples
    --------
    >>> format_rate(9.90042e9), format_rate(53.8947e9, digits=6), format_rate(1.4e9, of="bytes"), format_rate(None)
    ('9.90 Gb/s', '53.8947 Gb/s', '175 MB/s', '–')
    """
    unit, bits = ("B/s", 8) if of == "bytes" else ("b/s", 1)
    return _format(bps, [(bits * scale, f"{prefix}{unit}") for prefix, scale in _DECIMAL.items()], digits)


def format_bytes(size: float | None, *, digits: int = 3) -> str:
    """Write a size for people, with decimal prefixes.

    Whole sizes below 10,000 bytes (an MTU, a MaxPayload) are kept whole.

    Parameters
    ----------
    size, digits
        The size, or None [B], and the number of significant digits.

    Returns
    -------
    str
        For example ``68.7 GB``; a dash for a missing value.

    Examples
    --------
    >>> format_bytes(9000), format_bytes(64 * 2**30)
    ('9000 B', '68.7 GB')
    """
    if size is not None and not _missing(size) and abs(size) < 10_000 and float(size).is_integer():
        return f"{size:.0f} B"
    return _format(size, [(scale, f"{prefix}B") for prefix, scale in _DECIMAL.items()], digits)


def format_time(seconds: float | None, *, digits: int = 3) -> str:
    """Write a time for people.

    Parameters
    ----------
    seconds, digits
        The time, or None [s], and the number of significant digits.

    Returns
    -------
    str
        For example ``80.0 ms``; minutes from ten minutes on, hours from two hours, days from two days; a dash for a
        missing value.

    Examples
    --------
    >>> format_time(0.08), format_time(108.75), format_time(7 * 86400)
    ('80.0 ms', '109 s', '7.00 d')
    """
    if seconds is not None and not _missing(seconds) and math.isfinite(seconds):
        for start, scale, unit in ((172_800, 86_400, "d"), (7_200, 3_600, "h"), (600, 60, "min")):
            if abs(seconds) >= start:
                return f"{_digits(seconds / scale, digits)} {unit}"
    return _format(seconds, [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")], digits)


def format_fraction(fraction: float | None, *, digits: int = 3) -> str:
    """Write a fraction for people, in per cent.

    Parameters
    ----------
    fraction, digits
        The fraction, or None; 1 is all, or one whole core [1]; and the number of significant digits.

    Returns
    -------
    str
        For example ``58.0 %``; a dash for a missing value.

    Examples
    --------
    >>> format_fraction(0.58), format_fraction(1e-6)
    ('58.0 %', '0.000100 %')
    """
    return _format(None if fraction is None or _missing(fraction) else fraction * 100, [(1.0, "%")], digits)


def format_percent(fraction: float, *, places: int = 0) -> str:
    """Write a fraction for people, in per cent with a fixed number of decimal places.

    Parameters
    ----------
    fraction, places
        The fraction; 1 is all, or one whole core [1]; and the number of decimal places.

    Returns
    -------
    str
        For example ``58 %``.

    Examples
    --------
    >>> format_percent(0.583), format_percent(0.0104, places=1)
    ('58 %', '1.0 %')
    """
    return f"{100 * fraction:.{places}f} %"


def format_change(fraction: float, *, places: int = 0) -> str:
    """Write a relative change for people, in per cent with its sign.

    Parameters
    ----------
    fraction, places
        The change over what it was [1], and the number of decimal places.

    Returns
    -------
    str
        For example ``+57 %``, with a minus sign, not a hyphen, for a decrease.

    Examples
    --------
    >>> format_change(0.568), format_change(-0.0123, places=1)
    ('+57 %', '−1.2 %')
    """
    return f"{100 * fraction:+.{places}f} %".replace("-", "−")


def format_probability(probability: float, *, places: int = 0) -> str:
    """Write a probability for people, in per cent; only what is certain is written as 0 or 100 %.

    Parameters
    ----------
    probability, places
        The probability [1], and the number of decimal places.

    Returns
    -------
    str
        For example ``58 %``, or ``> 99 %``.

    Examples
    --------
    >>> format_probability(0.583), format_probability(0.996), format_probability(0.004), format_probability(1.0)
    ('58 %', '> 99 %', '< 1 %', '100 %')
    """
    least = 10.0**-places
    percent = 100 * probability
    if percent > 0 and round(percent, places) < least:
        return f"< {least:.{places}f} %"
    if percent < 100 and round(percent, places) > 100 - least:
        return f"> {100 - least:.{places}f} %"
    return f"{percent:.{places}f} %"


def format_number(number: float, *, digits: int = 3) -> str:
    """Write a number for people with these significant digits, never in exponent notation.

    Parameters
    ----------
    number, digits
        The number, and its significant digits.

    Returns
    -------
    str
        All digits of a large number, those beyond the significant ones as 0.

    Examples
    --------
    >>> format_number(5431.2), format_number(0.00512), format_number(54_321_000, digits=2)
    ('5,430', '0.00512', '54,000,000')
    """
    rounded = float(f"{number:.{digits - 1}e}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (digits - 1) else _digits(number, digits)


def format_count(number: float, noun: str) -> str:
    """Write a whole number with its noun.

    Parameters
    ----------
    number, noun
        How many, and what, in the singular.

    Returns
    -------
    str
        For example ``1 run`` or ``2 runs``.

    Examples
    --------
    >>> format_count(1, "run"), format_count(0, "run")
    ('1 run', '0 runs')
    """
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"
