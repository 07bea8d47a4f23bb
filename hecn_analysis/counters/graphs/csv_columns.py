"""Tables of readings or rates with names of columns: what Grafana exports of a panel, and scripts that poll write.

Grafana 4 to 12 (series as columns, or ``Series;Time;Value``), and CSV of pollers with a column of times, one for each
direction, and maybe one of hosts and ports. Written from the documentation of Grafana; the scripts of sites differ.

Units and traps
---------------
- A name with octets or bytes is that of a counter, one with a unit of a rate (bps, Mb/s, B/s, "per second") or with
  ``rate(…)`` that of a rate. Values with units of their own, as Grafana writes formatted ones, are rates.
- Numbers without a unit are left out, and a problem asks for it. So are octets that fall as often as they rise: they
  may be amounts of the intervals.
- A rate that is nowhere above 0 is drawn below the axis. Other negative rates are left out, with a problem.
- Times: ISO 8601, seconds or milliseconds since 1970; without a zone, local times. They end their interval.
- The port is called as the column of ports, the label ``device``, or what the name of the column has besides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError
from hecn_analysis.counters.cells import cells_of
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.counters.directions import ways
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number, whole

FORMATS: Final = ("grafana-csv", "poller-csv")
VERSIONS: Final = "Grafana 4 to 12; CSV with named columns"
WHOLE: Final = True
EXPECTED: Final = (
    "one of times (time, timestamp, epoch …) and for each direction one of octets or with a unit (in_octets and "
    "out_octets, rx_bps and tx_bps …), or a format of its own"
)

_TIMES: Final = frozenset(
    {"time", "timestamp", "ts", "datetime", "epoch", "unixtime", "unix_time", "time_utc", "utc", "date_time"}
)
_HOSTS: Final = frozenset({"host", "hostname", "device", "router", "switch", "node", "agent", "sysname"})
_PORTS: Final = frozenset({"interface", "iface", "if", "ifname", "if_name", "port", "ifdescr", "intf", "nic"})
_SPEEDS: Final = {"ifspeed": 1.0, "ifhighspeed": 1e6, "speed_bps": 1.0, "speed_mbps": 1e6}
_SERIES: Final = ["series", "time", "value"]
_PER_SECOND: Final = re.compile(r"[\s_]?per[\s_]?(?:second|sec|s)(?![a-z])", re.IGNORECASE)
_UNIT: Final = re.compile(
    r"(?<![A-Za-z])(?:(?P<prefix>[kKmMgGtT]?)(?P<bits>bps|b/s|bit/s|bits/s|bits/sec)|(?P<more>[kMGT]?)(?P<bytes>B/s|Bps|bytes/s|bytes/sec|octets/s))"
    r"(?![A-Za-z])"
)
_LABEL: Final = re.compile(r"(?P<name>[A-Za-z_]{1,40})=\"(?P<value>[^\"]{1,100})\"")
_OCTETS: Final = re.compile(r"octets|bytes", re.IGNORECASE)
_RATE_OF: Final = re.compile(r"\bi?rate\(")
_IN_BITS: Final = re.compile(r"\* ?8\b")
_DROPPED: Final = re.compile(
    r"(?:if)?(?:HC)?(?:in|out)_?(?:octets|bytes|bits|bps|traffic|rate)?|(?:octets|bytes|bits|traffic)_?(?:in|out)?|rx|tx|rate|"
    r"receive|received|recv|transmit|transmitted|sent|send|inbound|outbound|incoming|outgoing|ingress|egress|download|upload|"
    r"bps|[kmgt]bps|[kmgt]?b/s|[kmgt]?bits?/s|bytes?/s|per|second|sec|network|node|total",
    re.IGNORECASE,
)
_PORT: Final = re.compile(r"[A-Za-z][A-Za-z_-]{0,30}\d[\w/.:-]{0,30}")
_LARGEST_BPS: Final = 1e16
_LATEST_S: Final = 1e11  # above: milliseconds
_RISES: Final = 0.9  # share of the steps of a counter that go up at the least
_WIDE: Final = 2.0**32
_WAYS: Final = ("in", "out")
_SHOWN: Final = 8

Row = tuple[int, float, list[str]]
"""Line, time and cells of a row."""


@dataclass(frozen=True)
class _Column:
    """A column of octets or a rate: its place, way, port, and factor to bit/s, None where its values need units."""

    place: int
    way: str
    host: str | None
    port: str | None
    factor: float | None
    is_counter: bool


@dataclass(frozen=True)
class _Head:
    """The names of the columns, and what they are."""

    line: int
    separator: str
    names: list[str]
    time: int
    columns: list[_Column]
    host: int | None
    port: int | None
    speed: tuple[int, float] | None

    @property
    def is_grafana(self) -> bool:
        """Whether the names are those of an export of Grafana."""
        return self.names[self.time] == "Time" and self.time == 0


def recognises(document: Document) -> bool:
    """Whether a line of names has a time and both directions of octets or rates."""
    return _head(document) is not None or _head_of_series(document) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows below the names of the columns."""
    if (head := _head_of_series(document)) is not None:
        findings.format = "grafana-csv"
        _read_series(document, head, findings)
    elif (head := _head(document)) is not None:
        _read_columns(document, head, findings)


