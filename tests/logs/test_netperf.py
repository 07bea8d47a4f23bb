"""netperf: classic tables, interim results, the three omni outputs, simultaneous tests, errors."""

import pytest

from hecn_analysis.logs import read

BANNER = "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET : demo\n"
TITLES = (
    "Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n"
    "bytes  bytes   bytes    secs.    {unit}/sec\n\n"
)
ROW = "131072  16384  16384    10.00    2000.00   \n"


def test_streams_with_processor_times_in_every_direction(samples):
    runs = read(samples / "netperf" / "streams.txt").runs
    assert runs.throughput_bps.tolist() == pytest.approx(
        [10000.97e6, 12675.32e6, 1623333.02 * 8192, 1.51 * 8 * 2**30, 13190.31e6, 7545.42e6, 6854.73e6, 8721.65e6]
    )
    assert runs.duration_s.tolist() == [1.0] * 6 + [1.01, 1.0]
    assert runs.protocol.fillna("").tolist() == ["tcp"] * 7 + [""]
    assert runs.direction.tolist() == ["send"] * 3 + ["receive"] + ["send"] * 4
    assert runs.cpu_sender_fraction.isna().all()


@pytest.mark.parametrize(
    ("unit", "rate"),
    [
        ("10^0bits", 2000.0),
        ("10^3bits", 2e6),
        ("10^6bits", 2e9),
        ("10^9bits", 2e12),
        ("Bytes", 16000.0),
        ("KBytes", 2000.0 * 8 * 2**10),
        ("MBytes", 2000.0 * 8 * 2**20),
        ("GBytes", 2000.0 * 8 * 2**30),
    ],
)
def test_units(reading_of, unit, rate):
    assert reading_of(BANNER + TITLES.format(unit=unit) + ROW).runs.throughput_bps.tolist() == [rate]


def test_received_and_lost_datagrams(samples):
    reading = read(samples / "netperf" / "datagrams.txt")
    runs = reading.runs
    assert runs.throughput_bps.tolist() == [645.22e6, 341.0e6]
    assert runs.sender_throughput_bps.tolist() == [997.97e6, 614.6e6]
    assert runs.sent_packets.tolist() == [89600, 52208]
    assert runs.lost_packets.tolist() == [31671, 23240]
    assert runs.loss_fraction.tolist() == [31671 / 89600, 23240 / 52208]
    assert runs.bytes.tolist() == [57929 * 1472, 28968 * 1472]
    assert reading.problems.empty


def test_transactions_have_no_rate(samples):
    reading = read(samples / "netperf" / "transactions.txt")
    assert reading.runs.throughput_bps.isna().all()
    assert reading.runs.direction.isna().all()
    assert reading.runs.protocol.tolist() == ["tcp"] * 4 + ["udp"] + ["tcp"] * 2
    assert reading.runs.rtt_avg_s.fillna(-1).tolist() == [-1, pytest.approx(33.528e-6)] + [-1] * 5
    assert reading.runs.line_last.tolist() == [8, 20, 28, 36, 44, 52, 60]
    assert reading.problems.empty


def test_interim_results_are_intervals_in_all_three_forms(samples):
    reading = read(samples / "netperf" / "interim.txt")
    assert reading.intervals.run.tolist() == [0] * 4 + [1] + [2] * 3 + [3] * 3
    first = reading.intervals[reading.intervals.run == 0]
    assert first.t_end_s.tolist() == pytest.approx([0.25, 0.508, 0.797, 1.0])
    assert first.throughput_bps.tolist() == [9647.38e6, 9367.38e6, 8099.89e6, 8862.66e6]
    assert first.line.tolist() == [2, 3, 4, 5]
    assert str(reading.runs.start_time[0]) == "2026-11-21 23:58:37.600000+00:00"
    assert reading.runs.throughput_bps.tolist() == [8945.58e6, 6334.78e6, 6291.12e6, 3364.13e6]
    assert reading.problems.empty


