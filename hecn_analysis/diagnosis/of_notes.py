"""The signs that people state: a window that is full, and a rate that changes with distance, streams, or requests."""

from __future__ import annotations

from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _told_window(facts: Facts) -> Fact | None:
    """The only rate that somebody states, times the RTT, over the smallest buffer; of runs, their own rates count."""
    rates = {float(statement.value) for statement in facts.kind.say("told.rate_bps")}
    rate, buffer, rtt = facts.said("told.rate_bps"), facts.said("told.buffer_bytes", choose=min), facts.rtt_idle
    if facts.has_rates or len(rates) != 1 or rate is None or buffer is None or rtt is None:
        return None
    return Fact(rate.value * rtt.value / 8 / buffer.value, (*rate.evidence, *buffer.evidence))


def _said(name: str) -> Reads:
    return lambda facts: facts.said(name)


for _what in ("rtt", "streams", "request"):
    SIGNS[f"over_{_what}"] = _said(f"path.rate_over_{_what}")
