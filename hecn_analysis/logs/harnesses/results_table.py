"""Tables of results that people keep: comma, semicolon or tab separated values, or Markdown; each row is a run.

The heading or each cell states the unit of the rate, which is one column. The tool, both ends, the streams or the
retransmits have a column, too, or two of direction, RTT, duration and bytes. Without a column for the tool, the tool
is ``results-table``.

Units and traps
---------------
- A rate without a unit, with an ambiguous one (``KB/s``, ``Gb``, ``MBPS``) or beside a second rate is no run; the
  problem says what to write.
- The decimal sign is that of the whole table. Where all figures are like 9,412, nobody can tell it: no run.
- Times without a zone are left out, unless the heading says UTC. So are figures of other columns without their unit.
- Both ends and what the run was under (MTU, kernel, congestion control) are in ``circumstances``.
- Tables with columns of ports, of both ways or of extremes are counters or summaries, and left to others.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.results_columns import (
    RATE,
    SENDER_RATE,
    STRANGE,
    Column,
    column,
    decimal_sign,
    half_digit_of,
    has_unit,
    is_missing,
    moment,
    quantity,
)

_WORDS: Final = (
    *("hroughput", "andwidth", "oodput", "itrate", "HROUGHPUT", "ANDWIDTH"),
    *("rate", "Rate", "speed", "Speed", "bps", "b/s", "B/s", "it/s", "its/s", "yte/s", "ytes/s", "BPS"),
)
_SEPARATORS: Final = (",", ";", "\t", "|")
_MOST_COLUMNS: Final = 40
_LONGEST_HEADING: Final = 60
_MOST_ROWS: Final = 4096  # of which the first decide on the decimal sign
_IDENTIFY: Final = ("tool", "streams", "retransmits")
_DESCRIBE: Final = ("direction", "rtt_s", "duration_s", "bytes")
_ENDS: Final = (("source", "destination"), ("client", "server"))
_WHOLE: Final = ("bytes", "streams", "retransmits")
_COUNTS: Final = ("streams", "retransmits")
_FIGURES: Final = (RATE, SENDER_RATE, "duration_s", "rtt_s", *_WHOLE)
_CHECKED: Final = (RATE, "duration_s", "bytes")  # against each other
_RATES: Final = frozenset((RATE, SENDER_RATE))
_OTHERS: Final = re.compile(
    r"\b(?:in|out|rx|tx|inbound|outbound|interfaces?|ports?|if ?name|ifindex|index|sensor|utili[sz]ation|usage|octets|"
    r"packets|pkts|errors|discards|interval|min|max|minimum|maximum|peak|median|stdev|std ?dev|p?\d\d(?:th)?|"
    r"percentile|seconds?|time|traffic|total|sum|epoch|iops|lat(?:ency)?|units?)\b"
)
_TOOL: Final = re.compile(r"(?P<tool>[A-Za-z][^\s/]{0,40}+)[ /]v?(?P<version>\d{1,4}(?:\.\w{1,12}){1,4})")
_DIRECTIONS: Final = {
    **dict.fromkeys(("send", "sent", "sending", "upload", "up", "tx", "out", "outbound", "put"), "send"),
    **dict.fromkeys(("receive", "received", "receiving", "download", "down", "rx", "in", "inbound", "get"), "receive"),
    **{way: way for way in ("read", "write")},
}
_NO_SIGN: Final = "commas that may be decimal or between thousands: write 9.412 or 9412"
_PROTOCOLS: Final = frozenset(("tcp", "udp", "rdma"))


@dataclass
class _Table:
    """A table that has begun: its heading, and the rows that are not runs yet."""

    line: Line
    separator: str
    columns: tuple[Column, ...]
    refusal: str | None
    last: int
    rows: list[tuple[Line, Sequence[str]]] = field(default_factory=list)
    sign: str | None = None
    ruled: bool = False
    reported: set[str] = field(default_factory=set)

    def of(self, kind: str) -> Column | None:
        """The column of a kind."""
        return next((column for column in self.columns if column.kind == kind), None)


class ResultsTable:
    """Reader of tables of results."""

    TOOLS: tuple[str, ...] = ("results-table",)
    VERSIONS: str = "comma, semicolon and tab separated values; Markdown"
    HINTS: tuple[str, ...] = ()
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = tuple((word, sign) for word in _WORDS for sign in _SEPARATORS)
    DATED: bool = True

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._table: _Table | None = None

    def feed(self, line: Line) -> bool:
        """Take a heading, or a row below it."""
        table = self._table
        if table is not None and self._row(table, line):
            return True
        begun = _heading(line)
        if begun is None:
            if table is not None and table.separator == "|":
                self.finish()
            return False
        self.finish()
        self._table = begun
        return True

    def finish(self) -> None:
        """The table has ended."""
        if self._table is not None:
            self._skipped(self._table, None)
            self._flush(self._table)
        self._table = None

    def _row(self, table: _Table, line: Line) -> bool:
        """Take a row of the table, or the rule below the heading of Markdown."""
        follows = line.number == table.last + 1 or self._skipped(table, line.number)
        if table.separator == "|" and not follows:
            return False
        if table.separator == "|" and not table.ruled:
            rule = _cells(line.text, "|")
            table.ruled, table.last = all(cell and set(cell) <= {":", "-"} for cell in rule) and bool(rule), line.number
            return table.ruled
        cells = _cells(line.text, table.separator)
        while len(cells) > len(table.columns) and not cells[-1]:
            cells.pop()
        is_whole = len(cells) == len(table.columns)
        begins = not table.rows and not table.reported  # what looked like a heading may be none
        if len(cells) < 2 or line.text.lstrip().startswith("#") or (begins and not is_whole):
            return False
        table.last = line.number
        if not is_whole:
            self._findings.problem(
                line.number,
                "malformed" if line.complete else "truncated",
                f"found {len(cells)} cells, expected {len(table.columns)} as in the heading in line "
                f"{table.line.number}; left out",
            )
        elif tuple(map(column, cells)) != table.columns:  # else the heading once more
            table.rows.append((line, cells))
            if len(table.rows) == _MOST_ROWS:
                self._flush(table)
        return True

    def _flush(self, table: _Table) -> None:
        """Make runs of the rows so far, or say why they are none."""
        rows, table.rows = table.rows, []
        if not rows:
            return
        refusal = table.refusal or _without_unit(table, rows)
        if refusal is None and table.sign is None:
            figures = [index for index, each in enumerate(table.columns) if each.kind in _FIGURES]
            table.sign = decimal_sign([cells[index] for _, cells in rows for index in figures])
            if table.sign is None:
                refusal = _NO_SIGN
        if refusal is not None:
            if refusal not in table.reported:
                table.reported.add(refusal)
                self._findings.problem(
                    table.line.number, "unrecognised", f"found a table of results with {refusal}; no run made of it"
                )
            return
        strange = [each.heading for each in table.columns if each.kind == STRANGE]
        if strange and "strange" not in table.reported:
            table.reported.add("strange")
            shown = ", ".join(repr(heading[:40]) for heading in strange[:8])
            self._findings.problem(
                table.line.number,
                "unrecognised",
                f"found the columns {shown}, expected names of known columns; not read",
            )
        for line, cells in rows:
            self._run(table, line, cells)

    def _run(self, table: _Table, line: Line, cells: Sequence[str]) -> None:
        """Make a run of a row."""
        values: dict[str, object] = {"tool": self.TOOLS[0]}
        texts: dict[str, str] = {}
        around: list[str] = []
        rounding = 0.01
        fits = True
        named = [(each, cell) for each, cell in zip(table.columns, cells, strict=True) if not is_missing(cell)]
        for each, cell in named:
            if each.kind in _FIGURES:
                number = self._figure(table, line, each, cell)
                fits &= number is not None or _lacks_unit(each, cell)
                if number is not None:
                    values[each.kind] = round(number) if each.kind in _WHOLE else number
                    rounding += half_digit_of(cell) if each.kind in _CHECKED else 0.0
            elif each.kind == "around":
                around.append(f"{each.heading} {cell.replace(',', ' ')}")
            elif each.kind == "time" and "time" in texts:
                texts["time"] += f" {cell}"
            elif each.kind not in {STRANGE, "notes"}:
                texts[each.kind] = cell
        if not _RATES & {each.kind for each, _ in named}:
            message = "found a row without a rate, expected a number; no run made of it"
            self._findings.problem(line.number, "malformed", message)
        if fits and _RATES & values.keys():  # a cell that does not fit: another may have moved, too
            self._name(table, line, texts, values)
            values["circumstances"] = ", ".join([*_circumstances(texts), *around]) or None
            self._findings.run(Run(line.number, line.number, values, rounding=rounding))

    def _figure(self, table: _Table, line: Line, each: Column, cell: str) -> float | None:
        """Read a figure, or report it."""
        if not line.complete and table.separator != "|" and each == table.columns[-1]:
            message = (
                f"found {cell[:40]!r} where the file ends, expected the end of the line; left out, for it may be cut"
            )
            self._findings.problem(line.number, "truncated", message)
            return None
        number = quantity(cell, each, table.sign or ".")
        if number is None or (each.kind in _COUNTS and not number.is_integer()):
            self._left_out(table, line, each, cell)
            return None
        return number

    def _skipped(self, table: _Table, until: int | None) -> bool:
        """Report rows that read like sentences, which no reader is offered; whether they reach up to a line."""
        for line in self._findings.recent:
            if line.number == table.last + 1 and (until is None or line.number < until):
                if len(_cells(line.text, table.separator)) != len(table.columns):
                    return False
                table.last = line.number
                message = "found a row of a table that reads like a sentence, expected short notes; no run made of it"
                self._findings.problem(line.number, "malformed", message)
        return table.last + 1 == until

    def _name(self, table: _Table, line: Line, texts: dict[str, str], values: dict[str, object]) -> None:
        """Set the columns of text of a run."""
        if (tool := texts.get("tool")) is not None:
            match = _TOOL.fullmatch(tool)
            values["tool"] = match["tool"] if match else tool
            values["tool_version"] = match["version"] if match else None
        if "tool_version" in texts:
            values["tool_version"] = texts["tool_version"]
        if (protocol := texts.get("protocol", "").lower()) in _PROTOCOLS:
            values["protocol"] = protocol
        values["direction"] = _DIRECTIONS.get(texts.get("direction", "").lower())
        values["label"] = texts.get("label")
        if (time := texts.get("time")) is not None:
            heading = table.of("time")
            values["start_time"] = moment(time, is_utc=heading is not None and heading.unit is not None)
            if values["start_time"] is None and "time" not in table.reported:
                table.reported.add("time")
                self._findings.problem(
                    line.number,
                    "ambiguous",
                    f"found the time {time[:40]!r}, expected one with its zone such as 2026-01-31T09:30:00Z, or 'UTC' "
                    "in the heading; start_time left out",
                )

    def _left_out(self, table: _Table, line: Line, each: Column, cell: str) -> None:
        """Report a cell that is no figure with a unit; one without any is reported once for the column."""
        if _lacks_unit(each, cell):
            if each.heading not in table.reported:
                table.reported.add(each.heading)
                message = f"found {each.heading[:40]!r} without a unit: write it into the heading; left out"
                self._findings.problem(line.number, "unit", message)
            return
        unit = f" in {each.unit}" if each.unit else " with its unit" if each.needs_unit and each.factor is None else ""
        message = f"found {cell[:40]!r} in {each.heading[:40]!r}, expected a number{unit}; no run made of the row"
        self._findings.problem(line.number, "malformed", message)


def _lacks_unit(column: Column, cell: str) -> bool:
    """Whether a figure other than a rate has its unit neither in the heading nor in the cell."""
    return column.needs_unit and column.factor is None and not has_unit(cell) and column.kind not in _RATES


def _is_markdown(text: str) -> bool:
    """Whether a line is a row of a table of Markdown."""
    text = text.strip()
    return len(text) > len("||") and text[0] == text[-1] == "|"


def _cells(text: str, separator: str) -> list[str]:
    """Split a line into stripped cells; an invalid line has none."""
    if separator == "|":
        return [cell.strip().strip("*`") for cell in text.strip()[1:-1].split("|")] if _is_markdown(text) else []
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]
    except csv.Error:
        return []


def _heading(line: Line) -> _Table | None:
    """Begin a table if a line is a heading of results."""
    text = line.text
    separator = "|" if _is_markdown(text) else next((sign for sign in "\t;," if sign in text), None)
    if separator is None or not any(word in text for word in _WORDS):
        return None
    headings = _cells(text, separator)
    if not 2 <= len(headings) <= _MOST_COLUMNS or any(
        not heading or len(heading) > _LONGEST_HEADING or heading[0].isdigit() for heading in headings
    ):
        return None
    columns = tuple(map(column, headings))
    if not _are_results(columns):
        return None
    return _Table(line, separator, columns, _refusal(columns), line.number)


def _are_results(columns: Sequence[Column]) -> bool:
    """Whether columns are those of runs: a rate and what was run, and nothing that counters or summaries have."""
    kinds = [each.kind for each in columns]
    strange = [each.heading.lower().replace("_", " ") for each in columns if each.kind == STRANGE]
    if len(strange) * 2 > len(kinds) or any(map(_OTHERS.search, strange)) or not _RATES & {*kinds}:
        return False
    return (
        any(kind in kinds for kind in _IDENTIFY)
        or any(all(end in kinds for end in ends) for ends in _ENDS)
        or sum(kind in kinds for kind in _DESCRIBE) >= 2  # one alone is a counter's or a monitor's, too
    )


def _refusal(columns: Sequence[Column]) -> str | None:
    """Say why no run can be made of a table, whatever its rows are; None if it can."""
    for kind in {each.kind for each in columns} - {STRANGE, "time", "notes", "around"}:
        same = [repr(each.heading[:40]) for each in columns if each.kind == kind]
        if len(same) > 1:
            noun = "rates" if kind in _RATES else "columns of one meaning"
            return f"two {noun}, {' and '.join(same[:2])}: write one in a row"
    wrong = next((each for each in columns if each.kind in _RATES and each.unit and each.factor is None), None)
    if wrong is not None:
        written = f"write Gb/s, Mb/s or MB/s into the heading {wrong.heading[:40]!r}"
        return f"a rate in {wrong.unit!r}, which is no certain unit: {written}"
    return None


def _without_unit(table: _Table, rows: Sequence[tuple[Line, Sequence[str]]]) -> str | None:
    """Say that neither the heading nor a cell of a rate has a unit."""
    for index, each in enumerate(table.columns):
        bare = each.kind in _RATES and each.factor is None
        if bare and not any(has_unit(cells[index]) for _, cells in rows):
            return f"a rate without a unit: write Gb/s into the heading {each.heading[:40]!r}, or the unit that it has"
    return None


def _circumstances(texts: dict[str, str]) -> Iterator[str]:
    """Between which hosts a run was, and a direction in words of its own."""
    hosts = {name: text.replace(",", " ") for name, text in texts.items()}
    if "source" in hosts and "destination" in hosts:
        yield f"{hosts['source']} to {hosts['destination']}"
    else:
        yield from (
            f"{word} {hosts[name]}" for word, name in (("from", "source"), ("to", "destination")) if name in hosts
        )
    yield from (f"{name} {hosts[name]}" for name in ("client", "server", "host") if name in hosts)
    if "direction" in hosts and hosts["direction"].lower() not in _DIRECTIONS:
        yield f"direction {hosts['direction']}"
    if "protocol" in hosts and hosts["protocol"].lower() not in _PROTOCOLS:
        yield f"protocol {hosts['protocol']}"
