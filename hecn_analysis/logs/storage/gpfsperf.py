"""Output of gpfsperf, the performance sample of GPFS (IBM Spectrum Scale), also with MPI.

Versions: GPFS 1.3 to Spectrum Scale 5.x. One line "Data rate was …" is one run. Above it stand the echoed command
("gpfsperf create seq FILE"), sizes, and numbers of processes and threads. The wording is that of examples in manuals:
no logs are public.

Units and traps
---------------
- "Kbytes/sec" is 1000 bytes per second in some releases and 1024 in others, and no line says which. If operations per
  second are printed, they and the record size decide. Otherwise a line that ends in ``bytesTransferred`` counts as
  1000, any other as 1024, and a problem says so.
- "recSize 8M": K, M and G are powers of 1024.
- ``nBytes`` is the requested amount; ``bytesTransferred`` is the amount moved. The time is not printed: it is bytes
  over rate if both are known.
- ``nProcesses`` times ``nThreadsPerProcess`` is the number of streams.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,15}(?:\.\d{1,6})?"
_COMMAND: Final = re.compile(
    r"(?:^|[\s/])gpfsperf(?:-mpi)? (?P<operation>create|read|write|uncache) {1,3}"
    r"(?P<pattern>seq|rand|randhint|strided)\b"
)
_SIZES: Final = re.compile(
    r"^\s*+recSize (?P<record>\d{1,15})(?P<unit>[KMGT]?) {1,3}nBytes \S{1,30} {1,3}fileSize \S{1,30}"
)
_PROCESSES: Final = re.compile(
    r"^\s*+nProcesses (?P<processes>\d{1,9})(?: {1,3}nThreadsPerProcess (?P<threads>\d{1,9}))?"
)
_RATE: Final = re.compile(
    rf"Data rate was (?P<rate>{_N}) Kbytes/sec"
    rf"(?:, (?:iops was|Op Rate was) (?P<operations>{_N})(?: Ops/sec)?)?"
    rf"(?:, Avg Latency was {_N} milliseconds)?(?:, thread utilization {_N})?"
    r"(?:, bytesTransferred (?P<bytes>\d{1,18}))?"
)
_STEPS: Final = re.compile(
    r"^ {1,4}(?:file cache flushed|not using|using |offsets accessed|not releasing|releasing|no fsync|fsync|"
    r"CPU utilization:)"
)
_DIRECTIONS: Final = {
    ("read", "seq"): "read",
    ("read", "rand"): "random_read",
    ("read", "strided"): "stride_read",
    ("write", "seq"): "write",
    ("write", "rand"): "random_write",
    ("write", "strided"): "stride_write",
}
_SAME: Final = 0.005


class Gpfsperf:
    """Reader of gpfsperf."""

    TOOLS: tuple[str, ...] = ("gpfsperf",)
    VERSIONS: str = "GPFS 1.3 to Spectrum Scale 5.x, as their manuals show it"
    HINTS: tuple[str, ...] = ("gpfsperf", "recSize ", "nProcesses ", "Data rate was ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._first: int | None = None
        self._operation: tuple[str, str] | None = None
        self._label: str | None = None
        self._record: int | None = None
        self._streams: int | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of gpfsperf's."""
        text = line.text
        if (match := _RATE.search(text)) is not None and (self._first is not None or "Kbytes/sec," in text):
            self._hand_over(line, match)
            return True
        if (match := _COMMAND.search(text)) is not None:
            if self._record is not None:
                self._finish_unfinished()
            self._forget()
            self._first = line.number
            pattern = "rand" if match["pattern"] == "randhint" else match["pattern"]
            self._operation = (match["operation"].replace("create", "write"), pattern)
            self._label = f"{match['operation']} {match['pattern']}"
            return True
        if (match := _SIZES.match(text)) is not None:
            self._first = self._first or line.number
            self._record = int(match["record"]) * int(scale(match["unit"] or "", 1024))
            return True
        if (match := _PROCESSES.match(text)) is not None and self._record is not None:
            self._streams = int(match["processes"]) * int(match["threads"] or 1)
            return True
        return self._first is not None and _STEPS.match(text) is not None

    def finish(self) -> None:
        """The output has ended."""
        if self._record is not None:
            self._finish_unfinished()

    def _finish_unfinished(self) -> None:
        self._findings.problem(
            self._first, "truncated", "found the sizes of a test and no result, expected 'Data rate was … Kbytes/sec'"
        )
        self._forget()

    def _hand_over(self, line: Line, match: re.Match[str]) -> None:
        rate = float(match["rate"])
        kilo = self._kilo(line, match, rate)
        amount = int(match["bytes"]) if match["bytes"] else None
        throughput = 8.0 * rate * kilo
        values: dict[str, object] = {
            "tool": "gpfsperf",
            "protocol": "file",
            "label": self._label,
            "direction": _DIRECTIONS.get(self._operation) if self._operation else None,
            "bytes": amount,
            "duration_s": 8.0 * amount / throughput if amount is not None and throughput > 0 else None,
            "throughput_bps": throughput,
            "iops": float(match["operations"]) if match["operations"] else None,
            "streams": self._streams or None,
        }
        self._findings.run(Run(self._first or line.number, line.number, values))
        self._forget()

    def _kilo(self, line: Line, match: re.Match[str], rate: float) -> int:
        """Return the bytes in a Kbyte, judged by the operations per second."""
        if match["operations"] and self._record and rate > 0:
            operations = float(match["operations"])
            kilo = operations * self._record / rate
            slack = _SAME + 0.005 / max(operations, 0.005)
            fitting = [base for base in (1000, 1024) if abs(kilo / base - 1) <= slack]
            if len(fitting) == 1:
                return fitting[0]
        kilo_taken = 1000 if match["bytes"] else 1024
        self._findings.problem(
            line.number,
            "ambiguous",
            f"found a rate in Kbytes/sec and nothing that tells 1000 from 1024 bytes; {kilo_taken} taken",
        )
        return kilo_taken
