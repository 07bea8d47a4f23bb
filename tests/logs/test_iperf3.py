"""iperf3 as client and server, as text, JSON and JSON stream, of old and new versions, complete and damaged."""

import json

import pandas as pd
import pytest

from hecn_analysis.logs import read

HEADING = "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
RESULT = "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n"
ROW = "[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    3   1.38 MBytes       \n"
SENDER = "[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    3             sender\n"
RECEIVER = "[  5]   0.00-1.04   sec  1.09 GBytes  9.00 Gbits/sec                  receiver\n"
CONNECTING = "Connecting to host there, port 5201\n[  5] local 192.0.2.6 port 5 connected to 192.0.2.7 port 5201\n"


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_the_figures_of_both_ends(reading_of):
    reading = reading_of(CONNECTING + HEADING + ROW + RESULT + SENDER + RECEIVER + "\niperf Done.\n")
    assert values(
        reading, "tool", "protocol", "direction", "duration_s", "bytes", "throughput_bps", "sender_throughput_bps"
    ) == [["iperf3", "tcp", "send", 1.04, round(1.09 * 2**30), 9e9, 9.42e9]]
    assert values(reading, "streams", "retransmits", "error", "line_first", "line_last") == [[1, 3, False, 1, 10]]
    assert reading.intervals[["line", "t_end_s", "bytes", "retransmits", "cwnd_bytes"]].to_numpy().tolist() == [
        [4, 1.0, round(1.1 * 2**30), 3, round(1.38 * 2**20)]
    ]
    assert reading.intervals["stream"].isna().all()
    assert reading.problems.empty


def test_several_streams_with_processor_time_version_and_date(samples):
    reading = read(samples / "iperf3" / "tcp-two-streams.txt")
    assert values(reading, "streams", "throughput_bps", "sender_throughput_bps", "retransmits", "tool_version") == [
        [2, 12.4e9, 12.4e9, 17, "3.12"]
    ]
    assert values(reading, "cpu_sender_fraction", "cpu_receiver_fraction") == [[0.392, 0.521]]
    assert reading.runs.start_time[0] == pd.Timestamp("2026-11-22 00:06:41", tz="UTC")
    assert reading.streams[["stream", "throughput_bps", "retransmits"]].to_numpy().tolist() == [
        [0, 6.23e9, 10],
        [1, 6.14e9, 7],
    ]
    assert reading.intervals.stream.fillna(-1).tolist() == [0, 1, -1, 0, 1, -1]
    assert reading.problems.empty


def test_both_directions_are_two_runs(samples):
    reading = read(samples / "iperf3" / "bidirectional.txt")
    assert values(reading, "direction", "throughput_bps", "sender_throughput_bps", "retransmits") == [
        ["send", 7.85e9, 7.89e9, 1],
        ["receive", 6.99e9, 7.02e9, 7],
    ]
    assert values(reading, "cpu_sender_fraction", "cpu_receiver_fraction") == [
        pytest.approx([0.443, 0.453]),
        pytest.approx([0.453, 0.443]),
    ]
    assert reading.intervals.run.tolist() == [0, 0, 1, 1]


def test_omitted_intervals_and_server_output_are_not_part_of_the_run(samples):
    reading = read(samples / "iperf3" / "udp-reverse-omitted.txt")
    assert values(reading, "protocol", "direction", "streams", "throughput_bps", "jitter_s", "sent_packets") == [
        ["udp", "receive", 2, 39.8e6, pytest.approx(8.4e-5), 304]
    ]
    assert reading.intervals[["t_start_s", "sent_packets"]][reading.intervals.stream.isna()].to_numpy().tolist() == [
        [0.0, 152],
        [1.0, 152],
    ]
    reading = read(samples / "iperf3" / "reverse-with-server-output.txt")
    assert values(reading, "direction", "throughput_bps", "retransmits") == [["receive", 15e9, 0]]
    assert len(reading.intervals) == 2
    assert reading.problems.empty


