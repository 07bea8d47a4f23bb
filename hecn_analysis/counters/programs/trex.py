"""Output of TRex, Cisco's generator of traffic: counters of its ports, and rates. The last report counts.

Versions: 2.3 to 3.06, the text of ``t-rex-64``.

Units and traps
---------------
- Packets and bytes of a port count from the start. Bytes are those of Ethernet frames, with their heads.
- Rates are those of a moment, in powers of 1000. Those of the last report are facts; it may come after the end of the
  traffic.
- "drop-rate" is what was sent and did not come back, also where nothing was to come back.
- The time is that since the start: there are no times of day.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import scale

FORMATS: Final = ("trex",)
VERSIONS: Final = "TRex 2.3 to 3.06"
WHOLE: Final = False

_PORTS: Final = re.compile(r"^\s{0,12}ports \|(?P<cells>(?:\s{1,20}\d{1,3}\s{0,4}\|?){1,32})\s*$")
_ROW: Final = re.compile(r"^\s{0,12}(?P<name>opackets|obytes|ipackets|ibytes|ierrors|oerrors) \|(?P<cells>.{1,600})$")
_RATE: Final = re.compile(
    r"^\s{0,8}(?P<name>Total-Tx|Total-Rx|drop-rate)\s{1,12}:\s{1,20}(?P<n>\d{1,9}\.\d{1,3})\s{1,4}(?P<power>[KMGT]?)bps\s*$"
)
_COLUMNS: Final = {
    "opackets": "out_packets",
    "obytes": "out_octets",
    "ipackets": "in_packets",
    "ibytes": "in_octets",
    "ierrors": "in_errors",
    "oerrors": "out_errors",
}
_FACTS: Final = {"Total-Tx": "out_bps", "Total-Rx": "in_bps", "drop-rate": "drop_bps"}


def recognises(document: Document) -> bool:
    """Whether a table of ports is in the file."""
    return "opackets |" in document.text and any(map(_PORTS.match, document.lines))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report."""
    findings.format = "trex"
    ports: list[str] = []
    rows: dict[str, dict[str, object]] = {}
    for line, text in enumerate(document.lines, 1):
        if match := _PORTS.match(text):
            ports = [cell.strip() for cell in match["cells"].strip(" |\t").split("|")]
            rows = {port: {"line": line, "interface": port} for port in ports}
        elif match := _ROW.match(text):
            cells = [cell.strip() for cell in match["cells"].strip(" |\t").split("|")]
            if len(cells) != len(ports) or not all(map(str.isdecimal, cells)):
                findings.problem(
                    line, "malformed", f"found {text.strip()[:80]!r}, expected {len(ports)} counts; left out"
                )
                continue
            for port, cell in zip(ports, cells, strict=True):
                rows[port][_COLUMNS[match["name"]]] = int(cell)
        elif match := _RATE.match(text):
            findings.facts[_FACTS[match["name"]]] = float(match["n"]) * scale(match["power"], 1000)
    for row in rows.values():
        findings.sample(**row)
