"""Published results of others: their configurations are read by rules, predicted, and scored."""

import json

import numpy as np
import pytest

from hecn_analysis.base import units
from hecn_analysis.prediction.discrepancy import factors
from hecn_analysis.prediction.draws import DRAWS
from upkeep import strangers
from upkeep.strangers_rows import winkler

HEAD = (
    "id,category,description,config_json,measured_value,unit,stated_limit_or_bottleneck,bottleneck_basis,source_title,"
    "kind\n"
)


def table(tmp_path, *rows):
    """Write a table of made-up results: category, configuration, value, unit, limit."""
    lines = []
    for number, (category, config, value, unit, limit) in enumerate(rows):
        quoted = json.dumps(config).replace('"', '""')
        lines.append(f'r{number},{category},,"{quoted}",{value},{unit},{limit},stated,s{number},measured\n')
    path = tmp_path / "published.csv"
    path.write_text(HEAD + "".join(lines))
    return path


def test_keys_that_no_rule_reads_are_named_as_they_are_spelled():
    config = {"RTT (ms)": 5, "bw_gbps": 10, "notes": "x", "ram_GB": 64, "moonPhase": "full", "Flux-Setting": 3}
    assert strangers.unread(config) == ["moonPhase", "Flux-Setting"]


def test_values_that_say_nothing_are_named():
    config = {"description": "x", "rtt_ms": "short", "link_gbps": 10, "level": "some", "note": "x"}
    assert strangers.not_understood(config) == ["level", "rtt_ms"]


