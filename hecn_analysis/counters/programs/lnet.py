"""``lnetctl stats show``: what the network of Lustre sent and received since it was configured.

Versions: Lustre 2.7 to 2.16.

Units and traps
---------------
- Lengths are bytes of messages, counts are messages of up to 1 MiB, not packets on the line.
- The counters are those of all networks of the host together; ``reset`` sets them to 0. There are no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter

FORMATS: Final = ("lnetctl-stats",)
VERSIONS: Final = "Lustre 2.7 to 2.16"
WHOLE: Final = False

_FIELD: Final = re.compile(r"[ \t]{1,12}(?P<name>[a-z_]{3,40}):[ \t]{1,8}(?P<value>\d{1,20})[ \t]*$")
_MOST: Final = 60  # counters of a listing
_COLUMNS: Final = {"recv_length": "in_octets", "send_length": "out_octets"}


def recognises(document: Document) -> bool:
    """Whether lengths of messages are among the statistics."""
    return "statistics:" in document.text and any(
        _COLUMNS.keys() <= counted.keys() for _, counted in _listings(document)
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read each listing: a sample of all networks together, and the other counters as facts."""
    findings.format = "lnetctl-stats"
    for line, counted in _listings(document):
        octets = {column: counted.pop(name) for name, column in _COLUMNS.items() if name in counted}
        if octets:
            findings.sample(interface="lnet", line=line, counter_bits=64, **octets)
            findings.facts.update(counted)


def _listings(document: Document) -> Iterator[tuple[int, dict[str, int]]]:
    """The counters below each line of "statistics:", with the number of that line."""
    lines = document.lines
    for place, text in enumerate(lines):
        if text.strip() == "statistics:":
            fields = takewhile(bool, map(_FIELD.match, islice(lines, place + 1, place + _MOST)))
            yield place + 1, {field["name"]: counter(field["value"]) for field in fields if field is not None}
