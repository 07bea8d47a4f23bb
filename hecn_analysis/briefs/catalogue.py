"""Which briefs there are: the notebooks whose declaration names one, and what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError, did_you_mean
from hecn_analysis.briefs.parameters import Brief, read_declaration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: What notebooks are about, by the first digit of their number.
SUBJECTS: Final = {
    "0": "To begin with",
    "1": "File transfers and tools",
    "2": "Slots, disks, and what binds in each host",
    "3": "From memory to memory, over long paths",
    "4": "What to change, buy and test",
    "5": "How full ports are",
    "6": "Measurements held to each other and to service levels",
    "9": "How good the predictions are, and your own data",
}


def briefs(folder: Path | None = None) -> dict[str, Brief]:
    """Give the briefs by name, in the order of their notebooks."""
    found: dict[str, Brief] = {}
    for path in sorted((folder or places.notebooks_dir()).glob("*.yaml")):
        declaration = read_declaration(path)
        if declaration.brief is not None:
            found[declaration.brief] = Brief(path.with_suffix(".ipynb"), declaration)
    return found


def brief_names(folder: Path | None = None) -> list[str]:
    """Give the names of the briefs, in the order of their notebooks."""
    return list(briefs(folder))


def choose(names: Iterable[str], known: Mapping[str, Brief]) -> dict[str, Brief]:
    """Give the briefs of some names, where ``all`` stands for every one."""
    chosen: dict[str, Brief] = {}
    for name in names:
        if name == "all":
            chosen.update(known)
        elif name in known:
            chosen[name] = known[name]
        else:
            advice = did_you_mean(name, known)
            raise InputError(f"brief {name!r}", f"all, or one of {', '.join(known)}", advice=advice)
    return chosen


def subject_of(notebook: str) -> str:
    """Say what a notebook is about."""
    return SUBJECTS.get(notebook[:1], "Others")
