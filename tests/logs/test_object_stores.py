"""AzCopy, aws s3, gsutil perfdiag, gcloud storage, elbencho, warp, mc of MinIO and xrdcp: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def damaged(samples, tmp_path, path, before, after):
    text = (samples / path).read_text()
    assert before in text
    (tmp_path / "a.txt").write_text(text.replace(before, after, 1))
    return read(tmp_path / "a.txt")


def test_the_rate_of_azcopy_is_its_bytes_over_its_minutes(samples, problem_lines):
    reading = read(samples / "azcopy" / "copied.txt")
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "throughput_bps", "error") == [
        [10737418240, pytest.approx(86.022), pytest.approx(8 * 10737418240 / 86.022), False]
    ]
    reading = read(samples / "azcopy" / "others.txt")
    assert rows(reading, "bytes", "duration_s", "error") == [
        [13958643712, pytest.approx(768.0), False],
        [1900000000, pytest.approx(34.002), True],
    ]
    assert problem_lines(reading) == [
        "others.txt:30: aborted: found a status of CompletedWithErrors, expected a job that Completed"
    ]


def test_damage_in_a_summary_of_azcopy(samples, tmp_path):
    reading = damaged(samples, tmp_path, "azcopy/copied.txt", "1.4337", "1.4E37")
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [[10737418240, None, None]]
    assert reading.problems.kind.tolist() == ["malformed"]
    reading = damaged(samples, tmp_path, "azcopy/copied.txt", "Final Job Status: Completed\n", "")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["truncated"])


def test_the_last_state_of_aws_s3_is_the_run(samples, problem_lines):
    reading = read(samples / "aws-s3" / "copies.txt")
    assert rows(reading, "line_first", "line_last", "direction", "bytes", "throughput_bps") == [
        [2, 5, "send", 2**30, pytest.approx(112.4 * MIB)],
        [7, 9, "receive", round(52.4 * 2**20), pytest.approx(8.9 * MIB)],
    ]
    assert problem_lines(reading) == [
        (
            "copies.txt:9: truncated: found a state before the end of the copy, expected all of it; "
            "the rate so far is taken"
        )
    ]


def test_a_damaged_state_of_aws_s3_is_a_problem(reading_of):
    reading = reading_of("Completed 1.0 GiB/1.0 GiB (1l2.4 MiB/s) with 1 file(s) remaining\n")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["malformed"])


def test_prefixes_of_google_are_binary(samples):
    reading = read(samples / "google-storage" / "rates.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "label", "direction", "bytes", "throughput_bps") == [
        ["gcloud", None, None, 2**30, pytest.approx(299.7 * MIB)],
        ["gsutil", "Write Throughput", "send", 5 * 2**30, pytest.approx(1.62 * 2**30)],
        ["gsutil", "Read Throughput", "receive", 5 * 2**30, pytest.approx(3.4 * 2**30)],
    ]


def test_a_mean_without_a_copy_above_it_is_not_googles(reading_of):
    assert reading_of("epoch 3\nAverage throughput: 299.7MiB/s\n").runs.empty


def test_elbencho_counts_when_the_last_thread_is_done(samples):
    reading = read(samples / "elbencho" / "phases.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "duration_s", "bytes", "throughput_bps") == [
        ["write", 6.021, 10240 << 20, 1700.0 * MIB],
        ["read", 3.401, 10240 << 20, 3010.0 * MIB],
        ["write", pytest.approx(62.345), 30736 << 20, 493.0 * MIB],
        ["read", pytest.approx(62.345), 71696 << 20, 1150.0 * MIB],
    ]
    assert rows(read(samples / "elbencho" / "v1.6.txt"), "direction", "duration_s", "throughput_bps") == [
        ["write", 101.24, 10357.0 * MIB]
    ]


def test_a_rate_of_elbencho_that_contradicts_its_bytes_is_left_out(samples, tmp_path):
    reading = damaged(samples, tmp_path, "elbencho/v1.6.txt", "10357", " 1035")
    assert rows(reading, "throughput_bps") == [[None]]
    assert reading.problems.kind.tolist() == ["inconsistent"]


def test_warp_has_a_run_for_each_kind_that_moves_objects(samples):
    reading = read(samples / "warp" / "operations.txt")
    assert reading.problems.empty
    assert rows(reading, "label", "direction", "streams", "duration_s", "throughput_bps") == [
        ["PUT", "send", 20, None, pytest.approx(302.11 * MIB)],
        ["GET", "receive", 20, 59.901, pytest.approx(835.3 * MIB)],
        ["GET", "receive", 20, 60.0, pytest.approx(632.28 * MIB)],
        ["PUT", "send", None, 59.968, pytest.approx(211.41 * MIB)],
        ["PUTPART", "send", 400, 58.0, pytest.approx(33.36 * MIB)],
    ]


def test_totals_and_speed_tests_of_mc(samples):
    reading = read(samples / "minio-client" / "totals.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "bytes", "duration_s", "throughput_bps") == [
        [None, 2**30, 2.0, pytest.approx(410.22 * MIB)],
        ["write", None, None, pytest.approx(1.3 * 8 * 2**30)],
        ["read", None, None, pytest.approx(2.6 * 8 * 2**30)],
        [None, round(4.88 * 2**20), None, pytest.approx(19.1 * MIB)],
        ["write", None, None, pytest.approx(1.6 * 8 * 2**30)],
        ["read", None, None, pytest.approx(3.1 * 8 * 2**30)],
    ]


def test_the_bar_of_xrdcp(samples, problem_lines):
    reading = read(samples / "xrdcp" / "bars.txt")
    assert rows(reading, "bytes", "throughput_bps") == [
        [round(9.766 * 2**30), 250.0 * MIB],
        [412 << 20, 206.0 * MIB],
    ]
    assert problem_lines(reading) == [
        "bars.txt:5: truncated: found 33 % of a copy, expected all of it; the rate so far is taken"
    ]
