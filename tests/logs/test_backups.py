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


def test_copies_on_a_device(samples, tmp_path, problem_lines):
    reading = read(samples / "device-copy" / "tftp.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "bytes", "duration_s", "throughput_bps") == [
        ["device-copy", 20000000, 80.0, 2e6],
        ["device-copy", 0, 2.1, None],
    ]
    (tmp_path / "a.txt").write_text("20000000 bytes copied in 8O.000 secs (250000 bytes/sec)\n")
    reading = read(tmp_path / "a.txt")
    assert reading.runs.empty
    found = "found '20000000 bytes copied in 8O.000 secs (250000 bytes/sec)', expected"
    assert problem_lines(reading) == [f"a.txt:1: malformed: {found} '… bytes copied in … secs (… bytes/sec)'; left out"]


def test_both_ways_of_a_bandwidth_test(samples, tmp_path):
    reading = read(samples / "routeros-btest" / "both.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "duration_s", "throughput_bps") == [
        ["send", 20.0, 900.5e6],
        ["receive", 20.0, 1.5e9],
    ]
    whole = (samples / "routeros-btest" / "both.txt").read_text()
    (tmp_path / "a.txt").write_text(whole[: whole.index("           random-data")])
    reading = read(tmp_path / "a.txt")
    assert reading.runs.empty
    assert list(reading.problems["kind"]) == ["truncated"]


def test_rates_of_sysbench_without_what_stands_around_them(tmp_path):
    text = "4194304 bytes written in 2.00 seconds (2.00 MiB/sec).\n\n…\n"
    text += "Throughput:\n    read, MiB/s:                  6.50\n"
    (tmp_path / "a.txt").write_text(f"{text}    written, MiB/s:               4.25\n")
    reading = read(tmp_path / "a.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "bytes", "throughput_bps") == [
        ["write", 4 * MIB, 16.0 * MIB],
        ["read", None, 52.0 * MIB],
        ["write", None, 34.0 * MIB],
    ]
