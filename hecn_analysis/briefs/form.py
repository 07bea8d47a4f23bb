"""A form for the parameters of a brief, in JupyterLab: fields from its declaration, and a button that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import ipywidgets as widgets
from IPython.display import FileLink, display

from hecn_analysis.base.errors import HecnError
from hecn_analysis.base.html_text import html_text
from hecn_analysis.briefs.catalogue import briefs, choose
from hecn_analysis.briefs.make import make_briefs
from hecn_analysis.briefs.parameters import Parameter, Value, check, is_on

OUT: Final = Path("briefs")
_WIDE: Final = {"width": "auto", "max_width": "60em"}
_LABELS: Final = {"description_width": "9em"}
_BUSY, _READY = "Making the brief …", "Make the brief"


def show_form(name: str | None = None, **given: Value) -> None:
    """Show a form for the parameters of a brief; without a name, with a menu of all briefs."""
    known = briefs()
    if name is not None:
        check(choose([name], known)[name].declaration, given)
        display(_form(name, given))  # type: ignore[no-untyped-call]
        return
    titles = {brief.declaration.title: key for key, brief in known.items()}
    menu = widgets.Dropdown(options=list(titles.items()), description="Brief", layout=_WIDE, style=_LABELS)
    body = widgets.VBox([_form(menu.value, given)])
    menu.observe(lambda change: setattr(body, "children", [_form(change["new"], {})]), "value")
    display(widgets.VBox([menu, body]))  # type: ignore[no-untyped-call]


def _form(name: str, given: Mapping[str, Value]) -> widgets.VBox:
    """The fields of one brief, its button, and the place of its link or refusal."""
    declaration = briefs()[name].declaration
    fields = {
        key: _field(key, parameter, given.get(key, parameter.default))
        for key, parameter in declaration.parameters.items()
    }
    button = widgets.Button(description=_READY, button_style="primary", layout={"width": "12em"})
    answer = widgets.Output()

    def make(_: widgets.Button) -> None:
        answer.clear_output()
        button.disabled, button.description = True, _BUSY
        try:
            with answer:
                _make(name, {key: field.value for key, field in fields.items()})
        finally:
            button.disabled, button.description = False, _READY

    button.on_click(make)
    question = widgets.HTML(f"<p>{html_text(declaration.question)}</p>")
    helps = [
        widgets.HTML(f"<small>{html_text(parameter.help)}</small>") for parameter in declaration.parameters.values()
    ]
    rows = [widgets.VBox(pair, layout=_WIDE) for pair in zip(fields.values(), helps, strict=True)]
    return widgets.VBox([question, *rows, button, answer])


def _field(name: str, parameter: Parameter, value: Value) -> widgets.DOMWidget:
    """The field of one parameter, with the declared default or the given value."""
    shared = {"description": name, "layout": _WIDE, "style": _LABELS}
    if parameter.type == "flag":
        return widgets.Checkbox(value=is_on(value), indent=False, **shared)
    if parameter.choices is not None:
        return widgets.Dropdown(options=[str(choice) for choice in parameter.choices], value=str(value), **shared)
    return widgets.Text(value=str(value), continuous_update=False, **shared)


def _make(name: str, values: Mapping[str, Value]) -> None:
    """Make a brief, and show a link to its page or the reason why there is none."""
    try:
        (result,) = make_briefs([name], OUT, values, pdf=False, progress=False)
    except HecnError as refusal:
        print(refusal)
        return
    if result.error is not None:
        print(f"The brief stopped: {result.error}")
    if result.finding is not None:
        print(result.finding)
    if result.html is not None:
        display(FileLink(result.html))  # type: ignore[no-untyped-call]
