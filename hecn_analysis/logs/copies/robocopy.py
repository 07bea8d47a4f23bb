"""Output of robocopy of Windows: the table of totals, and the rate below it.

Versions: those of Windows XP to 11 and of Windows Server 2003 to 2022, in English, German, French and Spanish.

A summary pasted without the lines above its columns is read too.

Units and traps
---------------
- "Speed : 11261345 Bytes/sec." is the bytes copied over the time in which files were copied; the line with MegaBytes
  per minute says the same in powers of 1024, and counts where it stands alone. Old versions print neither: the copied
  bytes over the time count.
- With /MT the time of copying, and so the speed, adds up what each thread took. If it is longer than the job, the time
  from start to end of the job counts; of a job with /MT whose start and end are not on one day they are left out.
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
_COLUMNS: Final = re.compile(
    r"^\s{0,30}(?:Total {1,12}Copied {1,12}Skipped|Insgesamt {1,12}Kopiert|Total {1,12}Copié|Total {1,12}Copiado)\b"
)
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
_PER_MINUTE: Final = re.compile(
    r"^\s{0,8}(?:Speed|Geschwindigkeit|Vitesse|Velocidad) ?: {1,24}(?P<whole>\d{1,12})[.,](?P<part>\d{3})"
    r" (?:M[eé]ga ?(?:bytes|octets)|MB|Mo)/ ?min",
    re.IGNORECASE,
)
_STARTED: Final = re.compile(r"^\s{0,8}(?:Started|Gestartet|Début|Démarré|Inicio) ?: (?P<when>.{8,60})")
_ENDED: Final = re.compile(r"^\s{0,8}(?:Ended|Beendet|Fin|Terminé|Terminado) ?: (?P<when>.{8,60})")
_CLOCK: Final = re.compile(r"\b(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)\b(?: ?(?P<half>[AP])M\b)?")
_OPTIONS: Final = re.compile(r"^\s{0,8}Option(?:s|en|es)? ?: .{0,200}/MT\b")
_HALF_DAY_H: Final = 12


class Robocopy:
    """Reader of robocopy."""

    TOOLS: tuple[str, ...] = ("robocopy",)
    VERSIONS: str = "Windows XP to 11"
    HINTS: tuple[str, ...] = ("ROBOCOPY", "Bytes/", "Octets/", "Copied", "Kopiert", "Copié", "Copiado")
    LATER_HINTS: tuple[str, ...] = (" : ", " :", ": ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._values: dict[str, object] = {}
        self._rounding = 0.0
        self._started = ""
        self._ended = ""
        self._has_threads = False

    def feed(self, line: Line) -> bool:
        """Take a line of the job."""
        if _BEGINNING.match(line.text):
            self.finish()
            self._first = self._last = line.number
            return True
        if _COLUMNS.match(line.text):
            if "bytes" in self._values:
                self.finish()
            self._first, self._last = self._first or line.number, line.number
            return True
        if self._first is None or not self._figure(line.text):
            return False
        self._last = line.number
        return True

    def finish(self) -> None:
        """The output has ended."""
        first, values = self._first, self._values
        started, ended, has_threads = self._started, self._ended, self._has_threads
        self._first, self._values, self._started, self._ended, self._has_threads = None, {}, "", "", False
        if first is None:
            return
        if "bytes" not in values:
            self._findings.problem(
                self._last, "truncated", "found a job without its totals, expected 'Bytes : …'; no run made of it"
            )
            return
        elapsed = _elapsed_s(started, ended)
        copying = values.get("duration_s")
        if not values.get("bytes"):
            values["throughput_bps"] = None
        elif elapsed and isinstance(copying, float) and copying > elapsed + 2:
            values |= {"duration_s": elapsed, "throughput_bps": None}
            self._rounding = 0.05 + 2 / elapsed
        elif has_threads and not elapsed:
            values |= {"duration_s": None, "throughput_bps": None}
            expected = "its start and end on one day, as its times are sums over threads; time and speed left out"
            self._findings.problem(self._last, "ambiguous", f"found a job with /MT, expected {expected}")
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
        elif match := _PER_MINUTE.match(text):
            values.setdefault("throughput_bps", 8 * 2**20 / 60 * float(f"{match['whole']}.{match['part']}"))
        elif match := _STARTED.match(text):
            self._started = match["when"]
        elif match := _ENDED.match(text):
            self._ended = match["when"]
        elif _OPTIONS.match(text):
            self._has_threads = True
        else:
            return False
        return True


def _elapsed_s(started: str, ended: str) -> float | None:
    """Return the seconds between two times of one day; None where the days differ or a time is missing."""
    first, last = _CLOCK.search(started), _CLOCK.search(ended)
    if first is None or last is None or _CLOCK.sub("", started).split() != _CLOCK.sub("", ended).split():
        return None
    seconds = _second_of_day(last) - _second_of_day(first)
    return float(seconds) if seconds >= 0 else None


def _second_of_day(match: re.Match[str]) -> int:
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % _HALF_DAY_H + (_HALF_DAY_H if match["half"] == "P" else 0)
    return 3600 * hour + 60 * int(match["minute"]) + int(match["second"])
