"""Rates from counter readings, each with a flag that explains how it was computed: `rates`.

>>> import pandas as pd
>>> when = pd.to_datetime(["2013-11-20 12:00:00", "2013-11-20 12:05:00", "2013-11-20 12:10:00"], utc=True)
>>> readings = pd.DataFrame({"interface": "eth0", "time": when, "in_octets": [4_000_000_000, 200_000_000, 700_000_000],
...                          "out_octets": [0, 0, 0], "counter_bits": 32, "speed_bps": 100e6})
>>> rates(readings)[["interval_s", "in_bps", "flag"]]
   interval_s        in_bps  flag
0       300.0  1.319913e+07  wrap
1       300.0  1.333333e+07    ok

How wraps, resets, gaps and steps of the clock are told apart stands in `hecn_analysis.traffic.differences`, what the
flags mean in `hecn_analysis.traffic.flags`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import RangeError
from hecn_analysis.traffic import differences
from hecn_analysis.traffic.flags import Flag, to_bits, to_words
from hecn_analysis.traffic.series import Named, Speeds, Widths, from_frame

COLUMNS: Final = ("host", "interface", "time", "interval_s", "in_bps", "out_bps", "in_max_bps", "out_max_bps", "flag")

DISPLAY_CEILINGS: Mapping[str, float] = MappingProxyType({"gkrellm": (2.0**31 - 1) * 8})
"""Most that a program can show [bit/s]. GKrellM counts bytes a second in 31 bits: 17.18 Gb/s, as the HECN team's SC13
pages say of it."""
_AT_CEILING: Final = 1e-3  # programs print three digits or more


def rates(
    samples: pd.DataFrame, *, max_gap: float | None = None, widths: Widths = None, speeds: Speeds = None
) -> pd.DataFrame:
    """Compute rates of counter readings.

    Parameters
    ----------
    samples
        Readings as in the table ``samples``, of any number of interfaces, in any order. ``interface``, ``time``,
        ``in_octets`` and ``out_octets`` are needed; ``counter_bits``, ``speed_bps`` and ``uptime_s`` decide what is a
        wrap and what a reset; ``discontinuity_s`` is used where it is there.
    max_gap
        Longest time between two readings that is no gap; by default 2.5 times the usual one of the interface. [s]
    widths
        Width of the counters where the user knows it better than the source, for all or by interface or (host,
        interface). [bits]
    speeds
        The same for the speed. [bit/s]

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: a row for each reading but the first of an interface, with or without a rate; ``time``
        is the end of the interval. Interfaces come in the order in which they appear, their rows in order of time.
        ``in_max_bps`` and ``out_max_bps`` are missing: counters keep no maxima.

    Raises
    ------
    InputError
        If a column is absent or a width is invalid.
    RangeError
        When `max_gap` is not positive.

    Examples
    --------
    >>> when = pd.to_datetime(["2013-11-20 12:00:00", "2013-11-20 12:05:00"], utc=True)
    >>> readings = pd.DataFrame({"interface": "eth0", "time": when, "in_octets": [4_000_000_000, 200_000_000],
    ...                          "out_octets": 0, "counter_bits": 32, "speed_bps": 100e6})
    >>> found = rates(readings)
    >>> round(float(found["in_bps"][0]) / 1e6, 3), found["flag"][0], rates(readings, widths=64)["flag"][0]
    (13.199, 'wrap', 'reset')
    """
    if max_gap is not None and not max_gap > 0:
        raise RangeError(f"max_gap: found {max_gap!r} s, expected more than 0 s")
    named = from_frame(samples, widths=widths, speeds=speeds)
    return frame(named, differences.rates(named.series, max_gap_s=max_gap))


def frame(named: Named, found: differences.Rates) -> pd.DataFrame:
    """Table of rates of readings."""
    keep = np.ones(len(found.flags), dtype=np.bool_)
    keep[found.first] = False
    number = np.repeat(np.arange(len(found.first)), named.series.lengths)[keep]
    missing = np.full(int(keep.sum()), np.nan)
    return pd.DataFrame(
        {
            "host": pd.array(list(named.hosts), dtype="string").take(number),
            "interface": pd.array(list(named.interfaces), dtype="string").take(number),
            "time": pd.DatetimeIndex(named.series.time_ns[keep].view("datetime64[ns]"), tz="UTC"),
            "interval_s": found.interval_s[keep],
            "in_bps": found.in_bps[keep],
            "out_bps": found.out_bps[keep],
            "in_max_bps": missing,
            "out_max_bps": missing.copy(),
            "flag": to_words(found.flags[keep]),
        }
    )


def flag_ceilings(table: pd.DataFrame, ceiling_bps: float) -> pd.DataFrame:
    """Flag rates at the largest value that the program which wrote them can count or show.

    They stay as they are: the true ones are at least as high.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    ceiling_bps
        The most, such as one of `DISPLAY_CEILINGS`. [bit/s]

    Returns
    -------
    DataFrame
        The table, with ``ceiling`` among the words of ``flag`` in those rows.

    Examples
    --------
    >>> when = pd.to_datetime(["2013-11-20 12:00:00", "2013-11-20 12:00:01"], utc=True)
    >>> shown = pd.DataFrame({"time": when, "in_bps": [17.179869176e9, 9e9], "out_bps": 0.0, "flag": "ok"})
    >>> flag_ceilings(shown, DISPLAY_CEILINGS["gkrellm"])["flag"].tolist()
    ['ceiling', 'ok']
    """
    highest = table[["in_bps", "out_bps"]].max(axis=1).to_numpy(dtype=float)
    told = table["flag"].astype("string").fillna("ok")
    there = (np.abs(highest / ceiling_bps - 1) <= _AT_CEILING) & (to_bits(told) & int(Flag.CEILING) == 0)
    return table.assign(flag=told.mask(there, (told + ",ceiling").str.removeprefix("ok,")))
