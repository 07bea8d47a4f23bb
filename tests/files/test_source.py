"""Opening, decoding and finding files."""

import hashlib
import io
import os
import socket
import subprocess
import tarfile
from pathlib import Path

import pytest

from hecn_analysis.base.children import private_folder
from hecn_analysis.files import opening, packed, streams
from hecn_analysis.files.opening import File
from hecn_analysis.files.source import Line, Lines, Source, find
from hecn_analysis.logs import read

SUMMARY = " 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT\n"


def lines(path, content):
    path.write_bytes(content)
    return [(line.number, line.text) for line in Source(path).lines()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"one\ntwo\n", [(1, "one"), (2, "two")]),
        (b"one\r\ntwo", [(1, "one"), (2, "two")]),
        (b"\xef\xbb\xbfone\n", [(1, "one")]),
        ("é\n".encode("utf-16"), [(1, "é")]),
        ("é\n".encode("latin-1"), [(1, "é")]),
        ("é\n".encode() + "é\n".encode("latin-1"), [(1, "é"), (2, "é")]),
        (b"1 %\r50 %\r100 %\nend\n", [(1, "1 %"), (1, "50 %"), (1, "100 %"), (2, "end")]),
        (
            b"\x1b7\x1b[2A\x1b[1Gone 1 %\x1b8\x1b[1A\x1b[27Gtwo\x1b[u\x1b[m\n",
            [(1, ""), (1, ""), (1, "one 1 %"), (1, ""), (1, ""), (1, "two")],
        ),
        (b"\x1b[1;32mgreen\x1b[0m \x1b]0;title\x07text\n", [(1, "green text")]),
        ("one\x0btwo\u2028three\n".encode(), [(1, "one\x0btwo\u2028three")]),
    ],
)
def test_lines_keep_the_number_that_an_editor_shows(tmp_path, content, expected):
    assert lines(tmp_path / "a.log", content) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_a_file_longer_than_a_piece_is_read_whole(tmp_path, encoding):
    text = "".join(f"{number} é {'x' * (number % 97)}\n" for number in range(60_000))
    found = lines(tmp_path / "a.log", text.encode(encoding))
    assert [line for _, line in found] == text.split("\n")[:-1]
    assert found[-1][0] == 60_000


def test_a_file_without_line_ends_does_not_fill_the_memory(tmp_path):
    found = lines(tmp_path / "a.log", b"\x00" * (40 << 20))
    assert max(len(text) for _, text in found) <= (17 << 20)


def test_the_hash_is_that_of_the_bytes(tmp_path):
    content = b"\xef\xbb\xbf" + SUMMARY.encode() + b"\xe9\r\n"
    (tmp_path / "a.log").write_bytes(content)
    assert read(tmp_path / "a.log").runs.content_hash.tolist() == [hashlib.sha256(content).hexdigest()]


def test_folders_are_walked_in_sorted_order_and_names_are_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b/2.log", "b/10.log", "a/x.log", "c.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SUMMARY)
    reading = read(".")
    assert reading.runs.source_file.tolist() == ["./a/x.log", "./b/10.log", "./b/2.log", "./c.log"]
    assert read("b/").runs.source_file.tolist() == ["b/10.log", "b/2.log"]
    assert read(["c.log", "a"]).runs.source_file.tolist() == ["c.log", "a/x.log"]


def names_and_reasons(folder):
    """What is read of a folder, and what is said of the rest, by the name within it."""
    found = {os.path.relpath(name, folder): file for name, file in find(folder)}
    read_ones = sorted(name for name, file in found.items() if isinstance(file, File))
    return read_ones, {name: str(file) for name, file in sorted(found.items()) if isinstance(file, OSError)}


def test_a_pipe_that_is_named_is_read_and_one_in_a_folder_is_listed(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert names_and_reasons(tmp_path) == ([], {"pipe": "a named pipe"})
    assert list(find(tmp_path / "pipe")) == [(str(tmp_path / "pipe"), File(str(tmp_path / "pipe")))]


def test_what_is_no_file_of_the_folder_is_listed_and_the_rest_is_read(tmp_path):
    folder, outside = tmp_path / "sent", tmp_path / "private"
    (folder / "host").mkdir(parents=True)
    outside.mkdir()
    (outside / "key").write_text("secret")
    (folder / "a.log").write_text(SUMMARY)
    for name, target in {
        "device": "/dev/zero",
        "key": "../private/key",
        "gone": "../private/gone",
        "key2": str(outside / "key"),
        "kmsg": "/proc/kmsg",
        "pagemap": "/proc/self/pagemap",
        "self": "self",
        "sys": "/sys",
        "through": "host/../../private",
        "host/up": "..",
        "host/b.log": "../a.log",
        "again": "host",
        "again2": "host",
    }.items():
        (folder / name).symlink_to(target)
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(str(folder / "socket"))
    leads_out = "a link that leads out of the folder (it is read where you name it yourself)"
    known = "a link to a folder that is read under another name"
    assert names_and_reasons(folder) == (
        ["a.log", "again/b.log", "host/b.log"],
        {
            "again/up": "a folder that contains itself through a link",
            "again2": known,
            **dict.fromkeys(["device", "gone"], leads_out),
            "host/up": "a folder that contains itself through a link",
            **dict.fromkeys(["key", "key2", "kmsg", "pagemap"], leads_out),
            "self": "[Errno 40] Too many levels of symbolic links: '" + str(folder / "self") + "'",
            "socket": "a socket",
            **dict.fromkeys(["sys", "through"], leads_out),
        },
    )
    assert read(folder).runs.source_file.nunique() == 3


def test_temporary_folders_of_a_living_process_are_left_out_and_only_these(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "hecn-kernel-abandone").mkdir()
    (tmp_path / "hecn-kernel-abandone" / "a.log").write_text("a")
    (tmp_path / "hecn-logs").mkdir()
    (tmp_path / "hecn-logs" / "b.log").write_text("b")
    with private_folder("report") as private:
        (private / "notes").write_text("ours")
        assert [Path(name).name for name, _ in find(tmp_path)] == ["a.log", "b.log"]
        assert [Path(name).name for name, _ in find(private)] == ["notes"]  # named by the user


def test_links_that_the_user_names_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.log").write_text(SUMMARY)
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "file").symlink_to("real/a.log")
    for name in ("folder", "file"):
        assert len(read(tmp_path / name).runs) == 1


