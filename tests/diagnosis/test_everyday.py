"""Everyday folders as engineers hand them in: what an expert would say of them, and what must not be said."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

KEYS = {
    *("condition", "tool", "protocol", "direction", "source_host", "destination_host", "streams", "runs"),
    *("source_files", "measured_bps", "measured_low_bps", "measured_high_bps", "expected_bps", "expected_low_bps"),
    *("expected_high_bps", "verdict", "causes", "changes", "missing"),
}
FINE = frozenset({"link", "paced"})
UNKNOWN = "other"
NOT_FINE = r"nothing is wrong|line is full"
ACCUSES = 0.45  # a cause that is likelier is accused


@dataclass(frozen=True)
class Case:
    """A folder and what an expert would say of it.

    Attributes
    ----------
    files
        Contents of its files by their names.
    accept
        Classes that may be the likeliest of the kind of run that matters; empty: no cause may be accused.
    least
        Least probability of these classes together.
    which
        Pattern of the condition or files of the kind that matters; the first kind by default.
    sets, spares
        Of these settings the first change sets one; these it leaves alone.
    says, never
        Patterns that the text has and has not.
    kinds
        Number of kinds of run, where it matters.
    """

    files: dict[str, str | bytes]
    accept: frozenset[str] = frozenset()
    least: float = 0.4
    which: str = ""
    sets: frozenset[str] = frozenset()
    spares: frozenset[str] = frozenset()
    says: str = ""
    never: str = ""
    kinds: int | None = None


def some(*names):
    return frozenset(names)


_FAR = e.ramp(3.23e9, 30, (0.12, 0.8))
_WINDOW = {
    "iperf3.txt": e.iperf3(
        _FAR,
        [6.1 * e.MIB, *[31.9 * e.MIB] * 29],
        command="iperf3 -c dtn02.campus.example -t 30",
        remote="198.51.100.12",
    ),
    "ping.txt": "$ ping -c 20 dtn02.campus.example\n" + e.ping("198.51.100.12", 0.080, 20),
    "ethtool-eth0.txt": e.ethtool(10000),
    "sysctl.txt": e.sysctl(32 * e.MIB, 32 * e.MIB),
}
_LARGER = some("receiver.tcp_rmem_max", "sender.tcp_wmem_max")
_UNEVEN = [4.2e6, 1.1e6, 3.6e6, 0.7e6, 5.9e6, 2.2e6, 0.5e6, 6.1e6, 1.9e6, 3.3e6]
_DISKS = {
    "lsblk.txt": "NAME  MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nsda     8:0    0  3.6T  0 disk /data\n",
    "write.txt": "".join(
        e.dd("/dev/zero", "/data/test.bin", 8 << 30, rate, "conv=fdatasync") for rate in (187e6, 186e6, 188e6)
    ),
    "read.txt": "".join(e.dd("/data/test.bin", "/dev/null", 8 << 30, rate) for rate in (11.7e9, 11.9e9, 11.6e9)),
}


_MDSTAT = """\
Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sde1[4] sdd1[2] sdc1[1] sdb1[0]
      11720659200 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/4] [UUUU]
      [=======>.............]  resync = 37.3% (1458437120/3906886400) finish=612.4min speed=66632K/sec
      bitmap: 19/30 pages [76KB], 65536KB chunk

unused devices: <none>
"""
_LSHW = """\
  *-network
       description: Ethernet interface
       product: 82557/8/9/0/1 Ethernet Pro 100
       vendor: Intel Corporation
       physical id: 5
       bus info: pci@0000:01:05.0
       logical name: eth0
       version: 08
       serial: 00:0d:60:5a:11:20
       size: 10Mbit/s
       capacity: 100Mbit/s
       width: 32 bits
       clock: 33MHz
       capabilities: pm bus_master cap_list ethernet physical tp mii 10bt 10bt-fd 100bt 100bt-fd autonegotiation
       configuration: autonegotiation=on broadcast=yes driver=e100 driverversion=3.5.24-k2-NAPI duplex=half ip=192.168.0.14 latency=64 link=yes mingnt=8 multicast=yes port=MII speed=10Mbit/s
       resources: irq:20 memory:c0200000-c0200fff ioport:7000(size=64)
