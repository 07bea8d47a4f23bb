"""From notebook to brief: kernel, parameters, failures, what is written; same input, same output."""

import json
import sys

import nbformat
import pytest

from hecn_analysis import briefs
from hecn_analysis.base.errors import InputError, MissingProgramError
from hecn_analysis.briefs.pictures import Pictures
from upkeep.notebooks import strip, too_large

from .conftest import HOSTILE  # isort: skip


def test_names_are_those_of_the_notebooks_that_are_briefs(notebooks):
    assert briefs.brief_names(notebooks) == ["small"]


def test_unknown_brief_gets_the_nearest_known_one(notebooks, tmp_path):
    with pytest.raises(InputError) as refused:
        briefs.make_briefs(["smal"], tmp_path / "out", folder=notebooks)
    assert str(refused.value) == "found brief 'smal', expected all, or one of small; did you mean 'small'?"
    assert not (tmp_path / "out").exists()


def test_parameters_are_checked_before_a_kernel_starts(notebooks, tmp_path, monkeypatch):
    monkeypatch.setattr("hecn_analysis.briefs.make._make", lambda *_, **__: pytest.fail("a notebook was run"))
    with pytest.raises(InputError, match="did you mean 'rtt'"):
        briefs.make_briefs(["all"], tmp_path / "out", {"rt": "1 s"}, folder=notebooks)


def test_executed_notebook_lies_beside_the_brief_with_the_same_run_id(made):
    notebook = nbformat.read(made.notebook, as_version=4)
    assert notebook.metadata["hecn"]["run_id"] == made.run_id
    assert notebook.metadata["hecn"]["parameters"]["cases"] == 40
    assert made.run_id in made.html.read_text()
    assert json.loads(made.json.read_text())["run_id"] == made.run_id


def test_kernel_is_this_interpreter_also_where_the_user_has_another(made):
    notebook = nbformat.read(made.notebook, as_version=4)
    (output,) = notebook.cells[-1].outputs
    assert output.data["text/plain"] == repr(sys.executable)


def test_result_json_has_the_numbers_behind_the_brief(made):
    result = json.loads(made.json.read_text())
    assert result["name"] == "small"
    assert result["finding"] == f"At 80 ms, 40 cases reach 9.1 Gb/s ({HOSTILE})."
    assert result["parameters"] == {
        "rtt": 0.08,
        "label": HOSTILE,
        "cases": 40,
        "share": 0.05,
        "scale": 1.5,
        "fail": False,
        "mode": "lan",
    }
    assert {"python", "hecn-analysis", "plotly"} <= set(result["versions"])
    table = result["numbers"]["tables"]["Measured against predicted throughput"]
    assert len(table) == 40  # nothing is cut
    assert table[3]["measured_bps"] == 9.03e9
    assert [case["case"] for case in result["numbers"]["cases"]] == [f"c{n}" for n in range(40)]
    assert result["files"] == {"html": "small.html", "pdf": None, "notebook": "small.ipynb", "json": "small.json"}
    assert result["hashes"].keys() == {"html", "notebook"}


@pytest.mark.slow
def test_same_input_gives_the_same_files(made, notebooks, tmp_path):
    (again,) = briefs.make_briefs(
        ["small"], tmp_path, {"label": HOSTILE, "cases": 40}, pdf=False, progress=False, folder=notebooks
    )
    assert again.html.read_bytes() == made.html.read_bytes()
    assert again.notebook.read_bytes() == made.notebook.read_bytes()
    results = [json.loads(one.json.read_text()) for one in (again, made)]
    first, second = (set(one.pop("origin")["files"]) for one in results)  # their content may be edited while tests run
    assert first == second
    assert results[0] == results[1]


def test_failing_cell_gives_a_brief_up_to_there_with_the_reason_on_top(notebooks, tmp_path):
    (result,) = briefs.make_briefs(["small"], tmp_path, {"fail": "true"}, pdf=False, progress=False, folder=notebooks)
    assert result.error == "ValueError: line 7: plain"
    page = result.html.read_text()
    top = page.index("This brief is incomplete")
    assert page.index("<h1>") < top < page.index("<h2>Measured against predicted</h2>")
    assert "<code>ValueError: line 7: plain</code>" in page
    assert "The cases plain" in page  # drawn before the failure
    assert "Place of each measured number" not in page  # after it
    assert result.finding == "At 80 ms, 3 cases reach 9.1 Gb/s (plain)."
    assert "<b>Incomplete:</b> <code>ValueError: line 7: plain</code>" in (tmp_path / "index.html").read_text()


@pytest.mark.slow
def test_a_failed_brief_of_a_batch_does_not_stop_the_others_and_is_listed_with_its_cause(notebooks, tmp_path):
    stopped, fine = briefs.make_briefs(
        ["small"], tmp_path, {"cases": 2}, each=["fail=true,false"], pdf=False, progress=False, folder=notebooks
    )
    assert (stopped.name, stopped.error) == ("small.fail=true", "ValueError: line 7: plain")
    assert (fine.name, fine.error) == ("small.fail=false", None)
    assert json.loads(fine.json.read_text())["each"] == {"fail": "false"}
    assert "<h1>Small &amp; simple &lt;brief&gt;: fail false</h1>" in fine.html.read_text()
    page = (tmp_path / "index.html").read_text()
    assert page.count("<article") == 2
    assert "1 of 2 briefs is incomplete" in page
    assert '<a href="#small.fail%3Dtrue">' in page
    assert 'href="small.fail%3Dtrue.html"' in page


def test_without_chromium_the_html_is_delivered_and_the_package_named(notebooks, tmp_path, monkeypatch):
    def missing():
        raise MissingProgramError("no PDF was made: Chromium is not installed; install it (…)")

    monkeypatch.setattr("hecn_analysis.briefs.pdf.find_chromium", missing)
    (tmp_path / "small.pdf").write_text("of an earlier run")
    (result,) = briefs.make_briefs(["small"], tmp_path, progress=False, folder=notebooks)
    assert result.error is None
    assert result.html.exists()
    assert result.pdf is None
    assert not (tmp_path / "small.pdf").exists()
    assert result.remarks == ("no PDF was made: Chromium is not installed; install it (…)",)


def test_index_lists_briefs_of_earlier_runs_too(made):
    folder = made.html.parent
    (folder / "other.json").write_text('{"kind": "something else"}')
    (folder / "broken.json").write_text("{")
    page = (folder / "index.html").read_text()
    assert page.count("<article") == 1
    assert 'href="small.html"' in page
    assert "small.pdf" not in page
    assert page.count("<circle") == 10  # the picture shows the first cases
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_stored_notebook_has_pictures_of_its_figures_and_no_scripts(made, chromium, tmp_path):  # noqa: ARG001
    stored = tmp_path / "small.ipynb"
    stored.write_bytes(made.notebook.read_bytes())
    assert any("application/vnd.plotly.v1+json" in found for found in too_large(stored))
    with Pictures() as pictures:
        strip(stored, pictures)
    assert too_large(stored) == []
    notebook = nbformat.read(stored, as_version=4)
    assert "hecn" not in notebook.metadata
    outputs = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert {kind for data in outputs for kind in data} == {"text/plain", "text/html", "image/png"}
    assert all(("image/png" in data) == data["text/plain"].startswith("[figure]") for data in outputs)
