"""aria2c, mbuffer, smbclient and gdsio: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_results_of_aria2(samples, problem_lines):
    reading = read(samples / "aria2" / "results.txt")
    assert rows(reading, "direction", "throughput_bps", "error") == [
        ["receive", 112.0 * MIB, False],
        ["receive", None, True],
    ]
    assert problem_lines(reading) == [
        "results.txt:15: aborted: found a download with an error, expected one that is OK"
    ]


def test_a_damaged_result_of_aria2(reading_of):
    reading = reading_of("2089b0|OK  |   1l2MiB/s|/tmp/big.bin\n")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["malformed"])


def test_summaries_of_mbuffer(samples):
    reading = read(samples / "mbuffer" / "summaries.txt")
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [
        [10 * 2**30, 91.2, 112.0 * MIB],
        [512 * 2**20, 4.3, 119.0 * MIB],
        [round(1.4 * 2**40), 12251.0, 120.0 * MIB],
    ]


def test_a_damaged_summary_of_mbuffer(reading_of):
    reading = reading_of("summary: 10.0 GiByte in  1min 31.Zsec - average of  112 MiB/s\n")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["malformed"])


def test_files_of_smbclient(samples):
    reading = read(samples / "smbclient" / "files.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "bytes", "throughput_bps") == [
        ["receive", 2**30, pytest.approx(8192 * 110231.4)],
        ["send", None, pytest.approx(8192 * 98231.4)],
        ["receive", 524288000, pytest.approx(8192 * 57281.5)],
    ]


def test_a_damaged_file_of_smbclient(reading_of):
    reading = reading_of(r"getting file \a of size 9 as a (1l.4 KiloBytes/sec) (average 1.4 KiloBytes/sec)" + "\n")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["malformed"])


def test_results_of_gdsio(samples):
    reading = read(samples / "gdsio" / "results.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "streams", "bytes", "duration_s", "circumstances", "throughput_bps") == [
        ["read", 8, 104857600 * 1024, 8.1, "transfer GPUD", pytest.approx(12.345678 * 2**33)],
        ["random_write", 4, 2**33, 4.041, "transfer CPU_GPU", pytest.approx(1.98 * 2**33)],
    ]


def test_a_damaged_result_of_gdsio(samples, reading_of):
    text = (samples / "gdsio" / "results.txt").read_text()
    reading = reading_of(text.replace("12.345678", "12.E45678"))
    assert (len(reading.runs), reading.problems.kind.tolist()) == (1, ["malformed"])


def test_downloads_of_axel(samples, tmp_path):
    reading = read(samples / "axel" / "downloads.txt")
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [
        [242999099, 6.0, 39550.12 * 8192],
        [2.5 * 2**30, 64.0, 40960.0 * 8192],
        [1000446362, 83.0, 11771.49 * 8192],
    ]
    assert reading.problems.empty
    (tmp_path / "a.log").write_text("Downloaded 9.5 megabytes in 2 seconds. (48G3.26 KB/s)\n")
    [problem] = read(tmp_path / "a.log").problems.to_dict("records")
    assert (problem["line"], problem["kind"]) == (1, "malformed")


def test_files_of_gfal_copy(samples, problem_lines):
    reading = read(samples / "gfal_copy" / "files.txt")
    assert rows(reading, "direction", "bytes", "duration_s", "throughput_bps", "error") == [
        ["send", 2**32, 9.0, 455.0 * MIB, False],
        [None, None, 31.0, None, False],
        [None, None, 2.0, None, True],
        [None, None, None, None, False],
    ]
    assert problem_lines(reading) == ["files.txt:5: aborted: found a copy that failed, expected [DONE]"]


def test_a_copy_of_gfal_that_is_cut_short(samples, reading_of):
    first = (samples / "gfal_copy" / "files.txt").read_text().splitlines()[0]
    reading = reading_of(f"{first}\n")
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [[None, None, 497.0 * MIB]]
    assert list(reading.problems.message) == ["found 48 % of a copy, expected its end; the rate so far is taken"]
    damaged = reading_of("Copying file:///a   [DONE]  after l2s\n")
    assert (len(damaged.runs), damaged.problems.kind.tolist()) == (0, ["malformed"])


def test_the_bar_of_s5cmd(samples, problem_lines):
    reading = read(samples / "s5cmd" / "progress.txt")
    assert rows(reading, "bytes", "duration_s", "throughput_bps", "error") == [
        [5_000_000_000, 6.0, 6.5e9, False],
        [None, None, None, True],
    ]
    [problem] = problem_lines(reading)
    assert problem.startswith('progress.txt:5: aborted: found \'ERROR "cp big.tar s3://lab/big.tar": AccessDenied: ')
    assert problem.endswith(" status code: 403', expected a file that is copied")


def test_a_copy_of_s5cmd_that_is_cut_short_has_no_rate(samples, reading_of):
    states = (samples / "s5cmd" / "progress.txt").read_text().splitlines()
    reading = reading_of(f"{states[1]}\n")
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [[1_910_000_000, None, None]]
    assert list(reading.problems.message) == ["found 38.20 % of a copy, expected all of it; run without a rate"]


def test_statistics_of_rclone_before_the_whole_was_printed(samples):
    reading = read([samples / "rclone" / "first.txt", samples / "rclone" / "old.txt"])
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "error") == [
        [52428800, 12.5, False],
        [round(3.516 * 2**30), 61.1, False],
    ]


def test_dots_of_wget_below_lines_that_name_no_file(samples, reading_of):
    reading = read(samples / "wget" / "dots-alone.txt")
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [[263979008, 2.5, 101 * MIB]]
    dots = (samples / "wget" / "dots-alone.txt").read_text().splitlines()[:2]
    cut = reading_of("\n".join(dots) + "\n")
    assert (rows(cut, "throughput_bps"), cut.problems.kind.tolist()) == ([[None]], ["truncated"])