def test_the_receiver_in_the_output_of_the_server(reading_of):
    server = "Accepted connection from 192.0.2.6, port 9\n" + ROW.replace("[  5]", "[  6]") + RESULT
    reading = reading_of(
        CONNECTING
        + HEADING
        + ROW
        + RESULT
        + SENDER
        + "\nServer output:\n"
        + server
        + RECEIVER.replace("[  5]", "[  6]")
        + "\n\niperf Done.\n"
    )
    assert values(reading, "throughput_bps", "streams", "direction") == [[9e9, 1, "send"]]
    assert len(reading.intervals) == 1


def test_a_server_serves_one_client_after_another(samples, problem_lines):
    reading = read(samples / "iperf3" / "server.txt")
    assert values(reading, "direction", "streams", "throughput_bps", "sender_throughput_bps", "error") == [
        ["receive", 2, 12.4e9, None, False],
        ["send", 1, None, 7.0e9, False],
        ["receive", 1, 7.85e9, None, False],
        ["send", 2, None, 6.13e9, False],
        ["receive", 2, 2.23e9, None, False],
        ["send", 1, None, 15e9, False],
        ["receive", 1, 34.4e9, None, True],
    ]
    assert problem_lines(reading) == [
        "server.txt:92: aborted: found 'the client has terminated', expected a result",
        (
            "server.txt:93: inconsistent: found 2.35149e+09 bytes in the intervals and 4305704714 in the summary, "
            "expected a difference below 1 %"
        ),
    ]


def test_udp_before_3_2_has_one_row_for_two_ends(samples, problem_lines):
    reading = read(samples / "iperf3" / "udp-3.1.txt")
    assert values(reading, "direction", "throughput_bps", "bytes", "sent_packets", "lost_packets") == [
        ["send", 1e6, 249856, 173, 3],
        ["receive", None, None, 173, 3],
    ]
    assert reading.runs.loss_fraction.tolist() == [3 / 173] * 2
    assert problem_lines(reading) == [
        "udp-3.1.txt:8: ambiguous: found one rate beside lost packets; it is that of the sender, and kept",
        "udp-3.1.txt:22: inconsistent: found no bytes in the result after intervals; left out",
    ]


def test_a_result_without_its_intervals(reading_of):
    heading = "- - - - - - - -\n[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
    row = "[{}]   0.00-10.00  sec  1.24 MBytes  1.04 Mbits/sec  0.013 ms  0/159 (0%)  \n[{}] Sent 159 datagrams\n"
    reading = reading_of(f"$ iperf3 -u -c there\n{heading}{row.format('  4', '  4')}\n")
    assert values(reading, "throughput_bps", "sent_packets", "streams") == [[pytest.approx(1.04e6), 159, 1]]
    both = row.format("  4", "  4") + row.format("  6", "  6")
    total = "[SUM]   0.00-10.00  sec  2.48 MBytes  2.08 Mbits/sec  0.008 ms  0/318 (0%)  \n"
    reading = reading_of(f"$ iperf3 -u -c there -P 2\n{heading}{both}{total}")
    assert values(reading, "throughput_bps", "sent_packets", "streams") == [[pytest.approx(2.08e6), 318, 2]]


def test_sent_and_received_on_lines_of_their_own(samples):
    reading = read(samples / "iperf3" / "tcp-3.0.txt")
    assert values(reading, "throughput_bps", "sender_throughput_bps", "retransmits") == [[937e6, 941e6, 2]]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        ("1128 MBytes/sec", 8 * 1128 * 2**20),
        ("9.42 Gbits/sec", 9.42e9),
        ("9420000 Kbits/sec", 9.42e9),
        ("9420000 Kbis/sec", 9.42e9),
        ("0.00 bits/sec", 0.0),
        ("1.02 Tbits/sec", 1.02e12),
    ],
)
def test_units(reading_of, printed, rate):
    moved = f"sec  {rate * 1.04 / 8 / 2**30:.2f} GBytes"
    text = HEADING + RECEIVER.replace("9.00 Gbits/sec", printed).replace("sec  1.09 GBytes", moved)
    assert reading_of(text).runs.throughput_bps.tolist() == [rate]


