"""Output of ``sysbench fileio``: reads and writes of files, and the files written before them.

Versions: 0.4, 0.5 and 1.0. A test with reads and writes is two runs.

Units and traps
---------------
- 1.0 prints MiB/s; 0.4 and 0.5 print amounts in "Mb" and "Gb", which are 2**20 and 2**30 bytes. The rate is then the
  amount over the total time.
- The file test mode gives the direction: "random read", "sequential write (creation)". Rewrites count as writes.
- Of a mode with no reads, the figure of reads is 0.00, and makes no run.
- Of an output that somebody shortened, the rates of reads and writes are read, without the time.
- "… bytes written in … seconds" of ``prepare`` is a sequential write.
- Other tests of sysbench (cpu, memory, oltp) print no throughput of files, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.logs.contract import Run
from hecn_analysis.parsing.amounts import scale

_MODES: Final = {"sequential": "", "random": "random_"}
_PREPARED: Final = re.compile(
    r"^\s{0,8}(?P<bytes>\d{4,18}) bytes written in (?P<seconds>\d{1,9}\.\d{1,6}) seconds "
    r"\((?P<rate>\d{1,9}\.\d{1,6}) ?(?P<unit>[KMG]?)i?[Bb]/sec\)\.?"
)
_RATES: Final = re.compile(r"^\s{0,8}(?:reads/s|read, MiB/s):\s{1,40}\d{1,9}\.\d\d$")
_AMOUNT: Final = r"(?P<{0}>\d{{1,9}}(?:\.\d{{1,6}})?)(?P<{0}_unit>[KMGT]?)b"


class Sysbench(BlockReader):
    """Reader of sysbench fileio."""

    TOOLS: tuple[str, ...] = ("sysbench",)
    VERSIONS: str = "0.4, 0.5 and 1.0: fileio"
    HINTS: tuple[str, ...] = (
        *(
            "Extra file open flags: ",
            "Doing ",
            "reads/s:",
            "writes/s:",
            "read, MiB/s:",
            "written, MiB/s:",
            "total time: ",
            "Number of threads: ",
        ),
        *(
            "Total transferred ",
            "Total file size",
            "total file size",
            " bytes written in ",
        ),
    )
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(r"^\s{0,8}Extra file open flags: (?P<flags>.{1,60})")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("Doing ", re.compile(r"^\s{0,8}Doing (?P<mode>sequential|random) (?P<what>read|write|rewrite|r/w)\b")),
        ("reads/s:", re.compile(r"^\s{0,8}reads/s:\s{1,40}(?P<read_iops>\d{1,9}\.\d\d)$")),
        ("writes/s:", re.compile(r"^\s{0,8}writes/s:\s{1,40}(?P<written_iops>\d{1,9}\.\d\d)$")),
        ("read, MiB/s:", re.compile(r"^\s{0,8}read, MiB/s:\s{1,40}(?P<read>\d{1,9}\.\d\d)$")),
        ("written, MiB/s:", re.compile(r"^\s{0,8}written, MiB/s:\s{1,40}(?P<written>\d{1,9}\.\d\d)$")),
        (
            "Total transferred ",
            re.compile(
                rf"^\s{{0,8}}Read {_AMOUNT.format('read_bytes')}\s{{1,8}}Written {_AMOUNT.format('written_bytes')}"
                r"\s{1,8}Total transferred "
            ),
        ),
        ("total time: ", re.compile(r"^\s{0,8}total time:\s{1,40}(?P<seconds>\d{1,9}\.\d{1,6})s$")),
    )
    LAST: ClassVar[tuple[str, str]] = ("seconds", "'total time: …s'")

    def feed(self, line: Line) -> bool:
        """Take a line of the tool, or that of the files it prepared."""
        if (prepared := _PREPARED.match(line.text)) is not None:
            self.finish()
            columns: Columns = {
                "tool": "sysbench",
                "protocol": "file",
                "direction": "write",
                "bytes": int(prepared["bytes"]),
                "duration_s": float(prepared["seconds"]) or None,
                "throughput_bps": float(prepared["rate"]) * 8 * scale(prepared["unit"], 1024),
            }
            self._findings.run(Run(line.number, line.number, columns, rounding=0.01))
            return True
        if self._first is None and _RATES.match(line.text):
            self._first = self._last = line.number
        return super().feed(line)

    def finish(self) -> None:
        """The output has ended, perhaps below the rates."""
        if "flags" not in self._figures and {"read", "written"} <= set(self._figures):
            self._figures.setdefault("seconds", "0")
        super().finish()

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make a run of the reads and one of the writes."""
        seconds = float(figures["seconds"])
        for name, direction in (("read", "read"), ("written", "write")):
            columns: Columns = {
                "tool": "sysbench",
                "protocol": "file",
                "duration_s": seconds or None,
                "direction": _MODES[figures.get("mode", "sequential")] + direction,
                "iops": float(figures[f"{name}_iops"]) if f"{name}_iops" in figures else None,
            }
            if float(figures.get(name, 0)):
                yield {**columns, "throughput_bps": float(figures[name]) * 8 * 2**20}, 0.01
            elif float(figures.get(f"{name}_bytes", 0)) and seconds:
                unit = scale(figures[f"{name}_bytes_unit"], 1024)
                amount = round(float(figures[f"{name}_bytes"]) * unit)
                yield {**columns, "bytes": amount, "throughput_bps": 8 * amount / seconds}, 0.01
