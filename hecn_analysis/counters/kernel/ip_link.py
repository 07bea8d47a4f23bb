"""What ``ip -s link`` prints: the counters of all interfaces of a Linux host, as text or JSON.

Versions: iproute2 of 2008 to today, with -s once or twice, -d, -o, -h, and ``ip -s address``. ``ip -j -s link`` is the
same as JSON (``-p``: on many lines).

Units and traps
---------------
- Octets count frames with their Ethernet header and without FCS. The kernel counts a large segment (TSO, GRO) once,
  with one header: octets of a host are then less than those of the wire.
- "dropped" are packets that the host threw away; "missed" and "overrun" stand beside it and are not added.
- Nothing says when the counters were read: the time is missing. Several outputs in one file are several readings.
- The headings stand left or right of the values; only their order counts. With -s -s lines of kinds of errors follow,
  which are parts of the errors above.
- With -h values are rounded ("1.23M" is 1.23 times 10**6, with -iec of 2**20): they are read, and a problem says so.
- Counters that are not larger than 2**32 may be those of a 32-bit kernel: their width is then unknown, unless
  the heading is "missed" (Linux 5.15 or later) or the JSON has ``stats64``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.json_parts import values_of
from hecn_analysis.counters.programs.readings import same_width, width
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("ip-s-link", "ip-j-s-link")
VERSIONS: Final = "iproute2 2.6 to 6.x: -s, -s -s, -d, -o, -h, -j"
WHOLE: Final = False

_LINK: Final = re.compile(
    r"^(?P<index>\d{1,9}): (?P<name>[^\s:@]{1,64}(?:\.\d+)?)(?:@(?P<parent>[^\s:]{1,64}))?: (?P<rest><.*)$"
)
_HEADING: Final = re.compile(r"^\s{2,12}(?P<way>RX|TX): +(?P<columns>bytes +packets +.*?)\s*$")
_ERRORS: Final = re.compile(r"^\s{2,12}(?P<way>RX|TX) errors: {1,8}(?P<columns>[a-z ]{4,80}?)\s*$")
_WAYS_OF_ERRORS: Final = {"RX": "in", "TX": "out"}
_FUNCTION: Final = re.compile(r"^\s+vf \d{1,4}\s")  # a virtual function, whose counters follow
_ADDRESS: Final = re.compile(r"^\s+link/\S+ (?P<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5})\b")
_VALUE: Final = re.compile(r"(\d{1,20}(?:\.\d{1,6})?)([KMGTPE]i?)?$", re.IGNORECASE)
_COLUMNS: Final = {
    "RX": {
        "bytes": "in_octets", "packets": "in_packets", "errors": "in_errors", "dropped": "in_discards",
        "mcast": "in_multicast",
    },
    "TX": {"bytes": "out_octets", "packets": "out_packets", "errors": "out_errors", "dropped": "out_discards"},
}  # fmt: skip
_JSON: Final = {
    ("rx", "bytes"): "in_octets",
    ("rx", "packets"): "in_packets",
    ("rx", "errors"): "in_errors",
    ("rx", "dropped"): "in_discards",
    ("rx", "multicast"): "in_multicast",
    ("tx", "bytes"): "out_octets",
    ("tx", "packets"): "out_packets",
    ("tx", "errors"): "out_errors",
    ("tx", "dropped"): "out_discards",
}
_STATES: Final = {"UP": True, "DOWN": False, "LOWERLAYERDOWN": False, "NOTPRESENT": False, "DORMANT": False}


def recognises(document: Document) -> bool:
    """Whether the text or JSON of ip with counters is in the file."""
    if document.start.startswith(("[", "{")):
        return bool(re.search(r'"ifname"\s*:', document.start)) and bool(
            re.search(r'"stats(?:64)?"\s*:', document.text)
        )
    return bool(re.search(r"^\d{1,9}: [^\s:]{1,80}: <", document.text, re.MULTILINE)) and bool(
        re.search(r"[ \\]RX: +bytes +packets +errors", document.text)
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of all interfaces."""
    if document.start.startswith(("[", "{")):
        findings.format = "ip-j-s-link"
        for value in values_of(document, findings):
            for link in objects(value if isinstance(value, list) else [value]):
                _json_link(link, findings)
        return
    findings.format = "ip-s-link"
    _text(document, findings)
    same_width(findings)


def _lines(document: Document) -> Iterator[tuple[int, str]]:
    r"""Yield lines with their numbers; those joined by -o are split at its backslashes."""
    for number, line in enumerate(document.lines, 1):
        for part in line.split("\\"):
            yield number, part


def _text(document: Document, findings: CounterFindings) -> None:
    text = _Text(findings)
    for number, line in _lines(document):
        text.line(number, line)
    text.finish()


