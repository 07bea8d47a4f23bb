"""Parquet files of readings: the same as the tables in memory, in any layout, in threads or on a cluster that dies."""

import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from hecn_analysis.base import cluster
from hecn_analysis.base.errors import InputError, ValidityWarning
from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.flags import MEANINGS
from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.sample_files import row_groups
from hecn_analysis.traffic.utilisation import utilisation

BEGIN = pd.Timestamp("2026-03-01", tz="UTC")
MEASURES = [
    "rates",
    "slots",
    "in_bytes",
    "out_bytes",
    "mean_in_bps",
    "peak_out_bps",
    "p95_in_bps",
    "p95_slot_greater_bps",
]


def samples(hosts=3, ports=4, polls=600, seed=1):
    """Readings with wraps, restarts, repeats, gaps and missing values, poll after poll."""
    random = np.random.default_rng(seed)
    tables = []
    for host in range(hosts):
        restart = int(random.integers(2, polls - 2))
        moment = np.arange(polls) * 300.0 + random.uniform(-1, 1, polls)
        up = np.where(np.arange(polls) < restart, moment + 1e6, moment - moment[restart] + 50)
        for port in range(ports):
            narrow = port == 1
            total = np.cumsum(random.integers(0, 10**9, (2, polls)), axis=1)
            total[:, restart:] -= total[:, restart : restart + 1]
            table = pd.DataFrame(
                {
                    "source_file": "poll.log",
                    "host": None if host == 2 else f"switch{host}",
                    "interface": f"eth{port}",
                    "time": BEGIN + pd.to_timedelta(moment, "s"),
                    "in_octets": pd.array(total[0] % (2**32 if narrow else 2**62), dtype="Int64"),
                    "out_octets": pd.array(total[1] % (2**32 if narrow else 2**62), dtype="Int64"),
                    "counter_bits": pd.array([32 if narrow else 64] * polls, dtype="Int64"),
                    "speed_bps": 100e6 if narrow else 10e9,
                    "uptime_s": up,
                }
            )
            table.loc[random.integers(1, polls, 3), "in_octets"] = pd.NA
            tables.append(table.drop(index=range(100, min(104, polls))))
    every = pd.concat(tables, ignore_index=True)
    every = pd.concat([every, every.sample(20, random_state=seed)], ignore_index=True)
    return every.sort_values("time", kind="stable", ignore_index=True)


def expected(table):
    found = utilisation(rates(table))
    return found.sort_values(["host", "interface"], kind="stable", ignore_index=True)


@pytest.fixture(params=["by time", "by interface", "by day and interface", "in small row groups"])
def folder(request, tmp_path):
    table = samples()
    keys = ["host", "interface", "time"]
    if request.param == "by time":
        table.to_parquet(tmp_path / "all.parquet", index=False)
    elif request.param == "by interface":
        table.sort_values(keys, kind="stable").to_parquet(tmp_path / "all.parquet", index=False)
    elif request.param == "by day and interface":
        for day, part in table.groupby(table["time"].dt.date):
            (tmp_path / f"day={day}").mkdir()
            part.sort_values(keys, kind="stable").to_parquet(tmp_path / f"day={day}" / "part.parquet", index=False)
    else:
        table.sort_values(keys, kind="stable").to_parquet(tmp_path / "all.parquet", index=False, row_group_size=500)
    return tmp_path


def test_summary_is_that_of_the_table_in_memory_however_the_files_are_laid_out(folder):
    found, wanted = bulk.interfaces(folder), expected(samples())
    pd.testing.assert_frame_equal(
        found[["host", "interface", *MEASURES]], wanted[["host", "interface", *MEASURES]], rtol=1e-9
    )
    assert found[["first_time", "last_time"]].notna().all(axis=None)


def test_files_of_other_programs_give_the_same(tmp_path):
    """One without host and file, times in microseconds, counters as floating point with gaps."""
    table = samples(hosts=1, ports=1)
    table["time"] = table["time"].dt.floor("us")
    table.to_parquet(tmp_path / "all.parquet", index=False)
    wanted = bulk.interfaces(tmp_path)
    other = table.drop(columns=["host", "source_file"]).assign(
        time=table["time"].dt.as_unit("us"),
        in_octets=table["in_octets"].astype("float64"),
        speed_bps=table["speed_bps"].astype("int64"),
    )
    other.to_parquet(tmp_path / "all.parquet", index=False)
    found = bulk.interfaces(tmp_path)
    assert found["host"].unique().tolist() == [str(tmp_path / "all.parquet")]
    pd.testing.assert_frame_equal(found[MEASURES], wanted[MEASURES], rtol=1e-9)


def test_files_of_no_rows_give_no_rows(tmp_path):
    samples(hosts=1, ports=1).head(0).to_parquet(tmp_path / "all.parquet", index=False)
    assert bulk.interfaces(tmp_path).empty


def test_every_flag_is_counted(tmp_path):
    table = samples()
    table.to_parquet(tmp_path / "all.parquet", index=False)
    found = bulk.interfaces(tmp_path)
    flags = rates(table)["flag"].str.split(",").explode().value_counts()
    assert {"wrap", "reset", "gap", "duplicate", "missing", "ok"} <= set(flags.index)
    for flag in (word for word in found.columns if word in {str(one.name).lower() for one in MEANINGS} | {"ok"}):
        assert found[flag].sum() == flags.get(flag, 0), flag


