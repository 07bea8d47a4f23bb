"""TRex: counters of its ports, rates, and damage."""

import pytest

from hecn_analysis.counters import read_counters


def test_the_last_report_counts(samples):
    counters = read_counters(samples / "trex" / "reports.txt")
    assert counters.problems.empty
    columns = ["interface", "in_octets", "out_octets", "in_packets", "out_packets", "in_errors"]
    assert counters.samples[columns].to_numpy().tolist() == [
        ["0", 1325474400, 1325474400, 11045620, 11045620, 0],
        ["1", 1325474040, 1325474400, 11045617, 11045620, 0],
    ]
    [source] = counters.sources
    assert [source[name] for name in ("out_bps", "in_bps", "drop_bps")] == pytest.approx([9.48e9, 9.48e9, 0.0])


def test_a_damaged_row(samples, counters_of):
    text = (samples / "trex" / "reports.txt").read_text()
    counters = counters_of(text.replace("11045617", "11O45617"))
    assert counters.samples.in_packets.isna().all()
    assert counters.problems.kind.tolist() == ["malformed"]
