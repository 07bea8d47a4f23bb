"""``show interface`` of Aruba switches with AOS-CX (CX 6000 to 10000).

Versions: AOS-CX 10.

Units and traps
---------------
- Rates are 10**6 bit/s to two digits: less than 5 kbit/s is shown as 0.
- "Speed 0 Mb/s" of a port that is down says nothing.
- "Filtered" packets are those that rules of the switch keep back; they are left out.
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

FORMATS: Final = ("aruba-aoscx",)
VERSIONS: Final = "AOS-CX 10"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^(?:Interface|Aggregate) (?P<interface>[\w/.-]{1,40}) is (?P<state>up|down)\b[^\n]{0,60}\n {1,4}Admin state is",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("total packets", r"(?P<packets>#) total packets {1,40}(?P<octets>#) total bytes"),
    (" errors ", r"(?P<errors>#) errors {1,60}(?P<discards>#) dropped"),
    (" Packets  ", r"Packets {2,40}(?P<in_packets>#) {1,40}(?P<out_packets>#) {1,40}#"),
    (" Bytes  ", r"Bytes {2,40}(?P<in_octets>#) {1,40}(?P<out_octets>#) {1,40}#"),
    (" Dropped  ", r"Dropped {2,40}(?P<in_discards>#) {1,40}(?P<out_discards>#) {1,40}#"),
    (" Errors  ", r"Errors {2,40}(?P<in_errors>#) {1,40}(?P<out_errors>#) {1,40}#"),
)
_WORDS: Final = (
    ("put packets", r"(?P<way>in|out)put packets {1,40}(?P<octets>#) bytes"),
    ("put packets", r"(?P<packets>#) (?P<way>in|out)put packets"),
    ("put error", r"(?P<errors>#) (?P<way>in|out)put errors? {1,60}(?P<discards>#) dropped"),
    ("CRC/FCS", r"CRC/FCS {1,40}(?P<crc_errors>#)"),
    ("CRC/FCS", r"(?P<crc_errors>#) CRC/FCS"),
    ("Collision", r"Collision {1,40}n/a {1,40}(?P<collisions>#)"),
    ("Mbits / sec", r"Mbits / sec {1,40}(?P<in_mbit>\d{1,9}\.\d\d) {1,40}(?P<out_mbit>\d{1,9}\.\d\d)"),
    ("Rate collection", r"Rate collection interval: (?P<window>\d{1,5}) (?P<window_unit>second)s"),
    ("MTU ", r"^ {1,4}MTU (?P<mtu>\d{2,6})"),
    ("Speed ", r"^ {1,4}Speed {1,30}(?:: )?(?P<speed>\d{1,7}) (?P<speed_unit>[MG]b/s)"),
    ("-duplex", r"^ {1,4}(?P<duplex>Full|Half)-duplex"),
    ("MAC Address", r"MAC Address {0,30}: (?P<mac>[0-9a-f:]{17})"),
    ("Description", r"^ {1,4}Description ?: (?P<description>\S[^\n]{0,240})"),
    ("Type ", r"^ {1,4}Type (?P<hardware>\w[^\n]{0,60})"),
)
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS), sections=(("Rx", "in"), ("Tx", "out")))


def recognises(document: Document) -> bool:
    """Whether the first lines of a port are in the file."""
    return "Admin state is" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "aruba-aoscx"
    hand_over(findings, ports(document, findings.problem))
