"""Copies over ssh, to object stores and on shares, and lines that tell hosts from paths: what an engineer would say."""

import pytest

from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds
from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e
from tests.diagnosis.test_everyday import NOT_FINE, Case, check, some

_WAITS = some("latency-protocol")
_CORE = some("cpu-sender", "cpu-receiver")
_FAST = e.iperf3([9.2e9] * 10, [150 * e.MIB] * 10, command="iperf3 -c dtn02 -t 10")
_PIDSTAT = """\
10:11:01 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
10:11:02 AM  1000     55121   88.00   11.00    0.00    0.00   99.00     5  ssh
10:11:02 AM  1000     55120    2.00    9.00    0.00    0.00   11.00     7  scp
"""
_TOP = """\
%Cpu(s): 18.1 us,  9.4 sy,  0.0 ni, 70.2 id,  0.0 wa,  0.0 hi,  2.3 si,  0.0 st

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   2211 nobody    20   0   14812   7812   6900 R  99.3   0.1   3:12.40 openvpn
"""
_NFS = "nas01:/export on /mnt/nas type nfs4 (rw,relatime,vers=4.2,rsize=1048576,wsize=1048576)\n"
_RCLONE = """\
$ rclone copy /data/set remote:bucket --transfers 4 -v
Transferred:   	  102.400 GiB / 102.400 GiB, 100%, 38.112 MiB/s, ETA 0s
Transferred:          410 / 410, 100%
Elapsed time:  45m51.4s
"""
_AWS = """\
$ aws s3 cp s3://survey/tile_0042.fits .
Completed 24.0 GiB/24.0 GiB (61.3 MiB/s) with 1 file(s) remaining
download: s3://survey/tile_0042.fits to ./tile_0042.fits
"""
_GCLOUD = """\
$ gcloud storage cp big.bin gs://bucket-eu/big.bin
Completed files 1/1 | 20.0GiB/20.0GiB | 55.0MiB/s

Average throughput: 52.1MiB/s
"""
_HANG = """\
[  812.113201] e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:
[  814.097511] e1000e 0000:00:1f.6 eno1: Reset adapter unexpectedly
"""
_MISSED = "     rx_errors: 0\n     rx_no_buffer_count: 412\n     rx_missed_errors: 921034\n"
_UNEVEN = [6.2e9, 5.9e9, 6.4e9, 6.1e9, 6.0e9, 6.3e9, 5.8e9, 6.2e9, 6.1e9, 6.0e9]
_RESENT = [210, 180, 240, 190, 220, 170, 200, 230, 180, 190]
_LARGE = """\
PING 10.66.0.20 (10.66.0.20) 8972(9000) bytes of data.

--- 10.66.0.20 ping statistics ---
5 packets transmitted, 0 received, 100% packet loss, time 4081ms
"""


def _scp(rate, size="20GB", time="14:35"):
    line = f"set.tar                                     100%   {size} {rate}   {time}    \n"
    return f"$ scp /data/set.tar dtn02:/scratch/\n{line}"


def _ping(rtt, host="dtn02"):
    return f"$ ping -c 10 {host}\n" + e.ping(host, rtt, 10)


def _ring(soft):
    return {
        "iperf3.txt": e.iperf3(_UNEVEN, [1.1 * e.MIB] * 10, _RESENT, command="iperf3 -c rx01 -t 10"),
        "ethtool-S-receiver.txt": _MISSED,
        "mpstat-receiver.txt": e.mpstat(3, busy_soft=soft),
        "ethtool-receiver.txt": e.ethtool(10000),
    }


