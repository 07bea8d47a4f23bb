"""The shipped sample logs give every figure of the documents' slides, to all digits, and no problem."""

import csv
from pathlib import Path

import pandas as pd
import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read

EXPECTED = list(csv.DictReader((Path(__file__).parent / "expected" / "documents.csv").read_text().splitlines()))


@pytest.fixture(scope="module")
def reading():
    return read(data_dir() / "logs")


def _number(text, factor):
    return None if not text else pytest.approx(float(text) * factor, rel=1e-12)


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['file']}:{row['run']}")
def test_a_result_of_the_documents(reading, row):
    runs = reading.runs
    [run] = runs[
        (runs.source_file == str(data_dir() / "logs" / row["file"])) & (runs.run == int(row["run"]))
    ].itertuples()
    assert (run.label, run.tool) == (row["label"], row["tool"])
    for value, expected in (
        (run.throughput_bps, _number(row["throughput_mbps"], 1e6)),
        (run.cpu_sender_fraction, _number(row["tx_percent"], 1e-2)),
        (run.cpu_receiver_fraction, _number(row["rx_percent"], 1e-2)),
        (run.retransmits, _number(row["retransmits"], 1)),
        (run.rtt_s, _number(row["rtt_ms"], 1e-3)),
        (run.bytes, _number(row["file_bytes"], 1)),
        (run.duration_s, _number(row["duration_s"], 1)),
        (run.streams, _number(row["streams"], 1)),
    ):
        if expected is None and row["tool"] != "dd":
            assert pd.isna(value)
        elif expected is not None:
            assert value == expected


def test_the_logs_contain_exactly_the_documents_results(reading):
    assert len(reading.runs) == len(EXPECTED)
    assert not reading.runs.error.any()


def test_the_disks_rates_are_computed_from_bytes_and_seconds(reading):
    runs = reading.runs[reading.runs.source_file == str(data_dir() / "logs" / "c-systems-dd.txt")]
    assert runs.direction.tolist() == ["read", "write"]
    assert (runs.throughput_bps / 1e6).round(1).tolist() == [21243.2, 20461.7]


def test_directions_are_those_of_the_headings_and_labels(reading):
    runs = reading.runs[reading.runs.source_file == str(data_dir() / "logs" / "hotlava-6x10ge.txt")]
    assert runs.direction.tolist() == ["send"] * 12 + ["receive"] * 6 + ["send"] * 5 + ["receive"] * 6 + ["send"]


def test_the_aggregates_of_the_slides_are_the_sums_of_their_runs(reading):
    runs = reading.runs[reading.runs.source_file == str(data_dir() / "logs" / "hotlava-6x10ge.txt")]
    mbps = runs.throughput_bps / 1e6
    assert round(mbps[0:6].sum(), 4) == 49003.5589
    assert round(mbps[6:12].sum(), 4) == 55326.3188
    assert round(mbps[12:18].sum(), 4) == 52030.2166
    assert round(mbps[18:].sum(), 4) == 75117.1917


def test_the_documents_logs_have_no_problems(reading):
    assert reading.problems.empty


def test_the_table_of_quoted_figures_names_their_places():
    figures = pd.read_csv(data_dir() / "documents.csv")
    assert figures.columns.tolist() == ["id", "quantity", "value", "unit", "bound", "document", "place", "note"]
    assert figures.notna().all(axis=None)
    assert figures.id.is_unique
    assert set(figures.bound) == {"lower", "exact"}
    assert figures.set_index("id").value["pcix-mmrbc4096-uni"] == 5e9
    assert set(figures.groupby("quantity").unit.agg("unique").map(list).map(tuple)) == {("bit/s",), ("m",)}


#: Figures as the document prints them, in its own unit.
PRINTED = {
    "acts-tape": 320e6,
    "san-fc-direct": 320e6,
    "san-iscsi-umiacs": 160e6,
    "san-iscsi-umiacs-distance": 11e3,
    "evlbi-distance": 650e3,
    "tpd-2-ftp-initially": 10.9e6,
    "tpd-3-ftp-initially": 26e3,
    "nccs-single-maximum": 1212e6 * 8,
    "nccs-dual-maximum": 2424e6 * 8,
    "nccs-dual-nuttscp": 2225e6 * 8,
    "sc13-udp-48g": 48e9,
    "sc10-nlr-filled": 80e9,
}


@pytest.mark.parametrize("name", PRINTED)
def test_a_figure_is_what_its_document_prints(name):
    assert pd.read_csv(data_dir() / "documents.csv").set_index("id").value[name] == PRINTED[name]


def test_computed_figures_agree_with_their_inputs(reading):
    value = pd.read_csv(data_dir() / "documents.csv").set_index("id").value
    assert value["evlbi-16h-sum"] == 2 * value["evlbi-16h"]
    assert value["sc13-udp-48g-sum"] == 2 * value["sc13-udp-48g"]
    assert value["sc13-2tb-210s"] == pytest.approx(8 * 256e9 * 8 / (3.5 * 60), rel=0.01)
    copies = reading.runs[reading.runs.source_file == str(data_dir() / "logs" / "c-systems-nuttscp.txt")]
    assert copies.throughput_bps.iloc[-2:].sum() == pytest.approx(value["nccs-dual-nuttscp"], rel=0.002)


def test_figures_have_only_directions_and_headings_that_the_documents_print():
    """Fig. 8's FTP columns are dates; the table of 2009 has no headings."""
    notes = pd.read_csv(data_dir() / "documents.csv").set_index("id").note
    ftp = notes[notes.index.str.startswith("tpd")]
    assert not ftp.str.contains("forward|reverse").any()
    assert notes[["tpd-1-ftp", "tpd-2-ftp", "tpd-3-ftp"]].str.contains("24 February 1999").all()
    assert notes[notes.index.str.startswith("sc09") & notes.index.str.endswith("-wan")].str.contains("no heading").all()
