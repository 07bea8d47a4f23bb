"""The example reader of CONTRIBUTING.md is a single new file: it is listed, and reads its sample and nothing else."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import hecn_analysis

PACKAGE = Path(hecn_analysis.__file__).parent
CONTRIBUTING = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"
SAMPLES = Path(__file__).parent / "samples"

ASK = """
import json, sys
from pathlib import Path
from hecn_analysis.files.source import Source
from hecn_analysis.logs import read, registry
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.logs.copies.ferry import Ferry

sample, *others = map(Path, sys.argv[1:])
reading = read(sample)
touched = []
for path in others:
    findings = RunFindings(str(path))
    registry.read(Source(path).lines(), findings, readers=[Ferry])
    if findings.runs or findings.problems:
        touched.append(str(path))
print(json.dumps({
    "modules": [reader.__module__ for reader in registry.READERS],
    "tools": "ferry" in registry.TOOLS,
    "runs": json.loads(reading.runs.dropna(axis=1, how="all").to_json(orient="records")),
    "problems": reading.problems[["line", "kind", "message"]].values.tolist(),
    "touched": touched,
}))
"""


def block(language):
    """Return the only code block of a language in the chapter on readers."""
    chapter = CONTRIBUTING.read_text().partition("## Add a reader\n")[2].partition("\n### ")[0]
    [found] = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", chapter, re.DOTALL | re.MULTILINE)
    return textwrap.dedent(found[1])


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """Return the output of a package with one more file."""
    root = tmp_path_factory.mktemp("contributed")
    for names in ("hecn_analysis", "hecn_analysis/logs", "hecn_analysis/logs/copies"):
        (root / names).mkdir()
        for path in (PACKAGE.parent / names).iterdir():
            if path.name not in {"logs", "copies", "__pycache__"}:
                (root / names / path.name).symlink_to(path)
    (root / "hecn_analysis/logs/copies/ferry.py").write_text(block("python"))
    sample = root / "ferry.txt"
    sample.write_text(block("text") + "ferried cut.dat: 5000\n")
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASK, sample, *sorted(SAMPLES.glob("*/*.txt"))],
        env={"PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_worked_reader_has_at_most_sixty_lines():
    assert len(block("python").splitlines()) <= 60


def test_the_new_reader_is_listed_in_alphabetical_order(answer):
    assert "hecn_analysis.logs.copies.ferry" in answer["modules"]
    assert answer["modules"] == sorted(answer["modules"])
    assert answer["tools"]


def test_the_new_reader_reads_its_sample(answer):
    columns = ("tool", "tool_version", "protocol", "line_first", "bytes", "duration_s", "throughput_bps", "error")
    assert [tuple(run[name] for name in columns) for run in answer["runs"]] == [
        ("ferry", "1.2", "file", 2, 1073741824, 9.12, 941600000.0, False),
        ("ferry", "1.2", "file", 3, 5000000, 0.05, 800000000.0, False),
        ("ferry", "1.2", "file", 4, None, None, None, True),
    ]
    assert answer["problems"] == [
        [4, "aborted", "found 'ferry: big.dat: no space left on device', expected a file that is copied"],
        [
            *(5, "malformed"),
            "found 'ferried cut.dat: 5000', expected 'ferried …: … bytes in … s (… MB/s)'; left out",
        ],
    ]


def test_the_new_reader_takes_no_other_samples(answer):
    assert answer["touched"] == []
