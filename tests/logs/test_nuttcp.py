"""nuttcp's own output in every format of the source code of 5.1 to 8.2."""

import subprocess
import time

import pandas as pd
import pytest

from hecn_analysis.logs import read

SUMMARY = " 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"


def run(reading, number=0):
    return {name: value for name, value in reading.runs.iloc[number].items() if pd.notna(value)}


def test_one_line_summary(reading_of):
    row = run(reading_of("$ nuttcp receiver\n" + SUMMARY))
    assert row["tool"] == "nuttcp"
    assert (row["line_first"], row["line_last"]) == (2, 2)
    assert row["bytes"] == 1180 * 2**20
    assert row["throughput_bps"] == 9898537600
    assert row["duration_s"] == 1
    assert (row["cpu_sender_fraction"], row["cpu_receiver_fraction"]) == (0.11, 0.49)
    assert (row["retransmits"], row["rtt_s"]) == (3, 0.00018)
    assert (row["protocol"], row["direction"], row["streams"]) == ("tcp", "send", 1)


@pytest.mark.parametrize(
    ("command", "direction", "streams"),
    [
        ("$ nuttcp -r receiver", "receive", 1),
        ("[me@there ~]$ nuttcp -T10 -N4 -r receiver", "receive", 4),
        ("root@there:~# /usr/local/bin/nuttcp-8.1.4 -F -N 2 receiver", "send", 2),
        ("+ sudo nuttcp -w4m receiver", "send", 1),
        ("", None, 1),
        ("$ ls", None, 1),
    ],
)
def test_the_command_line_gives_direction_and_streams(reading_of, command, direction, streams):
    row = run(reading_of(f"{command}\n{SUMMARY}"))
    assert row.get("direction") == direction
    assert row["streams"] == streams


def test_streams_are_unknown_without_command_and_retransmits(reading_of):
    assert "streams" not in run(reading_of(SUMMARY.replace("3 retrans ", "")))


def test_a_later_command_does_not_describe_an_earlier_run(reading_of, samples):
    verbose = (samples / "nuttcp" / "v8-streams.txt").read_text().partition("[me@sender ~]$ nuttcp -v")[2]
    reading = reading_of(f"$ nuttcp -v{verbose}$ nuttcp -u -r -N7 receiver\n")
    assert (run(reading)["protocol"], run(reading)["direction"], run(reading)["streams"]) == ("tcp", "send", 2)


def test_intervals(samples):
    reading = read(samples / "nuttcp" / "v8-congestion-window.txt")
    rows = reading.intervals
    assert rows.t_start_s.tolist() == [0, 1, 2]
    assert rows.t_end_s.tolist() == [1, 2, 3]
    assert rows.retransmits.tolist() == [12, 0, 3]
    assert rows.cwnd_bytes.tolist() == [1448 * 1024, 1530 * 1024, 1201 * 1024]
    assert rows.bytes.sum() == run(reading)["bytes"]
    assert rows.line.tolist() == [2, 3, 4]
    assert rows.stream.isna().all()


def test_udp_loss_is_computed_from_packets_and_jitter_is_the_average(samples):
    reading = read(samples / "nuttcp" / "v8-udp-jitter.txt")
    row = run(reading)
    assert (row["protocol"], row["sent_packets"], row["lost_packets"]) == ("udp", 73232, 9)
    assert row["loss_fraction"] == 9 / 73232
    assert row["jitter_s"] == pytest.approx(0.0101e-3)
    assert reading.intervals.lost_packets.tolist() == [0, 9]


def test_retransmissions_of_each_stream(samples):
    reading = read(samples / "nuttcp" / "v8-streams.txt")
    assert reading.runs.retransmits.tolist() == [31, 7]
    assert reading.runs.streams.tolist() == [4, 2]
    assert reading.streams.retransmits.tolist() == [4, 9, 10, 8, 5, 2]
    assert reading.streams.run.tolist() == [0, 0, 0, 0, 1, 1]
    assert reading.streams.stream.tolist() == [0, 1, 2, 3, 0, 1]


def test_the_reports_of_both_ends_are_one_run_with_the_receivers_rate(samples):
    row = run(read(samples / "nuttcp" / "v8-streams.txt"), 1)
    assert row["throughput_bps"] == 19706157900
    assert row["sender_throughput_bps"] == 19725864100
    assert (row["duration_s"], row["tool_version"], row["rtt_s"]) == (10.01, "8.1.4", 0.000093)
    assert (row["cpu_sender_fraction"], row["cpu_receiver_fraction"]) == (0.53, 0.78)
    assert (row["line_first"], row["line_last"]) == (4, 23)


