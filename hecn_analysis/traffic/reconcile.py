r"""Compare two measurements of one transfer: what the tool reports as sent, and what the port counted in that time.

A run of :math:`B` payload bytes crosses a port as :math:`n = \lceil B / s \rceil` packets of at most the MTU, with
:math:`s` the data in a full packet (`hecn_analysis.limits.framing.payload_bytes`). The port counts

.. math:: O = B + n (M - s + f)

octets: each packet adds headers of IP and TCP, and :math:`f` bytes of the frame, which depend on the counter
(`FRAME_BYTES`). No counter includes preamble and gap. :math:`s` and :math:`M` follow from the segment size in the log;
without it, from the given MTU; without that, the verdict names the MTU that fits better.

Ports count continuously, and their counters are read occasionally. The octets of all intervals that touch the run are
therefore added, and the background is subtracted: the median of nearby intervals without another known run. These
intervals may contain unknown tests: if the background decides whether the port counted enough, the message says so and
the verdict remains open. The clocks of tool and poller differ: the run is also placed where the counted rates fit it
best (least squares), and that shift is the offset. Runs of a log without times are placed only in this way, in their
order. Agents refresh their counters every few seconds: the end of a run may be counted in the interval after it, or, if
the run is placed late, its beginning in the interval before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.limits import framing
from hecn_analysis.traffic import placing
from hecn_analysis.traffic.flags import Flag, words
from hecn_analysis.traffic.placing import Framing, Placed, Port, ports
from hecn_analysis.traffic.ports import bare_name

FRAME_BYTES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "port": (18.0, 18.0),
        "host": (14.0, 14.0),
        "ip": (0.0, 0.0),
        "unknown": (14.0, 18.0),
    }
)
"""Counted bytes of a frame besides its packet [B], smallest and largest, without the VLAN tag:

- ``port``: ifInOctets of an Ethernet port includes header (14) and check sequence (4) (RFC 3635, 3.2.3), as do the
  ``_phy`` counters of ``ethtool -S``;
- ``host``: the kernels of Linux and BSD count without the check sequence, and so do all tools that show their counters
  (``ip``, ``sar``, node_exporter …) and net-snmp's agent;
- ``ip``: tunnels and layer-3 interfaces count packets only;
- ``unknown``: between host and port.

