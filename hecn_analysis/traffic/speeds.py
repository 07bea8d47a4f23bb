"""Speeds of interfaces, from readings or from the user, and misstated ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.traffic import slots as gridded
from hecn_analysis.traffic.differences import SPEED_TOLERANCE
from hecn_analysis.traffic.ports import KEY, Floats, port_key, stated_value
from hecn_analysis.traffic.series import Speeds

FLAT_SHARE: Final = 0.05  # smallest share of intervals exactly at the speed for a line to count as flat
FLAT_LEAST: Final = 6
FLAT_WITHIN: Final = 1e-3


def speed_of(names: pd.DataFrame, speeds: Speeds) -> Floats:
    """Speed of each interface, NaN if unknown. [bit/s].

    Parameters
    ----------
    names
        ``host`` and ``interface`` of each.
    speeds
        Speeds, for all or by interface or (host, interface). [bit/s]

    Returns
    -------
    array
        One for each row of `names`. [bit/s]

    Examples
    --------
    >>> names = pd.DataFrame({"host": ["sw1", "sw2"], "interface": "eth0"})
    >>> speed_of(names, 10e9).tolist(), speed_of(names, {("sw1", "eth0"): 1e9}).tolist()
    ([10000000000.0, 10000000000.0], [1000000000.0, nan])
    """
    return stated_value(speeds, names)


def speeds_of(samples: pd.DataFrame) -> dict[tuple[Any, Any], float]:
    """Last known speed of each interface in its readings. [bit/s].

    Parameters
    ----------
    samples
        Readings as in the table ``samples``.

    Returns
    -------
    dict
        Speed by host and interface; interfaces of unknown speed are omitted. [bit/s]

    Examples
    --------
    >>> speeds_of(table.assign(speed_bps=10e9))
    {('switch', 'eth0'): 10000000000.0}
    """
    known = samples.assign(**port_key(samples))
    known = known[known["speed_bps"] > 0].sort_values("time", kind="stable").drop_duplicates(list(KEY), keep="last")
    named = known[list(KEY)].astype(object).where(known[list(KEY)].notna(), None)
    keys = zip(named["host"], named["interface"], strict=True)
    return dict(zip(keys, known["speed_bps"].astype(float).tolist(), strict=True))


def known_better(stated: Mapping[Any, float], better: Mapping[Any, float]) -> dict[Any, float]:
    """Replace stated speeds by those that the user gives. [bit/s].

    Parameters
    ----------
    stated
        Speeds by host and interface, from `speeds_of`. [bit/s]
    better
        Speeds by (host, interface) or by interface. [bit/s]

    Returns
    -------
    dict
        Combined speeds; a user's speed without a host applies to that interface on every host. [bit/s]

    Examples
    --------
    >>> known_better({("switch", "eth0"): 1e9, ("switch", "eth1"): 1e9}, {"eth0": 10e9})[("switch", "eth0")]
    10000000000.0
    """
    values = stated_value(better, pd.DataFrame(list(stated), columns=list(KEY)))
    known = zip(stated.items(), values.tolist(), strict=True)
    return {**{key: stated_bps if np.isnan(value) else value for (key, stated_bps), value in known}, **better}


def speed_findings(table: pd.DataFrame, speeds: Speeds) -> pd.DataFrame:
    """Find misstated speeds: the interface carried more, or its rates equal the speed exactly.

    A full Ethernet counts less than its speed, since preamble and gap are not counted: 98.7 % with packets of 1500
    bytes, 99.8 % with 9000. A line that is flat at 100 % was clipped there.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    speeds
        Speeds, for all or by interface or (host, interface). [bit/s]

    Returns
    -------
    DataFrame
        ``host``, ``interface``, ``speed_bps``, ``finding`` (``exceeded`` or ``flat``), ``message``.

    Examples
    --------
    >>> speed_findings(table, 200e6)[["interface", "finding"]].to_dict("records")
    [{'interface': 'eth0', 'finding': 'exceeded'}]
    """
    names, intervals = gridded.from_frame(table)
    speed = speed_of(names, speeds)
    rows = []
    if len(names):
        speed_of_rate = np.repeat(speed, np.diff(intervals.starts, append=len(intervals.seconds)))
        rate = np.fmax(intervals.in_bps, intervals.out_bps)
        most = np.fmax.reduceat(rate, intervals.starts)
        known = np.add.reduceat((~np.isnan(rate)).astype(float), intervals.starts)
        with np.errstate(invalid="ignore"):
            level = np.add.reduceat((np.abs(rate / speed_of_rate - 1) <= FLAT_WITHIN).astype(float), intervals.starts)
        exceeded = most > speed * (1 + SPEED_TOLERANCE)
        flat = ~exceeded & (level >= FLAT_LEAST) & (level >= FLAT_SHARE * known)
        for i in np.flatnonzero(exceeded):
            message = f"carried {units.format_percent(most[i] / speed[i])} of its stated speed: the speed is wrong"
            rows.append((*names.iloc[i], speed[i], "exceeded", message))
        for i in np.flatnonzero(flat):
            share = f"{level[i]:.0f} of {known[i]:.0f} rates"
            message = f"{share} equal the stated speed exactly: the speed is wrong and clips them"
            rows.append((*names.iloc[i], speed[i], "flat", message))
    return pd.DataFrame(rows, columns=["host", "interface", "speed_bps", "finding", "message"])
