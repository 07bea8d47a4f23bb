"""The form for a brief's parameters: fields with the declared defaults, a button that makes the brief, refusals."""

import ipywidgets as widgets
import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.briefs import briefs, form
from hecn_analysis.briefs.form import show_form


@pytest.fixture
def shown(monkeypatch):
    """What is displayed."""
    displayed = []
    monkeypatch.setattr(form, "display", displayed.append)
    return displayed


def every(widget, kind):
    """All widgets of a kind in a form."""
    own = [widget] if isinstance(widget, kind) else []
    return own + [found for child in getattr(widget, "children", ()) for found in every(child, kind)]


def test_a_form_has_a_field_for_each_parameter(shown):
    show_form("hotlava_tmt", gen=4)
    menu, field = every(shown[0], widgets.Dropdown) + every(shown[0], widgets.Text)
    assert (menu.description, menu.value, menu.options[0]) == ("max_payload", "512 B", "128 B")
    assert (field.description, field.value) == ("gen", "4")


def test_without_a_name_one_chooses_the_brief(shown):
    show_form()
    menu, body = shown[0].children
    assert [name for _, name in menu.options] == list(briefs())
    menu.value = "hotlava_tmt"
    assert every(body, widgets.Dropdown)[0].description == "max_payload"


def test_what_a_brief_does_not_take_is_refused_at_once(shown):
    with pytest.raises(InputError, match="a value from 1 to 5"):
        show_form("hotlava_tmt", gen=9)
    with pytest.raises(InputError, match="did you mean 'hotlava_tmt'"):
        show_form("hotlava_tm")
    assert shown == []


@pytest.mark.slow
def test_the_button_makes_the_brief_or_says_why_not(shown, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    show_form("hotlava_tmt")
    (button,) = every(shown[0], widgets.Button)
    field = every(shown[0], widgets.Text)[0]
    field.value = "nine"
    button.click()
    assert capsys.readouterr().out.endswith("found parameter gen: 'nine', expected a whole number\n")
    field.value = "4"
    button.click()
    assert "of the TMT" in capsys.readouterr().out
    assert (tmp_path / "briefs" / "hotlava_tmt.html").is_file()
    assert str(shown[-1].path) == "briefs/hotlava_tmt.html"
    assert not button.disabled
