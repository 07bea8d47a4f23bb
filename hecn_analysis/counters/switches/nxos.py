"""``show interface`` of Cisco NX-OS: Nexus 3000 to 9000, and the fabric interconnects of UCS.

Versions: NX-OS 5 to 10.

Units and traps
---------------
- Octets are those of frames without preamble and gap. Of several load intervals, the first one counts.
- Packets are those of the lines "input packets" and "output packets", which are unicast, multicast and broadcast.
- "BW" is the nominal rate of the port; the speed of the line stands beside the duplex. That of a port channel is that
  of one member; its bandwidth, the sum, is its speed here.
- Counters of a VLAN interface ("L3 in Switched") leave out what is not routed; they are left out.
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

FORMATS: Final = ("cisco-nxos",)
VERSIONS: Final = "NX-OS 5 to 10"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^(?P<interface>(?:Ethernet|mgmt|[Pp]ort-channel|san-port-channel|Vlan|[Ll]oopback|fc|vfc|nve|Tunnel)\d[\d/.]{0,20})"
    r" is (?P<state>up|down|trunking)\b(?![^\n]{0,90}, line protocol)[^\n]{0,90}\n"
    r" {0,8}(?:[Aa]dmin [Ss]tate|Dedicated Interface|Hardware|[Bb]elongs to|vPC Status|Description|"
    r"Port description|VFC not bound|Port WWN)",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("input packets ", r"(?P<in_packets>#) input packets {1,4}(?:(?P<in_octets>#) bytes|# unicast)"),
    ("output packets ", r"(?P<out_packets>#) output packets {1,4}(?:(?P<out_octets>#) bytes|# unicast)"),
    (
        "packets input",
        r"(?P<in_packets>#) packets input,? (?:(?P<in_octets>#) bytes|\d{1,4} (?:second|minute)s? input)",
    ),
    (
        "packets output",
        r"(?P<out_packets>#) packets output,? (?:(?P<out_octets>#) bytes|\d{1,4} (?:second|minute)s? output)",
    ),
    ("input error", r"(?P<in_errors>#) input errors? "),
    ("output error", r"(?P<out_errors>#) output errors? {1,4}(?P<collisions>#) collision"),
    ("input discard", r"(?P<in_discards>#) input discard"),
    ("output discard", r"(?P<out_discards>#) output discard"),
    ("late collision", r"(?P<late_collisions>#) late collision"),
)
_WORDS: Final = (
    ("broadcast packets", r"broadcast packets (?P<octets>#) bytes"),
    (" CRC", r"giants {1,4}(?P<crc_errors>#) CRC"),
    ("put rate ", r"(?P<window>\d{1,6}) (?P<window_unit>second|minute)s? (?P<way>input|output) rate @"),
    ("MTU ", r"(?<![\w-])MTU (?P<mtu>\d{2,6}) bytes"),
    ("BW ", r"BW (?P<bandwidth>\d{1,12}) (?P<bandwidth_unit>Kbit)"),
    ("-duplex, ", r"(?P<duplex>full|half|auto)-duplex, (?P<speed>\d{1,7}(?:\.\d)?) (?P<speed_unit>[MG]b/s)"),
    ("-duplex, auto", r"(?P<duplex>full|half|auto)-duplex, auto-speed"),
    ("ast clearing of", r'ast clearing of "show interface" counters (?P<last_cleared>[\w:. ]{1,60})'),
    ("escription", r"^ {1,9}(?:Description:|Port description is) (?P<description>[^\n]{1,240})"),
    ("ardware", r"ardware(?:: | is )(?P<hardware>[^,\n]{1,80})(?:, address(?: is|:) {1,4}(?P<mac>[0-9a-f.:]{14,17}))?"),
)
_LAYOUT: Final = Layout(
    _BEGINS,
    compiled(_COUNTS),
    compiled(_WORDS),
    sections=(("RX", "in"), ("Rx", "in"), ("TX", "out"), ("Tx", "out"), ("L3 ", "")),
    ends=re.compile(r"^(?!admin state)\S[^\n]{0,120}(?:, line protocol is | is (?:up|down)\b)"),
    is_indented=False,
)


def recognises(document: Document) -> bool:
    """Whether the first lines of a port are in the file, with what belongs to it below."""
    text = document.text
    below = ("MTU ", "input packets", "Port WWN", "Encapsulation")
    return " is " in text and any(word in text for word in below) and bool(_BEGINS.search(text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "cisco-nxos"
    hand_over(findings, ports(document, findings.problem))
