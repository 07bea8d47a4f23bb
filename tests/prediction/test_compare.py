"""The documents' series: every case is predicted, and the predictions stay as good as they were found to be."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.prediction.compare import compare, load_series, series_names


@pytest.fixture(scope="module")
def cases():
    return compare(series_names()).set_index("case")


@pytest.mark.slow
def test_every_measured_case_says_where_its_number_stands(cases):
    measured = cases[cases["measured_bps"].notna()]
    assert len(measured) >= 30
    assert measured["source_file"].notna().all()
    assert (measured["line_first"] <= measured["line_last"]).all()
    assert (measured["place"] != "").all()


def test_sums_of_runs_are_those_of_the_documents(cases):
    assert cases["measured_bps"]["c-6of7"] == pytest.approx(17824.8581e6)  # slide C-Systems 6-of-7
    assert cases["measured_bps"]["hotlava-tx128"] == pytest.approx(49003.5589e6)  # slide HotLava 4-of-8
    assert cases["measured_bps"]["hotlava-both256"] == pytest.approx(75117.1917e6)  # slide HotLava 8-of-8


def test_a_case_without_a_measurement_is_predicted_all_the_same(cases):
    assert cases["measured_bps"].isna()["b-raid50-man"]
    assert cases["predicted_bps"]["b-raid50-man"] > 9e9


def test_the_documents_measurements_are_met(cases):
    """The model's goals in-sample: median error at most 3 %, every stated limit named."""
    exact = cases[cases["measured_bps"].notna() & ~cases["measured_low_bound"] & cases["determined"]]
    assert exact["error"].abs().median() <= 0.03
    stated = cases[cases["stated_limit"] != ""]
    assert (stated["bottleneck_class"] == stated["stated_limit"]).all()


def test_before_and_after_change_as_in_the_documents(cases):
    predicted = cases["predicted_bps"]
    measured = cases["measured_bps"].astype(float)
    for before, after in [
        ("hotlava-tx128", "hotlava-tx256"),
        ("pcix-512", "pcix-4096"),
        ("c-3of7", "c-6of7"),
        ("b-bond-kernel", "b-bond-application-1"),
        ("b-no-lro-autotuned", "b-no-lro-100mb"),
    ]:
        gain = predicted[after] / predicted[before] - 1
        assert gain == pytest.approx(measured[after] / measured[before] - 1, abs=0.05), (before, after)


def test_an_unknown_series_names_the_nearest():
    with pytest.raises(InputError, match=r"found series 'hotlave', expected one of .*; did you mean 'hotlava'"):
        load_series("hotlave")
