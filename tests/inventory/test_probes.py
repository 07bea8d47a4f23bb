"""What was measured on a host while it was captured."""

import pytest

from hecn_analysis.inventory import probes, read_inventory

LSCPU = """\
$ lscpu
Architecture:        x86_64
CPU(s):              4
Thread(s) per core:  1
Core(s) per socket:  4
Socket(s):           1
Model name:          Some CPU
CPU MHz:             2000.000
"""
NUTTCP = """\
$ nuttcp -P 21638 -p 21639 -T1 127.0.0.1
 {mib:.4f} MB /   1.00 sec = {mbps:.4f} Mbps {tx} %TX {rx} %RX 0 retrans 0.11 msRTT
"""
DD = """\
$ dd {files} bs=1048576 count=128 {how}=direct
128+0 records in
128+0 records out
134217728 bytes (134 MB, 128 MiB) copied, {seconds} s, {rate} MB/s
"""


def nuttcp(gbps, tx, rx):
    return NUTTCP.format(mib=gbps * 1e9 / 8 / 2**20, mbps=gbps * 1000, tx=tx, rx=rx)


def dd(files, how, seconds):
    return DD.format(files=files, how=how, seconds=seconds, rate=round(134.217728 / seconds))


@pytest.fixture
def captured(tmp_path):
    """A captured host, with whatever else is in its folder."""

    def read(*outputs):
        (tmp_path / "lscpu.txt").write_text(LSCPU)
        for number, text in enumerate(outputs):
            (tmp_path / f"probe-{number}.txt").write_text(text)
        inventory = read_inventory(tmp_path)
        return inventory.hosts[0], inventory.problems

    return read


def test_loopback_tells_what_a_byte_costs(captured):
    found, problems = captured(*(nuttcp(gbps, 50, 100) for gbps in (8.0, 10.0, 8.0)))
    assert problems.empty
    cpu = found.host.cpu
    assert cpu.send_cost.value == pytest.approx(1.0)  # 2 GHz, half of it, for 1 GB/s
    assert cpu.receive_cost.value == pytest.approx(2.0)
    assert cpu.receive_cost.spread == pytest.approx(0.2)
    assert cpu.measured_payload.value == 65483  # so that smaller packets cost more
    assert cpu.send_packet_cost.value > 0
    assert cpu.send_cost.source == "3 short runs of nuttcp over the loopback interface"
    assert cpu.cores == 4
    assert found.host.cpu_quota is None


def test_process_beside_others_has_the_share_that_probes_got(captured):
    found, _ = captured(*(nuttcp(gbps, 25, 50) for gbps in (4.0, 5.0, 4.5)))
    assert found.host.cpu_quota.value == 0.5
    assert found.host.cpu_quota.spread == pytest.approx(1 / 4.5, abs=1e-3)


def test_disk_that_was_probed_is_where_files_lie(captured):
    written = [dd("if=/dev/zero of=/srv/c.hecn-probe.dat", "oflag", seconds) for seconds in (0.25, 0.5)]
    read = [dd("if=/srv/c.hecn-probe.dat of=/dev/null", "iflag", 0.125)]
    found, problems = captured(*written, *read)
    assert problems.empty
    assert found.host.file_arrays == ["probed"]
    disk = found.host.arrays["probed"].disk
    assert disk.read_rate.value == pytest.approx(8 * 2**27 / 0.125, rel=1e-5)
    assert disk.write_rate.value == pytest.approx((8 * 2**27 / 0.25 + 8 * 2**27 / 0.5) / 2, rel=1e-5)
    assert disk.write_rate.spread == pytest.approx(2 / 3, abs=1e-3)
    assert disk.read_rate.source == "1 short run of dd, past the page cache"


@pytest.mark.parametrize(
    "text",
    [
        nuttcp(8, 50, 100).replace("127.0.0.1", "10.0.0.2"),
        dd("if=/srv/mine.dat of=/dev/null", "iflag", 0.125),
    ],
    ids=["network", "file"],
)
def test_other_runs_are_no_probes(captured, text):
    found, _ = captured(text)
    assert found.machine.probes == []
    assert found.host.cpu.send_cost.basis == "assumed"


def test_probe_that_failed_is_a_problem_and_the_others_count(captured):
    found, problems = captured(
        "$ nuttcp -P 1 -p 2 -T1 127.0.0.1\nnuttcp-t: Error: server not found\n", nuttcp(8.0, 50, 100)
    )
    [problem] = problems.to_dict("records")
    assert problem["kind"] == "aborted"
    assert problem["line"] == 1
    assert problem["message"] == ("found 'nuttcp-t: Error: server not found', expected the result of a probe; left out")
    assert found.host.cpu.receive_cost.value == pytest.approx(2.0)


def test_costs_follow_the_utilisation_law_and_their_spread_the_single_runs():
    runs = [(8e9, 0.5, 1.0), (10e9, 0.625, 1.25), (9e9, 0.5625, 1.125)]
    costs = probes.costs(runs, 2e9, "three runs")
    assert costs["send_cost"] == {"value": 1.0, "spread": 0.2, "basis": "calibrated", "source": "three runs"}
    assert costs["receive_cost"]["value"] == 2.0
    assert probes.shares(runs, "three runs")[1] == {
        "value": 1.125,
        "spread": 0.222,
        "basis": "calibrated",
        "source": "three runs, beside other programs",
    }
    assert probes.costs([(8e9, None, None)], 2e9, "a tool that says nothing of its processor") == {}
