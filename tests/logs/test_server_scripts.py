"""YABS and bench.sh: values, units, damage."""

import pytest

from hecn_analysis.logs import read


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_yabs_tells_its_unit_by_the_operations(samples):
    reading = read(samples / "yabs" / "binary.txt")
    assert reading.problems.empty
    found = rows(reading, "direction", "throughput_bps")
    assert len(found) == 8 + 3
    assert found[:2] == [
        ["random_read", pytest.approx(8 * 190.83e3 * 1024)],
        ["random_read", pytest.approx(8 * 1.22e6 * 1024)],
    ]
    reading = read(samples / "yabs" / "decimal.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "throughput_bps")[0] == ["random_read", pytest.approx(8 * 151.96e6)]


def test_servers_of_yabs(samples):
    assert rows(read(samples / "yabs" / "binary.txt"), "label", "direction", "throughput_bps", "rtt_s")[8:] == [
        ["Example, London, UK (10G)", "send", pytest.approx(1.8e9), 0.0775],
        ["Example, London, UK (10G)", "receive", pytest.approx(1.23e9), 0.0775],
        ["Example2, Paris, FR (10G)", "receive", 890e6, 0.08],
    ]
    assert rows(read(samples / "yabs" / "decimal.txt"), "direction", "throughput_bps", "rtt_s")[4:] == [
        ["send", pytest.approx(1.09e9), None],
        ["receive", 924e6, None],
    ]


def test_rows_of_yabs_behind_the_prefix_of_a_container(samples, reading_of):
    text = (samples / "yabs" / "binary.txt").read_text()
    prefixed = "".join(f"client-1  | {line}\n" for line in text.splitlines())
    columns = ("label", "direction", "throughput_bps")
    assert rows(reading_of(prefixed), *columns) == rows(read(samples / "yabs" / "binary.txt"), *columns)


def test_damaged_cells_of_yabs(samples, reading_of):
    text = (samples / "yabs" / "binary.txt").read_text()
    reading = reading_of(text.replace("1.80 Gbits/sec", "l.80 Gbits/sec").replace("190.83 MB/s", "190.B3 MB/s"))
    assert reading.problems.kind.tolist() == ["malformed", "malformed"]
    assert len(reading.runs) == 6 + 2


def test_disk_and_servers_of_bench_sh(samples):
    reading = read(samples / "bench-sh" / "servers.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "label", "throughput_bps", "rtt_s") == [
        ["write", "1st run", pytest.approx(8.8e9), None],
        ["write", "2nd run", pytest.approx(8 * 931e6), None],
        ["send", "Speedtest.net", pytest.approx(935.22e6), 0.00121],
        ["receive", "Speedtest.net", pytest.approx(938.05e6), 0.00121],
        ["send", "Los Angeles, US", pytest.approx(613.41e6), pytest.approx(0.13073)],
        ["receive", "Los Angeles, US", pytest.approx(1.12e9), pytest.approx(0.13073)],
    ]
    reading = read(samples / "bench-sh" / "superbench.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "label", "throughput_bps")[3:] == [
        ["send", "Example 5G   CT", pytest.approx(231.99e6)],
        ["receive", "Example 5G   CT", pytest.approx(229.86e6)],
    ]


def test_a_damaged_server_of_bench_sh(samples, reading_of):
    text = (samples / "bench-sh" / "servers.txt").read_text()
    reading = reading_of(text.replace("938.05 Mbps", "938.O5 Mbps"))
    assert (len(reading.runs), reading.problems.kind.tolist()) == (4, ["malformed"])
