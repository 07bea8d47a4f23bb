"""Datagrams of UDP that a host dropped because a socket had no room for them, in ``netstat -s``, nstat and snmp files.

The counters count since the host came up, those of ``nstat`` since its last call: of several outputs in a file, the
first and the last are stated, so that their difference tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_COUNT: Final = re.compile(
    r"^\s{0,16}(?P<linux>\d{1,15}) receive buffer errors\s{0,8}$"
    r"|^\s{0,16}(?P<bsd>\d{1,15}) dropped due to full socket buffers\b"
    r"|^\s{0,16}Udp6?RcvbufErrors\s{1,40}(?P<nstat>\d{1,15})\b"
    r"|^\s{0,16}(?:Udp6?)?RcvbufErrors: {1,20}(?P<labelled>\d{1,15})\b"
)
#: The two lines of /proc/net/snmp: names, then numbers.
_NAMES: Final = re.compile(r"^Udp:(?: [A-Z]\w{1,30}){1,20}\s{0,4}$")
_COLUMN: Final = "RcvbufErrors"


def find(document: Document) -> Iterator[Statement]:
    """Find the datagrams for which a socket had no room."""
    text = document.text
    if _COLUMN not in text and "buffer" not in text:
        return
    counts = list(_counts(document))
    for number, count in counts if len(counts) < 2 else (counts[0], counts[-1]):
        says, end = document.lines[number - 1].strip()[:300], end_of(document.source_file)
        yield Statement("udp.unread", count, document.source_file, number, says, end)


def _counts(document: Document) -> Iterator[tuple[int, float]]:
    """Yield the number of each line with a count, and the count."""
    columns: list[str] = []
    for number, text in enumerate(document.lines, 1):
        if len(text) > 400:
            continue
        if "uf" in text and (match := _COUNT.match(text)) is not None:
            yield number, float(next(group for group in match.groups() if group is not None))
        elif text.startswith("Udp:"):
            if _NAMES.match(text) is not None:
                columns = text.split()
                continue
            values = text.split()
            if _COLUMN in columns and len(values) == len(columns) and values[columns.index(_COLUMN)].isdecimal():
                yield number, float(values[columns.index(_COLUMN)])
            columns = []
