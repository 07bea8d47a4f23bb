"""``show interfaces`` of Alcatel-Lucent OmniSwitch with AOS.

Versions: AOS 6 to 8.

Units and traps
---------------
- The bandwidth is that of the line, in Mbit/s; "-" is a port that is down.
- Packets are unicast, multicast ("M-cast") and broadcast frames together. "Lost Frames" are discarded.
- "Long Frame Size" is the longest frame of the port, no MTU.
- Nothing says when the counters were read: the time is missing. Several outputs in one file are several readings.
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

FORMATS: Final = ("alcatel-aos",)
VERSIONS: Final = "AOS 6 to 8"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^\s{0,4}(?:Chassis/)?Slot/Port\s{1,20}(?:: )?(?P<interface>\d{1,3}/\d{1,3}(?:/\d{1,3})?)\s{0,4}:?\s{0,4}\n"
    r"\s{1,4}Operational Status\s{1,20}: (?P<state>up|down)",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("Bytes ", r"Bytes (?:Received|Xmitted)\s{1,8}:\s{1,24}(?P<octets>#),"),
    ("Unicast Frames", r"Unicast Frames\s{0,8}:\s{1,24}(?P<unicast>#),"),
    ("Broadcast Frames", r"Broadcast Frames\s{0,8}:\s{1,24}(?P<broadcast>#),"),
    ("M-cast Frames", r"M-cast Frames\s{0,8}:\s{1,24}(?P<multicast>#),"),
    ("Lost Frames", r"Lost Frames\s{0,8}:\s{1,24}(?P<discards>#),"),
)
_WORDS: Final = (
    ("Error Frames", r"(?<!CRC )Error Frames\s{0,8}:\s{1,24}(?P<errors>#)(?:,|\s|$)"),
    ("CRC Error", r"CRC Error Frames\s{0,8}:\s{1,24}(?P<crc_errors>#),"),
    ("Collided", r"Collided Frames\s{0,8}:\s{1,24}(?P<collisions>#),"),
    ("Late coll", r"Late collisions\s{0,8}:\s{1,24}(?P<late_collisions>#),"),
    ("BandWidth", r"BandWidth \(Megabits\)\s{1,8}:\s{1,12}(?P<speed_mbit>\d{1,7}),"),
    ("Duplex", r"Duplex\s{1,20}: (?P<duplex>Full|Half)"),
    ("Long Frame", r"Long Frame Size\(Bytes\)\s{0,8}: (?P<max_frame_bytes>\d{2,6})"),
    ("MAC address", r"MAC address\s{1,20}: (?P<mac>[0-9a-f:]{17})"),
)
_LAYOUT: Final = Layout(
    _BEGINS, compiled(_COUNTS), compiled(_WORDS), sections=(("Rx ", "in"), ("Tx ", "out")), is_indented=False
)


def recognises(document: Document) -> bool:
    """Whether the first lines of a port are in the file."""
    return "Operational Status" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "alcatel-aos"
    hand_over(findings, ports(document, findings.problem))
