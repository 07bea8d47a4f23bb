"""Sentences about the directions of a capture, as statements that a diagnosis weighs and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hecn_analysis.base.units import format_bytes, format_fraction, format_rate, format_time
from hecn_analysis.captures.direction import Direction
from hecn_analysis.statements.statement import Statement

#: Bytes of the headers that the MSS leaves out: IPv4 and TCP; IPv6 takes 20 more.
_HEADERS: Final = {False: 40, True: 60}
_COUNTS: Final = 0.1  # of the data of the largest direction


def statements_of(source_file: str, directions: Sequence[Direction]) -> list[Statement]:
    """Make the statements about the directions of a capture."""
    statements = [
        Statement(
            name,
            value,
            source_file,
            direction.first,
            f"{direction.ends}: {words}",
            direction.vantage if direction.vantage in {"sender", "receiver"} else "",
        )
        for direction in directions
        for name, value, words in _findings(direction)
    ]
    large = [direction for direction in directions if direction.bytes >= _COUNTS * directions[0].bytes]
    if large:
        words = "one direction carries the data" if len(large) == 1 else f"{len(large)} directions carry the data"
        statements.append(Statement("socket.connections", float(len(large)), source_file, large[0].first, words))
    return statements


def _findings(direction: Direction) -> Iterator[tuple[str, float, str]]:
    """Yield name, value and words of each statement about a direction."""
    if direction.rate_bps is not None:
        amount = f"{format_bytes(direction.bytes)} in {format_time(direction.duration_s)}"
        yield "socket.rate_bps", direction.rate_bps, f"{amount}, {format_rate(direction.rate_bps)}"
    if direction.rtt_s is not None and direction.rtt_min_s is not None:
        yield "socket.rtt_s", direction.rtt_s, f"the median round-trip time was {format_time(direction.rtt_s)}"
        yield (
            "socket.rtt_min_s",
            direction.rtt_min_s,
            f"the least round-trip time was {format_time(direction.rtt_min_s)}",
        )
    yield from _of_windows(direction)
    share = format_fraction(direction.retransmitted)
    count = f"{direction.retransmits} of {direction.segments} segments"
    yield "socket.retransmitted", direction.retransmitted, f"{share} of the data were sent again ({count})"
    if direction.timeouts:
        pauses = f"in {format_fraction(direction.stalled)} of the time the sender waited for a retransmission timeout"
        yield "socket.stalled", direction.stalled, f"{pauses} ({direction.timeouts} times)"
    if direction.reordered > 0:
        words = f"{format_fraction(direction.reordered)} of the segments came out of order without being lost"
        yield "socket.reordered", direction.reordered, words
    if direction.duplicate_acks:
        words = f"{direction.duplicate_acks} duplicate acknowledgements"
        yield "socket.duplicate_acks", float(direction.duplicate_acks), words
    words = f"in {format_fraction(direction.idle)} of the time the sender had nothing to send, with the window open"
    yield "socket.app_limited", direction.idle, words
    if direction.buffer_limited > 0:
        words = f"the send buffer was full {format_fraction(direction.buffer_limited)} of the time"
        flight = f"{format_bytes(direction.flight_max_bytes)} in flight at most"
        yield (
            "socket.sndbuf_limited",
            direction.buffer_limited,
            f"{words}, with {flight}, whatever the window allowed",
        )
    yield from _of_sizes(direction)
    if direction.missed > 0:
        words = f"{format_fraction(direction.missed)} of the data were acknowledged, but are missing from the capture"
        yield "socket.uncaptured", direction.missed, words


def _of_windows(direction: Direction) -> Iterator[tuple[str, float, str]]:
    yield (
        "socket.flight_bytes",
        float(direction.flight_max_bytes),
        f"at most {format_bytes(direction.flight_max_bytes)} in flight",
    )
    if direction.flight_low_bytes is not None and direction.flight_high_bytes:
        low, high = format_bytes(direction.flight_low_bytes), format_bytes(direction.flight_high_bytes)
        words = f"in the second half, {low} to {high} were in flight for nine tenths of the time"
        yield "socket.flight_steady", direction.flight_low_bytes / direction.flight_high_bytes, words
    if direction.window_max_bytes is not None:
        words = f"the receiver's window was {format_bytes(direction.window_max_bytes)} at most"
        yield "socket.send_window_bytes", float(direction.window_max_bytes), words
    if direction.window_limited is not None and direction.window_nearly is not None:
        words = f"the receiver's window was full {format_fraction(direction.window_limited)} of the time"
        nearly = f"and nine tenths full {format_fraction(direction.window_nearly)}"
        yield "socket.rwnd_limited", direction.window_limited, f"{words}, {nearly}"
    if direction.zero_windows:
        share = format_fraction(direction.zero_window)
        words = f"the receiver closed its window {direction.zero_windows} times, for {share} of the time"
        yield "socket.zero_window", direction.zero_window, f"{words}: the receiving program did not read"
    if direction.window_scaling is not None:
        words = (
            "both ends scale their windows" if direction.window_scaling else "without window scaling: 64 KiB at most"
        )
        yield "socket.window_scaling", float(direction.window_scaling), words


def _of_sizes(direction: Direction) -> Iterator[tuple[str, float, str]]:
    if direction.mss_bytes is not None:
        yield "socket.mss_bytes", float(direction.mss_bytes), f"the MSS is {direction.mss_bytes} bytes"
    if direction.own_mss_bytes is not None:
        size = direction.own_mss_bytes + _HEADERS["[" in direction.ends]
        yield (
            "port.mtu_bytes",
            float(size),
            f"the {direction.vantage}'s MSS of {direction.own_mss_bytes} bytes tells an MTU of {size}",
        )
    if direction.black_hole_bytes is not None:
        seen = (
            "never arrived" if direction.vantage == "receiver" else "were sent again and again and never acknowledged"
        )
        words = f"packets of {direction.black_hole_bytes} bytes {seen}"
        yield "path.black_hole_bytes", float(direction.black_hole_bytes), f"{words}: only smaller ones get through"
