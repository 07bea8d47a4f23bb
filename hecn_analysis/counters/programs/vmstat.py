"""Reports of vmstat: memory, blocks of disks, processors. There are no interfaces in them, all is facts.

Versions: procps 3.2 and procps-ng to 4.0: ``-a``, ``-w``, ``-t``, ``-n``.

Units and traps
---------------
- Memory is KiB unless -S says otherwise, which the output does not tell; blocks are 1024 bytes.
- The first row is the average since the host started.
- With -t a local time stands at the end of the row, and its zone in the heading. Without it there are no times.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import moments, zoned_time
from hecn_analysis.files.documents import Document

FORMATS: Final = ("vmstat",)
VERSIONS: Final = "procps 3.2 to 4.0"
WHOLE: Final = False

_GROUPS: Final = re.compile(r"^(?:-{1,8}time-{1,8} )?-*procs-* -+memory-+ -+swap-+ -+io-+", re.MULTILINE)
_COLUMNS: Final = re.compile(
    r"^\s*r\s+b\s+swpd\s+free\s+(?:buff|inact)\s+(?:cache|active)\s+si\s+so\s+bi\s+bo\s+in\s+cs\s.*$"
)
_CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d {1,4}(?=\d)")  # in front, from a collector; its date stands elsewhere
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$")


def recognises(document: Document) -> bool:
    """Whether the headings are in the file."""
    return bool(_GROUPS.search(document.text)) and any(_COLUMNS.match(line) for line in document.lines)


def read(document: Document, findings: CounterFindings) -> None:
    """Read all rows."""
    findings.format = "vmstat"
    columns: list[str] = []
    zone: str | None = None
    rows: list[dict[str, int]] = []
    stamps: list[datetime] = []
    times: list[float | None] = []
    for line, text in enumerate(document.lines, 1):
        if _COLUMNS.match(text):
            columns = text.split()
            zone = columns.pop() if columns[-1].isupper() and columns[-1].isalpha() else zone
            continue
        stamp = _STAMP.search(text)
        clock = _CLOCK.match(text)
        words = text[clock.end() if clock else 0 : stamp.start() if stamp else len(text)].split()
        if not columns or len(words) < 16 or not all(re.fullmatch(r"-?\d{1,20}", word) for word in words):
            continue
        rows.append(dict(zip(columns, map(int, words), strict=False)))
        if stamp is None:
            continue
        try:
            local = datetime.fromisoformat(f"{stamp[1]} {stamp[2]}")
        except ValueError:
            findings.problem(line, "malformed", f"found time {stamp[0]!r}, expected a date and a time; left out")
            continue
        stamps.append(local)
        times.append(zoned_time(findings, line, local, zone or "", or_local=True))
    findings.facts.update(moments(times))
    findings.facts["n_samples"] = len(rows)
    if stamps:
        findings.facts.update(
            time_zone=zone, first_time_local=stamps[0].isoformat(), last_time_local=stamps[-1].isoformat()
        )
    if rows:
        findings.facts.update(_facts(rows))


def _facts(rows: list[dict[str, int]]) -> dict[str, Any]:
    first, last = rows[0], rows[-1]
    memory = {
        name: 1024 * first[column]
        for name, column in (
            ("free_bytes", "free"), ("buffers_bytes", "buff"), ("cache_bytes", "cache"), ("inactive_bytes", "inact"),
            ("active_bytes", "active"),
        )
        if column in first
    }  # fmt: skip
    if "active" in last:
        memory["active_bytes_last"] = 1024 * last["active"]
    idle = [row["id"] / 100 for row in rows if "id" in row]
    facts: dict[str, Any] = {
        "mem": memory,
        "io": {
            "blocks_in_per_s": [row["bi"] for row in rows],
            "blocks_out_per_s": [row["bo"] for row in rows],
            "unit_bytes": 1024,
        },
    }
    if idle:
        facts["cpu"] = {"idle_fraction": idle, "idle_fraction_first": idle[0], "idle_fraction_last": idle[-1]}
    return facts
