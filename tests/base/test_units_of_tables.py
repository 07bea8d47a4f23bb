"""Units in ``attrs`` of every table that the public functions give."""

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base import tables
from hecn_analysis.base.places import data_dir
from hecn_analysis.base.tables import unit_of, with_units

FAR = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10Gb/s", "path.rtt": "80ms"}
TRANSFERS = data_dir() / "transfers"
SESSION = data_dir() / "counters" / "session"


def every_table():
    """Name and table of each public result."""
    reading = hecn.read(TRANSFERS / "over_time")
    for name in ("runs", "streams", "intervals", "problems"):
        yield f"read.{name}", getattr(reading, name)
    counters = hecn.read_counters(SESSION / "walks.txt.gz")
    for name in ("samples", "rates", "interfaces", "problems"):
        yield f"read_counters.{name}", getattr(counters, name)
    yield "predict", hecn.predict(FAR).to_frame()
    yield "whatif", hecn.whatif(FAR, {"path.mtu": 9000})
    yield "whatif, varied", hecn.whatif(FAR, vary={"path.mtu": [1500, 9000]})
    yield "sweep", hecn.sweep(FAR, {"path.mtu": [1500, 9000]})
    yield "tornado", hecn.tornado(FAR)
    compared = hecn.compare(TRANSFERS / "before", TRANSFERS / "after")
    yield from (("compare.groups", compared.groups), ("compare.runs", compared.runs))
    advice = hecn.advise(FAR)
    yield "advise", advice.to_frame()


@pytest.fixture(scope="module")
def public():
    return dict(every_table())


def test_every_public_table_states_the_units_of_its_quantities(public):
    for name, table in public.items():
        units = table.attrs["units"]
        assert units == {column: unit_of(column) for column in table.columns if unit_of(column)}, name
        assert all(units[column] == "bit/s" for column in table.columns if column.endswith("_bps")), name
        assert all(units[column] == "s" for column in table.columns if column.endswith("_s")), name


def test_the_units_are_those_of_the_documented_columns(public):
    assert public["read.runs"].attrs["units"]["throughput_bps"] == "bit/s"
    assert public["read.runs"].attrs["units"]["rtt_s"] == "s"
    assert public["read.intervals"].attrs["units"]["bytes"] == "B"
    assert public["read_counters.samples"].attrs["units"]["in_octets"] == "B"
    assert "tool" not in public["read.runs"].attrs["units"]
    for columns in tables.COLUMNS.values():
        assert all(unit_of(name) == column.unit for name, column in columns.items())


def test_units_outlive_a_selection():
    frame = with_units(pd.DataFrame({"throughput_bps": [1.0, 2.0], "tool": ["a", "b"]}))
    assert frame[frame["throughput_bps"] > 1].attrs["units"] == {"throughput_bps": "bit/s"}
