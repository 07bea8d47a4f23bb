"""Signs of hosts: processors, quotas, interrupts, and the ends of a pipe."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import entries

SIGNS: Final[dict[str, Reads]] = {}

#: Share of a core from which on it is full, and the part of that below which the other end's has room. [1]
_FULL: Final = 0.85
_HAS_ROOM: Final = 0.75

#: Utilisation of a busy disk, and the share of its data that one direction has at least. [1]
_BUSY: Final = 0.8
_ONE_WAY: Final = 0.8

#: Subject of the lines that say that a card had no room, and entries that say that a core is full of packets.
_RING: Final = "ring"
_OF_FULL_CORES: Final = frozenset({"ksoftirqd-busy", "softirq-full"})
_sign = partial(enter, SIGNS)


# --- processors -------------------------------------------------------------------------------------------------------


def _core(end: str) -> Reads:
    return lambda facts: facts.of_runs(f"cpu_{end}_fraction", f"processor time of the {end}")


def _of_end(name: str, end: str) -> Reads:
    return lambda facts: facts.said(name, end)


@_sign
def _full_core(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """The end at which the tool fills a core, if it does not at the other."""
    cores = {end: SIGNS[f"{end}_core"](facts) for end in ("sender", "receiver")}
    shares = {end: core for end, core in cores.items() if isinstance(core, Fact)}
    full = max(shares, key=lambda end: shares[end].value, default="")
    if len(shares) < len(cores) or shares[full].value < _FULL:
        return None
    is_alone = min(core.value for core in shares.values()) < _HAS_ROOM * shares[full].value
    return (f"the {full} alone" if is_alone else "both ends"), shares[full].evidence


def _throttled(end: str) -> Reads:
    """Make the sign of throttling at an end, which counts only with a quota, since counters outlive it."""

    def read(facts: Facts) -> Fact | None:
        quota = facts.said("cpu.quota", end, choose=min)
        return None if quota is not None and math.isinf(quota.value) else facts.said("cpu.throttled", end)

    return read


def _busiest(end: str) -> Reads:
    """Load of the busiest core; of a test between memories, of the one on which the kernel does most."""

    def read(facts: Facts) -> Fact | None:
        told = facts.said("cpu.kernel", end) if facts.kind.is_of_memory else None
        told = told or facts.said("cpu.busiest", end)
        return told if told is not None and told.evidence[0].end == end else None

    return read


SIGNS["some_busiest"] = _busiest("")
SIGNS["sender_core"], SIGNS["receiver_core"] = _core("sender"), _core("receiver")
for _end in ("sender", "receiver"):
    SIGNS[f"{_end}_throttled"] = _throttled(_end)
    SIGNS[f"{_end}_softirq"] = _of_end("cpu.softirq", _end)
    SIGNS[f"{_end}_busiest"] = _busiest(_end)
    SIGNS[f"{_end}_disk_busy"] = _of_end("disk.utilisation", _end)
    SIGNS[f"{_end}_iowait"] = _of_end("cpu.iowait", _end)


@_sign
def _neighbours(facts: Facts) -> Fact | None:
    return facts.said("cpu.others", choose=max)


@_sign
def _timed(facts: Facts) -> Fact | None:
    own = set(facts.kind.files)
    told = [statement for statement in facts.kind.say("cpu.timed") if not own or statement.source_file in own]
    slowest = min(told, key=lambda statement: float(statement.value), default=None)
    return None if slowest is None else Fact(float(slowest.value), (slowest,))


@_sign
def _softnet(facts: Facts) -> Fact | None:
    return facts.said("cpu.softnet_dropped", choose=max)


@_sign
def _ring_core(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """Whether a core is full where a card had no room for packets."""
    drops = [statement for statement in facts.kind.say("cue") if entries()[str(statement.value)].subject == _RING]
    told = [fact for name in ("receiver_softirq", "receiver_busiest", "receiver_core") if (fact := SIGNS[name](facts))]
    cores = [fact for fact in told if isinstance(fact, Fact)]
    if not drops or not cores:
        return None
    fullest = max(cores, key=lambda fact: fact.value)
    is_full = fullest.value >= _FULL or any(
        str(statement.value) in _OF_FULL_CORES for statement in facts.kind.say("cue")
    )
    return ("is full" if is_full else "has room"), (*fullest.evidence, *drops)


for _end in ("sender", "receiver"):
    SIGNS[f"{_end}_interrupts"] = _of_end("cpu.interrupts", _end)


# --- disks ------------------------------------------------------------------------------------------------------------


@_sign
def _disk_way(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """What a busy disk of an unknown end does; that of a known end is in the signs of the ends."""
    busy = [
        statement
        for statement in facts.kind.say("disk.utilisation")
        if not statement.end and float(statement.value) >= _BUSY
    ]
    for disk in busy:
        read, written = (
            sum(float(other.value) for other in facts.kind.say(name) if other.source_file == disk.source_file)
            for name in ("disk.reading_bps", "disk.writing_bps")
        )
        if max(read, written) >= _ONE_WAY * (read + written) > 0:
            return "reads" if read > written else "writes", (disk,)
    return None


@_sign
def _feed(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    return facts.feed


@_sign
def _drain(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    return facts.drain


@_sign
def _feed_lead(facts: Facts) -> Fact | None:
    source = facts.piped("sender")
    if source is None or not facts.duration_s > 0:
        return None
    return Fact(facts.duration_s / source.value, source.evidence)


@_sign
def _drain_lag(facts: Facts) -> Fact | None:
    sink = facts.piped("receiver")
    if sink is None or not facts.duration_s > 0:
        return None
    return Fact(sink.value - facts.duration_s, sink.evidence)
