"""A brief is made again when what it was made from has changed, and stays as it is otherwise."""

import json
import os
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from hecn_analysis import briefs
from hecn_analysis.briefs import _run as runs
from hecn_analysis.briefs import origin
from hecn_analysis.briefs._run import Executed

DECLARATION = """\
brief: reader
title: What the files say
question: What do they say?
parameters:
  logs: {type: files, default: "", help: files to read}
  times: {type: integer, default: 1, help: how often}
"""
PARAMETERS = "logs = ''\ntimes = 1"
READS = """\
import os, pathlib, tempfile
from hecn_analysis.base import places, units
for path in [one.strip() for one in logs.split(",") if one.strip()]:
    print(pathlib.Path(path).read_text() * times)
(places.models_dir() / "tools" / "nuttcp.yaml").read_text()
os.listdir(places.models_dir() / "paths")
with tempfile.TemporaryFile() as scratch:
    scratch.write(b"x")
pathlib.Path("written.txt").write_text("new")"""


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with a notebook, its declaration and two logs, in which the test stands."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notebooks" / "declarations").mkdir(parents=True)
    cells = [new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}), new_code_cell(READS)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "x"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), tmp_path / "notebooks" / "50_reader.ipynb")
    (tmp_path / "notebooks" / "declarations" / "50_reader.yaml").write_text(DECLARATION)
    (tmp_path / "a.log").write_text("one")
    (tmp_path / "b.log").write_text("two")
    return tmp_path


def make(**settings):
    given = {"logs": "a.log", **settings.pop("parameters", {})}
    (result,) = briefs.make_briefs(
        ["reader"], Path("out"), given, progress=False, folder=Path("notebooks"), **{"pdf": False, **settings}
    )
    return result


@pytest.fixture
def counted(monkeypatch):
    """Instead of a kernel: a run that reads the log, lists a folder, and is counted."""
    calls = []

    def execute(notebook, parameters, into, **settings):  # noqa: ARG001
        calls.append(dict(parameters))
        text = "".join(Path(path).read_text() for path in parameters["logs"].split(",") if path)
        cell = new_code_cell("", outputs=[new_output("stream", text=text)])
        executed = new_notebook(cells=[cell], metadata={"hecn": {"run_id": f"run-{text}"}})
        nbformat.write(executed, into)
        error = "ValueError: bad" if text == "bad" else None
        return Executed(executed, f"run-{text}", error, frozenset({"b.log", "folder"}))

    monkeypatch.setattr(runs, "execute", execute)
    return calls


@pytest.mark.slow
def test_kernel_notes_what_counts(workplace):
    result = make()
    assert result.error is None
    files = json.loads(result.json.read_text())["origin"]["files"]
    assert {
        "a.log",
        "notebooks/50_reader.ipynb",
        "notebooks/declarations/50_reader.yaml",
        "hecn:models/tools/nuttcp.yaml",
        "hecn:models/paths",
        "hecn:hecn_analysis/base/units.py",
        "hecn:hecn_analysis/__init__.py",
    } <= files.keys()
    strange = [name for name in files if not name.startswith("hecn:")]
    assert sorted(strange) == ["a.log", "notebooks/50_reader.ipynb", "notebooks/declarations/50_reader.yaml"]
    assert not [name for name in files if name.startswith("hecn:hecn_analysis/limits")]  # was not imported
    assert all(files.values())
    before = result.html.stat().st_mtime_ns
    assert not make().is_new
    assert result.html.stat().st_mtime_ns == before
    (workplace / "a.log").write_text("other")
    again = make()
    assert again.is_new
    assert "other" in again.html.read_text()


def test_nothing_changed(workplace, counted):
    first, second = make(), make()
    assert (first.is_new, second.is_new, len(counted)) == (True, False, 1)
    assert (second.run_id, second.html, second.finding) == (first.run_id, first.html, first.finding)
    os.utime(workplace / "a.log")  # written anew with the same content
    (workplace / "c.log").write_text("not read")
    assert not make().is_new


def rename_in_folder(workplace):
    (workplace / "folder" / "new.yaml").touch()


def change_notebook(workplace):
    path = workplace / "notebooks" / "50_reader.ipynb"
    path.write_text(path.read_text().replace("* times", "* (times + 1)"))


