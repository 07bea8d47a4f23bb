"""Round trips over satellites."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.satellite import GEOSTATIONARY_M, round_trip_s, slant_range_m


def test_edge_of_the_view_is_the_distance_of_rfc_2488():
    """41,756 km, with an altitude rounded up."""
    assert slant_range_m(GEOSTATIONARY_M, 0.0) == pytest.approx(41_756e3, rel=2e-3)


@given(st.floats(2e5, 5e7), st.floats(0, 90))
def test_range_is_between_the_altitude_and_the_horizon(altitude, elevation):
    found = slant_range_m(altitude, elevation)
    assert altitude * (1 - 1e-9) <= found <= slant_range_m(altitude, 0.0) * (1 + 1e-9)


def test_hops_add_up_and_the_ground_is_added_once():
    one, two = (round_trip_s(GEOSTATIONARY_M, hops=n, ground=0.02) for n in (1, 2))
    assert two - 0.02 == pytest.approx(2 * (one - 0.02))


def test_arrays_in_arrays_out_and_nan_stays():
    with pytest.warns(ValidityWarning, match="altitude_m: NaN"):
        found = round_trip_s(np.array([550e3, np.nan]), elevation_deg=30.0)
    assert found[0] == pytest.approx(0.01325, rel=1e-3)
    assert np.isnan(found[1])


@pytest.mark.parametrize(
    "wrong", [{"altitude_m": 0.0}, {"altitude_m": 1e6, "elevation_deg": 91.0}, {"altitude_m": 1e6, "hops": 0}]
)
def test_impossible_values_are_refused(wrong):
    with pytest.raises(RangeError):
        round_trip_s(**wrong)


def test_distances_by_pythagoras_and_times_by_the_speed_of_light():
    """Overhead the altitude; at the horizon the tangent; four ways of a hop, there and back."""
    radius, height = 6_378_137.0, 35_786e3
    assert height == GEOSTATIONARY_M
    assert slant_range_m(height, 90.0) == pytest.approx(height)
    assert slant_range_m(height, 0.0) == pytest.approx((height * (height + 2 * radius)) ** 0.5)
    # at 30 degrees the law of cosines holds with 120 degrees between the radius and the range
    at = slant_range_m(550e3, 30.0)
    assert at**2 + radius**2 + at * radius == pytest.approx((radius + 550e3) ** 2)
    assert round_trip_s(height) == pytest.approx(4 * height / 299_792_458, rel=1e-12)
