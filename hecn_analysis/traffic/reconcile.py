r"""Two witnesses of one transfer: what the tool says it sent, and what the port counted in that time.

A run of :math:`B` payload bytes crosses a port as :math:`n = \lceil B / s \rceil` packets of at most the MTU, with
:math:`s` the data in a full packet (`hecn_analysis.limits.framing.payload_bytes`). The port counts

.. math:: O = B + n (M - s + f)

octets: headers of IP and TCP come with each packet, and :math:`f` bytes of the frame, which depends on who counts
(`FRAME_BYTES`). No counter includes preamble and gap. Where the log states the segment size, :math:`s` and
:math:`M` follow from it; else from the MTU that is given; else the verdict names the MTU that fits better.

Ports count all the time, and their counters are read now and then. So the octets of all intervals that touch the run
are added, and what the port carries otherwise (the median of the intervals around in which no other known run was
active) is taken off. Tests that nobody told of may be in these intervals too: where it hangs on what is taken off
whether the port counted enough, that is said, and no verdict given. The clocks of tool and poller differ: the run is
also placed where the counted rates resemble it best (least squares), and that shift is the offset. Runs of a log
without times are placed that way only, in their order. Agents keep their counters for some seconds before they look
again: the end of a run may be counted in the interval after it, or its beginning have been counted in the one before
where the run is placed late.
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
"""What is counted of a frame beside its packet [B], least and most, without the VLAN tag:

- ``port``: ifInOctets of an Ethernet port has header 14 and check sequence 4 (RFC 3635, 3.2.3), and so have the
  ``_phy`` counters of ``ethtool -S``;
- ``host``: the kernels of Linux and BSD count without the check sequence, so do all tools that show their counters
  (``ip``, ``sar``, node_exporter …) and net-snmp's agent;
- ``ip``: tunnels and interfaces of layer 3 count packets only;
- ``unknown``: between host and port.

