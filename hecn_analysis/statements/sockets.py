"""Sockets: ``ss -ti``, ``netstat -tn``, and the kernel's counts of segments (``netstat -s``, ``nstat``).

Versions: iproute2 from 2009 to 6.x, net-tools, BSD, Windows; one sample or many in a file, also in wrapped lines.

Units and traps
---------------
- Control connections and shells of other users carry a few hundred bytes. Connections with at least a tenth of the
  bytes of the largest one carry data.
- "busy", "rwnd_limited" and "sndbuf_limited" count from the beginning of a connection (the kernel's chronographs, after
  RFC 4898), so the last sample counts. The shares in brackets are shares of the busy time. A limit that never held is
  not printed.
- The age of a sender is its "lastrcv", as long as it received no data after its request.
- "retrans:0/737" is the number in flight and the total since the beginning.
- Counts of ``netstat -s`` are the host's since it started; of two outputs in a file, the difference counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_STATES: Final = frozenset(
    {"ESTAB", "ESTABLISHED", "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "FIN_WAIT1", "FIN_WAIT2", "TIME-WAIT"}
    | {"TIME_WAIT", "CLOSE-WAIT", "CLOSE_WAIT", "LAST-ACK", "LAST_ACK", "CLOSING", "UNCONN", "LISTEN"}
)
_NUMBER: Final = r"\d{1,18}(?:\.\d{1,9})?(?:e\+\d\d)?"
_NOTE: Final = re.compile(
    r"(?<![\w.])(?P<name>rtt|mss|cwnd|bytes_sent|bytes_acked|bytes_received|data_segs_out|segs_out|data_segs_in|lastsnd"
    rf"|lastrcv|busy|rwnd_limited|sndbuf_limited|unacked|retrans|notsent|minrtt|snd_wnd):(?P<value>{_NUMBER})"
    rf"(?:/(?P<second>{_NUMBER})|m?s(?:\((?P<share>{_NUMBER})%\))?)?"
)
_FLAG: Final = re.compile(r"(?<![\w.:])app_limited(?!\w)")
_CONTROL: Final = re.compile(
    r"(?<![\w.:])(?:cubic|reno|bbr[23]?|htcp|westwood|vegas|dctcp|illinois|bic|scalable|highspeed|hybla|veno|yeah|nv"
    r"|cdg|lp"
    r"|prague)(?= (?:wscale|rto|mss|ecn|ts|sack))"
)
_PACED: Final = re.compile(rf"pacing_rate {_NUMBER}[KMGT]?bps/(?P<rate>{_NUMBER})(?P<prefix>[KMGT]?)bps")
_PREFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

#: What a connection has carried or has waiting at the least, to count as one that carries data [B]. [B]
_LEAST: Final = 100_000
_LEAST_WAITING: Final = 10_000
_LEAST_OF_SHELLS: Final = 10_000_000

#: A connection with this share of the bytes of the largest one carries data, too; so much makes a sample mature. [B]
_SHARE: Final = 0.1

#: Busy time from which on the chronographs mean something [ms], and the bytes that stand for it. [B]
_LEAST_BUSY: Final = 500.0
_MATURE: Final = 10_000_000

#: Bytes that a request may have after which only one side sends. [B]
REQUEST: Final = 2000

Pick = tuple[float, int, str]


@dataclass(frozen=True)
class _Note:
    """One of the kernel's words about a connection."""

    value: float
    second: float | None
    share: float | None
    line: int
    says: str


@dataclass
class Sample:
    """The state of a connection at one moment."""

    ends: tuple[str, str]
    moment: int
    line: int
    says: str
    unread: float
    queued: float
    notes: dict[str, _Note] = field(default_factory=dict)

    def value(self, name: str) -> float:
        """The number of a word, 0 if it is absent."""
        return self.notes[name].value if name in self.notes else 0.0

    @cached_property
    def mss(self) -> float:
        """Bytes of a segment."""
        return self.value("mss") or 1448.0

    @cached_property
    def sent(self) -> float:
        """Bytes sent, if this version prints them."""
        return max(self.value("bytes_sent"), self.value("bytes_acked"), self.value("data_segs_out") * self.mss)

    @cached_property
    def received(self) -> float:
        """Bytes received, if this version prints them."""
        return max(self.value("bytes_received"), self.value("data_segs_in"))

    @cached_property
    def waiting(self) -> float:
        """Bytes that wait on either side of the connection."""
        return max(self.unread, self.queued)

    @cached_property
    def amount(self) -> float:
        """Bytes carried, or only those waiting in old versions."""
        return max(self.sent, self.received, self.waiting)

    @cached_property
    def is_sending(self) -> bool:
        """Whether the connection sends the data."""
        if self.sent or self.received:
            return self.sent >= self.received
        return self.queued >= self.unread

    @cached_property
    def is_shell(self) -> bool:
        """Whether the connection is one of ssh, which may be an interactive shell."""
        return any(end.endswith((":22", ":ssh")) for end in self.ends)

    @cached_property
    def has_data_under_way(self) -> bool:
        """Whether sent data await acknowledgement."""
        return bool(self.value("unacked") or self.queued)


