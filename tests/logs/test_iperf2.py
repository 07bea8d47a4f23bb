"""iperf 2 as client and server, as text and CSV, of old and new versions, complete and damaged."""

import pandas as pd
import pytest

from hecn_analysis.logs import read

BANNER = "Client connecting to there, TCP port 5001\nTCP window size: 85.0 KByte (default)\n"
CONNECTED = "[  3] local 192.0.2.6 port 40112 connected with 192.0.2.7 port 5001\n"
HEADING = "[ ID] Interval       Transfer     Bandwidth\n"
ROW = "[  3]  0.0-10.0 sec  1.09 GBytes   939 Mbits/sec\n"


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_the_only_row_is_the_result(reading_of):
    reading = reading_of(BANNER + CONNECTED + HEADING + ROW)
    assert values(reading, "tool", "protocol", "direction", "duration_s", "bytes", "throughput_bps", "streams") == [
        ["iperf2", "tcp", "send", 10.0, round(1.09 * 2**30), 939e6, 1]
    ]
    assert values(reading, "line_first", "line_last", "error") == [[1, 5, False]]
    assert reading.intervals.empty
    assert reading.problems.empty


def test_enhanced_rows_of_two_streams(samples):
    reading = read(samples / "iperf2" / "enhanced-two-streams.txt")
    assert values(reading, "streams", "throughput_bps", "retransmits", "duration_s", "direction") == [
        [2, 23.2e9, 14, 2.0, "send"]
    ]
    assert reading.runs.start_time[0] == pd.Timestamp("2026-11-22 00:18:49", tz="UTC")
    assert reading.streams[["stream", "throughput_bps", "retransmits", "rtt_s"]].to_numpy().tolist() == [
        [0, 12.6e9, 5, 274e-6],
        [1, 10.5e9, 9, 435e-6],
    ]
    assert reading.intervals.stream.fillna(-1).tolist() == [0, 1, -1, 0, 1, -1]
    assert reading.intervals.cwnd_bytes.fillna(-1).tolist()[:3] == [1662 * 1024, 4604 * 1024, -1]
    assert reading.intervals.rtt_s[0] == pytest.approx(406e-6)
    assert reading.problems.empty


def test_a_server_serves_one_client_after_another(samples):
    reading = read(samples / "iperf2" / "server.txt")
    assert values(reading, "direction", "streams", "throughput_bps", "line_first") == [
        ["receive", 1, 16.7e9, 2],
        ["receive", 2, 19.9e9, 10],
        ["send", 1, 7.46e9, 22],
        ["receive", 1, 12.9e9, 27],
        ["receive", 1, pytest.approx(8.21e9), 32],
    ]
    assert reading.problems.empty


def test_both_directions_are_two_runs(samples):
    reading = read([samples / "iperf2" / name for name in ("both-directions-2.0.5.txt", "full-duplex.txt")])
    assert values(reading, "run", "direction", "throughput_bps", "streams") == [
        [0, "send", 939e6, 1],
        [1, "receive", 703e6, 1],
        [0, "send", pytest.approx(4.96e9), 1],
        [1, "receive", 4.83e9, 1],
    ]
    assert reading.intervals.run.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert values(read(samples / "iperf2" / "reverse.txt"), "direction", "throughput_bps") == [["receive", 7.49e9]]
    assert reading.problems.empty


def test_consecutive_directions(reading_of):
    other = "[  4] local 192.0.2.6 port 5001 connected with 192.0.2.7 port 40999\n"
    reading = reading_of(BANNER + CONNECTED + HEADING + ROW + other + ROW.replace("[  3]", "[  4]"))
    assert values(reading, "direction", "line_first", "line_last") == [["send", 1, 5], ["receive", 6, 7]]


def test_datagrams_that_the_server_received(samples):
    reading = read(
        [samples / "iperf2" / name for name in ("udp-enhanced.txt", "udp-two-streams.txt", "udp-server.txt")]
    )
    assert values(reading, "protocol", "direction", "streams", "throughput_bps", "sender_throughput_bps") == [
        ["udp", "send", 1, 9.99e6, 10e6],
        ["udp", "send", 2, 20e6, 20e6],
        ["udp", "receive", 2, 20e6, None],
        ["udp", "receive", 1, 10e6, None],
    ]
    assert values(reading, "sent_packets", "lost_packets", "loss_fraction", "jitter_s") == [
        [1704, 0, 0.0, 1e-6],
        [3408, 1, 1 / 3408, None],
        [3408, 1, 1 / 3408, None],
        [1704, 0, 0.0, 1e-6],
    ]
    assert reading.problems.empty


