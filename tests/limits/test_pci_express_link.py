"""PCI Express links against the specification's tables and the open reference model's values; shares of an uplink."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.limits import pci_express_link
from hecn_analysis.limits.pci_express import pcie
from hecn_analysis.limits.pci_express_link import SIZES, ack_limit, negotiated, packet_bps, raw_bps, shared_bps


@pytest.fixture(autouse=True)
def _table_worked_out_anew():
    """Not kept from another test: each one here runs what it is about."""
    pci_express_link._packet_table.cache_clear()


@pytest.mark.parametrize(
    ("gen", "lanes", "payload", "gbps"),
    [
        # R (1 - 16/A - 4/1538), A a packet of M + 28 bytes, or as late as the specification allows
        (1, 4, 256, 8 * (1 - 16 / 284 - 4 / 1538)),
        (2, 8, 4096, 32 * (1 - 16 / 4124 - 4 / 1538)),
        (2, 1, 128, 4 * (1 - 16 / 288 - 4 / 1538)),  # 156 * 1.4 + 70 = 288.4
        (3, 1, 128, 8 * 128 / 130 * (1 - 16 / 333 - 4 / 1538)),  # 156 * 1.4 + 115
        (4, 16, 256, 256 * 128 / 130 * (1 - 16 / 168 - 4 / 1538)),
        (5, 32, 512, 1024 * 128 / 130 * (1 - 16 / 148 - 4 / 1538)),  # 540 * 2 / 32 + 115
        (6, 4, 1024, 256 * 236 / 256),
    ],
)
def test_acknowledgements_updates_and_clock_compensation_by_hand(gen, lanes, payload, gbps):
    assert packet_bps(gen, lanes, payload) == pytest.approx(gbps * 1e9, rel=1e-12)


@pytest.mark.parametrize(
    ("gen", "x8", "x16"),
    [
        (1, 16, 32),
        (2, 32, 64),
        (3, 63.015, 126.031),
        (4, 126.031, 252.062),
        (5, 252.062, 504.123),
        (6, 472.0, 944.0),
    ],
)
def test_raw_rates(gen, x8, x16):
    assert raw_bps(gen, 8) == pytest.approx(x8 * 1e9, abs=0.5e6)
    assert raw_bps(gen, 16) == pytest.approx(x16 * 1e9, abs=0.5e6)


@pytest.mark.parametrize(
    ("gen", "lanes", "limits"),
    [  # MaxPayload 128, 256, 512, 1024, 2048, 4096: PCI Express Base Specification 5.0, tables 3-7 to 3-9
        (1, 1, [237, 416, 559, 1071, 2095, 4143]),
        (1, 8, [67, 107, 86, 150, 278, 534]),
        (1, 12, [58, 90, 109, 194, 365, 706]),
        (1, 32, [33, 45, 52, 84, 148, 276]),
        (2, 2, [179, 268, 340, 596, 1108, 2132]),
        (2, 16, [99, 123, 137, 201, 329, 585]),
        (3, 4, [169, 214, 250, 378, 634, 1146]),
        (5, 16, [144, 168, 182, 246, 374, 630]),
    ],
)
def test_ack_limits_are_those_of_the_specification(gen, lanes, limits):
    np.testing.assert_array_equal(ack_limit(gen, lanes, np.array(SIZES)), limits)


def test_packet_rate_of_the_reference_model():
    assert packet_bps(3, 8, 256) == pytest.approx(57.885e9, abs=0.5e6)


def test_older_links_acknowledge_a_packet_at_most_once():
    """Generation 1 x16, MaxPayload 128: 8 + 8 bytes per 156, not per 48; x1 as late as is allowed, per 237 bytes."""
    assert packet_bps(1, 16, 128) == pytest.approx(32e9 * (1 - 16 / 156 - 4 / 1538))
    assert packet_bps(1, 1, 128) == pytest.approx(2e9 * (1 - 16 / 237 - 4 / 1538))


def test_a_link_trains_to_what_both_ends_can_do():
    assert negotiated(5, 16, 4, 8) == (4, 8)
    assert negotiated(3, 8, 4, 16) == (3, 8)
    in_slot = pcie(4, 16, 256, slot_gen=3, slot_lanes=8)
    assert in_slot == pcie(3, 8, 256)
    assert in_slot["tmt_bps"] < pcie(4, 16, 256)["throughput_bps"] / 3


def test_devices_behind_a_switch_share_its_uplink_each_way():
    """Four PCIe 3.0 x4 drives behind a chipset's 3.0 x4 (DMI 3.0) get a quarter each; two behind a x8 are free."""
    alone = pcie(3, 4, 256, op="both")["throughput_bps"]
    chipset = {"uplink_gen": 3, "uplink_lanes": 4}
    assert pcie(3, 4, 256, op="both", devices=4, **chipset)["throughput_bps"] == pytest.approx(alone / 4)
    assert pcie(3, 4, 256, uplink_gen=4, uplink_lanes=8, devices=2) == pcie(3, 4, 256)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=8), st.floats(1, 1e12))
def test_shares_fill_the_uplink_and_nobody_gets_more_than_another_who_wants_more(wanted, uplink):
    shares = shared_bps(np.array(wanted), uplink)
    assert (shares <= np.array(wanted)).all()
    assert shares.sum() == pytest.approx(min(sum(wanted), uplink), rel=1e-9, abs=1e-3)
    held_back = shares < np.array(wanted) * (1 - 1e-12)
    assert not held_back.any() or (shares <= shares[held_back].min() * (1 + 1e-9)).all()


def test_shares_of_many_uplinks_at_once():
    shares = shared_bps(np.array([[28e9, 4e9], [1e9, 2e9]]), np.array([10e9, 10e9]))
    np.testing.assert_allclose(shares, [[6e9, 4e9], [1e9, 2e9]])
