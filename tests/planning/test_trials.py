"""Scenarios worked out together: the numbers are those of each alone."""

import numpy as np
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import HecnError
from hecn_analysis.planning.change.settings import possible
from hecn_analysis.planning.change.trials import outcomes, throughputs
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.model import Model

LOSSY = {
    "sender": "b",
    "receiver": "b",
    "path.rate": "10 Gb/s",
    "path.rtt": "20 ms",
    "path.loss": 1e-5,
    "path.mtu": 9000,
    "tool": "nuttcp",
    "tool.duration": "2 s",
}


def changed(keys):
    base = hecn.load_scenario(keys)
    found = [base]
    for change in possible(base):
        try:
            found.append(base.with_(change.settings))
        except HecnError:
            continue
    return found


@pytest.mark.slow  # every change
@pytest.mark.parametrize("keys", [LOSSY, {**LOSSY, "path.loss": 0}, {**LOSSY, "tool": "nuttscp", "tool.bytes": "1 GB"}])
def test_together_is_as_alone(keys):
    scenarios = changed(keys)[::8]
    for scenario, found in zip(scenarios, outcomes(scenarios), strict=True):
        alone = hecn.predict(scenario)
        assert found.throughput_bps == pytest.approx(alone.throughput_bps, rel=1e-9)
        assert (found.low_bps, found.high_bps) == pytest.approx((alone.low_bps, alone.high_bps), rel=1e-9)
        assert found.bottleneck == alone.bottleneck
        model = Model(scenario, Draws(), levels=2)
        together = model.real(model.ground(with_draws=True)[2], changed=True)
        np.testing.assert_allclose(found.draws_bps, together[0], rtol=1e-9)


def test_a_change_brings_a_part_of_the_error():
    scenario = hecn.load_scenario(LOSSY)
    before, after = hecn.predict(scenario).draws_bps, outcomes([scenario])[0].draws_bps
    assert np.median(after / before) == pytest.approx(1, abs=0.1)
    assert 0.1 < np.std(np.log(after / before)) < np.sqrt(2) * np.std(np.log(before)) + 0.05


def test_a_first_look_has_the_throughput_where_no_run_differs():
    scenarios = changed({**LOSSY, "path.loss": 0, "path.queue": "25 MB"})
    alike = [scenario for scenario in scenarios if scenario.sender.congestion_control != "bbr"][::6]
    wanted = [hecn.predict(scenario).throughput_bps for scenario in alike]
    assert throughputs(alike) == pytest.approx(wanted, rel=1e-9)


def test_what_cannot_be_predicted_is_none():
    fine = hecn.load_scenario(LOSSY)
    assert throughputs([]) == []
    assert throughputs([fine])[0] > 0
