"""``numactl -H``: NUMA nodes, their processors and memory, and the distances between them.

Versions: numactl 0.9 to 2.0.19. The MB are MiB. Nodes may be sparse (0, 2, 3), have no memory or no processors. Mail
breaks the long lists of processors, and puts the row below behind their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import numbers
from hecn_analysis.inventory.labels import without_note
from hecn_analysis.parsing.amounts import size, whole

FORMATS = ("numactl-H",)
VERSIONS = "numactl 0.9 to 2.0.19"
COMMANDS = ("numactl",)
BEGINS = re.compile(r"available: \d{1,4} nodes? \(")
REPEATS = True

_NODE: Final = re.compile(r"node (?P<node>\d{1,4}) (?P<name>cpus|size|free):\s{0,4}(?P<value>.{0,8000})$")
_ROW: Final = re.compile(r"\s{0,8}(?P<node>\d{1,4}):\s{1,8}(?P<distances>\d{1,4}(?:\s{1,8}\d{1,4}){0,1024})\s*$")

_INSIDE: Final = re.compile(r"(?<=\S) (?=node \d{1,4} (?:cpus|size|free):|node distances:)")
_GOES_ON: Final = re.compile(r"\s{0,8}\d{1,4}(?:\s{1,8}\d{1,4}){0,1024}\s*$")


def recognises(output: Output) -> bool:
    """Whether the number of nodes stands among the first lines."""
    return any(BEGINS.match(line) for line in output.lines[:12])


def read(output: Output) -> Facts:
    """The nodes; keys of objects are node numbers as text."""
    facts = output.facts(
        "numactl-H",
        {"numa_nodes": None, "node_cpus": {}, "node_size_bytes": {}, "node_free_bytes": {}, "distances": []},
    )
    values = facts.values
    for number, line in _unbroken(output):
        if BEGINS.match(line):
            values["numa_nodes"] = whole(line.split()[1])
        elif match := _NODE.match(line):
            node, name, value = match["node"], match["name"], match["value"]
            if name == "cpus":
                cpus = numbers(without_note(value))
                if cpus is None:
                    facts.problem(number, "malformed", f"found {line[:60]!r}, expected numbers of processors; left out")
                else:
                    values["node_cpus"][node] = cpus
            else:
                values[f"node_{name}_bytes"][node] = size(value)
        elif match := _ROW.match(line):
            values["distances"].append([int(text) for text in match["distances"].split()])
    sizes, known = len(values["node_size_bytes"]), max(len(values["node_cpus"]), len(values["node_size_bytes"]))
    if 0 < sizes < known:
        facts.problem(output.last, "truncated", f"found the memory of {sizes} nodes, expected that of {known}")
    if values["numa_nodes"] is not None and known != values["numa_nodes"]:
        message = f"found {known} nodes, expected {values['numa_nodes']} as the first line says"
        facts.problem(output.last, "truncated", message)
    return facts


def _unbroken(output: Output) -> Iterator[tuple[int, str]]:
    """Rows with the processors that mail has put on lines of their own."""
    held: tuple[int, str] | None = None
    for number, line in output.numbered():
        for row in _INSIDE.split(line):
            if held is not None and _GOES_ON.match(row):
                held = (held[0], f"{held[1].rstrip()} {row.strip()}")
                continue
            if held is not None:
                yield held
            match = _NODE.match(row)
            held = (number, row) if match and match["name"] == "cpus" else None
            if held is None:
                yield number, row
    if held is not None:
        yield held
