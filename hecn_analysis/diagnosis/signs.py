"""The signs of a kind of run: numbers and words that are more or less likely under each cause.

Each function is the sign of its name in ``models/evidence.yaml``, which has its bins and likelihoods. None: unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

import pandas as pd

from hecn_analysis.diagnosis import (
    both_ways,
    of_datagrams,
    of_files,
    of_hosts,
    of_notes,
    of_paths,
    of_ports,
    of_windows,
)
from hecn_analysis.diagnosis.facts import ETHERNET, SLOW_ETHERNET, Fact, Facts, Reads, enter
from hecn_analysis.diagnosis.known import WITHOUT_WINDOW
from hecn_analysis.runs import course
from hecn_analysis.statements import Statement


@dataclass(frozen=True)
class Sign:
    """A number or word that a folder shows, and the lines that state it."""

    name: str
    value: float | str
    evidence: tuple[Statement, ...]


#: Line rate of a path that nobody states and no run shows: gigabit Ethernet. [bit/s]
_USUAL_BPS: Final = 1e9

#: Standard deviations of the RTT of an idle path that are no growth. [1]
_JITTER: Final = 2.0

#: Entries of ``models/cues.yaml`` that say that a disk is at USB 2, and the rate of that bus. [bit/s]
#: Lines that a device hangs on USB 2, by their names or words.
_USB2: Final = frozenset({"usb-storage-480", "usb2-for-fast-device", "usb2-wrapped", "usb3-device-at-usb2"})
_SAYS_USB2: Final = re.compile(r"\bUSB ?2(?:\.0)?\b", re.IGNORECASE)
_USB2_BPS: Final = 480e6

#: How far the rate of a tool that sends at a rate of its own is from that. [1]
_ROUND: Final = 0.004

#: Growth of an RTT, as a share of it, up to which it counts as none. [1]
_NO_GROWTH: Final = 0.04

_INTERVALS: Final = "the rate of the intervals"

#: Scatter of a rate over time above which it has no plateau, as a full line has. [1]
_PLATEAU: Final = 0.15

#: Rates that hardly an array has, and hardly a disk: memory, unless the test went past it; that of a SATA port. [bit/s]
_MEMORY_BPS: Final = 64e9
_CACHED_BPS: Final = 16e9
_SATA_BPS: Final = 4.8e9

#: Share of the memory below which Linux takes what is written without waiting for the disk: vm.dirty_background_ratio.
_AT_ONCE: Final = 0.1

#: Tools by which people test access lines, whose two directions have rates of their own.
_OF_ACCESS_LINES: Final = frozenset({"speedtest", "librespeed-cli", "networkQuality", "fast-cli"})
#: Share of the time in which a sender that is not limited by its program has nothing to send, such as the end. [1]
_IDLE: Final = 0.1

#: Data that a connection may send before the first answer: RFC 6928. [B]
FIRST_WINDOW: Final = 10 * 1448

#: Subjects of ``models/topics.yaml`` with which a test of a disk may be one of a file service.
_SERVICES: Final = ("file service/", "user file system/", "requests/iscsi", "requests/sshfs", "requests/webdav")

#: Words of these subjects for what works on the disks of one host.
_OF_ONE_HOST: Final = frozenset(
    f"user file system/{name}"
    for name in ("ntfs", "ntfs-3g", "hfsfuse", "exfat-fuse", "encfs", "gocryptfs", "mergerfs", "mhddfs", "unionfs")
)

_SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, _SIGNS)


#: Signs that need no run with a rate.
_WITHOUT_RUNS: Final = frozenset(
    {
        *("rwnd_limited", "sndbuf_limited", "app_limited", "busy", "unread", "queue", "idle_scatter", "idle_loss"),
        *("loaded_loss", "limiter", "port_errors", "port_duplex", "neighbours", "many_files", "hop_loss"),
        *("path_mtu", "softnet", "black_hole", "unasked", "distance", "port_load"),
        "resent",
        *("silent", "sender_interrupts", "receiver_interrupts", "small_buffer"),
        *("sender_throttled", "receiver_throttled", "sender_busiest", "receiver_busiest", "some_busiest"),
        *("sender_softirq", "receiver_softirq"),
        *("disk_way", "sender_disk_busy", "receiver_disk_busy", "sender_iowait", "receiver_iowait", "timed"),
        *of_notes.SIGNS,
    }
)


def signs(facts: Facts) -> Iterator[Sign]:
    """Yield the signs of a kind of run."""
    for name, read in _SIGNS.items():
        if name not in _WITHOUT_RUNS and not facts.has_rates:
            continue
        told = read(facts)
        if isinstance(told, Fact):
            if not math.isnan(told.value):
                yield Sign(name, told.value, told.evidence)
        elif told is not None:
            yield Sign(name, *told)


def _ratio(facts: Facts, over: Fact | None, value: float | None = None) -> Fact | None:
    """Ratio of the rate, or another value, to a fact."""
    if over is None or not over.value > 0:
        return None
    return Fact((facts.measured if value is None else value) / over.value, (*over.evidence, facts.rate_quote))


def _is_over_service(facts: Facts) -> bool:
    """Whether somebody writes of a file service or a shared folder, to which a test of disks may go."""
    told = {str(statement.value) for statement in facts.kind.say("topic")} - _OF_ONE_HOST
    return any(word.startswith(_SERVICES) for word in told)


def _on_wire(facts: Facts) -> bool:
    return not facts.kind.is_local and facts.kind.protocol != "rdma"


# --- the line -------------------------------------------------------------------------------------------------------


@_sign
def _stated_line(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    if not _on_wire(facts) or facts.kind.is_loopback or _fall(facts) is not None:
        return None
    return ("not stated", (facts.rate_quote,)) if facts.line is None else ("stated", facts.line.evidence)


@_sign
def _line_share(facts: Facts) -> Fact | None:
    line = facts.line
    return (
        None if line is None or not _on_wire(facts) else _ratio(facts, Fact(facts.goodput(line.value), line.evidence))
    )


@_sign
def _port_share(facts: Facts) -> Fact | None:
    port = facts.port
    if port is None or facts.line is not None or not _on_wire(facts):
        return None
    return _ratio(facts, Fact(facts.goodput(port.value), port.evidence))


@_sign
def _fast(facts: Facts) -> Fact | None:
    is_level = _on_wire(facts) and _fall(facts) is None
    return Fact(facts.measured / 1e9, (facts.rate_quote,)) if is_level else None


@_sign
def _port_speed(facts: Facts) -> Fact | None:
    port = facts.port
    return None if port is None or not _on_wire(facts) else Fact(port.value / 1e6, port.evidence)


def _of_ethernet(rates: Sequence[float], *, copies: bool) -> Reads:
    """The rate of copies or of others over the nearest goodput of Ethernet lines, unless a line or port is known."""

    def read(facts: Facts) -> Fact | None:
        known = facts.line is not None or facts.port is not None
        if known or not _on_wire(facts) or facts.kind.protocol == "udp" or facts.kind.copies_files != copies:
            return None
        scatter = facts.over_runs(course.scatter, _INTERVALS)
        if scatter is not None and scatter.value > _PLATEAU:
            return None  # the mean of an uneven rate is near a line rate by chance
        goodputs = (rate * facts.payload_share(mtu) for rate in rates for mtu in (1500, 9000))
        nearest = min(goodputs, key=lambda goodput: abs(math.log(facts.measured / goodput)))
        return Fact(facts.measured / nearest, (facts.rate_quote,))

    return read


for _stem, _copies in (("ethernet_rate", False), ("ethernet_copy", True)):
    _SIGNS[_stem] = _of_ethernet(ETHERNET, copies=_copies)
    _SIGNS[f"slow_{_stem}"] = _of_ethernet(SLOW_ETHERNET, copies=_copies)


# --- what was asked for -----------------------------------------------------------------------------------------------


@_sign
def _asked_rate(facts: Facts) -> Fact | None:
    return _ratio(facts, facts.asked_rate)


@_sign
def _is_paced(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    asked = facts.asked_rate
    if facts.kind.protocol == "udp":  # it always has a rate: a default, or without limit
        return None
    if asked is not None:
        return "a rate", asked.evidence
    return ("no rate", (facts.rate_quote,)) if facts.shows_requests else None


@_sign
def _odd_rate(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """A plateau at no rate of one digit, or one and a half, as people ask for; one at such a rate says nothing."""
    if facts.asked_rate is not None or facts.shows_requests or not facts.kind.is_of_memory:
        return None
    rate = facts.plateau if facts.plateau > 0 else facts.measured
    if not rate > 0:
        return None
    digits = 2 * rate / 10 ** math.floor(math.log10(rate))
    return None if abs(digits / round(digits) - 1) < _ROUND else ("no round number", (facts.rate_quote,))


@_sign
def _is_udp(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    words = {"udp": "UDP", "tcp": "TCP"}.get("tcp" if facts.kind.copies_files else facts.kind.protocol)
    return None if words is None else (words, (facts.rate_quote,))


@_sign
def _is_loopback(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    return ("one host", (facts.rate_quote,)) if facts.kind.is_loopback else None


@_sign
def _is_local(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    is_alone = facts.kind.is_local and not _is_over_service(facts)
    return ("to or from a disk alone", (facts.rate_quote,)) if is_alone else None


@_sign
def _is_copy(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    return ("files to or from another host", (facts.rate_quote,)) if facts.kind.copies_files else None


@_sign
def _is_of_memory(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    is_described = bool(facts.kind.say("topic"))  # what somebody describes may be another transfer
    return ("from memory to memory", (facts.rate_quote,)) if facts.kind.is_of_memory and not is_described else None


@_sign
def _local_direction(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    words = {"read": "reads", "write": "writes"}.get(facts.kind.direction)
    is_alone = facts.kind.is_local and not _is_over_service(facts)
    return None if words is None or not (is_alone or facts.kind.share is not None) else (words, (facts.rate_quote,))


@_sign
def _udp_loss(facts: Facts) -> Fact | None:
    return facts.of_runs("loss_fraction", "datagrams lost") if facts.kind.protocol == "udp" else None


@_sign
def _pacing_effort(facts: Facts) -> Fact | None:
    share = facts.of_runs("cpu_sender_fraction", "processor time of the sender")
    if share is None or facts.kind.tool not in ("nuttcp", "nttcp") or not facts.measured > 0:
        return None
    return Fact(share.value / (facts.measured / 1e9) if share.value > 0.2 else 0.0, share.evidence)


@_sign
def _asked_window(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    window = facts.said("asked.window_bytes")
    if window is not None:
        return "a window", window.evidence
    shows_none = facts.shows_requests or facts.kind.tool in WITHOUT_WINDOW or facts.kind.share is not None
    return ("no window", (facts.rate_quote,)) if shows_none and _on_wire(facts) else None


@_sign
def _window_fit(facts: Facts) -> Fact | None:
    return _ratio(facts, facts.said("asked.window_bytes"), facts.flight_bytes)


@_sign
def _from_memory(facts: Facts) -> Fact | None:
    if not facts.kind.is_local or _page_cache(facts) is not None:  # which tells more than the rate
        return None
    return Fact(facts.measured / 8e9, (facts.rate_quote,))


@_sign
def _usb2(facts: Facts) -> Fact | None:
    told = [
        statement
        for statement in facts.kind.say("cue")
        if str(statement.value) in _USB2 or _SAYS_USB2.search(statement.says)
    ]
    return Fact(facts.measured / _USB2_BPS, (told[0], facts.rate_quote)) if told else None


@_sign
def _page_cache(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    if not facts.kind.is_local:
        return None
    direct, memory = facts.direct, facts.said("host.memory_bytes", choose=min)
    if direct is not None and direct.value > 0:
        return "past", direct.evidence
    told = (facts.rate_quote, *(fact for known in (direct, memory) if known is not None for fact in known.evidence))
    if facts.measured >= _MEMORY_BPS:
        return "from", told
    if memory is None:
        return ("from", told) if facts.measured >= _CACHED_BPS and direct is not None else None
    is_at_once = facts.kind.direction == "write" and direct is not None and facts.bytes < _AT_ONCE * memory.value
    least = _SATA_BPS if is_at_once else _CACHED_BPS
    return ("from", told) if facts.measured >= least and facts.bytes < memory.value else None


# --- windows and buffers ----------------------------------------------------------------------------------------------


def _buffer_fit(end: str) -> Reads:
    """Fill level of the buffer of an end; of both ends, only the fuller one counts."""

    def read(facts: Facts) -> Fact | None:
        if facts.kind.protocol != "tcp":
            return None
        buffers = {end: facts.buffer(end) for end in ("sender", "receiver")}
        sizes = [buffer.value for buffer in buffers.values() if buffer is not None]
        own = buffers[end]
        is_fuller = own is not None and own.value <= min(sizes) and (end == "receiver" or sizes.count(own.value) == 1)
        return _ratio(facts, own, facts.flight_bytes) if is_fuller else None

    return read


_SIGNS["receive_buffer_fit"], _SIGNS["send_buffer_fit"] = _buffer_fit("receiver"), _buffer_fit("sender")


@_sign
def _small_buffer(facts: Facts) -> Fact | None:
    line, rtt = facts.line or facts.port, facts.rtt_idle
    if line is None and not facts.has_rates:
        line = Fact(_USUAL_BPS, ())
    buffers = [size for size in (facts.buffer("receiver"), facts.buffer("sender")) if size is not None]
    if line is None or rtt is None or not buffers:
        return None
    if facts.kind.protocol != "tcp" and facts.has_rates:
        return None
    smallest = min(buffers, key=lambda size: size.value)
    needs = line.value * rtt.value / 8 / facts.streams
    return Fact(smallest.value / 2 / needs, smallest.evidence) if needs > 0 else None


@_sign
def _send_window_fit(facts: Facts) -> Fact | None:
    return _ratio(facts, facts.said("socket.send_window_bytes", "sender"), facts.flight_bytes)


@_sign
def _rwnd_limited(facts: Facts) -> Fact | None:
    return facts.said("socket.rwnd_limited", "sender")


@_sign
def _sndbuf_limited(facts: Facts) -> Fact | None:
    return facts.said("socket.sndbuf_limited", "sender")


@_sign
def _app_limited(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    limited = facts.said("socket.app_limited", "sender")
    if limited is not None and limited.value > _IDLE:
        return "had nothing", limited.evidence
    sampled = facts.said("socket.rwnd_limited", "sender") or facts.said("socket.busy", "sender")
    return None if sampled is None else ("had data", sampled.evidence)


@_sign
def _busy(facts: Facts) -> Fact | None:
    return facts.said("socket.busy", "sender")


@_sign
def _unread(facts: Facts) -> Fact | None:
    unread = facts.said("socket.unread_bytes", "receiver")
    return None if unread is None else Fact(unread.value / 1e3, unread.evidence)


# --- the course over time ---------------------------------------------------------------------------------------------


@_sign
def _fall(facts: Facts) -> Fact | None:
    if not facts.falls or 2 * len(facts.falls) < len(facts.kind.courses):
        return None
    return facts.computed(median(facts.falls), _INTERVALS)


def _of_course(facts: Facts, measure: Callable[[pd.DataFrame], float]) -> Fact | None:
    """A measure of the courses, unless the rate falls from one level to another."""
    return None if _fall(facts) is not None else facts.over_runs(measure, _INTERVALS)


@_sign
def _scatter(facts: Facts) -> Fact | None:
    return _of_course(facts, course.scatter)


@_sign
def _first_rate(facts: Facts) -> Fact | None:
    rtt = facts.rtt_idle
    rtt_s = 0.0 if rtt is None else rtt.value
    return _of_course(facts, partial(course.first_rate, start_s=facts.slow_start_s, rtt_s=rtt_s))


@_sign
def _growth(facts: Facts) -> Fact | None:
    return _of_course(facts, partial(course.growth, start_s=facts.slow_start_s))


@_sign
def _spread(facts: Facts) -> Fact | None:
    rates = facts.kind.runs["rate_bps"]
    if len(rates) < 2 or not rates.min() > 0:
        return None
    return Fact(float(rates.max() / rates.min()), (facts.rate_quote,))


def _others(differs: str) -> Reads:
    """Ratio to the rate of the same test with another end, or in the other direction."""

    def read(facts: Facts) -> Fact | None:
        if differs == "direction" and facts.kind.tool in _OF_ACCESS_LINES:
            return None
        others = sorted(
            (other for other in facts.kind.others if other.differs == differs and other.rate_bps > 0),
            key=lambda other: other.rate_bps,
        )
        return facts.times(others[(len(others) - 1) // 2] if others else None)

    return read


_SIGNS["destinations_faster"], _SIGNS["sources_faster"] = _others("destination"), _others("source")
_SIGNS["way_back_faster"] = _others("direction")


@_sign
def _path_carries(facts: Facts) -> Fact | None:
    """How many times as fast a test between memories is over the path of a copy."""
    return facts.times(facts.kind.through)


# --- losses and queues ------------------------------------------------------------------------------------------------


@_sign
def _resent(facts: Facts) -> Fact | None:
    return facts.resent


@_sign
def _loss_fit(facts: Facts) -> Fact | None:
    limit = facts.loss_limit_bps
    return None if limit is None or facts.resent is None else Fact(facts.measured / limit, facts.resent.evidence)


@_sign
def _silent(facts: Facts) -> Fact | None:
    if not facts.has_rates:  # a run that somebody broke off because nothing came
        return facts.all_silent
    return facts.over_runs(course.silence, _INTERVALS)


@_sign
def _resent_often(facts: Facts) -> Fact | None:
    def often(intervals: pd.DataFrame) -> float:
        return float((intervals["retransmits"].iloc[1:] > 0).mean()) if intervals["retransmits"].sum() > 0 else math.nan

    return facts.over_runs(often, "the retransmits of the intervals")  # without any, `resent` has said so


@_sign
def _resent_first(facts: Facts) -> Fact | None:
    def first(intervals: pd.DataFrame) -> float:
        total = float(intervals["retransmits"].sum())
        return float(intervals["retransmits"].iloc[0]) / total if total > 0 else math.nan

    return facts.over_runs(first, "the retransmits of the intervals")


@_sign
def _queue(facts: Facts) -> Fact | None:
    idle, loaded = facts.rtt_idle, facts.rtt_loaded
    if idle is None or loaded is None or facts.is_one_rtt:
        return None
    scatter = facts.said("path.rtt_scatter_s")
    grown_s = loaded.value - idle.value - (0.0 if scatter is None else _JITTER * scatter.value)
    if (
        grown_s <= _NO_GROWTH * idle.value and facts.is_rtt_of_transfer
    ):  # the least RTT of the transfer may hold the queue, too
        return None
    return Fact(max(grown_s / idle.value, 0.0), (*idle.evidence, *loaded.evidence))


@_sign
def _queue_rate(facts: Facts) -> Fact | None:
    """Ratio of the rate, after the burst that a bucket lets through, to the limit."""
    after = min(facts.measured, facts.plateau) if facts.plateau > 0 else None
    return _ratio(facts, facts.said("queue.rate_bps", choose=min), after)


@_sign
def _limiter(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    limit = facts.said("queue.rate_bps", choose=min)
    if limit is not None:
        return "limits the rate", limit.evidence
    seen = facts.kind.say("queue.kind")
    return ("has no limit", tuple(seen[:1])) if seen else None


@_sign
def _other_traffic(facts: Facts) -> Fact | None:
    sent = facts.said("port.sent_bps", "sender")
    return None if sent is None or not _on_wire(facts) else Fact(sent.value / facts.measured, sent.evidence)


@_sign
def _other_direction(facts: Facts) -> Fact | None:
    back = facts.said("port.received_bps", "sender")
    return None if back is None or not _on_wire(facts) else Fact(back.value / facts.measured, back.evidence)


# --- the start --------------------------------------------------------------------------------------------------------


def _of_one_run(facts: Facts, column: str, words: str) -> Fact | None:
    """A column of the runs, unless they are many files of one copy."""
    return facts.of_runs(column, words) if _on_wire(facts) and not facts.has_run_per_file else None


@_sign
def _round_trips(facts: Facts) -> Fact | None:
    rtt = facts.rtt_idle
    if rtt is None or not facts.duration_s > 0 or facts.kind.protocol != "tcp" or facts.has_run_per_file:
        return None
    return Fact(facts.duration_s / rtt.value, rtt.evidence)


@_sign
def _distance(facts: Facts) -> Fact | None:
    rtt = facts.rtt_idle
    if rtt is None or not _on_wire(facts) or not (facts.has_rates or facts.shows_connection):
        return None
    return Fact(rtt.value * 1e3, rtt.evidence)


@_sign
def _duration(facts: Facts) -> Fact | None:
    return None if _round_trips(facts) is not None else _of_one_run(facts, "duration_s", "duration")


@_sign
def _amount(facts: Facts) -> Fact | None:
    amount = None if _round_trips(facts) is not None else _of_one_run(facts, "bytes", "amount")
    return None if amount is None else Fact(amount.value / 1e6, amount.evidence)


@_sign
def _tiny(facts: Facts) -> Fact | None:
    amount = _of_one_run(facts, "bytes", "amount")
    return None if amount is None or amount.value >= FIRST_WINDOW else amount


# --- disks and processors ---------------------------------------------------------------------------------------------


_ROOMS: Final = (of_datagrams, of_files, of_hosts, of_notes, of_paths, of_ports, of_windows, both_ways)
_SIGNS.update({name: read for room in _ROOMS for name, read in room.SIGNS.items()})


@_sign
def _read_test(facts: Facts) -> Fact | None:
    return None if facts.kind.is_local else _ratio(facts, facts.said("disk.read_bps", "sender"))


@_sign
def _write_test(facts: Facts) -> Fact | None:
    return None if facts.kind.is_local else _ratio(facts, facts.said("disk.write_bps", "receiver"))
