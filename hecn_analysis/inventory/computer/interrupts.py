"""``/proc/interrupts``: how often each processor served each interrupt, and for which driver.

Versions: Linux 2.4 to 6.x. The counts are those since boot: what they say is where interrupts go, not how many come in
a second. `irqs` has an object for each interrupt with its counts by processor and its driver's words (`actions`, for a
network card most often the name of the interface and of the queue), without those that only the processors themselves
cause (NMI, LOC …).
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("proc-interrupts",)
VERSIONS = "Linux 2.4 to 6.x"
COMMANDS = ("/proc/interrupts", "interrupts")
BEGINS = re.compile(r"\s{4,20}CPU\d{1,4}(?:\s{1,20}CPU\d{1,4}){0,4096}\s*$")
REPEATS = True

_ROW: Final = re.compile(r"\s{0,8}(?P<irq>\d{1,6}|[A-Z][A-Za-z0-9]{1,5}):(?P<rest>\s?.{0,60000})$")


def recognises(output: Output) -> bool:
    """Whether the first line names processors and the second one counts."""
    return (
        BEGINS.match(output.lines[0]) is not None and len(output.lines) > 1 and _ROW.match(output.lines[1]) is not None
    )


def read(output: Output) -> Facts:
    """The counts of each interrupt."""
    cpus = [int(name[3:]) for name in output.lines[0].split()]
    irqs: dict[str, Any] = {}
    facts = output.facts("proc-interrupts", {"n_cpus": len(cpus), "cpus": cpus, "irqs": irqs})
    for number, line in list(output.numbered())[1:]:
        found = _ROW.match(line)
        if found is None:
            if line.strip():
                facts.problem(number, "malformed", f"found {line.strip()[:60]!r}, expected an interrupt; left out")
            continue
        words = found["rest"].split(maxsplit=len(cpus))
        counts = [int(word) for word in words[: len(cpus)] if word.isdecimal() and len(word) < 21]
        if not found["irq"].isdigit():
            continue
        if len(counts) < len(cpus):
            facts.problem(number, "truncated", f"found {len(counts)} counts, expected {len(cpus)}; left out")
            continue
        rest = words[len(cpus)] if len(words) > len(cpus) else ""
        pieces = re.split(r"\s{2,40}", rest.strip())
        actions = pieces[-1] if len(pieces) > 1 else rest.rpartition(" ")[2]
        irqs[found["irq"]] = {"counts": counts, "actions": actions}
    return facts
