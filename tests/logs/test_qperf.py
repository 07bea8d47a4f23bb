"""qperf."""

from hecn_analysis.logs import read


def test_figures_and_their_units(samples):
    reading = read(samples / "qperf" / "tests.txt")
    runs = reading.runs
    assert runs.label.tolist() == ["tcp_bw", "tcp_bw", "tcp_lat", "udp_bw", "rc_rdma_write_bw", "tcp_bw", "tcp_bw"]
    assert runs.protocol.tolist() == ["tcp", "tcp", "tcp", "udp", "rdma", "tcp", "tcp"]
    assert runs.throughput_bps.fillna(-1).tolist() == [10e9, 12e9, -1, 3.48e9, 76e9, 8 * 547356672, 904e6]
    assert runs.sender_throughput_bps.dropna().tolist() == [6.952e9]
    assert runs.rtt_avg_s.dropna().tolist() == [51e-6]
    assert runs.duration_s.dropna().tolist() == [1.0, 1.0, 2.0]
    assert runs.loc[3, ["cpu_sender_fraction", "cpu_receiver_fraction"]].tolist() == [2.0, 1.99]
    assert reading.problems.empty


def test_failures_and_damage(samples, problem_lines):
    reading = read(samples / "qperf" / "broken.txt")
    assert reading.runs.error.tolist() == [True, True, False]
    assert reading.runs.throughput_bps.isna().all()
    assert problem_lines(reading) == [
        "broken.txt:2: aborted: found '192.0.2.9: failed to connect', expected a result of tcp_bw",
        (
            "broken.txt:4: aborted: found 'server: failed to find any InfiniBand devices: Function not implemented', "
            "expected a result of rc_bw"
        ),
        "broken.txt:6: unit: found a rate in 'GX/sec', expected one such as 'GB/sec'; left out",
        "broken.txt:8: malformed: found 'latency  =  very long', expected a figure with its unit",
    ]


def test_a_name_and_a_colon_make_no_run(reading_of):
    assert reading_of("tcp_bw:\n  enabled: true\n").problems.kind.tolist() == ["unrecognised"]


def test_an_rdma_read_is_a_round_trip(reading_of):
    reading = reading_of("rc_rdma_read_lat:\n    latency  =  21.4 us\nrc_lat:\n    latency  =  12.2 us\n")
    assert reading.runs.rtt_avg_s.round(9).tolist() == [21.4e-6, 24.4e-6]
