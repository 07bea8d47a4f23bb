"""Loss of owping's probes between two hosts, and the round-trip time that both directions together state.

Units and traps
---------------
- Each direction has its own block. The difference of the two clocks is in both delays, with opposite signs: their sum
  is the round-trip time.
- A block names the two hosts; its loss is that of runs between them, in the direction of their data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

#: Probes that a loss needs, as for a ping. [B]
_LEAST_SENT: Final = 10

_HEADER: Final = re.compile(
    r"--- owping statistics from \[(?P<source>[^\]\s]{1,255})\]:\S{1,12} to \[(?P<target>[^\]\s]{1,255})\]"
)
_COUNTS: Final = re.compile(r"^\W{0,20}(?P<sent>\d{1,12}) sent, (?P<lost>\d{1,12}) lost \(")
_DELAY: Final = re.compile(
    r"one-way delay min/median/max = -?[\d.]{1,20}/(?P<median>-?\d{1,9}(?:\.\d{1,9})?)/-?[\d.]{1,20} "
    r"(?P<unit>ms|us|s)\b"
)
_PER_SECOND: Final = {"s": 1.0, "ms": 1e3, "us": 1e6}


class _Delay(NamedTuple):
    """The median delay of a direction [s]."""

    source: str
    target: str
    median_s: float


def find(document: Document) -> Iterator[Statement]:
    """Find the loss of each direction, and the round-trip time of both."""
    if "owping statistics from" not in document.text:
        return
    ends, before = ("", ""), None
    for number, text in enumerate(document.lines, 1):
        if (header := _HEADER.search(text)) is not None:
            ends = header["source"], header["target"]
        elif not all(ends):
            continue
        elif (counts := _COUNTS.match(text)) is not None:
            sent, lost = int(counts["sent"]), int(counts["lost"])
            if _LEAST_SENT <= sent >= lost:
                yield _said(document, "path.ping_loss_idle", lost / sent, number, ends)
        elif (delay := _DELAY.search(text)) is not None:
            delay_one_way = _Delay(*ends, float(delay["median"]) / _PER_SECOND[delay["unit"]])
            if (
                before is not None
                and (before.target, before.source) == ends
                and before.median_s + delay_one_way.median_s > 0
            ):
                yield _said(document, "path.rtt_idle_s", before.median_s + delay_one_way.median_s, number, ends)
            before = delay_one_way


def _said(document: Document, name: str, value: float, line: int, ends: tuple[str, str]) -> Statement:
    """Make a statement from a line about probes between two hosts."""
    words, source = document.lines[line - 1].strip()[:300], document.source_file
    return Statement(name, value, source, line, words, end_of(source), " > ".join(ends))
