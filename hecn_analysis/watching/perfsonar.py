"""Results of perfSONAR archives over HTTP: esmond and its successor elmond, and OpenSearch with pScheduler's results.

Versions: esmond 2 and elmond (perfSONAR 4 and 5: ``/esmond/perfsonar/archive/``), and the documents that perfSONAR 5's
Logstash pipeline writes into the indices ``pscheduler_…`` of OpenSearch or Elasticsearch.

Units and traps
---------------
- Throughput is bit/s, the loss a fraction, the round-trip time of iperf3 microseconds. Delays of esmond are
  milliseconds; of OpenSearch delays one way are milliseconds, round-trip times seconds (elmond's map of its fields).
- Delays and losses of esmond are read by the hour where it keeps hourly summaries: powstream has a result each minute.
- esmond lists the tests, and keeps each figure of a test as pairs of time ("ts") and value ("val"). Figures of one
  result have the same time.
- An answer with as many values as the server returns at most may be cut: its half times are asked again.
- Routes of esmond are lists of answers with their "ttl", those of OpenSearch lists of hops.
- Of background tests (latencybg), OpenSearch computes the least delay and the loss of each hour.
- A document of OpenSearch is a result, whose address is its name here. An answer without some of its shards is no
  answer, for it may come whole the next time.
- Failed tests are results without a rate.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import quote, unquote

import pandas as pd

from hecn_analysis.parsing.json_values import at, count, number, objects, utc_time, words
from hecn_analysis.runs.rates import PATH_TOOLS
from hecn_analysis.watching.remote import Found, Since, seconds
from hecn_analysis.watching.web import Address, Client, SourceError

#: Values that a server returns at most unless more are asked for.
_PAGE: Final = 1000

#: Largest page of OpenSearch (index.max_result_window).
_LARGEST_PAGE: Final = 10_000

#: Times so close are not asked apart. [s]
_CLOSE_S: Final = 60

_LONGEST_KEY: Final = 128

#: Event types of esmond that hold delays, each with that of the loss beside it and the tool where none is named.
_DELAYS: Final = {
    "histogram-owdelay": ("packet-loss-rate", "owping"),
    "histogram-rtt": ("packet-loss-rate-bidir", "ping"),
}

#: Length of the summaries of delays and losses [s], and the place of values without a summary.
_HOUR_S: Final = 3600
_BASE: Final = "base"

#: Event type of esmond that holds routes, the most hops of one, and what names a hop.
_TRACE: Final = "packet-trace"
_MOST_HOPS: Final = 64
_HOST: Final = re.compile(r"[\w.:-]{1,255}", re.ASCII)

#: Types of pScheduler's tests in OpenSearch; those of delays with the tool where none is named.
_OF_DELAYS: Final = {"rtt": "ping", "latency": "owping"}
_TYPES: Final = ("throughput", *_OF_DELAYS, "trace")

#: The type with a result each minute, which is asked for by the hour, and hours of tests in one answer.
_BACKGROUND: Final = "latencybg"
_BUCKETS: Final = 1000

#: Hourly results have arrived so long after their hour. [s]
_ARRIVED_S: Final = 300

_FIELDS: Final = (
    "pscheduler.start_time",
    "pscheduler.tool",
    "test.type",
    "test.spec",
    "meta.source",
    "meta.destination",
    "result.succeeded",
    "result.error",
    "result.throughput",
    "result.throughput_bits",
    "result.retransmits",
    "result.mss",
    "result.rtt",
    "result.packets_sent",
    "result.packets_lost",
    "result.latency.min",
    "result.packets.sent",
    "result.packets.lost",
    "result.packets.loss",
    "result.json",
)


def _found(  # noqa: PLR0917 - what identifies a result, and what it says
    file: str,
    run: int,
    time: pd.Timestamp,
    columns: Mapping[str, object],
    ends: Sequence[str | None],
    error: str | None,
) -> Found:
    """A result as rows of the archive."""
    known = {name: value for name, value in columns.items() if value is not None}
    shared = {"source_file": file, "run": run, "start_time": time, "direction": "send", "error": error is not None}
    rows: dict[str, list[dict[str, object]]] = {
        "runs": [{**shared, **known}],
        "statements": [
            {"source_file": file, "line": 1, "name": name, "value": host, "says": host}
            for name, host in zip(("asked.local", "asked.remote"), ends, strict=True)
            if host
        ],
    }
    if error is not None:
        said = {"kind": "aborted", "message": f"found {error[:300]!r}, expected a result"}
        rows["problems"] = [{"source_file": file, **said}]
    return Found((file, str(run), "", seconds(time)), rows)


def _fraction(value: object) -> float | None:
    share = number(value)
    return share if share is not None and 0 <= share <= 1 else None


def _amount(value: object) -> float | None:
    """A number of at least 0; esmond writes those of a test as text."""
    if isinstance(value, str) and value.replace(".", "", 1).isdecimal() and value.isascii():
        return float(value)
    amount = number(value)
    return amount if amount is not None and amount >= 0 else None


def _whole(value: object, least: int = 0) -> int | None:
    whole = count(_amount(value))
    return whole if whole is not None and whole >= least else None


def _protocol(value: object) -> str | None:
    return value if value in ("tcp", "udp") else None


def _tool(value: object, default: str) -> str:
    """A tool that looks at paths, without the program that ran it."""
    tool = (words(value) or "").rpartition("/")[2]
    return tool if tool in PATH_TOOLS else default


class Esmond:
    """Tests of an archive of esmond: throughput, delay and loss."""

    def __init__(self, address: Address) -> None:
        self.name = address.name
        self._stem = address.url if address.url.endswith("/") else f"{address.url}/"
        self._client = Client(replace(address, url=self._stem), scheme="Token")
        self._updated: dict[tuple[str, str], object] = {}

    def owns(self, file: str) -> bool:
        """Whether a name is that of a test of this archive."""
        return file.startswith(self._stem)

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:
        """Yield the results since a time; of tests without news only if it is thorough."""
        for test in self._tests(int(since(self.name)), notes):
            key = str(test["metadata-key"])
            events = {str(event.get("event-type")): event for event in objects(test.get("event-types"))}
            for kind in (kind for kind in ("throughput", *_DELAYS, _TRACE) if kind in events):
                updated = [events.get(name, {}).get("time-updated") for name in (kind, "failures")]
                if not is_thorough and updated != [None, None] and self._updated.get((key, kind)) == updated:
                    continue
                since_s = int(since(self._file(key, kind)))
                if kind in _DELAYS:
                    yield from self._delays(key, test, events, kind, since_s, notes)
                elif kind == _TRACE:
                    yield from self._traces(key, test, since_s, notes)
                else:
                    yield from self._results(key, test, events.keys(), since_s, notes)
                self._updated[key, kind] = updated

    def _file(self, key: str, kind: str) -> str:
        return f"{self._stem}{key}/{kind}/base"

    def _tests(self, first_s: int, notes: set[str]) -> Iterator[dict[str, Any]]:
        """Tests of all kinds with results since a time, page by page."""
        asked = {"format": "json", "time-start": first_s, "limit": _PAGE}
        offset, seen = 0, set[str]()
        while True:
            answer = self._client.ask("", {**asked, "offset": offset})
            if not isinstance(answer, list):
                raise SourceError(
                    f"found {_kind(answer)}, expected esmond's list of tests; "
                    "the address ends in /esmond/perfsonar/archive/"
                )
            for test in objects(answer):
                key = test.get("metadata-key")
                if not isinstance(key, str) or not key.isalnum() or not key.isascii() or len(key) > _LONGEST_KEY:
                    notes.add("found a test without 'metadata-key', expected one in each; left out")
                elif key not in seen:
                    seen.add(key)
                    yield test
            offset += len(answer)
            if len(answer) < _PAGE:
                return

    def _results(
        self, key: str, test: Mapping[str, Any], events: Collection[str], first_s: int, notes: set[str]
    ) -> Iterator[Found]:
        end_s = int(pd.Timestamp.now("UTC").timestamp()) + 86400
        figures = {
            name: self._values(key, name, first_s, end_s, notes)
            for name in ("throughput", "packet-retransmits", "packet-loss-rate", "failures")
            if name in events
        }
        ends = _ends(test)
        tool = (words(test.get("tool-name")) or "pscheduler").rpartition("/")[2]
        shared = {
            "tool": tool,
            "protocol": _protocol(test.get("ip-transport-protocol")),
            "duration_s": _amount(test.get("time-duration")),
            "streams": _whole(test.get("bw-parallel-streams"), 1),
        }
        rates, failed = figures.get("throughput", {}), figures.get("failures", {})
        for moment in sorted({*rates, *failed}):
            rate = _amount(rates.get(moment))
            if moment in rates and rate is None:
                notes.add(f"{key}: found the throughput {_kind(rates[moment])}, expected bit/s; left out")
                continue
            error = None
            if rate is None:
                error = words(at(failed[moment], "error")) or "no reason"
            columns = {
                **shared,
                "throughput_bps": rate,
                "retransmits": _whole(figures.get("packet-retransmits", {}).get(moment)),
                "loss_fraction": _fraction(figures.get("packet-loss-rate", {}).get(moment)),
            }
            time = pd.Timestamp(moment, unit="s", tz="UTC")
            yield _found(self._file(key, "throughput"), moment, time, columns, ends, error)

    def _delays(  # noqa: PLR0917 - what is asked for
        self,
        key: str,
        test: Mapping[str, Any],
        events: Mapping[str, Mapping[str, Any]],
        kind: str,
        first_s: int,
        notes: set[str],
    ) -> Iterator[Found]:
        """Delays and losses of a test, of hours that have passed where the archive keeps them by the hour."""
        loss, default = _DELAYS[kind]
        end_s = int(pd.Timestamp.now("UTC").timestamp())
        by_hour = _summary(events[kind], "statistics")
        delays = self._values(key, kind, first_s, end_s, notes, summary=by_hour)
        losses: dict[int, object] = {}
        if loss in events:
            losses = self._values(key, loss, first_s, end_s, notes, summary=_summary(events[loss], "aggregations"))
        ends = _ends(test)
        shared = {
            "tool": _tool(test.get("tool-name"), default),
            "protocol": _protocol(test.get("ip-transport-protocol")),
        }
        for moment in sorted({*delays, *losses}):
            if by_hour != _BASE and moment + _HOUR_S > end_s:
                continue
            delay_ms = _least(delays.get(moment))
            if moment in delays and delay_ms is None:
                notes.add(f"{key}/{kind}: found {_kind(delays[moment])}, expected delays above 0 ms; left out")
            columns = {
                **shared,
                "rtt_min_s": None if delay_ms is None else delay_ms / 1e3,
                "loss_fraction": _fraction(losses.get(moment)),
            }
            time = pd.Timestamp(moment, unit="s", tz="UTC")
            yield _found(self._file(key, kind), moment, time, columns, ends, None)

    def _traces(self, key: str, test: Mapping[str, Any], first_s: int, notes: set[str]) -> Iterator[Found]:
        """Routes of a test; several answers to one hop have the same "ttl"."""
        end_s = int(pd.Timestamp.now("UTC").timestamp())
        for moment, value in sorted(self._values(key, _TRACE, first_s, end_s, notes).items()):
            hops: list[list[object]] = []
            for place, answer in ((count(answer.get("ttl")), answer) for answer in objects(value)):
                if place is not None and 0 < place <= _MOST_HOPS:
                    hops += [[] for _ in range(place - len(hops))]
                    hops[place - 1].append(answer)
            time, ends = pd.Timestamp(moment, unit="s", tz="UTC"), _ends(test)
            yield from _of_trace(
                self._file(key, _TRACE), moment, time, hops, _tool(test.get("tool-name"), "traceroute"), ends, notes
            )

    def _values(  # noqa: PLR0917 - what is asked for
        self, key: str, name: str, first_s: int, last_s: int, notes: set[str], summary: str = _BASE
    ) -> dict[int, object]:
        """Values of a figure by their time, from the times asked for; of two with one time the first."""
        asked = {"format": "json", "time-start": first_s, "time-end": last_s}
        answer = self._client.ask(f"{key}/{name}/{summary}", asked)
        if not isinstance(answer, list):
            raise SourceError(f"{key}/{name}: found {_kind(answer)}, expected a list of times and values")
        values: dict[int, object] = {}
        for point in answer:
            moment = count(at(point, "ts"))
            if moment is None or not 0 <= moment < 1 << 33 or "val" not in point:
                notes.add(f"{key}/{name}: found {_kind(point)}, expected 'ts' and 'val'; left out")
            else:
                values.setdefault(moment, point["val"])
        if (
            len(answer) < _PAGE
            or last_s - first_s <= _CLOSE_S
            or any(not first_s <= value <= last_s for value in values)
        ):
            return values
        middle = (first_s + last_s) // 2
        return {
            **self._values(key, name, first_s, middle, notes, summary),
            **self._values(key, name, middle + 1, last_s, notes, summary),
        }


def _ends(test: Mapping[str, Any]) -> list[str | None]:
    """Hosts of a test, as they were named, else by address."""
    return [words(test.get(f"input-{end}")) or words(test.get(end)) for end in ("source", "destination")]


def _summary(event: Mapping[str, Any], kind: str) -> str:
    """Place of the values of an event: its hourly summary, if the archive keeps one."""
    kept = [
        (words(part.get("summary-type")), str(part.get("summary-window"))) for part in objects(event.get("summaries"))
    ]
    return f"{kind}/{_HOUR_S}" if (kind, str(_HOUR_S)) in kept else _BASE


def _least(value: object) -> float | None:
    """The least delay of statistics or of a histogram, in their unit, if it is above 0."""
    if not isinstance(value, dict):
        return None
    values = [value["minimum"]] if "minimum" in value else list(value)
    known = [amount for each in values if (amount := _amount(each)) is not None]
    return min(known) if known and min(known) > 0 else None


class OpenSearch:
    """Results of pScheduler in OpenSearch or Elasticsearch: throughput, round-trip time and delay one way."""

    def __init__(self, address: Address) -> None:
        self.name = address.name
        if address.url.endswith("/_search"):
            self._base, _, self._index = address.url.removesuffix("/_search").rpartition("/")
        else:
            self._base, self._index = address.url.rstrip("/"), "pscheduler*"
        self._client = Client(replace(address, url=f"{self._base}/{self._index}/_search"))
        self._background = f"{self._base}/{self._index}/{_BACKGROUND}"
        self._asked_s = -1

    def owns(self, file: str) -> bool:
        """Whether a name is that of a document of its indices, or of its hourly delays."""
        if file == self._background:
            return True
        index, separator, _ = file.removeprefix(f"{self._base}/").partition("/_doc/")
        is_wanted = any(fnmatchcase(index, pattern) for pattern in unquote(self._index).split(","))
        return file.startswith(f"{self._base}/") and bool(separator) and is_wanted

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:
        """Yield the results since a time, oldest first, then the hourly delays of hours that have passed."""
        yield from self._documents(since, notes)
        last_s = int(pd.Timestamp.now("UTC").timestamp() - _ARRIVED_S) // _HOUR_S * _HOUR_S
        if is_thorough or self._asked_s != last_s:
            yield from self._hours(int(since(self._background)) // _HOUR_S * _HOUR_S, last_s, notes)
            self._asked_s = last_s

    def _documents(self, since: Since, notes: set[str]) -> Iterator[Found]:
        start, size, seen = pd.Timestamp(since(self.name), unit="s", tz="UTC"), _PAGE, set[str]()
        while True:
            hits = self._page(start, size)
            last = start
            for hit in hits:
                name = f"{self._base}/{quote(str(hit.get('_index')))}/_doc/{quote(str(hit.get('_id')), safe='')}"
                time = utc_time(at(hit, "_source", "pscheduler", "start_time"))
                if time is None or not isinstance(hit.get("_id"), str):
                    notes.add(f"{name}: found no 'pscheduler.start_time', expected a time in UTC; left out")
                    continue
                last = max(last, time)
                if name not in seen:
                    seen.add(name)
                    yield from _of_document(name, time, hit["_source"], notes)
            if len(hits) < size:
                return
            if last == start:  # all of the page at one time
                if size == _LARGEST_PAGE:
                    raise SourceError(
                        f"more than {size} results at {start.isoformat()}; narrow the index of the address"
                    )
                size = _LARGEST_PAGE
            start = last

    def _hours(self, first_s: int, last_s: int, notes: set[str]) -> Iterator[Found]:
        """Least delay and loss of each test and hour between two times, which the server computes, oldest first."""
        times = [pd.Timestamp(moment, unit="s", tz="UTC").isoformat() for moment in (first_s, last_s)]
        wanted = [
            {"range": {"pscheduler.start_time": {"gte": times[0], "lt": times[1]}}},
            {"term": {"test.type": _BACKGROUND}},
        ]
        sources = [
            {"hour": {"date_histogram": {"field": "pscheduler.start_time", "fixed_interval": "1h"}}},
            {"test": {"terms": {"field": "pscheduler.test_checksum"}}},
        ]
        figures = {
            "delay": {"min": {"field": "result.latency.min"}},
            "sent": {"sum": {"field": "result.packets.sent"}},
            "lost": {"sum": {"field": "result.packets.lost"}},
            "about": {"top_hits": {"size": 1, "_source": list(_FIELDS)}},
        }
        composite: dict[str, object] = {"size": _BUCKETS, "sources": sources}
        while True:
            hours = {"composite": composite, "aggs": figures}
            body = {"size": 0, "query": {"bool": {"filter": wanted}}, "aggs": {"hours": hours}}
            answer = self._whole(self._client.ask(body=body))
            buckets = objects(at(answer, "aggregations", "hours", "buckets"))
            for bucket in buckets:
                yield from self._of_hour(bucket, notes)
            after = at(answer, "aggregations", "hours", "after_key")
            if len(buckets) < _BUCKETS or after is None:
                return
            composite = {**composite, "after": after}

    def _of_hour(self, bucket: Mapping[str, Any], notes: set[str]) -> Iterator[Found]:
        """One hour of a test."""
        moment_ms, test = count(at(bucket, "key", "hour")), words(at(bucket, "key", "test"))
        hits = at(bucket, "about", "hits", "hits")
        document = at(hits[0], "_source") if isinstance(hits, list) and hits else None
        ends = _ends_of_document(document)
        if moment_ms is None or test is None or None in ends:
            notes.add(f"{_BACKGROUND}: found {_kind(bucket)}, expected an hour of a test with its hosts; left out")
            return
        delay_ms, sent, lost = (_amount(at(bucket, name, "value")) for name in ("delay", "sent", "lost"))
        is_share = sent is not None and lost is not None and 0 <= lost <= sent and sent > 0
        columns = {
            "tool": _tool(at(document, "pscheduler", "tool"), "powstream"),
            "protocol": "udp",
            "label": " ".join(str(end) for end in ends),
            "rtt_min_s": delay_ms / 1e3 if delay_ms else None,
            "sent_packets": _whole(sent) if is_share else None,
            "lost_packets": _whole(lost) if is_share else None,
            "loss_fraction": lost / sent if is_share else None,  # type: ignore[operator]  # both are known then
        }
        if columns["rtt_min_s"] is None and not is_share:
            notes.add(
                f"{_BACKGROUND}: found an hour without delay and packets, expected 'result.latency.min'; left out"
            )
            return
        run = int(hashlib.sha256(test.encode()).hexdigest()[:12], 16)
        time = pd.Timestamp(moment_ms, unit="ms", tz="UTC")
        yield _found(self._background, run, time, columns, (None, None), None)

    def _page(self, start: pd.Timestamp, size: int) -> list[dict[str, Any]]:
        wanted = [
            {"range": {"pscheduler.start_time": {"gte": start.isoformat()}}},
            {"terms": {"test.type": list(_TYPES)}},
        ]
        body = {
            "size": size,
            "sort": [{"pscheduler.start_time": {"order": "asc", "unmapped_type": "date"}}],
            "query": {"bool": {"filter": wanted}},
            "_source": list(_FIELDS),
        }
        return objects(self._whole(self._client.ask(body=body))["hits"]["hits"])

    def _whole(self, answer: Any) -> Any:  # noqa: ANN401 - any JSON
        """An answer of all shards; SourceError for others."""
        hits = at(answer, "hits", "hits")
        if not isinstance(hits, list):
            raise SourceError(f"found {_kind(answer)}, expected 'hits' of OpenSearch; the address ends in /opensearch/")
        shards = at(answer, "_shards")
        if at(answer, "timed_out") is True or (isinstance(shards, dict) and shards.get("failed")):
            failed = at(shards, "failed")
            raise SourceError(f"its answer lacks {failed} of {at(shards, 'total')} shards; check its health")
        return answer


def _ends_of_document(document: object) -> list[str | None]:
    """Hosts of a document, by name, as they were asked for, or by address."""
    spec = at(document, "test", "spec")
    return [
        words(at(document, "meta", end, "hostname")) or words(at(spec, own)) or words(at(document, "meta", end, "ip"))
        for end, own in (("source", "source"), ("destination", "dest"))
    ]


def _of_document(name: str, time: pd.Timestamp, document: Mapping[str, Any], notes: set[str]) -> Iterator[Found]:
    spec, result = at(document, "test", "spec"), at(document, "result")
    ends = _ends_of_document(document)
    error = None
    if at(result, "succeeded") is False:
        error = (words(at(result, "error")) or "no reason").strip()
    kind = words(at(document, "test", "type"))
    if kind == "trace":
        paths = at(result, "json")
        first = paths[0] if isinstance(paths, list) and paths and isinstance(paths[0], list) else paths
        hops = [[hop] for hop in first] if isinstance(first, list) else []
        if error is None:
            tool = _tool(at(document, "pscheduler", "tool"), "traceroute")
            yield from _of_trace(name, 0, time, hops, tool, ends, notes)
        return
    if kind in _OF_DELAYS:
        tool = _tool(at(document, "pscheduler", "tool"), _OF_DELAYS[kind])
        yield from _of_delays(name, time, result, tool, ends, error, notes)
        return
    rate = _amount(at(result, "throughput"))
    if rate is None:
        rate = _amount(at(result, "throughput_bits"))
    if error is not None:
        rate = None
    elif rate is None:
        notes.add(f"{name}: found no 'result.throughput', expected bit/s; left out")
        return
    sent, lost = _whole(at(result, "packets_sent")), _whole(at(result, "packets_lost"))
    is_share = sent is not None and lost is not None and 0 <= lost <= sent and sent > 0
    rtt_us = _amount(at(result, "rtt"))
    columns = {
        "tool": words(at(document, "pscheduler", "tool")) or "pscheduler",
        "protocol": "udp" if at(spec, "udp") is True else "tcp",
        "duration_s": _amount(at(spec, "duration")),
        "streams": _whole(at(spec, "parallel"), 1),
        "throughput_bps": rate,
        "retransmits": _whole(at(result, "retransmits")),
        "mss_bytes": _whole(at(result, "mss"), 1),
        "rtt_s": None if not rtt_us else rtt_us / 1e6,
        "sent_packets": sent,
        "lost_packets": lost,
        "loss_fraction": lost / sent if is_share else None,  # type: ignore[operator]  # both are known then
    }
    yield _found(name, 0, time, columns, ends, error)


def _of_delays(  # noqa: PLR0917 - parts of the document
    name: str,
    time: pd.Timestamp,
    result: object,
    tool: str,
    ends: Sequence[str | None],
    error: str | None,
    notes: set[str],
) -> Iterator[Found]:
    """A result of a test of delays: the least one, and the loss."""
    rtt_s, delay_ms = _amount(at(result, "rtt", "min")), _amount(at(result, "latency", "min"))
    least = rtt_s or (delay_ms / 1e3 if delay_ms else None)
    loss = _fraction(at(result, "packets", "loss"))
    if error is None and least is None and loss is None:
        notes.add(f"{name}: found no 'result.rtt.min', 'result.latency.min' or 'result.packets.loss'; left out")
        return
    columns = {
        "tool": tool,
        "rtt_min_s": None if error else least,
        "loss_fraction": None if error else loss,
        "sent_packets": _whole(at(result, "packets", "sent")),
        "lost_packets": _whole(at(result, "packets", "lost")),
    }
    yield _found(name, 0, time, columns, ends, error)


def _of_trace(  # noqa: PLR0917 - what identifies a result, and what it says
    file: str,
    run: int,
    time: pd.Timestamp,
    hops: Sequence[Sequence[object]],
    tool: str,
    ends: Sequence[str | None],
    notes: set[str],
) -> Iterator[Found]:
    """A trace: its route, in the form of `hecn_analysis.statements.routes`, told by its time."""
    route = " ".join(",".join(dict.fromkeys(filter(None, map(_host, hop)))) or "*" for hop in hops[:_MOST_HOPS])
    if not route.strip("* "):
        notes.add(f"{file}: found a trace without 'ip' in any hop, expected addresses; left out")
        return
    found = _found(file, run, time, {"tool": tool}, ends, None)
    stated = {"source_file": file, "line": 1, "name": "path.route", "value": route, "says": time.isoformat()}
    yield Found(found.identity, {**found.rows, "statements": [*found.rows["statements"], stated]})


def _host(hop: object) -> str | None:
    """Address of a hop, with its name if it has one."""
    address, name = words(at(hop, "ip")), words(at(hop, "hostname"))
    if address is None or not _HOST.fullmatch(address):
        return None
    return f"{name}({address})" if name is not None and name != address and _HOST.fullmatch(name) else address


def _kind(value: object) -> str:
    """A value in a few words: what it says if it is an error, else its kind."""
    said = at(value, "detail") or at(value, "error", "reason") or at(value, "error")
    if isinstance(said, str):
        return repr(said[:100])
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, sorted(map(str, value))[:3])) or 'nothing'}"
    return "a list" if isinstance(value, list) else repr(value)[:100]
