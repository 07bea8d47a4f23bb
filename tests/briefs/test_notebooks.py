"""The stored notebooks: declared as they take their parameters, readable, small, and briefs where they say so."""

import ast
import json
import shutil

import nbformat
import pytest

from hecn_analysis import briefs
from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError, one_of
from hecn_analysis.briefs.catalogue import SUBJECTS
from hecn_analysis.briefs.jobs import jobs_of
from hecn_analysis.briefs.parameters import Brief, Declaration, check, declaration_of, defaults, read_declaration
from upkeep import contents
from upkeep.notebooks import too_large

INDEX = places.notebooks_dir() / contents.INDEX
NOTEBOOKS = sorted({*places.notebooks_dir().glob("*.ipynb")} - {INDEX})
MOST_LINES = 10
MOST_CELLS = 12


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4), request.param


def test_each_notebook_has_a_declaration_and_the_other_way_round():
    assert [path.stem for path in NOTEBOOKS] == sorted(
        path.stem for path in (places.notebooks_dir() / "declarations").glob("*")
    )


def test_the_index_is_the_one_that_the_declarations_make(tmp_path):
    shutil.copytree(places.notebooks_dir(), tmp_path / "notebooks")
    made = contents.write_contents(tmp_path / "notebooks")
    assert made.read_text() == INDEX.read_text()
    text = "".join(cell.source for cell in nbformat.read(INDEX, as_version=4).cells)
    assert all(f"({path.name})" in text for path in NOTEBOOKS)
    pictured = [path for path in NOTEBOOKS if contents.thumbnail_of(path).is_file()]
    assert all(f"thumbnails/{path.stem}.webp" in text for path in pictured)
    assert len(pictured) > len(NOTEBOOKS) / 2


def test_a_stored_figure_has_a_picture_for_pages_without_scripts(notebook):
    for cell in notebook[0].cells:
        for output in cell.get("outputs", []):
            if output.get("data", {}).get("text/plain", "").startswith("[figure]"):
                assert "image/png" in output.data


def test_briefs_that_are_promised_are_there():
    assert {"disk_to_disk", "hotlava_tmt", "switch_traffic", "reconcile"} <= set(briefs.brief_names())


def test_parameters_cell_holds_the_declared_names_and_defaults(notebook):
    cells, path = notebook[0].cells, notebook[1]
    (cell,) = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    written = {line.targets[0].id: ast.literal_eval(line.value) for line in ast.parse(cell.source).body}
    assert written == pytest.approx(defaults(read_declaration(declaration_of(path))))


def test_notebook_opens_with_its_question_and_has_short_cells(notebook):
    cells, path = notebook[0].cells, notebook[1]
    declaration = read_declaration(declaration_of(path))
    assert cells[0].source.startswith(f"# {declaration.title}\n\n**Question.** {declaration.question}\n")
    long = [cell.source for cell in cells if cell.cell_type == "code" and len(cell.source.splitlines()) > MOST_LINES]
    assert long == []


def test_the_notebook_that_people_copy_is_short():
    cells = nbformat.read(places.notebooks_dir() / "01_analyse_my_folder.ipynb", as_version=4).cells
    assert len(cells) <= MOST_CELLS


def test_stored_outputs_are_small_and_plain(notebook):
    assert too_large(notebook[1]) == []


def test_stored_outputs_are_there_and_numbers_are_checked(notebook):
    cells = notebook[0].cells
    assert any(cell.get("outputs") for cell in cells)
    checked = [cell for cell in cells if "nbval-check-output" in cell.metadata.get("tags", [])]
    assert checked
    assert all(cell.outputs for cell in checked)


# what each takes, checked before anything runs

WRONG = {  # of each type, what is none
    "rate": "80 ms",
    "bytes": "80 ms",
    "time": "80 Gb/s",
    "fraction": "80 Gb/s",
    "frequency": "80 ms",
    "transfers": "80 ms",
    "integer": "2.5",
    "number": "fast",
    "flag": "perhaps",
    "files": "no/such.log",
}
PARAMETERS = [
    pytest.param(path, name, id=f"{path.stem}-{name}")
    for path in NOTEBOOKS
    for name in read_declaration(declaration_of(path)).parameters
]


