"""What vnstat prints of its database: JSON, XML, one line with semicolons, and its tables.

Versions: 1.11 to 2.13: ``--json`` and ``--xml`` (version 1 and 2), ``--oneline`` (also ``b``), and all tables of text.

Units and traps
---------------
- JSON and XML of version 2 are bytes; of version 1 they are KiB. ``--oneline b`` is bytes, ``--oneline`` is rounded:
  KiB and KB are 1024 bytes, kB (UnitMode 2) is 1000.
- The totals of an interface, which grow since vnstat began to watch it, are a sample at the time of the last update.
- Rows of rates are of the finest kind that the file has: five minutes, else hours, else days. The facts have the times
  at which intervals begin, as the file does, and rates over whole intervals; the last interval is seldom over: in the
  table of rates it ends with the last update.
- Tables are rounded, and their times are local. Months, weeks, years and the lines of summaries overlap the days: they
  are `amounts` in the facts. Estimates of vnstat are left out. Totals since the beginning are a sample without a time.
- An interface whose counters began anew may have overflowed vnstat's database: amounts of 2**62 bytes and more cannot
  be and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from xml.etree.ElementTree import Element

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.counters.json_parts import values_of
from hecn_analysis.counters.programs.readings import local_day, local_time, moment
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("vnstat-json", "vnstat-xml", "vnstat-oneline", "vnstat-text")
VERSIONS: Final = "vnstat 1.11 to 2.13"
WHOLE: Final = False

_KINDS: Final = (
    ("five minutes", ("fiveminute", "fiveminutes"), 300),
    ("hours", ("hour", "hours"), 3600),
    ("days", ("day", "days"), 86400),
)
_SIZE: Final = r"(\d{1,20}(?:[.,]\d{1,3})?)(?: ([KMGTPEk]i?B|B))?"
_SIZES: Final = ";".join([_SIZE] * 3)
_ONELINE: Final = re.compile(
    rf"^1;(?P<name>[^;\s]{{1,32}});[^;]{{1,20}};{_SIZES};[^;]+;[^;]+;{_SIZES};[^;]+;{_SIZES}\s*$", re.MULTILINE
)
_TITLE: Final = re.compile(
    r"^\s{0,8}(?P<name>\S{1,32})(?: \([^)]{0,60}\))? {1,2}/ {1,2}"
    r"(?P<kind>5 minute|hourly|daily|weekly|monthly|yearly|top \d{1,4})\s*$"
)
#: First lines of summaries: "eth0 since 2026-01-05", " eth0:", and the kinds of rows below them.
_SUMMARY: Final = re.compile(r"^\s{0,8}(?P<name>[^\s:/|]{1,32})(?: \([^)]{0,60}\))?(?: since \d[\d/.-]{5,10}|:)\s*$")
_PART: Final = re.compile(r"^\s{0,16}(?P<kind>monthly|daily)\s*$")
_AMOUNT: Final = r"\d{1,12}(?:[.,]\d{1,3})?"
_ROW: Final = re.compile(
    r"^\s+(?P<time>\d\d:\d\d|\d{4}-\d\d-\d\d|\d\d/\d\d/\d{2,4}|\d\d\.\d\d\.\d{2,4})\s+"
    rf"(?P<in>{_AMOUNT}) (?P<in_unit>[KMGTPEk]i?B|B) \|\s+(?P<out>{_AMOUNT}) (?P<out_unit>[KMGTPEk]i?B|B) \|"
)
_ANY: Final = re.compile(
    r"^\s{0,40}(?P<label>[\w'][\w './-]{0,30}?)\s{1,16}"
    rf"(?P<in>{_AMOUNT}) (?P<in_unit>[KMGTPEk]i?B|B)\s{{1,8}}[|/]\s{{1,16}}"
    rf"(?P<out>{_AMOUNT}) (?P<out_unit>[KMGTPEk]i?B|B)\s{{1,8}}[|/]\s{{1,16}}{_AMOUNT} (?:[KMGTPEk]i?B|B)\b"
)
_TOTALS: Final = re.compile(
    rf"^\s{{1,40}}rx:\s{{1,16}}(?P<in>{_AMOUNT}) (?P<in_unit>[KMGTPEk]i?B|B)\s{{1,16}}"
    rf"tx:\s{{1,16}}(?P<out>{_AMOUNT}) (?P<out_unit>[KMGTPEk]i?B|B)\s{{1,16}}total:"
)
_DATE: Final = re.compile(r"^\s+(\d{4}-\d\d-\d\d)\s*$")
_TEXT_KINDS: Final = {"5 minute": ("five minutes", 300), "hourly": ("hours", 3600), "daily": ("days", 86400)}
_OVERFLOWN: Final = 1 << 62


_Intervals = dict[str, list[tuple[float, int, int]]]
"""By kind: begin of each interval, bytes received, bytes sent."""


@dataclass
class _Interface:
    name: str
    received: int | None
    sent: int | None
    updated: float | None
    intervals: _Intervals = field(default_factory=dict)


def recognises(document: Document) -> bool:
    """Whether JSON or XML of vnstat, its line or one of its tables is there."""
    if document.start.startswith("{"):
        return '"vnstatversion"' in document.start[:4096]
    if document.start.startswith("<"):
        return bool(re.search(r"<vnstat\b[^>]{0,80}xmlversion=", document.start[:4096]))
    return bool(_ONELINE.search(document.text)) or _has_tables(document)


def _has_tables(document: Document) -> bool:
    """Whether a title of a table, or a row of a summary below its interface, is there."""
    if any("/" in line and _TITLE.match(line) for line in document.lines):
        return True
    summaries = any(_SUMMARY.match(line) for line in document.lines)
    return summaries and any("iB" in line and _ANY.match(line) for line in document.lines)


def read(document: Document, findings: CounterFindings) -> None:
    """Read totals and intervals of all interfaces."""
    if document.start.startswith("{"):
        findings.format = "vnstat-json"
        _hand_over(list(_json(document, findings)), findings)
    elif document.start.startswith("<"):
        findings.format = "vnstat-xml"
        if document.xml is None:
            findings.problem(None, "malformed", "found XML that cannot be read, expected a whole document; left out")
        else:
            _hand_over(list(_xml(document.xml, findings)), findings)
    else:
        if _has_tables(document):
            findings.format = "vnstat-text"
            _tables(document, findings)
        if _ONELINE.search(document.text):
            findings.format = "vnstat-oneline"
            _lines(document, findings)


def _time(entry: Mapping[str, Any], findings: CounterFindings, name: str) -> float | None:
    """Time of an entry of an interface [s since 1970]: its time stamp, or its local date and time."""
    stamp = entry.get("timestamp")
    if isinstance(stamp, (int, float)):
        return None if moment(stamp) is None else float(stamp)
    date, clock = entry.get("date"), entry.get("time")
    if not isinstance(date, dict):
        return None
    is_day = not isinstance(clock, dict) and "hour" not in str(entry.get("kind"))
    clock = clock if isinstance(clock, dict) else {}
    hour = clock.get("hour", clock.get("hours", entry.get("id") if "hour" in str(entry.get("kind")) else 0))
    minute = clock.get("minute", clock.get("minutes", 0))
    try:
        fields = [int(value or 0) for value in (date["year"], date.get("month", 1), date.get("day", 1), hour, minute)]
        local = datetime(*fields)  # type: ignore[arg-type]  # noqa: DTZ001 - local
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if is_day:
        return local_day(findings, None, local)
    return local_time(findings, None, local, series=(name, entry.get("kind")))


def _overflown(received: object, sent: object, findings: CounterFindings) -> bool:
    """Whether an amount is vnstat's overflow of a counter that went back, reported once."""
    wrong = [amount for amount in (received, sent) if isinstance(amount, int) and amount >= _OVERFLOWN]
    said = f"found {max(wrong)} bytes, expected less than 2**62: an overflow of vnstat; left out" if wrong else ""
    if wrong and not any(row["message"] == said for row in findings.problems):
        findings.problem(None, "inconsistent", said)
    return bool(wrong)


