"""Output of ``/tool bandwidth-test`` of RouterOS: mean rates of both ways.

Versions: RouterOS 5 to 7. One run for each way that the test measured; a screen that was repeated counts once.

Units and traps
---------------
- "tx-total-average" is the mean over the whole test, "tx-current" that of the last second. bps, kbps, Mbps and Gbps
  are powers of 1000.
- tx is what this router sends. "lost-packets" are those of UDP, both ways together: they are left out.
- A test whose status is not "done testing" was stopped, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.parsing.amounts import clock, scale

_WAYS: Final = (("tx", "send"), ("rx", "receive"))
_RATE: Final = r"^\s{{0,40}}{0}-total-average: (?P<{0}>\d{{1,9}}(?:\.\d{{1,3}})?)(?P<{0}_unit>[kMG]?)bps\s{{0,8}}$"


class RouterosBtest(BlockReader):
    """Reader of bandwidth-test of RouterOS."""

    TOOLS: tuple[str, ...] = ("bandwidth-test",)
    VERSIONS: str = "RouterOS 5 to 7"
    HINTS: tuple[str, ...] = ("status: running", "status: done testing", "-total-average: ", "duration: ")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(r"^\s{0,40}status: (?P<status>running|done testing)\s{0,8}$")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("duration: ", re.compile(r"^\s{0,40}duration: (?P<duration>(?:\d{1,4}[hms]){1,3})\s{0,8}$")),
        ("tx-total-average: ", re.compile(_RATE.format("tx"))),
        ("rx-total-average: ", re.compile(_RATE.format("rx"))),
        ("direction: ", re.compile(r"^\s{0,40}direction: (?P<direction>both|receive|transmit|send)\s{0,8}$")),
    )
    LAST: ClassVar[tuple[str, str]] = ("direction", "'direction: …' below the rates")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make a run of each way."""
        for name, direction in _WAYS:
            if name not in figures:
                continue
            yield (
                {
                    "tool": self.TOOLS[0],
                    "direction": direction,
                    "duration_s": clock(figures.get("duration", "")) or None,
                    "throughput_bps": float(figures[name]) * scale(figures[f"{name}_unit"], 1000),
                },
                0.01,
            )