@pytest.mark.parametrize(
    ("config", "name", "value"),
    [
        ({"link_gbps": 10}, "rate", 10e9),
        ({"nic": "2x10GbE bonded"}, "links", 2),
        ({"src_link": "40G (file name)"}, "near", 40e9),
        ({"tool": "SSH.NET download"}, "program", "sftp"),
        ({"tool": "syncthing 1.2"}, "program", "syncthing"),
        ({"tool": "scp (dropbear)"}, "cipher", "aes-ctr-hmac"),
        ({"cipher": "aes256-gcm@openssh.com"}, "cipher", "aes-gcm"),
        ({"tool": "dd bs=1G oflag=dsync"}, "block", 2**30),
        ({"vmm": "a monitor, debug build"}, "defect", "yes"),
        ({"tool": "SSH.NET download"}, "in_turn", 12),
        ({"tool": "SSH.NET upload"}, "in_turn", None),
        ({"source_title": "linux-nfs: slow reads (2024-06-29)"}, "year", 2024),
        ({"year": 2001, "source_title": "Notes (2024)"}, "year", 2001),
        ({"rtt_ms": 53}, "rtt", 0.053),
        ({"RTT (ms)": 53}, "rtt", 0.053),
        ({"raid_level": "RAID-6"}, "level", 6),
        ({"config": "mdadm RAID5, 4 NVMe"}, "disks", 4),
        ({"config": "mdadm RAID5, 4 NVMe"}, "software", "md"),
        ({"drive_model": "Seagate Exos 16TB"}, "medium", "hdd"),
        ({"device": "Kioxia CM6"}, "medium", "nvme4"),
        ({"bw": "100 Mbit/s"}, "rate", 100e6),
        ({"link": "10GE"}, "rate", 10e9),
        ({"window": "8M"}, "window", 8 * 2**20),
        ({"protocol": "NFSv3"}, "service", "yes"),
        ({"transport": "QUIC (quiche)"}, "program", "quic"),
        ({"topology": "VM to VM, same host"}, "loopback", 1),
        ({"memory": "8x DDR4-3200"}, "channels", 8),
        ({"instance": "m5.2xlarge"}, "size", "2xlarge"),
        ({"instance": "m5.12xlarge"}, "size", None),
        ({"server": "FreeBSD 12 (FreeNAS)"}, "sender_system", "freebsd"),
        ({"client": "Windows 10"}, "receiver_system", "windows"),
        ({"cpu": "SAMA5D3"}, "cpu", "cavium-octeon-cn5020"),
        ({"roundTripMs": "53 ms"}, "rtt", 0.053),
        ({"bandwidth-Gbps": "~10"}, "rate", 10e9),
        ({"Link_Speed": "25 Gb/s"}, "rate", 25e9),
        ({"parallel_streams": "8"}, "streams", 8),
        ({"CCA": "bbr"}, "control", "bbr"),
        ({"instance_type": "m5.4xlarge"}, "instance", "ten"),
        ({"write_B": 4096}, "message_size", 4096),
        ({"vpn": "Nebula"}, "tunnel", "openvpn"),
        ({"vpn": "OpenVPN 2.6, DCO"}, "tunnel", "openvpn-dco"),
        ({"vpn": "OpenVPN 2.6 without DCO"}, "tunnel", "openvpn"),
        ({"vpn": "OpenVPN 2.6", "dco": "on"}, "tunnel", "openvpn-dco"),
        ({"topology": "VM to VM on one host"}, "loopback", 1),
        ({"topology": "VM to VM across two hosts"}, "loopback", None),
        ({"client_os": "Solaris 10"}, "receiver_system", "solaris"),
        ({"description": "SMB over a 5G USB adapter"}, "access", None),
        ({"description": "iperf3 with a 2.5G card"}, "access", None),
        ({"description": "upload over 5G in Berlin"}, "access", "5g"),
        ({"vpn": "MoonVPN 2"}, "tunnel", "openvpn"),
        ({"vpn": "none"}, "tunnel", None),
        ({"disk": "160 GB 7200 rpm SATA"}, "capacity", 160e9),
        ({"disk": "300 GB 15k SAS"}, "capacity", None),
        ({"device": "NVMe on PCIe 2.0 x1"}, "attachment", "pi4"),
        ({"instance": "r5n.24xlarge"}, "instance", "hundred"),
        ({"fs": "CephFS"}, "ceph", "yes"),
        ({"tool": "sshfs"}, "service", "yes"),
        ({"op": "memory to memory"}, "source", "memory"),
        ({"stripe_cache_size": 8192}, "stripe_cache", 8192),
        ({"guest": "OPNsense VM, PCI passthrough"}, "inside", None),
        ({"guest": "OPNsense VM, PCI passthrough"}, "card", "sr-iov"),
        ({"fs": "Lustre", "clients": 64}, "cluster_clients", "cluster"),
        ({"fs": "Lustre", "clients": 1}, "cluster_clients", "cluster-client"),
        ({"mem": "DDR4-2400 2ch"}, "transfers", 2.4e9),
        ({"rtt_ms": "not stated"}, "rtt", None),
        ({"window_KB": 64}, "window", 65536),
        ({"kernel": "5.14.0-427.el9"}, "kernel", "5.14"),
        ({"level": "raidz2"}, "level", 6),
        ({"media": "4TB SATA HDD"}, "medium", "hdd"),
        ({"node": "10x 15.36TB Gen4 NVMe"}, "medium", "nvme4"),
        ({"node": "10x NVMe"}, "medium", "nvme"),
        ({"tool": "fio write bs=16k fdatasync=1"}, "flushed", 1),
        ({"tool": "dd bs=1M oflag=direct"}, "io", "direct"),
        ({"tool": "dd bs=1M"}, "io", "buffered"),
        ({"tool": "bonnie++ 1.97, 16384M"}, "jobs", None),
        ({"device": "md RAID0, 256K chunk"}, "chunk", 262144),
        ({"firewall": "nftables, 20 rules"}, "firewall", "stateful"),
        ({"cpu": "4-socket Xeon Gold 6128, HT off"}, "sockets", 4),
        ({"path": "trans-Pacific"}, "reach", "pacific"),
        ({"network": "Open vSwitch"}, "virtual_switch", "ovs"),
        ({"gso_always": "no"}, "kernel", "4.16"),
        ({"export": "rw,sync,no_subtree_check"}, "flushed", 1),
        ({"tool": "KDiskMark SEQ1M Q8T1"}, "depth", 8),
        ({"drives": "24x 6TB HDD"}, "disks", 24),
        ({"instance": "AWS m5.4xlarge"}, "instance", "ten"),
        ({"nic": "Mellanox ConnectX-4 Lx"}, "rate", 25e9),
        ({"description": "NFS read by one client"}, "sink", "memory"),
        ({"repl": "3x"}, "replicas", 3),
        ({"cpu": "2x AMD EPYC 7742 (64 cores each)"}, "cpu", "amd-epyc-7742"),
        ({"tool": "HPN patched scp, RAID"}, "program", "hpn-scp"),
        ({"device": "md RAID10 of 4 HDD"}, "level", 10),
        ({"fabric": "FDR InfiniBand"}, "rate", 54.5e9),
        ({"sender": "Sun, 336 MHz"}, "sender_clock", 336e6),
        ({"tcp_window": "default"}, "rmem", 6 * 2**20),
        ({"tool": "iperf 2.0.9"}, "threads", "per-stream"),
        ({"tool": "iperf3 -P 4"}, "threads", None),
        ({"path": "Starlink to Frankfurt"}, "access", "starlink"),
        ({"fs": "ext4 on LUKS"}, "at_rest", "yes"),
        ({"disk": "SATA SSD"}, "medium", "ssd"),
        ({"raid": "3x raidz1 of 6 SATA SSD (18)"}, "disks", 18),
        ({"tool": "Globus, 4 parallel streams"}, "streams", 4),
        ({"tool": "iperf3 -t 30 -P 20"}, "streams", 20),
        ({"tool": "scp (2 MB window build)"}, "channel", 2 * 2**20),
        ({"outer_MBps": 200}, "one_disk", 150e6 * 8),
        ({"sink": "/dev/null"}, "sink", "memory"),
        ({"raid": "md RAID10 far, 4 disks"}, "layout", "far"),
        ({"raid": "md RAID10 near, 4 disks"}, "layout", None),
        ({"device": "md RAID1 of 2 ramdisks"}, "ramdisk", 1),
        ({"soc": "NXP i.MX8"}, "cpu", "nxp-imx8m"),
        ({"cpu": "2x E5-2687W v4"}, "cpu", "intel-xeon-e5-2690-v4"),
        ({"cpu": "Xeon E5-2687W"}, "cpu", "intel-xeon-e5-2687w"),
        ({"cpu": "AMD EPYC 7F32"}, "cpu", "amd-epyc-7742"),
        ({"cpu": "Intel Core i9-10900K"}, "cpu", "intel-core-i5-8500"),
        ({"cpu": "Xeon Phi 7210"}, "cpu", None),
        ({"cpu": "Xeon Gold 6342 2.8 GHz"}, "clock", None),
        ({"cpu": "Xeon Gold 6342 2.8 GHz"}, "nominal", 2.8e9),
        ({"latency_ms": 20}, "rtt", 0.02),
        ({"rtt": "about 88 ms"}, "rtt", 0.088),
        ({"loss": "0.1 %"}, "loss", 0.001),
        ({"mtu": "jumbo frames"}, "mtu", 9000),
        ({"window_MB": 4}, "window", 4 * 2**20),
        ({"file_GB": 23.4}, "bytes", 23.4e9),
        ({"tool": "iperf3 --zerocopy"}, "zero_copy", 1),
        ({"protocol": "UDP"}, "transport", "udp"),
        ({"tool": "iperf3 -t 30 -u -b 0"}, "transport", "udp"),
        ({"os": "Ubuntu 22.04.3 LTS"}, "kernel", "5.15"),
        ({"os": "CentOS Linux 7"}, "kernel", "3.10"),
        ({"os": "Debian bookworm"}, "kernel", "6.1"),
        ({"os": "FreeBSD 14"}, "kernel", None),
        ({"device": "8 x 3.84TB NVMe"}, "disks", 8),
        ({"ssds": 24}, "disks", 24),
        ({"receiver": "a perfSONAR host"}, "tuned", "yes"),
        ({"tuning": "none"}, "rmem", 6 * 2**20),
        ({"raid": "8 x (8+2)"}, "level", 6),
        ({"os": "Ubuntu 19.10"}, "kernel", "5.3"),
        ({"cpu": "Core Ultra 9 185H"}, "cpu", "intel-core-i9-13900k"),
        ({"patch": "before"}, "defect", "yes"),
        ({"patch": "after"}, "defect", None),
        ({"protocol": "NBD"}, "program", "iscsi"),
        ({"size_MiB": 1000}, "bytes", 1000 * 2**20),
        ({"instance": "c5.24xlarge"}, "instance", "twenty-five"),
        ({"tool": "lftp mirror --parallel=8", "protocol": "FTP"}, "program", "ftp"),
        ({"tool": "lftp mirror --parallel=8", "protocol": "FTP"}, "streams", 8),
        ({"tool": "curl over HTTP/3"}, "program", "quic"),
        ({"tool": "bbcp -s 8 -w 8m"}, "streams", 8),
        ({"tool": "iperf3 -w 256K"}, "window", 256 * 1024),
        ({"media": "USB 3.2 SSD"}, "disks", None),
        ({"hypervisor": "VirtualBox"}, "card", "emulated"),
        ({"client": "home FTTH 1 Gb/s"}, "described_rate", 1e9),
        ({"link": "PCIe 3.0 x1"}, "lanes", 1),
        ({"link": "1000BASE-T"}, "rate", 1e9),
        ({"link": "10GBASE-T"}, "rate", 10e9),
        ({"link": "OC-48c"}, "rate", 2.48832e9),
        ({"description": "download over a 100 Mbit line"}, "described_rate", 100e6),
        ({"tcp_rmem": "4096 131072 16777216"}, "rmem", 16777216),
        ({"tcp_wmem_max": "64 MB"}, "wmem", 64 * 2**20),
        ({"slot": "PCIe x8 Gen 1"}, "gen", 1),
        ({"generation": "5.0", "lanes": "x4"}, "lanes", 4),
        ({"cni": "Flannel VXLAN"}, "tunnel", "vxlan"),
        ({"tool": "gsutil -m cp"}, "program", "s3"),
        ({"server": "nginx, TLS 1.3"}, "program", "https"),
        ({"drive": "WD Black SN770"}, "medium", "nvme4"),
        ({"tool": "FTS3 transfer"}, "program", "gridftp"),
        ({"tool": "XRootD third-party copy"}, "program", "xrootd"),
        ({"mount": "SSHFS"}, "in_turn", 4),
        ({"volume": "gp3, 500 MB/s"}, "one_disk", 4e9),
        ({"offload": "off"}, "gro", 0),
        ({"zpool": "2x raidz2 (6 disks each)"}, "level", 6),
        ({"fs": "XFS on LVM"}, "at_rest", None),
        ({"encryption": "on"}, "at_rest", "yes"),
        ({"tool": "sshfs"}, "program", "sftp"),
        ({"tool": "sshfs"}, "in_turn", 4),
        ({"tool": "lftp, one large file", "protocol": "FTPS"}, "program", "ftp"),
        ({"tool": "rsync over gsissh"}, "program", "rsync"),
        ({"tool": "scp (gsissh)"}, "program", "hpn-scp"),
        ({"fs": "Lustre", "tool": "IOzone, N-to-N"}, "cluster_clients", "cluster"),
        ({"board": "Orange Pi H5"}, "board_rate", 1e9),
        ({"link": "Thunderbolt 3"}, "board_rate", 20e9),
        ({"cpu": "SAMA5D3"}, "tso", 0),
        ({"cpu": "SAMA5D3", "tso": "on"}, "tso", 1),
        ({"path": "from a remote site"}, "reach", "wide"),
        ({"path": "between two buildings of a campus"}, "reach", "near"),
        ({"rtt_ms": "10-12"}, "rtt", 0.010),
        ({"file": "370 MB"}, "bytes", 370e6),
        ({"cpu": "Core m3-6Y30 at 400 MHz"}, "clock", 400e6),
        ({"topology": "no bridge"}, "virtual_switch", None),
        ({"encryption": "ESP (XFRM)"}, "tunnel", "ipsec"),
        ({"encryption": "ssh tunnel"}, "encryption", "ssh"),
        ({"protocol": "SMB2 with signing"}, "cipher", "aes-ctr-hmac"),
        ({"media": "USB 3 SSD"}, "attachment", "usb3"),
        ({"board": "Raspberry Pi CM4"}, "attachment", "pi4"),
        ({"media": "micro SD"}, "medium", "sd"),
        ({"device": "RTX 4090"}, "lanes", 16),
        ({"target_mbps": 1000}, "pace", 1e9),
        ({"raid_level": 6}, "level", 6),
        ({"slot": "PCIe 4.0 x16"}, "gen", 4),
        ({"slot": "PCIe 4.0 x16"}, "lanes", 16),
        ({"instance": "n1-standard-16"}, "instance", "thirty"),
        ({"vm": "Standard D4s_v3"}, "instance", "two"),
    ],
)
def test_a_quantity_is_read_from_what_a_source_states(config, name, value):
    assert strangers.quantities(config).get(name) == value


