"""Output of Ceph's own benchmarks: ``rados bench`` and ``rbd bench``.

Versions: Ceph 0.80 to 19.

Units and traps
---------------
- "MB/sec" of rados bench is 2**20 bytes a second. Bytes are the number of objects times their size.
- rbd bench prints the bytes a second as a number, or since Ceph 14 rounded with a binary prefix ("68 MiB/s"); elapsed
  seconds are whole in old versions. Bytes are operations times the size of one.
- "Average IOPS" of rados bench counts objects, rounded down.
- Rows of single seconds count objects that are finished, and are left out.
- Writes go to several replicas: the network behind the cluster carries a multiple.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures

_N: Final = r"\d{1,12}(?:\.\d{1,9})?"


class RadosBench(BlockReader):
    """Reader of rados bench."""

    TOOLS: tuple[str, ...] = ("rados",)
    VERSIONS: str = "Ceph 0.80 to 19: bench write, seq and rand"
    HINTS: tuple[str, ...] = (
        *("Total time run:", "Total writes made:", "Total reads made:", "Write size:", "Read size:", "Object size:"),
        *("Bandwidth (MB/sec):", "Average IOPS:"),
    )
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(rf"^\s{{0,12}}Total time run:\s{{1,24}}(?P<seconds>{_N})(?:\s|$)")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("s made:", re.compile(r"^\s{0,12}Total (?P<what>write|read)s made:\s{1,24}(?P<objects>\d{1,12})(?:\s|$)")),
        ("Object size:", re.compile(r"^\s{0,12}Object size:\s{1,24}(?P<object_size>\d{1,12})(?:\s|$)")),
        (" size:", re.compile(r"^\s{0,12}(?:Write|Read) size:\s{1,24}(?P<size>\d{1,12})(?:\s|$)")),
        (
            "Bandwidth (MB/sec):",
            re.compile(rf"^\s{{0,12}}Bandwidth \(MB/sec\):\s{{1,24}}(?P<rate>{_N}(?:e[+-]\d\d)?)(?:\s|$)"),
        ),
        ("Average IOPS:", re.compile(rf"^\s{{0,12}}Average IOPS:\s{{1,24}}(?P<iops>{_N})(?:\s|$)")),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'Bandwidth (MB/sec): …'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        size = figures.get("size")
        amount = int(figures["objects"]) * int(size) if "objects" in figures and size else None
        yield (
            {
                "tool": "rados",
                "protocol": "file",
                "direction": figures.get("what"),
                "duration_s": float(figures["seconds"]),
                "bytes": amount,
                "throughput_bps": float(figures["rate"]) * 8 * 2**20,
                "iops": float(figures["iops"]) if "iops" in figures else None,
            },
            0.01,
        )


class RbdBench(BlockReader):
    """Reader of rbd bench."""

    TOOLS: tuple[str, ...] = ("rbd",)
    VERSIONS: str = "Ceph 10 to 19: bench, bench-write"
    HINTS: tuple[str, ...] = (" io_size ", "bytes/sec: ")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,12}bench(?:-write)?\s{1,4}(?:type (?P<what>read|write|readwrite) )?io_size (?P<size>\d{1,12}) "
        r"io_threads (?P<threads>\d{1,6}) bytes \d{1,18} pattern (?P<pattern>sequential|random|rand|seq)"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (
            "bytes/sec: ",
            re.compile(
                rf"^\s{{0,12}}elapsed:\s{{1,12}}(?P<seconds>{_N})\s{{1,12}}ops:\s{{1,12}}(?P<operations>\d{{1,15}})"
                rf"\s{{1,12}}ops/sec:\s{{1,12}}(?P<operations_rate>{_N})\s{{1,12}}bytes/sec:\s{{1,12}}(?P<rate>{_N})"
                r"(?: (?P<unit>[KMGT]?i?)B/s)?(?:\s|$)"
            ),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'elapsed: … ops: … ops/sec: … bytes/sec: …'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        seconds, size = float(figures["seconds"]), int(figures["size"])
        amount = int(figures["operations"]) * size
        what = figures.get("what", "write")
        way = "random_" if figures["pattern"].startswith("rand") else ""
        yield (
            {
                "tool": "rbd",
                "protocol": "file",
                "direction": None if what == "readwrite" else way + what,
                "duration_s": seconds,
                "bytes": amount,
                "throughput_bps": float(figures["operations_rate"]) * size * 8,
                "iops": float(figures["operations_rate"]),
            },
            0.02 + 1 / max(seconds, 1.0),
        )
