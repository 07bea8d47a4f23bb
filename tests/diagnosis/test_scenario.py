"""The scenario of a verdict: what a folder states, and nothing else."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.scenario import scenario_keys
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.prediction import predict
from tests.diagnosis import everyday as e

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


def _keys(folder, files):
    for name, content in files.items():
        (folder / name).write_text(content)
    verdict = diagnose(folder)[0]
    return verdict, scenario_keys(verdict)


def test_a_loss_is_part_of_the_scenario(tmp_path):
    rates, resent = [210e6, 96e6, 150e6, 71e6, 188e6] * 4, [40, 22, 31, 17, 42] * 4
    ping = "$ ping -c 10 dtn02.campus.example\n" + e.ping("dtn02.campus.example", 0.024, 10)
    verdict, keys = _keys(tmp_path, {"a.txt": e.iperf3(rates, [0.2 * e.MIB] * 20, resent), "ping.txt": ping})
    assert verdict.causes[0].kind == "loss"
    assert keys["path.loss"] == pytest.approx(608 * 1448 * 8 / sum(rates), rel=0.01)
    prediction = predict(keys | {"path.rate": 1e10})
    assert prediction.bottleneck_class == "loss"
    assert prediction.low_bps < verdict.measured_bps < prediction.high_bps


def test_a_cap_is_the_rate_of_the_path(tmp_path):
    policy = "    police:\n        cir 200000000 bps, bc 6250000 bytes\n      conformed 1 packets\n"
    rates, resent = [210e6] + [192e6] * 9, [180] + [91] * 9
    files = {"a.txt": e.iperf3(rates, [131e3] * 10, resent), "policy.txt": policy, "ethtool.txt": e.ethtool(1000)}
    verdict, keys = _keys(tmp_path, files)
    assert verdict.causes[0].kind == "shaper"
    assert keys["path.rate"] == pytest.approx(193e6 / 0.9415, rel=0.02)


def test_a_full_core_is_that_of_the_scenario(tmp_path):
    files = {
        "scp.txt": "$ scp /nvme/set.tar store2:/nvme/\n"
        "set.tar                                       100%   64GB 402.1MB/s   02:42    \n",
        "top.txt": "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
        " 812345 maria     20   0   17244   9120   7812 R  99.7   0.0   1:47.11 ssh\n",
    }
    verdict, keys = _keys(tmp_path, files)
    assert verdict.causes[0].kind == "cpu-sender"
    assert keys["tool"] == "scp"
    assert keys["sender.cpu.cores"] == 1
    assert "sender" not in keys
    assert keys["sender.cpu.send_cost"] * verdict.measured_bps / 8 == pytest.approx(keys["sender.cpu.clock"])
    prediction = predict(keys | {"path.rate": 1e10, "path.rtt": 0.0003})
    assert prediction.bottleneck == "sender.cpu.core0"
    assert prediction.low_bps < verdict.measured_bps < prediction.high_bps


def test_requests_that_wait_are_those_of_the_scenario(tmp_path):
    files = {
        "rclone.txt": "$ rclone copy /data/set remote:bucket --transfers 6 -v\n"
        "Transferred:   \t  102.400 GiB / 102.400 GiB, 100%, 38.112 MiB/s, ETA 0s\n"
        "Transferred:          410 / 410, 100%\nElapsed time:  45m51.4s\n",
        "ping.txt": "$ ping -c 10 s3.eu.example\n" + e.ping("s3.eu.example", 0.092, 10),
        "ethtool.txt": e.ethtool(10000),
    }
    verdict, keys = _keys(tmp_path, files)
    assert verdict.causes[0].kind == "latency-protocol"
    assert (keys["tool"], keys["tool.streams"], keys["tool.outstanding"]) == ("s3", 6, 1)
    assert keys["tool.request"] == pytest.approx(verdict.measured_bps * keys["path.rtt"] / 8 / 6)
    assert predict(keys).throughput_bps == pytest.approx(verdict.measured_bps, rel=0.05)


def test_a_full_line_that_nobody_states_is_the_next_usual_one(tmp_path):
    mount = "nas01:/export on /mnt/nas type nfs4 (rw,vers=4.2)\n"
    verdict, keys = _keys(tmp_path, {"dd.txt": mount + e.dd("/mnt/nas/t.bin", "/dev/null", 8 << 30, 117.1e6)})
    assert verdict.causes[0].kind == "link"
    assert keys["path.rate"] == 1e9


@pytest.mark.parametrize(
    ("mount", "tool"),
    [
        ("nas01:/export on /mnt/nas type nfs4 (rw,vers=4.2,rsize=1048576)", "nfs4"),
        ("nas01:/export on /mnt/nas type nfs (rw,vers=3,rsize=1048576)", "nfs"),
        ("//nas01/data on /mnt/nas type cifs (rw,vers=3.1.1)", "smb"),
    ],
)
def test_a_test_on_a_share_is_one_of_its_service(tmp_path, mount, tool):
    files = {"dd.txt": f"{mount}\n" + e.dd("/mnt/nas/t.bin", "/dev/null", 8 << 30, 71e6)}
    files["iperf3.txt"] = e.iperf3([941e6] * 10)
    verdict, keys = _keys(tmp_path, files)
    assert verdict.causes[0].kind == "disk-read"
    assert (keys["tool"], keys["tool.bytes"]) == (tool, float(8 << 30))
    assert keys["sender.read_rate"] == verdict.measured_bps
    assert predict(keys).throughput_bps == pytest.approx(verdict.measured_bps, rel=0.02)
