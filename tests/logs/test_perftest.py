"""perftest: tables of bandwidth and latency of every version, rdma_bw and rdma_lat, JSON, failures."""

import pytest

from hecn_analysis.logs import read

MB = 8 * 2**20
HEAD = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
COLUMNS = "#bytes, #iterations, BW peak, BW average, MsgRate"


def test_one_run_per_message_size_and_a_mebibyte_per_second(samples):
    reading = read(samples / "perftest" / "write-bw.txt")
    assert reading.runs.throughput_bps.tolist() == [13.87 * MB, 10930.77 * MB, 11010.12 * MB]
    assert reading.runs.streams.tolist() == [2, 2, 2]
    assert set(reading.runs.protocol) == {"rdma"}
    assert set(reading.runs.direction) == {"send"}
    assert reading.runs.label.tolist()[1] == "RDMA_Write BW Test, 65536 bytes"
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[3, 28], [29, 29], [30, 30]]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("name", "rates", "streams", "directions"),
    [
        ("server-gbits", [0.087312e9, 92.41e9], 1, ["receive", "receive"]),
        ("bidirectional-mib", [21987.40 * MB], 4, [None]),
        ("read-bw", [97.74e9], 1, ["receive"]),
        ("per-port", [21799.62 * MB], 2, ["send"]),
        ("quality-of-service", [2911.02 * MB], 1, ["send"]),
        ("old-1", [937.42 * MB], 1, [None]),
        ("rdma-bw", [944.12 * MB], None, [None]),
        ("results.json", [97.74e9], 3, ["send"]),
    ],
)
def test_units_streams_and_directions(samples, name, rates, streams, directions):
    reading = read(samples / "perftest" / f"{name}.txt")
    assert reading.runs.throughput_bps.tolist() == pytest.approx(rates)
    assert reading.runs.streams.fillna(0).tolist() == [streams or 0] * len(rates)
    assert reading.runs.direction.fillna("").tolist() == [direction or "" for direction in directions]
    assert reading.problems.empty


@pytest.mark.parametrize(
    ("name", "least", "mean", "most"),
    [
        ("write-lat", [0.92e-6, 0.93e-6], [0.96e-6, 0.97e-6], [4.11e-6, 3.87e-6]),
        ("send-lat-by-duration", [-1], [1.93e-6], [-1]),
        ("old-latency", [2.87e-6], [-1], [9.14e-6]),
        ("rdma-lat", [3.05e-6], [-1], [17.6e-6]),
    ],
)
def test_latencies_are_as_printed(samples, name, least, mean, most):
    reading = read(samples / "perftest" / f"{name}.txt")
    assert reading.runs.rtt_min_s.fillna(-1).tolist() == pytest.approx(least)
    assert reading.runs.rtt_avg_s.fillna(-1).tolist() == pytest.approx(mean)
    assert reading.runs.rtt_max_s.fillna(-1).tolist() == pytest.approx(most)
    assert reading.runs.throughput_bps.isna().all()
    assert reading.problems.empty


def test_failures(samples, problem_lines):
    reading = read(samples / "perftest" / "failed.txt")
    assert reading.runs.error.tolist() == [True, True]
    assert reading.runs.throughput_bps.isna().all()
    assert problem_lines(reading) == [
        (
            "failed.txt:3: aborted: found 'Unable to open file descriptor for socket connection Unable to init the "
            "socket connection', expected a row of figures"
        ),
        "failed.txt:27: aborted: found 'Completion with error at client', expected a row of figures",
        "failed.txt:28: aborted: found 'Failed status 12: wr_id 0 syndrom 0x81', expected a row of figures",
        (
            "failed.txt:30: aborted: found 'Failed to complete run_iter_bw function successfully', expected a row of "
            "figures"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            HEAD + " 65536      5000           937.44\n",
            (
                "a.log:2: malformed: found '65536      5000           937.44', "
                f"expected 5 figures: {COLUMNS}; no run made of it"
            ),
        ),
        (
            HEAD + " 65536      5000           937.44     93",
            (
                "a.log:2: truncated: found '65536      5000           937.44     93', "
                f"expected 5 figures: {COLUMNS}; no run made of it"
            ),
        ),
        (
            HEAD.replace("MB", "kB"),
            (
                "a.log:1: malformed: found the head '#bytes     #iterations    BW peak[kB/sec]    BW average[kB/sec]   "
                "MsgRate[Mpps]', expected '#bytes #iterations … BW average[MB/sec, MiB/sec or Gb/sec]' or "
                "'… t_avg[usec]'; its rows are left out"
            ),
        ),
        (
            HEAD,
            (
                "a.log:1: truncated: found the beginning of a test without a row of figures, expected at least one; "
                "no run made of it"
            ),
        ),
        (
            '{"test_info": {"test": "Send_BW_Test"}, "results": {"MsgSize": 2, "BW_average": 5.00}}\n',
            None,
        ),
    ],
)
def test_unreadable_lines_are_problems(reading_of, problem_lines, text, problem):
    reading = reading_of(text)
    expected = problem or (
        "a.log:1: ambiguous: found BW_average 5 without its unit, expected a message rate that tells whether it is "
        "MiB/s or Gb/s; throughput_bps left out"
    )
    assert problem_lines(reading) == [expected]
    assert len(reading.runs) == (problem is None)


def test_a_json_result_in_mebibytes(reading_of):
    reading = reading_of(
        '{"test_info": {"test": "RDMA_Read_BW_Test"}, '
        '"results": {"MsgSize": 65536, "BW_average": 11000.00, "MsgRate": 0.176000}}\n'
    )
    assert reading.runs.throughput_bps.tolist() == [11000 * MB]
    assert reading.runs.label.tolist() == ["RDMA_Read BW Test, 65536 bytes"]


def test_a_heading_without_rows_is_prose(reading_of):
    assert reading_of("Send BW Test\n\nWe ran it twice.\n").problems.kind.tolist() == ["unrecognised"]


def test_an_unknown_column_is_left_out(reading_of):
    reading = reading_of(
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   BW min[Gb/sec]   MsgRate[Mpps]\n"
        " 65536      5000             97.81              97.74              91.02            0.186424\n"
    )
    assert reading.runs.throughput_bps.tolist() == [97.74e9]
    assert reading.problems.empty


@pytest.mark.parametrize(
    "text",
    [
        'fprintf(stderr," Unable to init the socket connection\\n");\n',
        '#define RESULT_FMT " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]"\n',
        'printf("sockperf: ERROR: " log_fmt);\n',
    ],
)
def test_source_code_is_not_read(reading_of, text):
    reading = reading_of(text)
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]


def test_both_ends_in_json(reading_of):
    row = '{"MsgSize": 8388608, "n_iterations": 1000, "BW_peak": 9.0, "BW_average": %s, "MsgRate": %s}'
    reading = reading_of(
        '{"test_info": {"test": "Send_Bidirectional_BW_Test", "Number_of_qps": 1, "Connection_type": "RC"},\n'
        f'"results": {row % ("380.00", "0.005662")},\n"results_local": {row % ("190.25", "0.002835")},\n'
        f'"results_remote": {row % ("189.75", "0.002827")}}}\n'
    )
    assert reading.runs.throughput_bps.tolist() == [380e9, 190.25e9, 189.75e9]
    assert reading.runs.label.tolist() == [
        f"{end}Send Bidirectional BW Test, 8388608 bytes" for end in ("", "Local results, ", "Remote results, ")
    ]
    assert reading.runs.direction.isna().all()
    assert reading.problems.empty
