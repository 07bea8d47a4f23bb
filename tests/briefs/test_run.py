"""Running a notebook: what stops it is said in one line, and nothing is left running or written to the terminal."""

import tempfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from hecn_analysis.briefs._run import execute
from hecn_analysis.briefs.html import css_string, markdown


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("while True: pass", "a cell took longer than 1 s"),
        ("import os; os._exit(3)", "the Python process that ran the notebook ended without an answer (out of memory?)"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (
            "from hecn_analysis.base.errors import InputError; raise InputError('x', 'y', source='f', line=1)",
            "InputError: f:1: found x, expected y",
        ),
    ],
)
def test_what_stops_a_notebook_is_said_and_what_came_before_is_kept(tmp_path, capfd, source, error):
    cells = [new_code_cell("print(1)"), new_code_cell(source), new_code_cell("print(2)")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "in.ipynb")
    executed = execute(tmp_path / "in.ipynb", {}, tmp_path / "out.ipynb", time_limit_s=1 if "while" in source else 60)
    assert executed.error == error
    first, _, last = executed.notebook.cells
    assert first.outputs[0].text == "1\n"
    assert last.outputs == []
    assert capfd.readouterr() == ("", "")


def test_folder_for_temporary_files_may_have_a_long_name(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    nbformat.write(new_notebook(cells=[new_code_cell("print(1)")]), tmp_path / "in.ipynb")
    executed = execute(tmp_path / "in.ipynb", {}, tmp_path / "out.ipynb")
    assert executed.error is None
    assert executed.notebook.cells[0].outputs[0].text == "1\n"


def test_run_id_changes_with_the_parameters_only(tmp_path):
    parameters = new_code_cell("a = 1", metadata={"tags": ["parameters"]})
    nbformat.write(new_notebook(cells=[parameters, new_code_cell("a")]), tmp_path / "in.ipynb")
    ids = [execute(tmp_path / "in.ipynb", {"a": a}, tmp_path / f"{n}.ipynb").run_id for n, a in enumerate((1, 1, 2))]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("source", "rendered"),
    [
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>x</p>"),
        ("![alt](http://example.org/a.png)", "<p>alt</p>"),
        ("[x](https://example.org)", '<p><a href="https://example.org">x</a></p>'),
        ("**b** `c`", "<p><strong>b</strong> <code>c</code></p>"),
    ],
)
def test_markdown_loads_nothing_and_runs_nothing(source, rendered):
    assert markdown(source).strip() == rendered


def test_title_cannot_end_the_style_sheet():
    assert css_string('a"; } </style>') == '"a\\22 \\3b  \\7d  \\3c \\2f style\\3e "'
