"""librespeed-cli and networkQuality: values, units, damage."""

import pytest

from hecn_analysis.logs import read


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_librespeed_prints_megabits_in_text_and_in_values(samples):
    reading = read(samples / "librespeed" / "text.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "throughput_bps", "rtt_s") == [
        ["receive", pytest.approx(588.44e6), 0.0086],
        ["send", pytest.approx(58.2e6), 0.0086],
        ["receive", pytest.approx(8 * 71.25e6), 0.0091],
        ["send", pytest.approx(8 * 7.01e6), 0.0091],
    ]
    reading = read(samples / "librespeed" / "values.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "direction", "bytes", "throughput_bps") == [
        ["librespeed-cli", "receive", 1148321792, pytest.approx(588.44e6)],
        ["librespeed-cli", "send", 113246208, pytest.approx(58.2e6)],
        ["librespeed-cli", "receive", None, pytest.approx(590.01e6)],
        ["librespeed-cli", "send", None, pytest.approx(57.11e6)],
    ]


def test_librespeed_counts_mebibits_where_the_command_asks_for_them(reading_of):
    text = "$ librespeed-cli --mebibytes\nPing: 8.00 ms\tJitter: 1.00 ms\nDownload rate:\t100.00 Mbps\n"
    assert reading_of(text).runs.throughput_bps.tolist() == [100 * 2**20]


def test_a_damaged_rate_of_librespeed_is_a_problem(reading_of, problem_lines):
    reading = reading_of("Ping: 8.00 ms\tJitter: 1.00 ms\nDownload rate:\t1O0.00 Mbps\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        "a.log:2: malformed: found 'Download rate:\\t1O0.00 Mbps', expected 'Download rate: … Mbps'; left out"
    ]


def test_network_quality_says_whether_both_directions_share_the_line(samples):
    reading = read(samples / "network-quality" / "summaries.txt")
    assert reading.problems.empty
    alone, both = "each direction alone", "both directions at the same time"
    assert rows(reading, "direction", "throughput_bps", "rtt_s", "circumstances") == [
        ["send", pytest.approx(42.318e6), 0.0215, alone],
        ["receive", pytest.approx(512.204e6), 0.0215, alone],
        ["send", pytest.approx(22.705e6), 0.023, both],
        ["receive", pytest.approx(1.027e9), 0.023, both],
        ["send", 36633184.0, 0.0255, both],
        ["receive", 812345344.0, 0.0255, both],
    ]


def test_a_damaged_capacity_is_a_problem(reading_of, problem_lines):
    reading = reading_of("==== SUMMARY ====\nUplink capacity: 42.3 Mbp\nDownlink capacity: 51.2 Mbps\n")
    assert rows(reading, "direction", "throughput_bps", "circumstances") == [["receive", pytest.approx(51.2e6), None]]
    assert problem_lines(reading) == [
        "a.log:2: malformed: found 'Uplink capacity: 42.3 Mbp', expected 'Uplink capacity: … Mbps'; left out"
    ]
