"""Output of lagscope, as tests of virtual machines run it: round-trip times of messages over TCP.

Versions: 0.1 to 1.0, the sender's output. One run for each "Number of successful Pings".

Units and traps
---------------
- Times are microseconds for a round trip of a message over an open connection, also with ``-P`` and ``-H``. The
  percentiles and the histogram below the summary are left out.
- The clock at the beginning of the lines has no date: the run has no start.
- Messages that failed are not counted: the loss is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures


class Lagscope(BlockReader):
    """Reader of lagscope."""

    TOOLS: tuple[str, ...] = ("lagscope",)
    VERSIONS: str = "0.1 to 1.0, the sender's output"
    HINTS: tuple[str, ...] = ("Number of successful Pings: ", "Minimum = ")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,8}(?:(?:\d\d:\d\d:\d\d )?INFO:)?\s{0,8}Number of successful Pings: (?P<answered>\d{1,12})$"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (
            "Minimum = ",
            re.compile(
                r"^\s{0,8}(?:(?:\d\d:\d\d:\d\d )?INFO:)?\s{0,8}"
                r"Minimum = (?P<least>\d{1,12}\.\d{1,3})us, Maximum = (?P<most>\d{1,12}\.\d{1,3})us, "
                r"Average = (?P<mean>\d{1,12}\.\d{1,3})us$"
            ),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("mean", "'Minimum = …us, Maximum = …us, Average = …us'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        columns: Columns = {"tool": "lagscope", "protocol": "tcp"}
        if int(figures["answered"]):
            names = (("rtt_min_s", "least"), ("rtt_avg_s", "mean"), ("rtt_max_s", "most"))
            columns |= {column: 1e-6 * float(figures[name]) for column, name in names}
        yield columns, 0.01
