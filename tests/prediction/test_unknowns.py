"""Which key would narrow the interval most, without a simulation of each."""

import json

import numpy as np
import pytest

from hecn_analysis import predict
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction.draws import DRAWS, Draws
from hecn_analysis.prediction.unknowns import ranked

IDEAL = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3"}


def drawn(**spreads):
    draw = Draws()
    values = {name: draw(name, Parameter(value=1.0, spread=spread)) for name, spread in spreads.items()}
    return draw, values


def test_the_key_that_causes_most_comes_first():
    draw, values = drawn(wide=0.9, narrow=0.2)
    found = ranked(draw, 1e9 * (values["wide"] * values["narrow"])[1:])
    assert [unknown.name for unknown in found] == ["wide"]
    assert found[0].spread > 0.85
    assert found[0].spread_then == pytest.approx(0.2, abs=0.15)


def test_a_key_without_effect_is_not_named():
    draw, values = drawn(cause=0.5, other=0.9)
    assert [unknown.name for unknown in ranked(draw, 1e9 * values["cause"][1:])] == ["cause"]


def test_a_rate_of_nothing_or_without_limit_has_no_ranking():
    draw, _ = drawn(cause=0.5)
    assert ranked(draw, np.zeros(DRAWS)) == ranked(draw, np.full(DRAWS, np.inf)) == ()


def test_a_loss_that_is_not_stated_is_named_and_its_effect_is_that_of_stating_it():
    keys = {**IDEAL, "path.rate": "10 Gb/s", "path.rtt": "80 ms", "path.mtu": 9000}
    result = predict(keys)
    first = next(unknown for unknown in result.unknowns[:2] if unknown.name == "path.loss")
    told = predict({**keys, "path.loss": 0})
    half = np.expm1(np.log(told.high_bps / told.low_bps) / 2)
    assert half < first.spread
    assert first.spread_then < first.spread


def test_json_has_the_ranking():
    kept = json.loads(predict({**IDEAL, "path.rate": "10 Gb/s", "path.rtt": "80 ms"}).to_json())
    assert set(kept["unknowns"][0]) == {"name", "spread", "spread_then"}