"""  # noqa: E501 (lines as lshw writes them)
_SS = """\
State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
ESTAB 0      4194304 10.20.0.11:45122 10.40.0.9:5201
\t cubic wscale:7,7 rto:252 rtt:50.4/0.6 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:5120 bytes_sent:1254096000 bytes_acked:1251002801 segs_out:866082 segs_in:431200 data_segs_out:866080 send 1176761904bps lastsnd:4 lastrcv:20000 lastack:4 pacing_rate 2353000000bps delivery_rate 497000000bps delivered:863940 busy:20010ms rwnd_limited:19310ms(96.5%) unacked:2170 rcv_space:14480 rcv_ssthresh:64088 notsent:1048576 minrtt:50.1 snd_wnd:3145728
"""  # noqa: E501 (lines as ss writes them)
_IWCONFIG = """\
wlan0     IEEE 802.11  ESSID:"office"
          Mode:Managed  Frequency:2.437 GHz  Access Point: 00:1A:2B:3C:4D:5E
          Bit Rate=24 Mb/s   Tx-Power=20 dBm
          Retry short limit:7   RTS thr:off   Fragment thr:off
          Power Management:on
          Link Quality=31/70  Signal level=-79 dBm
          Rx invalid nwid:0  Rx invalid crypt:0  Rx invalid frag:0
          Tx excessive retries:412  Invalid misc:1388   Missed beacon:12
"""
_UDP = """\
$ iperf3 -c 10.8.0.1 -u -b 500M -t 10
Connecting to host 10.8.0.1, port 5201
[  5] local 10.7.0.4 port 38121 connected to 10.8.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec  59.6 MBytes   500 Mbits/sec  43157
[  5]   1.00-2.00   sec  59.6 MBytes   500 Mbits/sec  43165
[  5]   2.00-3.00   sec  59.6 MBytes   500 Mbits/sec  43163
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-3.00   sec   179 MBytes   500 Mbits/sec  0.000 ms  0/129485 (0%)  sender
[  5]   0.00-3.02   sec  34.4 MBytes  95.6 Mbits/sec  0.112 ms  104560/129485 (80.8%)  receiver

iperf Done.
"""
_TC = """\
$ tc -s qdisc show dev eth1
qdisc tbf 8001: root refcnt 2 rate 200Mbit burst 256Kb lat 50ms
 Sent 2418001234 bytes 1601321 pkt (dropped 1822, overlimits 3120441 requeues 0)
 backlog 1201Kb 801p requeues 0
