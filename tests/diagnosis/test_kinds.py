"""Which runs are alike: unlike ones are never pooled, and one run is not counted twice."""

import pytest

from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds, without_runs
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e

STEADY = [100e6] * 5
DISK = e.dd("/dev/zero", "/data/x", 8 << 30, 187e6, "conv=fdatasync")
REFUSED = "$ iperf3 -c dtn02\niperf3: error - unable to connect to server: Connection refused\n"


def run(rates=STEADY, **more):
    return e.iperf3_json(rates, **more)


def text(command="iperf3 -c 10.30.0.12", **more):
    return e.iperf3(STEADY, [1e6] * 5, command=command, **more)


def found(place, files):
    for name, content in files.items():
        (place / name).write_text(content, encoding="utf-8")
    return kinds(read_folder(place))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (run(), run(target=100_000_000)),
        (run(target=50_000_000), run(target=100_000_000)),
        (run(), run(streams=4)),
        (run(), run(remote="10.30.0.99")),
        (run(), run(local="10.20.0.99")),
        (run(window=1 << 20), run(window=1 << 22)),
        (text(), text("iperf3 -c 10.30.0.12 -w 1M")),
        (text(), text("iperf3 -c 10.30.0.12 -R", reverse=True)),
        (text(), e.nuttcp(1e8, command="nuttcp -T10 10.30.0.12")),
    ],
    ids=["pacing", "rates", "streams", "to", "from", "windows", "window", "direction", "tools"],
)
def test_unlike_runs_are_never_pooled(tmp_path, one, other):
    names = [f"{name}.{'json' if part.startswith('{') else 'txt'}" for name, part in (("a", one), ("b", other))]
    assert [len(kind.runs) for kind in found(tmp_path, dict(zip(names, (one, other), strict=True)))] == [1, 1]


def test_alike_runs_are_pooled_and_the_largest_kind_is_first(tmp_path):
    files = {f"{number}.json": run() for number in range(3)}
    told = found(tmp_path, {"0-other.json": run(remote="10.30.0.99"), **files})
    assert [len(kind.runs) for kind in told] == [3, 1]
    assert (told[0].source_host, told[0].destination_host) == ("10.20.0.11", "10.30.0.12")


def test_of_kinds_with_as_many_runs_the_slowest_is_first(tmp_path):
    told = found(tmp_path, {"a.json": run(), "b.json": run([1e7] * 5, remote="10.30.0.99")})
    assert [kind.destination_host for kind in told] == ["10.30.0.99", "10.30.0.12"]


def test_what_makes_runs_alike_is_said(tmp_path):
    told = found(tmp_path, {"a.txt": text("iperf3 -c 10.30.0.12 -w 1M -b 200M")})
    assert "paced at 200 Mb/s" in told[0].condition
    assert "a window of 1.05 MB asked for" in told[0].condition
    assert told[0].condition.endswith("10.20.0.11 to 10.30.0.12")


@pytest.mark.parametrize(("rates", "number"), [([101e6] * 5, 1), ([150e6] * 5, 2)])
def test_the_log_of_the_server_of_the_same_runs_is_no_second_kind(tmp_path, rates, number):
    server = run(rates, local="10.30.0.12", remote="10.20.0.11")
    told = found(tmp_path, {"run1-client.json": run(), "run1-server.json": server})
    assert len(told) == number
    assert told[0].files[0].endswith("client.json")


def test_the_log_of_a_server_alone_is_a_kind(tmp_path):
    assert len(found(tmp_path, {"run1-server.json": run()})) == 1


def test_dd_in_a_pipe_is_one_end_of_the_transfer(tmp_path):
    nuttcp = e.nuttcp(1e8, command="nuttcp -T10 10.30.0.12")
    (kind,) = found(tmp_path, {"run1-client.txt": nuttcp + DISK, "other.txt": DISK})
    assert kind.tool == "nuttcp"
    assert len(kind.piped) == 1


def test_tests_of_disks_beside_a_network_are_evidence(tmp_path):
    (kind,) = found(tmp_path, {"a.txt": text(), "disk.txt": DISK})
    assert kind.tool == "iperf3"
    assert [one.value for one in kind.say("disk.write_bps")] == [pytest.approx(187e6 * 8, rel=0.01)]


def test_tests_of_disks_alone_are_kinds_by_their_direction(tmp_path):
    told = found(tmp_path, {"w.txt": DISK, "r.txt": e.dd("/data/x", "/dev/null", 8 << 30, 11.7e9)})
    assert {kind.direction for kind in told} == {"read", "write"}
    assert all(kind.is_local for kind in told)


