"""The findings of ``hecn inventory``: what holds captured hosts back, with limit, fix and gain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hecn_analysis.base import units
from hecn_analysis.cli import output

if TYPE_CHECKING:
    from hecn_analysis.inventory import CapturedHost
    from hecn_analysis.inventory.checks.findings import HostFindings

COLUMNS = (
    *("host", "check", "place", "found", "expected", "limit_bps", "fixed_bps", "needs_bps", "predicted_bps"),
    *("predicted_fixed_bps", "basis", "fix", "verify", "source", "scenario_settings", "missing"),
)


def checked(
    hosts: Sequence[CapturedHost], path: str | None, role: str, tool: str
) -> list[tuple[CapturedHost, HostFindings]]:
    """Findings of each host, on the named path if there is one."""
    if path is None:
        return [(host, host.findings) for host in hosts]
    from dataclasses import replace  # noqa: PLC0415 - with a path only, as what follows

    from hecn_analysis.hardware import load_scenario  # noqa: PLC0415
    from hecn_analysis.inventory.checks.findings import predicted  # noqa: PLC0415

    scenario_path = load_scenario({"sender": "ideal", "receiver": "ideal", "tool": tool, "path": path}).path
    checked_hosts = []
    for host in hosts:
        findings = host.findings.on_path(scenario_path)
        gains = predicted(findings.findings, host.description, path, role=role, tool=tool)  # type: ignore[arg-type]
        checked_hosts.append((host, replace(findings, findings=gains)))
    return checked_hosts


def table(checked_hosts: Sequence[tuple[CapturedHost, HostFindings]], form: str) -> Iterable[str]:
    """The findings and the missing checks, as text for people or as rows."""
    if form == "text":
        return _texts(checked_hosts)
    rows: list[dict[str, Any]] = []
    for host, findings in checked_hosts:
        objects = [finding.to_dict() for finding in findings.findings] + [
            unchecked.to_dict() for unchecked in findings.unchecked
        ]
        rows.extend({name: {"host": host.name, **row}.get(name) for name in COLUMNS} for row in objects)
    return output.written(rows, list(COLUMNS), form)


def _texts(checked_hosts: Sequence[tuple[CapturedHost, HostFindings]]) -> Iterator[str]:
    for number, (host, findings) in enumerate(checked_hosts):
        yield from ("\n",) * (number > 0)
        count = len(findings.findings)
        yield f"{host.name}: {count or 'no'} finding{'' if count == 1 else 's'}\n"
        for finding in findings.findings:
            yield f"\n{finding.check}: {finding.place}\n"
            yield f"  found     {finding.found}\n  expected  {finding.expected}\n"
            if finding.limit_bps is not None or finding.basis:
                yield f"  limit     {_rates(finding.limit_bps, finding.fixed_bps, finding.basis)}\n"
            if finding.needs_bps is not None and finding.needs_bps <= (finding.limit_bps or 0.0):
                yield f"  needed    {units.format_rate(finding.needs_bps)}, for its ports: not a limit now\n"
            if finding.predicted_bps is not None:
                yield f"  on path   {_rates(finding.predicted_bps, finding.predicted_fixed_bps, 'predicted')}\n"
            for name in ("fix", "verify", "source"):
                if text := getattr(finding, name):
                    yield f"  {name:<8}  {text}\n"
        missing: dict[str, list[str]] = {}
        for unchecked in findings.unchecked:
            missing.setdefault(unchecked.missing, []).append(unchecked.check)
        if missing:
            yield "\nnot checked, for lack of the output of\n"
            yield from (f"  {command}: {', '.join(checks)}\n" for command, checks in missing.items())


def _rates(now: float | None, fixed: float | None, basis: str) -> str:
    rates = "" if now is None else units.format_rate(now)
    if now is not None and fixed is not None:
        rates += f", fixed {units.format_rate(fixed)}"
    return f"{rates} ({basis})" if rates and basis else rates or basis
