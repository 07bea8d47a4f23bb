"""``display interface`` of HPE Comware and H3C: switches, routers, aggregations, VLAN interfaces.

Versions: Comware 5 and 7.

Units and traps
---------------
- Of "(total)" and "(normal)" the total counts, which has pauses and frames with errors, too. A "-" is missing.
- "Bandwidth" is the nominal rate of the port; the speed of the line stands as "1000Mbps-speed mode".
- "Maximum frame length" is the longest frame of a port of layer 2; an MTU is only what is called so.
- Rates are bytes per second, over the seconds that are printed.
- "Current system time", which newer versions print, is the local time of the device at which the counters were read.
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

FORMATS: Final = ("comware",)
VERSIONS: Final = "Comware 5 and 7"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^ ?(?P<interface>[A-Z][A-Za-z-]{2,40}\d{0,5}[\d/.:]{0,20})(?: {1,3}|\s{0,3}\n ?)[Cc]urrent state: ?"
    r"(?P<state>(?:Administratively |STP )?(?:UP|DOWN|STANDBY))\b",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("put (total):", r"(?P<way>In|Out)put \(total\): {1,3}(?:(?P<packets>#)|-) packets, (?:(?P<octets>#)|-) bytes"),
    (
        "Input: ",
        (
            r"Input: {1,4}(?:(?:(?P<in_packets>#)|-) packets, (?:(?P<in_octets>#)|-) bytes(?:, "
            r"(?P<in_discards>#) drops)?|(?:(?P<in_errors>#)|-) input errors|$)"
        ),
    ),
    (
        "Output: ",
        (
            r"Output: {1,4}(?:(?:(?P<out_packets>#)|-) packets, (?:(?P<out_octets>#)|-) bytes(?:, "
            r"(?P<out_discards>#) drops)?|(?:(?P<out_errors>#)|-) output errors|$)"
        ),
    ),
    ("packets input,", r"(?P<in_packets>#) packets input, {1,3}(?P<in_octets>#) bytes(?:, (?P<in_discards>#) drops)?"),
    (
        "packets output,",
        (
            r"(?P<out_packets>#) packets output, {1,3}(?P<out_octets>#) bytes"
            r"(?:, (?P<out_discards>#) drops)?"
        ),
    ),
    (" late collisions", r"(?:(?P<collisions>#)|-) collisions, ?(?:(?P<late_collisions>#)|-) late collisions"),
)
_WORDS: Final = (
    ("put:  ", r"^(?P<way>in|out)put: {1,4}(?P<packets>#) packets, (?P<octets>#) bytes"),
    ("Output:", r"Output:(?P<out_packets>#) packets, (?P<out_octets>#) bytes"),
    ("packets, ", r"^ {0,9}(?P<packets>#) packets, (?P<octets>#) bytes"),
    (" errors, ", r"^ {0,9}(?P<errors>#) errors, # (?:runts|underruns)"),
    (" CRC", r"(?<![\d-])(?P<crc_errors>#) CRC"),
    ("econds", (r"Last (?P<window>\d{1,6}) seconds? (?P<way>in|out)put:? {1,4}\d{1,20} packets/sec (?P<rate>\d{1,20}) "
     r"(?P<rate_unit>bytes/sec)")),
    ("econds", (r"Last (?P<window>\d{1,6}) seconds? (?P<way>in|out)put rate:? .{0,60}?(?P<rate>\d{1,20}(?:\.\d{1,3})?) "
     r"(?P<rate_unit>bytes/sec)")),
    ("ast ", (r"Last (?P<window>\d{1,6}) second (?P<way>in|out)put:? {1,4}\d{1,20} packets/sec (?P<rate>\d{1,20}) "
     r"(?P<rate_unit>bytes/sec)")),
    ("aximum ", r"aximum (?:transmission|[Tt]ransmit) [Uu]nit(?:: | is )(?P<mtu>\d{2,6})"),
    ("aximum ", r"aximum [Ff]rame [Ll]ength(?: is |: ?)(?P<max_frame_bytes>\d{2,6})"),
    ("Bandwidth: ", r"Bandwidth: (?P<bandwidth>\d{1,12}) ?(?P<bandwidth_unit>kbps)"),
    ("-speed mode", r"(?P<speed>\d{1,7}(?:\.\d)?)(?P<speed_unit>[MG]bps)-speed mode"),
    (", link type", r"^ ?(?P<speed>\d{1,6})(?P<speed_unit>[MG])(?:b/s)?, (?P<duplex>Full|Half)(?:-duplex)?, link type"),
    ("-duplex mode", r"(?P<duplex>[Ff]ull|[Hh]alf)-duplex mode"),
    ("ardware ", r"[Hh]ardware [Aa]ddress: (?P<mac>[0-9a-f-]{14})"),
    ("Description: ", r"^ {0,2}Description: (?P<description>[^\n]{1,240})"),
    ("ast clearing of counters", r"ast clearing of counters: {1,3}(?P<last_cleared>[^\n]{1,60})"),
    ("system time", r"time: ?(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?: [A-Z]{2,5}(?P<zone>[+-]\d\d:\d\d))?"),
    ("hardware type", r"hardware type is (?P<hardware>\w[\w+]{0,40})"),
)  # fmt: skip
_LAYOUT: Final = Layout(
    _BEGINS,
    compiled(_COUNTS),
    compiled(_WORDS),
    sections=(
        *(("Input:", "in"), ("Output:", "out"), ("input:", "in"), ("output:", "out"), ("Peak ", "")),
        *(("Input (", "in"), ("Output (", "out"), ("Input (normal)", LEFT_OUT), ("Output (normal)", LEFT_OUT)),
        *(("IPv4 traffic", LEFT_OUT), ("IPv6 traffic", LEFT_OUT)),
    ),
    is_indented=False,
)


def recognises(document: Document) -> bool:
    """Whether the first lines of a port are in the file."""
    text = document.text
    below = ("Line protocol ", "packet frame type", "Packet Frame Type", "speed mode", "Description:")
    return "urrent state" in text and any(word in text for word in below) and bool(_BEGINS.search(text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "comware"
    hand_over(findings, ports(document, findings.problem))
