"""owping and twping."""

import pytest

from hecn_analysis.logs import read

ONE_WAY = (
    "--- owping statistics from [sender]:8915 to [receiver]:9270 ---\n"
    "10 sent, 0 lost (0.000%), 0 duplicates\none-way delay min/median/max = 12.5/12.5/12.5 ms, (err=9.01 ms)\n"
)


def test_both_directions(samples, problem_lines):
    reading = read(samples / "owping" / "both-ways.txt")
    runs = reading.runs
    assert runs.direction.tolist() == ["send", "receive"]
    assert runs.loss_fraction.tolist() == [0.01, 0.0]
    assert runs.lost_packets.tolist() == [1, 0]
    assert runs.jitter_s.tolist() == [0.00025, 0.000125]
    assert runs[["rtt_min_s", "rtt_max_s"]].fillna(-1).to_numpy().tolist() == [[0.0405, 0.0415], [-1, -1]]
    assert problem_lines(reading) == [
        (
            "both-ways.txt:20: inconsistent: found a delay of -0.0005 s, expected at least 0: the two clocks differ; "
            "delays left out"
        )
    ]


def test_round_trips(samples):
    reading = read(samples / "twping" / "summary.txt")
    columns = ["tool", "protocol", "sent_packets", "rtt_min_s", "rtt_max_s", "jitter_s"]
    assert reading.runs[columns].to_numpy().tolist() == [["twping", "udp", 100, 0.08, 0.08125, 0.0005]]
    assert reading.runs.direction.isna().all()
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("command", "direction"),
    [("owping -t receiver", "send"), ("owping -f sender", "receive"), ("owping -c 10 other", ""), ("date", "")],
)
def test_a_single_direction_is_known_from_the_command(reading_of, command, direction):
    reading = reading_of(f"me@there:~$ {command}\n{ONE_WAY}")
    assert reading.runs.direction.fillna("").tolist() == [direction]


def test_damaged_output(reading_of, problem_lines):
    reading = reading_of("--- owping statistics from [sender]\n" + ONE_WAY.splitlines()[0] + "\n10 sent, 0 lo\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: malformed: found '--- owping statistics from [sender]', expected "
            "'… from [host]:port to [host]:port ---'; no run made of it"
        ),
        "a.log:2: truncated: found no counts below the heading, expected '… sent, … lost'; no run made of it",
    ]


def test_a_loss_that_the_counts_contradict(reading_of, problem_lines):
    reading = reading_of(ONE_WAY.replace("0 lost (0.000%)", "1 lost (0.000%)"))
    assert reading.runs.loss_fraction.tolist() == [0.1]
    assert problem_lines(reading) == [
        "a.log:2: inconsistent: found a loss of 0.000 %, expected 10 % from the counts; the latter is kept"
    ]


def test_machine_readable_output(samples, problem_lines):
    reading = read(samples / "owping" / "machine.txt")
    runs = reading.runs
    assert runs.tool.tolist() == ["owping", "owping"]
    assert runs.direction.tolist() == ["send", "receive"]
    assert runs.label.tolist() == ["sender receiver", "receiver sender"]
    assert runs.sent_packets.tolist() == [100, 100]
    assert runs.lost_packets.tolist() == [0, 5]
    assert runs.loss_fraction.tolist() == [0.0, 0.05]
    assert runs[["rtt_min_s", "rtt_max_s", "jitter_s"]].fillna(-1).to_numpy().tolist() == [
        [0.0405, 0.0415, 0.00025],
        [-1, -1, 0.000125],
    ]
    assert runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 33], [35, 60]]
    assert problem_lines(reading) == [
        (
            "machine.txt:60: inconsistent: found a delay of -0.0005 s, expected at least 0: the two clocks differ; "
            "delays left out"
        )
    ]


def test_machine_readable_output_of_both_directions_and_truncated(reading_of, problem_lines):
    reading = reading_of(
        "SUMMARY\t3.00\nFROM_HOST\tsender\nTO_HOST\treceiver\nSENT\t10\nMAXERR\t0.001\nMAXERR_FWD\t0.001\n"
        "DUPS_FWD\t0\nDUPS_BCK\t0\nLOST\t1\nMIN\t0.08\nMIN_FWD\t-3\nMEDIAN\t0.081\nMAX\t8.2e-02\nPDV\t1e-05\n"
        "SUMMARY\t3.00\nFROM_HOST\tsender\nSENT\t10\nLOST\t1"
    )
    columns = ["tool", "sent_packets", "lost_packets", "rtt_min_s", "rtt_max_s", "jitter_s"]
    assert reading.runs[columns].to_numpy().tolist() == [["twping", 10, 1, 0.08, 0.082, 1e-5]]
    assert problem_lines(reading) == [
        "a.log:18: truncated: found no counts below the heading, expected '… sent, … lost'; no run made of it"
    ]


def test_lines_of_packets_in_between_are_skipped(reading_of):
    heading, *rest = ONE_WAY.splitlines(keepends=True)
    packets = "".join(
        f"seq_no={number} delay=1.25e+01 ms (sync, err=0.389 ms) sent=1700000000.36 recv=1700000000.37\n"
        for number in range(30)
    )
    reading = reading_of(f"{heading}SID:\t0a0302d8\n{packets}seq_no=30  *LOST*\n{''.join(rest)}")
    assert reading.runs[["sent_packets", "lost_packets"]].to_numpy().tolist() == [[10, 0]]
    assert reading.problems.empty
