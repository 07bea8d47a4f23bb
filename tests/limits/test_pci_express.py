"""PCI Express against the documents' slides, the specification's tables and the open reference model's values."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.framing import payload_bytes
from hecn_analysis.limits.pci_express import OPS, PORT_SHARE, pcie, tag_limit_bps, throughput_bps, tmt_bps
from hecn_analysis.limits.pci_express_link import GENERATIONS, LANES, SIZES, packet_bps, raw_bps


@pytest.mark.parametrize(("max_payload", "gbps"), [(128, "53.8947"), (256, "58.5142")])
def test_tmt_has_all_digits_of_the_slides(max_payload, gbps):
    """The slides cut the second value (58.51428...) off instead of rounding it."""
    assert f"{tmt_bps(2, 16, max_payload) / 1e9:.10f}".startswith(gbps)
    assert tmt_bps(2, 16, max_payload) == pytest.approx(max_payload / (max_payload + 24) * 8 / 10 * 16 * 5e9, rel=1e-14)


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


@pytest.mark.parametrize("gen", [2, 3, 4, 5])
def test_the_share_of_a_port_is_about_what_packets_of_256_bytes_leave(gen):
    usual = np.mean([throughput_bps(gen, 4, 256, op=op) for op in ("read", "write")]) / raw_bps(gen, 4)
    assert pytest.approx(usual, rel=0.03) == PORT_SHARE