def refusal(path, given):
    """What is said to given parameters."""
    declaration = read_declaration(declaration_of(path))
    with pytest.raises(InputError) as refused:
        jobs_of({declaration.brief or "none": Brief(path, declaration)}, given)
    message = str(refused.value)
    assert "\n" not in message
    return declaration, message


@pytest.mark.parametrize(("path", "name"), PARAMETERS)
def test_misspelt_parameter_gets_the_nearest_known_one(path, name):
    declaration, message = refusal(path, {f"{name}_": 1})
    known = one_of(declaration.parameters, f"{name}_")
    assert message == f"found parameter '{name}_', expected {known}; did you mean '{name}'?"


@pytest.mark.parametrize(("path", "name"), PARAMETERS)
def test_impossible_value_of_a_parameter_is_refused(path, name):
    parameter = read_declaration(declaration_of(path)).parameters[name]
    assert len(parameter.help) > 5
    wrong = []
    if parameter.type in WRONG:
        wrong.append(WRONG[parameter.type])
    if parameter.choices:
        wrong.append("nonsense" if parameter.type == "text" else 1234567)
    if parameter.range:
        low, high = (defaults_of(parameter, end) for end in parameter.range)
        wrong += [high * 2 + 1, low - 1]
    for value in wrong:
        _, message = refusal(path, {name: value})
        assert message.startswith(f"found parameter {name}: ")
        assert ", expected " in message
    assert wrong or parameter.type == "text"


def defaults_of(parameter, value):
    """Give a value of a parameter as the notebook gets it."""
    return check(Declaration(title="", question="", parameters={"x": parameter}), {"x": value})["x"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_sorted_by_subject(path):
    assert path.stem[:1] in SUBJECTS


@pytest.fixture(scope="module")
def hotlava(tmp_path_factory):
    out = tmp_path_factory.mktemp("briefs")
    (result,) = briefs.make_briefs(["hotlava_tmt"], out, {"max_payload": "1024 B"}, pdf=False, progress=False)
    return result


def test_finding_of_a_brief_has_the_figures_of_the_slides(hotlava):
    assert hotlava.error is None
    assert "55.3 Gb/s at MaxPayload 256, 94.55 % of the TMT" in hotlava.finding
    numbers = json.loads(hotlava.json.read_text())["numbers"]
    assert [one["value"] for one in numbers["key_figures"]] == ["49.00 Gb/s", "55.33 Gb/s", "52.03 Gb/s", "75.12 Gb/s"]
    limits = {(row["slot"], row["max_payload"]): row["tmt_bps"] for row in numbers["tables"]["What x16 slots carry"]}
    assert limits["PCIe 2.0 x16", 128] == pytest.approx(53.8947e9, rel=1e-6)
    assert limits["PCIe 2.0 x16", 256] == pytest.approx(58.5142e9, rel=2e-6)


def test_given_parameter_is_used(hotlava):
    assert "MaxPayload 1024" in hotlava.html.read_text()


def test_every_measured_number_says_file_line_document_and_place(hotlava):
    numbers = json.loads(hotlava.json.read_text())["numbers"]
    (rows,) = [rows for caption, rows in numbers["tables"].items() if caption.startswith("Place of each measured")]
    measured = [case for case in numbers["cases"] if case["measured_bps"]]
    assert [row["case"] for row in rows] == [case["case"] for case in measured]
    for row in rows:
        assert row["where"].startswith("logs/hotlava-6x10ge.txt:")
        assert row["place"].startswith("page ")
        assert "SC10" in row["document"]


def test_no_place_of_this_machine_is_in_a_brief(hotlava, root):
    for path in (hotlava.html, hotlava.json, hotlava.notebook):
        assert str(root) not in path.read_text()
