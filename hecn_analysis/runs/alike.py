"""Group runs that repeat one test, according to their logs, so that their rates can be compared.

Runs are alike if they have the same tool, protocol, direction, number of streams, size of requests to a disk and
circumstances (alone or simultaneous, over an emulated or a real path), about the same distance (round-trip time within
a factor of 2, or 5 ms) and about the same amount (a factor of 3) or, for timed tests, duration (a factor of 2). File
names do not count. Unknown values form a class of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.runs.circumstances import circumstances
from hecn_analysis.runs.rates import run_rates

#: Properties that make runs alike, in the order of their description.
KEYS: Final = ("tool", "protocol", "direction", "streams", "request", "extent", "distance", "circumstances")

_RTT_RATIO: Final = 2.0
_RTT_S: Final = 0.005
_BYTES_RATIO: Final = 3.0
_DURATION_RATIO: Final = 2.0

#: Tools whose tests are timed, unless they transfer a round amount.
_BY_CLOCK: Final = frozenset(
    {"ethr", "flent", "iperf2", "iperf3", "netperf", "nttcp", "ntttcp", "nuttcp", "pscheduler", "qperf", "sockperf"}
)

#: Tests are timed in multiples of this, and end this close to it. A printed amount such as 12.5 GBytes may be round by
#: chance, more often than a time. [s]
_ROUND_TIME_S: Final = 5.0
_ENDS_WITHIN_S: Final = 0.06

#: Tools that report the round-trip time under load, which may be mostly queueing, so these classes are wider.
_LOADED: Final = frozenset({"iperf2", "iperf3", "ss", "speedtest"})
_LOADED_RATIO: Final = 3.0
_LOADED_S: Final = 0.05

#: Requests are of a power of two; where rate and requests per second deviate more from one, of several sizes. [1]
_OFF_A_POWER: Final = 0.06

#: Values of a class within this ratio are described as one value.
_SAME: Final = 1.1


def with_conditions(runs: pd.DataFrame) -> pd.DataFrame:
    """Add the properties that make runs alike; give runs of several folders together, so that they share classes.

    New columns: ``rate_bps`` (from `hecn_analysis.runs.rates.run_rate`) [bit/s], ``path_rtt_s`` (the smallest in the
    log) [s], ``request``, ``extent``, ``distance`` and ``circumstances`` (texts, missing if unknown), and
    ``condition``: all `KEYS` in words, such as "nuttcp tcp, 30 s, RTT 80 ms, emulated path, B-systems".
    """
    smallest = runs[["rtt_min_s", "rtt_s", "rtt_avg_s"]].astype(float).bfill(axis=1)["rtt_min_s"]
    described = runs.assign(rate_bps=run_rates(runs), path_rtt_s=smallest)
    described["distance"] = _distance(smallest, runs["tool"])
    described["request"] = _requests(described)
    described["extent"] = _extents(runs)
    described["circumstances"] = pd.array(circumstances(runs), dtype="string")
    described["condition"] = _words(described)
    return described


def groups(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each kind of run in runs from `with_conditions`, those with most runs first.

    Columns: ``condition``, `KEYS`, ``runs`` with a rate, ``failed`` ones, ``median_bps``, ``least_bps``, ``most_bps``
    [bit/s], medians of ``path_rtt_s`` [s], ``retransmits_per_gb`` [1/GB], ``loss_fraction`` [1],
    ``cpu_sender_fraction``, ``cpu_receiver_fraction`` [cores], and ``tool_version`` (all versions).
    """
    rows = []
    for condition, part in runs.groupby("condition", sort=False):
        rated = part[part["rate_bps"].notna()]
        first = part.iloc[0]
        rows.append(
            {
                "condition": condition,
                **{key: first[key] for key in KEYS},
                "runs": len(rated),
                "failed": int(part["error"].sum()),
                "median_bps": rated["rate_bps"].dropna().median(),
                "least_bps": rated["rate_bps"].min(),
                "most_bps": rated["rate_bps"].max(),
                "path_rtt_s": part["path_rtt_s"].dropna().median(),
                **beside(part, ("loss_fraction", "cpu_sender_fraction", "cpu_receiver_fraction")),
            }
        )
    columns = [
        *("condition", *KEYS, "runs", "failed", "median_bps", "least_bps", "most_bps", "path_rtt_s"),
        *("retransmits_per_gb", "loss_fraction", "cpu_sender_fraction", "cpu_receiver_fraction", "tool_version"),
    ]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("runs", ascending=False, kind="stable", ignore_index=True)


def beside(runs: pd.DataFrame, columns: Iterable[str]) -> dict[str, Any]:
    """Return medians of ``retransmits_per_gb`` [1/GB] and of numeric columns (else NaN), and all tool versions."""
    per_gb = runs["retransmits"].astype(float) / (runs["bytes"].astype(float) / 1e9)
    return {
        "retransmits_per_gb": per_gb[np.isfinite(per_gb)].median(),
        **{name: runs[name].dropna().astype(float).median() for name in columns},
        "tool_version": ", ".join(sorted(set(runs["tool_version"].dropna()))),
    }


