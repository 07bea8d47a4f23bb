"""Values of signs of disks, copies and pipes in folders whose numbers are known."""

import pytest

from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e
from tests.diagnosis.observed import facts_of, folder, iperf3, values


def test_memory_feeds_and_drains_a_test_of_a_network(tmp_path):
    found = values(tmp_path, a_txt=iperf3())
    assert (found["feed"], found["drain"]) == ("memory", "memory")


def test_the_file_that_a_tool_reads_feeds_it(tmp_path):
    found = values(tmp_path, a_txt=iperf3(command="iperf3 -c 10.30.0.12 -F /data/big.bin"))
    assert found["feed"] == "a disk"


def test_tests_of_disks_have_no_signs_of_networks(tmp_path):
    found = values(tmp_path, dd_txt=e.dd("/dev/zero", "/data/x", 8 << 30, 187e6, "conv=fdatasync"))
    assert found["is_local"] == "to or from a disk alone"
    assert found["local_direction"] == "writes"
    assert not {"line_share", "port_share", "fast", "ethernet_rate", "feed", "drain", "distance"} & set(found)


def test_the_rate_over_that_of_a_disk(tmp_path):
    disk = e.dd("/dev/zero", "/data/x", 8 << 30, 25e6, "conv=fdatasync")
    assert values(tmp_path, a_txt=iperf3(), dd_receiver_txt=disk)["write_test"] == pytest.approx(0.5, rel=0.01)


PIPED = "{size} bytes copied, {seconds} s, 93.2 MB/s\n"


def test_the_copies_at_the_ends_of_a_pipe(tmp_path):
    found = values(
        tmp_path,
        run_client_txt=e.nuttcp(800e6, command="nuttcp -T10 h"),
        run_sender_txt=PIPED.format(size=1_000_000_000, seconds=9.5),
        run_receiver_txt=PIPED.format(size=1_000_000_000, seconds=10.75),
    )
    assert found["feed_lead"] == pytest.approx(10 / 9.5, rel=1e-3)
    assert found["drain_lag"] == pytest.approx(0.75, abs=0.01)
    assert (found["feed"], found["drain"]) == ("something unknown", "something unknown")


def test_a_pipe_of_which_one_end_is_known(tmp_path):
    dd = PIPED.format(size=1_000_000_000, seconds=9.5)
    found = values(tmp_path, run_client_txt=e.nuttcp(800e6, command="nuttcp -T10 h"), run_sender_txt=dd)
    assert found["feed"] == "something unknown"
    assert found["drain"] == "a program"
    assert "drain_lag" not in found


FREE = "               total        used        free\nMem:           16Gi       3.1Gi        12Gi\n"


@pytest.mark.parametrize(
    ("rate", "options", "beside", "told"),
    [
        (11e9, "", {}, "from"),  # bytes a second: no disk
        (11e9, "iflag=direct", {}, "past"),
        (3e9, "", {}, "from"),  # the command shows that nothing went past it
        (3e9, "iflag=direct", {}, "past"),
        (300e6, "", {"free.txt": FREE}, None),
    ],
)
def test_what_a_test_of_a_disk_measured(tmp_path, rate, options, beside, told):
    files = {"read.txt": e.dd("/data/x", "/dev/null", 8 << 30, rate, options), **beside}
    found = {sign.name: sign.value for sign in signs(facts_of(tmp_path, files))}
    assert found.get("page_cache") == told
    assert not {"read_test", "write_test"} & set(found)  # it is the test itself


@pytest.mark.parametrize(
    ("size", "rate", "options", "told"),
    [
        (1 << 30, 900e6, "", "from"),  # less than a tenth of the memory, faster than a SATA port
        (1 << 30, 900e6, "conv=fsync", "past"),
        (1 << 30, 400e6, "", None),
        (8 << 30, 900e6, "", None),  # so much waits for the disk
        (64 << 30, 3e9, "", None),  # and this does not fit
    ],
)
def test_what_is_written_at_once_goes_to_memory(tmp_path, size, rate, options, told):
    files = {"write.txt": e.dd("/dev/zero", "/scratch/x", size, rate, options), "free.txt": FREE}
    found = {sign.name: sign.value for sign in signs(facts_of(tmp_path, files))}
    assert found.get("page_cache") == told
    assert ("from_memory" in found) == (told is None)


def test_a_short_write_into_free_memory_is_no_fault_of_the_disk(tmp_path):
    files = {"write.txt": e.dd("/dev/zero", "/scratch/x", 1 << 30, 1.7e9), "free.txt": FREE}
    (verdict,) = diagnose(folder(tmp_path, files))
    assert verdict.causes[0].kind == "tool"
    assert "page cache" in verdict.finding


