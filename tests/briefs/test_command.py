"""What ``hecn brief`` prints, says and ends with; the making itself is tried elsewhere."""

import csv
import io
import json
from pathlib import Path

import pytest

from hecn_analysis import briefs
from hecn_analysis.briefs import BriefResult
from hecn_analysis.cli import main


def result(name, **more):
    at = {kind: Path("out") / f"{name}.{kind}" for kind in ("html", "json")}
    known = {"finding": None, "run_id": "1", **at, "notebook": None, "pdf": None, "figures": (), "error": None}
    return BriefResult(name=name, title=name, **{**known, **more})


@pytest.fixture
def asked(monkeypatch):
    """What the command asks for, and what is given to it."""
    calls, given = [], [result("a"), result("b")]

    def make(names, out_dir, parameters, **settings):
        calls.append((names, out_dir, parameters, settings))
        return given

    monkeypatch.setattr(briefs, "make_briefs", make)
    return calls, given


def test_what_is_asked_for(asked, capsys):
    words = "brief a -p rtt=1s -o out --each x=1,2 host --archive store --figures svg --force --no-pdf"
    assert main(words.split()) == 0
    settings = {
        "each": ["x=1,2", "host"],
        "archive": Path("store"),
        "pdf": False,
        "figures": "svg",
        "force": True,
    }
    assert asked[0] == [(["a"], Path("out"), {"rtt": "1s"}, settings)]
    assert capsys.readouterr() == ("out/a.html\nout/b.html\n", "")


def test_up_to_date_ones_are_reported(asked, capsys):
    asked[1][0] = result("a", is_new=False)
    assert main(["brief", "all"]) == 0
    assert capsys.readouterr() == ("out/a.html\nout/b.html\n", "hecn: 1 of 2 up to date\n")


def test_one_that_stopped_and_what_is_missing_are_said_once(asked, capsys):
    remark = "no PDF was made: Chromium is not installed; install it"
    asked[1][:] = [
        result("a", remarks=(remark,), figures=(Path("out/a.figure-1.svg"),)),
        result("b", remarks=(remark,), error="ValueError: line 7"),
        result("c", html=None, error="No space left on device"),
    ]
    assert main(["brief", "all"]) == 1
    out, err = capsys.readouterr()
    assert out == "out/a.html\nout/a.figure-1.svg\nout/b.html\n"
    assert err.splitlines() == [
        f"hecn: 2 briefs: {remark}",
        "hecn: b: stopped: ValueError: line 7",
        "hecn: c: stopped: No space left on device",
    ]


def test_figures_asked_for_and_not_drawn_are_status_1_and_a_missing_pdf_is_not(asked):
    asked[1][:] = [result("a", lacking=("pdf",), remarks=("no PDF was made",))]
    assert main(["brief", "a"]) == 0
    asked[1].append(result("b", lacking=("pdf", "figures"), remarks=("no picture was drawn",)))
    assert main(["brief", "all", "--figures", "svg"]) == 1


def test_what_was_made_as_data(asked, capsys):
    asked[1][:] = [
        result("a", finding="It is fast.", figures=(Path("out/a.figure-1.svg"),), is_new=False),
        result("b", html=None, run_id=None, error="line 7", remarks=("no PDF was made",), lacking=("pdf",)),
    ]
    assert main(["brief", "all", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert err == "hecn: b: no PDF was made\nhecn: 1 of 2 up to date\nhecn: b: stopped: line 7\n"
    first, second = json.loads(out)
    assert first == {
        "name": "a",
        "title": "a",
        "finding": "It is fast.",
        "files": {
            "html": "out/a.html",
            "pdf": None,
            "notebook": None,
            "json": "out/a.json",
            "figures": ["out/a.figure-1.svg"],
        },
        "run_id": "1",
        "error": None,
        "remarks": [],
        "lacking": [],
        "up_to_date": True,
    }
    assert (second["files"]["html"], second["run_id"], second["error"]) == (None, None, "line 7")
    assert (second["remarks"], second["lacking"], second["up_to_date"]) == (["no PDF was made"], ["pdf"], False)
    assert main(["brief", "all", "--format", "csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == list(first)
    assert json.loads(rows[0]["files"]) == first["files"]
    assert (rows[1]["error"], rows[1]["run_id"], rows[1]["up_to_date"]) == ("line 7", "", "false")


def test_the_list_as_data_has_parameters_in_si(capsys):
    assert main(["brief", "--list", "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == briefs.brief_names()
    assert rows["hotlava_tmt"]["title"] == "HotLava 6x10GE against the PCIe TMT"
    assert rows["disk_to_disk"]["parameters"]["rtt"] == {
        "type": "time",
        "unit": "s",
        "default": 0.04,
        "range": [0, 2],
        "choices": None,
        "holds": None,
        "help": "round-trip time to try",
    }
    assert rows["hotlava_tmt"]["parameters"]["max_payload"]["choices"] == [128, 256, 512, 1024, 2048, 4096]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("disk_to_disc", "found brief 'disk_to_disc', expected all, or one of "),
        ("disk_to_disc", "; did you mean 'disk_to_disk'?"),
        ("disk_to_disk -p rtl=80ms", "found parameter 'rtl', expected one of rtt, clock; did you mean 'rtt'?"),
        ("disk_to_disk -p rtt=80Gb/s", "found parameter rtt: '80Gb/s', expected a time such as '80 ms' or '30 s'"),
        ("disk_to_disk -p rtt=9s", "found parameter rtt: '9s', expected a value from 0 s to 2 s"),
        ("switch_traffic -p counters=none.log", "found parameter counters: no 'none.log', expected files, folders or "),
    ],
)
def test_wrong_names_and_values_are_one_line_before_a_kernel_starts(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("hecn_analysis.briefs.make._make", lambda *_, **__: pytest.fail("a notebook was run"))
    assert main(["brief", *words.split(), "-o", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert not (tmp_path / "out").exists()