def test_a_port_on_usb_carries_what_usb_does(tmp_path):
    slow, fast, inside = strangers.read(
        table(
            tmp_path,
            ("cpu", {"nic": "USB adapter", "link": "2.5 Gb/s"}, 2, "Gb/s", ""),
            ("cpu", {"nic": "USB adapter", "link": "5 Gb/s"}, 2, "Gb/s", ""),
            ("cpu", {"nic": "a card", "link": "5 Gb/s"}, 2, "Gb/s", ""),
        )
    )
    assert slow.keys["path.rate"] == 2.5e9
    assert fast.keys["path.rate"]["value"] == "400 MB/s"
    assert inside.keys["path.rate"] == 5e9


def test_results_are_predicted_and_scored(tmp_path):
    data = table(
        tmp_path,
        ("ethernet", {"link_gbps": 10, "mtu": 9000}, 9.9, "Gb/s", "Ethernet framing"),
        ("tcpwan", {"link_gbps": 10, "rtt_ms": 60, "window_B": 65536}, 8.7, "Mb/s", "window"),
        ("pcie", {"pcie_gen": 3, "lanes": 8, "mps": 256, "op": "write"}, 6.6, "GB/s", "PCIe link"),
        ("cost", {"year": 2014}, 12000, "USD", ""),
    )
    rows = strangers.read(data)
    found = strangers.table(rows, (factors(DRAWS), factors(DRAWS, changed=True))).set_index("name")
    assert found["fault"].tolist() == ["", "", "", "no rule"]
    good = found.iloc[:3]
    assert ((good["low"] < good["measured"]) & (good["measured"] < good["high"])).all()
    assert good["right"].tolist() == [True, True, True]
    scores = strangers.summary(found.reset_index()).set_index("category")
    assert scores.loc["all", "coverage"] == 1.0
    assert scores.loc["all", "expressed"] == 0.75


