"""The states of all series as metrics of Prometheus, in its text format (version 0.0.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pandas as pd

from hecn_analysis.watching.measures import DELAY, LOSS, RATE, ROUTE, UTILISATION, Measure
from hecn_analysis.watching.status import SYMBOLS, Status

Value = Callable[[Status], float | None]


def _last_change(status: Status) -> float | None:
    return pd.Timestamp(status.changes[-1]["time"]).timestamp() if status.changes else None


def _ratio(status: Status) -> float | None:
    return status.changes[-1].get("ratio") if status.changes else None


def _of(measure: Measure, name: str) -> Value:
    """A figure of the states of one measure."""
    return lambda status: getattr(status, name) if status.series.measure.name == measure.name else None


_GAUGES: Final[tuple[tuple[str, str, Value], ...]] = (
    ("throughput_bps", "Rate of the last result in bit/s.", _of(RATE, "last")),
    ("expected_bps", "Usual rate at the time of the last result in bit/s.", _of(RATE, "expected")),
    ("expected_low_bps", "Rate that one usual result in twenty is below.", _of(RATE, "expected_low")),
    ("expected_high_bps", "Rate that one usual result in twenty is above.", _of(RATE, "expected_high")),
    ("delay_seconds", "Delay of the last result.", _of(DELAY, "last")),
    ("expected_delay_seconds", "Usual delay at the time of the last result.", _of(DELAY, "expected")),
    ("loss_ratio", "Loss of the last result.", _of(LOSS, "last")),
    ("utilisation_ratio", "Utilisation of the port in the last hour.", _of(UTILISATION, "last")),
    ("route_hops", "Hops of the last trace.", _of(ROUTE, "last")),
    ("last_result_timestamp_seconds", "Time of the last result.", lambda status: status.last_time.timestamp()),
    ("change_timestamp_seconds", "Time of the first result after the last change.", _last_change),
    ("change_ratio", "Figure after the last change over that before.", _ratio),
    ("results", "Results with the figure.", lambda status: float(len(status.series.runs))),
    ("failed_results", "Results that were aborted.", lambda status: float(len(status.series.failed))),
)


def metrics(statuses: Sequence[Status]) -> str:
    """Return the metrics of all series, and how many series are in each state."""
    return "".join([*_of_series(statuses), *_of_states(statuses)])


def _of_series(statuses: Sequence[Status]) -> Iterator[str]:
    for name, words, value_of in _GAUGES:
        yield f"# HELP hecn_{name} {words}\n# TYPE hecn_{name} gauge\n"
        for status in statuses:
            value = value_of(status)
            if value is not None:
                yield f"hecn_{name}{{{_labels(status)}}} {value:.10g}\n"


def _of_states(statuses: Sequence[Status]) -> Iterator[str]:
    yield "# HELP hecn_series Number of series in each state.\n# TYPE hecn_series gauge\n"
    for state in SYMBOLS:
        yield f'hecn_series{{state="{state}"}} {sum(status.state == state for status in statuses)}\n'


def _labels(status: Status) -> str:
    own = status.series
    names = ("source", "destination", "tool", "protocol", "direction", "streams")
    labels = {**{name: str(getattr(own, name)) for name in names}, "measure": own.measure.name}
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
