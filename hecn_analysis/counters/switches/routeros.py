"""Interfaces of MikroTik RouterOS: ``print detail``, ``print stats-detail``, and one port of the monitors.

The monitors are ``ethernet monitor`` and ``monitor-traffic``.

Versions: RouterOS 6 and 7.

Units and traps
---------------
- Digits are grouped by blanks: "rx-byte=205 164 277" is one number.
- Counters "fp-rx-byte" are those of FastPath, which the others include; they are left out.
- ``print stats`` without ``-detail`` is left out: its columns run together where numbers are long.
- "tx-drop" and "tx-queue-drop" together are `out_discards`.
- "R" among the flags is a port that runs; a comment (";;;") stands between the flags and the name in some versions.
- ``monitor-traffic`` of several ports, or of all one after another, is a problem. "aggregate" is the sum of all ports.
- Times that the output names are those of the link, not of the reading: the time is missing.
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

FORMATS: Final = ("routeros",)
VERSIONS: Final = "RouterOS 6 and 7"
WHOLE: Final = False

_G: Final = r"(?:\d{1,3}(?: \d{3}){0,6}|\d{4,20})(?= {0,9}(?:[a-z]|$))"
_BEGINS: Final = re.compile(
    r'^ {0,3}(?:\d{1,4} {1,4}(?P<flags>[A-Z ]{0,8}?) {0,4}| {2,16})name="(?P<interface>[^"\n]{1,64})"'
    r"|^ {2,40}name: (?P<physical>[\w./-]{1,64})\s{0,4}\n"
    r" {2,40}(?:status: (?P<state>link-ok|no-link)|rx-packets-per-second:)"
    r"|^\[[\w.@-]{1,80}\] >\s{1,4}/?interface[ /]monitor-traffic (?P<logical>[\w./-]{1,64})(?=\s)",
    re.MULTILINE,
)
_COUNTS: Final = tuple(
    (f" {word}=", rf" {word}=(?P<{name}>{_G})")
    for word, name in (
        *(("rx-bytes", "in_octets"), ("tx-bytes", "out_octets")),  # of an Ethernet port, whose driver counts fewer
        *(
            ("rx-byte", "in_octets"),
            ("tx-byte", "out_octets"),
            ("rx-packet", "in_packets"),
            ("tx-packet", "out_packets"),
        ),
        *(("rx-error", "in_errors"), ("tx-error", "out_errors"), ("rx-drop", "in_discards"), ("tx-drop", "out_drops")),
        ("tx-queue-drop", "out_queue_drops"),
    )
) + tuple(
    (
        f" {way}-bits-per-second:",
        rf" {way}-bits-per-second: {{1,16}}(?P<{name}>\d{{1,12}}(?:\.\d{{1,3}})?)(?P<rate_unit>[kMG]?bps)\s*$",
    )
    for way, name in (("rx", "in_rate"), ("tx", "out_rate"))
)
_WORDS: Final = (
    ("mtu=", r" mtu=(?P<mtu>\d{2,6})"),
    ("mac-address=", r" mac-address=(?P<mac>[0-9A-F:]{17})"),
    ("rate: ", r"^ {2,40}rate: (?P<speed>\d{1,6}(?:\.\d)?)(?P<speed_unit>[MG]bps)"),
    ("full-duplex: ", r"^ {2,40}full-duplex: (?P<duplex>yes|no)"),
)
_KEYS: Final = ("mtu=", "rx-byte=", "auto-negotiation:", "rx-bits-per-second:")
_LAYOUT: Final = Layout(_BEGINS, compiled(_COUNTS), compiled(_WORDS), is_indented=False)


def recognises(document: Document) -> bool:
    """Whether the first line of an interface is in the file."""
    return any(map(document.text.__contains__, _KEYS)) and bool(_BEGINS.search(document.text))


def ports(document: Document, problem: Problem) -> list[Port]:
    """Read the ports of a file."""
    return list(stanzas.ports(document, _LAYOUT, problem))


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "routeros"
    hand_over(findings, ports(document, findings.problem))
