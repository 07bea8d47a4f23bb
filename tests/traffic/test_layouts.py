"""Parquet files of all sorts in one share: columns that some lack, values that are missing, how shares are dealt."""

import itertools
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.bulk import Share, shares
from hecn_analysis.traffic.differences import Rates
from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.sample_files import Columns, Group, Members
from hecn_analysis.traffic.series import Named, Readings, Series
from hecn_analysis.traffic.utilisation import utilisation

BEGIN = pd.Timestamp("2026-03-01", tz="UTC")
MILLION = 1_000_000
OPTIONAL = ["host", "source_file", "index", "counter_bits", "speed_bps", "uptime_s", "discontinuity_s"]


def readings(host="switch", count=12, **columns):
    """A port of 32 bits that wraps, and that was started anew once."""
    moment = np.arange(count) * 300
    moved = np.cumsum(np.full(count, 900_000_000))
    up = np.where(np.arange(count) < 8, 5e5 + moment, moment - 2300.0)
    return pd.DataFrame(
        {
            "source_file": f"{host}.txt",
            "host": host,
            "interface": "eth0",
            "index": pd.array([3] * count, dtype="Int64"),
            "time": BEGIN + pd.to_timedelta(moment, "s"),
            "in_octets": pd.array(moved % 2**32, dtype="Int64"),
            "out_octets": pd.array(moved // 2 % 2**32, dtype="Int64"),
            "counter_bits": pd.array([32] * count, dtype="Int64"),
            "speed_bps": 1e8,
            "uptime_s": up,
            "discontinuity_s": np.where(np.arange(count) < 5, 10.0, 20.0),
        }
    ).assign(**columns)


def written(folder, *tables, **options):
    for number, table in enumerate(tables):
        table.to_parquet(folder / f"{number}.parquet", index=False, **options)
    return folder


def in_memory(*tables, **options):
    found = rates(pd.concat(tables), **options)
    return found.sort_values(["host", "interface", "time"], kind="stable", ignore_index=True)


def in_files(folder, **options):
    bulk.interfaces(folder, rates_folder=folder / "rates", **options)
    found = pd.read_parquet(folder / "rates")
    return found.sort_values(["host", "interface", "time"], kind="stable", ignore_index=True)


@pytest.mark.parametrize("column", OPTIONAL)
@pytest.mark.parametrize("first", [True, False])
def test_column_that_one_of_the_files_lacks_is_missing_in_its_rows_only(tmp_path, column, first):
    whole, lacking = readings("a"), readings("b").drop(columns=column)
    tables = [lacking, whole] if first else [whole, lacking]
    (tmp_path / "files").mkdir()
    found = in_files(written(tmp_path / "files", *tables))
    if column == "source_file":
        tables = [table.assign(source_file=str(number)) for number, table in enumerate(tables)]
    pd.testing.assert_frame_equal(found, in_memory(*tables), check_dtype=False)
    assert found["host"].nunique(dropna=False) == 2


@pytest.mark.parametrize("column", [*OPTIONAL, "interface", "in_octets", "out_octets", "time"])
def test_values_that_are_missing_in_some_rows_are_missing_there(tmp_path, column):
    table = readings("a")
    table[column] = table[column].astype({"in_octets": "Int64", "out_octets": "Int64"}.get(column, table[column].dtype))
    table.loc[[2, 6, 9], column] = pd.NaT if column == "time" else None
    other = readings("b")
    found = in_files(written(tmp_path, table, other))
    wanted = in_memory(table, other)
    keys = ["host", "interface", "time", "flag", "in_bps"]
    pd.testing.assert_frame_equal(
        found.sort_values(keys, ignore_index=True), wanted.sort_values(keys, ignore_index=True), check_dtype=False
    )


@pytest.mark.parametrize("column", OPTIONAL)
def test_column_that_all_files_lack_is_missing(tmp_path, column):
    tables = [readings(host).drop(columns=column) for host in ("a", "b")]
    found = in_files(written(tmp_path, *tables))
    if column == "host":
        assert found["host"].unique().tolist() == ["a.txt", "b.txt"]
    pd.testing.assert_frame_equal(found, in_memory(*tables), check_dtype=False)


@pytest.mark.parametrize("kind", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", None])
def test_times_of_every_unit_and_zone_are_the_same_moments(tmp_path, kind, zone):
    table = readings()
    other = table.assign(
        time=(table["time"].dt.tz_convert(zone) if zone else table["time"].dt.tz_localize(None)).dt.as_unit(kind)
    )
    pd.testing.assert_frame_equal(in_files(written(tmp_path, other)), in_memory(table), check_dtype=False)
    numbers = table.assign(time=table["time"].dt.as_unit("ns").astype("int64"))  # nanoseconds since 1970
    (tmp_path / "numbers").mkdir()
    found = in_files(written(tmp_path / "numbers", numbers))
    pd.testing.assert_frame_equal(found, in_memory(table), check_dtype=False)


@pytest.mark.parametrize("kind", ["uint64", "int64", "float64"])
def test_counters_of_every_kind_are_as_large_as_they_are(tmp_path, kind):
    top = 2**64 - 2**12 if kind == "uint64" else 2**62
    table = readings(count=3).assign(
        in_octets=np.array([top - 2**20, top - 2**13, top], dtype=np.uint64).astype(kind),
        counter_bits=64,
        uptime_s=np.nan,
    )
    found = in_files(written(tmp_path, table))
    assert found["in_bps"].tolist() == [(2**20 - 2**13) * 8 / 300, 2**13 * 8 / 300]


def test_threads_of_one_share_after_another_see_nothing_of_the_one_before(tmp_path, monkeypatch):
    """The memory of a share is used again: a larger one before, one without some columns after it."""
    monkeypatch.setattr(bulk, "SHARE_ROWS", (1,))
    tables = [
        readings("a", 40),
        readings("b", 5),
        readings("c", 60).drop(columns=["uptime_s", "speed_bps"]),
        readings("d", 7),
    ]
    found = in_files(written(tmp_path, *tables), threads=1)
    pd.testing.assert_frame_equal(found, in_memory(*tables), check_dtype=False)
    assert len(list((tmp_path / "rates").glob("rates-0000?.parquet"))) == 4


@pytest.mark.parametrize("rows", [1, 5, 12, 1000])
def test_row_groups_of_any_size_and_rows_of_several_ports_side_by_side(tmp_path, rows):
    tables = [readings(host, interface=name) for host in ("a", "b") for name in ("eth0", "eth1")]
    mixed = pd.concat(tables).sort_values("time", kind="stable")
    found = in_files(written(tmp_path, mixed, row_group_size=rows))
    pd.testing.assert_frame_equal(found, in_memory(mixed), check_dtype=False)
    summary = bulk.interfaces(tmp_path / "0.parquet")
    assert summary["rates"].tolist() == [11] * 4
    numbers = ["unrated", "mean_in_bps", "mean_out_bps", "peak_in_bps", "slots", "missing_slots"]
    pd.testing.assert_frame_equal(summary[numbers], utilisation(in_memory(mixed))[numbers])
    assert summary["first_time"].tolist() == [BEGIN] * 4
    flags = found["flag"].str.split(",").explode()
    assert {"ok", "wrap", "reset"} <= set(flags)
    for word in ("ok", "wrap", "reset", "ambiguous", "gap"):
        assert summary[word].sum() == (flags == word).sum()


def test_readings_of_neither_host_nor_file_are_of_one_port_of_their_own(tmp_path):
    known, unknown = readings("a"), readings("b").assign(host=pd.array([None] * 12, dtype="string"), source_file=None)
    for tables in ([known, unknown], [unknown, known]):
        folder = tmp_path / str(tables[0] is known)
        folder.mkdir()
        found = in_files(written(folder, pd.concat(tables), row_group_size=5))
        pd.testing.assert_frame_equal(found, in_memory(*tables), check_dtype=False)
        assert found["host"].isna().sum() == 11
        assert len(found) == 22


def test_share_takes_the_rows_of_its_interfaces_whatever_is_missing_of_their_names():
    every = list(itertools.product(["h", "i", None], ["e", "f", None], ["x", "y", None]))
    texts = {"host": ["h", "i"], "interface": ["e", "f"], "source_file": ["x", "y"]}
    codes = {
        text: np.array([(*names, None).index(one[at]) for one in every])
        for at, (text, names) in enumerate(texts.items())
    }
    codes = {text: np.where(numbers == 2, -1, numbers) for text, numbers in codes.items()}
    of = [(host, name, file if host is None else None) for host, name, file in every]
    keys = sorted(set(of), key=str)
    random = np.random.default_rng(1)
    for _ in range(40):
        mine = {key for key in keys if random.random() < 0.3}
        rows = Members(mine).rows(codes, texts)
        assert rows.tolist() == [number for number, key in enumerate(of) if key in mine]
    assert Members(keys).rows(codes, texts) is None


def test_readings_without_a_time_make_no_slots(tmp_path):
    lost = readings("b", 3).assign(time=pd.Series([pd.NaT] * 3, dtype="datetime64[ns, UTC]"))
    table = readings("a")
    table.loc[[0, 6], "time"] = pd.NaT
    written(tmp_path, table, lost, readings("c"))
    found = bulk.interfaces(tmp_path).set_index("host")
    assert found["no_time"].tolist() == [2, 2, 0]
    assert found["slots"].tolist() == [10, 0, 11]
    assert found.loc["b", ["first_time", "last_time", "p95_in_bps", "peak_in_bps"]].isna().all()
    assert found["rates"].tolist() == [9, 0, 11]
    numbers = ["rates", "unrated", "slots", "missing_slots", "in_bytes", "mean_out_bps", "peak_in_bps", "p95_in_bps"]
    wanted = utilisation(in_memory(table, readings("c"))).set_index("host")
    pd.testing.assert_frame_equal(found.loc[["a", "c"], numbers], wanted[numbers], check_dtype=False)
    assert found["last_time"].tolist()[::2] == wanted["last_time"].tolist()


# shares


def groups_of(*rows_and_keys):
    return [
        Group("a.parquet", number, rows, tuple(("switch", key, None) for key in keys))
        for number, (rows, keys) in enumerate(rows_and_keys)
    ]


def dealt(groups):
    found = shares(groups)
    assert [share.number for share in found] == list(range(len(found)))
    return [
        ("".join(sorted(name for _, name, _ in share.keys)), [number for _, number, _ in share.groups])
        for share in found
    ]


def test_shares_hold_up_to_two_million_readings():
    assert dealt(groups_of(*((MILLION, key) for key in "abcd"))) == [("ab", [0, 1]), ("cd", [2, 3])]
    assert dealt(groups_of(*((MILLION + 1, key) for key in "abcd"))) == [("a", [0]), ("b", [1]), ("c", [2]), ("d", [3])]
    assert dealt(groups_of((3 * MILLION, "a"), (1, "b"), (1, "c"))) == [("a", [0]), ("bc", [1, 2])]
    assert dealt([]) == []


def test_readings_of_a_row_group_are_taken_as_shared_evenly_by_its_interfaces():
    # 0.6 million each of a to e in the first, and of f alone as many
    assert dealt(groups_of((3 * MILLION, "abcde"), (600_000, "f"))) == [("abc", [0]), ("def", [0, 1])] or dealt(
        groups_of((3 * MILLION, "abcde"), (600_000, "f"))
    ) == [("abcdef", [0, 1])]


@pytest.mark.parametrize(
    ("many", "size"),
    [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (24, 2), (40, 3)],  # million rows, each group with all interfaces
)
def test_shares_are_larger_where_every_row_group_holds_all_interfaces(many, size):
    """Up to 16 million readings, of which each share reads everything."""
    found = dealt(groups_of(*((MILLION, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN") for _ in range(many))))
    assert len(found) == size
    assert all(numbers == list(range(many)) for _, numbers in found)
    assert sorted("".join(keys for keys, _ in found)) == sorted("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN")


@pytest.mark.parametrize(("both", "number"), [(3, 2), (4, 1)])
def test_what_is_read_twice_is_at_most_six_tenths(both, number):
    """Groups that hold a and b are read by both shares: 5 + 3 of 5, and 5 + 4 of 5."""
    rows = 800_000
    groups = groups_of(*([(rows, "ab")] * both), *([(rows, "a"), (rows, "b")][: 5 - both]))
    assert sum(group.rows for group in groups) == 5 * rows
    assert len(dealt(groups)) == number


def test_interfaces_are_dealt_in_the_order_of_their_names_and_those_without_come_first():
    keys = [("b", "x", None), (None, "x", "f"), ("a", None, None), ("a", "y", None), (None, None, "f")]
    groups = [Group("a", number, 2 * MILLION, (key,)) for number, key in enumerate(keys)]
    assert [next(iter(share.keys)) for share in shares(groups)] == [keys[4], keys[1], keys[2], keys[3], keys[0]]


# the parts


@pytest.mark.parametrize("kind", [bulk.Settings, Group, Share, Series, Named, Readings, Rates])
def test_what_threads_share_cannot_be_changed(kind):
    with pytest.raises(FrozenInstanceError):
        object.__new__(kind).starts = None


@pytest.mark.parametrize("chosen", range(1, 16))
def test_members_are_found_by_host_else_by_file(chosen):
    keys = [("h", "x", None), ("h", None, None), (None, "x", "f"), (None, "y", "g")]
    mine = [key for number, key in enumerate(keys) if chosen >> number & 1]
    names = {"host": ["h", "other"], "interface": ["x", "y"], "source_file": ["f", "g"]}
    rows = list(itertools.product([0, 1, -1], [0, 1, -1], [0, 1]))
    codes = {
        name: np.array(column, dtype=np.int32)
        for name, column in zip(("host", "interface", "source_file"), zip(*rows, strict=True), strict=True)
    }
    wanted = [
        place
        for place, (host, interface, file) in enumerate(rows)
        if (
            names["host"][host] if host >= 0 else None,
            names["interface"][interface] if interface >= 0 else None,
            None if host >= 0 else names["source_file"][file],
        )
        in mine
    ]
    found = Members(mine).rows(codes, names)
    assert found is not None
    assert found.tolist() == wanted
    part = {name: column[wanted] for name, column in codes.items()}
    assert Members(mine).rows(part, names) is None  # all


def test_columns_are_what_was_added():
    columns = Columns(6)
    columns.add(2, {"in_octets": np.array([1, 2], dtype=np.uint64)})
    columns.add(1, {"time": np.array([7]), "uptime_s": np.array([0.5])})
    columns.add(2, {"time": np.array([3, 4, 5]), "in_octets": np.array([6, 7, 8]), "rows": np.array([2, 0])})
    assert columns.get("in_octets").tolist() == [1, 2, 0, 8, 6]
    assert columns.get("time").tolist() == [-1, -1, 7, 5, 3]
    assert columns.get("uptime_s").tolist() == pytest.approx([np.nan, np.nan, 0.5, np.nan, np.nan], nan_ok=True)
    assert columns.get("speed_bps") is None
    assert math.isnan(columns.number("speed_bps"))
    assert (columns.number("counter_bits"), columns.number("index"), columns.all("out_octets").tolist()) == (0, -1, [])
    assert columns.number("time").tolist() == columns.all("time").tolist()


def test_share_of_nothing_has_no_interfaces():
    assert bulk.work(Share(0, (), frozenset()), bulk.Settings()).empty