def test_a_report_of_the_sender_alone_has_no_throughput(reading_of, samples):
    text = (samples / "nuttcp" / "v8-streams.txt").read_text()
    row = run(reading_of(text[text.index("nuttcp-t:") : text.index("nuttcp-r:")]))
    assert row["sender_throughput_bps"] == 19725864100
    assert "throughput_bps" not in row


def test_wrapped_summary(samples):
    reading = read(samples / "nuttcp" / "wrapped.txt")
    assert run(reading)["throughput_bps"] == 7897021900
    assert run(reading)["rtt_s"] == 0.00036
    assert len(reading.intervals) == 2


def test_parsable_form(reading_of, problem_lines):
    reading = reading_of(
        "megabytes=751.6250 real_sec=0.50 rate_Mbps=12608.6619 retrans=0\n\n"
        "megabytes=1389.5625 real_seconds=1.00 rate_Mbps=11658.4187 tx_cpu=79 rx_cpu=38 retrans=5 "
        "retrans_by_stream=2+3 cwnd=900 cwnd_by_stream=400+500 rtt_ms=0.21 shoe=7\n"
    )
    row = run(reading)
    assert (row["throughput_bps"], row["retransmits"], row["rtt_s"]) == (11658418700, 5, 0.00021)
    assert reading.streams.retransmits.tolist() == [2, 3]
    assert len(reading.intervals) == 1
    assert problem_lines(reading) == [
        "a.log:3: unrecognised: found 'shoe=7', expected fields such as '9 %TX', '0 retrans' or '0.18 msRTT'; left out"
    ]


def test_identifier_is_the_label(reading_of):
    assert run(reading_of("disk:" + SUMMARY))["label"] == "disk"


def test_errors_are_aborted_runs(samples, problem_lines):
    reading = read(samples / "nuttcp" / "errors.txt")
    assert reading.runs.error.tolist() == [True, True, True, False]
    assert reading.runs.throughput_bps.isna().tolist() == [True, True, True, False]
    assert reading.intervals.run.tolist() == [1]
    assert problem_lines(reading) == [
        "errors.txt:2: aborted: found 'Error: connect: Connection refused', expected a result",
        "errors.txt:6: aborted: found 'Error: server not ACKing data', expected a result",
        "errors.txt:7: aborted: found 'Error: not receiving data from client', expected a result",
        "errors.txt:9: aborted: found 'bad hostname or address: Name or service not known: nowhere', expected a result",
    ]


