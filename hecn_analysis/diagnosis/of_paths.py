"""The signs that pings and reports of hops show of a path."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import pandas as pd

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter
from hecn_analysis.runs import course

#: Below this RTT, most of the scatter is that of the hosts. [s]
_SHORT_PATH_S: Final = 1e-3

#: MTU of Ethernet: a smaller one is that of a tunnel. [B]
_ETHERNET_MTU: Final = 1500

#: Loss of small pings beside which large ones that are all lost say something. [1]
_FEW_LOST: Final = 0.5

#: Share of empty intervals from which a run is a silent one. [1]
_MOSTLY: Final = 0.5

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _idle_scatter(facts: Facts) -> Fact | None:
    scatter, idle = facts.said("path.rtt_scatter_s"), facts.said("path.rtt_idle_s")
    if scatter is None or idle is None or idle.value < _SHORT_PATH_S:
        return None
    return Fact(scatter.value / idle.value, scatter.evidence)


@_sign
def _idle_loss(facts: Facts) -> Fact | None:
    return facts.said("path.ping_loss_idle", choose=max)


@_sign
def _hop_loss(facts: Facts) -> Fact | None:
    return facts.said("path.loss_from_hop", choose=max)


@_sign
def _path_mtu(facts: Facts) -> Fact | None:
    told = facts.said("path.mtu_bytes", choose=min)
    return None if facts.has_rates or told is None or told.value >= _ETHERNET_MTU else told


@_sign
def _black_hole(facts: Facts) -> Fact | None:
    told = facts.said("path.black_hole_bytes", choose=min)
    if told is not None:
        return told
    answered = [ping for ping in facts.kind.say("path.ping_loss_idle") if float(ping.value) < _FEW_LOST]
    for large in sorted(facts.kind.say("path.unanswered_bytes"), key=lambda ping: float(ping.value)):
        small = [ping for ping in answered if set(ping.host.split()) & set(large.host.split())]
        if small:
            return Fact(float(large.value), (large, small[0]))
    return None


@_sign
def _before_silence(facts: Facts) -> Fact | None:
    """Data of a run most of whose intervals are empty: a black hole takes no more than the sender buffers [MB]."""

    def carried(intervals: pd.DataFrame) -> float:
        if not course.silence(intervals) >= _MOSTLY:
            return math.nan
        return float((intervals["rate_bps"] * (intervals["t_end_s"] - intervals["t_start_s"])).sum() / 8e6)

    return facts.over_runs(carried, "the data of the intervals")


@_sign
def _loaded_loss(facts: Facts) -> Fact | None:
    return facts.said("path.ping_loss_loaded", choose=max)
