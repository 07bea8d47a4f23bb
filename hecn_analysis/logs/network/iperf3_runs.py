"""A run of iperf3's text, from its first line to its end, and the rows of the tables made of it.

`hecn_analysis.logs.network.iperf3` describes the tool and reads the lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.network.iperf3_rows import (
    END,
    LOST,
    START,
    Row,
    Side,
    both_ends,
    figures,
    intervals,
    stream,
    transferred,
)

_SECONDS: Final = 2.0  # longer than an interval


@dataclass
class OpenRun:
    """A run whose end has not been read."""

    first: int
    last: int
    command: Command
    client: bool | None = None
    reverse: bool = False
    version: str | None = None
    start_time: pd.Timestamp | None = None
    counts: str = ""
    udp: bool = False
    other_protocol: bool = False
    separated: bool = False
    summary: bool = False
    word: str = ""
    interrupted: bool = False
    failed: bool = False
    stopped: tuple[int, str] | None = None
    sides: dict[str, Side] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    first_end: str | None = None
    mss: int | None = None
    has_finals: bool = False
    has_rows: bool = False


def hand_over(findings: RunFindings, opened: OpenRun, role: str, side: Side) -> None:  # noqa: C901 - one case for each form of a result
    """Hand over the run of one direction."""
    columns: dict[str, object] = {
        "tool": "iperf3",
        "tool_version": opened.version,
        "protocol": None if opened.other_protocol or not opened.sides else "udp" if opened.udp else "tcp",
        "direction": _direction(opened, role),
        "start_time": opened.start_time,
        "streams": len(side.ids) or None,
        "mss_bytes": None if opened.udp else opened.mss,
        "error": opened.failed,
    }
    has_sum = any(identity == "SUM" for identity, _ in side.finals)
    key = side.ids[0] if len(side.ids) == 1 and not has_sum else "SUM"
    if has_sum and len(side.ids) == 1:
        findings.problem(
            opened.last, "ambiguous", "found '[SUM]' below one stream, expected two or more; took that of all streams"
        )
    sender, receiver, both = (side.finals.get((key, word)) for word in ("sender", "receiver", ""))
    if (whole := _whole(findings, opened, side)) is not None:
        side.finals[key, ""] = both = whole
    if opened.sides and not side.finals:
        findings.problem(opened.last, "truncated", "found intervals and no result of iperf3; the run has no figures")
    elif side.finals and sender is receiver is both is None:
        findings.problem(
            opened.last, "truncated", "found results of several streams and no '[SUM]'; the run has no figures"
        )
    if both is not None:
        columns |= _single_row_columns(findings, both, side, opened)
    elif sender is not None or receiver is not None:
        if receiver is None and opened.client and not opened.failed:
            findings.problem(opened.last, "truncated", "found no row 'receiver'; the throughput is missing")
        sender, receiver = _informative_rows(findings, opened, sender, receiver)
        columns |= both_ends(sender, receiver, udp=opened.udp)
    local = columns["direction"]
    if local in {"send", "receive"}:
        ends = ("local", "remote") if local == "send" else ("remote", "local")
        columns["cpu_sender_fraction"], columns["cpu_receiver_fraction"] = map(opened.cpu.get, ends)
    duration = columns.get("duration_s")
    rounding = 0.012 + (0.01 / duration if isinstance(duration, float) and duration > 0 else 0)
    run = Run(opened.first, opened.last, columns, rounding=rounding)
    if len(side.ids) > 1:
        run.streams = [stream(index, side, udp=opened.udp) for index in range(len(side.ids))]
    if side.rows and whole is None:
        run.intervals = intervals(side, packets=opened.udp or opened.counts == "packets")
    own = both or (sender if local == "send" else receiver if local == "receive" else None)
    run.interval_bytes = (transferred(own[1]) if own is not None else 0) or np.nan
    findings.run(run)


def _whole(findings: RunFindings, opened: OpenRun, side: Side) -> Row | None:
    """The row of the sender's result that somebody cut out with its heading: of intervals it would have "Cwnd"."""
    row = side.alone if len(side.rows) == 1 and not side.finals and not opened.failed else None
    if row is None or opened.counts != "retransmits" or opened.first_end is not None or opened.client is False:
        return None
    if float(row[1][START]) > 0 or float(row[1][END]) < _SECONDS:
        return None
    expected = "'sender' or 'receiver' in it; taken as the sender's"
    findings.problem(row[0], "ambiguous", f"found one row below the heading of a result, expected {expected}")
    return row


def _single_row_columns(findings: RunFindings, row: Row, side: Side, opened: OpenRun) -> dict[str, object]:
    """Columns of a result that has the rate of one end and the loss of the other."""
    line, groups = row
    columns = figures(groups, udp=opened.udp)
    if columns["bytes"] == 0 and side.rows:
        del columns["bytes"], columns["throughput_bps"]
        findings.problem(line, "inconsistent", "found no bytes in the result after intervals; left out")
    elif opened.client is not False and columns.get("lost_packets"):
        findings.problem(line, "ambiguous", "found one rate beside lost packets; it is that of the sender, and kept")
    return columns


def _informative_rows(
    findings: RunFindings, opened: OpenRun, sender: Row | None, receiver: Row | None
) -> tuple[Row | None, Row | None]:
    """Leave out a row of zeros, which means that the figure of the other end is unknown."""
    if sender is not None and receiver is None and opened.client is False and transferred(sender[1]) == 0:
        return None, None
    if sender is None or receiver is None:
        return sender, receiver
    sent, received = transferred(sender[1]), transferred(receiver[1])
    lost = receiver[1][LOST]
    if sent == 0 and received > 0:
        return None, receiver
    if received == 0 and sent > 0 and lost in {None, "0"} and (not opened.udp or opened.interrupted):
        findings.problem(receiver[0], "inconsistent", "found no bytes received of a sender that sent some; left out")
        return sender, None
    return sender, receiver


def _direction(opened: OpenRun, role: str) -> str | None:
    """Return what the host that wrote the log did."""
    if role:
        return "send" if role.startswith("TX") else "receive"
    if opened.reverse:
        return "receive" if opened.client is not False else "send"
    if opened.first_end is not None:
        return opened.first_end
    if opened.client is not None:
        return "send" if opened.client else "receive"
    asked = opened.command.arguments
    if opened.command.program == "iperf3" and any(word.startswith(("-c", "--client")) for word in asked):
        return "receive" if {"-R", "--reverse"} & set(asked) else "send"
    return None