def _read_columns(document: Document, head: _Head, findings: CounterFindings) -> None:
    """Read the rows below the names of columns."""
    findings.format = "grafana-csv" if head.is_grafana else "poller-csv"
    rows = list(_rows(document, head, findings))
    head = replace(head, columns=[_upright(column, rows) for column in head.columns])
    for column in head.columns:
        _tell_unclear(column, head.names[column.place], head.line, rows, findings)
    if rows and findings.times.asks and not findings.clock.known:
        findings.problem(
            head.line,
            "ambiguous",
            "found local times without a time zone; taken as UTC, give the time zone to have it right",
        )
    amounts = {column.place for column in head.columns if column.is_counter and _falls(column, head, rows)}
    if amounts:
        findings.problem(
            head.line,
            "ambiguous",
            f"found octets in {head.names[min(amounts)][:60]!r} that fall, expected a counter, or a unit such as "
            "bytes/s; left out",
        )
    wide = any("HC" in name or "64" in name for name in head.names)
    times: dict[tuple[str | None, str | None], list[float]] = {}
    for _, time, cells in rows:
        times.setdefault((_cell(cells, head.host), _cell(cells, head.port)), []).append(time)
    steps = {key: interval(sorted(own)) for key, own in times.items()}
    for line, time, cells in rows:
        _hand_over(line, time, cells, head, findings, amounts=amounts, wide=wide, steps=steps)


def _hand_over(
    line: int,
    time: float,
    cells: Sequence[str],
    head: _Head,
    findings: CounterFindings,
    *,
    amounts: set[int],
    wide: bool,
    steps: Mapping[tuple[str | None, str | None], float | None],
) -> None:
    """Add the samples and rates of a row."""
    host, port = _cell(cells, head.host), _cell(cells, head.port)
    ports: dict[tuple[str | None, str, bool], dict[str, float]] = {}
    for column in head.columns:
        if column.place in amounts:
            continue
        value = _value(cells[column.place], column)
        key = (host or column.host, port or column.port or findings.source_file.rpartition("/")[2], column.is_counter)
        own = ports.setdefault(key, {})
        if value is not None:
            own[column.way] = value
    for (owner, name, is_counter), values in ports.items():
        if not values:
            continue
        if is_counter:
            speed = number(_cell(cells, head.speed[0])) if head.speed is not None else None
            findings.sample(
                host=owner,
                interface=name,
                line=line,
                time=time,
                **{f"{way}_octets": value for way, value in values.items()},
                counter_bits=64 if wide or max(values.values()) >= _WIDE else None,
                speed_bps=speed * head.speed[1] if speed is not None and head.speed is not None else None,
            )
        else:
            findings.rate(
                host=owner,
                interface=name,
                line=line,
                time=time,
                interval_s=steps[host, port],
                **{f"{way}_bps": value for way, value in values.items()},
            )


