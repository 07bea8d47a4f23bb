"""The three forms of data, and files that are written whole or not at all."""

import argparse
import csv
import io
import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main, output

TIME = pd.Timestamp("2012-11-13T10:00:00.5Z")
FRAME = pd.DataFrame(
    {
        "source_file": pd.array(["a,b.log", None], dtype="string"),
        "start_time": pd.to_datetime([TIME, None], utc=True),
        "streams": pd.array([6, None], dtype="Int64"),
        "throughput_bps": [9.9e9, math.nan],
        "error": [False, True],
    }
)


def test_cells_do_not_depend_on_the_rows_around_them():
    values = ["=1", None, 5, True, 5.0, 0.1, math.nan, [1], "a", {"b": None}, "-1", math.inf, 2**70]
    rows = [{"x": value, "y": 1} for value in values * 50] + [{"y": 2}] * 300 + [{"x": "=1", "y": "=2"}] * 300
    alone = ["".join(output.csv_rows([row], ["x", "y"])).removeprefix("x,y\n") for row in rows]
    assert "".join(output.csv_rows(iter(rows), ["x", "y"])) == "x,y\n" + "".join(alone)
    assert alone[:13] == [
        f"{cell},1\n"
        for cell in ("'=1", "", "5", "true", "5", "0.1", "", "[1]", "a", '"{""b"": null}"', "-1", "inf", 2**70)
    ]


def test_records_are_plain_values():
    assert output.records(FRAME) == [
        {
            "source_file": "a,b.log",
            "start_time": "2012-11-13T10:00:00.500000Z",
            "streams": 6,
            "throughput_bps": 9.9e9,
            "error": False,
        },
        {"source_file": None, "start_time": None, "streams": None, "throughput_bps": None, "error": True},
    ]


def test_records_of_an_empty_table():
    assert output.records(FRAME[:0]) == []


def test_json_rows_are_json_one_a_line():
    rows = output.records(FRAME)
    text = "".join(output.json_rows(rows))
    assert json.loads(text) == rows
    assert len(text.splitlines()) == len(rows) + 2


def test_json_has_no_nan_and_no_infinity():
    text = "".join(output.json_object({"a": math.nan, "b": [math.inf, np.float64("nan")], "c": {"d": -math.inf}}))
    assert json.loads(text) == {"a": None, "b": [None, None], "c": {"d": None}}


def test_csv_reads_back():
    text = "".join(output.csv_rows(output.records(FRAME), list(FRAME.columns)))
    first, second = csv.DictReader(io.StringIO(text))
    assert first == {
        "source_file": "a,b.log",
        "start_time": "2012-11-13T10:00:00.500000Z",
        "streams": "6",
        "throughput_bps": "9900000000",
        "error": "false",
    }
    assert second == {"source_file": "", "start_time": "", "streams": "", "throughput_bps": "", "error": "true"}


@pytest.mark.parametrize("value", [0.1 + 0.2, 1 / 3, 1e-300, 2.0**60, 123456789.123456789])
def test_csv_and_json_keep_every_digit(value):
    (row,) = csv.DictReader(io.StringIO("".join(output.csv_rows([{"x": value}], ["x"]))))
    assert float(row["x"]) == value
    assert json.loads("".join(output.json_rows([{"x": value}]))) == [{"x": value}]


def test_csv_of_many_rows_is_whole():
    rows = [{"x": number, "y": "z" * 50} for number in range(1000)]
    text = "".join(output.csv_rows(rows, ["x", "y"]))
    assert [int(row["x"]) for row in csv.DictReader(io.StringIO(text))] == list(range(1000))


def test_infinite_is_inf_in_csv():
    assert "".join(output.csv_rows([{"x": math.inf}], ["x"])) == "x\ninf\n"


def test_text_leaves_out_what_says_nothing_but_keeps_zero():
    rows = [
        {"run": 0, "label": None, "error": False, "rtt_s": None},
        {"run": 0, "label": None, "error": False, "rtt_s": 0.08},
    ]
    assert "".join(output.text_rows(rows)) == "run      rtt\n  0        –\n  0  80.0 ms\n"


def test_text_of_no_rows_is_empty():
    assert "".join(output.text_rows([])) == ""


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("throughput_bps", 9.9e9, "9.90 Gb/s"),
        ("frames_per_s", 138305.2, "138,305 /s"),
        ("window_limit_bps", math.inf, "no limit"),
        ("bytes", 68719476736, "68.7 GB"),
        ("rtt_s", np.float64(0.08), "80.0 ms"),
        ("loss_fraction", 0.01, "1.00 %"),
        ("error", True, "yes"),
        ("tool", "dd", "dd"),
        ("streams", None, "–"),
    ],
)
def test_human(name, value, text):
    assert output.human(name, value) == text


def arguments(output_file, form=None):
    return argparse.Namespace(output=None if output_file is None else str(output_file), format=form)


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        (None, None, "text"),
        ("a.json", None, "json"),
        ("a.csv", None, "csv"),
        ("a.txt", None, "text"),
        ("a.csv", "json", "json"),
    ],
)
def test_format_is_the_one_asked_for_else_the_suffix(name, form, expected):
    assert output.chosen_format(arguments(name, form)) == expected


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "runs.csv"
    target.write_text("what was there")

    def breaks_off():
        yield "half of"
        raise InputError("nothing", "something")

    with pytest.raises(InputError):
        output.deliver(breaks_off(), arguments(target))
    assert target.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["runs.csv"]