def test_runs_that_failed_are_counted(tmp_path):
    (kind,) = found(tmp_path, {"a.txt": REFUSED})
    assert (len(kind.runs), kind.failed) == (0, 1)


def test_runs_that_failed_are_no_kind_beside_others(tmp_path):
    (kind,) = found(tmp_path, {"a.txt": REFUSED, "b.json": run()})
    assert (len(kind.runs), kind.failed) == (1, 0)


def test_requests_of_one_run_are_not_those_of_another(tmp_path):
    told = found(tmp_path, {"a.txt": text("iperf3 -c 10.30.0.12 -w 1M"), "b.txt": text()})
    asked = {len(kind.say("asked.window_bytes")) for kind in told}
    assert asked == {0, 1}


def test_what_watches_a_path_is_no_run(tmp_path):
    assert found(tmp_path, {"ping.txt": e.ping("10.30.0.12", 0.05)}) == []
    kind = without_runs(read_folder(tmp_path))
    assert kind.say("path.rtt_idle_s")
    assert kind.runs.empty
    assert not kind.files


CUT = """Connecting to host 10.30.0.12, port 5201
[  5] local 10.20.0.11 port 50000 connected to 10.30.0.12 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   312 KBytes  2.50 Mbits/sec    0   63.6 KBytes
[  5]   1.00-2.00   sec   312 KBytes  2.50 Mbits/sec    0   63.6 KBytes
[  5]   2.00-3.00   sec   625 KBytes  5.00 Mbits/sec    0   63.6 KBytes
[  5]   3.00-3.50   sec   156 KBytes  2.50 Mbits/sec    0   63.6 KBytes
"""


def test_a_log_that_ends_early_gives_the_mean_rate_of_its_intervals(tmp_path):
    whole, cut = found(tmp_path, {"client.txt": CUT, "other.json": run(remote="10.30.0.99")})[::-1]
    assert whole.median_bps == pytest.approx(100e6, rel=0.01)
    assert cut.median_bps == pytest.approx((2.5 + 2.5 + 5 + 1.25) / 3.5 * 1e6)


def test_a_receiver_of_udp_whose_result_has_no_bytes_has_the_rate_of_its_intervals(tmp_path):
    text = (
        "Server listening on 5201\n"
        "Accepted connection from 10.20.0.11, port 50000\n"
        "[  6] local 10.30.0.12 port 5201 connected to 10.20.0.11 port 41544\n"
        "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
        "[  6]   0.00-1.00   sec  6.00 MBytes  50.3 Mbits/sec  0.284 ms  0/4345 (0%)\n"
        "[  6]   1.00-2.00   sec  6.00 MBytes  50.3 Mbits/sec  0.311 ms  0/4345 (0%)\n"
        "[  6]   2.00-3.00   sec  3.00 MBytes  25.2 Mbits/sec  0.122 ms  0/2172 (0%)\n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
        "[  6]   0.00-3.00   sec  0.00 Bytes  0.00 bits/sec  0.122 ms  9/10862 (0.083%)\n"
    )
    (kind,) = found(tmp_path, {"server.txt": text})
    assert kind.median_bps == pytest.approx((50.3 + 50.3 + 25.2) / 3 * 1e6)


def test_a_second_of_a_run_gives_no_rate(tmp_path):
    (kind,) = found(tmp_path, {"client.txt": "\n".join(CUT.splitlines()[:4]) + "\n"})
    assert len(kind.runs) == 0


def test_parallel_streams_without_a_sum_give_no_rate(tmp_path):
    two = CUT + CUT.partition("Cwnd\n")[2].replace("[  5]", "[  7]")
    (kind,) = found(tmp_path, {"client.txt": two})
    assert len(kind.runs) == 0


def test_a_copy_that_still_goes_on_has_the_rate_that_it_states_so_far(tmp_path):
    (tmp_path / "rclone.log").write_text(
        "Transferred:   \t    1.214 GiB / 84.116 GiB, 1%, 20.714 MiB/s, ETA 1h8m16s\n"
        "Transferred:          312 / 18345, 2%\nElapsed time:       1m0.0s\n",
        encoding="utf-8",
    )
    (copy,) = kinds(read_folder(tmp_path))
    assert copy.failed == 1
    assert copy.median_bps == pytest.approx(20.714 * 8 * 2**20, rel=1e-3)


def test_a_copy_that_was_broken_off_has_the_last_rate_of_its_meter(tmp_path):
    meter = "$ scp b:/data/big.tar .\nbig.tar   {0}  210MB  {1}MB/s   {2}\n"
    (tmp_path / "cut.txt").write_text(meter.format("12%", "18.5", "01:22 ETA^CKilled by signal 2."), encoding="utf-8")
    (cut,) = kinds(read_folder(tmp_path))
    assert cut.median_bps == pytest.approx(8 * 18.5 * 2**20)
    (tmp_path / "cut.txt").write_text(meter.format("100%", "18.5", "00:11"), encoding="utf-8")
    (done,) = kinds(read_folder(tmp_path))
    assert not done.say("run.meter_bps")


