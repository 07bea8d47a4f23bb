r"""InfluxDB's line protocol, as Telegraf writes it: ``measurement,tag=… field=1i,field=2 time``.

Versions: Telegraf's inputs net, snmp (IF-MIB), ethtool, nsdp, docker and gnmi (OpenConfig); any other writer that uses
their fields.

Units and traps
---------------
- Whole numbers end in i, unsigned ones in u; text stands in quotes; blanks, commas and equals signs in names have a
  backslash in front.
- Times are nanoseconds; shorter ones are told by their number of digits.
- Every line is a reading of its own; lines of one interface at one time are put together.
- net's ``speed`` and IF-MIB's ifHighSpeed are Mb/s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.exporters import metrics
from hecn_analysis.counters.programs.readings import moment
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("influx-line",)
VERSIONS: Final = "InfluxDB 1 and 2; Telegraf's net, snmp, ethtool, nsdp, docker, gnmi"
WHOLE: Final = True

_KEY: Final = r"(?:\\.|[^\\,=\s\"])(?:\\.|[^\\,=\s])*+"
_FIELD: Final = rf'{_KEY}=(?:"(?:[^"\\]|\\.)*+"|[^\s,"=]+)'
_LINE: Final = re.compile(
    rf"^(?P<measurement>(?:\\.|[^\\,\s#{{<=])(?:\\.|[^\\,\s=])*+)(?P<tags>(?:,{_KEY}=(?:\\.|[^\\,=\s])*+)*+)"
    rf"[ ](?P<fields>{_FIELD}(?:,{_FIELD})*+)(?:[ ](?P<time>-?\d{{1,19}}))?[ ]*$"
)
_PAIR: Final = re.compile(rf'(?<![^,])(?<!\\,)(?P<name>{_KEY})=(?P<value>"(?:[^"\\]|\\.)*+"|(?:\\.|[^\\,\s])*+)')
_LOOKED_AT: Final = 100
HOSTS: Final = ("agent_host", "device_name", "hostname", "host", "source", "device_ip", "device", "sysName")
INTERFACES: Final = ("ifName", "interface", "interface_name", "device_port", "ifDescr", "name", "network")


def recognises(document: Document) -> bool:
    """Whether the first lines are of the protocol, with tags or a time."""
    lines = [line for line in document.start.split("\n")[:_LOOKED_AT] if line.strip() and not line.startswith("#")]
    if document.start.count("\n") + 1 < len(document.lines):
        lines = lines[:-1]
    points = [match for line in lines if (match := _LINE.match(line))]
    return any(point["tags"] or point["time"] for point in points) and len(points) >= len(lines) * 0.98


@dataclass(frozen=True, slots=True)
class _Point:
    line: int
    measurement: str
    tags: dict[str, str]
    fields: dict[str, Any]
    time: float | None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of interfaces."""
    findings.format = "influx-line"
    samples: dict[tuple[Any, ...], tuple[_Point, dict[str, Any], metrics.Collected]] = {}
    readings = points = 0
    times, every = [], []
    for point in _points(document, findings):
        points += 1
        if point.time is not None:
            every.append(point.time)
        values = _values(point)
        if not values:
            continue
        readings += 1
        if point.time is not None:
            times.append(point.time)
        names = _names(point)
        key = (point.measurement, names["host"], names["index"], names["interface"], point.time)
        samples.setdefault(key, (point, names, metrics.Collected(point.line)))[2].values.update(values)
    facts = []
    for point, names, collected in samples.values():
        row = metrics.hand_over(findings, names, collected, point.time)
        facts.append(
            {
                "name": names["interface"],
                "index": names["index"],
                "device": names["host"],
                "port": point.tags.get("device_port"),
                **{name: value for name, value in row.items() if name not in {"host", "interface", "index"}},
            }
        )
    findings.facts["interfaces"] = facts
    findings.facts["n_samples"] = readings or points
    times = times or every
    if times:
        findings.facts.update(first_time=_exact(min(times)), last_time=_exact(max(times)))


def _exact(seconds: float) -> str:
    return iso(round(seconds, 6))


def _points(document: Document, findings: CounterFindings) -> Iterator[_Point]:
    for line, text in enumerate(document.lines, 1):
        if not text.strip() or text.startswith("#"):
            continue
        match = _LINE.match(text)
        if match is None:
            findings.problem(line, "malformed", f"found {text[:80]!r}, expected a line of the protocol; left out")
            continue
        tags = {_plain(pair["name"]): _plain(pair["value"]) for pair in _PAIR.finditer(match["tags"])}
        fields = {_plain(pair["name"]): _field(pair["value"]) for pair in _PAIR.finditer(match["fields"])}
        yield _Point(line, _plain(match["measurement"]), tags, fields, _seconds(match["time"]))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


def _field(text: str) -> Any:  # noqa: ANN401 - a number or text
    if text.startswith('"'):
        return _plain(text[1:-1])
    digits = text[:-1] if text[-1:] in {"i", "u"} else text
    return int(digits) if re.fullmatch(r"-?\d{1,20}", digits) else number(digits)


def _seconds(text: str | None) -> float | None:
    """Time of a text, by its digits nanoseconds, microseconds, milliseconds or seconds. [s since 1970]."""
    if text is None:
        return None
    digits = len(text.lstrip("-"))
    return moment(int(text) / (1e9 if digits > 16 else 1e6 if digits > 13 else 1e3 if digits > 10 else 1))


def _values(point: _Point) -> dict[str, float | int]:
    """Values of the counters in a point, by the names of `metrics`; empty if it is not of an interface."""
    named = any(tag in point.tags for tag in INTERFACES) or any(name in point.fields for name in ("ifName", "ifDescr"))
    if not named or (point.measurement == "net" and point.tags.get("interface") == "all"):
        return {}
    values = {}
    for name, value in point.fields.items():
        key = metrics.column(name.rsplit("/", 1)[-1].replace("-", "_"), metrics.FIELDS)
        if key == "state" and isinstance(value, str):
            value = 1 if re.match(r"up\b|1$", value, re.IGNORECASE) else 2  # noqa: PLW2901 - IF-MIB's number
        if key and isinstance(value, (int, float)):
            values[key] = value
    return values if any("octets" in name or "packets" in name or "err" in name for name in values) else {}


def _names(point: _Point) -> dict[str, Any]:
    given = {**{name: value for name, value in point.fields.items() if isinstance(value, str)}, **point.tags}
    index = point.tags.get("ifIndex", str(point.fields.get("ifIndex", "")))
    return {
        "host": next((given[tag] for tag in HOSTS if given.get(tag)), None),
        "interface": next((given[tag] for tag in INTERFACES if given.get(tag)), None),
        "index": int(index) if index.isdecimal() else None,
        "description": given.get("ifDescr"),
        "alias": given.get("ifAlias") or None,
    }
