"""nfsstat of Linux: calls of clients and servers of NFS since the start of the host, and what had to be sent again.

Versions: nfs-utils 1.0 to 2.8, in any choice of tables except that of ``-l``.

Units and traps
---------------
- All counters are facts: there are no ports, and no times. "retrans" are calls that a client sent again.
- A table is a line of names and a line of figures below it; those of operations have their share in percent.
- ``-m`` lists mounts and counts nothing.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import counter

FORMATS: Final = ("nfsstat",)
VERSIONS: Final = "nfs-utils 1.0 to 2.8"
WHOLE: Final = False

_TITLE: Final = re.compile(r"^[ \t]{0,8}(?P<side>Client|Server) (?P<what>rpc stats|nfs v[2-4]):[ \t]*$", re.MULTILINE)
_NAMES: Final = re.compile(r"\s{0,8}[a-z][a-z0-9_]{1,20}(?:\s{1,24}[a-z][a-z0-9_]{1,20}){0,8}\s*")
_FIGURE: Final = re.compile(r"(\d{1,20})(?:\s{1,12}\d{1,3}%)?")
_OF_FIGURES: Final = frozenset("0123456789% \t")


def recognises(document: Document) -> bool:
    """Whether the title of a table is in the file."""
    return _TITLE.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the tables of each side; the last of each name counts."""
    findings.format = "nfsstat"
    sides: dict[str, dict[str, dict[str, int]]] = {}
    table: dict[str, int] | None = None
    names: list[str] | None = None
    for line, text in enumerate(document.lines, 1):
        if title := _TITLE.match(text):
            what = "rpc" if title["what"] == "rpc stats" else title["what"].replace(" ", "_")
            table = sides.setdefault(title["side"].lower(), {}).setdefault(what, {})
            names = None
        elif table is None or not text.strip():
            names = None
        elif names is None:
            names = text.split() if _NAMES.fullmatch(text[:400]) else None
            table = table if names is not None else None  # another output
        elif not text.strip()[:1].isdigit():
            table = None
        else:
            figures = _FIGURE.findall(text) if _OF_FIGURES.issuperset(text) else []
            if len(figures) == len(names):
                table.update(zip(names, map(counter, figures), strict=True))
            else:
                expected = f"figures of {', '.join(names)}"
                findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected {expected}; left out")
            names = None
    findings.facts.update(sides)
