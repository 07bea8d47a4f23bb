"""Queueing disciplines: ``tc -s qdisc``, ``tc -s class``, ``tc filter``, commands that make them, policies of routers.

Units and traps
---------------
- tc's "bit" is bit/s, its "bps" bytes/s; "Mibit" is binary.
- The rate below "Sent" is measured; the one beside the kind is the limit.
- A class of htb may borrow up to its "ceil", one of hfsc up to the m2 of its "ul". Parents send what their classes
  send: the narrowest of those with at least half of the traffic counts.
- Policers and shapers of Cisco IOS and Junos ("police cir 50000000", "shape average 50m", "bandwidth-limit 50m") limit,
  too; "percent" is left out.
- Queues of queues (mq) count the drops of their parts again: the largest number counts, not the sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_QUEUE: Final = re.compile(
    r"^\W{0,8}(?P<what>qdisc|class) (?P<kind>[a-z]\w{1,19}) [\da-f]{0,8}:"
    r"|\btc (?:qdisc|class) (?:add|replace|change) .{1,120}? (?P<made>tbf|htb|hfsc|fq|netem|cake|fq_codel|codel|pie"
    r"|sfq|pfifo|bfifo)"
    r"(?: |$)"
    r"|\b(?P<police>police) (?:0x[\da-f]{1,8} )?(?=.{0,80}?rate )"
)
_RATE: Final = re.compile(
    r"\b(?P<key>rate|maxrate|bandwidth|ceil"
    r"|m2) (?P<number>\d{1,12}(?:\.\d{1,6})?)(?P<prefix>[kmgt]?)(?P<binary>i?)(?P<unit>bit|bps)\b",
    re.IGNORECASE,
)
_OF_ROUTERS: Final = re.compile(
    r"^\s{0,20}(?:police )?(?:cir |police (?:rate |average )?|shape (?:\(?average\)? )(?:cir )?"
    r"|(?:if-exceeding )?bandwidth-limit )"
    r"(?P<number>\d{1,12}(?:\.\d{1,3})?) ?(?P<prefix>[kmg]?)(?:bps|bits?/s(?:ec)?)?"
    r"(?=[\s,;(]|$)(?! ?(?:percent|pps|bytes))",
    re.IGNORECASE,
)
_SENT: Final = re.compile(r"^\W{0,12}Sent (?P<bytes>\d{1,19}) bytes \d{1,19} pkts? \(dropped (?P<dropped>\d{1,19})")
_BACKLOG: Final = re.compile(r"\bbacklog (?P<number>\d{1,12})(?P<prefix>[KMG]?)b ")
_BITS: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BINARY: Final = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}

#: Queues that hold nothing themselves.
_EMPTY: Final = frozenset({"noqueue", "mq", "ingress", "clsact"})


@dataclass
class _Queue:
    """A queue, a class or a policer; lines of absent values are 0."""

    kind: str
    line: int
    is_class: bool
    rate_bps: float
    sent: float = 0.0
    dropped: tuple[float, int] = (0.0, 0)
    backlog: tuple[float, int] = (0.0, 0)


def find(document: Document) -> Iterator[Statement]:
    """Find the limits, drops and backlogs of queues."""
    text = document.text
    yield from _of_routers(document)
    if "qdisc " not in text and "police " not in text and "class htb" not in text and "class hfsc" not in text:
        return
    queues = list(_queues(document))
    end = end_of(document.source_file)

    def said(name: str, value: float | str, line: int) -> Statement:
        return Statement(name, value, document.source_file, line, document.lines[line - 1].strip()[:300], end)

    whole = [queue for queue in queues if not queue.is_class and queue.kind not in _EMPTY]
    if whole:
        most = max(whole, key=lambda queue: queue.sent)
        yield said("queue.kind", most.kind, most.line)
    limited = [queue for queue in queues if queue.rate_bps]
    classes = [queue for queue in limited if queue.is_class]
    if classes:
        sent = max(queue.sent for queue in classes)
        narrowest = min((queue for queue in classes if queue.sent >= sent / 2), key=lambda queue: queue.rate_bps)
        yield said("queue.rate_bps", narrowest.rate_bps, narrowest.line)
    for queue in limited:
        if not queue.is_class:
            yield said("queue.rate_bps", queue.rate_bps, queue.line)
    for name, column in (("queue.dropped", "dropped"), ("queue.backlog_bytes", "backlog")):
        values = sorted(getattr(queue, column) for queue in whole or queues if getattr(queue, column)[1])
        if values:
            yield said(name, *values[-1])


def _of_routers(document: Document) -> Iterator[Statement]:
    """Find the rates that a policy of a router holds to."""
    if not any(word in document.text for word in ("cir ", "police ", "shape average", "bandwidth-limit")):
        return
    end = end_of(document.source_file)
    for number, text in enumerate(document.lines, 1):
        if len(text) < 200 and (match := _OF_ROUTERS.match(text)) is not None:
            rate = float(match["number"]) * _BITS[match["prefix"].lower()]
            if rate > 0:
                yield Statement("queue.rate_bps", rate, document.source_file, number, text.strip(), end)


def _queues(document: Document) -> Iterator[_Queue]:
    """Read the queues of a file."""
    queue: _Queue | None = None
    for number, text in enumerate(document.lines, 1):
        if len(text) > 2000:
            continue
        if ("qdisc " in text or "class " in text or "police " in text) and (match := _QUEUE.search(text)) is not None:
            if queue is not None:
                yield queue
            kind = match["kind"] or match["made"] or "police"
            is_class = match["what"] == "class" or " class " in text[: match.end()]
            queue = _Queue(kind, number, is_class, _rate(text[match.start() :]))
        elif queue is not None and (sent := _SENT.match(text)) is not None:
            queue.sent, queue.dropped = float(sent["bytes"]), (float(sent["dropped"]), number)
        elif queue is not None and (backlog := _BACKLOG.search(text)) is not None:
            queue.backlog = float(backlog["number"]) * _BINARY[backlog["prefix"].lower()], number
    if queue is not None:
        yield queue


def _rate(text: str) -> float:
    """Read the limit of a queue, 0 if it has none [bit/s]."""
    rates = {match["key"].lower(): match for match in _RATE.finditer(text)}
    for key in ("ceil", "m2", "bandwidth", "rate", "maxrate"):
        if key in rates:
            match = rates[key]
            scale = (_BINARY if match["binary"] else _BITS)[match["prefix"].lower()]
            return float(match["number"]) * scale * (8 if match["unit"].lower() == "bps" else 1)
    return 0.0