def test_what_a_source_states_comes_before_its_kind_of_access(tmp_path):
    data = table(tmp_path, ("wan", {"link": "Starlink", "rtt_ms": 30}, 100, "Mb/s", ""))
    (row,) = strangers.read(data)
    assert row.keys["path.rtt"] == pytest.approx(0.03)
    assert row.keys["path.rate"]["value"] == "160 Mb/s"


def test_the_clock_in_the_name_of_a_known_processor_is_not_what_its_cores_reach(tmp_path):
    link = {"link_gbps": 100}
    known, unknown = strangers.read(
        table(
            tmp_path,
            ("cpu", {**link, "cpu": "Xeon Gold 6342 2.8 GHz"}, 30, "Gb/s", ""),
            ("cpu", {**link, "cpu": "some server, 2.8 GHz"}, 30, "Gb/s", ""),
        )
    )
    assert known.keys["receiver.cpu"] == "intel-xeon-gold-6348"
    assert "receiver.cpu.clock" not in known.keys
    assert unknown.keys["receiver.cpu.clock"] == 2.8e9


@pytest.mark.parametrize(
    ("config", "milliseconds"),
    [
        ({"description": "SLAC to CERN, iperf"}, 150.2),  # 159 ms were measured
        ({"sender": "New York", "receiver": "London"}, 89.1),
        ({"path": "Boston to Berkeley via Chicago"}, 68.9),
        ({"path": "SLAC to Stanford"}, None),  # neighbours
        ({"path": "Frankfurt, two hosts"}, None),
        ({"path": "trans-Pacific"}, 180),
        ({"path": "CERN to Chicago", "rtt_ms": 120}, 120),
    ],
)
def test_a_round_trip_follows_from_the_places_at_the_ends(tmp_path, config, milliseconds):
    (row,) = strangers.read(table(tmp_path, ("wan", {"link_gbps": 10, **config}, 1, "Gb/s", "")))
    rtt = row.keys["path.rtt"]
    value = units.parse(rtt["value"] if isinstance(rtt, dict) else rtt, "time")
    assert value * 1000 == pytest.approx(60 if milliseconds is None else milliseconds, rel=0.002)


