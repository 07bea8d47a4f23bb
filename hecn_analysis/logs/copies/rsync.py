"""Output of rsync: the line with its rate, files with --progress, the log of a client (--log-file) or of a daemon.

Versions: rsync 2.5 to 3.5, Apple's 2.6.9, and openrsync, also that of OpenBSD and macOS.

Units and traps
---------------
- One "sent … bytes  received … bytes  … bytes/sec" is one run; up to 2.6.3 "wrote … bytes  read … bytes". The rate is
  the sum of both directions over the whole run time of the program. `bytes` is the sum of both, as sent over the
  connection, compressed or not. "total size" is the size of all files, moved or not.
- Log files and daemons without -v or --stats print "sent … bytes  received … bytes  total size …": a run without a
  rate.
- Since 3.1 thousands have the separator of the locale ("1,234" or "1.234" bytes), and the rate has two decimals.
- With -h, "K", "M", "G" are powers of 1000, with -hh of 1024, and the line does not show which. The command line
  decides if the log has it; otherwise 1000 is assumed, with a problem of kind `ambiguous`.
- The rates of --progress ("502.16MB/s", powers of 1024) belong to a file or to its last moment. If no "sent …" follows
  (without -v it never does) they make a run without a rate, and the log counts as truncated unless nothing is left to
  check ("to-chk=0/…"). The last line of a copy of one file, or of one with --info=progress2, has the size, the mean
  rate and the time of the whole copy (progress.c): a run with a rate, if size and time agree with it.
- openrsync prints rsync's line without separators and decimals; its first versions "Transfer complete: 28.61 MB sent,
  44 B read, 28.61 MB file size" (powers of 1024): a run without a rate.
- "UNKNOWN bytes/sec" is a run without a rate.
- openrsync says "rsync(PID): error: …" of each file, and of a failed copy "rsync(PID): warning: child … exited with
  status 23": one run, failed.
- "rsync error: …" marks the run as failed, also where most files were copied (code 23). "rsync warning: …" does not.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import decimal, grouped, scale

_N: Final = r"\d[\d.,'’\u00a0\u202f]{0,30}[KMGTPE]?"
_SENT: Final = re.compile(
    rf"(?:^|[\s\]])(?:sent|wrote) (?P<sent>{_N}) bytes {{1,4}}(?:received|read) (?P<received>{_N}) bytes {{1,4}}"
    rf"(?:(?:(?P<rate>{_N})|UNKNOWN) bytes/sec|total size (?:is )?{_N})"
)
_COMPLETE: Final = re.compile(
    r"(?:^|[\s\]])Transfer complete: (?P<one>\d{1,9}(?:\.\d{1,3})?) (?P<one_unit>[KMG]?)B (?:sent|read), "
    r"(?P<other>\d{1,9}(?:\.\d{1,3})?) (?P<other_unit>[KMG]?)B (?:read|sent), \d{1,9}(?:\.\d{1,3})? [KMG]?B file size"
)
_TOTAL: Final = re.compile(rf"(?:^|[\s\]])total size is {_N} {{1,4}}speedup is ")
_CUT: Final = re.compile(rf"(?:^|[\s\]])(?:sent|wrote) {_N} bytes {{1,4}}(?:received|read)\b")
_PROGRESS: Final = re.compile(
    rf"(?:^|\s)(?P<size>{_N})\s{{1,8}}(?P<percent>\d{{1,3}})%\s{{1,8}}(?P<rate>\d{{1,9}}[.,]\d\d)(?P<unit>[kKMGT]?)B/s"
    r"\s{1,8}(?P<hours>\d{1,6}):(?P<minutes>\d\d):(?P<seconds>\d\d)"
    r"(?P<last>\s{1,8}\((?:xfe?r#(?P<file>\d{1,12}), )?.{0,40}to-che?c?k=0/\d{1,12}\))?"
)
_HEADS: Final = re.compile(
    r"(?:^|\] |[\s])(?:(?P<send>(?:sending incremental|building) file list|rsync on \S)|"
    r"(?P<receive>receiving (?:incremental )?file list|rsync to \S))"
)
_ERROR: Final = re.compile(r"(?:^|[\s\]])rsync error: (?P<text>.{1,400})")
_OPEN_ERROR: Final = re.compile(
    r"(?:^|[\s\]])rsync\(\d{1,9}\): (?:error: (?P<text>.{1,400})"
    r"|warning: child \d{1,9} (?P<status>exited with status [1-9]\d{0,2}))"
)
_NEAR: Final = 8


class Rsync:
    """Reader of rsync."""

    TOOLS: tuple[str, ...] = ("rsync",)
    VERSIONS: str = "2.5 to 3.5, Apple's 2.6.9, openrsync"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("sent ", "wrote ", "speedup is", "B/s", "file list", "rsync ", "rsync(", " file size")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._progress = 0
        self._complete = False
        self._whole: dict[str, float] = {}
        self._direction: str | None = None
        self._run: Run | None = None
        self._error: Line | None = None

    def feed(self, line: Line) -> bool:  # noqa: C901, PLR0911 - one for each kind of line
        """Take a line of rsync's."""
        text = line.text
        if match := _SENT.search(text):
            self._sent(line, match)
            return True
        if match := _COMPLETE.search(text):
            self._completed(line, match)
            return True
        if _TOTAL.search(text):
            if self._run is not None and line.number <= self._run.line_last + 2:
                self._run.line_last = line.number
            return True
        if match := _PROGRESS.search(text):
            if self._error is not None:
                self._close()
            self._first = line.number if self._first is None else self._first
            self._progress = line.number
            self._complete = match["percent"] == "100" and match["last"] is not None
            self._whole = self._of_whole(match) if self._complete else {}
            return True
        if match := _HEADS.search(text):
            return self._head(line, match)
        if match := _ERROR.search(text):
            self._failed(line, match["text"].strip())
            return True
        if match := _OPEN_ERROR.search(text):
            self._open_failed(line, match)
            return True
        if _CUT.search(text):
            expected = "'sent … bytes  received … bytes  … bytes/sec'; no run made of it"
            report_damaged_line(self._findings, line, expected)
            self._forget()
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _head(self, line: Line, match: re.Match[str]) -> bool:
        """Take the first line of a copy; inside an open copy it changes nothing."""
        if self._progress or self._error is not None:
            self._close()
        if self._first is None:
            self._first = line.number
            self._direction = "send" if match["send"] else "receive"
        return True

    def _of_whole(self, match: re.Match[str]) -> dict[str, float]:
        """Size, rate and time of a copy from its last line, if they agree; empty if it is that of one file of many."""
        if match["file"] != "1" and "--info=progress2" not in self._findings.command.arguments:
            return {}
        if match["size"][-1].isalpha():
            return {}
        seconds = 3600 * int(match["hours"]) + 60 * int(match["minutes"]) + int(match["seconds"])
        size, rate = float(grouped(match["size"])), decimal(match["rate"]) * scale(match["unit"].upper(), 1024)
        if not (seconds - 1) * rate <= size <= (seconds + 1) * rate or not rate > 0:
            return {}
        return {"bytes": round(size), "throughput_bps": 8 * rate, "duration_s": size / rate}

    def _forget(self) -> None:
        self._first, self._progress, self._direction, self._whole = None, 0, None, {}

    def _sent(self, line: Line, match: re.Match[str]) -> None:
        if self._error is not None and line.number > self._error.number + _NEAR:
            self._close()
        amounts = [match["sent"], match["received"]]
        printed = [*amounts, match["rate"] or ""]
        base = 1000
        if any(number[-1:].isalpha() for number in printed):
            base = self._base(line)
        values: dict[str, object] = {
            "tool": "rsync",
            "protocol": "file",
            "direction": self._direction,
            "bytes": sum(round(_amount(number, base)) for number in amounts),
            "throughput_bps": 8 * _rate(match["rate"], base) if match["rate"] else None,
            "error": self._error is not None,
        }
        first = line.number if self._first is None else self._first
        if self._error is not None:
            first = min(first, self._error.number)
        self._run, self._error = Run(first, line.number, values), None
        self._findings.run(self._run)
        self._forget()

    def _completed(self, line: Line, match: re.Match[str]) -> None:
        """Take the end of openrsync, which has no rate."""
        if self._error is not None:
            self._close()
        amount = sum(float(match[name]) * scale(match[f"{name}_unit"], 1024) for name in ("one", "other"))
        values: dict[str, object] = {
            "tool": "rsync",
            "protocol": "file",
            "direction": self._direction,
            "bytes": round(amount),
            "error": False,
        }
        self._run = Run(line.number if self._first is None else self._first, line.number, values)
        self._findings.run(self._run)
        self._forget()

    def _base(self, line: Line) -> int:
        """Return 1000 or 1024 for K, as the command line requests."""
        command: Command = self._findings.command
        if command.program == "rsync":
            short = "".join(word[1:] for word in command.arguments if re.fullmatch(r"-[a-zA-Z]{1,40}", word))
            levels = short.count("h") + command.arguments.count("--human-readable")
            if levels:
                return 1024 if levels > 1 else 1000
        self._findings.problem(
            line.number,
            "ambiguous",
            f"found {line.text.strip()[:200]!r} and no command line, expected to know whether K is 1000 (-h) or 1024 "
            "(-hh); 1000 taken",
        )
        return 1000

    def _open_failed(self, line: Line, match: re.Match[str]) -> None:
        """Take an error of openrsync: all those of one copy, and its status, are one failure."""
        is_same = self._error is not None and line.number <= self._error.number + _NEAR
        if is_same or (match["status"] and self._run is not None and self._run.columns["error"]):
            self._error = line if is_same else None
            return
        self._failed(line, (match["text"] or f"a child that {match['status']}").strip())

    def _failed(self, line: Line, text: str) -> None:
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a copy without an error")
        run = self._run
        if run is not None and self._first is None and line.number <= run.line_last + _NEAR:
            run.columns["error"] = True
            run.line_last = line.number
            self._run = None
            return
        if self._error is not None:
            self._close()
        self._error = line

    def _close(self) -> None:
        """Hand over a copy that ended without its summary."""
        first, direction = self._first, self._direction
        values: dict[str, object] = {"tool": "rsync", "protocol": "file", "direction": direction}
        if self._error is not None:
            number = self._error.number
            first = number if first is None else min(first, number)
            self._findings.run(Run(first, number, {**values, "error": True}))
        elif self._progress and first is not None:
            if not self._complete:
                self._findings.problem(
                    self._progress,
                    "truncated",
                    "found progress and no end, expected 'sent … bytes  received … bytes  … bytes/sec'; run without a "
                    "rate",
                )
            self._findings.run(Run(first, self._progress, {**values, **self._whole, "error": False}))
        self._error = None
        self._forget()


def _amount(text: str, base: int) -> float:
    """Return bytes from a whole number, or one with a prefix."""
    return decimal(text[:-1]) * scale(text[-1], base) if text[-1].isalpha() else float(grouped(text))


def _rate(text: str, base: int) -> float:
    """Return the rate [B/s] from a number with two decimals, with or without a prefix."""
    return decimal(text[:-1]) * scale(text[-1], base) if text[-1].isalpha() else decimal(text)
