"""Values of signs of processors and ports in folders whose numbers are known."""

import pytest

from tests.diagnosis import everyday as e
from tests.diagnosis.observed import STEADY, iperf3, values


def test_the_share_of_a_core(tmp_path):
    found = values(tmp_path, a_txt=e.nuttcp(1e9, command="nuttcp -T10 h", tx=30, rx=95))
    assert (found["sender_core"], found["receiver_core"]) == (pytest.approx(0.3), pytest.approx(0.95))
    assert found["pacing_effort"] == pytest.approx(0.3)


@pytest.mark.parametrize(("quota", "told"), [("max 100000", False), ("50000 100000", True)])
def test_counters_of_a_quota_that_is_gone_tell_nothing(tmp_path, quota, told):
    text = (
        f"$ cat /sys/fs/cgroup/cpu.max\n{quota}\n$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 100\n"
        "nr_periods 200\nnr_throttled 150\nthrottled_usec 9000\n"
    )
    found = values(tmp_path, a_txt=iperf3(), cgroup_sender_txt=text)
    assert ("sender_throttled" in found) == told
    if told:
        assert found["sender_throttled"] == pytest.approx(0.75)


IP_LINK = """\
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000
    link/ether 00:19:99:aa:bb:cc brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped overrun mcast
    812345678  1201234  17      12      0       4123
    TX: bytes  packets  errors  dropped carrier collsns
    9123456789 7812345  6       0       0       0
"""


SAR = """\
Linux 6.1.0 (a) \t03/12/2024 \t_x86_64_\t(8 CPU)

09:31:00        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
09:31:01         eth0   1000.00  16000.00   2441.41  18310.55      0.00      0.00      0.00     15.00
09:31:02         eth0   1000.00  16000.00   2441.41  18310.55      0.00      0.00      0.00     15.00
"""


TOP = """\
top - 09:31:02 up 3 days,  1:02,  2 users,  load average: 2.01, 1.50, 0.90
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4711 ops       20   0   10112   4012   3500 R  61.0   0.1   0:09.11 iperf3
   1234 root      20   0  910112  84012   3500 R  90.0   1.1  91:09.11 clamd
   1235 root      20   0  110112  14012   3500 S  35.0   0.2   8:09.11 java
   1236 root      20   0  110112  14012   3500 S   2.0   0.2   0:09.11 sshd-session
"""


def test_errors_of_a_port_are_those_of_both_ways(tmp_path):
    assert values(tmp_path, a_txt=iperf3(), link_txt=IP_LINK)["port_errors"] == 17 + 6


def test_what_the_port_carried_beside_the_run(tmp_path):
    found = values(tmp_path, a_txt=iperf3(), sar_sender_txt=SAR)
    assert found["other_traffic"] == pytest.approx(18310.55 * 1024 * 8 / 100e6, rel=1e-3)  # 1.5
    assert found["other_direction"] == pytest.approx(2441.41 * 1024 * 8 / 100e6, rel=1e-3)  # 0.2


def test_other_processes_count_in_cores(tmp_path):
    assert values(tmp_path, a_txt=iperf3(), top_txt=TOP)["neighbours"] == pytest.approx(0.90 + 0.35)


def test_a_short_path_scatters_by_its_hosts(tmp_path):
    def ping(times):
        replies = "".join(f"64 bytes from 192.0.2.2: icmp_seq={i} ttl=64 time={t} ms\n" for i, t in enumerate(times))
        return f"PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n{replies}"

    assert "idle_scatter" not in values(tmp_path, a_txt=iperf3(), ping_txt=ping([0.1, 0.2, 0.1, 0.3, 0.2]))
    assert values(tmp_path, a_txt=iperf3(), ping_txt=ping([10, 20, 10, 30, 20]))["idle_scatter"] > 0.5


@pytest.mark.parametrize(
    ("cpu", "end"),
    [
        ((54.0, 98.7), "the receiver alone"),
        ((99.0, 61.0), "the sender alone"),
        ((97.0, 88.0), "both ends"),
        ((40, 45), None),
    ],
)
def test_the_end_at_which_the_tool_fills_a_core(tmp_path, cpu, end):
    assert values(tmp_path, a_json=e.iperf3_json(STEADY, cpu=cpu)).get("full_core") == end


def test_a_core_that_a_program_fills_does_not_count_for_a_test_between_memories(tmp_path):
    head = "10:11:13  CPU  %usr  %sys  %soft  %idle\n"
    cores = "10:11:14  0  95.00  4.00  1.00  0.00\n10:11:14  1  0.00  10.00  20.00  70.00\n"
    assert values(tmp_path, a_txt=iperf3(), mpstat_sender_txt=head + cores)["sender_busiest"] == pytest.approx(0.3)
    copy = "big.tar   100%   40GB  58.1MB/s   11:45    \n"
    (tmp_path / "a.txt").unlink()
    assert values(tmp_path, c_txt=copy)["sender_busiest"] == pytest.approx(1.0)
