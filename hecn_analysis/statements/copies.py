"""Copies: the number of files (rsync, rclone, robocopy, gsutil, ``find | wc -l``), and of transfers at once.

rsync counts files that it checked, created and transferred; only the last took requests. robocopy prints total, copied,
skipped, …, in the language of Windows; files follow directories. rclone prints amounts and files on lines that begin
alike; only files have no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_COUNT: Final = r"(?P<count>\d{1,3}(?:[,.]\d{3}){1,3}|\d{1,12})"
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        rf"^\s{{0,4}}Number of (?:regular )?files transferred: {_COUNT}\b",
        rf"^\s{{0,4}}Transferred: {{1,12}}{_COUNT} / \d[\d,]{{0,15}}, \d{{1,3}}%",
        rf"^\s{{0,8}}(?:Files|Dateien|Fichiers|Archivos|File|Bestanden) ?: {{1,12}}\d{{1,12}} {{1,12}}{_COUNT} ",
        rf"Operation completed over {_COUNT} objects",
    )
)
_WORDS: Final = (
    "files transferred:",
    "Transferred:",
    "Files :",
    "Dateien",
    "Fichiers",
    "Archivos",
    "File :",
    " objects",
)
#: Options and settings of rclone, the AWS command line, AzCopy and s5cmd for the number of transfers at once.
_AT_ONCE: Final = re.compile(
    r"(?:--transfers|max_concurrent_requests|AZCOPY_CONCURRENCY_VALUE|--numworkers)(?: ?= ?| {1,4})(?P<count>\d{1,4})\b"
)
_SETTINGS: Final = ("--transfers", "max_concurrent_requests", "AZCOPY_CONCURRENCY_VALUE", "--numworkers")
_FIND: Final = re.compile(r"\bfind .{1,300}\| {0,3}wc -l\s{0,9}$")


def find(document: Document) -> Iterator[Statement]:
    """Find the number of copied files, and that of transfers at once."""
    yield from _at_once(document)
    text = document.text
    if not any(word in text for word in _WORDS) and "wc -l" not in text:
        return
    is_counted = False
    for number, line in enumerate(document.lines, 1):
        if len(line) > 2000:
            continue
        match = next((hit for form in _FORMS if (hit := form.search(line)) is not None), None)
        count = match["count"] if match is not None else line.strip() if is_counted else ""
        is_counted = _FIND.search(line) is not None or (is_counted and "\t" in line)  # of du before it
        plain = count.replace(",", "").replace(".", "")
        if plain.isdecimal() and len(plain) <= 12:
            end = end_of(document.source_file)
            yield Statement("files.count", float(plain), document.source_file, number, line.strip()[:300], end)


def _at_once(document: Document) -> Iterator[Statement]:
    """State the number of transfers that a command or a setting asks for."""
    if not any(word in document.text for word in _SETTINGS):
        return
    for number, line in enumerate(document.lines, 1):
        if len(line) <= 2000 and (match := _AT_ONCE.search(line)) is not None:
            says, end = line.strip()[:300], end_of(document.source_file)
            yield Statement("asked.transfers", float(match["count"]), document.source_file, number, says, end)
