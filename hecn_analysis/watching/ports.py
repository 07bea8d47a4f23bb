"""Traffic of ports from Prometheus and InfluxDB over HTTP: hourly mean rates of the counters that they keep.

Versions: the HTTP API of Prometheus 2 and 3 and of what speaks it (``/api/v1/query_range``); InfluxQL over ``/query``
of InfluxDB 1, and of InfluxDB 2 where its database is mapped to a bucket; Flux over ``/api/v2/query`` of InfluxDB 2.

Units and traps
---------------
- Counters count bytes; the server makes rates of them, over whole hours that have passed. The name of a counter tells
  its direction and unit, so a query may select series of it, and compute nothing.
- Prometheus' ``rate`` allows for resets of a counter, and extends what it saw of an hour to all of it.
- InfluxDB's derivative of the last reading of each hour leaves out hours with a reset. After an hour without a reading
  it is the mean of several hours: the hour after one without a rate is left out.
- Flux returns the last reading of each hour; differences are taken here, and hours with a reset are left out. Its CSV
  may have several tables, each with a head of its own, and ends with one of an error if the query failed midway.
- An answer with a warning, or a partial one, is no answer.
"""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

import pandas as pd

from hecn_analysis.base.errors import InputError
from hecn_analysis.counters.exporters import influx, metrics, prometheus
from hecn_analysis.parsing.json_values import at, number, objects, utc_time
from hecn_analysis.watching.remote import Found, Since
from hecn_analysis.watching.web import Address, Client, SourceError

_HOUR_S: Final = 3600

#: Readings of an hour have arrived so long after it. [s]
_ARRIVED_S: Final = 120

#: Times that are asked for at once: a day of ten thousand ports is some 10 MB. [s]
_AT_ONCE_S: Final = 24 * _HOUR_S

_METRICS: Final = (
    'node_network_receive_bytes_total{device!="lo"}',
    'node_network_transmit_bytes_total{device!="lo"}',
    "ifHCInOctets",
    "ifHCOutOctets",
)
_SELECTOR: Final = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*+\")*+\})?", re.ASCII)
_FIELDS: Final = ("bytes_recv", "bytes_sent", "ifHCInOctets", "ifHCOutOctets")


def _way(column: str | None) -> str | None:
    """Direction of a counter of octets, by the name that the readers of counters give it."""
    return next((way for way in ("in", "out") if column is not None and column.startswith(f"{way}_octets")), None)


class _Ports:
    """Hourly rates of counters of ports, each counter with the name of its results."""

    def __init__(self, address: Address, counters: Mapping[str, str], scheme: str) -> None:
        self.name = address.name
        self._client = Client(address, scheme=scheme)
        self._counters = counters
        self._asked_s: dict[str, int] = {}

    def owns(self, file: str) -> bool:
        """Whether a name is that of one of its counters."""
        return file in self._counters.values()

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:
        """Yield the rates since a time, of whole hours, as soon as one has passed."""
        last_s = int(time.time() - _ARRIVED_S) // _HOUR_S * _HOUR_S
        for counter, file in self._counters.items():
            if not is_thorough and self._asked_s.get(file) == last_s:
                continue
            first_s = int(since(file)) // _HOUR_S * _HOUR_S
            while first_s < last_s:
                until_s = min(first_s + _AT_ONCE_S, last_s)
                yield from self._rates(counter, file, first_s, until_s, notes)
                first_s = until_s
            self._asked_s[file] = last_s

    def _rates(self, counter: str, file: str, first_s: int, last_s: int, notes: set[str]) -> Iterator[Found]:
        """Rates of the hours from a time to another."""
        way = _way(metrics.column(counter.partition("{")[0]) or metrics.FIELDS.get(counter))
        seen = set[tuple[str, str, int]]()
        for host, port, end_s, bytes_per_s in self._means(counter, first_s, last_s):
            key = (host, port, end_s)
            if key in seen:
                notes.add(f"found several counters {counter} of port {port} of {host}, expected one; narrow the query")
                continue
            seen.add(key)
            row = {
                "source_file": file,
                "host": host,
                "interface": port,
                "time": pd.Timestamp(end_s, unit="s", tz="UTC"),
                "interval_s": float(_HOUR_S),
                f"{way}_bps": 8 * bytes_per_s,
                "flag": "given",
            }
            yield Found((file, host, port, end_s), {"rates": [row]})

    def _means(self, counter: str, first_s: int, last_s: int) -> Iterator[tuple[str, str, int, float]]:
        """Host, port, end of the hour, and bytes per second."""
        raise NotImplementedError


