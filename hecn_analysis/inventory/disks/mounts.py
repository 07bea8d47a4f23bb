"""``mount``, ``/proc/mounts`` and ``/etc/fstab``: what is mounted where, with which options.

Units and traps
---------------
- ``rsize`` and ``wsize`` of NFS are bytes; they are those that both ends agreed on in ``/proc/mounts`` and ``mount``,
  and those that somebody asked for in ``fstab``.
- File systems of the kernel itself (proc, sysfs, cgroup …) are counted only.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import whole

FORMATS: tuple[str, ...] = ("mounts",)
VERSIONS: str = "util-linux 2, busybox; Linux 2.4 to 6; FreeBSD and macOS"
COMMANDS: tuple[str, ...] = ("mount", "/proc/mounts", "/etc/fstab", "/etc/mtab")
_TYPES: Final = (
    r"(?:ext[234]|xfs|btrfs|zfs|nfs4?|cifs|smb3|lustre|gpfs|beegfs|ceph|glusterfs|fuse\.\w{1,20}|vfat|ntfs3?|f2fs|jfs|"
    r"reiserfs|tmpfs|proc|sysfs|devtmpfs|devpts|cgroup2?|securityfs|rootfs|overlay|swap|autofs|iso9660|bcachefs|pvfs2|ufs|apfs)"
)
_PRINTED: Final = rf"\S{{1,200}} on /\S{{0,200}} type {_TYPES} \("
_TABLE: Final = (
    rf"\S{{1,200}}\s{{1,60}}(?:/\S{{0,200}}|none|swap)\s{{1,60}}{_TYPES}\s{{1,40}}\S{{1,1500}}"
    r"(?:\s{1,40}\d\s{1,20}\d)?\s{0,20}$"
)
BEGINS: re.Pattern[str] | None = None  # what follows would be taken for more of it
_FIRST: Final = re.compile(rf"(?={_PRINTED})|(?={_TABLE})")
REPEATS: bool = False

_LINE: Final = re.compile(
    rf"(?P<device>\S{{1,200}})\s{{1,60}}(?:on )?(?P<place>/\S{{0,200}}|none|swap)\s{{1,60}}(?:type )?(?P<type>{_TYPES})"
    r"\s{1,40}\(?(?P<options>[^\s()]{1,1500})\)?"
)
_LONGEST: Final = 2000
_AHEAD: Final = 60
_MOST: Final = 0.8  # of the lines that are not blank
_KERNEL: Final = frozenset(
    {"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "rootfs", "tmpfs", "autofs", "swap"}
)


def recognises(output: Output) -> bool:
    """Look for mounted file systems in nearly all lines."""
    written = [line for line in output.lines if line.strip() and not line.startswith("#")][:_AHEAD]
    mounted = sum(len(line) < _LONGEST and _FIRST.match(line) is not None for line in written)
    return mounted > 0 and mounted >= _MOST * len(written)


def read(output: Output) -> Facts:
    """Read the file systems."""
    mounts: list[dict[str, Any]] = []
    facts = output.facts("mounts", {"n": 0, "mounts": mounts})
    for line in output.lines:
        match = _LINE.match(line) if len(line) < _LONGEST and not line.startswith("#") else None
        if match is None:
            continue
        facts.values["n"] += 1
        if match["type"] in _KERNEL:
            continue
        options = match["options"].split(",")
        given = dict(option.split("=", 1) for option in options if "=" in option)
        sizes = {f"{name}_bytes": whole(given.get(name)) for name in ("rsize", "wsize")}
        mounts.append(
            {"device": match["device"], "mount": match["place"], "type": match["type"], "options": options, **sizes}
        )
    return facts
