"""nttcp with and without titles, verbose and not."""

import pytest

from hecn_analysis.logs import read

ROWS = (
    "l  8388608    0.75    0.01     89.4785   6710.8864    2048   2730.67  204800.0\n"
    "1  8388608    0.76    0.04     88.3011   1677.7216    5794   7623.68  144850.0\n"
)


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_the_receivers_rate_is_the_throughput(samples):
    reading = read(samples / "nttcp" / "titled.txt")
    assert values(
        reading, "direction", "protocol", "bytes", "duration_s", "throughput_bps", "sender_throughput_bps"
    ) == [
        ["send", "tcp", 8388608, 0.76, pytest.approx(88301100), pytest.approx(89478500)],
        ["receive", "udp", 7725056, 0.72, pytest.approx(85834000), pytest.approx(93206800)],
    ]
    assert reading.runs.cpu_receiver_fraction.tolist() == pytest.approx([0.04 / 0.76, 0.07 / 0.72])
    assert reading.problems.empty


def test_verbose_lines_give_the_direction(samples):
    reading = read(samples / "nttcp" / "verbose.txt")
    assert values(reading, "tool_version", "direction", "throughput_bps", "line_first", "line_last") == [
        ["1.47", "receive", pytest.approx(93206800), 1, 15]
    ]


def test_rows_without_a_title_or_a_command(reading_of):
    reading = reading_of(ROWS + ROWS)
    assert values(reading, "tool", "direction", "throughput_bps") == [["nttcp", None, pytest.approx(88301100)]] * 2


def test_custom_columns(reading_of):
    reading = reading_of("     Bytes  Real s\nl  8388608    0.75\n1  8388608    0.76\n")
    assert values(reading, "throughput_bps", "duration_s") == [[pytest.approx(8 * 8388608 / 0.76), 0.76]]


def test_missing_rows_and_errors(reading_of, problem_lines):
    reading = reading_of(ROWS[: ROWS.index("\n") + 1])
    assert values(reading, "throughput_bps", "sender_throughput_bps") == [[None, pytest.approx(89478500)]]
    assert problem_lines(reading) == ["a.log:1: truncated: found no row of the receiver of nttcp; it is missing"]
    reading = reading_of("nttcp-l: nttcp, version 1.47\nnttcp: connect: Connection refused\n")
    assert reading.runs.error.tolist() == [True]
    assert problem_lines(reading) == ["a.log:2: aborted: found 'connect: Connection refused', expected a result"]


@pytest.mark.parametrize("row", ["1  8388608    0.76    0.04\n", "l 12 13 14\n", "1 2 3 4 5 6 7 8\n"])
def test_other_rows_of_numbers_are_not_read(reading_of, row):
    assert reading_of(row).runs.empty
