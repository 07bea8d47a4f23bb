"""xdd: one run per invocation, from tables of all versions and from CSV."""

from hecn_analysis.logs import read

COLUMNS = ["direction", "bytes", "duration_s", "throughput_bps", "streams", "error", "tool_version"]


def shown(reading):
    frame = reading.runs[COLUMNS]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_the_combined_line_is_the_run_and_the_averages_are_its_streams(samples):
    reading = read(samples / "xdd" / "text-7.txt")
    assert shown(reading) == [["read", 8 << 30, 5.0, 1717.987 * 8e6, 2, False, "7.0.0.rc27"]]
    assert reading.streams[["stream", "bytes", "duration_s", "throughput_bps", "line"]].to_numpy().tolist() == [
        [0, 4 << 30, 4.0, 1073.742 * 8e6, 9],
        [1, 4 << 30, 5.0, 858.993 * 8e6, 10],
    ]
    assert (reading.runs.line_first[0], reading.runs.line_last[0]) == (2, 12)
    assert reading.problems.empty


def test_comma_separated_values_of_a_run_with_errors(samples, problem_lines):
    reading = read(samples / "xdd" / "values-7.txt")
    assert shown(reading) == [["write", 4 << 30, 4.0, 1073.742 * 8e6, None, True, None]]
    assert problem_lines(reading) == [
        "values-7.txt:4: aborted: found 'This run terminated with errors', expected 'This run terminated normally'"
    ]


def test_an_old_table_takes_its_direction_from_the_command_line(samples):
    reading = read(samples / "xdd" / "text-6.txt")
    assert shown(reading) == [["write", 4 << 30, 10.0, 429.497 * 8e6, 1, False, None]]
    assert reading.problems.empty


def test_without_the_combined_line_the_targets_are_runs(samples, reading_of, problem_lines):
    text = (samples / "xdd" / "text-7.txt").read_text().splitlines(keepends=True)
    reading = reading_of("".join(text[:10]))
    assert reading.runs.label.tolist() == ["target 0", "target 1"]
    assert reading.runs.throughput_bps.tolist() == [1073.742 * 8e6, 858.993 * 8e6]
    assert problem_lines(reading) == [
        "a.log:10: truncated: found no line COMBINED, expected one after the targets; 2 of theirs taken"
    ]


def test_a_line_with_fewer_values_than_the_heading(samples, reading_of, problem_lines):
    text = (samples / "xdd" / "values-7.txt").read_text().splitlines()
    reading = reading_of("\n".join([*text[:2], text[2].rpartition(",")[0]]) + "\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:3: malformed: found 11 values, expected 12 (Pass, Target, Queue, Bytes_Xfered, Ops, Elapsed, …); "
            "no run made of them"
        )
    ]


def test_figures_that_xdd_could_not_compute_are_missing(samples, reading_of):
    text = (samples / "xdd" / "values-7.txt").read_text().replace("1073.742", "-1.000").replace("   write", "     N/A")
    reading = reading_of(text)
    assert shown(reading) == [[None, 4 << 30, 4.0, None, None, True, None]]


def test_an_impossible_stream_is_left_out(samples, reading_of, problem_lines):
    text = (samples / "xdd" / "text-7.txt").read_text().replace("4294967296", "9" * 30, 3)
    reading = reading_of(text)
    assert reading.streams.bytes.fillna(0).tolist() == [0, 4 << 30]
    assert reading.streams.throughput_bps.tolist() == [1073.742 * 8e6, 858.993 * 8e6]
    assert problem_lines(reading) == [
        (
            "a.log:9: inconsistent: bytes: found 1000000000000000019884624838656, "
            "expected a whole number of at least 0; left out"
        )
    ]