Virtual interfaces and loopback count a bunch of up to 64 KB as one packet: give ``--mtu 65535`` for these.
"""

MTUS: Final = (1500, 9000)
"""Of these the one that fits better is taken where neither the log states a segment size nor an MTU is given. [B]"""
TOLERANCE: Final = 0.005
LARGEST_OFFSET_S: Final = 2 * 3600.0
_AROUND: Final = 10  # intervals before and after that say what else the port carries
_WRAP: Final = 2.0**32
_SIGMAS: Final = 3.0
_RESEMBLES: Final = 0.5  # part of the squared rate that may be left, for a shift to be believed

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "agrees": "the port counted the run's payload times its framing overhead, within the tolerance",
        "retransmissions or other traffic": "the port counted more; how much is in excess_bytes",
        "clock offset": "it agrees when the run is moved by offset_s: the clocks of log and counters differ by that",
        "counter wrapped": "the port counted less by a multiple of 2**32, or its readings are ambiguous",
        "averaging window too long": "in intervals of that length the run cannot be told from other runs or traffic",
        "fewer octets": "the port counted less than the payload: another port, or not all of the run went through it",
        "no counters": "no rate is known for the time of the run",
        "not enough in the log": "the log says no amount or no duration",
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
        MTU of the path, for runs whose log states no segment size (``mss_bytes``); by default the one of `MTUS` that
        fits better, and ``message`` says so. [B]
    ip
        Version of IP, 4 or 6.
    timestamps
        Whether TCP carries timestamps.
    vlan
        Whether the counted frames carry a VLAN tag.
    counts
        What the counters include of a frame: a key of `FRAME_BYTES`.
    tolerance
        How much expected and counted may differ. [1]
    largest_offset_s
        Within how much the clocks may differ; places closer than half an interval of the counters are not told apart.
        [s]
    interface
        Only ports of this name; by default the port and direction that fits a run best.

    Returns
    -------
    DataFrame
        `COLUMNS`, a row for each run in their order. ``verdict`` is a key of `VERDICTS`, ``message`` says it with
        numbers. ``expected_bytes`` is the nearest end of what framing allows; ``excess_bytes`` is what was counted
        beyond that, less than 0 where it was less.

    Raises
    ------
    InputError
        When no port has that name.
    RangeError
        When `counts` is none of `FRAME_BYTES`, the tolerance not between 0 and 1, or the offset less than 0.

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
    how = Framing(MTUS if mtu is None else (mtu,), ip, timestamps, vlan, FRAME_BYTES[counts])
    every = ports(rates)
    if interface is not None:
        known = sorted({str(port.interface) for port in every})
        every = [port for port in every if interface in (port.interface, bare_name(port.interface))]
        if not every:
            raise InputError(f"no port {interface!r}", f"one of {', '.join(known) or 'none'}")
    placed = placing.placed([placing.unplaced(run) for run in runs.to_dict("records")], every, how, largest_offset_s)
    return pd.DataFrame([_judged(one, placed, how, tolerance) for one in placed], columns=list(COLUMNS))


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
    one: Placed,
    port: Port,
    touched: npt.NDArray[np.bool_],
    same: Sequence[tuple[float, float]],
    elsewhere: Sequence[tuple[float, float]],
) -> _Counted:
    """Octets of some intervals, and the background among them."""
    length = port.end - port.begin
    octets = float((port.rate_bps[touched] * length[touched]).sum() / 8)
    quiet = ~touched & ~np.isnan(port.rate_bps)
    for other in same:
        quiet &= ~_touched(port, other)
    alone = quiet.copy()
    for other in elsewhere:
        alone &= ~_touched(port, other)
    quiet = alone if alone.any() else quiet
    place = np.flatnonzero(touched)
    around = np.flatnonzero(quiet)
    if len(place):
        around = np.r_[around[around < place[0]][-_AROUND:], around[around > place[-1]][:_AROUND]]
    span = float(length[touched].sum())
    if len(around) == 0:
        covered = min(one.seconds / span, 1.0) if span else 1.0
        return _Counted(octets, 0.0, 0.0, math.inf if covered < 1 - TOLERANCE else 0.0)
    rates = port.rate_bps[around]
    usual = float(np.median(rates))
    spread = float(1.4826 * np.median(np.abs(rates - usual)))
    spread = max(spread, float(np.ptp(rates)) / 2 if len(rates) < 4 else 0.0)
    unsure = spread / 8 * math.sqrt(span * float(length[touched].mean() if span else 0.0))
    return _Counted(octets, usual / 8 * span, float(rates.min()) / 8 * span, unsure)


def _judged(one: Placed, placed: Sequence[Placed], how: Framing, tolerance: float) -> dict[str, Any]:
    """Verdict on one run."""
    run = one.run
    row: dict[str, Any] = {name: run.get(name) for name in ("source_file", "run", "tool", "label", "duration_s")}
    row |= {"start_time": _utc(one.start), "payload_bytes": one.payload}
    port = one.port
    if not (one.seconds > 0 and one.payload > 0):
        return row | {"verdict": "not enough in the log", "message": "the log says no amount or no duration"}
    if port is None:
        where = (
            "at or near the time of the run" if not math.isnan(one.start) else "that is like the run, which has no time"
        )
        return row | {"verdict": "no counters", "message": f"no port has a known rate {where}"}
    row |= {"host": port.host, "interface": port.interface, "direction": port.direction}
    others = [other for other in placed if other is not one]
    first = _attempt(one, port, others, how, tolerance=tolerance)
    found = first
    if first["verdict"] != "agrees" and one.offset != 0.0 and one.resembles <= _RESEMBLES:
        second = _attempt(one, port, others, how, tolerance=tolerance, shift=one.offset)
        if second["verdict"] == "agrees" and abs(one.offset) > first.get("interval_s", 0.0) * 0.05:
            found = second | {"verdict": "clock offset", "offset_s": one.offset}
            late = "later" if one.offset > 0 else "earlier"
            found["message"] = (
                f"{second['message']} when moved by {units.format_time(abs(one.offset))} to a {late} time"
            )
    for beside, where in ((1, "after"), (-1, "before")):
        if found["verdict"] != "fewer octets":
            break
        more = _attempt(one, port, others, how, tolerance=tolerance, beside=beside)
        if more["verdict"] == "agrees":
            found = more | {"message": f"{more['message']}, a part of it in the interval {where} the run"}
    guess = found.pop("guess", "")
    if found["verdict"] in _BY_FRAMING:
        found["message"] += guess
    return row | found


def _attempt(  # noqa: PLR0911 - one return for each verdict
    one: Placed,
    port: Port,
    others: Sequence[Placed],
    how: Framing,
    *,
    tolerance: float,
    shift: float = 0.0,
    beside: int = 0,
) -> dict[str, Any]:
    """Verdict on a run at a shift, optionally with the interval before (-1) or after (1) it."""
    same = [other for other in others if other.port is port]
    away = [other for other in others if other.port is not port]
    windows, elsewhere = (
        [(other.window[0] + shift, other.window[1] + shift) for other in some] for some in (same, away)
    )
    touched = _touched(port, (one.window[0] + shift, one.window[1] + shift))
    place = np.flatnonzero(touched)
    if beside and len(place):
        touched[np.clip(place + beside, 0, len(touched) - 1)] = True
    found = _counted(one, port, touched, windows, elsewhere)
    octets, background, unsure = found.octets, found.background, found.unsure
    if not touched.any():
        return {"verdict": "no counters", "message": "no rate is known for the time of the run"}
    length_s = float((port.end - port.begin)[touched].max())
    row: dict[str, Any] = {"intervals": int(touched.sum()), "interval_s": length_s, "offset_s": 0.0, "wraps": 0}
    kinds = int(np.bitwise_or.reduce(port.flags[touched]))
    if math.isnan(octets):
        what = words(kinds & ~int(Flag.GAP | Flag.REORDERED))
        return row | {"verdict": "no counters", "message": f"no rate is known for all of the run's time ({what})"}
    sharing = [
        other for other, window in zip(same, windows, strict=True) if bool((touched & _touched(port, window)).any())
    ]
    net = octets - background
    mtu, expected = _expected([one, *sharing], net, how)
    if net - expected > tolerance * expected:
        crossing = [
            other for other, window in zip(away, elsewhere, strict=True) if _touched(port, window)[touched].any()
        ]
        also = _crossing([one, *sharing], crossing, net, how, tolerance)
        sharing = [*sharing, *also]
        mtu, expected = _expected([one, *sharing], net, how)
    excess = net - expected
    row["guess"] = _guess([one, *sharing], mtu, how)
    row |= {
        "expected_bytes": expected,
        "counted_bytes": octets,
        "background_bytes": background,
        "excess_bytes": excess,
        "excess_fraction": excess / expected,
        "mtu": mtu,
    }
    several = f", together with {len(sharing)} other run(s) in the same intervals" if sharing else ""
    share = f"{units.format_bytes(octets - background)} counted for {units.format_bytes(expected)} expected{several}"
    if abs(excess) <= tolerance * expected:
        return row | {"verdict": "agrees", "message": share}
    turns = max(round(-excess / _WRAP), 0)
    fits = turns > 0 and abs(excess + turns * _WRAP) <= tolerance * expected < _WRAP / 100
    if kinds & int(Flag.AMBIGUOUS) or fits:
        row["wraps"] = turns
        return row | {"verdict": "counter wrapped", "message": f"{share}: {turns} turn(s) of 32 bits are missing"}
    if sharing or (unsure > tolerance * expected and abs(excess) <= _SIGMAS * unsure):
        hidden = "the runs cannot be told apart" if sharing else "it cannot be told from what else the port carries"
        message = f"{share}: in intervals of {units.format_time(length_s)} {hidden}"
        return row | {"verdict": "averaging window too long", "message": message}
    enough = (1 - tolerance) * expected
    if excess < 0 and octets >= enough and (background >= expected / 2 or octets - found.least >= enough):
        message = (
            f"{units.format_bytes(octets)} counted for {units.format_bytes(expected)} expected{several}: how much of "
            "it is other traffic cannot be told, as other transfers may have been before and after"
        )
        return row | {"verdict": "averaging window too long", "message": message}
    if excess < 0:
        return row | {"verdict": "fewer octets", "message": f"{share}: {-excess / expected:.1%} less"}
    again = placing.number_of(one.run.get("retransmits")) * (mtu + how.frame[1])
    told = f"; the tool's retransmissions are up to {units.format_bytes(again)} of it" if again > 0 else ""
    message = f"{share}: {units.format_bytes(excess)} ({excess / expected:.1%}) more{told}"
    return row | {"verdict": "retransmissions or other traffic", "message": message}


def _crossing(
    runs: Sequence[Placed], others: Sequence[Placed], net: float, how: Framing, tolerance: float
) -> Sequence[Placed]:
    """Which runs that fit another port better crossed this one too: all or one of them, where that explains it all."""
    for also in (others, *([other] for other in others)):
        _, expected = _expected([*runs, *also], net, how)
        if also and abs(net - expected) <= tolerance * expected:
            return also
    return ()


def _expected(runs: Sequence[Placed], net: float, how: Framing) -> tuple[int, float]:
    """MTU that best explains the counted octets, and the octets that it allows for runs. [B]."""
    nearest = {}
    for mtu in how.mtus:
        each = [how.of_run(one, mtu) for one in runs]
        nearest[mtu] = min(max(net, sum(low for low, _ in each)), sum(high for _, high in each))
    mtu = min(nearest, key=lambda size: abs(net - nearest[size]))
    return how.stated_by(runs[0]) or mtu, nearest[mtu]


def _guess(runs: Sequence[Placed], mtu: int, how: Framing) -> str:
    """Message about an unstated MTU that fits the counters better than the others."""
    if len(how.mtus) == 1 or all(how.stated_by(one) for one in runs):
        return ""
    others = " and ".join(f"{size} B" for size in how.mtus if size != mtu)
    return f"; no MTU is stated: {mtu} B fits better than {others}"


def _utc(seconds: float) -> pd.Timestamp | None:
    return None if math.isnan(seconds) else pd.Timestamp(round(seconds * 1e9), unit="ns", tz="UTC")
