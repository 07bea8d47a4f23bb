"""Lines that name a cause by themselves: each entry of ``models/cues.yaml`` has its line and not another."""

import re
import shutil
from pathlib import Path

import pytest

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.files.documents import Document
from hecn_analysis.hardware import Host, Tool, yaml_file
from hecn_analysis.hardware import Path as NetworkPath
from hecn_analysis.statements import cues

FILE = places.models_dir() / "cues.yaml"
ENTRIES = cues.entries()
PARTS = {"sender": Host, "receiver": Host, "path": NetworkPath, "tool": Tool}


def found(text):
    return [statement.value for statement in cues.find(Document("output.txt", text.encode()))]


@pytest.fixture
def cues_file(tmp_path, monkeypatch):
    """Copy of the file, which is read instead."""
    copy = Path(shutil.copy(FILE, tmp_path))
    monkeypatch.setattr(places, "models_dir", lambda: tmp_path)
    cues.entries.cache_clear()
    yield copy
    cues.entries.cache_clear()


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_its_examples_and_not_the_others(name):
    cue = ENTRIES[name]
    assert [text for text in cue.example if name not in found(text)] == []
    assert [text for text in cue.example if name not in found(f"before\n\n{text}\nafter\n")] == []
    assert [text for text in cue.counterexample if name in found(text)] == []


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_names_what_is_there(name):
    cue = ENTRIES[name]
    assert all(cue.words)
    groups = set(re.compile(cue.pattern).groupindex)
    assert {*cue.least, *cue.most, *(cue.share or ())[:2]} <= groups
    for key in cue.settings:
        part, _, rest = key.partition(".")
        assert yaml_file.field_at(PARTS[part], rest.split(".")), key
    assert cue.do or max(cue.odds.values()) <= 1 or "link" in cue.odds, "what to do"


def test_three_lines_of_an_entry_are_told_with_their_numbers_and_words():
    line = "e1000e 0000:00:19.0 eth0: Detected Hardware Unit Hang:\n"
    statements = list(cues.find(Document("dmesg-receiver.txt", ("nothing\n> " + line * 9).encode())))
    assert [(each.name, each.value, each.line, each.end) for each in statements] == [
        ("cue", "tx-hang", number, "receiver") for number in (2, 3, 4)
    ]
    assert statements[0].says == line.strip()


def test_a_line_without_end_is_cut():
    (statement,) = cues.find(Document("a.txt", b"Detected Tx Unit Hang " + b"x" * 1_000_000))
    assert len(statement.says) == 200


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("subject: driver", "topic: driver", "found unknown key 'tx-hang.topic', expected one of"),
        ("odds: {nic: 80", "odds: {card: 80", "found tx-hang.odds.card"),
        ("any: [", "near: 1000\n  any: [", "found tx-hang.near: 1000, expected at most 200"),
    ],
)
def test_damage_names_file_and_line(cues_file, old, new, message):
    before, name, after = cues_file.read_text(encoding="utf-8").partition("\ntx-hang:\n")
    assert old in after
    cues_file.write_text(before + name + after.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as error:
        cues.entries()
    assert re.match(r".*cues\.yaml:\d+: ", str(error.value))
