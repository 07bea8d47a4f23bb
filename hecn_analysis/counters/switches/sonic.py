"""Counters of SONiC: ``show interfaces counters`` and ``portstat``, with rates or without.

Versions: SONiC 201803 to 202411.

Units and traps
---------------
- Digits are grouped by commas; words between the name and the state are a description.
- ``show dropcounters counts`` is read too; its drops are those of debug counters.
- "RX_BPS" is bytes a second despite its name, and prints its unit ("MB/s", of 10**6); newer versions print "Mb/s".
- "RX_OK" are packets; octets are not shown. "RX_OVR" are packets without a buffer, which are not added to the drops.
- Nothing says when the counters were read: the time is missing.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import grouped, scale

FORMATS: Final = ("sonic",)
VERSIONS: Final = "SONiC 201803 to 202411"
WHOLE: Final = False

_HEAD: Final = re.compile(r"^ {0,20}IFACE {1,30}(?:DESC {1,30})?STATE {1,20}RX_(?:OK|ERR)\b.*$", re.MULTILINE)
_COUNTS: Final = {
    "RX_OK": "in_packets",
    "TX_OK": "out_packets",
    "RX_ERR": "in_errors",
    "TX_ERR": "out_errors",
    "RX_DRP": "in_discards",
    "TX_DRP": "out_discards",
    "RX_DROPS": "in_discards",
    "TX_DROPS": "out_discards",
}
_STATES: Final = {"U": True, "D": False, "X": False}
_RATE: Final = re.compile(r"\*{0,2}(?P<digits>\d{1,12}(?:\.\d{1,3})?) (?P<unit>[KMGT]?)(?P<of>[Bb])(?:/s|ps)\*{0,2}")
_CELL: Final = re.compile(r"\*{0,2}\d[\d,.]{0,20} [KMGT]?[Bb](?:/s|ps)\*{0,2}|\S{1,60}")
_PORT: Final = re.compile(r" {0,20}[A-Z][A-Za-z-]{1,20}\d[\d/.]{0,8} {1,40}\S")
_COUNT: Final = re.compile(r"\d{1,3}(?:,\d{3}){1,6}|\d{1,20}")


def recognises(document: Document) -> bool:
    """Whether the heads of the columns are in the file."""
    return "IFACE" in document.text and _HEAD.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "sonic"
    heads: list[str] = []
    for line, text in enumerate(document.lines, 1):
        if _HEAD.match(text):
            heads = [head for head in text.upper().split() if head != "DESC"]
        elif heads and _PORT.match(text):
            cells = _CELL.findall(text)
            more = len(cells) - len(heads)  # words of a description
            if more < 0 or cells[1 + more] not in _STATES:
                findings.problem(line, "malformed", f"found {len(cells)} values, expected {len(heads)}; left out")
                continue
            _port(dict(zip(heads, [cells[0], *cells[1 + more :]], strict=True)), line, findings)
        elif heads and text.strip() and not text.lstrip().startswith("---"):
            heads = []


def _port(cells: dict[str, str], line: int, findings: CounterFindings) -> None:
    """Add the counters and the rates of a port."""
    name, up = cells["IFACE"], _STATES[cells["STATE"]]
    counts = {column: grouped(cells[head]) for head, column in _COUNTS.items() if _COUNT.fullmatch(cells.get(head, ""))}
    findings.sample(line=line, interface=name, up=up, **counts)
    rates = {
        f"{way}_bps": float(match["digits"]) * scale(match["unit"], 1000) * (8 if match["of"] == "B" else 1)
        for way, head in (("in", "RX_BPS"), ("out", "TX_BPS"))
        if (match := _RATE.fullmatch(cells.get(head, "")))
    }
    if rates:
        findings.rate(line=line, interface=name, **rates)
