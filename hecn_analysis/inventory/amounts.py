"""Numbers, sizes and lists as the commands of a system print them.

Whether a command's "GB" is 2^30 or 10^9 bytes is for its reader to say.
"""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(
    r"\s{0,40}(?P<number>\d{1,19}(?:[.,]\d{1,9})?)\s{0,8}(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?:[Bb](?:ytes?)?)?\s{0,40}"
)
_WHOLE: Final = re.compile(r"\s{0,40}(?P<number>[-+]?\d{1,18})\s{0,40}")
_NUMBER: Final = re.compile(r"\s{0,40}(?P<number>[-+]?\d{1,18}(?:[.,]\d{1,18})?)\s{0,40}")
_PREFIXES: Final = " kMGTPE"
_RANGE: Final = re.compile(r"\s{0,8}(?P<first>\d{1,6})(?:\s?-\s?(?P<last>\d{1,6})(?::(?P<step>\d{1,6}))?)?\s{0,8}")
_MOST: Final = 1 << 16


def size(text: str | None, *, kilo: int = 1024, unit: int = 1) -> int | None:
    """Bytes of a size with its unit, None where it is none.

    Parameters
    ----------
    text
        What is printed: ``16384 MB``, ``7.5 GiB``, ``32K``.
    kilo
        What K, M, G stand for where no i says 1024: 1000 or 1024.
    unit
        Bytes of a number without any unit.

    Returns
    -------
    int or None
        The size. [B]

    Examples
    --------
    >>> size("16384 MB"), size("7.5 GiB"), size("2 TB", kilo=1000), size("12", unit=1024), size("none")
    (17179869184, 8053063680, 2000000000000, 12288, None)
    """
    found = _SIZE.fullmatch(text or "")
    if found is None:
        return None
    number = float(found["number"].replace(",", "."))
    exact = int(found["number"]) if found["number"].isdigit() else None
    if not found["prefix"]:
        bare = (text or "").strip()[-1:].isdigit()
        scale = unit if bare else 1
    else:
        scale = (1024 if found["binary"] else kilo) ** _PREFIXES.index(found["prefix"].replace("K", "k"))
    return exact * scale if exact is not None else round(number * scale)


def whole(text: str | None) -> int | None:
    """A whole number, None for everything else.

    Parameters
    ----------
    text
        What is printed, with blanks around it or without.

    Returns
    -------
    int or None
        The number.

    Examples
    --------
    >>> whole(" 12 "), whole("12.5"), whole("9" * 5000)
    (12, None, None)
    """
    found = _WHOLE.fullmatch(text or "")
    return int(found["number"]) if found else None


def number(text: str | None) -> float | None:
    """A number with a decimal point or comma, None for everything else.

    Parameters
    ----------
    text
        What is printed.

    Returns
    -------
    float or None
        The number.

    Examples
    --------
    >>> number("2593.906"), number("2593,906"), number("-")
    (2593.906, 2593.906, None)
    """
    found = _NUMBER.fullmatch(text or "")
    return float(found["number"].replace(",", ".")) if found else None


def numbers(text: str | None) -> list[int] | None:
    """The numbers of a list as the kernel prints lists of processors; None where it is none.

    Parameters
    ----------
    text
        What is printed: numbers and ranges with commas or blanks between them, a range with its step behind a colon.

    Returns
    -------
    list of int or None
        The numbers in their order; none for an empty text.

    Examples
    --------
    >>> numbers("0-3,8,10-14:2"), numbers(""), numbers("x")
    ([0, 1, 2, 3, 8, 10, 12, 14], [], None)
    """
    if not (text or "").strip():
        return []
    found: list[int] = []
    for part in re.split(r"[,\s]\s?", (text or "").strip()):
        piece = _RANGE.fullmatch(part)
        if piece is None:
            return None
        first, last, step = int(piece["first"]), int(piece["last"] or piece["first"]), int(piece["step"] or 1)
        if step < 1 or last - first > _MOST or len(found) > _MOST:
            return None
        found.extend(range(first, last + 1, step))
    return found


def address(text: str) -> str:
    """A PCI address with its domain of four digits.

    Parameters
    ----------
    text
        As a command prints it: domain and bus may be left out.

    Returns
    -------
    str
        ``domain:bus:device.function`` in lower case, by which facts of several commands are of one device.

    Examples
    --------
    >>> address("04:00.0"), address("0000:04:00.0"), address("10000:e1:00.0"), address("4:0.1")
    ('0000:04:00.0', '0000:04:00.0', '10000:e1:00.0', '0000:04:00.1')
    """
    rest, _, function = text.strip().lower().partition(".")
    parts = rest.split(":")
    domain = parts[0].zfill(4) if len(parts) == 3 else "0000"
    return f"{domain}:{parts[-2].zfill(2) if len(parts) > 1 else '00'}:{parts[-1].zfill(2)}.{function or '0'}"
