"""Tables derived from samples and rates: the rates between samples, and one row for each interface of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import tables
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.traffic.flags import LOWER_BOUND, to_bits
from hecn_analysis.traffic.ports import KEY, port_key
from hecn_analysis.traffic.rates import rates as rates_between
from hecn_analysis.traffic.series import Speeds, Widths
from hecn_analysis.traffic.slots import NEEDED, from_frame
from hecn_analysis.traffic.utilisation import SLOT_S, summarise

_KEY: Final = ("source_file", "host", "interface", "index")
_P95: Final = ("p95_in_bps", "p95_out_bps")
_SLOTS_AT_ONCE: Final = 2_000_000  # of five minutes: 19 years; an interface with more has no percentile here
_LAST: Final = tuple(
    name for name in tables.COLUMNS["interfaces"] if name in tables.COLUMNS["samples"] and name not in _KEY
)


def rates(
    samples: pd.DataFrame,
    given: pd.DataFrame,
    *,
    max_gap: float | None = None,
    widths: Widths = None,
    speeds: Speeds = None,
) -> pd.DataFrame:
    """Rates between samples, and those that the files themselves give.

    Samples of a port make one series, whichever files they are in: see `hecn_analysis.traffic.ports`.

    Parameters
    ----------
    samples
        The table of samples.
    given
        The table of rates, as the files give them.
    max_gap, widths, speeds
        What a user knows better, as in `hecn_analysis.traffic.rates.rates`. [s], [bit], [bit/s]

    Returns
    -------
    DataFrame
        The table of rates. [bit/s]

    Examples
    --------
    >>> from hecn_analysis.counters import timed_table
    >>> port = {"source_file": "a", "host": "b", "interface": "eth0", "counter_bits": 64}
    >>> counted = [{**port, "time": 0.0, "in_octets": 0}, {**port, "time": 60.0, "in_octets": 7_500_000}]
    >>> rates(timed_table("samples", counted), timed_table("rates", []))["in_bps"].round().tolist()
    [1000000.0]
    """
    timed = samples if samples.empty else samples[samples["time"].notna()]
    if timed.empty:
        return given
    named = timed.assign(**port_key(timed))
    computed = rates_between(named, max_gap=max_gap, widths=widths, speeds=speeds)
    if computed.empty:
        return given
    key = [*KEY, "time"]
    places = named.assign(own_host=timed["host"], own_interface=timed["interface"]).drop_duplicates(key, keep="first")
    placed = computed.merge(
        places[[*key, "source_file", "line", "index", "own_host", "own_interface"]], on=key, how="left"
    ).assign(host=lambda frame: frame["own_host"], interface=lambda frame: frame["own_interface"])
    shaped = placed.reindex(columns=given.columns).astype(given.dtypes.to_dict())
    return pd.concat([shaped, given], ignore_index=True) if len(given) else shaped


def given_rates(samples: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Rates that the files themselves give, without those between samples, which follow from them at any time.

    Parameters
    ----------
    samples
        The table of samples.
    known
        The table of rates that `rates` made of these samples and of what the files give.

    Returns
    -------
    DataFrame
        The table of rates as the files give them. [bit/s]

    Examples
    --------
    >>> from hecn_analysis.counters import read_counters
    >>> from hecn_analysis.base.places import data_dir
    >>> found = read_counters(data_dir() / "counters" / "session" / "port1.log")
    >>> len(given_rates(found.samples, found.rates))
    7
    """
    between = rates(samples, known.iloc[:0])
    return known.iloc[len(between) :].reset_index(drop=True)