def _entries(traffic: Mapping[str, Any], unit: int, findings: CounterFindings, name: str) -> _Intervals:
    by_kind = {}
    for kind, names, _ in _KINDS:
        entries = objects(next((traffic[name] for name in names if isinstance(traffic.get(name), list)), None))
        rows = []
        for entry in entries:
            time = _time({**entry, "kind": kind}, findings, name)
            received, sent = entry.get("rx"), entry.get("tx")
            if _overflown(received, sent, findings):
                continue
            if time is not None and isinstance(received, int) and isinstance(sent, int):
                rows.append((time, unit * received, unit * sent))
        if rows:
            by_kind[kind] = sorted(rows)
    return by_kind


def _json(document: Document, findings: CounterFindings) -> Iterator[_Interface]:
    for value in values_of(document, findings):
        links = value.get("interfaces") if isinstance(value, dict) else None
        version = str(value.get("jsonversion")) if isinstance(value, dict) else ""
        findings.facts["jsonversion"] = version
        unit = 1024 if version == "1" else 1
        for link in objects(links):
            traffic = link.get("traffic")
            if not isinstance(traffic, dict):
                continue
            name, updated = str(link.get("name", link.get("id", ""))), link.get("updated")
            yield _interface(
                name,
                traffic.get("total"),
                updated,
                _entries(traffic, unit, findings, name),
                unit=unit,
                findings=findings,
            )


