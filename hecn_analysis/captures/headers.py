"""Headers of TCP in frames: Ethernet, 802.1Q, Linux cooked, loopback or raw IP below; IPv4 or IPv6.

All packets of a block are decoded at once, step by step; each step keeps the packets whose bytes for it were captured.
Sources: RFC 791, 8200, 9293, 7323 (window scale, timestamps), 2018 (SACK); https://www.tcpdump.org/linktypes.html.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hecn_analysis.captures.records import Records

Array = np.ndarray[Any, np.dtype[Any]]

FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16
#: Flag beside those of the header, which has eight: the packet carries SACK blocks.
SACKS: Final = 256

#: Columns of `Packets` and their types; each packet takes 49 bytes.
COLUMNS: Final[Mapping[str, str]] = {
    "number": "u4",
    "flow": "u8",
    "time_ns": "i8",
    "seq": "u4",
    "ack": "u4",
    "flags": "u2",
    "window": "u2",
    "payload": "u4",
    "headers": "u2",
    "stamp": "u4",
    "echo": "u4",
}

_ETHERNET: Final = 1
_COOKED, _COOKED_2 = 113, 276
_RAW: Final = (12, 14, 101, 228, 229)
_LOOPBACK: Final = (0, 108)
_TAGS: Final = (0x8100, 0x88A8, 0x9100)
_IPV4, _IPV6 = 0x0800, 0x86DD
_TCP, _UDP, _FRAGMENT = 6, 17, 44
_EXTENSIONS: Final = (0, 43, 44, 60)
_MOST_OPTIONS: Final = 12
_PLACES: Final = ("at", "end", "ip_at", "ip_end", "index")
_LARGEST_PAYLOAD: Final = 1 << 20  # more than BIG TCP makes
_STAMPED: Final = 0x0101080A  # NOP, NOP, timestamps of ten bytes: all that most packets have


@dataclass(frozen=True)
class Handshake:
    """Offer of a packet with SYN: ``mss`` [B] is 0, ``scale`` -1 if the option is missing."""

    flow: int
    mss: int
    scale: int
    sack: bool
    stamps: bool


@dataclass(frozen=True)
class Flow:
    """Ends of a flow, that is of one direction of a connection, as in its first packet."""

    source: bytes
    destination: bytes
    source_port: int
    destination_port: int

    def reverse(self) -> Flow:
        """Return the other direction."""
        return Flow(self.destination, self.source, self.destination_port, self.source_port)


@dataclass(frozen=True)
class Packets:
    """Headers of the TCP packets in a block, and the number of UDP packets.

    ``columns`` are arrays for each of `COLUMNS`: ``number`` of the packet in the capture, ``flow`` (a hash of addresses
    and ports), ``time_ns`` [ns], ``seq``, ``ack``, ``flags``, the unscaled ``window``, ``payload`` [B], ``headers`` of
    IP and TCP [B], ``stamp`` and ``echo`` of the timestamps. ``flows`` are the ends of each flow that carries data,
    ``handshakes`` the offers of packets with SYN whose options were captured, ``back`` the flow of the other direction.
    """

    columns: Mapping[str, Array]
    flows: Mapping[int, Flow]
    handshakes: tuple[Handshake, ...]
    back: Mapping[int, int]
    udp: int


class _Block:
    """Packets of a block to decode: where the next header begins, and where the captured bytes end."""

    def __init__(self, records: Records) -> None:
        self.data = records.data
        self.pairs = np.ndarray((len(self.data) - 1,), ">u2", self.data, strides=(1,))
        self.words = np.ndarray((len(self.data) - 3,), ">u4", self.data, strides=(1,))
        self.at = records.start
        self.end = records.start + records.captured
        self.last = records.start + np.maximum(records.length, records.captured)
        self.index = np.arange(len(records.start))

    def keep(self, chosen: Array) -> None:
        """Keep some packets."""
        if not chosen.all():
            self.at, self.end, self.last = self.at[chosen], self.end[chosen], self.last[chosen]
            self.index = self.index[chosen]

    def has(self, length: int) -> Array:
        """Mark the packets of which so many bytes of the next header were captured."""
        fits: Array = self.at + length <= self.end
        return fits


def packets(records: Records) -> Packets:
    """Decode the headers of a block."""
    block = _Block(records)
    _skip_link(block, records.link_type)
    block.keep(block.has(20))
    version = block.data[block.at] >> 4
    four, six = _Part(block, version == 4), _Part(block, version == 6)
    _ipv4(four)
    _ipv6(six)
    parts = [part for part in (four, six) if len(part.at)]
    udp = sum(part.udp for part in (four, six))
    if not parts:
        empty = {name: np.empty(0, kind) for name, kind in COLUMNS.items()}
        return Packets(empty, {}, (), {}, udp)
    return _tcp(records, parts, udp)


def _skip_link(block: _Block, link_type: int) -> None:
    """Advance to the IP header, and drop packets without one."""
    if link_type == _ETHERNET:
        block.keep(block.has(14))
        kind = block.pairs[block.at + 12]
        block.at = block.at + 14
        for _ in range(2):
            tagged = np.isin(kind, _TAGS) & block.has(4)
            if not tagged.any():
                break
            kind = np.where(tagged, block.pairs[block.at + 2], kind)
            block.at = block.at + 4 * tagged
        block.keep((kind == _IPV4) | (kind == _IPV6))
    elif link_type in {_COOKED, _COOKED_2}:
        at, length = (14, 16) if link_type == _COOKED else (0, 20)
        block.keep(block.has(length))
        kind = block.pairs[block.at + at]
        block.at = block.at + length
        block.keep((kind == _IPV4) | (kind == _IPV6))
    elif link_type in _LOOPBACK:
        block.at = block.at + 4
    elif link_type not in _RAW:
        block.keep(np.zeros(len(block.at), bool))


class _Part:
    """Packets of one version of IP: views of the block, and the fields read of each."""

    def __init__(self, block: _Block, chosen: Array) -> None:
        self.block = block
        self.at, self.end, self.last = block.at[chosen], block.end[chosen], block.last[chosen]
        self.index = block.index[chosen]
        self.ip_at = self.at
        self.ip_end = self.at
        self.udp = 0

    def keep(self, chosen: Array) -> None:
        """Keep some packets."""
        if chosen.all():
            return
        for name in ("at", "end", "last", "index", "ip_at", "ip_end"):
            setattr(self, name, getattr(self, name)[chosen])

    def only_tcp(self, protocol: Array) -> None:
        """Keep TCP packets with a complete header, and count those of UDP."""
        self.udp = int((protocol == _UDP).sum())
        self.keep((protocol == _TCP) & (self.at + 20 <= self.end))


def _ipv4(part: _Part) -> None:
    data, pairs = part.block.data, part.block.pairs
    header = (data[part.at] & 15).astype(np.int64) * 4
    is_first = (pairs[part.at + 6] & 0x1FFF) == 0
    total = pairs[part.at + 2].astype(np.int64)
    # A total length of 0 is that of a segment which the card cuts later, or of more than 64 KiB.
    part.ip_end = np.where(total == 0, part.last, part.at + total)
    part.keep((header >= 20) & is_first)
    protocol = data[part.at + 9]
    part.at = part.at + (data[part.at] & 15).astype(np.int64) * 4
    part.only_tcp(protocol)


def _ipv6(part: _Part) -> None:
    data, pairs = part.block.data, part.block.pairs
    part.keep(part.at + 40 <= part.end)
    total = pairs[part.at + 4].astype(np.int64)
    part.ip_end = np.where(total == 0, part.last, part.at + 40 + total)
    protocol = data[part.at + 6]
    part.at = part.at + 40
    for _ in range(4):
        extended = np.isin(protocol, _EXTENSIONS) & (part.at + 8 <= part.end)
        if not extended.any():
            break
        fragment = protocol == _FRAGMENT
        later = extended & fragment & ((pairs[part.at + 2] & 0xFFF8) != 0)
        length = np.where(fragment, 8, 8 * (data[part.at + 1].astype(np.int64) + 1))
        protocol = np.where(later, 59, np.where(extended, data[part.at], protocol))
        part.at = np.minimum(part.at + length * extended, part.end)
    part.only_tcp(protocol)


@dataclass
class _Segments:
    """Packets of TCP: places of their headers in the block."""

    data: Array
    pairs: Array
    words: Array
    at: Array
    end: Array
    ip_at: Array
    ip_end: Array
    index: Array
    is_six: Array

    @classmethod
    def of(cls, parts: list[_Part]) -> _Segments:
        """Join both versions of IP in the order of the capture, without impossible headers."""
        block = parts[0].block
        arrays = [np.concatenate([getattr(part, name) for part in parts]) for name in _PLACES]
        is_six = np.repeat([block.data[part.ip_at[0]] >> 4 == 6 for part in parts], [len(part.at) for part in parts])
        at, ip_end, index = arrays[0], arrays[3], arrays[4]
        offset = (block.data[at + 12] >> 4).astype(np.int64) * 4
        chosen = np.flatnonzero((offset >= 20) & (ip_end >= at + offset))
        if len(parts) > 1:
            chosen = chosen[np.argsort(index[chosen], kind="stable")]
        if len(chosen) < len(at) or len(parts) > 1:
            arrays, is_six = [array[chosen] for array in arrays], is_six[chosen]
        at, end, ip_at, ip_end, index = arrays
        return cls(block.data, block.pairs, block.words, at, end, ip_at, ip_end, index, is_six)


def _tcp(records: Records, parts: list[_Part], udp: int) -> Packets:
    segments = _Segments.of(parts)
    at = segments.at
    offset = (segments.data[at + 12] >> 4).astype(np.int64) * 4
    flags = segments.data[at + 13].astype(np.uint16)
    is_whole = at + offset <= segments.end
    segments.end = np.minimum(at + offset, segments.end)
    stamp, echo, offers = _options(segments, flags, is_whole)
    flow, back = _flows(segments)
    columns = {
        "number": records.numbers[segments.index],
        "flow": flow,
        "time_ns": records.time_ns[segments.index],
        "seq": segments.words[at + 4],
        "ack": segments.words[at + 8],
        "flags": flags,
        "window": segments.pairs[at + 14],
        "payload": np.clip(segments.ip_end - at - offset, 0, _LARGEST_PAYLOAD),
        "headers": at + offset - segments.ip_at,
        "stamp": stamp,
        "echo": echo,
    }
    ends, other = _ends(segments, flow, back, columns["payload"] > 0)
    handshakes = tuple(
        Handshake(int(flow[place]), mss, scale, is_sack, is_stamped)
        for place, mss, scale, is_sack, is_stamped in offers
    )
    return Packets({name: columns[name].astype(kind) for name, kind in COLUMNS.items()}, ends, handshakes, other, udp)


def _mixed(value: Array) -> Array:
    """Mix the bits of words of 64 bits (the finaliser of SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = value ^ (value >> np.uint64(31))
    return mixed


def _flows(segments: _Segments) -> tuple[Array, Array]:
    """Number the flow of each packet and that of the other direction, by a hash of addresses and ports."""
    words, ip_at, at, is_six = segments.words, segments.ip_at, segments.at, segments.is_six
    source = words[ip_at + 12].astype(np.uint64)
    destination = words[ip_at + 16].astype(np.uint64)
    if is_six.any():
        six = ip_at[is_six]
        for first, address in ((8, source), (24, destination)):
            value = np.full(len(six), 6, np.uint64)
            for word in range(4):
                value = _mixed((value << np.uint64(7)) ^ words[six + first + 4 * word].astype(np.uint64))
            address[is_six] = value
    ports = words[at].astype(np.uint64)
    sending = _mixed(source ^ ((ports >> np.uint64(16)) << np.uint64(40)))
    receiving = _mixed(destination ^ ((ports & np.uint64(0xFFFF)) << np.uint64(40)))
    three = np.uint64(3)
    return _mixed(sending * three + receiving), _mixed(receiving * three + sending)


def _ends(segments: _Segments, flow: Array, back: Array, loaded: Array) -> tuple[dict[int, Flow], dict[int, int]]:
    """Read addresses and ports of the first packet with data of each flow."""
    ends, other = {}, {}
    keys, firsts = np.unique(flow[loaded], return_index=True)
    for key, first in zip(keys.tolist(), np.flatnonzero(loaded)[firsts].tolist(), strict=True):
        ip_at, at = int(segments.ip_at[first]), int(segments.at[first])
        start, length = (ip_at + 8, 16) if segments.is_six[first] else (ip_at + 12, 4)
        source, destination = (segments.data[start + n * length : start + (n + 1) * length].tobytes() for n in (0, 1))
        ports = int(segments.pairs[at]), int(segments.pairs[at + 2])
        ends[key] = Flow(source, destination, *ports)
        other[key] = int(back[first])
    return ends, other


def _options(
    segments: _Segments, flags: Array, is_whole: Array
) -> tuple[Array, Array, list[tuple[int, int, int, bool, bool]]]:
    """Read timestamps, SACK blocks (into the flags) and, of packets with SYN that were not cut, what they offer."""
    data, words, at, end = segments.data, segments.words, segments.at, segments.end
    stamp, echo = np.zeros(len(at), np.uint32), np.zeros(len(at), np.uint32)
    plain = (end - at == 32) & (words[at + 20] == _STAMPED)
    stamp[plain], echo[plain] = words[at[plain] + 24], words[at[plain] + 28]
    left = np.flatnonzero(~plain & (end - at > 20))
    place = at[left] + 20
    mss: dict[int, int] = {}
    scale: dict[int, int] = {}
    sack: set[int] = set()
    stamped: set[int] = set()
    for _ in range(_MOST_OPTIONS):
        going = place < end[left]
        left, place = left[going], place[going]
        if not len(left):
            break
        kind = data[place]
        length = np.where(kind == 1, 1, data[place + 1].astype(np.int64))
        good = (kind != 0) & (length >= 1) & ((kind == 1) | (length >= 2)) & (place + length <= end[left])
        left, place, kind, length = left[good], place[good], kind[good], length[good]
        timed = (kind == 8) & (length == 10)
        stamp[left[timed]], echo[left[timed]] = words[place[timed] + 2], words[place[timed] + 6]
        flags[left[(kind == 5) & (length >= 10)]] |= SACKS
        opening = np.flatnonzero((flags[left] & SYN) != 0)
        for packet, what, where in zip(
            left[opening].tolist(), kind[opening].tolist(), place[opening].tolist(), strict=True
        ):
            if what == 2:
                mss[packet] = int(segments.pairs[where + 2])
            elif what == 3:
                scale[packet] = min(int(data[where + 2]), 14)
            elif what == 4:
                sack.add(packet)
            elif what == 8:
                stamped.add(packet)
        place = place + length
    opened = np.flatnonzero(((flags & SYN) != 0) & is_whole).tolist()
    return (
        stamp,
        echo,
        [(packet, mss.get(packet, 0), scale.get(packet, -1), packet in sack, packet in stamped) for packet in opened],
    )
