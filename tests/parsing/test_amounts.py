"""Numbers, sizes and durations as programs print them."""

import math

import pytest

from hecn_analysis.parsing import amounts


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5", 5.0), (" -2,5 ", -2.5), ("1.5e+09", 1.5e9), ("1e99", 1e99), ("1e101", None), ("nan", None), ("-inf", None)],
)
def test_a_number_is_finite_and_may_have_a_comma(text, expected):
    assert amounts.number(text) == expected
    assert math.isnan(amounts.number_or_nan(text)) == (expected is None)


@pytest.mark.parametrize("text", [None, "", " ", "1_000", "1,000.5", "0x10", "5 s"])
def test_other_texts_are_no_number(text):
    assert amounts.number(text) is None


def test_a_whole_number_has_at_most_18_digits():
    assert [amounts.whole(text) for text in (" +7 ", "-7", "7.0", "9" * 18, "9" * 19, None)] == [
        7, -7, None, 10**18 - 1, None, None,
    ]  # fmt: skip


def test_a_counter_may_be_rounded_and_is_of_any_length():
    assert amounts.counter("18446744073709551615") == 2**64 - 1
    assert amounts.counter("9" * 5000) == 10**40 - 1
    assert [amounts.counter("1.5", prefix) for prefix in ("", "k", "Ki", "G")] == [2, 1500, 1536, 1_500_000_000]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("512", {}, 512),
        ("512", {"unit": 1024}, 512 * 1024),
        ("512 B", {"unit": 1024}, 512),
        ("16 GB", {}, 16 * 2**30),
        ("16 GB", {"kilo": 1000}, 16 * 10**9),
        ("16 GiB", {"kilo": 1000}, 16 * 2**30),
        ("1,5k", {"kilo": 1000}, 1500),
        ("9999999999999999", {"unit": 1000}, 9_999_999_999_999_999_000),
        ("much", {}, None),
        (None, {}, None),
    ],
)
def test_a_size_has_the_unit_that_its_reader_says(text, options, expected):
    assert amounts.size(text, **options) == expected


def test_thousands_are_separated_and_the_last_sign_is_the_decimal_one():
    assert [amounts.grouped(text) for text in ("1,234,567", "1.234.567", "1’234", "12\u00a0345")] == [
        1234567, 1234567, 1234, 12345,
    ]  # fmt: skip
    assert [amounts.decimal(text) for text in ("1,234.5", "1.234,5", "2,5", "7", "1,5e3")] == [
        1234.5, 1234.5, 2.5, 7.0, 1500.0,
    ]  # fmt: skip


def test_a_prefix_is_the_first_letter_of_a_unit():
    assert [amounts.scale(unit, 1000) for unit in ("", "B", "kB", "Mbit", "E")] == [1, 1, 1e3, 1e6, 1e18]
    assert amounts.scale("GiB", 1024) == 2.0**30


def test_rounding_hides_half_of_the_last_digit():
    assert [amounts.half_digit(text) for text in ("5", "1.25", "2.5e3", "0.0", "x")] == [0.1, 0.004, 0.02, 1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1:02:03", 3723.0), ("02:03", 123.0), ("3m 19s", 199.0), ("0.2s", 0.2), ("1d 2h", 93600.0), ("1:xx", None)],
)
def test_a_duration_has_colons_or_units(text, seconds):
    assert amounts.clock(text) == seconds


def test_a_text_without_a_unit_is_no_duration():
    assert amounts.clock("soon") is None
