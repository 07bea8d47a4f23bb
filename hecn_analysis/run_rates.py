"""The rate of a run: the receiver's, else the sender's, else its bytes over its time.

What a sender of UDP sends says nothing of what arrives, so that its rate does not stand for the receiver's. A run that
failed has no rate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

RATED_BY: Final = ("throughput_bps", "sender_throughput_bps", "bytes", "duration_s")
"""Columns of the table ``runs`` that give a rate."""
_ARRIVES: Final = ("tcp", "rdma", "file")  # protocols whose sender's payload is what the receiver gets


def run_rate(run: Mapping[Any, Any]) -> float:
    """Rate of a run, NaN where there is none. [bit/s].

    Parameters
    ----------
    run
        A row of the table ``runs``; columns may be absent.

    Returns
    -------
    float
        Payload rate. [bit/s]

    Examples
    --------
    >>> run_rate({"protocol": "tcp", "sender_throughput_bps": 9e9}), run_rate({"bytes": 1e9, "duration_s": 8.0})
    (9000000000.0, 1000000000.0)
    >>> run_rate({"protocol": "udp", "sender_throughput_bps": 9e9})
    nan
    """
    received, sent, amount, seconds = (_number(run.get(name)) for name in RATED_BY)
    if _true(run.get("error")):
        return math.nan
    if received > 0:
        return received
    protocol = run.get("protocol")
    if isinstance(protocol, str) and protocol not in _ARRIVES:
        return math.nan
    if sent > 0:
        return sent
    return 8 * amount / seconds if amount > 0 and seconds > 0 else math.nan


def run_rates(runs: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Rates of runs, NaN where there is none. [bit/s].

    Parameters
    ----------
    runs
        The table ``runs``; columns may be absent.

    Returns
    -------
    array
        Payload rate of each run. [bit/s]

    Examples
    --------
    >>> run_rates(pd.DataFrame({"throughput_bps": [1e9, None], "sender_throughput_bps": [2e9, 3e9]})).tolist()
    [1000000000.0, 3000000000.0]
    """
    named = [name for name in (*RATED_BY, "protocol", "error") if name in runs.columns]
    return np.array([run_rate(run) for run in runs[named].to_dict("records")], dtype=np.float64)


def why_no_rate(run: Mapping[Any, Any]) -> str:
    """Say why a run has no rate.

    Parameters
    ----------
    run
        A row of the table ``runs`` for which `run_rate` gives NaN.

    Returns
    -------
    str
        The reason in words.

    Examples
    --------
    >>> why_no_rate({"error": True}), why_no_rate({"protocol": "udp", "sender_throughput_bps": 9e9})
    ('the run failed', 'only the sender of UDP gives a rate')
    """
    if _true(run.get("error")):
        return "the run failed"
    if run.get("protocol") == "udp" and _number(run.get("sender_throughput_bps")) > 0:
        return "only the sender of UDP gives a rate"
    return "the log gives no rate, and no bytes with a duration"


def _number(value: Any) -> float:  # noqa: ANN401 - a cell of a table
    return math.nan if value is None or pd.isna(value) else float(value)


def _true(value: Any) -> bool:  # noqa: ANN401 - a cell of a table
    return value is not None and not pd.isna(value) and bool(value)
