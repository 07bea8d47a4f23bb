"""Whole files."""

import gzip
import hashlib
import zipfile

from hecn_analysis.files.documents import documents


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
    (found,) = documents(tmp_path / "none.txt")
    assert found.content == b""
    assert found.problems == (("unreadable", "found no such file or directory, expected a file that can be read"),)
