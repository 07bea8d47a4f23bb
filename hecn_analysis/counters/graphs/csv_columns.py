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
_OF_OTHERS: Final = re.compile(r"^#|\(raw\)|_raw$|^timecode")  # of sadf and of PRTG
_OF_RRDTOOL: Final = re.compile(r'(?<!\d)\d{9,11}[,;\t]"(?:[-+]?\d\.\d{10}e|-?NaN")')  # a row of its export
_LARGEST_BPS: Final = 1e16
_LATEST_S: Final = 1e11  # above: milliseconds
_RISES: Final = 0.9  # share of the steps of a counter that go up at the least
_WIDE: Final = 2.0**32


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
    return _head(document) is not None or _is_of_series(document)


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows below the names of the columns."""
    head = _head(document)
    if head is None:
        findings.format = "grafana-csv"
        _read_series(document, findings)
        return
    findings.format = "grafana-csv" if head.is_grafana else "poller-csv"
    rows = list(_rows(document, head, findings))
    head = replace(head, columns=[_upright(column, rows) for column in head.columns])
    _tell_unclear(head, rows, findings)
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


def _head(document: Document) -> _Head | None:
    """Find the line of names, and what the columns are; None for other files."""
    for number_, line in enumerate(document.lines[:5], 1):
        if not line.strip() or line.startswith("sep="):
            continue
        for separator in ",;\t":
            names = cells_of(line.lstrip("\ufeff"), separator)
            if len(names) > 2:
                is_of_rrdtool = any(_OF_RRDTOOL.search(row[:60]) for row in document.lines[number_ : number_ + 1])
                return None if is_of_rrdtool else _of_names(names, number_, separator)
        return None
    return None


def _of_names(names: list[str], line: int, separator: str) -> _Head | None:
    """What the columns are by their names."""
    lower = [name.lower().strip() for name in names]
    time = next((place for place, name in enumerate(lower) if name in _TIMES), None)
    if time is None or len(set(lower)) < len(lower) or any(_OF_OTHERS.search(name) for name in lower):
        return None
    columns = [
        column for place, name in enumerate(names) if place != time and (column := _column(place, name)) is not None
    ]
    if {column.way for column in columns} != {"in", "out"}:
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
    labels = {found["name"]: found["value"] for found in _LABEL.finditer(name)}
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
    found = _UNIT.search(name)
    if found is None:
        return None
    if found["bytes"]:
        return units.parse(f"1 {found['more']}B/s", "rate")
    prefix = found["prefix"].upper().replace("K", "k")
    return units.parse(f"1 {prefix}b/s", "rate")


def _rows(document: Document, head: _Head, findings: CounterFindings) -> Iterator[tuple[int, float, list[str]]]:
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


def _upright(column: _Column, rows: Iterable[tuple[int, float, list[str]]]) -> _Column:
    """A column of rates, turned round if it is drawn below the axis."""
    if column.is_counter or column.factor is None:
        return column
    values = [value for _, _, cells in rows if (value := number(cells[column.place])) is not None]
    is_below = any(value < 0 for value in values) and not any(value > 0 for value in values)
    return replace(column, factor=-column.factor) if is_below else column


def _falls(column: _Column, head: _Head, rows: Iterable[tuple[int, float, list[str]]]) -> bool:
    """Whether the octets of a column do not count up."""
    of_ports: dict[tuple[str | None, str | None], list[float]] = {}
    for _, _, cells in sorted(rows, key=lambda row: row[1]):
        if (value := number(cells[column.place])) is not None:
            of_ports.setdefault((_cell(cells, head.host), _cell(cells, head.port)), []).append(value)
    steps = [after >= before for values in of_ports.values() for before, after in pairwise(values)]
    return bool(steps) and sum(steps) < _RISES * len(steps)


def _tell_unclear(head: _Head, rows: Sequence[tuple[int, float, list[str]]], findings: CounterFindings) -> None:
    """Report the columns whose numbers have no unit, or are negative rates."""
    for column in head.columns:
        if column.factor is not None and not column.is_counter:
            bad = [
                (line, cells[column.place])
                for line, _, cells in rows
                if (value := number(cells[column.place])) is not None and value * column.factor < 0
            ]
            if bad:
                more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
                findings.problem(
                    bad[0][0],
                    "malformed",
                    f"found the rate {bad[0][1][:40]}{more}, expected one of 0 or more; left out",
                )
        plain = column.factor is None and any(number(cells[column.place]) is not None for _, _, cells in rows)
        if plain:
            findings.problem(
                head.line,
                "unit",
                f"found {head.names[column.place][:60]!r} without a unit, expected one such as bps or octets in the "
                "name of the column; left out",
            )


def _cell(cells: Sequence[str], place: int | None) -> str | None:
    return None if place is None or place >= len(cells) or not cells[place] else cells[place]


# --- a row for each series and time -----------------------------------------------------------------------------------


def _is_of_series(document: Document) -> bool:
    """Whether the file is Grafana's of series as rows, with names of both directions."""
    at = next((line for line in document.lines[:3] if line.strip() and not line.startswith("sep=")), "")
    if [name.lower() for name in cells_of(at, ";")] != _SERIES:
        return False
    names = {cells[0] for line in document.lines[:20_000] if len(cells := cells_of(line, ";")) == len(_SERIES)}
    return {column.way for name in names if (column := _column(0, name)) is not None} == {"in", "out"}


def _read_series(document: Document, findings: CounterFindings) -> None:
    """Read the rows of Grafana's series as rows."""
    found: dict[tuple[str | None, str | None, float], dict[str, float]] = {}
    lines: dict[tuple[str | None, str | None, float], int] = {}
    without: set[str] = set()
    for line, text in enumerate(document.lines, 1):
        cells = cells_of(text, ";")
        if len(cells) != len(_SERIES) or [cell.lower() for cell in cells] == _SERIES:
            continue
        column = _column(0, cells[0])
        if (
            column is None
            or column.is_counter
            or not math.isfinite(moment := _moment(cells[1], findings, line) or math.nan)
        ):
            continue
        value = _value(cells[2], column)
        if value is None:
            without |= {cells[0]} if number(cells[2]) is not None else set()
            continue
        key = (column.host, column.port, moment)
        found.setdefault(key, {})[f"{column.way}_bps"] = value
        lines.setdefault(key, line)
    if without:
        findings.problem(
            1, "unit", f"found {min(without)[:60]!r} without a unit, expected one such as bps in the name; left out"
        )
    times: dict[tuple[str | None, str | None], list[float]] = {}
    for host, port, moment in found:
        times.setdefault((host, port), []).append(moment)
    steps = {key: interval(sorted(own)) for key, own in times.items()}
    for (host, port, moment), values in found.items():
        line, step = lines[host, port, moment], steps[host, port]
        findings.rate(host=host, interface=port, line=line, time=moment, interval_s=step, **values)
