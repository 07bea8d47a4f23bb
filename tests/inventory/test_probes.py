"""What was measured on a host while it was captured."""

import numpy as np
import pytest

import hecn_analysis as hecn
from hecn_analysis.inventory import read_inventory
from hecn_analysis.inventory.hosts import probes
from tests.prediction.steady import central_bps

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


def beside(text, busy):
    """A probe while so many cores were busy."""
    return f"{text}\ncores busy: {busy:.2f} of 4, with all programs\n"


IPERF3 = """\
$ iperf3 -c 127.0.0.1 -p 21638 -J -t 2
{{"start": {{"version": "iperf 3.12", "test_start": {{"protocol": "TCP", "num_streams": 1}}}}, "intervals": [],
 "end": {{"streams": [{{"sender": {{"socket": 5, "start": 0, "end": 2.0, "seconds": 2.0, "bytes": {size:.0f},
 "bits_per_second": {bps}, "retransmits": 0, "sender": true}},
 "receiver": {{"socket": 5, "start": 0, "end": 2.0, "seconds": 2.0, "bytes": {size:.0f}, "bits_per_second": {bps}}}}}],
 "sum_sent": {{"start": 0, "end": 2.0, "seconds": 2.0, "bytes": {size:.0f}, "bits_per_second": {bps},
 "retransmits": 0}},
 "sum_received": {{"start": 0, "end": 2.0, "seconds": 2.0, "bytes": {size:.0f}, "bits_per_second": {bps}}},
 "cpu_utilization_percent": {{"host_total": {tx}, "remote_total": {rx}}}}}}}
"""


def iperf3(gbps, tx, rx):
    return IPERF3.format(bps=gbps * 1e9, size=gbps * 1e9 / 4, tx=tx, rx=rx)


def loopback(host, tool, **settings):
    ends = {"sender": host.description, "receiver": host.description}
    return hecn.predict({**ends, "path": "loopback", "tool": tool, **settings})


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
    mean = 1.25 ** (1 / 3)
    assert cpu.send_cost.value == pytest.approx(1.0 / mean, rel=1e-5)  # 2 GHz, half of it, for 1 GB/s
    assert cpu.receive_cost.value == pytest.approx(2.0 / mean, rel=1e-5)
    assert cpu.measured_payload.value == 65483  # so that smaller packets cost more
    assert cpu.send_packet_cost.value > 0
    assert cpu.send_cost.source == "3 short runs of nuttcp over the loopback interface"
    assert cpu.cores == 4
    assert found.host.cpu_quota is None


def test_each_tool_is_predicted_as_it_ran_whatever_its_processes_share(captured):
    runs = [nuttcp(9.5, 20, 70), nuttcp(10.0, 50, 45), nuttcp(10.5, 20, 80)]
    runs += [iperf3(13.0, 75, 65), iperf3(14.0, 70, 75), iperf3(15.0, 80, 75)]
    found, problems = captured(*runs)
    assert problems.empty
    for tool, gbps in (("nuttcp", 10.0), ("iperf3", 14.0)):
        prediction = loopback(found, tool)
        assert central_bps(prediction.scenario) == pytest.approx(gbps * 1e9, rel=0.01)
        assert prediction.bottleneck == "sender.cpu.processes"
        # Three runs each differ by about 6 %; together they tell that with 4 degrees of freedom (Student: 2.13).
        assert 1.15 < prediction.high_bps / prediction.throughput_bps < 1.3
        assert 1.15 < prediction.throughput_bps / prediction.low_bps < 1.3
    tools = found.host.cpu.tools
    assert tools["nuttcp"].message.value == 65536
    assert tools["nuttcp"].cores.value == pytest.approx(0.95, rel=0.05)
    assert tools["iperf3"].cores.value == pytest.approx(1.47, rel=0.05)  # more than one core: they ran on two
    # A tool that was not tried is predicted from what both took, on one core or on two, and with what they differ by.
    cost = found.host.cpu.send_cost.value + found.host.cpu.receive_cost.value
    bound = loopback(found, "ttcp", **{"sender.app_cores": "[1]", "receiver.app_cores": "[1]"})
    assert central_bps(bound.scenario) == pytest.approx(8 * 2e9 / cost, rel=0.01)
    assert loopback(found, "ttcp").throughput_bps > bound.throughput_bps
    assert found.host.cpu.send_cost.spread > tools["iperf3"].cores.spread


def test_smaller_messages_cost_more_than_those_of_the_probes(captured):
    found, _ = captured(*(nuttcp(gbps, 50, 50) for gbps in (9.9, 10.0, 10.1)))
    keys = {"sender": found.description, "receiver": found.description, "path": "loopback", "tool": "nuttcp"}
    calls = {f"{role}.cpu.{way}_call_cost": 3000 for role, way in (("sender", "send"), ("receiver", "receive"))}
    rates = [hecn.predict({**keys, **calls, "tool.message": size}).throughput_bps for size in ("64 KiB", "4 KiB")]
    assert rates[0] == pytest.approx(10e9, rel=0.01)
    # 1.6 cycles a byte, and twice 3000 for each message
    assert rates[0] / rates[1] == pytest.approx(1 + 6000 * (1 / 4096 - 1 / 65536) / 1.6, rel=0.02)


