"""turbostat: shares and clocks of processors, and damage."""

import pytest

from hecn_analysis.counters import read_counters


def test_the_last_report_counts(samples):
    counters = read_counters(samples / "turbostat" / "reports.txt")
    assert counters.problems.empty
    [source] = counters.sources
    assert source["cpu"] == {"all_mean_busy_fraction": pytest.approx(0.486), "clock_hz": 3e9}
    assert (source["n_cpus"], source["busiest"]) == (
        2,
        {"cpu": 0, "busy_fraction": pytest.approx(0.968), "clock_hz": 3e9},
    )


def test_columns_that_somebody_chose(counters_of):
    [source] = counters_of("Core CPU Busy% Bzy_MHz POLL%\n- - 12.76 3905 0.39\n0 0 15.48 3850 0.03\n").sources
    assert (source["cpu"]["clock_hz"], source["busiest"]["cpu"]) == (3905e6, 0)


def test_a_damaged_row(samples, counters_of):
    text = (samples / "turbostat" / "reports.txt").read_text()
    counters = counters_of(text.replace("96.80", "96.B0"))
    assert counters.sources[0]["busiest"]["cpu"] == 1
    assert counters.problems.kind.tolist() == ["malformed"]
