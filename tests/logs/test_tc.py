"""tc: one run for each queue."""

from hecn_analysis.logs import read


def test_queues_as_text_and_as_json(samples):
    reading = read(samples / "tc" / "queues.txt")
    runs = reading.runs
    assert runs.label.tolist() == [
        "lo noqueue 0:",
        "eth0 fq 8001:",
        "tbf 8002:",
        "eth1 pfifo_fast 0:",
        "eth0 pfifo_fast 0:",
        "lo noqueue 0:",
    ]
    assert runs.bytes.tolist() == [0, 15140000, 588, 1024, 6689901, 0]
    assert runs.sent_packets.tolist() == [0, 990, 6, 8, 61438, 0]
    assert runs.lost_packets.tolist() == [0, 10, 0, 0, 2, 0]
    assert runs.loss_fraction.fillna(-1).tolist() == [-1, 0.01, 0.0, 0.0, 2 / 61440, -1]
    assert runs[["line_first", "line_last"]].to_numpy()[:4].tolist() == [[1, 3], [4, 8], [9, 11], [12, 13]]
    assert reading.problems.empty


def test_truncated_counts(reading_of, problem_lines):
    reading = reading_of("qdisc fq 8001: dev eth0 root refcnt 2\n Sent 15140000 bytes 990 pk")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:2: truncated: found 'Sent 15140000 bytes 990 pk', expected 'Sent … bytes … pkt (dropped …'; "
            "no run made of it"
        )
    ]


def test_a_queue_may_drop_more_than_leaves_it(reading_of):
    counts = " Sent {0} bytes {0} pkt (dropped {1}, overlimits 0 requeues 0)\n"
    reading = reading_of(
        "qdisc tbf 8001: dev eth0 root refcnt 2\n"
        + counts.format(10, 30)
        + "qdisc clsact ffff: dev eth0 parent ffff:fff1\n"
        + counts.format(40, 30)
    )
    assert reading.runs.sent_packets.fillna(-1).tolist() == [-1, 40]
    assert reading.runs.lost_packets.tolist() == [30, 30]
    assert reading.runs.loss_fraction.tolist() == [0.75, 0.75]
    assert reading.problems.empty
