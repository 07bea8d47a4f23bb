"""Processor time of runs: the utilisation law on the documents' columns, and the model's beside it."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.prediction.measurements import Measurement, of_runs, of_series
from hecn_analysis.prediction.processor_time import processor_time

KEYS = {"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"}


def test_time_of_a_byte_is_the_busy_share_over_the_byte_rate():
    rows = processor_time(of_series(["b-bonding"])).set_index(["name", "end"])
    first = rows.loc["b-bond-application-1", "receiver"]
    assert first["measured_ns"] == pytest.approx(0.94 / 39564.4536e6 * 8e9)
    assert first["cycles"] == pytest.approx(first["measured_ns"] * 3.2)
    assert first["rounding_ns"] == pytest.approx(first["measured_ns"] * 0.005 / 0.94)
    assert first["source"] == "logs/b-systems-bonding.txt:13-13"


def test_share_of_several_processes_is_that_of_one_and_their_times_add_up():
    rows = processor_time(of_series(["hotlava"])).set_index(["name", "end"])
    six = rows.loc["hotlava-tx256", "sender"]
    assert six["measured_ns"] == pytest.approx(six["measured_fraction"] * 6 / six["measured_bps"] * 8e9)
    assert "hotlava-both256" not in rows.index.get_level_values("name")


def test_costs_that_were_fitted_to_full_cores_hold_for_them():
    rows = processor_time(of_series(["b-bonding"]))
    full = rows[(rows["end"] == "receiver") & rows["name"].str.contains("application")]
    assert len(full) == 5
    assert (full["error"].abs() < 0.1).all()
    assert (full["low_ns"] < full["predicted_ns"]).all()
    assert (full["predicted_ns"] < full["high_ns"]).all()


def test_runs_of_a_log_take_the_hosts_that_are_given(root):
    rows = processor_time(of_runs([root / "data/logs/b-systems-netem.txt"], KEYS))
    assert len(rows) == 6
    assert rows["measured_fraction"].tolist() == pytest.approx([0.15, 0.24, 0.19, 0.29, 0.27, 0.39])


def test_runs_without_a_column_say_so():
    without = [Measurement("dd", None, "dd", KEYS, 2e9)]
    with pytest.raises(InputError, match="found no run with a processor share, expected runs of tools that print it"):
        processor_time(without)
