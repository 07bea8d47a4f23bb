"""zpool iostat: figures of pools in SI units, and damage."""

import pytest

from hecn_analysis.counters import read_counters

MIB = 8 * 2**20


def test_the_last_report_of_a_pool_counts(samples):
    [source] = read_counters(samples / "zpool-iostat" / "verbose.txt").sources
    assert (source["format"], source["n_pools"]) == ("zpool-iostat", 1)
    [pool] = source["pools"]
    assert (pool["name"], pool["is_since_import"]) == ("tank", False)
    assert (pool["read_bps"], pool["write_bps"], pool["write_ops_per_s"]) == (0.0, 154 * MIB, 1280.0)
    assert (pool["max_read_bps"], pool["max_write_bps"]) == (0.0, 154 * MIB)
    assert pool["alloc_bytes"] == pytest.approx(1.21 * 2**40)
    assert [(part["name"], part["write_bps"]) for part in pool["parts"]] == [
        ("raidz2-0", 154 * MIB),
        ("sda", 38.5 * MIB),
        ("nvme0n1", pytest.approx(5.1 * MIB)),
    ]


def test_latencies_and_decimal_commas(samples):
    counters = read_counters(samples / "zpool-iostat" / "latency.txt")
    assert counters.problems.empty
    [source] = counters.sources
    assert [(pool["name"], pool["is_since_import"]) for pool in source["pools"]] == [("backup", True), ("media", True)]
    assert source["pools"][1]["write_bps"] == pytest.approx(3.15 * MIB)


def test_the_largest_rates_of_many_reports(samples, counters_of):
    text = (samples / "zpool-iostat" / "latency.txt").read_text()
    rows = "".join(f"tank  1.21T  2.41T  0  0  {rate}  0\n" for rate in ("900M", "1.25G", "1.50G", "0"))
    [pool] = counters_of("\n".join([*text.splitlines()[:3], rows])).sources[0]["pools"]
    assert (pool["read_bps"], pool["max_read_bps"]) == (0.0, 1.5 * 8 * 2**30)


def test_a_lost_indentation_makes_no_pools_of_disks(samples, counters_of):
    text = (samples / "zpool-iostat" / "verbose.txt").read_text()
    flat = counters_of("".join(f"{line.strip()}\n" for line in text.splitlines()))
    [pool] = flat.sources[0]["pools"]
    assert [part["name"] for part in pool["parts"]] == ["raidz2-0", "sda", "nvme0n1"]


def test_damaged_and_cut_rows(samples, counters_of, said):
    text = (samples / "zpool-iostat" / "latency.txt").read_text()
    found = counters_of(text[: text.index("2,88M") + 3])
    assert said(found)[0].startswith("5: truncated: found 'media        766G")
    assert [pool["name"] for pool in found.sources[0]["pools"]] == ["backup"]
    verbose = (samples / "zpool-iostat" / "verbose.txt").read_text()
    found = counters_of(verbose.replace("1.25K      0   154M", "l.25K      0   154M", 1))
    assert len(found.sources[0]["pools"][0]["parts"]) == 3
    assert said(found) == [
        (
            "14: malformed: found 'tank        1.21T  2.41T      0  l.25K      0   154M', "
            "expected a name and six figures; left out"
        )
    ]


def test_a_second_command_begins_with_a_mean_since_the_import_again(tmp_path):
    head = "              capacity     operations    bandwidth\npool        alloc   free   read  write   read  write\n"
    rule = "----------  -----  -----  -----  -----  -----  -----\n"
    table = f"> zpool iostat\n{head}{rule}Big  10.0T  2.00T  {{}}  45  {{}}M  4.00M\n"
    (tmp_path / "a.txt").write_text(f"{table.format(63, 7.5)}\nStill no activity:\n\n{table.format(62, 7.25)}")
    [pool] = read_counters(tmp_path / "a.txt").sources[0]["pools"]
    assert (pool["is_since_import"], pool["read_ops_per_s"]) == (True, 62)
    assert pool["max_read_bps"] == pool["read_bps"] == 7.25 * 2**20 * 8


def test_the_columns_of_solaris(samples, counters_of):
    text = (samples / "zpool-iostat" / "latency.txt").read_text()
    [source] = counters_of(text.replace("alloc   free", "used  avail")).sources
    assert [pool["name"] for pool in source["pools"]] == ["backup", "media"]
