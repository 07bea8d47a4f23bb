r"""Lines of bmon's "format" output with a name and two rates: ``eth0 15706.16 20081962.00``.

Versions: bmon 3 and 4, ``-o 'format:fmt=$(element:name) $(attr:rxrate:bytes) $(attr:txrate:bytes)\\n'`` and the like.

Units and traps
---------------
- The words of a line are what its user chose. Lines of a name and two numbers with two decimals each are taken as the
  rates that bmon's manual shows: bytes a second in, then out.
- There are no times, and nothing says the interval. The first line of each interface is 0, for no rate is known yet:
  it is kept, and its flag says so.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document

FORMATS: Final = ("bmon-format",)
VERSIONS: Final = "bmon 3 and 4, -o format"
WHOLE: Final = True

_ROW: Final = re.compile(
    r"(?P<name>[A-Za-z][\w.:@-]{0,31})[ \t]+(?P<in>\d{1,15}\.\d\d)[ \t]+(?P<out>\d{1,15}\.\d\d)[ \t]*"
)


def recognises(document: Document) -> bool:
    """Whether every line is a name and two rates; the last one may break off."""
    rows = [_ROW.fullmatch(line) is not None for line in document.lines if line.strip()]
    return sum(rows) > 1 and all(rows[:-1])


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows."""
    findings.format = "bmon-format"
    rows: dict[str, int] = {}
    for line, text in enumerate(document.lines, 1):
        if match := _ROW.fullmatch(text):
            name, received, sent = match["name"], float(match["in"]), float(match["out"])
            flag = "no_rate_yet" if name not in rows and not received and not sent else "given"
            rows[name] = rows.get(name, 0) + 1
            findings.rate(line=line, interface=name, in_bps=8 * received, out_bps=8 * sent, flag=flag)
        elif text.strip():
            findings.problem(line, "malformed", f"found {text[:80]!r}, expected a name and two rates; left out")
    findings.facts["n_samples"] = max(rows.values(), default=0)
