"""Output of ``perf stat``: cycles, instructions and time of a program or of a host. All of it is facts.

Versions: Linux 2.6.32 to 6.x, text. The last report of a file counts.

Units and traps
---------------
- "CPUs utilized" is the clock of the tasks over the elapsed time: 1.0 is one processor. With ``-a`` ("system wide") it
  is the number of all processors, whether they were busy or not.
- "GHz" is cycles over the clock of the tasks: at which the program ran, without idle time.
- Counters that took turns are scaled up; the share of the time stands in brackets. Those of hybrid processors, with a
  kind of core in their name, are left out. Locales separate thousands by commas, points or blanks.
- "<not counted>" and "<not supported>" are missing.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import decimal, grouped

FORMATS: Final = ("perf-stat",)
VERSIONS: Final = "Linux 2.6.32 to 6.x"
WHOLE: Final = False

_BEGINS: Final = re.compile(r"^\s{0,8}Performance counter stats for (?P<what>\S.{0,200}?):\s*$")
_DIGITS: Final = r"\d{1,3}(?:[.,'\u00a0\u202f ]\d{3}){1,6}|\d{1,18}"
_COUNT: Final = re.compile(
    rf"^\s{{0,40}}(?P<value>{_DIGITS})\s{{1,20}}(?P<name>cycles|instructions|context-switches|cache-misses)"
    r"(?::\w{1,4})?(?:\s|$)"
)
_ELAPSED: Final = re.compile(r"^\s{0,40}(?P<value>\d{1,9}[.,]\d{1,9})\s.{0,40}?seconds time elapsed")
_SHARES: Final = {
    "cpus_utilized": re.compile(r"#\s{1,12}(?P<value>\d{1,6}[.,]\d{1,3})\s{1,4}CPUs utilized"),
    "clock_hz": re.compile(r"#\s{1,12}(?P<value>\d{1,6}[.,]\d{1,3})\s{1,4}GHz"),
    "instructions_per_cycle": re.compile(r"#\s{1,12}(?P<value>\d{1,6}[.,]\d{1,3})\s{1,4}insns? per cycle"),
}
_GIGA: Final = 1e9


def recognises(document: Document) -> bool:
    """Whether the head of a report is in the file."""
    return "Performance counter stats for" in document.text and any(map(_BEGINS.match, document.lines))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report."""
    findings.format = "perf-stat"
    facts: dict[str, object] = {}
    for text in document.lines:
        if match := _BEGINS.match(text):
            facts = {"command": match["what"].strip("'")}
        elif match := _ELAPSED.match(text):
            facts["elapsed_s"] = decimal(match["value"])
        elif facts:
            _figures(text, facts)
    if "elapsed_s" not in facts:
        findings.problem(
            len(document.lines), "truncated", "found no 'seconds time elapsed', expected it below the counts"
        )
    findings.facts.update(facts)


def _figures(text: str, facts: dict[str, object]) -> None:
    """Take the count of a line, and what perf computed of it."""
    if match := _COUNT.match(text):
        facts[match["name"].replace("-", "_")] = grouped(match["value"])
    for name, pattern in _SHARES.items():
        if share := pattern.search(text):
            facts[name] = decimal(share["value"]) * (_GIGA if name == "clock_hz" else 1)
