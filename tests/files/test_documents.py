"""Whole files."""

import gzip
import hashlib
import tracemalloc
import zipfile

from hecn_analysis.files import documents as module
from hecn_analysis.files import packed, streams
from hecn_analysis.files.documents import Keeper, documents
from hecn_analysis.files.opening import File


def test_a_folder_gives_its_files_in_order_unpacked_with_their_names_and_hashes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "walk.txt").write_text("IF-MIB\r\n", newline="")
    packed = gzip.compress(b"traffic")
    (tmp_path / "b" / "a.log.gz").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "b" / "z.zip", "w") as archive:
        archive.writestr("../in.txt", "inside")
    found = list(documents("b"))
    assert [(one.source_file, one.text) for one in found] == [
        ("b/a.log.gz", "traffic"),
        ("b/walk.txt", "IF-MIB\n"),
        ("b/z.zip!../in.txt", "inside"),
    ]
    assert found[0].content_hash == hashlib.sha256(packed).hexdigest()
    assert found[1].lines == ["IF-MIB", ""]


def test_a_file_that_is_not_there_is_a_document_that_says_so(tmp_path):
    (found,) = documents([tmp_path / "none.txt"])
    assert found.content == b""
    assert found.problems == (("unreadable", "found no such file or directory, expected a file that can be read"),)


def test_lines_are_counted_and_a_file_ends_with_a_whole_one(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOST_LINES", 250_000)
    content = b"12345\n" * 400_000
    (tmp_path / "a").write_bytes(content)
    (found,) = documents(tmp_path / "a")
    assert content.startswith(found.content)
    assert found.content.endswith(b"\n")
    assert 170_000 < len(found.lines) <= 250_001
    said = "found 400000 lines, expected at most 250000; the rest is left out; cut the file, and give its parts"
    assert found.problems == (("unreadable", said),)


def test_a_compressed_file_that_grows_too_much_ends_with_a_whole_line(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "FREE_WHOLE", 3_000_000)
    (tmp_path / "a").write_bytes(gzip.compress(b"12345\n" * 1_000_000))
    (found,) = documents(tmp_path / "a")
    assert 1_000_000 < len(found.content) <= 3_000_000
    assert found.content.endswith(b"\n12345\n")
    assert len(found.problems) == 1


def test_a_long_text_is_given_up_where_its_beginning_is_not_known(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOKED_AT", 1 << 20)
    asked = []

    def knows(document):
        asked.append(document)
        return b"walk" in document.content

    (tmp_path / "a.log").write_bytes(b"12345\n" * 400_000)
    (tmp_path / "b.walk").write_bytes(b"walk\n" + b"12345\n" * 400_000)
    (tmp_path / "c.json").write_bytes(b'\n {"a": [' + b"12345,\n" * 400_000 + b"1]}")
    (tmp_path / "d.log").write_bytes(b"12345\n")
    found = list(documents(tmp_path, knows=knows))
    assert [len(each.content) for each in found] == [0, 2_400_005, 2_800_012, 6]
    assert found[0].problems == (
        ("unrecognised", "found nothing that a reader knows in the first 1.05 MB; the rest is not looked at"),
    )
    assert [each.problems for each in found[1:]] == [(), (), ()]
    assert [len(each.content) <= 1 << 20 and each.content.endswith(b"\n") for each in asked] == [True, True]


def test_every_member_of_an_archive_is_given_up_for_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOKED_AT", 1 << 20)
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("a", b"12345\n" * 400_000)
        archive.writestr("b", b"walk\n")
    found = list(documents(tmp_path / "z.zip", knows=lambda _: False))
    assert [(each.source_file.partition("!")[2], each.content) for each in found] == [("a", b""), ("b", b"walk\n")]


def test_a_long_text_passes_without_being_kept_where_no_reader_knows_it(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOKED_AT", 1 << 20)
    (tmp_path / "a.log").write_bytes(b"12345\n" * 8_000_000)
    (content,) = packed.contents("a.log", File(str(tmp_path / "a.log")), streams.FREE_BY_LINES)
    keeper = Keeper(content, [lambda _: False, lambda _: False])
    tracemalloc.start()
    assert sum(map(len, keeper.pieces())) == 48_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6
    assert [(each.content, each.problems[0][0]) for each in keeper.documents()] == [(b"", "unrecognised")] * 2


def test_readers_that_know_the_beginning_get_a_long_text_and_the_others_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOKED_AT", 1 << 20)
    (tmp_path / "a.walk").write_bytes(b"walk\n" * 500_000)
    (content,) = packed.contents("a.walk", File(str(tmp_path / "a.walk")), streams.FREE_BY_LINES)
    keeper = Keeper(content, [lambda document: document.text.startswith("walk"), lambda _: False])
    streams.finish(keeper.pieces())
    assert [len(each.content) for each in keeper.documents()] == [2_500_000, 0]
