"""The container file installs what the package can use, and its steps are those of a checkout."""

import re
import subprocess
from pathlib import Path

import pytest

from hecn_analysis.cli.doctor import PROGRAMS

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
STEPS = [
    (line.split(None, 1)[0], line.split(None, 1)[1])
    for line in re.sub(r"\\\n\s*", "", TEXT).splitlines()
    if line.strip() and not line.startswith("#")
]
RUNS = [text for name, text in STEPS if name == "RUN"]


def test_every_program_that_doctor_names_is_installed():
    installed = set(RUNS[0].split())
    assert {package for _, package, _ in PROGRAMS} <= installed
    assert {"chromium", "chromium-sandbox", "make", "python3-venv"} <= installed


def test_the_package_is_set_up_as_in_a_checkout():
    assert [name for name, _ in STEPS][:3] == ["FROM", "RUN", "WORKDIR"]
    assert RUNS[1].startswith("make setup ")
    assert dict(STEPS)["USER"] != "root"
    assert dict(STEPS)["ENV"] == "PATH=/opt/hecn-analysis/.venv/bin:$PATH"


@pytest.mark.parametrize("script", RUNS)
def test_steps_are_scripts_of_a_shell(script):
    subprocess.run(["sh", "-n", "-c", script], check=True)


def test_nothing_that_is_made_here_enters_the_image():
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv*", "docs/_build", "briefs", "dist"} <= set(ignored)
