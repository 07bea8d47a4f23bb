"""dd of every kind of system and in other languages."""

import os
import subprocess

import pytest

from hecn_analysis.logs import read

RECORDS = "64+0 records in\n64+0 records out\n"


def test_the_rate_is_computed_because_the_printed_one_is_rounded(reading_of):
    reading = reading_of(RECORDS + "68719476736 bytes (69 GB) copied, 25.8791 s, 2.7 GB/s\n")
    assert reading.runs.throughput_bps.tolist() == [8 * 68719476736 / 25.8791]
    assert reading.runs.bytes.tolist() == [68719476736]
    assert (reading.runs.line_first[0], reading.runs.line_last[0]) == (1, 3)


def test_the_rate_printed_by_bsd_is_read(samples):
    reading = read(samples / "dd" / "bsd.txt")
    assert reading.runs.throughput_bps.tolist() == [8 * 2095919672, 8 * 536037374]
    assert reading.runs.direction.tolist() == ["write", "read"]
    assert reading.intervals[["run", "t_end_s", "bytes"]].to_numpy().tolist() == [[1, 1.002, 536870912]]


def test_k_is_1024_on_systems_that_use_it(samples):
    reading = read(samples / "dd" / "small-systems.txt")
    assert reading.runs.throughput_bps.tolist() == pytest.approx([8 * 67108864 / 0.412055, 8 * 67108864 / 0.102])
    assert reading.problems.empty


def test_old_wordings(samples):
    reading = read(samples / "dd" / "old-gnu.txt")
    assert reading.runs.duration_s.tolist() == [0.6, 0.599871]
    assert reading.problems.empty


def test_other_languages_and_decimal_commas(samples):
    reading = read(samples / "dd" / "languages.txt")
    assert reading.runs.bytes.tolist() == [2147483648] * 6
    assert reading.runs.duration_s.tolist() == [1.92731] * 6
    assert reading.problems.empty


def test_marks_in_front_and_labels(samples):
    reading = read(samples / "dd" / "marked.txt")
    assert reading.runs.label.fillna("").tolist() == ["", "Read", "Write"]
    assert reading.runs.direction.fillna("").tolist() == ["", "read", "write"]


@pytest.mark.parametrize(
    ("command", "direction"),
    [
        ("dd if=/dev/sda of=/dev/null bs=1M", "read"),
        ("sudo dd if=/dev/zero of=file bs=1M conv=fsync", "write"),
        ("dd if=/dev/urandom of=file", "write"),
        ("dd if=/dev/zero of=/dev/null", None),
        ("dd if=one of=other", None),
        ("cat /dev/null", None),
    ],
)
def test_the_command_line_gives_the_direction(reading_of, command, direction):
    reading = reading_of(f"$ {command}\n{RECORDS}67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n")
    assert reading.runs.direction.fillna("").tolist() == [direction or ""]


def test_progress_between_carriage_returns_is_intervals(reading_of):
    reading = reading_of(
        "\r100000000 bytes (100 MB, 95 MiB) copied, 1 s, 100 MB/s"
        "\r300000000 bytes (300 MB, 286 MiB) copied, 2 s, 150 MB/s\n"
        "400+0 records in\n400+0 records out\n400000000 bytes (400 MB, 381 MiB) copied, 2.5 s, 160 MB/s\n"
    )
    assert reading.intervals[["line", "t_start_s", "t_end_s", "bytes", "throughput_bps"]].to_numpy().tolist() == [
        [1, 0, 1, 100000000, 8e8],
        [1, 1, 2, 200000000, 1.6e9],
    ]
    assert reading.runs.bytes.tolist() == [400000000]
    assert reading.problems.empty


def test_errors(samples, problem_lines):
    reading = read(samples / "dd" / "errors.txt")
    assert reading.runs.error.tolist() == [True, True, False]
    assert reading.runs.bytes.fillna(-1).tolist() == [104857600, -1, 512]
    assert problem_lines(reading) == [
        (
            "errors.txt:2: aborted: found \"error writing '/mnt/small/file': No space left on device\", "
            "expected the report of a copy"
        ),
        (
            "errors.txt:7: aborted: found \"failed to open 'nothing': No such file or directory\", "
            "expected the report of a copy"
        ),
    ]


@pytest.mark.parametrize(
    ("report", "problems", "rate"),
    [
        (
            "1000000 bytes (1.0 MB, 977 KiB) copied, 1 s, 2.0 MB/s",
            [
                (
                    "a.log:3: inconsistent: found a rate of 1.6e+07 bit/s, expected 8e+06 bit/s from 1000000 bytes "
                    "in 1 s; the latter is kept"
                )
            ],
            [8e6],
        ),
        ("0 bytes copied, 0.0001 s, 0.0 kB/s", [], [0.0]),
        ("1000000 bytes (1.0 MB) copied, 0 s, Infinity B/s", [], [None]),
        ("1048576 bytes transferred in 0.000 secs (2147483647 bytes/sec)", [], [8 * 2147483647]),
        (
            "1000000 bytes (1.0 MB) moved swiftly in 1 s",
            [
                (
                    "a.log:3: malformed: found '1000000 bytes (1.0 MB) moved swiftly in 1 s', expected "
                    "'… bytes … copied, … s, … B/s'; no run made of it"
                )
            ],
            [],
        ),
    ],
)
def test_contradictory_or_missing_figures(reading_of, problem_lines, report, problems, rate):
    reading = reading_of(f"{RECORDS}{report}\n")
    assert problem_lines(reading) == problems
    assert reading.runs.throughput_bps.astype(object).where(reading.runs.throughput_bps.notna(), None).tolist() == rate


