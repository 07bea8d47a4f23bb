"""Tables of results that people keep."""

import pandas as pd
import pytest

from hecn_analysis.logs import read, results_columns

COLUMNS = ["tool", "throughput_bps", "streams", "circumstances"]

WITHOUT_UNIT = (
    "found a table of results with a rate without a unit: write Gb/s into the heading 'Throughput', or the unit that "
    "it has; no run made of it"
)
WITHOUT_ZONE = (
    "found the time '2026-02-03 08:15', expected one with its zone such as 2026-01-31T09:30:00Z, or 'UTC' in the "
    "heading; start_time left out"
)


def reading(folder, text):
    """Read a table."""
    (folder / "results.csv").write_text(text)
    return read(folder / "results.csv")


def messages(found):
    return found.problems[["line", "kind", "message"]].to_numpy().tolist()


def rows(found, columns):
    return found.runs[columns].astype(object).where(found.runs[columns].notna(), None).to_numpy().tolist()


def test_rows_of_a_table_with_every_column(samples):
    runs = read(samples / "results-table" / "comma.txt").runs
    first = runs.iloc[0]
    assert (first.tool, first.tool_version, first.streams, first.retransmits) == ("iperf3", "3.17", 1, 31)
    assert (first.duration_s, first.rtt_s, first.throughput_bps) == (30.0, 0.0124, 7.85e9)
    assert first.start_time == pd.Timestamp("2026-02-03T08:15:00Z")
    assert runs.circumstances.tolist() == ["dtn-a to dtn-b", "dtn-a to dtn-b", "dtn-b to dtn-a"]
    assert runs.line_first.tolist() == [2, 3, 4]


def test_a_decimal_comma_and_units_in_the_cells(samples):
    found = read(samples / "results-table" / "semicolon.txt")
    assert found.runs.direction.tolist() == ["send", "receive", "receive"]
    assert found.runs.throughput_bps.tolist() == [941.2e6, 936.4e6, 1.12e9]
    assert found.runs.tool.tolist() == ["results-table"] * 3
    assert messages(found) == []


def test_tabs_and_bytes_per_second(samples):
    runs = read(samples / "results-table" / "tab.txt").runs
    assert runs.throughput_bps.tolist() == [833.6e6, 904e6]
    assert runs.bytes.tolist() == [4294967296] * 2
    assert runs.circumstances.tolist() == ["srv1 to srv2, mtu 1500", "srv1 to srv2, mtu 9000"]


def test_markdown_and_a_table_without_a_unit(samples):
    found = read(samples / "results-table" / "markdown.txt")
    assert rows(found, ["label", "throughput_bps", "streams", "retransmits"]) == [
        ["lan-1", 23.4e9, 1, 0],
        ["lan-2", 38.9e9, 4, 112],
    ]
    assert messages(found) == [[12, "unrecognised", WITHOUT_UNIT]]


@pytest.mark.parametrize(
    ("heading", "cell", "rate"),
    [
        ("Gbps", "9.41", 9.41e9),
        ("Throughput [Mbit/s]", "941", 941e6),
        ("throughput_gbps", "9.41", 9.41e9),
        ("throughput_bps", "9410000000", 9.41e9),
        ("Mean rate in MB/s", "112.5", 900e6),
        ("Bandwidth, MiB/s", "100", 8 * 100 * 2**20),
        ("Speed (MBytes/sec)", "1.5", 12e6),
        ("rate", "9.41 Gbit/s", 9.41e9),
        ("rate (Mb/s)", '"1,024.5"', 1024.5e6),
        ("rate (Mb/s)", '"941,5"', 941.5e6),
    ],
)
def test_the_unit_is_the_one_that_is_written(tmp_path, heading, cell, rate):
    heading = f'"{heading}"' if "," in heading else heading
    found = reading(tmp_path, f"tool,{heading},streams\niperf3,{cell},4\n")
    assert rows(found, COLUMNS) == [["iperf3", pytest.approx(rate), 4, None]]
    assert messages(found) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tool,rate (Gb),streams\niperf3,9.4,1\n", "a rate in 'Gb', which is no certain unit"),
        ("tool,rate (KB/s),streams\niperf3,9.4,1\n", "a rate in 'KB/s', which is no certain unit"),
        ("tool,rate (MBPS),streams\niperf3,9.4,1\n", "a rate in 'MBPS', which is no certain unit"),
        ("tool,rate,streams\niperf3,9.4,1\n", "a rate without a unit"),
        ("from,to,Download (Mbps),Upload (Mbps)\na,b,9.4,1\n", "two rates, 'Download (Mbps)' and 'Upload (Mbps)'"),
        ("tool;rate (Gb/s);streams\niperf3;9,412;1\n", "commas that may be decimal or between thousands"),
    ],
)
def test_what_is_uncertain_is_named_and_no_run(tmp_path, text, reason):
    found = reading(tmp_path, text)
    assert len(found.runs) == 0
    ((line, kind, message),) = messages(found)
    assert (line, kind) == (1, "unrecognised")
    assert message.startswith(f"found a table of results with {reason}")