def test_processes_beside_other_programs_have_the_share_that_probes_got(captured):
    runs = [nuttcp(gbps, 25, 50) for gbps in (4.0, 5.0, 4.5)]
    found, _ = captured(*(beside(run, 3.95) for run in runs))
    assert found.host.cpu_quota.value == 0.5
    assert found.host.cpu_quota.source == "3 short runs of nuttcp over the loopback interface, beside other programs"
    assert loopback(found, "nuttcp").throughput_bps == pytest.approx(4.48e9, rel=0.01)
    idle, _ = captured(*(beside(run, 0.95) for run in runs))
    assert idle.host.cpu_quota is None


def test_disk_that_was_probed_is_where_files_lie(captured):
    written = [dd("if=/dev/zero of=/srv/c.hecn-probe.dat", "oflag", seconds) for seconds in (0.25, 0.5)]
    read = [dd("if=/srv/c.hecn-probe.dat of=/dev/null", "iflag", 0.125)]
    found, problems = captured(*written, *read)
    assert problems.empty
    assert found.host.file_arrays == ["probed"]
    disk = found.host.arrays["probed"].disk
    assert disk.read_rate.value == pytest.approx(8 * 2**27 / 0.125, rel=1e-5)
    assert disk.write_rate.value == pytest.approx(8 * 2**27 / 0.125**0.5, rel=1e-5)
    assert disk.write_rate.spread == 0.95  # two runs tell their spread so badly that it would be wider
    assert disk.read_rate.spread == 0.5
    assert disk.read_rate.source == "1 short run of dd past the page cache"


def test_disk_through_the_page_cache_is_known_apart(captured):
    direct = [dd("if=/srv/a.hecn-probe.dat of=/dev/null", "iflag", 0.25)] * 3
    direct += [dd("if=/dev/zero of=/srv/a.hecn-probe.dat", "oflag", 0.25)] * 3
    buffered = [dd("if=/srv/b.hecn-probe.dat of=/dev/null", "iflag", 1.0).replace(" iflag=direct", "")] * 3
    buffered += [
        dd("if=/dev/zero of=/srv/b.hecn-probe.dat", "oflag", 0.5).replace("oflag=direct", "conv=fdatasync")
    ] * 3
    found, problems = captured(*direct, *buffered)
    assert problems.empty
    disk = found.host.arrays["probed"].disk
    assert disk.buffered_write_rate.source == "3 short runs of dd through the page cache"
    keys = {"sender": found.description, "receiver": found.description, "tool.bytes": "1 GiB"}
    for tool, io, seconds in (("dd-read", "direct", 0.25), ("dd-read", "buffered", 1), ("dd-write", "buffered", 0.5)):
        prediction = hecn.predict({**keys, "tool": tool, "tool.io": io})
        assert prediction.throughput_bps == pytest.approx(8 * 2**27 / seconds, rel=1e-3)


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


def test_costs_follow_the_utilisation_law_and_a_tool_without_shares_tells_none():
    runs = [probes.Probed(8e9, 0.5, 1.0), probes.Probed(10e9, 0.625, 1.25), probes.Probed(9e9, 0.5625, 1.125)]
    found = probes.processor({"nuttcp": runs}, 2e9, "tried")
    assert found["cpu"]["scatter"]["spread"] == 0
    expected = {"value": 1.0, "spread": 0.1, "basis": "calibrated", "source": "3 short runs of nuttcp tried"}
    assert found["cpu"]["send_cost"] == expected
    assert found["cpu"]["tools"]["nuttcp"]["receive_cost"]["value"] == 2.0
    assert found["cpu"]["tools"]["nuttcp"]["cores"]["value"] == pytest.approx(1.5 * 720 ** (1 / 3) / 8, rel=1e-5)
    assert probes.processor({"nuttcp": [probes.Probed(8e9)]}, 2e9, "tried") == {}


@pytest.mark.parametrize("repeats", [2, 3, 4, 8])
@pytest.mark.parametrize("groups", [1, 2])
def test_nine_in_ten_new_runs_are_as_near_as_repeats_tell(repeats, groups):
    rng = np.random.default_rng(5)
    trials, inside = 2000, 0
    for values in np.exp(rng.normal(0.0, 0.04, (trials, groups, repeats + 1))):
        spread = probes.known_by(values[:, :repeats].tolist(), 0.0)
        mean = np.exp(np.log(values[0, :repeats]).mean())
        inside += 1 / (1 + spread) <= values[0, repeats] / mean <= 1 + spread
    assert inside / trials == pytest.approx(0.9, abs=0.02)


def test_what_the_hour_does_is_added_and_nothing_is_wider_than_a_factor_of_two():
    assert probes.known_by([[10.0, 10.0, 10.0]], 0.1) == pytest.approx(0.1)
    assert 0.1 < probes.known_by([[9.8, 10.0, 10.2]], 0.1) < 0.13
    assert probes.known_by([[1.0, 10.0, 100.0]], 0.1) == 0.95
