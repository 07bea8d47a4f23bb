"""Run the stored notebooks again and keep them small: ``python -m hecn_analysis.briefs.store notebooks/*.ipynb``.

Only the plain text of each output is stored, so that a changed number shows in a diff and a figure is one line.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hecn_analysis.briefs._run import clean, execute, read_notebook, write_notebook
from hecn_analysis.files import whole

MOST_BYTES = 60_000  # of a stored notebook
MOST_OUTPUT_BYTES = 20_000  # of one output


def strip(path: Path) -> None:
    """Rewrite a notebook with plain-text outputs only, without anything that varies from run to run."""
    notebook = clean(read_notebook(path), {})
    del notebook.metadata["hecn"]
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = {"text/plain": output.data.get("text/plain", "")}
                output["metadata"] = {}
    write_notebook(notebook, path)


def too_large(path: Path) -> list[str]:
    """Parts of a stored notebook that are too large to review in a diff; none after `strip`."""
    notebook = read_notebook(path)
    problems = (
        [] if path.stat().st_size <= MOST_BYTES else [f"{path.name}: {path.stat().st_size} bytes, at most {MOST_BYTES}"]
    )
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            kinds = sorted(set(output.get("data", {})) - {"text/plain"})
            if kinds:
                problems.append(f"{path.name}, cell {number}: stores {', '.join(kinds)}")
            if len(str(output)) > MOST_OUTPUT_BYTES:
                problems.append(f"{path.name}, cell {number}: an output of more than {MOST_OUTPUT_BYTES} bytes")
    return problems


def _run(path: Path) -> str | None:
    """Run a notebook and store it stripped; if it fails, leave the file unchanged and return the reason."""
    with tempfile.TemporaryDirectory() as folder:
        executed = Path(folder) / path.name
        if (error := execute(path, {}, executed).error) is None:
            strip(executed)
            whole.write(path, executed.read_bytes())
    return error


def main(names: Sequence[str]) -> int:
    """Run and store these notebooks; return 1 if one failed."""
    failed = {name: error for name in names if (error := _run(Path(name))) is not None}
    for name, error in failed.items():
        print(f"{name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
