"""Files that appear whole: what of a file that is there stays, and what of those aside does not."""

import os
import stat

import pytest

from hecn_analysis.files import whole


def test_who_holds_an_empty_file_open_reads_what_is_written(tmp_path):
    place = tmp_path / "made-to-be-filled"
    with place.open("w+") as held:
        whole.write(place, "all of it\n")
        assert held.read() == "all of it\n"


def test_a_file_keeps_its_rights_and_its_other_names(tmp_path):
    place = tmp_path / "runs.csv"
    place.write_text("old")
    place.chmod(0o604)
    before = place.stat().st_ino
    whole.write(place, "new")
    assert stat.S_IMODE(place.stat().st_mode) == 0o604
    assert place.stat().st_ino != before  # replaced, not written into
    (tmp_path / "other").hardlink_to(place)
    whole.write(place, "newer")
    assert (tmp_path / "other").read_text() == "newer"


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_stays(tmp_path):
    (tmp_path / ".hecn-0123456789ab.part").write_text("half of")
    with whole.aside(tmp_path / "slow") as part:
        whole.write(tmp_path / "quick", "x")
        assert [path.name for path in tmp_path.glob(".hecn-*")] == [part.name]
        part.write_text("y")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quick", "slow"]


def test_a_fault_names_the_file_that_was_asked_for_and_leaves_nothing(tmp_path):
    with pytest.raises(FileNotFoundError) as fault:
        whole.write(tmp_path / "none" / "runs.csv", "x")
    assert fault.value.filename == os.fspath(tmp_path / "none" / "runs.csv")
    with pytest.raises(ZeroDivisionError), whole.aside(tmp_path / "slow"):
        _ = 1 / 0
    assert not list(tmp_path.iterdir())
