"""The available briefs: notebooks whose declaration names a brief, and their subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecn_analysis.base import places
from hecn_analysis.base.errors import unknown_name
from hecn_analysis.briefs.parameters import DECLARATIONS, Brief, declaration_of, read_declaration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: Subjects of notebooks, by the first digit of their number.
SUBJECTS: Final = {
    "0": "Your own folder",
    "1": "File transfers and tools",
    "2": "Slots, disks and host limits",
    "3": "Memory to memory over long paths",
    "4": "What to change, buy and test",
    "5": "Port utilisation",
    "6": "Measurements against each other and against service levels",
    "9": "Accuracy of the predictions, and your own data",
}


def notebooks(folder: Path | None = None) -> list[Path]:
    """Notebooks that have a declaration, in their order."""
    folder = folder or places.notebooks_dir()
    return [folder / f"{path.stem}.ipynb" for path in sorted((folder / DECLARATIONS).glob("*.yaml"))]


def briefs(folder: Path | None = None) -> dict[str, Brief]:
    """Briefs by name, in the order of their notebooks."""
    by_name: dict[str, Brief] = {}
    for notebook in notebooks(folder):
        declaration = read_declaration(declaration_of(notebook))
        if declaration.brief is not None:
            by_name[declaration.brief] = Brief(notebook, declaration)
    return by_name


def brief_names(folder: Path | None = None) -> list[str]:
    """Names of the briefs, in the order of their notebooks."""
    return list(briefs(folder))


def choose(names: Iterable[str], known: Mapping[str, Brief]) -> dict[str, Brief]:
    """Briefs of these names; ``all`` means every brief."""
    chosen: dict[str, Brief] = {}
    for name in names:
        if name == "all":
            chosen.update(known)
        elif name in known:
            chosen[name] = known[name]
        else:
            raise unknown_name("brief", name, known, also="all, or ", where="hecn brief --list")
    return chosen


def subject_of(notebook: str) -> str:
    """Subject of a notebook."""
    return SUBJECTS.get(notebook[:1], "Others")
