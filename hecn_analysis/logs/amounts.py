"""Numbers, units and durations as tools print them for people: shared by the readers of file copies."""

from __future__ import annotations

import re
from typing import Final

_PREFIXES: Final = " KMGTPE"
_SEPARATORS: Final = re.compile(r"[.,'’\s\u00a0\u202f]")
_LAST: Final = re.compile(r"[.,](?=\d*$)")
_RATE_IN_ROW: Final = re.compile(
    r"\] {1,6}(?P<start>\d{1,8}\.\d{1,6})- {0,4}(?P<end>\d{1,8}\.\d{1,6}) {0,8}sec\s{1,12}"
    r"(?P<amount>\d{1,12}(?:\.\d{1,6})?) {0,3}(?P<scale>[KMGTPE]?)Bytes\s{1,12}"
    r"(?P<rate>\S{1,40}(?: {1,3}(?!\d{1,12}(?:\s|$))[^\s]{1,40})?)(?=\s|$)"
)
_PARTS: Final = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?)\s?([dhms])")


def whole(text: str) -> int:
    """Read a whole number with or without separators of thousands.

    Parameters
    ----------
    text
        The number: digits, and points, commas, apostrophes or blanks between them.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ValueError
        Where the text is none; readers ask for numbers that their patterns have found.

    Examples
    --------
    >>> whole("1,073,741,824"), whole("1.073.741.824")
    (1073741824, 1073741824)
    """
    return int(_SEPARATORS.sub("", text))


def decimal(text: str) -> float:
    """Read a number whose last comma or point, if any, is the decimal one.

    Parameters
    ----------
    text
        The number, in digits or with an exponent.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        Where the text is none; readers ask for numbers that their patterns have found.

    Examples
    --------
    >>> decimal("429,601,637.20"), decimal("429.601.637,20"), decimal("1.5e+03")
    (429601637.2, 429601637.2, 1500.0)
    """
    if "e" in text or "E" in text:
        return float(text.replace(",", "."))
    last = _LAST.search(text)
    if last is None:
        return float(_SEPARATORS.sub("", text))
    return float(_SEPARATORS.sub("", text[: last.start()]) + "." + text[last.end() :])


def scale(unit: str, base: int) -> float:
    """Say what a prefix multiplies by: the first letter of a unit, where it is one.

    Parameters
    ----------
    unit
        The unit; K, M, G, T, P and E are prefixes, small or capital.
    base
        What K stands for: 1000 or 1024, as the tool has it.

    Returns
    -------
    float
        The factor, 1 where there is no prefix.

    Examples
    --------
    >>> scale("MB/s", 1000), scale("k", 1024), scale("B/s", 1024), scale("", 1024)
    (1000000.0, 1024.0, 1.0, 1.0)
    """
    return float(base ** max(_PREFIXES.find(unit[:1].upper() or " "), 0))


def half_digit(text: str) -> float:
    """Say which relative error the rounding of a printed number may hide.

    Parameters
    ----------
    text
        The number as printed.

    Returns
    -------
    float
        Half of its last digit over the number; 1 for a zero, which may be anything below that.

    Examples
    --------
    >>> half_digit("0.1"), half_digit("50"), half_digit("0.00")
    (0.5, 0.01, 1.0)
    """
    mantissa = text.lower().partition("e")[0]
    digits = _SEPARATORS.sub("", mantissa)
    return 0.5 / int(digits) if digits.isdigit() and int(digits) else 1.0


def clock(text: str) -> float | None:
    """Read a duration: ``1:02:03``, ``02:03``, ``3m 19s``, ``0.2s``, ``1d 2h``.

    Parameters
    ----------
    text
        The duration as printed.

    Returns
    -------
    float or None
        The duration [s], None where the text is none, as ``--:--`` is.

    Examples
    --------
    >>> clock("1:02:03"), clock("3m 19s"), clock("0,2s"), clock("--:--")
    (3723.0, 199.0, 0.2, None)
    """
    if ":" in text:
        fields = text.strip().split(":")
        if not all(field.isdigit() for field in fields):
            return None
        seconds = 0.0
        for field in fields:
            seconds = 60 * seconds + float(field)
        return seconds
    parts = _PARTS.findall(text)
    worth = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
    return sum(decimal(number) * worth[unit] for number, unit in parts) if parts else None


def with_rate(row: str) -> tuple[str, str] | None:
    """Put the rate into an iperf row whose own cannot be read.

    Bytes over seconds has the digits of the bytes, three of them.

    Parameters
    ----------
    row
        A row of iperf 2 or iperf3.

    Returns
    -------
    tuple or None
        The row with bytes over seconds in place of the rate, and what stood there; None where the row has no bytes and
        seconds either.

    Examples
    --------
    >>> with_rate("[  5]   0.00-10.00  sec  1.10 GBytes   944 Mb?s/s  0   sender")
    ('[  5]   0.00-10.00  sec  1.10 GBytes   944892805 bits/sec  0   sender', '944 Mb?s/s')
    """
    found = _RATE_IN_ROW.search(row)
    if found is None:
        return None
    seconds = float(found["end"]) - float(found["start"])
    if seconds <= 0:
        return None
    bits = 8 * float(found["amount"]) * 1024.0 ** _PREFIXES.index(found["scale"] or " ") / seconds
    return f"{row[: found.start('rate')]}{bits:.0f} bits/sec{row[found.end('rate') :]}", found["rate"]
