"""sockperf."""

from hecn_analysis.logs import read

MEBI = 2**20


def test_bandwidth_and_full_round_trips(samples):
    reading = read(samples / "sockperf" / "tcp.txt")
    first, second = (row for _, row in reading.runs.iterrows())
    assert (first.protocol, first.duration_s, first.sent_packets) == ("tcp", 1.001, 284557)
    assert first.throughput_bps == first.sender_throughput_bps == 3037.869 * MEBI
    assert (second.rtt_min_s, second.rtt_avg_s, second.rtt_max_s) == (17.015e-6, 42.539e-6, 46126.966e-6)
    assert (second.sent_packets, second.lost_packets, second.tool_version) == (12961, 0, "3.7-no.git")
    assert reading.problems.empty


def test_units_directions_and_several_servers(samples, problem_lines):
    reading = read(samples / "sockperf" / "udp-and-errors.txt")
    runs = reading.runs
    assert runs.throughput_bps.isna().all()
    assert runs.sender_throughput_bps.fillna(-1).tolist() == [1.123 * MEBI * 1000, 1123.046875 * MEBI, -1, -1, -1]
    assert runs.rtt_avg_s.fillna(-1).tolist() == [-1, -1, 2 * 9.25 / 1e6, 2 * 8.25 / 1e6, -1]
    assert runs.lost_packets.fillna(-1).tolist() == [-1, -1, 10, 0, -1]
    assert runs.error.tolist() == [False] * 4 + [True]
    assert runs[["line_first", "line_last"]].to_numpy().tolist() == [[1, 12], [13, 17], [18, 30], [31, 35], [36, 37]]
    assert problem_lines(reading) == [
        "udp-and-errors.txt:17: unit: found 1123.046875000 Gbps, read as Mbps: sockperf misprints it",
        (
            "udp-and-errors.txt:37: aborted: found 'Can`t connect socket (errno=111 Connection refused)', "
            "expected a summary"
        ),
    ]


def test_a_rate_that_the_messages_contradict(reading_of, problem_lines):
    reading = reading_of(
        "sockperf: NOTE: test was performed, using msg-size=1400. For getting maximum throughput\n"
        "sockperf: Summary: Message Rate is 284414 [msg/sec]\n"
        "sockperf: Summary: BandWidth is 479.734 MBps (3837.869 Mbps)\n"
    )
    assert reading.runs.throughput_bps.tolist() == [3837.869 * MEBI]
    assert problem_lines(reading) == [
        (
            "a.log:3: inconsistent: found a rate of 4.0243e+09 bit/s, expected 3.18544e+09 bit/s "
            "from 284414 messages per second of 1400 bytes; kept as printed"
        )
    ]


def test_truncated_output(reading_of, problem_lines):
    reading = reading_of("sockperf: Total of 284557 messages sent in 1.001 sec\nsockperf: Summary: BandWidth is 37")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        "a.log:2: truncated: found 'sockperf: Summary: BandWidth is 37', expected a figure with its unit",
        "a.log:2: truncated: found no summary, expected 'Summary: …'; no run made of it",
    ]


def test_results_without_a_heading_are_separate_runs(reading_of):
    latency = (
        "[OUT] sockperf: [Total Run] RunTime=2.000 sec; Warm up time=400 msec; SentMessages=200; ReceivedMessages=199\n"
        "[OUT] sockperf: ========= Printing statistics for Server No: 0\n"
        "[OUT] sockperf: [Valid Duration] RunTime=1.550 sec; SentMessages=150; ReceivedMessages=150\n"
        "[OUT] sockperf: ====> avg-latency={0}.000 (std-dev=3.239)\n"
        "[OUT] sockperf: Summary: Latency is {0}.000 usec\n"
        "[OUT] sockperf: ---> <MAX> observation =  {0}.500\n"
    )
    rate = (
        "sockperf: Total of {0}000 messages sent in 1.000 sec\n\nsockperf: Summary: Message Rate is {0}000 [msg/sec]\n"
        "sockperf: Summary: BandWidth is 1.000 MBps ({0}.000 Mbps)\n"
    )
    reading = reading_of(
        latency.format(40)
        + latency.format(50)
        + rate.format(8)
        + rate.format(16)
        + "sockperf: Summary: Latency is 3 usec\n"
        "sockperf: Summary: Latency is 4 usec\n"
    )
    assert reading.runs.rtt_avg_s.round(9).fillna(-1).tolist() == [80e-6, 100e-6, -1, -1, 6e-6, 8e-6]
    assert reading.runs.rtt_max_s.round(9).fillna(-1).tolist() == [81e-6, 101e-6, -1, -1, -1, -1]
    assert reading.runs.throughput_bps.fillna(-1).tolist() == [-1, -1, 8 * 2**20, 16 * 2**20, -1, -1]
    assert reading.problems.empty


def test_servers_and_failed_tests(reading_of, problem_lines):
    reading = reading_of(
        "sockperf: == version #3.10 ==\nsockperf: [SERVER] listen on:\n"
        "[ 0] IP = 192.0.2.7    PORT = 11111 # TCP\nsockperf: Warmup stage (sending a few dummy messages)...\n"
        "sockperf: == version #3.10 ==\nsockperf[CLIENT] send on:sockperf: using recvfrom() to block on socket(s)\n\n"
        "[ 0] IP = 192.0.2.7       PORT = 11111 # UDP\nsockperf: Starting test...\nsockperf: Test ended\n"
        "sockperf: No messages were received from the server. Is the server down?\n"
    )
    assert reading.runs[["error", "protocol"]].to_numpy().tolist() == [[True, "udp"]]
    assert problem_lines(reading) == [
        "a.log:4: unrecognised: found the output of a server, which has no figures, expected a client's",
        (
            "a.log:11: aborted: found 'No messages were received from the server. Is the server down?', "
            "expected a summary"
        ),
    ]
