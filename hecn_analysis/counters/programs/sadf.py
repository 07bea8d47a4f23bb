"""Records of sysstat as sadf exports them: ``-d`` (semicolons), ``-p`` (tabs), ``-j`` (JSON), ``-x`` (XML).

Versions: sysstat 8 to 12.7; ``-d -h`` (all interfaces in one row), ``-U`` (seconds), ``-T`` and ``-t`` (local times).

Units and traps
---------------
- kB are 1024 bytes. Each row says the length of its interval; -1 stands for a restart of the host.
- The heading of ``-d -h`` names the columns once and ends in "[...]": they come again for each interface.
- Times are UTC where "UTC" stands behind them (JSON, XML: ``utc="1"``), else local.
- The file may begin with an element without data, hold other activities, or break off.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from xml.etree.ElementTree import Element

import defusedxml.ElementTree as SafeElementTree
import numpy as np

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.json_parts import hosts_of, values_of
from hecn_analysis.counters.programs.readings import moments, zoned_time
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("sadf-d", "sadf-p", "sadf-j", "sadf-x")
VERSIONS: Final = "sysstat 8 to 12.7"
WHOLE: Final = True

_HEADING: Final = re.compile(r"^# hostname;interval;timestamp;", re.MULTILINE)
_TIME: Final = r"(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?: UTC| [A-Z]{2,5}| [+-]\d\d)?|\d{9,11})"
_TAGGED: Final = re.compile(
    rf"^(?P<host>[^\s;]+)\t(?P<interval>-?\d+)\t(?P<time>{_TIME})\t(?P<of>\S+)\t(?P<name>\S+)\t(?P<value>\S+)$",
    re.MULTILINE,
)
_MOMENT: Final = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d:\d\d)(?: (?P<zone>\S+))?")
_OCTETS: Final = {"rxkB": ("in", 8192.0), "txkB": ("out", 8192.0), "rxbyt": ("in", 8.0), "txbyt": ("out", 8.0)}
_SYSTEM: Final = ("system", "sys", "%system", "%sys")
_LAST: Final = re.compile(r".*</timestamp>", re.DOTALL)


def recognises(document: Document) -> bool:
    """Whether a heading of -d, a line of -p, or JSON or XML of sadf is there."""
    start = document.start
    if start.startswith("{"):
        return bool(re.match(r'\{\s*"sysstat"\s*:', start)) and bool(
            re.search(r'"(?:file-date|file-utc-time|timestamp"\s*:\s*\{)', start)
        )
    if start.startswith("<"):
        return "<sysstat" in start[:2000]
    return bool(_HEADING.search(start) or _TAGGED.search(start[:4000]))


@dataclass
class _Records:
    """Common part of all forms: times, rates of interfaces, processors."""

    findings: CounterFindings
    times: list[float] = field(default_factory=list)
    busy: list[tuple[float, float]] = field(default_factory=list)

    def time(
        self, line: int | None, text: str, zone: str = "", *, series: Hashable = None, row: str = ""
    ) -> float | None:
        """Seconds since 1970 of a time, in its zone if the file names it."""
        if text.isdecimal():
            return float(text)
        match = _MOMENT.fullmatch(text)
        try:
            local = datetime.fromisoformat(f"{match['date']} {match['clock']}") if match else None
        except ValueError:
            local = None
        if match is None or local is None:
            self.findings.problem(line, "malformed", f"found time {text!r}, expected a date and a time; left out")
            return None
        return zoned_time(self.findings, line, local, match["zone"] or zone, series=series, row=row, or_local=True)

    def network(self, columns: Mapping[str, Any], **known: object) -> None:
        """Add rates of an interface, by the names without "/s"."""
        rates: dict[str, Any] = {}
        for name, (way, factor) in _OCTETS.items():
            value = number(str(columns.get(name)))
            if value is not None:
                rates[f"{way}_bps"] = factor * value
        if rates:
            self.findings.rate(**known, **rates)

    def processor(self, columns: Mapping[str, Any]) -> None:
        """Add the idle share of all processors."""
        idle = next((number(str(columns[name])) for name in ("idle", "%idle") if name in columns), None)
        system = next((number(str(columns[name])) for name in _SYSTEM if name in columns), None)
        if idle is not None and system is not None:
            self.busy.append((1 - idle / 100, system / 100))

    def finish(self) -> None:
        """Add the facts."""
        self.findings.facts.update(moments(self.times))
        lengths = [row["interval_s"] for row in self.findings.rates if isinstance(row.get("interval_s"), (int, float))]
        if lengths:
            values, counts = np.unique(np.array(lengths, dtype=float), return_counts=True)
            typical = float(values[np.argmax(counts)])
            self.findings.facts["interval_s"] = int(typical) if typical.is_integer() else typical
        if self.busy:
            busy, system = np.array(self.busy).T
            self.findings.facts["cpu"] = {
                "mean_busy_fraction": float(busy.mean()), "max_busy_fraction": float(busy.max()),
                "max_sys_fraction": float(system.max()),
            }  # fmt: skip


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rates of interfaces."""
    records = _Records(findings)
    if document.start.startswith("{"):
        findings.format = "sadf-j"
        for value in values_of(document, findings):
            _json(value, records)
    elif document.start.startswith("<"):
        findings.format = "sadf-x"
        root = document.xml if document.xml is not None else _mended(document, findings)
        if root is not None:
            _xml(root, records)
    elif _HEADING.search(document.start):
        findings.format = "sadf-d"
        _separated(document, records)
    else:
        findings.format = "sadf-p"
        _tagged(document, records)
    records.finish()


