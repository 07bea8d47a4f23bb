"""Output of dd: bytes copied, duration and rate.

Versions: GNU coreutils 5.3 to 9.x ("… copied, 0.6 s, 1.1 GB/s"; before 6.0 "seconds"; before 5.93 "bytes transferred
in"), in English and in other languages; FreeBSD, NetBSD, OpenBSD and macOS ("bytes transferred in … secs (…
bytes/sec)"); busybox; toybox; uutils.

Units and traps
---------------
- GNU's kB, MB, GB are decimal. busybox writes "512.0KB" without a space and toybox "512 K": there K is 1024. The rate
  is computed from bytes and seconds, which are exact; the printed rate has two or three digits and is only compared.
  BSD prints bytes per second exactly and rounds the seconds: there the printed rate is read.
- "of=/dev/null" is a read, "if=/dev/zero" (or random) a write; a label "Read:" or "Write:" says the same. Any other run
  is a copy without a direction.
- ``status=progress`` prints the total so far between carriage returns: these are intervals of the run.
- Other locales print a decimal comma and other words, French with non-breaking blanks. The reader recognises these
  lines by numbers and units.
- dd prints its report after an error too: the run then has figures, and `error` is true.
- A report on a signal (USR1, INFO) looks like the final one: it is read as a run of its own.
- Simultaneous copies may write into each other's lines ("1.0 kB/s1+0 records in"), and mail programs wrap reports.
- Very old and some small versions print only "records in" and "records out": no run, and a problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Array, Command, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_N: Final = r"\d{1,12}(?:[.,]\d{1,12})?(?:e[-+]?\d{1,2})?"
_START: Final = r"(?<![\w.,+-])(?P<bytes>\d{1,19})"
_HUMAN: Final = r"[ \t]?[(（][^()（）]{1,40}[)）]"
_SECONDS: Final = r"(?:s|secs?|seconds?|Sek\w*\.?|sek\w*\.?|с|сек\w*\.?|秒|mp|giây)"
_COPIED: Final = re.compile(
    rf"{_START}[ \t]?(?P<noun>[^\W\d_]{{1,12}}+)(?P<human>{_HUMAN})?"
    rf"(?P<verb>[ \t]?[^\W\d_][^\d,，、]{{0,30}}?)?[,，、][ \t]?(?P<seconds>{_N})[ \t]?{_SECONDS}"
    rf"[,，、][ \t]?(?P<rate>{_N}|[Ii]nf\w*)[ \t]?(?P<unit>[kKMGTPEZYRQ]?)(?P<binary>i?)B?/(?:s|sec|с|秒|mp|giây)"
    r"(?:(?!\w)|(?=\d{1,12}\+\d))"
)
_TRANSFERRED: Final = re.compile(
    rf"{_START} bytes(?P<human>{_HUMAN})? transferred (?:in )?(?P<seconds>{_N}) ?s(?:ecs?|econds?)?"
    rf"(?: \((?P<rate>\d{{1,18}}) bytes/sec|, (?P<rate2>{_N}) (?P<unit>[kKMGTPE]?)(?P<binary>i?)B/s)"
)
_CUT: Final = re.compile(rf"{_START} bytes(?:{_HUMAN} (?:copied|transferred)| transferred in)")
_BULLETS: Final = " \t-–—*•·«»>[#|`"
_RECORDS: Final = re.compile(
    r"(?<![\w.+-])\d{1,12}\+\d{1,12} (?:records? (?:in|out)\b|[^\W\d_]{2,20}(?: [^\W\d_]{1,12}){0,3}\s*$)"
    r"|^\S{0,12}\d{1,12}\+\d{1,12} ?的(?:读入|写出|讀入|寫出)"
    r"|(?<![\w.+-])\d{1,12}\+\d{1,12} レコード"
)
_MESSAGE: Final = re.compile(r"(?:^|[\s#>])(?:[\w./-]{0,60}/)?dd: (?P<text>\S.{0,400})")
_HARMLESS: Final = re.compile(r"warning:|\d+ truncated records?|\d+ bytes? truncated", re.IGNORECASE)
_NEVER_BEGAN: Final = re.compile(
    r"open|No such file|denied|not permitted|Is a directory|busy|unrecogni[sz]ed|unknown|invalid|illegal|bad ",
    re.IGNORECASE,
)
_BROKE: Final = re.compile(
    r"(?:error )?(?:reading|writing|closing)\b|No space left|Input/output error|File too large|short (?:read|write)"
)
_LIKE_REPORT: Final = re.compile(r"^\W{0,8}\d{1,19}[ \t]?[^\W\d_]")
_TO_NOWHERE: Final = re.compile(r"of=/dev/null$")
_FROM_NOWHERE: Final = re.compile(r"if=/dev/(?:zero|u?random|full)$")
_WAYS: Final = re.compile(r"(?P<read>\bread)|(?P<write>\bwrit)", re.IGNORECASE)
_VERBS_IN_FRONT: Final = ("skopiowan", "zkopírován", "skopírovan", "скопирован", "скопійован", "複製了", "复制了")
_RECORD_WORDS: Final = ("record", "registr", "zapis")
_POWERS: Final = "KMGTPEZYRQ"
_NEAR: Final = 400


@dataclass(frozen=True)
class _Report:
    """A line with figures: the final one of a run, or one of ``status=progress``."""

    line: Line
    label: str | None
    amount: int
    seconds: float
    texts: dict[str, str]


@dataclass
class _OpenRun:
    """A run before its final report."""

    first: int
    last: int
    command: Command
    records: bool = False
    failed: bool = False
    reports: list[_Report] = field(default_factory=list)


class Dd:
    """Reader of dd."""

    TOOLS: tuple[str, ...] = ("dd",)
    VERSIONS: str = "GNU coreutils 5.3 to 9.x in any language, BSD and macOS, busybox, toybox, uutils"
    HINTS: tuple[str, ...] = (*(f"+{digit}" for digit in "0123456789"), "bytes", "/с", "/秒", "dd:")
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = tuple(("/s", comma) for comma in ",，、")
    LATER_HINTS: tuple[str, ...] = ("/s",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None
        self._held: Line | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of dd's."""
        if self._held is not None and self._joined(line):
            return True
        if "\u00a0" in line.text:
            line = line._replace(text=line.text.replace("\u00a0", " "))
        text, opened = line.text, self._open
        if opened is not None and not opened.last <= line.number <= opened.last + _NEAR:
            self._close()
        match = _COPIED.search(text) or _TRANSFERRED.search(text)
        if match is not None and (report := self._accepted(line, match)) is not None:
            self._report(report)
            return True
        if _RECORDS.search(text) and self._is_record(text):
            self._records(line)
            return True
        if (message := _MESSAGE.search(text)) is not None:
            return self._message(line, message["text"])
        return self._damaged(line)

    def finish(self) -> None:
        """The output has ended."""
        held, self._held = self._held, None
        if held is not None:
            self._report_unusable(held)
        self._close()

    def _joined(self, line: Line) -> bool:
        """Join a wrapped report, or report the first half as unusable."""
        held, self._held = self._held, None
        if held is None:
            return False
        text = f"{held.text.rstrip()} {line.text.lstrip(' >')}"
        match = _COPIED.search(text) or _TRANSFERRED.search(text)
        report = self._accepted(Line(line.number, text), match) if match is not None else None
        if report is not None and line.number - held.number <= 1:
            self._report(report)
            return True
        self._report_unusable(held)
        return False

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, self._findings.command)
        self._open.last = line.number
        return self._open

    def _accepted(self, line: Line, match: re.Match[str]) -> _Report | None:
        """Return a report; in another language only with a size in brackets or after dd's records."""
        known = {name.rstrip("2"): value for name, value in match.groupdict().items() if value is not None}
        english = match.re is _TRANSFERRED or (
            known["noun"] in {"bytes", "byte"} and (known.get("verb") or "").strip() == "copied"
        )
        near = self._open is not None and (self._open.records or bool(self._open.reports))
        if not (english or near or "B" in known.get("human", "")):
            return None
        before = line.text[: match.start()].strip(_BULLETS).rstrip(" :;")
        named = any(character.isalpha() for character in before) and not before.casefold().startswith(_VERBS_IN_FRONT)
        label = before[-120:] if named else None
        return _Report(line, label, int(known["bytes"]), _number(known["seconds"]), known)

    def _is_record(self, text: str) -> bool:
        known = not text.isascii() or any(word in text for word in _RECORD_WORDS)
        return known or self._findings.command.program == "dd"

    def _records(self, line: Line) -> None:
        """Take the records, which precede the final report; reports right above were progress."""
        opened = self._open
        if opened is not None and opened.reports and not opened.records:
            last = opened.reports[-1]
            if last.label is not None or line.number - last.line.number > 2 or not _on_the_way(last):
                self._close()
        self._begin(line).records = True

    def _report(self, report: _Report) -> None:
        opened = self._open
        if opened is not None and opened.reports and not opened.records and not _follows(opened.reports[-1], report):
            self._close()
        opened = self._begin(report.line)
        opened.reports.append(report)
        if opened.records:
            self._close()

    def _message(self, line: Line, text: str) -> bool:
        if _HARMLESS.match(text):
            return True
        near = self._open is not None or self._findings.command.program == "dd"
        if not (near or _BROKE.search(text) or text.startswith(("failed to open", "can't open"))):
            return False
        if self._open is not None and not self._open.records:
            self._close()
        self._findings.problem(line.number, "aborted", f"found {text.strip()!r}, expected the report of a copy")
        self._begin(line).failed = True
        if _NEVER_BEGAN.search(text) and not _BROKE.search(text):
            self._close()
        return True

    def _damaged(self, line: Line) -> bool:
        """Take a line in place of the report, or a truncated report."""
        opened = self._open
        after_records = opened is not None and opened.records and line.number - opened.last <= 2
        if not ((after_records and _LIKE_REPORT.match(line.text)) or (not line.complete and _CUT.search(line.text))):
            return False
        if line.complete:
            self._begin(line)
            self._held = line
        else:
            self._report_unusable(line)
        return True

    def _report_unusable(self, line: Line) -> None:
        report_damaged_line(self._findings, line, "'… bytes … copied, … s, … B/s'; no run made of it")
        if self._open is not None and not self._open.reports:
            self._open.records = False
        self._begin(line)
        self._close()

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.reports:
            self._hand_over(opened)
        elif opened.failed:
            values: dict[str, object] = {"tool": "dd", "protocol": "file", "error": True}
            self._findings.run(Run(opened.first, opened.last, values))
        elif opened.records:
            self._findings.problem(
                opened.last,
                "truncated",
                "found the records in and out and no report, expected '… bytes … copied, … s, … B/s'; no run made",
            )

    def _hand_over(self, opened: _OpenRun) -> None:
        report = opened.reports[-1]
        label = report.label
        if label is None and self._findings.recent:
            above = self._findings.recent[-1]
            text = above.text.strip()
            if 0 < opened.first - above.number <= 2 and text.endswith((":", ";")):
                label = text.strip(_BULLETS).rstrip(" :;")[:120] or None
        values: dict[str, object] = {
            "tool": "dd",
            "protocol": "file",
            "label": label,
            "direction": _direction(opened.command, label),
            "bytes": report.amount,
            "duration_s": report.seconds,
            "throughput_bps": self._throughput(report, final=opened.records),
            "error": opened.failed,
        }
        run = Run(opened.first, opened.last, values, rounding=1.0)
        if len(opened.reports) > 1:
            shown = opened.reports[:-1] if opened.records else opened.reports
            run.intervals = _intervals(shown)
        self._findings.run(run)

    def _throughput(self, report: _Report, *, final: bool) -> float | None:
        """Return the rate [bit/s] from bytes and seconds, or the printed one if it is more exact."""
        seconds, rate = report.seconds, report.texts["rate"]
        computed = 8 * report.amount / seconds if seconds > 0 else None
        if not rate[0].isdigit():
            return computed
        unit = report.texts.get("unit", "").upper()
        power = _POWERS.index(unit) + 1 if unit else 0
        last_digit = _last_digit(rate)
        shown = [
            (8 * _number(rate) * float(base) ** power, 8 * last_digit * float(base) ** power) for base in (1000, 1024)
        ]
        if computed is None:
            return shown[1 if report.texts.get("binary") else 0][0]
        printed, digit = min(shown, key=lambda pair: abs(pair[0] - computed))
        decimals = 0.5 * _last_digit(report.texts["seconds"]) / seconds
        if final and "noun" in report.texts and decimals * seconds > 1e-3:
            decimals = 0.0  # GNU omits trailing zeros of its six digits
        if abs(printed - computed) <= 1.05 * digit:
            return printed if digit < decimals * computed and digit < 1e-4 * printed else computed
        if abs(printed - computed) <= decimals * max(printed, computed):
            return printed
        self._findings.problem(
            report.line.number,
            "inconsistent",
            f"found a rate of {printed:.6g} bit/s, expected {computed:.6g} bit/s from {report.amount} bytes "
            f"in {seconds:g} s; the latter is kept",
        )
        return computed


