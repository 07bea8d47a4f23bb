"""Output of robocopy of Windows: the table of totals, and the rate below it.

Versions: those of Windows XP to 11 and of Windows Server 2003 to 2022, in English, German, French and Spanish.

Units and traps
---------------
- "Speed : 11261345 Bytes/sec." is the bytes copied over the time in which files were copied; the line with MegaBytes
  per minute says the same in powers of 1024. Old versions print neither: the copied bytes over the time count.
- Bytes have three digits with "k", "m", "g" or "t", powers of 1024, unless /BYTES was given.
- A job in which nothing was copied has no rate. FAILED counts files: the run is one that failed.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, scale

_N: Final = r"\d{1,19}(?:[.,]\d{1,3})?"
_BEGINNING: Final = re.compile(r"^\s{0,12}ROBOCOPY {1,12}::")
_BYTES: Final = re.compile(
    rf"^\s{{0,8}}(?:Bytes|Octets|Byte) ?: {{1,24}}(?:{_N} ?[kmgt]?)\s{{1,24}}(?P<copied>{_N}) ?(?P<unit>[kmgt]?)(?=\s)"
)
_FILES: Final = re.compile(
    r"^\s{0,8}(?:Files|Dateien|Fichiers|Archivos) ?: {1,24}\d{1,12} {1,24}\d{1,12} {1,24}\d{1,12} {1,24}\d{1,12} {1,24}"
    r"(?P<failed>\d{1,12})\b"
)
_TIMES: Final = re.compile(
    r"^\s{0,8}(?:Times|Zeiten|Temps|Tiempo|Heures) ?: {1,24}\d{1,4}:\d\d:\d\d {1,24}(?P<copying>\d{1,4}:\d\d:\d\d)\b"
)
_SPEED: Final = re.compile(
    r"^\s{0,8}(?:Speed|Geschwindigkeit|Vitesse|Velocidad) ?: {1,24}(?P<rate>\d{1,15}(?:[.,]\d{3}){0,4})"
    r" (?:Bytes|Octets)/",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"^\s{0,8}(?:Ended|Beendet|Fin|Terminado) ?: ")


class Robocopy:
    """Reader of robocopy."""

    TOOLS: tuple[str, ...] = ("robocopy",)
    VERSIONS: str = "Windows XP to 11"
    HINTS: tuple[str, ...] = ("ROBOCOPY", "Bytes/", "Octets/")
    LATER_HINTS: tuple[str, ...] = (" : ", " :", ": ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._values: dict[str, object] = {}
        self._rounding = 0.0

    def feed(self, line: Line) -> bool:
        """Take a line of the job."""
        if _BEGINNING.match(line.text):
            self.finish()
            self._first = self._last = line.number
            return True
        if self._first is None or not self._figure(line.text):
            return False
        self._last = line.number
        return True

    def finish(self) -> None:
        """The output has ended."""
        first, values = self._first, self._values
        self._first, self._values = None, {}
        if first is None:
            return
        if "bytes" not in values:
            self._findings.problem(
                self._last, "truncated", "found a job without its totals, expected 'Bytes : …'; no run made of it"
            )
            return
        if not values.get("bytes"):
            values["throughput_bps"] = None
        columns = {"tool": "robocopy", "protocol": "file", "error": False, **values}
        self._findings.run(Run(first, self._last, columns, rounding=self._rounding))

    def _figure(self, text: str) -> bool:
        """Take a figure of the totals."""
        values = self._values
        if match := _BYTES.match(text):
            values["bytes"] = round(float(match["copied"].replace(",", ".")) * scale(match["unit"], 1024))
        elif match := _FILES.match(text):
            values["error"] = int(match["failed"]) > 0
        elif match := _TIMES.match(text):
            values["duration_s"] = clock(match["copying"]) or None
            self._rounding = 0.05 + 2 / max(clock(match["copying"]) or 0, 1)
        elif match := _SPEED.match(text):
            values["throughput_bps"] = 8.0 * int(re.sub(r"[.,]", "", match["rate"]))
        else:
            return _ENDED.match(text) is not None
        return True
