"""Runs of packet captures: in a folder without another rate, the connections that carry the data are the transfer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from hecn_analysis.base import tables
from hecn_analysis.captures import Capture
from hecn_analysis.runs.alike import with_conditions

TOOL: Final = "packet capture"

#: Directions with less than this share of the data of the largest are no part of the transfer. [1]
_SHARE: Final = 0.1

#: Less than this shows requests and answers, and no rate of a transfer. [B]
_LEAST: Final = 1_000_000


def runs_of(captures: tuple[Capture, ...]) -> pd.DataFrame:
    """One run for each capture with a transfer, as `with_conditions` has them, with ``asked.local`` and ``…remote``."""
    rows = [row for number, capture in enumerate(captures) for row in _runs(capture, number)]
    ends = [(row.pop("source"), row.pop("destination")) for row in rows]
    runs = with_conditions(tables.make("runs", rows))
    return runs.assign(**{"asked.local": [local for local, _ in ends], "asked.remote": [other for _, other in ends]})


def _runs(capture: Capture, number: int) -> Iterator[dict[str, Any]]:
    """The large directions of a capture between the ends of the largest, as a run."""
    largest = capture.directions[0] if capture.directions else None
    if largest is None or largest.bytes < _LEAST or not largest.duration_s > 0:
        return
    ends = _hosts(largest.ends)
    streams = [
        direction
        for direction in capture.directions
        if direction.bytes >= _SHARE * largest.bytes and _hosts(direction.ends) == ends
    ]
    amount, duration = sum(stream.bytes for stream in streams), max(stream.duration_s for stream in streams)
    yield {
        "source_file": capture.source_file,
        "run": number,
        "line_first": largest.first,
        "line_last": largest.first,
        "tool": TOOL,
        "protocol": "tcp",
        "direction": "send",
        "streams": len(streams),
        "duration_s": duration,
        "bytes": amount,
        "throughput_bps": 8 * amount / duration,
        "rtt_min_s": largest.rtt_min_s,
        "mss_bytes": largest.mss_bytes,
        "error": False,
        **dict(zip(("source", "destination"), ends, strict=True)),
    }


def _hosts(ends: str) -> tuple[str, str]:
    """Addresses of "10.0.0.1:4000 > 10.0.0.2:5201", without ports."""
    source, _, destination = ends.partition(" > ")
    return source.rpartition(":")[0].strip("[]"), destination.rpartition(":")[0].strip("[]")
