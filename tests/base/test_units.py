"""Quantities as people write them: what is read, what is refused in which words; writing and reading agree."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import HecnError, RangeError
from hecn_analysis.base.units import format_bytes, format_fraction, format_probability, format_rate, format_time, parse


@pytest.mark.parametrize(
    ("text", "dimension", "expected"),
    [
        ("10 Gb/s", "rate", 10e9),
        ("10Gbps", "rate", 10e9),
        ("9.90042 Gbit/s", "rate", 9.90042e9),
        ("1e9", "rate", 1e9),
        ("256 Kbps", "rate", 256e3),
        ("204MB/s", "rate", 1632e6),
        ("1.5 GiB/s", "rate", 1.5 * 2**30 * 8),
        ("inf", "rate", math.inf),
        ("64 GiB", "bytes", 64 * 2**30),
        ("9000 B", "bytes", 9000),
        ("9000", "bytes", 9000),
        ("1 TB", "bytes", 1e12),
        ("64 kB", "bytes", 64_000),
        ("80 ms", "time", 0.08),
        ("80ms", "time", 0.08),
        ("50 µs", "time", 50e-6),
        ("50 us", "time", 50e-6),
        ("-5 ms", "time", -0.005),
        ("2 h", "time", 7200),
        ("5 %", "fraction", 0.05),
        ("0.05", "fraction", 0.05),
        ("3.2 GHz", "frequency", 3.2e9),
        ("133.33 MHz", "frequency", 133.33e6),
        ("8 GT/s", "transfers", 8e9),
        ("2666MT/s", "transfers", 2666e6),
        ("$6800", "dollars", 6800),
        ("$ 6800", "dollars", 6800),
        ("6800 USD", "dollars", 6800),
        ("16", "count", 16),
        ("10G", "rate", 10e9),  # iperf3 -b 10G
        ("100 M", "rate", 100e6),
        ("64K", "bytes", 65_536),  # iperf3 -w 64K
        ("4M", "bytes", 4 * 2**20),
        ("4000 cycles", "cycles", 4000),
        ("1.1 cycles/B", "cycles_per_byte", 1.1),
    ],
)
def test_text_gives_the_si_value(text, dimension, expected):
    assert parse(text, dimension) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("value", [0, 3, 2.5, -1.0, math.inf])
def test_numbers_pass_through(value):
    assert parse(value, "rate") == value
    assert type(parse(value, "rate")) is float


@pytest.mark.parametrize(
    ("value", "dimension"),
    [
        ("10 Gbit", "rate"),  # an amount
        ("10 GB", "rate"),
        ("10 KB/s", "rate"),  # 1000 or 1024
        ("64 KB", "bytes"),
        ("64 Mb", "bytes"),  # bits
        ("80 Ms", "time"),
        ("80 m", "time"),
        ("5 % of it", "fraction"),
        ("3.2 ghz", "frequency"),
        ("10 GB/s", "frequency"),
        ("2.5", "count"),
        ("8 lanes", "count"),
        ("$ 5 USD", "dollars"),
        ("$5", "bytes"),
        ("6,800 USD", "dollars"),
        ("", "time"),
        ("fast", "rate"),
        ("1 2 ms", "time"),
        ("nan", "rate"),
        (math.nan, "rate"),
        (True, "count"),
        (None, "rate"),
        ([1], "rate"),
    ],
)
def test_what_is_unclear_is_refused(value, dimension):
    with pytest.raises(RangeError) as caught:
        parse(value, dimension, name="path.thing")
    assert str(caught.value).startswith(f"path.thing: found {value!r}, expected a")


def test_the_message_says_what_is_allowed():
    with pytest.raises(HecnError) as caught:
        parse("64KB", "bytes", name="tool.window")
    assert str(caught.value) == (
        "tool.window: found '64KB', expected a size such as '9000 B', '64 kB' (64,000) or '64 KiB' (65,536)"
    )


@pytest.mark.parametrize(
    ("bps", "expected"),
    [
        (9.90042e9, "9.90 Gb/s"),
        (941.482e6, "941 Mb/s"),
        (999.6e6, "1.00 Gb/s"),  # rounded up into the next prefix
        (117.5e12, "118 Tb/s"),
        (64e3, "64.0 kb/s"),
        (0.25, "0.250 b/s"),
        (0, "0 b/s"),
        (-2e6, "-2.00 Mb/s"),
        (math.inf, "inf"),
        (None, "–"),
        (math.nan, "–"),
        (pd.NA, "–"),
    ],
)
def test_rates_for_people(bps, expected):
    assert format_rate(bps) == expected


def test_sizes_times_and_fractions_for_people():
    assert [format_bytes(size) for size in (0, 1500, 9999, 10_000, 64 * 2**30, None)] == [
        "0 B",
        "1500 B",
        "9999 B",
        "10.0 kB",
        "68.7 GB",
        "–",
    ]
    assert [format_time(s) for s in (0, 70e-6, 0.08, 60, 108.75, 599.4, 600, 7200, 7 * 86400, pd.NA)] == [
        "0 s",
        "70.0 µs",
        "80.0 ms",
        "60.0 s",
        "109 s",
        "599 s",
        "10.0 min",
        "2.00 h",
        "7.00 d",
        "–",
    ]
    assert [format_fraction(x) for x in (0, 0.58, 1, 5.5e-5, -0.0729, math.nan)] == [
        "0 %",
        "58.0 %",
        "100 %",
        "0.00550 %",
        "-7.29 %",
        "–",
    ]


POSITIVE = st.floats(min_value=1e-3, max_value=1e17)


@given(POSITIVE)
def test_a_rate_written_and_read_is_the_same_to_its_digits(bps):
    assert parse(format_rate(bps), "rate") == pytest.approx(bps, rel=0.5e-2)
    assert parse(format_rate(bps, digits=6), "rate") == pytest.approx(bps, rel=0.5e-5)


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_a_time_written_and_read_is_the_same_to_its_digits(seconds):
    assert parse(format_time(seconds, digits=6), "time") == pytest.approx(seconds, rel=0.5e-5)


@given(st.floats(min_value=1, max_value=1e17))
def test_a_size_written_and_read_is_the_same_to_its_digits(size):
    assert parse(format_bytes(size, digits=6), "bytes") == pytest.approx(size, rel=0.5e-5)


@given(st.floats(min_value=1e-9, max_value=1))
def test_a_fraction_written_and_read_is_the_same_to_its_digits(fraction):
    assert parse(format_fraction(fraction, digits=6), "fraction") == pytest.approx(fraction, rel=0.5e-5)


@pytest.mark.parametrize(
    ("probability", "places", "text"),
    [
        (0.0, 0, "0 %"),
        (1e-9, 0, "< 1 %"),
        (0.0051, 0, "1 %"),
        (0.994, 0, "99 %"),
        (0.996, 0, "> 99 %"),
        (1.0, 0, "100 %"),
        (0.99996, 3, "99.996 %"),
        (0.9999999, 3, "> 99.999 %"),
        (0.0004, 1, "< 0.1 %"),
    ],
)
def test_only_what_is_certain_is_written_as_0_or_100_per_cent(probability: float, places: int, text: str) -> None:
    assert format_probability(probability, places=places) == text
