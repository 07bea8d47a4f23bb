"""``display interface`` of Huawei VRP: switches (S, CE), routers (AR, NE), wireless controllers.

Versions: VRP 5 and 8.

Units and traps
---------------
- "Speed : 1000" is in Mbit/s. "Current BW" of an Eth-Trunk is the sum of its members that are up.
- "The Maximum Frame Length" is the longest frame of a port of layer 2; an MTU is only what is called so.
- Counters stand under "Input:" and "Output:"; of these, "Total Error" and "Discard" are errors and drops.
- "Current system time" is the local time of the device, at which the counters were read.
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

FORMATS: Final = ("huawei-vrp",)
VERSIONS: Final = "VRP 5 and 8"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^(?P<interface>[A-Za-z0-9][\w/.:-]{1,60}) current state : (?P<state>(?:Administratively )?(?:UP|DOWN))\b",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("nput: ", r"Input: {1,4}(?:(?P<in_packets>#) [Pp]ackets, ?)?(?P<in_octets>#) [Bb]ytes"),
    ("utput: ", r"Output: {1,4}(?:(?P<out_packets>#) [Pp]ackets, ?)?(?P<out_octets>#) [Bb]ytes"),
    ("Total Error", r"Total Error: {1,60}(?P<errors>#)"),
    ("Discard: ", r"Discard: {1,60}(?P<discards>#)"),
)
_WORDS: Final = (
    ("utput:", r"^ {0,9}Output:(?:(?P<out_packets>#) packets, ?)?(?P<out_octets>#) bytes"),
    ("nput packets:", r"Input packets:(?P<in_packets>#), {1,4}(?P<in_octets>#) bytes"),
    ("utput packets:", r"Output packets:(?P<out_packets>#), {1,4}(?P<out_octets>#) bytes"),
    (" errors", r"^ {1,40}(?P<errors>#) errors"),
    ("CRC: ", r"(?<!\w)CRC: {1,60}(?P<crc_errors>#)"),
    ("Collisions: ", r"(?<![\w ]) {0,8}Collisions: {1,60}(?P<collisions>#)"),
    ("Late Collisions", r"Late Collisions: {1,60}(?P<late_collisions>#)"),
    ("econds ", (r"Last (?P<window>\d{1,6}) (?P<window_unit>second)s (?P<way>in|out)put rate:? {1,4}"
     r"(?:\d{1,20} bytes/sec,? )?(?P<rate>\d{1,20}) (?P<rate_unit>bits/sec)")),
    ("The M", r"The (?:Maximum Transmit Unit|MTU) is (?P<mtu>\d{2,6})"),
    ("Frame Length", r"The Maximum Frame Length is (?P<max_frame_bytes>\d{2,6})"),
    ("Current BW: ", r"Current BW: (?P<bandwidth>\d{1,6}(?:\.\d{1,3})?)(?P<bandwidth_unit>[MG])"),
    ("Speed : ", r"^Speed ?: {1,8}(?P<speed_mbit>\d{1,7}),"),
    ("Duplex: ", r"^Duplex: {0,8}(?P<duplex>FULL|HALF)"),
    ("ardware address", r"Hardware address is (?P<mac>[0-9a-f-]{14})"),
    ("Description:", r"^Description: ?(?P<description>[^\n]{1,240})"),
    ("ast clearing", r"ast clearing of counters {0,4}: (?P<last_cleared>[^\n]{1,60})"),
    ("system time", r"^Current system time: (?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?P<zone>[+-]\d\d:\d\d)?"),
)  # fmt: skip
_LAYOUT: Final = Layout(
    _BEGINS,
    compiled(_COUNTS),
    compiled(_WORDS),
    sections=(("Input:", "in"), ("Output:", "out"), ("Input packets", "in")),
    is_indented=False,
)


def recognises(document: Document) -> bool:
    """Whether the first line of a port is in the file, with its protocol below."""
    return "ine protocol current state :" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "huawei-vrp"
    hand_over(findings, ports(document, findings.problem))
