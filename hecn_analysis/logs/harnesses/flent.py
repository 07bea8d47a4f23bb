"""Data files of flent (and netperf-wrapper before it): one run for each direction.

Versions: netperf-wrapper 0.4 to 0.8 and flent 0.9 to 2.1, file formats 1 to 4, JSON.

Units and traps
---------------
- Rates are Mbits/s, 10**6 bit; UDP floods of old versions say "bits/s" and mean it. Times are ms.
- The rate is the mean that flent stored with the series ("MEAN_VALUE"), which is what the tool below it reported. The
  mean of the values differs, since the load differs in the first and last seconds. It is used, with a problem, if no
  mean is stored.
- With several flows the series "… sum" is read; "… avg", "… totals" and "… fairness" derive from the same flows.
- "upload" is sent by the host that wrote the file. Flows without either word ("TCP cubic 2") are uploads in all of
  flent's tests.
- The times are those of the ping beside the transfer, the series "Ping (ms) ICMP"; those of UDP and HTTP are not read.
  With pings to several hosts the run has no times.
- "TCP_RETRANSMIT" is a number for downloads, a string of digits for uploads.
- A test without a transfer is one run with times only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hecn_analysis.logs.contract import Array, DocumentReader, Run, RunFindings
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number, utc_time, words

_FLOW: Final = re.compile(r"(?P<protocol>TCP|UDP|SCTP|QUIC)\b(?P<way>.{0,60}?\b(?:upload|download)|)(?P<rest>.*)")
_MADE: Final = re.compile(r"\b(?P<kind>sum|total|totals|avg|fairness|baseline|RTT)$")
_DECIMAL: Final = re.compile(r"\d{1,18}")
_UNITS: Final = {"Mbits/s": 1e6, "bits/s": 1.0}
_LARGEST: Final = 1e12
_PROTOCOLS: Final = {"TCP": "tcp", "UDP": "udp"}


@dataclass
class _Way:
    """The series of one direction."""

    protocol: str
    flows: list[str]
    total: str | None = None


class Flent(DocumentReader):
    """Reader of flent's data files."""

    TOOLS: tuple[str, ...] = ("flent",)
    VERSIONS: str = "netperf-wrapper 0.4 to 0.8, flent 0.9 to 2.1"
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"metadata", "results", "x_values"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._computed: list[str] = []

    def take(self, document: JsonDocument) -> bool:
        """Take a data file."""
        metadata, results = document.value["metadata"], document.value["results"]
        if not isinstance(metadata, dict) or not isinstance(results, dict) or "NAME" not in metadata:
            return False
        self._computed = []
        shared = self._shared(document, metadata)
        ways = _ways(document)
        for direction, way in ways.items():
            columns = {
                **shared,
                "protocol": _PROTOCOLS.get(way.protocol),
                "direction": direction,
                "streams": len(way.flows) or None,
                "throughput_bps": self._rate(document, way),
                "retransmits": _total([_retransmits(document, name) for name in way.flows]),
            }
            streams = [self._stream(document, number, name) for number, name in enumerate(way.flows)]
            run = Run(document.first, document.last, columns, streams)
            if (shown := way.total or (way.flows[0] if len(way.flows) == 1 else None)) is not None:
                run.intervals = _intervals(document, shown)
            self.findings.run(run)
        if not ways:
            protocol = "icmp" if "rtt_avg_s" in shared else None
            self.findings.run(Run(document.first, document.last, {**shared, "protocol": protocol}))
        if self._computed:
            self.findings.problem(
                document.last,
                "ambiguous",
                f"found no stored mean of {', '.join(map(repr, self._computed))}, expected 'MEAN_VALUE'; "
                "the mean of the values is taken",
            )
        return True

    def _shared(self, document: JsonDocument, metadata: dict[str, Any]) -> dict[str, object]:
        columns: dict[str, object] = {"tool": "flent", "label": words(metadata.get("NAME"))}
        columns["tool_version"] = words(metadata.get("FLENT_VERSION") or metadata.get("NETPERF_WRAPPER_VERSION"))
        columns["duration_s"] = number(metadata.get("LENGTH"))
        columns["start_time"] = utc_time(metadata.get("TIME"))
        series = document.value["results"]
        pings = [name for name in series if name.startswith("Ping (ms) ICMP") and "(extra)" not in name]
        if len(pings) == 1:
            about = at(metadata, "SERIES_META", pings[0])
            times = (number(at(about, "MIN_VALUE")), self._mean(document, pings[0]), number(at(about, "MAX_VALUE")))
            for column, value in zip(("rtt_min_s", "rtt_avg_s", "rtt_max_s"), times, strict=True):
                columns[column] = None if value is None else value / 1e3
        return columns

    def _rate(self, document: JsonDocument, way: _Way) -> float | None:
        """Return the rate [bit/s] of a direction: flent's sum, else the sum of the flows."""
        if way.total is not None and _stored(document, way.total) is not None:
            return self._bits(document, way.total)
        rates = [self._bits(document, name) for name in way.flows]
        known = [rate for rate in rates if rate is not None]
        return sum(known) if known and len(known) == len(rates) else None

    def _bits(self, document: JsonDocument, name: str) -> float | None:
        """Return the mean rate [bit/s] of a series."""
        mean = self._mean(document, name)
        return mean * _unit(document, name) if mean is not None and 0 <= mean < _LARGEST else None

    def _mean(self, document: JsonDocument, name: str) -> float | None:
        """Return the mean of a series in its own unit: the stored one, else that of its values."""
        stored = _stored(document, name)
        if stored is None:
            values = _values(at(document.value, "results", name))
            if not np.isfinite(values).any():
                return None
            if name not in self._computed:
                self._computed.append(name)
            stored = float(np.nanmean(values))
        return stored

    def _stream(self, document: JsonDocument, position: int, name: str) -> dict[str, object]:
        return {
            "stream": position,
            "line": document.last,
            "throughput_bps": self._bits(document, name),
            "retransmits": _retransmits(document, name),
        }


