"""restic and NAS performance tester: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_a_backup_reads_all_and_sends_what_is_new(samples):
    reading = read(samples / "restic" / "backup.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "bytes", "duration_s", "throughput_bps") == [
        ["read", 12 * 1024 * MIB, 200.0, pytest.approx(8 * 12 * 1024 * MIB / 200)],
        ["send", 384 * MIB, 200.0, pytest.approx(8 * 384 * MIB / 200)],
    ]


def test_the_line_of_a_duration_ends_an_old_backup(samples, tmp_path, problem_lines):
    reading = read(samples / "restic" / "old.txt")
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [[10 * 1024 * MIB, 100.0, 8 * 102.4 * MIB]]
    whole = (samples / "restic" / "old.txt").read_text()
    (tmp_path / "a.txt").write_text(whole[: whole.index("duration")])
    reading = read(tmp_path / "a.txt")
    assert reading.runs.empty
    expected = "found a state of a backup, expected 'processed … files, … in …'; no run made of it"
    assert problem_lines(reading) == [f"a.txt:3: truncated: {expected}"]


def test_a_series_has_its_average_as_its_rate(samples, tmp_path, problem_lines):
    reading = read(samples / "nas-tester" / "comma.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "throughput_bps") == [["write", 800e6], ["read", 888e6]]
    whole = (samples / "nas-tester" / "comma.txt").read_text()
    (tmp_path / "a.txt").write_text(whole[: whole.index("Average (R)")])
    reading = read(tmp_path / "a.txt")
    assert rows(reading, "direction") == [["write"]]
    assert problem_lines(reading) == [
        "a.txt:11: truncated: found the end of the output, expected 'Average (W): … MB/sec'; no run made of it"
    ]
