"""Output of turbostat: how busy processors are, and how fast they run. There are no interfaces in it, all is facts.

Versions: Linux 3.12 to 6.x; any choice of columns with ``Busy%`` and ``Bzy_MHz``. The last report counts.

Units and traps
---------------
- "Busy%" is the share of the time in which a processor was not idle, and ran at "Bzy_MHz"; "Avg_MHz" is the product.
- The row with "-" is that of all processors. Columns are found by their heads, for hosts and versions have others.
- Rows of a package or a core have cells that those of their other threads lack, at the right: these are left out.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import lines_with_ends
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("turbostat",)
VERSIONS: Final = "Linux 3.12 to 6.x"
WHOLE: Final = False

_HEADING: Final = re.compile(r"^\s{0,8}(?:\S{1,24}\s{1,8}){0,12}?(?:Busy%|%Busy)\s(?:.{0,2000}\s)?Bzy_MHz(?:\s|$)")
_PLACES: Final = frozenset({"Package", "Die", "Node", "Core", "CPU", "APIC", "X2APIC", "L3"})
_ALL: Final = "-"
_MOST: Final = 101.0  # % of a processor, with what its clocks differ by


def recognises(document: Document) -> bool:
    """Whether the heads of the columns are in the file."""
    return "Bzy_MHz" in document.text and any(map(_HEADING.match, document.lines))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report."""
    findings.format = "turbostat"
    heads: list[str] = []
    total: dict[str, Any] = {}
    cpus: dict[str, dict[str, Any]] = {}
    for line, text in enumerate(lines_with_ends(document, findings), 1):
        words = text.split()
        if _HEADING.match(text):
            heads = words
        elif heads and len(words) > heads.index("Bzy_MHz"):
            row = dict(zip(heads, words, strict=False))
            figures = _figures(row)
            if figures is None:
                findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected figures; left out")
            elif row.get("CPU", _ALL) == _ALL:
                total, cpus = figures, {}
            else:
                cpus[row["CPU"]] = {"cpu": int(row["CPU"]), **figures}
        else:
            heads = heads if not text.strip() else []
    _facts(total, list(cpus.values()), findings)


def _figures(row: dict[str, str]) -> dict[str, float] | None:
    """Share of the time and clock of a row; None if it is damaged."""
    busy, clock = number(row.get("Busy%", row.get("%Busy"))), number(row["Bzy_MHz"])
    if (
        busy is None
        or clock is None
        or busy > _MOST
        or not all(re.fullmatch(r"\d{1,5}|-", row[name]) for name in _PLACES & row.keys())
    ):
        return None
    return {"busy_fraction": busy / 100, "clock_hz": clock * 1e6}


def _facts(total: dict[str, Any], cpus: list[dict[str, Any]], findings: CounterFindings) -> None:
    if total:
        findings.facts["cpu"] = {"all_mean_busy_fraction": total["busy_fraction"], "clock_hz": total["clock_hz"]}
    if cpus:
        findings.facts.update(n_cpus=len(cpus), busiest=max(cpus, key=lambda cpu: float(cpu["busy_fraction"])))
