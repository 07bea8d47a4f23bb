"""Output of warp, MinIO's benchmark of S3 stores: the mean rate of each kind of request.

Versions: 0.3 to 1.4, also mixed requests and ``warp analyze``. One run for each kind that moves objects.

Units and traps
---------------
- MiB/s is 2**20 bytes a second, of all clients together. Bytes are not printed.
- Fastest, median and slowest are those of single seconds, and are left out, as are the rates by host and by size.
- The duration is that of the kind of request, in whole seconds; with mixed requests the kinds share the time.
- DELETE, LIST and STAT move no objects, though old versions print MiB/s for some of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.parsing.amounts import clock, half_digit, scale

_WAYS: Final = {"GET": "receive", "PUT": "send", "POST": "send", "PUTPART": "send", "APPEND": "send"}
_MEAN: Final = (
    r"(?P<mean>(?:(?P<rate>\d{1,9}(?:\.\d{1,3})?) ?(?P<unit>[KMGT]?)i?B/s, )?\d{1,12}(?:\.\d{1,3})? (?:obj|ops)/s)"
    r"(?:.{0,40}?\((?P<seconds>\d{1,9}(?:\.\d{1,3})?)s)?"
)


class Warp(BlockReader):
    """Reader of warp."""

    TOOLS: tuple[str, ...] = ("warp",)
    VERSIONS: str = "0.3 to 1.4"
    HINTS: tuple[str, ...] = ("Operation: ", "Report: ", "* Average: ", "* Throughput: ", "of operations)")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,8}(?:Operation|Report): (?P<kind>GET|PUT|PUTPART|POST|APPEND|DELETE|LIST|STAT|RETENTION|VERSIONED)\b"
        r"(?:.{0,80}?Concurrency: (?P<streams>\d{1,6}))?(?:.{0,40}?Ran:? (?P<ran>(?:\d{1,4}h)?(?:\d{1,3}m)?\d{1,5}s))?"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("* Average: ", re.compile(rf"^\s{{0,8}}\* Average: {_MEAN}")),
        ("of operations)", re.compile(rf"^\s{{0,8}}\* {_MEAN}")),
        ("* Throughput: ", re.compile(rf"^\s{{0,8}}\* Throughput: (?:Average: |{_MEAN})")),
    )
    LAST: ClassVar[tuple[str, str]] = ("mean", "'* Average: … obj/s'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run of a kind of request that moves objects."""
        if figures["kind"] not in _WAYS or "rate" not in figures:
            return
        seconds = figures.get("seconds") or figures.get("ran")
        yield (
            {
                "tool": "warp",
                "protocol": "tcp",
                "label": figures["kind"],
                "direction": _WAYS[figures["kind"]],
                "streams": int(figures["streams"]) if "streams" in figures else None,
                "duration_s": None if seconds is None else clock(f"{seconds.removesuffix('s')}s"),
                "throughput_bps": float(figures["rate"]) * 8 * scale(figures["unit"], 1024),
            },
            half_digit(figures["rate"]),
        )
