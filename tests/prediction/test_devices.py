"""Ciphers, tunnels, virtual cards, clouds and forwarding boxes limit a transfer, each by its own rule."""

from typing import get_args

import pytest

import hecn_analysis as hecn
from hecn_analysis.hardware.path import Tunnel

LINE = {"sender": "dtn-100g-2024", "receiver": "dtn-100g-2024", "tool": "iperf3", "path": "lan-100ge"}


def predicted(**keys):
    return hecn.predict(LINE, {key.replace("__", "."): value for key, value in keys.items()})


def rate(**keys):
    return predicted(**keys).throughput_bps / 1e9


@pytest.mark.parametrize("tunnel", get_args(Tunnel))
def test_a_tunnel_costs_each_packet_and_is_named(tunnel):
    found = predicted(path__tunnel=tunnel, path__mtu=1500)
    assert found.throughput_bps < predicted(path__mtu=1500).throughput_bps
    assert found.low_bps < found.throughput_bps / 1.2
    if tunnel not in {"gre", "ipip"}:  # they add little to what the stack does
        assert found.throughput_bps < 0.7 * predicted(path__mtu=1500).throughput_bps
        assert found.bottleneck.endswith("cpu.tunnel")
        assert rate(path__tunnel=tunnel, path__mtu=9000) > 1.5 * found.throughput_bps / 1e9


def test_wireguard_and_ipsec_are_slower_without_instructions_for_the_cipher():
    for tunnel in ("wireguard", "ipsec"):
        with_, without = (
            rate(path__tunnel=tunnel, sender__cpu__crypto=crypto, receiver__cpu__crypto=crypto)
            for crypto in ("vaes", "none")
        )
        assert without < 0.7 * with_


def test_encryption_by_the_program_costs_its_core_by_cipher_and_processor():
    plain = rate()
    tls, offloaded, slow = (rate(tool__encryption="tls"), rate(tool__encryption="ktls"), rate(tool__encryption="ssh"))
    assert plain > offloaded > tls > slow
    old = rate(tool__encryption="tls", receiver__cpu__crypto="none", tool__cipher="aes-gcm")
    assert old < 0.2 * tls
    measured = rate(tool__encryption="tls", receiver__cpu__ciphers={"aes-gcm": 20}, tool__cipher="aes-gcm")
    assert measured < 0.3 * tls


def test_ssh_has_chacha20_since_2014():
    by_year = {year: rate(tool__encryption="ssh", sender__year=year, receiver__year=year) for year in (2013, 2014)}
    assert by_year[2013] < 0.7 * by_year[2014]
    stated = {"tool__encryption": "ssh", "tool__cipher": "chacha20-poly1305"}
    assert rate(sender__year=2013, receiver__year=2013, **stated) == pytest.approx(by_year[2014], rel=0.01)


def test_a_virtual_card_is_served_by_a_core_for_each_queue():
    streams = {"tool__streams": 8, "tool__threads": "per-stream", "receiver__card": "virtio"}
    one, four = (predicted(receiver__card_queues=queues, **streams) for queues in (1, 4))
    assert one.bottleneck == "receiver.cpu.card1"
    assert four.throughput_bps > 2 * one.throughput_bps
    assert rate(receiver__card="emulated") < 0.5 * rate(receiver__card="virtio")
    assert rate(receiver__card="virtio", receiver__offload=False) < 0.7 * rate(receiver__card="virtio")


def test_a_cloud_allows_a_machine_and_each_connection_so_much():
    cloud = {"sender__instance_rate": "20 Gb/s", "sender__flow_rate": "5 Gb/s"}
    rates = [rate(tool__streams=streams, **cloud) for streams in (1, 2, 8)]
    assert rates == pytest.approx([5, 10, 20], rel=0.01)
    shaped = predicted(sender__card="ena")
    assert shaped.bottleneck == "sender.nic.flow1"
    assert 1.5 * shaped.low_bps < shaped.high_bps


def test_a_box_on_the_path_forwards_bits_and_packets():
    assert rate(path__forward_rate="1 Gb/s") == pytest.approx(1 * 8948 / 9038, rel=1e-3)
    small, large = (rate(path__forward_packets=100_000, path__mtu=mtu) for mtu in (1500, 9000))
    assert small == pytest.approx(100_000 * 1448 * 8 / 1e9, rel=0.01)
    assert large == pytest.approx(100_000 * 8948 * 8 / 1e9, rel=0.01)


def test_tools_of_today_are_there():
    long = {"path__rtt": "50 ms"}
    assert rate(tool="sftp", **long) <= 2 * 2**20 * 8 / 0.05 / 1e9
    assert rate(tool="s3", **long) > 3 * rate(tool="sftp", **long)
    assert rate(tool="quic") < rate()
    fast = {
        "sender": "dtn-400g-2024",
        "receiver": "dtn-400g-2024",
        "path": "lan-400ge",
        "receiver__write_rate": "45 GB/s",
    }
    assert rate(tool="nvme-rdma", **fast) > rate(tool="nvme-tcp", **fast)
    assert rate(tool="smb", tool__streams=4) > 1.5 * rate(tool="smb")


