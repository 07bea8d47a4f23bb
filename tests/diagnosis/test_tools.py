"""Folders of many tools and systems, with what an engineer would answer."""

from __future__ import annotations

import pytest

from tests.diagnosis import everyday as e
from tests.diagnosis.test_everyday import NOT_FINE, Case, check, some

_RSYNC_PROGRESS = """\
$ rsync -av --progress /export/run17/ nas02:/vol/run17/
sending incremental file list
run17.h5
 53,687,091,200 100%   37.91MB/s    0:22:30 (xfr#1, to-chk=0/2)

sent 53,700,198,512 bytes  received 35 bytes  39,750,702.11 bytes/sec
total size is 53,687,091,200  speedup is 1.00
"""
_TOP_SSH = """\
top - 11:42:07 up 12 days,  4:01,  3 users,  load average: 1.31, 1.22, 1.10
Tasks: 141 total,   2 running, 139 sleeping,   0 stopped,   0 zombie
%Cpu(s): 26.1 us,  3.4 sy,  0.0 ni, 69.8 id,  0.2 wa,  0.0 hi,  0.5 si,  0.0 st
MiB Mem :   3907.0 total,    211.3 free,    402.2 used,   3293.5 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   8812 root      20   0   14100   8012   6400 R  99.3   0.2  21:07.44 sshd
   8813 root      20   0   11208   3904   2900 S   9.6   0.1   2:01.10 rsync
"""
_CURL = """\
$ curl -o /dev/null -w '%{speed_download} %{time_total}\\n' https://mirror.example.net/iso/big.iso
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
100 1024M  100 1024M    0     0  5205k      0  0:03:21  0:03:21 --:--:-- 5240k
"""
_WGET = """\
--2024-05-02 10:02:11--  http://10.9.0.4/data/blob.bin
Connecting to 10.9.0.4:80... connected.
HTTP request sent, awaiting response... 200 OK
Length: 2147483648 (2.0G) [application/octet-stream]
Saving to: 'blob.bin'

blob.bin            100%[===================>]   2.00G  11.2MB/s    in 3m 3s

2024-05-02 10:05:14 (11.2 MB/s) - 'blob.bin' saved [2147483648/2147483648]
"""
_FIO_SYNC = """\
$ fio --name=w --rw=randwrite --bs=4k --size=1G --sync=1 --iodepth=1 --filename=/srv/db/t
w: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.28
Starting 1 process

w: (groupid=0, jobs=1): err= 0: pid=20155: Thu May  2 12:10:22 2024
  write: IOPS=118, BW=474KiB/s (485kB/s)(27.8MiB/60008msec); 0 zone resets
    clat (msec): min=4, max=61, avg= 8.43, stdev= 2.20
     lat (msec): min=4, max=61, avg= 8.43, stdev= 2.20
  cpu          : usr=0.10%, sys=0.61%, ctx=14230, majf=0, minf=12
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%

Run status group 0 (all jobs):
  WRITE: bw=474KiB/s (485kB/s), 474KiB/s-474KiB/s (485kB/s-485kB/s), io=27.8MiB (29.1MB), run=60008-60008msec

Disk stats (read/write):
  sda: ios=0/14190, merge=0/7001, ticks=0/59011, in_queue=66120, util=99.1%
"""
_IOSTAT = """\
$ iostat -xm 5 2
Linux 5.15.0-91-generic (dtn-rx) 	05/02/2024 	_x86_64_	(16 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.41    0.00    2.10    5.71    0.00   91.78

Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dMB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sdb              0.00      0.00     0.00   0.00    0.00     0.00  402.20    198.10     3.00   0.74  158.40   504.36    0.00      0.00     0.00   0.00    0.00     0.00    0.20  12.00   63.70  99.92

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.38    0.00    2.22    5.90    0.00   91.50

Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dMB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sdb              0.00      0.00     0.00   0.00    0.00     0.00  398.80    196.92     2.40   0.60  160.11   505.62    0.00      0.00     0.00   0.00    0.00     0.00    0.20  11.00   64.02  99.98
"""  # noqa: E501
_GLOBUS = """\
$ globus task show 2f1c0d2e-aaaa-11ee-8f11-0242ac110002
Label:                        run42 to archive
Task ID:                      2f1c0d2e-aaaa-11ee-8f11-0242ac110002
Is Paused:                    False
Type:                         TRANSFER
Directories:                  1
Files:                        4
Status:                       SUCCEEDED
Request Time:                 2024-05-02T08:00:00+00:00
Faults:                       0
Total Subtasks:               6
Subtasks Succeeded:           6
Source Endpoint:              site#dtn
Destination Endpoint:         archive#hpss
Bytes Transferred:            1099511627776
Bytes Per Second:             192337000
Completion Time:              2024-05-02T09:35:16+00:00
"""
_NSTAT = """\
#kernel
TcpInSegs                       2912034            0.0
TcpOutSegs                      5120332            0.0
TcpRetransSegs                  48120              0.0
TcpExtTCPLostRetransmit         812                0.0
TcpExtTCPFastRetrans            43110              0.0
TcpExtTCPTimeouts               1201               0.0
TcpExtTCPSackRecovery           9120               0.0
"""
_LSPCI = """\
# lspci -vv -s 5e:00.0
5e:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]
	Subsystem: Mellanox Technologies ConnectX-5 EN network interface card, 100GbE single-port QSFP28
	Control: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B- DisINTx+
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		DevCap:	MaxPayload 512 bytes, PhantFunc 0, Latency L0s unlimited, L1 unlimited
		DevCtl:	CorrErr- NonFatalErr- FatalErr- UnsupReq-
			MaxPayload 256 bytes, MaxReadReq 512 bytes
		LnkCap:	Port #0, Speed 8GT/s, Width x16, ASPM not supported
		LnkCtl:	ASPM Disabled; RCB 64 bytes, Disabled- CommClk+
		LnkSta:	Speed 8GT/s, Width x4 (downgraded)
			TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-
"""
_DMESG_LINK = """\
[    2.110411] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx
[90211.551020] e1000e 0000:00:1f.6 eno1: NIC Link is Down
[90214.220113] e1000e 0000:00:1f.6 eno1: NIC Link is Up 100 Mbps Full Duplex, Flow Control: None
[90214.220190] e1000e 0000:00:1f.6 eno1: 10/100 speed: disabling TSO
"""
_WIN_IPERF = (
    """\
C:\\iperf-3.1.3-win64>iperf3.exe -c 10.44.1.20 -t 10
Connecting to host 10.44.1.20, port 5201
[  4] local 192.168.10.5 port 52011 connected to 10.44.1.20 port 5201
[ ID] Interval           Transfer     Bandwidth
"""
    + "".join(f"[  4] {n:3d}.00-{n + 1}.00   sec  1.02 MBytes  8.52 Mbits/sec\n" for n in range(10))
    + """\
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth
[  4]   0.00-10.00  sec  10.2 MBytes  8.52 Mbits/sec                  sender
[  4]   0.00-10.00  sec  10.2 MBytes  8.52 Mbits/sec                  receiver

iperf Done.
"""
)
_WIN_PING = """\
C:\\>ping 10.44.1.20

Pinging 10.44.1.20 with 32 bytes of data:
Reply from 10.44.1.20: bytes=32 time=61ms TTL=54
Reply from 10.44.1.20: bytes=32 time=61ms TTL=54
Reply from 10.44.1.20: bytes=32 time=62ms TTL=54
Reply from 10.44.1.20: bytes=32 time=61ms TTL=54

Ping statistics for 10.44.1.20:
    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),
Approximate round trip times in milli-seconds:
    Minimum = 61ms, Maximum = 62ms, Average = 61ms
"""
_NETSH = """\
C:\\>netsh interface tcp show global
Querying active state...

TCP Global Parameters
----------------------------------------------
Receive-Side Scaling State          : enabled
Receive Window Auto-Tuning Level    : disabled
Add-On Congestion Control Provider  : default
ECN Capability                      : disabled
RFC 1323 Timestamps                 : disabled
"""
_FREEBSD = """\
root@nas:~ # sysctl net.inet.tcp.recvbuf_max net.inet.tcp.sendbuf_max kern.ipc.maxsockbuf
net.inet.tcp.recvbuf_max: 2097152
net.inet.tcp.sendbuf_max: 2097152
kern.ipc.maxsockbuf: 2097152
"""
_MAC_PING = """\
PING dtn.site.example (203.0.113.7): 56 data bytes
64 bytes from 203.0.113.7: icmp_seq=0 ttl=52 time=95.112 ms
64 bytes from 203.0.113.7: icmp_seq=1 ttl=52 time=95.301 ms
64 bytes from 203.0.113.7: icmp_seq=2 ttl=52 time=95.007 ms

--- dtn.site.example ping statistics ---
3 packets transmitted, 3 packets received, 0.0% packet loss
round-trip min/avg/max/stddev = 95.007/95.140/95.301/0.122 ms
"""
_AIRPORT = """\
$ /System/Library/PrivateFrameworks/Apple80211.framework/Versions/Current/Resources/airport -I
     agrCtlRSSI: -77
     agrExtRSSI: 0
    agrCtlNoise: -90
    agrExtNoise: 0
          state: running
        op mode: station
     lastTxRate: 26
        maxRate: 300
lastAssocStatus: 0
    802.11 auth: open
      link auth: wpa2-psk
          BSSID: 0:1a:2b:3c:4d:5e
           SSID: office
            MCS: 3
        channel: 6
"""
_IPERF2_D = """\
$ iperf -c 10.1.0.2 -r -t 10 -i 0
------------------------------------------------------------
Server listening on TCP port 5001
TCP window size:  128 KByte (default)
------------------------------------------------------------
------------------------------------------------------------
Client connecting to 10.1.0.2, TCP port 5001
TCP window size:  325 KByte (default)
------------------------------------------------------------
[  5] local 10.1.0.1 port 39544 connected with 10.1.0.2 port 5001
[ ID] Interval       Transfer     Bandwidth
[  5]  0.0-10.0 sec  1.10 GBytes   942 Mbits/sec
[  4] local 10.1.0.1 port 5001 connected with 10.1.0.2 port 56022
[  4]  0.0-10.1 sec   112 MBytes  93.0 Mbits/sec
"""
_RCLONE = """\
$ rclone copy /data/photos remote:photos --transfers 4 --stats-one-line -v
2024/05/02 13:10:41 INFO  :
Transferred:   	    3.812 GiB / 3.812 GiB, 100%, 1.310 MiB/s, ETA 0s
Checks:                 0 / 0, -
Transferred:        48210 / 48210, 100%
Elapsed time:     49m40.2s
"""
_SAR = """\
$ sar -n DEV 1 3
Linux 5.14.0-362.el9.x86_64 (dtn01) 	05/02/2024 	_x86_64_	(16 CPU)

10:21:01 AM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
10:21:02 AM      eno1   6120.00  80312.00    402.11 118903.22      0.00      0.00      0.00     97.40
10:21:03 AM      eno1   6090.00  80290.00    400.01 118877.90      0.00      0.00      0.00     97.38
10:21:04 AM      eno1   6101.00  80301.00    401.20 118890.00      0.00      0.00      0.00     97.39

Average:        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
Average:         eno1   6103.67  80301.00    401.11 118890.37      0.00      0.00      0.00     97.39
"""
_NUMA_SS = """\
$ ss -tin dst 10.30.0.12
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      2150400 10.20.0.11:43210 10.30.0.12:5201
     cubic wscale:14,14 rto:204 rtt:30.6/0.3 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:3000 ssthresh:2800 bytes_sent:3200096000 bytes_acked:3195002801 segs_out:2210082 data_segs_out:2210080 send 1135686274bps lastrcv:20000 pacing_rate 1362700000bps delivery_rate 540000000bps busy:20010ms sndbuf_limited:18950ms(94.7%) unacked:1400 rcv_space:14480 notsent:90112 minrtt:30.2 snd_wnd:16777216
"""  # noqa: E501
_VMSTAT = """\
$ vmstat 2 4
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  9      0 201144  11020 7301120    0    0   210 88012 4121 6120  1  3 51 45  0
 0 11      0 199870  11020 7302411    0    0    12 90122 4201 6213  1  3 49 47  0
 0 10      0 200410  11020 7301900    0    0     8 89410 4177 6190  1  2 50 47  0
 0 10      0 200011  11020 7302000    0    0     4 89900 4180 6200  1  2 49 48  0
"""
_TIME_CP = """\
$ ls -l /scratch/sim.nc
-rw-r--r-- 1 eva users 21474836480 May  2 09:12 /scratch/sim.nc
$ time cp /scratch/sim.nc /mnt/nfs/archive/

real	3m2.114s
user	0m0.151s
sys	0m14.902s
"""
_TIME_TAR = """\
$ du -sh data
12G	data
$ time tar czf data.tgz data

real	6m51.201s
user	6m38.410s
sys	0m11.820s
"""
_MTR_LOSS = e.mtr(
    [("gw", 0, 0.4), ("r1.campus", 0, 0.9), ("r2.isp", 3.0, 8.0), ("r3.isp", 3.2, 14.0), ("203.0.113.9", 2.9, 21.0)]
)
_ETHTOOL_S = """\
NIC statistics:
     rx_packets: 912288213
     tx_packets: 510220112
     rx_bytes: 1310220331020
     rx_dropped: 0
     rx_missed_errors: 4811203
     rx_no_buffer_count: 221110
     rx_crc_errors: 0
     rx_fifo_errors: 4811203
"""
_IPLINK = """\
2: ens2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 0c:42:a1:00:11:22 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    981233102211 671220133  91220      0       0   11230
    TX:  bytes packets errors dropped carrier collsns
    81022011 1210221      0      0       0       0
"""
_SCP = "$ scp run.tar dtn9:/stage/\nrun.tar                                       100%   20GB   4.1MB/s 1:23:15\n"
_TRACEPATH = """\
$ tracepath -n 10.77.0.5
 1?: [LOCALHOST]                      pmtu 9000
 1:  10.20.0.1                                             0.321ms
 2:  10.20.0.1                                             0.302ms pmtu 1500
 2:  10.64.0.1                                             4.110ms
 3:  10.77.0.5                                            12.021ms reached
     Resume: pmtu 1500 hops 3 back 3
"""
_PINGM = """\
$ ping -c 3 -M do -s 8972 10.77.0.5
PING 10.77.0.5 (10.77.0.5) 8972(9000) bytes of data.

--- 10.77.0.5 ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 2043ms

$ ping -c 3 -M do -s 1472 10.77.0.5
PING 10.77.0.5 (10.77.0.5) 1472(1500) bytes of data.
1480 bytes from 10.77.0.5: icmp_seq=1 ttl=61 time=12.1 ms
1480 bytes from 10.77.0.5: icmp_seq=2 ttl=61 time=12.0 ms
1480 bytes from 10.77.0.5: icmp_seq=3 ttl=61 time=12.1 ms

--- 10.77.0.5 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2003ms
rtt min/avg/max/mdev = 12.021/12.071/12.110/0.037 ms
"""
_MAC = (
    """\
$ iperf3 -c dtn.site.example -R -t 10
Connecting to host dtn.site.example, port 5201
Reverse mode, remote host dtn.site.example is sending
[  7] local 192.168.1.23 port 61002 connected to 203.0.113.7 port 5201
[ ID] Interval           Transfer     Bitrate
"""
    + "".join(
        f"[  7] {n:3d}.00-{n + 1}.00   sec  {v / 8 / 1.048576:5.2f} MBytes  {v:.1f} Mbits/sec\n"
        for n, v in enumerate([11.2, 8.1, 14.0, 6.2, 12.9, 9.1, 5.5, 13.3, 10.1, 7.7])
    )
    + """\
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  7]   0.00-10.10  sec  12.4 MBytes  10.3 Mbits/sec   31             sender
[  7]   0.00-10.00  sec  11.7 MBytes   9.81 Mbits/sec                  receiver

iperf Done.
"""
)
_NUTTCP_CPU = e.nuttcp(6.2e9, command="nuttcp -T10 dtn02", tx=31, rx=99, rtt_ms=0.2) * 3
_STEAL = """\
$ mpstat -P ALL 2 1
Linux 5.15.0-1050-aws (vm-tx) 	05/02/2024 	_x86_64_	(2 CPU)

10:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:03 AM  all    3.10    0.00   28.10    0.00    0.00    8.10   57.20    0.00    0.00    3.50
10:00:03 AM    0    3.00    0.00   27.90    0.00    0.00    9.00   58.10    0.00    0.00    2.00
10:00:03 AM    1    3.20    0.00   28.30    0.00    0.00    7.20   56.30    0.00    0.00    5.00

Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all    3.10    0.00   28.10    0.00    0.00    8.10   57.20    0.00    0.00    3.50
Average:       0    3.00    0.00   27.90    0.00    0.00    9.00   58.10    0.00    0.00    2.00
Average:       1    3.20    0.00   28.30    0.00    0.00    7.20   56.30    0.00    0.00    5.00
"""
_ROBO = """\
-------------------------------------------------------------------------------
   ROBOCOPY     ::     Robust File Copy for Windows
-------------------------------------------------------------------------------

  Started : Thursday, May 2, 2024 9:00:00 AM
   Source : D:\\export\\
     Dest : \\\\filer\\stage\\

               Total    Copied   Skipped  Mismatch    FAILED    Extras
    Dirs :        12        12         0         0         0         0
   Files :     61200     61200         0         0         0         0
   Bytes :   1.900 g   1.900 g         0         0         0         0
   Times :   0:41:02   0:40:11                       0:00:00   0:00:51

   Speed :              846141 Bytes/sec.
   Speed :              48.416 MegaBytes/min.
   Ended : Thursday, May 2, 2024 9:41:02 AM
"""
_OUT = {
    f"to-{name}.txt": e.iperf3([rate] * 10, [420e3] * 10, command=f"iperf3 -c {name}", remote=address)
    for name, address, rate in (
        ("n1", "10.0.0.1", 941e6),
        ("n2", "10.0.0.2", 940e6),
        ("n3", "10.0.0.3", 94.1e6),
        ("n4", "10.0.0.4", 941e6),
    )
}