def test_lines_with_changed_blanks_are_read_inside_iperf3_output(reading_of):
    reading = reading_of(
        "[ ID] Interval               Transfer        Bandwidth       Retr\n"
        "[ 15] 0.00-10.00sec  9.45 GBytes  8114 Mbits/sec   0      sender\n"
        "[ 15] 0.00-10.00 sec 9.43 GBytes  8103 Mbits/sec           receiver\n"
    )
    assert values(reading, "throughput_bps", "sender_throughput_bps", "retransmits") == [[8103e6, 8114e6, 0]]


def test_consecutive_results(reading_of):
    reading = reading_of(3 * (SENDER + RECEIVER))
    assert reading.runs.throughput_bps.tolist() == [9e9] * 3
    assert reading.runs.line_first.tolist() == [1, 3, 5]


@pytest.mark.parametrize(
    ("text", "runs", "problems"),
    [
        (
            "iperf3: error - unable to connect to server: Connection refused\n",
            [[True, None, 1, 1]],
            ["1: aborted: found 'error - unable to connect to server: Connection refused', expected a result"],
        ),
        (
            CONNECTING + HEADING + ROW + "iperf3: error - control socket has closed unexpectedly\n",
            [[True, None, 1, 5]],
            [
                "5: aborted: found 'error - control socket has closed unexpectedly', expected a result",
                "5: truncated: found intervals and no result of iperf3; the run has no figures",
            ],
        ),
        (
            CONNECTING + HEADING + ROW,
            [[False, None, 1, 4]],
            ["4: truncated: found intervals and no result of iperf3; the run has no figures"],
        ),
        (
            CONNECTING,
            [],
            ["2: truncated: found the beginning of a run of iperf3 and no figures; no run made"],
        ),
        (
            CONNECTING + HEADING + ROW + RESULT + SENDER,
            [[False, None, 1, 7]],
            ["7: truncated: found no row 'receiver'; the throughput is missing"],
        ),
        (
            CONNECTING + HEADING + ROW + "[  5]   1.00-2.00   sec  1.1x GBytes  9.4\n" + RESULT + SENDER + RECEIVER,
            [[False, 9e9, 1, 9]],
            [
                (
                    "5: malformed: found '[  5]   1.00-2.00   sec  1.1x GBytes  9.4', "
                    "expected '[ ID] … sec … Bytes … bits/sec …'; left out"
                )
            ],
        ),
        (
            CONNECTING
            + HEADING
            + ROW
            + RESULT
            + SENDER.replace("1.10 G", "0.00 ").replace("9.42 G", "0.00 ")
            + RECEIVER,
            [[False, 9e9, 1, 8]],
            [],
        ),
    ],
)
def test_failures_and_damage(reading_of, problem_lines, text, runs, problems):
    reading = reading_of(text)
    assert values(reading, "error", "throughput_bps", "line_first", "line_last") == runs
    assert problem_lines(reading) == [f"a.log:{problem}" for problem in problems]


def test_an_error_between_two_clients_belongs_to_neither(reading_of):
    server = "-----------\nServer listening on 5201\n-----------\n"
    client = "Accepted connection from 192.0.2.6, port 9\n" + HEADING + ROW + RESULT + RECEIVER
    error = "iperf3: error - unable to receive cookie at server: Bad file descriptor\n"
    reading = reading_of(server + client + server + error + server + client + server)
    assert values(reading, "error", "throughput_bps") == [[False, 9e9], [True, None], [False, 9e9]]


