"""``uname -a``, ``/proc/version`` and ``/etc/os-release``: which kernel and which system run on the host.

Versions: uname of GNU coreutils, busybox and FreeBSD; os-release of systemd. ``/proc/version`` begins as uname does,
but names the host that the kernel was built on, and not the one that it runs on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("os-release", "uname")
VERSIONS = "coreutils 5 to 9, busybox, FreeBSD; systemd"
COMMANDS = ("uname", "/proc/version", "/etc/os-release", "/usr/lib/os-release")
BEGINS = re.compile(r"(?:Linux|FreeBSD|Darwin|SunOS) \S{1,64} \d{1,3}\.\d|(?:PRETTY_NAME|NAME)=\"[^\"]{0,80}\"\s*$")
REPEATS = False

_FEW: Final = 3
_UNAME: Final = re.compile(
    r"(?P<os>Linux|FreeBSD|Darwin|SunOS) (?P<host>\S{1,64}) (?P<kernel>\d{1,3}\.\S{1,100})(?: (?P<rest>.{0,400}))?$"
)
_VERSION: Final = re.compile(r"Linux version (?P<kernel>\d{1,3}\.\S{1,100})(?: .{0,400})?$")
_FIELD: Final = re.compile(r"(?P<name>[A-Z_]{2,40})=\"?(?P<value>[^\"]{0,200}+)\"?\s*$")
_MACHINE: Final = re.compile(r"\b(?P<machine>x86_64|amd64|i[3-6]86|aarch64|armv\w{1,6}|ppc64\w{0,2}|s390x?|riscv64)\b")


def recognises(output: Output) -> bool:
    """Whether the first line is a kernel's, or the lines are assignments of which one is an identifier."""
    if _UNAME.match(output.lines[0]):
        return len(output.lines) <= _FEW or output.command[:1] == ("uname",)
    head = output.lines[:40]
    return any(line.startswith("ID=") for line in head) and all(
        not line.strip() or line.startswith("#") or _FIELD.match(line) for line in _fields(head)
    )


def _fields(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to a blank one below which no assignment follows, for a note may be pasted there."""
    ends = (at for at, line in enumerate(lines) if not line.strip() and not any(map(_FIELD.match, lines[at:])))
    return lines[: next(ends, len(lines))]


def read(output: Output) -> Facts:
    """The kernel's version and the host's name, or the name of the system."""
    if (version := _VERSION.match(output.lines[0])) is not None:
        return output.facts("uname", {"os": "Linux", "host_name": None, "kernel": version["kernel"], "machine": None})
    kernel = _UNAME.match(output.lines[0])
    if kernel is None:
        fields = {field["name"]: field["value"] for line in output.lines if (field := _FIELD.match(line))}
        return output.facts(
            "os-release", {"id": fields.get("ID"), "name": fields.get("PRETTY_NAME") or fields.get("NAME")}
        )
    machine = _MACHINE.search(kernel["rest"] or "")
    values = {"os": kernel["os"], "host_name": kernel["host"], "kernel": kernel["kernel"]}
    return output.facts("uname", {**values, "machine": machine["machine"] if machine else None})
