"""Output of SPDK's perf of NVMe: requests to drives at the PCIe bus, or over a network (NVMe over Fabrics).

Versions: SPDK 18 to 24. One run for each table: its total over all drives and processors.

Units and traps
---------------
- MiB/s is 2**20 bytes a second. The time is that which was asked for (``-t``), and is not printed.
- What it did (``-w randread``) stands in the command only: the direction is missing where the command is, or was mixed.
- The program that owns the drive polls it: no kernel, cache or file system is in the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.parsing.amounts import half_digit

_PROTOCOLS: Final = {"TCP": "tcp", "RDMA": "rdma"}
_WAYS: Final = {"read": "read", "write": "write", "randread": "random_read", "randwrite": "random_write"}


class SpdkPerf(BlockReader):
    """Reader of SPDK's perf."""

    TOOLS: tuple[str, ...] = ("spdk_nvme_perf", "perf")
    VERSIONS: str = "SPDK 18 to 24"
    HINTS: tuple[str, ...] = ("Device Information", " from core ", "Total  ")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(r"^\s{0,8}Device Information\s{1,120}:\s{1,20}IOPS\s{1,20}MiB/s\s")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (
            " from core ",
            re.compile(
                r"^\s{0,8}(?P<transport>[A-Z]{3,8})\s.{0,300} from core\s{1,4}\d{1,4}:"
                r"(?:\s{1,20}\d{1,12}\.\d\d){5}\s{0,8}$"
            ),
        ),
        (
            "Total  ",
            re.compile(
                r"^\s{0,8}Total\s{1,120}:\s{1,20}(?P<iops>\d{1,12}\.\d\d)\s{1,20}(?P<rate>\d{1,9}\.\d\d)"
                r"(?:\s{1,20}\d{1,12}\.\d\d){3}\s{0,8}$"
            ),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("rate", "'Total : … MiB/s'")

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._asked = 0  # line of the command of the table before: each prints one

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        command = self._findings.command
        asked = dict(pairwise(command.arguments)).get("-w", "") if command.line > self._asked else ""
        self._asked = command.line
        yield (
            {
                "tool": "spdk_nvme_perf",
                "protocol": _PROTOCOLS.get(figures.get("transport", ""), "file"),
                "direction": _WAYS.get(asked),
                "throughput_bps": float(figures["rate"]) * 8 * 2**20,
                "iops": float(figures["iops"]),
            },
            half_digit(figures["rate"]),
        )
