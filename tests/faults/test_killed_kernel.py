"""A kernel that is killed while briefs are made, e.g. for want of memory: its brief says so, and the others are made.

The kernels here are real ones. They are killed before they answer, in the middle of a cell, when all cells have run,
and when they were told to end, which harms nobody any more.
"""

import json
import os
import signal
import sys
import tempfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from hecn_analysis.base import places
from hecn_analysis.base.children import Stop
from hecn_analysis.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs kill -9")

KILL = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
KILL_WHEN_ASKED = """\
import atexit, os, signal
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
"""
ENDED = "the Python process that ran the notebook ended without an answer (out of memory?)"
SILENT = (
    "the Python process that runs the notebook did not start (out of memory?): "
    "Kernel died before replying to kernel_info"
)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder that holds notebooks and all that is written for a short time, in which the test stands."""
    for name in ("notebooks/declarations", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places, "notebooks_dir", lambda: tmp_path / "notebooks")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path


def write(workplace, **cells):
    """Write a notebook for each name, and what an earlier run of it left."""
    (workplace / "out").mkdir()
    for number, (name, source) in enumerate(cells.items()):
        book = [new_code_cell("word = 'now'", metadata={"tags": ["parameters"]}), new_code_cell("print(word)")]
        book += [new_code_cell(source), new_code_cell("print('last')")]
        kernel = {"kernelspec": {"name": "python3", "display_name": "x"}}
        path = workplace / "notebooks" / f"1{number}_{name}.ipynb"
        nbformat.write(new_notebook(cells=book, metadata=kernel), path)
        (path.parent / "declarations" / f"{path.stem}.yaml").write_text(f"brief: {name}\ntitle: {name}\nquestion: Q?\n")
        for ending in ("html", "pdf", "ipynb"):
            (workplace / "out" / f"{name}.{ending}").write_text("of yesterday")


def looked_at(workplace):
    """Why each brief stopped; all that is there is whole, of now, and belongs together."""
    assert list((workplace / "scratch").iterdir()) == []
    found = {}
    for path in sorted((workplace / "out").glob("*.json")):
        made = json.loads(path.read_text())
        files = {file.name for file in path.parent.glob(f"{path.stem}.*")}
        assert files == {f"{path.stem}.{ending}" for ending in ("html", "ipynb", "json")}
        page = path.with_suffix(".html").read_text()
        assert page.endswith("</html>")
        assert made["run_id"] in page
        assert made["error"] is None or made["error"] in page
        cells = nbformat.read(path.with_suffix(".ipynb"), 4).cells
        printed = [output.get("text", "") for cell in cells for output in cell.outputs]
        found[path.stem] = (made["error"], "".join(printed))
    return found


def test_each_killed_kernel_is_told_and_the_other_briefs_are_made(workplace, capsys):
    write(
        workplace,
        middle=KILL,
        end=f"{KILL_WHEN_ASKED}get_ipython().kernel.shell_handlers['kernel_info_request'] = kill",
        late=f"{KILL_WHEN_ASKED}atexit.register(kill)",
    )
    assert main(["brief", "all", "-o", "out", "--no-pdf"]) == 1
    assert capsys.readouterr() == (
        "out/middle.html\nout/end.html\nout/late.html\n",
        f"hecn: middle: stopped: {ENDED}\nhecn: end: stopped: {ENDED}\n",
    )
    assert looked_at(workplace) == {
        "middle": (ENDED, "now\n"),
        "end": (ENDED, "now\nlast\n"),
        "late": (None, "now\nlast\n"),
    }
    assert "2 of 3 briefs are incomplete" in (workplace / "out" / "index.html").read_text()


def test_kernel_that_is_killed_before_it_answers_is_told_and_the_other_brief_is_made(workplace, capsys, monkeypatch):
    first = workplace / "first"  # whichever of the two it is
    program = workplace / "python"
    program.write_text(f'#!/bin/sh\nmkdir "{first}" 2>/dev/null && kill -9 $$\nexec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    write(workplace, a="", b="")
    assert main(["brief", "all", "-o", "out", "--no-pdf"]) == 1
    out, err = capsys.readouterr()
    found = looked_at(workplace)
    assert sorted(found.values(), key=str) == [(SILENT, ""), (None, "now\nlast\n")]
    assert out == "out/a.html\nout/b.html\n"
    assert err in {f"hecn: {name}: stopped: {SILENT}\n" for name in "ab"}


SLEEP = "import subprocess, time\nsubprocess.Popen(['sleep', '100000'])\ntime.sleep(100_000)"
INTERRUPT = f"import os, signal\nos.kill(os.getppid(), signal.SIGINT)\n{SLEEP}"


@pytest.fixture
def interruptible():
    """Let an interrupt raise here: the workers of pytest-xdist ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_kills_kernels_and_leaves_the_folder_as_it_is(workplace):
    write(workplace, first=SLEEP, second=INTERRUPT)
    assert main(["brief", "all", "-o", "out", "--no-pdf"]) == 130
    assert list((workplace / "scratch").iterdir()) == []
    assert {path.name: path.read_text() for path in (workplace / "out").iterdir()} == {
        f"{name}.{ending}": "of yesterday" for name in ("first", "second") for ending in ("html", "pdf", "ipynb")
    }


def test_what_is_registered_after_a_stop_is_called_at_once():
    stop, called = Stop(), []
    stop.check()
    stop.call(lambda: called.append("early"))
    stop.set()
    stop.call(lambda: called.append("late"))
    assert called == ["early", "late"]
    with pytest.raises(KeyboardInterrupt):
        stop.check()
