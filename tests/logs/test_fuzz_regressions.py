"""Inputs from `make fuzz` that once broke a reader.

The samples are tried too, so that the checks of the search are themselves tested, and so is that they find faults.
"""

import pytest

from fuzz import checks
from hecn_analysis.base import tables
from hecn_analysis.base.places import data_dir


@pytest.mark.parametrize("path", sorted(checks.REGRESSIONS.glob("*/*")), ids=lambda path: path.name)
def test_an_input_that_once_failed_is_read(path):
    content = path.read_bytes()
    checks.check(content)
    checks.check_tables(content)
    if path.name.startswith("slow"):
        assert checks.seconds_per_mebibyte(content, 1 << 18) < checks.SECONDS_PER_MEBIBYTE


@pytest.mark.parametrize("group", checks.GROUPS)
def test_the_fuzz_checks_hold_for_the_seed_samples(group):
    samples = checks.samples(group)
    assert len(samples) > 10
    for path in samples[::5]:
        checks.check(path.read_bytes())


def test_fuzz_groups_and_sample_folders_agree(samples):
    searched = {name for names in checks.GROUPS.values() for name in names}
    there = {path.name for place in (samples, data_dir() / "samples") for path in place.iterdir()}
    assert searched == there


def test_the_fuzz_checks_detect_an_impossible_row(monkeypatch):
    monkeypatch.setattr(tables, "faults", lambda *_: {"bytes": "bytes: found -1"})
    with pytest.raises(checks.Broken, match="bytes: found -1"):
        checks.check(b"1048576 bytes (1.0 MB) copied, 1 s, 1.0 MB/s\n")
