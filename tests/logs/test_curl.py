"""curl's meter and variables."""

import pytest

from hecn_analysis.logs import read


def test_the_last_row_is_the_run(samples, column, problem_lines):
    reading = read(samples / "curl" / "meter.txt")
    size = round(28.6 * 2**20)
    assert column(reading, "bytes") == [size, 2**20, 3456, size, size, None, None]
    assert column(reading, "throughput_bps") == pytest.approx(
        [8 * 9.8 * 2**20, 2**24, 8 * 467 * 1024, 8 * 14.3 * 2**20, 8 * 28.6 * 2**20, None, None]
    )
    assert column(reading, "duration_s") == [2, None, None, 2, 1, None, None]
    assert column(reading, "direction") == ["receive", "receive", "receive", "send", "receive", None, None]
    assert column(reading, "error") == [False] * 5 + [True] * 2
    assert problem_lines(reading) == [
        ("meter.txt:22: aborted: found error 22, 'The requested URL returned error: 404', expected a transfer"),
        (
            "meter.txt:24: aborted: found error 7, 'Failed to connect to 192.0.2.7 port 9: Connection refused', "
            "expected a transfer"
        ),
    ]


def test_variables(samples, column, problem_lines):
    reading = read(samples / "curl" / "variables.txt")
    assert column(reading, "bytes") == [30000000, 30000000, 30000000, None]
    assert column(reading, "duration_s") == [2.001, 2.0, 4.0, 0.011]
    assert column(reading, "throughput_bps") == [8 * 14992503.0, 8 * 15e6, 8 * 7.5e6, None]
    assert column(reading, "direction") == ["receive", "receive", "send", None]
    assert column(reading, "error") == [False, False, False, True]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 9], [11, 11], [13, 13], [14, 14]]
    assert problem_lines(reading) == [
        "variables.txt:14: aborted: found error 6, 'Could not resolve host: none', expected a transfer"
    ]


HEAD = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
)


def test_a_heading_without_rows(reading_of, problem_lines):
    reading = reading_of(HEAD)
    assert reading.runs.empty
    assert problem_lines(reading) == [
        ("a.log:2: truncated: found the heading of the meter and no row, expected '100 … --:--:-- …'; no run made")
    ]


@pytest.mark.parametrize(
    ("size", "expected"),
    [("99999", 99999), ("206k", 206 * 1024), ("1.5M", 1.5 * 2**20), ("12.3G", round(12.3 * 2**30))],
)
def test_units(reading_of, column, size, expected):
    reading = reading_of(HEAD + f"100 {size}    0 {size}    0     0  3385k      0 --:--:-- --:--:-- --:--:-- 3385k\n")
    assert column(reading, "bytes") == [expected]
    assert column(reading, "throughput_bps") == [8 * 3385 * 1024]


def test_consecutive_rows_without_a_command_line_are_one_transfer(reading_of, column):
    row = "100 {0}  100 {0}    0     0   {1}      0 --:--:-- --:--:-- --:--:--  371k\n"
    reading = reading_of(HEAD + row.format("  169", " 371") + row.format("89360", "371k"))
    assert column(reading, "bytes") == [89360]
    redirected = reading_of(HEAD + row.format("89360", "371k") + row.format("  169", " 371"))
    assert column(redirected, "bytes") == [169]


def test_fetched_data_may_follow_on_the_line(reading_of, column):
    reading = reading_of(
        HEAD + '100   183    0   140  100    43  10000   3071 --:--:-- --:--:-- --:--:-- 14076{"id":3,"title":"x"}\n'
    )
    assert column(reading, "bytes") == [140]
    assert column(reading, "throughput_bps") == [80000.0]


def test_a_list_of_times_is_one_run(reading_of, column):
    reading = reading_of(
        "    time_namelookup:  0.001s\n       time_connect:  0.021s\n    time_appconnect:  0.089s\n"
        "   time_pretransfer:  0.089s\n      time_redirect:  0.000s\n time_starttransfer:  0.523s\n"
        "                    ----------\n         time_total:  0.678s\n"
    )
    assert column(reading, "duration_s") == [0.678]
    assert column(reading, "throughput_bps") == [None]


def test_a_time_before_every_line(reading_of, column):
    row = "100 2509k  100 2509k    0     0   939k      0  0:00:02  0:00:02 --:--:-- 2140k"
    lines = [f"[00:03:29] {line}\n" for line in [*HEAD.splitlines(), row]]
    assert column(reading_of("".join(lines)), "throughput_bps") == [8 * 939 * 1024]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("100   8955 100   8955   0      0   1174      0   00:07   00:07           1666", (8955, 7, 8 * 1174)),
        ("100    965 100    965   0      0   4520      0                              0", (965, None, 8 * 4520)),
        (
            "100 11.42M 100 11.42M   0      0  6.06M      0   00:01   00:01         539.8k",
            (round(11.42 * 2**20), 1, 8 * 6.06 * 2**20),
        ),
    ],
)
def test_the_meter_since_8_18_leaves_times_blank(reading_of, column, row, expected):
    reading = reading_of(
        "  % Total    % Received % Xferd  Average Speed  Time    Time    Time   Current\n"
        "                                 Dload  Upload  Total   Spent   Left   Speed\n"
        "  0      0   0      0   0      0      0      0                              0\r" + row + "\n"
    )
    names = ("bytes", "duration_s", "throughput_bps")
    assert [value for name in names for value in column(reading, name)] == pytest.approx(expected)
    assert reading.problems.empty


def test_an_empty_file_is_not_a_failure(reading_of, column):
    reading = reading_of(HEAD + "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\n")
    assert column(reading, "bytes") == [0]
    assert column(reading, "error") == [False]


def test_a_finished_row_below_another_is_the_next_transfer_and_a_wait_for_an_answer_is_not(reading_of, column):
    first = "100  512M  100  512M    0     0  20.4M      0  0:00:25  0:00:25 --:--:-- 21.0M\n"
    second = "100  512M  100  512M    0     0  9.84M      0  0:00:52  0:00:52 --:--:-- 9.90M\n"
    waits = "100  512M  100  512M    0     0  18.9M      0  0:00:27  0:00:27 --:--:--     0\n"
    assert column(reading_of(HEAD + first + "and at night\n" + second), "duration_s") == [25, 52]
    assert column(reading_of(HEAD + first + waits), "duration_s") == [27]
