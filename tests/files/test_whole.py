"""Output files are new ones, moved into place: what happens to a file, a link, a pipe or a folder that is there."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.files import whole

OTHER = 54321  # a user without a name
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


def leftovers(folder):
    return [path.name for path in folder.rglob(".hecn-*")]


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    place = tmp_path / "runs.csv"
    place.write_text("old")
    place.chmod(0o604)
    with place.open() as held:
        whole.write(place, "new")
        assert held.read() == "old"
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o604


def test_the_content_of_a_private_file_is_private_while_it_is_written(tmp_path):
    place = tmp_path / "runs.csv"
    place.touch(mode=0o600)
    with whole.aside(place) as part:
        assert stat.S_IMODE(os.fstat(part.fileno()).st_mode) == 0o600


def test_another_name_of_a_file_keeps_the_old_content(tmp_path):
    (tmp_path / "mine").write_text("old")
    (tmp_path / "runs.csv").hardlink_to(tmp_path / "mine")
    whole.write(tmp_path / "runs.csv", "new")
    assert (tmp_path / "mine").read_text() == "old"
    assert (tmp_path / "runs.csv").read_text() == "new"


@pytest.mark.parametrize("leads_to", ["mine", "nothing-yet", "a-folder", "/dev/null"])
def test_a_link_is_never_written_through(tmp_path, leads_to):
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "a-folder").mkdir()
    link = tmp_path / "runs.csv"
    link.symlink_to(leads_to)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(InputError) as fault:
        whole.write(link, "new")
    assert str(fault.value) == (
        f"{link}: found a symbolic link, expected a regular file or nothing; "
        "remove the link, or name the file that you want to write"
    )
    assert (tmp_path / "mine").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@needs_root
def test_a_file_of_another_user_is_left_alone(tmp_path):
    place = tmp_path / "runs.csv"
    place.write_text("theirs")
    os.chown(place, OTHER, OTHER)
    with pytest.raises(InputError, match=r"a file that belongs to another user \(number 54321\).*another place"):
        whole.write(place, "new")
    assert place.read_text() == "theirs"
    assert leftovers(tmp_path) == []


def test_a_link_of_the_users_own_leads_to_a_folder(tmp_path):
    (tmp_path / "real").mkdir()
    for name, target in (("relative", "real"), ("absolute", tmp_path / "real"), ("twice", "relative/../absolute")):
        (tmp_path / name).symlink_to(target)
        whole.write(tmp_path / name / f"{name}.txt", name)
        whole.make_folder(tmp_path / name / "inner" / name)
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == [
        "absolute.txt",
        "inner",
        "relative.txt",
        "twice.txt",
    ]
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="Too many levels"):
        whole.write(tmp_path / "loop" / "x", "x")


@needs_root
def test_a_link_of_another_user_leads_nowhere(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "report").symlink_to("real")
    (tmp_path / "mine").symlink_to("report")
    os.lchown(tmp_path / "report", OTHER, OTHER)
    message = r"a symbolic link on the way that belongs to another user \(number 54321\), expected folders of your own"
    for name in ("report", "mine"):
        with pytest.raises(InputError, match=message):
            whole.write(tmp_path / name / "x.html", "x")
        with pytest.raises(InputError, match=message):
            whole.make_folder(tmp_path / name)
    assert list((tmp_path / "real").iterdir()) == []


@needs_root
def test_a_folder_of_another_user_is_used_unless_everybody_can_make_one_there(tmp_path):
    shared = tmp_path / "shared"
    (shared / "report").mkdir(parents=True)
    os.chown(shared / "report", OTHER, OTHER)
    whole.write(shared / "report" / "x.html", "x")
    shared.chmod(0o1777)
    with pytest.raises(InputError, match="a folder on the way that belongs to another user"):
        whole.write(shared / "report" / "y.html", "y")
    with pytest.raises(InputError, match="a folder on the way that belongs to another user"):
        whole.make_folder(shared / "report")
    whole.make_folder(shared / "other")
    whole.write(shared / "other.html", "z")


def test_a_folder_that_is_exchanged_for_a_link_while_a_file_is_made_changes_nothing(tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "private").mkdir()
    with whole.aside(tmp_path / "report" / "x.html") as part:
        part.write(b"x")
        (tmp_path / "report").rename(tmp_path / "moved")
        (tmp_path / "report").symlink_to("private")
    assert list((tmp_path / "private").iterdir()) == []
    assert [path.name for path in (tmp_path / "moved").iterdir()] == ["x.html"]


def test_pipes_and_devices_are_written_into(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    told = []
    reader = threading.Thread(target=lambda: told.append((tmp_path / "pipe").read_text()))
    reader.start()
    whole.write(tmp_path / "pipe", "all of it\n")
    reader.join()
    assert told == ["all of it\n"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    whole.write("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116 - a device
    outgoing, incoming = os.pipe()
    for name in (f"/dev/fd/{incoming}", f"/proc/self/fd/{incoming}", f"/dev/./fd//{incoming}"):
        whole.write(name, name)
        assert os.read(outgoing, 100).decode() == name
    os.close(outgoing)
    os.close(incoming)


@needs_root
def test_a_pipe_of_another_user_gets_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.chown(tmp_path / "pipe", OTHER, OTHER)
    with pytest.raises(InputError, match="a named pipe that belongs to another user"):
        whole.write(tmp_path / "pipe", "secret")


def test_a_file_that_the_standard_output_goes_to_is_appended_to(tmp_path):
    (tmp_path / "all.csv").write_text("before\n")
    code = "from hecn_analysis.files import whole; print('printed'); whole.write('/dev/stdout', 'written\\n')"
    with (tmp_path / "all.csv").open("a") as stream:
        subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
    assert (tmp_path / "all.csv").read_text() == "before\nprinted\nwritten\n"


def test_what_a_killed_writer_left_is_removed_and_what_is_in_use_or_no_file_stays(tmp_path):
    (tmp_path / ".hecn-0123456789ab.part").write_text("half of")
    os.mkfifo(tmp_path / ".hecn-pipe.part")
    (tmp_path / "mine").write_text("precious")
    (tmp_path / ".hecn-link.part").symlink_to("mine")
    with whole.aside(tmp_path / "slow") as part:
        whole.write(tmp_path / "quick", "x")
        assert len(leftovers(tmp_path)) == 3
        part.write(b"y")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".hecn-link.part",
        ".hecn-pipe.part",
        "mine",
        "quick",
        "slow",
    ]


def test_a_fault_names_the_file_that_was_asked_for_and_leaves_nothing(tmp_path):
    with pytest.raises(FileNotFoundError) as fault:
        whole.write(tmp_path / "none" / "runs.csv", "x")
    assert fault.value.filename == os.fspath(tmp_path / "none" / "runs.csv")
    with pytest.raises(ZeroDivisionError), whole.aside(tmp_path / "slow"):
        _ = 1 / 0
    with pytest.raises(KeyboardInterrupt), whole.aside(tmp_path / "slow"):
        raise KeyboardInterrupt
    with pytest.raises(IsADirectoryError):
        whole.write(tmp_path, "x")
    assert not list(tmp_path.iterdir())


def test_a_check_refuses_what_writing_refuses_and_leaves_nothing(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    (tmp_path / "file").write_text("old")
    whole.check_folder(link)  # a link of one's own is followed
    whole.check_folder(link / "below")
    with pytest.raises(InputError, match="a symbolic link"):
        whole.check(link)
    with pytest.raises(NotADirectoryError):
        whole.check_folder(tmp_path / "file" / "below")
    with pytest.raises(IsADirectoryError):
        whole.check(tmp_path)
    with pytest.raises(FileNotFoundError):
        whole.check(tmp_path / "missing" / "file")
    whole.check(tmp_path / "file")
    whole.check("/dev/null")
    whole.check("/dev/stdout")
    os.mkfifo(tmp_path / "pipe")
    whole.check(tmp_path / "pipe")  # without waiting for who reads it
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "pipe"]
    assert (tmp_path / "file").read_text() == "old"


def test_an_empty_file_is_filled_for_the_program_that_holds_it_open(tmp_path):
    with tempfile.NamedTemporaryFile(dir=tmp_path) as held:
        whole.write(held.name, ["a", "b"])
        assert held.read() == b"ab"
        assert [path.name for path in tmp_path.iterdir()] == [Path(held.name).name]


def test_an_empty_file_stays_empty_if_the_disk_is_full(tmp_path, monkeypatch):
    target = tmp_path / "a.txt"
    target.touch()

    def full(_, into):
        into.write(b"half")
        into.flush()
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(whole.shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="no space"):
        whole.write(target, "whole")
    assert target.read_bytes() == b""
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
