"""``show interfaces all`` and ``show interface`` of Check Point Gaia.

Versions: Gaia R75 to R82.

Units and traps
---------------
- Counters are those of the Linux kernel beneath: a large segment (TSO, GRO) counts once. "errors" and "dropped" are
  those of `ip_link`; overruns are parts of the dropped or the errors.
- "speed 1000M (eth1)" of a VLAN is that of its port.
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

FORMATS: Final = ("checkpoint-gaia",)
VERSIONS: Final = "Gaia R75 to R82"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^Interface (?P<interface>[\w.:-]{1,32})\s{0,8}\n {1,8}(?:state (?:on|off)|mac-addr|type)\b", re.MULTILINE
)
_COUNTS: Final = (
    (
        "TX bytes:",
        (
            r"TX bytes:(?P<out_octets>#) packets:(?P<out_packets>#) errors:(?P<out_errors>#) "
            r"dropped:(?P<out_discards>#)"
        ),
    ),
    (
        "RX bytes:",
        (
            r"RX bytes:(?P<in_octets>#) packets:(?P<in_packets>#) errors:(?P<in_errors>#) "
            r"dropped:(?P<in_discards>#)"
        ),
    ),
)
_WORDS: Final = (
    ("link-state", r"^ {1,8}link-state (?P<state>link up|link down|up|down)"),
    ("mtu ", r"^ {1,8}mtu (?P<mtu>\d{2,6})"),
    ("speed ", r"^ {1,8}speed (?P<speed>\d{1,7})(?P<speed_unit>[MG])"),
    ("duplex ", r"^ {1,8}duplex (?P<duplex>full|half)"),
    ("mac-addr", r"^ {1,8}mac-addr (?P<mac>[0-9a-fA-F:]{17})"),
    ("comments ", r"^ {1,8}comments (?P<description>\S[^\n]{0,240})"),
)  # fmt: skip
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS), is_indented=False)


def recognises(document: Document) -> bool:
    """Whether the first lines of an interface are in the file."""
    return "mac-addr" in document.text and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "checkpoint-gaia"
    hand_over(findings, ports(document, findings.problem))
