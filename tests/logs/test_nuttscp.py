"""Results as reports quote them: a rate and the fields after it, the rest in the prose around them."""

import pandas as pd
import pytest

from hecn_analysis.logs import read

FIELDS = "28 %TX 31 %RX 0 retrans 0.07 msRTT"


def test_misread_characters_are_read_with_a_problem(samples, problem_lines):
    reading = read(samples / "nuttscp" / "recognised-text.txt")
    assert reading.runs.retransmits.tolist() == [0, 0]
    assert reading.runs.rtt_s.tolist() == [0.00011, 0.00011]
    assert reading.runs.label.tolist() == ["File copy", "Put file1"]
    assert problem_lines(reading) == [
        "recognised-text.txt:2: ambiguous: found '0.11Tms RTT', expected '… ms RTT'; read as 0.11 ms",
        "recognised-text.txt:2: ambiguous: found the letter O in 'O retrans', expected a number; read as 0",
        "recognised-text.txt:4: ambiguous: found the letter O in 'O retrans', expected a number; read as 0",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "9824.2054-Mbps 58% TX 96% RX 0retrans 0.10ms RTT",
        "9824.2054 Mbps 58 %TX 96 %RX 0 retrans 0.10 msRTT",
        "— x: 9824.2054 -Mbps  58 % TX 96 % RX 0 retrans 0.10ms-RTT]",
        "n7:9824.2054 Mbps 58 %TX 96 %RX 0 retrans 0.10 msRTT",
        "[9824.2054-Mbps 96% RX 58% TX 0.10ms RTT 0retrans",
    ],
)
def test_every_spelling_gives_the_same_figures(reading_of, line):
    reading = reading_of(line + "\n")
    columns = ["throughput_bps", "cpu_sender_fraction", "cpu_receiver_fraction", "retransmits", "rtt_s"]
    assert reading.runs[columns].to_numpy().tolist() == [[9824205400.0, 0.58, 0.96, 0, 0.0001]]
    assert reading.problems.empty


def test_the_label_distinguishes_copies_from_tests(reading_of):
    reading = reading_of(
        f"Results of nuttscp\n— Get: 1.0000 Mbps {FIELDS}\n— TX: 2.0000 Mbps {FIELDS}\n3.0000 Mbps {FIELDS}\n"
        f"Now with nuttcp\n4.0000 Mbps {FIELDS}\n"
    )
    assert reading.runs.tool.tolist() == ["nuttscp", "nuttcp", "nuttscp", "nuttcp"]
    assert reading.runs.protocol.tolist() == ["file", "tcp", "file", "tcp"]
    assert reading.runs.direction.fillna("").tolist() == ["receive", "send", "", ""]


def test_a_gigabyte_in_a_heading_is_2_to_the_30(reading_of):
    reading = reading_of(f"One 64-GB file copy\n— File copy: 9548.0962 Mbps {FIELDS}\n(completed in 57.58 seconds)\n")
    assert reading.runs.bytes.tolist() == [68719476736]
    assert reading.runs.duration_s.tolist() == [57.58]
    assert reading.runs.line_last.tolist() == [3]
    assert reading.problems.empty


def test_a_duration_that_contradicts_the_rate_is_a_problem(reading_of, problem_lines):
    reading = reading_of(f"One 64-GB file copy\n— File copy: 9548.0962 Mbps {FIELDS}\n(completed in 75.58 seconds)\n")
    assert problem_lines(reading) == [
        (
            "a.log:3: inconsistent: found a rate of 9.5481e+09 bit/s, expected 7.27383e+09 bit/s from 68719476736 "
            "bytes in 75.58 s; left out"
        )
    ]


def test_a_heading_of_a_test_ends_with_its_result_its_total_or_the_next_heading(reading_of):
    reading = reading_of(
        f"10 second test:\n1.0000 Mbps {FIELDS}\n2.0000 Mbps {FIELDS}\n"
        f"60 Second Receive Test\nn2: 3.0000 Mbps {FIELDS}\nn3: 4.0000 Mbps {FIELDS}\n"
        f"Aggregate throughput: 7.0000 Mbps\nn2: 5.0000 Mbps {FIELDS}\n"
    )
    assert reading.runs.duration_s.fillna(0).tolist() == [10, 0, 60, 60, 0]
    assert reading.runs.direction.fillna("").tolist() == ["", "", "receive", "receive", ""]


def test_the_stated_number_of_streams_is_read(samples):
    reading = read(samples / "nuttscp" / "two-streams.txt")
    assert reading.runs.streams.tolist() == [2, 2]
    assert reading.runs.duration_s.tolist() == [10, 10]
    assert reading.streams.retransmits.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("total", "problems"),
    [
        ("Aggregate throughput: 3.0000 Mbps", []),
        ("— Aggregate throughput:\n3.0000 Mbps (90% of maximum)", []),
        ("Aggregate TX throughput: 1.0000 Mbps\nAggregate RX throughput: 2.0000 Mbps", []),
        ("Total aggregate throughput: 3 Mbps", []),
        (
            "Aggregate throughput: 3.1000 Mbps",
            [
                (
                    "a.log:3: inconsistent: found an aggregate of 3.1 Mbps, expected a sum of the runs above it, "
                    "nearest 3 Mbps"
                )
            ],
        ),
    ],
)
def test_a_total_is_compared_but_is_not_a_run(reading_of, problem_lines, total, problems):
    reading = reading_of(f"n2tx: 1.0000 Mbps {FIELDS}\nn2rx: 2.0000 Mbps {FIELDS}\n{total}\n")
    assert len(reading.runs) == 2
    assert problem_lines(reading) == problems


def test_rates_in_prose_are_not_results(reading_of):
    reading = reading_of("More than 9824.2054 Mbps were reached at 58 % of one core.\nAggregate throughput: 7 Mbps\n")
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
    assert pd.isna(reading.problems.line[0])
