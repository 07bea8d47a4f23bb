"""speedtest of both kinds, in all formats."""

import pytest

from hecn_analysis.logs import read


def test_speedtest_cli(samples):
    reading = read(samples / "speedtest" / "speedtest-cli.txt")
    runs = reading.runs
    assert runs.direction.tolist() == ["receive", "send"] * 4
    assert runs.throughput_bps.tolist() == [
        908.86e6,
        475.68e6,
        28e6,
        2e6,
        93000000.5,
        5000000.25,
        93000000.5,
        5000000.25,
    ]
    assert runs.rtt_s.tolist() == [0.005772] * 2 + [0.0185] * 6
    assert reading.problems.empty


def test_the_command_of_ookla(samples):
    reading = read(samples / "speedtest" / "ookla.txt")
    runs = reading.runs
    assert runs.throughput_bps.tolist() == pytest.approx([935.52e6, 35.25e6, 935.52e6, 35.25e6])
    assert runs.rtt_s.tolist() == [0.00842] * 4
    assert runs.bytes.fillna(-1).tolist() == [-1, -1, 1100000000, 50900000]
    assert runs.duration_s.fillna(-1).tolist() == [-1, -1, 10.5, 12.5]
    assert runs.loss_fraction.fillna(-1).tolist() == [-1, 0.005, 0.005, 0.005]
    assert reading.problems.empty


def test_all_on_one_line(reading_of):
    reading = reading_of(
        "Selecting best server based on ping... Hosted by Example (There) [488.97 km]: 2.5 ms "
        "Testing download speed.... Download: 102.21 Mbit/s Testing upload speed... Upload: 2.97 Mbit/s\n"
    )
    assert reading.runs.throughput_bps.tolist() == [102.21e6, 2.97e6]
    assert reading.runs.line_first.tolist() == [1, 1]
    assert reading.problems.empty


def test_truncated_output(samples, problem_lines):
    reading = read(samples / "speedtest" / "broken.txt")
    assert reading.runs.error.tolist() == [True, False]
    assert reading.runs.throughput_bps.fillna(-1).tolist() == [-1, 1.25e6]
    assert problem_lines(reading) == [
        (
            "broken.txt:2: aborted: found 'Cannot retrieve speedtest configuration', "
            "expected the rates of download and upload"
        ),
        "broken.txt:9: truncated: found no rate of the upload, expected one; no run made of it",
    ]


def test_a_rate_without_unit(reading_of, problem_lines):
    reading = reading_of("Hosted by Example (There) [1 km]: 2.5 ms\nDownload: 102.21\nUpload: 2.97 Mbit/s\n")
    assert reading.runs.direction.tolist() == ["send"]
    assert problem_lines(reading) == [
        "a.log:2: malformed: found 'Download: 102.21', expected a rate such as '93.2 Mbit/s'; no run made of it"
    ]


def test_downloads_of_other_programs_are_not_read(reading_of):
    assert reading_of("Download: 102.21 Mbit/s\nUpload: 2.97 Mbit/s\n").runs.empty


def test_source_code_that_prints_such_lines_has_no_runs(reading_of):
    text = "    printer('Retrieving speedtest.net configuration...', quiet)\n"
    text += "    printer('Cannot retrieve speedtest configuration', error=True)\n"
    assert reading_of(text).runs.empty


@pytest.mark.parametrize("gap", ['","', "\t"])
def test_values_of_ookla_are_bytes_per_second(reading_of, gap):
    values = ["Somebody - There", "10000", "3.21", "0.11", "0.5", "117960000", "91996250", "425100000", "331300000"]
    quote = gap[0] if gap != "\t" else ""
    text = quote + gap.join([*values, "https://www.speedtest.net/result/c/x"]) + quote + "\n"
    runs = reading_of(text).runs
    assert runs.direction.tolist() == ["receive", "send"]
    assert runs.throughput_bps.tolist() == [943.68e6, 735.97e6]
    assert runs.bytes.tolist() == [425100000, 331300000]
    assert runs.rtt_s.tolist() == [3.21e-3] * 2
    assert runs.loss_fraction.tolist() == [0.005] * 2
