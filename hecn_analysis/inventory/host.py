"""Hosts put together from facts: which outputs belong together, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host
    from hecn_analysis.inventory.registry import Captured


@dataclass(frozen=True)
class CapturedHost:
    """A host as it was captured.

    Parameters
    ----------
    name
        What it is called: by a prompt, else by its folder.
    host
        The host for predictions.
    facts
        What was found, by the part of the host: ``cpu``, ``memory``, ``devices`` …
    findings
        What is wrong with it.
    source_files
        The files it was made of.
    problems
        Rows of the table of problems: what the files say differently.
    """

    name: str
    host: Host
    facts: dict[str, Any]
    findings: tuple[Any, ...] = ()
    source_files: tuple[str, ...] = ()
    problems: list[dict[str, object]] = field(default_factory=list)


def hosts(captured: Sequence[Captured]) -> tuple[CapturedHost, ...]:  # noqa: ARG001
    """Put outputs together to hosts."""
    return ()
