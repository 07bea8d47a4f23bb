"""nfsiostat: figures of each mount in SI units, and damage."""

from pathlib import Path

import pytest

from hecn_analysis.counters import read_counters

SAMPLES = Path(__file__).parent / "samples" / "nfsiostat"


def facts(path):
    [source] = read_counters(path).sources
    return source


def test_figures_stand_below_their_heads():
    source = facts(SAMPLES / "one.txt")
    assert (source["format"], source["n_mounts"]) == ("nfsiostat", 1)
    [mount] = source["mounts"]
    assert (mount["mount"], mount["export"]) == ("/mnt/data", "filer:/export/data")
    assert mount["read_bps"] == pytest.approx(8 * 102400 * 1024)
    assert (mount["read_rtt_s"], mount["read_exe_s"], mount["read_queue_s"]) == pytest.approx((0.0125, 0.01525, 0.002))
    assert (mount["read_retransmits"], mount["read_retransmits_fraction"]) == (3, pytest.approx(0.003))
    assert (mount["write_ops_per_s"], mount["write_rtt_s"]) == pytest.approx((20.5, 0.04))


def test_the_version_before_has_fewer_columns():
    [mount] = facts(SAMPLES / "old.txt")["mounts"]
    assert (mount["read_bps"], mount["write_exe_s"]) == (0.0, pytest.approx(0.356155))
    assert "write_queue_s" not in mount


def test_a_damaged_line_is_told(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text((SAMPLES / "one.txt").read_text().replace("102400.000", "1024OO.000"))
    found = read_counters(file)
    assert list(found.problems["kind"]) == ["malformed"]
    assert "read_bps" not in found.sources[0]["mounts"][0]
