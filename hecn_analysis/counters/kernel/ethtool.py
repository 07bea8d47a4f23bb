"""What ``ethtool -S`` prints: a driver's own counters of one interface, whatever it calls them.

Versions: any; names of virtio_net, veth, e1000e, igb, ixgbe, i40e, ice, mlx4, mlx5, bnx2, bnx2x, bnxt, tg3, ena, gve,
hv_netvsc, vmxnet3, cxgb4, sfc, enic, be2net, qede, stmmac and others.

Units and traps
---------------
- All counters are facts. The totals that make a sample are taken from the first of these that the driver has: the
  totals of the interface ("rx_bytes", "rx_octets" …), those of the port ("port.rx_bytes", "rx_bytes_phy", with FCS),
  the sum over its queues ("rx_queue_0_bytes", "rx0_bytes", "rx-0.bytes", "[0]: rx_ucast_bytes" …).
- virtio_net of some kernels and others count no octets at all: they are missing, not 0.
- The name of the interface is not printed: it is known where the command line stands above. No time is printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import width
from hecn_analysis.files.documents import Document

FORMATS: Final = ("ethtool-S",)
VERSIONS: Final = "ethtool 2 to 6, the names of some twenty drivers"
WHOLE: Final = False

_HEADING: Final = re.compile(r"^\s{0,8}(?:NIC statistics|Statistics for (?P<name>\S{1,32})):?\s*$", re.MULTILINE)
_COUNTER: Final = re.compile(r"^(?P<indent>\s*)(?P<name>\S.{0,80}?)\s*: (?P<value>-?\d{1,20})\s*$")
_COMMAND: Final = re.compile(r"\bethtool\s+(?:-S|--statistics)\s+(?P<name>[\w.:@-]{1,32})")
_OCTETS: Final = re.compile(r"^(?!.*xdp).*(?:octet|byte)", re.IGNORECASE)

_TOTALS: Final[Mapping[str, Sequence[str]]] = {
    "octets": ("{w}_bytes", "{w}_octets", "{w}_total_bytes", "{w}_bytes_ok", "{w}_octets_ok", "{w}_byte_count",
               "port.{w}_bytes", "{w}_bytes_nic", "{w}_bytes_phy", "port_{w}_bytes", "mac_{w}_octets",
               "{w}_octets_all", "{W}OctetsOk", "good_octets_{r}", "mmc_{w}_octetcount_gb"),
    "packets": ("{w}_packets", "{w}_frames", "{w}_total_packets", "{w}_frames_ok", "{w}_total_frames",
                "port.{w}_packets", "{w}_pkts_nic", "{w}_packets_phy", "port_{w}_packets", "mac_{w}_frames",
                "{W}FramesOk", "good_frames_{r}", "mmc_{w}_framecount_gb"),
    "errors": ("{w}_errors", "{w}_total_errors", "port.{w}_errors", "{w}_errors_phy", "port_{w}_errors"),
    "discards": ("{w}_dropped", "{w}_drops", "{w}_discards", "{w}_total_discard_pkts", "port.{w}_dropped",
                 "{w}_discards_phy"),
}  # fmt: skip
_PARTS: Final[Mapping[str, Sequence[str]]] = {
    "octets": (r"{w}_queue_\d+_bytes|queue_\d+_{w}_bytes", r"{w}\d+_bytes", r"{w}-\d+\.(?:{w}_)?bytes",
               r"\[\d+\]: {w}_[umb]cast_bytes", r"{w}_(?:uc|mc|bc)_bytes", r"{w}_(?:ucast|mcast|bcast)_bytes",
               r"{w}_bytes\[\d+\]", r"(?:ucast|mcast|bcast) bytes {w}", r"\[\d+\]: {w}_bytes",
               r"{w}_?q-?\d+(?:_|: {w}_)bytes"),
    "packets": (r"{w}_queue_\d+_packets|queue_\d+_{w}_cnt", r"{w}\d+_packets", r"{w}-\d+\.(?:{w}_)?packets",
                r"\[\d+\]: {w}_[umb]cast_packets", r"{w}_(?:ucast|mcast|bcast)_(?:packets|frames|pkts)",
                r"{w}_(?:unicast|multicast|broadcast)", r"{w}_packets\[\d+\]", r"(?:ucast|mcast|bcast) pkts {w}",
                r"{w}_?q-?\d+(?:_|: {w}_)p(?:ac)?kts"),
}  # fmt: skip


def recognises(document: Document) -> bool:
    """Whether the heading and a counter below it are in the file."""
    return bool(
        re.search(
            r"^\s{0,8}(?:NIC statistics|Statistics for \S{1,32}):?[^\S\n]*+\n[^\S\n]*+\S.{0,80}: -?\d",
            document.text,
            re.MULTILINE,
        )
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of all interfaces in the file."""
    findings.format = "ethtool-S"
    blocks: list[tuple[int, str | None, dict[str, int]]] = []
    names: list[str] = []
    name: str | None = None
    inside = False
    for number, line in enumerate(document.lines, 1):
        if commands := _COMMAND.findall(line):
            names = commands
        if heading := _HEADING.match(line):
            name = names.pop(0) if names else None
            blocks.append((number, heading["name"] or name, {}))
            inside = True
        elif blocks and (match := _COUNTER.match(line)) and (inside or match["indent"]):
            blocks[-1][2].setdefault(match["name"], int(match["value"]))
        else:
            inside = False  # rows that lost their indentation end here
    for first, interface, counters in blocks:
        row = totals(counters)
        if row:
            findings.sample(line=first, interface=interface, counter_bits=width(row), **row)
        else:
            findings.interface(interface=interface)
            if unknown := next(filter(_OCTETS.search, counters), None):
                said = f"found {unknown!r}, expected a total of the interface, such as 'rx_bytes'; no sample made"
                findings.problem(first, "unrecognised", said)
    findings.facts.update(counters=blocks[0][2], n_counters=len(blocks[0][2]))
    row = totals(blocks[0][2])
    findings.facts.update({key: row.get(key) for key in ("in_octets", "out_octets", "in_packets", "out_packets")})


def totals(counters: Mapping[str, int]) -> dict[str, Any]:
    """Counters of an interface from those of its driver; absent if the driver does not count them."""
    row = {}
    for way, short, received in (("in", "rx", "received"), ("out", "tx", "sent")):
        for what, names in _TOTALS.items():
            given = [name.format(w=short, W=short.capitalize(), r=received) for name in names]
            value = next((counters[name] for name in given if name in counters), None)
            if value is None:
                value = _sum(counters, short, _PARTS.get(what, ()))
            if value is not None and value >= 0:
                row[f"{way}_{what}"] = value
    return row


def _sum(counters: Mapping[str, int], way: str, patterns: Sequence[str]) -> int | None:
    """Sum of the counters that match the first matching pattern; of queues if both are counted."""
    for text in patterns:
        pattern = re.compile(text.replace("{w}", way), re.IGNORECASE)
        counts = [value for name, value in counters.items() if pattern.fullmatch(name)]
        if counts:
            return sum(counts)
    return None
