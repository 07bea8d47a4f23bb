"""Requests under way against counting by hand, published transfers, and copies measured on one machine."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.request_response import (
    iscsi_write_round_trips,
    outstanding_to_fill,
    request_bps,
    request_s,
    requests,
    serial_bps,
    ssh_bps,
)

HERE = Path(__file__).parent


def test_what_a_request_waits_for_adds_up():
    time = request_s(1e6, 80e-3, 5e-3, round_trips=2, rate=1e9, store_rate=2e9)
    assert time == pytest.approx(0.16 + 0.005 + 0.008 + 0.004)
    assert request_bps(1e6, 80e-3, 5e-3, round_trips=2, rate=1e9, store_rate=2e9) == pytest.approx(8e6 / time)


def test_requests_under_way_add_until_the_line_is_full():
    at = outstanding_to_fill(1e6, 80e-3, rate=1e9)
    assert at == pytest.approx((0.08 + 0.008) / 0.008)
    rates = request_bps(1e6, 80e-3, outstanding=np.array([1, 2, at, 64]), rate=1e9)
    assert rates == pytest.approx([8e6 / 0.088, 16e6 / 0.088, 1e9, 1e9])
    assert request_bps(1e6, 0) == outstanding_to_fill(1e6, 80e-3) == np.inf


def test_small_files_cost_their_round_trips_each():
    figures = requests(np.array([1e3, 1e9]), round_trip=50e-3, round_trips=4, rate=1e9)
    assert figures["requests_per_s"][0] == pytest.approx(1 / 0.200008)
    assert figures["throughput_bps"][1] == pytest.approx(1e9, rel=0.03)


def test_windows_of_ssh():
    assert ssh_bps(np.array([1e-3, 80e-3])) == pytest.approx([16.777e9, 209.7e6], rel=1e-4)
    assert ssh_bps(80e-3, window=2**30) == pytest.approx(107.4e9, rel=1e-3)


def test_bursts_of_iscsi_writes_by_rfc_7143():
    sizes = np.array([1, 65_536, 65_537, 327_680, 327_681])
    assert iscsi_write_round_trips(sizes).tolist() == [1, 1, 2, 2, 3]
    assert iscsi_write_round_trips(262_144, first_burst=0) == 2


def test_stages_in_turn():
    assert serial_bps(5.0) == 5
    assert serial_bps(40.0, 20.0) == pytest.approx(40 / 3)
    assert serial_bps(np.array([1.0, np.inf]), 1.0).tolist() == [0.5, 1]


def test_published_transfers():
    """Within 9 % in the median; the last, where raising the number of requests helped little too, stays far below."""
    rows = pd.read_csv(HERE / "published_requests.csv")
    rate = request_bps(rows.request, rows.round_trip_ms / 1e3, outstanding=rows.outstanding)
    error = rate / 8e6 / rows.measured_mb_s - 1
    assert np.median(np.abs(error)) < 0.10
    assert np.abs(error[:-1]).max() < 0.23
    assert error.iloc[-1] > 0


def test_milliseconds_for_seconds_are_told():
    with pytest.warns(
        ValidityWarning, match=r"^round_trip: found 80, the formula holds for 10 s or less: is the value"
    ):
        request_bps(1e6, 80)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"request": 0}, "request: found 0, expected a number > 0"),
        ({"round_trip": -1}, "round_trip: found -1, expected a number >= 0"),
        ({"outstanding": 0}, "outstanding: found 0, expected a whole number >= 1"),
        ({"service": -1}, "service: found -1, expected a number >= 0"),
        ({"rate": 0}, "rate: found 0, expected a number > 0"),
        ({"round_trips": -1}, "round_trips: found -1, expected a number >= 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        requests(**{"request": 1e6, "round_trip": 80e-3} | option)
    assert str(caught.value) == message


def test_measured_copies(corpus):
    """One thread that reads, then writes, between two throttled devices; and two threads, which overlap."""
    with (corpus / "tcp-lab" / "host" / "runs.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in {"serial", "overlap"}]
    for row in rows:
        stages = 8 * float(row["disk_read_limit_Bps"]), 8 * float(row["disk_write_limit_Bps"])
        expected = serial_bps(*stages) if row["kind"] == "serial" else min(stages)
        assert float(row["measured_bps"]) == pytest.approx(expected, rel=0.05)
    assert len(rows) >= 8


def test_the_time_of_all_files_follows_from_their_amount():
    few, many = (requests(200e3, round_trip=30e-3, outstanding=n, bytes=400e9)["time_s"] for n in (1, 16))
    assert few == pytest.approx(2e6 * 30e-3)
    assert few == pytest.approx(16 * many)