def _direction(command: Command, label: str | None) -> str | None:
    """Return the direction from the command line above, else from the label."""
    if command.program == "dd":
        to_nowhere = any(map(_TO_NOWHERE.match, command.arguments))
        from_nowhere = any(map(_FROM_NOWHERE.match, command.arguments))
        return None if to_nowhere == from_nowhere else "read" if to_nowhere else "write"
    ways = {name for way in _WAYS.finditer(label or "") for name, text in way.groupdict().items() if text}
    return ways.pop() if len(ways) == 1 else None


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _last_digit(text: str) -> float:
    """Return the value of the last digit of a number."""
    return float(10.0 ** -len(text.replace(",", ".").partition(".")[2]))


def _on_the_way(report: _Report) -> bool:
    """Return whether a report may come from ``status=progress``, that is, at a whole second."""
    return report.seconds >= 0.95 and abs(report.seconds - round(report.seconds)) < 0.05


def _follows(before: _Report, after: _Report) -> bool:
    """Return whether two reports without records between them are progress of one run."""
    if before.line.number == after.line.number:
        return True
    grown = after.amount >= before.amount and after.seconds - before.seconds > 0.9
    near = after.line.number - before.line.number <= 2
    return (
        grown and near and _on_the_way(before) and _on_the_way(after) and before.label is None and after.label is None
    )


def _intervals(reports: Sequence[_Report]) -> dict[str, Array]:
    """Return intervals: differences between the totals of ``status=progress``."""
    kept: list[_Report] = []
    for report in reports:
        if report.seconds > (kept[-1].seconds if kept else 0) and report.amount >= (kept[-1].amount if kept else 0):
            kept.append(report)
    ends = np.array([report.seconds for report in kept])
    amounts = np.diff(np.array([report.amount for report in kept], dtype=float), prepend=0.0)
    starts = np.concatenate([[0.0], ends[:-1]])
    return {
        "line": np.array([report.line.number for report in kept], dtype=float),
        "t_start_s": starts[: len(ends)],
        "t_end_s": ends,
        "bytes": np.rint(amounts),
        "throughput_bps": 8 * amounts / (ends - starts[: len(ends)]),
    }
