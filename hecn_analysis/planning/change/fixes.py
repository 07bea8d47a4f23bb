"""Fixes of the findings about a captured host, as changes for `hecn_analysis.planning.change.advise`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.idle_keys import why_idle
from hecn_analysis.inventory.checks.finding import Finding
from hecn_analysis.planning.change.change import Change


def fixes_of(findings: Iterable[Finding], role: str, scenario: Scenario) -> list[Change]:
    """Return a change for each finding on the ``sender`` or ``receiver`` whose fix sets keys that the scenario uses."""
    fixes = []
    seen: Counter[str] = Counter()
    for finding in findings:
        settings = _of_role(finding.scenario_settings, role)
        settings = {key: value for key, value in settings.items() if not why_idle(scenario, key)}
        if not settings:
            continue
        seen[finding.check] += 1
        number = f"-{seen[finding.check]}" if seen[finding.check] > 1 else ""
        fixes.append(
            Change(
                f"{role}-fix-{finding.check}{number}",
                f"{finding.place} of the {role}: {finding.expected} instead of {finding.found}",
                settings,
                "setting",
                finding.fix or "fix what the check found",
                finding.verify or "capture the host again",
                "any change of a host in use may disturb its users",
                finding.source or "the findings of hecn inventory",
            )
        )
    return fixes


def _of_role(settings: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Keys of the host as keys of its role in the scenario."""
    return {
        f"{role}.{key.removeprefix('host.')}" if key.startswith("host.") else key: value
        for key, value in settings.items()
    }
