"""The signs that runs both ways at the same time show: what the directions share."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from hecn_analysis.diagnosis.facts import ETHERNET, SLOW_ETHERNET, Fact, Facts, Reads, enter
from hecn_analysis.diagnosis.kinds import courses
from hecn_analysis.runs import course

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)

#: Scatter of both rates below which nothing shows whether they trade. [1]
_STEADY: Final = 0.03


@_sign
def _both_ways(facts: Facts) -> Fact | None:
    """Both rates together, over what the line carries one way; without a line, the next one of Ethernet."""
    twin = facts.kind.twin
    if twin is None:
        return None
    line = facts.line or facts.port
    fastest = max(facts.measured, twin.rate_bps)
    holds = (rate for rate in (*SLOW_ETHERNET, *ETHERNET) if facts.goodput(rate) >= 0.98 * fastest)
    rate = next(holds, fastest) if line is None else line.value
    evidence = (replace(twin.place, name="other"), facts.rate_quote, *(() if line is None else line.evidence))
    return Fact((facts.measured + twin.rate_bps) / facts.goodput(rate), evidence)


@_sign
def _ways_trade(facts: Facts) -> Fact | None:
    """Scatter of the sum of both rates over that of independent ones: small where one has what the other lacks."""
    twin = facts.kind.twin
    own = list(facts.kind.courses.values())
    back = [] if twin is None else list(courses(twin.intervals).values())
    if twin is None or len(own) != 1 or len(back) != 1 or min(len(own[0]), len(back[0])) < 2 * course.FEWEST:
        return None
    length = min(len(own[0]), len(back[0]))
    rates = [intervals["rate_bps"].to_numpy(dtype=float)[1:length] for intervals in (own[0], back[0])]
    if any(not way.std() > _STEADY * way.mean() for way in rates):
        return None
    alone = float(np.hypot(rates[0].std(), rates[1].std()))
    return Fact(float((rates[0] + rates[1]).std()) / alone, (replace(twin.place, name="other"), facts.rate_quote))


@_sign
def _alone_faster(facts: Facts) -> Fact | None:
    """How many times as fast the same test is without runs the other way."""
    return facts.times(facts.kind.alone)