def test_shares_give_the_same_rows_as_one(folder, monkeypatch):
    wanted = bulk.interfaces(folder)
    monkeypatch.setattr(bulk, "SHARE_ROWS", (1000,))
    monkeypatch.setattr(bulk, "_BLOCK_ROWS", 700)
    assert len(bulk.shares([group for path in bulk._files([folder], []) for group in row_groups(path)])) > 3
    pd.testing.assert_frame_equal(bulk.interfaces(folder), wanted)


def test_rates_are_written_too(folder, tmp_path):
    bulk.interfaces(folder, rates_folder=tmp_path / "rates")
    keys = ["host", "interface", "time", "flag"]
    found = pd.read_parquet(tmp_path / "rates").sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(found, rates(samples()).sort_values(keys, ignore_index=True), check_dtype=False)


def test_users_widths_and_speeds_count(tmp_path):
    samples().drop(columns=["counter_bits", "speed_bps"]).to_parquet(tmp_path / "all.parquet", index=False)
    found = bulk.interfaces(tmp_path, widths={"eth1": 32}, speeds={"eth1": 100e6}, max_gap=1e6)
    assert found.loc[found["interface"] == "eth1", "wrap"].min() > 0
    assert found["gap"].sum() == 0


def test_faults_of_files_are_told(tmp_path):
    with pytest.raises(InputError, match=r"found no file \*\.parquet, expected one or more$"):
        bulk.interfaces(tmp_path)
    (tmp_path / "a.parquet").write_bytes(b"PAR0")
    with pytest.raises(
        InputError, match=r"a\.parquet: found no Parquet file, expected a Parquet file with the table samples$"
    ):
        bulk.interfaces(tmp_path)
    pd.DataFrame({"interface": ["a"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        InputError, match=r"found no column time and no column in_octets and no column out_octets, expected"
    ):
        bulk.interfaces(tmp_path)
    with pytest.raises(InputError, match=r"b\.parquet: found no file, expected a Parquet file$"):
        bulk.interfaces(tmp_path / "b.parquet")
    samples().head(0).to_parquet(tmp_path / "a.parquet")
    assert len(bulk.interfaces(tmp_path)) == 0


def damaged(file):
    """Break the first byte of the values of a column, which is looked at only when shares are read."""
    column = pq.ParquetFile(file).metadata.row_group(0).column(pq.read_schema(file).names.index("in_octets"))
    content = bytearray(file.read_bytes())
    begin = column.dictionary_page_offset or column.data_page_offset
    content[begin : begin + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    file.write_bytes(content)


def test_a_damaged_file_costs_its_own_readings(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk, "SHARE_ROWS", (300,))
    good, rates = tmp_path / "good", tmp_path / "rates"
    good.mkdir()
    for number, part in samples().groupby("interface"):
        part.to_parquet(good / f"{number}.parquet", index=False)
    wanted = bulk.interfaces(good)
    bad = tmp_path / "bad"
    bad.mkdir()
    other = samples().assign(host=samples()["host"] + "b")
    for name in ("values", "words"):
        other.to_parquet(bad / f"{name}.parquet", index=False)
    damaged(bad / "values.parquet")
    (bad / "words.parquet").write_bytes(b"words")
    other.assign(in_octets="many").to_parquet(bad / "text.parquet", index=False)
    other[["host", "interface"]].to_parquet(bad / "columns.parquet", index=False)
    told = []
    found = bulk.interfaces([bad, good], rates_folder=rates, damaged=told)
    pd.testing.assert_frame_equal(found, wanted)
    assert len(pd.read_parquet(rates)) == wanted["rates"].sum()
    expected = {
        "columns": "no column time and no column in_octets and no column out_octets",
        "text": "damage (",
        "values": "damage (",
        "words": "no Parquet file",
    }
    assert {
        Path(error.source).stem: error.found[: len(expected[Path(error.source).stem])] for error in told
    } == expected
    assert not any("None" in error.found or "()" in error.found for error in told)  # what damage it is stands there
    with pytest.warns(ValidityWarning, match=r"values\.parquet: found damage \("):
        bulk.interfaces([bad / "values.parquet", good])
    with pytest.raises(InputError, match=r"values\.parquet: found damage \("):
        bulk.interfaces(bad / "values.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["by day and interface"], indirect=True)
@pytest.mark.filterwarnings("ignore")  # those of distributed are not ours
def test_cluster_gives_the_same_rows_though_a_worker_is_killed_half_way(folder, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(bulk, "SHARE_ROWS", (300,))
    wanted = bulk.interfaces(folder)
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with cluster:
        victim = next(iter(cluster.workers.values()))
        done = {}
        original = bulk.shares

        def shares(groups):
            threading.Thread(target=kill, daemon=True).start()
            return original(groups)

        def kill():
            time.sleep(0.05)
            victim.process.process._process.kill()
            done["killed"] = True

        monkeypatch.setattr(bulk, "shares", shares)
        found = bulk.interfaces(folder, dask=cluster.scheduler_address)
        assert done == {"killed": True}
    pd.testing.assert_frame_equal(found, wanted)


def test_no_scheduler_is_told(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.2)
    samples().head(5).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"found no Dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        bulk.interfaces(tmp_path, dask="tcp://127.0.0.1:9")


def test_folders_may_be_nested_deep(tmp_path):
    deep = Path(tmp_path, *"d" * 1100)
    for folder in (*reversed(deep.parents), deep):
        folder.mkdir(exist_ok=True)
    samples(hosts=1, ports=1).to_parquet(deep / "all.parquet", index=False)
    try:
        assert len(bulk.interfaces([tmp_path])) == 1
    finally:
        while deep != tmp_path:
            for file in deep.glob("*.parquet"):
                file.unlink()
            deep.rmdir()
            deep = deep.parent
