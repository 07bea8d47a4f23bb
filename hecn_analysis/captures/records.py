"""Records of a packet capture: pcap of either byte order with micro- or nanoseconds, and pcapng.

Formats: IETF drafts draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. pcapng is read in part: sections, interfaces
with their link type and clock, enhanced, simple and obsolete packet blocks. Records are walked one after another, as
each holds its length; all else is done on arrays, a block of the file at a time. A truncated capture yields the records
before its end.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hecn_analysis.base.units import format_bytes
from hecn_analysis.files.capture_forms import ORDERS, PCAP, SECTION, Order, capture_form

Array = np.ndarray[Any, np.dtype[Any]]

#: Bytes of zeros after each block, so that headers can be gathered without asking where it ends. [B]
MARGIN: Final = 1024
_BLOCK: Final = 8 << 20
_LONGEST: Final = 1 << 24  # captures hold packets of 64 KiB, of 512 KiB with BIG TCP
_INTERFACE, _OBSOLETE, _SIMPLE, _ENHANCED = 1, 2, 3, 6
_MOST_INTERFACES: Final = 4096


@dataclass(frozen=True)
class Records:
    """Records of one link type in a part of the file.

    ``data`` are bytes of the file, with `MARGIN` zeros after them; ``link_type`` is as in
    https://www.tcpdump.org/linktypes.html. ``start``, ``captured`` and ``length`` are the place of each frame in
    ``data``, its captured bytes and its bytes on the line [B]; ``time_ns`` the time of the capture since 1970, 0 if
    unknown [ns]; ``numbers`` count from 1.
    """

    data: Array
    link_type: int
    start: Array
    captured: Array
    length: Array
    time_ns: Array
    numbers: Array


@dataclass(frozen=True)
class Damage:
    """Why the rest is left out: a kind of the table of problems, and a message."""

    kind: str
    message: str


@dataclass(frozen=True)
class _Interface:
    """Link type of an interface, and the scale of its clock: ns = ticks × numerator ÷ denominator + offset."""

    link_type: int
    numerator: int
    denominator: int
    offset_ns: int


def records(pieces: Iterator[bytes]) -> Iterator[Records | Damage]:
    """Yield the records of a capture, a block of the file at a time."""
    rest, ended = b"", False
    walk: _Pcap | _Pcapng | None = None
    while not ended:
        parts, size = [rest], len(rest)
        while size < len(rest) + _BLOCK:
            piece = next(pieces, None)
            if piece is None:
                ended = True
                break
            parts.append(piece)
            size += len(piece)
        data = b"".join([*parts, bytes(MARGIN)])
        if walk is None:
            if size < 24 or capture_form(data) is None:
                yield Damage("truncated", f"found {size} bytes, expected a packet capture with its header")
                return
            walk = _Pcapng() if data[:4] == SECTION else _Pcap(data)
        yield from walk.block(data, size)
        if walk.damage is not None:
            yield walk.damage
            return
        rest = data[walk.at : size]
        walk.at = 0
    if rest:
        cut = f"found {len(rest)} bytes of a packet at the end of the capture, expected all of it; it is left out"
        yield Damage("truncated", cut)


class _Pcap:
    """Walk through a pcap."""

    def __init__(self, data: bytes) -> None:
        self._order, self._tick_ns = PCAP[data[:4]]
        self._link_type = struct.unpack_from(self._order + "I", data, 20)[0] & 0xFFFF
        self._passed = 0
        self.at = 24
        self.damage: Damage | None = None

    def block(self, data: bytes, size: int) -> Iterator[Records]:
        """Yield the complete records."""
        length_at = struct.Struct(self._order + "I").unpack_from
        at = self.at
        places: list[int] = []
        append = places.append
        while at + 16 <= size:
            captured = length_at(data, at + 8)[0]
            after = at + 16 + captured
            if after > size:
                if captured > _LONGEST:
                    self.damage = _too_long(captured, self._passed + len(places) + 1)
                break
            append(at)
            at = after
        self.at = at
        if not places:
            return
        start = np.array(places, dtype=np.int64)
        words = _words(data, self._order)
        time_ns = words[start].astype(np.int64) * 1_000_000_000 + words[start + 4].astype(np.int64) * self._tick_ns
        numbers = np.arange(self._passed + 1, self._passed + 1 + len(start), dtype=np.uint32)
        self._passed += len(start)
        captured, length = words[start + 8].astype(np.int64), words[start + 12].astype(np.int64)
        yield Records(np.frombuffer(data, np.uint8), self._link_type, start + 16, captured, length, time_ns, numbers)


class _Pcapng:
    """Walk through a pcapng."""

    def __init__(self) -> None:
        self._order: Order = "<"
        self._interfaces: list[_Interface] = []
        self._passed = 0
        self.at = 0
        self.damage: Damage | None = None

    def block(self, data: bytes, size: int) -> Iterator[Records]:
        """Yield the complete records; those between two blocks that change how they are read come together."""
        two = struct.Struct(self._order + "II").unpack_from
        at = self.at
        enhanced: list[int] = []
        while at + 12 <= size:
            kind, length = two(data, at)
            if kind == 0x0A0D0D0A:  # reads the same in both orders
                yield from self._enhanced(data, enhanced)
                enhanced = []
                order = ORDERS.get(data[at + 8 : at + 12])
                if order is None:
                    self.damage = self._malformed("a section of no byte order", len(enhanced))
                    break
                two = struct.Struct(order + "II").unpack_from
                length = two(data, at)[1]
            if length < 12 or length % 4 or length > _LONGEST:
                self.damage = self._malformed(f"a block of {length} bytes", len(enhanced))
                break
            if at + length > size:
                break
            if kind == _ENHANCED:
                enhanced.append(at)
            elif kind in {_OBSOLETE, _SIMPLE}:
                yield from self._enhanced(data, enhanced)
                enhanced = []
                yield from self._single(data, at, kind, length)
            elif kind == _INTERFACE:
                yield from self._enhanced(data, enhanced)
                enhanced = []
                self._interface(data[at + 8 : at + length - 4])
            elif kind == 0x0A0D0D0A:
                self._order, self._interfaces = order or "<", []
            at += length
        self.at = at
        yield from self._enhanced(data, enhanced)

    def _malformed(self, found: str, waiting: int) -> Damage:
        after = f"after packet {self._passed + waiting}"
        return Damage("malformed", f"found {found} {after}; the rest of the capture is left out")

    def _interface(self, body: bytes) -> None:
        """Note an interface and its clock (options 9 ``if_tsresol`` and 14 ``if_tsoffset``)."""
        if len(body) < 8 or len(self._interfaces) >= _MOST_INTERFACES:
            return
        link_type = struct.unpack_from(self._order + "H", body)[0]
        resolution, offset_s, at = 6, 0, 8
        while at + 4 <= len(body):
            code, length = struct.unpack_from(self._order + "HH", body, at)
            value = body[at + 4 : at + 4 + length]
            if code == 9 and len(value) == 1:
                resolution = value[0]
            elif code == 14 and len(value) == 8:
                offset_s = struct.unpack(self._order + "q", value)[0]
            if code == 0:
                break
            at += 4 + (length + 3) // 4 * 4
        places = resolution & 0x7F
        ticks_per_s = 1 << min(places, 62) if resolution & 0x80 else 10 ** min(places, 18)
        numerator, denominator = (10**9 // ticks_per_s, 1) if ticks_per_s <= 10**9 else (1, ticks_per_s // 10**9)
        if resolution & 0x80:
            numerator, denominator = 10**9, ticks_per_s
        offset_ns = offset_s * 10**9 if abs(offset_s) < 1 << 32 else 0
        self._interfaces.append(_Interface(link_type, numerator, denominator, offset_ns))

    def _enhanced(self, data: bytes, places: list[int]) -> Iterator[Records]:
        """Yield the packets of enhanced packet blocks, interface by interface."""
        if not places:
            return
        at = np.array(places, dtype=np.int64)
        words = _words(data, self._order)
        interface, captured = words[at + 8].astype(np.int64), words[at + 20].astype(np.int64)
        captured = np.minimum(captured, words[at + 4].astype(np.int64) - 32)
        numbers = np.arange(self._passed + 1, self._passed + 1 + len(at), dtype=np.uint32)
        self._passed += len(at)
        ticks = (words[at + 12].astype(np.uint64) << np.uint64(32)) | words[at + 16].astype(np.uint64)
        frames = np.frombuffer(data, np.uint8)
        for index in np.unique(interface)[: len(self._interfaces) + 1].tolist():
            if index >= len(self._interfaces):
                continue
            chosen = (interface == index) & (captured > 0)
            clock = self._interfaces[index]
            yield Records(
                frames,
                clock.link_type,
                at[chosen] + 28,
                captured[chosen],
                words[at[chosen] + 24].astype(np.int64),
                _nanoseconds(ticks[chosen], clock),
                numbers[chosen],
            )

    def _single(self, data: bytes, at: int, kind: int, length: int) -> Iterator[Records]:
        """Yield the packet of a simple or an obsolete block."""
        self._passed += 1
        index, ticks, start, captured = 0, 0, at + 12, length - 16
        original = captured
        if kind == _SIMPLE and length >= 16:
            original = struct.unpack_from(self._order + "I", data, at + 8)[0]
            captured = min(captured, original)
        elif kind == _OBSOLETE and length >= 32:
            index, _, high, low, told, original = struct.unpack_from(self._order + "HHIIII", data, at + 8)
            ticks, start, captured = high << 32 | low, at + 28, min(told, length - 32)
        if captured <= 0 or index >= len(self._interfaces):
            return
        clock = self._interfaces[index]
        time_ns = _nanoseconds(np.array([ticks], np.uint64), clock) if kind == _OBSOLETE else np.zeros(1, np.int64)
        span = [np.array([value], np.int64) for value in (start, captured, original)]
        number = np.array([self._passed], np.uint32)
        yield Records(np.frombuffer(data, np.uint8), clock.link_type, span[0], span[1], span[2], time_ns, number)


def _words(data: bytes, order: Order) -> Array:
    """View bytes as 32-bit words that begin at any byte."""
    return np.ndarray((len(data) - 3,), order + "u4", data, strides=(1,))


def _nanoseconds(ticks: Array, clock: _Interface) -> Array:
    if clock.numerator == 1 and clock.denominator == 1:
        time_ns = ticks.astype(np.int64)
    elif clock.denominator == 1:
        time_ns = (ticks * np.uint64(clock.numerator)).astype(np.int64)
    else:
        seconds, part = ticks // np.uint64(clock.denominator), ticks % np.uint64(clock.denominator)
        scaled = part.astype(np.float64) * clock.numerator / clock.denominator
        time_ns = (seconds * np.uint64(clock.numerator)).astype(np.int64) + scaled.astype(np.int64)
    return np.clip(time_ns, 0, 1 << 62) + clock.offset_ns


def _too_long(captured: int, number: int) -> Damage:
    return Damage(
        "malformed",
        f"found packet {number} with {captured} bytes, expected at most {format_bytes(_LONGEST)}; the rest of the "
        "capture is left out",
    )