def test_requests_under_way_and_paces_are_those_of_each_process():
    one, four = (rate(tool__pace="1 Gb/s", tool__processes=processes) for processes in (1, 4))
    assert (one, four) == pytest.approx((1.0, 4.0), rel=0.01)
    both = [rate(tool="sftp", path__rtt="50 ms", tool__processes=processes) for processes in (1, 3)]
    assert both[1] == pytest.approx(3 * both[0], rel=0.02)


def test_rdma_does_not_follow_the_default_mtu_of_ip_and_runs_over_infiniband():
    roce = {"sender": "ideal", "receiver": "ideal", "tool": "perftest", "path.rate": "100 Gb/s", "path.rtt": "2 us"}
    rates = [
        hecn.predict(roce, keys).throughput_bps / 1e9
        for keys in ({}, {"path.mtu": 1500}, {"path.rdma_mtu": 1024}, {"path.framing": "infiniband"})
    ]
    full, small = 100 * 4096 / (4096 + 82), 100 * 1024 / (1024 + 82)
    assert rates == pytest.approx([full, small, small, 100 * 4096 / (4096 + 26)], rel=1e-3)
    over_ip = hecn.predict({**roce, "tool": "iperf3", "path.framing": "infiniband", "path.mtu": 2044}).throughput_bps
    assert over_ip == pytest.approx(100e9 * 1992 / (2044 + 38), rel=1e-3)


def test_a_path_of_segments_has_the_least_rate_and_the_sum_of_times():
    segments = [
        {"title": "campus", "rate": "100 Gb/s", "rtt": "1 ms", "mtu": 9000},
        {"title": "wave", "rate": "10 Gb/s", "rtt": "40 ms", "mtu": 9000, "loss": 1e-6, "queue": "1 MB"},
        {"title": "last", "rate": "40 Gb/s", "rtt": "2 ms", "mtu": 1500, "loss": 1e-6},
    ]
    path = hecn.load_scenario(
        {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.segments": segments}
    ).path
    assert (path.rate.value, path.rtt.value, path.mtu, path.queue.value) == (10e9, pytest.approx(0.043), 1500, 1e6)
    assert path.loss.value == pytest.approx(2e-6, rel=1e-5)
    with pytest.raises(hecn.HecnError, match="rate beside segments"):
        hecn.load_scenario(
            {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s", "path.segments": segments}
        )


FAST = {"path.rate": "100 Gb/s", "path.mtu": 9000, "tool": "iperf3"}
PACED = {**FAST, "path.mtu": 1500, "sender.congestion_control": "bbr", "sender.offload": False}


@pytest.mark.parametrize(
    ("slower", "faster", "base"),
    [
        ({"receiver.governor": "powersave"}, {"receiver.governor": "performance"}, FAST),
        ({"receiver.iommu": "strict"}, {"receiver.iommu": "on"}, FAST),
        ({"receiver.iommu": "on"}, {"receiver.iommu": "off"}, {**FAST, "path.mtu": 1500}),
        ({"sender.congestion_control": "bbr"}, {}, {"path.same_host": True, "tool": "iperf3"}),
        ({"path.background": "6 Gb/s"}, {"path.background": "3 Gb/s"}, {"path.rate": "10 Gb/s", "tool": "iperf3"}),
        ({"sender.initcwnd": 2}, {"sender.initcwnd": 64}, {"path.rtt": "100 ms", "tool.bytes": "10 MB", **FAST}),
        ({"receiver.cpu.clock": "2 GHz"}, {"receiver.cpu.clock": "4 GHz"}, FAST),
        ({"receiver.kernel": "5.4"}, {"receiver.kernel": "6.11"}, FAST),
        ({"path.mtu": 1500}, {}, FAST),
        ({"receiver.gro": False}, {}, FAST),
        ({"tool.message": "4 KiB"}, {"tool.message": "128 KiB"}, FAST),
        ({"sender.kernel": "4.16"}, {"sender.kernel": "4.17"}, PACED),  # a timer for each packet, or for 64 KiB
    ],
)
def test_keys_that_people_change_have_an_effect_where_nothing_is_known_of_the_hosts(slower, faster, base):
    rates = [hecn.predict({**base, **keys}).throughput_bps for keys in (slower, faster)]
    assert rates[1] > 1.03 * rates[0]


def test_a_processor_with_a_clock_and_cores_alone_has_the_costs_of_its_time():
    def at(year):
        cpu = {"receiver.cpu.clock": "2.4 GHz", "receiver.cpu.cores": 32, "receiver.year": year}
        return hecn.load_scenario({**FAST, **cpu}).receiver.cpu

    assert [at(year).cores for year in (2003, 2020)] == [32, 32]
    assert at(2003).receive_cost.value > 5 * at(2020).receive_cost.value


def test_background_beyond_the_line_is_refused():
    with pytest.raises(hecn.HecnError, match=r"12\.0 Gb/s of background on a path of 10\.0 Gb/s"):
        hecn.load_scenario({"tool": "iperf3", "path.rate": "10 Gb/s", "path.background": "12 Gb/s"})
