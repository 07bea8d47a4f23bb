"""The course of connections that ``ss -ti`` sampled several times: rate, windows and RTT from sample to sample.

``ss`` prints no time. The age of a sender that received nothing but a request is its "lastrcv", else its busy time,
which stands still while the program has nothing to send.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pandas as pd

from hecn_analysis.files.documents import Document
from hecn_analysis.runs.course import COURSE
from hecn_analysis.statements import sockets


@dataclass(frozen=True)
class SocketCourse:
    """Course of a sending connection, from the file and line of its first sample.

    ``course`` has the columns `hecn_analysis.runs.course.COURSE` and a row for the time between two samples; flight and
    windows are those at its end. ``rwnd_limited`` and ``sndbuf_limited`` are the shares of the busy time in which the
    receiver's window and the send buffer limited it; NaN if the kernel does not print them.
    """

    source_file: str
    line: int
    ends: str
    course: pd.DataFrame = field(repr=False)
    rwnd_limited: float
    sndbuf_limited: float


def courses(document: Document) -> Iterator[SocketCourse]:
    """Yield the courses of the sending connections that carry the data, from two samples on."""
    if "cwnd:" not in document.text:
        return
    for samples in sockets.carrying(document):
        if not samples[-1].is_sending:
            continue
        course = _course(samples)
        if len(course):
            limited = [
                next((share for share, _, _ in sockets.limited(samples[-1:], f"{word}_limited")), math.nan)
                for word in ("rwnd", "sndbuf")
            ]
            yield SocketCourse(document.source_file, samples[0].line, " > ".join(samples[0].ends), course, *limited)


def _course(samples: Sequence[sockets.Sample]) -> pd.DataFrame:
    """Differences of the samples in order of time, without samples that lack time or amount."""
    is_one_way = all("lastrcv" in sample.notes and sample.received <= sockets.REQUEST for sample in samples)
    clock = "lastrcv" if is_one_way else "busy"
    amount = "bytes_acked" if all("bytes_acked" in sample.notes for sample in samples) else "bytes_sent"
    known = [sample for sample in samples if clock in sample.notes and amount in sample.notes]
    rows = []
    for before, sample in pairwise(known):
        start, end = before.value(clock) / 1e3, sample.value(clock) / 1e3
        moved = sample.value(amount) - before.value(amount)
        if end <= start or moved < 0:
            continue
        rows.append(
            {
                "t_start_s": start,
                "t_end_s": end,
                "rate_bps": moved * 8 / (end - start),
                "retransmits": max(_total(sample) - _total(before), 0.0),
                "cwnd_bytes": _of(sample, "cwnd") * sample.mss,
                "flight_bytes": (_of(sample, "unacked") if "unacked" in sample.notes else 0.0) * sample.mss,
                "window_bytes": _of(sample, "snd_wnd"),
                "rtt_s": _of(sample, "rtt") / 1e3,
            }
        )
    return pd.DataFrame(rows, columns=list(COURSE)).astype(float)


def _of(sample: sockets.Sample, word: str) -> float:
    return sample.notes[word].value if word in sample.notes else math.nan


def _total(sample: sockets.Sample) -> float:
    """Retransmitted segments so far; the word is absent if there are none."""
    return (sample.notes["retrans"].second or 0.0) if "retrans" in sample.notes else 0.0
