"""sysbench fileio, Ceph's benchmarks, dbench, rclone, CrystalDiskMark, juicefs bench: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_reads_and_writes_of_sysbench_are_runs_of_their_own(samples):
    reading = read(samples / "sysbench" / "random.txt")
    assert rows(reading, "direction", "throughput_bps", "duration_s") == [
        ["random_read", pytest.approx(63.16 * MIB), 3.0118],
        ["random_write", pytest.approx(42.11 * MIB), 3.0118],
    ]


def test_old_sysbench_prints_amounts_of_binary_units(samples):
    reading = read(samples / "sysbench" / "v0.4.txt")
    assert rows(reading, "direction", "bytes", "throughput_bps") == [
        ["random_read", round(93.797 * 2**20), pytest.approx(8 * 93.797 * 2**20 / 30.0024)],
        ["random_write", round(62.453 * 2**20), pytest.approx(8 * 62.453 * 2**20 / 30.0024)],
    ]


def test_rados_and_rbd_state_bytes_seconds_and_binary_rates(samples):
    reading = read(samples / "ceph" / "bench.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "direction", "bytes", "duration_s", "throughput_bps") == [
        ["rados", "write", 791 * 4194304, 10.1841, pytest.approx(310.68 * MIB)],
        ["rados", "read", 791 * 4194304, 4.01207, pytest.approx(788.62 * MIB)],
        ["rbd", "write", 16384 * 65536, 6.0, pytest.approx(2710.41 * 65536 * 8)],
    ]


def test_dbench_is_the_file_system_and_tbench_the_network(samples):
    reading = read(samples / "dbench" / "others.txt")
    assert rows(reading, "tool", "protocol", "streams", "throughput_bps") == [
        ["tbench", "tcp", 4, pytest.approx(1120.44 * 8e6)],
        ["dbench", "file", 8, pytest.approx(402.119 * 8e6)],
    ]
    assert read(samples / "dbench" / "v4.txt").runs.throughput_bps.tolist() == [125.78 * 8e6]


def test_the_last_statistics_of_rclone_are_the_run(samples, problem_lines):
    assert rows(read(samples / "rclone" / "copied.txt"), "bytes", "duration_s", "throughput_bps", "error") == [
        [round(286.102 * 2**20), 4.3, pytest.approx(286.102 * MIB / 4.3), False]
    ]
    reading = read(samples / "rclone" / "errors.txt")
    assert rows(reading, "bytes", "duration_s", "error") == [[round(4.25 * 2**30), 102.5, True]]
    assert problem_lines(reading) == [
        "errors.txt:17: aborted: found a copy that is not whole, or errors, expected all of it"
    ]


def test_crystal_disk_mark_has_decimal_megabytes_and_a_row_for_each_pattern(samples):
    reading = read(samples / "crystal-disk-mark" / "v8.txt")
    assert reading.problems.empty
    found = rows(reading, "direction", "circumstances", "streams", "throughput_bps")
    assert found[0] == ["read", "1 MiB, Q=8, T=1", 1, pytest.approx(3412.345 * 8e6)]
    assert found[2] == ["random_read", "4 KiB, Q=32, T=16", 16, pytest.approx(1840.553 * 8e6)]
    assert [row[0] for row in found] == ["read", "read", "random_read", "random_read", "write", "random_write", None]


def test_the_old_crystal_disk_mark_and_kdiskmark(samples):
    reading = read(samples / "crystal-disk-mark" / "others.txt")
    assert reading.problems.empty
    assert rows(reading, "tool", "direction", "throughput_bps")[1:6] == [
        ["CrystalDiskMark", "write", pytest.approx(201.443 * 8e6)],
        ["CrystalDiskMark", "random_read", pytest.approx(180.221 * 8e6)],
        ["CrystalDiskMark", "random_write", pytest.approx(150.02 * 8e6)],
        ["CrystalDiskMark", "random_read", pytest.approx(20.114 * 8e6)],
        ["KDiskMark", "read", pytest.approx(1204.12 * 8e6)],
    ]


def test_juicefs_bench_counts_its_big_files(samples):
    assert rows(read(samples / "juicefs" / "bench.txt"), "direction", "streams", "throughput_bps") == [
        ["write", 4, pytest.approx(712.44 * MIB)],
        ["read", 4, pytest.approx(1204.12 * MIB)],
    ]


@pytest.mark.parametrize(
    ("path", "damage", "problem"),
    [
        (
            "sysbench/random.txt",
            ("63.16", "63,l6"),
            "29: malformed: found 'read, MiB/s:                  63,l6', expected",
        ),
        (
            "ceph/bench.txt",
            ("310.68\n", "310.68x\n"),
            "13: malformed: found 'Bandwidth (MB/sec):     310.68x', expected",
        ),
        (
            "dbench/v4.txt",
            ("Throughput 125.78", "Throughput 125;78"),
            "32: malformed: found 'Throughput 125;78 MB/sec  2 clients",
        ),
        ("rclone/copied.txt", ("4.3s", "4.3"), "6: malformed: found 'Elapsed time:         4.3', expected"),
        ("crystal-disk-mark/v8.txt", ("3412.345", "3412.E45"), "9: malformed: found 'SEQ    1MiB (Q=  8, T= 1)"),
        ("juicefs/bench.txt", ("712.44", "7I2.44"), "10: malformed: found '|   Write big file |     7I2.44 MiB/s"),
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
    assert set(found.runs.throughput_bps) <= set(whole.runs.throughput_bps)


@pytest.mark.parametrize("folder", ["sysbench", "ceph", "dbench", "rclone", "crystal-disk-mark", "juicefs"])
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


@pytest.mark.parametrize(
    ("name", "iops"),
    [
        ("ceph/bench.txt", [77, 197, 2710.41]),
        ("diskspd/mixed.txt", [749.75, 249.92]),
        ("diskspd/total.txt", [480]),
        ("elbencho/phases.txt", [1700, 3010, 7890, 18400]),
        ("elbencho/v1.6.txt", [647]),
        ("gpfsperf/gpfs-3.txt", [500, None]),
        ("ior/text-4.txt", [3840, 4800]),
        ("ior/values-4.txt", [409.6, 1024]),
        ("spdk-perf/tables.txt", [1012512, 8960]),
        ("sysbench/random.txt", [4042.15, 2694.77]),
        ("sysbench/v0.4.txt", [None, None]),
        ("xdd/text-6.txt", [409.6]),
        ("xdd/text-7.txt", [1638.4]),
        ("yabs/decimal.txt", [37100, 5500, 37200, 5500, None, None]),
    ],
)
def test_requests_per_second_stand_beside_the_rate(samples, name, iops):
    assert rows(read(samples / name), "iops") == [[value] for value in iops]
