"""The signs of windows: room and course of the congestion window, whether a buffer holds it, and who asked for one."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter
from hecn_analysis.statements import Statement

#: Scatter of a window that nothing changes, and how near it is to the data in flight where it is their limit. [1]
_FLAT: Final = 0.01
_ALL_IN_FLIGHT: Final = 0.2

#: A window that is larger by this factor than the data under way has room. [1]
_ROOM: Final = 1.35

#: On a nearer path a host is slow for another reason long before a window is all in flight. [s]
_FAR_S: Final = 0.002

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _cwnd_room(facts: Facts) -> Fact | None:
    cwnd = facts.cwnd
    if cwnd is None or not facts.flight_bytes > 0 or _held_window(facts) is not None:
        return None
    room = cwnd.value / facts.flight_bytes
    if room > _ROOM and facts.rtt_loaded is None and facts.resent is not None and facts.resent.value > 0:
        return None  # losses limit the window, and what is more than the path holds is in a queue
    return Fact(room, cwnd.evidence)


@_sign
def _held_window(facts: Facts) -> Fact | None:
    """Cwnd over the rate times the RTT of the idle path, if it neither changes nor fills a queue."""
    cwnd, scatter, rtt, resent = facts.cwnd, facts.cwnd_scatter, facts.rtt_idle, facts.resent
    if cwnd is None or scatter is None or rtt is None or resent is None or not facts.is_rtt_idle_measured:
        return None
    if resent.value > 0 or scatter.value > _FLAT or rtt.value < _FAR_S:
        return None
    room = cwnd.value * facts.streams * 8 / (facts.plateau * rtt.value) if facts.plateau > 0 else math.nan
    return Fact(room, cwnd.evidence) if abs(room - 1) < _ALL_IN_FLIGHT else None


@_sign
def _cwnd_flat(facts: Facts) -> Fact | None:
    return facts.cwnd_scatter if facts.flight_bytes > 0 else None  # on a short path a window that holds is flat, too


@_sign
def _window_time(facts: Facts) -> Fact | None:
    """Time in which the asked window passes at the measured rate, where no RTT is known to compare it with [s]."""
    window = facts.said("asked.window_bytes")
    if window is None or facts.flight_bytes > 0 or not facts.measured > 0:
        return None
    return Fact(8 * window.value * facts.streams / facts.measured, (*window.evidence, facts.rate_quote))


@_sign
def _unasked(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """A connection of a program that no file names."""
    told = facts.said("socket.rwnd_limited", "sender")
    is_named = facts.has_rates or facts.said("asked.window_bytes") is not None or any(facts.kind.say("asked.command"))
    return None if told is None or is_named else ("without the program and its options", told.evidence)
