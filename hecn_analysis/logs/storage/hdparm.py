"""Output of hdparm: the timed reads of -t and -T.

Versions: 3.x to 9.x, and busybox' own. One line is one run: "Timing buffered disk reads" (-t), "Timing cached reads"
and, before 6.0, "Timing buffer-cache reads" (-T: memory, no disk), "Timing O_DIRECT disk reads" (--direct).

Units and traps
---------------
- MB is 1024 * 1024 bytes, and below 1 MB/s the rate is printed in kB of 1024 bytes. The amount is in whole MB, so bytes
  over duration is not the rate if a slow disk reads a few MB in three seconds.
- Time and rate are printed with two decimals; the rate is the more exact figure. busybox prints "173154 kB/s", kB of
  1024 bytes, at any rate, and truncates the time to two decimals.
- The label says what was read: cached reads measure memory, not the disk.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings

_N: Final = r"\d{1,12}(?:\.\d{1,6})?"
_TIMING: Final = re.compile(
    r"Timing (?P<label>(?:O_DIRECT )?(?:buffered disk|buffer-cache|cached|disk) reads(?: \(offset \d{1,9} GB\))?): "
    rf"{{0,8}}(?:(?P<amount>\d{{1,12}}) ?MB in {{1,3}}(?P<seconds>{_N}) seconds? =\s{{0,8}}(?P<rate>{_N}) "
    r"(?P<unit>[MkK]B)/s(?:ec)?\b|(?P<rest>.{0,400}))"
)
_FAILED: Final = re.compile(
    r"^(?:\S{1,40}\(\) )?failed\b|^(?:read\(\) hit EOF|fsync|ioctl|SG_IO|HDIO_\w{1,30}|BLK\w{1,30}).{0,60}"
)
_BROKEN: Final = re.compile(rf"\d{{1,12}} ?MB in {{1,3}}{_N}(?: seconds?(?: ?=\s{{0,8}}(?:{_N})?)?)?$")
_UNITS: Final = {"MB": 1 << 20, "kB": 1 << 10, "KB": 1 << 10}


class Hdparm:
    """Reader of hdparm."""

    TOOLS: tuple[str, ...] = ("hdparm",)
    VERSIONS: str = "3.x to 9.x: -t, -T, --direct, --offset; busybox"
    HINTS: tuple[str, ...] = ("Timing ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._held: Line | None = None

    def feed(self, line: Line) -> bool:
        """Take a timing line, joining one that a mail program wrapped."""
        held, self._held = self._held, None
        if held is not None:
            text = f"{held.text.rstrip()} {line.text.lstrip(' >')}"
            if line.number - held.number <= 1 and (whole := _TIMING.search(text)) is not None and whole["rate"]:
                return self._timing(Line(line.number, text), held.number)
            self._unfinished(held._replace(complete=False), held.text.rpartition(": ")[2].strip(), None)
        return self._timing(line, line.number)

    def _timing(self, line: Line, first: int) -> bool:
        match = _TIMING.search(line.text) if "Timing " in line.text else None
        if match is None or (match["rate"] is None and line.text[: match.start()].strip()):
            return False
        values: dict[str, object] = {
            "tool": "hdparm",
            "protocol": "file",
            "direction": "read",
            "label": match["label"],
        }
        run = Run(first, line.number, values)
        if match["rate"] is None:
            rest = match["rest"].strip()
            if line.complete and _BROKEN.match(rest):
                self._held = line
                return True
            return self._unfinished(line, rest, run)
        amount, seconds = int(match["amount"]), float(match["seconds"])
        values["bytes"] = amount << 20
        values["duration_s"] = seconds
        values["throughput_bps"] = 8.0 * float(match["rate"]) * _UNITS[match["unit"]]
        run.rounding = 0.01 + 1 / max(amount, 1) + 0.01 / max(seconds, 0.01)
        self._findings.run(run)
        return True

    def finish(self) -> None:
        """The output has ended."""
        held, self._held = self._held, None
        if held is not None:
            self._unfinished(held._replace(complete=False), held.text.rpartition(": ")[2].strip(), None)

    def _unfinished(self, line: Line, rest: str, run: Run | None) -> bool:
        """Judge a line without figures: a failed read, the end of the log, or prose."""
        if not line.complete or not rest:
            self._findings.problem(
                line.number, "truncated", f"found {rest[:200]!r}, expected '… MB in … seconds = … MB/sec'; no run made"
            )
            return True
        if run is None or _FAILED.match(rest) is None:
            return False
        self._findings.problem(
            line.number, "aborted", f"found {rest[:200]!r}, expected '… MB in … seconds = … MB/sec'; a run without them"
        )
        run.columns["error"] = True
        self._findings.run(run)
        return True
