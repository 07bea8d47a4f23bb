"""``show interfaces`` of one port in detail, of HP ProCurve and of Aruba switches with ArubaOS-Switch.

Versions: ProCurve K, W and Y; ArubaOS-Switch 15 and 16.

Units and traps
---------------
- Errors are "Total Rx Errors", drops "Discard Rx" and "Drops Tx". The table of all ports is in `port_tables`.
- Numbers have separators of thousands. A number whose groups are not of three digits is a problem.
- Rates are means of five minutes, weighted.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.switches import stanzas
from hecn_analysis.counters.switches.handing_over import hand_over
from hecn_analysis.counters.switches.port import Port, Problem
from hecn_analysis.counters.switches.stanzas import Layout, compiled
from hecn_analysis.files.documents import Document

FORMATS: Final = ("procurve",)
VERSIONS: Final = "ProCurve K, W and Y; ArubaOS-Switch 15 and 16"
WHOLE: Final = False

_G: Final = r"\d{1,3}(?:,\d{3}){1,6}(?![\d,])|\d{1,20}(?![\d,])"
_BEGINS: Final = re.compile(
    r"^ {0,4}Status and Counters - Port Counters for port (?P<interface>[\w/-]{1,12})", re.MULTILINE
)
_COUNTS: Final = (
    ("Bytes Rx ", rf"Bytes Rx {{1,12}}: (?P<in_octets>{_G}) {{1,40}}Bytes Tx {{1,12}}: (?P<out_octets>{_G})"),
    ("Drops Tx ", rf"FCS Rx {{1,12}}: (?P<crc_errors>{_G}) {{1,40}}Drops Tx {{1,12}}: (?P<out_discards>{_G})"),
    ("Total Rx Errors", rf"Total Rx Errors {{1,4}}: (?P<in_errors>{_G})"),
    ("Unicast Rx  ", rf"Unicast Rx {{1,12}}: (?P<in_unicast>{_G}) {{1,40}}Unicast Tx {{1,12}}: (?P<out_unicast>{_G})"),
)
_WORDS: Final = (
    (
        "Mcast Rx ",
        rf"Mcast Rx {{1,12}}: (?P<in_nonunicast>{_G}) {{1,40}}Bcast/Mcast Tx {{1,4}}: (?P<out_nonunicast>{_G})",
    ),
    (
        "(bps)",
        r"Total Rx {1,4}\(bps\) : (?P<in_rate>[\d,]{1,24}) {1,40}Total Tx {1,4}\(bps\) : (?P<out_rate>[\d,]{1,24})",
    ),
    ("weighted", r"Rates \((?P<window>\d{1,3}) (?P<window_unit>minute) weighted"),
    ("Discard Rx", rf"Discard Rx {{1,12}}: (?P<in_discards>{_G})"),
    ("Collisions Tx", rf"Collisions Tx {{1,12}}: (?P<collisions>{_G})"),
    ("Late Colln", rf"Late Colln Tx {{1,12}}: (?P<late_collisions>{_G})"),
    ("Link Status", r"Link Status {1,30}: (?P<state>Up|Down)"),
    ("MAC Address", r"MAC Address {1,30}: (?P<mac>[0-9a-f-]{13})"),
    ("Name ", r"^ {1,4}Name[ (]{1,2}[a-z)]{0,9} {0,30}: (?P<description>\S[^\n]{0,80})"),
)
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS), is_indented=False)


def recognises(document: Document) -> bool:
    """Whether a port in detail is in the file."""
    return "Port Counters" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "procurve"
    hand_over(findings, ports(document, findings.problem))
