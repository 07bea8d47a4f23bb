"""PCI Express against the documents' slides, the specification's tables and the open reference model's values."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.errors import RangeError, ValidityWarning
from hecn_analysis.limits.framing import payload_bytes
from hecn_analysis.limits.pci_express import (
    GENERATIONS,
    LANES,
    OPS,
    SIZES,
    ack_limit,
    negotiated,
    packet_bps,
    pcie,
    raw_bps,
    shared_bps,
    tag_limit_bps,
    throughput_bps,
    tmt_bps,
)


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


@pytest.mark.parametrize(("max_payload", "gbps"), [(128, "53.8947"), (256, "58.5142")])
def test_tmt_has_all_digits_of_the_slides(max_payload, gbps):
    """The slides cut the second value (58.51428...) off instead of rounding it."""
    assert f"{tmt_bps(2, 16, max_payload) / 1e9:.10f}".startswith(gbps)
    assert tmt_bps(2, 16, max_payload) == pytest.approx(max_payload / (max_payload + 24) * 8 / 10 * 16 * 5e9, rel=1e-14)


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


@pytest.mark.parametrize(
    ("gen", "lanes", "max_payload", "op", "gbps"),
    [
        (3, 8, 256, "write", 52.923),
        (3, 8, 256, "read", 53.690),
        (3, 8, 256, "both", 50.748),
        (4, 16, 256, "write", 207.909),
        (4, 16, 256, "read", 210.922),
        (4, 16, 256, "both", 199.364),
        (5, 16, 512, "write", 437.964),
        (5, 16, 512, "read", 441.257),
    ],
)
def test_throughput_of_the_reference_model(gen, lanes, max_payload, op, gbps):
    for transfer in (4096, None):
        figures = pcie(gen, lanes, max_payload, max_read_request=512, op=op, transfer=transfer)
        assert figures["throughput_bps"] == pytest.approx(gbps * 1e9, abs=0.5e6)


@pytest.mark.parametrize(
    ("max_payload", "max_read_request", "measured"), [(128, 512, 49.0036e9), (256, 4096, 55.3263e9)]
)
def test_the_documents_transmit_tests_through_a_gen2_x16_slot(max_payload, max_read_request, measured):
    """Six TCP streams, MTU 9000, limited by the slot: headers cross it too, Ethernet's 14 bytes included."""
    slot = throughput_bps(2, 16, max_payload, op="read", max_read_request=max_read_request)
    assert slot * payload_bytes(9000) / (9000 + 14) == pytest.approx(measured, rel=0.005)


def test_one_packet_by_hand():
    """64 bytes, PCIe 3.0: 64 + 24 each way out; a request of 24 out and a completion of 64 + 20 back."""
    packets = packet_bps(3, 8, 256)
    assert throughput_bps(3, 8, 256, transfer=64, op="write") == pytest.approx(packets * 64 / 88)
    assert throughput_bps(3, 8, 256, transfer=64, op="read") == pytest.approx(packets * 64 / 84)
    assert throughput_bps(3, 8, 256, transfer=64, op="both") == pytest.approx(packets * 64 / (88 + 24))
    assert throughput_bps(3, 8, 256, transfer=64, address_bits=32) == pytest.approx(packets * 64 / 84)
    assert throughput_bps(3, 8, 256, transfer=64, ecrc=True) == pytest.approx(packets * 64 / 92)
    assert throughput_bps(3, 8, 256, transfer=1, op="read") == pytest.approx(packets * 1 / 24)  # requests bind


def test_completions_end_at_the_boundary_and_at_the_request():
    packets = packet_bps(3, 8, 256)
    read = {"op": "read", "transfer": 512}
    assert throughput_bps(3, 8, 256, **read, completion_boundary=64) == pytest.approx(packets * 512 / (512 + 8 * 20))
    assert throughput_bps(3, 8, 256, **read, max_read_request=128) == pytest.approx(packets * 512 / (512 + 4 * 20))
    assert throughput_bps(3, 8, 128, **read, completion_boundary=4096) == throughput_bps(3, 8, 128, **read)


def test_flit_mode_has_headers_only():
    assert throughput_bps(6, 16, 256) == pytest.approx(944e9 * 256 / 272)
    assert throughput_bps(6, 16, 256, address_bits=32) == pytest.approx(944e9 * 256 / 268)
    assert throughput_bps(6, 16, 256, op="read") == pytest.approx(944e9 * 256 / 268)


