"""Cores that receive packets: ``/proc/net/softnet_stat``, and the network cards' rows in ``/proc/interrupts``.

Units and traps
---------------
- softnet_stat has a row per core, in hexadecimal: processed, dropped (the core's queue was full), squeezed (its budget
  was used up), since the start of the machine; the difference of two outputs belongs to the transfer.
- A card with one queue has one interrupt, handled by one core: this counts only on machines with several cores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_SOFTNET: Final = re.compile(
    r"^(?P<processed>[\da-f]{8}) (?P<dropped>[\da-f]{8}) (?P<squeezed>[\da-f]{8})(?: [\da-f]{8}){6,12}\s{0,4}$"
)
_CARD: Final = re.compile(
    r"\b(?:eth\d|en[opsx]\w|ib\d|mlx[45]|ixgbe|i40e|ice-|bnx|igb|e1000|ena-|virtio\d{1,2}-(?:in|out)put|nfp|qede|sfc)"
)

#: Interrupts of a card that tell where they go, and cores that there must be. [B]
_LEAST: Final = 100_000
_LEAST_CORES: Final = 4


def find(document: Document) -> Iterator[Statement]:
    """Find packets that cores dropped, and the busiest core's share of a card's interrupts."""
    yield from _softnet(document)
    if "CPU1" in document.text:
        yield from _interrupts(document)


def _softnet(document: Document) -> Iterator[Statement]:
    """State the packets that the core with most drops has dropped."""
    outputs: list[list[tuple[int, int]]] = []
    is_inside = False
    for number, text in enumerate(document.lines, 1):
        match = _SOFTNET.match(text) if len(text) < 200 else None
        if match is not None:
            if not is_inside:
                outputs.append([])
            outputs[-1].append((int(match["dropped"], 16), number))
        is_inside = match is not None
    if not outputs:
        return
    before = [count for count, _ in outputs[0]] if len(outputs) > 1 else []
    grown = [(count - start, line) for (count, line), start in zip(outputs[-1], before, strict=False)]
    if not grown or any(count < 0 for count, _ in grown):  # one output, or the machine started between two
        grown = outputs[-1]
    line = max(grown)[1]
    total = float(sum(count for count, _ in grown))
    says, end = document.lines[line - 1].strip(), end_of(document.source_file)
    yield Statement("cpu.softnet_dropped", total, document.source_file, line, says, end)


def _interrupts(document: Document) -> Iterator[Statement]:
    """State the busiest core's share of the interrupts of network cards."""
    cores = 0
    sums: list[int] = []
    most = (0, 0)
    for number, text in enumerate(document.lines, 1):
        words = text.split()
        if words[:2] == ["CPU0", "CPU1"] and all(word.startswith("CPU") for word in words):
            cores, sums = len(words), [0] * len(words)
        elif cores and len(words) > cores + 1 and words[0].endswith(":") and _CARD.search(" ".join(words[cores + 1 :])):
            counts = words[1 : cores + 1]
            if all(word.isdecimal() and len(word) < 16 for word in counts):
                sums = [total + int(word) for total, word in zip(sums, counts, strict=True)]
                most = max(most, (sum(map(int, counts)), number))
    if cores >= _LEAST_CORES and sum(sums) >= _LEAST:
        share, line = max(sums) / sum(sums), most[1]
        says, end = " ".join(document.lines[line - 1].split())[:200], end_of(document.source_file)
        yield Statement("cpu.interrupts", share, document.source_file, line, says, end)