class _Text:
    """Interfaces in lines of text."""

    def __init__(self, findings: CounterFindings) -> None:
        self._findings = findings
        self._row: dict[str, Any] = {}
        self._columns: list[str | None] = []
        self._errors: list[str] = []
        self._rounded = False
        self._function = False

    def line(self, number: int, line: str) -> None:
        """Read one line."""
        if match := _LINK.match(line):
            _hand_over(self._row, self._findings)
            names = {"line": number, "interface": match["name"], "index": int(match["index"])}
            self._row, self._columns, self._function = {**names, **_state(match["rest"])}, [], False
            self._errors = []
        elif not self._row or self._function:
            return
        elif _FUNCTION.match(line):
            self._function = True
        elif match := _HEADING.match(line):
            words = takewhile(str.isalpha, match["columns"].split())  # a note may follow them
            self._columns = [_COLUMNS[match["way"]].get(name) for name in words]
            if "missed" in match["columns"]:
                self._row["counter_bits"] = 64
        elif match := _ERRORS.match(line):
            self._errors = [f"{_WAYS_OF_ERRORS[match['way']]}_{name}" for name in match["columns"].split()]
        elif self._errors:
            self._kinds_of_errors(line)
        elif self._columns:
            self._values(number, line)
            self._columns = []
        elif match := _ADDRESS.match(line):
            self._row["mac_address"] = match["mac"]

    def _values(self, number: int, line: str) -> None:
        """Read the values below a heading."""
        values = [_VALUE.match(word) for word in line.split()[: len(self._columns)]]  # a note may follow them
        if len(values) < len(self._columns) or not all(values):
            said = f"found {line.strip()!r}, expected {len(self._columns)} counters; left out"
            self._findings.problem(number, "malformed", said)
            return
        for name, value in zip(self._columns, values, strict=False):
            if name and value:
                self._row[name] = counter(value[1], value[2] or "")
                self._rounded = self._rounded or bool(value[2])

    def _kinds_of_errors(self, line: str) -> None:
        """Add the kinds of errors (-s -s) to the facts of the interface."""
        values = [counter(value[1], value[2] or "") for word in line.split() if (value := _VALUE.match(word))]
        names = {name: self._row.get(name) for name in ("interface", "index")}
        if len(values) >= len(self._errors):
            self._findings.interface(facts=dict(zip(self._errors, values, strict=False)), **names)
        self._errors = []

    def finish(self) -> None:
        """Add the last interface."""
        _hand_over(self._row, self._findings)
        if self._rounded:
            said = "found counters that 'ip -h' has rounded, expected all of their digits; read as printed"
            self._findings.problem(None, "unit", said)


def _state(rest: str) -> dict[str, Any]:
    flags = set(rest[1 : rest.find(">")].split(","))
    mtu, state = re.search(r" mtu (\d{1,9})\b", rest), re.search(r" state (\w+)", rest)
    up = _STATES.get(state[1]) if state else None
    if up is None:
        up = {"UP", "LOWER_UP"} <= flags if "LOWER_UP" in rest or "UP" not in flags else "NO-CARRIER" not in flags
    return {"mtu": int(mtu[1]) if mtu else None, "up": up}


def _hand_over(row: Mapping[str, Any], findings: CounterFindings) -> None:
    if any(name.startswith(("in_", "out_")) for name in row):
        findings.sample(**{"counter_bits": width(row), **row})
    elif row:
        findings.interface(**{name: value for name, value in row.items() if name not in {"line", "counter_bits"}})


def _json_link(link: Mapping[str, Any], findings: CounterFindings) -> None:
    name = link.get("ifname")
    if not isinstance(name, str):
        return
    index, mtu, state = link.get("ifindex"), link.get("mtu"), link.get("operstate")
    flags = link.get("flags")
    up = _STATES.get(str(state))
    if up is None and isinstance(flags, list):
        up = "UP" in flags and ("LOWER_UP" in flags or "NO-CARRIER" not in flags)
    row: dict[str, Any] = {"interface": name, "index": index if isinstance(index, int) else None, "mtu": mtu, "up": up}
    address = link.get("address")
    if isinstance(address, str) and re.fullmatch(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}", address):
        row["mac_address"] = address
    for key in ("stats64", "stats"):
        counters = link.get(key)
        if isinstance(counters, dict):
            for (way, what), column in _JSON.items():
                half = counters.get(way)
                if isinstance(half, dict):
                    row[column] = half.get(what)
            row["counter_bits"] = 64 if key == "stats64" else None
            break
    _hand_over({name: value for name, value in row.items() if value is not None}, findings)
