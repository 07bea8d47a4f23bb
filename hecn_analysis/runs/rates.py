"""The rate of a run: the receiver's, else the sender's, else its bytes over its time.

A UDP sender's rate does not show what arrives, so it is not used for the receiver's. A failed run has no rate.
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
DISK_TOOLS: Final = frozenset(
    {"CrystalDiskMark", "IOR", "KDiskMark", "bonnie", "bonnie++", "dbench", "dcp", "dd", "diskspd", "dsync", "elbencho"}
    | {"fio", "gdsio", "gpfsperf", "hdparm", "io500", "iozone", "spdk_nvme_perf", "sysbench", "xdd"}
)
"""Tools that test disks and move nothing over a network: people state their rates in bytes per second."""
PATH_TOOLS: Final = frozenset(
    {
        "fping",
        "halfping",
        "hping3",
        "lagscope",
        "mtr",
        "owping",
        "ping",
        "powstream",
        "ss",
        "tc",
        "tracepath",
        "traceroute",
        "twping",
    }
)
"""Tools that look at a path or a socket, and whose rows are no transfers."""
_ARRIVES: Final = ("tcp", "rdma", "file")  # protocols that deliver the sender's whole payload


def run_rate(run: Mapping[Any, Any]) -> float:
    """Return the payload rate of a run, NaN if unknown [bit/s]; columns of the row may be absent.

    >>> run_rate({"bytes": 1e9, "duration_s": 8.0}), run_rate({"protocol": "udp", "sender_throughput_bps": 9e9})
    (1000000000.0, nan)
    """
    protocol = run.get("protocol")
    arrives = not isinstance(protocol, str) or protocol in _ARRIVES
    failed = _true(run.get("error"))
    return float(_rate(*(_number(run.get(name)) for name in RATED_BY), arrives=arrives, failed=failed))


def run_rates(runs: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the payload rate of each run of a table ``runs``, NaN if unknown [bit/s]; columns may be absent."""
    known = runs.reindex(columns=[*RATED_BY, "protocol", "error"])
    protocol = known["protocol"]
    return _rate(
        *(known[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in RATED_BY),
        arrives=(protocol.isna() | protocol.isin(_ARRIVES)).to_numpy(dtype=np.bool_),
        failed=known["error"].eq(True).fillna(value=False).to_numpy(dtype=np.bool_),  # noqa: FBT003 - of pandas
    )


def _rate(
    received: npt.ArrayLike,
    sent: npt.ArrayLike,
    amount: npt.ArrayLike,
    seconds: npt.ArrayLike,
    *,
    arrives: npt.ArrayLike,
    failed: npt.ArrayLike,
) -> npt.NDArray[np.float64]:
    """Rate by the rule of the module, or NaN. [bit/s]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        average = np.where((np.asarray(amount) > 0) & (np.asarray(seconds) > 0), 8 * np.divide(amount, seconds), np.nan)
    sender = np.where(arrives, np.where(np.asarray(sent) > 0, sent, average), np.nan)
    return np.where(failed, np.nan, np.where(np.asarray(received) > 0, received, sender))


def why_no_rate(run: Mapping[Any, Any]) -> str:
    """Explain why a run has no rate: a row of the table ``runs`` for which `run_rate` is NaN."""
    if _true(run.get("error")):
        return "the run failed"
    if run.get("protocol") == "udp" and _number(run.get("sender_throughput_bps")) > 0:
        return "only the sender of UDP gives a rate"
    return "the log gives no rate, and no bytes with a duration"


def _number(value: Any) -> float:  # noqa: ANN401 - a cell of a table
    return math.nan if value is None or pd.isna(value) else float(value)


def _true(value: Any) -> bool:  # noqa: ANN401 - a cell of a table
    return value is not None and not pd.isna(value) and bool(value)