def test_an_interrupted_client(samples, problem_lines):
    reading = read([samples / "iperf3" / "interrupted.txt", samples / "iperf3" / "interrupted-json.txt"])
    assert values(reading, "error", "throughput_bps", "sender_throughput_bps") == [
        [True, None, 17.8e9],
        [True, None, 17274286753.576263],
    ]
    assert problem_lines(reading) == [
        "interrupted.txt:1: aborted: found 'interrupt - the client has terminated', expected a result",
        "interrupted.txt:10: inconsistent: found no bytes received of a sender that sent some; left out",
        "interrupted-json.txt:149: aborted: found 'interrupt - the client has terminated', expected a result",
        "interrupted-json.txt:149: inconsistent: found no bytes received of a sender that sent some; left out",
    ]


def test_json_of_both_directions(samples, problem_lines):
    reading = read(samples / "iperf3" / "bidirectional-json.txt")
    assert values(reading, "direction", "streams", "bytes", "throughput_bps", "sender_throughput_bps") == [
        ["send", 2, 558366720, 2229451637.6006813, 2280530791.602649],
        ["receive", 2, 1534853120, 6128375276.127694, 6139084039.003914],
    ]
    assert reading.runs.start_time.dt.year.tolist() == [2026, 2026]
    assert reading.streams[["run", "stream", "bytes"]].to_numpy().tolist() == [
        [0, 0, 284950528],
        [0, 1, 273416192],
        [1, 0, 773324800],
        [1, 1, 761528320],
    ]
    assert reading.streams.rtt_s[0] == pytest.approx(528e-6)
    assert reading.intervals[reading.intervals.stream.isna()].run.tolist() == [0, 0, 1, 1]
    assert reading.intervals.line.is_monotonic_increasing is False
    assert problem_lines(reading) == []


def test_a_json_stream_is_one_run_and_its_whole_document_not_another(samples, tmp_path):
    path = samples / "iperf3" / "udp-json-stream.txt"
    reading = read(path)
    assert values(reading, "protocol", "streams", "throughput_bps", "sent_packets", "line_first", "line_last") == [
        ["udp", 2, 2096334.429572467, 8, 1, 3]
    ]
    assert reading.intervals.line.tolist() == [2, 2, 2]
    start, interval, end = (json.loads(line)["data"] for line in path.read_text().splitlines())
    whole = json.dumps({"start": start, "intervals": [interval], "end": end})
    (tmp_path / "a.log").write_text(path.read_text() + whole + "\n")
    assert len(read(tmp_path / "a.log").runs) == 1


def test_a_json_stream_without_its_end(samples, reading_of, problem_lines):
    text = (samples / "iperf3" / "udp-json-stream.txt").read_text().splitlines(keepends=True)
    reading = reading_of("".join(text[:2]))
    assert values(reading, "throughput_bps", "streams") == [[None, 2]]
    assert len(reading.intervals) == 3
    assert problem_lines(reading) == [
        "a.log:2: truncated: found a JSON stream without its end; the complete part is read"
    ]


def test_json_errors_of_iperf3_and_of_other_programs(reading_of):
    reading = reading_of('WARNING: careful\n{\n\t"error":\t"unable to connect to server: Connection refused"\n}\n')
    assert values(reading, "tool", "error", "line_first", "line_last") == [["iperf3", True, 2, 4]]
    assert reading_of('{"error": "page not found"}\n').problems.kind.tolist() == ["unrecognised"]


def test_truncated_json_keeps_its_intervals(samples, tmp_path):
    text = (samples / "iperf3" / "bidirectional-json.txt").read_text()
    (tmp_path / "a.log").write_text(text[: text.index('"end":\t') if '"end":\t' in text else text.index('\t"end": {')])
    reading = read(tmp_path / "a.log")
    assert values(reading, "direction", "throughput_bps", "error") == [["send", None, False], ["receive", None, False]]
    assert len(reading.intervals) == 12
    assert reading.problems.kind.tolist() == ["truncated"]


