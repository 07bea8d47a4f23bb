"""iftop -t: rates in SI units, and damage."""

import pytest

from hecn_analysis.counters import read_counters


def test_the_rates_of_ten_seconds_and_the_peak(samples):
    counters = read_counters(samples / "iftop" / "report.txt")
    assert counters.problems.empty
    [row] = counters.rates.to_dict("records")
    assert (row["interface"], row["interval_s"]) == ("eth0", 10.0)
    assert [row[name] for name in ("in_bps", "out_bps", "in_max_bps", "out_max_bps")] == pytest.approx(
        [11.0 * 2**20, 9.02 * 2**30, 12.2 * 2**20, 9.21 * 2**30]
    )


def test_bytes_and_a_damaged_rate(samples, counters_of):
    text = (samples / "iftop" / "report.txt").read_text()
    counters = counters_of(
        text.replace("9.02Gb     9.02Gb\nTotal", "1.12GB     1.12GB\nTotal").replace("11.0Mb\nTotal", "ll.0Mb\nTotal")
    )
    assert counters.rates.out_bps.tolist() == pytest.approx([8 * 1.12 * 2**30])
    assert counters.rates.in_bps.isna().all()
    assert counters.problems.kind.tolist() == ["malformed"]


def test_both_programs_of_a_paste_are_read(samples, counters_of):
    table = "%usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle"
    text = (
        (samples / "iftop" / "report.txt").read_text()
        + f"\nLinux 4.14.58 (pi)         01/08/18        _armv7l_        (4 CPU)\n\n13:20:52     CPU    {table}\n"
        "13:20:52     all    0.57    0.00    0.50    0.12    0.00    0.31    0.00    0.00    0.00   98.50\n"
    )
    counters = counters_of(text)
    assert [source["format"] for source in counters.sources] == ["iftop", "mpstat"]
    assert counters.rates.out_bps.tolist() == [9.02 * 2**30]