def _interface(
    name: str, total: object, updated: object, intervals: _Intervals, *, unit: int, findings: CounterFindings
) -> _Interface:
    amounts = [total.get(way) if isinstance(total, dict) else None for way in ("rx", "tx")]
    if _overflown(amounts[0], amounts[1], findings):
        amounts = [None, None]
    received, sent = (unit * amount if isinstance(amount, int) else None for amount in amounts)
    return _Interface(
        name, received, sent, _time(updated, findings, name) if isinstance(updated, dict) else None, intervals
    )


def _plain(element: Element) -> dict[str, Any]:
    """Convert an entry of XML to the form of JSON."""
    entry: dict[str, Any] = {}
    for child in element:
        text = (child.text or "").strip()
        entry[child.tag] = _plain(child) if len(child) else int(text) if re.fullmatch(r"-?\d{1,20}", text) else text
    if re.fullmatch(r"\d{1,20}", element.get("id") or ""):
        entry["id"] = int(str(element.get("id")))
    return entry


def _xml(root: Element, findings: CounterFindings) -> Iterator[_Interface]:
    unit = 1024 if root.get("xmlversion") == "1" else 1
    findings.facts["xmlversion"] = root.get("xmlversion")
    for link in root.iter("interface"):
        traffic = link.find("traffic")
        if traffic is None:
            continue
        lists = {child.tag: [_plain(entry) for entry in child] for child in traffic if child.tag != "total"}
        total, updated = (
            _plain(element) if element is not None else None
            for element in (traffic.find("total"), link.find("updated"))
        )
        name = link.findtext("name") or link.get("name") or link.get("id") or ""
        yield _interface(name, total, updated, _entries(lists, unit, findings, name), unit=unit, findings=findings)


def _hand_over(links: list[_Interface], findings: CounterFindings) -> None:
    """Add totals as samples, and intervals of the finest kind as rates."""
    facts: list[dict[str, object]] = []
    begins: set[float] = set()
    for link in links:
        findings.sample(
            interface=link.name, time=link.updated, in_octets=link.received, out_octets=link.sent, counter_bits=64
        )
        for kind, _, length in _KINDS:
            rows = link.intervals.get(kind)
            if not rows:
                continue
            begins.update(time for time, _, _ in rows)
            for place, (time, received, sent) in enumerate(rows):
                last = place == len(rows) - 1 and link.updated is not None and time < link.updated < time + length
                end = link.updated if last and link.updated is not None else time + length
                findings.rate(
                    interface=link.name, time=end, interval_s=end - time, in_bps=8 * received / (end - time),
                    out_bps=8 * sent / (end - time),
                )  # fmt: skip
            series: dict[str, object] = {"name": f"{link.name} {kind}", "n": len(rows)}
            for way, column in (("in", 1), ("out", 2)):
                series[f"max_{way}_bps"] = max(8 * row[column] / length for row in rows)
                series[f"mean_{way}_bps"] = sum(8 * row[column] / length for row in rows) / len(rows)
            facts.append(series)
            break
    if begins:
        times = sorted(begins)
        findings.facts.update(
            series=facts, n_samples=len(times), first_time=iso(times[0]), last_time=iso(times[-1]),
            interval_s=interval(times),
        )  # fmt: skip


