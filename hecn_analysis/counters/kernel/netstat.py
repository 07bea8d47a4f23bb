"""What ``netstat -i`` and ``netstat -ib`` print of Linux, the BSDs, macOS, Solaris; ``ifconfig -s`` is the same.

Versions: net-tools 1.60 to 2.10, FreeBSD, OpenBSD, NetBSD, macOS.

Units and traps
---------------
- Linux and ``netstat -i`` count packets, no octets. With ``-b`` the BSDs have octets too (``netstat-ib``).
- BSD, macOS: only the rows with ``<Link#…>`` count the interface; those of its addresses repeat parts of them, or all.
  The address may be missing: the counters are counted from the end of the row. A star behind the name: it is down.
- Columns are told by their headings ("Idrop" is of FreeBSD only); a column that is not there is missing.
- Nothing says when the counters were read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import same_width, width
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter

FORMATS: Final = ("netstat-i", "netstat-ib")
VERSIONS: Final = "net-tools 1.60 to 2.10, FreeBSD, OpenBSD, NetBSD, macOS"
WHOLE: Final = False

_LINUX: Final = re.compile(r"^Iface +MTU .*RX-OK +RX-ERR +RX-DRP", re.MULTILINE)
_BSD: Final = re.compile(
    r"^Name +Mtu +(?:Network|Net/Dest) +Address +(?P<columns>(?:Ipkts|Ibytes)\b.*)$", re.MULTILINE | re.IGNORECASE
)
_LINK: Final = re.compile(r"^<?link(?:#(?P<index>\d{1,9}))?>?$", re.IGNORECASE)
_LINUX_COLUMNS: Final = {
    "MTU": "mtu",
    "RX-OK": "in_packets",
    "RX-ERR": "in_errors",
    "RX-DRP": "in_discards",
    "TX-OK": "out_packets",
    "TX-ERR": "out_errors",
    "TX-DRP": "out_discards",
}
_BSD_COLUMNS: Final = {
    "ipkts": "in_packets",
    "ierrs": "in_errors",
    "ifail": "in_errors",
    "idrop": "in_discards",
    "ibytes": "in_octets",
    "opkts": "out_packets",
    "oerrs": "out_errors",
    "ofail": "out_errors",
    "obytes": "out_octets",
    "drop": "out_discards",
}


def recognises(document: Document) -> bool:
    """Whether the heading of one of the tables is in the file."""
    return bool(_LINUX.search(document.text) or _BSD.search(document.text))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows of all tables."""
    findings.format = "netstat-i"
    columns: list[str] = []
    bsd = links_only = False
    seen: set[str] = set()
    for number, line in enumerate(document.lines, 1):
        heading = _BSD.match(line)
        if heading or _LINUX.match(line):
            bsd, seen = heading is not None, set()
            links_only = bool(heading and "network" in line.lower())
            columns = heading["columns"].lower().split() if heading else line.split()
            if bsd and "ibytes" in columns:
                findings.format = "netstat-ib"
            continue
        words = line.split()
        if not columns or len(words) < 4:
            continue
        row = _bsd(columns, words, links_only=links_only) if bsd else _linux(columns, words)
        if row is None or row["interface"] in seen:
            continue
        seen.add(row["interface"])
        if any(name.startswith(("in_", "out_")) for name in row):
            findings.sample(line=number, counter_bits=width(row), **row)
        else:
            findings.interface(**row)
    same_width(findings)


def _linux(columns: Sequence[str], words: Sequence[str]) -> dict[str, Any] | None:
    row: dict[str, Any] = {"interface": words[0]}
    if words[1].isdecimal() and "no statistics available" in " ".join(words):
        return {**row, "mtu": counter(words[1])}
    if len(words) < len(columns) - 1 or not all(word.isdecimal() for word in words[1 : len(columns) - 1]):
        return None
    for name, word in zip(columns[1:], words[1:], strict=False):
        if (column := _LINUX_COLUMNS.get(name)) and word.isdecimal():
            row[column] = counter(word)
    flags = words[-1] if columns[-1] == "Flg" and words[-1].isalpha() else None
    if flags:
        row["up"] = {"R", "U"} <= set(flags)
    return row


def _bsd(columns: Sequence[str], words: Sequence[str], *, links_only: bool) -> dict[str, Any] | None:
    link = _LINK.match(words[2])
    if links_only and link is None:
        return None
    counted = words[-len(columns) :] if len(words) >= len(columns) + 3 else words[3:]
    if len(counted) != len(columns) or not all(word.isdecimal() or word == "-" for word in counted):
        return None
    name = words[0].rstrip("*")
    row: dict[str, Any] = {"interface": name}
    if words[0].endswith("*"):
        row["up"] = False
    if link and link["index"]:
        row["index"] = int(link["index"])
    if words[1].isdecimal():
        row["mtu"] = int(words[1])
    for column, word in zip(columns, counted, strict=True):
        if (known := _BSD_COLUMNS.get(column)) and word.isdecimal():
            row[known] = counter(word)
    return row