CHANGES = {
    "a file of a parameter": lambda place: (place / "a.log").write_text("changed"),
    "a file that was read": lambda place: (place / "b.log").write_text("changed"),
    "a file that is gone": lambda place: (place / "b.log").unlink(),
    "a listed folder": rename_in_folder,
    "the notebook": change_notebook,
    "the declaration": lambda place: (place / "notebooks" / "declarations" / "50_reader.yaml").write_text(
        DECLARATION.replace("What the", "All the")
    ),
    "the executed notebook": lambda place: (place / "out" / "reader.ipynb").write_text("{}"),
    "the result": lambda place: (place / "out" / "reader.json").write_text("{}"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_runs_again_when_something_changed(change, workplace, counted):
    (workplace / "folder").mkdir()
    make()
    change(workplace)
    assert make().is_new
    assert len(counted) == 2
    assert not make().is_new


def test_runs_again_with_other_parameters_versions_or_force(workplace, counted, monkeypatch):  # noqa: ARG001
    make()
    assert make(parameters={"times": 2}).is_new
    assert not make(parameters={"times": "2"}).is_new
    monkeypatch.setattr(origin, "_packages", lambda: {"numpy": "99"})
    assert make(parameters={"times": 2}).is_new
    assert make(parameters={"times": 2}, force=True).is_new
    assert len(counted) == 4


def test_a_new_file_in_a_folder_of_a_parameter_counts(workplace):
    (workplace / "logs").mkdir()
    (workplace / "logs" / "a.log").write_text("one")
    brief, given = briefs.briefs(workplace / "notebooks")["reader"], {"logs": "logs", "times": 1}
    before = origin.origin(brief, given, [])
    assert origin.is_unchanged(before, brief, given)
    (workplace / "logs" / "b.log").write_text("two")
    assert not origin.is_unchanged(before, brief, given)


@pytest.mark.parametrize(
    "damage", [lambda page: page.unlink(), lambda page: page.write_text("cut")], ids=["gone", "cut"]
)
def test_page_that_is_missing_or_damaged_is_laid_out_without_a_run(damage, workplace, counted):  # noqa: ARG001
    first = make()
    page = first.html.read_bytes()
    damage(first.html)
    again = make()
    assert (again.is_new, again.run_id, len(counted)) == (True, first.run_id, 1)
    assert again.html.read_bytes() == page


def test_other_layout_is_laid_out_without_a_run(workplace, counted, monkeypatch):  # noqa: ARG001
    make()
    monkeypatch.setattr(origin, "layout", lambda: "other")
    assert make().is_new
    assert not make().is_new
    assert len(counted) == 1


def test_brief_that_stopped_is_run_again(workplace, counted):
    (workplace / "a.log").write_text("bad")
    assert make().error == "ValueError: bad"
    assert make().error == "ValueError: bad"
    assert len(counted) == 2


def test_file_that_changed_while_it_was_read_is_not_taken_for_known(workplace, counted, monkeypatch):
    late = time.time_ns() + 3600 * 10**9
    plain = runs.execute

    def execute(*arguments, **settings):
        executed = plain(*arguments, **settings)
        os.utime(workplace / "a.log", ns=(late, late))
        return executed

    monkeypatch.setattr(runs, "execute", execute)
    files = json.loads(make().json.read_text())["origin"]["files"]
    assert files["a.log"] == origin.CHANGED
    assert make().is_new
    assert len(counted) == 2


def test_without_chromium_a_brief_without_pdf_is_complete(workplace, counted, monkeypatch):  # noqa: ARG001
    monkeypatch.setenv("PATH", "")
    first = make(pdf=True)
    (remark,) = first.remarks
    assert remark.startswith("no PDF was made: Chromium is not installed; install it (Debian, Ubuntu: apt install ")
    again = make(pdf=True)
    assert (again.is_new, again.remarks) == (False, first.remarks)


def test_defect_of_one_brief_is_its_error_and_the_index_lists_it(workplace, counted, monkeypatch):  # noqa: ARG001
    def broken(*_, **__):
        raise RuntimeError("surprise\nin two lines")

    monkeypatch.setattr("hecn_analysis.briefs.html.brief_html", broken)
    result = make()
    assert (result.html, result.error) == (None, "RuntimeError: surprise in two lines")
    page = (workplace / "out" / "index.html").read_text()
    assert "1 of 1 briefs is incomplete" in page
    assert "RuntimeError: surprise in two lines" in page
    monkeypatch.undo()
