"""What readers of host counters share: whole numbers of texts, widths of counters, local times."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Final

from hecn_analysis.counters.clock import iso, meanings, offset
from hecn_analysis.counters.contract import Findings, interval

UNZONED: Final = (
    "found local times, expected their time zone, which the file does not give; read as UTC (say --time-zone)"
)

_POWERS: Final = {letter: power for power, letter in enumerate("KMGTPE", 1)}
_MOST_DIGITS: Final = 40
_LARGEST: Final = 1e100
_FARTHEST: Final = 9.2e9  # s: what a time of pandas in nanoseconds holds
_FOUR_BYTES: Final = 1 << 32


def whole(digits: str, prefix: str = "") -> int:
    """Whole number of a text, with a prefix of size where a program has rounded it.

    Parameters
    ----------
    digits
        A decimal number.
    prefix
        K, M, G, … of 1000 each, with an i of 1024; empty for none.

    Returns
    -------
    int
        The number; of one with more digits than any counter has, one that is too large, too.

    Examples
    --------
    >>> whole("18446744073709551615"), whole("1.23", "M"), whole("2", "Ki")
    (18446744073709551615, 1230000, 2048)
    """
    digits = digits[:_MOST_DIGITS]
    if not prefix:
        return int(digits) if digits.isdecimal() else round(float(digits))
    base = 1024 if prefix.endswith("i") else 1000
    return round(float(digits) * float(base ** _POWERS[prefix[0].upper()]))


def countable(text: str | None) -> float:
    """Number of a text, with a comma as decimal point, too.

    Parameters
    ----------
    text
        The text, None where there is none.

    Returns
    -------
    float
        The number, NaN where the text is none, or one that is too large to count with.

    Examples
    --------
    >>> countable("1,5e3"), countable("U"), countable("-1e300"), countable(None)
    (1500.0, nan, nan, nan)
    """
    try:
        value = float((text or "nan").strip().replace(",", "."))
    except ValueError:
        return math.nan
    return value if abs(value) <= _LARGEST else math.nan


def width(row: Mapping[str, object]) -> int | None:
    """Width of the counters of a row: 64 bits where one has outgrown 32, otherwise unknown.

    Parameters
    ----------
    row
        Columns of a sample.

    Returns
    -------
    int or None
        Bits.

    Examples
    --------
    >>> width({"in_octets": 5_000_000_000}), width({"in_octets": 5})
    (64, None)
    """
    octets = (row.get("in_octets"), row.get("out_octets"))
    return 64 if any(isinstance(value, int) and value >= _FOUR_BYTES for value in octets) else None


def same_width(findings: Findings) -> None:
    """Take the width of one interface's counters for all of the host: one kernel, one width.

    Parameters
    ----------
    findings
        What has been found in a file of one host.

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Findings
    >>> findings = Findings("port1.log")
    >>> findings.sample(interface="eth0", counter_bits=64, in_octets=5_000_000_000)
    >>> findings.sample(interface="eth1", in_octets=7)
    >>> same_width(findings)
    >>> [row["counter_bits"] for row in findings.samples]
    [64, 64]
    """
    if any(row.get("counter_bits") == 64 for row in findings.samples):
        for row in findings.samples:
            if "in_octets" in row or "out_octets" in row:
                row["counter_bits"] = 64


def number(text: str) -> float | None:
    """Number with a decimal point or a decimal comma; None for what is none.

    Parameters
    ----------
    text
        One word.

    Returns
    -------
    float or None
        The number.

    Examples
    --------
    >>> number("1234,50"), number("0.5"), number("-nan"), number("U")
    (1234.5, 0.5, None, None)
    """
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def moment(seconds: float | None) -> float | None:
    """Time that can be one: not before 1678, not after 2261; else None.

    Parameters
    ----------
    seconds
        Seconds since 1970, as a file gives them.

    Returns
    -------
    float or None
        The time. [s]

    Examples
    --------
    >>> moment(1795261201.5), moment(float("inf")), moment(1e12)
    (1795261201.5, None, None)
    """
    return seconds if seconds is not None and -_FARTHEST < seconds < _FARTHEST else None


def moments(times: Iterable[float | None]) -> dict[str, object]:
    """Facts of times at which a program printed: their number, the first, the last.

    Parameters
    ----------
    times
        Seconds since 1970, None for what is no time.

    Returns
    -------
    dict
        Times in ISO 8601, their distance in s.

    Examples
    --------
    >>> moments([60, 0, 60])
    {'n_samples': 2, 'first_time': '1970-01-01T00:00:00Z', 'last_time': '1970-01-01T00:01:00Z', 'interval_s': 60}
    """
    found = sorted({time for each in times if (time := moment(each)) is not None})
    if not found:
        return {}
    ends = {"first_time": iso(found[0]), "last_time": iso(found[-1])}
    return {"n_samples": len(found), **ends, "interval_s": interval(found)}


def local_time(
    findings: Findings, line: int | None, local: datetime, *, series: Hashable = None, row: Hashable = None
) -> float | None:
    """Seconds since 1970 of a local time; the first time that its zone is not known, a problem says so.

    Parameters
    ----------
    findings
        What is found in the file, with the clock of the caller.
    line
        Number of the line.
    local
        The time, with its zone where the file gives it.
    series, row
        What names the rows among which it stands, and the row among those of the same time.

    Returns
    -------
    float or None
        The time; None where nobody can tell. [s]

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Findings
    >>> findings = Findings("port1.log")
    >>> local_time(findings, 1, datetime(2026, 11, 21, 12, 0))
    1795262400.0
    >>> len(findings.problems)
    1
    """
    _tell_unzoned(findings, line, local)
    return findings.times.seconds(local, series=series, row=row, line=line)


def local_day(findings: Findings, line: int | None, local: datetime) -> float:
    """Seconds since 1970 at which a local day begins; the first time that its zone is not known, a problem says so.

    Parameters
    ----------
    findings
        What is found in the file, with the clock of the caller.
    line
        Number of the line.
    local
        Midnight.

    Returns
    -------
    float
        The time. [s]

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Findings
    >>> local_day(Findings("port1.log"), 1, datetime(2026, 11, 21))
    1795219200.0
    """
    _tell_unzoned(findings, line, local)
    return findings.clock.day(local)


def zoned_time(
    findings: Findings,
    line: int | None,
    local: datetime,
    zone: str,
    *,
    series: Hashable = None,
    row: Hashable = None,
    or_local: bool = False,
) -> float | None:
    """Seconds since 1970 of a time with an abbreviation or offset of its zone behind it.

    The caller's zone counts where it has such an abbreviation; of one that means several offsets a problem says so.

    Parameters
    ----------
    findings
        What is found in the file, with the clock of the caller.
    line
        Number of the line.
    local
        The time.
    zone
        ``CET``, ``+0530`` …; empty: the file gives none.
    series, row
        As of `local_time`.
    or_local
        Whether a zone of several meanings counts as none.

    Returns
    -------
    float or None
        The time; None where nobody can tell. [s]

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Findings
    >>> findings = Findings("walk.txt")
    >>> zoned_time(findings, 1, datetime(2026, 11, 23, 10), "+0530")
    1795408200.0
    >>> zoned_time(findings, 1, datetime(2026, 11, 23, 10), "IST") is None, findings.problems[0]["kind"]
    (True, 'ambiguous')
    """
    own, east = findings.clock.in_zone(local, zone), offset(zone)
    if not zone or (or_local and own is None and east is None):
        return local_time(findings, line, local, series=series, row=row)
    if own is not None:
        return own.timestamp()
    if east is not None:
        return local.replace(tzinfo=timezone(east)).timestamp()
    said = f"found the time zone {zone} ({meanings(zone)}), expected an offset such as +0530, or --time-zone"
    if not any(str(row["message"]).startswith(said) for row in findings.problems):
        findings.problem(line, "ambiguous", f"{said}; such times are left out")
    return None


def _tell_unzoned(findings: Findings, line: int | None, local: datetime) -> None:
    if (
        local.tzinfo is None
        and not findings.clock.known
        and not any(row["message"] == UNZONED for row in findings.problems)
    ):
        findings.problem(line, "ambiguous", UNZONED)
