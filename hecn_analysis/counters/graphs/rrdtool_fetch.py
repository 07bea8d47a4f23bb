"""Output of ``rrdtool fetch``: names of the data sources, then rows of a time and a value for each.

Versions: RRDtool 1.0 to 1.8.

Units and traps
---------------
- A row's time ends its step. Octets are bytes a second; the output does not say of which consolidation function, so
  that rows of MAX look like those of AVERAGE.
- "nan", "-nan" and "NaN" are no data. In some languages of the user the decimals follow a comma.
- The step may be longer than the one asked for; the one of the rows counts.
- The interface is called as the file, without its endings.
"""

from __future__ import annotations

import math
import re
from typing import Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.counters.directions import ways
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number_or_nan

FORMATS: Final = ("rrdtool-fetch",)
VERSIONS: Final = "RRDtool 1.0 to 1.8"
WHOLE: Final = False

_NUMBER: Final = r"-?(?:\d(?:[.,]\d{1,17})?(?:[eE][+-]\d{2,3})?|nan|inf)"
_ROW: Final = re.compile(rf"\s*(?P<time>\d{{8,11}}):(?P<values>(?:\s+{_NUMBER})+)\s*$", re.IGNORECASE)
_NAMES: Final = re.compile(r"[ \t]*+(?:timestamp[ \t]++)?[A-Za-z0-9_-]{1,40}(?:[ \t]++[A-Za-z0-9_-]{1,40})*+\s*$")
_LIKE: Final = re.compile(r"\s*\d{8,11}:")
_BITS: Final = 8


def recognises(document: Document) -> bool:
    """Whether a line of names is followed by a row with as many values."""
    first = next(((at, row) for at, line in enumerate(document.lines[:2000]) if (row := _ROW.match(line))), None)
    return first is not None and _header(document, first[0], len(first[1]["values"].split())) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows."""
    findings.format = "rrdtool-fetch"
    name = document.stem
    columns: list[str] = []  # of the first table
    names: list[str] = []  # of the one that a row is in
    rows: list[tuple[int, int, list[float]]] = []
    for at, line in enumerate(document.lines):
        row = _ROW.match(line)
        if row is None:
            if _LIKE.match(line):
                last = at >= len(document.lines) - 1
                findings.problem(
                    at + 1,
                    "truncated" if last else "malformed",
                    f"found {line.strip()[:80]!r}, expected a time and {len(names)} values; left out",
                )
            continue
        values = [number_or_nan(text) for text in row["values"].split()]
        names = _header(document, at, len(values)) or names
        columns = columns or names
        if len(values) != len(names):
            findings.problem(
                at + 1,
                "malformed",
                f"found {len(values)} values, expected {len(names)} as in the line of names; left out",
            )
            continue
        given = dict(zip(names, values, strict=True))
        rows.append((at + 1, int(row["time"]), [given.get(name, math.nan) for name in columns]))
    _hand_over(name, columns, rows, findings)


def _hand_over(
    name: str, columns: list[str], rows: list[tuple[int, int, list[float]]], findings: CounterFindings
) -> None:
    places = ways(columns)
    times = sorted({time for _, time, _ in rows})
    step = interval(times)
    findings.facts.update(
        columns=columns,
        n_samples=len(rows),
        n_valid=sum(any(map(math.isfinite, values)) for _, _, values in rows),
        first_time=iso(times[0]) if times else None,
        last_time=iso(times[-1]) if times else None,
        step_s=step,
    )
    if not places:
        findings.facts["series"] = []
        return
    for number, time, values in rows:
        given = {f"{way}_bps": _BITS * values[place] for way, place in places.items() if math.isfinite(values[place])}
        findings.rate(
            interface=name,
            line=number,
            time=time,
            interval_s=None if step is None else float(step),
            in_bps=given.get("in_bps"),
            out_bps=given.get("out_bps"),
            flag="given" if given else "missing",
        )


def _header(document: Document, at: int, n: int) -> list[str] | None:
    """Return the names of n values above a row, with at most one empty line between them."""
    above = next((line for line in reversed(document.lines[max(at - 2, 0) : at]) if line.strip()), "")
    words = above.split()
    return words[-n:] if _NAMES.match(above) and len(words) in {n, n + 1} else None
