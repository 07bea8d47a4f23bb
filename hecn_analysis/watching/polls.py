"""Polls of SNMP agents as a source of a watch: each look adds one reading of all ports to the archive.

Counters are kept as the agent has them, of 64 bits where it has those: their rates are computed from the archive, where
wraps and resets show (`hecn_analysis.traffic.rates`). An agent that does not answer is named once, and polled again
after a pause that doubles up to an hour.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.live.snmp import Agent, add_round, agents, poll
from hecn_analysis.watching.incoming import Batch
from hecn_analysis.watching.web import Backoff

SCHEME: Final = "snmp"


def is_agent(source: str) -> bool:
    """Whether a source is the address of an SNMP agent."""
    return source.partition("://")[0].lower() == SCHEME and "://" in source


def agents_of(addresses: Sequence[str], *, credentials: Path | None = None) -> list[Agent]:
    """Return the agents at addresses like snmp://sw1:161; InputError if one has a login, a path or a query.

    >>> [agent.name for agent in agents_of(["snmp://sw1", "snmp://192.0.2.7:1161"])]
    ['sw1', '192.0.2.7:1161']
    """
    hosts = []
    for address in addresses:
        parts = urlsplit(address)
        shown = parts.netloc.rpartition("@")[2]
        if "@" in parts.netloc:
            raise InputError(
                f"a login in the address snmp://…@{shown}",
                f"snmp://{shown}",
                advice="a community is read from --snmp-credentials or HECN_SNMP_COMMUNITY",
            )
        if not shown or parts.path.strip("/") or parts.query or parts.fragment:
            raise InputError(f"the address snmp://{shown}…", "the address of an agent, such as snmp://sw1")
        hosts.append(shown)
    return agents(hosts, credentials=credentials)


@dataclass
class _State:
    """What is known of an agent: its pauses, and what was said of its answers."""

    backoff: Backoff = field(default_factory=Backoff)
    said: set[str] = field(default_factory=set)


class Polls:
    """SNMP agents.

    Parameters
    ----------
    asked, archive
        The agents, and the archive that takes their readings.
    """

    def __init__(self, asked: Sequence[Agent], archive: Archive) -> None:
        self._states = {f"{SCHEME}://{agent.name}": (agent, _State()) for agent in asked}
        self._archive = archive

    def take(self) -> Batch:
        """Poll the agents that are not paused, all at once, and add their readings; `added` counts readings."""
        batch = Batch()
        due = {name: known for name, known in self._states.items() if known[1].backoff.is_due()}
        if not due:
            return batch
        polled = asyncio.run(poll([agent for agent, _ in due.values()]))
        if len(polled.samples):
            add_round(self._archive, polled)
            batch.added = len(polled.samples)
        answered = set(polled.samples["source_file"])
        for name, (_, state) in due.items():
            messages = list(polled.problems.loc[polled.problems["source_file"] == name, "message"])
            if name in answered:
                state.backoff.worked()
                fresh = [message for message in messages if message not in state.said]
            else:
                fault = messages[0] if messages else "found no interface, expected counters of ports"
                fresh = [f"{fault}; check its address, its credentials, and that it runs"]
                fresh = fresh if state.backoff.failed(fault) else []
            state.said.update(messages)
            batch.remarks += [f"{name}: {message}" for message in fresh]
        return batch
