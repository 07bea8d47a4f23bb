"""The app: processor time from a change of a slider to the data of the new figures, against what a reader may wait for.

The change is worked out as the page of `hecn app` gets it: scenario, first look, ladder, map, bill, YAML, as JSON. What
follows after a pause, the prediction in full, is timed as well, without a target of its own.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.harness import Pair
from hecn_analysis.app import model

BUDGET_S = 0.150
CASES: dict[str, dict[str, Any]] = {
    "disk to disk, 80 ms": model.START,
    "four streams, 80 ms, 1e-6 lost": {**model.START, "path.loss": 1e-6, "tool.streams": 4},
    "six ports, six processes": model.opened("hotlava-transmit"),
    "known rates, 100GE": model.opened("storage-over-100ge"),
}
RTTS = tuple(0.02 + 0.001 * step for step in range(100))


def change(state: dict[str, Any]) -> Callable[[], float]:
    """Give a job that moves the slider of the round-trip time by a step, and returns its processor time [s]."""
    rtts = itertools.cycle(RTTS)

    def job() -> float:
        start = time.process_time()
        json.dumps(model.page(model.glance({**state, "path.rtt": next(rtts)})))
        return time.process_time() - start

    return job


def in_full(state: dict[str, Any]) -> Callable[[], float]:
    """Give a job that works out the prediction in full, and returns its processor time [s]."""
    rtts = itertools.cycle(RTTS)

    def job() -> float:
        look = model.glance({**state, "path.rtt": next(rtts)})
        start = time.process_time()
        json.dumps(model.page(model.in_full(look)))
        return time.process_time() - start

    return job


def _returned(job: Callable[[], object]) -> float:
    return float(str(job()))


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """A pair for each case, and one for what follows after a pause."""
    made = [
        Pair(f"app: a change, {name}", "150 ms", change(state), BUDGET_S, 1.0, take=_returned)
        for name, state in CASES.items()
    ]
    start = CASES["disk to disk, 80 ms"]
    made.append(Pair("app: in full after a pause", "one second", in_full(start), 1.0, 1.0, take=_returned))
    yield made


if __name__ == "__main__":
    for case, keys in CASES.items():
        slide = change(keys)
        times = sorted(slide() for _ in range(21))
        print(f"{case}: {1e3 * times[10]:.0f} ms (quartiles {1e3 * times[5]:.0f} to {1e3 * times[15]:.0f}) a change")
