"""``show interfaces`` of Juniper Junos: brief, plain, ``detail`` and ``extensive``; physical and logical interfaces.

Versions: Junos 9 to 22 on EX, MX, QFX and SRX.

Units and traps
---------------
- Octets of a physical interface are those of "Traffic statistics", which are layer 2 or layer 3 by platform.
- A logical interface counts what its physical one counts, too: adding both counts twice.
- Counters of "IPv6 transit", "Local", "Transit" and all other statistics are parts of these; they are left out.
- An MTU of a physical interface includes the Ethernet header: 1514 is one of 1500.
- "Link-mode" is what is configured on most platforms; it is in full duplex unless it says otherwise.
- Counters that a script has rounded ("56.0M") are left out, and a problem says so.
- Rates of the plain form are those of the last seconds, with no length given.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.switches import stanzas
from hecn_analysis.counters.switches.handing_over import hand_over
from hecn_analysis.counters.switches.port import Port, Problem
from hecn_analysis.counters.switches.stanzas import LEFT_OUT, Layout, compiled
from hecn_analysis.files.documents import Document

FORMATS: Final = ("junos",)
VERSIONS: Final = "Junos 9 to 22"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^ {0,4}(?:Physical interface: (?P<physical>[\w/.:-]{2,40})(?:, (?P<state>Enabled|Administratively down)\b)?"
    r"(?:[^\n]{0,40}Physical link is (?P<protocol>Up|Down))?"
    r"|Logical interface (?P<logical>[\w/.:-]{2,40}) \(Index \d{1,6}\) \(SNMP ifIndex (?P<index>\d{1,9})\))",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("put  bytes", r"(?P<way>In)put {1,2}bytes {0,4}: {1,24}(?P<octets>#)(?![\d.KMGT])"),
    ("put bytes", r"(?P<way>Out)put bytes {0,4}: {1,24}(?P<octets>#)(?![\d.KMGT])"),
    ("put  packets", r"(?P<way>In)put {1,2}packets {0,4}: {1,24}(?P<packets>#)(?![\d.KMGT])"),
    ("put packets", r"(?P<way>In|Out)put packets {0,4}: {1,24}(?P<packets>#)(?![\d.KMGT])"),
    ("Errors: ", r"^\s{1,9}(?:Carrier transitions: #, )?Errors: (?P<errors>#), Drops: (?P<discards>#)"),
    ("CRC/Align errors", r"CRC/Align errors {1,40}(?P<crc_errors>#)"),
)
_WORDS: Final = (
    ("put  bytes", r"Input  bytes.{1,60} (?P<in_rate>\d{1,20}) (?P<rate_unit>bps)"),
    ("put bytes", r"Output bytes.{1,60} (?P<out_rate>\d{1,20}) (?P<rate_unit>bps)"),
    ("put rate", r"(?P<way>In|Out)put rate {0,8}: (?P<rate>\d{1,20}) (?P<rate_unit>[kMG]?bps)"),
    ("SNMP ifIndex", r"SNMP ifIndex: (?P<index>\d{1,9})"),
    ("MTU: ", r"(?:Link-level type|Type): .{0,80}?MTU: (?P<mtu>\d{3,6})"),
    ("Protocol ", r"^ {1,9}Protocol (?:inet|inet6|multiservice|eth-switch), MTU: (?P<mtu>\d{3,6})"),
    ("Speed: ", r"(?<!\w)Speed: (?P<speed>\d{1,7})(?P<speed_unit>[mMgGkK]bps)"),
    ("Link-mode: ", r"Link-mode: (?P<duplex>Full|Half)-duplex"),
    ("Duplex: ", r"Duplex: (?P<duplex>Full|Half)-[Dd]uplex"),
    ("Current address: ", r"Current address: (?P<mac>[0-9a-f:]{17})"),
    ("Description: ", r"^ {1,9}Description: (?P<description>[^\n]{1,240})"),
    ("Statistics last cleared", r"Statistics last cleared: (?P<last_cleared>[^\n]{1,60})"),
)
_PARTS: Final = (
    *(
        "IPv6 transit statistics",
        "Local statistics",
        "Transit statistics",
        "Ingress traffic",
        "Label-switched interface",
    ),
    *("Dropped traffic", "Egress queues", "Ingress queues", "Filter statistics", "Statistics   ", "Preclassifier"),
)
_LAYOUT: Final = Layout(
    _BEGINS,
    compiled(_COUNTS),
    compiled(_WORDS),
    sections=(
        ("Input errors", "in"),
        ("Output errors", "out"),
        ("MAC statistics", ""),
        ("Traffic statistics", ""),
        *((word, LEFT_OUT) for word in _PARTS),
    ),
    is_indented=False,
)


def recognises(document: Document) -> bool:
    """Whether the first line of an interface is in the file, with its index or flags below."""
    text = document.text
    return ("Physical interface: " in text or "(SNMP ifIndex " in text) and bool(_BEGINS.search(text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "junos"
    hand_over(findings, ports(document, findings.problem))
