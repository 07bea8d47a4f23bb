"""ethtool -S: totals of many drivers' names."""

import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.counters.kernel.ethtool import totals


def test_a_driver_without_octets(recorded):
    counters = read_counters(recorded / "ethtool-S" / "veth.txt")
    (source,) = counters.sources
    assert counters.samples.empty or counters.samples.in_octets.isna().all()
    assert source["in_octets"] is None
    assert source["counters"]["rx_queue_0_drops"] == 0
    assert source["n_counters"] == len(source["counters"]) == 10


@pytest.mark.parametrize(
    ("counters", "received", "sent"),
    [
        ({"rx_bytes": 5, "rx_queue_0_bytes": 4, "tx_bytes": 6}, 5, 6),  # ixgbe
        ({"rx_octets": 5, "tx_octets": 6}, 5, 6),  # tg3
        ({"port.rx_bytes": 5, "port.tx_bytes": 6, "rx-0.bytes": 1}, 5, 6),  # i40e
        ({"rx-0.bytes": 5, "rx-1.bytes": 7, "tx-0.bytes": 6}, 12, 6),  # iavf
        ({"rx0_bytes": 5, "rx1_bytes": 7, "tx0_bytes": 6}, 12, 6),  # virtio_net
        ({"[0]: rx_ucast_bytes": 5, "[0]: rx_mcast_bytes": 1, "[1]: rx_bcast_bytes": 2}, 8, None),  # bnxt
        ({"[0]: rx_bytes": 5, "[1]: rx_bytes": 7, "[0]: tx_bytes": 6}, 12, 6),  # bnx2x
        ({"queue_0_rx_bytes": 5, "queue_1_rx_bytes": 7, "queue_0_tx_bytes": 6}, 12, 6),  # ena
        ({"rx_bytes_phy": 9, "rx_bytes": 5, "tx_bytes": 6, "tx_bytes_phy": 8}, 5, 6),  # mlx5
        ({"rx_q-0_bytes": 5, "tx_q-0_bytes": 6}, 5, 6),  # idpf
        ({"rx_kicks": 2018, "tx_kicks": 6230}, None, None),  # virtio_net without octets
    ],
)
def test_totals(counters, received, sent):
    row = totals(counters)
    assert (row.get("in_octets"), row.get("out_octets")) == (received, sent)


def test_several_interfaces_by_their_command_lines(counters_of):
    counters = counters_of(
        "# ethtool -S eth0\nNIC statistics:\n     rx_bytes: 5000000000\n     tx_bytes: 6\n     [0]: rx_discards: 1\n"
        "# ethtool -S eth1\nNIC statistics:\n     rx_bytes: 7\n     rx_dropped: 8\n"
    )
    assert counters.samples[["interface", "in_octets"]].to_numpy().tolist() == [["eth0", 5000000000], ["eth1", 7]]
    assert counters.samples.in_discards.tolist()[1] == 8
    assert counters.samples.out_octets.isna().tolist() == [False, True]
