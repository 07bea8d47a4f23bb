"""Each key that published comparisons vary moves a prediction in the physically right direction, alone."""

import pytest

import hecn_analysis as hecn

LAN = {"path.rate": "100 Gb/s", "path.rtt": "0.1 ms", "path.loss": 0, "path.mtu": 1500, "tool": "iperf3"}
LONG = {"path.rate": "10 Gb/s", "path.rtt": "80 ms", "path.loss": 0, "path.mtu": 9000, "tool": "iperf3"}
LOSSY = {**LONG, "path.loss": 1e-5, "tool.duration": "60 s"}
WITHIN = {"path.same_host": True, "tool": "iperf3"}
TUNNEL = {**LAN, "path.tunnel": "wireguard"}
NVME = {"disk.read_rate": "6.8 GB/s", "disk.write_rate": "5 GB/s"}
HDD = {"disk.read_rate": "200 MB/s", "disk.write_rate": "190 MB/s", "disk.revolution": "8.3 ms"}


def files(op, disk, **more):
    """Keys of a local file on an array."""
    role = "sender" if op == "read" else "receiver"
    array = {f"{role}.arrays.a.{key}": value for key, value in {**disk, **more}.items()}
    return {"tool": f"dd-{op}", **array}


def copied(disk):
    """Keys of files copied between two hosts."""
    ends = {f"{role}.arrays.a.{key}": value for role in ("sender", "receiver") for key, value in disk.items()}
    return {**LAN, "tool": "gridftp", **ends}


STRIPE = {**HDD, "level": 0, "disks": 4}
PARITY = {**HDD, "level": 6, "disks": 12}
NFS = {**LAN, "tool": "nfs4", "sender.read_rate": "4 GB/s", "receiver.write_rate": "4 GB/s", "tool.sink_end": "memory"}
IN_TURN = {**NFS, "path.rtt": "10 ms"}
COPY = {**LAN, "tool": "scp"}
DEEP = {**LONG, "tool.duration": "60 s", "receiver.tcp_rmem_max": "512 MB", "sender.tcp_wmem_max": "512 MB"}
SMALL = {**files("read", NVME), "tool.request": "4 KiB", "tool.outstanding": 32}
SEVERAL = {**LAN, "sender.read_rate": "4 GB/s", "tool.sink_end": "memory"}
SEGMENTS = [
    {"rate": "40 Gb/s", "rtt": "0.1 ms", "mtu": 9000},
    {"rate": "10 Gb/s", "rtt": "0.2 ms", "mtu": 9000, "loss": 0, "queue": "10 MB"},
]

