"""An archive whose files are damaged, lost, links or somebody else's: nothing is removed, nothing hidden."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from hecn_analysis.archive.selection import Selection, tables_of
from hecn_analysis.archive.store import Archive
from hecn_analysis.cli import main


def write_log(place, seconds):
    """Write a log with one run; gives its path."""
    place.write_text(
        f" {117.8125 * seconds:.4f} MB /  {seconds}.00 sec =  988.2643 Mbps 2 %TX 4 %RX 0 retrans 0.11 msRTT\n"
    )
    return place


@pytest.fixture
def hecn(capsys):
    """Run a command; gives its status, its output and its errors."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out, said.err

    return run


@pytest.fixture
def archive(tmp_path, hecn):
    """An archive of two files that were merged, and of two that were added later, all long ago."""
    folder = tmp_path / "archive"
    for number in range(4):
        assert hecn("archive", "add", folder, write_log(tmp_path / f"{number}.log", 10 + number))[0] == 0
        if number == 1:
            age(folder)
            assert hecn("archive", "compact", folder)[0] == 0
            age(folder)
            assert hecn("archive", "compact", folder)[0] == 0
    assert len(list(folder.glob("commits/*"))) == 2
    assert len(list(folder.glob("runs/*/*"))) == 3
    age(folder)
    return folder


def age(folder):
    for path in folder.rglob("*"):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)


def contents(folder):
    """All that is in a folder: names, and the bytes of files or the targets of links."""
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in folder.rglob("*")
    }


def durations(answer):
    return {round(row["duration_s"]) for row in json.loads(answer)}


def look(hecn, folder):
    """Durations of the runs that a query gives, its status, and what it says is wrong."""
    status, out, err = hecn("archive", "query", folder, "select duration_s from runs", "--format", "json")
    return durations(out), status, err


def cut(path):
    path.write_bytes(path.read_bytes()[:60])


HARM = {"lost": Path.unlink, "empty": lambda path: path.write_bytes(b""), "cut": cut}


def is_refused(hecn, folder, name):
    """Check that compaction changes nothing, and names a file."""
    before = contents(folder)
    status, _, err = hecn("archive", "compact", folder)
    assert status == 1
    assert str(name) in err
    assert "expected files and log that agree; nothing was compacted, and nothing removed" in err
    assert contents(folder) == before


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_commit_costs_its_own_rows_and_is_named(archive, hecn, tmp_path, harm):
    place = next(path for path in archive.glob("commits/*") if "2.log" in path.read_text())
    (file,) = json.loads(place.read_text())["files"]
    saved = place.read_bytes()
    HARM[harm](place)
    named = str(archive / file if harm == "lost" else place)
    for command in (("list", archive), ("query", archive, "select 1")):
        status, _, err = hecn("archive", *command)
        assert status == 1
        assert f"hecn: {named}: found damage (" in err
    assert look(hecn, archive)[:2] == ({10, 11, 13}, 1)
    is_refused(hecn, archive, named)
    status, out, err = hecn("archive", "add", archive, tmp_path / "2.log", write_log(tmp_path / "new.log", 30))
    if harm == "lost":
        assert (status, out) == (0, "2 files added, 0 already there\n")
        assert look(hecn, archive)[0] == {10, 11, 12, 13, 30}
        return
    assert (status, out) == (1, "1 file added, 0 already there\n")
    assert f"{tmp_path / '2.log'}: unreadable: not added to the archive: {place}" in err
    assert look(hecn, archive)[0] == {10, 11, 13, 30}
    place.write_bytes(saved)
    assert look(hecn, archive) == ({10, 11, 12, 13, 30}, 0, "")
    assert hecn("archive", "compact", archive)[0] == 0
    assert look(hecn, archive) == ({10, 11, 12, 13, 30}, 0, "")


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("name", ["1.json", "1.copy.json"])
def test_a_damaged_generation_costs_nothing_and_is_named(archive, hecn, tmp_path, name, harm):
    place = archive / "generations" / name
    saved = place.read_bytes()
    HARM[harm](place)
    rows, status, err = look(hecn, archive)
    assert (rows, status) == ({10, 11, 12, 13}, 1)
    assert f"hecn: {place}: found damage (" in err
    assert err.endswith("hecn: 1 damaged file of the archive: no rows are missing\n")
    assert "not in the answer" not in err
    sound = next(each for each in place.parent.iterdir() if each != place)
    assert f"; copy {sound} to it\n" in err
    assert hecn("archive", "list", archive)[2].endswith("hecn: 1 damaged file of the archive: no units are missing\n")
    is_refused(hecn, archive, place)
    status, out, _ = hecn("archive", "add", archive, tmp_path / "0.log", write_log(tmp_path / "new.log", 30))
    assert (status, out) == (0, "1 file added, 1 already there\n")
    assert look(hecn, archive)[0] == {10, 11, 12, 13, 30}
    place.write_bytes(saved)
    assert hecn("archive", "compact", archive)[0] == 0
    assert look(hecn, archive) == ({10, 11, 12, 13, 30}, 0, "")


