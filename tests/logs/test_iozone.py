"""IOzone: tables with all columns and with some, reports, throughput mode, units."""

import pytest

from hecn_analysis.logs import read

HEADING = (
    "                                                              random    random     bkwd    record    stride\n"
    "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   "
    "fwrite frewrite    fread  freread\n"
)
ALL = [
    *("write", "rewrite", "read", "reread", "random_read", "random_write", "bkwd_read", "record_rewrite"),
    *("stride_read", "fwrite", "frewrite", "fread", "freread"),
]


def rates(reading):
    return [(row.direction, round(row.throughput_bps / 8192)) for row in reading.runs.itertuples()]


def test_a_run_per_cell_and_no_run_for_the_repeating_reports(samples):
    reading = read(samples / "iozone" / "table-and-reports.txt")
    assert reading.runs.direction.tolist() == ALL * 2
    assert reading.runs.throughput_bps[:3].tolist() == [3509816 * 8192, 7954358 * 8192, 9685316 * 8192]
    assert reading.runs.bytes.tolist() == [4 << 20] * 26
    assert reading.runs.label.tolist() == ["reclen 256"] * 13 + ["reclen 512"] * 13
    assert reading.runs.tool_version.unique().tolist() == ["3.465"]
    assert reading.runs.duration_s.isna().all()
    assert reading.problems.empty


def test_a_cell_belongs_to_the_column_above_it(samples):
    reading = read(samples / "iozone" / "some-tests.txt")
    assert rates(reading) == [
        ("write", 3787530),
        ("rewrite", 8650911),
        ("random_read", 8594649),
        ("random_write", 8234205),
    ]
    assert reading.runs.bytes.tolist() == [8 << 20] * 4


@pytest.mark.parametrize(
    ("row", "directions"),
    [
        ("          102400       4     3087     3145    10337    10376     9761     5744", ALL[:6]),
        ("          102400       4     3087     3145    10337", ALL[:3]),
        ("          102400       4                      10337    10376", ["read", "reread"]),
        ("102400 4 3087 3145", ALL[:2]),
        (
            "          102400       4" + " " * 77 + "1018" + " " * 30 + "221     305    ",
            ["stride_read", "fread", "freread"],
        ),
    ],
)
def test_rows_with_gaps(reading_of, row, directions):
    reading = reading_of(HEADING + row + "\n")
    assert reading.runs.direction.tolist() == directions
    assert reading.problems.empty


def test_reports_without_a_table(samples):
    reading = read(samples / "iozone" / "reports.txt")
    assert rates(reading) == [
        ("write", 3911800),
        ("write", 3459633),
        ("rewrite", 7683972),
        ("rewrite", 11736440),
        ("read", 10895362),
        ("read", 14838300),
        ("reread", 9100443),
        ("reread", 10209062),
    ]
    assert reading.runs.label.tolist() == ["reclen 256", "reclen 512"] * 4


def test_throughput_mode(samples):
    reading = read(samples / "iozone" / "throughput.txt")
    assert reading.runs.direction.tolist() == [
        *("write", "rewrite", "read", "reread", "random_read", "mixed", "random_write"),
    ]
    assert reading.runs.streams.tolist() == [2] * 7
    assert reading.runs.label[0] == "initial writers"
    assert reading.problems.empty


def test_throughput_of_several_hosts(reading_of):
    reading = reading_of(
        "10.0.0.11:      Children see throughput for  1 initial writers  =  302980.50 kB/sec\n"
        "node-2:         Children see throughput for  1 initial writers  =  302805.03 KB/sec\n"
    )
    assert reading.runs.throughput_bps.tolist() == [302980.5 * 8192, 302805.03 * 8192]


def test_figures_of_every_child(samples):
    reading = read(samples / "iozone" / "throughput-children.txt")
    assert reading.runs.throughput_bps.tolist() == [2903310.75 * 8192, 6154564.5 * 8192]
    assert reading.streams[["run", "stream", "bytes", "throughput_bps"]].to_numpy().tolist() == [
        [0, 0, 6784 << 10, 475370.5 * 8192],
        [0, 1, 8192 << 10, 2427940.25 * 8192],
        [1, 0, 8192 << 10, 6154564.5 * 8192],
        [1, 1, 0, 0.0],
    ]


def test_operations_are_not_rates(samples, reading_of, problem_lines):
    reading = read(samples / "iozone" / "operations.txt")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "operations.txt:12: unit: found 'OPS Mode. Output is in operations per second.', expected kBytes/sec; "
            "no runs are made"
        )
    ]
    assert problem_lines(
        reading_of('$ ./iozone -i 0 -O -Rb a.xls\n"Writer report"\n        "4"\n"1048576"   2102 \n')
    ) == ["a.log:2: unit: found -O or -N in the command line, expected kB/sec; no runs are made"]
    assert problem_lines(reading_of("\tChildren see throughput for  2 readers \t\t=  100.00 ops/sec\n")) == [
        "a.log:1: unit: found a rate in ops/sec, expected kB/sec; no run is made"
    ]


@pytest.mark.parametrize(
    ("text", "runs", "problems"),
    [
        (
            HEADING + "          102400       4     3087     3145    10",
            2,
            [
                (
                    "a.log:3: truncated: found the end of the file inside a row, expected a line feed; its last cell "
                    "is left out"
                )
            ],
        ),
        (
            HEADING + "          102400       4" + "     3087" * 14 + "\n",
            0,
            ["a.log:3: malformed: found 14 cells, expected at most 13 as the heading has; no runs made"],
        ),
        (
            "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.465 $\n",
            0,
            ["a.log:1: truncated: found the head of a test and no results after it"],
        ),
        (
            HEADING + "          102400       4     3087     3145    10337\n   674   26724    45514     8491\n",
            3,
            ["a.log:4: malformed: found a record of 26724 kB in a file of 674 kB, expected no more; no runs made"],
        ),
        (
            "\tIozone: Performance Test of File I/O\n\niozone: interrupted\n",
            0,
            ["a.log:3: aborted: found 'iozone: interrupted', expected results"],
        ),
    ],
)
def test_truncated_output(reading_of, problem_lines, text, runs, problems):
    reading = reading_of(text)
    assert len(reading.runs) == runs
    assert problem_lines(reading) == problems