def test_tags_bind_reads_but_not_writes():
    few = {"outstanding": 16, "round_trip": 1e-6, "transfer": 128}
    assert tag_limit_bps(16, 1e-6, 512, 128) == pytest.approx(16 * 128 * 8 / 1e-6)
    assert pcie(3, 16, 256, op="read", **few)["throughput_bps"] == pytest.approx(16.384e9)
    assert pcie(3, 16, 256, op="both", **few)["throughput_bps"] == pytest.approx(16.384e9)
    assert pcie(3, 16, 256, op="write", **few) == pcie(3, 16, 256, op="write", transfer=128)
    plenty = pcie(3, 16, 256, op="read", outstanding=256, round_trip=1e-6)
    assert plenty == pcie(3, 16, 256, op="read")
    assert tag_limit_bps(8, 1e-6, 512, 768) == pytest.approx(8 * 8 * 384 / 1e-6)  # 512 + 256: the mean request


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"lanes": 3}, "lanes: found 3, expected 1, 2, 4, 8, 12, 16 or 32"),
        ({"gen": 7}, "gen: found 7, expected 1, 2, 3, 4, 5 or 6"),
        ({"gen": 2.5}, "gen: found 2.5, expected 1, 2, 3, 4, 5 or 6"),
        ({"max_payload": 100}, "max_payload: found 100, expected 128, 256, 512, 1024, 2048 or 4096"),
        ({"max_payload": 8192}, "max_payload: found 8192, expected 128, 256, 512, 1024, 2048 or 4096"),
        ({"max_read_request": 64}, "max_read_request: found 64, expected 128, 256, 512, 1024, 2048 or 4096"),
        (
            {"completion_boundary": 32, "op": "read"},
            "completion_boundary: found 32, expected 64, 128, 256, 512, 1024, 2048 or 4096",
        ),
        ({"address_bits": 48}, "address_bits: found 48, expected one of 32, 64"),
        ({"op": "copy"}, "op: found 'copy', expected one of 'read', 'write', 'both'"),
        ({"transfer": 0}, "transfer: found 0, expected a whole number >= 1"),
        ({"outstanding": 0, "round_trip": 1e-6}, "outstanding: found 0, expected a whole number >= 1"),
        ({"outstanding": 8, "round_trip": -1e-6}, "round_trip: found -1e-06, expected a number > 0"),
        ({"outstanding": 8}, "round_trip: found none, expected the time of a read beside outstanding"),
        ({"uplink_gen": 3}, "uplink_gen and uplink_lanes: found only one, expected both or none"),
        ({"slot_lanes": 5}, "slot_lanes: found 5, expected 1, 2, 4, 8, 12, 16 or 32"),
        ({"devices": 0}, "devices: found 0, expected a whole number >= 1"),
        ({"round_trip": 1e-6}, "outstanding: found none, expected the number of open reads beside round_trip"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        pcie(**{"gen": 3, "lanes": 8, "max_payload": 256} | option)
    assert str(caught.value) == message


@given(
    st.tuples(st.sampled_from(GENERATIONS), st.sampled_from(LANES), st.sampled_from(SIZES)),
    st.sampled_from(SIZES),
    st.sampled_from(OPS),
    st.one_of(st.none(), st.integers(1, 100_000)),
)
def test_what_must_hold_everywhere(slot, max_read_request, op, transfer):
    values = {"max_read_request": max_read_request, "transfer": transfer}
    rate = throughput_bps(*slot, op=op, **values)
    assert 0 < rate < packet_bps(*slot) <= raw_bps(*slot[:2])
    assert throughput_bps(*slot, op="both", **values) <= rate
    assert throughput_bps(*slot, op=op, ecrc=True, **values) < rate
    assert throughput_bps(*slot, op=op, completion_boundary=64, **values) <= rate


@pytest.mark.parametrize(("op", "max_payload"), [*itertools.product(OPS, SIZES)])
def test_a_wider_or_newer_link_is_faster(op, max_payload):
    wider = throughput_bps(3, np.array(LANES), max_payload, op=op)
    newer = throughput_bps(np.array(GENERATIONS), 16, max_payload, op=op)
    assert (np.diff(wider) > 0).all()
    assert (np.diff(newer) > 0).all()


@pytest.mark.parametrize("op", OPS)
def test_long_transfers_approach_the_steady_rate(op):
    steady = throughput_bps(4, 8, 256, op=op)
    for transfer in (512 * 10_000, 512 * 10_000 - 1, 512 * 10_000 + 1):
        assert throughput_bps(4, 8, 256, op=op, transfer=transfer) == pytest.approx(steady, rel=1e-4)


def test_all_arguments_broadcast():
    gens, lanes = np.array(GENERATIONS)[:, None], np.array(LANES)[None, :]
    table = throughput_bps(gens, lanes, 256, op="both", transfer=1500)
    for (row, gen), (column, width) in itertools.product(enumerate(GENERATIONS), enumerate(LANES)):
        assert table[row, column] == throughput_bps(gen, width, 256, op="both", transfer=1500)


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


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"transfer": 64}, "transfer: found 64, the formula holds for 128 B and more: devices start fewer transfers"),
        (
            {"outstanding": 300, "round_trip": 1e-6, "op": "read"},
            "outstanding: found 300, the formula holds for the tags",
        ),
    ],
)
def test_values_beyond_what_was_measured_or_specified_are_given_with_a_warning(option, words):
    with pytest.warns(ValidityWarning, match=words):
        assert pcie(3, 8, 256, **option)["throughput_bps"] > 0
