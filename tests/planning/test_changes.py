"""Texts of changes: every entry of ``models/changes.yaml`` is used, and an error names file and line."""

import re
import shutil
from pathlib import Path

import pytest

import hecn_analysis.planning.change as package
from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.change import change

FILE = places.models_dir() / "changes.yaml"


@pytest.fixture
def changes_file(tmp_path, monkeypatch):
    """Copy of the file, which is read instead."""
    copy = Path(shutil.copy(FILE, tmp_path))
    monkeypatch.setattr(places, "models_dir", lambda: tmp_path)
    change.descriptions.cache_clear()
    yield copy
    change.descriptions.cache_clear()


def test_every_description_is_used():
    code = "".join(path.read_text(encoding="utf-8") for path in Path(package.__file__).parent.glob("*.py"))
    literals = set(re.findall(r'"([a-z-]+)"', code)) | {"io-direct", "io-buffered"}
    assert set(change.descriptions()) - literals == set()


def test_a_price_is_that_of_all_pieces():
    change_of_pieces = change.described("link", {}, gbps=100, faster="100 Gb/s", rate="10 Gb/s")
    assert (change_of_pieces.price_usd, change_of_pieces.price_basis, change_of_pieces.is_free) == (None, None, False)
    assert change.described("pep", {}).price_usd == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('  risk: "it', '  note: "it', "changes.yaml:21: found unknown key 'pep.note', expected one of"),
        (
            '  kind: path\n  title: "perf',
            '  title: "perf',
            "changes.yaml:15: found no key 'pep.kind', expected a value",
        ),
        ("  name: pep", "  name: [pep]", "changes.yaml:16: found pep.name: ['pep'], expected text"),
    ],
)  # fmt: skip
def test_damage_names_file_and_line(changes_file, old, new, message):
    text = changes_file.read_text(encoding="utf-8")
    assert old in text
    changes_file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        change.descriptions()