FIO = """\
r: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
fio-3.28
Starting 1 process

r: (groupid=0, jobs=1): err= 0: pid=4711: Tue Jan 16 10:20:11 2024
  read: IOPS=2861, BW=2861MiB/s (3000MB/s)(8192MiB/2863msec)
Run status group 0 (all jobs):
   READ: bw=2861MiB/s (3000MB/s), 2861MiB/s-2861MiB/s (3000MB/s-3000MB/s), io=8192MiB (8590MB), run=2863-2863msec
"""


@pytest.mark.parametrize(
    ("command", "memory", "told"),
    [("", "", None), ("", FREE, "from"), ("$ fio --name=r --rw=read --direct=1\n", FREE, "past")],
)
def test_a_file_of_fio_that_fits_into_memory(tmp_path, command, memory, told):
    found = facts_of(tmp_path, {"fio.txt": command + FIO, "free.txt": memory or "-\n"})
    assert {sign.name: sign.value for sign in signs(found)}.get("page_cache") == told


def test_a_rate_of_memory_is_said_and_no_gain_counts_from_it(tmp_path):
    (verdict,) = diagnose(folder(tmp_path, {"read.txt": e.dd("/data/x", "/dev/null", 8 << 30, 11e9)}))
    assert "page cache" in verdict.finding
    assert "--direct=1" in verdict.changes[0].command
    assert verdict.changes[0].throughput_bps is None


RSYNC = """\
$ rsync -a --stats src/ backup@far.example:/tank/src/

Number of files: {files:,} (reg: {files:,})
Number of regular files transferred: {files:,}
Total file size: 800,000,000 bytes
Total bytes sent: 800,000,000
Total bytes received: 1,000

sent 800,000,000 bytes  received 1,000 bytes  2,000,002.50 bytes/sec
total size is 800,000,000  speedup is 1.00
"""


def test_many_small_files_over_a_distance(tmp_path):
    files = {"rsync.txt": RSYNC.format(files=40_000), "ping.txt": e.ping("far.example", 0.06, scatter=0)}
    (verdict,) = diagnose(folder(tmp_path, files))
    found = {sign.name: sign.value for sign in verdict.signs}
    assert found["file_mean"] == pytest.approx(800e6 / 40_000 / 1e3, rel=0.01)
    assert found["files_in_flight"] == pytest.approx(40_000 / 400 * 0.06, rel=0.01)  # in 400 s
    assert verdict.causes[0].kind == "latency-protocol"
    assert any("files per second times RTT: 6 " in line.says for line in verdict.causes[0].evidence)


def test_a_few_large_files_have_no_signs_of_many(tmp_path):
    files = {"rsync.txt": RSYNC.format(files=12), "ping.txt": e.ping("far.example", 0.06)}
    assert not {"file_mean", "files_in_flight"} & {sign.name for sign in signs(facts_of(tmp_path, files))}


def test_a_copy_of_104_bytes_has_no_expectation(tmp_path):
    scp = "$ scp id.pub db1:\nid.pub                         100%  104     1.2KB/s   00:00    \n"
    (verdict,) = diagnose(folder(tmp_path, {"a.txt": scp, "ethtool.txt": e.ethtool(1000)}))
    assert verdict.expected_bps is None
    assert {cause.kind for cause in verdict.causes[:2]} == {"start-up", "latency-protocol"}


@pytest.mark.parametrize(("seconds", "share"), [(3.0, 0.58), (0.5, 3.5)])
def test_a_disk_at_usb_2_is_compared_with_the_bus(tmp_path, seconds, share):
    rate = f"{seconds:.2f} seconds = {104 / seconds:.2f} MB/sec"
    found = values(
        tmp_path,
        hdparm_txt=f"/dev/sdb:\n Timing buffered disk reads: 104 MB in  {rate}\n",
        lsusb_txt="    |__ Port 1: Dev 3, If 0, Class=Mass Storage, Driver=usb-storage, 480M\n",
    )
    assert found["usb2"] == pytest.approx(share, rel=0.06)


@pytest.mark.parametrize(
    ("words", "is_local"), [("The disk has NTFS, by ntfs-3g.", True), ("The LUN is iSCSI.", False)]
)
def test_a_disk_behind_a_service_is_not_of_this_host_alone(tmp_path, words, is_local):
    disk = e.dd("/dev/zero", "/data/x", 8 << 30, 187e6, "oflag=direct")
    assert ("is_local" in values(tmp_path, d_txt=disk, notes_txt=f"{words}\n")) == is_local
