"""The rows of iperf3's text: an interval, or the result of a stream or of all, and the figures in it.

`hecn_analysis.logs.network.iperf3` describes the tool and decides which row is a result.

Units and traps
---------------
- KBytes, MBytes, GBytes of an amount, of the congestion window and of a rate (``-f M``) are powers of 1024; Kbits,
  Mbits, Gbits powers of 1000.
- 3.0 misprints Kbits as ``Kbis``.
- A whole number after the rate is the retransmits or, for a UDP sender, the packets: the heading or the protocol
  decides.
- The loss is computed from the packets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Self

import numpy as np

from hecn_analysis.logs.contract import Array
from hecn_analysis.logs.losses import loss_fractions
from hecn_analysis.logs.rows import Rows, Text, looked_up, numbers

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
ROW: Final = re.compile(
    r"\[ {0,4}+(\d{1,5}+|SUM)\](?:\[([RT]X-[CS])\])?(\s{1,12}+)(\d{1,7}+\.\d\d)-(\d{1,7}+\.\d\d)\s{0,8}+sec"
    rf"\s{{1,12}}+({_N}) {{1,3}}+([KMGTPE]?)Bytes\s{{1,12}}+({_N}) {{1,3}}+([KMGTPE]?)(bits|bis|Bytes)/sec"
    rf"(?:\s{{1,30}}+(\d{{1,18}}+)(?:\s{{1,12}}+({_N}) ([KMGTPE]?)Bytes)?(?=\s|$))?"
    rf"(?:\s{{1,12}}+({_N}) ms\s{{1,8}}+(-?\d{{1,18}}+|Unknown)/ {{0,8}}+(-?\d{{1,18}}+)(?: ?\([^)\s]{{1,12}}%\))?)?"
    r"\s{0,30}+(sender|receiver|\(omitted\))?\s{0,12}+$"
)
LIKE_ROW: Final = re.compile(
    r"\[ {0,4}(?:\d{1,5}|SUM)\](?:\[[RT]X-[CS]\])?\s{1,12}-?\d{1,7}\.\d\d?-.{0,40}(?:sec|$).{0,200}$"
)
ID, ROLE, GAP, START, END, AMOUNT, _SCALE, _RATE, _RATE_SCALE, _RATE_UNIT = range(10)
_COUNTED, _WINDOW, _WINDOW_SCALE, JITTER, LOST, _PACKETS, WORD = range(10, 17)
_POWERS: Final = {letter: power for power, letter in enumerate("KMGTPE", start=1)} | {"": 0}
_BY_1000: Final = {letter: 1000.0**power for letter, power in _POWERS.items()} | {None: np.nan}
_BY_1024: Final = {letter: 1024.0**power for letter, power in _POWERS.items()} | {None: np.nan}

Groups = tuple[Text, ...]
Row = tuple[int, Groups]


@dataclass
class Side:
    """One direction of a run: its intervals, its streams with first line and latest times, the rows of its result.

    ``alone`` is the row of intervals if there is one only.
    """

    rows: Rows
    ids: list[str] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)
    latest: dict[str, tuple[str, str]] = field(default_factory=dict)
    finals: dict[tuple[str, str], Row] = field(default_factory=dict)
    alone: Row | None = None

    @classmethod
    def new(cls, *, kept: bool) -> Self:
        """Create a side without rows."""
        ids: list[str] = []
        return cls(Rows(ROW.groups, partial(_converted, ids), kept=kept), ids)


def _scaled(text: str, scale: str, base: int) -> float:
    return float(text) * float(base) ** _POWERS[scale]


def transferred(groups: Groups) -> int:
    """Return the bytes of a row."""
    return round(_scaled(groups[AMOUNT], groups[_SCALE], 1024))


def _rate(groups: Groups) -> float:
    """Return the rate of a row [bit/s]."""
    if groups[_RATE_UNIT] == "Bytes":
        return 8 * _scaled(groups[_RATE], groups[_RATE_SCALE], 1024)
    return _scaled(groups[_RATE], groups[_RATE_SCALE], 1000)


def figures(groups: Groups, *, udp: bool) -> dict[str, object]:
    """Return the columns of one row."""
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
    """Return the columns of the rows of both ends: the receiver's figures, and the sender's rate and retransmits."""
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
    """Return a row of the table of streams."""
    identity = side.ids[index]
    sender, receiver, both = (side.finals.get((identity, word)) for word in ("sender", "receiver", ""))
    row = both or receiver or sender
    if row is None:
        return {"stream": index, "line": side.first.get(identity)}
    if both is not None:
        return {"stream": index, "line": both[0], **figures(both[1], udp=udp)}
    return {"stream": index, "line": row[0], **both_ends(sender, receiver, udp=udp)}


def intervals(side: Side, *, packets: bool) -> dict[str, Array]:
    """Return the columns of the intervals; rows of a single stream have no stream number."""
    columns = side.rows.columns()
    counted, windows, jitter = columns.pop("counted"), columns["cwnd_bytes"], columns["jitter_s"]
    if len(side.ids) == 1:
        columns["stream"] = np.full(len(counted), np.nan)
    if np.isnan(jitter).all():
        for name in ("sent_packets", "lost_packets", "loss_fraction", "jitter_s"):
            del columns[name]
    if np.isnan(windows).all():
        del columns["cwnd_bytes"]
    if not np.isnan(counted).all():
        columns.setdefault("sent_packets" if packets and "cwnd_bytes" not in columns else "retransmits", counted)
    return columns


def _converted(ids: Sequence[str], texts: Sequence[Sequence[Text]], lines: Array) -> dict[str, Array]:
    """Convert the texts of rows to numbers; ``counted`` is the number after the rate: retransmits or packets."""
    by_1024 = looked_up(texts[_RATE_UNIT], {"Bytes": 1.0, "bits": 0.0, "bis": 0.0}) > 0
    rate_scales = texts[_RATE_SCALE]
    lost = numbers([None if text == "Unknown" else text for text in texts[LOST]])
    packets = numbers(texts[_PACKETS])
    lost[(lost < 0) | (packets < 0)] = np.nan
    packets[packets < 0] = np.nan
    return {
        "line": lines,
        "stream": looked_up(
            texts[ID], {"SUM": np.nan, **{identity: float(index) for index, identity in enumerate(ids)}}
        ),
        "t_start_s": numbers(texts[START]),
        "t_end_s": numbers(texts[END]),
        "bytes": np.rint(numbers(texts[AMOUNT]) * looked_up(texts[_SCALE], _BY_1024)),
        "throughput_bps": numbers(texts[_RATE])
        * np.where(by_1024, 8 * looked_up(rate_scales, _BY_1024), looked_up(rate_scales, _BY_1000)),
        "counted": numbers(texts[_COUNTED]),
        "cwnd_bytes": np.rint(numbers(texts[_WINDOW]) * looked_up(texts[_WINDOW_SCALE], _BY_1024)),
        "sent_packets": packets,
        "lost_packets": lost,
        "loss_fraction": loss_fractions(lost, packets),
        "jitter_s": numbers(texts[JITTER]) / 1000,
    }
