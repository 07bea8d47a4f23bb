"""ttcp of several systems, either end."""

import pytest

from hecn_analysis.logs import read

BEGINNING = "ttcp-t: buflen=8192, nbuf=2048, align=16384/0, port=5001  {}  -> there\nttcp-t: socket\n"


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_both_ends_are_two_runs(samples):
    reading = read(samples / "ttcp" / "both-ends.txt")
    assert values(reading, "direction", "protocol", "bytes", "duration_s", "throughput_bps", "streams") == [
        ["receive", "tcp", 16777216, 1.47, pytest.approx(11145.58 * 8192), 1],
        ["send", "tcp", 16777216, 1.43, pytest.approx(11457.34 * 8192), 1],
    ]
    assert values(reading, "cpu_sender_fraction", "cpu_receiver_fraction") == [[None, 0.21], [0.07, None]]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("result", "rate", "kept"),
    [
        ("67108864 bytes in 8.00 real seconds = 8192.00 KB/sec +++", 8192 * 8192, 67108864),
        ("67108864 bytes in 8.00 real seconds = 64.00 Mbit/sec +++", 64 * 2**20, 67108864),
        ("80000000 bytes in 8.00 real seconds = 80.00 Mbits/sec +++", 80e6, 80000000),
        ("80000000 bytes in 8.000000 real seconds = 10.00 MB/sec +++", 80e6, 80000000),
        ("2.00 GBytes in 16.000000 real seconds = 131072.00 KB/sec +++", 2**30, 2**31),
        ("67108864 bytes in 23790 ms (23.790 real seconds) (~2753 kB/s) +++", 8 * 67108864 / 23.79, 67108864),
    ],
)
def test_units(reading_of, result, rate, kept):
    reading = reading_of(f"{BEGINNING.format('tcp')}ttcp-t: {result}\n")
    assert values(reading, "throughput_bps", "bytes") == [[pytest.approx(rate), kept]]
    assert reading.problems.empty


def test_wrapped_lines(reading_of):
    reading = reading_of(
        "ttcp-t: buflen=8192, nbuf=2048, align=16384/0,\nport=4001  udp  -> there\nttcp-t: connect\n"
        "ttcp-t: 216442880 bytes in 299.34 real seconds =\n706.13 KB/sec +++\n"
    )
    assert values(reading, "protocol", "sender_throughput_bps", "throughput_bps", "line_last") == [
        ["udp", pytest.approx(706.13 * 8192), None, 5]
    ]


def test_failures_and_damage(samples, reading_of, problem_lines):
    reading = read(samples / "ttcp" / "refused.txt")
    assert values(reading, "error", "throughput_bps") == [[True, None]]
    assert problem_lines(reading) == ["refused.txt:3: aborted: found 'connect: Connection refused', expected a result"]
    assert problem_lines(reading_of(BEGINNING.format("tcp"))) == [
        "a.log:2: truncated: found the beginning of a run of ttcp and no result; no run made"
    ]
    reading = reading_of(BEGINNING.format("tcp") + "ttcp-t: 123 bytes in no time\n")
    assert problem_lines(reading) == [
        "a.log:3: malformed: found '123 bytes in no time', expected '… bytes in … real seconds = …/sec'",
        "a.log:3: truncated: found the beginning of a run of ttcp and no result; no run made",
    ]


def test_nuttcp_is_not_ttcp(reading_of):
    reading = reading_of("nuttcp-t: 16.0000 MB in 1.43 real seconds = 11457.34 KB/sec = 93.8585 Mbps\n")
    assert "ttcp" not in reading.runs.tool.tolist()


@pytest.mark.parametrize(
    ("way", "result", "expected"),
    [
        ("TCP -> 192.0.2.7:5001", "1048576 bytes in 0.80 real seconds = 1280.00 KB/sec +++", ["send", "tcp", 10485760]),
        (
            "TCP <- 192.0.2.7:5001",
            "1048576 bytes in 0.80 real seconds = 10.00 Mbit/sec +++",
            ["receive", "tcp", 10485760],
        ),
        ("UDP -> 192.0.2.7:5001", "1048576 bytes in 0.80 real seconds = 1.25 MB/sec +++", ["send", "udp", None]),
    ],
)
def test_pcattcp_prints_its_result_below_the_connection(reading_of, way, result, expected):
    text = "PCAUSA Test TCP Utility V2.01.01.08\nTest\n  Buffer Size : 8192; Alignment: 16384/0\n"
    reading = reading_of(text + f"  Statistics  : {way}\n{result}\nnumCalls: 128; msec/call: 6.4; calls/sec: 160.0\n")
    assert values(reading, "direction", "protocol", "throughput_bps") == [expected]
    assert values(reading, "line_first", "line_last", "duration_s") == [[4, 5, 0.8]]


def test_a_result_without_its_connection_is_not_read(reading_of):
    assert reading_of("1048576 bytes in 0.80 real seconds = 1280.00 KB/sec +++\n").runs.empty


def test_another_protocol_is_neither_tcp_nor_udp(reading_of):
    text = BEGINNING.format("atm") + "ttcp-t: 16777216 bytes in 4.0 real seconds = 4096.0 KB/sec\n"
    assert values(reading_of(text), "protocol", "throughput_bps") == [[None, 4096 * 1024 * 8]]
