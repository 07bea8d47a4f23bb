"""Evidence for a judgement by service levels, row by row, and the measurements that a judgement needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.limits import framing
from hecn_analysis.runs.rates import run_rate
from hecn_analysis.traffic.ports import KEY, port_key, port_name
from hecn_analysis.traffic.service_levels import (
    COLUMNS,
    CONFIDENCE,
    FAIL,
    OWNERS,
    PASS,
    UNKNOWN,
    ServiceLevel,
    judge,
    packets_needed,
    proportion_bounds,
    sources_of,
)

EVIDENCE: Final = ("criterion", "source_file", "line_first", "line_last", "tool", "says")
EFFORT: Final = ("criterion", "limit", "unit", "needs")
NAMES: Final = {
    "availability": "availability",
    "restoral time": "restoral time",
    "rtt": "round trip",
    "loss": "loss",
    "mtu": "packet size",
    "bandwidth": "bandwidth",
}
"""Names of the criteria for readers."""
_LEAST_RUNS: Final = 5  # smallest number of runs that bounds a median: 0.5 ** 5 < 5 %


def evidence(level: ServiceLevel, runs: pd.DataFrame, samples: pd.DataFrame | None = None) -> pd.DataFrame:
    """List what each run and each port says about the criteria of a table of service levels."""
    rows: list[dict[str, Any]] = []
    for run in runs.to_dict("records"):
        origin = {name: run.get(name) for name in ("source_file", "line_first", "line_last", "tool")}
        rows += [{"criterion": name, **origin, "says": text} for name, text in _statements(level, run)]
    if samples is not None and len(samples):
        rows += _ports(level, samples)
    rows.sort(key=lambda row: list(NAMES).index(row["criterion"]))
    return pd.DataFrame(rows, columns=list(EVIDENCE)).astype({"line_first": "Int64", "line_last": "Int64"})


def judge_paths(
    level: ServiceLevel, paths: Mapping[str, tuple[pd.DataFrame, pd.DataFrame | None]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge several paths, each by its own measurements.

    Parameters
    ----------
    level
        The table of service levels.
    paths
        Runs and readings of ports (or None) of each path, by its name.

    Returns
    -------
    DataFrame, DataFrame
        The tables of `hecn_analysis.traffic.service_levels.judge` and of `evidence`, with a column ``path`` in front.

    Examples
    --------
    >>> from hecn_analysis import read
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.traffic.service_levels import load
    >>> runs = read(data_dir() / "transfers" / "after").runs
    >>> judged, said = judge_paths(load("hec-test-wan"), {"lab": (runs, None)})
    >>> judged.loc[judged["criterion"] == "rtt", ["path", "verdict"]].to_dict("records"), len(said) > 0
    ([{'path': 'lab', 'verdict': 'pass'}], True)
    """
    judged = [
        {"path": name, **row}
        for name, measurements in paths.items()
        for row in judge(level, *measurements).to_dict("records")
    ]
    statements = [
        {"path": name, **row}
        for name, measurements in paths.items()
        for row in evidence(level, *measurements).to_dict("records")
    ]
    table = pd.DataFrame(judged, columns=["path", *COLUMNS])
    lines = {"line_first": "Int64", "line_last": "Int64"}
    return table, pd.DataFrame(statements, columns=["path", *EVIDENCE]).astype(lines)