def find(document: Document) -> Iterator[Statement]:
    r"""Find statements about the connections that carry the data, and the share of retransmitted segments."""
    text = document.text
    if "cwnd:" in text or "Recv-Q" in text:
        yield from _of_connections(document)
    if "etrans" in text and not ("cwnd:" in text or text.startswith("{")):
        yield from _of_counts(document)


# --- Connections ---


def _socket(text: str, line: int, moment: int) -> Sample | None:
    """Read the line of a socket: the state, if present, two queues and two ends."""
    words = text.split(None, 8)
    while words and (words[0] in _STATES or words[0] in {"tcp", "tcp4", "tcp6", "mptcp"}):
        del words[0]
    if len(words) < 4 or not all(word.isdecimal() and len(word) < 13 for word in words[:2]):
        return None
    local, peer = words[2], words[3]
    if not all("." in end or ":" in end for end in (local, peer)) or peer.endswith("*"):
        return None
    return Sample((local, peer), moment, line, " ".join(words[:4]), float(words[0]), float(words[1]))


def _samples(document: Document) -> list[Sample]:
    """Read all sockets of a file, with the words that follow each."""
    samples: list[Sample] = []
    seen: set[tuple[str, str]] = set()
    moment = 0
    for number, text in enumerate(document.lines, 1):
        if "Recv-Q" in text:
            moment, seen = moment + 1, set()
            continue
        sample = _socket(text, number, moment) if ":" in text or "." in text else None
        if sample is not None:
            if sample.ends in seen:
                moment, seen = moment + 1, set()
                sample.moment = moment
            sample.says = text.strip()[:200]
            seen.add(sample.ends)
            samples.append(sample)
        elif "cwnd:" in text and (not samples or "cwnd" in samples[-1].notes):  # the lines of sockets were left out
            moment += 1
            samples.append(Sample(("", ""), moment, number, text.strip()[:200], 0.0, 0.0))
        if samples and (":" in text or "app_limited" in text):
            _take(samples[-1], text, number)
    return samples


def _take(sample: Sample, text: str, line: int) -> None:
    """Add the words of a line to a socket."""
    notes = sample.notes
    for match in _NOTE.finditer(text):
        second, share = (float(part) if part else None for part in (match["second"], match["share"]))
        notes.setdefault(match["name"], _Note(float(match["value"]), second, share, line, match[0]))
    if (flag := _FLAG.search(text)) is not None:
        notes["app_limited"] = _Note(1.0, None, None, line, flag[0])
    if (control := _CONTROL.search(text)) is not None:
        notes["control"] = _Note(0.0, None, None, line, control[0])
    if (paced := _PACED.search(text)) is not None:
        rate = float(paced["rate"]) * _PREFIXES[paced["prefix"]]
        notes["paced"] = _Note(rate, None, None, line, paced[0])


def carrying(document: Document) -> list[list[Sample]]:
    """Samples of each connection that carries data, in the order of the file."""
    by_ends: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in _samples(document):
        by_ends[sample.ends].append(sample)
    largest = max((sample.amount for samples in by_ends.values() for sample in samples), default=0.0)
    big = []
    for samples in by_ends.values():
        amount = max(sample.amount for sample in samples)
        waiting = max(sample.waiting for sample in samples)
        least = _LEAST_OF_SHELLS if samples[0].is_shell else _LEAST
        if amount >= _SHARE * largest and (amount >= least or waiting >= _LEAST_WAITING):
            big.append([sample for sample in samples if sample.amount >= _SHARE * amount])
    return big