def test_both_copies_of_a_generation_damaged_cost_its_rows(archive, hecn):
    for place in (archive / "generations").iterdir():
        place.write_text("{")
    rows, status, err = look(hecn, archive)
    assert (rows, status) == ({12, 13}, 1)
    assert err.endswith("hecn: 3 damaged files of the archive: not in the answer\n")


def test_the_problems_of_a_damaged_copy_say_that_no_rows_are_missing(archive):
    (archive / "generations" / "1.copy.json").write_text("{")
    (problem,) = tables_of(Selection(archive, ()), ["runs", "problems"])["problems"]["message"]
    assert "; no rows are missing; copy " in problem


@pytest.mark.parametrize("what", ["generations", "commits", "incoming"])
def test_a_lost_folder_costs_its_own_rows_and_is_no_reason_to_remove_others(archive, hecn, what):
    shutil.rmtree(archive / what)
    left = {"generations": {12, 13}, "commits": {10, 11}, "incoming": {10, 11, 12, 13}}[what]
    status = int(what != "incoming")
    assert look(hecn, archive)[:2] == (left, status)
    code, out, err = hecn("parse", archive, "--format", "json")
    assert (durations(out), code) == (left, status)
    assert ("no commit and no generation names it" in err) == bool(status)
    if status:
        is_refused(hecn, archive, archive / "runs")


def test_a_file_that_the_log_names_and_is_gone_stops_compaction(archive, hecn):
    place = max(archive.glob("runs/*/*"))
    place.unlink()
    assert look(hecn, archive)[:2] == ({10, 11, 12}, 1)
    is_refused(hecn, archive, place)


