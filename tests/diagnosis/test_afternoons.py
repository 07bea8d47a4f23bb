"""Two hosts and one afternoon: folders with the names and the mixture of files that engineers leave behind."""

from __future__ import annotations

import pytest

from tests.diagnosis import everyday as e
from tests.diagnosis.test_everyday import NOT_FINE, Case, check, some

_GIGABIT = [941e6] * 10
_TOP = """\
top - 15:02:11 up 41 days,  3:12,  2 users,  load average: 1.21, 0.80, 0.41
Tasks: 212 total,   2 running, 210 sleeping,   0 stopped,   0 zombie
%Cpu(s): 25.9 us,  1.4 sy,  0.0 ni, 72.2 id,  0.0 wa,  0.0 hi,  0.5 si,  0.0 st
MiB Mem :   7822.1 total,   5310.4 free,    911.0 used,   1600.7 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
  20411 backup    20   0   17544   8912   6712 R  99.7   0.1   4:12.18 sshd
  20415 backup    20   0    9980   3012   2244 S   6.1   0.0   0:14.90 rsync
"""
_RSYNC = """\
Number of files: 412,377 (reg: 398,112, dir: 14,265)
Number of created files: 398,112
Number of regular files transferred: 398,112
Total file size: 3,221,225,472 bytes
Total transferred file size: 3,221,225,472 bytes

sent 3,261,100,213 bytes  received 7,965,001 bytes  210,420.10 bytes/sec
total size is 3,221,225,472  speedup is 0.99
"""
_LSUSB = """\
/:  Bus 02.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/4p, 5000M
/:  Bus 01.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/8p, 480M
    |__ Port 2: Dev 3, If 0, Class=Vendor Specific Class, Driver=r8152, 480M
    |__ Port 5: Dev 2, If 0, Class=Human Interface Device, Driver=usbhid, 1.5M
"""
_ERRORS = """\
NIC statistics:
     rx_packets: 48211900
     tx_packets: 51220011
     rx_bytes: 71022019921
     rx_errors: 188230
     rx_crc_errors: 188230
     tx_errors: 0
     rx_dropped: 0
"""
_SWITCH = """\
GigabitEthernet1/0/14 is up, line protocol is up (connected)
  Description: store01
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
     reliability 255/255, txload 1/255, rxload 1/255
  Half-duplex, 100Mb/s, media type is 10/100/1000BaseTX
     0 runts, 0 giants, 0 throttles
     3412 input errors, 2980 CRC, 432 frame, 0 overrun, 0 ignored
     88120 packets output, 10211223 bytes, 0 underruns
     0 output errors, 9120 collisions, 1 interface resets
     0 babbles, 2211 late collision, 0 deferred
"""
_CAKE = """\
qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 200Mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms raw overhead 0
 Sent 1822017129 bytes 1263170 pkt (dropped 1313, overlimits 2215665 requeues 0)
 backlog 31794b 21p requeues 0
"""  # noqa: E501 (lines as tc writes them)
_MDSTAT = """\
Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sde1[4] sdd1[2] sdc1[1] sdb1[0]
      11720659200 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/4] [UUUU]
      [==>..................]  check = 14.1% (550437120/3906886400) finish=412.4min speed=76632K/sec

unused devices: <none>
"""
_SAWTOOTH = [310e6, 150e6, 182e6, 214e6, 246e6, 121e6, 155e6, 187e6, 219e6, 110e6]
_CWND = [3.4e6, 1.7e6, 2.0e6, 2.4e6, 2.7e6, 1.3e6, 1.7e6, 2.1e6, 2.4e6, 1.2e6]

