"""The course of connections of which ``ss -ti`` was asked several times: rate, windows and RTT from sample to sample.

``ss`` prints no time. That of a sender which received nothing but a request is what "lastrcv" says, else it is the busy
time, which stands still while the program has nothing to send.
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
    """Course of a sending connection.

    Attributes
    ----------
    source_file, line
        Where its first sample stands.
    ends
        Its two ends.
    course
        Columns `hecn_analysis.runs.course.COURSE`, a row for the time between two samples; flight and windows are those
        at its end.
    rwnd_limited, sndbuf_limited
        Shares of the busy time in which the receiver's window and the send buffer held it back; NaN where the kernel
        does not say.
    """

    source_file: str
    line: int
    ends: str
    course: pd.DataFrame = field(repr=False)
    rwnd_limited: float
    sndbuf_limited: float


def courses(document: Document) -> Iterator[SocketCourse]:
    """Give the courses of the sending connections that carry the data, of two samples or more."""
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
    """Differences of the samples in the order of time; a sample without time or amount is left out."""
    clock = "lastrcv" if all("lastrcv" in one.notes and one.received <= sockets.REQUEST for one in samples) else "busy"
    amount = "bytes_acked" if all("bytes_acked" in one.notes for one in samples) else "bytes_sent"
    known = [one for one in samples if clock in one.notes and amount in one.notes]
    rows = []
    for before, one in pairwise(known):
        start, end = before.value(clock) / 1e3, one.value(clock) / 1e3
        moved = one.value(amount) - before.value(amount)
        if end <= start or moved < 0:
            continue
        rows.append(
            {
                "t_start_s": start,
                "t_end_s": end,
                "rate_bps": moved * 8 / (end - start),
                "retransmits": max(_total(one) - _total(before), 0.0),
                "cwnd_bytes": _of(one, "cwnd") * one.mss,
                "flight_bytes": (_of(one, "unacked") if "unacked" in one.notes else 0.0) * one.mss,
                "window_bytes": _of(one, "snd_wnd"),
                "rtt_s": _of(one, "rtt") / 1e3,
            }
        )
    return pd.DataFrame(rows, columns=list(COURSE)).astype(float)


def _of(sample: sockets.Sample, word: str) -> float:
    return sample.notes[word].value if word in sample.notes else math.nan


def _total(sample: sockets.Sample) -> float:
    """Segments that were sent again since the beginning; the word is absent where none were."""
    return (sample.notes["retrans"].second or 0.0) if "retrans" in sample.notes else 0.0
