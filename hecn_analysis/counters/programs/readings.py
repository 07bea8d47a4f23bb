"""Common parts of readers of counters: widths of counters, and printed times."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Final

from hecn_analysis.counters.clock import iso, meanings, offset
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.files.documents import Document

UNZONED: Final = (
    "found local times, expected their time zone, which the file does not give; read as UTC (say --time-zone)"
)

_FARTHEST: Final = 9.2e9  # s: what a time of pandas in nanoseconds holds
_FOUR_BYTES: Final = 1 << 32


def width(row: Mapping[str, object]) -> int | None:
    """Width of the counters of a row: 64 bits if one exceeds 32, else unknown."""
    octets = (row.get("in_octets"), row.get("out_octets"))
    return 64 if any(isinstance(value, int) and value >= _FOUR_BYTES for value in octets) else None


def same_width(findings: CounterFindings) -> None:
    """Use the width of one interface's counters for all of the host, which has one kernel."""
    if any(row.get("counter_bits") == 64 for row in findings.samples):
        for row in findings.samples:
            if "in_octets" in row or "out_octets" in row:
                row["counter_bits"] = 64


def lines_with_ends(document: Document, findings: CounterFindings) -> list[str]:
    """Lines of a table, without a last one that may be cut inside its last figure; a problem reports it."""
    lines = document.lines
    last = lines[-1] if lines and not document.text.endswith("\n") else ""
    if not last[-1:].isdecimal() or last.endswith(" 0"):
        return lines
    findings.problem(
        len(lines), "truncated", f"found {last.strip()[:80]!r} without a line feed, expected one; left out"
    )
    return lines[:-1]


def moment(seconds: float | None) -> float | None:
    """Return a possible time, from 1678 to 2261, else None."""
    return seconds if seconds is not None and -_FARTHEST < seconds < _FARTHEST else None


def moments(times: Iterable[float | None]) -> dict[str, object]:
    """Facts of printed times: their number, the first, the last."""
    sorted_times = sorted({time for each in times if (time := moment(each)) is not None})
    if not sorted_times:
        return {}
    ends = {"first_time": iso(sorted_times[0]), "last_time": iso(sorted_times[-1])}
    return {"n_samples": len(sorted_times), **ends, "interval_s": interval(sorted_times)}


def local_time(
    findings: CounterFindings, line: int | None, local: datetime, *, series: Hashable = None, row: Hashable = None
) -> float | None:
    """Seconds since 1970 of a local time; a problem reports the first one of unknown zone."""
    _tell_unzoned(findings, line, local)
    return findings.times.seconds(local, series=series, row=row, line=line)


def local_day(findings: CounterFindings, line: int | None, local: datetime) -> float:
    """Seconds since 1970 at the beginning of a local day; a problem reports the first one of unknown zone."""
    _tell_unzoned(findings, line, local)
    return findings.clock.day(local)


def zoned_time(
    findings: CounterFindings,
    line: int | None,
    local: datetime,
    zone: str,
    *,
    series: Hashable = None,
    row: Hashable = None,
    or_local: bool = False,
) -> float | None:
    """Seconds since 1970 of a time with the abbreviation or offset of its zone."""
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


def _tell_unzoned(findings: CounterFindings, line: int | None, local: datetime) -> None:
    if (
        local.tzinfo is None
        and not findings.clock.known
        and not any(row["message"] == UNZONED for row in findings.problems)
    ):
        findings.problem(line, "ambiguous", UNZONED)
