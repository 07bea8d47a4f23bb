"""``get system interface physical`` and ``get hardware nic`` (``diagnose hardware deviceinfo nic``) of FortiGate.

Versions: FortiOS 5.6 to 7.4.

Units and traps
---------------
- ``get system interface physical`` has speed and duplex, and no counters: they are missing, not 0.
- "Speed :1000" of a network processor (NP) is in Mbit/s. Its counters "Rx Pkts" and "Rx Bytes" are those of the port;
  "Host Rx Pkts" are what reached the processor, and are left out.
- "speed: n/a" and "Speed :0" say nothing.
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

FORMATS: Final = ("fortios",)
VERSIONS: Final = "FortiOS 5.6 to 7.4"
WHOLE: Final = False

_BEGINS: Final = re.compile(
    r"^\s{0,8}==\s?\[(?P<interface>[\w.:/ -]{1,32})\]\s{0,4}\n\s{1,16}mode: ?"
    r"|^(?:Name|System_Device_Name|Netdev Name) {0,20}:? ?(?P<physical>[\w.-]{1,32})\s{0,4}\n",
    re.MULTILINE,
)
_COUNTS: Final = (
    ("Rx Pkts", r"^(?:Host )?Rx Pkts {1,20}:#"),
    ("Tx Pkts", r"^(?:Host )?Tx Pkts {1,20}:#"),
)
_WORDS: Final = (
    ("status: ", r"^\s{1,16}status: (?P<state>up|down)"),
    ("speed: ", r"^\s{1,16}speed: (?P<speed>\d{1,7})(?P<speed_unit>[MG]bps) \(Duplex: (?P<duplex>full|half)\)"),
    ("Rx ", r"^Rx(?: Pkts {1,20}:|_Packets[ =]{1,20})(?P<in_packets>#)"),
    ("Tx ", r"^Tx(?: Pkts {1,20}:|_Packets[ =]{1,20})(?P<out_packets>#)"),
    ("Rx ", r"^Rx(?: Bytes {1,20}:|_Bytes[ =]{1,20})(?P<in_octets>#)"),
    ("Tx ", r"^Tx(?: Bytes {1,20}:|_Bytes[ =]{1,20})(?P<out_octets>#)"),
    ("Speed", r"^Speed {1,20}:?(?P<speed_mbit>\d{1,7})(?!\w)"),
    ("Duplex", r"^Duplex {1,20}:?(?P<duplex>[Ff]ull|[Hh]alf)"),
    ("link_status", r"^link_status {1,20}:(?P<state>Up|Down)"),
    ("Current_HWaddr", r"^Current_HWaddr {1,20}(?P<mac>[0-9a-fA-F:]{17})"),
)
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS), is_indented=False)


def recognises(document: Document) -> bool:
    """Whether the first lines of an interface are in the file."""
    return ("==[" in document.text or "== [" in document.text or "HWaddr" in document.text) and bool(
        _BEGINS.search(document.text)
    )


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "fortios"
    hand_over(findings, ports(document, findings.problem))
