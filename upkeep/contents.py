"""The index of the notebooks, ``00_start_here.ipynb``: each by its question, with a small picture of its main figure.

It is made from the declarations of the notebooks, and has one code cell: a form for the parameters of any brief.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

import nbformat

from hecn_analysis.base.html_text import html_text
from hecn_analysis.briefs._run import clean, write_notebook
from hecn_analysis.briefs.catalogue import notebooks, subject_of
from hecn_analysis.briefs.parameters import declaration_of, read_declaration

INDEX: Final = "00_start_here.ipynb"
THUMBNAILS: Final = "thumbnails"  # folder beside the notebooks
WIDTH: Final = 200  # of a thumbnail [px]

HEAD: Final = """\
# Start here

How fast should a transfer be, what holds it back, and what should one change or buy?

- **You have a folder of logs**: copy [01_analyse_my_folder.ipynb](01_analyse_my_folder.ipynb), name your folder in its
  first code cell, and choose *Run > Run All Cells*.
- **You have a question**: open the notebook below that answers it. Its first code cell has the parameters, in SI units.
- **You want a page to send**: run the form at the end. It makes a brief of any notebook with your parameters."""
FORM_HEAD: Final = """\
## A brief with your own parameters

Run the next cell, choose a brief, fill in the form, and press the button. `hecn brief NAME -p key=value` does the same
on the command line."""
FORM: Final = "from hecn_analysis import briefs\n\nbriefs.show_form()"


def thumbnail_of(notebook: Path) -> Path:
    """Path of the small picture of a notebook."""
    return notebook.parent / THUMBNAILS / f"{notebook.stem}.webp"


def write_contents(folder: Path) -> Path:
    """Write the index of the notebooks of a folder."""
    by_subject = itertools.groupby(notebooks(folder), lambda path: subject_of(path.name))
    texts = [HEAD, *(_table(subject, list(paths)) for subject, paths in by_subject), FORM_HEAD]
    written = [{"cell_type": "markdown", "metadata": {}, "source": text} for text in texts]
    form: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "source": FORM,
        "outputs": [],
        "execution_count": None,
    }
    index = folder / INDEX
    stored = {"cells": [*written, form], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    notebook = clean(nbformat.from_dict(stored), {})  # type: ignore[no-untyped-call]
    del notebook.metadata["hecn"]
    write_notebook(notebook, index)
    return index


def _table(subject: str, paths: list[Path]) -> str:
    rows = "\n".join(map(_row, paths))
    return f"## {subject}\n\n| | question | notebook |\n|:---|:---|:---|\n{rows}"


def _row(path: Path) -> str:
    declaration = read_declaration(declaration_of(path))
    thumbnail = thumbnail_of(path)
    picture = f"{THUMBNAILS}/{thumbnail.name}"
    drawn = f'<img src="{picture}" width="{WIDTH}" alt="">' if thumbnail.is_file() else ""
    question = html_text(declaration.question).replace("|", "\\|")
    return f"| {drawn} | {question} | [{html_text(declaration.title)}]({path.name}) |"
