"""Run the stored notebooks anew and keep them small: ``python -m hecn_analysis.briefs.store notebooks/*.ipynb``.

Of each output only its plain text stays, so that a change of a number shows in a diff and a figure is one line.
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
    """Rewrite a notebook with plain-text outputs only, and without what changes from run to run."""
    notebook = clean(read_notebook(path), {})
    del notebook.metadata["hecn"]
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = {"text/plain": output.data.get("text/plain", "")}
                output["metadata"] = {}
    write_notebook(notebook, path)


def too_large(path: Path) -> list[str]:
    """Say what in a stored notebook is too large to review in a diff: nothing, for one that `strip` wrote."""
    notebook = read_notebook(path)
    found = (
        [] if path.stat().st_size <= MOST_BYTES else [f"{path.name}: {path.stat().st_size} bytes, at most {MOST_BYTES}"]
    )
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            kinds = sorted(set(output.get("data", {})) - {"text/plain"})
            if kinds:
                found.append(f"{path.name}, cell {number}: stores {', '.join(kinds)}")
            if len(str(output)) > MOST_OUTPUT_BYTES:
                found.append(f"{path.name}, cell {number}: an output of more than {MOST_OUTPUT_BYTES} bytes")
    return found


def _run(path: Path) -> str | None:
    """Run a notebook as it stands, store it stripped, and say why it failed if it did (then it stays as it was)."""
    with tempfile.TemporaryDirectory() as folder:
        executed = Path(folder) / path.name
        if (error := execute(path, {}, executed).error) is None:
            strip(executed)
            whole.write(path, executed.read_bytes())
    return error


def main(names: Sequence[str]) -> int:
    """Run and store these notebooks; 1 if one failed."""
    failed = {name: error for name in names if (error := _run(Path(name))) is not None}
    for name, error in failed.items():
        print(f"{name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
