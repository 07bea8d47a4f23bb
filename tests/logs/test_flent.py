"""flent: one run for each direction, with the stored means."""

from hecn_analysis.logs import read


def test_both_directions_and_their_flows(samples):
    reading = read(samples / "flent" / "both-ways.txt")
    runs = reading.runs
    assert runs.direction.tolist() == ["send", "receive"]
    assert runs.throughput_bps.tolist() == [890.75e6, 300.5e6]
    assert runs.streams.tolist() == [2, 1]
    assert runs.retransmits.fillna(-1).tolist() == [42, -1]
    assert runs[["rtt_min_s", "rtt_avg_s", "rtt_max_s"]].to_numpy().tolist() == [[0.08025, 0.0805, 0.0955]] * 2
    assert [time.isoformat() for time in runs.start_time] == ["2026-03-21T23:18:58.819000+00:00"] * 2
    assert reading.streams[["run", "stream", "throughput_bps"]].to_numpy().tolist() == [
        [0, 0, 450.5e6],
        [0, 1, 440.25e6],
        [1, 0, 300.5e6],
    ]
    shown = reading.intervals[["run", "t_start_s", "t_end_s", "throughput_bps"]].fillna(-1)
    assert shown.to_numpy().tolist() == [
        [0, 0.0, 0.5, 800e6],
        [0, 0.5, 1.0, -1],
        [0, 1.0, 1.5, 900e6],
        [1, 0.0, 0.5, -1],
        [1, 0.5, 1.0, 300e6],
        [1, 1.0, 1.5, 301e6],
    ]
    assert reading.problems.empty


def test_flows_without_a_direction_no_transfer_and_bits(samples, problem_lines):
    reading = read(samples / "flent" / "others.txt")
    runs = reading.runs
    assert runs.label.tolist() == ["tcp_2up", "ping", "udp_flood"]
    assert runs.protocol.tolist() == ["tcp", "icmp", "udp"]
    assert runs.direction.fillna("").tolist() == ["send", "", "send"]
    assert runs.throughput_bps.fillna(-1).tolist() == [200e6, -1, 95.5e6]
    assert runs.rtt_avg_s.fillna(-1).tolist() == [-1, 0.0205, -1]
    assert problem_lines(reading) == [
        (
            "others.txt:1: ambiguous: found no stored mean of 'TCP cubic 1', expected 'MEAN_VALUE'; "
            "the mean of the values is taken"
        )
    ]


def test_impossible_values_are_left_out(reading_of):
    reading = reading_of(
        '{"metadata": {"NAME": "x", "STEP_SIZE": 1, "SERIES_META": {"TCP upload": {"MEAN_VALUE": 1e308}}}, '
        '"results": {"TCP upload": [-1, 1e308, 5, "a"]}, "x_values": [0, 1, 2, 3]}\n'
    )
    assert reading.runs.throughput_bps.isna().all()
    assert reading.streams.throughput_bps.isna().all()
    assert reading.intervals.throughput_bps.fillna(-1).tolist() == [-1, -1, 5e6, -1]