def test_datagrams_without_a_report(reading_of, problem_lines):
    reading = reading_of(
        BANNER.replace("TCP port", "UDP port")
        + CONNECTED
        + HEADING
        + "[  3]  0.0-10.0 sec  1.25 MBytes  1.05 Mbits/sec\n[  3] Sent 893 datagrams\n"
        + "[  3] WARNING: did not receive ack of last datagram after 10 tries.\n"
    )
    assert values(reading, "throughput_bps", "sender_throughput_bps", "sent_packets", "bytes") == [
        [None, 1.05e6, 893, None]
    ]
    assert problem_lines(reading) == ["a.log:7: truncated: found no report of the server; what it received is missing"]


def test_csv(samples):
    reading = read(samples / "iperf2" / "values.txt")
    assert reading.intervals.empty
    assert values(reading, "protocol", "streams", "duration_s", "bytes", "throughput_bps") == [
        ["tcp", 2, 2.0, 424000000, 1690e6],
        ["udp", 1, 10.0, 1308300, 1046220],
        ["tcp", 1, 10.0, 1175000000, 940e6],
        ["tcp", 1, 10.0, 1162500000, 930e6],
    ]
    assert values(reading, "sender_throughput_bps", "sent_packets", "lost_packets", "jitter_s")[1] == [
        1049622,
        893,
        3,
        1.4e-5,
    ]
    assert reading.problems.empty


def test_csv_intervals(reading_of):
    rows = [("4", "0.0-1.0", 7), ("3", "0.0-1.0", 8), ("-1", "0.0-1.0", 15), ("4", "1.0-2.0", 7), ("3", "1.0-2.0", 8)]
    rows += [("-1", "1.0-2.0", 15), ("3", "0.0-2.0", 16), ("4", "0.0-2.0", 14), ("-1", "0.0-2.0", 30)]
    seconds = {"0.0-1.0": 1, "1.0-2.0": 1, "0.0-2.0": 2}
    text = "".join(
        f"20260102030407,192.0.2.9,4010{key[-1]},192.0.2.7,5001,{key},{span},{size},{8 * size // seconds[span]}\n"
        for key, span, size in rows
    )
    reading = reading_of(text)
    assert values(reading, "streams", "bytes", "throughput_bps", "direction") == [[2, 30, 120.0, "send"]]
    assert reading.intervals[reading.intervals.stream.isna()].bytes.tolist() == [15, 15]
    assert len(reading.intervals) == 6
    reading = reading_of("".join(text.splitlines(keepends=True)[:5]))
    assert reading.runs.throughput_bps.isna().tolist() == [True]
    assert len(reading.intervals) == 5


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        ("1960 MBytes   196 MBytes/sec", 8 * 196 * 2**20),
        ("24.2 MBytes  20.3 Mbits/sec", 20.3e6),
        ("25.0 MBytes  20971 Kbits/sec", 20971e3),
        ("0.00 Bytes  0.00 bits/sec", 0.0),
    ],
)
def test_units(reading_of, printed, rate):
    reading = reading_of(ROW.replace("1.09 GBytes   939 Mbits/sec", printed))
    assert reading.runs.throughput_bps.tolist() == pytest.approx([rate])


def test_consecutive_results(reading_of):
    reading = reading_of(ROW + ROW.replace("939", "941") + ROW.replace("939", "935"))
    assert reading.runs.throughput_bps.tolist() == [939e6, 941e6, 935e6]


def test_the_sum_of_a_single_stream_is_ignored(reading_of):
    reading = reading_of(BANNER + CONNECTED + HEADING + ROW + ROW.replace("[  3]", "[SUM]").replace("939", "1939"))
    assert reading.runs.throughput_bps.tolist() == [939e6]


