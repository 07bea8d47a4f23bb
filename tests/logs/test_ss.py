"""ss: one run for each connection."""

from hecn_analysis.logs import read


def test_connections_on_two_lines_or_one(samples, problem_lines):
    reading = read(samples / "ss" / "sockets.txt")
    runs = reading.runs
    assert runs.rtt_s.tolist() == [0.08025, 0.0000455, 0.0105]
    assert runs.retransmits.fillna(-1).tolist() == [737, -1, 4]
    assert runs.label.tolist() == [
        "192.0.2.6:53956 192.0.2.7:5001",
        "192.0.2.6:ssh 192.0.2.8:56505",
        "[2001:db8::6]:48494 [2001:db8::7]:7001",
    ]
    assert runs.protocol.tolist() == ["tcp"] * 3
    assert runs.throughput_bps.isna().all()
    assert problem_lines(reading) == [
        "sockets.txt:12: malformed: found 'rtt:?/0.04', expected 'rtt:…/…'; no run made of it"
    ]


def test_a_line_truncated_inside_the_time_is_not_a_run(reading_of, problem_lines):
    reading = reading_of("ESTAB 0 0 192.0.2.6:1 192.0.2.7:2\n\t cubic wscale:7,7 rto:284 rtt:80.2")
    assert reading.runs.empty
    assert problem_lines(reading) == ["a.log:2: truncated: found 'rtt:80.2', expected 'rtt:…/…'; no run made of it"]


def test_wrapped_lines_and_a_list_without_states(samples):
    reading = read(samples / "ss" / "broken-lines.txt")
    assert reading.runs.rtt_s.tolist() == [0.0018, 0.00098, 0.0025]
    assert reading.runs.retransmits.fillna(-1).tolist() == [213, -1, -1]
    assert reading.runs.label.fillna("").tolist() == [
        "192.0.2.6:443 192.0.2.7:54012",
        "192.0.2.6:40654 192.0.2.7:9000",
        "192.0.2.6:49110 192.0.2.7:5201",
    ]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[3, 6], [9, 10], [11, 12]]
    assert reading.problems.empty


def test_numbers_of_another_socket_are_not_read(reading_of):
    reading = reading_of(
        "ESTAB 0 0 192.0.2.6:1 192.0.2.7:2\n\t cubic wscale:7,7 rto:284 rtt:80.2/1 cwnd:10\n\n     retrans:0/7 lost:1\n"
    )
    assert reading.runs.retransmits.isna().all()