def _classes(values: pd.Series[Any], ratio: float, least: float, words: Callable[[float], str]) -> list[str | None]:
    """Text for the class of each value; a class extends from its smallest value to `ratio` times that."""
    known = np.sort(values.dropna().to_numpy(dtype=float))
    starts: list[float] = []
    for value in known:
        if not starts or value > max(starts[-1] * ratio, starts[-1] + least):
            starts.append(float(value))
    numbers = np.searchsorted(starts, known, side="right") - 1
    names = [_range(known[numbers == number], words) for number in range(len(starts))]
    places = np.searchsorted(starts, values.to_numpy(dtype=float), side="right") - 1
    return [None if pd.isna(value) else names[place] for value, place in zip(values, places, strict=True)]


def _range(values: Any, words: Callable[[float], str]) -> str:  # noqa: ANN401 - an array, sorted
    """Describe the values of a class."""
    if values[-1] <= values[0] * _SAME:
        return words(float(np.median(values)))
    return f"{words(float(values[0]))} to {words(float(values[-1]))}"


def _time(rtt_s: float) -> str:
    return "below 5 ms" if rtt_s < _RTT_S else units.format_time(rtt_s, digits=2)


def _distance(rtt_s: pd.Series[Any], tools: pd.Series[Any]) -> list[str | None]:
    """Distances as text; those below 5 ms form one class, since a queue adds as much."""
    loaded = tools.isin(_LOADED)
    idle = _classes(
        rtt_s.where(~loaded).where(~(rtt_s < _RTT_S), 0.0).where(~loaded & rtt_s.notna()), _RTT_RATIO, _RTT_S, _time
    )
    under_load = _classes(rtt_s.where(loaded), _LOADED_RATIO, _LOADED_S, units.format_time)
    return [
        f"RTT {idle_class}"
        if idle_class is not None
        else None
        if loaded_class is None
        else f"loaded RTT {loaded_class}"
        for idle_class, loaded_class in zip(idle, under_load, strict=True)
    ]


def _requests(runs: pd.DataFrame) -> list[str | None]:
    """Sizes of the requests to a disk, by rate and requests per second."""
    iops = runs["iops"].astype(float).where(runs["protocol"].eq("file") & (runs["iops"].astype(float) > 0))
    size = runs["rate_bps"].astype(float) / 8 / iops
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.round(np.log2(size.where(size > 0)))
    fits = np.abs(size / 2**power - 1) <= _OFF_A_POWER + 1 / iops  # whole requests per second are printed
    return [f"requests of {_binary(int(number))}" if fit else None for number, fit in zip(power, fits, strict=True)]


def _binary(power: int) -> str:
    """A power of two in bytes, as options of tools state it."""
    prefixes = ("B", "KiB", "MiB", "GiB")
    step = min(max(power // 10, 0), len(prefixes) - 1)
    return f"{2 ** (power - 10 * step):g} {prefixes[step]}"


def _extents(runs: pd.DataFrame) -> list[str | None]:
    """Duration of a timed run, else its amount of data."""
    duration, amount = runs["duration_s"].astype(float), runs["bytes"].astype(float)
    round_amount = (amount % 10**6 == 0) | (amount % (10 * 2**20) == 0)
    beyond = duration % _ROUND_TIME_S
    round_time = (duration > _ROUND_TIME_S / 2) & (np.minimum(beyond, _ROUND_TIME_S - beyond) <= _ENDS_WITHIN_S)
    timed = runs["tool"].isin(_BY_CLOCK) & (round_time | ~round_amount)
    times = _classes(duration.where(timed), _DURATION_RATIO, 0.0, lambda value: f"{value:.0f} s")
    sizes = amount.where(~timed & (amount > 0))
    amounts = _classes(sizes, _BYTES_RATIO, 0.0, lambda value: units.format_bytes(value, digits=2))
    return [time or size for time, size in zip(times, amounts, strict=True)]


def _words(runs: pd.DataFrame) -> list[str]:
    return [words(row) for row in runs[list(KEYS)].to_dict("records")]


def words(row: Any, keys: Sequence[str] = KEYS) -> str:  # noqa: ANN401 - a row of a table
    """Describe what the runs of a group have in common, by these of the `KEYS`: "iperf3 send, 4 streams"."""
    known = {key: row[key] for key in keys if not pd.isna(row[key])}
    head = " ".join(
        str(known[key])
        for key in ("tool", "protocol", "direction")
        if key in known and not (key == "protocol" and known[key] == "file")
    )
    streams = [f"{known['streams']} streams"] if known.get("streams", 1) > 1 else []
    return ", ".join(
        [
            head,
            *streams,
            *(str(known[key]) for key in ("request", "extent", "distance", "circumstances") if key in known),
        ]
    )
