"""hdparm: its timing lines of all kinds and units."""

import pytest

from hecn_analysis.logs import read

MIB = 1 << 20


def test_a_run_per_line(samples):
    reading = read(samples / "hdparm" / "hdparm-9.txt")
    assert reading.runs[["label", "bytes", "duration_s", "throughput_bps"]].to_numpy().tolist() == [
        ["cached reads", 22820 * MIB, 1.99, 11461.76 * 8 * MIB],
        ["buffered disk reads", 300 * MIB, 2.23, 134.64 * 8 * MIB],
        ["O_DIRECT disk reads", 300 * MIB, 0.29, 1038.9 * 8 * MIB],
    ]
    assert reading.runs.direction.tolist() == ["read"] * 3
    assert reading.problems.empty


def test_old_words_slow_disks_offsets_and_errors(samples, problem_lines):
    reading = read(samples / "hdparm" / "others.txt")
    assert reading.runs.label.tolist() == [
        "buffer-cache reads",
        "buffered disk reads",
        "buffered disk reads",
        "buffered disk reads (offset 100 GB)",
        "buffered disk reads",
    ]
    assert reading.runs.throughput_bps[:4].tolist() == [512 * 8 * MIB, 32 * 8 * MIB, 512 * 8192, 100 * 8 * MIB]
    assert reading.runs.error.tolist() == [False] * 4 + [True]
    assert problem_lines(reading) == [
        (
            "others.txt:9: aborted: found 'read() failed: Input/output error', expected "
            "'… MB in … seconds = … MB/sec'; a run without them"
        )
    ]


@pytest.mark.parametrize("mark", ["", "> "])
def test_a_wrapped_line_is_joined(reading_of, mark):
    reading = reading_of(
        f"{mark}/dev/md0:\n{mark}\tTiming buffer-cache reads:   128 MB in  0.96 seconds =133.33\n{mark}MB/sec\n"
        f"{mark}\tTiming buffered disk reads:  64 MB in  3.05 seconds =\n{mark}20.98 MB/sec\n"
    )
    assert reading.runs.throughput_bps.tolist() == [133.33 * 8 * MIB, 20.98 * 8 * MIB]
    assert reading.runs.line_last.tolist() == [3, 5]
    assert reading.problems.empty


def test_a_wrapped_line_without_its_end_is_a_problem(reading_of, problem_lines):
    for rest in ("", "and so on\n"):
        assert problem_lines(reading_of(" Timing buffered disk reads:  64 MB in  3.05 seconds =\n" + rest)) == [
            "a.log:1: truncated: found '64 MB in  3.05 seconds =', expected '… MB in … seconds = … MB/sec'; no run made"
        ]


def test_busybox_counts_kilobytes(reading_of):
    reading = reading_of(
        "/dev/sda:\n Timing buffer-cache reads:    512 MB in 0.50 seconds = 1040254 kB/s\n"
        " Timing buffered disk reads:    64 MB in 0.37 seconds = 173154 kB/s\n"
    )
    assert reading.runs.throughput_bps.tolist() == [1040254 * 8192, 173154 * 8192]
    assert reading.problems.empty


@pytest.mark.parametrize(
    "text",
    [
        "hdparm -t prints Timing buffered disk reads: and a rate\n",
        "Timing buffered disk reads: 420 to 850 MB/s\n",
        "| `hdparm -t /dev/sda` | Timing buffered disk reads: `~420 MB/s` |\n",
    ],
)
def test_prose_is_not_read(reading_of, text):
    assert reading_of(text).problems.kind.tolist() == ["unrecognised"]


def test_contradictory_or_truncated_figures(reading_of, problem_lines):
    reading = reading_of(
        " Timing buffered disk reads: 300 MB in  3.00 seconds = 900.00 MB/sec\n"
        " Timing buffered disk reads: 300 MB in  3."
    )
    assert len(reading.runs) == 1
    assert problem_lines(reading) == [
        (
            "a.log:1: inconsistent: found a rate of 7.54975e+09 bit/s, expected 8.38861e+08 bit/s from 314572800 bytes "
            "in 3 s; left out"
        ),
        "a.log:2: truncated: found '300 MB in  3.', expected '… MB in … seconds = … MB/sec'; no run made",
    ]