def _of_connections(document: Document) -> Iterator[Statement]:
    """State the facts about each side of the connections that carry data."""
    big = carrying(document)
    largest = max((sample.amount for samples in big for sample in samples), default=0.0)
    for is_sending in (True, False):
        side = [samples for samples in big if samples[-1].is_sending == is_sending]
        if not side:
            continue
        end = ("sender" if is_sending else "receiver") if largest >= _LEAST else end_of(document.source_file)
        for name, pick in _sender(side) if is_sending else _receiver(side):
            value: float | str = pick[2] if name == "kernel.congestion_control" else pick[0]
            yield Statement(name, value, document.source_file, pick[1], pick[2], end)


def _middle(picks: Iterable[Pick]) -> Pick | None:
    """Return the lower median, which has a line."""
    ordered = sorted(picks)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _sender(side: list[list[Sample]]) -> Iterator[tuple[str, Pick]]:
    """State the facts of the sending side."""
    moving = [[sample for sample in samples if sample.has_data_under_way] or samples[-1:] for samples in side]
    lasting = [samples[-1] for samples in side]
    yield from _kept(("socket.rwnd_limited", _middle(limited(lasting, "rwnd_limited"))))
    yield from _kept(("socket.sndbuf_limited", _middle(limited(lasting, "sndbuf_limited"))))
    yield from _kept(("socket.busy", _middle(filter(None, map(_busy, lasting)))))
    flagged = [_picked(sample, "app_limited") for samples in moving for sample in samples]
    if len(flags := [pick for pick in flagged if pick is not None]) * 2 > len(flagged):
        yield "socket.app_limited", flags[-1]
    for name, (word, unit) in _AT_A_MOMENT.items():
        picks = [(sample, _picked(sample, word)) for samples in moving for sample in samples]
        yield from _kept(
            (name, _middle((round(pick[0] * (unit or sample.mss), 9), *pick[1:]) for sample, pick in picks if pick))
        )
    unsent = (_unsent(sample) for samples in side for sample in samples if _knows(sample))
    yield from _kept(("socket.unsent_bytes", _middle(unsent)))
    yield from _kept(("socket.retransmitted", _retransmitted(lasting)))
    yield from _connections(side)


def _receiver(side: list[list[Sample]]) -> Iterator[tuple[str, Pick]]:
    """State the facts of the receiving side."""
    unread = _middle((sample.unread, sample.line, sample.says) for samples in side for sample in samples)
    yield from _kept(("socket.unread_bytes", unread))
    least = [_picked(samples[-1], "minrtt") for samples in side]
    yield from _kept(("socket.rtt_min_s", _middle((pick[0] / 1000, *pick[1:]) for pick in least if pick)))
    yield from _connections(side)


def _kept(named: tuple[str, Pick | None]) -> Iterator[tuple[str, Pick]]:
    """Leave out missing facts."""
    name, pick = named
    if pick is not None:
        yield name, pick


def _picked(sample: Sample, word: str) -> Pick | None:
    """Return the number of a word with its line."""
    note = sample.notes.get(word)
    return None if note is None else (note.value, note.line, note.says)


#: Words that count at their moment, and their unit; that of the congestion window is a segment.
_AT_A_MOMENT: Final[dict[str, tuple[str, float]]] = {
    "socket.cwnd_bytes": ("cwnd", 0.0),
    "socket.send_window_bytes": ("snd_wnd", 1.0),
    "socket.rtt_s": ("rtt", 1e-3),
    "socket.rtt_min_s": ("minrtt", 1e-3),
    "socket.pacing_bps": ("paced", 1.0),
    "kernel.congestion_control": ("control", 1.0),
}


def _knows(sample: Sample) -> bool:
    """Whether the kernel is new enough to print unsent data and limits, and has sent enough for them."""
    return sample.value("busy") >= _LEAST_BUSY or ("busy" in sample.notes and sample.sent >= _MATURE)


def limited(samples: Iterable[Sample], word: str) -> Iterator[Pick]:
    """Yield the share of the busy time in which a limit held; none if a sample that should have it lacks its word."""
    for sample in samples:
        note, busy = sample.notes.get(word), sample.notes.get("busy")
        if note is not None and (note.share is not None or busy is not None):
            share = note.share / 100 if note.share is not None else note.value / max(sample.value("busy"), 1.0)
            yield round(min(share, 1.0), 6), note.line, note.says
        elif busy is not None and _knows(sample):
            yield 0.0, busy.line, busy.says