@pytest.mark.parametrize(
    ("text", "runs", "problems"),
    [
        (
            BANNER + "connect failed: Connection refused\n",
            [[True, None, 1, 3]],
            ["3: aborted: found 'connect failed: Connection refused', expected a result"],
        ),
        (
            BANNER + "[  1] tcp connect to 192.0.2.2 port 9 failed (Connection refused)\n",
            [[True, None, 1, 3]],
            ["3: aborted: found 'tcp connect to 192.0.2.2 port 9 failed (Connection refused)', expected a result"],
        ),
        (
            BANNER + CONNECTED,
            [],
            ["3: truncated: found the beginning of a run of iperf and no figures; no run made"],
        ),
        (
            BANNER
            + CONNECTED
            + HEADING
            + "[  3]  0.0- 1.0 sec   112 MBytes   939 Mbits/sec\n" * 1
            + "[  3]  1.0- 2.0 sec   112 MBytes   939 Mbits/sec\n",
            [[False, None, 1, 6]],
            ["6: truncated: found no result of iperf; the run has no figures"],
        ),
        (
            BANNER + CONNECTED + "[  3] 0.0000-1.0000 sec   112 MBytes   939 Mbits/sec\n",
            [[False, None, 1, 4]],
            ["4: truncated: found no result of iperf; the run has no figures"],
        ),
        (
            CONNECTED + CONNECTED.replace("3]", "4]") + ROW + ROW.replace("[  3]  0.0-10.0", "[  4]  0.0-19.0"),
            [[False, None, 1, 4]],
            ["4: truncated: found no result of iperf over all streams; the run has no figures"],
        ),
        (
            CONNECTED + ROW + "[  3]  0.0-1",
            [[False, 939e6, 1, 2]],
            [],
        ),
        (
            CONNECTED + ROW + "[  3] 10.0-11.0 sec  1.0",
            [[False, 939e6, 1, 3]],
            [
                "3: truncated: found '[  3] 10.0-11.0 sec  1.0', expected '[ ID] … sec … Bytes … bits/sec'; left out",
            ],
        ),
    ],
)
def test_failures_and_damage(reading_of, problem_lines, text, runs, problems):
    reading = reading_of(text)
    assert values(reading, "error", "throughput_bps", "line_first", "line_last") == runs
    assert problem_lines(reading) == [f"a.log:{problem}" for problem in problems]


def test_lines_of_iperf3_are_not_read(reading_of):
    reading = reading_of("[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    3             sender\n")
    assert reading.runs.tool.tolist() == ["iperf3"]


NAMES = "time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,speed,"
STAMP = "+0000:2026112202084{}.651073,192.0.2.6,50942,192.0.2.7,5101,1,"


def test_csv_with_names(reading_of):
    names = NAMES + "writecnt,writeerr,tcpretry,tcpcwnd,tcppcwnd,tcprtt,tcprttvar\n"
    rows = ["0.0,1.0,1000,8000,9,0,2,767,12,88,12", "1.0,2.0,1000,8000,9,0,1,895,14,68,14"]
    rows.append("0.0,2.0,2000,8000,18,0,3,895,14,68,14")
    reading = reading_of(names + "".join(STAMP.format(4) + row + "\n" for row in rows))
    assert values(reading, "direction", "bytes", "throughput_bps", "retransmits", "rtt_s") == [
        ["send", 2000, 8000, 3, 68e-6]
    ]
    assert reading.intervals[["retransmits", "cwnd_bytes"]].to_numpy().tolist() == [[2, 767 * 1024], [1, 895 * 1024]]
    assert reading.problems.empty


def test_csv_has_lost_packets_only_at_the_receiver(reading_of):
    row = STAMP.format(4) + "0.0,2.0,14700,58800,{},{},10,0.000,0,{},0,0,5.0\n"
    heard = reading_of(NAMES + "jitter,errors,datagrams,errpercent,outoforder,readcnt\n" + row.format(0.003, 1, 9))
    assert values(heard, "direction", "throughput_bps", "lost_packets", "sent_packets") == [["receive", 58800, 1, 10]]
    sent = reading_of(NAMES + "jitter,errors,datagrams,errpercent,outoforder,writecnt\n" + row.format("0.000", 0, 10))
    assert values(sent, "direction", "throughput_bps", "sender_throughput_bps", "lost_packets") == [
        ["send", None, 58800, None]
    ]


def test_a_permit_key_precedes_the_number(reading_of):
    text = CONNECTED.replace("[  3]", "[secret(3)]") + HEADING + ROW.replace("[  3]", "[secret(3)]")
    assert values(reading_of(text), "direction", "throughput_bps", "streams") == [["send", 939e6, 1]]


def test_the_sum_counts_its_streams(reading_of):
    text = BANNER + "[SUM-2] 0.00-1.00 sec  47.8 MBytes   401 Mbits/sec  384/0         0\n"
    text += "[SUM-2] 1.00-2.00 sec  47.8 MBytes   401 Mbits/sec  382/0         1\n"
    text += "[SUM-2] 0.00-2.00 sec  95.6 MBytes   401 Mbits/sec  766/0         1\n"
    assert values(reading_of(text), "streams", "throughput_bps", "retransmits") == [[2, 401e6, 1]]


