"""Hops of a path, from reports of mtr: the round-trip time, and the first hop whose loss lasts to the end.

Units and traps
---------------
- Loss at a hop counts only if all later hops that answer have it too: routers limit their ICMP answers.
- A last hop that never answers is a host that drops pings, unless the hop before it loses packets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hecn_analysis.base import units
from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_HOP: Final = re.compile(
    r"^\s{0,6}(?P<number>\d{1,2})\.(?:\|--)? {1,4}(?:AS\S{1,12} {1,8})?(?P<name>\S{1,120}) {1,60}"
    r"(?P<loss>\d{1,3}(?:[.,]\d{1,2})?)%? {1,12}(?P<sent>\d{1,7}) {1,12}\d{1,6}(?:[.,]\d{1,3})?"
    r" {1,12}(?P<mean>\d{1,6}(?:[.,]\d{1,3})?) "
)

#: Probes that a hop must have had, and loss from which on it counts. [B]
_LEAST_SENT: Final = 10
_LEAST_LOSS: Final = 0.005

#: A later hop has the loss, too, if it has this part of it. [B]
_PART: Final = 0.4


class _Hop(NamedTuple):
    """A hop of a report."""

    number: int
    name: str
    loss: float
    mean_s: float
    line: int


def find(document: Document) -> Iterator[Statement]:
    """Find the round-trip time of the path, and the first hop whose loss lasts to its end."""
    if "Loss%" not in document.text:
        return
    for hops in _reports(document):
        answering = [hop for hop in hops if hop.loss < 1]
        if len(answering) < 2 or answering[-1].number < hops[-1].number - 1:
            continue
        end, last = end_of(document.source_file), answering[-1]
        words = document.lines[last.line - 1].strip()
        yield Statement("path.rtt_idle_s", last.mean_s, document.source_file, last.line, words, end)
        if last.loss >= _LEAST_LOSS:
            first = _first_with(answering)
            least = min(hop.loss for hop in answering if hop.number >= first.number)
            share = units.format_percent(least, places=1)
            says = f"loss begins at hop {first.number}, {first.name}, and lasts to the end: {share} at the least"
            yield Statement("path.loss_from_hop", last.loss, document.source_file, first.line, says, end)


def _reports(document: Document) -> Iterator[list[_Hop]]:
    """Read the hops of each report."""
    hops: list[_Hop] = []
    for number, text in enumerate(document.lines, 1):
        if "Loss%" in text:
            if hops:
                yield hops
            hops = []
        elif len(text) < 400 and (match := _HOP.match(text)) is not None and int(match["sent"]) >= _LEAST_SENT:
            loss = float(match["loss"].replace(",", ".")) / 100
            mean = float(match["mean"].replace(",", "."))
            hops.append(_Hop(int(match["number"]), match["name"], loss, mean / 1e3, number))
    if hops:
        yield hops


def _first_with(hops: list[_Hop]) -> _Hop:
    """Return the first hop from which on all hops have at least the loss of the last one."""
    first = hops[-1]
    for hop in reversed(hops[:-1]):
        if hop.loss < _PART * hops[-1].loss:
            break
        first = hop
    return first
