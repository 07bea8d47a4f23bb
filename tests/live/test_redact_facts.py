"""Redacting takes names away, and nothing that a reader of inventories makes a host of."""

import json
from pathlib import Path

import hecn_analysis as hecn
from hecn_analysis.live.redact import Redactor

SAMPLES = Path(__file__).parent.parent / "inventory/samples"


def facts(path):
    rows = hecn.read_inventory(path).sources
    return [{name: value for name, value in row.items() if name != "source_file"} for row in rows]


def check(folder, tmp_path):
    """Compare facts of each file before and after; give how many files changed."""
    changed = 0
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".txt", ".json", ".xml"}):
        text = path.read_text(encoding="utf-8", errors="replace")
        redactor = Redactor()
        redactor.learn(text)
        clean = redactor.clean(text)
        changed += clean != text
        (tmp_path / "before").write_text(text, encoding="utf-8")
        (tmp_path / "after").write_text(clean, encoding="utf-8")
        before, after = (json.dumps(facts(tmp_path / name), indent=1) for name in ("before", "after"))
        assert redactor.clean(before) == redactor.clean(after), path  # names that are facts have their stand-ins
    return changed


def test_no_fact_of_a_sample_changes(tmp_path):
    assert check(SAMPLES, tmp_path) > 0


def test_no_fact_of_the_collection_changes(tmp_path, corpus):
    assert check(corpus / "inventory", tmp_path) > 20
