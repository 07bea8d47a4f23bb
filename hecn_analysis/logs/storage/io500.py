"""Results of IO500: the phases that move data, as ``[RESULT] ior-easy-write 420.35 GiB/s : time 869.65 seconds``.

Versions: the C program (2020 and later) and the scripts before it ("[RESULT] BW phase 1 ior_easy_write 6.156 GB/s").

Units and traps
---------------
- GiB/s is 2**30 bytes per second; the scripts divided IOR's MiB by 1024 and wrote GB/s, which is the same.
- Phases of metadata (kIOPS) and the score are no transfers: they are left out.
- A result that the rules do not accept ("[RESULT-invalid]", "[INVALID]") is a measurement all the same.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_RESULT: Final = re.compile(
    r"\[RESULT(?:-invalid)?\s{0,8}\]\s{1,12}(?:BW\s{1,8}phase \d\s{1,12})?"
    r"(?P<phase>ior[-_](?P<name>[a-z0-9_-]{1,30}))\s{1,20}"
    r"(?P<rate>\d{1,9}(?:\.\d{1,6})?) Gi?B/s\s{1,8}: time\s{1,8}(?P<seconds>\d{1,9}(?:\.\d{1,6})?) seconds\b"
)
_OTHER: Final = re.compile(r"^\W{0,8}\[(?:RESULT(?:-invalid)?\s{0,8}\]\s{1,12}.{1,120}kIOPS|SCORE\s{0,8}\])")
_DAMAGED: Final = re.compile(r"^\W{0,8}\[RESULT(?:-invalid)?\s{0,8}\]\s{1,12}(?:BW|ior)")


class Io500:
    """Reader of IO500."""

    TOOLS: tuple[str, ...] = ("io500",)
    VERSIONS: str = "scripts of 2017 to 2019, program of 2020 and later"
    HINTS: tuple[str, ...] = ("[RESULT", "[SCORE")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take the result of a phase."""
        match = _RESULT.search(line.text)
        if match is None:
            if _DAMAGED.match(line.text):
                report_damaged_line(self._findings, line, "'[RESULT] ior-… … GiB/s : time … seconds'; no run made")
                return True
            return _OTHER.match(line.text) is not None
        name = match["name"]
        columns: dict[str, object] = {
            "tool": "io500",
            "protocol": "file",
            "label": match["phase"].replace("_", "-"),
            "direction": next((way for way in ("write", "read") if way in name), None),
            "duration_s": float(match["seconds"]),
            "throughput_bps": 8 * float(match["rate"]) * 2**30,
        }
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Do nothing: every line is a complete run."""
