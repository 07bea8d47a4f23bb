"""Output of gdsio of NVIDIA's GPUDirect Storage: reads and writes between files and the memory of GPUs.

Versions: CUDA 11.4 to 13. One run for each line.

Units and traps
---------------
- GiB/sec is 2**30 bytes a second. The first figure of DataSetSize is what was moved, in KiB.
- XferType says the way: GPUD is direct, CPU_GPU goes through the memory of the host, CPUONLY stays there.
- A direct way that is not supported falls back to that through the host: the line does not say so.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_LINE: Final = re.compile(
    r"\bIoType: (?P<what>[A-Z]{4,12}) XferType: (?P<way>\w{3,20}) Threads: (?P<threads>\d{1,6})\s{1,4}"
    r"DataSetSize: (?P<kib>\d{1,15})(?:/\d{1,15})?\(KiB\) IOSize: [\d-]{1,40}\(KiB\) "
    r"Throughput: (?P<rate>\d{1,6}\.\d{1,9}) GiB/sec, Avg_Latency: \S{1,24} usecs ops: \d{1,15} "
    r"total_time (?P<seconds>\d{1,9}\.\d{1,9}) secs"
)
_WAYS: Final = {"READ": "read", "WRITE": "write", "RANDREAD": "random_read", "RANDWRITE": "random_write"}


class Gdsio:
    """Reader of gdsio."""

    TOOLS: tuple[str, ...] = ("gdsio",)
    VERSIONS: str = "CUDA 11.4 to 13"
    HINTS: tuple[str, ...] = ("IoType: ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take a result."""
        match = _LINE.search(line.text)
        if match is None:
            if "IoType: " in line.text and "XferType: " in line.text:
                report_damaged_line(self._findings, line, "'IoType: … total_time … secs'; left out")
                return True
            return False
        columns: dict[str, object] = {
            "tool": "gdsio",
            "protocol": "file",
            "direction": _WAYS.get(match["what"]),
            "streams": int(match["threads"]),
            "bytes": int(match["kib"]) * 1024,
            "duration_s": float(match["seconds"]),
            "circumstances": f"transfer {match['way']}",
            "throughput_bps": float(match["rate"]) * 8 * 2**30,
        }
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Do nothing: a line is a run."""