@pytest.mark.parametrize(
    "text",
    [
        "Date,Traffic In (Mbit/s),Traffic Out (Mbit/s)\n2026-02-03 08:15:00,9.4,1\n",
        "time,host,rx_mbps,tx_mbps\n1770000000,a,9.4,1\n",
        "time,device,interface,direction,rate (bps),duration\n1770000000,a,eth0,in,94,60\n",
        "Time (s),bytes,throughput (Mbit/s),retransmits\n1,125000,1,0\n2,125000,1,0\n",
        "Time,Bandwidth (Mbit/s)\n2026-02-03 08:15:00,9.4\n",
        "src,dst,src port,bytes,rate (bps)\n192.0.2.1,192.0.2.2,443,9000,72\n",
        "We measured throughput (Gb/s), streams, tool\nand found, so far, nothing\n",
        "| Streams | Min (Gb/s) | Max (Gb/s) | Mean rate (Gb/s) |\n|--|--|--|--|\n| 1 | 2 | 4 | 3 |\n",
    ],
)
def test_counters_summaries_and_sentences_are_no_results(tmp_path, text):
    found = reading(tmp_path, text)
    assert len(found.runs) == 0
    assert [line for line, _, _ in messages(found)] == [pd.NA]


def test_rows_that_cannot_be_read_are_named(tmp_path):
    found = reading(
        tmp_path,
        "tool,Gb/s,streams,Duration,Time,Switch\n"
        "iperf3,9.4,1,10,2026-02-03 08:15,s1\n"
        "iperf3,fast,1,10,,s1\n"
        "iperf3,9.1\n"
        "iperf3,,1,10,,s1\n"
        "iperf3,9.3 MB/s,1,10,,s1\n"
        "iperf3,9.2,0.5,10,,s1\n",
    )
    assert rows(found, ["throughput_bps", "streams", "duration_s", "start_time"]) == [
        [9.4e9, 1, None, None],
    ]
    assert messages(found) == [
        [4, "malformed", "found 2 cells, expected 6 as in the heading in line 1; left out"],
        [1, "unrecognised", "found the columns 'Switch', expected names of known columns; not read"],
        [2, "unit", "found 'Duration' without a unit: write it into the heading; left out"],
        [2, "ambiguous", WITHOUT_ZONE],
        [3, "malformed", "found 'fast' in 'Gb/s', expected a number in Gb/s; no run made of the row"],
        [5, "malformed", "found a row without a rate, expected a number; no run made of it"],
        [6, "malformed", "found '9.3 MB/s' in 'Gb/s', expected a number in Gb/s; no run made of the row"],
        [7, "malformed", "found '0.5' in 'streams', expected a number; no run made of the row"],
    ]


def test_cells_that_moved_make_no_run(tmp_path):
    found = reading(tmp_path, "tool,streams,Gb/s,note\niperf3, patched,4,9.6\niperf3,8,9.7,\n")
    assert rows(found, ["throughput_bps", "streams"]) == [[9.7e9, 8]]
    assert messages(found) == [
        [2, "malformed", "found 'patched' in 'streams', expected a number; no run made of the row"]
    ]


def test_a_row_whose_note_is_a_sentence_is_named(tmp_path):
    note = "it was slow because the card was in the wrong slot, 2.5 GT/s"
    found = reading(tmp_path, f"|from|to|Gbps|note|\n|--|--|--|--|\n|a|b|9.1|{note}|\n|a|b|9.3|good|\n")
    assert rows(found, COLUMNS) == [["results-table", 9.3e9, None, "a to b"]]
    message = "found a row of a table that reads like a sentence, expected short notes; no run made of it"
    assert messages(found) == [[3, "malformed", message]]


def test_the_last_figure_of_a_cut_file_is_left_out(tmp_path):
    found = reading(tmp_path, "tool,streams,Gb/s\niperf3,1,9.41\niperf3,2,9.4")
    assert found.runs.throughput_bps.tolist() == [9.41e9]
    message = "found '9.4' where the file ends, expected the end of the line; left out, for it may be cut"
    assert messages(found) == [[3, "truncated", message]]


def test_bytes_that_contradict_the_rate_are_named(tmp_path):
    found = reading(tmp_path, "tool,bytes,duration (s),rate (Gb/s)\nscp,1000000000,10,8.00\n")
    assert found.runs.throughput_bps.isna().all()
    assert found.problems.kind.tolist() == ["inconsistent"]


def test_many_rows_share_the_decimal_sign_of_the_first(tmp_path):
    found = reading(tmp_path, "tool;streams;rate (Gb/s)\n" + "iperf3;1;9,41\n" * 4096 + "iperf3;1;9,412\n")
    assert found.runs.throughput_bps.tolist() == [9.41e9] * 4096 + [9.412e9]


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        *(("Gb/s", 1e9), ("gbps", 1e9), ("Kbps", 1e3), ("MBytes/sec", 8e6), ("kB/s", 8e3), ("MiB/s", 8 * 2**20)),
        *((unit, None) for unit in ("Gb", "GBPS", "KB/s", "G", "Mpps", "GB", "10 Gb/s")),
    ],
)
def test_units_of_rates(unit, factor):
    assert results_columns.factor_of(unit, "rate") == factor


@pytest.mark.parametrize(
    ("cells", "sign"),
    [
        (["9.41", "1,024"], "."),
        (["9,41", "3"], ","),
        (["0,941"], ","),
        (["1.024,5"], ","),
        (["9.412"], "."),
        (["9,412", "12"], None),
        (["9,41", "9.41"], None),
    ],
)
def test_the_decimal_sign_of_a_table(cells, sign):
    assert results_columns.decimal_sign(cells) == sign


def test_comments_and_blank_lines_do_not_end_a_table(tmp_path):
    found = reading(tmp_path, "tool,streams,Gb/s\niperf3,1,9.1\n\n# new card\niperf3,1,9.2\nWeek 7\niperf3,1,9.3\n")
    assert found.runs.throughput_bps.tolist() == [9.1e9, 9.2e9, 9.3e9]