"""
_BLACK_HOLE = e.iperf3(
    [180e3 * 8, *[0.0] * 9],
    [1.41 * 1024] * 10,
    [2, 1, 0, 1, 0, 0, 1, 0, 0, 0],
    command="iperf3 -c 10.99.0.2",
    local="10.98.0.2",
    remote="10.99.0.2",
    received=0.0,
)
_FULL = e.ramp(941.5e6, 10, (1.01,))
_LINE_1G = {
    "iperf3.txt": e.iperf3(_FULL, [393 * 1024.0] * 10, command="iperf3 -c files"),
    "ethtool.txt": e.ethtool(1000),
    "ping.txt": e.ping("10.30.0.12", 0.0003),
}
_HEALTHY_10G = e.iperf3_json(e.ramp(9.41e9, 10, (0.99,)), streams=4, version="iperf 3.12")
_SHAPED = e.iperf3(
    e.ramp(191e6, 10, (1.3,)), [430e3] * 10, [41, 3, 0, 5, 2, 0, 4, 1, 0, 3], command="iperf3 -c 10.5.0.2"
)

CASES = {
    # 1: a window of the kernel
    "window of 32 MiB over 80 ms": Case(_WINDOW, some("window-host"), 0.5, sets=_LARGER, never=NOT_FINE),
    "window of 32 MiB, with lscpu": Case({**_WINDOW, "lscpu.txt": e.LSCPU}, some("window-host"), 0.5, sets=_LARGER),
    "receive window in ss": Case(
        {
            "client.txt": e.iperf3(e.ramp(500e6, 20, (0.3,)), [7.1 * e.MIB] * 20, command="iperf3 -c 10.40.0.9 -t 20"),
            "ss.txt": _SS,
            "link.txt": "circuit: 1 Gb/s to the lab, RTT 50 ms\n",
        },
        some("window-host"),
        0.5,
        sets=_LARGER,
        never=NOT_FINE,
    ),
    "small window asked for": Case(
        {
            "iperf3.txt": e.iperf3(
                e.ramp(17.4e6, 10, (0.9,)), [64 * 1024.0] * 10, command="iperf3 -c 10.5.0.2 -w 64K", remote="10.5.0.2"
            ),
            "ping.txt": e.ping("10.5.0.2", 0.030),
            "ethtool.txt": e.ethtool(1000),
            "sysctl.txt": e.sysctl(6291456, 4194304),
        },
        some("window-tool"),
        0.5,
        sets=some("tool.window"),
        never=NOT_FINE,
    ),
    # 2: what iperf3 says of its requests
    "asked for 1 Gb/s on 10G": Case(
        {
            "paced.json": e.iperf3_json(e.ramp(1e9, 10, (1.0,)), target=1_000_000_000, version="iperf 3.16"),
            "ethtool.txt": e.ethtool(10000, device="ens1f0"),
        },
        some("paced"),
        0.6,
        never="11 %",
    ),
    "four streams of iperf3 3.12": Case(
        {"p4.json": _HEALTHY_10G, "ethtool.txt": e.ethtool(10000)}, some("link"), never="malformed|twice"
    ),
    # 3: unlike runs
    "dd write beside dd read": Case(
        _DISKS, some("disk-write"), which="write", kinds=2, says="page cache", never=r"GB/s.{0,30}MB/s"
    ),
    "healthy direction beside a slow one": Case(
        {
            "both.txt": "".join(
                (
                    e.iperf3(_FULL, [400e3] * 10, command="iperf3 -c 10.5.0.2"),
                    e.iperf3(
                        _UNEVEN, None, [9, 4, 0, 11, 7, 2, 6, 0, 9, 5], command="iperf3 -c 10.5.0.2 -R", reverse=True
                    ),
                )
            ),
            "ethtool.txt": e.ethtool(1000),
        },
        some("loss", "duplex", "nic", "shaper", "offload", "mtu"),
        which="receive",
        kinds=2,
        least=0.3,
        says=r"2\.9\d Mb/s",
    ),
    # 5: a window that halves the rate
    "half of the line by the window": Case(
        {
            "run1.json": e.iperf3_json(e.ramp(503e6, 20, (0.4, 0.95)), rtt=0.05, cwnd=3_145_728, cpu=(4.0, 7.1)),
            "sysctl-receiver.txt": e.sysctl(6291456, 4194304),
            "sysctl-sender.txt": e.sysctl(6291456, 16777216),
            "ethtool.txt": e.ethtool(1000, device="eno1"),
            "notes.txt": "dtn01 -> dtn02\ncircuit: 1 Gb/s, RTT 50 ms\n",
        },
        some("window-host"),
        0.5,
        sets=_LARGER,
        spares=some("path.mtu", "sender.mtu", "receiver.mtu"),
        never=NOT_FINE,
    ),
    # 6: paths and disks alone, and runs that failed
    "ping and mtr with loss to the end": Case(
        {
            "ping.txt": e.ping("203.0.113.40", 0.088, 100, lost=10, scatter=0.02),
            "mtr.txt": e.mtr(
                [
                    *(("gw.office", 0, 0.4), ("pe1.isp.example", 0, 3.1), ("core4.isp.example", 10, 41.0)),
                    *(("edge.lab.example", 11, 86.0), ("203.0.113.40", 10, 88.1)),
                ]
            ),
        },
        some("loss"),
        0.5,
        says="los",
        never=NOT_FINE,
    ),
    "a hop that answers seldom": Case(
        {
            "ping.txt": e.ping("203.0.113.40", 0.012, 100),
            "mtr.txt": e.mtr([("gw.office", 0, 0.4), ("pe1.isp.example", 70, 3.1), ("203.0.113.40", 0, 12.0)]),
        },
        never=r"packets are lost on the path \(loss, [3-9]",
    ),
    "connection refused": Case(
        {
            "iperf3.txt": "$ iperf3 -c dtn02\niperf3: error - unable to connect to server: Connection refused\n",
            "ping.txt": e.ping("dtn02", 0.0005, 5),
        },
        says="refused",
        never=NOT_FINE,
    ),
    # 7: tickets
    "black hole of large packets": Case(
        {"iperf3.txt": _BLACK_HOLE, "ping.txt": e.ping("10.99.0.2", 0.021)}, some("mtu"), 0.5, never=NOT_FINE
    ),
    "resync of an array": Case(
        {"mdstat.txt": _MDSTAT, "dd.txt": e.dd("/dev/zero", "/raid/t", 4 << 30, 48e6, "oflag=direct")},
        some("disk-write", "shared"),
        says="resync",
        never=NOT_FINE,
    ),
    "port at 10 of 100 Mbit/s": Case(
        {"lshw.txt": _LSHW, "iperf.txt": e.iperf3(e.ramp(6.4e6, 10), [60e3] * 10, [3] * 10, command="iperf3 -c nas")},
        some("duplex"),
        0.5,
        never=NOT_FINE,
    ),
    "weak wireless signal": Case(
        {
            "iwconfig.txt": _IWCONFIG,
            "iperf3.txt": e.iperf3([8e6, 11e6, 6e6, 9e6, 4e6, 10e6, 7e6, 8e6, 11e6, 5e6], [90e3] * 10, [4] * 10),
        },
        some("wifi"),
        0.5,
        never=NOT_FINE,
    ),
    "UDP at five times the circuit": Case(
        {"udp.txt": _UDP, "notes.txt": "The circuit is 100 Mb/s.\n"},
        some("udp"),
        0.5,
    ),
    "a core with all interrupts": Case(
        {
            "iperf3.txt": e.iperf3(e.ramp(12.1e9, 10, (0.9,)), [1.6 * e.MIB] * 10, [0] * 10, command="iperf3 -c dtn02"),
            "ethtool.txt": e.ethtool(25000),
            "mpstat-receiver.txt": e.mpstat(3),
        },
        some("cpu-receiver"),
        0.5,
        sets=some("receiver.receive_queues"),
        never=NOT_FINE,
    ),
    "loss on the way": Case(
        {
            "client.txt": e.iperf3(
                [35e6 * (0.7 + 0.06 * (number * 5 % 11)) for number in range(30)],
                [120e3 + 16e3 * (number * 5 % 11) for number in range(30)],
                [(0, 1, 0, 0, 2, 0, 1, 0, 0, 0)[number % 10] for number in range(30)],
                command="iperf3 -c 10.6.0.2 -t 30",
            ),
            "ping.txt": e.ping("10.6.0.2", 0.040, 50),
            "ethtool.txt": e.ethtool(1000),
            "sysctl.txt": e.sysctl(67108864, 67108864),
        },
        some("loss"),
        0.5,
        never=NOT_FINE,
    ),
    "shaper in tc": Case(
        {"iperf3.txt": _SHAPED, "tc.txt": _TC, "ethtool.txt": e.ethtool(1000, device="eth1")},
        some("shaper"),
        0.5,
        never=NOT_FINE,
    ),
    "one megabyte over 200 ms": Case(
        {
            "short.txt": e.iperf3([4.2e6, 4.1e6], [90e3, 700e3], command="iperf3 -c 10.9.0.2 -n 1M"),
            "ping.txt": e.ping("10.9.0.2", 0.2),
            "notes.txt": "circuit: 100 Mb/s\n",
        },
        some("start-up"),
        0.5,
        never=NOT_FINE,
    ),
    "packets that are too large": Case(
        {"iperf3.txt": e.iperf3([0.69e6, *[0.0] * 9], [1448.0] * 10, [2, 0] * 5, command="iperf3 -c 203.0.113.9")},
        some("mtu"),
        0.6,
        says="nothing|large packets",
        never=NOT_FINE,
    ),
    "one host talks to itself": Case(
        {
            "iperf3.txt": e.iperf3(
                [21e9] * 10,
                [3e6] * 10,
                [0, 3] * 5,
                command="iperf3 -c 127.0.0.1",
                local="127.0.0.1",
                remote="127.0.0.1",
            )
        },
        some("cpu-sender", "cpu-receiver", "tool"),
        0.6,
        never="loses packets|the line is full",
    ),
    "hundreds of small files by scp": Case(
        {
            "scp.log": "$ scp -r photos far:in/\n"
            + "".join(f"f{number:04d}.dat{' ' * 40}100% 4000    80.2KB/s   00:00    \n" for number in range(240)),
            "ping.txt": e.ping("far", 0.045, 20),
        },
        some("latency-protocol"),
        0.5,
        never="so few bytes",
    ),
    # 8: an unrelated file beside
    "unrelated syslog beside": Case(
        {**_WINDOW, "syslog": e.syslog()}, some("window-host"), 0.5, sets=_LARGER, never=NOT_FINE
    ),
    # bad input
    "two speeds of one port": Case(
        {
            **_LINE_1G,
            "ethtool-later.txt": e.ethtool(10000),
            "notes.txt": "ethtool was taken before and after the card was swapped\n",
        },
        says="",
    ),
    "clocks that disagree": Case(
        {
            "sender.txt": "Tue Mar 12 09:14:07 UTC 2024\n"
            + e.iperf3(_FULL, [393 * 1024.0] * 10, command="iperf3 -c files"),
            "receiver.txt": "Mon Jan  1 00:03:11 CET 1970\n" + e.ethtool(1000),
            "ping.txt": e.ping("10.30.0.12", 0.0003),
        },
        some("link"),
    ),
    "outputs of another host": Case(
        {
            **_LINE_1G,
            "print-server/hostname.txt": "print01\n",
            "print-server/ethtool.txt": "[root@print01 ~]# ethtool eth0\n" + e.ethtool(100),
        },
        some("link"),
        least=0.3,
    ),
    "truncated JSON beside a text": Case(
        {**_WINDOW, "cut.json": _HEALTHY_10G[: len(_HEALTHY_10G) // 2]}, some("window-host"), 0.5, which="iperf3.txt"
    ),
    "empty files": Case({**_LINE_1G, "mpstat.txt": "", "sar.txt": "\n"}, some("link")),
    "bytes of no text": Case({**_LINE_1G, "core.1234": bytes(range(256)) * 64}, some("link")),
    "only empty files": Case({"a.txt": "", "b.log": "\n\n"}),
    # nothing is wrong
    "full 10G": Case(
        {"p4.json": _HEALTHY_10G, "ethtool.txt": e.ethtool(10000), "ping.txt": e.ping("10.30.0.12", 4e-4)},
        some("link"),
        0.6,
    ),
    "full 1G": Case(_LINE_1G, some("link"), 0.6),
    "full 1G of nuttcp": Case(
        {
            "nuttcp.txt": "".join(e.nuttcp(rate, command="nuttcp -T10 dtn02") for rate in (941.2e6, 941.4e6, 941.1e6)),
            "ethtool.txt": e.ethtool(1000),
        },
        some("link"),
        0.6,
    ),
}


def _written(folder, files):
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize("name", CASES)
def test_an_engineer_would_say_so(name, tmp_path):
    check(CASES[name], tmp_path)


def check(case, folder):
    """Diagnose the folder of a case, and hold the verdict against what an expert would say."""
    verdicts = diagnose(_written(folder, case.files))
    text = str(verdicts)
    given = json.loads(json.dumps(verdicts.to_list(), allow_nan=False))
    assert all(set(one) == KEYS for one in given)
    assert all(sum(cause["probability"] for cause in one["causes"]) == pytest.approx(1) for one in given)
    assert len(text.splitlines()) <= 20
    assert not case.never or not re.search(case.never, text), text
    assert re.search(case.says, text), text
    assert case.kinds in (None, len(given)), [one["condition"] for one in given]
    matters = next(one for one in given if case.which in " ".join([one["condition"], *one["source_files"]]))
    likeliest = matters["causes"][0]
    ranked = [(one["class"], round(one["probability"], 2)) for one in matters["causes"][:4]]
    if not case.accept:
        assert likeliest["class"] in {*FINE, UNKNOWN} or likeliest["probability"] < ACCUSES, ranked
        return
    assert likeliest["class"] in case.accept, ranked
    assert sum(one["probability"] for one in matters["causes"] if one["class"] in case.accept) >= case.least, ranked
    assert (matters["verdict"] == "as_expected") == (likeliest["class"] in FINE)
    settings = set(matters["changes"][0]["settings"]) if matters["changes"] else set()
    assert not settings & case.spares
    assert not case.sets or settings & case.sets, settings
    if likeliest["class"] in FINE:
        assert not [one["what"] for one in matters["changes"]]
