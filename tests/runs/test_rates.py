"""The rate of a run: one rule for all who need it."""

import math

import numpy as np
import pandas as pd
import pytest

from hecn_analysis import read
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.studies.long_paths import flights
from hecn_analysis.prediction.measurements import of_runs
from hecn_analysis.runs.alike import with_conditions
from hecn_analysis.runs.rates import run_rate, run_rates, why_no_rate
from hecn_analysis.traffic.placing import unplaced

NUTTCP = "   11.0000 MB /  10.00 sec =    {rate:.4f} Mbps 5 %TX 9 %RX 0 retrans 80.10 msRTT\n"
KEYS = {"sender": "c", "receiver": "c", "path": "lan-2x10ge", "tool": "iperf3"}
SENDER_ONLY = """\
Connecting to host 10.0.0.2, port 5201
[  5] local 10.0.0.1 port 38000 connected to 10.0.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  11.5 GBytes  9.90 Gbits/sec    0             sender
"""

ROWS = [
    ({"protocol": "tcp", "throughput_bps": 5e9, "sender_throughput_bps": 6e9, "bytes": 1, "duration_s": 8.0}, 5e9),
    ({"protocol": "tcp", "sender_throughput_bps": 6e9, "bytes": 1, "duration_s": 8.0}, 6e9),
    ({"protocol": "file", "bytes": 10**9, "duration_s": 8.0}, 1e9),
    ({"throughput_bps": 0.0, "bytes": 10**9, "duration_s": 8.0}, 1e9),
    ({"protocol": "udp", "sender_throughput_bps": 6e9, "bytes": 10**9, "duration_s": 8.0}, math.nan),
    ({"protocol": "icmp", "bytes": 6400, "duration_s": 8.0}, math.nan),
    ({"protocol": "tcp", "throughput_bps": 5e9, "error": True}, math.nan),
    ({"protocol": "tcp", "bytes": 10**9, "duration_s": 0.0}, math.nan),
    ({}, math.nan),
]


@pytest.mark.parametrize(("run", "rate"), ROWS)
def test_rate_is_the_receivers_else_the_senders_else_bytes_over_time(run, rate):
    missing = {"throughput_bps": None, "sender_throughput_bps": pd.NA, "bytes": np.nan, "duration_s": None} | run
    for row in (run, missing):
        assert run_rate(row) == pytest.approx(rate, nan_ok=True)
    assert run_rates(pd.DataFrame([missing])).tolist() == pytest.approx([rate], nan_ok=True)


def test_no_runs_have_no_rates():
    assert run_rates(tables.make("runs", [])).tolist() == []


def test_every_room_takes_the_same_rate():
    rows = [{"tool": "iperf3", "source_file": "a", "run": n, "error": False, "rtt_s": 0.08} | row
            for n, (row, _) in enumerate(ROWS[:3])]  # fmt: skip
    runs = tables.make("runs", rows)
    wanted = [rate for _, rate in ROWS[:3]]
    assert with_conditions(runs)["rate_bps"].tolist() == wanted
    assert flights(runs)["measured_bps"].tolist() == wanted
    assert unplaced({"sender_throughput_bps": 8e9, "duration_s": 10.0, "protocol": "tcp"}).payload == 1e10


def test_calibration_takes_a_senders_rate_and_says_what_it_leaves_out(tmp_path):
    (tmp_path / "sender.txt").write_text(SENDER_ONLY)
    (tmp_path / "ping.txt").write_text(
        "PING a (10.0.0.2) 56(84) bytes of data.\n64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=80.1 ms\n\n"
        "--- a ping statistics ---\n1 packets transmitted, 1 received, 0% packet loss, time 0ms\n"
        "rtt min/avg/max/mdev = 80.100/80.100/80.100/0.000 ms\n"
    )
    row = read(tmp_path / "sender.txt").runs.iloc[0]
    assert pd.isna(row["throughput_bps"])
    left_out = []
    (found,) = of_runs([tmp_path], KEYS, left_out=left_out)
    assert found.measured_bps == row["sender_throughput_bps"]
    (words,) = left_out
    assert words.endswith("ping left out: the log gives no rate, and no bytes with a duration")
    assert words.startswith(f"{tmp_path}/ping.txt:1: run 0 of ")
    with pytest.raises(InputError, match="no run with a rate"):
        of_runs([tmp_path / "ping.txt"], KEYS)


def test_a_reason_is_given_for_each_run_without_a_rate():
    reasons = [why_no_rate(run) for run, rate in ROWS if math.isnan(rate)]
    nothing = "the log gives no rate, and no bytes with a duration"
    assert reasons == ["only the sender of UDP gives a rate", nothing, "the run failed", nothing, nothing]
