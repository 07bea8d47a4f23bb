"""nccl-tests, OSU and Intel MPI benchmarks, wrk: values, units, damage."""

import pytest

from hecn_analysis.logs import read


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_a_row_of_nccl_tests_is_a_run_with_the_bandwidth_of_the_algorithm(samples):
    reading = read(samples / "nccl-tests" / "all-reduce.txt")
    assert rows(reading, "circumstances", "throughput_bps", "label", "error") == [
        ["8 bytes", pytest.approx(64 / 32.05e-6), "bus bandwidth 0.00 GB/s", False],
        ["1048576 bytes", pytest.approx(17.13 * 8e9), "bus bandwidth 29.98 GB/s", False],
        ["1073741824 bytes", pytest.approx(132.23 * 8e9), "bus bandwidth 231.40 GB/s", False],
    ]
    assert set(reading.runs.tool) == {"all_reduce_perf"}
    assert reading.problems.empty


def test_wrong_values_are_an_error(samples, tmp_path, problem_lines):
    text = (samples / "nccl-tests" / "all-reduce.txt").read_text()
    (tmp_path / "a.txt").write_text(text.replace("132.23  231.40      0", "132.23  231.40      2"))
    reading = read(tmp_path / "a.txt")
    assert reading.runs.error.tolist() == [False, False, True]
    assert problem_lines(reading) == ["a.txt:12: aborted: found 2 wrong values, expected none"]


def test_osu_prints_decimal_megabytes_and_half_round_trips(samples):
    reading = read(samples / "mpi-benchmarks" / "osu.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "tool_version", "circumstances", "throughput_bps", "rtt_avg_s") == [
        ["osu_bw", "7.3", "1 bytes", pytest.approx(3.12 * 8e6), None],
        ["osu_bw", "7.3", "1024 bytes", pytest.approx(2410.44 * 8e6), None],
        ["osu_bw", "7.3", "4194304 bytes", pytest.approx(12120.4 * 8e6), None],
        ["osu_latency", "7.3", "0 bytes", None, pytest.approx(2.24e-6)],
        ["osu_latency", "7.3", "1024 bytes", None, pytest.approx(4.62e-6)],
        ["osu_bibw", "7.3", "4194304 bytes", pytest.approx(22310.02 * 8e6), None],
    ]


def test_pingpong_of_imb_is_size_over_time_and_other_benchmarks_are_left_out(samples):
    assert rows(read(samples / "mpi-benchmarks" / "imb.txt"), "circumstances", "throughput_bps", "rtt_avg_s") == [
        ["0 bytes", None, pytest.approx(2.4e-6)],
        ["1024 bytes", pytest.approx(8 * 1024 / 2.41e-6), pytest.approx(4.82e-6)],
        ["4194304 bytes", pytest.approx(8 * 4194304 / 360.22e-6), pytest.approx(720.44e-6)],
    ]


def test_amounts_of_wrk_are_binary(samples):
    assert rows(read(samples / "wrk" / "large.txt"), "bytes", "duration_s", "throughput_bps", "streams") == [
        [round(17.76 * 2**30), 30.0, pytest.approx(606.2 * 8 * 2**20), 400]
    ]


def test_uperf_has_binary_amounts_and_decimal_rates(samples):
    reading = read(samples / "uperf" / "iperf.txt")
    assert reading.problems.empty
    assert rows(reading, "bytes", "duration_s", "throughput_bps", "streams") == [
        [round(64.21 * 2**30), 32.22, pytest.approx(17.12e9), 4]
    ]


def test_hping_counts_what_came_back(samples):
    reading = read(samples / "hping" / "hping.txt")
    assert reading.problems.empty
    assert rows(reading, "sent_packets", "lost_packets", "rtt_avg_s") == [
        [3, 0, pytest.approx(1.6e-3)],
        [10, 5, pytest.approx(0.6097)],
    ]


def test_a_flood_of_hping_waits_for_no_reply(tmp_path):
    end = "2281304 packets transmitted, 0 packets received, 100% packet loss\nround-trip min/avg/max = 0.0/0.0/0.0 ms\n"
    (tmp_path / "a.txt").write_text("$ hping3 -2 --flood 192.0.2.9\n--- 192.0.2.9 hping statistic ---\n" + end)
    assert rows(read(tmp_path / "a.txt"), "protocol", "loss_fraction", "rtt_avg_s") == [["udp", None, None]]


@pytest.mark.parametrize(
    ("path", "damage", "problem"),
    [
        (
            "nccl-tests/all-reduce.txt",
            ("17.13", "17,l3"),
            "11: malformed: found '1048576        262144     float     sum",
        ),
        (
            "mpi-benchmarks/osu.txt",
            ("2410.44", "24I0.44"),
            "5: malformed: found '1024                 24I0.44', expected",
        ),
        ("mpi-benchmarks/imb.txt", ("2.41", "2;41"), "9: malformed: found '1024         1000         2;41"),
        ("wrk/large.txt", ("606.20MB", "606.2OMB"), "9: malformed: found 'Transfer/sec:    606.2OMB', expected"),
    ],
)
def test_a_damaged_figure_is_a_problem_and_no_run(samples, tmp_path, path, damage, problem):
    text = (samples / path).read_text()
    assert damage[0] in text
    (tmp_path / "a.txt").write_text(text.replace(*damage, 1))
    whole, found = read(samples / path), read(tmp_path / "a.txt")
    said = [f"{row.line}: {row.kind}: {row.message}" for row in found.problems.itertuples()]
    assert said[0].startswith(problem)
    assert len(found.runs) == len(whole.runs) - 1


@pytest.mark.parametrize("folder", ["nccl-tests", "mpi-benchmarks", "wrk", "uperf", "hping"])
@pytest.mark.slow
def test_a_file_that_is_cut_gives_no_other_rates(samples, tmp_path, folder):
    for path in sorted((samples / folder).iterdir()):
        text = path.read_text()
        whole = read(path).runs
        for at in range(30, len(text), 23):
            (tmp_path / "a.txt").write_text(text[:at])
            found = read(tmp_path / "a.txt").runs
            known = set(whole.throughput_bps.dropna()) | set(whole.rtt_avg_s.dropna())
            stated = found[~found.error]
            assert set(stated.throughput_bps.dropna()) | set(stated.rtt_avg_s.dropna()) <= known, (path.name, at)


def test_the_summary_of_lagscope(samples, column, reading_of, problem_lines):
    for sample, times in (
        ("percentiles.txt", [31.25, 54.5, 5120.75]),
        ("histogram.txt", [120.125, 240.25, 880.5]),
    ):
        reading = read(samples / "lagscope" / sample)
        assert column(reading, "tool") == ["lagscope"]
        printed = reading.runs[["rtt_min_s", "rtt_avg_s", "rtt_max_s"]] * 1e6
        assert printed.round(6).to_numpy().tolist() == [times]
        assert column(reading, "lost_packets") == [None]
        assert reading.problems.empty
    reading = reading_of("12:00:00 INFO:   Number of successful Pings: 9\n")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found the end of the output, expected 'Minimum = …us, Maximum = …us, Average = …us'; "
            "no run made of it"
        )
    ]