def test_interim_results_without_a_time_of_day(reading_of):
    interim = "Interim result: 2000.00 10^6bits/s over 1.00 seconds\n"
    reading = reading_of(BANNER + interim + interim + TITLES.format(unit="10^6bits") + ROW)
    assert reading.intervals[["t_start_s", "t_end_s"]].to_numpy().tolist() == [[0, 1], [1, 2]]
    assert reading.runs.start_time.isna().all()


def test_the_omni_table_is_read_by_its_columns(samples):
    runs = read(samples / "netperf" / "omni-people.txt").runs
    assert runs.throughput_bps.fillna(-1).tolist() == pytest.approx(
        [8735.53e6, -1, 5784.44e6, 4018.57e6, 520.19e6, 4701.8e6]
    )
    assert runs.duration_s.tolist() == [1.0, 1.0, 1.01, 1.26, 1.0, 1.01]
    assert runs.direction.fillna("").tolist() == ["send", "", "send", "receive", "send", "send"]


def test_values_below_a_line_of_names(samples):
    runs = read(samples / "netperf" / "omni-values.txt").runs
    assert runs.throughput_bps.tolist() == pytest.approx([8273.2e6])
    assert runs[["protocol", "direction", "duration_s"]].to_numpy().tolist() == [["tcp", "send", 1.0]]


def test_wrapped_banner_and_names(reading_of):
    reading = reading_of(
        "MIGRATED UDP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 20001 AF_INET to\n"
        "192.0.2.7 () port 20001 AF_INET : histogram : first burst 0\n"
        "Throughput,Throughput Units,99th Percentile Latency\nMicroseconds,Minimum Latency Microseconds,Maximum\n"
        "Latency Microseconds,Throughput Confidence Width (%)\n3021.55,Trans/s,512,301,7777,-1.000\n"
    )
    assert reading.runs.rtt_min_s.tolist() == pytest.approx([301e-6])
    assert reading.runs.rtt_max_s.tolist() == pytest.approx([7777e-6])
    assert reading.runs.throughput_bps.isna().all()
    assert reading.problems.empty


def test_keys_and_values(samples):
    runs = read(samples / "netperf" / "omni-keys.txt").runs
    assert runs.throughput_bps.fillna(-1).tolist() == [6067.83e6, 3896.08e6, -1]
    assert runs.retransmits.fillna(-1).tolist() == [15, -1, -1]
    assert runs.rtt_avg_s.tolist()[2] == pytest.approx(33.38e-6)
    assert runs.direction.fillna("").tolist() == ["send", "send", ""]


def test_all_keys(samples):
    reading = read(samples / "netperf" / "omni-all-keys.txt")
    run = reading.runs.iloc[0]
    assert [run.throughput_bps, run.sender_throughput_bps] == pytest.approx([8350.28e6, 8350.21e6], rel=1e-12)
    assert run.bytes == 1047650659
    assert (run.protocol, run.direction, run.retransmits, run.duration_s) == ("tcp", "send", 0, 1.0)
    assert reading.problems.empty


def test_a_figure_alone_has_the_unit_of_the_command_line(samples, reading_of, problem_lines):
    reading = read(samples / "netperf" / "verbosity-0.txt")
    assert reading.runs.throughput_bps.fillna(-1).tolist() == [13869.55e6, -1]
    assert reading.problems.empty
    assert problem_lines(reading_of(BANNER + "13869.55 \n")) == [
        ("a.log:2: ambiguous: found 13869.55 without a unit, expected one; read as 10^6bits/s, netperf's default")
    ]


def test_without_banner_and_titles_below_the_command_line(samples, reading_of):
    reading = read(samples / "netperf" / "without-titles.txt")
    assert reading.runs.throughput_bps.tolist() == pytest.approx([11906.92e6, 10207.02e6, 5895.1e6, 48704.83 * 8192])
    assert reading.runs.protocol.tolist() == ["tcp"] * 3 + ["udp"]
    assert reading.problems.empty
    assert reading_of("131072  16384  16384    1.00     11906.92   \n").runs.empty


def test_tests_in_the_background_mix_their_output(samples):
    reading = read(samples / "netperf" / "background.txt")
    assert reading.runs.protocol.tolist() == ["tcp", "udp", "tcp"]
    assert reading.runs.throughput_bps.tolist() == pytest.approx([10000.97e6, 645.22e6, 1623333.02 * 8192])
    assert reading.runs.line_first.tolist() == [1, 2, 3]