def test_an_object_store_daemon_is_a_disk(tmp_path):
    config = {"fs": "CephFS", "osds": 24, "media": "HDD", "op": "write", "replication": "3x"}
    (row,) = strangers.read(table(tmp_path, ("storage", config, 6, "Gb/s", "")))
    assert (row.keys["receiver.arrays.data.disks"], row.keys["receiver.arrays.data.copies"]) == (24, 3)
    (row,) = strangers.read(table(tmp_path, ("storage", {**config, "nodes": 3, "op": "read"}, 6, "Gb/s", "")))
    assert row.keys["sender.arrays.data.disks"] == 24


def test_the_slot_of_an_array_is_its_ceiling(tmp_path):
    config = {"disks": "4x NVMe", "raid": "RAID0", "op": "read", "uplink": "PCIe Gen2 x1"}
    (row,) = strangers.read(table(tmp_path, ("raid", config, 3.4, "Gb/s", "")))
    assert np.exp(np.median(row.draws)) == pytest.approx(3.4e9, rel=0.1)
    assert row.bottleneck == "slot"


def test_the_memory_of_a_processor_is_that_of_its_channels_or_of_few_cores(tmp_path):
    cpu = {"cpu": "2x Xeon E5-2699 v4 2.20 GHz"}
    full, few = strangers.read(
        table(tmp_path, ("memory", cpu, 900, "Gb/s", ""), ("memory", {**cpu, "threads": 2}, 250, "Gb/s", ""))
    )
    assert np.exp(np.median(full.draws)) == pytest.approx(0.75 * 2 * 76.8e9 * 8, rel=1e-6)
    assert np.exp(np.median(few.draws)) == pytest.approx(2 * 14e9 * 8, rel=1e-6)


