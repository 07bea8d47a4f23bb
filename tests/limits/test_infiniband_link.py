"""InfiniBand against the rates that the specification names, and packets by hand."""

import pytest

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.infiniband_link import MTUS, data_bps, goodput_bps, infiniband, raw_bps


@pytest.mark.parametrize(
    ("generation", "lanes", "gbps"),
    [
        ("sdr", 1, 2), ("sdr", 4, 8), ("ddr", 4, 16), ("qdr", 4, 32), ("qdr", 12, 96), ("fdr10", 4, 40),
        ("fdr", 4, 54.5455), ("edr", 4, 100), ("hdr", 4, 200), ("hdr", 2, 100), ("ndr", 4, 400), ("xdr", 4, 800),
    ],
)  # fmt: skip
def test_data_rates(generation, lanes, gbps):
    assert data_bps(generation, lanes) == pytest.approx(gbps * 1e9, rel=1e-6)


def test_signalling_rates_are_what_older_links_are_sold_by():
    assert [raw_bps(generation) / 1e9 for generation in ("sdr", "ddr", "qdr", "fdr")] == [10, 20, 40, 56.25]


def test_packets_by_hand():
    """26 bytes beside the data; 40 with a global route; the first packet of a write 16 more, of a read's answer 4."""
    assert goodput_bps("edr") == pytest.approx(100e9 * 4096 / 4122)
    assert goodput_bps("edr", mtu=1024, global_route=True) == pytest.approx(100e9 * 1024 / 1090)
    assert goodput_bps("edr", message=4096) == pytest.approx(100e9 * 4096 / 4138)
    assert goodput_bps("edr", message=4097) == pytest.approx(100e9 * 4097 / (4097 + 52 + 16))
    assert goodput_bps("edr", message=64, op="read") == pytest.approx(100e9 * 64 / (64 + 26 + 4))
    assert goodput_bps("edr", message=8192, op="read") == pytest.approx(100e9 * 8192 / (8192 + 52 + 8))
    assert goodput_bps("edr", message=64, op="send") == pytest.approx(100e9 * 64 / 90)


@pytest.mark.parametrize("op", ["write", "read", "send"])
def test_long_messages_approach_the_steady_rate(op):
    for mtu in MTUS:
        assert goodput_bps("hdr", mtu=mtu, message=1e9, op=op) == pytest.approx(goodput_bps("hdr", mtu=mtu), rel=1e-5)


def test_figures_agree():
    figures = infiniband(generation="edr", mtu=2048)
    assert figures["packets_per_s"] * 2048 * 8 == pytest.approx(figures["goodput_bps"])
    assert figures["goodput_bps"] < figures["data_bps"] < figures["raw_bps"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"lanes": 3}, "lanes: found 3, expected 1, 2, 4, 8 or 12"),
        ({"mtu": 1500}, "mtu: found 1500, expected 256, 512, 1024, 2048 or 4096"),
        ({"message": 0}, "message: found 0, expected a whole number >= 1"),
        ({"message": 2**31 + 1}, "message: found 2147483649, expected 2147483648 B or less"),
        ({"op": "atomic"}, "op: found 'atomic', expected one of 'write', 'read', 'send'"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        infiniband(**{"generation": "edr"} | option)
    assert str(caught.value) == message
    with pytest.raises(RangeError, match=r"^generation: found 'gdr', expected one of 'sdr', "):
        infiniband(generation="gdr")
