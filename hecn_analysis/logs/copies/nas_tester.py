"""Output of NAS performance tester: writes and reads of a file on a network drive of Windows.

Versions: 1.1 to 1.7. One run for each series of writes or reads; the rate is the average over its iterations.

Units and traps
---------------
- The program divides by 10**6 bytes: MB/sec are powers of 1000. The decimal sign is that of the country.
- Without an average, a series that was stopped is no run, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures


class NasTester(BlockReader):
    """Reader of NAS performance tester."""

    TOOLS: tuple[str, ...] = ("nas-performance-tester",)
    VERSIONS: str = "1.1 to 1.7"
    HINTS: tuple[str, ...] = ("MB file ", "Iteration ", "Average (")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\W{0,8}Running a \d{1,6}MB file (?P<way>write|read) on .{1,80}? \d{1,4} times?\.{0,3}"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("Iteration ", re.compile(r"^\W{0,8}Iteration \d{1,4}: {1,8}\d{1,6}[.,]\d{1,2} MB/sec")),
        ("Average (", re.compile(r"^\W{0,8}Average \([WR]\): {1,8}(?P<rate>\d{1,6}[.,]\d{1,2}) MB/sec")),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'Average (W): … MB/sec'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make a run of a series."""
        columns: Columns = {"tool": self.TOOLS[0], "protocol": "file", "direction": figures.get("way")}
        yield {**columns, "throughput_bps": 8e6 * float(figures["rate"].replace(",", "."))}, 0.01
