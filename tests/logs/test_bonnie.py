"""bonnie++: values of all layouts, the table, and both in one log."""

import pytest

from hecn_analysis.logs import read


def shown(reading):
    columns = ["direction", "throughput_bps", "bytes", "label", "tool_version"]
    frame = reading.runs[columns]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_values(samples, problem_lines):
    reading = read(samples / "bonnie" / "values-1.txt")
    assert shown(reading) == [
        ["write", 210432 * 8192, 8 << 30, "box", None],
        ["rewrite", 98304 * 8192, 8 << 30, "box", None],
        ["read", 307200 * 8192, 8 << 30, "box", None],
        ["rewrite", 40960 * 8192, 300 << 20, "box", "1.96"],
        ["read", 81920 * 8192, 300 << 20, "box", "1.96"],
        ["write", 122880 * 8192, 8196 << 20, "box", "1.97"],
        ["rewrite", 38912 * 8192, 8196 << 20, "box", "1.97"],
        ["read", 81920 * 8192, 8196 << 20, "box", "1.97"],
    ]
    assert problem_lines(reading) == [
        (
            "values-1.txt:2: malformed: found no figure for the block write (too short to measure), expected KiB/s; "
            "no run made"
        )
    ]


def test_a_table_with_its_values_is_read_once(samples):
    reading = read(samples / "bonnie" / "text-and-values-2.txt")
    assert shown(reading) == [
        ["write", 166753 * 8192, 3 << 30, "box", "2.00a"],
        ["rewrite", 1676748 * 8192, 3 << 30, "box", "2.00a"],
        ["read", 3473819 * 8192, 3 << 30, "box", "2.00a"],
    ]
    assert reading.runs.line_first.tolist() == [8] * 3
    assert reading.runs.line_last.tolist() == [14] * 3
    assert reading.problems.empty


def test_a_table_alone(samples):
    reading = read(samples / "bonnie" / "text-1.txt")
    assert shown(reading) == [
        ["write", 210432 * 8192, 8 << 30, "box", "1.03"],
        ["rewrite", 98304 * 8192, 8 << 30, "box", "1.03"],
        ["read", 307200 * 8192, 8 << 30, "box", "1.03"],
    ]
    assert reading.problems.empty


TABLE = (
    "Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n"
    "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
    "Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
)


def test_units_of_the_table(reading_of):
    reading = reading_of(TABLE + "box          3G:256k  651k  68  163m  58  1.5g  48  876k  53  900k  61  6543 164\n")
    assert reading.runs.throughput_bps.tolist() == [163 * 8 * 2**20, 1.5 * 8 * 2**30, 900 * 8192]


def test_tables_without_character_results_with_several_rows_and_joined_names(reading_of):
    reading = reading_of(
        "".join(f"    {line}" for line in TABLE.splitlines(keepends=True))
        + "    box              8G           132035  24 56505  15           168485  25 325.7   1\n"
        "    Array (8 disks)15744M 54406  96 247419 90 100752 25 60266  98 226651 29 830.2   1\n"
    )
    assert reading.runs[["label", "throughput_bps", "line_first"]].to_numpy().tolist() == [
        ["box", 132035 * 8192, 1],
        ["box", 56505 * 8192, 1],
        ["box", 168485 * 8192, 1],
        ["Array (8 disks)", 247419 * 8192, 5],
        ["Array (8 disks)", 100752 * 8192, 5],
        ["Array (8 disks)", 226651 * 8192, 5],
    ]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TABLE, "a.log:1: truncated: found the head of a table and no results after it"),
        (
            TABLE + "box          3G  651k  68  163m  58  1.5g  48\n",
            (
                "a.log:4: malformed: found 6 values after the size, expected 12, or 8 without those per character; "
                "no run made"
            ),
        ),
        (
            "Bonnie: drastic I/O error (write(2)): No space left on device\n",
            (
                "a.log:1: aborted: found 'Bonnie: drastic I/O error (write(2)): No space left on device', "
                "expected results"
            ),
        ),
    ],
)
def test_truncated_output(reading_of, problem_lines, text, problem):
    reading = reading_of(text)
    assert reading.runs.empty
    assert problem_lines(reading) == [problem]


@pytest.mark.parametrize(
    "text",
    [
        "a," * 30 + "\n",
        "time,8," + "word," * 25 + "\n",
        ",".join(str(number) for number in range(100)) + "\n",
        "name,8G" + "," * 25 + "\n",
    ],
)
def test_other_values_are_not_read(reading_of, text):
    reading = reading_of(text)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