def _ways(document: JsonDocument) -> dict[str, _Way]:
    """Return the series of rates by direction, send first."""
    ways: dict[str, _Way] = {}
    for name, values in document.value["results"].items():
        match = _FLOW.fullmatch(name)
        if match is None or not isinstance(values, list) or "::tcp_" in name:
            continue
        made = _MADE.search(name)
        if made is not None and (made["kind"] not in {"sum", "total"} or not match["way"]):
            continue
        direction = "receive" if match["way"].endswith("download") else "send"
        way = ways.setdefault(direction, _Way(match["protocol"], []))
        if made is None:
            way.flows.append(name)
        elif way.total is None or len(name) < len(way.total):
            way.total = name
    return {direction: ways[direction] for direction in ("send", "receive") if direction in ways}


def _stored(document: JsonDocument, name: str) -> float | None:
    return number(at(document.value, "metadata", "SERIES_META", name, "MEAN_VALUE"))


def _unit(document: JsonDocument, name: str) -> float:
    return _UNITS.get(str(at(document.value, "metadata", "SERIES_META", name, "UNITS")), 1e6)


def _retransmits(document: JsonDocument, name: str) -> int | None:
    stored = at(document.value, "metadata", "SERIES_META", name, "TCP_RETRANSMIT")
    retransmits = int(stored) if isinstance(stored, str) and _DECIMAL.fullmatch(stored) else count(stored)
    return retransmits if retransmits is not None and 0 <= retransmits < 2**62 else None


def _total(amounts: list[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None


def _values(series: object) -> Array:
    """Return the values of a series, NaN where missing or impossible."""
    values = [number(value) for value in series] if isinstance(series, list) else []
    array = np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.where((array >= 0) & (array < _LARGEST), array, np.nan)


def _intervals(document: JsonDocument, name: str) -> dict[str, Array]:
    """Return the rows of a series; a value is the rate from its time until a step later."""
    times, values = _values(document.value["x_values"]), _values(at(document.value, "results", name))
    step = number(at(document.value, "metadata", "STEP_SIZE"))
    if not step or step <= 0 or len(times) != len(values):
        return {}
    known = np.isfinite(times)
    return {
        "line": np.full(int(known.sum()), float(document.last)),
        "t_start_s": times[known],
        "t_end_s": times[known] + step,
        "throughput_bps": values[known] * _unit(document, name),
    }
