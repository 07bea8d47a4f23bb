"""The signs of ports: errors, load, and a duplex that two ports do not share."""

from __future__ import annotations

from functools import partial
from typing import Final

from hecn_analysis.diagnosis.facts import Fact, Facts, Reads, enter
from hecn_analysis.statements import Statement

SIGNS: Final[dict[str, Reads]] = {}
_sign = partial(enter, SIGNS)


@_sign
def _port_errors(facts: Facts) -> Fact | None:
    return facts.said("port.errors", choose=max)


@_sign
def _port_load(facts: Facts) -> Fact | None:
    """Load of the busiest port; with a run, its own rate tells more."""
    return None if facts.has_rates else facts.said("port.load", choose=max)


@_sign
def _port_duplex(facts: Facts) -> tuple[str, tuple[Statement, ...]] | None:
    """Whether one port runs in half duplex and another in full."""
    told = {str(statement.value): statement for statement in reversed(facts.kind.say("port.duplex"))}
    if {"half", "full"} <= told.keys() and told["half"].source_file != told["full"].source_file:
        return "half duplex, another in full", (told["half"], told["full"])
    return None
