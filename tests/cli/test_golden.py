"""Command lines and their complete output: each file in golden/ has the command, then its stdout, stderr and status.

A new case is a file with only its first line, ``$ hecn …``. Fill it in, or rewrite all, and look at the diff::

    HECN_UPDATE_GOLDEN=1 .venv/bin/pytest tests/cli/test_golden.py

They run inside the test's process, those that read stdin as programs of their own.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hecn_analysis.cli import main

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.txt"))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_command_says_exactly_this(golden, root, monkeypatch, capfd):
    monkeypatch.chdir(root)
    line = golden.read_text(encoding="utf-8").partition("\n")[0]
    program, *words = shlex.split(line.removeprefix("$ "))
    assert program == "hecn"
    said = "\n".join([line, *outcome(words, capfd)])
    if os.environ.get("HECN_UPDATE_GOLDEN"):
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")


def outcome(words, capfd):
    if "<" in words:
        *words, _, source = words
        with Path(source).open("rb") as stdin:
            done = subprocess.run(
                [sys.executable, "-m", "hecn_analysis", *words],
                stdin=stdin,
                capture_output=True,
                check=False,
                encoding="utf-8",
            )
        status, out, err = done.returncode, done.stdout, done.stderr
    else:
        try:
            status = main(words)
        except SystemExit as exit_:  # argparse's way out
            status = exit_.code
        out, err = capfd.readouterr()
    return [f"{out}--- stderr", f"{err}--- status {status}", ""]


def test_no_golden_output_has_a_traceback_or_a_defect():
    for golden in GOLDEN:
        text = golden.read_text(encoding="utf-8")
        assert "Traceback" not in text, golden.name
        assert "defect" not in text, golden.name
