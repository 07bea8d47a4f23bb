"""How many files copies moved."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.copies import find


@pytest.mark.parametrize(
    ("text", "count", "line"),
    [
        ("Number of files: 43,812\nNumber of regular files transferred: 42,007\n", 42_007, 2),
        ("Number of files transferred: 48211\n", 48_211, 1),
        ("Transferred:   \t  1.2 GiB / 1.2 GiB, 100%\nTransferred:        51234 / 51234, 100%\n", 51_234, 2),
        ("    Dirs :        12        12         0\n   Files :     42007     42000         7\n", 42_000, 2),
        ("  Dateien :     42007     42000         7         0\n", 42_000, 1),
        ("Operation completed over 5100 objects/1.3 GiB.\n", 5100, 1),
        ("$ find . -type f | wc -l\n51234\n", 51_234, 2),
        ("$ du -sh . ; find . -type f | wc -l\n1.3G\t.\n51234\n", 51_234, 3),
    ],
)
def test_files_that_were_copied(text, count, line):
    (found,) = find(Document("a.txt", text.encode()))
    assert (found.name, found.value, found.line) == ("files.count", count, line)


@pytest.mark.parametrize(
    "text",
    [
        "Transferred:   1.2 GiB / 1.2 GiB, 100%\n",
        "$ cat a | wc -l\n7\n",
        "$ find . | wc -l\nno such\n",
        "Files : none\n",
    ],
)
def test_what_is_no_count_of_files(text):
    assert not list(find(Document("a.txt", text.encode())))
