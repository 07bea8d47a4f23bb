"""Output of elbencho: reading and writing of files, block devices and object stores by many threads.

Versions: 1.4 to 3.0. One run for each phase that writes or reads; with ``--rwmixpct`` one for each of both.

Units and traps
---------------
- "FIRST DONE" is the state when the fastest thread had finished, "LAST DONE" that of all: the run.
- MiB/s is 2**20 bytes a second; ``--base10`` prints MB/s, with 10**6. Rates are whole numbers, rounded down.
- "Elapsed ms" of old versions is "Elapsed time" with units of its own ("1m2.345s") later.
- Phases that move no data (MKDIRS, STAT, DROPCACHE …) are left out, and so is the number of threads: it is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.parsing.amounts import clock

_NAMES: Final = {"write": "write", "read": "read"}


def _row(title: str, name: str) -> re.Pattern[str]:
    """Pattern of a row with the figures when the first and when the last thread was done."""
    return re.compile(rf"^\s{{0,16}}{title}\s{{0,16}}:\s{{1,20}}\d{{1,15}}\s{{1,20}}(?P<{name}>\d{{1,15}})\s{{0,8}}$")


class Elbencho(BlockReader):
    """Reader of elbencho."""

    TOOLS: tuple[str, ...] = ("elbencho",)
    VERSIONS: str = "1.4 to 3.0"
    HINTS: tuple[str, ...] = (
        " Elapsed ",
        " IOPS ",
        "Throughput M",
        "Total MiB",
        "MiB/s write",
        "MiB/s read",
        "MiB write",
        "MiB read",
    )
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,8}(?P<phase>WRITE|READ|RWMIX\w{0,12})\S{0,8}\s{1,12}Elapsed (?:time|ms)\s{1,12}:"
        r"\s{1,20}\S{1,16}\s{1,20}(?P<time>\d[\dhms.]{0,15})\s{0,8}$"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("IOPS  ", _row("IOPS", "iops")),
        ("IOPS write", _row("IOPS write", "write_iops")),
        ("IOPS read", _row("IOPS read", "read_iops")),
        ("Throughput MiB/s", _row("Throughput MiB/s", "rate")),
        ("Throughput MB/s", _row("Throughput MB/s", "decimal_rate")),
        ("MiB/s write", _row("MiB/s write", "write_rate")),
        ("MiB/s read", _row("MiB/s read", "read_rate")),
        ("Total MiB", _row("Total MiB", "total")),
        ("MiB write", _row("MiB write", "write_total")),
        ("MiB read", _row("MiB read", "read_total")),
    )
    LAST: ClassVar[tuple[str, str]] = ("phase", "a phase")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the runs of a phase."""
        text = figures["time"]
        seconds = int(text) / 1e3 if text.isdecimal() else _seconds(text)
        if "rate" in figures or "decimal_rate" in figures:
            unit = 2**20 if "rate" in figures else 10**6
            rate = figures.get("rate") or figures["decimal_rate"]
            yield _run(figures["phase"].lower(), seconds, int(rate) * unit, figures, "")
        for way in ("write", "read"):
            if f"{way}_rate" in figures:
                yield _run(way, seconds, int(figures[f"{way}_rate"]) * 2**20, figures, f"{way}_")


def _seconds(text: str) -> float | None:
    return float(text[:-2]) / 1e3 if text.endswith("ms") else clock(text)


def _run(direction: str, seconds: float | None, rate: int, figures: Figures, of: str) -> tuple[Columns, float]:
    mebibytes, requests = figures.get(f"{of}total"), figures.get(f"{of}iops")
    columns: Columns = {"tool": "elbencho", "protocol": "file", "direction": direction, "duration_s": seconds}
    columns |= {"throughput_bps": 8.0 * rate, "bytes": None if mebibytes is None else int(mebibytes) << 20}
    columns["iops"] = None if requests is None else float(requests)
    whole = 2**20 / max(rate, 2**20) + (0.0 if mebibytes is None else 1 / max(int(mebibytes), 1))
    return columns, 0.01 + whole