class Prometheus(_Ports):
    """Counters of ports in Prometheus; the address may name one of them, with its labels, as ``query``."""

    def __init__(self, address: Address) -> None:
        base = address.url.partition("/api/v1")[0] + "/api/v1/query_range"
        query = address.parameters.get("query")
        if query is not None:
            match = _SELECTOR.fullmatch(query.strip())
            if match is None or _way(metrics.column(match["name"])) is None:
                raise InputError(
                    f"the query {query!r}",
                    'a counter of bytes of ports with its labels, such as ifHCInOctets{instance="sw1"}',
                    advice="leave out rate() and factors",
                )
        asked = replace(address, url=base, parameters={} if query is None else {"query": query.strip()})
        counters = _METRICS if query is None else (query.strip(),)
        named = {counter: replace(asked, parameters={"query": counter}).name for counter in counters}
        super().__init__(asked, named, "Bearer")

    def _means(self, counter: str, first_s: int, last_s: int) -> Iterator[tuple[str, str, int, float]]:
        query = f"rate({counter}[1h])"
        times = {"start": first_s + _HOUR_S, "end": last_s, "step": _HOUR_S}
        answer = self._client.ask(parameters={"query": query, **times})
        if at(answer, "status") != "success" or at(answer, "data", "resultType") != "matrix":
            raise SourceError(f"found {_start(answer)}, expected series of Prometheus; check the address and its query")
        if at(answer, "warnings"):
            raise SourceError(f"its answer may be partial: {_start(at(answer, 'warnings'))}; check what it reads from")
        for result in objects(at(answer, "data", "result")):
            host, port = _names(at(result, "metric"), prometheus.HOSTS, prometheus.INTERFACES)
            for end_s, mean in _points(at(result, "values")):
                yield host, port, end_s, mean


class Influx(_Ports):
    """Counters of ports that Telegraf wrote into a database of InfluxDB."""

    def __init__(self, address: Address) -> None:
        database = address.parameters.get("db")
        if not database:
            raise InputError(f"the address {address.name!r}", "the database of InfluxDB, such as …/query?db=telegraf")
        asked = replace(address, parameters={"db": database})
        named = {field: f"{asked.url}?{urlencode({'db': database, 'field': field})}" for field in _FIELDS}
        super().__init__(asked, named, "Token")

    def _means(self, counter: str, first_s: int, last_s: int) -> Iterator[tuple[str, str, int, float]]:
        query = (
            f'SELECT non_negative_derivative(last("{counter}"), 1s) FROM /.+/ '  # noqa: S608 - a name of ours
            f"WHERE time >= {first_s - _HOUR_S}s AND time < {last_s}s GROUP BY time(1h), *"
        )
        answer = self._client.ask(parameters={**self._client.address.parameters, "epoch": "s", "q": query})
        results = objects(at(answer, "results"))
        if not results or any("error" in each for each in results):
            said = next((each["error"] for each in results if "error" in each), answer)
            raise SourceError(f"found {_start(said)}, expected series of InfluxDB; check the address and its database")
        series = [row for result in results for row in objects(result.get("series"))]
        if any(each.get("partial") for each in (*results, *series)):
            raise SourceError("its answer is partial; raise its max-row-limit")
        for row in series:
            host, port = _names(at(row, "tags"), influx.HOSTS, influx.INTERFACES)
            before_s: int | None = None
            for start_s, mean in _points(at(row, "values")):
                if start_s >= first_s and before_s == start_s - _HOUR_S:
                    yield host, port, start_s + _HOUR_S, mean
                before_s = start_s


