r"""Metrics of Prometheus and OpenMetrics: what exporters answer, and what queries of Prometheus give.

Versions: text exposition 0.0.4 and OpenMetrics 1.0, of snmp_exporter, node_exporter (0.15 to 1.9), windows_exporter,
cAdvisor, Telegraf; JSON of ``/api/v1/query`` and ``query_range``; text of ``promtool query``.

Units and traps
---------------
- Values are floating-point numbers ("2.75461105921324e+14"), exact up to 2**53.
- Times stand behind the value: milliseconds in Prometheus' text, seconds in OpenMetrics. Usually there are none: then
  ``node_time_seconds`` is the time where it is given, otherwise it is missing.
- ``node_network_speed_bytes`` is bytes a second; -125000 (-1 Mb/s of the driver) means that it is not known.
- Packets of IF-MIB are unicast, multicast and broadcast apart: they are added up.
- Rates in the result of a query (no name of a metric) are left out: nothing says their unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.exporters import metrics
from hecn_analysis.counters.programs.readings import moment
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("prometheus", "openmetrics", "prometheus-json")
VERSIONS: Final = (
    "text 0.0.4, OpenMetrics 1.0, JSON of the HTTP API, promtool; node_exporter 0.15 to 1.9, snmp_exporter"
)
WHOLE: Final = True

_NAME: Final = r"[a-zA-Z_:][a-zA-Z0-9_:]{0,200}"
_VALUE: Final = r"[+-]?(?:\d[\d.]*+(?:e[+-]?\d{1,4})?|\.\d+|NaN|Inf|inf|nan)"
_LINE: Final = re.compile(
    rf"^(?P<name>{_NAME})(?![\w:])[ \t]*+(?:(?P<labels>\{{(?:[^\"}}]|\"(?:[^\"\\]|\\.)*+\")*+\}})[ \t]*+)?"
    rf"(?:=>[ \t]*+)?(?P<value>{_VALUE})(?:[ \t]+@?\[?(?P<time>-?\d[\d.]*+(?:e[+-]?\d{{1,4}})?)\]?)?"
    r"(?P<rest>[ \t]*(?:#.*)?)$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r'(?<![\w.:/-])(?P<name>[a-zA-Z_][\w.:/-]*+)\s*+=\s*"(?P<value>(?:[^"\\]|\\.)*+)"')
_COMMENT: Final = re.compile(rf"^(?:# )?(?:HELP|TYPE|UNIT) {_NAME}(?:[ \t].*)?$|^#(?: .*)?$")
_DECLARED: Final = re.compile(rf"^# (?:HELP|TYPE|UNIT) {_NAME}", re.MULTILINE)
_LOOKED_AT: Final = 200
_LISTED: Final = 20
_LONGEST: Final = 1.6e9  # s: an uptime of fifty years; more is a time of day without the time of the start
HOSTS: Final = ("instance", "agent_host", "hostname", "host", "source", "sysName")
INTERFACES: Final = ("ifName", "device", "interface", "nic", "ifDescr", "name")


def recognises(document: Document) -> bool:
    """Whether the first lines are metrics and comments, or it is an answer of the HTTP API."""
    if document.start.startswith("{"):
        return isinstance(_results(document.json), list)
    lines = [line for line in document.start.split("\n")[:_LOOKED_AT] if line.strip()]
    if document.start.count("\n") < len(document.lines) and len(lines) > 1:
        lines = lines[:-1]  # it may be cut
    ours = [line for line in lines if _COMMENT.match(line) or _LINE.match(line)]
    if not lines or len(ours) < len(lines) * 0.98:
        return False
    return bool(_DECLARED.search(document.start)) or any("{" in line for line in lines)


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of interfaces, and the number and times of all metrics."""
    samples = list(_metrics(document, findings))
    host = next(
        (
            str(sample.labels["nodename"])
            for sample in samples
            if sample.name == "node_uname_info" and "nodename" in sample.labels
        ),
        None,
    )
    clock = {sample.time: moment(sample.value) for sample in samples if sample.name == "node_time_seconds"}
    started = _uptimes(samples, host)
    interfaces: dict[tuple[Any, ...], tuple[dict[str, Any], dict[float | None, metrics.Collected]]] = {}
    for sample in samples:
        key = metrics.column(sample.name)
        if sample.name == "node_network_info":
            names, _ = _interface(sample, host, interfaces)
            state, address = sample.labels.get("operstate"), sample.labels.get("address", "")
            names.update(
                up=None if state in {None, "unknown"} else state == "up", alias=sample.labels.get("ifalias") or None
            )
            if re.fullmatch(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}", address):
                names["mac_address"] = address
        elif key is not None and any(label in sample.labels for label in (*INTERFACES, "ifIndex")):
            _, times = _interface(sample, host, interfaces)
            times.setdefault(sample.time, metrics.Collected(sample.line)).values[key] = sample.value
    for names, times in interfaces.values():
        for time, collected in times.items() or ((None, metrics.Collected(0)),):
            if (uptime := started.get((names["host"], time))) is not None:
                collected.values["uptime_s"] = uptime
            metrics.hand_over(findings, names, collected, clock.get(time, time) if clock else time)
    _facts(samples, findings)


@dataclass(frozen=True, slots=True)
class _Metric:
    line: int
    name: str
    labels: Mapping[str, str]
    value: float | int
    time: float | None


