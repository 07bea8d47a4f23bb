"""Ports: speed and duplex (ethtool, mii-tool, BSD, lshw), rates (sar), errors and drops (ip, ifconfig, netstat).

Units and traps
---------------
- "Speed: Unknown!" is no statement. A few selected lines of ethtool count like all of them.
- sar's kB are 1024 bytes; its %ifutil is the busier direction of a port in full duplex. The busiest interface counts;
  loopback, bridges and virtual ports only if there is no other.
- Errors and drops count since the port came up: of two outputs in a file, the difference counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_SCALES: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_SPEED: Final = re.compile(
    r"(?:^|\s)(?:Speed: {1,4}|speed=)(?P<number>\d{1,7}(?:\.\d)?) ?(?P<prefix>[kMGT])b(?:it)?(?:/s|ps)(?!\w)"
)
_HEADING: Final = re.compile(r"^Settings for (?P<port>[\w.@-]{1,40}):")
_OTHER: Final = re.compile(r"driver=(?:hub|usb\S{0,20}|veth|tun|bridge|dummy|[xeou]hci\S{0,20})\b")
_DUPLEX: Final = re.compile(r"(?:^|\s)(?:Duplex: {1,4}|duplex=)(?P<duplex>full|half)\b", re.IGNORECASE)
_CAPACITY: Final = re.compile(r"^\s{1,60}capacity: (?P<number>\d{1,5})(?P<prefix>[MG])bit/s")
_MODE: Final = re.compile(
    r"(?<![\w-])(?P<number>\d{2,6})base\w{0,8}(?:[-/](?P<duplex>FD|HD|Full|Half))?", re.IGNORECASE
)
_SUPPORTED: Final = re.compile(r"Supported link modes:|^\s{0,10}capabilities: {1,4}\d", re.IGNORECASE)
_NEGOTIATED: Final = re.compile(
    r"^\S{1,40}: (?:negotiated|no autonegotiation,|autonegotiation restarted,|\d{2,5} Mbit,) ?.{0,120}link ok"
)
_MBIT: Final = re.compile(r": (?P<number>\d{2,5}) Mbit, (?P<duplex>full|half) duplex")
_MEDIA: Final = re.compile(
    r"^\s{1,10}media: .{0,60}?\(?(?P<number>\d{2,6})base\w{0,8} <(?P<duplex>full|half)-duplex", re.IGNORECASE
)

#: Get-NetAdapter as a table, a row for each adapter, and as a list.
_ADAPTER: Final = re.compile(
    r"^(?P<port>\S{1,40}) .{0,200}\sUp\s{1,12}(?:[0-9A-F]{2}(?:-[0-9A-F]{2}){5}\s{1,12})?"
    r"(?P<number>\d{1,3}(?:\.\d)?) (?P<prefix>[MG])bps\s{0,8}$"
    r"|^LinkSpeed {1,40}: (?P<listed>\d{1,3}(?:\.\d)?) (?P<unit>[MG])bps\s{0,8}$"
)

#: Ports that carry what others carry, too.
_VIRTUAL: Final = re.compile(
    r"lo\d{0,3}|(?:docker|br-|veth|virbr|ifb|dummy|cni|flannel|cali|vnet|tailscale|wg)\S{0,40}"
)

#: Share of the busiest sample from which on a port works. [B]
_WORKS: Final = 0.5


def find(document: Document) -> Iterator[Statement]:
    """Find the speed, the rates, the errors and the drops of ports."""
    text = document.text
    if any(word in text for word in ("Speed:", "speed=", "Duplex:", "link modes", "link ok", "media:", "capacity: ")):
        yield from _settings(document)
    if "LinkSpeed" in text:
        yield from _adapters(document)
    if "IFACE" in text and "rx" in text:
        yield from _rates(document)
    if any(word in text for word in ("RX:", "RX packets", "RX errors", "RX-ERR")):
        yield from _counts(document)


def _adapters(document: Document) -> Iterator[Statement]:
    """State the speed of each adapter of Windows that is up."""
    for number, text in enumerate(document.lines, 1):
        if "bps" in text and len(text) < 400 and (match := _ADAPTER.match(text)) is not None:
            value = float(match["number"] or match["listed"]) * _SCALES[(match["prefix"] or match["unit"]).lower()]
            end, device = end_of(document.source_file), match["port"] or ""
            yield Statement("port.speed_bps", value, document.source_file, number, text.strip(), end, device=device)


def _said(document: Document, name: str, value: float | str, line: int) -> Statement:
    """Make a statement from a line."""
    words = document.lines[line - 1].strip()[:300]
    return Statement(name, value, document.source_file, line, words, end_of(document.source_file))


# --- Speed and duplex ---


def _settings(document: Document) -> Iterator[Statement]:
    """State the speed, the duplex and the highest speed of ports."""
    fastest, first = 0.0, 0
    is_supported, device = False, ""
    for number, text in enumerate(document.lines, 1):
        if len(text) > 2000 or _is_of_others(text):
            continue
        if (heading := _HEADING.match(text)) is not None:
            device = heading["port"]
        yield from _of_line(document, text, number, device)
        yield from _of_mode(document, text, number)
        is_list = _SUPPORTED.search(text) is not None
        is_supported = is_list or (is_supported and ":" not in text)
        if is_list and fastest:
            yield _said(document, "port.supported_bps", fastest, first)
            fastest = 0.0
        modes = [1e6 * float(mode["number"]) for mode in _MODE.finditer(text)] if is_supported else []
        if modes and max(modes) > fastest:
            fastest, first = max(modes), number
    if fastest:
        yield _said(document, "port.supported_bps", fastest, first)


def _is_of_others(text: str) -> bool:
    """Whether a line describes a port of Junos (`switch_ports`), or something that is not a network port."""
    return "Link-level type" in text or ("configuration:" in text and _OTHER.search(text) is not None)


def _of_line(document: Document, text: str, number: int, device: str) -> Iterator[Statement]:
    """State the facts about a port in a line of ethtool or lshw."""
    if (speed := _SPEED.search(text)) is not None:
        rate = float(speed["number"]) * _SCALES[speed["prefix"].lower()]
        yield replace(_said(document, "port.speed_bps", rate, number), device=device)
    if (duplex := _DUPLEX.search(text)) is not None:
        yield _said(document, "port.duplex", duplex["duplex"].lower(), number)
    if (capacity := _CAPACITY.match(text)) is not None:
        rate = float(capacity["number"]) * _SCALES[capacity["prefix"].lower()]
        yield _said(document, "port.supported_bps", rate, number)


def _of_mode(document: Document, text: str, line: int) -> Iterator[Statement]:
    """State the mode in use, from mii-tool and BSD's ifconfig."""
    mode = _MEDIA.match(text)
    if mode is None and "link ok" in text and _NEGOTIATED.match(text) is not None:
        mode = _MBIT.search(text) or _MODE.search(text)
    if mode is not None:
        yield _said(document, "port.speed_bps", 1e6 * float(mode["number"]), line)
        if mode["duplex"]:
            yield _said(document, "port.duplex", "full" if mode["duplex"].lower().startswith("f") else "half", line)