def test_compaction_leaves_what_is_not_its_own(archive, hecn, tmp_path):
    days = archive / "runs" / "day=unknown"
    mine = [days / "notes.txt", archive / "incoming" / "thesis.tex", archive / "generations" / "0.txt"]
    mine += [archive / "commits" / "README.json.bak", archive / "incoming" / ("0" * 32) / "thesis.tex"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    age(archive)
    assert hecn("archive", "compact", archive)[0] == 0
    assert [path.read_text() for path in mine] == ["mine"] * len(mine)
    known = min(days.glob("*.parquet"))
    for name in ("foreign.parquet", f"{'0' * 16}-{'1' * 32}.parquet"):
        shutil.copy(known, days / name)
        age(archive)
        rows, status, err = look(hecn, archive)
        assert (rows, status) == ({10, 11, 12, 13}, 1)
        assert f"{days / name}: found damage (no commit and no generation names it)" in err
        is_refused(hecn, archive, days / name)
        (days / name).rename(tmp_path / name)
    assert look(hecn, archive) == ({10, 11, 12, 13}, 0, "")


@pytest.mark.parametrize("name", ["incoming", "commits", "generations", "runs", "runs/day=unknown"])
def test_no_link_inside_an_archive_is_followed(archive, hecn, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    (archive / name).rename(elsewhere)
    (elsewhere / "letter.txt").write_text("mine")
    (elsewhere / ("2" * 32)).mkdir()
    (elsewhere / ("2" * 32) / f"{'2' * 32}.json").write_text("mine")
    shutil.copy(tmp_path / "0.log", elsewhere / f"{'0' * 16}-{'2' * 32}.parquet")
    (archive / name).symlink_to(elsewhere)
    age(elsewhere)
    before = contents(elsewhere)
    rows, status, err = look(hecn, archive)
    assert rows == {"commits": {10, 11}, "generations": {12, 13}, "incoming": {10, 11, 12, 13}}.get(name, set())
    assert status == 1
    assert f"{archive / name}: found damage (a symbolic link)" in err
    is_refused(hecn, archive, archive / name)
    inside = contents(archive)
    status, out, err = hecn("archive", "add", archive, write_log(tmp_path / "new.log", 30))
    if name == "generations":  # nothing is written there
        assert (status, out) == (0, "1 file added, 0 already there\n")
        assert look(hecn, archive)[0] == {12, 13, 30}
    else:
        assert (status, out) == (1, "0 files added, 0 already there\n")
        assert "found damage (a symbolic link)" in err
        assert contents(archive) == inside
    assert contents(elsewhere) == before


@pytest.mark.parametrize("pattern", ["commits/*", "generations/1.json", "generations/1.copy.json", "runs/*/*"])
def test_a_file_that_was_replaced_by_a_link_is_not_read(archive, hecn, tmp_path, pattern):
    place = max(archive.glob(pattern))
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    rows, status, err = look(hecn, archive)
    assert (len(rows), status) == (4 if "generations" in pattern else 3, 1)
    assert f"{place}: found damage (a symbolic link)" in err
    is_refused(hecn, archive, place)
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("is_named", [True, False])
def test_what_is_no_file_is_not_opened(archive, hecn, make, is_named):
    file = max(archive.glob("runs/*/*.parquet"))
    if is_named:
        file.unlink()
    else:
        file = file.with_name(f"{'0' * 16}-{'a' * 32}.parquet")
    make(file)
    for command in (("list", archive), ("query", archive, "select 1")):
        status, _, err = hecn("archive", *command)
        assert status == 1
        assert f"{file}: found damage (not a plain file)" in err
    assert look(hecn, archive)[0] == {10, 11, 12, *([] if is_named else [13])}
    is_refused(hecn, archive, file)


@pytest.mark.parametrize("name", ["runs", "runs/day=unknown"])
def test_a_file_in_place_of_a_folder_is_named(archive, hecn, tmp_path, name):
    shutil.rmtree(archive / name)
    (archive / name).write_text("")
    found, status, err = look(hecn, archive)
    assert (found, status) == (set(), 1)
    assert f"{archive / name}: found damage (not a folder)" in err
    is_refused(hecn, archive, archive / name)
    status, out, err = hecn("archive", "add", archive, write_log(tmp_path / "new.log", 30))
    assert (status, out) == (1, "0 files added, 0 already there\n")
    assert f"not added to the archive: {archive / name}: found damage (not a folder)" in err


def test_an_archive_may_be_named_by_a_link(archive, hecn, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(archive)
    assert hecn("archive", "add", link, write_log(tmp_path / "new.log", 30))[0] == 0
    assert hecn("archive", "compact", link)[0] == 0
    assert look(hecn, archive) == ({10, 11, 12, 13, 30}, 0, "")
    assert link.is_symlink()


def test_what_a_killed_writer_left_is_removed_by_the_first_compaction_an_hour_later(archive, hecn):
    writer = "3" * 32
    (archive / "incoming" / writer).mkdir()
    left = [
        archive / "runs" / "day=unknown" / f"{'0' * 16}-{writer}.parquet",
        archive / "incoming" / writer / f"{writer}.json",
    ]
    for path in left:
        path.write_text("half")
    assert look(hecn, archive) == ({10, 11, 12, 13}, 0, "")  # it may be at work
    assert hecn("archive", "compact", archive)[0] == 0
    assert all(path.exists() for path in left)
    age(archive)
    assert hecn("archive", "compact", archive)[0] == 0
    assert not any(path.exists() for path in left)
    assert not list((archive / "incoming").iterdir())


def test_what_a_commit_names_that_cannot_be_read_just_now_is_not_left_over(archive, hecn):
    place = next(path for path in archive.glob("commits/*") if "2.log" in path.read_text())
    saved = place.read_bytes()
    (file,) = json.loads(saved)["files"]
    (archive / "incoming" / file[-40:-8]).mkdir()  # its writer was killed after the commit
    age(archive)
    place.write_bytes(b"")
    Archive(archive)._log.clean(0)
    place.write_bytes(saved)
    assert look(hecn, archive) == ({10, 11, 12, 13}, 0, "")
    Archive(archive)._log.clean(0)
    assert not list((archive / "incoming").iterdir())
    assert look(hecn, archive) == ({10, 11, 12, 13}, 0, "")


def test_a_compaction_that_was_killed_before_its_second_copy_is_completed(archive, hecn):
    place = archive / "generations" / "1.copy.json"
    saved = place.read_bytes()
    (archive / "incoming" / json.loads(saved)["id"]).mkdir()
    place.unlink()
    assert look(hecn, archive)[1:] == (0, "")
    Archive(archive)._log.clean(0)
    assert place.read_bytes() == saved
    assert look(hecn, archive)[1:] == (0, "")


def test_a_unit_that_was_added_again_while_its_generation_was_lost_counts_once(archive, hecn, tmp_path):
    lost = list(archive.glob("generations/*"))
    for place in lost:
        place.rename(tmp_path / place.name)
    assert hecn("archive", "add", archive, tmp_path / "0.log")[1] == "1 file added, 0 already there\n"
    assert look(hecn, archive)[:2] == ({10, 12, 13}, 1)
    for place in lost:
        (tmp_path / place.name).rename(place)
    count = ("archive", "query", archive, "select count(*) as n from runs", "--format", "csv")
    for _ in range(3):
        assert hecn(*count) == (0, "n\n4\n", "")
        age(archive)
        assert hecn("archive", "compact", archive)[0] == 0
    assert len(list(archive.glob("runs/*/*"))) == 1
    assert not list(archive.glob("commits/*"))


def test_an_entry_names_for_removal_only_what_an_archive_has(archive, hecn, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("mine")
    for name in ("../letter.txt", str(letter), "incoming/x", "runs/../../letter.txt", "commits/../../letter.json"):
        for place in archive.glob("generations/*"):
            content = json.loads(place.read_text())
            place.write_text(json.dumps({**content, "superseded": [name]}))
        age(tmp_path)
        is_refused(hecn, archive, archive / "generations" / "1.json")
    assert letter.exists()


def test_traffic_reads_the_files_of_an_archive_that_count(tmp_path, hecn):
    polled, folder = tmp_path / "port.log", tmp_path / "archive"
    for number in range(2):
        lines = [f"{1384800000 + 300 * row} {10**9 + row * 1000 + number} {10**8} 5 5" for row in range(9, 0, -1)]
        polled.write_text(f"1384802700 {10**9 + number} {10**8}\n" + "\n".join(lines) + "\n")
        assert hecn("archive", "add", folder, polled)[0] == 0
    before = hecn("traffic", folder / "samples", "--format", "json")
    assert before[0] == 0
    assert hecn("archive", "compact", folder)[0] == 0  # the files that it replaced are there for an hour
    assert hecn("traffic", folder / "samples", "--format", "json") == before
    (first, *_) = folder.glob("samples/*/*")
    shutil.copy(first, first.parent / "copy.parquet")
    status, out, err = hecn("traffic", folder / "samples", "--format", "json")
    assert (status, out) == (1, before[1])
    assert re.search(r"copy\.parquet: found damage \(no commit and no generation names it\)", err)
