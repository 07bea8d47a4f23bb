"""Predictions: sweeps against the clock and against a loop over single ones, fair shares against plain Python.

10^5 full predictions of a sweep (throughput, interval, bottleneck) are to take a second, one prediction 20 ms, or
200 ms where TCP is simulated over time. A loop does the same job as a sweep over some of its rows, and plain Python
fills resources step by step; both must agree with ours, or nothing is timed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

import hecn_analysis as hecn
from benchmarks.harness import Pair
from hecn_analysis.prediction.solve import max_min

ROWS = 100_000
LOOPED = 50
SYSTEMS, FLOWS, RESOURCES = 2_000, 6, 12

LAN = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp", "tool.duration": "2 h"}
LINK = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "nuttcp",
    "path.rate": "10 Gb/s",
    "path.mtu": 9000,
    "path.loss": 0,
}
LOSSY = {**LINK, "path.rtt": "80 ms", "path.loss": 1e-5, "tool.duration": "30 s"}

#: Sweeps without TCP over time, which a loss that is not stated would need: what varies is the path, the window, or
#: the processor.
SWEEPS: dict[str, tuple[dict[str, Any], dict[str, tuple[float, float]]]] = {
    "windows": ({**LINK, "tool.duration": "2 h"}, {"path.rtt": (1e-4, 0.1), "tool.window": (1e5, 1e9)}),
    "processors": (LAN, {"receiver.cpu.clock": (1e9, 5e9), "path.rate": (1e9, 1e11)}),
}


def values(ends: dict[str, tuple[float, float]], rows: int) -> dict[str, npt.NDArray[np.float64]]:
    """Give random values between the ends of each key, the same each time."""
    random = np.random.default_rng(0)
    return {key: np.exp(random.uniform(*np.log(between), rows)) for key, between in ends.items()}


def loop(scenario: dict[str, Any], vary: dict[str, npt.NDArray[np.float64]]) -> list[float]:
    """Predict one row after the other."""
    rows = zip(*(column.tolist() for column in vary.values()), strict=True)
    return [hecn.predict(scenario, dict(zip(vary, row, strict=True))).throughput_bps for row in rows]


def plain_max_min(demands: list[list[list[float]]]) -> list[list[float]]:
    """Fill resources step by step, a system after the other, in plain Python."""
    found = []
    for demand in demands:
        flows, resources = range(len(demand)), range(len(demand[0]))
        rate, room, active = [0.0] * len(demand), [1.0] * len(demand[0]), set(flows)
        while active:
            pressure = [sum(demand[flow][resource] for flow in active) for resource in resources]
            step = min(room[resource] / pressure[resource] for resource in resources if pressure[resource] > 0)
            for flow in active:
                rate[flow] += step
            full = [
                resource
                for resource in resources
                if pressure[resource] > 0 and room[resource] / pressure[resource] <= step * (1 + 1e-9)
            ]
            room = [left - step * need for left, need in zip(room, pressure, strict=True)]
            active -= {flow for flow in active if any(demand[flow][resource] > 0 for resource in full)}
        found.append(rate)
    return found


def sweeps() -> Iterator[Pair]:
    """Give the pairs of sweeps, against the clock and against a loop over a few of their rows."""
    for name, (scenario, ends) in SWEEPS.items():
        many, few = values(ends, ROWS), values(ends, LOOPED)
        job = lambda scenario=scenario, many=many: hecn.sweep(scenario, many, grid=False)
        yield Pair(f"10^5 x sweep of {name}", "one second", job, 1.0, target=1.0, most_rounds=7)
        some = lambda scenario=scenario, few=few: hecn.sweep(scenario, few, grid=False)
        one_by_one = lambda scenario=scenario, few=few: loop(scenario, few)
        np.testing.assert_allclose(some()["throughput_bps"], one_by_one(), rtol=1e-9)
        yield Pair(f"{LOOPED} x sweep of {name}", f"{LOOPED} x predict", some, one_by_one, target=0.2, most_rounds=7)


@contextmanager
def pairs() -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark."""
    random = np.random.default_rng(1)
    demand = random.exponential(size=(SYSTEMS, FLOWS, RESOURCES)) * (random.random((SYSTEMS, FLOWS, RESOURCES)) < 0.5)
    demand[:, :, 0] += 0.1
    plain = demand.tolist()
    np.testing.assert_allclose(max_min(demand)[0], plain_max_min(plain), rtol=1e-9)
    hecn.predict(LAN)  # modules that are loaded, and files that are read, once
    yield [
        *sweeps(),
        Pair("max-min fairness", "in plain Python", lambda: max_min(demand), lambda: plain_max_min(plain), target=0.1),
        Pair("one prediction", "20 ms", lambda: hecn.predict(LAN), 0.02, target=1.0),
        Pair("one with TCP over time", "200 ms", lambda: hecn.predict(LOSSY), 0.2, target=1.0),
        Pair(
            "one with 8 streams over time",
            "200 ms",
            lambda: hecn.predict(LOSSY, {"tool.streams": 8}),
            0.2,
            target=1.0,
        ),
    ]