# --- Rates ---


def _is_virtual(port: str) -> bool:
    """Whether other ports carry the traffic of a port too."""
    return _VIRTUAL.fullmatch(port) is not None


def _rates(document: Document) -> Iterator[Statement]:
    """State the rates of the busiest port while it worked."""
    names: list[str] = []
    scale, unit = 8, ""
    samples: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    averages: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    loads: dict[int, float] = {}
    for number, text in enumerate(document.lines, 1):
        words = text.split()
        if "IFACE" in words:
            names = words[words.index("IFACE") + 1 :]
            scale, unit = (8 * 1024, "kB/s") if "rxkB/s" in names else (8, "byt/s")
            names = names if {"rx" + unit, "tx" + unit} <= set(names) else []
        elif names and len(words) > len(names):
            values = [word.replace(",", ".") for word in words[-len(names) :]]
            if all(value.replace(".", "", 1).isdecimal() for value in values):
                row = dict(zip(names, map(float, values), strict=True))
                where = averages if words[0].endswith(":") else samples
                where[words[-len(names) - 1]].append((scale * row["rx" + unit], scale * row["tx" + unit], number))
                loads[number] = row.get("%ifutil", 0.0) / 100
    ports = samples or averages
    if not ports:
        return
    port = max(ports, key=lambda name: (not _is_virtual(name), sum(map(sum, (row[:2] for row in ports[name])))))
    most = max(max(row[:2]) for row in ports[port])
    working = [row for row in ports[port] if max(row[:2]) >= _WORKS * most]
    for index, name in enumerate(("port.received_bps", "port.sent_bps")):
        rates = sorted((row[index], row[2]) for row in working)
        yield _said(document, name, *rates[(len(rates) - 1) // 2])
    load, line = sorted((loads[row[2]], row[2]) for row in working)[(len(working) - 1) // 2]
    if 0 < load <= 1:
        yield _said(document, "port.load", load, line)


# --- Counts ---


@dataclass
class _Counts:
    """Counts of a port, each with its line."""

    carried: float = 0.0
    mtu: tuple[float, int] | None = None
    errors: tuple[tuple[float, int], ...] = ()
    dropped: tuple[tuple[float, int], ...] = ()

    def take(self, errors: str, dropped: str, line: int) -> None:
        """Add the counts of one direction."""
        self.errors += ((float(errors), line),)
        self.dropped += ((float(dropped), line),)


_PORT: Final = re.compile(
    r"^(?:\d{1,6}: )?(?P<port>[A-Za-z][\w.@-]{0,40}?)(?:@\S{1,40})?(?:: <|: flags=|\s{1,12}Link encap)"
)
_MTU: Final = re.compile(r"\b(?:mtu |MTU:)(?P<mtu>\d{3,6})\b", re.IGNORECASE)
_PACKETS: Final = re.compile(r"[RT]X packets[: ](?P<packets>\d{1,19})")
_ERRORS: Final = re.compile(r"errors[: ](?P<errors>\d{1,19})\s{1,4}dropped[: ](?P<dropped>\d{1,19})")


def _ports(document: Document) -> Iterator[tuple[str, _Counts]]:
    """Read each output of ip, ifconfig and netstat for a port."""
    port, counts = "", _Counts()
    names: list[str] = []
    is_below = False
    for number, text in enumerate(document.lines, 1):
        if (match := _PORT.match(text)) is not None:
            yield port, counts
            port, counts = match["port"], _Counts()
        words = text.split()
        if "RX-ERR" in words:
            names = words
        elif names and len(words) == len(names):
            yield from _of_netstat(dict(zip(names, words, strict=True)), number)
        elif is_below and len(words) >= 4 and all(word.isdecimal() for word in words):
            counts.carried += float(words[0])
            counts.take(words[2], words[3], number)
        else:
            _of_ifconfig(counts, text, number)
        is_below = words[:1] in (["RX:"], ["TX:"]) and "errors" in words
    yield port, counts


def _of_ifconfig(counts: _Counts, text: str, line: int) -> None:
    """Take the counts, or the MTU, from a line of ifconfig."""
    if (errors := _ERRORS.search(text)) is not None:
        counts.take(errors["errors"], errors["dropped"], line)
    if (packets := _PACKETS.search(text)) is not None:
        counts.carried += float(packets["packets"])
    if counts.mtu is None and (mtu := _MTU.search(text)) is not None:
        counts.mtu = float(mtu["mtu"]), line


def _of_netstat(row: dict[str, str], line: int) -> Iterator[tuple[str, _Counts]]:
    """Read a row of Linux's ``netstat -i``."""
    values = {name: float(word) for name, word in row.items() if word.isdecimal()}
    if {"RX-OK", "TX-OK", "RX-ERR", "TX-ERR"} <= set(values) and "Iface" in row:
        mtu = (values["MTU"], line) if "MTU" in values else None
        errors = ((values["RX-ERR"], line), (values["TX-ERR"], line))
        dropped = ((values.get("RX-DRP", 0.0), line), (values.get("TX-DRP", 0.0), line))
        yield row["Iface"], _Counts(values["RX-OK"] + values["TX-OK"], mtu, errors, dropped)


def _counts(document: Document) -> Iterator[Statement]:
    """State the errors and drops of the busiest port, or their increase within the file."""
    ports: dict[str, list[_Counts]] = defaultdict(list)
    for port, counts in _ports(document):
        ports[port].append(counts)
    ports = {port: known for port, known in ports.items() if known[-1].errors}
    if not ports:
        return
    port = max(ports, key=lambda name: (not _is_virtual(name), ports[name][-1].carried))
    first, last = ports[port][0], ports[port][-1]
    for name, column in (("port.errors", "errors"), ("port.dropped", "dropped")):
        values: tuple[tuple[float, int], ...] = getattr(last, column)
        total = sum(value for value, _ in values)
        before = sum(value for value, _ in getattr(first, column)) if first is not last else 0.0
        yield _said(document, name, total - before if total >= before else total, max(values)[1])
    if last.mtu is not None:
        yield _said(document, "port.mtu_bytes", *last.mtu)