CASES = {
    "scp with a core at its limit": Case(
        {
            "iperf3_nas.txt": e.iperf3(_GIGABIT, [393e3] * 10, command="iperf3 -c nas01"),
            "scp.txt": "$ scp backup.tar nas01:/data/\nbackup.tar      100% 4096MB  38.2MB/s   01:47\n",
            "top_nas01.txt": _TOP,
        },
        some("cpu-sender", "cpu-receiver"),
        0.4,
        which="scp",
    ),
    "many small files over a distance": Case(
        {"rsync.log": _RSYNC, "ping_dr-site.txt": e.ping("10.44.0.9", 0.024)},
        some("latency-protocol"),
        0.4,
        never=NOT_FINE,
    ),
    "a dongle in the wrong port": Case(
        {
            "iperf3.txt": e.iperf3([331e6] * 10, [402e3] * 10, command="iperf3 -c nas01"),
            "lsusb-t.txt": _LSUSB,
            "ethtool.txt": e.ethtool(1000),
        },
        some("slot"),
        0.6,
        never=NOT_FINE,
    ),
    "damaged frames of one direction": Case(
        {
            "dtn1-to-dtn2.txt": e.iperf3([9.41e9] * 10, [2.1e6] * 10, command="iperf3 -c dtn2"),
            "dtn2-to-dtn1.txt": e.iperf3(
                [412e6, 280e6, 355e6, 390e6, 301e6, 266e6, 410e6, 330e6, 290e6, 350e6],
                [88e3, 61e3, 74e3, 80e3, 66e3, 52e3, 90e3, 71e3, 60e3, 75e3],
                [812, 640, 701, 733, 690, 655, 798, 702, 660, 741],
                command="iperf3 -c dtn1",
                local="10.30.0.12",
                remote="10.20.0.11",
            ),
            "ethtool-S_dtn1.txt": _ERRORS,
            "ping.txt": e.ping("10.30.0.12", 0.0004),
        },
        some("loss", "link", "nic"),
        0.5,
        which="dtn2-to-dtn1",
        never=r"nothing is wrong",
    ),
    "a port of the switch in half duplex": Case(
        {
            "iperf3.txt": e.iperf3(
                [11e6, 7e6, 4e6, 9e6, 6e6, 5e6, 8e6, 6e6, 7e6, 5e6],
                [14e3, 9e3, 6e3, 11e3, 8e3, 7e3, 10e3, 8e3, 9e3, 7e3],
                [41, 55, 60, 44, 52, 58, 47, 51, 49, 57],
                command="iperf3 -c store01",
            ),
            "show_interface_gi1-0-14.txt": "sw1#show interface gi1/0/14\n" + _SWITCH,
        },
        some("duplex"),
        0.6,
        never=NOT_FINE,
    ),
    "a shaper left on the router": Case(
        {
            "speed.txt": e.iperf3([189e6] * 10, [1.1e6] * 10, command="iperf3 -c speed.isp.example"),
            "tc_router.txt": "# tc -s qdisc show dev eth0\n" + _CAKE,
            "notes.txt": "circuit: 1 Gb/s\n",
        },
        some("shaper"),
        0.6,
        never=NOT_FINE,
    ),
    "an array at its monthly check": Case(
        {
            "dd_read.txt": e.dd("/data/big.tar", "/dev/null", 8 << 30, 61e6, "iflag=direct"),
            "mdstat.txt": _MDSTAT,
        },
        some("shared", "disk-read"),
        0.5,
        never=NOT_FINE,
    ),
    "losses over 90 ms": Case(
        {
            "iperf3_hawaii.txt": e.iperf3(_SAWTOOTH, _CWND, [9, 4, 0, 0, 0, 7, 0, 0, 0, 5], command="iperf3 -c hawaii"),
            "ping_hawaii.txt": e.ping("10.30.0.12", 0.090, 100, 2),
            "ethtool.txt": e.ethtool(10000),
            "sysctl.txt": e.sysctl(64 * e.MIB, 64 * e.MIB),
        },
        some("loss", "buffer-small"),
        0.5,
        never=NOT_FINE,
    ),
    "a tunnel beside the bare path": Case(
        {
            "bare.txt": e.iperf3(_GIGABIT, [393e3] * 10, command="iperf3 -c gw2"),
            "tunnel.txt": e.iperf3(
                [181e6] * 10, [310e3] * 10, command="iperf3 -c 10.99.0.2", local="10.99.0.1", remote="10.99.0.2"
            ),
            "mpstat_gw1.txt": e.mpstat(2),
        },
        some("cpu-sender", "cpu-receiver"),
        0.4,
        which="tunnel",
    ),
    "notes alone": Case(
        {
            "mail.txt": "Hi, copies to site B crawl at 4 MB/s, in the LAN we have 110 MB/s. The RTT is 18 ms and ping "
            "loses nothing. Could it be the firewall? Somebody suggested jumbo frames.\n"
        },
        some("window-tool", "window-host", "latency-protocol"),
        0.5,
        never=NOT_FINE,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_engineer_would_say_so(name, tmp_path):
    check(CASES[name], tmp_path)
