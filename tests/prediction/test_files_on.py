"""Which arrays the files of a transfer lie on: hosts say so, and a prediction that had to choose says which it took."""

import pytest

from hecn_analysis.base.places import models_dir
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.description import Library
from hecn_analysis.prediction import predict

HOSTS = Library(models_dir()).names("hosts")


@pytest.mark.parametrize("name", HOSTS)
def test_a_shipped_host_with_several_arrays_says_where_its_files_lie(name):
    host = load_scenario({"sender": name, "receiver": "ideal", "path": "lan-10ge", "tool": "nuttcp"}).sender
    assert len(host.arrays) <= 1 or host.files_on


def test_the_pair_of_2010_reaches_what_it_was_measured_with():
    keys = {"sender": "xssd", "receiver": "xssd", "path": "lan-4x10ge", "tool": "nuttscp", "tool.processes": 4}
    found = predict(load_scenario(keys))
    assert found.low_bps < 30.4e9 < found.high_bps
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("tool", "role"), [("nuttscp", "sender"), ("nuttscp", "receiver"), ("dd-read", "sender"), ("dd-write", "receiver")]
)
def test_a_prediction_that_chooses_an_array_says_which(tool, role):
    keys = {"sender": "xssd", "receiver": "xssd", "path": "lan-4x10ge", "tool": tool, f"{role}.files_on": []}
    warning = f"{role}.files_on is not set: the files are assumed to be on raid50-1, not on raid50-2"
    assert predict(load_scenario(keys)).warnings == (warning,)


@pytest.mark.parametrize("keys", [{"tool": "nuttcp"}, {"tool": "nuttscp", "sender.read_rate": "9 Gb/s"}])
def test_nothing_is_chosen_where_no_array_is_read(keys):
    ends = {"sender": "xssd", "receiver": "ideal", "path": "lan-4x10ge", "sender.files_on": []}
    assert predict(load_scenario(ends | keys)).warnings == ()