CASES = {
    "scp fills the channel of OpenSSH": Case(
        {"scp.txt": _scp("23.4MB/s"), "ping.txt": _ping(0.0852), "ethtool.txt": e.ethtool(10000)}, _WAITS, 0.55
    ),
    "scp fills the channel beside a fast path": Case(
        {"scp.txt": _scp("23.4MB/s"), "ping.txt": _ping(0.0852), "iperf3.txt": _FAST}, _WAITS, 0.6, which="scp.txt"
    ),
    "scp of an OpenSSH of 2006": Case(
        {"scp.txt": _scp("1.4MB/s", "2000MB", "23:40"), "ping.txt": _ping(0.085), "v.txt": "OpenSSH_4.3p2, OpenSSL\n"},
        _WAITS,
    ),
    "scp with a full core in pidstat": Case(
        {"scp.txt": _scp("233.1MB/s", "64GB", "04:40"), "iperf3.txt": _FAST, "pidstat.txt": _PIDSTAT},
        _CORE,
        0.7,
        which="scp.txt",
    ),
    "a full core of the tunnel's program": Case(
        {
            "tunnel.txt": e.iperf3([181e6] * 10, [310e3] * 10, local="10.8.0.6", remote="10.8.0.1"),
            "direct.txt": e.iperf3([938e6] * 10, [500e3] * 10, local="192.0.2.4", remote="203.0.113.9"),
            "top.txt": _TOP,
        },
        _CORE,
        0.8,
        which="tunnel.txt",
        never=NOT_FINE.partition("|")[0],
    ),
    "rclone with four transfers": Case({"rclone.txt": _RCLONE, "ping.txt": _ping(0.092)}, _WAITS, 0.5),
    "aws over a path that carries more": Case(
        {
            "aws.txt": _AWS,
            "ping.txt": _ping(0.068),
            "iperf3.txt": e.iperf3([8.8e9] * 10, command="iperf3 -c dtn02 -R -t 10", reverse=True),
        },
        _WAITS,
        0.5,
        which="aws.txt",
    ),
    "gcloud over a path that carries more": Case(
        {"gcloud.txt": _GCLOUD, "ping.txt": _ping(0.031), "iperf3.txt": _FAST}, _WAITS, 0.5, which="gcloud.txt"
    ),
    "dd writes to a share behind a port of 1 Gb/s": Case(
        {
            "dd.txt": _NFS + e.dd("/dev/zero", "/mnt/nas/t.bin", 8 << 30, 114.8e6, "conv=fsync"),
            "ethtool.txt": e.ethtool(1000),
        },
        some("link"),
        0.5,
    ),
    "packets missed beside a full core": Case(_ring(99.0), some("cpu-receiver"), 0.9),
    "packets missed beside idle cores": Case(_ring(31.0), some("nic"), 0.25),
    "a card that hangs": Case(
        {
            "iperf3.txt": e.iperf3(
                [610e6, 880e6, 120e6, 740e6, 910e6, 90e6, 700e6, 905e6, 890e6, 130e6],
                [320e3, 400e3, 40e3, 300e3, 410e3, 30e3, 280e3, 400e3, 410e3, 40e3],
                [0, 0, 88, 0, 0, 102, 0, 0, 0, 91],
            ),
            "dmesg.txt": _HANG,
            "ping.txt": _ping(0.0004, "dtn02.campus.example"),
        },
        some("nic"),
    ),
    "large pings in a file of their own": Case(
        {
            "large.txt": "$ ping -M do -s 8972 -c 5 10.66.0.20\n" + _LARGE,
            "small.txt": _ping(0.0011, "10.66.0.20"),
            "rsync.txt": "$ rsync -av --progress /data/a.bin 10.66.0.20:/data/\nsending incremental file list\na.bin\n"
            "         32,768   0%    0.00kB/s    0:00:00\n",
        },
        some("mtu"),
        0.7,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_engineer_would_say_so(name, tmp_path):
    check(CASES[name], tmp_path)


def _signs(folder, files):
    for name, content in files.items():
        (folder / name).write_text(content)
    return {one.name: one for one in signs(Facts(kinds(read_folder(folder))[0]))}


def test_a_busy_ssh_is_that_of_the_client_and_sshd_that_of_the_server(tmp_path):
    top = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n{}\n"
    row = " 812345 maria     20   0   17244   9120   7812 R  99.7   0.0   1:47.11 "
    (tmp_path / "scp.txt").write_text(_scp("233.1MB/s", "64GB", "04:40"))
    (tmp_path / "top.txt").write_text(top.format(row + "ssh"))
    assert diagnose(tmp_path)[0].causes[0].kind == "cpu-sender"
    (tmp_path / "top.txt").write_text(top.format(row + "sshd"))
    assert diagnose(tmp_path)[0].causes[0].kind == "cpu-receiver"


def test_a_copy_that_is_slower_than_its_path_is_told_first(tmp_path):
    (tmp_path / "scp.txt").write_text(_scp("23.4MB/s"))
    (tmp_path / "ping.txt").write_text(_ping(0.0852))
    (tmp_path / "iperf3.txt").write_text(_FAST + _FAST)
    verdicts = diagnose(tmp_path)
    assert [one.kind.tool for one in verdicts] == ["iperf3", "scp"]
    assert str(verdicts).startswith("scp send, 21 GB")


def test_the_flight_of_a_copy_is_held_against_the_windows_of_channels(tmp_path):
    seen = _signs(tmp_path, {"scp.txt": _scp("11.8MB/s", "20GB", "28:55"), "ping.txt": _ping(0.0852)})
    assert seen["channel_fit"].value == pytest.approx(0.5022, abs=0.001)
    assert seen["old_channel_fit"].value == pytest.approx(1.0045, abs=0.002)
    assert seen["asked_window"].value == "no window"


def test_a_full_channel_is_held_against_no_smaller_one(tmp_path):
    seen = _signs(tmp_path, {"scp.txt": _scp("23.4MB/s"), "ping.txt": _ping(0.0852)})
    assert "old_channel_fit" not in seen


def test_the_flight_of_requests_counts_for_each_transfer_that_is_asked_for(tmp_path):
    seen = _signs(
        tmp_path, {"rclone.txt": _RCLONE.replace("--transfers 4", "--transfers 32"), "ping.txt": _ping(0.092)}
    )
    assert seen["request_flight"].value == pytest.approx(0.1149, abs=0.001)
    assert seen["request_flight"].evidence[0].says.endswith("--transfers 32 -v")


def test_a_store_that_is_near_does_not_wait(tmp_path):
    seen = _signs(tmp_path, {"rclone.txt": _RCLONE, "ping.txt": _ping(0.0004)})
    assert not {"of_store", "request_flight"} & seen.keys()


def test_large_objects_are_no_files_of_requests_each(tmp_path):
    seen = _signs(tmp_path, {"rclone.txt": _RCLONE, "ping.txt": _ping(0.092)})
    assert not {"file_mean", "files_in_flight"} & seen.keys()


def test_a_test_on_a_share_says_nothing_of_a_disk_by_itself(tmp_path):
    local = e.dd("/scratch/t.bin", "/dev/null", 8 << 30, 117.1e6, "iflag=direct")
    on_share = _NFS + e.dd("/mnt/nas/t.bin", "/dev/null", 8 << 30, 117.1e6, "iflag=direct")
    (tmp_path / "share.txt").write_text(on_share)
    (tmp_path / "local.txt").write_text(local)
    found = kinds(read_folder(tmp_path))
    assert [one.source_file.rpartition("/")[2] for one in found[0].say("disk.read_bps")] == ["local.txt"]
    assert diagnose(tmp_path)[0].kind.share is not None


@pytest.mark.parametrize("rate", [113e6, 117.1e6])
def test_a_share_read_at_the_rate_of_a_line_fills_it(tmp_path, rate):
    (tmp_path / "dd.txt").write_text(_NFS + e.dd("/mnt/nas/t.bin", "/dev/null", 8 << 30, rate))
    first = diagnose(tmp_path)[0].causes[0]
    assert first.kind == "link"
    assert first.probability > 0.4


def test_a_share_read_at_another_rate_fills_no_line(tmp_path):
    (tmp_path / "dd.txt").write_text(_NFS + e.dd("/mnt/nas/t.bin", "/dev/null", 8 << 30, 71e6))
    verdict = diagnose(tmp_path)[0]
    assert verdict.causes[0].kind == "disk-read"
    assert next(one for one in verdict.causes if one.kind == "link").probability < 0.1


def test_two_ports_of_different_duplex_are_quoted(tmp_path):
    head = "GigabitEthernet0/{} is up, line protocol is up\n  Hardware is Fast Ethernet, address is 0012.7f57.120{}\n"
    tail = "-duplex, 100Mb/s, media type is 10/100BaseTX\n     0 input errors, 0 CRC\n"
    files = {
        "iperf3.txt": e.iperf3([2.5e6] * 10, [24e3] * 10, [11] * 10),
        "sw1.txt": head.format(7, 7) + "  Half" + tail,
        "sw2.txt": head.format(9, 9) + "  Full" + tail,
    }
    sign = _signs(tmp_path, files)["port_duplex"]
    assert sign.value == "half duplex, another in full"
    assert [one.source_file.rpartition("/")[2] for one in sign.evidence] == ["sw1.txt", "sw2.txt"]
    quoted = [one.says for one in diagnose(tmp_path)[0].causes[0].evidence]
    assert any("(a port runs in half duplex, another in full)" in says for says in quoted)
