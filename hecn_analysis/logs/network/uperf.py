"""Output of uperf: the total of a profile.

Versions: 1.0. One run for each profile: "Total 64.21GB / 32.22(s) = 17.12Gb/s 261189op/s".

Units and traps
---------------
- GB of an amount are 2**30 bytes, Gb/s of a rate are 10**9 bit/s.
- The total counts the time of connecting and of closing, too; the transaction that sends data stands above it.
- The profile decides which way the data goes, and by which protocol: neither is known here.
- "Netstat statistics" are those of the card, with all other traffic, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.parsing.amounts import half_digit, scale


class Uperf(BlockReader):
    """Reader of uperf."""

    TOOLS: tuple[str, ...] = ("uperf",)
    VERSIONS: str = "1.0"
    HINTS: tuple[str, ...] = (" running profile:", "Total ")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,8}Starting (?P<threads>\d{1,6}) (?:threads|processes) running profile:(?P<profile>\S{1,60})"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (
            "Total ",
            re.compile(
                r"^\s{0,8}Total\s{1,12}(?P<amount>\d{1,9}(?:\.\d\d)?)(?P<unit>[KMGTP]?)B? /"
                r"\s{1,8}(?P<seconds>\d{1,9}\.\d\d)\(s\) ="
                r"\s{1,12}(?P<rate>\d{1,9}(?:\.\d\d)?)(?P<rate_unit>[KMGT]?)(?:b/s)?\s"
            ),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'Total … / …(s) = …b/s'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        amount = round(float(figures["amount"]) * scale(figures["unit"], 1024))
        yield (
            {
                "tool": "uperf",
                "streams": int(figures["threads"]),
                "bytes": amount,
                "duration_s": float(figures["seconds"]),
                "circumstances": f"profile {figures['profile']}",
                "throughput_bps": float(figures["rate"]) * scale(figures["rate_unit"], 1000),
            },
            0.01 + half_digit(figures["amount"]) + half_digit(figures["rate"]),
        )
