"""The connections of a capture: packets of all blocks joined, and the directions that carry most data."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hecn_analysis.captures.headers import COLUMNS, Flow, Handshake, Packets, packets
from hecn_analysis.captures.records import Damage, records

Array = np.ndarray[Any, np.dtype[Any]]

#: Packets of TCP of which the headers are kept. To keep and analyse one takes some 210 bytes, thus 2.6 GB at most.
MOST_PACKETS: Final = 12_000_000
_MOST_FLOWS: Final = 1 << 18
_NO_FLOW: Final = -1


@dataclass
class Headers:
    """Headers of the TCP packets in a capture.

    ``columns`` are those of `hecn_analysis.captures.headers.Packets`, but ``flow`` counts the flows from 0; -1 for
    those without data in either direction. ``flows``, ``back`` and ``handshakes`` are the ends of each flow, the flow
    of the other direction, and the first offer of each. ``n_packets`` and ``n_udp`` count packets of IP and UDP.
    """

    columns: Mapping[str, Array]
    flows: list[Flow] = field(default_factory=list)
    back: list[int] = field(default_factory=list)
    handshakes: dict[int, Handshake] = field(default_factory=dict)
    n_packets: int = 0
    n_udp: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def n_tcp(self) -> int:
        """Number of TCP packets with known headers."""
        return len(self.columns["number"])

    @property
    def n_connections(self) -> int:
        """Number of connections with data in at least one direction."""
        return len({frozenset((number, back)) for number, back in enumerate(self.back)})


class _Collector:
    """Joins the packets of blocks."""

    def __init__(self) -> None:
        self._blocks: dict[str, list[Array]] = {name: [] for name in COLUMNS}
        self._ends: dict[int, Flow] = {}
        self._back: dict[int, int] = {}
        self._offers: dict[int, Handshake] = {}
        self._kept = 0
        self._is_full = False
        self.n_packets = self.n_udp = 0
        self.problems: list[tuple[str, str]] = []

    def add(self, block: Packets) -> None:
        """Add the packets of a block, as long as there is room."""
        self.n_udp += block.udp
        count = len(block.columns["number"])
        if self._is_full or self._kept + count > MOST_PACKETS:
            if not self._is_full:
                self._is_full = True
                message = f"found more than {MOST_PACKETS} packets of TCP, expected at most that; the rest is left out"
                self.problems.append(("truncated", message))
            return
        self._kept += count
        for name, column in block.columns.items():
            self._blocks[name].append(column)
        for flow, ends in block.flows.items():
            if flow not in self._ends and len(self._ends) < _MOST_FLOWS:
                self._ends[flow], self._back[flow] = ends, block.back[flow]
        for offer in block.handshakes:
            if len(self._offers) < 4 * _MOST_FLOWS:
                self._offers.setdefault(offer.flow, offer)

    def headers(self) -> Headers:
        """Return all headers; flows are numbered by their first packet with data."""
        other = {back: key for key, back in self._back.items()} | self._back
        keys = [*self._ends, *(key for key in other if key not in self._ends)]
        index = {key: number for number, key in enumerate(keys)}
        columns = {name: self._column(name, index) for name in COLUMNS}
        flows = [self._ends.get(key) or self._ends[other[key]].reverse() for key in keys]
        back = [index[other[key]] for key in keys]
        handshakes = {index[key]: offer for key, offer in self._offers.items() if key in index}
        return Headers(columns, flows, back, handshakes, self.n_packets, self.n_udp, self.problems)

    def _column(self, name: str, index: Mapping[int, int]) -> Array:
        """Join a column, and release its parts."""
        parts = self._blocks.pop(name)
        if name == "flow":
            keys = np.sort(np.array(list(index), np.uint64))
            numbers = np.array([index[key] for key in keys.tolist()], np.int32)
            return np.concatenate([np.empty(0, np.int32), *(_numbered(part, keys, numbers) for part in parts)])
        return np.concatenate([np.empty(0, COLUMNS[name]), *parts])


def _numbered(flows: Array, keys: Array, numbers: Array) -> Array:
    """Number the flows of packets."""
    if not len(keys):
        return np.full(len(flows), _NO_FLOW, np.int32)
    place = np.minimum(np.searchsorted(keys, flows), len(keys) - 1)
    return np.where(keys[place] == flows, numbers[place], np.int32(_NO_FLOW))


def read_headers(pieces: Iterator[bytes]) -> Headers:
    """Read the headers of TCP in a capture."""
    collector = _Collector()
    for part in records(pieces):
        if isinstance(part, Damage):
            collector.problems.append((part.kind, part.message))
        else:
            collector.n_packets += len(part.start)
            collector.add(packets(part))
    return collector.headers()


def address(ends: Flow) -> str:
    """Write the ends of a flow, as tcpdump does."""
    pairs = ((ends.source, ends.source_port), (ends.destination, ends.destination_port))
    return " > ".join(
        f"[{ipaddress.IPv6Address(host)}]:{port}" if len(host) == 16 else f"{ipaddress.IPv4Address(host)}:{port}"
        for host, port in pairs
    )
