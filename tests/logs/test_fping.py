"""fping: many hosts in one log, each a run."""

import pytest

from hecn_analysis.logs import read

TIMES = ["rtt_min_s", "rtt_avg_s", "rtt_max_s"]


def _times(reading):
    return reading.runs[TIMES].round(9).fillna(-1).to_numpy().tolist()


def test_counts(samples):
    reading = read(samples / "fping" / "count.txt")
    runs = reading.runs
    assert runs.label.tolist() == ["receiver", "192.0.2.8", "192.0.2.9"]
    assert runs.tool.tolist() == ["fping"] * 3
    assert runs.protocol.tolist() == ["icmp"] * 3
    assert runs.sent_packets.tolist() == [3, 3, 3]
    assert runs.lost_packets.tolist() == [1, 0, 3]
    assert runs.loss_fraction.tolist() == [1 / 3, 0.0, 1.0]
    assert _times(reading) == [[50e-6, 60e-6, 70e-6], [0.31, 0.35, 0.389], [-1, -1, -1]]
    assert runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 10], [3, 11], [12, 12]]
    assert reading.problems.empty


def test_only_the_last_summary_belongs_to_the_run(samples):
    reading = read(samples / "fping" / "clocks.txt")
    assert reading.runs.label.tolist() == ["2001:db8::7", "receiver", "192.0.2.255"]
    assert reading.runs.sent_packets.tolist() == [11, 11, 2]
    assert reading.runs.lost_packets.fillna(-1).tolist() == [0, 1, -1]
    assert _times(reading)[0] == [0.00101, 0.00122, 0.0015]
    assert reading.problems.empty


def test_lists_of_times(samples):
    reading = read(samples / "fping" / "lists.txt")
    assert reading.runs.label.tolist() == ["receiver", "192.0.2.8", "192.0.2.9", "receiver"]
    assert reading.runs.sent_packets.fillna(-1).tolist() == [5, 5, 5, -1]
    assert reading.runs.lost_packets.fillna(-1).tolist() == [1, 0, 5, -1]
    assert _times(reading) == [
        [0.00626, 0.0126325, 0.029],
        [0.000101, 0.000103, 0.000105],
        [-1, -1, -1],
        [0.00136, 0.00136, 0.00136],
    ]
    assert reading.problems.empty


def test_missing_and_wrong_values_are_problems(reading_of, problem_lines):
    reading = reading_of(
        "a : [0], 64 bytes, 1.00 ms (1.00 avg, 0% loss)\n"
        "a : [1], 64 bytes, 3.00 ms (2.00 avg, 0% loss)\n"
        "[12:00:05]\n"
        "b : xmt/rcv/%loss = 5/4/20%, min/avg/max = 2.01/2.20/2.40\n"
        "\n"
        "c : xmt/rcv/%loss = 4/3/20%, min/avg/max = 1.00/2.00/3.00\n"
        "d : xmt/rcv/%loss = 4/"
    )
    assert reading.runs.label.tolist() == ["a", "c"]
    assert reading.runs.sent_packets.fillna(-1).tolist() == [-1, 4]
    assert _times(reading) == [[0.001, 0.002, 0.003], [0.001, 0.002, 0.003]]
    assert problem_lines(reading) == [
        "a.log:6: inconsistent: found a loss of 20 %, expected 25 % from the counts; the latter is kept",
        (
            "a.log:7: truncated: found 'd : xmt/rcv/%loss = 4/', expected 'host : xmt/rcv/%loss = 3/3/0%, "
            "min/avg/max = …'; no run made of it"
        ),
        (
            "a.log:2: truncated: found 2 replies of 'a' and no summary, expected 'xmt/rcv/%loss = …'; times are those "
            "of the replies"
        ),
        "a.log:4: truncated: found summaries of 'b' below clocks and none of the whole run; no run made of them",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "load : 0.10 0.20 0.30\n",
        'fprintf(stderr, " xmt/rcv/%%loss = %d/%d/%d%%", sent, received, loss);\n',
        "r'xmt/rcv/%loss = (\\d+)/(\\d+)'\n",
        "[12:00:05]\nnothing\n",
        "$cmd->stderr_like(qr{localhost : xmt/rcv/%loss = 2/2/0%, min/avg/max = \\d});\n",
    ],
)
def test_other_text_is_not_read(reading_of, text):
    reading = reading_of(text)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]
