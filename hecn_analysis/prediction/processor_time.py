"""Processor time per byte of transfers, from the CPU columns of tools and from the model.

A tool's column is the busy share of a core of one process, without the interrupts that other cores serve. Divided by
the throughput, it is the processor time per byte, which does not depend on the rate (utilisation law).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import InputError
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.measurements import Measurement, scenarios
from hecn_analysis.prediction.model import Effort
from hecn_analysis.prediction.sensitivity import process_seconds

#: Tools print whole percent.
ROUNDING: Final = 0.005

#: For the throughput alone; over a lossy path it is the median of the draws.
_CENTRAL: Final = Effort(draws=40, rungs=1)

COLUMNS: Final = [
    "group",
    "name",
    "title",
    "end",
    "measured_bps",
    "predicted_bps",
    "measured_fraction",
    "predicted_fraction",
    "measured_ns",
    "rounding_ns",
    "predicted_ns",
    "low_ns",
    "high_ns",
    "error",
    "cycles",
    "source",
]


def processor_time(measured: Sequence[Measurement]) -> pd.DataFrame:
    """Processor time of each end of runs, measured and predicted.

    Parameters
    ----------
    measured
        Runs, from `hecn_analysis.prediction.measurements`. Bidirectional runs are left out: their columns mix processes
        that send with processes that receive.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, a row for each run and end whose CPU share is known: ``measured_fraction`` of a core of one
        process, ``predicted_fraction`` at the predicted throughput [1]; ``measured_ns`` of a core per byte with its
        rounding error ``rounding_ns``, ``predicted_ns`` with the 90 % interval of the uncertain costs [ns/B]; ``error``
        is predicted / measured - 1; ``cycles`` measured per byte [cycles/B], missing where the clock is not known.

    Raises
    ------
    InputError
        No run gives the CPU share of a described host.

    Examples
    --------
    >>> from hecn_analysis.prediction.measurements import of_series
    >>> times = processor_time(of_series(["c-memory"]))
    >>> times[["end", "measured_fraction", "measured_ns"]].round(3).values.tolist()[:2]
    [['sender', 0.34, 0.137], ['receiver', 0.59, 0.238]]
    """
    rows = []
    for run, scenario in zip(measured, scenarios(measured), strict=True):
        if isinstance(scenario, InputError) or scenario.tool.bidirectional:
            continue
        predicted_bps = None
        for role in ("sender", "receiver"):
            busy = run.cpu_sender_fraction if role == "sender" else run.cpu_receiver_fraction
            seconds = process_seconds(scenario, role, Draws())
            if busy is None or seconds is None:
                continue
            predicted_bps = predicted_bps or predict(scenario, effort=_CENTRAL).throughput_bps
            host = getattr(scenario, role)
            to_ns = scenario.tool.processes / run.measured_bps * 8e9
            needed = seconds * 8e9
            rows.append(
                {
                    "group": run.group,
                    "name": run.name,
                    "title": scenario.title or run.name,
                    "end": role,
                    "measured_bps": run.measured_bps,
                    "predicted_bps": predicted_bps,
                    "measured_fraction": busy,
                    "predicted_fraction": float(seconds[0]) * predicted_bps / scenario.tool.processes,
                    "measured_ns": busy * to_ns,
                    "rounding_ns": ROUNDING * to_ns,
                    "predicted_ns": float(needed[0]),
                    "low_ns": float(np.quantile(needed[1:], 0.05)),
                    "high_ns": float(np.quantile(needed[1:], 0.95)),
                    "error": float(needed[0]) / (busy * to_ns) - 1,
                    "cycles": busy * to_ns * host.cpu.clock.value / 1e9,
                    "source": run.source,
                }
            )
    if not rows:
        raise InputError("no run with a processor share", "runs of tools that print it, such as nuttcp or iperf3 -J")
    return pd.DataFrame(rows, columns=COLUMNS)
