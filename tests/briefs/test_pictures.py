"""Figures as files, drawn by the installed Chromium."""

import pytest

from hecn_analysis import briefs
from hecn_analysis.base.errors import MissingProgramError
from hecn_analysis.briefs.pictures import PictureError, Pictures
from hecn_analysis.figures import theme

from .conftest import HOSTILE  # isort: skip

SPEC = {**theme.figure(x_title="Throughput (Gb/s)", height=300).add_scatter(x=[1, 2], y=[3, 4]).to_plotly_json()}


def test_figures_of_a_brief_are_written(made, notebooks, chromium, tmp_path, monkeypatch):  # noqa: ARG001
    """From the executed notebook: nothing is run again."""
    for path in made.html.parent.glob("small.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("hecn_analysis.briefs.origin.is_unchanged", lambda *_: True)  # whatever is edited meanwhile
    monkeypatch.setattr("hecn_analysis.briefs._run.execute", lambda *_: pytest.fail("the notebook was run"))
    settings = {"pdf": False, "progress": False, "folder": notebooks}
    for form, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        (result,) = briefs.make_briefs(["small"], tmp_path, {"label": HOSTILE, "cases": 40}, figures=form, **settings)
        assert [path.name for path in result.figures] == [f"small.figure-1.{form}", f"small.figure-2.{form}"]
        assert all(path.read_bytes().startswith(start) for path in result.figures)
    assert not list(tmp_path.glob("*.svg"))  # those of the other form went with the page that they belonged to


def test_without_a_browser_figures_that_were_asked_for_are_lacking(made, notebooks, tmp_path, monkeypatch):
    for path in made.html.parent.glob("small.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("hecn_analysis.briefs.origin.is_unchanged", lambda *_: True)  # whatever is edited meanwhile
    monkeypatch.setattr("hecn_analysis.briefs._run.execute", lambda *_: pytest.fail("the notebook was run"))
    monkeypatch.setenv("PATH", "")
    (tmp_path / "small.html").unlink()
    settings = {"figures": "svg", "progress": False, "folder": notebooks}
    for is_new in (True, False):
        (result,) = briefs.make_briefs(["small"], tmp_path, {"label": HOSTILE, "cases": 40}, **settings)
        assert (result.is_new, result.html.exists(), result.figures) == (is_new, True, ())
        assert result.lacking == ("pdf", "figures")
        assert [remark.partition(":")[0] for remark in result.remarks] == ["no PDF was made", "no picture was drawn"]


def test_thumbnail_is_webp(chromium):  # noqa: ARG001
    with Pictures() as pictures:
        content = pictures.thumbnail({"data": [], "layout": SPEC["layout"]})
    assert (content[:4], content[8:12]) == (b"RIFF", b"WEBP")


def test_missing_browser_is_one_line(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with Pictures() as pictures, pytest.raises(MissingProgramError) as missing:
        pictures.figure(SPEC, "svg")
    assert str(missing.value).startswith("no picture was drawn: Chromium is not installed; install it (Debian, Ubuntu:")


def test_failing_browser_is_one_line(tmp_path, monkeypatch):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr("hecn_analysis.briefs.pictures.find_chromium", lambda _: str(program))
    with Pictures() as pictures, pytest.raises(PictureError) as failed:
        pictures.figure(SPEC, "svg")
    assert str(failed.value).startswith("no picture was drawn: Chromium ")
    assert "\n" not in str(failed.value)
