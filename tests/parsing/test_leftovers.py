"""Lines that look like results and were taken by no reader."""

from __future__ import annotations

import pytest

from hecn_analysis.files.source import Lines
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.logs.registry import read
from hecn_analysis.logs.second_reading import read_again
from hecn_analysis.parsing.leftovers import figures, leftovers

RESULTS = {
    "8192000 bytes in 0.03 seconds = 2341.91 Mbit/sec": {"2341.91"},
    "0.00-239.51 sec 22.0 GBytes 788 Mbits/sec receiver": {"788"},
    "default-1.fio:  read:  IOPS=3968k,  BW=15.1GiB/s": {"15.1"},
    "aggregate throughput = 512 in 10 threads": {"512"},
    "transferred 5 GiB in 3,2 s: 1.600,5 MiB/s": {"1.600,5"},
    "10 s: 70050/77741 (90%) lost": {""},
}
OTHERS = (
    "* Up to 3,000MB/s Read, 1,050MB/s Write in 5 s",  # an item of a list
    "4KB randwrite |     15MB/s        |      100MB/s",  # a table of the author's
    "So that was 94.9 Mbits/sec in 10 s, which is what the line can do",  # a sentence
    "Speed: Up to 480 Mb/s",  # a rate alone
    "Jobs: 5 (f=5): [r=195MiB/s][r=48.7k IOPS][eta 01m:31s]",  # a state on its way
    "Time used: 25.4 s, CPU: 127.8%, Memory: 1742.7 MiB",  # no rate
    "> 130-180k random 4kB writes, ~4GB/s in 10 s",  # about this much
    "<div>64 bytes in 3 s at 5 MB/s</div>",
)


@pytest.mark.parametrize(("line", "digits"), RESULTS.items())
def test_a_result_is_known_by_its_figures(line: str, digits: set[str]) -> None:
    assert figures(line) == digits


@pytest.mark.parametrize("line", OTHERS)
def test_other_lines_are_no_results(line: str) -> None:
    assert figures(line) == set()


def test_neighbours_are_one_block_and_what_was_read_is_not_left() -> None:
    texts = ("1 GB in 2 s: 4 MB/s", "1 GB in 2 s: 5 MB/s", "", "", "", "1 GB in 2 s: 6 MB/s", "1 GB in 2 s: 7 MB/s")
    left = list(leftovers(texts, range(1, 8), {7}))
    assert [(each.line, each.lines) for each in left] == [(1, 2), (6, 1)]
    assert left[0].message == (
        "found '1 GB in 2 s: 4 MB/s' and 1 more such line, expected a result in a form that a reader knows; not read"
    )
    assert not list(leftovers(("1 GB in 2 s: 4 MB/s", "mean of 1 GB in 2 s: 4 MB/s"), (1, 2), {1}))


def test_a_log_names_what_no_reader_took() -> None:
    text = "1000000 bytes (1.0 MB) copied, 0.5 s, 2.0 MB/s\n\n8192000 bytes in 0.03 seconds = 2341.91 Mbit/sec\n"
    findings = RunFindings("a.txt")
    read(Lines.of(text), findings)
    found = read_again(findings, Lines.of(text))
    assert [(problem["line"], problem["kind"]) for problem in found.problems] == [(3, "unrecognised")]


def test_a_unit_in_a_label_makes_its_figure_a_result():
    for line in ("    read, MiB/s:                  6.50", "Average rate (Mb/s): 940.1", "Write MB/s = 12,5"):
        assert figures(line), line
    for line in ("Limit of the policy, in MB/s: see below", "Speed: 1000Mb/s", "maximal 10 Gb/s: 3 ports of 8"):
        assert not figures(line), line
