"""Rates from counter readings, each with a flag that explains how it was computed: `rates`.

`hecn_analysis.traffic.differences` has the rules for wraps, resets, gaps and clock steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import RangeError
from hecn_analysis.base.tables import with_units
from hecn_analysis.traffic import differences
from hecn_analysis.traffic.flags import Flag, to_bits, to_words
from hecn_analysis.traffic.series import Named, Speeds, Widths, from_frame

COLUMNS: Final = ("host", "interface", "time", "interval_s", "in_bps", "out_bps", "in_max_bps", "out_max_bps", "flag")

DISPLAY_CEILINGS: Mapping[str, float] = MappingProxyType({"gkrellm": (2.0**31 - 1) * 8})
"""Largest rate that a program can show [bit/s]. GKrellM counts bytes per second in 31 bits: 17.18 Gb/s, as the HECN
team's SC13 pages report."""
_AT_CEILING: Final = 1e-3  # programs print three digits or more


def rates(
    samples: pd.DataFrame, *, max_gap: float | None = None, widths: Widths = None, speeds: Speeds = None
) -> pd.DataFrame:
    """Compute rates from counter readings.

    Parameters
    ----------
    samples
        Readings as in the table ``samples``, of any number of interfaces, in any order. ``interface``, ``time``,
        ``in_octets`` and ``out_octets`` are required; ``counter_bits``, ``speed_bps`` and ``uptime_s`` tell wraps from
        resets; ``discontinuity_s`` is used if present.
    max_gap
        Longest time between readings that is not a gap; by default 2.5 times the interface's usual time. [s]
    widths
        Counter widths that override those of the source, for all or by interface or (host, interface). [bits]
    speeds
        The same for the speed. [bit/s]

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: a row for each reading except the first of an interface, with or without a rate; ``time``
        is the end of the interval. Interfaces are in order of appearance, their rows in order of time. ``in_max_bps``
        and ``out_max_bps`` are missing, since counters keep no maxima.

    Raises
    ------
    InputError
        If a column is absent or a width is invalid.
    RangeError
        If `max_gap` is not positive.

    Examples
    --------
    >>> when = pd.to_datetime(["2013-11-20 12:00:00", "2013-11-20 12:05:00"], utc=True)
    >>> readings = pd.DataFrame({"interface": "eth0", "time": when, "in_octets": [4_000_000_000, 200_000_000],
    ...                          "out_octets": 0, "counter_bits": 32, "speed_bps": 100e6})
    >>> rates(readings)["flag"][0], rates(readings, widths=64)["flag"][0]
    ('wrap', 'reset')
    """
    if max_gap is not None and not max_gap > 0:
        raise RangeError(f"max_gap: found {max_gap!r} s, expected more than 0 s")
    named = from_frame(samples, widths=widths, speeds=speeds)
    return frame(named, differences.rates(named.series, max_gap_s=max_gap))


def frame(named: Named, computed: differences.Rates) -> pd.DataFrame:
    """Table of the rates."""
    keep = np.ones(len(computed.flags), dtype=np.bool_)
    keep[computed.first] = False
    number = np.repeat(np.arange(len(computed.first)), named.series.lengths)[keep]
    missing = np.full(int(keep.sum()), np.nan)
    table = pd.DataFrame(
        {
            "host": pd.array(list(named.hosts), dtype="string").take(number),
            "interface": pd.array(list(named.interfaces), dtype="string").take(number),
            "time": pd.DatetimeIndex(named.series.time_ns[keep].view("datetime64[ns]"), tz="UTC"),
            "interval_s": computed.interval_s[keep],
            "in_bps": computed.in_bps[keep],
            "out_bps": computed.out_bps[keep],
            "in_max_bps": missing,
            "out_max_bps": missing.copy(),
            "flag": to_words(computed.flags[keep]),
        }
    )
    return with_units(table)


def flag_ceilings(table: pd.DataFrame, ceiling_bps: float) -> pd.DataFrame:
    """Flag rates at the largest value that their program can count or show.

    The rates are unchanged: the true ones are at least as high.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    ceiling_bps
        The largest rate, such as one of `DISPLAY_CEILINGS`. [bit/s]

    Returns
    -------
    DataFrame
        The table, with ``ceiling`` among the words of ``flag`` in those rows.

    Examples
    --------
    >>> flag_ceilings(table, 4e9)["flag"].tail(2).tolist()
    ['ok', 'ceiling']
    """
    highest = table[["in_bps", "out_bps"]].max(axis=1).to_numpy(dtype=float)
    flags = table["flag"].astype("string").fillna("ok")
    at_ceiling = (np.abs(highest / ceiling_bps - 1) <= _AT_CEILING) & (to_bits(flags) & int(Flag.CEILING) == 0)
    return table.assign(flag=flags.mask(at_ceiling, (flags + ",ceiling").str.removeprefix("ok,")))
