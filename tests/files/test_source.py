"""Opening, decoding and finding files."""

import hashlib
import os

import pytest

from hecn_analysis.files.source import Source, find
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


def test_a_pipe_that_is_named_is_read_and_one_in_a_folder_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert list(find(tmp_path)) == []
    assert list(find(tmp_path / "pipe")) == [(str(tmp_path / "pipe"), tmp_path / "pipe")]
