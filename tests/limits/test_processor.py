"""Cores against RFC 4297, counting by hand, and a machine on which shares and quotas were measured."""

import csv

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.processor import (
    NICE_FACTOR,
    byte_share,
    core_bps,
    core_share,
    cpu,
    offload_unit_bytes,
    scaled_bps,
)


def test_cores_by_hand():
    assert core_bps(3e9, 2.0) == pytest.approx(12e9)
    assert core_bps(3e9, 0.0, 3000, 1000) == pytest.approx(8e9)
    assert core_bps(3e9, 1.0, 4000, 8000, cycles_per_call=1000, message=2000) == pytest.approx(12e9)
    figures = cpu(clock=3e9, cycles_per_byte=1.0, cycles_per_packet=4000, unit=8000)
    assert figures == {"throughput_bps": pytest.approx(16e9), "byte_share": pytest.approx(2 / 3)}


def test_larger_units_help_until_bytes_are_all_that_costs():
    rates = core_bps(3e9, 1.0, 4000, np.array([1448.0, 8948, 65_536, 1e12]))
    assert (np.diff(rates) > 0).all()
    assert rates[-1] == pytest.approx(24e9)


def test_one_cost_per_packet_gives_the_shares_of_rfc_4297_at_its_three_sizes():
    shares = byte_share(1.0, 5000, np.array([1460, 4312, 9140]))
    assert ((shares >= [0.18, 0.35, 0.55]) & (shares <= [0.25, 0.50, 0.65])).all()


def test_offloads_handle_whole_segments():
    assert offload_unit_bytes(np.array([1448, 8948])).tolist() == [45 * 1448, 7 * 8948]
    merged = offload_unit_bytes(1448, rate=np.array([1e6, 1e9, 10e9, 100e9]), interval=20e-6)
    assert (merged / 1448).tolist() == [1, 1, 17, 45]
    with pytest.warns(ValidityWarning, match=r"^most: found 1000000, the formula holds for 512 KiB or less"):
        assert offload_unit_bytes(1000, most=1e6) == 1e6


def test_shares_of_a_core():
    assert core_share(np.array([0, 1, 3])).tolist() == [1, 0.5, 0.25]
    assert core_share(1, neighbour_use=0.2) == pytest.approx(0.8)  # what it does not want is free
    assert core_share(1, weight=NICE_FACTOR**-5) == pytest.approx(0.247, abs=1e-3)
    assert core_share(1, interrupts=0.4) == pytest.approx(0.3)
    assert core_share(0, quota=np.array([0.25, 2])).tolist() == [0.25, 1]


def test_flows_on_cores_of_their_own_add_up():
    alone = cpu(3e9, 1.0)["throughput_bps"]
    assert cpu(3e9, 1.0, cores=8)["throughput_bps"] == pytest.approx(8 * alone)
    assert cpu(3e9, 1.0, neighbours=1, quota=0.3)["throughput_bps"] == pytest.approx(0.3 * alone)


def test_clocks_scale_what_does_not_wait_for_memory():
    assert scaled_bps(1e9, 2e9, 3e9) == pytest.approx(1.5e9)
    assert scaled_bps(1e9, 2e9, 3e9, architecture=1.2) == pytest.approx(1.8e9)
    assert scaled_bps(1e9, 2e9, 3e9, memory_part=1) == pytest.approx(1e9)
    with pytest.warns(ValidityWarning, match=r"^new_clock: found 8000000000, the formula holds for cores from a third"):
        assert scaled_bps(1e9, 2e9, 8e9) == pytest.approx(4e9)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"clock": 0}, "clock: found 0, expected a number > 0"),
        ({"cycles_per_byte": -1}, "cycles_per_byte: found -1, expected a number >= 0"),
        ({"cycles_per_byte": 0}, "cycles_per_byte: found 0, expected a cost per byte, per packet or per call"),
        ({"unit": 0}, "unit: found 0, expected a number > 0"),
        ({"message": 0}, "message: found 0, expected a number > 0"),
        ({"cores": 1.5}, "cores: found 1.5, expected a whole number >= 1"),
        ({"neighbours": -1}, "neighbours: found -1, expected a whole number >= 0"),
        ({"interrupts": 1.1}, "interrupts: found 1.1, expected 0 to 1"),
        ({"quota": 0}, "quota: found 0, expected a number > 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        cpu(**{"clock": 3e9, "cycles_per_byte": 1.0} | option)
    assert str(caught.value) == message


def test_measured_shares_and_quotas(corpus):
    """TCP between two cores of a machine: a busy loop beside the sender, quotas on either end, by iperf3's figures."""
    with (corpus / "tcp-lab" / "host" / "runs.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == "cpu" and row["tool"] == "iperf3"]
    ends = [(row[f"{end}_quota"], row[f"cpu_{end}_percent"]) for row in rows for end in ("tx", "rx")]
    quotas = [(float(quota), float(percent) / 100) for quota, percent in ends if quota]
    assert len(quotas) >= 10
    for quota, share in quotas:
        assert share == pytest.approx(core_share(quota=quota), rel=0.01)
    beside = [float(row["cpu_tx_percent"]) / 100 for row in rows if row["spin_core"] == row["tx_core"]]
    assert beside
    assert beside == pytest.approx([core_share(1)] * len(beside), rel=0.02)
    alike = [row for row in rows if (row["path"], row["message_bytes"], row["streams"]) == ("lo", "131072", "1")]
    full = np.median([_full_rate(row) for row in alike if not row["tx_quota"] + row["rx_quota"]])
    error = [float(row["tx_quota"]) * full / float(row["measured_bps"]) - 1 for row in alike if row["tx_quota"]]
    assert np.median(np.abs(error)) < 0.15


def _full_rate(row):
    """What the sender would reach with its core fully busy."""
    return float(row["measured_bps"]) / (float(row["cpu_tx_percent"]) / 100)
