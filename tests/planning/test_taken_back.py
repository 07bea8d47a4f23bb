"""Changes that take back what the file of a host sets."""

from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.planning.change.change import UNSET
from hecn_analysis.planning.change.settings import possible


def test_a_quota_of_a_host_file_is_taken_back(tmp_path):
    (tmp_path / "host.yaml").write_text("like: a++\ncpu_quota: 0.3\n")
    keys = {"sender": str(tmp_path / "host.yaml"), "receiver": str(tmp_path / "host.yaml"), "tool": "iperf3"}
    scenario = load_scenario({**keys, "path.rate": "10 Gb/s"})
    taken_back = [
        (key, value_at(scenario.with_(change.settings), key))
        for change in possible(scenario)
        for key, value in change.settings.items()
        if value == UNSET
    ]
    assert taken_back == [("sender.cpu_quota", None), ("receiver.cpu_quota", None)]
