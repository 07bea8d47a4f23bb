"""``show interface`` of the firewalls Cisco ASA and Firepower (FTD), with and without ``detail``.

Versions: ASA 8 to 9.

Units and traps
---------------
- Octets and packets are those of the hardware, where it counts them; those of "Traffic Statistics" (what the firewall
  handled, without the Ethernet header) count only for interfaces without counters of the hardware.
- Rates are bytes per second of "Traffic Statistics": those of a minute.
- "BW" is the nominal rate of the hardware; the speed of the line stands beside the duplex, in brackets.
- "packets dropped" by rules are no errors of the port; they are left out.
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

FORMATS: Final = ("cisco-asa",)
VERSIONS: Final = "ASA 8 to 9, FTD 6 and 7"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r'^Interface (?P<interface>[A-Za-z][\w/.:-]{0,60}) "(?P<description>[^"\n]{0,80})", is (?P<state>[a-z]{2,20}'
    r"(?: down)?)[^\n]{0,40}?, line protocol is (?P<protocol>[a-z]{2,20})",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("packets input,", r"(?P<in_packets>#) packets input, {1,4}(?P<in_octets>#) bytes"),
    ("packets output,", r"(?P<out_packets>#) packets output, {1,4}(?P<out_octets>#) bytes"),
    ("input errors,", r"(?P<in_errors>#) input errors, (?P<crc_errors>#) CRC"),
    ("output errors,", r"(?P<out_errors>#) output errors, (?P<collisions>#) collisions"),
    (" late collisions", r"(?P<late_collisions>#) late collisions"),
)
_WORDS: Final = (
    ("put rate ", (r"(?P<window>1) (?P<window_unit>minute) (?P<way>input|output) rate # pkts/sec, {1,4}"
     r"(?P<rate>\d{1,20}) (?P<rate_unit>bytes/sec)")),
    ("MTU ", r"MTU (?P<mtu>\d{2,6})\b"),
    ("MAC address", r"MAC address (?P<mac>[0-9a-f.]{14})"),
    ("BW ", r"Hardware is (?P<hardware>[^,\n]{1,60}), BW (?P<bandwidth>\d{1,7}) (?P<bandwidth_unit>[MG]bps)"),
    ("uplex(", r"(?P<duplex_configured>Full|Half|Auto)-[Dd]uplex\((?P<duplex>[Ff]ull|[Hh]alf)"),
    ("(", r"^\s{1,9}\((?P<duplex>Full|Half)-duplex\)"),
    ("(", r"\), (?P<speed_configured>[\w -]{0,20})\((?P<speed>\d{1,7}) ?(?P<speed_unit>[MGmg]bps)\)"),
    ("-Duplex, Auto", r"(?P<duplex>Auto|Full|Half)-Duplex, Auto-Speed"),
    ("Description:", r"^\s{1,9}Description: (?P<description>[^\n]{1,240})"),
)  # fmt: skip
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS))


def recognises(document: Document) -> bool:
    """Whether the first line of an interface is in the file."""
    return ", line protocol is" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "cisco-asa"
    hand_over(findings, ports(document, findings.problem))
