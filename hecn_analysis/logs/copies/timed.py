r"""Copies that a shell's ``time`` measured: cp, mv, tar and others that print nothing themselves.

Versions: times of bash, zsh, GNU time and BSD; sizes of ``ls -l`` and ``du``.

Units and traps
---------------
- "real" is the duration. The amount is that of a file or directory that the command names, as ``ls -l`` or ``du`` shows
  it in the lines above. Without one, a run has its duration and no rate.
- ``du`` counts blocks in use, in KiB or, with -h, in powers of 1024 with two or three digits.
- A copy that ends may still be in the page cache: its rate is that of memory, unless ``sync`` is timed with it.
- The tool is ``timed-copy``, and the program is in the circumstances. Programs that print a result of their own, such
  as scp or dd, make their own runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.timings import HINTS, Timing, Timings

_PROGRAMS: Final = frozenset(
    {"cp", "mv", "tar", "rsync", "cat", "gcp", "bsdtar", "cpio", "pax", "install", "scp", "gzip", "pigz", "zstd"}
)
_LISTED: Final = re.compile(
    r"^[-l][rwxsStT-]{9}[.+@]?\s{1,4}\d{1,6}\s{1,8}\S{1,40}\s{1,12}\S{1,40}\s{1,16}(?P<amount>\d{1,15})(?P<unit>)\s{1,4}"
    r"(?:\w{3}\s{1,3}\d{1,2}\s{1,3}[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d)\s{1,4}(?P<name>\S.{0,300})$"
)
_USED: Final = re.compile(r"^(?P<amount>\d{1,12}(?:[.,]\d{1,2})?)(?P<unit>[KMGTP]?)\t\s{0,8}(?P<name>\S.{0,300})$")
_IN_BYTES: Final = re.compile(r"\bdu\s.{0,80}(?:-\w{0,8}b|--bytes)")


class Timed:
    """Reader of timed copies."""

    TOOLS: tuple[str, ...] = ("timed-copy",)
    VERSIONS: str = "any"
    HINTS: tuple[str, ...] = HINTS

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._timings = Timings()
        self._sizes: dict[str, tuple[int, float]] = {}

    def feed(self, line: Line) -> bool:
        """Read a line of ``time`` without claiming it: other readers may need it."""
        if "time " in line.text:
            self._sizes.update(_sizes(line_before.text for line_before in self._findings.recent))
        timing = self._timings.feed(line.number, line.text)
        if timing is None or timing.program not in _PROGRAMS or self._findings.claimed > timing.first:
            return False
        self._hand_over(timing)
        return True

    def finish(self) -> None:
        """Do nothing: a timing is complete, or no run."""

    def _hand_over(self, timing: Timing) -> None:
        known = (self._sizes.get(_base(word)) for word in timing.words[1:])
        amount, rounding = next((size for size in known if size is not None), (None, 0.0))
        values: dict[str, object] = {
            "tool": "timed-copy",
            "protocol": "file",
            "circumstances": timing.program,
            "label": " ".join(timing.words)[:200],
            "bytes": amount,
            "duration_s": timing.real_s,
            "throughput_bps": None if amount is None else 8 * amount / timing.real_s,
        }
        self._findings.run(Run(timing.first, timing.last, values, rounding=0.01 + rounding))


def _sizes(lines: Iterable[str]) -> dict[str, tuple[int, float]]:
    """Sizes that ``ls -l`` and ``du`` show, by the last part of the names: bytes, and their relative rounding."""
    sizes = {}
    is_bytes = False
    for text in lines:
        is_bytes = is_bytes or _IN_BYTES.search(text) is not None
        if (match := _LISTED.match(text) or _USED.match(text)) is None:
            continue
        unit = match["unit"] or ("B" if "\t" not in text or is_bytes else "K")
        amount = float(match["amount"].replace(",", ".")) * scale(unit, 1024)
        sizes[_base(match["name"])] = round(amount), 0.05 if match["unit"] else 0.0
    return sizes


def _base(name: str) -> str:
    """The last part of a path."""
    return name.rstrip("/").rpartition("/")[2]
