"""The brief of the app: the scenario as described by its models, compared with the changes of the controls."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hecn_analysis.app.controls import ROLES, Control, controls_of
from hecn_analysis.app.model import base_of, keys_of, scenario_of, written
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.briefs import make_briefs

BRIEF: Final = "what_if"

#: Number of points of the figure over a range, and the factor by which the range extends to both sides.
_POINTS: Final = 9
_FACTOR: Final = 8


def make_brief(state: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Make the brief of a state."""
    (result,) = make_briefs([BRIEF], folder, parameters(state), pdf=False, progress=False)
    if result.html is None:
        raise HecnError(f"no brief was made: {result.error}")
    remark = (
        f"{result.html.name} is in your downloads." if result.error is None else f"The brief stopped: {result.error}"
    )
    return {"name": result.html.name, "text": result.html.read_text(encoding="utf-8"), "remark": remark}


def parameters(state: Mapping[str, Any]) -> dict[str, str]:
    """Parameters of the brief for a state."""
    base = base_of(state)
    keys = keys_of(state, base)
    given = {key: value for key, value in base.keys.items() if key not in ROLES}
    changes = {key: value for key, value in keys.items() if key not in ROLES and key not in given}
    if not changes:
        raise InputError("no change", "a change to compare with: move a slider, then export the brief")
    ends = {role: _place(str(state[role])) for role in ROLES if role in state}
    return {**ends, "given": _words(given), "changes": _words(changes), "vary": _range(state), "measured": ""}


def _place(name: str) -> str:
    """Name of a model, or the absolute path of a file, since the brief is made in another folder."""
    return str(Path(name).resolve()) if name.endswith((".yaml", ".yml")) else name


def _words(keys: Mapping[str, Any]) -> str:
    def text(value: object) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    return " ".join(shlex.quote(f"{key}={text(written(key, value))}") for key, value in keys.items())


def _range(state: Mapping[str, Any]) -> str:
    """A key and its range: a changed key if there is one, else the round-trip time."""
    scenario, _ = scenario_of(state)
    varied = [(control, value) for control, value in controls_of(scenario) if not control.key.endswith(".cards")]
    varied.sort(key=lambda entry: (entry[0].key not in state, entry[0].menu, entry[0].key != "path.rtt"))
    control, value = varied[0]
    return f"{control.key}={_values(control, value)}"


def _values(control: Control, value: Any) -> str:  # noqa: ANN401 - what a key may hold
    if control.menu:
        return ",".join(json.dumps(step).strip('"') for step in control.steps)
    steps = [step for step in control.steps if step > 0]
    low, high = steps[0], steps[-1]
    if value > 0:
        low, high = max(low, value / _FACTOR), min(high, value * _FACTOR)
    if isinstance(value, int):
        return f"{int(low)}..{int(high)}/{min(_POINTS, int(high) - int(low) + 1)}"
    return f"{low:.6g}..{high:.6g}/{_POINTS}"
