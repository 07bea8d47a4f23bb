"""The rows of iperf3's text: an interval, or the result of a stream or of all, and the figures in it.

`hecn_analysis.logs.network.iperf3` describes the tool and says which row is which.

Units and traps
---------------
- KBytes, MBytes, GBytes of an amount, of the congestion window and of a rate (``-f M``) are powers of 1024; Kbits,
  Mbits, Gbits powers of 1000.
- 3.0 misprints Kbits as ``Kbis``.
- A whole number after the rate is the retransmits or, at the sender of UDP, the packets: only the heading or the
  protocol tell.
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
    """One direction of a run: its intervals, its streams with first line and latest times, the rows of its result."""

    rows: Rows
    ids: list[str] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)
    latest: dict[str, tuple[str, str]] = field(default_factory=dict)
    finals: dict[tuple[str, str], Row] = field(default_factory=dict)

    @classmethod
    def new(cls, *, kept: bool) -> Self:
        """Make one without rows.

        Parameters
        ----------
        kept
            Whether every interval is wanted, or their sums are enough.
        """
        ids: list[str] = []
        return cls(Rows(ROW.groups, partial(_converted, ids), kept=kept), ids)


def _scaled(text: str, scale: str, base: int) -> float:
    return float(text) * float(base) ** _POWERS[scale]


def transferred(groups: Groups) -> int:
    """Give the bytes of a row.

    Parameters
    ----------
    groups
        The groups of `ROW`.

    Returns
    -------
    int
        The amount [bytes].

    Examples
    --------
    >>> transferred(ROW.match("[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec    0   sender").groups())
    1181116006
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

    Returns
    -------
    dict
        Columns of the table of runs or of streams, by name.

    Examples
    --------
    >>> row = ROW.match("[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec    4   sender")
    >>> figures(row.groups(), udp=False)
    {'duration_s': 10.0, 'bytes': 1181116006, 'throughput_bps': 944000000.0, 'retransmits': 4}
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
    """Give the columns of the rows of both ends: the receiver's figures, and the sender's rate and retransmits.

    Parameters
    ----------
    sender, receiver
        The rows with the numbers of their lines, None where there is none.
    udp
        Whether the number after the rate counts packets.

    Returns
    -------
    dict
        Columns of the table of runs or of streams, by name.

    Examples
    --------
    >>> sender = ROW.match("[  5]   0.00-10.00  sec  1.25 GBytes  1.07 Gbits/sec    4   sender").groups()
    >>> receiver = ROW.match("[  5]   0.00-10.00  sec  1.00 GBytes   859 Mbits/sec        receiver").groups()
    >>> found = both_ends((12, sender), (13, receiver), udp=False)
    >>> found["bytes"], found["throughput_bps"], found["sender_throughput_bps"], found["retransmits"]
    (1073741824, 859000000.0, 1070000000.0, 4)
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

    Returns
    -------
    dict
        Columns of the table of streams, by name.

    Examples
    --------
    >>> side = Side.new(kept=True)
    >>> side.ids.append("5")
    >>> row = ROW.match("[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec        receiver")
    >>> side.finals["5", "receiver"] = (13, row.groups())
    >>> stream(0, side, udp=False)
    {'stream': 0, 'line': 13, 'duration_s': 10.0, 'bytes': 1181116006, 'throughput_bps': 944000000.0}
    """
    identity = side.ids[index]
    sender, receiver, both = (side.finals.get((identity, word)) for word in ("sender", "receiver", ""))
    row = both or receiver or sender
    if row is None:
        return {"stream": index, "line": side.first.get(identity)}
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

    Returns
    -------
    dict
        Columns of the table of intervals, by name.

    Examples
    --------
    >>> side = Side.new(kept=True)
    >>> side.ids.append("5")
    >>> row = ROW.match("[  5]   0.00-1.00   sec   112 MBytes   942 Mbits/sec    2    400 KBytes")
    >>> side.rows.add([7], row.groups())
    >>> found = intervals(side, packets=False)
    >>> found["t_end_s"], found["throughput_bps"], found["retransmits"], found["cwnd_bytes"]
    (array([1.]), array([9.42e+08]), array([2.]), array([409600.]))
    """
    found = side.rows.columns()
    counted, windows, jitter = found.pop("counted"), found["cwnd_bytes"], found["jitter_s"]
    if len(side.ids) == 1:
        found["stream"] = np.full(len(counted), np.nan)
    if np.isnan(jitter).all():
        for name in ("sent_packets", "lost_packets", "loss_fraction", "jitter_s"):
            del found[name]
    if np.isnan(windows).all():
        del found["cwnd_bytes"]
    if not np.isnan(counted).all():
        found.setdefault("sent_packets" if packets and "cwnd_bytes" not in found else "retransmits", counted)
    return found


def _converted(ids: Sequence[str], texts: Sequence[Sequence[Text]], lines: Array) -> dict[str, Array]:
    """Columns of numbers of the texts of rows; ``counted`` is the number after the rate, whatever it counts."""
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
        "loss_fraction": _fraction(lost, packets),
        "jitter_s": numbers(texts[JITTER]) / 1000,
    }


def _fraction(lost: Array, packets: Array) -> Array:
    fraction = np.full(len(lost), np.nan)
    np.divide(lost, packets, out=fraction, where=(packets > 0) & (lost <= packets))
    return fraction
