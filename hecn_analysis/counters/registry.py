"""The readers of counters, and which of them reads a file.

What a file is shows in what it holds, never in its name. The first reader that knows a file as a whole reads it alone;
otherwise all readers that find something of theirs in it do, for a file may hold the output of several commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import Findings, Reader
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.readers import find_readers

READERS: Final[tuple[Reader, ...]] = tuple(find_readers(__package__, "FORMATS"))


def readers_of(document: Document, readers: Sequence[Reader] = READERS) -> list[Reader]:
    r"""Readers that a file is for."""
    for reader in readers:
        if reader.WHOLE and reader.recognises(document):
            return [reader]
    return [reader for reader in readers if not reader.WHOLE and reader.recognises(document)]


def recognises(document: Document) -> bool:
    r"""Whether a file holds counters that a reader knows.

    Parameters
    ----------
    document
        The file.

    Returns
    -------
    bool
        Whether one of the `READERS` knows something in it.

    Examples
    --------
    >>> walk = b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n"
    >>> recognises(Document("a", walk)), recognises(Document("b", b"hello\n"))
    (True, False)
    """
    return bool(readers_of(document))


def read(document: Document, clock: Clock, readers: Sequence[Reader] = READERS) -> list[Findings]:
    """Read one file: what each of its readers found, not checked yet."""
    found = readers_of(document, readers)
    if not found:
        for plain in document.unpasted():
            if found := readers_of(plain, readers):
                document = plain
                break
    result = []
    for reader in found:
        findings = Findings(document.source_file, clock)
        reader.read(document, findings)
        if not findings.times.certain:
            findings = Findings(document.source_file, clock, times=findings.times.made_out())
            reader.read(document, findings)
            findings.tell_doubtful_times()
        result.append(findings)
    return result
