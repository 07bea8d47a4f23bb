"""The signs of datagrams that were lost: where they were dropped."""

from __future__ import annotations

from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter

#: So few lost datagrams are as many as another counter has by chance.
_FEW_LOST: Final = 50

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _udp_unread(facts: Facts) -> Fact | None:
    """Datagrams that the receiver's sockets dropped, over those lost; of several counts, the growth."""
    runs = facts.kind.runs
    lost = float(runs["lost_packets"].astype(float).sum()) if "lost_packets" in runs else 0.0
    told = [statement for statement in facts.kind.say("udp.unread", "receiver") if statement.end != "sender"]
    if facts.kind.protocol != "udp" or not told or not lost > _FEW_LOST:
        return None
    last = max(told, key=lambda statement: float(statement.value))
    before = min(float(statement.value) for statement in told) if len(told) > 1 else 0.0
    return Fact(
        (float(last.value) - before) / lost, (last, facts.computed(lost, f"{lost:,.0f} datagrams lost").evidence[0])
    )
