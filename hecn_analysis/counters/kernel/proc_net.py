"""Files of Linux's /proc/net: ``dev`` (interfaces), ``snmp`` and ``netstat`` (the host's protocols), ``softnet_stat``.

Versions: Linux 2.0 (no octets yet) to 6.x.

Units and traps
---------------
- ``dev``: an interface's name may run into its first number ("lo:0 0"), and may hold a colon itself ("eth0:1").
  The names of the columns are read from the heading; "drop" of what was received includes what the card missed. Octets
  are without FCS. Nothing says when it was read.
- ``snmp`` and ``netstat``: lines in pairs, names and values, which are facts by protocol; -1 (``Tcp MaxConn``) is kept.
- ``softnet_stat``: hexadecimal, a line for each processor: packets processed, packets dropped because the queue was
  full, times that work was left over.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import same_width, width
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter

FORMATS: Final = ("proc-net-dev", "proc-net-snmp", "proc-net-netstat", "proc-net-softnet_stat")
VERSIONS: Final = "Linux 2.0 to 6.x"
WHOLE: Final = False

_DEV: Final = re.compile(r"^Inter-\|\s+Receive\s+\|\s+Transmit", re.MULTILINE)
_ROW: Final = re.compile(r"^\s*(?P<name>\S{1,64}):\s*(?P<values>\d[\d ]*+)\s*$")
_PAIR: Final = re.compile(
    r"^(?P<name>\w+): (?P<names>[A-Z]\w+(?: \w+)*)\n(?P=name): (?P<values>-?\d+(?: -?\d+)*)[ ]?$", re.MULTILINE
)
_DIGITS: Final = 21  # a counter has fewer
_SOFTNET: Final = re.compile(r"(?:[0-9a-f]{8} ){8,14}[0-9a-f]{8} ?")
_COLUMNS: Final = (
    {
        "bytes": "in_octets", "packets": "in_packets", "errs": "in_errors", "drop": "in_discards",
        "multicast": "in_multicast",
    },
    {"bytes": "out_octets", "packets": "out_packets", "errs": "out_errors", "drop": "out_discards"},
)  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether the heading of ``dev`` or a pair of lines is in the file, or it is ``softnet_stat`` as a whole."""
    return bool(_DEV.search(document.text)) or _is_protocols(document) or _is_softnet(document)


def _is_protocols(document: Document) -> bool:
    return bool(re.search(r"^(?:Ip|Tcp|TcpExt): \w+ ", document.text, re.MULTILINE) and _PAIR.search(document.text))


def _is_softnet(document: Document) -> bool:
    lines = [line for line in document.lines if line.strip()]
    return bool(lines) and all(_SOFTNET.fullmatch(line) for line in lines)


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of interfaces, and those of the host as facts."""
    if _is_softnet(document):
        findings.format = "proc-net-softnet_stat"
        rows = [[int(word, 16) for word in line.split()] for line in document.lines if line.strip()]
        findings.facts["n_cpus"] = len(rows)
        for column, name in enumerate(("processed", "dropped", "time_squeeze")):
            findings.facts[name] = [row[column] for row in rows]
        return
    for match in _PAIR.finditer(document.text):
        findings.format = "proc-net-netstat" if match["name"].endswith("Ext") else "proc-net-snmp"
        names, values = match["names"].split(), match["values"].split()
        if len(names) == len(values):
            findings.facts[snake_case(match["name"])] = {
                snake_case(name): int(value) if len(value) < _DIGITS else None
                for name, value in zip(names, values, strict=True)
            }
        else:
            line = document.text.count("\n", 0, match.start()) + 2
            findings.problem(line, "malformed", f"found {len(values)} values, expected {len(names)}; left out")
    if _DEV.search(document.text):
        findings.format = "proc-net-dev"
        _dev(document, findings)
        same_width(findings)


def _dev(document: Document, findings: CounterFindings) -> None:
    columns: list[str | None] = []
    inside = False
    for number, line in enumerate(document.lines, 1):
        if line.strip().startswith("face |"):
            halves = line.split("|")[1:]
            columns = [names.get(word) for half, names in zip(halves, _COLUMNS, strict=False) for word in half.split()]
            inside = True
        elif columns and (match := _ROW.match(line)):
            values = [counter(word) for word in match["values"].split()]
            if len(values) < len(columns):
                if not inside and (2 * len(values) < len(columns) or match["name"].isdigit()):
                    continue  # a row of another table below
                findings.problem(
                    number,
                    "malformed",
                    f"found {len(values)} counters of {match['name']!r}, expected {len(columns)}; left out",
                )
                continue
            row: dict[str, Any] = {name: value for name, value in zip(columns, values, strict=False) if name}
            findings.sample(line=number, interface=match["name"], counter_bits=width(row), **row)
        else:
            inside = inside and not line.strip()


def snake_case(name: str) -> str:
    """Name in small letters with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
