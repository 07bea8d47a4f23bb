"""Directories at which hosts mount shares of servers, and the files that tests of disks and copies name.

Versions: mount, /proc/mounts, /etc/fstab, findmnt, df, nfsstat -m, and mount commands, for NFS, SMB, SSHFS, CephFS,
Lustre and others whose source names a server ("server:/export", "//server/share").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

#: A source on a server: ``host:/path``, ``[2001:db8::1]:/path``, ``//host/share``, ``user@host:path``.
_SOURCE: Final = (
    r"(?P<source>(?:[\w.@-]{1,80}|\[[0-9a-fA-F:.]{2,45}\]):(?!//)[\w./@-]{0,200}|//[\w.-]{1,80}/[^\s]{1,200})"
)
_AT: Final = r"(?P<at>/[^\s:;,()'\"]{0,200})"
_TYPE: Final = r"(?:nfs4?|cifs|smb3?|fuse\.\w{1,20}|ceph|lustre|glusterfs)\b"
_GAP: Final = r"[ \t]{1,40}"
_SIZE: Final = r"[\d.,]{1,15}[KMGTPi]{0,2}"
_MOUNTS: Final = (
    re.compile(rf"(?:^|\s){_SOURCE} on {_AT} type "),
    re.compile(rf"(?:^|\s){_SOURCE}{_GAP}{_AT}{_GAP}{_TYPE}"),  # fstab, /proc/mounts
    re.compile(rf"^{_AT}{_GAP}{_SOURCE}{_GAP}{_TYPE}"),  # findmnt
    re.compile(rf"^{_AT} from {_SOURCE}$"),  # nfsstat -m
    re.compile(rf"^{_SOURCE}{_GAP}(?:{_SIZE}{_GAP}){{3}}\d{{1,3}}%{_GAP}{_AT}$"),  # df
    re.compile(rf"\bmount(?:\.nfs4?|\.cifs|_nfs|_smbfs)? [^|;&\n]{{0,200}}?(?<=[ \t]){_SOURCE}{_GAP}{_AT}"),
    re.compile(rf"\bsshfs [^|;&\n]{{0,200}}?(?<=[ \t]){_SOURCE}{_GAP}{_AT}"),
)
#: What a line has that mounts a share.
_OF_MOUNTS: Final = (
    " type ",
    "nfs",
    "cifs",
    "smb",
    "fuse.",
    "ceph",
    "lustre",
    "glusterfs",
    "%",
    "mount",
    "sshfs",
    " from ",
)
_PROGRAMS: Final = (
    *("dd", "fio", "cp", "rsync", "mv", "tar", "bonnie++", "iozone", "ior", "IOR", "hdparm", "time", "cd", "pv"),
    *("bonnie", "dbench", "ioping"),
)
_COMMAND: Final = re.compile(
    rf"(?:^|[\s|;&$#>])(?:{'|'.join(map(re.escape, _PROGRAMS))})(?= )(?P<arguments>[^|;&<\n]{{1,400}})"
)
_PATH: Final = re.compile(r"(?:^|[\s=])(?P<path>/[^\s'\",;:]{1,200})")
_NO_FILES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/std", "/proc/", "/sys/")
_LONGEST: Final = 1000


def find(document: Document) -> Iterator[Statement]:
    """Find the mounts of shares, and the files of commands that read or write."""
    end = end_of(document.source_file)
    of_mounts = [word for word in _OF_MOUNTS if word in document.text]
    of_programs = [f"{name} " for name in _PROGRAMS if f"{name} " in document.text]
    if not of_mounts and not of_programs:
        return
    for number, text in enumerate(document.lines, 1):
        if "/" not in text or len(text) > _LONGEST:
            continue
        line = text.strip()
        if any(word in text for word in of_mounts):
            match = next((match for pattern in _MOUNTS if (match := pattern.search(line)) is not None), None)
            if match is not None and match["at"] != "/":
                yield Statement("mount.share", match["at"].rstrip("/"), document.source_file, number, line[:300], end)
                continue
        if any(word in text for word in of_programs) and (command := _COMMAND.search(text)) is not None:
            for path in _PATH.finditer(command["arguments"]):
                if not path["path"].startswith(_NO_FILES):
                    yield Statement("asked.path", path["path"], document.source_file, number, line[:300], end)
