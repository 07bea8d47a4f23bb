"""``show interfaces`` of Cisco IOS, IOS-XE and IOS-XR, Arista EOS, Brocade and Ruckus FastIron and NetIron.

Versions: IOS 12 to IOS-XE 17, IOS-XR 6, EOS 4, FastIron 7 and 8, NetIron 5.

Units and traps
---------------
- Octets are those of frames without preamble and gap. Rates are exponential means over the interval that is printed.
- "BW" is what an operator configured or the nominal rate of the port; the speed of the line stands beside the duplex.
- The drops of an input queue of IOS ("size/max/drops/flushes") are `in_discards`, "Total output drops" `out_discards`.
- Counters of IOS before 12.2 wrap at 32 bits; nothing in the output says so.
- Counts are those since the last clearing, which is a fact of the interface (`last_cleared`).
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

FORMATS: Final = ("cisco-ios", "cisco-xr", "arista-eos", "brocade")
VERSIONS: Final = "IOS 12 to 15, IOS-XE 16 and 17, IOS-XR 6, EOS 4, FastIron 7 and 8, NetIron 5"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^ {0,4}(?P<interface>(?:Lag |Control Plane )?[A-Za-z0-9][\w/.:-]{0,60}(?: \d[\d/.:]{0,20})?)"
    r" is (?P<state>[a-z]{2,20}(?: down)?)[^\n]{0,80}?, "
    r"line protocol is (?P<protocol>[a-z]{2,20}(?: down)?)",
    re.MULTILINE,
)
_COUNTS: Final = (
    (
        "packets input,",
        r"(?P<in_packets>#) packets input, {1,4}(?:(?P<in_octets>#) bytes|\d{1,4} (?:second|minute)s? input)",
    ),
    (
        "packets output,",
        r"(?P<out_packets>#) packets output, {1,4}(?:(?P<out_octets>#) bytes|\d{1,4} (?:second|minute)s? output)",
    ),
    ("input errors", r"(?P<in_errors>#) input errors(?:, (?P<crc_errors>#) CRC)?"),
    ("output errors", r"(?P<out_errors>#) output errors(?:, (?P<collisions>#) collisions)?"),
    (" late collision", r"(?P<late_collisions>#) late collision"),
    ("input discards", r"(?P<in_discards>#) input discards"),
    ("output discards", r"(?P<out_discards>#) output discards"),
    ("total input drops", r"(?P<in_discards>#) total input drops"),
    ("total output drops", r"(?P<out_discards>#) total output drops"),
    ("Input queue:", r"Input queue: \d{1,9}/\d{1,9}/(?P<in_discards>#)/"),
    ("otal output drops:", r"otal output drops: (?P<out_discards>#)"),
)
_WORDS: Final = (
    ("put rate", r"(?P<window>\d{1,6}) (?P<window_unit>second|minute)s? (?P<way>input|output) rate:? @"),
    ("MTU ", r"(?<!transport )MTU (?P<mtu>\d{2,6}) bytes"),
    ("BW ", r"BW (?P<bandwidth>\d{1,12}) (?P<bandwidth_unit>[kK]bit)"),
    ("-duplex,", r"(?P<duplex>Full|Half|Auto)-duplex, (?P<speed>\d{1,7}(?:\.\d)?) ?(?P<speed_unit>[KMGT]b(?:/s|ps))"),
    ("uplex, ", r"(?P<duplex>Full|Half)[- ][Dd]uplex, (?P<speed>\d{1,7}) ?(?P<speed_unit>[KMGT]b(?:/s|ps))"),
    ("uplex, Auto", r"^ {1,9}(?P<duplex>Full|Half|Auto)[- ]?[Dd]uplex, Auto[- ][Ss]peed"),
    ("onfigured speed", r"onfigured speed (?P<speed_configured>[\w-]{1,20})"),
    ("onfigured duplex", r"onfigured duplex (?P<duplex_configured>\w{1,20})"),
    (", actual ", r"speed [\w-]{1,20}, actual (?P<speed>\d{1,6}(?:\.\d)?)(?P<speed_unit>[MG])bit"),
    (", actual ", r"duplex \w{1,20}, actual (?P<duplex>[fh]dx)"),
    ("ast clearing of", r'ast clearing of "show interface" counters (?P<last_cleared>[\w:., ]{1,60})'),
    ("Description:", r"^ {1,9}Description: (?P<description>[^\n]{1,240})"),
    ("Port name is", r"^ {1,9}Port name is (?P<description>[^\n]{1,240})"),
    ("Hardware is", r"Hardware is {1,9}(?P<hardware>[^,\n]{1,80})(?:, address is (?P<mac>[0-9a-f.:]{14,17}))?"),
    ("media type is", r"media type is (?P<hardware>\d{2,6}/[\d/]{2,20}Base\w{0,8})"),
)
_LAYOUT: Final = Layout(
    _BEGINS,
    compiled(_COUNTS),
    compiled(_WORDS),
    ends=re.compile(r"\S[^\n]{0,80} is (?:up|down|administratively down)\b"),  # a port of a kind that is not read
)
_VENDORS: Final = (
    ("arista-eos", (" with framing overhead)", "auto negotiation: ", "link status changes since last clear")),
    ("brocade", ("Configured speed ", "IPG MII ", "Inter-Packet Gap (IPG)", "Configured mdi mode")),
    ("cisco-xr", ("Interface state transitions:", " total output drops")),
)


def recognises(document: Document) -> bool:
    """Whether the first line of a port is in the file, with its MTU or counters below."""
    text = document.text
    below = ("packets input,", "MTU ", " BW ", "Hardware is")
    return "line protocol is" in text and any(word in text for word in below) and bool(_BEGINS.search(text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    own = (vendor for vendor, words in _VENDORS if any(word in document.text for word in words))
    findings.format = next(own, "cisco-ios")
    hand_over(findings, ports(document, findings.problem))
