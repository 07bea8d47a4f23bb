"""Series that people state: the slope between two values, and what is no series."""

import math

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import series


def found(text):
    told = series.find(Document("question.txt", text.encode()))
    return {one.name.removeprefix("path.rate_over_"): one.value for one in told}


@pytest.mark.parametrize(
    ("text", "name", "slope"),
    [
        ("* at 2ms delay I get 90 MB/s\n* at 20ms delay I get 60 MB/s\n* at 80 ms delay 15 MB/s\n", "rtt", -1.0),
        (
            "Site  Ping   Runs               Mean\nA  20ms   8.1 8.3 7.9 =>  8.0 MB/s\nB  80ms  2.0 2.1 =>  2.0 MB/s\n",
            "rtt",
            -1,
        ),
        ("RTT (ms) | Throughput (Mbit/s)\n---|---\n1 | 940\n20 | 200\n80 | 50\n", "rtt", -1),
        ("With a 10 ms path I get 40 MB/s, and with a 40 ms path 39 MB/s.", "rtt", -0.02),
        ("A single connection does 90 Mb/s. 8 connections reach 720 Mb/s.", "streams", 1),
        ("-P 1: 120 Mbits/sec\n-P 4: 480 Mbits/sec\n-P 16: 940 Mbits/sec\n", "streams", 1),
        ("streams | Gbit/s\n1 | 9.2\n2 | 9.2\n", "streams", 0),
        (
            "At the default chunk size (8 MB) it is 50 MiB/s. With a chunk size of 32 MB I get 100 MiB/s.",
            "request",
            0.5,
        ),
        ("dd bs=4k gives 12 MB/s\ndd bs=64k gives 192 MB/s\n", "request", 1),
    ],
)
def test_the_slope_of_a_series(text, name, slope):
    assert found(text)[name] == pytest.approx(slope, abs=0.03)


@pytest.mark.parametrize(
    "text",
    [
        "With a 10 ms path I get 40 MB/s.",
        "64 bytes from 10.0.0.1: icmp_seq=1 time=10 ms 3 MB/s\n64 bytes from 10.0.0.1: icmp_seq=2 time=100 ms 3 MB/s\n",
        "Would I get 40 MB/s with 10 ms and 10 MB/s with 40 ms?",
        "Somebody said that 10 ms gives 40 MB/s. Somebody said that 40 ms gives 10 MB/s.",
        "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec\n[  7]   0.00-1.00   sec   12 MBytes   94 Mbits/sec\n",
        "RTT (ms) | Throughput (Mbit/s)\n0 | 940\n0 | 200\n",
        "10 ms 40 MB/s\n" + "\n" * 20 + "40 ms 10 MB/s\n",
    ],
)
def test_what_is_no_series(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    "row", ["9" * 200, "1 ms " * 40, "1 ms 1 MB/s " * 15, "| " * 100, "-P 999 0 MB/s", "0 ms 0 MB/s"]
)
def test_hostile_rows_state_nothing_absurd(row):
    text = f"RTT (ms) | MB/s\n{row}\n10 | 5\n{row}\n1000 ms 1 MB/s\n" * 50
    assert all(math.isfinite(slope) for slope in found(text).values())
