"""Counters of the host's protocols: ``nstat``, ``nstat -j`` and ``netstat -s`` of Linux, named as in /proc/net/snmp.

Versions: iproute2 2.6 to 6, net-tools 1.60 to 2.10 in English.

Units and traps
---------------
- nstat counts since its last call by the same user, with ``-a`` since the start of the host; nothing printed tells
  which. Its last column is a rate of a daemon that hardly anybody runs: left. Counters that are 0 are not printed.
- netstat prints sentences, of which those that bear on loss and buffers are taken, and counters without a sentence
  ("TCPLostRetransmit: 12"). Old versions write "retransmited" and "send out".
- There are no interfaces and no times: all counters are facts, by protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.kernel.proc_net import snake_case
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter

FORMATS: Final = ("nstat", "netstat-s")
VERSIONS: Final = "iproute2 2.6 to 6, net-tools 1.60 to 2.10"
WHOLE: Final = False

_NAME: Final = (
    r"(?P<protocol>(?:MPTcp|Tcp|Ip)Ext|UdpLite6?|IcmpMsg|(?:Ip|Icmp|Udp)6|Ip|Icmp|Tcp|Udp)(?P<name>[A-Z]\w{1,60})"
)
_NSTAT: Final = re.compile(
    rf"^{_NAME}[ \t]{{1,60}}(?P<value>\d{{1,20}})[ \t]{{1,40}}-?\d{{1,20}}\.\d{{1,6}}[ \t]*$", re.MULTILINE
)
_JSON: Final = re.compile(rf'"{_NAME}"\s{{0,4}}:\s{{0,4}}(?P<value>\d{{1,20}})\b')
_SECTION: Final = re.compile(r"(?P<protocol>Ip|Icmp|IcmpMsg|Tcp|Udp|UdpLite|TcpExt|IpExt|MPTcpExt|Ip6|Icmp6|Udp6):\s*$")
_PLAIN: Final = re.compile(r"\s{1,8}(?P<name>[A-Z]\w{2,60}): (?P<value>\d{1,20})\s*$")
_SENTENCE: Final = re.compile(r"\s{1,8}(?P<value>\d{1,20}) (?P<words>[a-zA-Z].{2,80}?)\s*$")
_STATISTICS: Final = re.compile(
    r"^(?:Tcp|Udp|Ip):[ \t]*\n[ \t]{1,8}(?:\d{1,20} [a-zA-Z]|[A-Z]\w{2,60}: \d)", re.MULTILINE
)
_SENTENCES: Final = {
    "segments received": ("Tcp", "in_segs"),
    "segments sent out": ("Tcp", "out_segs"),
    "segments send out": ("Tcp", "out_segs"),
    "segments retransmitted": ("Tcp", "retrans_segs"),
    "segments retransmited": ("Tcp", "retrans_segs"),
    "bad segments received": ("Tcp", "in_errs"),
    "bad segments received.": ("Tcp", "in_errs"),
    "packets received": ("Udp", "in_datagrams"),
    "packets sent": ("Udp", "out_datagrams"),
    "packet receive errors": ("Udp", "in_errors"),
    "receive buffer errors": ("Udp", "rcvbuf_errors"),
    "send buffer errors": ("Udp", "sndbuf_errors"),
    "times the listen queue of a socket overflowed": ("TcpExt", "listen_overflows"),
    "SYNs to LISTEN sockets dropped": ("TcpExt", "listen_drops"),
    "SYNs to LISTEN sockets ignored": ("TcpExt", "listen_drops"),
    "fast retransmits": ("TcpExt", "tcp_fast_retrans"),
    "packets collapsed in receive queue due to low socket buffer": ("TcpExt", "tcp_rcv_collapsed"),
    "packets pruned from receive queue because of socket buffer overrun": ("TcpExt", "prune_called"),
}  # as statistics.c of net-tools prints the counters of /proc/net/snmp and /proc/net/netstat


def recognises(document: Document) -> bool:
    """Whether a row of nstat or a section of netstat is in the file."""
    text = document.text
    return bool(_NSTAT.search(text) or ('"kernel"' in text[:200] and _JSON.search(text)) or _STATISTICS.search(text))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of each protocol; the first of each name counts."""
    text = document.text
    is_sentences = _STATISTICS.search(text) is not None
    findings.format = "netstat-s" if is_sentences else "nstat"
    pattern = _NSTAT if _NSTAT.search(text) else _JSON
    counts = (
        _sections(document)
        if is_sentences
        else ((m["protocol"], snake_case(m["name"]), m["value"]) for m in pattern.finditer(text))
    )
    protocols: dict[str, dict[str, int | None]] = {}
    for protocol, name, value in counts:
        protocols.setdefault(snake_case(protocol), {}).setdefault(name, counter(value))
    findings.facts.update(protocols)


def _sections(document: Document) -> Iterator[tuple[str, str, str]]:
    protocol = ""
    for line in document.lines:
        if section := _SECTION.match(line):
            protocol = section["protocol"]
        elif line.strip() and not line[0].isspace():
            protocol = ""
        elif protocol and (match := _PLAIN.match(line)):
            yield protocol, snake_case(match["name"]), match["value"]
        elif protocol and (match := _SENTENCE.match(line)):
            known = _SENTENCES.get(match["words"])
            if known is not None and known[0] == protocol:
                yield protocol, known[1], match["value"]
