"""pScheduler's results, as JSON in every envelope and as text."""

from hecn_analysis.logs import read

TIMES = ["rtt_min_s", "rtt_avg_s", "rtt_max_s"]


def test_throughput_with_both_ends(samples):
    reading = read(samples / "pscheduler" / "throughput.txt")
    columns = ["throughput_bps", "sender_throughput_bps", "duration_s", "retransmits", "streams", "rtt_s", "protocol"]
    assert reading.runs[columns].to_numpy().tolist() == [[8.25e9, 8.5e9, 2.0, 3, 1, 0.001047, "tcp"]]
    assert reading.runs.bytes.isna().all()
    shown = reading.intervals[["line", "t_start_s", "t_end_s", "throughput_bps", "retransmits"]]
    assert shown.to_numpy().tolist() == [[49, 0.0, 1.0, 8e9, 3], [71, 1.0, 2.0, 9e9, 0]]
    assert reading.problems.empty


def test_other_tests_and_wrappings(samples, problem_lines):
    reading = read(samples / "pscheduler" / "results.txt")
    runs = reading.runs
    assert runs.protocol.fillna("").tolist() == ["udp", "icmp", "", "udp", "", "file", "tcp", "udp"]
    assert runs.label.fillna("").tolist() == ["latencybg", "", "", "", "", "", "throughput", "throughput"]
    assert runs.error.tolist() == [False] * 4 + [True] + [False] * 3
    assert runs.sent_packets.fillna(-1).tolist() == [600, 5, -1, 600, -1, -1, -1, 1000]
    assert runs.loss_fraction.fillna(-1).tolist() == [0.005, 0.2, -1, 0.005, -1, -1, -1, 0.005]
    assert runs.loc[0, TIMES].tolist() == [0.04025, (300 * 40.5 + 200 * 40.25 + 97 * 41.0) / 597 / 1e3, 0.041]
    assert runs.loc[1, TIMES].tolist() == [0.08, 0.0805, 0.0815]
    assert runs.duration_s.fillna(-1).tolist() == [-1, -1, -1, -1, -1, 65.5, 10.0, 10.0]
    assert runs.bytes.fillna(-1).tolist() == [-1] * 7 + [1000000000]
    assert runs.jitter_s.dropna().tolist() == [0.000125]
    assert problem_lines(reading) == [
        (
            "results.txt:4: inconsistent: found a delay of -0.0005 s, expected at least 0: the two clocks differ; "
            "delays left out"
        ),
        "results.txt:5: aborted: found 'iperf3 returned an error: unable to connect', expected a result",
        ("results.txt:7: unit: found throughput-bytes of 1048576000, expected 1000000000 from the rate; left out"),
    ]


def test_text_with_streams_and_every_heading(samples):
    reading = read(samples / "pscheduler" / "text.txt")
    runs = reading.runs
    assert runs.throughput_bps.round(3).tolist() == [8.2e9, 49.98e6, 49.98e6, 186.49e6]
    assert runs.sender_throughput_bps.fillna(-1).tolist() == [8.25e9, -1, -1, -1]
    assert runs.duration_s.tolist() == [2.0, 10.0, 10.0, 20.0]
    assert runs.retransmits.fillna(-1).tolist() == [4, -1, -1, 0]
    assert runs.protocol.tolist() == ["tcp", "udp", "udp", "tcp"]
    assert runs[["sent_packets", "lost_packets"]].dropna().to_numpy().tolist() == [[25823, 62]] * 2
    assert runs.jitter_s.dropna().tolist() == [0.000125] * 2
    assert runs.streams.fillna(-1).tolist() == [2, -1, -1, -1]
    streams = reading.streams[["stream", "throughput_bps", "sender_throughput_bps", "retransmits"]].round(3)
    assert streams.to_numpy().tolist() == [[0, 4.6e9, 4.62e9, 3], [1, 3.6e9, 3.62e9, 1]]
    shown = reading.intervals[["line", "stream", "t_start_s", "t_end_s", "throughput_bps"]]
    assert shown.to_numpy().tolist() == [
        [4, 0, 0.0, 1.0, 4.5e9],
        [5, 0, 1.0, 2.0, 4.75e9],
        [9, 1, 0.0, 1.0, 3.5e9],
        [10, 1, 1.0, 2.0, 3.75e9],
    ]
    assert reading.problems.empty