def test_figures_missing_from_the_sum_are_added_and_differences_are_problems(reading_of, problem_lines):
    row = "[  {}]  0.0- 2.0 sec   500 KBytes  2.05 Mbits/sec   0.100 ms    {}/  400 (0%)\n"
    first = row.replace("0.0- 2.0", "0.0- 1.0").replace("500", "250")
    text = first.format(3, 1) + first.format(4, 1) + row.format(3, 1) + row.format(4, 2)
    reading = reading_of(text + "[SUM]  0.0- 2.0 sec  1000 KBytes  4.10 Mbits/sec\n")
    assert values(reading, "throughput_bps", "lost_packets", "sent_packets") == [[pytest.approx(4.1e6), 3, 800]]
    assert reading.problems.empty
    reading = reading_of(text + "[SUM]  0.0- 2.0 sec  1200 KBytes  4.92 Mbits/sec\n")
    assert values(reading, "throughput_bps", "bytes") == [[4.92e6, 1200 * 1024]]
    told = "found 1.2288e+06 bytes in '[SUM]' and 1.024e+06 in its streams, expected the same; kept as printed"
    assert problem_lines(reading) == [f"a.log:5: inconsistent: {told}"]


def test_both_directions_over_two_ports(reading_of):
    text = "Server listening on TCP port 6301\n" + BANNER.replace("5001", "6300")
    text += CONNECTED.replace("5001", "6300") + "[  4] local 192.0.2.6 port 6301 connected with 192.0.2.7 port 33898\n"
    text += HEADING + ROW + ROW.replace("[  3]", "[  4]").replace("939", "541").replace("1.09", "0.63")
    assert values(reading_of(text), "direction", "throughput_bps", "streams") == [
        ["send", 939e6, 1],
        ["receive", 541e6, 1],
    ]


def test_a_client_that_connects_after_the_first_interval_joins_the_run(reading_of):
    text = "Server listening on TCP port 5001\n"
    row = "[  {}]  {}.0- {}.0 sec   100 MBytes   839 Mbits/sec\n"
    connected = "[  {}] local 192.0.2.7 port 5001 connected with 192.0.2.6 port 4000{}\n"
    text += connected.format(4, 0) + row.format(4, 0, 1) + connected.format(5, 1)
    text += row.format(4, 1, 2) + row.format(5, 0, 1) + row.format(5, 1, 2)
    text += row.format(4, 0, 2).replace("100 M", "200 M") + row.format(5, 0, 2).replace("100 M", "200 M")
    reading = reading_of(text + "[SUM]  0.0- 2.0 sec   400 MBytes  1.68 Gbits/sec\n")
    assert values(reading, "direction", "streams", "throughput_bps", "line_first") == [["receive", 2, 1.68e9, 1]]
    assert len(reading.intervals) == 4
    assert reading.problems.empty


def test_omitted_intervals_and_lines_that_are_not_rows(reading_of):
    text = BANNER + CONNECTED + HEADING + "[  3]  0.0- 1.0 sec  1.00 MBytes  8.39 Mbits/sec  (omitted)\n"
    text += "[  3]  0.0- 1.0 sec   109 MBytes   914 Mbits/sec\n[  3] 0.00-1.00 sec T8-PDF: bin(w=10us):cnt(2)=1:2\n"
    text += "[  3]  1.0- 2.0 sec   109 MBytes   914 Mbits/sec\n[  3]  0.0- 2.0 sec   218 MBytes   914 Mbits/sec\n"
    reading = reading_of(text + "[  3] 0.00-2.00 sec  OWD Delays (ms) Cnt=2 To=0.1/0.1/0.1/0.0\n")
    assert values(reading, "throughput_bps") == [[914e6]]
    assert len(reading.intervals) == 2
    assert reading.problems.empty


def test_a_round_trip_time_without_a_window(reading_of):
    text = BANNER + CONNECTED + ROW.replace("\n", "  8002/0          4       NA/123(45) us  953\n")
    assert values(reading_of(text), "retransmits", "rtt_s") == [[4, 123e-6]]


