"""What is shipped for the program to read, is read by it: mappings, scenarios, roadmaps, service levels."""

from pathlib import Path

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.places import models_dir
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.roadmap.milestones import roadmap
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.mapping import of_table
from hecn_analysis.prediction.validation import validate
from hecn_analysis.traffic.service_levels import load

MODELS = models_dir()
EXAMPLES = MODELS.parent / "docs" / "examples"
CORPUS = {"tcp-lab": "tcp-lab/runs.csv", "host-lab": "tcp-lab/host/runs.csv"}


def files(kind):
    found = sorted((MODELS / kind).glob("*.yaml"))
    assert found
    return pytest.mark.parametrize("file", found, ids=[file.stem for file in found])


@files("mappings")
def test_a_mapping_takes_rows_of_every_part(file):
    table = Path(__file__).parent / "mappings" / f"{file.stem}.csv"
    found = validate(table, file)
    rows = table.read_text(encoding="utf-8").count("\n") - 1
    assert found.rows["fault"].isna().all()
    assert len(found.rows) == rows - (file.stem == "tcp-lab")  # whose mapping leaves UDP out
    assert (found.rows["predicted_bps"] > 0).all()


@files("mappings")
def test_a_mapping_takes_the_measured_table(file, corpus):
    found = validate(corpus / CORPUS[file.stem], file)
    assert found.rows["fault"].isna().all()
    assert len(found.rows) > 100


def test_the_queue_of_the_laboratory_is_a_bandwidth_delay_product_of_200_kb_at_least():
    table, mapping = Path(__file__).parent / "mappings" / "host-lab.csv", MODELS / "mappings" / "host-lab.yaml"
    keys = [one.keys for one in of_table(table, mapping)[0]]
    assert [one["path.queue"] for one in keys if "path.queue" in one] == [250_000, 200_000]


@files("scenarios")
def test_a_scenario_is_predicted(file):
    assert predict(load_scenario(file)).throughput_bps > 0


@files("roadmaps")
def test_a_roadmap_is_read_with_what_its_goals_need(file):
    assert roadmap(file.stem)


@files("service_levels")
def test_service_levels_are_read(file):
    assert load(file.stem)


@files("hosts")
def test_a_host_predicts_from_memory_to_memory(file):
    assert predict(load_scenario({"sender": file.stem, "receiver": "ideal", "path": "lan-10ge", "tool": "nuttcp"}))


@pytest.mark.slow  # every path
@files("paths")
def test_a_path_is_predicted(file):
    assert predict(load_scenario({"sender": "ideal", "receiver": "ideal", "path": file.stem, "tool": "nuttcp"}))


@files("tools")
def test_a_tool_is_predicted(file):
    scenario = load_scenario({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": file.stem})
    assert predict(scenario).throughput_bps > 0


def test_the_examples_of_the_documentation_are_read():
    assert predict(load_scenario(EXAMPLES / "far.yaml")).throughput_bps > 0
    assert validate(EXAMPLES / "measured.csv", EXAMPLES / "measured.yaml").rows["fault"].isna().all()
    assert len(hecn.read(EXAMPLES / "monday.txt").runs)
    for name in ("server.yaml", "my-host.yaml"):
        host = str(EXAMPLES / name)
        scenario = load_scenario({"sender": host, "receiver": "ideal", "path": "lan-10ge", "tool": "nuttcp"})
        assert predict(scenario).throughput_bps > 0
        assert scenario.warnings == ()