def test_a_link_is_not_written_through(tmp_path, capsys):
    (tmp_path / "real.csv").write_text("precious")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    assert main(["limits", "tcp", "--rtt", "80ms", "-o", str(tmp_path / "link.csv")]) == 1
    assert capsys.readouterr().err == (
        f"hecn: {tmp_path}/link.csv: found a symbolic link, expected a regular file or nothing; "
        "remove the link, or name the file that you want to write\n"
    )
    assert (tmp_path / "real.csv").read_text() == "precious"


def test_a_device_is_written_to_and_not_replaced():
    output.deliver(["x\n"], arguments("/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_output_of_a_command_goes_to_the_file_only(tmp_path, capsys):
    target = tmp_path / "tcp.json"
    assert main(["limits", "tcp", "--rtt", "80ms", "--window", "16MiB", "-o", str(target)]) == 0
    assert capsys.readouterr() == ("", "")
    assert json.loads(target.read_text())["throughput_bps"] == pytest.approx(1.67772e9, rel=1e-5)


def test_a_folder_is_no_file_to_write_to(tmp_path, capsys):
    assert main(["limits", "tcp", "--rtt", "80ms", "-o", str(tmp_path)]) == 1
    assert capsys.readouterr() == ("", f"hecn: {tmp_path}: Is a directory\n")


@pytest.fixture
def hostile(tmp_path):
    """A folder with a log under names that somebody chose to do harm with."""
    log = (data_dir() / "logs/c-systems-dd.txt").read_bytes()
    folder = os.fsencode(tmp_path)
    for name in (b"\xff.log", b"=cmd|'calc'!A1.log", b"\x1b]0;owned\x07.log", b"two\nlines.log"):
        with open(folder + b"/" + name, "wb") as stream:  # noqa: PTH123 - a name that is no text
            stream.write(log)
    return tmp_path


def test_nothing_of_a_name_reaches_the_terminal_but_what_can_be_shown(hostile, capsys, monkeypatch):
    monkeypatch.chdir(hostile)
    names = sorted(path.name for path in hostile.iterdir())
    assert main(["parse", *names]) == 0
    out = capsys.readouterr().out
    assert {char for char in out if not char.isprintable()} == {"\n"}
    assert [line.split("  ")[0] for line in out.splitlines()[1::2]] == [
        "\\x1b]0;owned\\x07.log",
        "=cmd|'calc'!A1.log",
        "two\\nlines.log",
        "\\xff.log",
    ]
    assert main(["counters", *names]) == 1
    assert {char for char in capsys.readouterr().err if not char.isprintable()} == {"\n"}


def test_no_cell_is_a_formula_for_a_spreadsheet_and_json_has_the_names_as_they_are(hostile, capsys, monkeypatch):
    monkeypatch.chdir(hostile)
    names = sorted(path.name for path in hostile.iterdir())
    assert main(["parse", *names, "--format", "csv"]) == 0
    cells = [row["source_file"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert "'=cmd|'calc'!A1.log" in cells
    assert not any(cell.startswith(("=", "@", "+", "-", "\t", "\r")) for cell in cells)
    assert main(["parse", *names, "--format", "json"]) == 0
    assert {row["source_file"] for row in json.loads(capsys.readouterr().out)} == {
        *(name for name in names if name != "\udcff.log"),
        "\\xff.log",
    }


WORDS = "link=cmd|'x'!A1 \x1b[2J\x9b31m\u202e\r=1+1\nsecond line"


def test_no_row_of_csv_begins_inside_of_a_cell():
    """A carriage return begins a row, and a cell, as a line feed does."""
    text = "".join(output.csv_rows([{"=a": "\n=1", "b": WORDS}, {"=a": "x\r=1", "b": "\uff1d1"}], ["=a", "b"]))
    assert text == f'\'=a,b\n"\'\n=1","{WORDS}"\n"x\r=1",\'\uff1d1\n'


@pytest.mark.slow
def test_sentences_do_not_carry_words_of_descriptions_to_the_terminal_as_they_are(tmp_path, capsys):
    path = {"title": WORDS, "source": WORDS, "rate": "10 Gb/s", "rtt": "80 ms"}
    (tmp_path / "path.yaml").write_text(json.dumps(path))
    ends = ["--sender", "ideal", "--receiver", "ideal", "--path", str(tmp_path / "path.yaml"), "--tool", "nuttcp"]
    for command in ("predict", "advise", "whatif"):
        for written in ([], ["-o", str(tmp_path / "out.txt")]):
            assert main([command, *ends, *written]) == 0
            said = capsys.readouterr().out if not written else (tmp_path / "out.txt").read_text()
            assert {char for char in said if not char.isprintable()} == {"\n"}
            assert command == "whatif" or "=1+1 second line" in said


@pytest.mark.parametrize(
    ("unit", "shown"), [("usual", ["140.4 MB/s", "9.889 Gb/s"]), ("bits", ["1.123 Gb/s", "9.889 Gb/s"])]
)
def test_rates_of_disks_are_in_bytes_unless_asked_otherwise(capsys, tmp_path, unit, shown):
    (tmp_path / "dd.log").write_text("10485760000 bytes (10 GB, 9.8 GiB) copied, 74.7 s, 140 MB/s\n")
    (tmp_path / "net.log").write_text(" 11789.6250 MB /  10.00 sec = 9889.4281 Mbps 26 %TX 41 %RX 0 retrans\n")
    assert main(["parse", str(tmp_path), "--rate-unit", unit]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [rate for row in rows for rate in re.findall(r"[\d.]+ [MG][Bb]/s", row)] == shown
