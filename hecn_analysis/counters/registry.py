"""The readers, which are the modules beside this one that name formats, and which of them reads a file.

What a file is shows in what it holds, never in its name. The first reader that knows a file as a whole reads it alone;
otherwise all readers that find something of theirs in it do, for a file may hold the output of several commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from hecn_analysis.base.modules import modules_of
from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import Document, Findings, Reader

READERS: Final = tuple(cast("Reader", module) for module in modules_of(__package__) if hasattr(module, "FORMATS"))
"""Modules beside this one that name their formats, by name; no result depends on the order."""


def readers_of(document: Document, readers: Sequence[Reader] = READERS) -> list[Reader]:
    r"""Readers that a file is for.

    Parameters
    ----------
    document
        The file.
    readers
        The readers to ask.

    Returns
    -------
    list of Reader
        The one that knows the file as a whole, or those that find something of theirs in it.

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Document
    >>> document = Document("walk.txt", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n")
    >>> [reader.FORMATS[0] for reader in readers_of(document)]
    ['snmpwalk']
    """
    for reader in readers:
        if reader.WHOLE and reader.recognises(document):
            return [reader]
    return [reader for reader in readers if not reader.WHOLE and reader.recognises(document)]


def read(document: Document, clock: Clock, readers: Sequence[Reader] = READERS) -> list[Findings]:
    r"""Read one file: what each of its readers found, not checked yet.

    A file with local times that come twice, or not at all, is read again once they are made out (see `clock`). Where no
    reader knows it as it is, it is read without the marks and margins of mail and pages.

    Parameters
    ----------
    document
        The file.
    clock
        Makes UTC of local times.
    readers
        The readers to ask.

    Returns
    -------
    list of Findings
        For each reader one.

    Examples
    --------
    >>> from hecn_analysis.counters.contract import Document
    >>> document = Document("walk.txt", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n")
    >>> [one.format for one in read(document, Clock())]
    ['snmpwalk']
    """
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
