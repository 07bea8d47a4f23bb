"""Predictions that are worked out together are those of each alone, and one that cannot be is alone in that."""

import numpy as np

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.limits import tcp_rounds
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.single import predict_each

LONG = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp", "path.rtt": "80 ms"}
DIFFERENT = [
    {"tool.duration": "10 s"},
    {"tool.duration": "10 s", "path.loss": 1e-5, "tool.streams": 4},
    {"tool": "gridftp", "tool.bytes": "16 GB", "path.rtt": "15 ms"},
    {"tool.duration": "10 s", "sender.congestion_control": "bbr"},
    {"path.rtt": "0 ms"},
]


def test_together_is_as_each_alone():
    scenarios = [load_scenario(LONG, keys) for keys in DIFFERENT]
    for together, scenario in zip(predict_each(scenarios), scenarios, strict=True):
        alone = predict(scenario)
        assert together.to_dict() == alone.to_dict()
        assert np.array_equal(together.draws_bps, alone.draws_bps)


def test_tcp_is_followed_once_for_all(monkeypatch):
    followed = []
    simulate = tcp_rounds.simulate
    monkeypatch.setattr(tcp_rounds, "simulate", lambda **values: followed.append(values) or simulate(**values))
    ends = ["10 s", "20 s", "30 s", "20 s"]
    found = list(predict_each(load_scenario(LONG, {"tool.duration": end}) for end in ends))
    assert len({one.throughput_bps for one in found}) == len(set(ends))
    assert found[1].to_dict() == found[3].to_dict()
    assert len(followed) == 1


def test_one_that_cannot_be_spoils_no_other():
    fine = load_scenario(LONG, {"tool.duration": "10 s"})
    never = fine.with_({"tool.warm_up": "20 s"})
    missing = InputError("no path", "one")
    first, second, third, fourth = predict_each([fine, never, missing, fine])
    assert isinstance(second, RangeError)
    assert str(second).startswith("warm_up_s: found 20")
    assert third is missing
    assert first.to_dict() == fourth.to_dict() == predict(fine).to_dict()