SCHEDULED = """$ pscheduler task throughput --source {} --dest {} --duration PT20S
* Stream ID 5
Interval       Throughput     Retransmits    Current Window
0.0 - 10.0     {} Mbps    {}              2.10 MBytes
10.0 - 20.0    {} Mbps    {}              2.10 MBytes

Summary
Interval       Throughput     Retransmits    Receiver Throughput
0.0 - 20.0     {} Mbps    {}              {} Mbps
"""


def test_the_slow_pair_of_scheduled_tests_is_the_finding(tmp_path):
    pairs = [("ps1", "ps2", 930.0), ("ps2", "ps1", 930.0), ("ps1", "ps3", 120.0), ("ps2", "ps3", 930.0)]
    files = {
        f"{one}-{other}.txt": SCHEDULED.format(one, other, rate, 0, rate, 0, rate, 0, rate)
        for one, other, rate in pairs
    }
    told = found(tmp_path, files)
    assert [len(kind.runs) for kind in told] == [1] * 4
    assert (told[0].source_host, told[0].destination_host, told[0].is_outlier) == ("ps1", "ps3", True)
    assert diagnose(tmp_path)[0].outlier == "it is slow from ps1 to ps3 alone (7.8 times as fast between others)"


def test_probes_count_for_the_runs_between_their_hosts(tmp_path):
    probes = "--- owping statistics from [ps1]:8915 to [ps3]:9270 ---\n20000 sent, 4 lost (0.020%), 0 duplicates\n"
    files = {
        f"{one}-{other}.txt": SCHEDULED.format(one, other, rate, sent, rate, sent, rate, 2 * sent, rate)
        for one, other, rate, sent in (("ps1", "ps2", 930.0, 0), ("ps1", "ps3", 120.0, 9))
    }
    slow, fine = (Facts(kind) for kind in found(tmp_path, {**files, "owping.txt": probes}))
    lost = slow.said("path.ping_loss_idle")
    assert lost is not None
    assert (lost.value, fine.said("path.ping_loss_idle")) == (0.0002, None)
    assert slow.resent is not None  # the summary has no bytes
    assert slow.resent.value == pytest.approx(18 / (120e6 * 20 / 8 / 1448))


def test_jobs_of_fio_with_other_requests_or_depths_are_other_kinds(tmp_path):
    group = (
        "{name}: (groupid={number}, jobs=1): err= 0: pid=4711: Sun Nov 22 00:00:00 2026\n"
        "  read: IOPS={iops}, BW={rate}MiB/s ({rate}MB/s)({moved}MiB/10000msec)\n"
    )
    total = (
        "Run status group {number} (all jobs):\n"
        "   READ: bw={rate}MiB/s ({rate}MB/s), {rate}MiB/s-{rate}MiB/s ({rate}MB/s-{rate}MB/s), "
        "io={moved}MiB ({moved}MB), run=10000-10000msec\n"
    )
    jobs = [("seq", 800, 800), ("rand-Q32", 51200, 200), ("rand-Q1", 12800, 50)]
    parts = [
        {"name": name, "number": number, "iops": iops, "rate": rate, "moved": 10 * rate}
        for number, (name, iops, rate) in enumerate(jobs)
    ]
    text = "fio-3.33\n" + "".join(group.format(**part) for part in parts)
    made = found(tmp_path, {"fio.txt": text + "".join(total.format(**part) for part in parts)})
    assert [kind.condition for kind in made] == [
        "fio read, requests of 4 KiB, 520 MB, job rand-Q1",
        "fio read, requests of 4 KiB, 2.1 GB, job rand-Q32",
        "fio read, requests of 1 MiB, 8.4 GB, job seq",
    ]


def test_tests_of_two_disks_are_two_kinds_and_repetitions_one(tmp_path):
    text = "".join(
        f"$ dd if=/dev/zero of={place} bs=1M count=1000 oflag=direct\n"
        f"1000+0 records in\n1000+0 records out\n1048576000 bytes (1.0 GB, 1000 MiB) copied, {seconds} s, 105 MB/s\n"
        for place, seconds in (("/tank/a", 10), ("/tank/b", 11), ("/dev/sdb", 5))
    )
    assert sorted(len(kind.runs) for kind in found(tmp_path, {"dd.txt": text})) == [1, 2]
