"""Whether anything is known against the packages of the lock files: ``python -m tools.audit`` (`make audit`).

pip-audit asks PyPI, then OSV. Where a database cannot be had, pip-audit by itself says that no vulnerabilities were
found; here what was not audited is told, and is no pass. The exit status is 0 when every package was looked up and
nothing is known, 1 when something is, 2 when packages were not looked up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tools.locked import ROOT

#: All but the oldest versions, in which faults are known by their age.
LOCKS: Final = tuple(f"requirements{of}.lock" for of in ("", "-dev", "-bootstrap", "-fuzz", "-mutation"))
SERVICES: Final = ("pypi", "osv")
CLEAN, KNOWN, UNKNOWN = 0, 1, 2

#: Asks a service about a lock: the packages as pip-audit lists them, or why there are none.
Asking = Callable[[Path, str], "list[dict[str, Any]] | str"]


def ask(lock: Path, service: str) -> list[dict[str, Any]] | str:
    """Ask a service about all packages of a lock."""
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    asked = ["--requirement", str(lock), "--vulnerability-service", service]
    command = [sys.executable, "-m", "pip_audit", *options, *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a list of our own words
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return (done.stderr.strip().splitlines() or ["no answer"])[-1]
    return packages


def audit(lock: Path, asking: Asking = ask) -> tuple[int, list[str]]:
    """Status and lines of one lock.

    Parameters
    ----------
    lock
        The lock.
    asking
        Asks one service.
    """
    failures = []
    for service in SERVICES:
        packages = asking(lock, service)
        if isinstance(packages, str):
            failures.append(f"{service}: {packages}")
            continue
        skipped = [one for one in packages if "skip_reason" in one]
        if packages and len(skipped) == len(packages):
            failures.append(f"{service}: {skipped[0]['skip_reason']}, and so on for all {len(packages)}")
            continue
        known = [
            f"{lock.name}: {one['name']} {one['version']}: {fault['id']}, "
            f"mended in {', '.join(fault['fix_versions']) or 'no version'}"
            for one in packages
            for fault in one.get("vulns", [])
        ]
        unknown = [f"{lock.name}: NOT AUDITED: {one['skip_reason']}" for one in skipped]
        status = KNOWN if known else UNKNOWN if unknown or not packages else CLEAN
        return status, [*known, *unknown, f"{lock.name}: {len(packages) - len(skipped)} packages audited by {service}"]
    return UNKNOWN, [f"{lock.name}: NOT AUDITED: no database could be had ({'; '.join(failures)})"]


def main(asking: Asking = ask) -> int:
    """Audit all locks, and say what is known and what could not be asked."""
    found = set()
    for lock in LOCKS:
        status, lines = audit(ROOT / lock, asking)
        print("\n".join(lines))
        found.add(status)
    worst = KNOWN if KNOWN in found else max(found)
    print({CLEAN: "nothing is known", KNOWN: "faults are known", UNKNOWN: "no pass: not all was audited"}[worst])
    return worst


if __name__ == "__main__":
    sys.exit(main())
