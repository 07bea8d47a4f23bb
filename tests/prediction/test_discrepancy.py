"""The model's own error: its size by regime, its effect on an interval, and its coverage."""

import numpy as np
import pytest
from scipy import stats

from hecn_analysis import predict
from hecn_analysis.hardware import load_scenario
from hecn_analysis.prediction import discrepancy
from hecn_analysis.prediction.discrepancy import REGIMES, Discrepancy, discrepancies, factors
from hecn_analysis.prediction.draws import DRAWS

IDEAL = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3"}


def entry(**values):
    return Discrepancy(
        **{"bias": 0.0, "below": 0.4, "above": 0.1, "tail": 3, "rows": 9, "setups": 3, "source": "x", **values}
    )


def test_the_quantiles_are_those_that_the_data_state():
    low, middle, high = entry(bias=0.02).quantile(np.array([0.05, 0.5, 0.95]))
    assert (low, middle, high) == (pytest.approx(-0.38), pytest.approx(0.02), pytest.approx(0.12))


def test_the_tails_are_heavier_than_normal():
    one_percent = entry().quantile(np.array([0.01]))[0]
    assert one_percent < -0.4 * stats.norm.ppf(0.01) / stats.norm.ppf(0.05)


def test_every_regime_has_an_error_with_its_source():
    assert set(discrepancies()) == set(REGIMES)
    for name, error in discrepancies().items():
        assert error.source, name
        assert error.rows >= error.setups >= 0, name


def test_a_pace_is_kept_as_it_is_set():
    scenario = load_scenario({**IDEAL, "path.rate": "10 Gb/s", "tool.pace": "1 Gb/s"})
    names = [
        REGIMES[discrepancy.of_resource(scenario, f"sender.tool.{part}")] for part in ("pace", "pace2", "requests")
    ]
    assert names == ["stated", "stated", "tool"]


def test_ninety_percent_of_new_measurements_lie_inside():
    """Conformal check: intervals of one half of draws hold 90 % of the rates of the other half."""
    rng = np.random.default_rng(7)
    for number, name in enumerate(REGIMES):
        drawn = np.log(factors(DRAWS)[number])
        low, high = np.quantile(drawn, [0.05, 0.95])
        measured = discrepancies()[name].quantile(rng.random(4000))
        assert np.mean((low <= measured) & (measured <= high)) == pytest.approx(0.9, abs=0.02), name


@pytest.mark.parametrize(
    ("keys", "resource", "regime"),
    [
        ({**IDEAL, "path.rate": "1 Gb/s"}, "path.link", "lan"),
        ({**IDEAL, "path.rate": "1 Gb/s", "path.rtt": "80 ms"}, "path.link", "wan"),
        ({**IDEAL, "path.rate": "1 Gb/s", "path.rtt": 0.08, "path.loss": 0, "path.queue": 1e6}, "path.link", "stated"),
        ({"sender": "a", "receiver": "a", "path": "lan-10ge", "tool": "nuttcp"}, "path.link", "documented"),
        ({"sender": "a", "receiver": "a", "path": "lan-10ge", "tool": "nuttcp"}, "sender.cpu.core1", "core measured"),
        ({**IDEAL, "path.rate": "1 Gb/s"}, "sender.cpu.core1", "core"),
        ({**IDEAL, "path.same_host": True}, "sender.cpu.core1", "core within a machine"),
        ({**IDEAL, "path.rate": "1 Gb/s", "sender.read_rate": 1e9}, "sender.disk", "disk measured"),
        ({**IDEAL, "path.rate": "1 Gb/s"}, "sender.raid.data", "array"),
        ({**IDEAL, "path.rate": "1 Gb/s"}, "sender.slot.nic1", "slot"),
    ],
)
def test_the_regime_is_what_limits_the_transfer_and_how_well_it_is_known(keys, resource, regime):
    assert REGIMES[discrepancy.of_resource(load_scenario(keys), resource)] == regime


def test_no_median_exceeds_the_line_and_intervals_little():
    result = predict({**IDEAL, "path.rate": "1 Gb/s", "path.mtu": 1500})
    assert result.throughput_bps == pytest.approx(941.48e6, rel=1e-4)
    assert result.high_bps < 1.06 * result.throughput_bps
    assert result.low_bps < 0.9 * result.throughput_bps


def test_a_laboratory_is_surer_than_a_real_path():
    real = {**IDEAL, "path.rate": "1 Gb/s", "path.rtt": "80 ms", "path.mtu": 1500}
    lab = {**real, "path.loss": 0, "path.queue": "10 MB"}
    width = [np.log(found.high_bps / found.low_bps) for found in (predict(lab), predict(real))]
    assert width[0] < 0.1 < width[1]