class Flux(_Ports):
    """Counters of ports that Telegraf wrote into a bucket of InfluxDB 2."""

    def __init__(self, address: Address) -> None:
        parameters = address.parameters
        self._bucket = parameters.get("bucket", "")
        owner = next((name for name in ("org", "orgID") if parameters.get(name)), None)
        if not self._bucket or owner is None:
            raise InputError(
                f"the address {address.name!r}",
                "the organisation and the bucket of InfluxDB 2, such as …/api/v2/query?org=net&bucket=telegraf",
            )
        asked = replace(address, parameters={owner: parameters[owner]})
        of_bucket = {owner: parameters[owner], "bucket": self._bucket}
        named = {field: f"{asked.url}?{urlencode({**of_bucket, 'field': field})}" for field in _FIELDS}
        super().__init__(asked, named, "Token")
        self.name = replace(address, parameters=of_bucket).name

    def _means(self, counter: str, first_s: int, last_s: int) -> Iterator[tuple[str, str, int, float]]:
        start, stop = (pd.Timestamp(moment, unit="s").isoformat() + "Z" for moment in (first_s - _HOUR_S, last_s))
        bucket = json.dumps(self._bucket).replace("${", "\\${")  # which Flux would replace
        query = (
            f"from(bucket: {bucket}) |> range(start: {start}, stop: {stop})"
            f' |> filter(fn: (r) => r._field == "{counter}")'
            ' |> aggregateWindow(every: 1h, fn: last, createEmpty: false, timeSrc: "_start")'
        )
        text = self._client.ask_text({"query": query, "type": "flux"}, accept="application/csv")
        readings: dict[tuple[str, ...], dict[int, float]] = {}
        for row in _rows(text):
            if row.get("error"):
                raise SourceError(f"found {row['error'][:100]!r}, expected series of InfluxDB; check its bucket")
            time, value = utc_time(row.get("_time")), row.get("_value", "")
            if time is None or not value.replace(".", "", 1).isdecimal():
                raise SourceError(f"found {_start(text)}, expected '_time' and '_value' of Flux; check the address")
            labels = tuple(f"{name}={row[name]}" for name in sorted(row) if name not in _OWN_COLUMNS)
            readings.setdefault(labels, {})[int(time.timestamp())] = float(value)
        for labels, by_start in readings.items():
            host, port = _names(dict(label.split("=", 1) for label in labels), influx.HOSTS, influx.INTERFACES)
            for start_s, bytes_read in sorted(by_start.items()):
                before = by_start.get(start_s - _HOUR_S)
                if before is not None and bytes_read >= before and start_s >= first_s:
                    yield host, port, start_s + _HOUR_S, (bytes_read - before) / _HOUR_S


#: Columns of Flux that are no tags.
_OWN_COLUMNS: Final = frozenset(("", "result", "table", "_start", "_stop", "_time", "_value"))


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Rows of the tables of Flux's CSV, each by the head of its table."""
    head: list[str] | None = None
    for cells in csv.reader(io.StringIO(text, newline="")):
        if not any(cells):
            head = None
        elif cells[0].startswith("#"):
            continue
        elif head is None:
            head = cells
            if not {"_value", "error"} & set(head):
                raise SourceError(f"found {_start(text)}, expected CSV of InfluxDB 2; check the path of the address")
        elif len(cells) == len(head):
            yield dict(zip(head, cells, strict=True))
        else:
            raise SourceError(f"found a row of {len(cells)} cells, expected {len(head)}; its answer may be cut")


def _names(labels: object, hosts: tuple[str, ...], interfaces: tuple[str, ...]) -> tuple[str, str]:
    """Host and port that labels or tags name."""
    known = labels if isinstance(labels, dict) else {}
    host, port = (next((str(known[name]) for name in names if known.get(name)), "") for names in (hosts, interfaces))
    return host or "unknown", port or "unknown"


def _points(values: object) -> Iterator[tuple[int, float]]:
    """Times and values of a series that are numbers."""
    for pair in values if isinstance(values, list) else ():
        moment, value = number(at(pair, 0)), at(pair, 1)
        amount = number(value)
        if amount is None and isinstance(value, str):
            try:
                amount = number(float(value))
            except ValueError:
                amount = None
        if moment is not None and amount is not None and amount >= 0:
            yield int(moment), amount


def _start(value: Any) -> str:  # noqa: ANN401 - any JSON
    return repr(value if isinstance(value, str) else json.dumps(value))[:100]
