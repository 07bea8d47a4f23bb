"""pv, IO500, the first bonnie, iperf of NuttX and fast-cli: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def damaged(samples, tmp_path, path, before, after):
    text = (samples / path).read_text()
    assert before in text
    (tmp_path / "a.txt").write_text(text.replace(before, after, 1))
    return read(tmp_path / "a.txt")


def test_displays_of_pv_that_follow_each_other_are_one_transfer(samples):
    reading = read(samples / "pv" / "recorded.txt")
    assert reading.problems.empty
    assert rows(reading, "line_first", "line_last", "bytes", "duration_s", "throughput_bps") == [
        [2, 4, 300 << 20, 2.0, 100 * MIB],
        [6, 8, 200 << 20, 2.0, pytest.approx(82.5 * MIB)],
    ]


def test_pv_beside_other_text_and_with_decimal_units(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("# dd if=/dev/zero | pv | nc host 5000\n1.95GB 0:00:26 [74.4MB/s]\n1.95GB 0:00:20 [96.2MB/s]\n")
    reading = read(file)
    assert rows(reading, "bytes", "duration_s", "throughput_bps") == [
        [round(1.95 * 2**30), 26.0, pytest.approx(74.4 * MIB)],
        [round(1.95 * 2**30), 20.0, pytest.approx(96.2 * MIB)],
    ]
    file.write_text("$ pv --si /tmp/a\n2.00GB 0:00:20 [ 100MB/s]\n")
    assert rows(read(file), "bytes", "throughput_bps") == [[2 * 10**9, 8e8]]
    file.write_text("1.95GB 0:00:26 [12.4MB/s]\n")
    assert read(file).problems.kind.tolist() == ["inconsistent"]


def test_phases_of_io500_that_move_data(samples, tmp_path):
    reading = read(samples / "io500" / "results.txt")
    assert reading.problems.empty
    assert rows(reading, "label", "direction", "duration_s", "throughput_bps") == [
        ["ior-easy-write", "write", 305.12, pytest.approx(12.345678 * 2**33)],
        ["ior-hard-write", "write", 300.41, pytest.approx(1.20412 * 2**33)],
        ["ior-easy-read", "read", 187.3, pytest.approx(20.11 * 2**33)],
        ["ior-easy-write", "write", 164.88, pytest.approx(6.156 * 2**33)],
    ]
    found = damaged(samples, tmp_path, "io500/results.txt", "1.204120 GiB", "1.2O4120 GiB")
    assert (len(found.runs), found.problems.kind.tolist()) == (3, ["malformed"])


def test_the_first_bonnie_names_no_machine_or_one(samples, tmp_path):
    reading = read(samples / "bonnie-first" / "tables.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "label", "direction", "bytes", "throughput_bps") == [
        ["bonnie", "store1", "write", 2048 << 20, 8192 * 61440],
        ["bonnie", "store1", "rewrite", 2048 << 20, 8192 * 30720],
        ["bonnie", "store1", "read", 2048 << 20, 8192 * 102400],
        ["bonnie", None, "write", 4096 << 20, 8192 * 8098],
        ["bonnie", None, "rewrite", 4096 << 20, 8192 * 7597],
        ["bonnie", None, "read", 4096 << 20, 8192 * 15411],
    ]
    found = damaged(samples, tmp_path, "bonnie-first/tables.txt", "61440 22.4", "61440 ")
    assert found.problems.kind.tolist() == ["malformed"]


def test_the_last_row_of_nuttx_is_the_result(samples, tmp_path):
    reading = read(samples / "nuttx-iperf" / "client.txt")
    assert rows(reading, "protocol", "direction", "bytes", "duration_s", "throughput_bps") == [
        ["tcp", "send", 563193952, 9.01, pytest.approx(500.06e6)],
        ["udp", "receive", None, None, None],
    ]
    assert reading.intervals.throughput_bps.tolist() == [504.17e6, 496e6, 500e6, 32.11e6, 33.4e6]
    assert reading.problems.kind.tolist() == ["truncated"]
    found = damaged(
        samples, tmp_path, "nuttx-iperf/client.txt", "   0.00-   9.01 sec  563193952", "   0.00-   9.O1 sec  1"
    )
    assert found.runs.throughput_bps.isna().all()


def test_fast_cli_counts_the_last_state(samples):
    reading = read(samples / "fast-cli" / "text.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "throughput_bps", "rtt_s") == [
        ["receive", 82e6, None],
        ["send", pytest.approx(8.4e6), None],
        ["receive", 1.2e9, None],
        ["receive", 410e6, 0.012],
        ["send", 96e6, 0.012],
    ]
