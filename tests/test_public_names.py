"""What `import hecn_analysis` gives, and that it gives it without loading anything."""

import re
import subprocess
import sys

import pytest

import hecn_analysis as hecn


@pytest.mark.parametrize("name", hecn.__all__)
def test_every_public_name_is_there(name):
    assert getattr(hecn, name) is getattr(hecn, name)
    assert name in dir(hecn)


def test_every_public_name_is_explained_in_the_documentation(root):
    table = (root / "docs" / "api.md").read_text()
    assert [name for name in hecn.__all__ if not re.search(rf"`hecn\.{name}[`(.]", table)] == []


def test_functions_are_functions_and_limits_its_room():
    assert callable(hecn.predict)
    assert callable(hecn.read)
    assert hecn.limits.pcie(gen=2, lanes=16, max_payload=128)["tmt_bps"] / 1e9 == pytest.approx(53.8947, abs=5e-5)


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'hecn_analysis' has no attribute 'predcit'"):
        hecn.predcit  # noqa: B018
    done = subprocess.run(
        [sys.executable, "-c", "import hecn_analysis as hecn; hecn.predcit"],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.stderr.rstrip().endswith("Did you mean: 'predict'?")


def test_import_loads_only_the_package_itself():
    code = "import sys; before = set(sys.modules); import hecn_analysis; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert {module.partition(".")[0] for module in done.stdout.split()} <= {
        "hecn_analysis",
        "typing",
        "importlib",
        "collections",
    } | set(sys.stdlib_module_names)
    assert [module for module in done.stdout.split() if module.startswith("hecn_analysis")] == ["hecn_analysis"]


@pytest.mark.parametrize("read", ["read", "read_counters", "read_inventory", "read_folder", "diagnose"])
def test_a_path_that_does_not_exist_is_an_error(read, tmp_path):
    with pytest.raises(hecn.InputError, match="gone"):
        getattr(hecn, read)(tmp_path / "gone")


def test_of_several_paths_a_missing_one_is_a_problem_beside_the_others(root, tmp_path):
    reading = hecn.read([tmp_path / "gone", root / "data" / "logs" / "c-systems-dd.txt"])
    assert (len(reading.runs), list(reading.problems["kind"])) == (2, ["unreadable"])


@pytest.fixture(scope="module")
def objects(root):
    """What the functions of the face give, by name."""
    log = root / "data" / "logs" / "c-systems-dd.txt"
    return {
        "read": hecn.read(log),
        "read_counters": hecn.read_counters(root / "data" / "counters" / "session" / "port1.log"),
        "read_inventory": hecn.read_inventory([]),
        "read_folder": hecn.read_folder(log),
        "diagnose": hecn.diagnose(log),
        "predict": hecn.predict({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"}),
        "compare": hecn.compare(log, log),
        "load_scenario": hecn.load_scenario("hotlava-transmit"),
        "advise": hecn.advise("hotlava-transmit", purchases=False),
        "purchase": hecn.purchase("9 Gb/s", path="lan-10ge", between="memory", assume_prices=True),
        "roadmap": hecn.roadmap("400g"),
    }


def test_objects_are_shown_in_few_words(objects):
    assert {
        name: text for name, value in objects.items() if len(text := repr(value)) > 1500 or "DataFrame" in text
    } == {}
    assert repr(objects["read"]) == "2 runs, 0 intervals, 0 problems"
    assert repr(objects["read_inventory"]) == "0 hosts, 0 outputs, 0 problems"
    scenario = "Scenario hotlava-transmit: nuttcp, i7-hotlava to i7-myricom over back-to-back-6x10ge"
    assert repr(objects["load_scenario"]) == scenario
    assert repr(objects["roadmap"]) == "From 100 to 400 Gb/s with the parts of today: 6 milestones, 6 of them goals"


@pytest.mark.parametrize("name", ["read", "diagnose", "predict", "compare", "advise", "purchase"])
def test_notebooks_show_a_table_of_what_is_escaped(name, objects):
    shown = objects[name]._repr_html_()
    assert "<table" in shown
    assert "</table>" in shown


def test_names_of_files_are_text_in_a_notebook(tmp_path, root):
    evil = tmp_path / "<script>alert(1)<"
    evil.mkdir()
    (evil / "a.txt").write_bytes((root / "data" / "logs" / "c-systems-dd.txt").read_bytes())
    for found in (hecn.read(tmp_path), hecn.diagnose(tmp_path), hecn.compare(tmp_path, tmp_path)):
        assert "<script" not in found._repr_html_()
