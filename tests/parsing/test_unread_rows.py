"""Rows of tables that a reader left out among those that it took."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.inventory import read_inventory
from hecn_analysis.parsing.unread_rows import Unread

ROW = re.compile(r"(?P<name>[a-z]{2,8}\d?) +(?P<size>\d{1,9}) +(?P<rate>\d{1,9}\.\d)$")


def sizes(lines: Mapping[int, str]) -> object:
    """Sizes by the names of the rows; the last row of a name counts."""
    return {row["name"]: (row["size"], row["rate"]) for line in lines.values() if (row := ROW.match(line))}


def numbered(*lines: str) -> dict[int, str]:
    return dict(enumerate(lines, 11))


def rows(*lines: str, named: frozenset[int] = frozenset()) -> list[tuple[int, int]]:
    return [(left.line, left.lines) for left in Unread(numbered(*lines), sizes, named).rows()]


def test_a_row_in_another_form_is_left() -> None:
    lines = ("sda 12 1.5", "sdb 12 G 1.5", "sdc 13 1.5")
    assert rows(*lines) == [(12, 1)]
    assert [left.message for left in Unread(numbered(*lines), sizes).rows()] == [
        "found 'sdb 12 G 1.5', expected a row like those beside it; not read"
    ]


def test_rows_that_were_left_out_together_are_one() -> None:
    assert rows("sda 12 1.5", "sdb 12 1", "sdc 13 2", "sdd 1 1.5", "", "sde 1 1.5", "sdf 2,1 1.5") == [(12, 2), (17, 1)]


@pytest.mark.parametrize(
    "lines",
    [
        ("sda 12 1.5", "sdb 13 1.5", "sdc 15 1.5"),  # all are taken
        ("sda 12 1.5", "that is 12 of them", "the rest of 13 words says"),  # words below
        ("sda 12 1.5", "Rate of the drives: 12 1.5"),  # a label
        ("row 0 1 2", "sda 12 1.5"),  # numbers of columns
        ("sda 12 1.5", "sda1 12,0 1.5", "sdap2 1,2 1.5"),  # parts of a disk that was taken
        ("sda 12 1.5", "sdb 13 1.5", "", "sda 15 1.5", "sdb 18 1.5"),  # a later report replaces the first
        ("12 12,5 G", "14 15,6 G"),  # nothing like it was taken
    ],
)
def test_no_row_is_left(lines: tuple[str, ...]) -> None:
    assert rows(*lines) == []


def test_a_row_that_a_problem_names_is_not_named_again() -> None:
    assert rows("sda 12 1.5", "sdb 12 G 1.5", named=frozenset({12})) == []


def test_a_long_output_is_not_compared() -> None:
    assert rows(*["sda 12 1.5", "sdb 12 G 1.5"] * 250) == []


def test_labels_that_the_reader_knows() -> None:
    def rate(lines: Mapping[int, str]) -> object:
        return [line for line in lines.values() if re.match(r"Rate: \d{1,5} rpm$", line)]

    def left(*lines: str) -> list[str]:
        return [each.message for each in Unread(numbered(*lines), rate).labels({"Rate"})]

    assert left("Rate: 7200 U/min") == [
        "found 'Rate: 7200 U/min', expected a value of 'Rate' that the reader knows; not read"
    ]
    assert left("Rate: 7200 rpm") == left("Speed: 7200 U/min") == left("Rate: fast") == []
    assert left("Rate: 7200 rpm", "Rate: 7200 U/min") == []  # the first counts


def test_a_row_of_a_captured_table_is_named(tmp_path) -> None:
    path = tmp_path / "arrays.txt"
    path.write_text(
        "# mdadm --detail /dev/md7\n/dev/md7:\n        Raid Level : raid1\n      Raid Devices : 2\n\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       8        1        0      active sync   /dev/sda1\n"
        "       1       8       17        1  ?   active sync   /dev/sdb1\n"
    )
    inventory = read_inventory(path)
    assert [(row.line, row.kind) for row in inventory.problems.itertuples()] == [(8, "unrecognised")]


def test_a_row_of_facts_about_counters_is_named(tmp_path) -> None:
    head = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    )
    row = " 1  0      0 812345  45678 234567    0    0     7    12  101  233  3  1 95  1  0\n"
    path = tmp_path / "load.txt"
    path.write_text(head + row + row.replace("812345", "812k34") + row)
    problems = read_counters(path).problems
    assert [(each.line, each.kind) for each in problems.itertuples()] == [(4, "unrecognised")]


def test_a_row_above_the_head_of_its_table_is_named(tmp_path) -> None:
    head = "Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util\n"
    row = "sdq              1.00     64.00   20.00  81920.00    3.10  71.00\n\n"
    path = tmp_path / "busy.txt"
    path.write_text(row + head + row.replace("20.00", "21.00") + head + row.replace("20.00", "25.50"))
    problems = read_counters(path).problems
    assert problems.line.tolist() == [1]
    assert problems.message[0].endswith("81920.00    3.10  71.00', expected the head of its table above it; not read")


def test_rows_on_one_line_are_named(tmp_path) -> None:
    head = (
        "              capacity     operations     bandwidth \npool        alloc   free   read  write   read  write\n"
    )
    row = "tank        1.20T  2.40T     10     20  1.50M  2.50M"
    path = tmp_path / "pool.txt"
    path.write_text(f"{head}{row}\n{row}\n{row}            {row}\n")
    problems = read_counters(path).problems
    assert [(each.line, each.kind) for each in problems.itertuples()] == [(5, "unrecognised")]
    assert "expected no more cells than in the rows beside it" in problems.message[0]