def test_loss_and_rate_of_the_receiver_in_new_json(reading_of):
    document = {
        "start": {"version": "iperf 3.17", "test_start": {"protocol": "UDP", "num_streams": 1, "reverse": 0}},
        "intervals": [],
        "end": {
            "sum": {"seconds": 2.0, "bytes": 2000, "bits_per_second": 8000.0, "lost_packets": 5, "packets": 10},
            "sum_sent": {"seconds": 2.0, "bytes": 2000, "bits_per_second": 8000.0, "packets": 10},
            "sum_received": {
                "seconds": 2.0,
                "bytes": 1000,
                "bits_per_second": 4000.0,
                "lost_packets": 5,
                "packets": 10,
            },
        },
    }
    reading = reading_of(json.dumps(document))
    assert values(reading, "throughput_bps", "sender_throughput_bps", "bytes", "loss_fraction") == [
        [4000, 8000, 1000, 0.5]
    ]
    del document["end"]["sum_sent"], document["end"]["sum_received"]
    reading = reading_of(json.dumps(document))
    assert values(reading, "throughput_bps", "sender_throughput_bps", "bytes", "loss_fraction") == [
        [8000, None, 2000, 0.5]
    ]
    assert reading.problems.kind.tolist() == ["ambiguous"]


def test_lines_of_iperf_2_are_not_read(reading_of):
    reading = reading_of("[  3]  0.0-10.0 sec  1.09 GBytes   939 Mbits/sec\n[  1] 0.00-2.00 sec  1 Bytes  4 bits/sec\n")
    assert "iperf3" not in reading.runs.tool.tolist()


LISTENING = "-" * 59 + "\nServer listening on 5201\n" + "-" * 59 + "\n"
ACCEPTED = "Accepted connection from 192.0.2.6, port 4\n[  5] local 192.0.2.7 port 5201 connected to 192.0.2.6 port 5\n"
STOPPED = "iperf3: interrupt - the server has terminated\n"


@pytest.mark.parametrize(
    ("end", "error", "problems"),
    [
        (LISTENING + STOPPED, False, []),
        (STOPPED + LISTENING, False, []),
        ("iperf 3.6\nLinux there 6.1\n" + STOPPED + LISTENING, False, []),
        (
            STOPPED,
            True,
            ["a.log:7: aborted: found 'interrupt - the server has terminated', expected a result"],
        ),
        (
            "iperf3: the client has unexpectedly closed the connection\n" + LISTENING,
            False,
            [
                (
                    "a.log:7: inconsistent: found 'the client has unexpectedly closed the connection' below a result; "
                    "the result is kept"
                )
            ],
        ),
    ],
)
def test_stopping_a_waiting_server_is_not_a_failure(reading_of, problem_lines, end, error, problems):
    reading = reading_of(ACCEPTED + HEADING + ROW + "- - - - - - -\n" + RECEIVER + end)
    assert values(reading, "throughput_bps", "error") == [[9e9, error]]
    assert problem_lines(reading) == problems


def test_a_server_stopped_before_its_first_client_has_no_run(reading_of):
    reading = reading_of("iperf 3.9\nLinux there 6.1\n" + STOPPED + LISTENING)
    assert reading.runs.empty
    waiting = {"start": {"connected": [], "version": "iperf 3.9"}, "intervals": [], "end": {}}
    reading = reading_of(json.dumps({**waiting, "error": "interrupt - the server has terminated"}))
    assert reading.runs.empty
    assert reading.problems.kind.tolist() in ([], ["unrecognised"])


def test_the_version_of_a_server_applies_to_all_its_clients(reading_of):
    reading = reading_of("iperf version 3.0.1 (10 January 2014)\n" + 2 * (LISTENING + ACCEPTED + ROW + RECEIVER))
    assert values(reading, "tool_version", "direction") == [["3.0.1", "receive"]] * 2