def test_a_truncated_report(reading_of, problem_lines):
    reading = reading_of(RECORDS + "68719476736 bytes (69 GB) copied, 25.87")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:3: truncated: found '68719476736 bytes (69 GB) copied, 25.87', expected "
            "'… bytes … copied, … s, … B/s'; no run made of it"
        )
    ]


def test_records_without_a_report(reading_of, problem_lines):
    assert problem_lines(reading_of(RECORDS)) == [
        (
            "a.log:2: truncated: found the records in and out and no report, expected '… bytes … copied, … s, … B/s'; "
            "no run made"
        )
    ]


def test_kernel_messages_between_the_records_are_ignored(reading_of):
    reading = reading_of(
        "2+0 records in\n[  518.3] device: a line of the kernel\n2+0 records out\n[  518.4] device: another\n"
        "2048 bytes (2.0KB) copied, 0.039027 seconds, 51.2KB/s\n"
    )
    assert reading.runs.bytes.tolist() == [2048]
    assert (reading.runs.line_first[0], reading.runs.line_last[0]) == (1, 5)


def test_a_wrapped_report_is_joined(reading_of):
    reading = reading_of(
        "> 100+0 records in\n> 100+0 records out\n> 104857600 bytes (105\n> MB, 100 MiB) copied, 16.1961 s, 6.5 MB/s\n"
    )
    assert reading.runs.bytes.tolist() == [104857600]
    assert reading.runs.throughput_bps.tolist() == pytest.approx([8 * 104857600 / 16.1961])
    assert reading.problems.empty


@pytest.mark.parametrize(
    "text",
    [
        "MB, 100 MiB) copied, 16.1961 s, 6.5 MB/s\n",
        "dd104857600 bytes (105 MB, 100 MiB) copied, 16.1961 s, 6.5 MB/s\n",
        'write(2, "10485760 bytes (10 MB, 10 MiB) c"..., 60\nMB, 10 MiB) copied, 0.1 s, 99 MB/s) = 60\n',
    ],
)
def test_a_size_in_brackets_is_not_a_number_of_bytes(reading_of, text):
    assert reading_of("1+0 records in\n1+0 records out\n" + text).runs.empty


def test_a_wrapped_report_without_its_end_is_a_problem(reading_of, problem_lines):
    reading = reading_of("1+0 records in\n1+0 records out\n104857600 bytes (105\nand more\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        "a.log:3: malformed: found '104857600 bytes (105', expected '… bytes … copied, … s, … B/s'; no run made of it"
    ]


def test_two_copies_that_write_to_one_line(reading_of):
    reading = reading_of(
        "1+0 records in\n1+0 records out\n10240 bytes (10 kB, 10 KiB) copied, 10.0038 s, 1.0 kB/s1+0 records in\n"
        "1+0 records out\n\n10240 bytes (10 kB, 10 KiB) copied, 9.23076 s, 1.1 kB/s\n"
    )
    assert reading.runs.duration_s.tolist() == [10.0038, 9.23076]


@pytest.mark.parametrize("between", ["", "and then:\n\n", "a\nb\nc\n"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "10240 bytes (10 kB, 10 KiB) copied, 10.0134 s, 1.0 kB/s",
            "10240 bytes (10 kB, 10 KiB) copied, 10.0135 s, 1.0 kB/s",
        ),
        (
            "4096 bytes (4.1 kB, 4.0 KiB) copied, 18.0181 s, 227 B/s",
            "4096 bytes (4.1 kB, 4.0 KiB) copied, 18.2323 s, 225 B/s",
        ),
    ],
)
def test_consecutive_results_are_not_progress(reading_of, one, other, between):
    assert len(reading_of(f"{one}\n{between}{other}\n").runs) == 2


@pytest.mark.parametrize(
    "text",
    [
        "100+0\u00a0enregistrements lus\n104857600\u00a0octets (105 MB, 100 MiB) copiés, 0,0512 s, 2,0 GB/s\n",
        "100+0 zapisa primljeno\n104857600 bajtova je kopirano, 0,0512 s, 2,0 GB/s\n",
        "100+0 kiírt rekord\n104857600 bájt (105 MB) átmásolva, 0,0512 mp, 2,0 GB/mp\n",
        "skopiowane 104857600 bajtów (105 MB), 0,0512 s, 2,0 GB/s\n",
        "複製了 104857600 位元組 (105 MB)，0.0512 秒，2.0 GB/秒\n",
    ],
)
def test_blanks_units_and_verbs_of_other_languages(reading_of, text):
    reading = reading_of(text)
    assert reading.runs.bytes.tolist() == [104857600]
    assert reading.runs.duration_s.tolist() == [0.0512]
    assert reading.runs.label.isna().all()


def test_a_live_run(reading_of):
    done = subprocess.run(
        ["dd", "if=/dev/zero", "of=/dev/null", "bs=64K", "count=1000"],
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    reading = reading_of(done.stderr)
    assert reading.runs.bytes.tolist() == [65536000]
    assert reading.problems.empty


def test_a_cell_of_a_table_is_a_label(reading_of):
    reading = reading_of("| copy | `104857600 bytes (105 MB, 100 MiB) copied, 0.0512 s, 2.0 GB/s` |\n")
    assert reading.runs.label.tolist() == ["copy"]