ROW = " 1180.0000 MB /   1.00 sec = 9898.5376 Mbps     0 retrans\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            ROW * 2,
            ["a.log:2: truncated: found 2 intervals and no summary, expected '… Mbps … %TX … %RX'"],
        ),
        (
            ROW * 2 + " 2360.0000 MB /   2.0",
            [
                (
                    "a.log:3: truncated: found '2360.0000 MB /   2.0' at the end of the file, expected "
                    "'… MB / … sec = … Mbps'; left out"
                ),
                "a.log:3: truncated: found 2 intervals and no summary, expected '… Mbps … %TX … %RX'",
            ],
        ),
        (
            SUMMARY + " 2360.0000 MB /   2.0",
            [
                (
                    "a.log:2: truncated: found '2360.0000 MB /   2.0' at the end of the file, expected "
                    "'… MB / … sec = … Mbps'; left out"
                )
            ],
        ),
        (
            SUMMARY.replace("msRTT\n", "msR"),
            [
                (
                    "a.log:1: truncated: found '0.18 msR' at the end of the file, expected fields such as '9 %TX', "
                    "'0 retrans' or '0.18 msRTT'; left out"
                )
            ],
        ),
        (
            SUMMARY.replace("msRTT", "usRTT"),
            [
                (
                    "a.log:1: unrecognised: found '0.18 usRTT', expected fields such as '9 %TX', '0 retrans' or "
                    "'0.18 msRTT'; left out"
                )
            ],
        ),
        (
            ROW + " 1180.0000 MB / nan sec = nan Mbps 11 %TX 49 %RX\n" + ROW + SUMMARY.replace("1.00", "2.00"),
            [
                (
                    "a.log:2: malformed: found '1180.0000 MB / nan sec = nan Mbps 11 %TX 49 %RX', expected "
                    "'… MB / … sec = … Mbps'; left out"
                ),
                (
                    "a.log:4: inconsistent: found a rate of 9.89854e+09 bit/s, expected 4.94928e+09 bit/s from "
                    "1237319680 bytes in 2 s; left out"
                ),
                (
                    "a.log:4: inconsistent: found 2.47464e+09 bytes in the intervals and 1237319680 in the summary, "
                    "expected a difference below 1 %"
                ),
            ],
        ),
        (
            "    0.0049 MB /   1.00 sec =    0.0410 Mbps 1 %TX 0 %RX 88 / 5 drop/pkt 100.00 %loss\n",
            [
                "a.log:1: inconsistent: loss_fraction: found 17.6, expected a number from 0 to 1; left out",
                (
                    "a.log:1: inconsistent: found 88 packets lost of 5 sent, expected no more lost than sent; "
                    "loss_fraction left out"
                ),
            ],
        ),
        (
            SUMMARY.replace("3 retrans", "3 host-retrans"),
            [
                "a.log:1: ambiguous: found '3 host-retrans', expected the connection's own retransmissions; left out",
            ],
        ),
        (
            SUMMARY.replace("3 retrans", "3 = 1+1 retrans"),
            ["a.log:1: inconsistent: found 3 = 1+1 retrans, expected the sum of the streams; kept as printed"],
        ),
        (
            (
                "nuttcp-t: v6.1.2: socket\nnuttcp-t: the moon is full\n"
                "nuttcp-r: 1180.0000 MB in 1.00 real seconds = 1208320.00 KB/sec = 9898.5376 Mbps\n"
            ),
            [
                (
                    "a.log:2: unrecognised: found 'nuttcp-t: the moon is full', expected a line that nuttcp -v prints; "
                    "left out"
                )
            ],
        ),
    ],
)
def test_an_unusable_line_is_a_problem_with_its_number(reading_of, problem_lines, text, expected):
    assert problem_lines(reading_of(text)) == expected


def test_intervals_of_an_interrupted_run_are_kept(reading_of):
    reading = reading_of(ROW * 3)
    assert len(reading.intervals) == 3
    assert reading.runs.throughput_bps.isna().all()


def test_a_summary_without_its_fields_is_still_the_summary(reading_of):
    reading = reading_of(ROW * 3 + "\n 3540.0000 MB /   3.00 sec = 9898.5376 Mbps\n")
    assert run(reading)["throughput_bps"] == 9898537600
    assert len(reading.intervals) == 3
    assert reading.problems.empty


def test_a_live_run_of_each_end(nuttcp, tmp_path):
    server = subprocess.Popen([nuttcp, "-S", "--nofork", "-P", "5911"])
    try:
        time.sleep(0.5)
        for number, options in enumerate((["-i0.25"], ["-r", "-v"], ["-fparse", "-i0.25"])):
            done = subprocess.run(
                [nuttcp, "-P", "5911", "-p", "5912", "-T1", *options, "127.0.0.1"],
                capture_output=True,
                check=True,
            )
            (tmp_path / f"{number}.log").write_bytes(done.stdout)
    finally:
        server.terminate()
        server.wait()
    reading = read(tmp_path)
    assert reading.runs.tool.tolist() == ["nuttcp"] * 3
    assert reading.runs.throughput_bps.gt(1e6).all()
    assert reading.problems[reading.problems.kind != "inconsistent"].empty


def test_warnings_before_a_summary_belong_to_it(samples):
    reading = read(samples / "nuttcp" / "warnings.txt")
    assert reading.runs.throughput_bps.tolist() == [1286393000, 46653600]
    assert reading.runs.protocol.tolist() == ["tcp", "udp"]
    assert reading.runs.direction.tolist() == ["send", "send"]
    assert len(reading.intervals) == 2
    assert reading.problems.empty


def test_a_command_without_arguments(reading_of):
    reading = reading_of("$ nuttcp\n 1140.3750 MB /  10.00 sec =  956.6159 Mbps 1 %TX 20 %RX 0 retrans 0.35 msRTT\n")
    assert reading.runs.direction.tolist() == ["send"]
    assert reading.problems.empty
