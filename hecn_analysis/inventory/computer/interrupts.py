"""``/proc/interrupts``: how often each processor served each interrupt, and for which driver.

Versions: Linux 2.4 to 6.x. The counts are those since boot: what they say is where interrupts go, not how many come in
a second. `irqs` has an object for each interrupt with its counts by processor and its driver's words (`actions`, for a
network card most often the name of the interface and of the queue), without those that only the processors themselves
cause (NMI, LOC …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS = ("proc-interrupts",)
VERSIONS = "Linux 2.4 to 6.x"
COMMANDS = ("/proc/interrupts", "interrupts")
BEGINS = re.compile(r"\s{4,20}CPU\d{1,4}(?:\s{1,20}CPU\d{1,4}){0,4096}\s*$")
REPEATS = True

_FEW: Final = 4
_ROW: Final = re.compile(r"\s{0,8}(?P<irq>\d{1,6}|[A-Z][A-Za-z0-9]{1,5}):(?P<rest>\s?.{0,60000})$")


def recognises(output: Output) -> bool:
    """Whether the first line names processors and the second one counts."""
    return (
        BEGINS.match(output.lines[0]) is not None and len(output.lines) > 1 and _ROW.match(output.lines[1]) is not None
    )


def _table(output: Output) -> Iterator[tuple[int, str]]:
    """The lines below the heads, up to a blank one that no interrupt follows."""
    lines = list(output.numbered())[1:]
    for place, (number, line) in enumerate(lines):
        if not line.strip() and not any(_ROW.match(after) for _, after in lines[place + 1 : place + 2]):
            return
        yield number, line


def _unbroken(output: Output) -> Iterator[tuple[int, str]]:
    """Lines below the heads; the names of actions that mail has put on lines of their own are joined again."""
    kept: tuple[int, str] | None = None
    for number, line in _table(output):
        names = line.split()
        alone = 0 < len(names) <= _FEW and not any(name.endswith(":") or name.isdigit() for name in names)
        if alone and kept is not None and kept[0] == number - 1 and _ROW.match(kept[1]) and not _ROW.match(line):
            yield kept[0], f"{kept[1].rstrip()}  {line.strip()}"
            kept = None
            continue
        if kept is not None:
            yield kept
        kept = (number, line)
    if kept is not None:
        yield kept


def read(output: Output) -> Facts:
    """The counts of each interrupt."""
    cpus = [int(name[3:]) for name in output.lines[0].split()]
    irqs: dict[str, Any] = {}
    facts = output.facts("proc-interrupts", {"n_cpus": len(cpus), "cpus": cpus, "irqs": irqs})
    for number, line in _unbroken(output):
        match = _ROW.match(line)
        if match is None:
            if line.strip():
                facts.problem(number, "malformed", f"found {line.strip()[:60]!r}, expected an interrupt; left out")
            continue
        words = match["rest"].split(maxsplit=len(cpus))
        counts = [int(word) for word in words[: len(cpus)] if word.isdecimal() and len(word) < 21]
        if not match["irq"].isdigit():
            continue
        if len(counts) < len(cpus):
            facts.problem(number, "truncated", f"found {len(counts)} counts, expected {len(cpus)}; left out")
            continue
        rest = words[len(cpus)] if len(words) > len(cpus) else ""
        pieces = re.split(r"\s{2,40}", rest.strip())
        actions = pieces[-1] if len(pieces) > 1 else rest.rpartition(" ")[2]
        irqs[match["irq"]] = {"counts": counts, "actions": actions}
    return facts
