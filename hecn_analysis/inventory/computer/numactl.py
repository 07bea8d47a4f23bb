"""``numactl -H``: NUMA nodes, their processors and memory, and the distances between them.

Versions: numactl 0.9 to 2.0.19. The MB are MiB. Nodes may be sparse (0, 2, 3), have no memory or no processors.
"""

from __future__ import annotations

import re
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
    for number, line in output.numbered():
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
    known = max(len(values["node_cpus"]), len(values["node_size_bytes"]))
    if values["numa_nodes"] is not None and known != values["numa_nodes"]:
        message = f"found {known} nodes, expected {values['numa_nodes']} as the first line says"
        facts.problem(output.last, "truncated", message)
    return facts