def test_a_wrapped_report_of_the_server(reading_of):
    text = (
        BANNER.replace("TCP port", "UDP port") + CONNECTED + ROW + "[  3] Sent 1000 datagrams\n[  3] Server Report:\n"
    )
    text += "[  3]  0.0-10.2 sec   900 MBytes   740 Mbits/sec   0.811 ms\n 300/1000 (30%)\n"
    assert values(reading_of(text), "throughput_bps", "sender_throughput_bps", "lost_packets", "duration_s") == [
        [740e6, 939e6, 300, 10.2]
    ]


def test_truncated_csv_rows_are_left_out(reading_of, problem_lines):
    text = "20261122020841,192.0.2.6,50934,192.0.2.7,5001,1,0.0-2.0,50000000,200000000"
    assert values(reading_of(text), "throughput_bps") == [[2e8]]
    reading = reading_of(text[:-2])
    assert reading.runs.empty
    assert problem_lines(reading)[0] == f"a.log:1: truncated: found '{text[:-2]}' at the end of the file; left out"


def test_an_amount_in_bits(reading_of):
    text = CONNECTED + HEADING + "[  3]  0.0- 5.0 sec  1.45 Gbits   290 Mbits/sec\n"
    text += "[  3]  5.0-10.0 sec  1.46 Gbits   292 Mbits/sec\n[  3]  0.0-10.0 sec  2.91 Gbits   291 Mbits/sec\n"
    reading = reading_of(text)
    assert values(reading, "bytes", "throughput_bps") == [[2.91e9 / 8, 291e6]]
    assert reading.intervals.bytes.tolist() == [1.45e9 / 8, 1.46e9 / 8]
    assert reading.problems.empty


def test_a_late_csv_result_belongs_to_its_intervals(reading_of):
    row = "201506101023{},192.0.2.6,5347{},192.0.2.7,5001,{},{},{},{}\n"
    text = "".join(row.format(41 + at, n, n, f"{at}.0-{at + 1}.0", 1000, 8000) for at in (0, 1) for n in (3, 4))
    text += row.format(42, 3, 3, "0.0-2.0", 2000, 8000)
    late = "201506101024{},192.0.2.6,{},192.0.2.7,5001,{},0.0-2.0,{},{}\n"
    reading = reading_of(text + late.format(40, 53474, 4, 2000, 8000) + late.format(40, 0, -1, 4000, 16000))
    assert values(reading, "streams", "throughput_bps", "bytes") == [[2, 16000, 4000]]
    assert len(reading.intervals) == 4


def test_streams_missing_from_a_truncated_log_are_a_problem(reading_of, problem_lines):
    text = CONNECTED + CONNECTED.replace("[  3]", "[  4]").replace("40112", "40113") + HEADING + ROW
    reading = reading_of(text)
    assert values(reading, "streams", "throughput_bps") == [[2, None]]
    assert problem_lines(reading) == [
        "a.log:4: truncated: found no result of iperf over all streams; the run has no figures",
    ]
    reading = reading_of(text + "[SUM]  0.0-10.0 sec  2.18 GBytes  1.87 Gbits/sec\n")
    assert values(reading, "streams", "throughput_bps") == [[2, 1.87e9]]


@pytest.mark.parametrize("banner", ["", BANNER])
def test_a_sum_without_rows_of_its_stream_is_the_result(reading_of, banner):
    reading = reading_of(banner + CONNECTED + "[SUM]  0.0-10.0 sec  1.09 GBytes   939 Mbits/sec\n")
    assert values(reading, "throughput_bps", "bytes") == [[939e6, round(1.09 * 2**30)]]
    assert reading.problems.empty


def test_the_server_below_a_client_whose_rows_break_off_is_a_run_of_its_own(reading_of, column):
    reading = reading_of(
        "Client connecting to far, TCP port 5001\n"
        "[  3] local 192.0.2.7 port 40110 connected with 192.0.2.9 port 5001\n"
        "[  3]  0.0- 5.0 sec  3.50 MBytes  5.87 Mbits/sec\n"
        "[  3]  5.0-10.0 sec  7.25 MBytes  12.2 Mbits/sec\n"
        "\n"
        "Server listening on TCP port 5001\n"
        "[  4] local 192.0.2.9 port 5001 connected with 192.0.2.7 port 40110\n"
        "[  4]  0.0-20.3 sec  27.1 MBytes  11.2 Mbits/sec\n"
    )
    assert column(reading, "direction") == ["send", "receive"]
    assert column(reading, "throughput_bps") == [None, 11.2e6]
    assert column(reading, "line_first") == [1, 6]
