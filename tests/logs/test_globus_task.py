"""Tasks of Globus."""

from hecn_analysis.logs import read


def test_tasks_of_a_service(samples, column, problem_lines):
    reading = read(samples / "globus-task" / "tasks.txt")
    assert column(reading, "tool") == ["globus"] * 3
    assert column(reading, "bytes") == [1099511627776, 2 * 1099511627776, 3 * 1099511627776]
    assert column(reading, "throughput_bps") == [8 * 192337000, 8 * 201004112, None]
    assert column(reading, "error") == [False, False, True]
    assert column(reading, "label")[0] == "run42 to archive"
    assert round(column(reading, "duration_s")[0]) == 5717
    assert problem_lines(reading) == ["tasks.txt:40: aborted: found a status of FAILED, expected a task that SUCCEEDED"]


def test_tasks_in_json(samples, column, problem_lines):
    reading = read(samples / "globus-task" / "json.txt")
    assert column(reading, "bytes") == [10737418240, 5368709120, 1024]
    assert column(reading, "throughput_bps") == [8 * 178956970, 8 * 44739242, None]
    assert column(reading, "label") == ["nightly", "set 1", None]
    assert column(reading, "line_first") == [14, 26, 35]
    assert problem_lines(reading) == ["json.txt:35: aborted: found a status of FAILED, expected a task that SUCCEEDED"]


def test_a_task_that_is_cut(reading_of, problem_lines):
    reading = reading_of("Task ID:   2f1c\nStatus:    ACTIVE\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        "a.log:2: truncated: found a task without its bytes, expected 'Bytes Transferred: …'; no run made of it"
    ]


def test_bytes_that_are_no_number(reading_of, problem_lines, column):
    reading = reading_of("Task ID:   2f1c\nBytes Transferred:    many\nBytes Per Second:  12\n")
    assert column(reading, "bytes") == [None]
    assert problem_lines(reading) == ["a.log:2: malformed: found 'many', expected a number of bytes; left out"]
