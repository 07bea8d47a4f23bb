"""A forecast in words: the cells of a row of the table of ports, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hecn_analysis.base.units import format_fraction, format_rate
from hecn_analysis.traffic import ports


def shown(row: Mapping[Any, Any]) -> dict[str, str | None]:
    """Return the texts of a row of the table of ports by the heading of their column, None for unknown values.

    Parameters
    ----------
    row
        Row of the table of ports.

    Returns
    -------
    dict
        Words by the heading of their column.

    Examples
    --------
    >>> row = {"host": "switch", "interface": "eth0", "p95_bps": 4e9, "capacity_bps": 8e9, "method": "trend",
    ...        "mase": 0.8, "mase_naive": 1.0, "growth_fraction": None, "reason": "", "date": pd.Timestamp(2027, 5, 1),
    ...        "date_low": pd.Timestamp(2027, 3, 1), "date_high": None}
    >>> shown(row)["90 %"]
    '2027-03-01 … later'
    """
    late = "later" if pd.isna(row["date_high"]) else _day(row["date_high"])
    return {
        "port": port_name(row),
        "level now": _or_none(row["p95_bps"], format_rate),
        "growth a year": growth(row),
        "capacity": _or_none(row["capacity_bps"], format_rate),
        "full on": _day(row["date"]),
        "90 %": None if pd.isna(row["date_low"]) else f"{_day(row['date_low'])} … {late}",
        "MASE": _or_none(row["mase"], lambda value: f"{value:.2f}"),
        "naive": _or_none(row["mase_naive"], lambda value: f"{value:.2f}"),
        "method": _or_none(row["method"], str),
        "why no date": row["reason"] or None,
    }


def port_name(row: Mapping[Any, Any]) -> str:
    """Host and interface.

    Parameters
    ----------
    row
        Row of a table of ports.

    Returns
    -------
    str
        Both, or the interface alone where no host is known.

    Examples
    --------
    >>> port_name({"host": "switch", "interface": "eth0"})
    'switch eth0'
    """
    return ports.port_name(row["host"], row["interface"])


def growth(row: Mapping[Any, Any]) -> str | None:
    """Growth a year with its interval."""
    if pd.isna(row["growth_fraction"]):
        return None
    kind = row.get("growth")
    mid, low, high = (row[f"growth{end}_fraction"] * 100 for end in ("", "_low", "_high"))
    part = f"{mid:+.0f} % ({low:+.0f} … {high:+.0f})"
    if kind not in {"linear", "undecided"}:
        return part
    line = "{} ({} … {})".format(*(_signed(row[f"growth{end}_bps"]) for end in ("", "_low", "_high")))
    return line if kind == "linear" else f"{part} or {line}, undecided"


def sentence(row: Mapping[Any, Any], capacity: float) -> str:
    """Return a sentence with the date on which a port is full.

    Parameters
    ----------
    row, capacity
        Row of the table of ports, and the fraction of the speed that counts as full.

    Returns
    -------
    str
        One sentence, without its full stop.

    Examples
    --------
    >>> row = {"host": "switch", "interface": "eth0", "status": "date", "p95_bps": 4e9, "capacity_bps": 8e9,
    ...        "growth_fraction": 0.4, "growth_low_fraction": 0.38, "growth_high_fraction": 0.421, "date_without": None,
    ...        "date": pd.Timestamp(2027, 5, 1), "date_low": pd.Timestamp(2027, 3, 1), "date_high": None}
    >>> sentence(row, 0.8)
    'Port switch eth0 reaches 80 % of its speed, 8.00 Gb/s, on 2027-05-01, with 90 % from 2027-03-01 to later; ...'
    """
    name, full = f"Port {port_name(row)}", f"{format_fraction(capacity, digits=2)} of its speed"
    if row["status"] == "reached":
        return f"{name} has already reached {full}: {format_rate(row['p95_bps'])} of {format_rate(row['capacity_bps'])}"
    if row["status"] != "date":
        return f"{name}: no date can be given: {row['reason']}"
    late = "later" if pd.isna(row["date_high"]) else _day(row["date_high"])
    grows = growth(row)
    ways = [row.get(f"date_{kind}") for kind in ("linear", "exponential")]
    dates = ["later" if pd.isna(way) else f"on {_day(way)}" for way in ways]
    undecided = (
        f"; the fit does not decide between linear and exponential growth: {dates[0]} or {dates[1]}"
        if row.get("growth") == "undecided"
        else ""
    )
    other = "" if pd.isna(row["date_without"]) else f" ({_day(row['date_without'])} without planned changes)"
    return (
        f"{name} reaches {full}, {format_rate(row['capacity_bps'])}, on {_day(row['date'])}{other}, "
        f"with 90 % from {_day(row['date_low'])} to {late}; now it is at {format_rate(row['p95_bps'])}"
        + ("" if grows is None else f" and grows by {grows} a year")
        + undecided
    )


def first_full(rows: Sequence[Mapping[Any, Any]]) -> Mapping[Any, Any]:
    """Return the row of the port that is full first or, if none will be, of the one nearest to its capacity.

    Parameters
    ----------
    rows
        Rows of the table of ports, at least one.

    Returns
    -------
    mapping
        One of the rows.

    Examples
    --------
    >>> rows = [{"interface": "eth0", "date": None}, {"interface": "eth1", "date": pd.Timestamp(2027, 5, 1)}]
    >>> first_full(rows)["interface"]
    'eth1'
    """
    dated = [row for row in rows if not pd.isna(row["date"])]
    if dated:
        return min(dated, key=lambda row: row["date"])
    return max(rows, key=lambda row: -1.0 if pd.isna(row["p95_bps"]) else row["p95_bps"] / (row["capacity_bps"] or 1.0))


def _signed(rate: float) -> str:
    return f"{'-' if rate < 0 else '+'}{format_rate(abs(rate))}"


def _or_none(value: Any, form: Any) -> str | None:  # noqa: ANN401 - a cell of a table
    return None if pd.isna(value) else str(form(value))


def _day(value: Any) -> str | None:  # noqa: ANN401 - a cell of a table
    return None if pd.isna(value) else f"{value:%Y-%m-%d}"
