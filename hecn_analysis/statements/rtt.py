"""Round-trip times and loss of pings, without a transfer or during one, and round-trip times of iperf 2's handshakes.

Units and traps
---------------
- The name of the file or a line above marks a ping during a transfer: "during", "loaded", "while".
- The median of single times and its median deviation ignore a first reply that waits for ARP; without single times, the
  average and deviation of the summary count. Of one or two replies the fastest counts, where an ARP before it would not
  matter. Of a ping during a transfer the mean counts, since a ping that begins before the transfer, or outlasts it, has
  most of its replies without a queue.
- Linux and BSD print minimum, average, maximum; Windows minimum, maximum, average.
- iperf 2 prints the RTT of the handshake in microseconds, before any data are in flight: "irtt".
- A ping states the names and addresses of the host that answers, since the gateway is pinged as often as the other end.
- Loss follows from the counts of the summary, in any language; without one, from gaps in the sequence and timeouts.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

#: Replies from which on a median is stated; a short transfer is over before many. [B]
_LEAST: Final = 5
_LEAST_LOADED: Final = 3
_LEAST_TIMES: Final = 3  # Windows sends four pings by default

#: From this round-trip time on, one or two replies are enough. [s]
_FAR_S: Final = 0.01

#: Standard deviations of a normal distribution in its median absolute deviation.
_NORMAL: Final = 1.4826

#: Least MTU of IP. [B] [RFC 791]
_LEAST_MTU: Final = 576

#: How far a printed loss may be from that of the counts. [B]
_ROUNDED: Final = 0.02

#: How many lines above a ping the words about it may stand, and the longest line that is looked at. [B]
_NEAR: Final = 3
_LONGEST: Final = 1000

_NUMBER: Final = r"\d{1,7}(?:[.,]\d{1,6})?"
_TIME: Final = re.compile(rf"(?P<less>[=<])\s?(?P<time>{_NUMBER})\s?(?P<unit>ms|msec|мс|毫秒|ミリ秒|usec|us)(?!\w)")
_REPLY: Final = re.compile(r"ttl[ =]|seq[ =]|^reply from |hlim=", re.IGNORECASE)
_SEQUENCE: Final = re.compile(r"(?:icmp_)?[sr]e?q ?= ?(?P<number>\d{1,9})")
_HEADING: Final = re.compile(r"\bPING6?\b.{0,300}(?:bytes|data)|^\s{0,10}Pinging .{1,300} bytes", re.IGNORECASE)
_TARGET: Final = re.compile(
    r"\b(?:PING6?|Pinging|from)\s(?P<name>[^\s():\[\]]{1,100}|[0-9a-fA-F:.]{3,45}?)(?=[\s:,]|$)"
    r"(?:\s?[(\[](?P<address>[0-9a-fA-F:.]{3,45})[)\]])?"
)
_TIMEOUT: Final = re.compile(r"^\s{0,10}(?:request timed out|no answer yet|request timeout for)", re.IGNORECASE)
_SHARE: Final = re.compile(r"(?<![\d.,])(?P<before>\d{1,3}(?:[.,]\d{1,9})?) ?%|%(?P<after>\d{1,3}(?:[.,]\d{1,9})?)")
_COUNT: Final = re.compile(r"(?<![\d.,])\d{1,9}(?!\d|[.,]\d|%)")
_SUMMARY: Final = re.compile(
    rf"min/avg/max(?:/\S{{1,12}})? ?= ?{_NUMBER}/(?P<mean>{_NUMBER})/{_NUMBER}(?:/(?P<scatter>{_NUMBER}))?"
)
_WINDOWS: Final = re.compile(rf"=\s?{_NUMBER}\s?ms\D{{1,40}}=\s?{_NUMBER}\s?ms\D{{1,40}}=\s?(?P<mean>{_NUMBER})\s?ms")
_LOADED: Final = re.compile(
    r"(?<![a-z])(?:during|loaded|load|under|while|busy|transfer|upload|download|running)(?![a-z])", re.IGNORECASE
)
_IDLE: Final = re.compile(
    r"(?<![a-z])(?:before|idle|after|baseline|quiet|unloaded|without|no load)(?![a-z])", re.IGNORECASE
)
_TABLE: Final = re.compile(r"\S(?: {2,}|\t)\S")  # a row of another tool's output, such as "Interval  Transfer"
_SIZE: Final = re.compile(r"(?P<data>\d{2,5})(?:\((?P<packet>\d{2,5})\))? (?:data )?bytes", re.IGNORECASE)

#: Headers of IPv4 and ICMP, and the loss of smaller pings beside which large ones that are all lost say something. [B]
_HEADERS: Final = 28
_FEW_LOST: Final = 0.5

_UNITS: Final = {"usec": 1e6, "us": 1e6}
_HANDSHAKE: Final = re.compile(r"connected with .{1,200}\((?:[a-z]{1,9}/){1,4}irtt=(?:\d{1,9}/){1,4}(?P<us>\d{1,9})\)")


_TOO_LONG: Final = re.compile(
    r"(?:message too long|frag(?:mentation)? needed|need to frag|packet too big|\bpmtu\b).{0,60}?"
    r"(?:mtu ?[=:]? ?|pmtu )(?P<mtu>\d{3,5})\b|\bpmtu (?P<path>\d{3,5})\b",
    re.IGNORECASE,
)


@dataclass
class _Ping:
    """One ping: its times with their lines, and its summary."""

    is_loaded: bool
    is_certain: bool = False
    times: list[tuple[float, int]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    lost: int = 0
    last: int = 0
    counts: tuple[int, int, int] | None = None
    mean: tuple[float, int] | None = None
    scatter: tuple[float, int] | None = None
    heading: tuple[str, float] | None = None
    target: str = ""


def find(document: Document) -> Iterator[Statement]:
    """Find the round-trip times and the loss of each ping in a file, and those of handshakes."""
    text = document.text
    if "irtt=" in text:
        yield from _handshakes(document)
    if "mtu" in text and _TOO_LONG.search(text) is not None:
        yield from _mtu(document)
    if "min/avg/max" in text or any(word in text for word in ("ttl=", "TTL=", "time=", "time<", "100% packet loss")):
        pings = list(_pings(document))
        for ping in pings:
            yield from _says(document, ping)
        yield from _black_hole(document, pings)


def _handshakes(document: Document) -> Iterator[Statement]:
    """Read the RTT of each handshake that iperf 2 prints."""
    for number, text in enumerate(document.lines, 1):
        match = _HANDSHAKE.search(text) if len(text) <= _LONGEST and "irtt=" in text else None
        if match is not None and (time_us := int(match["us"])):
            source = document.source_file
            yield Statement("path.rtt_idle_s", time_us / 1e6, source, number, text.strip()[:300], end_of(source))


def _mtu(document: Document) -> Iterator[Statement]:
    """State the MTU that ping -M do and tracepath report."""
    for number, text in enumerate(document.lines, 1):
        if "mtu" in text and len(text) <= _LONGEST and "cwnd:" not in text:
            match = _TOO_LONG.search(text)
            if match is not None and (size := float(match["mtu"] or match["path"])) >= _LEAST_MTU:
                end = end_of(document.source_file)
                yield Statement("path.mtu_bytes", size, document.source_file, number, text.strip()[:300], end)


def _is_loaded(text: str) -> bool | None:
    """Whether words describe a ping during a transfer (True) or without one (False); None if neither."""
    return False if _IDLE.search(text) else True if _LOADED.search(text) else None


def _pings(document: Document) -> Iterator[_Ping]:
    """Read the pings of a file, one after another."""
    of_file = bool(_is_loaded(PurePath(document.source_file).name.replace("_", "-")))
    ping = _Ping(of_file)
    for number, text in enumerate(document.lines, 1):
        if not text or len(text) > _LONGEST:
            continue
        time = _TIME.search(text) if "ms" in text or "us" in text or not text.isascii() else None
        is_reply = time is not None and _REPLY.search(text) is not None
        is_heading = not is_reply and "ing" in text.lower() and _HEADING.search(text) is not None
        if is_heading or (is_reply and ping.counts is not None):
            yield ping
            ping = _Ping(of_file)
        if is_heading:
            ping.heading = _host_and_size(text)
        if (is_heading or is_reply) and not ping.target and (target := _TARGET.search(text)) is not None:
            ping.target = " ".join(dict.fromkeys(name for name in target.groups() if name))
        if (is_heading or is_reply) and not ping.is_certain:
            ping.is_certain, ping.is_loaded = True, _said_above(document, number, of_file=of_file)
        if time is not None and is_reply:
            if "DUP!" not in text:
                _reply(ping, time, text, number)
        elif _TIMEOUT.match(text):
            ping.lost += 1
        else:
            _summary(ping, text, number)
    yield ping


def _host_and_size(text: str) -> tuple[str, float] | None:
    """The host that a heading names, and the size of the packets with their headers. [B]."""
    size = _SIZE.search(text)
    return None if size is None else (text.split()[1], float(size["packet"] or int(size["data"]) + _HEADERS))


def _black_hole(document: Document, pings: Sequence[_Ping]) -> Iterator[Statement]:
    """State the least size of which all pings to a host are lost, while smaller ones arrive."""
    known = [(*ping.heading, ping.counts) for ping in pings if ping.heading is not None and ping.counts is not None]
    lost = [row for row in known if row[2][1] == 0 and row[2][0] > 1]
    for host, size, (_, _, line) in sorted(lost, key=lambda row: row[1])[:1]:
        if any(other == host and smaller < size and got > _FEW_LOST * sent for other, smaller, (sent, got, _) in known):
            words = f"packets of {size:.0f} bytes are lost, smaller ones arrive"
            yield Statement("path.black_hole_bytes", size, document.source_file, line, words, "")


def _said_above(document: Document, line: int, *, of_file: bool) -> bool:
    """Whether the lines above a ping, else the name of the file, place it during a transfer."""
    above = (
        _is_loaded(text)
        for text in reversed(document.lines[max(line - 1 - _NEAR, 0) : line - 1])
        if text and _TABLE.search(text) is None
    )
    return next((said for said in above if said is not None), of_file)


def _reply(ping: _Ping, time: re.Match[str], text: str, line: int) -> None:
    """Add a reply."""
    seconds = float(time["time"].replace(",", ".")) / _UNITS.get(time["unit"], 1e3)
    ping.times.append((seconds / 2 if time["less"] == "<" else seconds, line))
    ping.last = line
    if (sequence := _SEQUENCE.search(text)) is not None:
        ping.numbers.append(int(sequence["number"]))


def _summary(ping: _Ping, text: str, line: int) -> None:
    """Read a line of the summary, if it is one."""
    if "%" in text and (ping.is_certain or "packet" in text.lower()) and (share := _SHARE.search(text)) is not None:
        counts = [int(count) for count in _COUNT.findall(text)[:2]]
        loss = float((share["before"] or share["after"]).replace(",", ".")) / 100
        is_whole = len(counts) == 2 and 0 < counts[0] >= counts[1]
        if is_whole and abs(1 - counts[1] / counts[0] - loss) < _ROUNDED:
            ping.counts = counts[0], counts[1], line
            return
    is_unix = "min/avg/max" in text
    summary = _SUMMARY.search(text) if is_unix else _WINDOWS.search(text) if ping.is_certain else None
    if summary is not None:
        ping.mean = float(summary["mean"].replace(",", ".")) / 1e3, line
        if is_unix and summary["scatter"]:
            ping.scatter = float(summary["scatter"].replace(",", ".")) / 1e3, line


def _scatter(times: Sequence[float]) -> float:
    """Median absolute deviation, scaled to a standard deviation, which ignores a reply that waits for ARP [s]."""
    middle = statistics.median(times)
    return _NORMAL * statistics.median(abs(time - middle) for time in times)


def _middle(ping: _Ping) -> tuple[float, int] | None:
    """Mean of the times during a transfer, else the median, and the line to quote [s]; None of too few."""
    if len(ping.times) >= _LEAST_TIMES:
        mean = statistics.fmean(time for time, _ in ping.times), ping.last
        return mean if ping.is_loaded else statistics.median_low(ping.times)
    if ping.counts is not None and ping.counts[1] >= _LEAST_TIMES:
        return ping.mean
    fastest = min(ping.times, default=ping.mean)
    return fastest if fastest is not None and fastest[0] >= _FAR_S and not ping.is_loaded else None


def _says(document: Document, ping: _Ping) -> Iterator[Statement]:
    """State the round-trip time and loss of a ping."""

    def said(name: str, value: float, line: int) -> Statement:
        words = document.lines[line - 1].strip()[:300]
        return Statement(name, value, document.source_file, line, words, end_of(document.source_file), ping.target)

    when, least = ("loaded", _LEAST_LOADED) if ping.is_loaded else ("idle", _LEAST)
    received = max(len(ping.times), ping.counts[1] if ping.counts is not None else 0)
    middle = _middle(ping)
    if middle is not None:
        yield said(f"path.rtt_{when}_s", *middle)
    if received >= least and not ping.is_loaded:
        if len(ping.times) >= least:
            yield said("path.rtt_scatter_s", _scatter([time for time, _ in ping.times]), ping.last)
        elif ping.scatter is not None:
            yield said("path.rtt_scatter_s", *ping.scatter)
    if ping.counts is not None and ping.counts[1] == 0 and ping.heading is not None and ping.heading[1] > _LEAST_MTU:
        yield said("path.unanswered_bytes", ping.heading[1], ping.counts[2])  # a loss by chance spares some
    elif ping.counts is not None and ping.counts[0] >= least:
        sent, received, line = ping.counts
        yield said(f"path.ping_loss_{when}", (sent - received) / sent, line)
    elif ping.counts is None and ping.times and len(ping.times) + ping.lost >= least:
        span = max(ping.numbers) - min(ping.numbers) + 1 if ping.numbers else 0
        sent = max(span, len(ping.times) + ping.lost)
        if len(ping.times) < sent <= 100 * len(ping.times) or not ping.lost:
            yield said(f"path.ping_loss_{when}", (sent - len(ping.times)) / sent, ping.last)
