"""Run the stored notebooks again: ``python -m upkeep.notebooks notebooks/*.ipynb`` (needs Chromium).

A stored notebook looks as it does after a run, in JupyterLab and on pages that run no scripts: a figure is stored as a
picture, a table as HTML and as the plain text in which a changed number shows in a diff. The thumbnails and the index,
``00_start_here.ipynb``, are made again, too.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hecn_analysis.briefs._run import clean, execute, read_notebook, write_notebook
from hecn_analysis.briefs.pictures import Pictures
from hecn_analysis.briefs.show import PLOTLY_MIME
from hecn_analysis.files import whole
from upkeep import contents
from upkeep.palette import with_palette

KINDS: Final = {"text/plain", "text/html", "image/png"}  # of stored outputs
MOST_BYTES: Final = 300_000  # of a stored notebook
MOST_OUTPUT_BYTES: Final = 80_000  # of one output
WIDGET_MIME: Final = "application/vnd.jupyter.widget-view+json"
WIDGET: Final = "[form: run this cell to show it]"
WIDTH: Final = 760  # of a stored picture [px]


def strip(path: Path, pictures: Pictures) -> None:
    """Rewrite a notebook without anything that varies from run to run, and its figures as pictures."""
    notebook = clean(read_notebook(path), {})
    del notebook.metadata["hecn"]
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = _stored(output["data"], pictures)
                output["metadata"] = {}
    write_notebook(notebook, path)


def _stored(data: dict[str, Any], pictures: Pictures) -> dict[str, Any]:
    """The representations of an output that are stored."""
    if (spec := data.get(PLOTLY_MIME)) is not None:
        drawn = base64.b64encode(with_palette(pictures.figure(spec, "png", width=WIDTH, scale=1))).decode()
        caption = data.get("text/plain", "")
        return {"image/png": drawn, "text/plain": caption if caption.startswith("[figure]") else "[figure]"}
    if WIDGET_MIME in data:
        return {"text/plain": WIDGET}
    kinds = {"text/plain"} if "<script" in data.get("text/html", "") else KINDS
    return {kind: value for kind, value in data.items() if kind in kinds}


def too_large(path: Path) -> list[str]:
    """Parts of a stored notebook that are too large, or of a kind that is not stored; none after `strip`."""
    notebook = read_notebook(path)
    problems = (
        [] if path.stat().st_size <= MOST_BYTES else [f"{path.name}: {path.stat().st_size} bytes, at most {MOST_BYTES}"]
    )
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            kinds = sorted(set(output.get("data", {})) - KINDS)
            if kinds:
                problems.append(f"{path.name}, cell {number}: stores {', '.join(kinds)}")
            if len(str(output)) > MOST_OUTPUT_BYTES:
                problems.append(f"{path.name}, cell {number}: an output of more than {MOST_OUTPUT_BYTES} bytes")
    return problems


def _run(path: Path, pictures: Pictures) -> str | None:
    """Run a notebook and store it with its thumbnail; if it fails, leave all unchanged and return the reason."""
    with tempfile.TemporaryDirectory() as folder:
        executed = Path(folder) / path.name
        result = execute(path, {}, executed)
        if result.error is None:
            specs = [
                output["data"][PLOTLY_MIME]
                for cell in result.notebook.cells
                for output in cell.get("outputs", [])
                if PLOTLY_MIME in output.get("data", {})
            ]
            if specs:
                whole.make_folder(contents.thumbnail_of(path).parent)
                whole.write(contents.thumbnail_of(path), pictures.thumbnail(specs[0]))
            strip(executed, pictures)
            whole.write(path, executed.read_bytes())
    return result.error


def main(names: Sequence[str]) -> int:
    """Run and store these notebooks, and write the index of their folder; return 1 if one failed."""
    paths = [path for path in map(Path, names) if path.name != contents.INDEX]
    with Pictures() as pictures:
        failed = {path: error for path in paths if (error := _run(path, pictures)) is not None}
    for folder in {Path(name).parent for name in names}:
        contents.write_contents(folder)
    for path, error in failed.items():
        print(f"{path}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