CASES = {
    "rsync with sshd at a core": Case(
        {
            "rsync.txt": _RSYNC_PROGRESS,
            "top-nas02.txt": _TOP_SSH,
            "iperf3.txt": e.iperf3([941e6] * 10, [400e3] * 10, command="iperf3 -c nas02"),
            "ethtool.txt": e.ethtool(1000),
        },
        some("cpu-sender", "cpu-receiver"),
        which="rsync",
    ),
    "curl over 170 ms with default windows": Case(
        {
            "curl.txt": _CURL,
            "ping.txt": e.ping("mirror.example.net", 0.148),
            "sysctl.txt": e.sysctl(1572864, 4194304),
            "notes.txt": "our line is 1 Gb/s\n",
        },
        some("window-host"),
        never=NOT_FINE,
    ),
    "wget through a port at 100": Case({"wget.txt": _WGET, "dmesg.txt": _DMESG_LINK}, some("duplex"), never=NOT_FINE),
    "synced writes of 4 KiB": Case({"fio.txt": _FIO_SYNC}, some("disk-write"), never=NOT_FINE),
    "receiving disk at 100 % in iostat": Case(
        {
            "ftp.txt": _WGET.replace("11.2", "188").replace("in 3m 3s", "in 11s").replace("10:05:14", "10:02:22"),
            "iostat-receiver.txt": _IOSTAT,
            "ethtool.txt": e.ethtool(10000),
        },
        some("disk-write"),
        never=NOT_FINE,
    ),
    "globus beside a fast iperf3": Case(
        {
            "globus.txt": _GLOBUS,
            "iperf3.txt": e.iperf3([9.3e9] * 10, [5e6] * 10, command="iperf3 -c archive-dtn"),
            "iostat-archive-dtn.txt": _IOSTAT.replace("dtn-rx", "archive-dtn"),
            "ethtool.txt": e.ethtool(10000),
        },
        some("disk-write"),
        0.3,
        which="globus",
    ),
    "losses in nstat": Case(
        {
            "iperf3.txt": e.iperf3(
                [95e6, 60e6, 71e6, 80e6, 44e6, 52e6, 66e6, 38e6, 55e6, 70e6],
                [400e3, 200e3, 240e3, 280e3, 140e3, 180e3, 220e3, 120e3, 180e3, 240e3],
                [22, 14, 0, 0, 19, 0, 0, 25, 0, 0],
                command="iperf3 -c far",
            ),
            "nstat.txt": _NSTAT,
            "ping.txt": e.ping("far", 0.038, 100, 1),
            "ethtool.txt": e.ethtool(1000),
        },
        some("loss", "buffer-small"),
        never=NOT_FINE,
    ),
    "a card in four lanes": Case(
        {
            "iperf3.txt": e.iperf3([24.9e9] * 10, [3.1e6] * 10, command="iperf3 -c dtn2 -P 8"),
            "lspci.txt": _LSPCI,
            "ethtool.txt": e.ethtool(100000),
        },
        some("slot"),
        never=NOT_FINE,
    ),
    "windows without autotuning": Case(
        {"iperf3.txt": _WIN_IPERF, "ping.txt": _WIN_PING, "netsh.txt": _NETSH},
        some("window-host", "window-tool"),
        never=NOT_FINE,
    ),
    "freebsd buffers": Case(
        {
            "iperf3.txt": e.iperf3(e.ramp(163e6, 10, (0.3,)), [2.0e6] * 10, command="iperf3 -c nas"),
            "ping.txt": e.ping("nas", 0.1),
            "nas-sysctl.txt": _FREEBSD,
            "notes.txt": "circuit: 1 Gb/s\n",
        },
        some("window-host"),
        never=NOT_FINE,
    ),
    "mac on weak wifi": Case(
        {"iperf3.txt": _MAC, "ping.txt": _MAC_PING, "airport.txt": _AIRPORT}, some("wifi"), 0.3, never=NOT_FINE
    ),
    "iperf 2 slow one way": Case(
        {"iperf.txt": _IPERF2_D},
        some("duplex", "shaper", "nic", "loss", "link"),
        0.3,
        which="receive",
        never="nothing is wrong",
    ),
    "rclone of 48210 small files": Case(
        {"rclone.log": _RCLONE, "ping.txt": e.ping("s3.remote.example", 0.021)},
        some("latency-protocol"),
        never=NOT_FINE,
    ),
    "someone else fills the port": Case(
        {
            "iperf3.txt": e.iperf3(
                [412e6, 388e6, 455e6, 371e6, 430e6, 402e6, 440e6, 395e6, 418e6, 407e6],
                [180e3] * 10,
                [4, 9, 2, 11, 3, 5, 2, 8, 4, 6],
                command="iperf3 -c dtn3",
            ),
            "sar-dtn01.txt": _SAR,
            "ethtool.txt": e.ethtool(1000, device="eno1"),
        },
        some("shared"),
        never=NOT_FINE,
    ),
    "send buffer in ss": Case(
        {
            "iperf3.txt": e.iperf3(e.ramp(545e6, 20, (0.3,)), [4.1 * e.MIB] * 20, command="iperf3 -c 10.30.0.12 -t 20"),
            "ss.txt": _NUMA_SS,
            "ethtool.txt": e.ethtool(10000),
        },
        some("window-host"),
        never=NOT_FINE,
    ),
    "vmstat waits for the disk": Case(
        {
            "scp.txt": "$ scp dump.sql.gz rx01:/srv/dumps/\ndump.sql.gz            100%   15GB  85.1MB/s   03:00\n",
            "vmstat-rx01.txt": _VMSTAT,
            "iperf3.txt": e.iperf3([9.4e9] * 10, [2e6] * 10, command="iperf3 -c rx01"),
        },
        some("disk-write"),
        which="scp",
    ),
    "timed cp to nfs": Case(
        {"copy.txt": _TIME_CP, "ethtool.txt": e.ethtool(1000), "ping.txt": e.ping("nfs01", 0.0004)}, some("link"), 0.4
    ),
    "timed tar with gzip": Case(
        {"tar.txt": _TIME_TAR}, some("cpu-sender", "cpu-receiver", "tool"), 0.4, never=NOT_FINE
    ),
    "mtr with loss in the isp": Case({"mtr.txt": _MTR_LOSS}, some("loss"), says="r2.isp", never=NOT_FINE),
    "receive ring overruns": Case(
        {
            "iperf3.txt": e.iperf3(
                [5.1e9, 3.3e9, 4.2e9, 2.9e9, 4.8e9, 3.8e9, 5.0e9, 3.1e9, 4.4e9, 3.5e9],
                [1.1e6] * 10,
                [812, 402, 521, 620, 455, 701, 388, 590, 470, 515],
                command="iperf3 -c dtn02",
            ),
            "ethtool-S-receiver.txt": "$ ethtool -S eth0\n" + _ETHTOOL_S,
            "ethtool.txt": e.ethtool(10000),
        },
        some("nic", "cpu-receiver", "loss"),
        0.4,
        never=NOT_FINE,
    ),
    "rx errors in ip link": Case(
        {
            "iperf3.txt": e.iperf3(
                [212e6, 180e6, 150e6, 199e6, 171e6, 160e6, 188e6, 202e6, 144e6, 166e6],
                [60e3] * 10,
                [80, 75, 91, 66, 84, 77, 90, 61, 88, 79],
                command="iperf3 -c rx",
            ),
            "ip-s-link-rx.txt": "rx# ip -s link show ens2\n" + _IPLINK,
            "ethtool.txt": e.ethtool(10000, device="ens2"),
        },
        some("loss", "nic"),
        0.5,
        never=NOT_FINE,
    ),
    "jumbo frames that do not pass": Case(
        {
            "scp.txt": "$ scp a.bin 10.77.0.5:\na.bin      0%    0     0.0KB/s - stalled -\n",
            "ping.txt": _PINGM,
            "tracepath.txt": _TRACEPATH,
        },
        some("mtu"),
        never=NOT_FINE,
    ),
    "nuttcp with a full receiver": Case(
        {"nuttcp.txt": _NUTTCP_CPU, "ethtool.txt": e.ethtool(10000)}, some("cpu-receiver"), never=NOT_FINE
    ),
    "a vm whose time is stolen": Case(
        {
            "iperf3.txt": e.iperf3(
                [1.9e9, 1.2e9, 2.2e9, 1.4e9, 1.8e9, 1.1e9, 2.0e9, 1.5e9, 1.7e9, 1.3e9],
                [2e6] * 10,
                command="iperf3 -c rx",
            ),
            "mpstat-sender.txt": _STEAL,
            "ethtool.txt": e.ethtool(10000),
        },
        some("shared", "cpu-sender"),
        never=NOT_FINE,
    ),
    "robocopy of 61200 files": Case(
        {"robocopy.log": _ROBO, "ping.txt": _WIN_PING.replace("61ms", "2ms").replace("62ms", "3ms")},
        some("latency-protocol"),
        0.2,
        never=NOT_FINE,
    ),
    "one of four at 94": Case(_OUT, some("duplex", "link"), which="10.0.0.3", says="alone|100"),
    "one of four at 94 is a port": Case(_OUT, some("duplex"), 0.4, which="10.0.0.3"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_engineer_would_say_so(name, tmp_path):
    check(CASES[name], tmp_path)
