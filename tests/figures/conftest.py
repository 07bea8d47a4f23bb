"""A hand-made comparison and prediction: what the figures draw, without the model behind them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.prediction.result import Assumption, Prediction, Rung

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def comparison():
    """Four cases: inside, outside, only a lower bound (with a hostile title), not measured."""
    return pd.DataFrame(
        {
            "series": "b",
            "series_title": ["B systems", "B systems", "SSD systems", "B systems again"],
            "case": ["raid50", "loss", "ssd", "plan"],
            "title": [
                "B, RAID50",
                "B, netem 80 ms, one packet in a million is lost on the way",
                f"SSD {HOSTILE}",
                "B, MAN",
            ],
            "measured_bps": pd.array([9.82e9, 5.06e9, 30.4e9, pd.NA], dtype="Float64"),
            "measured_low_bound": pd.array([False, False, True, pd.NA], dtype="boolean"),
            "predicted_bps": [9.70e9, 6.00e9, 33.0e9, 9.5e9],
            "low_bps": [9.2e9, 5.5e9, 28.0e9, 9.0e9],
            "high_bps": [9.9e9, 6.4e9, 37.0e9, 9.8e9],
            "error": pd.array([9.70 / 9.82 - 1, 6.00 / 5.06 - 1, pd.NA, pd.NA], dtype="Float64"),
            "inside": pd.array([True, False, True, pd.NA], dtype="boolean"),
            "bottleneck": ["receiver.cpu.core1", "path.link", "receiver.raid", "path.link"],
            "bottleneck_title": ["receiver's core 1", "packet loss", "receiver's RAID", "10 Gigabit Ethernet"],
            "bottleneck_class": ["cpu", "loss", "raid", "link"],
            "stated_limit": [None, "packet loss", None, None],
            "rtt_s": [1e-4, 0.08015, 1e-4, float("nan")],
            "source_file": ["logs/b.log", "logs/b.log", "logs/ssd.log", None],
            "line_first": pd.array([3, 17, 2, pd.NA], dtype="Int64"),
            "line_last": pd.array([4, 17, 2, pd.NA], dtype="Int64"),
            "document": ["HECN 2010", "HECN 2010", "HECN 2011", None],
            "place": ["B-Systems 1/4", "B-Systems 3/4", "Accomplishment 15", None],
        }
    )


@pytest.fixture
def prediction():
    """Three rungs, the last without a limit."""
    return Prediction(
        scenario=SimpleNamespace(name="b"),
        throughput_bps=9.7e9,
        low_bps=9.2e9,
        high_bps=9.9e9,
        utilisation={"receiver.cpu.core1": 1.0, "path.link": 0.98, "sender.memory": 0.2},
        ladder=(
            Rung("receiver.cpu.core1", "cpu", "the receiver's core 1", 9.7e9, 0.7),
            Rung("path.link", "link", "the 10 Gigabit Ethernet", 9.9e9, 0.3),
            Rung("sender.memory", "memory", "the sender's memory", float("inf"), 0.0),
        ),
        flows=(),
        warnings=(),
        assumptions=(Assumption("receiver.cpu.receive_cost", 1.1, "cycles/B", 0.1, "calibrated", "data/logs/b.log:3"),),
        unknowns=(),
        draws_bps=np.full(200, 9.7e9),
    )
