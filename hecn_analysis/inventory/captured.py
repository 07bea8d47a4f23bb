"""Hosts for predictions, built from captured outputs.

The `source` of a captured host begins with ``captured`` and names its files; hosts written from documents name the
document. `hosts.description` turns facts into the keys of a description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Host, Library, yaml_file
from hecn_analysis.hardware.description import Description
from hecn_analysis.hardware.host import CAPTURED
from hecn_analysis.inventory.checks import findings
from hecn_analysis.inventory.checks.findings import HostFindings
from hecn_analysis.inventory.hosts.description import Keys, describe, slot_name
from hecn_analysis.inventory.hosts.groups import Group, groups
from hecn_analysis.inventory.hosts.machine import Machine

if TYPE_CHECKING:
    from hecn_analysis.inventory.registry import Captured


@dataclass(frozen=True)
class CapturedHost:
    """A captured host.

    ``name`` is from a prompt, the kernel, or else the folder. ``description`` has the keys of a file in
    ``models/hosts``, ``facts`` are by part of the host (``cpu``, ``memory``, ``devices`` …), and ``machine`` has the
    same for programs. ``findings`` include what could not be checked; ``problems`` are rows of the table about
    contradictions between files.
    """

    name: str
    host: Host
    description: Keys
    facts: dict[str, Any]
    machine: Machine
    findings: HostFindings
    source_files: tuple[str, ...] = ()
    problems: list[dict[str, object]] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Its name in a scenario, distinct from a description of the same name."""
        return self.host.label


def hosts(captured: Sequence[Captured]) -> tuple[CapturedHost, ...]:
    """Group outputs by host and build each host."""
    return tuple(_host(group) for group in groups(captured))


def _host(group: Group) -> CapturedHost:
    machine = Machine.of(group.captured)
    files = tuple(dict.fromkeys(output.output.source_file for output in group.captured))
    name = machine.host_name or group.name or CAPTURED
    keys = describe(machine, files)
    problems = list(group.problems)
    places_of_slots = {card: slot_name(card) for card in machine.cards() if slot_name(card) in keys.get("slots", {})}
    checks = findings.find(machine, group.captured, slots=places_of_slots)
    # What cannot be a host is left out, part by part: the rest is worth having.
    for left_out in ((), ("arrays",), ("arrays", "slots", "bridges"), ("arrays", "slots", "bridges", "cpu", "memory")):
        kept = {key: value for key, value in keys.items() if key not in left_out}
        try:
            host = _make_host(name, kept)
        except InputError as error:
            message = f"found {error.found}, expected {error.expected}; left out of the host"
            problem: dict[str, object] = {"source_file": files[0], "line": None, "kind": "inconsistent"}
            if not problems or problems[-1]["message"] != message:
                problems.append({**problem, "message": message})
        else:
            return CapturedHost(name, host, kept, machine.summary(), machine, checks, files, problems)
    kept = {key: keys[key] for key in ("title", "source")}
    return CapturedHost(name, _make_host(name, kept), kept, machine.summary(), machine, checks, files, problems)


def _make_host(name: str, keys: Keys) -> Host:
    """Make a host of the keys of a description."""
    description = Library(places.models_dir()).with_parts(Description({"name": name, **keys}))
    return yaml_file.validate(Host, description.values, description.place, prefix=("host",))