def least_effort(level: ServiceLevel, *, rate_bps: float) -> pd.DataFrame:
    """Smallest effort to show that each criterion is met, if nothing fails meanwhile.

    Parameters
    ----------
    level
        The table.
    rate_bps
        Rate at which packets are sent. [bit/s]

    Returns
    -------
    DataFrame
        `EFFORT`, a row for each criterion of the table.

    Examples
    --------
    >>> from hecn_analysis.traffic.service_levels import load
    >>> print(least_effort(load("hec-operational-wan"), rate_bps=10e9)["needs"].tolist()[3])
    29,957,322 packets without a loss: 268 GB, 217 s at 10.0 Gb/s
    """
    rows: list[dict[str, Any]] = []
    mtu = level.mtu or 1500
    if level.availability is not None:
        tests = math.ceil(math.log1p(-CONFIDENCE) / math.log(level.availability)) if level.availability < 1 else None
        needs = "no number of measurements" if tests is None else f"{tests:,} tests that all go through"
        if tests is not None and level.restoral_time is not None:
            watched = -math.log1p(-CONFIDENCE) * level.restoral_time / (1 - level.availability)
            needs += f", or {units.format_time(watched)} watched without an outage"
        rows.append({"criterion": "availability", "limit": level.availability, "unit": "1", "needs": needs})
    if level.restoral_time is not None:
        needs = "an outage that is over sooner"
        rows.append({"criterion": "restoral time", "limit": level.restoral_time, "unit": "s", "needs": needs})
    if level.rtt is not None:
        rows.append(
            {"criterion": "rtt", "limit": level.rtt, "unit": "s", "needs": f"{_LEAST_RUNS} runs that are all below it"}
        )
    if level.loss is not None:
        packets = packets_needed(level.loss)
        payload = packets * float(framing.payload_bytes(mtu))
        seconds = packets * float(framing.wire_bytes(mtu)) * 8 / rate_bps
        needs = f"{packets:,} packets without a loss: {units.format_bytes(payload)}, "
        needs += f"{units.format_time(seconds)} at {units.format_rate(rate_bps)}"
        rows.append({"criterion": "loss", "limit": level.loss, "unit": "1", "needs": needs})
    if level.mtu is not None:
        needs = "a port's octets and packets while a bulk transfer passes"
        rows.append({"criterion": "mtu", "limit": float(level.mtu), "unit": "B", "needs": needs})
    if level.bandwidth is not None:
        payload_bps = float(framing.goodput_bps(level.bandwidth, mtu))
        needs = f"a run of {units.format_rate(0.95 * payload_bps)} of data or more"
        needs += ", and readings of a port of that bandwidth" if level.single_link else ""
        rows.append({"criterion": "bandwidth", "limit": level.bandwidth, "unit": "bit/s", "needs": needs})
    return pd.DataFrame(rows, columns=list(EFFORT))


def summary(judged: pd.DataFrame) -> str:
    """Summarise which criteria are met, failed, or undecided.

    Parameters
    ----------
    judged
        The table of `hecn_analysis.traffic.service_levels.judge`.

    Returns
    -------
    str
        One sentence.

    Examples
    --------
    >>> rows = pd.DataFrame({"criterion": ["rtt", "loss", "mtu"], "verdict": ["pass", "fail", "pass"]})
    >>> summary(rows)
    '2 of 3 criteria shown to be met (round trip, packet size), 1 not met (loss)'
    """
    parts = []
    for verdict, outcome in ((PASS, "shown to be met"), (FAIL, "not met"), (UNKNOWN, "open")):
        names = [NAMES[name] for name in judged.loc[judged["verdict"] == verdict, "criterion"]]
        number = f"{len(names)} of {len(judged)} criteria" if verdict == PASS else str(len(names))
        if names or verdict == PASS:
            parts.append(f"{number} {outcome}" + (f" ({', '.join(names)})" if names else ""))
    return ", ".join(parts)