def test_interim_results_of_simultaneous_tests_are_left_out(reading_of, problem_lines):
    interim = "Interim result: 2000.00 10^6bits/s over 1.00 seconds\n"
    table = TITLES.format(unit="10^6bits") + ROW
    reading = reading_of(BANNER + BANNER + interim + interim + table + table)
    assert reading.intervals.empty
    assert len(reading.runs) == 2
    assert problem_lines(reading) == [
        (
            "a.log:3: ambiguous: found an interim result while 2 tests run, expected one test at a time; interim "
            "results of several tests are left out"
        )
    ]


def test_errors(samples, problem_lines):
    reading = read(samples / "netperf" / "errors.txt")
    assert reading.runs.error.tolist() == [True] * 4
    assert reading.runs.line_first.tolist() == [2, 6, 9, 13]
    assert problem_lines(reading) == [
        "errors.txt:2: aborted: found 'netperf: send_omni: send_data failed: Message too long', expected a result",
        "errors.txt:4: aborted: found 'send_data: data send error: Message too long (errno 90)', expected a result",
        (
            "errors.txt:6: aborted: found 'establish control: are you sure there is a netserver listening on 127.0.0.1 "
            "at port 12998?', expected a result"
        ),
        (
            "errors.txt:7: aborted: found 'establish_control could not establish the control connection from 0.0.0.0 "
            "port 0 address family AF_INET to 127.0.0.1 port 12998 address family AF_INET', expected a result"
        ),
        (
            "errors.txt:9: aborted: found 'The test you requested (TCP_FOO) is unknown to this netperf.', "
            "expected a result"
        ),
        "errors.txt:14: aborted: found 'netperf: remote error 22', expected a result",
    ]


UDP_TITLES = "Socket  Message  Elapsed      Messages\nbytes   bytes    secs            #      #   10^6bits/sec\n\n"


@pytest.mark.parametrize(
    ("text", "problems", "runs"),
    [
        (
            BANNER,
            ["a.log:1: truncated: found the beginning of a test but no result, expected a row of figures"],
            0,
        ),
        (
            BANNER + "Interim result: 2000.00 10^6bits/s over 1.00 seconds\n",
            [
                (
                    "a.log:2: truncated: found the beginning of a test and 1 interim results but no result, expected a "
                    "row of figures"
                )
            ],
            1,
        ),
        (
            BANNER + TITLES.format(unit="10^6bits") + "131072  16384  16384    10.00    20",
            [
                (
                    "a.log:7: truncated: found '131072  16384  16384    10.00    20', expected the row of a stream "
                    "test; no run made of it"
                )
            ],
            0,
        ),
        (
            BANNER + TITLES.format(unit="10^6bits") + "131072  16384  huge\n",
            [("a.log:7: malformed: found '131072  16384  huge', expected the row of a stream test; no run made of it")],
            0,
        ),
        (
            BANNER.replace("TCP", "UDP") + UDP_TITLES + "212992    1472   1.06        89600      0     997.97\n",
            ["a.log:5: truncated: found the sender's row of a UDP test, expected the receiver's below"],
            1,
        ),
        (
            BANNER + "THROUGHPUT=99.50\n",
            [
                (
                    "a.log:2: ambiguous: found a throughput of 99.50 without its units, expected them; read as "
                    "10^6bits/s, netperf's default"
                )
            ],
            1,
        ),
        (
            BANNER + "THROUGHPUT=-1.00\nTHROUGHPUT_UNITS=10^6bits/s\n",
            [("a.log:3: inconsistent: throughput_bps: found -1000000.0, expected a number of at least 0; left out")],
            1,
        ),
    ],
)
def test_missing_and_impossible_figures(reading_of, problem_lines, text, problems, runs):
    reading = reading_of(text)
    assert problem_lines(reading) == problems
    assert len(reading.runs) == runs


