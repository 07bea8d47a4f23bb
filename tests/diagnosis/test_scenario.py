"""The scenario of a verdict: what a folder states, and nothing else."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.scenario import scenario_keys
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.prediction import predict

NUTTCP = "nuttcp -T10 -w1m -N4 data\n  {} MB /  10.00 sec = {} Mbps 5 %TX 9 %RX 0 retrans 40.10 msRTT\n"


def test_stated_path_window_and_streams_repeat_the_measured_rate(tmp_path):
    (tmp_path / "runs.txt").write_text("nuttcp-t: v8.2.2: nodelay\n" + NUTTCP.format("1041.2500", "873.4321"))
    (tmp_path / "notes.txt").write_text("The circuit: 10 Gb/s.\n")
    keys = scenario_keys(diagnose(tmp_path)[0])
    assert keys == {
        "sender": "ideal",
        "receiver": "ideal",
        "tool": "nuttcp",
        "tool.streams": 4,
        "tool.window": 2**20,
        "path.rate": 1e10,
        "path.rtt": 0.0401,
        "path.mtu": 1500.0,
        "tool.duration": 10.0,
    }
    prediction = predict(keys)
    assert prediction.bottleneck_class == "window"
    assert prediction.low_bps < 873e6 < prediction.high_bps


def test_a_tool_without_a_model_is_replaced(tmp_path):
    (tmp_path / "x.txt").write_text(
        "------------------------------------------------------------\nClient connecting to h, TCP port 5001\n"
        "TCP window size: 0.08 MByte (default)\n------------------------------------------------------------\n"
        "[  3] local 10.0.0.1 port 5 connected with 10.0.0.2 port 5001\n[ ID] Interval       Transfer     Bandwidth\n"
        "[  3]  0.0-10.0 sec  1.09 GBytes   939 Mbits/sec\n"
    )
    assert scenario_keys(diagnose(tmp_path)[0])["tool"] in ("iperf2", "iperf3")


def test_a_test_of_disks_is_refused(tmp_path):
    (tmp_path / "dd.txt").write_text("1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.5 s, 195 MB/s\n")
    with pytest.raises(InputError, match="no transfer over a network with a rate, expected one that a scenario can"):
        scenario_keys(diagnose(tmp_path)[0])
