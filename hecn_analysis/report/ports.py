"""What the ports of a folder saw: how full they were, and whether they agree with what the tools say they sent."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.report.folder import Folder
from hecn_analysis.traffic.reconcile import reconcile
from hecn_analysis.traffic.speeds import speeds_of
from hecn_analysis.traffic.utilisation import utilisation

#: Lengths of slots that percentiles rank, the longest first; so many slots are wanted. [s]
_SLOTS_S: Final = (300.0, 60.0, 10.0, 1.0)
_ENOUGH: Final = 20

#: Runs without a time that are looked for in the counters, at most: each is tried everywhere.
_UNTIMED: Final = 30
#: Ports that are held to runs, those that carried most.
_MOST_PORTS: Final = 12


def slot_length(rates: pd.DataFrame) -> float:
    """Length of the slots for percentiles: 5 min as bills have it, or less where the counters cover little time. [s].

    Parameters
    ----------
    rates
        Rates as in the table ``rates``.

    Returns
    -------
    float
        The length. [s]

    Examples
    --------
    >>> times = pd.date_range("2013-11-20", periods=60, freq="1s", tz="UTC")
    >>> slot_length(pd.DataFrame({"time": times, "interval_s": 1.0}))
    1.0
    """
    known = rates[rates["interval_s"] > 0]
    if known.empty:
        return _SLOTS_S[0]
    span = (known["time"].max() - known["time"].min()).total_seconds()
    usual = float(known["interval_s"].median())
    return next((slot for slot in _SLOTS_S if span >= _ENOUGH * slot and slot >= usual), max(_SLOTS_S[-1], usual))


def port_table(folder: Folder) -> pd.DataFrame:
    """How full each port was, the fullest first: as `hecn_analysis.traffic.utilisation.utilisation`, with ``port``.

    Parameters
    ----------
    folder
        What was read.

    Returns
    -------
    DataFrame
        One row a port; rates in bit/s.

    Examples
    --------
    >>> from hecn_analysis.places import data_dir
    >>> from hecn_analysis.report.folder import read_folder
    >>> folder = read_folder(data_dir() / "transfers" / "after" / "sar.txt")
    >>> port_table(folder)[["port", "slots"]].to_dict("records")[0]
    {'port': 'switch port1', 'slots': 66}
    """
    rates = folder.counters.rates
    rates = rates[rates["time"].notna()]
    if rates.empty:
        return pd.DataFrame()
    found = utilisation(rates, slot_s=slot_length(rates), speeds=speeds_of(folder.counters.samples))
    found["port"] = found["host"].fillna("").str.cat(found["interface"].fillna(""), sep=" ").str.strip()
    found["bytes"] = found[["in_bytes", "out_bytes"]].sum(axis=1, min_count=1)
    return found.sort_values("bytes", ascending=False, kind="stable", ignore_index=True)


def agreement(folder: Folder) -> pd.DataFrame:
    """Hold the runs to the ports, where they were at the same time: as `hecn_analysis.traffic.reconcile.reconcile`.

    Runs whose log has no times are looked for where the counters resemble them. What is alike for want of counters in
    that time is left out.

    Parameters
    ----------
    folder
        What was read.

    Returns
    -------
    DataFrame
        One row a run and port, with ``file``; only ``verdict`` where there is none.

    Examples
    --------
    >>> from hecn_analysis.places import data_dir
    >>> from hecn_analysis.report.folder import read_folder
    >>> folder = read_folder(data_dir() / "logs" / "c-systems-dd.txt")
    >>> len(agreement(folder))
    0
    """
    rates = folder.counters.rates
    rates = rates[rates["time"].notna() & (rates["interval_s"] > 0)]
    runs = folder.runs[(folder.runs["protocol"] != "file") & folder.runs["rate_bps"].notna()]
    if rates.empty or runs.empty:
        return pd.DataFrame(columns=["verdict"])
    begin, end = rates["time"].min() - pd.Timedelta(10, "min"), rates["time"].max() + pd.Timedelta(10, "min")
    timed = runs[(runs["start_time"] >= begin) & (runs["start_time"] <= end)]
    untimed = runs[runs["start_time"].isna()]
    chosen = pd.concat([timed, untimed if len(untimed) <= _UNTIMED else untimed.iloc[:0]]).sort_index()
    if chosen.empty:
        return pd.DataFrame(columns=["verdict"])
    rates = _finest(rates)
    busiest = rates.assign(bits=rates[["in_bps", "out_bps"]].sum(axis=1) * rates["interval_s"])
    carried = busiest.groupby(["host", "interface"], dropna=False)["bits"].sum().nlargest(_MOST_PORTS).index
    kept = pd.MultiIndex.from_frame(rates[["host", "interface"]]).isin(carried)
    found = reconcile(chosen, rates[np.asarray(kept)])
    found["file"] = found["source_file"].map(folder.short)
    return found[~found["verdict"].isin(["no counters", "not enough in the log"])].reset_index(drop=True)


def _finest(rates: pd.DataFrame) -> pd.DataFrame:
    """Rates of the source with the shortest intervals: several that saw the same port count the same octets."""
    sources = rates.groupby("source_file")["interval_s"].agg(["median", "size"])
    best = sources.sort_values(["median", "size"], ascending=[True, False], kind="stable").index[0]
    finest: pd.DataFrame = rates[rates["source_file"] == best]
    return finest