@pytest.mark.parametrize("prefix", ["a title:  ", "Sun Nov 22 02:16:04 2026 "])
def test_a_title_or_a_time_before_every_line(reading_of, prefix):
    text = CONNECTING + "Reverse mode, remote host there is sending\n" + HEADING.replace("Retr  Cwnd", "") + ROW
    text += "- - - - - - -\n" + HEADING + SENDER + RECEIVER + "\niperf Done.\n"
    reading = reading_of("".join(prefix + line for line in text.splitlines(keepends=True)))
    assert values(reading, "direction", "throughput_bps", "sender_throughput_bps") == [["receive", 9e9, 9.42e9]]
    assert len(reading.intervals) == 1
    assert reading.problems.empty


def stream_of(*, sends, sent, received):
    sender = {"end": 2.0, "start": 0, "seconds": 2.0, "bytes": sent, "bits_per_second": 4.0 * sent, "retransmits": 1}
    receiver = {"end": 2.5, "start": 0, "seconds": 2.0, "bytes": received, "bits_per_second": 3.2 * received}
    return {"sender": {**sender, "sender": sends}, "receiver": {**receiver, "sender": sends}}


def interval_of(amount, *, sends):
    figures = {"start": 0, "end": 2, "seconds": 2, "bytes": amount, "bits_per_second": 4.0 * amount, "omitted": False}
    return {**figures, "sender": sends}


def test_json_of_both_directions_with_the_same_keys(reading_of):
    start = {"version": "iperf 3.9", "connecting_to": {}, "test_start": {"protocol": "TCP", "reverse": 0}}
    streams = [
        stream_of(sends=True, sent=1000, received=900),
        stream_of(sends=True, sent=3000, received=2900),
        stream_of(sends=False, sent=500, received=400),
    ]
    interval = {
        "streams": [interval_of(1000, sends=True), interval_of(3000, sends=True), interval_of(400, sends=False)],
        "sum": interval_of(400, sends=False),
    }
    end = {"streams": streams, "sum_sent": {"bytes": 500}, "sum_received": {"bytes": 400}}
    reading = reading_of(json.dumps({"start": start, "intervals": [interval], "end": end}))
    assert values(reading, "direction", "bytes", "throughput_bps", "sender_throughput_bps", "duration_s") == [
        ["send", 3800, 12160.0, 16000.0, 2.5],
        ["receive", 400, 1280.0, 2000.0, 2.5],
    ]
    assert values(reading, "retransmits") == [[2], [1]]
    whole = reading.intervals[reading.intervals.stream.isna()]
    assert whole[["run", "bytes"]].to_numpy().tolist() == [[0, 4000], [1, 400]]
    assert reading.streams[["run", "bytes"]].to_numpy().tolist() == [[0, 900], [0, 2900]]


def test_json_of_3_0_has_no_sums_for_one_stream(reading_of):
    start = {
        "version": "iperf version 3.0.1 (10 January 2014)",
        "connecting_to": {},
        "test_start": {"protocol": "TCP", "num_streams": 1, "reverse": 0},
    }
    stream = stream_of(sends=True, sent=1000, received=900)
    for side in stream.values():
        del side["sender"]
    interval = interval_of(1000, sends=True)
    del interval["sender"]
    document = {"start": start, "intervals": [{"streams": [interval]}], "end": {"streams": [stream]}}
    reading = reading_of(json.dumps(document))
    assert values(reading, "tool_version", "throughput_bps", "sender_throughput_bps", "streams") == [
        ["3.0.1", 2880.0, 4000.0, 1]
    ]
    assert reading.intervals.bytes.tolist() == [1000]
    assert reading.problems.empty


