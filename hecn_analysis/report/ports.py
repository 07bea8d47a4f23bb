"""The ports of a folder: their utilisation, and whether their counters agree with what the tools report as sent."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.ingest.folder import Folder
from hecn_analysis.traffic.ports import KEY, number_rows, port_key, with_names
from hecn_analysis.traffic.reconcile import reconcile
from hecn_analysis.traffic.speeds import speeds_of
from hecn_analysis.traffic.utilisation import utilisation

#: Lengths of slots for percentiles, the longest first [s]; and the number of slots needed.
_SLOTS_S: Final = (300.0, 60.0, 10.0, 1.0)
_ENOUGH: Final = 20

#: Largest number of runs without a time to search for in the counters, since each is tried everywhere.
_UNTIMED: Final = 30
#: Number of ports compared with runs: those that carried most.
_MOST_PORTS: Final = 12


def slot_length(rates: pd.DataFrame) -> float:
    """Length of the slots for percentiles: 5 min, or less if the counters cover little time [s]."""
    known = rates[rates["interval_s"] > 0]
    if known.empty:
        return _SLOTS_S[0]
    span = (known["time"].max() - known["time"].min()).total_seconds()
    usual = float(known["interval_s"].median())
    return next((slot for slot in _SLOTS_S if span >= _ENOUGH * slot and slot >= usual), max(_SLOTS_S[-1], usual))


def port_table(folder: Folder) -> pd.DataFrame:
    """Utilisation of each port, the busiest first: `hecn_analysis.traffic.utilisation.utilisation` with ``port``."""
    rates = folder.counters.rates
    rates = rates[rates["time"].notna()]
    if rates.empty:
        return pd.DataFrame()
    table = utilisation(rates, slot_s=slot_length(rates), speeds=speeds_of(folder.counters.samples))
    table["port"] = with_names(table[list(KEY)])["port"]
    table["bytes"] = table[["in_bytes", "out_bytes"]].sum(axis=1, min_count=1)
    return table.sort_values("bytes", ascending=False, kind="stable", ignore_index=True)


def rates_of(folder: Folder, host: str | None, interface: str | None) -> pd.DataFrame:
    """Rates of one port, from the source with the shortest intervals."""
    rates = folder.counters.rates[folder.counters.rates["time"].notna()]
    key = port_key(rates)
    same = [
        key[name].isna() if pd.isna(value) else key[name] == value
        for name, value in zip(KEY, (host, interface), strict=True)
    ]
    return _finest(rates[same[0] & same[1]])


def agreement(folder: Folder) -> pd.DataFrame:
    """Compare runs with ports over the same time: the table of `hecn_analysis.traffic.reconcile.reconcile`."""
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
    number, _ = number_rows(busiest)
    carried = busiest["bits"].groupby(number).sum().nlargest(_MOST_PORTS).index
    reconciled = reconcile(chosen, rates[np.isin(number, carried)])
    reconciled["file"] = reconciled["source_file"].map(folder.short)
    reconciled["port"] = with_names(reconciled[list(KEY)])["port"]  # source_file is the run's
    return reconciled[~reconciled["verdict"].isin(["no counters", "not enough in the log"])].reset_index(drop=True)


def _finest(rates: pd.DataFrame) -> pd.DataFrame:
    """Keep, for each port and time, the rates of the source with the shortest intervals."""
    port, _ = number_rows(rates)
    end = rates["time"].to_numpy(dtype="datetime64[ns]")
    begin = end - pd.to_timedelta(rates["interval_s"].fillna(0.0), unit="s").to_numpy(dtype="timedelta64[ns]")
    kept = np.zeros(len(rates), dtype=np.bool_)
    sources = rates.assign(port=port, place=np.arange(len(rates))).groupby(["port", "source_file"], dropna=False)
    order = sources["interval_s"].agg(["median", "size"]).reset_index()
    order = order.sort_values(["port", "median", "size"], ascending=[True, True, False], kind="stable")
    rows_of = {key: part.to_numpy() for key, part in sources["place"]}
    for number, port_sources in order.groupby("port"):
        spans: list[tuple[np.datetime64, np.datetime64]] = []
        for file in port_sources["source_file"]:
            rows = rows_of[number, file]
            for first, last in spans:
                rows = rows[(end[rows] <= first) | (begin[rows] >= last)]
            if len(rows):
                kept[rows] = True
                spans.append((begin[rows].min(), end[rows].max()))
    return rates[kept]
