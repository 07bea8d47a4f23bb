"""IOR: rows of all layouts, stonewalled amounts, summaries, CSV and JSON."""

from hecn_analysis.logs import read

MIB = 1 << 20
COLUMNS = ["direction", "duration_s", "throughput_bps", "streams"]
HEADING = "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
TITLE = "IOR-3.2.1: MPI Coordinated Test of Parallel I/O\n"


def shown(reading, columns=COLUMNS):
    frame = reading.runs[columns]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_seven_figures_a_row_and_repetitions(samples):
    reading = read(samples / "ior" / "text-3.0.txt")
    assert shown(reading) == [
        ["write", 5.0, 1638.4 * 8 * MIB, 8],
        ["read", 2.0, 4096 * 8 * MIB, 8],
        ["write", 8.0, 1024 * 8 * MIB, 8],
        ["read", 3.0, 2730.67 * 8 * MIB, 8],
    ]
    assert reading.runs.bytes.isna().all()
    assert reading.runs.tool_version.tolist() == ["3.0.1"] * 4
    assert reading.runs.line_first.tolist() == [22, 23, 25, 26]
    assert reading.problems.empty


def test_nine_figures_a_row_and_the_bytes_of_a_warning(samples):
    reading = read(samples / "ior" / "text-4.txt")
    assert shown(reading) == [["write", 32.0, 7680 * 8 * MIB, 16], ["read", 25.6, 9600 * 8 * MIB, 16]]
    assert reading.runs.bytes.fillna(0).tolist() == [257698037760, 0]
    assert reading.problems.empty


def test_rows_of_2_10(samples):
    reading = read(samples / "ior" / "text-2.txt")
    assert shown(reading) == [["write", 8.0, 512 * 8 * MIB, 4], ["read", 4.0, 1024 * 8 * MIB, 4]]
    assert reading.problems.empty


def test_a_summary_without_rows_is_read(samples):
    reading = read(samples / "ior" / "summary-2.txt")
    assert shown(reading) == [["write", 9.06667, 455.11 * 8 * MIB, 4], ["read", 4.53333, 910.22 * 8 * MIB, 4]]
    assert reading.problems.empty


def test_comma_separated_values(samples):
    reading = read(samples / "ior" / "values-4.txt")
    assert shown(reading) == [["write", 5.0, 1638.4 * 8 * MIB, 8], ["read", 2.0, 4096 * 8 * MIB, 8]]


def test_json(samples):
    reading = read(samples / "ior" / "json-3.3.txt")
    assert shown(reading) == [
        ["write", 5.0, 1638.4 * 8 * MIB, 8],
        ["read", 2.0, 4096 * 8 * MIB, 8],
        ["write", 8.0, 1024 * 8 * MIB, 8],
    ]
    assert reading.runs.tool_version.tolist() == ["3.3.0"] * 3
    assert reading.problems.empty


def test_malformed_json(reading_of):
    tests = '[{"Results": 5}, 3, {"Results": [{"access": "read"}]}, {"Options": {"tasks": 2, "Results": [{}]}}]'
    reading = reading_of(f'{{"Version": 1, "Began": "", "tests": {tests}}}')
    assert shown(reading) == [["read", None, None, None]]


def test_an_error(samples, problem_lines):
    reading = read(samples / "ior" / "error.txt")
    assert reading.runs.error.tolist() == [True]
    assert problem_lines(reading) == [
        (
            'error.txt:15: aborted: found \'open64("/nowhere/file", 66, 0664) failed. Error: '
            "No such file or directory, (aiori-POSIX.c:510)', expected a row of results"
        )
    ]


def test_unreadable_output(reading_of, problem_lines):
    reading = reading_of(
        TITLE
        + HEADING
        + "write     91.52      204800     20480      0.554965   1.52       34.82      34.97      0   \n"
        "read      inf        204800     20480      0.554965   1.52       34.82      0.000000   0   \n"
        "read      91.52      204800     20480\n"
    )
    assert shown(reading) == [["write", 34.97, 91.52 * 8 * MIB, None], ["read", 0.0, None, None]]
    assert problem_lines(reading) == [
        (
            "a.log:5: malformed: found 'read      91.52      204800     20480', expected a row of 8 figures; "
            "no run made of it"
        )
    ]


def test_a_rate_that_contradicts_the_bytes_moved(reading_of, problem_lines):
    reading = reading_of(
        TITLE + HEADING + "WARNING: Using actual aggregate bytes moved = 1048576.\n"
        "write     512.00     204800     20480      0.554965   1.52       34.82      2.00       0   \n"
    )
    assert reading.runs.bytes.tolist() == [MIB]
    assert problem_lines(reading) == [
        (
            "a.log:4: inconsistent: found a rate of 4.29497e+09 bit/s, expected 4.1943e+06 bit/s from 1048576 bytes "
            "in 2 s; left out"
        )
    ]


def test_a_heading_without_rows(reading_of, problem_lines):
    assert problem_lines(reading_of(TITLE + "Options: \napi                 : POSIX\n")) == [
        "a.log:3: truncated: found the head of a test and no row of results after it"
    ]


def test_prose_after_the_end_is_not_a_row(reading_of):
    reading = reading_of(
        TITLE
        + HEADING
        + "write     91.52      204800     20480      0.554965   1.52       34.82      34.97      0   \n"
        "Finished            : Fri May  3 10:52:38 2019\nread 5 more files\n"
    )
    assert len(reading.runs) == 1
    assert reading.problems.empty