def written(value: float | None, unit: str) -> str:
    """Write a limit, an estimate or a bound with its unit.

    Parameters
    ----------
    value
        The value in SI; None or NaN if missing.
    unit
        Its unit: ``s``, ``bit/s``, ``B`` or ``1``.

    Returns
    -------
    str
        The value with its unit, or a dash.

    Examples
    --------
    >>> written(1e-7, "1"), written(9014.0, "B"), written(40e9, "bit/s"), written(None, "s")
    ('1e-07', '9014 B', '40.0 Gb/s', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    forms: dict[str, Callable[[float], str]] = {
        "s": units.format_time,
        "bit/s": units.format_rate,
        "B": lambda number: f"{number:.0f} B",
    }
    return forms[unit](value) if unit in forms else f"{value:.3g}"


def _statements(level: ServiceLevel, run: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """Evidence of one run, by criterion."""
    statements: list[tuple[str, str]] = []
    if level.availability is not None:
        lost = _number(run, "loss_fraction")
        failed = (lost is not None and lost >= 1) or run.get("error") is True
        statements.append(("availability", "did not go through" if failed else "went through"))
    if level.rtt is not None:
        rtt = next(
            (value for name in ("rtt_avg_s", "rtt_s", "rtt_min_s") if (value := _number(run, name)) is not None), None
        )
        if rtt is not None:
            statements.append(("rtt", units.format_time(rtt)))
    if level.loss is not None:
        sent, missing, retransmits = (_number(run, name) for name in ("sent_packets", "lost_packets", "retransmits"))
        if sent is not None and missing is not None:
            low, high = map(units.format_fraction, proportion_bounds(int(missing), int(sent)))
            statements.append(("loss", f"{missing:,.0f} of {sent:,.0f} packets lost: between {low} and {high}"))
        elif retransmits is not None:
            statements.append(("loss", f"{retransmits:,.0f} TCP packets retransmitted{_amount(run)}"))
    rate = run_rate({**run, "error": None})  # a run that failed later also filled the path
    if level.bandwidth is not None and not math.isnan(rate) and run.get("protocol") != "file":
        statements.append(("bandwidth", f"{units.format_rate(rate)} of data"))
    return statements


def _amount(run: Mapping[Any, Any]) -> str:
    amount, duration, rate = _number(run, "bytes"), _number(run, "duration_s"), run_rate(run)
    if amount is None and not math.isnan(rate) and duration is not None:
        amount = rate * duration / 8
    return "" if amount is None else f" in {units.format_bytes(amount)}"


def _ports(level: ServiceLevel, samples: pd.DataFrame) -> list[dict[str, Any]]:
    """Evidence of each port: its state and its packets."""
    rows: list[dict[str, Any]] = []
    if not OWNERS & set(samples.columns):
        return rows
    samples = samples.reset_index(drop=True)
    key = port_key(samples)
    for _, port in samples.groupby(sources_of(samples), sort=False):
        file = port["source_file"].iloc[0] if "source_file" in port else None
        label = port_name(*key.loc[port.index[0], list(KEY)])
        origin = {"source_file": file, "line_first": None, "line_last": None, "tool": f"port {label}".strip()}
        if level.availability is not None and "up" in port and port["up"].notna().any():
            up = port["up"].dropna().astype(bool)
            text = f"up in {int(up.sum()):,} of {len(up):,} readings"
            rows.append({"criterion": "availability", **origin, "says": text})
        if level.mtu is not None and {"in_octets", "in_packets", "out_octets", "out_packets"} <= set(port.columns):
            largest = _largest_packet(port, level.mtu)
            if largest is not None:
                text = f"mean packet of an interval up to {largest:.0f} B with its frame"
                rows.append({"criterion": "mtu", **origin, "says": text})
    return rows


def _largest_packet(port: pd.DataFrame, mtu: int) -> float | None:
    ordered = port.sort_values("time", kind="stable")
    sizes = []
    for direction in ("in", "out"):
        octets, packets = (
            pd.to_numeric(ordered[f"{direction}_{what}"]).astype("Float64").diff() for what in ("octets", "packets")
        )
        known = (octets > 0) & (octets < packets * (mtu + framing.FRAME_OVERHEAD))
        sizes += (octets[known.fillna(False)] / packets[known.fillna(False)]).tolist()  # noqa: FBT003 - missing
    return max((float(size) for size in sizes), default=None)


def _number(run: Mapping[Any, Any], name: str) -> float | None:
    value = run.get(name)
    return None if value is None or pd.isna(value) else float(value)