def test_retransmits_and_windows_of_intervals(reading_of):
    rows = "0.0 - 1.0      4.50 Gbps      3              2.00 MBytes\n1.0 - 2.0      4.50 Gbps\n"
    text = f"* Stream ID 5\nInterval       Throughput     Retransmits    Current Window\n{rows}"
    intervals = reading_of(text).intervals
    assert intervals[["retransmits", "cwnd_bytes"]].fillna(-1).to_numpy().tolist() == [[3, 2 << 20], [-1, -1]]


def test_text_without_its_summary(reading_of, problem_lines):
    reading = reading_of("* Stream ID 5\nInterval       Throughput     Retransmits\n0.0 - 1.0      4.50 Gbps      3\n")
    assert reading.runs.throughput_bps.isna().tolist() == [True]
    assert reading.intervals.throughput_bps.tolist() == [4.5e9]
    assert problem_lines(reading) == [
        "a.log:3: truncated: found no summary, expected one of all streams; only the intervals are read"
    ]


def test_a_summary_of_another_test_is_not_read(reading_of):
    assert reading_of("Summary\nInterval  10 s\n5 - 7 Gbps\n").problems.kind.tolist() == ["unrecognised"]


def test_an_impossible_time_of_day_is_left_out(reading_of, problem_lines):
    reading = reading_of(
        '{"result-merged": {"succeeded": true, "time": "PT1S"}, "start-time": "3026-03-21T23:18:58Z"}\n'
    )
    assert reading.runs.start_time.isna().tolist() == [True]
    assert problem_lines(reading) == [
        (
            "a.log:1: inconsistent: start_time: found Timestamp('3026-03-21 23:18:58+0000', tz='UTC'), "
            "expected a UTC time from 1678 to 2261; left out"
        )
    ]


def test_texts_of_latency_and_round_trips(samples, problem_lines):
    reading = read(samples / "pscheduler" / "delays.txt")
    columns = ["label", "sent_packets", "lost_packets", "loss_fraction", "rtt_min_s", "rtt_avg_s", "rtt_max_s"]
    assert reading.runs[columns].round(9).fillna(-1).to_numpy().tolist() == [
        ["latency", 100, 5, 0.05, 0.0405, 0.0406, 0.0415],
        ["latency", 100, 0, 0.0, -1, -1, -1],
        ["rtt", 3, 1, round(1 / 3, 9), 0.0802, 0.0803, 0.0804],
        ["rtt", -1, -1, 0.0, 0.0802, 0.0803, 0.0804],
        ["rtt", 1, 1, 1.0, -1, -1, -1],
    ]
    assert reading.runs.jitter_s.fillna(-1).tolist() == [0.00025, -1, -1, -1, -1]
    assert reading.runs.protocol.tolist() == ["udp", "udp", "icmp", "icmp", "icmp"]
    assert problem_lines(reading) == [
        (
            "delays.txt:36: inconsistent: found a delay of -0.0005 s, expected at least 0: the two clocks differ; "
            "delays left out"
        ),
        (
            "delays.txt:50: truncated: found 1 packets and no summary, expected 'RTT Min/Mean/Max/StdDev = …'; "
            "no run made of them"
        ),
    ]


def test_the_histogram_counts_in_widths_of_its_buckets(reading_of):
    text = """{"test": {"type": "latency", "spec": {"bucket-width": %s}}, "run": {"result-merged": {"succeeded": true,
        "packets-sent": 10, "packets-lost": 0, "histogram-latency": {"400.00": 5, "402.00": 5}}}}"""
    reading = reading_of(text % "0.0001" + "\n" + text % "null")
    assert reading.runs[["rtt_min_s", "rtt_avg_s", "rtt_max_s"]].round(9).to_numpy().tolist() == [
        [0.04, 0.0401, 0.0402],
        [0.4, 0.401, 0.402],
    ]


def test_a_failed_result_without_data(reading_of, problem_lines):
    reading = reading_of(
        '{"succeeded": false, "error": "iperf3 returned an error", "diags": "x"}\n'
        '{"schema": 1, "succeeded": false, "error": "owping returned an error"}\n'
    )
    assert reading.runs[["tool", "error"]].to_numpy().tolist() == [["pscheduler", True]] * 2
    assert problem_lines(reading) == [
        "a.log:1: aborted: found 'iperf3 returned an error', expected a result",
        "a.log:2: aborted: found 'owping returned an error', expected a result",
    ]
