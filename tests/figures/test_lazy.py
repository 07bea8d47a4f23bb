"""Figures are loaded when they are used, so that a brief rests on those that it shows and on no others."""

import json
import re
import subprocess
import sys

import pytest

from hecn_analysis import figures
from hecn_analysis.base import places


def test_a_figure_loads_its_own_module_and_the_theme_only():
    code = (
        "import json, sys; from hecn_analysis.figures import plot_tornado; "
        "print(json.dumps([one for one in sys.modules if one.startswith('hecn_analysis.figures.')]))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert set(json.loads(loaded)) == {f"hecn_analysis.figures.{one}" for one in ("theme", "tornado")}


def test_every_name_is_there_and_listed():
    assert all(callable(getattr(figures, name)) for name in figures.__all__)
    assert set(figures.__all__) <= set(dir(figures))
    with pytest.raises(AttributeError, match="has no attribute 'plot_nothing'"):
        _ = figures.plot_nothing


def test_names_of_briefs_are_those_of_their_notebooks():
    for path in (places.notebooks_dir() / "declarations").glob("*.yaml"):
        found = re.search(r"^brief: (.*)$", path.read_text(), re.MULTILINE)
        assert found is None or found[1] == path.stem.partition("_")[2]