def lacks(document: Document) -> str | None:
    """The columns of a table with what they lack to be read; None for a file without names of columns."""
    if (table := _table(document)) is None:
        return None
    line, separator, names = table
    below = [cells_of(text, separator) for text in document.lines[line : line + 2] if text.strip()]
    if not below or len(below[0]) != len(names) or all(number(cell) is None for cell in below[0]):
        return None
    if not all(name.strip() and number(name) is None for name in names):
        return None
    shown = ", ".join(repr(name[:40]) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    ways = {column.way for place, name in enumerate(names) if (column := _column(place, name)) is not None}
    if not any(name.lower().strip() in _TIMES for name in names):
        reason = "none of which is a time"
    elif ways != set(_WAYS):
        reason = f"none of which is a rate or octets {' or '.join(way for way in _WAYS if way not in ways)}"
    else:
        reason = "two of which are alike"
    return f"the columns {shown}, {reason}"


def _table(document: Document) -> tuple[int, str, list[str]] | None:
    """The line of the names of columns, their separator, and the names."""
    for line, text in enumerate(document.lines[:5], 1):
        if text.strip() and not text.startswith("sep="):
            rows = ((separator, cells_of(text.lstrip("\ufeff"), separator)) for separator in ",;\t")
            return next(((line, separator, names) for separator, names in rows if len(names) > 2), None)
    return None


def _head(document: Document) -> _Head | None:
    """What the columns are by their names; None for other files."""
    if (table := _table(document)) is None:
        return None
    line, separator, names = table
    lower = [name.lower().strip() for name in names]
    time = next((place for place, name in enumerate(lower) if name in _TIMES), None)
    if time is None or len(set(lower)) < len(lower):
        return None
    columns = [
        column for place, name in enumerate(names) if place != time and (column := _column(place, name)) is not None
    ]
    if {column.way for column in columns} != set(_WAYS):
        return None
    places = {(column.host, column.port, column.way, column.is_counter) for column in columns}
    if len(places) < len(columns):  # two columns for one way of a port
        return None
    speed = next(((place, _SPEEDS[name]) for place, name in enumerate(lower) if name in _SPEEDS), None)
    host, port = (next((at for at, name in enumerate(lower) if name in known), None) for known in (_HOSTS, _PORTS))
    if port is None and host is not None and lower[host] == "device":
        host, port = None, host
    return _Head(line, separator, names, time, columns, host, port, speed)


def _column(place: int, name: str) -> _Column | None:
    """A column of octets or of a rate; None for others."""
    labels = {match["name"]: match["value"] for match in _LABEL.finditer(name)}
    plain = _PER_SECOND.sub("/s", re.sub(r"\{[^}]{0,400}\}", " ", name)).replace("_total", "")
    way = next(iter(ways([plain])), None)
    if way is None:
        return None
    factor, is_counter = _factor(plain), False
    if factor is None and _OCTETS.search(plain):
        is_counter = _RATE_OF.search(plain) is None
        factor = 1.0 if is_counter or _IN_BITS.search(plain) else 8.0
    words = [word for word in re.split(r"[\s_()\[\],{}*|]+", plain) if word and not _DROPPED.fullmatch(word)]
    host = labels.get("instance") or labels.get("host")
    port = next((labels[key] for key in ("device", "ifName", "ifDescr", "interface") if key in labels), None)
    if port is None and words:
        is_of_host = len(words) == 2 and _PORT.fullmatch(words[1]) is not None
        host, port = (words[0], words[1]) if is_of_host else (host, " ".join(words))
    return _Column(place, way, host, port, factor, is_counter)


def _factor(name: str) -> float | None:
    """Factor to bit/s of the unit in a name; None without one."""
    match = _UNIT.search(name)
    if match is None:
        return None
    if match["bytes"]:
        return units.parse(f"1 {match['more']}B/s", "rate")
    prefix = match["prefix"].upper().replace("K", "k")
    return units.parse(f"1 {prefix}b/s", "rate")


def _rows(document: Document, head: _Head, findings: CounterFindings) -> Iterator[Row]:
    """Yield the rows with a time."""
    for line, text in enumerate(document.lines[head.line :], head.line + 1):
        if not text.strip():
            continue
        cells = cells_of(text, head.separator)
        moment = _moment(cells[head.time], findings, line) if len(cells) == len(head.names) else None
        if moment is not None:
            if math.isfinite(moment):
                yield line, moment, cells
        else:
            kind = "truncated" if line == len(document.lines) else "malformed"
            findings.problem(
                line, kind, f"found {text[:80]!r}, expected a time and {len(head.names) - 1} values; left out"
            )


def _moment(text: str, findings: CounterFindings, line: int) -> float | None:
    """Seconds since 1970; NaN for a local time that a clock change skips or repeats, None for a text without a time."""
    value = number(text)
    if value is not None:
        return value / 1e3 if value > _LATEST_S else value if value > 0 else None
    try:
        moment = datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None
    if moment.tzinfo is not None:
        return moment.timestamp()
    seconds = findings.times.seconds(moment, line=line)
    return math.nan if seconds is None else seconds


def _value(text: str, column: _Column) -> float | None:
    """Octets, or bit/s; None for what is no number, or has no unit."""
    if column.is_counter:
        return whole(text)
    value = number(text)
    if value is not None:
        value = math.nan if column.factor is None else value * column.factor
    else:
        try:
            value = units.parse(text, "rate")
        except RangeError:
            return None
    return value if 0 <= value < _LARGEST_BPS else None


def _upright(column: _Column, rows: Iterable[Row]) -> _Column:
    """A column of rates, turned round if it is drawn below the axis."""
    if column.is_counter or column.factor is None:
        return column
    values = [value for _, _, cells in rows if (value := number(cells[column.place])) is not None]
    is_below = any(value < 0 for value in values) and not any(value > 0 for value in values)
    return replace(column, factor=-column.factor) if is_below else column


def _falls(column: _Column, head: _Head, rows: Iterable[Row]) -> bool:
    """Whether the octets of a column do not count up."""
    of_ports: dict[tuple[str | None, str | None], list[float]] = {}
    for _, _, cells in sorted(rows, key=lambda row: row[1]):
        if (value := number(cells[column.place])) is not None:
            of_ports.setdefault((_cell(cells, head.host), _cell(cells, head.port)), []).append(value)
    steps = [after >= before for values in of_ports.values() for before, after in pairwise(values)]
    return bool(steps) and sum(steps) < _RISES * len(steps)


def _tell_unclear(column: _Column, name: str, line: int, rows: Iterable[Row], findings: CounterFindings) -> None:
    """Report a column whose numbers have no unit, or are negative rates."""
    numbers = [
        (at, cells[column.place], value)
        for at, _, cells in rows
        if not column.is_counter and (value := number(cells[column.place])) is not None
    ]
    if numbers and column.factor is None:
        findings.problem(
            line,
            "unit",
            f"found {name[:60]!r} without a unit, expected one such as bps or octets in the name of the column; "
            "left out",
        )
    bad = [(at, text) for at, text, value in numbers if column.factor is not None and value * column.factor < 0]
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        findings.problem(
            bad[0][0],
            "malformed",
            f"found the rate {bad[0][1][:40]}{more}, expected one of 0 or more; left out",
        )


def _cell(cells: Sequence[str], place: int | None) -> str | None:
    return None if place is None or place >= len(cells) or not cells[place] else cells[place]


# --- a row for each series and time -----------------------------------------------------------------------------------


def _head_of_series(document: Document) -> _Head | None:
    """The head of Grafana's series as rows, with names of both directions below it; None for other files."""
    line = next(
        (at for at, text in enumerate(document.lines[:3], 1) if text.strip() and not text.startswith("sep=")), 0
    )
    if not line or [name.lower() for name in cells_of(document.lines[line - 1], ";")] != _SERIES:
        return None
    names = {cells[0] for text in document.lines[line:20_000] if len(cells := cells_of(text, ";")) == len(_SERIES)}
    if {column.way for name in names if (column := _column(0, name)) is not None} != set(_WAYS):
        return None
    return _Head(line, ";", _SERIES, time=1, columns=[], host=None, port=None, speed=None)


def _read_series(document: Document, head: _Head, findings: CounterFindings) -> None:
    """Read the rows of Grafana's series as rows."""
    of_series: dict[str, list[Row]] = {}
    for row in _rows(document, head, findings):
        of_series.setdefault(row[2][0], []).append(row)
    rates: dict[tuple[str | None, str | None, float], dict[str, float]] = {}
    lines: dict[tuple[str | None, str | None, float], int] = {}
    for name, rows in of_series.items():
        column = _column(2, name)
        if column is None or column.is_counter:
            if column is not None:
                message = f"found octets in {name[:60]!r}, expected a rate, such as bps in the name; left out"
                findings.problem(rows[0][0], "unit", message)
            continue
        column = _upright(column, rows)
        _tell_unclear(column, name, head.line, rows, findings)
        for line, moment, cells in rows:
            if (value := _value(cells[2], column)) is not None:
                key = (column.host, column.port, moment)
                rates.setdefault(key, {})[f"{column.way}_bps"] = value
                lines.setdefault(key, line)
    times: dict[tuple[str | None, str | None], list[float]] = {}
    for host, port, moment in rates:
        times.setdefault((host, port), []).append(moment)
    steps = {key: interval(sorted(own)) for key, own in times.items()}
    for (host, port, moment), values in rates.items():
        line, step = lines[host, port, moment], steps[host, port]
        findings.rate(host=host, interface=port, line=line, time=moment, interval_s=step, **values)