def interfaces(parts: Iterable[CounterFindings], samples: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """One row for each interface of a file."""
    parts = [part for part in parts if part.interfaces]
    if not parts:
        return tables.make("interfaces", [])
    read, passed = _groups(samples), _groups(known)
    rows = []
    times: list[tuple[Any, Any]] = []
    keys = [(part.source_file, *identity) for part in parts for identity in part.interfaces]
    ranked = iter(_percentiles(known, [passed.get(key, []) for key in keys]))
    for part in parts:
        for identity, facts in part.interfaces.items():
            key = (part.source_file, *identity)
            own = samples.iloc[read.get(key, [])]
            over = known.iloc[passed.get(key, [])]
            starts = over["time"] - pd.to_timedelta(over["interval_s"].fillna(0.0), unit="s")
            ends = pd.concat([own["time"], over["time"]])
            times.append((pd.concat([own["time"], starts]).min(), ends.max()))
            rows.append(
                {
                    **facts,
                    **_last(own),
                    "source_file": part.source_file,
                    "samples": len(own),
                    "intervals": int((over["in_bps"].notna() | over["out_bps"].notna()).sum()),
                    **{name: value for way in ("in", "out") for name, value in _figures(over, way).items()},
                    **next(ranked),
                }
            )
    frame = tables.make("interfaces", rows)
    for name, values in zip(("first_time", "last_time"), zip(*times, strict=True), strict=False):
        frame[name] = pd.to_datetime(pd.Series(values, dtype="object"), utc=True).astype(frame[name].dtype)
    return frame


def from_tables(samples: pd.DataFrame, given: pd.DataFrame) -> list[CounterFindings]:
    """Source files of the rows of tables, each with its interfaces, as a reader would return them."""
    files: dict[str, CounterFindings] = {}
    for frame in (samples, given):
        for key in _groups(frame):
            file, host, interface, index = key
            findings = files.setdefault(str(file), CounterFindings(str(file)))
            findings.interface(host=host, interface=interface, index=index)
    return list(files.values())


def _groups(frame: pd.DataFrame) -> dict[tuple[object, ...], list[int]]:
    """Places of the rows of each interface of each file."""
    places: dict[tuple[object, ...], list[int]] = {}
    columns = [frame[name].astype(object).where(frame[name].notna(), None) for name in _KEY]
    for place, key in enumerate(zip(*columns, strict=True)):
        places.setdefault(key, []).append(place)
    return places


def _last(own: pd.DataFrame) -> dict[str, object]:
    """Values of the latest sample."""
    if own.empty:
        return {}
    last = own.iloc[int(np.argmax(own["time"].to_numpy()))] if own["time"].notna().all() else own.iloc[-1]
    return {name: last[name] for name in _LAST if pd.notna(last[name])}


def _figures(over: pd.DataFrame, way: str) -> dict[str, float | None]:
    """Mean and peak of one direction; lower bounds are left out, as in `hecn_analysis.traffic.utilisation`."""
    over = over[to_bits(over["flag"]) & int(LOWER_BOUND) == 0]
    mean, most = over[f"{way}_bps"].to_numpy(), over[f"{way}_max_bps"].to_numpy()
    known = np.isfinite(mean)
    if not known.any():
        return {}
    lengths = over["interval_s"].to_numpy()[known]
    weights = lengths if np.isfinite(lengths).all() and lengths.sum() > 0 else None
    return {
        f"mean_{way}_bps": float(np.average(mean[known], weights=weights)),
        f"peak_{way}_bps": float(np.nanmax(np.concatenate([mean[known], most]))),
    }


def _percentiles(known: pd.DataFrame, places: Sequence[list[int]]) -> Iterator[dict[str, float]]:
    """95th percentiles of equal slots for the rates in each list of rows; missing without a complete slot."""
    lengths = [_slots(known["time"].iloc[rows]) for rows in places]
    share: list[int] = []
    held = 0
    for number, length in enumerate(lengths):
        share.append(number)
        held += length
        if held > _SLOTS_AT_ONCE or number + 1 == len(lengths):
            yield from _ranked(known, [places[port] if lengths[port] <= _SLOTS_AT_ONCE else [] for port in share])
            share, held = [], 0


def _slots(times: pd.Series[Any]) -> int:
    """Count the slots between the first and the last time."""
    return int((times.max() - times.min()).total_seconds() / SLOT_S) + 2 if times.notna().any() else 0


def _ranked(known: pd.DataFrame, places: Sequence[list[int]]) -> Iterator[dict[str, float]]:
    """Percentiles of interfaces whose slots fit into memory."""
    owner = np.repeat(np.arange(len(places)), [len(rows) for rows in places])
    rates = known.iloc[[row for rows in places for row in rows]]
    names, intervals = from_frame(rates[list(NEEDED)].assign(host=owner.astype(str), interface=""))
    summary = summarise(intervals)
    row_of = dict(zip(names["host"].astype(int).tolist(), range(len(names)), strict=True))
    for number in range(len(places)):
        figures = {name: float(summary[name][row_of[number]]) for name in _P95} if number in row_of else {}
        yield {name: value for name, value in figures.items() if np.isfinite(value)}