def _separated(document: Document, records: _Records) -> None:
    table: _Table | None = None
    for line, text in enumerate(document.lines, 1):
        if text.startswith("# hostname;"):
            table = _Table.of(text)
            if table.mixed:
                said = "found several activities side by side, expected one; only the first of them is read"
                records.findings.problem(line, "ambiguous", said)
        elif table is not None and not text.startswith("#") and text.count(";") > 2:
            table.row(line, text, records, at_end=line >= len(document.lines) - 1)


@dataclass(frozen=True)
class _Table:
    """Rows below a heading.

    `columns` are the names after host, interval and time; `wide`: they repeat for each interface or processor; `mixed`:
    other columns with unknown start follow.
    """

    columns: Sequence[str]
    wide: bool
    mixed: bool

    @classmethod
    def of(cls, heading: str) -> _Table:
        """Return the table of a heading."""
        first, *others = heading.rstrip().removesuffix("[...]").split("[...]")
        names = [name.removesuffix("/s") for name in first.split(";")[3:]]
        return cls(names, heading.rstrip().endswith("[...]") and not others, bool(others))

    def row(self, line: int, text: str, records: _Records, *, at_end: bool) -> None:
        """Read one row."""
        host, length, stamp, *values = text.split(";")
        seconds = number(length)
        if seconds is None or seconds < 0:
            return
        width = len(self.columns)
        if not width or (len(values) % width if self.wide else len(values) < width):
            said = f"found {len(values)} values, expected {width}; left out"
            records.findings.problem(line, "truncated" if at_end else "malformed", said)
            return
        time = records.time(line, stamp, series=(host, *self.columns), row=values[0])
        if time is None:
            return
        records.times.append(time)
        for first in range(0, len(values) if self.wide else width, width):
            row = dict(zip(self.columns, values[first : first + width], strict=False))
            if "IFACE" in row:
                known = {"line": line, "host": host, "interface": row["IFACE"], "time": time}
                records.network(row, interval_s=seconds or None, **known)
            elif row.get("CPU") in {"-1", "all"}:
                records.processor(row)


def _tagged(document: Document, records: _Records) -> None:
    rows: list[tuple[int, tuple[str, str, str, str], dict[str, str]]] = []
    latest: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for line, text in enumerate(document.lines, 1):
        if match := _TAGGED.match(text):
            key = (match["host"], match["interval"], match["time"], match["of"])
            name = match["name"].removesuffix("/s")
            if key not in latest or name in latest[key]:  # in the hour that comes twice, a time comes again
                latest[key] = {}
                rows.append((line, key, latest[key]))
            latest[key][name] = match["value"]
    for line, (host, length, stamp, of), row in rows:
        time = records.time(line, stamp, series=(host, of, *row))
        if time is None:
            continue
        records.times.append(time)
        records.network(row, line=line, host=host, interface=of, time=time, interval_s=float(length) or None)
        if of in {"all", "-1"}:
            records.processor(row)


def _json(value: Any, records: _Records) -> None:  # noqa: ANN401 - of any JSON
    for host in hosts_of(value):
        name = _word(host.get("nodename"))
        for entry in objects(host.get("statistics")):
            stamp = entry.get("timestamp")
            if not isinstance(stamp, dict):
                continue
            time = records.time(None, f"{stamp.get('date')} {stamp.get('time')}", _zone(stamp))
            if time is None:
                continue
            records.times.append(time)
            network = entry.get("network")
            for link in objects(network.get("net-dev") if isinstance(network, dict) else None):
                known = {"host": name, "interface": _word(link.get("iface")), "time": time}
                records.network(link, interval_s=number(str(stamp.get("interval"))), **known)
            for load in objects(entry.get("cpu-load") or entry.get("cpu-load-all")):
                if str(load.get("cpu")) in {"all", "-1"}:
                    records.processor(load)


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _zone(stamp: Mapping[str, Any]) -> str:
    if str(stamp.get("utc")) == "1":
        return "UTC"
    return str(stamp.get("tz", ""))


def _local(element: Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rsplit("}", 1)[-1]


def _xml(root: Element, records: _Records) -> None:
    for host in (element for element in root.iter() if _local(element) == "host"):
        name = host.get("nodename")
        for stamp in (element for element in host.iter() if _local(element) == "timestamp"):
            time = records.time(None, f"{stamp.get('date')} {stamp.get('time')}", _zone(stamp.attrib))
            if time is None:
                continue
            records.times.append(time)
            length = number(str(stamp.get("interval")))
            for element in stamp.iter():
                if _local(element) == "net-dev":
                    records.network(
                        element.attrib, host=name, interface=element.get("iface"), time=time, interval_s=length
                    )
                elif _local(element) == "cpu" and (element.get("number") or element.get("cpu")) in {"all", "-1"}:
                    records.processor(element.attrib)


def _mended(document: Document, findings: CounterFindings) -> Element | None:
    """Root of truncated XML, up to its last complete time stamp."""
    whole = _LAST.match(document.text)
    text = "" if whole is None else whole.group() + "</statistics></host></sysstat>"
    try:
        root: Element | None = SafeElementTree.fromstring(text.encode()) if text else None
    except (SafeElementTree.ParseError, ValueError, LookupError):
        root = None
    if root is None:
        findings.problem(None, "malformed", "found XML that cannot be read, expected a whole document; left out")
    else:
        findings.facts["truncated"] = True
        findings.problem(
            len(document.lines), "truncated", "found truncated XML, expected its end; the complete part is read"
        )
    return root