def _busy(sample: Sample) -> Pick | None:
    """Return the share of its life in which a connection had data in flight."""
    note = sample.notes.get("busy")
    life = sample.value("lastrcv") - (0.0 if sample.queued else sample.value("lastsnd"))
    if note is None or sample.received > REQUEST or life < _LEAST_BUSY:
        return None
    return round(min(note.value / life, 1.0), 6), note.line, note.says


def _unsent(sample: Sample) -> Pick:
    """Return the data that wait to be sent; the word is absent if there are none."""
    return _picked(sample, "notsent") or (0.0, sample.line, sample.says)


def _retransmitted(samples: list[Sample]) -> Pick | None:
    """Return the share of retransmitted segments of all connections."""
    counted = [sample for sample in samples if "data_segs_out" in sample.notes or "segs_out" in sample.notes]
    out = sum(sample.value("data_segs_out") or sample.value("segs_out") for sample in counted)
    if not out:
        return None
    notes = [sample.notes["retrans"] for sample in counted if "retrans" in sample.notes]
    again = [(note.second or 0.0, note) for note in notes]
    if not again:
        note = counted[-1].notes.get("data_segs_out") or counted[-1].notes["segs_out"]
        return 0.0, note.line, note.says
    most = max(again, key=lambda pair: pair[0])[1]
    return min(sum(total for total, _ in again) / out, 1.0), most.line, most.says


def _connections(side: list[list[Sample]]) -> Iterator[tuple[str, Pick]]:
    """State the number of connections that carry data at the same time."""
    at: dict[int, list[Sample]] = defaultdict(list)
    for samples in side:
        for sample in samples:
            at[sample.moment].append(sample)
    most = max(at.values(), key=len)
    if len(most) > 1 or len(side) == 1:
        yield "socket.connections", (float(len(most)), most[0].line, most[0].says)


# --- Counts of the kernel ---

_COUNT: Final = re.compile(r"(?<!\d)(\d{1,18})(?!\d)")
_SENT: Final = re.compile(
    r"segments? sen[dt] out|\bTcpOutSegs\b|^\s{0,40}Segments Sent\s"
    r"|^\s{0,40}\d{1,18} data packets? \(\d{1,19} bytes?\)\s{0,40}$"
)
_AGAIN: Final = re.compile(r"segments? retransmit|\bTcpRetransSegs\b|Segments Retransmitted|bytes?\) retransmitted")

#: Segments below which a share of them means little. [B]
_LEAST_SEGMENTS: Final = 1000


def _counts(document: Document) -> Iterator[tuple[bool, Pick]]:
    """Read the counts of segments, and whether they are retransmissions."""
    columns: list[str] = []
    for number, text in enumerate(document.lines, 1):
        if text.startswith("Tcp:"):  # /proc/net/snmp: names, then numbers
            words = text.split()
            if "RetransSegs" in words:
                columns = words
            elif len(words) == len(columns):
                row = dict(zip(columns, words, strict=True))
                for name in ("OutSegs", "RetransSegs"):
                    if (value := row.get(name, "")).isdecimal():
                        yield name == "RetransSegs", (float(value[:18]), number, text.strip())
        elif "etrans" in text or "egment" in text or "OutSegs" in text or "data packet" in text:
            is_again = bool(_AGAIN.search(text))
            if (is_again or _SENT.search(text)) and (count := _COUNT.search(text)) is not None:
                yield is_again, (float(count[1]), number, text.strip())


def _of_counts(document: Document) -> Iterator[Statement]:
    """State the share of its segments that a host retransmitted."""
    counts = list(_counts(document))
    sent, again = ([pick for is_again, pick in counts if is_again == which] for which in (False, True))
    if not sent or len(sent) != len(again):
        return
    out, repeated = sent[-1][0], again[-1][0]
    if len(sent) > 1 and out >= sent[0][0] and repeated >= again[0][0]:
        out, repeated = out - sent[0][0], repeated - again[0][0]
    if out >= _LEAST_SEGMENTS:
        share, end = min(repeated / out, 1.0), end_of(document.source_file)
        yield Statement("socket.retransmitted", share, document.source_file, *again[-1][1:], end)
