"""Satellites with and without proxies: windows, orbits, bit errors."""

import pytest

from hecn_analysis import limits
from hecn_analysis.limits.satellite import GEOSTATIONARY_M, round_trip_s
from hecn_analysis.planning.studies.long_paths import far_cases
from hecn_analysis.planning.studies.satellite import DEFAULT_WMEM, orbits, over_bit_errors, over_windows, with_windows
from hecn_analysis.prediction.compare import compare

TPD = {"sender": "ideal", "receiver": "mac-osx-beta", "path": "tpd-2geo", "tool": "nttcp"}


def test_proxies_make_the_window_of_no_matter():
    found = over_windows(TPD, [32768.0, 65536.0, 16e6])
    without, with_ = (found[found["proxies"] == one]["throughput_bps"].tolist() for one in (False, True))
    assert without[1] == pytest.approx(2 * without[0], rel=0.05)
    assert with_ == pytest.approx([with_[0]] * 3)
    assert with_[0] > without[2] > without[1]  # a large window alone still has to get going
    assert found["bottleneck_class"].tolist() == ["window", "window", "start-up", "link", "link", "link"]


def test_what_was_in_flight_over_the_documents_satellites_is_the_assumed_window():
    series = far_cases(["atm-and-satellites"], least_rtt_s=1.0)
    found = with_windows(compare(series), series).set_index("case")
    assert dict(found["proxies"])["tpd-2-ftp"]
    assert not dict(found["proxies"])["tpd-3-ftp"]
    assert found.loc["tpd-3-nttcp", "flight_bytes"] == pytest.approx(0.225e6 * 1.127 / 8)
    assert found.loc["tpd-3-nttcp", "flight_bytes"] == pytest.approx(found.loc["tpd-3-nttcp", "window_bytes"], rel=0.05)


def test_orbits_are_ordered_and_proxies_help_the_far_ones():
    found = orbits(100e6, amount_bytes=100e6)
    assert found["rtt_s"].is_monotonic_increasing
    assert found["rtt_s"].iloc[2] == round_trip_s(GEOSTATIONARY_M, elevation_deg=30.0, ground=0.02)
    assert found["default_bps"].iloc[3] < 8 * DEFAULT_WMEM / found["rtt_s"].iloc[3]
    gain = found["proxies_bps"] / found["default_bps"]
    assert gain.is_monotonic_increasing
    assert gain.iloc[0] < 1.1
    assert gain.iloc[3] > 3
    assert (found["cubic_bps"] >= found["default_bps"]).all()


def test_bit_errors_hurt_reno_most_and_what_proxies_use_least():
    found = over_bit_errors(100e6, 0.56, [1e-10, 1e-8], duration_s=120.0)
    assert found["loss"].iloc[1] == pytest.approx(1538 * 8e-8, rel=1e-3)
    assert (found["reno_bps"] < found["cubic_bps"]).all()
    assert (found["cubic_bps"] < found["proxies_bps"]).all()
    assert found["reno_bps"].iloc[1] < found["reno_bps"].iloc[0]
    assert (found["proxies_bps"] <= limits.ethernet(rate=100e6, mtu=1500)["goodput_bps"]).all()
