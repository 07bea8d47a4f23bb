"""Sentences and tables of briefs: how well predictions match measurements, and what a change would gain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from hecn_analysis import limits
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction import predict

CHANGES = {
    "change": "Change",
    "throughput_bps": "Predicted",
    "low_bps": "Low",
    "high_bps": "High",
    "gain_fraction": "Gain",
    "bottleneck_title": "What binds then",
}

OPERATIONS: tuple[Literal["read", "write"], ...] = ("read", "write")
SLOTS = {
    "slot": "Slot",
    "max_payload": "MaxPayload (bytes)",
    "tmt_bps": "TMT",
    "transmit_bps": "Transmit",
    "receive_bps": "Receive",
}


@dataclass(frozen=True)
class Summary:
    """How well the predictions of some cases match the measurements."""

    # number of cases, of measured ones, and of those whose measurement lies in the 90 % interval
    cases: int
    measured: int
    inside: int
    judged: int  # number of cases with an error: measured, and not just as a lower bound
    median_error: float  # median of the absolute errors [fraction]
    worst: str  # title of the case with the largest error

    def __str__(self) -> str:
        """The second half of a sentence."""
        if not self.measured:
            return f"none of {self.cases} cases was measured"
        text = f"{self.inside} of {self.measured} measured cases lie within the predicted 90 % interval"
        return text + (f", the median error is {100 * self.median_error:.1f} % (in-sample)" if self.judged else "")


def summary_of(comparison: pd.DataFrame) -> Summary:
    """Summarise a comparison."""
    measured = comparison[comparison["measured_bps"].notna()]
    judged = measured[~measured["measured_low_bound"].astype(bool)]
    errors = judged["error"].astype(float).abs()
    return Summary(
        cases=len(comparison),
        measured=len(measured),
        inside=int(measured["inside"].sum()),
        judged=len(judged),
        median_error=float(errors.median()),
        worst=str(judged["title"].iloc[int(errors.argmax())]) if len(judged) else "",
    )


def what_if(scenario: Scenario, changes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Predict a scenario as it is and with each change."""
    scenarios = {"as it is": scenario, **{words: scenario.with_(keys) for words, keys in changes.items()}}
    results = {words: predict(prediction) for words, prediction in scenarios.items()}
    start, known = results["as it is"].throughput_bps, results["as it is"].warnings
    return pd.DataFrame(
        {
            "change": [
                "; ".join([words, *(text for text in prediction.warnings if text not in known)])
                for words, prediction in results.items()
            ],
            "throughput_bps": [prediction.throughput_bps for prediction in results.values()],
            "low_bps": [prediction.low_bps for prediction in results.values()],
            "high_bps": [prediction.high_bps for prediction in results.values()],
            "gain_fraction": [prediction.throughput_bps / start - 1 for prediction in results.values()],
            "bottleneck_title": [
                prediction.ladder[0].title if prediction.ladder else "nothing" for prediction in results.values()
            ],
        }
    )


def slot_limits(gens: Iterable[int], max_payloads: Iterable[int], *, lanes: int = 16) -> pd.DataFrame:
    """Limits of PCI Express slots: the slides' TMT, and the best estimate for each direction."""
    rows = []
    for gen in gens:
        for payload in max_payloads:
            read, write = (
                limits.pcie(gen=gen, lanes=lanes, max_payload=payload, max_read_request=4096, op=op)
                for op in OPERATIONS
            )
            rows.append(
                {
                    "slot": f"PCIe {gen}.0 x{lanes}",
                    "max_payload": payload,
                    "tmt_bps": write["tmt_bps"],
                    "transmit_bps": read["throughput_bps"],
                    "receive_bps": write["throughput_bps"],
                }
            )
    return pd.DataFrame(rows, columns=list(SLOTS))
