"""Tables with a line for each port: ``show interfaces counters`` (also ``errors``), ``summary``, ``status``, ``brief``.

Versions: Cisco IOS, IOS-XE and NX-OS; Arista EOS; ProCurve and ArubaOS-Switch.

Units and traps
---------------
- Tables of one output have the same ports; they make one reading. A table whose head comes again begins another one.
- Packets are unicast, multicast and broadcast together, where all three are in the output.
- "Rcv-Err" and "Xmit-Err" (EOS: "Rx", "Tx") are errors; "FCS-Err" ("FCS") are those of the frame check among them.
- A speed "a-1000" is negotiated, in Mbit/s; "10G" is in Gbit/s. Ports that are down show what is set.
- In a summary "*" is a port that is up; RXBS and TXBS are rates in bit/s, IQD and OQD drops of the queues.
- ProCurve's "Total Bytes" and "Total Frames" are those of both directions together: they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.switches.handing_over import hand_over
from hecn_analysis.counters.switches.port import Port, Problem
from hecn_analysis.counters.switches.stanzas import PROMPT, without_pager
from hecn_analysis.files.documents import Document

FORMATS: Final = ("port-tables",)
VERSIONS: Final = "IOS 12 to 15, IOS-XE 16 and 17, NX-OS 5 to 10, EOS 4, ArubaOS-Switch 15 and 16"
WHOLE: Final = False

#: Heads of columns, by what they count; columns of other heads must be there too, and are left out.
_COLUMNS: Final[Mapping[str, str]] = {
    **{f"{way.title()}Octets": f"{way}_octets" for way in ("in", "out")},
    **{f"{way.title()}UcastPkts": f"{way}_unicast" for way in ("in", "out")},
    **{f"{way.title()}McastPkts": f"{way}_multicast" for way in ("in", "out")},
    **{f"{way.title()}BcastPkts": f"{way}_broadcast" for way in ("in", "out")},
    **{f"{way.title()}Discards": f"{way}_discards" for way in ("in", "out")},
    "Rcv-Err": "in_errors",
    "Xmit-Err": "out_errors",
    "FCS-Err": "crc_errors",
    "FCS": "crc_errors",
    "Rx": "in_errors",
    "Tx": "out_errors",
    "Late-Col": "late_collisions",
    "IQD": "in_discards",
    "OQD": "out_discards",
    "RXBS": "in_rate",
    "TXBS": "out_rate",
}
_COUNTED: Final = re.compile(
    r"^Port {1,40}(?:InOctets|OutOctets|InMcastPkts|OutMcastPkts|Align-Err|FCS|InDiscards|Single-Col)\b"
)
_HEADS: Final = (
    "IHQ ",
    "Octets ",
    "Align-Err ",
    "Single-Col ",
    "FCS ",
    "Discards",
    " Duplex ",
    "Total Bytes ",
    "Mode ",
    "-mode ",
)
_SUMMARY: Final = re.compile(r"^ {0,4}Interface {1,60}IHQ {1,20}IQD {1,20}OHQ {1,20}OQD {1,20}RXBS ")
_NUMBER: Final = re.compile(r"\d{1,20}|\d{1,3}(?:,\d{3}){1,6}")
_NAME: Final = re.compile(r"(?=\S{0,40}\d)[A-Za-z]{0,12}-?[A-Za-z]{0,9}[\d/.]{1,16}")
_STATUS_HEAD: Final = re.compile(r"^Port {1,40}Name {1,60}Status {1,40}Vlan {1,40}Duplex {1,9}Speed")
_STATUS: Final = re.compile(
    r"^(?P<port>[A-Za-z][A-Za-z-]{0,12}[\d/.]{1,16})(?:\s{1,20}(?P<description>\S[^\n]{0,60}?))?\s{1,60}"
    r"(?P<state>connected|notconnect?|disabled|inactive|suspended|err-?disabled?|sfpAbsent|xcvrAbsen|noOperMem|down|up"
    r"|monitoring|linkFlapE|channelDo)(?:: ?[A-Z]{0,3})?"
    r"\s{1,20}\S{1,12}(?: \S{1,8})?\s{1,20}(?P<duplex>a-full|a-half|full|half|auto|unconf)\s{1,20}"
    r"(?P<speed>(?:a-)?\d{1,6}(?:\.\d)?[GM]?|auto|unconf|--)(?:\s{1,20}(?P<hardware>\S[^\n]{0,60}))?\s{0,40}$"
)
_SPEED: Final = re.compile(r"(?:a-)?(?P<speed>\d{1,6}(?:\.\d)?)(?P<unit>[GM]?)")
_TOTALS: Final = re.compile(r"^ {0,4}Port {1,40}Total Bytes {1,20}Total Frames {1,20}Errors Rx {1,20}Drops Tx")
_TOTAL: Final = re.compile(
    r"^ {1,4}(?P<port>[A-Z]?[\w/-]{1,12}) {1,20}[\d,]{1,27} {1,20}[\d,]{1,27} {1,20}(?P<in_errors>[\d,]{1,27}) {1,20}"
    r"(?P<out_discards>[\d,]{1,27})(?:\s|$)"
)
_MODES: Final = re.compile(
    r"^ {1,4}(?P<port>[A-Z]?[\w/-]{1,12}\*?) {1,40}.{0,60} (?P<state>Up|Down) .{0,20}?(?P<speed>\d{2,5})"
    r"(?P<unit>Gig)?(?P<duplex>[FH])Dx?\b"
)


def recognises(document: Document) -> bool:
    """Whether the head of such a table is in the file."""
    return any(head in document.text for head in _HEADS) and any(
        _begins(line) for line in document.lines if "Port" in line[:12] or "IHQ" in line
    )


def _begins(line: str) -> str:
    """Name of the table that a line begins, or an empty word."""
    if _COUNTED.match(line):
        return "counts"
    if _SUMMARY.match(line):
        return "summary"
    if _STATUS_HEAD.match(line):
        return "status"
    if _TOTALS.match(line):
        return "totals"
    words = line.split()
    is_modes = words[:1] == ["Port"] and "Status" in words and not {"Mode", "Config-mode"}.isdisjoint(words)
    return "modes" if is_modes else ""


def ports(document: Document, problem: Problem) -> Iterator[Port]:
    """Read the ports of a file, one per port and reading."""
    by_name: dict[str, Port] = {}
    heads: set[str] = set()
    rows: set[tuple[str, ...]] = set()
    table, names, host = "", [""], None
    for number, whole in enumerate(document.lines, 1):
        line = without_pager(whole)
        begun, prompt = _begins(line), PROMPT.match(line)
        if begun or prompt is not None:
            other = prompt is not None and prompt["host"] != host
            if other or " ".join(line.split()) in heads:
                yield from by_name.values()
                by_name, heads, rows = {}, set(), set()
            host = prompt["host"] if prompt is not None and not begun else host
            table, names = begun, line.split()
            heads |= {" ".join(names)} if begun else set()
        elif table and line.strip() and not line.strip().startswith(("---", "Flags")):
            is_cut = number == len(document.lines) and line[-1:].isdigit()
            groups = _row(table, names, line) if not is_cut else None
            if groups is not None:
                name = str(groups["port"]).removesuffix("*")
                if (name, *names) in rows:
                    yield by_name.pop(name)
                rows.add((name, *names))
                by_name.setdefault(name, Port(name, number, host)).take(groups, number)
            elif is_cut or _is_row(table, line):
                kind = "truncated" if is_cut else "malformed"
                problem(number, kind, f"found {line.strip()[:200]!r}, expected a port with its columns; left out")
            elif line[:1].strip():
                table = ""
    yield from by_name.values()


def _is_row(table: str, line: str) -> bool:
    """Whether a line that could not be read must belong to the table."""
    words = line.split()
    if table == "totals":
        return len(words) >= 5 and all(word[:1].isdigit() for word in words[1:5])
    return bool(line[:1].strip()) and _NAME.fullmatch(words[0]) is not None and " is " not in line


def _row(table: str, names: list[str], line: str) -> dict[str, str | None] | None:
    """Groups of a row, None if the line is not one."""
    if table in ("counts", "summary"):
        words = line.removeprefix("*").split()
        numbers = len(words) == len(names) and all(_NUMBER.fullmatch(word) or word == "--" for word in words[1:])
        if not numbers or not _NAME.fullmatch(words[0]):
            return None
        known = zip(names[1:], words[1:], strict=True)
        values = {_COLUMNS[name]: word for name, word in known if name in _COLUMNS and word != "--"}
        state = {"state": "up" if line.startswith("*") else "down"} if table == "summary" else {}
        return {"port": words[0], **values, **state}
    pattern = {"status": _STATUS, "totals": _TOTAL, "modes": _MODES}[table]
    match = pattern.match(line)
    if match is None:
        return None
    groups = match.groupdict()
    if table == "totals":
        counted = [groups[name] or "" for name in ("in_errors", "out_discards")]
        return groups if all(_NUMBER.fullmatch(word) for word in counted) else None
    speed = _SPEED.fullmatch(groups["speed"] or "")
    unit = "G" if groups.get("unit") or (speed and speed["unit"] == "G") else "M"
    duplex = {"F": "full", "H": "half"}.get(groups["duplex"] or "", (groups["duplex"] or "").removeprefix("a-"))
    return {
        **{name: groups.get(name) for name in ("port", "description", "hardware")},
        "state": "up" if groups["state"] in ("connected", "up", "Up") else "down",
        "duplex": duplex if duplex in ("full", "half", "auto") else None,
        **({"speed": speed["speed"], "speed_unit": unit} if speed else {}),
    }


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "port-tables"
    hand_over(findings, ports(document, findings.problem))