def _bytes(text: str, unit: str | None) -> int:
    """Bytes of a rounded size."""
    if not unit or unit == "B":
        return round(float(text.replace(",", ".")))
    base = 1000 if unit.startswith("k") else 1024
    return round(float(text.replace(",", ".")) * scale(unit, base))


def _lines(document: Document, findings: CounterFindings) -> None:
    for number, line in enumerate(document.lines, 1):
        if match := _ONELINE.match(line):
            sizes = match.groups()[1:]
            amounts = [_bytes(sizes[place], sizes[place + 1]) for place in range(0, len(sizes), 2)]
            received, sent = amounts[6:8]
            if any(sizes[1::2]):
                findings.problem(
                    number,
                    "unit",
                    "found sizes that vnstat has rounded, expected bytes ('--oneline b'); read as printed",
                )
            findings.facts["day"] = {"in_octets": amounts[0], "out_octets": amounts[1]}
            findings.sample(line=number, interface=match["name"], in_octets=received, out_octets=sent, counter_bits=64)


def _tables(document: Document, findings: CounterFindings) -> None:
    name, kind, length, of = "", "", 0, ""
    day: str | None = None
    begins: set[float] = set()
    for number, line in enumerate(document.lines, 1):
        if match := _TITLE.match(line) or _SUMMARY.match(line):
            name, day, kind = match["name"], None, match.groupdict().get("kind") or "summary"
            _, length = _TEXT_KINDS.get(kind, ("", 0))
        elif match := _DATE.match(line):
            day = match[1]
        elif name and length and (match := _ROW.match(line)):
            of = _TEXT_KINDS[kind][0]
            time = _row_time(match["time"], day, number, findings, (name, kind))
            begins |= set() if time is None else {time}
            received, sent = _both(match)
            findings.rate(
                line=number, interface=name, time=None if time is None else time + length, interval_s=length,
                in_bps=8 * received / length, out_bps=8 * sent / length,
            )  # fmt: skip
        elif name:
            kind = _amount(line, number, (name, kind), findings)
    if begins:
        times = sorted(begins)
        findings.facts.update(n_samples=len(times), first_time=iso(times[0]), last_time=iso(times[-1]), of=of)


def _both(match: re.Match[str]) -> tuple[int, int]:
    """Bytes received and sent."""
    return _bytes(match["in"], match["in_unit"]), _bytes(match["out"], match["out_unit"])


def _amount(line: str, number: int, known: tuple[str, str], findings: CounterFindings) -> str:
    """Read a row that is no interval of a known length; return the kind of the rows below it."""
    name, kind = known
    if match := _PART.match(line):
        return str(match["kind"])
    if match := _TOTALS.match(line):
        received, sent = _both(match)
        findings.sample(line=number, interface=name, in_octets=received, out_octets=sent, counter_bits=64)
        said = "found sizes that vnstat has rounded, expected bytes ('--oneline b'); read as printed"
        findings.problem(number, "unit", said)
    elif (match := _ANY.match(line)) and match["label"] != "estimated":
        received, sent = _both(match)
        own = {"interface": name, "of": kind, "label": match["label"], "line": number}
        amounts = findings.facts.setdefault("amounts", [])
        if isinstance(amounts, list):
            amounts.append({**own, "in_octets": received, "out_octets": sent})
    return kind


def _row_time(
    text: str, day: str | None, line: int, findings: CounterFindings, series: tuple[str, str]
) -> float | None:
    try:
        local = datetime.fromisoformat(f"{day} {text}" if day and ":" in text else text)
    except ValueError:
        return None
    return local_time(findings, line, local, series=series) if ":" in text else local_day(findings, line, local)