def test_a_disk_reads_half_as_fast_inside_and_less_long_ago(tmp_path):
    disk = {"media": "HDD 7200rpm", "op": "read"}
    rows = strangers.read(
        table(
            tmp_path,
            ("storage", {**disk, "zone": "outer"}, 1, "Gb/s", ""),
            ("storage", {**disk, "zone": "inner"}, 1, "Gb/s", ""),
            ("storage", {**disk, "year": 2005}, 1, "Gb/s", ""),
        )
    )
    outer, inner, old = (float(np.exp(np.median(row.draws))) / 8e6 for row in rows)
    assert (outer, inner, old) == (
        pytest.approx(1.3 * 160, rel=0.02),
        pytest.approx(0.65 * 160, rel=0.02),
        pytest.approx(65, rel=0.02),
    )


def test_what_is_in_flight_counts_where_a_source_says_so(tmp_path):
    disk = {"disk": "NVMe", "op": "read", "raid": "none"}
    unknown, alone = strangers.read(
        table(
            tmp_path,
            ("storage", {**disk, "block": "16k"}, 10, "Gb/s", ""),
            ("storage", {**disk, "block": "16k", "iodepth": 1}, 2, "Gb/s", ""),
        )
    )
    assert "tool.request" not in unknown.keys
    assert np.median(alone.draws) < np.median(unknown.draws) - 1


@pytest.mark.parametrize(
    ("limit", "right"),
    [("100 Mb/s interface", True), ("driver", None), ("write path", None), ("not CPU", None), ("CPU", False)],
)
def test_words_for_limits_stand_for_classes(tmp_path, limit, right):
    (row,) = strangers.read(table(tmp_path, ("wan", {"link_gbps": 0.1, "rtt_ms": 1}, 90, "Mb/s", limit)))
    assert row.bottleneck == "link"
    found = strangers.table([row], (factors(DRAWS), factors(DRAWS, changed=True)))
    assert found["right"].tolist() == [right]


def test_a_miss_costs_twenty_times_its_distance():
    low, high = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    assert winkler(low, high, np.array([0.5, 1.1])).tolist() == [1.0, pytest.approx(3.0)]


def test_the_ratio_of_two_results_has_an_error_of_its_own(tmp_path):
    fast, slow = ({"nic": "10GbE", "cpu": "Xeon E5-2630", "pair": "p", "governor": name} for name in ("a", "b"))
    data = table(tmp_path, ("cpu", fast, 4, "Gb/s", ""), ("cpu", slow, 3, "Gb/s", ""))
    data.write_text(data.read_text().replace(",s1,", ",s0,"))
    scores = strangers.pairs(strangers.read(data), (factors(DRAWS), factors(DRAWS, changed=True)))
    assert scores["pairs"] == 1
    assert scores["direction"] == 0  # no key holds the change
    assert 0.1 < scores["width of the ratio"] < 4
