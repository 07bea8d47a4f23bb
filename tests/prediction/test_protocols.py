"""UDP and RDMA: no windows, no retransmission; RDMA past the processor."""

import pytest

from hecn_analysis.prediction import predict

PATH = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "10 Gb/s", "path.mtu": 9000}


def test_udp_has_no_window_and_loses_what_is_lost():
    udp = predict({**PATH, "tool.protocol": "udp", "path.rtt": "200 ms", "receiver.tcp_rmem_max": "1 MiB"})
    assert udp.throughput_bps == pytest.approx(10e9 * 8972 / 9038)
    assert udp.bottleneck == "path.link"
    lossy = predict({**PATH, "tool.protocol": "udp", "path.rtt": "200 ms", "path.loss": 0.02})
    assert lossy.throughput_bps == pytest.approx(0.98 * udp.throughput_bps)


def test_rdma_packets_hold_at_most_4096_bytes():
    rdma = predict({**PATH, "tool": "perftest"})
    assert rdma.throughput_bps == pytest.approx(10e9 * 4096 / (4096 + 20 + 8 + 12 + 4 + 38), rel=1e-3)


def test_rdma_needs_as_many_requests_under_way_as_the_path_holds():
    far = predict({**PATH, "tool": "perftest", "path.rtt": "80 ms"})
    assert far.bottleneck == "sender.tool.requests"
    assert far.throughput_bps == pytest.approx(128 * 65536 * 8 / 0.08)
    assert (
        predict({**PATH, "tool": "perftest", "path.rtt": "80 ms", "tool.outstanding": 4096}).bottleneck == "path.link"
    )


def test_rdma_asks_the_processor_for_nothing_but_files():
    keys = {"sender": "b", "receiver": "b", "path": "lan-10ge"}
    assert not any(
        ".cpu." in name and busy > 0 for name, busy in predict({**keys, "tool": "perftest"}).utilisation.items()
    )
    copy = predict({**keys, "tool": "rdmacp"}).utilisation
    assert max(busy for name, busy in copy.items() if name.startswith("receiver.cpu")) > 0.5
