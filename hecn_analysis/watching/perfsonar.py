"""Results of perfSONAR archives over HTTP: esmond and its successor elmond, and OpenSearch with pScheduler's results.

Versions: esmond 2 and elmond (perfSONAR 4 and 5: ``/esmond/perfsonar/archive/``), and the documents that perfSONAR 5's
Logstash pipeline writes into the indices ``pscheduler_…`` of OpenSearch or Elasticsearch.

Units and traps
---------------
- Throughput is bit/s, the loss a fraction, the round-trip time of iperf3 microseconds.
- esmond lists the tests, and keeps each figure of a test as pairs of time ("ts") and value ("val"). Figures of one
  result have the same time.
- An answer with as many values as the server returns at most may be cut: its half times are asked again.
- A document of OpenSearch is a result, whose address is its name here. An answer without some of its shards is no
  answer, for it may come whole the next time.
- Failed tests are results without a rate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import quote, unquote

import pandas as pd

from hecn_analysis.parsing.json_values import at, count, number, objects, utc_time, words
from hecn_analysis.watching.remote import Found, Since, seconds
from hecn_analysis.watching.web import Address, Client, SourceError

#: Values that a server returns at most unless more are asked for.
_PAGE: Final = 1000

#: Largest page of OpenSearch (index.max_result_window).
_LARGEST_PAGE: Final = 10_000

#: Times so close are not asked apart. [s]
_CLOSE_S: Final = 60

_LONGEST_KEY: Final = 128

_FIELDS: Final = (
    "pscheduler.start_time",
    "pscheduler.tool",
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


class Esmond:
    """Throughput tests of an archive of esmond."""

    def __init__(self, address: Address) -> None:
        self.name = address.name
        self._stem = address.url if address.url.endswith("/") else f"{address.url}/"
        self._client = Client(replace(address, url=self._stem), scheme="Token")
        self._updated: dict[str, object] = {}

    def owns(self, file: str) -> bool:
        """Whether a name is that of a test of this archive."""
        return file.startswith(self._stem)

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:
        """Yield the results since a time; of tests without news only if it is thorough."""
        first_s = int(since(self.name))
        for test in self._tests(first_s, notes):
            key = str(test["metadata-key"])
            events = {str(event.get("event-type")): event for event in objects(test.get("event-types"))}
            updated = [events.get(name, {}).get("time-updated") for name in ("throughput", "failures")]
            if not is_thorough and updated != [None, None] and self._updated.get(key) == updated:
                continue
            yield from self._results(key, test, events.keys(), int(since(self._file(key))), notes)
            self._updated[key] = updated

    def _file(self, key: str) -> str:
        return f"{self._stem}{key}/throughput/base"

    def _tests(self, first_s: int, notes: set[str]) -> Iterator[dict[str, Any]]:
        """Tests of throughput with results since a time, page by page."""
        asked = {"format": "json", "event-type": "throughput", "time-start": first_s, "limit": _PAGE}
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
        ends = [words(test.get(f"input-{end}")) or words(test.get(end)) for end in ("source", "destination")]
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
            yield _found(self._file(key), moment, time, columns, ends, error)

    def _values(self, key: str, name: str, first_s: int, last_s: int, notes: set[str]) -> dict[int, object]:
        """Values of a figure by their time, from the times asked for; of two with one time the first."""
        answer = self._client.ask(f"{key}/{name}/base", {"format": "json", "time-start": first_s, "time-end": last_s})
        if not isinstance(answer, list):
            raise SourceError(f"{key}/{name}: found {_kind(answer)}, expected a list of times and values")
        values: dict[int, object] = {}
        for point in answer:
            moment = count(at(point, "ts"))
            if moment is None or not 0 <= moment < 1 << 33 or "val" not in point:
                notes.add(f"{key}/{name}: found {_kind(point)}, expected 'ts' and 'val'; left out")
            else:
                values.setdefault(moment, point["val"])
        if len(answer) < _PAGE or last_s - first_s <= _CLOSE_S or any(not first_s <= one <= last_s for one in values):
            return values
        middle = (first_s + last_s) // 2
        return {
            **self._values(key, name, first_s, middle, notes),
            **self._values(key, name, middle + 1, last_s, notes),
        }


class OpenSearch:
    """Throughput results of pScheduler in OpenSearch or Elasticsearch."""

    def __init__(self, address: Address) -> None:
        self.name = address.name
        if address.url.endswith("/_search"):
            self._base, _, self._index = address.url.removesuffix("/_search").rpartition("/")
        else:
            self._base, self._index = address.url.rstrip("/"), "pscheduler*"
        self._client = Client(replace(address, url=f"{self._base}/{self._index}/_search"))

    def owns(self, file: str) -> bool:
        """Whether a name is that of a document of its indices."""
        index, separator, _ = file.removeprefix(f"{self._base}/").partition("/_doc/")
        is_wanted = any(fnmatchcase(index, pattern) for pattern in unquote(self._index).split(","))
        return file.startswith(f"{self._base}/") and bool(separator) and is_wanted

    def find(self, since: Since, notes: set[str], *, is_thorough: bool) -> Iterator[Found]:  # noqa: ARG002 - of Source
        """Yield the results since a time, which alone says how thorough a look is."""
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

    def _page(self, start: pd.Timestamp, size: int) -> list[dict[str, Any]]:
        wanted = [
            {"range": {"pscheduler.start_time": {"gte": start.isoformat()}}},
            {"match": {"test.type": "throughput"}},
        ]
        body = {
            "size": size,
            "sort": [{"pscheduler.start_time": {"order": "asc", "unmapped_type": "date"}}],
            "query": {"bool": {"filter": wanted}},
            "_source": list(_FIELDS),
        }
        answer = self._client.ask(body=body)
        hits = at(answer, "hits", "hits")
        if not isinstance(hits, list):
            raise SourceError(f"found {_kind(answer)}, expected 'hits' of OpenSearch; the address ends in /opensearch/")
        shards = at(answer, "_shards")
        if at(answer, "timed_out") is True or (isinstance(shards, dict) and shards.get("failed")):
            failed = at(shards, "failed")
            raise SourceError(f"its answer lacks {failed} of {at(shards, 'total')} shards; check its health")
        return objects(hits)


def _of_document(name: str, time: pd.Timestamp, document: Mapping[str, Any], notes: set[str]) -> Iterator[Found]:
    spec, result = at(document, "test", "spec"), at(document, "result")
    ends = [
        words(at(document, "meta", end, "hostname")) or words(at(spec, own)) or words(at(document, "meta", end, "ip"))
        for end, own in (("source", "source"), ("destination", "dest"))
    ]
    rate = _amount(at(result, "throughput"))
    if rate is None:
        rate = _amount(at(result, "throughput_bits"))
    error = None
    if at(result, "succeeded") is False:
        rate, error = None, (words(at(result, "error")) or "no reason").strip()
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


def _kind(value: object) -> str:
    """A value in a few words: what it says if it is an error, else its kind."""
    said = at(value, "detail") or at(value, "error", "reason") or at(value, "error")
    if isinstance(said, str):
        return repr(said[:100])
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, sorted(map(str, value))[:3])) or 'nothing'}"
    return "a list" if isinstance(value, list) else repr(value)[:100]
