"""The brief of what the app shows: made from a notebook with the state as its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hecn_analysis.app.model import to_yaml
from hecn_analysis.briefs import make_briefs
from hecn_analysis.errors import HecnError

BRIEF = "what-if"


def make_brief(state: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Make the brief of a state.

    Parameters
    ----------
    state
        State of the app.
    folder
        Where to make it.

    Returns
    -------
    dict
        ``name``, ``text`` of the page, and a ``remark`` for the reader.
    """
    scenario = folder / "scenario.yaml"
    scenario.write_text(to_yaml(state), encoding="utf-8")
    (made,) = make_briefs([BRIEF], folder, {"scenario": str(scenario)}, pdf=False, progress=False)
    if made.html is None:
        raise HecnError(f"no brief was made: {made.error}")
    remark = f"{made.html.name} is in your downloads." if made.error is None else f"The brief stopped: {made.error}"
    return {"name": made.html.name, "text": made.html.read_text(encoding="utf-8"), "remark": remark}
