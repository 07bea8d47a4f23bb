"""Readers are found by a name that they define: modules and classes, those of subpackages too, no contracts."""

import sys

import pytest

from hecn_analysis.parsing.readers import find_readers

MODULES = {
    "a/module.py": "FORMATS = ('plain',)\n",
    "b.py": (
        "from made_for_readers.c import Own as Borrowed\n"
        "class Contract:\n    @property\n    def FORMATS(self): ...\n"
        "class Nothing:\n    FORMATS = ()\n"
    ),
    "c.py": "class Own:\n    FORMATS = ('own',)\nclass Other:\n    TOOLS = ('tool',)\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "made_for_readers"
    for name, text in {"__init__.py": "", "a/__init__.py": "", **MODULES}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    __import__(folder.name)
    yield folder.name
    for name in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
        del sys.modules[name]


@pytest.mark.parametrize(("mark", "names"), [("FORMATS", [".a.module", "Own"]), ("TOOLS", ["Other"]), ("HINTS", [])])
def test_modules_and_classes_that_define_the_name_are_found_once_by_module(package, mark, names):
    assert [reader.__name__.removeprefix(package) for reader in find_readers(package, mark)] == names
