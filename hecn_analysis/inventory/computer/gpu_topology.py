"""``nvidia-smi topo -m``: how far GPUs and network cards are from each other, and from processors.

Versions: drivers 367 to 570.

Traps
-----
- NV4 are four NVLinks; PIX, PXB and PHB lie in one PCI tree, of one switch, several, and over the host bridge; NODE
  and SYS cross bridges of a node and the link between sockets. What SYS joins shares that link.
- Names of cards ("mlx5_0") stand in the head or, since driver 470, as NIC0 with a legend below.
- The head of the terminal may have colours, and its columns are tabs.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import numbers

FORMATS = ("nvidia-smi-topo",)
VERSIONS = "drivers 367 to 570"
COMMANDS = ("nvidia-smi",)
BEGINS = re.compile(r"(?:\x1b\[4m)?\s{1,40}GPU0\s")
REPEATS = True

_NAME: Final = re.compile(
    r"GPU\d{1,3}|NIC\d{1,3}|mlx\d_\d{1,3}|[a-z]{2,12}_\d{1,3}|CPU Affinity|NUMA Affinity|GPU NUMA ID"
)
_CELL: Final = re.compile(r"X|NV\d{1,2}|PIX|PXB|PHB|NODE|SYS|SOC|PSB")
_LEGEND: Final = re.compile(r"\s{1,10}(?P<nic>NIC\d{1,3}): (?P<device>\w{1,24})")


def recognises(output: Output) -> bool:
    """Look for the head, and a row of GPU0 below it."""
    lines = output.lines[:4]
    return any(BEGINS.match(line) for line in lines) and any(line.startswith("GPU0") for line in lines)


def read(output: Output) -> Facts:
    """Read the distances and what each GPU is near to."""
    heads: list[str] = []
    rows: dict[str, dict[str, str]] = {}
    gpus: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    facts = output.facts("nvidia-smi-topo", {"gpus": gpus, "distances": rows, "nics": names})
    for number, line in output.numbered():
        text = line[:2000]
        if BEGINS.match(text):
            heads = _NAME.findall(text)
        elif heads and (match := re.match(r"(?P<name>(?:GPU|NIC)\d{1,3}|\w{2,12}_\d{1,3})\s", text)) is not None:
            cells = text[match.end() :].split()
            columns = [head for head in heads if " " not in head]
            if len(cells) < len(columns) or not all(_CELL.fullmatch(cell) for cell in cells[: len(columns)]):
                facts.problem(
                    number, "malformed", f"found {text.strip()[:80]!r}, expected a distance to each device; left out"
                )
                continue
            rows[match["name"]] = dict(zip(columns, cells, strict=False))
            if match["name"].startswith("GPU"):
                beyond = cells[len(columns) :]
                node = int(beyond[1]) if len(beyond) > 1 and beyond[1].isdecimal() else None
                cpus = numbers(beyond[0]) if beyond else None
                gpus.append({"name": match["name"], "cpus": cpus or None, "numa_node": node})
        elif (match := _LEGEND.match(text)) is not None:
            names[match["nic"]] = match["device"]
    return facts
