"""``hecn diagnose``: forms, statuses and errors."""

import csv
import io
import json

import pytest

import hecn_analysis as hecn
from hecn_analysis.cli import main
from hecn_analysis.cli.diagnose import COLUMNS
from tests.diagnosis import everyday as e


@pytest.fixture
def folder(tmp_path):
    """A line of 1 Gb/s that is full."""
    place = tmp_path / "full"
    place.mkdir()
    (place / "a.txt").write_text(e.iperf3([941e6] * 10, [393 * 1024.0] * 10), encoding="utf-8")
    (place / "ethtool.txt").write_text(e.ethtool(1000), encoding="utf-8")
    return place


def test_json_is_that_of_the_function(folder, capsys):
    assert main(["diagnose", str(folder), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == hecn.diagnose(folder).to_list()


def test_text_is_that_of_the_function(folder, capsys):
    assert main(["diagnose", str(folder)]) == 0
    assert capsys.readouterr().out == f"{hecn.diagnose(folder)}\n"


def test_csv_has_a_row_for_each_kind(folder, capsys):
    assert main(["diagnose", str(folder), "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert tuple(row) == COLUMNS
    assert (row["class"], row["verdict"]) == ("link", "as_expected")
    assert float(row["measured_bps"]) == pytest.approx(941e6, rel=1e-3)
    assert row["change"] == row["after_bps"] == ""


def test_each_of_several_folders_gets_its_verdicts(folder, tmp_path, capsys):
    other = tmp_path / "other"
    other.mkdir()
    (other / "n.txt").write_text(e.nuttcp(1e8, command="nuttcp -T10 h"), encoding="utf-8")
    assert main(["diagnose", str(folder), str(other), "--format", "json"]) == 0
    assert [one["tool"] for one in json.loads(capsys.readouterr().out)] == ["iperf3", "nuttcp"]


@pytest.mark.parametrize(("least", "status"), [("900Mb/s", 0), ("2Gb/s", 3)])
def test_a_rate_that_is_too_low_is_a_status(folder, capsys, least, status):
    assert main(["diagnose", str(folder), "--fail-below", least]) == status
    told = capsys.readouterr()
    assert told.out.strip()
    assert ("expected at least" in told.err) == (status == 3)


def test_no_rate_at_all_is_too_low(tmp_path, capsys):
    (tmp_path / "ping.txt").write_text(e.ping("10.30.0.12", 0.05), encoding="utf-8")
    assert main(["diagnose", str(tmp_path), "--fail-below", "1b/s"]) == 3
    assert "no rate was measured" in capsys.readouterr().err


def test_a_rate_that_is_none_is_wrong_usage(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["diagnose", str(folder), "--fail-below", "soon"])
    assert ended.value.code == 2
    assert "--fail-below" in capsys.readouterr().err


def test_an_absent_folder_is_told(folder, capsys):
    assert main(["diagnose", str(folder), str(folder / "absent")]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "absent" in told.err
    assert "Traceback" not in told.err


def test_files_that_were_not_used_are_named(folder, capsys):
    (folder / "poem.txt").write_text("The sea was calm that night.\n" * 20, encoding="utf-8")
    assert main(["diagnose", str(folder)]) == 0
    assert "1 file not used: poem.txt" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
def test_files_that_say_nothing_get_no_verdict(tmp_path, capsys, form):
    (tmp_path / "poem.txt").write_text("The sea was calm that night.\n" * 20, encoding="utf-8")
    assert main(["diagnose", str(tmp_path), "--format", form]) == 1
    told = capsys.readouterr()
    assert told.out == {"text": "", "json": "[]\n"}[form]
    assert told.err == (
        f"hecn: {tmp_path}: found nothing that can be used in 1 file (poem.txt), expected logs of tools, counters of "
        "ports, or captured outputs; 'hecn parse --table problems' says why a file is not read\n"
    )


def test_beside_a_folder_that_says_nothing_the_other_has_its_verdict(folder, tmp_path, capsys):
    other = tmp_path / "other"
    other.mkdir()
    (other / "poem.txt").write_text("The sea was calm that night.\n", encoding="utf-8")
    assert main(["diagnose", str(other), str(folder)]) == 1
    told = capsys.readouterr()
    assert told.out == f"{hecn.diagnose(folder)}\n"
    assert told.err.count("found nothing that can be used") == 1


def test_verdicts_are_written_to_a_file(folder, tmp_path):
    target = tmp_path / "verdict.json"
    assert main(["diagnose", str(folder), "--format", "json", "-o", str(target)]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))[0]["causes"][0]["class"] == "link"


def test_an_interrupt_is_one_line(folder, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("hecn_analysis.diagnose", interrupted, raising=False)
    assert main(["diagnose", str(folder)]) == 130
    assert capsys.readouterr().err == "hecn: stopped before the verdict\n"