def test_folders_that_link_to_each_other_are_read_in_a_moment(tmp_path):
    for number in range(40):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "x.log").write_text(SUMMARY)
        for name in "ab":
            (tmp_path / f"{number:02}" / name).symlink_to(f"../{number + 1:02}")
    read_ones, reasons = names_and_reasons(tmp_path)
    assert 40 <= len(read_ones) <= 80
    assert set(reasons.values()) >= {"a link to a folder that is read under another name"}


@pytest.mark.parametrize(
    ("replace", "reason"),
    [
        (os.mkfifo, "a named pipe"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"),
        (lambda path: path.symlink_to("../other"), "a link that leads out of the folder"),
    ],
)
def test_what_takes_the_place_of_a_file_that_was_found_is_not_read(tmp_path, replace, reason):
    (tmp_path / "other").write_text(SUMMARY)
    (tmp_path / "sent").mkdir()
    path = tmp_path / "sent" / "a.log"
    path.write_text(SUMMARY)
    [(name, file)] = find(tmp_path / "sent")
    path.unlink()
    replace(path)
    [source] = map(Source, packed.texts(name, file, streams.FREE_BY_LINES))
    assert list(source.lines()) == []
    [(kind, message)] = source.problems
    assert kind == "unreadable"
    assert message.startswith(f"found {reason}")


@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="Linux")
def test_files_of_the_kernel_are_read_where_they_are_named_and_only_so_far(tmp_path, monkeypatch):
    assert next(Source(Path("/proc/self/status")).lines()).text.startswith("Name:")
    monkeypatch.setattr(opening, "_LARGEST_OF_KERNEL", 1 << 20)
    source = Source(Path("/proc/self/pagemap"))
    assert sum(len(line.text) for line in source.lines()) <= 1 << 20
    assert source.problems == [
        ("unreadable", "found more than 1.05 MB, expected at most that; the rest is left out"),
    ]
    system = opening.check_file_system
    with pytest.raises(OSError, match=r"the kernel \(proc\)"):
        system(Path("/proc/self/status").stat(), str(tmp_path))
    system(Path("/proc/self/status").stat(), "/proc/self")


def sparse(path, *parts):
    """Write a file of texts, each at its place; give it as it is read, and what is said of it."""
    with path.open("wb") as stream:
        for at, text in parts:
            stream.seek(at)
            stream.write(text)
    if path.stat().st_blocks * 512 >= path.stat().st_size:
        pytest.skip("a file system without holes")
    source = Source(path)
    return [(line.number, line.text) for line in source.lines()], source.problems


def test_a_sparse_file_is_read_by_its_data(tmp_path):
    found, problems = sparse(tmp_path / "a.log", (1 << 38, SUMMARY.encode()), (1 << 40, b""), ((1 << 40) - 1, b"\n"))
    assert found[0] == (1, SUMMARY[:-1])
    assert [kind for kind, _ in problems] == ["unreadable"]
    assert problems[0][1].startswith("found holes of 1.10 TB in a sparse file")
    assert read(tmp_path / "a.log").runs.throughput_bps.tolist() == [9898.5376e6]


def test_a_hole_never_joins_two_numbers(tmp_path):
    found, _ = sparse(tmp_path / "a.log", (4096 - 2, b"12"), (1 << 30, b"34\n"))
    assert found[0][1].endswith("12\x0034")


def test_holes_of_an_archive_are_its_zeros(tmp_path):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, size in (("zeros", 8 << 20), ("a.log", len(SUMMARY))):
            header = tarfile.TarInfo(name)
            header.size = size
            archive.addfile(header, io.BytesIO(b"\0" * size if name == "zeros" else SUMMARY.encode()))
    data = content.getvalue()
    with (tmp_path / "a.tar").open("wb") as stream:
        for at in range(0, len(data), 4096):
            if any(data[at : at + 4096]):
                stream.seek(at)
                stream.write(data[at : at + 4096])
        stream.truncate(len(data))
    reading = read(tmp_path / "a.tar")
    assert reading.runs.source_file.tolist() == [f"{tmp_path / 'a.tar'}!a.log"]
    assert reading.runs.content_hash.tolist() == [hashlib.sha256(SUMMARY.encode()).hexdigest()]


def test_an_endless_pipe_ends_at_its_bound(monkeypatch):
    monkeypatch.setattr(opening, "_LARGEST", 1 << 22)
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        reading = read(f"/dev/fd/{endless.stdout.fileno()}")
        endless.stdout.close()
    assert "found more than 4.19 MB" in reading.problems.message[0]


def test_lines_taken_in_bulk_are_marked_as_when_they_come_one_by_one():
    texts = [str(number % 7) * (number % 5) for number in range(1000)]
    reading, bulk = (Lines.of("\n".join([*texts, ""])) for _ in range(2))
    assert bulk.marked(["a"], [3]) == [Line(3, "a")]
    for lines_ in (reading, bulk):
        lines_.mark(lambda some: [len(text) for text in some])
    assert bulk.marked(texts, range(1, 1001)) == list(reading)