CASES = [  # base, key, slower, faster
    (LAN, "path.mtu", 1500, 9000),
    (LAN, "path.rate", "10 Gb/s", "40 Gb/s"),
    (LAN, "path.background", "90 Gb/s", "50 Gb/s"),
    (LAN, "tool.processes", 1, 4),
    ({**LAN, "tool.threads": "per-stream"}, "tool.streams", 1, 4),
    ({**LAN, "tool.streams": 8}, "tool.threads", "one", "per-stream"),
    (LAN, "tool.pace", "1 Gb/s", "2 Gb/s"),
    (LAN, "tool.message", "4 KiB", "128 KiB"),
    (LAN, "sender.offload", False, True),
    (LAN, "receiver.gro", False, True),
    (LAN, "receiver.cpu.clock", "2 GHz", "4 GHz"),
    (LAN, "receiver.governor", "powersave", "performance"),
    (LAN, "receiver.iommu", "strict", "off"),
    ({**LAN, "receiver.gro": False}, "receiver.firewall", "stateful", "none"),
    ({**LAN, "receiver.gro": False}, "receiver.virtual_switch", "bridge", "none"),
    ({**LAN, "receiver.gro": False}, "receiver.virtual_switch", "bridge", "ovs"),
    (WITHIN, "sender.virtual_switch", "veth", "none"),
    (LAN, "receiver.kernel", "5.15", "6.8"),
    (LAN, "receiver.system", "windows", "linux"),
    (LAN, "sender.system", "macos", "linux"),
    ({**LAN, "tool.processes": 8, "receiver.gro": False}, "receiver.receive_queues", 1, 8),
    ({**LAN, "receiver.app_cores": [1]}, "receiver.nic_cores", [8], [0]),
    ({**LAN, "receiver.cpu.clock": "4 GHz"}, "tool.zero_copy", False, True),
    ({**LAN, "sender.cpu.clock": "2 GHz", "receiver.cpu.clock": "4 GHz"}, "sender.congestion_control", "bbr", "cubic"),
    ({**WITHIN, "sender.congestion_control": "bbr"}, "sender.qdisc", "other", "fq"),
    ({**LAN, "sender.instance_rate": "5 Gb/s"}, "path.tunnel", "vxlan", None),
    (LAN, "tool.encryption", "tls", "ktls"),
    ({**LAN, "tool.encryption": "tls", "receiver.cpu.crypto": "aes"}, "tool.cipher", "chacha20-poly1305", "aes-gcm"),
    ({**LAN, "tool.encryption": "tls"}, "receiver.cpu.crypto", "none", "aes"),
    (LAN, "receiver.card", "virtio", "physical"),
    (LAN, "receiver.card", "emulated", "virtio"),
    ({**LAN, "receiver.card": "virtio", "tool.processes": 4}, "receiver.card_queues", 1, 4),
    (LAN, "receiver.instance_rate", "5 Gb/s", "10 Gb/s"),
    (LONG, "receiver.port_rate", "1 Gb/s", "5 Gb/s"),
    ({"path.rtt": "80 ms", "tool.streams": 16}, "sender.port_rate", "1 Gb/s", "10 Gb/s"),
    (LAN, "path.tunnel", "openvpn", "wireguard"),
    (LAN, "path.tunnel", "openvpn", "openvpn-dco"),
    (LONG, "receiver.system", "solaris", "macos"),
    (LONG, "sender.system", "freebsd", "linux"),
    (files("write", {**PARITY, "software": "md"}), "receiver.arrays.a.stripe_cache", 256, 8192),
    (LAN, "path.forward_packets", 5e5, 1e6),
    (TUNNEL, "path.tunnel_offload", False, True),
    (TUNNEL, "path.mtu", 1500, 9000),
    (TUNNEL, "receiver.firewall", "stateful", "none"),
    ({**WITHIN, "sender.offload": False}, "path.mtu", 1500, 9000),
    (WITHIN, "sender.offload", False, True),
    (WITHIN, "tool.processes", 1, 4),
    (WITHIN, "sender.cpu.clock", "2 GHz", "4 GHz"),
    (LONG, "tool.window", "1 MB", "16 MB"),
    (LONG, "receiver.tcp_rmem_max", "6 MiB", "64 MiB"),
    (LONG, "sender.tcp_wmem_max", "4 MiB", "64 MiB"),
    ({**LONG, "tool.window": "4 MB"}, "tool.streams", 1, 8),
    ({**LONG, "tool.window": "4 MB"}, "path.rtt", "80 ms", "20 ms"),
    ({**LONG, "receiver.tcp_rmem_max": "512 MB", "sender.tcp_wmem_max": "512 MB"}, "tool.duration", "5 s", "60 s"),
    (LOSSY, "path.loss", 1e-4, 1e-6),
    (LOSSY, "path.rtt", "80 ms", "20 ms"),
    (LOSSY, "path.mtu", 1500, 9000),
    (LOSSY, "tool.streams", 1, 8),
    (LOSSY, "sender.congestion_control", "reno", "bbr"),
    (LOSSY, "path.loss_burst", 1, 20),
    (COPY, "tool", "scp", "gridftp"),
    ({**COPY, "path.rtt": "50 ms"}, "tool", "scp", "hpn-scp"),
    (IN_TURN, "tool.request", "32 KiB", "1 MiB"),
    ({**LAN, "tool": "nfs4", "tool.source_end": "memory", "tool.request": "32 KiB"}, "tool.sync", True, False),
    ({**LAN, "sender.offload": False, "sender.congestion_control": "bbr"}, "sender.kernel", "4.16", "4.17"),
    (IN_TURN, "tool.outstanding", 4, 64),
    (NFS, "tool.request", "32 KiB", "1 MiB"),
    (NFS, "tool.request_cost", 50_000, 10_000),
    (NFS, "tool.streams", 1, 4),
    (NFS, "tool", "nfs4", "nfs4-rdma"),
    ({**copied(STRIPE), "receiver.arrays.a.disks": 24}, "sender.arrays.a.disks", 2, 4),
    ({"tool": "dd-read"}, "sender.storage", "hdd", "nvme"),
    ({"tool": "dd-write"}, "receiver.storage", "cluster-client", "cluster"),
    (files("read", STRIPE), "sender.arrays.a.disks", 2, 8),
    (files("read", {**STRIPE, "software": "md"}), "sender.arrays.a.software", "zfs", "md"),
    (files("write", PARITY), "receiver.arrays.a.level", 6, 0),
    (files("write", PARITY), "receiver.arrays.a.level", 6, 5),
    (files("write", STRIPE), "receiver.arrays.a.level", 10, 0),
    (files("write", STRIPE), "receiver.arrays.a.copies", 3, 1),
    (files("write", STRIPE), "receiver.filter_rate", "100 MB/s", "300 MB/s"),
    (files("read", NVME), "tool.io", "buffered", "direct"),
    ({**files("read", NVME), "tool.io": "buffered"}, "tool.processes", 1, 4),
    ({**files("read", NVME), "tool.io": "buffered"}, "sender.arrays.a.read_ahead", "32 KiB", "1 MiB"),
    ({**files("read", NVME), "tool.io": "buffered"}, "sender.cpu.clock", "1.5 GHz", "3 GHz"),
    (files("read", NVME), "tool.request", "4 KiB", "128 KiB"),
    ({**files("read", NVME), "tool.request": "4 KiB"}, "tool.outstanding", 1, 32),
    ({**files("write", NVME), "tool.request": "16 KiB"}, "tool.sync", True, False),
    (SMALL, "sender.iommu", "strict", "off"),
    (SMALL, "sender.cpu.clock", "1 GHz", "4 GHz"),
    (files("write", {**STRIPE, "disks": 24}), "receiver.arrays.a.ceiling", "1 GB/s", "3 GB/s"),
    (files("read", {**STRIPE, "disks": 24}), "sender.arrays.a.ceiling", "1 GB/s", "3 GB/s"),
    ({**files("read", {**STRIPE, "level": 10}), "tool.processes": 1}, "sender.arrays.a.layout", "near", "far"),
    (copied({**STRIPE, "disks": 24}), "receiver.arrays.a.ceiling", "1 GB/s", "3 GB/s"),
    ({**LAN, "tool": "gridftp", "receiver.write_rate": "10 GB/s"}, "sender.read_rate", "100 MB/s", "500 MB/s"),
    ({**LAN, "tool": "gridftp", "sender.read_rate": "10 GB/s"}, "receiver.write_rate", "100 MB/s", "500 MB/s"),
    ({**LAN, "path.rate": "1 Gb/s"}, "path.timestamps", True, False),
    ({**LAN, "path.rate": "10 Gb/s", "tool.streams": 8}, "path.links", 1, 2),
    ({**LAN, "path.rate": "10 Gb/s", "path.links": 2}, "path.spread", "streams", "round-robin"),
    (LAN, "receiver.cpu_share", 0.3, 1),
    ({**LAN, "receiver.cpu.clock": "5 GHz"}, "sender.cpu_share", 0.3, 1),
    (WITHIN, "receiver.cpu_share", 0.3, 1),
    ({**LAN, "receiver.gro": False}, "receiver.arfs", False, True),
    ({**LAN, "tool.processes": 8}, "receiver.cpu.cores", 2, 16),
    (DEEP, "path.queue", "256 kB", "125 MB"),
    (DEEP, "path.background", "5 Gb/s", 0),
    ({**LONG, "tool.duration": "10 s"}, "tool.warm_up", "0 s", "4 s"),
    (LONG, "tool.bytes", "10 MB", "10 GB"),
    ({**LONG, "path.mtu": 1500, "tool.bytes": "1 MB"}, "sender.initcwnd", 3, 10),
    ({**LONG, "path.mtu": 1500, "tool.bytes": "1 MB"}, "sender.initcwnd", 10, 40),
    ({"tool": "iperf3"}, "path.segments", [*SEGMENTS[:1], {**SEGMENTS[1], "rate": "1 Gb/s"}], SEGMENTS),
    ({**SEVERAL, "tool": "smb", "tool.outstanding": 1}, "tool.request", "4 KiB", "64 KiB"),
    ({**SEVERAL, "tool": "smb", "tool.request": "4 KiB"}, "tool.outstanding", 1, 8),
    ({**SEVERAL, "tool": "scp", "path.rtt": "20 ms"}, "tool.channel", "1 MB", "2 MB"),
    (
        {**files("read", {**NVME, "level": 0, "disks": 4, "software": "md"}), "tool.request": "1 MiB"},
        "sender.arrays.a.chunk",
        "4 KiB",
        "64 KiB",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "key", "slower", "faster"), CASES, ids=[f"{number}-{case[1]}" for number, case in enumerate(CASES)]
)
def test_a_key_moves_the_prediction_the_right_way(base, key, slower, faster):
    low, high = (hecn.predict({**base, key: value}).throughput_bps for value in (slower, faster))
    assert low < 0.995 * high


def test_one_stream_over_links_in_turn_is_worth_little_more_than_two():
    lan = {**LAN, "path.rate": "1 Gb/s", "path.spread": "round-robin", "sender": "ideal", "receiver": "ideal"}

    def rate(links, **keys):
        return hecn.predict({**lan, "path.links": links, **keys}).throughput_bps

    assert rate(2) == pytest.approx(2 * rate(1), rel=0.01)
    assert rate(4) == pytest.approx(2.3 * rate(1), rel=0.01)  # Linux, Documentation/networking/bonding.txt, 12.1.1
    assert rate(4, **{"tool.streams": 4}) > 3.8 * rate(1)
    assert rate(4, **{"tool.protocol": "udp"}) > 3.8 * rate(1, **{"tool.protocol": "udp"})
