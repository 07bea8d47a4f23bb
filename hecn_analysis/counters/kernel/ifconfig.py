"""What ifconfig prints of Linux (net-tools of both layouts, BusyBox), the BSDs and macOS.

Versions: net-tools 1.60 ("RX bytes:1 (1.0 B)") and 2.10 ("RX packets 1  bytes 1 (1.0 B)"), the former in German,
French, Spanish and Portuguese too; FreeBSD, OpenBSD, NetBSD (``-v`` has counters), macOS, Solaris.

Units and traps
---------------
- Octets are whole numbers, what stands in brackets behind them is rounded. They are without FCS.
- ifconfig of FreeBSD and macOS has no counters: they are missing, not 0. Their "status:" line says whether there is a
  carrier; without one the flags UP and RUNNING do.
- A bond counts what its members count too: adding both counts twice.
- Nothing says when the counters were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import same_width, width
from hecn_analysis.files.documents import Document

FORMATS: Final = ("ifconfig",)
VERSIONS: Final = "net-tools 1.60 to 2.10, BusyBox, FreeBSD, OpenBSD, NetBSD, macOS, Solaris"
WHOLE: Final = False

_OLD: Final = re.compile(
    r"^(?P<name>[A-Za-z]\S{0,63}?):?\s+(?:Link|Lien|Protokoll|Encapsulamento do Link)\b[^\n]{0,20}?(?:encap|:)",
    re.MULTILINE,
)
_NEW: Final = re.compile(
    r"^(?P<name>[^\s:`]{1,32}(?:[:.]\w{1,16})*): flags=[0-9a-fx]{1,16}<(?P<flags>[^>\n]*)>(?P<rest>.*)$", re.MULTILINE
)
_FLAGS: Final = re.compile(r"^\s+(?P<flags>(?:UP |BROADCAST |LOOPBACK |POINTOPOINT |NOARP )[A-Z ]*)MTU:(?P<mtu>\d+)")
_OLD_FLAGS_DOWN: Final = re.compile(r"^\s++(?P<flags>[A-Z ]*)MTU:(?P<mtu>\d+)")
_OLD_PACKETS: Final = re.compile(
    r"^\s+(?P<way>[^\d\n:]{0,30}?(?:RX|TX|re[cç]us|transmis)[^\d\n:]{0,20}):(?P<packets>\d{1,20})"
    r"\s+[^\d\n:]{2,20}:(?P<errors>\d{1,20})\s+[^\d\n:]{2,20}:(?P<discards>\d{1,20})"
)
_OLD_BYTES: Final = re.compile(
    r"^\s+[^\d\n:]{0,20}(?:RX|re[cç]us)[^\d\n:]{0,20}:(?P<in>\d{1,20}) \([^)\n]{0,30}\)"
    r"\s+[^\d\n:]{0,20}(?:TX|transmis)[^\d\n:]{0,20}:(?P<out>\d{1,20}) \("
)
_NEW_PACKETS: Final = re.compile(r"^\s+(?P<way>RX|TX) packets (?P<packets>\d{1,20})\s+bytes (?P<octets>\d{1,20})\b")
_NEW_ERRORS: Final = re.compile(r"^\s+(?P<way>RX|TX) errors (?P<errors>\d{1,20})\s+dropped (?P<discards>\d{1,20})\b")
_NETBSD: Final = re.compile(r"^\s+(?P<way>in|out)put: (?P<packets>\d{1,20}) packets, (?P<octets>\d{1,20}) bytes\b")
_STATUS: Final = re.compile(r"^\s+status: (?P<status>\S(?:.*\S)?)\s*$")
_MAC: Final = re.compile(
    r"(?:HWaddr|Hardware Adresse|HW|ether|address:|lladdr) ?(?P<mac>[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5})\b"
)
_COUNTERS: Final = ("packets", "octets", "errors", "discards")
_WITH_CARRIER: Final = frozenset({"active", "associated", "running"})


def recognises(document: Document) -> bool:
    """Whether the first line of an interface is in the file, with what belongs to it below."""
    text = document.text  # the plain words first: they are found in a hundredth of the time
    return ("flags=" in text and bool(_NEW.search(text))) or (
        ("MTU:" in text or "RX" in text) and bool(_OLD.search(text))
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read all interfaces, with counters where they have them."""
    findings.format = "ifconfig"
    for line, row in _stanzas(document):
        if any(name.startswith(("in_", "out_")) for name in row):
            findings.sample(line=line, counter_bits=width(row), **row)
        else:
            findings.interface(**row)
    same_width(findings)


def _stanzas(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of interfaces, and their first lines."""
    row: dict[str, Any] = {}
    # A line at the margin ends an interface below a blank line or another one; else it is what a mail has wrapped.
    first, broken, ends = 0, False, False
    for number, line in enumerate(document.lines, 1):
        new = _NEW.match(line)
        if new or _OLD.match(line):
            if row:
                yield first, row
            first, broken, ends = number, False, False
            row = _begin(new, line)
        elif row and line[:1].isspace() and line.strip():
            _add(row, line, whole=not broken)
            ends = False
        elif row and ends and line.strip():
            yield first, row
            row = {}
        else:
            broken, ends = broken or bool(line.strip()), True
    if row:
        yield first, row


def _begin(new: re.Match[str] | None, line: str) -> dict[str, Any]:
    if new is None:
        old = _OLD.match(line)
        row: dict[str, Any] = {"interface": old["name"] if old else ""}
    else:
        flags = new["flags"].split(",")
        mtu, index = re.search(r"\bmtu (\d{1,9})\b", new["rest"]), re.search(r"\bindex (\d{1,9})\b", new["rest"])
        row = {"interface": new["name"], "up": {"UP", "RUNNING"} <= set(flags)}
        row.update({name: int(match[1]) for name, match in (("mtu", mtu), ("index", index)) if match})
    if mac := _MAC.search(line):
        row["mac_address"] = mac["mac"].lower()
    return row


def _add(row: dict[str, Any], line: str, *, whole: bool) -> None:
    """Add the content of a line below the first one; after a broken line no names and addresses."""
    if _counted(row, line):
        return
    if match := _STATUS.match(line):
        row["up"] = match["status"] in _WITH_CARRIER
    elif match := _FLAGS.match(line) or _OLD_FLAGS_DOWN.match(line):
        row.update(up={"UP", "RUNNING"} <= set(match["flags"].split()), mtu=int(match["mtu"]))
    elif whole and "mac_address" not in row and (match := _MAC.search(line)):
        row["mac_address"] = match["mac"].lower()


def _counted(row: dict[str, Any], line: str) -> bool:
    """Add the counters of a line, if it has any."""
    if match := _OLD_BYTES.match(line):
        row.update(in_octets=int(match["in"]), out_octets=int(match["out"]))
        return True
    for pattern in (_NEW_PACKETS, _NEW_ERRORS, _OLD_PACKETS, _NETBSD):
        if match := pattern.match(line):
            way = "in" if re.search(r"RX|re[cç]us|in", match["way"]) else "out"
            counters = {name: value for name, value in match.groupdict().items() if name in _COUNTERS and value}
            row.update({f"{way}_{name}": int(value) for name, value in counters.items()})
            if errors := re.search(r", (\d{1,20}) errors?\b", line):
                row[f"{way}_errors"] = int(errors[1])
            return True
    return False
