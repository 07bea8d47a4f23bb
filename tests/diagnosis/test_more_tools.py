"""Folders of more tools and systems, with what an engineer would answer."""

from __future__ import annotations

import pytest

from tests.diagnosis import everyday as e
from tests.diagnosis.test_everyday import NOT_FINE, Case, check, some

_SINGLE = e.iperf3(e.ramp(1.05e9, 10, (0.4,)), [6.2e6] * 10, command="iperf3 -c far.example", remote="203.0.113.8")
_EIGHT = e.iperf3_json(e.ramp(8.3e9, 10, (0.4,)), streams=8, rtt=0.047, remote="203.0.113.8", cwnd=6_200_000)
_ADAPTER = """\
PS C:\\> Get-NetAdapter | ft Name, InterfaceDescription, Status, LinkSpeed

Name      InterfaceDescription                     Status  LinkSpeed
----      --------------------                     ------  ---------
Ethernet  Intel(R) Ethernet Connection (7) I219-LM Up       100 Mbps
Wi-Fi     Intel(R) Wi-Fi 6 AX200 160MHz            Disconnected 0 bps
"""
_ROBO = """\
-------------------------------------------------------------------------------
   ROBOCOPY     ::     Robust File Copy for Windows
-------------------------------------------------------------------------------

  Started : Thursday, May 2, 2024 9:00:00 AM
   Source : D:\\vm\\
     Dest : \\\\filer\\stage\\

               Total    Copied   Skipped  Mismatch    FAILED    Extras
    Dirs :         1         1         0         0         0         0
   Files :         3         3         0         0         0         0
   Bytes :  60.000 g  60.000 g         0         0         0         0
   Times :   1:35:21   1:35:21                       0:00:00   0:00:00

   Speed :            11261345 Bytes/sec.
   Speed :             644.379 MegaBytes/min.
   Ended : Thursday, May 2, 2024 10:35:21 AM
"""
_SS_APP = """\
$ ss -tin dst 10.30.0.12
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      0      10.20.0.11:22      10.30.0.12:51022
\t cubic wscale:7,7 rto:204 rtt:3.1/0.2 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:412 bytes_sent:4254096000 bytes_acked:4251002801 segs_out:2866082 data_segs_out:2866080 send 1539000000bps lastsnd:0 lastrcv:0 pacing_rate 3078000000bps delivery_rate 391000000bps delivered:2863940 app_limited busy:31010ms unacked:8 rcv_space:14480 minrtt:2.9
"""  # noqa: E501
_IOSTAT_TX = """\
Linux 5.15.0-91-generic (store7) 	05/02/2024 	_x86_64_	(16 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.40    0.00    1.10    6.02    0.00   92.48

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
sda            190.00  48640.00     0.00   0.00   20.10   256.00    0.00      0.00     0.00   0.00    0.00     0.00    3.82  99.60
sdb              0.00      0.00     0.00   0.00    0.00     0.00    1.20      8.00     0.00   0.00    0.50     6.67    0.00   0.10
"""  # noqa: E501
_HTB = """\
# tc -s qdisc show dev eth0
qdisc htb 1: root refcnt 2 r2q 10 default 0x30 direct_packets_stat 0 direct_qlen 1000
 Sent 12418001234 bytes 8601321 pkt (dropped 0, overlimits 5120441 requeues 0)
# tc -s class show dev eth0
class htb 1:30 root prio 0 rate 500Mbit ceil 500Mbit burst 1600b cburst 1600b
 Sent 12418001234 bytes 8601321 pkt (dropped 0, overlimits 5120441 requeues 0)
"""
_NETSTAT_BSD = """\
tcp:
	912031 packets sent
		880120 data packets (1273110220 bytes)
		41020 data packets (59120330 bytes) retransmitted
		12 data packets unnecessarily retransmitted
	501220 packets received
		480110 acks (for 1273110001 bytes)
		90112 duplicate acks
	2210 retransmit timeouts
"""
_SAR_STEAL = """\
Linux 5.4.0-1103-aws (ip-10-0-0-7) 	05/02/2024 	_x86_64_	(2 CPU)

11:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
11:00:02 AM     all      6.00      0.00     22.00      0.00     70.00      2.00
11:00:03 AM     all      5.00      0.00     21.00      0.00     72.00      2.00
11:00:04 AM     all      6.00      0.00     22.00      0.00     70.00      2.00
Average:        all      5.67      0.00     21.67      0.00     70.67      2.00
"""
CASES = {
    "one stream of eight": Case(
        {
            "one.txt": _SINGLE,
            "eight.json": _EIGHT,
            "ping.txt": e.ping("203.0.113.8", 0.047),
            "ethtool.txt": e.ethtool(10000),
            "sysctl.txt": e.sysctl(12582912, 12582912),
        },
        some("window-host"),
        0.4,
        which="one.txt",
    ),
    "windows port at 100": Case({"robocopy.log": _ROBO, "adapter.txt": _ADAPTER}, some("duplex"), never=NOT_FINE),
    "ssh waits for its disk": Case(
        {
            "scp.txt": "$ scp /data/a.tar 10.30.0.12:\na.tar            100%   12GB  48.0MB/s   04:16\n",
            "ss.txt": _SS_APP,
            "iostat-sender.txt": _IOSTAT_TX,
            "ethtool.txt": e.ethtool(10000),
        },
        some("disk-read"),
        0.5,
        never=NOT_FINE,
    ),
    "htb class of 500": Case(
        {
            "iperf3.txt": e.iperf3([478e6] * 10, [900e3] * 10, [3, 0, 0, 1, 0, 0, 2, 0, 0, 0], command="iperf3 -c b"),
            "tc.txt": _HTB,
            "ethtool.txt": e.ethtool(10000),
        },
        some("shaper"),
        never=NOT_FINE,
    ),
    "freebsd losses": Case(
        {
            "iperf3.txt": e.iperf3(
                [88e6, 41e6, 62e6, 35e6, 71e6, 50e6, 33e6, 80e6, 46e6, 58e6], None, command="iperf3 -c mirror"
            ),
            "netstat-s.txt": "% netstat -s -p tcp\n" + _NETSTAT_BSD,
            "ping.txt": e.ping("mirror", 0.022, 100, 1),
            "notes.txt": "line 1 Gb/s\n",
        },
        some("loss", "buffer-small"),
        never=NOT_FINE,
    ),
    "stolen time in sar": Case(
        {
            "iperf3.txt": e.iperf3(
                [612e6, 401e6, 722e6, 388e6, 530e6, 460e6, 690e6, 350e6, 580e6, 499e6],
                [1e6] * 10,
                command="iperf3 -c peer",
            ),
            "sar-u-sender.txt": _SAR_STEAL,
        },
        some("shared", "cpu-sender"),
        0.4,
        never=NOT_FINE,
    ),
    "paced nuttcp": Case(
        {
            "nuttcp.txt": e.nuttcp(2.0e9, command="nuttcp -R2g -T10 dtn02", tx=8, rx=12) * 2,
            "ethtool.txt": e.ethtool(10000),
        },
        some("paced"),
        0.6,
    ),
    "bidir on one radio": Case(
        {
            "iwconfig.txt": 'wlan0     IEEE 802.11  ESSID:"lab"\n          Bit Rate=72.2 Mb/s   Tx-Power=20 dBm\n          Link Quality=38/70  Signal level=-72 dBm\n',  # noqa: E501
            "iperf3.txt": e.iperf3(
                [21e6, 28e6, 17e6, 25e6, 19e6, 30e6, 16e6, 22e6, 27e6, 20e6],
                [200e3] * 10,
                [0, 2, 0, 1, 0, 0, 3, 0, 0, 1],
                command="iperf3 -c ap",
            ),
        },
        some("wifi"),
        0.5,
        never=NOT_FINE,
    ),
    "silent tar over ssh": Case(
        {
            "tar.txt": "$ time tar cf - run | ssh dtn9 tar xf -\n\nreal\t4m10.012s\nuser\t3m58.120s\nsys\t0m20.4s\n",
            "du.txt": "$ du -sh run\n41G\trun\n",
        },
        some("cpu-sender", "cpu-receiver"),
        0.3,
        never=NOT_FINE,
    ),
    "macos full gigabit": Case(
        {
            "iperf3.txt": "\n".join(
                [
                    "$ iperf3 -c nas.local",
                    "Connecting to host nas.local, port 5201",
                    "[  5] local 192.168.1.7 port 50122 connected to 192.168.1.9 port 5201",
                    "[ ID] Interval           Transfer     Bitrate",
                    *[f"[  5]   {n}.00-{n + 1}.00   sec   112 MBytes   941 Mbits/sec" for n in range(10)],
                    "- - - - - - - - - - - - - - - - - - - - - - - - -",
                    "[ ID] Interval           Transfer     Bitrate",
                    "[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  sender",
                    "[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver",
                    "",
                    "iperf Done.",
                    "",
                ]
            ),
            "ifconfig.txt": "en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500\n\tether f0:18:98:00:11:22\n\tmedia: autoselect (1000baseT <full-duplex,flow-control>)\n\tstatus: active\n",  # noqa: E501
        },
        some("link"),
        0.6,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_engineer_would_say_so(name, tmp_path):
    check(CASES[name], tmp_path)