def test_a_result_does_not_go_to_a_test_of_an_earlier_command_line(reading_of):
    reading = reading_of(
        "$ netperf -H 127.0.0.1\n" + BANNER + "$ netperf -H 127.0.0.1\n" + BANNER + TITLES.format(unit="10^6bits") + ROW
    )
    assert reading.runs.line_first.tolist() == [4]
    assert reading.problems.line.tolist() == [2]


def test_old_banners_and_versions(reading_of):
    reading = reading_of(
        "Netperf version 2.1\nTCP STREAM TEST to there : nodelay\n" + TITLES.format(unit="10^6bits") + ROW
    )
    assert reading.runs[["tool_version", "protocol", "throughput_bps"]].to_numpy().tolist() == [["2.1", "tcp", 2e9]]


def test_the_kernels_state_of_the_connection(reading_of):
    reading = reading_of(
        BANNER + "tcpi_rto 201000 tcpi_ato 0 tcpi_pmtu 9000 tcpi_rcv_ssthresh 28900\n"
        "tcpi_rtt 3120 tcpi_rttvar 44 tcpi_snd_ssthresh 71 tpci_snd_cwnd 88\ntcpi_reordering 3 tcpi_total_retrans 4\n"
        + TITLES.format(unit="10^6bits")
        + ROW
    )
    assert reading.runs.rtt_s.tolist() == pytest.approx([3.12e-3])
    assert reading.runs.retransmits.tolist() == [4]
    assert reading.problems.empty


def test_joined_options_and_a_wrapped_banner(reading_of):
    reading = reading_of(
        "$ netperf -H 192.0.2.7 -fK -tTCP_STREAM -D1 -T2,2 -- -P 0,5201\n"
        "MIGRATED TCP STREAM TEST from (null) (::) port 0 AF_INET6 to \n192.0.2.7 () port 5201 AF_INET : cpu bind\n"
        "^CInterim result: 2000.00 KBytes/s over 1.00 seconds ending at 1700000001.500\n"
        + TITLES.format(unit="KBytes")
        + ROW
    )
    assert reading.runs.throughput_bps.tolist() == [2000.0 * 8192]
    assert reading.intervals.throughput_bps.tolist() == [2000.0 * 8192]
    assert reading.problems.empty


def test_a_command_without_arguments(reading_of):
    reading = reading_of("$ netperf\n" + BANNER + TITLES.format(unit="10^6bits") + ROW)
    assert reading.runs.throughput_bps.tolist() == [2e9]
    assert reading.problems.empty


def test_notices_of_netperf_are_not_errors(reading_of):
    text = "establish_control called with host 'there' port '12865' remfam AF_INET\n" + BANNER
    text += "recv_response: received a 656 byte response\nsend_omni_inner: 2 entry send_ring obtained...\n"
    reading = reading_of(text + TITLES.format(unit="10^6bits") + ROW)
    assert reading.runs[["throughput_bps", "error"]].to_numpy().tolist() == [[2e9, False]]
    assert reading.problems.empty


def test_source_code_that_prints_errors_has_no_runs(reading_of):
    assert reading_of("establish_control(char *hostname,\n                  char *port)\n").runs.empty


def test_a_truncated_figure_is_left_out(reading_of, problem_lines):
    reading = reading_of(BANNER + "LOCAL_SEND_SIZE=16384\nELAPSED_TIME=1.00\nTHROUGHPUT=57")
    assert reading.runs.throughput_bps.isna().all()
    assert "a.log:4: truncated: found 'THROUGHPUT=57' at the end; left out" in problem_lines(reading)
    assert reading_of(BANNER + "ELAPSED_TIME=1.00\nTHROUGHPUT=57.25").runs.throughput_bps.tolist() == [57.25e6]


def test_a_truncated_row_of_the_receiver_is_not_read(reading_of):
    titles = "Socket  Message  Elapsed      Messages\nSize    Size     Time         Okay Errors   Throughput\n"
    text = BANNER.replace("TCP", "UDP") + titles + "bytes   bytes    secs            #      #   10^6bits/sec\n\n"
    text += "212992    1024   5.00       344561      0     564.42\n212992           5.00       344533            564.38"
    assert reading_of(text).runs.throughput_bps.tolist() == [564.38e6]
    assert reading_of(text[:-1]).runs.throughput_bps.isna().all()
