"""Output of dstat and dool: rates of interfaces, and how busy processors and disks are.

Versions: dstat 0.6 to 0.8, dool 1.0 to 1.3: any choice of tables, also with the time (``-t``).

Units and traps
---------------
- Rates are bytes a second with prefixes of 1024: "118M" is 118 * 2**20. They have two to four digits.
- The first row is the mean since the host started: flag "since_start". The length of the others is not printed.
- "total" is the sum of all interfaces but lo; ``-N eth0`` has a table for each. The time has no year, and is left out.
- A ">" at the end of a line stands for tables that found no place.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import lines_with_ends
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import scale

FORMATS: Final = ("dstat",)
VERSIONS: Final = "dstat 0.6 to 0.8, dool 1.0 to 1.3"
WHOLE: Final = False

_TABLE: Final = re.compile(r"-{1,12}([a-z][\w/.:@]{1,40}(?:-[a-z][\w/.:@]{1,40}){0,4})-{0,12}>?$")
_COLUMNS: Final = {"cpu": ("usr", "sys", "idl"), "dsk": ("read", "writ"), "net": ("recv", "send")}
_CELL: Final = re.compile(r"(?P<digits>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[BkKMGT]?)(?=[\s\d.]|$)")
_CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d")
_BAR: Final = re.compile("[|:]")  # ":" between the tables of several interfaces
_Row = dict[str, list[float]]
_Tables = list[tuple[str, int]]
"""Names of the tables, and the numbers of their columns."""


def recognises(document: Document) -> bool:
    """Whether the names of tables stand above those of their columns."""
    return "|" in document.text and any(map(_headed, document.lines, document.lines[1:]))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all rows."""
    findings.format = "dstat"
    tables: _Tables | None = None
    rows: list[_Row] = []
    lines = lines_with_ends(document, findings)
    for line, text in enumerate(lines, 1):
        below = lines[line] if line < len(lines) else ""
        if (names := _headed(text, below)) is not None:
            tables = names
        elif tables is not None and "|" in text and any(map(str.isdigit, text)):
            row = _row(tables, text)
            if row is None:
                findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected figures; left out")
                continue
            rows.append(row)
            _rates(row, line, findings, flag="since_start" if len(rows) == 1 else "given")
    findings.facts.update(n_samples=len(rows), **_means(rows[1:] or rows))


def _headed(text: str, below: str) -> _Tables | None:
    """The tables, if this line has them and the next one their columns."""
    words = text.split()
    names = [match[1] for word in words if (match := _TABLE.match(word)) is not None]
    heads = _BAR.split(below.rstrip(">"))
    if not words or len(names) != len(words) or len(heads) != len(names):
        return None
    if not any(map(_is_known, names, heads)):
        return None
    return [(name, len(head.split())) for name, head in zip(names, heads, strict=True)]


def _is_known(name: str, head: str) -> bool:
    columns = _COLUMNS.get(_of(name) or "", ())
    return bool(columns) and head.split()[: len(columns)] == list(columns)


def _row(tables: _Tables, text: str) -> _Row | None:
    """Figures of the tables that are known; None if one of them has other cells."""
    row: _Row = {}
    parts = _BAR.split(_CLOCK.sub("", text))
    if len(parts) != len(tables):
        return None
    for (name, columns), cells in zip(tables, parts, strict=True):
        if _of(name) is None:
            continue
        figures = [float(cell["digits"]) * scale(cell["unit"].strip("B"), 1024) for cell in _CELL.finditer(cells)]
        left = _CELL.sub("", cells).strip(" >")
        if len(figures) != columns or left:
            return None
        row[name] = figures
    return row


def _of(name: str) -> str | None:
    """Which of the known tables a name is."""
    if name == "total-cpu-usage":
        return "cpu"
    kind = name.partition("/")[0]
    return kind if kind in {"dsk", "net"} and "/" in name else None


def _rates(row: _Row, line: int, findings: CounterFindings, flag: str) -> None:
    for name, figures in row.items():
        if name.startswith("net/"):
            received, sent = figures[:2]
            interface = name.removeprefix("net/")
            findings.rate(line=line, interface=interface, in_bps=8 * received, out_bps=8 * sent, flag=flag)


def _means(rows: list[_Row]) -> dict[str, object]:
    """Means over the rows: how busy all processors were, and what disks read and wrote."""
    facts: dict[str, object] = {}
    cpu = [row["total-cpu-usage"] for row in rows if "total-cpu-usage" in row]
    if cpu:
        facts["all_mean_busy_fraction"] = 1 - sum(figures[2] for figures in cpu) / len(cpu) / 100
        facts["all_mean_sys_fraction"] = sum(figures[1] for figures in cpu) / len(cpu) / 100
    disks = [
        {
            "device": name.removeprefix("dsk/"),
            "read_bps": 8 * sum(row[name][0] for row in rows) / len(rows),
            "write_bps": 8 * sum(row[name][1] for row in rows) / len(rows),
        }
        for name in (rows[0] if rows else {})
        if name.startswith("dsk/") and all(name in row for row in rows)
    ]
    return {**({"cpu": facts} if facts else {}), **({"devices": disks} if disks else {})}
