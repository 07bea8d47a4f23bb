"""What gstat prints: how busy the disks of a FreeBSD host are, by GEOM.

Versions: gstat of FreeBSD 7 to 15 with -b, -d, -o and -s, or copied from its screen; gstat-rs 0.1.

Units and traps
---------------
- kBps are 1024 bytes a second, ms/r and ms/w the mean time of a request. They follow the column of their direction.
- There is no report since the start: each one is of its interval.
- The screen has a bar between %busy and the name.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import lines_with_ends
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("gstat",)
VERSIONS: Final = "FreeBSD 7 to 15, gstat-rs 0.1"
WHOLE: Final = False

_HEADING: Final = re.compile(
    r"^[ \t]{0,20}(?P<heads>L\(q\)\s{1,8}ops/s\s{1,8}r/s\s.{10,160}?%busy)\s{1,8}Name\s{0,20}$", re.MULTILINE
)
_WAYS: Final = {"r/s": "read", "w/s": "write", "d/s": "delete", "o/s": "other"}
_RATES: Final = frozenset({"kBps", "kB/s"})
_NAMES: Final = {"L(q)": "queue", "ops/s": "transfers_per_s"}
_PEAKS: Final = ("read_bps", "write_bps")


def recognises(document: Document) -> bool:
    """Whether the heads of the columns are in the file."""
    return "L(q)" in document.text and _HEADING.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report of each disk, and its largest rates."""
    findings.format = "gstat"
    fields: list[tuple[str, float] | None] = []
    disks: dict[str, list[dict[str, Any]]] = {}
    for line, text in enumerate(lines_with_ends(document, findings), 1):
        if heading := _HEADING.match(text):
            fields = _fields(heading["heads"])
            continue
        words = text.replace("|", " ").split()
        if not fields or not words or words[0] == "dT:":
            continue
        figures = [number(word) for word in words[: len(fields)]]
        if None in figures or len(words) != len(fields) + 1:
            if sum(figure is not None for figure in figures) * 2 > len(fields):
                expected = f"{len(fields)} figures and the name of a disk"
                findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected {expected}; left out")
            else:
                fields = []
            continue
        row = {
            field[0]: field[1] * figure
            for field, figure in zip(fields, figures, strict=True)
            if field is not None and figure is not None
        }
        disks.setdefault(words[-1], []).append({"name": words[-1], **row})
    facts = [
        {
            **reports[-1],
            **{f"max_{rate}": max(each.get(rate, 0.0) for each in reports) for rate in _PEAKS},
            "n": len(reports),
        }
        for reports in disks.values()
    ]
    findings.facts.update(devices=facts, n_samples=max(map(len, disks.values()), default=0))


def _fields(heads: str) -> list[tuple[str, float] | None]:
    """The name and the factor of each column; None for a column that is left out."""
    fields: list[tuple[str, float] | None] = []
    way = ""
    for head in re.sub(r"(kB/s) [rwd](?=\s)", r"\1", heads).split():
        way = _WAYS.get(head, way)
        if head in _WAYS:
            fields.append((f"{way}s_per_s", 1.0))
        elif head in _RATES:
            fields.append((f"{way}_bps", 8192.0))
        elif head.startswith("ms/"):
            fields.append((f"{way}_await_s", 1e-3))
        elif head == "%busy":
            fields.append(("util_fraction", 0.01))
        else:
            fields.append((_NAMES[head], 1.0) if head in _NAMES else None)
    return fields
