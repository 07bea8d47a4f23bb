"""The tables' columns, dtypes and checks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base import tables
from hecn_analysis.base.errors import RangeError


def test_the_columns_of_the_public_contract_are_there():
    known = "runs", "streams", "intervals", "samples", "interfaces", "rates", "problems", "statements"
    assert tuple(tables.COLUMNS) == known
    assert {
        *("source_file", "run", "line_first", "line_last", "content_hash", "tool", "tool_version", "label", "protocol"),
        *(
            "direction",
            "start_time",
            "duration_s",
            "bytes",
            "throughput_bps",
            "sender_throughput_bps",
            "iops",
            "streams",
        ),
        *("retransmits", "rtt_s", "rtt_min_s", "rtt_avg_s", "rtt_max_s", "sent_packets", "lost_packets"),
        *("loss_fraction", "jitter_s", "cpu_sender_fraction", "cpu_receiver_fraction", "mss_bytes", "error"),
        *("circumstances", "cleaned"),
    } == set(tables.COLUMNS["runs"])
    assert {
        *("source_file", "run", "stream", "t_start_s", "t_end_s", "bytes", "throughput_bps", "retransmits"),
        *("cwnd_bytes", "lost_packets"),
    } <= set(tables.COLUMNS["intervals"])
    assert {
        *("source_file", "host", "interface", "index", "time", "in_octets", "out_octets", "in_packets", "out_packets"),
        *("in_errors", "out_errors", "in_discards", "out_discards", "speed_bps", "counter_bits", "uptime_s"),
    } <= set(tables.COLUMNS["samples"])
    assert {
        *("host", "interface", "time", "interval_s", "in_bps", "out_bps", "in_max_bps", "out_max_bps", "flag"),
    } <= set(tables.COLUMNS["rates"])
    assert list(tables.COLUMNS["problems"]) == ["source_file", "line", "kind", "message"]


@pytest.mark.parametrize("table", tables.COLUMNS)
def test_every_column_has_a_meaning_and_numbers_name_their_unit(table):
    for column in tables.COLUMNS[table].values():
        assert column.meaning, column.name
        ending = column.name.rpartition("_")[2]
        assert {"bps": "bit/s", "s": "s", "bytes": "B"}.get(ending, column.unit) == column.unit, column.name


@pytest.mark.parametrize("table", tables.COLUMNS)
def test_an_empty_table_has_all_columns_with_their_dtypes(table):
    frame = tables.make(table, [])
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        column.name: column.dtype for column in tables.COLUMNS[table].values()
    }
    assert frame.dtypes.equals(tables.concatenate(table, []).dtypes)


def test_a_missing_value_is_missing_and_never_zero():
    row = tables.make("runs", [{"source_file": "a", "run": 0}]).iloc[0]
    given_columns = {"source_file", "run", "error"}
    assert all(pd.isna(row[name]) for name in tables.COLUMNS["runs"] if name not in given_columns)
    assert row["error"] is np.False_


@pytest.mark.parametrize(
    ("table", "row", "message"),
    [
        (
            "runs",
            {"throughput": 1.0},
            "runs, row 0: runs: found column 'throughput', expected one of "
            + ", ".join(tables.COLUMNS["runs"])
            + "; did you mean 'throughput_bps'?",
        ),
        (
            "runs",
            {"loss_fraction": 1.5},
            "runs, row 0: loss_fraction: found 1.5, expected a number from 0 to 1",
        ),
        ("runs", {"bytes": 1.5}, "runs, row 0: bytes: found 1.5, expected a whole number of at least 0"),
        ("runs", {"bytes": 2**63}, f"runs, row 0: bytes: found {2**63}, expected a whole number of at least 0"),
        ("runs", {"tool": 7}, "runs, row 0: tool: found 7, expected text"),
        ("runs", {"error": None}, "runs, row 0: error: found nothing, expected True or False"),
        ("runs", {"streams": 0}, "runs, row 0: streams: found 0, expected a whole number of at least 1"),
        ("runs", {"rtt_s": float("inf")}, "runs, row 0: rtt_s: found inf, expected a number of at least 0"),
        ("runs", {"retransmits": True}, "runs, row 0: retransmits: found True, expected a whole number of at least 0"),
        (
            "runs",
            {"protocol": "TCP"},
            "runs, row 0: protocol: found 'TCP', expected one of tcp, udp, rdma, icmp, file",
        ),
        ("runs", {"start_time": pd.Timestamp(0)}, "expected a UTC time"),
        ("flows", {}, "found table 'flows', expected one of " + ", ".join(tables.COLUMNS)),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_found_and_expected(table, row, message):
    with pytest.raises(RangeError) as caught:
        tables.make(table, [row])
    assert message in str(caught.value)


def test_the_row_that_does_not_fit_is_named():
    with pytest.raises(RangeError, match=r"^streams, row 2: stream: found -1"):
        tables.make("streams", [{"stream": 0}, {"stream": 1}, {"stream": -1}])


numbers = st.one_of(st.none(), st.floats(0, 1e12))
counts = st.one_of(st.none(), st.integers(0, 2**50))


@given(st.lists(st.lists(st.tuples(numbers, counts), min_size=1, max_size=4), max_size=4))
def test_blocks_make_the_same_table_as_their_rows(parts):
    rows = [
        {"source_file": "a", "run": run, "throughput_bps": rate, "bytes": amount}
        for run, part in enumerate(parts)
        for rate, amount in part
    ]
    blocks = [
        tables.Block(
            len(part),
            {"source_file": "a", "run": run},
            {
                "throughput_bps": np.array([np.nan if rate is None else rate for rate, _ in part]),
                "bytes": np.array([np.nan if amount is None else amount for _, amount in part]),
            },
        )
        for run, part in enumerate(parts)
    ]
    pd.testing.assert_frame_equal(tables.concatenate("intervals", blocks), tables.make("intervals", rows))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"bytes": [1.0, -1.0]}, "row 1: bytes: found -1, expected a whole number of at least 0"),
        ({"bytes": [0.5]}, "row 0: bytes: found 0.5, expected a whole number of at least 0"),
        ({"loss_fraction": [2.0]}, "row 0: loss_fraction: found 2, expected a number from 0 to 1"),
        ({"t_end_s": [np.inf]}, "row 0: t_end_s: found inf, expected a number of at least 0"),
        ({"window": [1.0]}, "found column 'window'"),
    ],
)
def test_a_block_is_checked_as_well(arrays, message):
    arrays = {name: np.array(values) for name, values in arrays.items()}
    with pytest.raises(RangeError) as caught:
        tables.concatenate("intervals", [tables.Block(len(next(iter(arrays.values()))), {"run": 0}, arrays)])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [each for columns in tables.COLUMNS.values() for each in columns.values() if each.dtype in {"Int64", "float64"}],
    ids=lambda column: column.name,
)
def test_a_few_values_are_judged_as_many_are(column):
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.0, 1.5, -1.0, 2.0**53, 2.0**63, -(2.0**63), 1e300, 5e-324]
    many = column.wrong(np.array(values)).tolist()
    assert [column.wrong(np.array([value])).item() for value in values] == many
