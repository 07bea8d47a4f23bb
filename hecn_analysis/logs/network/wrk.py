"""Output of wrk and wrk2: requests to a web server, and what it read.

Versions: wrk 3 and 4, wrk2.

Units and traps
---------------
- "17.76GB read" and "606.33MB" a second are binary: GB is 2**30 bytes. They count the headers of HTTP, too.
- The duration is that of the requests ("in 30.10s"), not the one that was asked for.
- The streams are the connections. A server that answers with small files is bound by requests, not by its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.parsing.amounts import half_digit, scale

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class Wrk(BlockReader):
    """Reader of wrk."""

    TOOLS: tuple[str, ...] = ("wrk",)
    VERSIONS: str = "wrk 3 and 4, wrk2"
    HINTS: tuple[str, ...] = ("Running ", " connections", " requests in ", "Transfer/sec:")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(r"^\s{0,8}Running \d{1,6}[smh] test @ https?://\S{1,400}$")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (" connections", re.compile(r"^\s{0,8}\d{1,6} threads and (?P<streams>\d{1,7}) connections")),
        (
            " requests in ",
            re.compile(
                r"^\s{0,8}\d{1,15} requests in (?P<seconds>\d{1,9}\.\d\d)(?P<seconds_unit>us|ms|s|m|h), "
                r"(?P<amount>\d{1,9}(?:\.\d\d)?)(?P<unit>[KMGTP]?)B read"
            ),
        ),
        (
            "Transfer/sec:",
            re.compile(r"^\s{0,8}Transfer/sec:\s{1,12}(?P<rate>\d{1,9}(?:\.\d\d)?)(?P<rate_unit>[KMGTP]?)B"),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'Transfer/sec: …'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        columns: Columns = {
            "tool": "wrk",
            "protocol": "tcp",
            "direction": "receive",
            "streams": int(figures["streams"]) if "streams" in figures else None,
            "throughput_bps": float(figures["rate"]) * 8 * scale(figures["rate_unit"], 1024),
        }
        rounding = 0.01
        if "amount" in figures:
            columns["bytes"] = round(float(figures["amount"]) * scale(figures["unit"], 1024))
            columns["duration_s"] = float(figures["seconds"]) * _SECONDS[figures["seconds_unit"]]
            rounding += half_digit(figures["amount"]) + half_digit(figures["rate"])
        yield columns, rounding
