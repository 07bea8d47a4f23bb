"""Reports of vmstat on AIX: free memory, pages moved to and from paging space, and processors, as facts.

Versions: AIX 4.3 to 7.3 without options and with ``-w`` and ``-t``; ``-I``, which has other columns, is not read.

Units and traps
---------------
- Memory is counted in pages of 4096 bytes. "pi" and "po" are pages per second from and to paging space.
- The first row is the average since the host started.
- In shared partitions "id" is a share of what the partition may use; "pc" is the number of processors consumed.
- With -t the clock at the end of a row has no date and is left out.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("vmstat-aix",)
VERSIONS: Final = "AIX 4.3 to 7.3"
WHOLE: Final = False

_COLUMNS: Final = re.compile(
    r"^[ \t]{0,40}r\s{1,20}b\s{1,20}avm\s{1,20}fre\s{1,20}re\s{1,20}pi\s{1,20}po\s{1,20}fr\s{1,20}sr\s{1,20}cy\s{1,20}"
    r"in\s{1,20}sy\s{1,20}cs\s{1,20}us\s{1,20}sy\s{1,20}id\s{1,20}wa"
    r"(?:\s{1,20}pc\s{1,20}ec)?(?:\s{1,20}hr mi se)?\s{0,20}$",
    re.MULTILINE,
)
_NAMES: Final = "r b avm fre re pi po fr sr cy in calls cs us sy id wa pc ec".split()  # noqa: SIM905 - as AIX prints them
_FEWEST: Final = 17
_PAGE_BYTES: Final = 4096


def recognises(document: Document) -> bool:
    """Whether the heads of the columns are in the file."""
    return " avm" in document.text and _COLUMNS.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read all rows."""
    findings.format = "vmstat-aix"
    n_columns = 0
    rows: list[dict[str, float]] = []
    for line, text in enumerate(document.lines, 1):
        words = text.split()
        if _COLUMNS.match(text):
            n_columns = len(_NAMES) if "pc" in words else _FEWEST
            continue
        figures = [number(word) for word in words[:n_columns]]
        known = [figure for figure in figures if figure is not None]
        if n_columns and len(known) == n_columns:
            rows.append(dict(zip(_NAMES, known, strict=False)))
        elif len(known) * 2 > n_columns > 0:
            expected = f"{n_columns} figures"
            findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected {expected}; left out")
    findings.facts["n_samples"] = len(rows)
    if rows:
        findings.facts.update(_facts(rows))


def _facts(rows: list[dict[str, float]]) -> dict[str, Any]:
    idle = [row["id"] / 100 for row in rows]
    facts: dict[str, Any] = {
        "mem": {"free_bytes": _PAGE_BYTES * int(rows[0]["fre"])},
        "paging": {
            "in_pages_per_s": [row["pi"] for row in rows],
            "out_pages_per_s": [row["po"] for row in rows],
            "page_bytes": _PAGE_BYTES,
        },
        "cpu": {"idle_fraction": idle, "idle_fraction_first": idle[0], "idle_fraction_last": idle[-1]},
    }
    if "pc" in rows[0]:
        facts["cpu"]["processors_used"] = [row["pc"] for row in rows]
    return facts
