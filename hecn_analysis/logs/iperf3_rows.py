"""The rows of iperf3's text: an interval, or the result of a stream or of all, and the figures in it.

`hecn_analysis.logs.iperf3` describes the tool and says which row is which.

Units and traps
---------------
- KBytes, MBytes, GBytes of an amount, of the congestion window and of a rate (``-f M``) are powers of 1024; Kbits,
  Mbits, Gbits powers of 1000.
- A whole number after the rate is the retransmits or, at the sender of UDP, the packets: only the heading or the
  protocol tell.
- The loss is computed from the packets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hecn_analysis.logs.contract import Array

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
ROW: Final = re.compile(
    r"\[ {0,4}(\d{1,5}|SUM)\](?:\[([RT]X-[CS])\])?(\s{1,12})(\d{1,7}\.\d\d)-(\d{1,7}\.\d\d)\s{0,8}sec"
    rf"\s{{1,12}}({_N}) {{1,3}}([KMGTPE]?)Bytes\s{{1,12}}({_N}) {{1,3}}([KMGTPE]?)(bits|Bytes)/sec"
    rf"(?:\s{{1,30}}(\d{{1,18}})(?:\s{{1,12}}({_N}) ([KMGTPE]?)Bytes)?(?=\s|$))?"
    rf"(?:\s{{1,12}}({_N}) ms\s{{1,8}}(-?\d{{1,18}}|Unknown)/ {{0,8}}(-?\d{{1,18}})(?: ?\([^)\s]{{1,12}}%\))?)?"
    r"\s{0,30}(sender|receiver|\(omitted\))?\s{0,12}$"
)
LIKE_ROW: Final = re.compile(
    r"\[ {0,4}(?:\d{1,5}|SUM)\](?:\[[RT]X-[CS]\])?\s{1,12}-?\d{1,7}\.\d\d?-.{0,40}(?:sec|$).{0,200}$"
)
ID, ROLE, GAP, START, END, AMOUNT, _SCALE, _RATE, _RATE_SCALE, _RATE_UNIT = range(10)
_COUNTED, _WINDOW, _WINDOW_SCALE, JITTER, LOST, _PACKETS, WORD = range(10, 17)
_POWERS: Final = {letter: power for power, letter in enumerate("KMGTPE", start=1)} | {"": 0}

Groups = tuple[str | Any, ...]
Row = tuple[int, Groups]


@dataclass
class Side:
    """One direction of a run."""

    ids: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    latest: dict[str, tuple[str, str]] = field(default_factory=dict)
    finals: dict[tuple[str, str], Row] = field(default_factory=dict)


def _scaled(text: str, scale: str, base: int) -> float:
    return float(text) * float(base) ** _POWERS[scale]


def transferred(groups: Groups) -> int:
    """Give the bytes of a row.

    Parameters
    ----------
    groups
        The groups of `ROW`.
    """
    return round(_scaled(groups[AMOUNT], groups[_SCALE], 1024))


def _rate(groups: Groups) -> float:
    """Rate of a row [bit/s]."""
    if groups[_RATE_UNIT] == "Bytes":
        return 8 * _scaled(groups[_RATE], groups[_RATE_SCALE], 1024)
    return _scaled(groups[_RATE], groups[_RATE_SCALE], 1000)


def figures(groups: Groups, *, udp: bool) -> dict[str, object]:
    """Give the columns of one row.

    Parameters
    ----------
    groups
        The groups of `ROW`.
    udp
        Whether the number after the rate counts packets.
    """
    columns: dict[str, object] = {
        "duration_s": float(groups[END]) - float(groups[START]),
        "bytes": transferred(groups),
        "throughput_bps": _rate(groups),
    }
    if groups[_COUNTED] is not None and not udp:
        columns["retransmits"] = int(groups[_COUNTED])
    if groups[JITTER] is not None:
        packets = int(groups[_PACKETS])
        lost = None if groups[LOST] == "Unknown" else int(groups[LOST])
        columns["jitter_s"] = float(groups[JITTER]) / 1000
        columns["sent_packets"] = packets
        columns["lost_packets"] = lost
        columns["loss_fraction"] = lost / packets if lost is not None and packets > 0 else None
    return columns


def both_ends(sender: Row | None, receiver: Row | None, *, udp: bool) -> dict[str, object]:
    """Give the columns of the rows of both ends.

    Parameters
    ----------
    sender, receiver
        The rows, None where there is none.
    udp
        Whether the number after the rate counts packets.
    """
    columns: dict[str, object] = {}
    if sender is not None:
        columns |= figures(sender[1], udp=udp)
        columns["sender_throughput_bps"] = columns.pop("throughput_bps")
        for name in ("jitter_s", "lost_packets", "loss_fraction"):
            columns.pop(name, None)
        columns.pop("bytes")
    if receiver is not None:
        columns |= {name: value for name, value in figures(receiver[1], udp=udp).items() if value is not None}
    return columns


def stream(index: int, side: Side, *, udp: bool) -> dict[str, object]:
    """Give a row of the table of streams.

    Parameters
    ----------
    index
        Its place among the streams of its direction.
    side
        The rows of that direction.
    udp
        Whether the number after the rate counts packets.
    """
    identity = side.ids[index]
    sender, receiver, both = (side.finals.get((identity, word)) for word in ("sender", "receiver", ""))
    row = both or receiver or sender
    if row is None:
        lines = [line for line, groups in side.rows if groups[ID] == identity]
        return {"stream": index, "line": lines[0] if lines else None}
    if both is not None:
        return {"stream": index, "line": both[0], **figures(both[1], udp=udp)}
    return {"stream": index, "line": row[0], **both_ends(sender, receiver, udp=udp)}


def intervals(side: Side, *, packets: bool) -> dict[str, Array]:
    """Give the columns of the intervals; those of a single stream are those of the run.

    Parameters
    ----------
    side
        The rows of one direction.
    packets
        Whether the number after the rate counts packets, where no congestion window follows it.
    """
    place = {identity: float(index) for index, identity in enumerate(side.ids)} if len(side.ids) > 1 else {}
    rows = side.rows
    columns = list(zip(*(groups for _, groups in rows), strict=True))
    found: dict[str, Array] = {
        "line": np.array([line for line, _ in rows], dtype=float),
        "stream": np.array([place.get(identity, np.nan) for identity in columns[ID]]),
        "t_start_s": _numbers(columns[START]),
        "t_end_s": _numbers(columns[END]),
        "bytes": np.rint(_numbers(columns[AMOUNT]) * _factors(columns[_SCALE], 1024)),
    }
    by_1024 = np.array([unit == "Bytes" for unit in columns[_RATE_UNIT]])
    factors = np.where(by_1024, 8 * _factors(columns[_RATE_SCALE], 1024), _factors(columns[_RATE_SCALE], 1000))
    found["throughput_bps"] = _numbers(columns[_RATE]) * factors
    has_window = any(window is not None for window in columns[_WINDOW])
    counted = _numbers(columns[_COUNTED])
    if not np.isnan(counted).all():
        found["sent_packets" if packets and not has_window else "retransmits"] = counted
    if has_window:
        found["cwnd_bytes"] = np.rint(_numbers(columns[_WINDOW]) * _factors(columns[_WINDOW_SCALE], 1024))
    if any(groups[JITTER] is not None for _, groups in rows):
        found |= _interval_loss(rows)
    return found


def _numbers(texts: Sequence[str | None]) -> Array:
    return np.array([np.nan if text is None else float(text) for text in texts])


def _factors(scales: Sequence[str | None], base: int) -> Array:
    powers = {scale: float(base) ** power for scale, power in _POWERS.items()}
    return np.array([powers[scale or ""] for scale in scales])


def _interval_loss(rows: Sequence[Row]) -> dict[str, Array]:
    packets = np.array([np.nan if groups[_PACKETS] is None else float(groups[_PACKETS]) for _, groups in rows])
    lost = np.array([np.nan if groups[LOST] in {None, "Unknown"} else float(groups[LOST]) for _, groups in rows])
    lost[(lost < 0) | (packets < 0)] = np.nan
    packets[packets < 0] = np.nan
    return {
        "sent_packets": packets,
        "lost_packets": lost,
        "loss_fraction": _fraction(lost, packets),
        "jitter_s": np.array(
            [np.nan if groups[JITTER] is None else float(groups[JITTER]) / 1000 for _, groups in rows]
        ),
    }


def _fraction(lost: Array, packets: Array) -> Array:
    fraction = np.full(len(lost), np.nan)
    np.divide(lost, packets, out=fraction, where=(packets > 0) & (lost <= packets))
    return fraction