def _metrics(document: Document, findings: CounterFindings) -> Iterator[_Metric]:
    """Metrics one after another, those without a number left out."""
    if document.start.startswith("{"):
        findings.format = "prometheus-json"
        yield from _answer(_results(document.json) or [], findings)
        return
    is_open = bool(re.search(r"^# (?:EOF\s*$|UNIT )", document.text, re.MULTILINE))
    findings.format = "openmetrics" if is_open else "prometheus"
    scale = 1.0 if is_open else 1e-3
    for line, text in enumerate(document.lines, 1):
        if not text.strip() or _COMMENT.match(text):
            continue
        match = _LINE.match(text)
        if match is None:
            findings.problem(line, "malformed", f"found {text[:80]!r}, expected a metric with its value; left out")
            continue
        value = _value(match["value"])
        if value is not None:
            stamp = number(match["time"]) if match["time"] else None
            time = None if stamp is None else moment(stamp * (1.0 if "@[" in text else scale))
            labels = {label["name"]: _unescaped(label["value"]) for label in _LABEL.finditer(match["labels"] or "")}
            yield _Metric(line, match["name"], labels, value, time)


def _value(text: str) -> float | int | None:
    return int(text) if text.isdecimal() and len(text) <= 20 else number(text)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text) if "\\" in text else text


def _results(value: Any) -> Any:  # noqa: ANN401 - of any JSON
    """Results in a response of the HTTP API; None for other documents."""
    data = value.get("data") if isinstance(value, dict) else None
    return data.get("result") if isinstance(data, dict) and "resultType" in data else None


def _answer(results: list[Any], findings: CounterFindings) -> Iterator[_Metric]:
    unnamed = 0
    for result in objects(results):
        labels = result.get("metric")
        if not isinstance(labels, dict):
            continue
        labels = {str(name): str(value) for name, value in labels.items()}
        name = labels.pop("__name__", None)
        if name is None:
            unnamed += 1
            continue
        pairs = result.get("values")
        for pair in pairs if isinstance(pairs, list) else [result.get("value")]:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], (int, float)):
                value = _value(str(pair[1]))
                if value is not None:
                    yield _Metric(1, name, labels, value, moment(pair[0]))
    if unnamed:
        findings.problem(
            None,
            "ambiguous",
            f"found {unnamed} results without the name of a metric, expected counters by their names; left out, for "
            "nothing says their unit",
        )


_Known = dict[tuple[Any, ...], tuple[dict[str, Any], dict[float | None, metrics.Collected]]]


def _interface(
    sample: _Metric, host: str | None, known: _Known
) -> tuple[dict[str, Any], dict[float | None, metrics.Collected]]:
    """Names of the interface that a metric is of, and what has been collected of it."""
    labels = sample.labels
    index = labels.get("ifIndex", "")
    name = next((labels[label] for label in INTERFACES if labels.get(label)), None)
    names = {
        "host": next((labels[label] for label in HOSTS if labels.get(label)), host),
        "interface": name,
        "index": int(index) if index.isdecimal() else None,
        "description": labels.get("ifDescr") or None,
        "alias": labels.get("ifAlias") or None,
    }
    more = (labels.get("namespace"), labels.get("pod"), labels.get("id"), labels.get("job"))
    return known.setdefault(
        (names["host"], names["index"], name if names["index"] is None else None, more), (names, {})
    )


def _uptimes(samples: list[_Metric], host: str | None) -> dict[tuple[str | None, float | None], float]:
    """Time since the start of agents (sysUpTime, in hundredths of a second) and hosts, by host and time. [s]."""
    result: dict[tuple[str | None, float | None], float] = {}
    boots: dict[tuple[str | None, float | None], float] = {}
    for sample in samples:
        key = (next((sample.labels[label] for label in HOSTS if sample.labels.get(label)), host), sample.time)
        if sample.name == "sysUpTime":
            result[key] = sample.value / 100
        elif sample.name == "node_boot_time_seconds":
            boots[key] = sample.value
        elif sample.name == "node_time_seconds":
            result[key] = sample.value
    for key, boot in boots.items():
        now = result.get(key)
        if now is None or now < boot:
            result.pop(key, None)
        else:
            result[key] = now - boot
    return {key: value for key, value in result.items() if 0 <= value < _LONGEST}


def _facts(samples: list[_Metric], findings: CounterFindings) -> None:
    names = {sample.name for sample in samples}
    if any(name.startswith("node_") for name in names):
        findings.facts["source"] = "node_exporter"
    elif any(name.startswith("windows_") for name in names):
        findings.facts["source"] = "windows_exporter"
    elif any(name in metrics.IF_MIB or name == "sysUpTime" for name in names):
        findings.facts["source"] = "snmp_exporter"
    if not findings.samples and not findings.interfaces:
        findings.facts["interfaces"] = []
    findings.facts["n_metrics"] = len(samples)
    if len(samples) <= _LISTED:
        findings.facts["metrics"] = [
            {"name": sample.name, "labels": dict(sample.labels), "value": sample.value, "timestamp_s": sample.time}
            for sample in samples
        ]
    memory = next(
        (sample.value for sample in samples if sample.name in {"node_memory_MemTotal_bytes", "node_memory_MemTotal"}),
        None,
    )
    if memory is not None:
        findings.facts["memory_bytes"] = int(memory)
    times = sorted({sample.time for sample in samples if sample.time is not None})
    if times:
        findings.facts.update(n_samples=len(times), first_time=iso(times[0]), last_time=iso(times[-1]))