def test_zeros_in_the_json_of_a_udp_server_are_unknown(reading_of, problem_lines):
    start = {"version": "iperf 3.9", "accepted_connection": {}, "test_start": {"protocol": "UDP", "reverse": 0}}
    zero = {"start": 0, "end": 2.5, "seconds": 2.5, "bytes": 0, "bits_per_second": 0, "packets": 9, "lost_packets": 1}
    reading = reading_of(json.dumps({"start": start, "intervals": [], "end": {"streams": [], "sum": zero}}))
    assert values(reading, "bytes", "throughput_bps", "sent_packets", "lost_packets") == [[None, None, 9, 1]]
    assert problem_lines(reading) == ["a.log:1: inconsistent: found no bytes in the result after packets; left out"]
    received = {**zero, "bytes": 8000, "bits_per_second": 25600}
    end = {"streams": [], "sum_sent": {**zero, "packets": 0, "lost_packets": 0}, "sum_received": received}
    reading = reading_of(json.dumps({"start": start, "intervals": [], "end": end}))
    assert values(reading, "throughput_bps", "sender_throughput_bps") == [[25600, None]]


def test_an_old_server_that_misses_the_end_of_a_connection_keeps_its_result(reading_of, problem_lines):
    start = {"version": "iperf 3.2", "accepted_connection": {}, "test_start": {"protocol": "TCP", "reverse": 0}}
    total = {"start": 0, "end": 2.0, "seconds": 2.0, "bytes": 1000, "bits_per_second": 4000}
    end = {"streams": [], "sum_sent": {**total, "bytes": 0, "bits_per_second": 0}, "sum_received": total}
    error = "the client has unexpectedly closed the connection"
    reading = reading_of(json.dumps({"start": start, "intervals": [], "end": end, "error": error}))
    assert values(reading, "throughput_bps", "error") == [[4000, False]]
    assert problem_lines(reading) == [f"a.log:1: inconsistent: found '{error}' below a result; the result is kept"]


def test_streams_of_truncated_json_are_not_summed(reading_of):
    start = {"version": "iperf 3.9", "connecting_to": {}, "test_start": {"protocol": "TCP", "reverse": 0}}
    end = {"streams": [stream_of(sends=True, sent=1000, received=900)] * 2}
    text = json.dumps({"start": start, "intervals": [], "end": end})
    reading = reading_of(text[: text.rindex("receiver")])
    assert values(reading, "throughput_bps", "sender_throughput_bps") == [[None, None]]
    assert "truncated" in reading.problems.kind.tolist()


def test_a_truncated_log_of_an_old_server_with_a_row_of_zeros_has_no_rate(reading_of):
    zeros = SENDER.replace("1.10 GBytes  9.42 Gbits", "0.00 Bytes  0.00 bits").replace("    3  ", "       ")
    reading = reading_of(ACCEPTED + HEADING + ROW + "- - - - - - -\n" + zeros)
    assert values(reading, "throughput_bps", "sender_throughput_bps") == [[None, None]]


@pytest.mark.parametrize(
    "line",
    [
        '    "router"  # Times out: iperf3: error - unable to connect to server',
        "Sometimes we get iperf3: error - unable to connect to server: Connection refused",
        "| `iperf3: error - unable to connect to server` | Is the receiver listening? |",
    ],
)
def test_an_error_in_prose_is_not_a_run(reading_of, line):
    assert reading_of(line + "\n").runs.empty


@pytest.mark.parametrize(
    "prefix", ["", "2026-05-01 10:00:00 ", "[root@there ~]# ", "May  1 10:00:00 there bench[12]: "]
)
def test_an_error_behind_a_time_or_a_prompt_is_a_run(reading_of, prefix):
    reading = reading_of(prefix + "iperf3: error - unable to connect to server: Connection refused\n")
    assert values(reading, "error") == [[True]]


def test_wrapped_results(reading_of):
    text = CONNECTING + RESULT.removeprefix("- - - - -\n")
    text += "[SUM]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec  1191\nsender [SUM]   0.00-10.05  sec  1.09 GBytes"
    reading = reading_of(text + "   935 Mbits/sec\n receiver\n\n$ exit\n")
    assert values(reading, "direction", "throughput_bps", "sender_throughput_bps", "retransmits") == [
        ["send", 935e6, 945e6, 1191]
    ]
    assert values(reading, "line_first", "line_last") == [[1, 6]]
    assert reading.problems.empty
    quoted = "".join(f"> > {line}\n" for line in text.replace(" sec  1191\n", " sec\n").splitlines())
    assert reading_of(quoted + "> > 935 Mbits/sec\n").runs.sender_throughput_bps.tolist() == [945e6]


