"""Output of nccl-tests and rccl-tests: ``all_reduce_perf`` and its like, one row for each message size.

Versions: 2.0 to 2.17.

Units and traps
---------------
- The rate is "algbw" of the out-of-place half: the size over the time, GB are 10**9 bytes. "busbw", which is corrected
  for what the operation moves, compares with the speed of links; it is in the label of the run.
- The time is that of one operation, in microseconds; it is no duration of a run. Sizes below some KiB show 0.00 GB/s,
  and their rate is computed from size and time. The size is in the circumstances.
- "#wrong" above 0 makes the run one with an error. "N/A" is a run that was not checked.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

#: Relative difference that rounding leaves between the rate and size over time.
_TOLERANCE: Final = 0.02

_N: Final = r"\d{1,12}(?:\.\d{1,6})?"
_HEAD: Final = re.compile(
    r"^\s{0,8}#?\s{1,20}size\s{1,20}count\s{1,20}type\s{1,12}.{0,40}\btime\s{1,6}algbw\s{1,6}busbw"
)
_ROW: Final = re.compile(
    rf"^\s{{1,20}}(?P<size>\d{{1,15}})\s{{1,20}}\d{{1,15}}\s{{1,20}}(?P<type>[a-z]\w{{2,12}})\s{{1,12}}(?:[a-z]\w{{2,12}}"
    rf"\s{{1,12}})?(?:-?\d{{1,6}}\s{{1,12}})?(?P<time>{_N})\s{{1,12}}(?P<algorithm>\d{{1,6}}\.\d\d)\s{{1,12}}"
    r"(?P<bus>\d{1,6}\.\d\d)\s{1,12}(?P<wrong>\S{1,12})\s"
)
_REMARK: Final = re.compile(r"^\s{0,8}#?\s{1,60}(?:\(B\)\s|Out of bounds|Avg bus bandwidth|Collective test)")
_LIKE: Final = re.compile(
    r"^\s{1,20}\d{1,15}\s{1,20}\d{1,15}\s{1,20}(?:float|half|double|u?int\d{1,2}|bfloat16|f8\w{0,6})\b"
)


class NcclTests:
    """Reader of nccl-tests."""

    TOOLS: tuple[str, ...] = (
        *("all_reduce_perf", "all_gather_perf", "reduce_scatter_perf", "broadcast_perf", "reduce_perf"),
        *("alltoall_perf", "sendrecv_perf", "gather_perf", "scatter_perf", "hypercube_perf", "nccl-tests"),
    )
    VERSIONS: str = "nccl-tests 2.0 to 2.17, rccl-tests"
    HINTS: tuple[str, ...] = ("algbw", " float ", " half ", " double ", " int8 ", " uint8 ", " bfloat16 ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._is_open = False

    def feed(self, line: Line) -> bool:
        """Take the head or a row."""
        if _HEAD.match(line.text):
            self._is_open = True
            return True
        if not self._is_open:
            return False
        match = _ROW.match(line.text + " ")
        if match is None:
            if _LIKE.match(line.text):
                report_damaged_line(self._findings, line, "a row of size, count, type, time, algbw, busbw; left out")
                return True
            return _REMARK.match(line.text) is not None
        size, seconds, rate = int(match["size"]), float(match["time"]) * 1e-6, float(match["algorithm"])
        wrong = match["wrong"]
        program = self._findings.command.program
        columns: dict[str, object] = {
            "tool": program if program in self.TOOLS else "nccl-tests",
            "throughput_bps": rate * 8e9 if rate >= 1 or not seconds else 8 * size / seconds,
            "circumstances": f"{size} bytes",
            "label": f"bus bandwidth {match['bus']} GB/s",
            "error": wrong.isdecimal() and int(wrong) > 0,
        }
        if columns["error"]:
            self._findings.problem(line.number, "aborted", f"found {wrong} wrong values, expected none")
        if rate >= 1 and seconds and abs(size / seconds - rate * 1e9) > _TOLERANCE * rate * 1e9:
            message = f"found algbw {match['algorithm']} GB/s, expected {size / seconds / 1e9:.2f} from size and time"
            self._findings.problem(line.number, "inconsistent", f"{message}; kept as printed")
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Forget the head."""
        self._is_open = False