Virtual interfaces and loopback count a batch of up to 64 KB as one packet: give ``--mtu 65535`` for these.
"""

MTUS: Final = (1500, 9000)
"""Candidate MTUs if neither a segment size nor an MTU is known; the better fit is used. [B]"""
TOLERANCE: Final = 0.005
LARGEST_OFFSET_S: Final = 2 * 3600.0
_AROUND: Final = 10  # intervals before and after, for the background
_WRAP: Final = 2.0**32
_SIGMAS: Final = 3.0
_RESEMBLES: Final = 0.5  # largest unexplained share of the squared rate for a credible shift

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "agrees": "the port counted the run's payload times its framing overhead, within the tolerance",
        "retransmissions or other traffic": "the port counted more; how much is in excess_bytes",
        "clock offset": "it agrees if the run is shifted by offset_s, the difference of the clocks of log and counters",
        "counter wrapped": "the port counted less by a multiple of 2**32, or its readings are ambiguous",
        "averaging window too long": "the intervals are too long to separate the run from other runs or traffic",
        "fewer octets": "the port counted less than the payload: another port, or only part of the run crossed it",
        "no counters": "no rate is known for the time of the run",
        "not enough in the log": "the log gives no amount or no duration",
    }
)

#: Verdicts that rest on the packet size.
_BY_FRAMING: Final = ("agrees", "clock offset", "fewer octets", "retransmissions or other traffic")

COLUMNS: Final = (
    *("source_file", "run", "tool", "label", "host", "interface", "direction", "verdict", "message"),
    *("start_time", "duration_s", "payload_bytes", "expected_bytes", "counted_bytes", "background_bytes"),
    *("excess_bytes", "excess_fraction", "offset_s", "wraps", "mtu", "intervals", "interval_s"),
)


def reconcile(
    runs: pd.DataFrame,
    rates: pd.DataFrame,
    *,
    mtu: int | None = None,
    ip: framing.IPVersion = 4,
    timestamps: bool = True,
    vlan: bool = False,
    counts: str = "unknown",
    tolerance: float = TOLERANCE,
    largest_offset_s: float = LARGEST_OFFSET_S,
    interface: str | None = None,
) -> pd.DataFrame:
    """Compare every tool run with the counters of ports.

    Parameters
    ----------
    runs
        Runs as in the table ``runs``.
    rates
        Rates as in the table ``rates``.
    mtu
        MTU of the path, for runs without a segment size (``mss_bytes``) in their log; by default the better fit of
        `MTUS`, as noted in ``message``. [B]
    ip, timestamps, vlan
        IP version, 4 or 6; whether TCP carries timestamps, and the counted frames a VLAN tag.
    counts
        Framing included by the counters: a key of `FRAME_BYTES`.
    tolerance
        Largest deviation that still agrees. [1]
    largest_offset_s
        Largest clock difference to search; the resolution is half an interval of the counters. [s]
    interface
        Only ports of this name; by default the port and direction that fit a run best.

    Returns
    -------
    DataFrame
        `COLUMNS`, one row per run, in order. ``verdict`` is a key of `VERDICTS`, ``message`` explains it with numbers.
        ``expected_bytes`` is the value nearest to the count that framing allows; ``excess_bytes`` is the count beyond
        it, negative if the port counted less.

    Raises
    ------
    InputError
        If no port has that name.
    RangeError
        If `counts` is not a key of `FRAME_BYTES`, the tolerance not between 0 and 1, or the offset negative.

    Examples
    --------
    15 GB in two minutes, as segments of 8948 bytes in frames of 9018:

    >>> when = pd.date_range("2013-11-20", periods=20, freq="30s", tz="UTC")
    >>> counted = np.repeat([0.0, 1e9 * 9018 / 8948, 0.0], [8, 4, 8])
    >>> rates = pd.DataFrame({"host": "switch", "interface": "eth0", "time": when, "interval_s": 30.0,
    ...                       "in_bps": counted, "out_bps": 0.0, "flag": "ok"})
    >>> runs = pd.DataFrame([{"tool": "iperf3", "start_time": when[7], "duration_s": 120.0, "bytes": 15e9}])
    >>> reconcile(runs, rates, counts="port")[["interface", "direction", "verdict", "mtu"]].to_dict("records")
    [{'interface': 'eth0', 'direction': 'in', 'verdict': 'agrees', 'mtu': 9000}]
    """
    if counts not in FRAME_BYTES:
        raise RangeError(f"counts: found {counts!r}, expected one of {', '.join(FRAME_BYTES)}")
    if not 0 <= tolerance < 1:
        raise RangeError(f"tolerance: found {tolerance!r}, expected 0 to less than 1")
    if not 0 <= largest_offset_s < math.inf:
        raise RangeError(f"largest_offset_s: found {largest_offset_s!r}, expected 0 or more seconds")
    framing_rules = Framing(MTUS if mtu is None else (mtu,), ip, timestamps, vlan, FRAME_BYTES[counts])
    all_ports = ports(rates)
    if interface is not None:
        known = sorted({str(port.interface) for port in all_ports})
        all_ports = [port for port in all_ports if interface in (port.interface, bare_name(port.interface))]
        if not all_ports:
            raise InputError(f"no port {interface!r}", f"one of {', '.join(known) or 'none'}")
    placed = placing.placed(
        [placing.unplaced(run) for run in runs.to_dict("records")], all_ports, framing_rules, largest_offset_s
    )
    return pd.DataFrame([_judged(run, placed, framing_rules, tolerance) for run in placed], columns=list(COLUMNS))


def _touched(port: Port, window: tuple[float, float]) -> npt.NDArray[np.bool_]:
    touched: npt.NDArray[np.bool_] = (port.end > window[0]) & (port.begin < window[1])
    return touched


@dataclass(frozen=True)
class _Counted:
    """Octets that a port counted in the intervals of a run, and the background among them with its uncertainty. [B]."""

    octets: float
    background: float
    least: float
    unsure: float


def _counted(
    run: Placed,
    port: Port,
    touched: npt.NDArray[np.bool_],
    same_port: Sequence[tuple[float, float]],
    other_ports: Sequence[tuple[float, float]],
) -> _Counted:
    """Octets of some intervals, and the background among them."""
    length = port.end - port.begin
    octets = float((port.rate_bps[touched] * length[touched]).sum() / 8)
    quiet = ~touched & ~np.isnan(port.rate_bps)
    for other in same_port:
        quiet &= ~_touched(port, other)
    undisturbed = quiet.copy()
    for other in other_ports:
        undisturbed &= ~_touched(port, other)
    quiet = undisturbed if undisturbed.any() else quiet
    rows = np.flatnonzero(touched)
    background_rows = np.flatnonzero(quiet)
    if len(rows):
        background_rows = np.r_[
            background_rows[background_rows < rows[0]][-_AROUND:], background_rows[background_rows > rows[-1]][:_AROUND]
        ]
    span = float(length[touched].sum())
    if len(background_rows) == 0:
        covered = min(run.seconds / span, 1.0) if span else 1.0
        return _Counted(octets, 0.0, 0.0, math.inf if covered < 1 - TOLERANCE else 0.0)
    rates = port.rate_bps[background_rows]
    usual = float(np.median(rates))
    spread = float(1.4826 * np.median(np.abs(rates - usual)))
    spread = max(spread, float(np.ptp(rates)) / 2 if len(rates) < 4 else 0.0)
    unsure = spread / 8 * math.sqrt(span * float(length[touched].mean() if span else 0.0))
    return _Counted(octets, usual / 8 * span, float(rates.min()) / 8 * span, unsure)


def _judged(placed_run: Placed, placed: Sequence[Placed], framing_rules: Framing, tolerance: float) -> dict[str, Any]:
    """Verdict on one run."""
    run = placed_run.run
    row: dict[str, Any] = {name: run.get(name) for name in ("source_file", "run", "tool", "label", "duration_s")}
    row |= {"start_time": _utc(placed_run.start), "payload_bytes": placed_run.payload}
    port = placed_run.port
    if not (placed_run.seconds > 0 and placed_run.payload > 0):
        return row | {"verdict": "not enough in the log", "message": "the log gives no amount or no duration"}
    if port is None:
        where = (
            "at or near the time of the run"
            if not math.isnan(placed_run.start)
            else "that fits the run, which has no time"
        )
        return row | {"verdict": "no counters", "message": f"no port has a known rate {where}"}
    row |= {"host": port.host, "interface": port.interface, "direction": port.direction}
    others = [other for other in placed if other is not placed_run]
    first = _attempt(placed_run, port, others, framing_rules, tolerance=tolerance)
    verdict_row = first
    if first["verdict"] != "agrees" and placed_run.offset != 0.0 and placed_run.resembles <= _RESEMBLES:
        second = _attempt(placed_run, port, others, framing_rules, tolerance=tolerance, shift=placed_run.offset)
        if second["verdict"] == "agrees" and abs(placed_run.offset) > first.get("interval_s", 0.0) * 0.05:
            verdict_row = second | {"verdict": "clock offset", "offset_s": placed_run.offset}
            direction = "later" if placed_run.offset > 0 else "earlier"
            verdict_row["message"] = (
                f"{second['message']} if shifted by {units.format_time(abs(placed_run.offset))} to a {direction} time"
            )
    for neighbour, where in ((1, "after"), (-1, "before")):
        if verdict_row["verdict"] != "fewer octets":
            break
        extended = _attempt(placed_run, port, others, framing_rules, tolerance=tolerance, neighbour=neighbour)
        if extended["verdict"] == "agrees":
            verdict_row = extended | {"message": f"{extended['message']}, a part of it in the interval {where} the run"}
    mtu_note = verdict_row.pop("guess", "")
    if verdict_row["verdict"] in _BY_FRAMING:
        verdict_row["message"] += mtu_note
    return row | verdict_row


def _attempt(  # noqa: PLR0911 - one return for each verdict
    placed_run: Placed,
    port: Port,
    others: Sequence[Placed],
    framing_rules: Framing,
    *,
    tolerance: float,
    shift: float = 0.0,
    neighbour: int = 0,
) -> dict[str, Any]:
    """Verdict on a run at a shift, optionally with the interval before (-1) or after (1) it."""
    same_port = [other for other in others if other.port is port]
    other_port = [other for other in others if other.port is not port]
    windows, elsewhere = (
        [(other.window[0] + shift, other.window[1] + shift) for other in group] for group in (same_port, other_port)
    )
    touched = _touched(port, (placed_run.window[0] + shift, placed_run.window[1] + shift))
    rows = np.flatnonzero(touched)
    if neighbour and len(rows):
        touched[np.clip(rows + neighbour, 0, len(touched) - 1)] = True
    counted = _counted(placed_run, port, touched, windows, elsewhere)
    octets, background, unsure = counted.octets, counted.background, counted.unsure
    if not touched.any():
        return {"verdict": "no counters", "message": "no rate is known for the time of the run"}
    length_s = float((port.end - port.begin)[touched].max())
    row: dict[str, Any] = {"intervals": int(touched.sum()), "interval_s": length_s, "offset_s": 0.0, "wraps": 0}
    kinds = int(np.bitwise_or.reduce(port.flags[touched]))
    if math.isnan(octets):
        reasons = words(kinds & ~int(Flag.GAP | Flag.REORDERED))
        return row | {"verdict": "no counters", "message": f"no rate is known for all of the run's time ({reasons})"}
    sharing = [
        other
        for other, window in zip(same_port, windows, strict=True)
        if bool((touched & _touched(port, window)).any())
    ]
    net = octets - background
    mtu, expected = _expected([placed_run, *sharing], net, framing_rules)
    if net - expected > tolerance * expected:
        crossing = [
            other for other, window in zip(other_port, elsewhere, strict=True) if _touched(port, window)[touched].any()
        ]
        crossing_runs = _crossing([placed_run, *sharing], crossing, net, framing_rules, tolerance)
        sharing = [*sharing, *crossing_runs]
        mtu, expected = _expected([placed_run, *sharing], net, framing_rules)
    excess = net - expected
    row["guess"] = _guess([placed_run, *sharing], mtu, framing_rules)
    row |= {
        "expected_bytes": expected,
        "counted_bytes": octets,
        "background_bytes": background,
        "excess_bytes": excess,
        "excess_fraction": excess / expected,
        "mtu": mtu,
    }
    sharing_note = f", together with {len(sharing)} other run(s) in the same intervals" if sharing else ""
    share = (
        f"{units.format_bytes(octets - background)} counted for {units.format_bytes(expected)} expected{sharing_note}"
    )
    if abs(excess) <= tolerance * expected:
        return row | {"verdict": "agrees", "message": share}
    turns = max(round(-excess / _WRAP), 0)
    fits = turns > 0 and abs(excess + turns * _WRAP) <= tolerance * expected < _WRAP / 100
    if kinds & int(Flag.AMBIGUOUS) or fits:
        row["wraps"] = turns
        return row | {"verdict": "counter wrapped", "message": f"{share}: {turns} turn(s) of 32 bits are missing"}
    if sharing or (unsure > tolerance * expected and abs(excess) <= _SIGMAS * unsure):
        hidden = "the runs cannot be separated" if sharing else "it cannot be separated from the port's other traffic"
        message = f"{share}: in intervals of {units.format_time(length_s)} {hidden}"
        return row | {"verdict": "averaging window too long", "message": message}
    enough = (1 - tolerance) * expected
    if excess < 0 and octets >= enough and (background >= expected / 2 or octets - counted.least >= enough):
        message = (
            f"{units.format_bytes(octets)} counted for {units.format_bytes(expected)} expected{sharing_note}: the "
            "share of other traffic is unknown, since there may have been other transfers before and after"
        )
        return row | {"verdict": "averaging window too long", "message": message}
    if excess < 0:
        return row | {
            "verdict": "fewer octets",
            "message": f"{share}: {units.format_percent(-excess / expected, places=1)} less",
        }
    retransmitted = placing.number_of(placed_run.run.get("retransmits")) * (mtu + framing_rules.frame[1])
    retransmit_note = (
        f"; the tool's retransmissions are up to {units.format_bytes(retransmitted)} of it" if retransmitted > 0 else ""
    )
    part = units.format_percent(excess / expected, places=1)
    message = f"{share}: {units.format_bytes(excess)} ({part}) more{retransmit_note}"
    return row | {"verdict": "retransmissions or other traffic", "message": message}


def _crossing(
    runs: Sequence[Placed], others: Sequence[Placed], net: float, framing_rules: Framing, tolerance: float
) -> Sequence[Placed]:
    """Runs on other ports that also crossed this one: all or one of them, if that explains the count."""
    for subset in (others, *([other] for other in others)):
        _, expected = _expected([*runs, *subset], net, framing_rules)
        if subset and abs(net - expected) <= tolerance * expected:
            return subset
    return ()


def _expected(runs: Sequence[Placed], net: float, framing_rules: Framing) -> tuple[int, float]:
    """MTU that a run states, else that best explains the count, and the nearest count that fits the runs. [B]."""
    nearest = {}
    for mtu in framing_rules.mtus:
        ranges = [framing_rules.of_run(run, mtu) for run in runs]
        nearest[mtu] = min(max(net, sum(low for low, _ in ranges)), sum(high for _, high in ranges))
    mtu = min(nearest, key=lambda size: abs(net - nearest[size]))
    stated = filter(None, map(framing_rules.stated_by, runs))
    return next(stated, mtu), nearest[mtu]


def _guess(runs: Sequence[Placed], mtu: int, framing_rules: Framing) -> str:
    """Note for the message that an assumed MTU fits the counters better than the others."""
    if len(framing_rules.mtus) == 1 or all(framing_rules.stated_by(run) for run in runs):
        return ""
    others = " and ".join(f"{size} B" for size in framing_rules.mtus if size != mtu)
    return f"; no MTU is stated: {mtu} B fits better than {others}"


def _utc(seconds: float) -> pd.Timestamp | None:
    return None if math.isnan(seconds) else pd.Timestamp(round(seconds * 1e9), unit="ns", tz="UTC")