def test_a_wrapped_loss_and_a_line_that_is_not_a_row(reading_of):
    heading = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total\nDatagrams\n"
    text = heading + "[SUM]   0.00-10.00  sec   160 MBytes   134 Mbits/sec  0.000 ms  0/1000\n(0%)  sender\n"
    text += "[SUM]   0.00-10.01  sec   150 MBytes   125 Mbits/sec  0.347 ms  50/1000\n(5%)  receiver\n"
    reading = reading_of(text)
    assert values(reading, "throughput_bps", "sender_throughput_bps", "lost_packets", "jitter_s") == [
        [125e6, 134e6, 50, 0.347e-3]
    ]
    rows = CONNECTING + HEADING + ROW + ROW.replace("0.00-1.00", "1.00-2.00")
    assert len(reading_of(rows).intervals) == 2
    assert len(reading_of(CONNECTING + HEADING + ROW).intervals) == 1


def test_zeros_of_a_server_in_truncated_json(reading_of):
    start = {"version": "iperf 3.21", "accepted_connection": {}, "test_start": {"protocol": "TCP", "reverse": 0}}
    end = {"streams": [], "sum_sent": {"seconds": 2.0, "bytes": 0, "bits_per_second": 0}, "sum_received": {"start": 0}}
    text = json.dumps({"start": start, "intervals": [], "end": end})
    reading = reading_of(text[:-4])
    assert values(reading, "throughput_bps", "sender_throughput_bps") == [[None, None]]


def test_a_server_that_was_asked_for_the_reverse_sends(reading_of, column):
    asked = '{\n\t"tcp":\ttrue,\n\t"omit":\t0,\n\t"time":\t2,\n\t"parallel":\t1,\n\t"reverse":\ttrue\n}\n'
    rows = "[ ID] Interval           Transfer     Bandwidth\n" + "".join(
        f"[  5]   {second}.00-{second + 1}.00   sec   315 KBytes  2.58 Mbits/sec\n" for second in range(3)
    )
    ends = (
        "Accepted connection from 10.0.0.2, port 52289\n[  5] local 10.0.0.1 port 5201 connected to 10.0.0.2 port 1\n"
    )
    reading = reading_of(f"get_parameters:\n{asked}{ends}{rows}")
    assert column(reading, "direction") == ["send"]
    asked_not = asked.replace("true\n}", "false\n}")
    reading = reading_of(f"get_parameters:\n{asked_not}{ends}{rows}")
    assert column(reading, "direction") == ["receive"]


def test_a_sum_below_one_stream_is_the_result_and_told(reading_of):
    total = "[SUM]   0.00-1.00   sec  4.40 GBytes  37.7 Gbits/sec    9             sender\n"
    reading = reading_of(
        RESULT + SENDER + total + total.replace("    9             sender", "                  receiver")
    )
    assert values(reading, "throughput_bps", "sender_throughput_bps", "retransmits") == [[37.7e9, 37.7e9, 9]]
    [message] = reading.problems.message
    assert message == "found '[SUM]' below one stream, expected two or more; took that of all streams"


@pytest.mark.parametrize(
    ("command", "direction"),
    [
        ("$ iperf3 -c there -t 1", "send"),
        ("$ iperf3 -c there -R -t 1", "receive"),
        ("$ iperf3 --time 1 --reverse -c there", "receive"),
        ("$ iperf3 -s", None),
        ("", None),
    ],
)
def test_of_a_result_alone_the_command_tells_the_direction(reading_of, command, direction):
    heading = "[ ID] Interval           Transfer     Bitrate         Retr\n"
    assert values(reading_of(f"{command}\n{heading}{SENDER}{RECEIVER}"), "direction") == [[direction]]
