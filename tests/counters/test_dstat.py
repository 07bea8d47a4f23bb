"""dstat: rates of interfaces in SI units, means, and damage."""

import pytest

from hecn_analysis.counters import read_counters

MIB, KIB = 8 * 2**20, 8 * 2**10


def test_the_first_row_is_since_the_start(samples):
    counters = read_counters(samples / "dstat" / "default.txt")
    assert counters.problems.empty
    assert counters.rates[["interface", "in_bps", "out_bps", "flag"]].to_numpy().tolist() == [
        ["total", 0.0, 0.0, "since_start"],
        ["total", 118.0 * MIB, 1203.0 * KIB, "given"],
        ["total", 117.0 * MIB, 1190.0 * 8, "given"],
    ]
    [source] = counters.sources
    assert source["cpu"] == {
        "all_mean_busy_fraction": pytest.approx(0.22),
        "all_mean_sys_fraction": pytest.approx(0.19),
    }
    assert source["devices"] == [{"device": "total", "read_bps": 0.0, "write_bps": 500.0 * MIB}]


def test_tables_of_several_interfaces(samples):
    counters = read_counters(samples / "dstat" / "interfaces.txt")
    assert counters.problems.empty
    assert counters.rates[["interface", "in_bps", "out_bps"]].to_numpy().tolist() == [
        ["eth0", 84.0 * KIB, 12.4 * MIB],
        ["eth1", 0.0, 0.0],
        ["eth0", 102.0 * KIB, pytest.approx(13.8 * MIB)],
        ["eth1", 960.0, 528.0],
    ]
    assert counters.sources[0]["devices"] == [{"device": "sda", "read_bps": 0.0, "write_bps": 91.0 * MIB}]


def test_damaged_and_cut_rows(samples, counters_of, said):
    text = (samples / "dstat" / "default.txt").read_text()
    assert said(counters_of(text.replace(" 118M", " 1l8M"))) == [
        (
            "6: malformed: found '2  18  79   1   0|   0   512M| 1l8M 1203k|   0     0 |  45k   60k', "
            "expected figures; left out"
        )
    ]
    cut = counters_of(text[: text.index("117M") + 3])
    assert said(cut)[0].startswith("7: truncated: found ") or said(cut)[0].startswith("7: malformed: found ")
    assert len(cut.rates) == 2
