"""Output of wget: saved files and their rates.

Versions: GNU Wget 1.5 to 1.24, in any language; busybox' wget ("'file' saved") for the file only.

Units and traps
---------------
- "2026-01-31 12:00:00 (58.9 KB/s) - 'file' saved [446966/446966]" is one run (before 1.12 without the date). KB, MB, GB
  are powers of 1024; with --report-speed=bits "Kb/s", "Mb/s", "Gb/s" are powers of 1000. A comma may be the decimal
  point. The words around the name differ by language: the reader recognises the line by its clock and rate.
- The bytes are the first number in the brackets. With -c it includes what was there before, but the rate does not.
- The duration is that of the bar above ("in 3m 19s") or of the last dots ("=0.2s").
- "Downloaded: 3 files, 29M in 0.1s (1.90 Gb/s)" is the sum of the runs above it: no run.
- "Connection closed at byte …" and "Read error" end an attempt; wget tries again, and only the last line is the run. In
  any language such a line has a number, but no name between quotes and no size in brackets.
- "ERROR 404: …", "failed: …", "unable to resolve …" are failed runs, unless another address or attempt succeeds. A
  missing robots.txt is not a failure.
- -nv prints the bytes and no rate.
- With -q --show-progress there is only the bar. Its rate covers the last three seconds only. The rate of the run is
  size over time, if both have enough digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, decimal, grouped, half_digit, scale

_DONE: Final = re.compile(
    r"^(?P<before>[^\"']{0,200}?)(?<!\S)\d\d:\d\d:\d\d \((?P<rate>\d{1,6}(?:[.,]\d{1,3})?) (?P<unit>[KMGT]?)"
    r"(?P<what>[Bb])/s\)[ \u00a0](?:--?|[–—])[ \u00a0]{1,2}(?P<tail>.{1,2000})"
)
_SIZE: Final = re.compile(r"\[(?P<bytes>\d{1,19})(?:/\d{1,19})?\]")
_TRY: Final = re.compile(r"connection reset|Data transfer aborted|Retrying", re.IGNORECASE)
_AT_BYTE: Final = re.compile(r"^(?:[^‘’“”«»„`'\"「」]|(?<=\w)['’](?=\w)){0,200}?(?<![\w.,/-])\d{1,19}(?!\w|[.,/-]\w)")
_AGAIN: Final = re.compile(r"--\s{1,2}\([^()]{1,24} ?\d{1,6}\)\s")
_QUIET: Final = re.compile(r"(?:^|\s)\d\d:\d\d:\d\d URL: ?\S{1,2000} \[(?P<bytes>\d{1,19})(?:/\d{1,19})?\] -> ")
_BEGUN: Final = re.compile(r"(?:^|\s)--(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d--\s{1,2}\S")
_AWAITING: Final = re.compile(
    r"^(?:HTTP request sent, awaiting response|HTTP.{1,60}\.\.\. \d{3}|==> (?:SYST|PASV|RETR))"
)
_BAR: Final = re.compile(
    r"(?:\d{1,3}%\s?|\s)\[[=+>< -]{0,4000}\]\s{0,8}"
    r"(?P<size>\d(?:[\d.,\u00a0\u202f]| (?=\d{3})){0,20})(?P<unit>[KMGT]?)\s{1,12}"
    r"(?:[\d.,-]{1,12}[KMGT]?[Bb]?/s)"
    r"(?:\s{1,8}(?!eta\b|ETA\b)(?:[^\W\d_]{1,10}(?: [^\W\d_]{1,10})?|/)\s{1,2}"
    r"(?P<time>(?:\d{1,4}(?:[.,]\d{1,3})?[dhms] ?){1,3}))?"
)
_DOTS: Final = re.compile(
    r"^\s{0,12}\d{1,12}K [ .,]{1,120}(?:\d{1,3}%)?\s{0,4}[\d.,]{1,12}[KMGT]?"
    r"(?:=(?P<time>(?:\d{1,4}(?:[.,]\d{1,3})?[dhms] ?){1,3})|[ \ddhms]{0,16})\s*$"
)
_CODE: Final = re.compile(r"^(?:\w{2,12}\s)?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?P<text>\D{1,24}[45]\d\d(?!\d).{0,200})$")
_ERROR: Final = re.compile(
    r"(?P<text>ERROR \d{3}: .{0,200}|failed: .{1,200}|^wget: .{0,200}unable to resolve .{1,200}|"
    r"^wget: (?:can't connect|server returned error|bad address|download timed out|error getting response).{0,200}|"
    r"Giving up\.)"
)
_SUM: Final = re.compile(r"^(?:FINISHED --\d{4}-\d\d-\d\d|Downloaded: \d{1,9} files?, |Total wall clock time: )")
_SAVED: Final = re.compile(r"^'(?P<name>.{1,400})' saved\s*$")


_EXACT: Final = 0.05
_NEAR: Final = 4  # lines, for mail breaks the bar above into three
_FAR: Final = 40  # lines, of a bar that is coded for mail
_ALIKE: Final = 0.01  # of the bytes, which a bar rounds


def _is_near(lines: int, alone: Run, figures: Mapping[str, object]) -> bool:
    """Whether the line of a saved file, so many lines below a bar, is of the same file."""
    size, shown = figures.get("bytes"), alone.columns.get("bytes")
    is_alike = isinstance(size, int) and isinstance(shown, int) and abs(size - shown) <= _ALIKE * size
    return lines <= _NEAR or (lines <= _FAR and is_alike)


@dataclass
class _OpenRun:
    """A requested file."""

    first: int
    last: int
    robots: bool = False
    progress: bool = False
    time: str | None = None
    trouble: list[tuple[int, str]] = field(default_factory=list)


class Wget:
    """Reader of wget."""

    TOOLS: tuple[str, ...] = ("wget",)
    VERSIONS: str = "GNU Wget 1.5 to 1.24 in any language"
    DATED: bool = True
    HINTS: tuple[str, ...] = (
        "B/s) ",
        "b/s) ",
        "/s)\u00a0",
        "%[",
        "[ ",
        "--  ",
        " URL:",
        "wget: ",
        "' saved",
        "Downloaded: ",
        "K ........",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None
        self._alone: Run | None = None

    def feed(self, line: Line) -> bool:  # noqa: C901, PLR0911 - one for each kind of line
        """Take a line of wget's."""
        text = line.text
        if match := _DONE.search(text):
            self._done(line, match)
            return True
        if _BEGUN.search(text):
            if _AGAIN.search(text) and self._open is not None:
                self._open.last = line.number
                return True
            self._close()
            self._alone = None
            self._open = _OpenRun(line.number, line.number, robots=text.endswith("/robots.txt"))
            return True
        if match := _QUIET.search(text):
            self._close()
            self._run(line, {"bytes": int(match["bytes"])})
            return True
        if self._open is not None and self._under_way(line, self._open):
            return True
        if self._open is None and _DOTS.match(text):  # below the lines that name the file
            self._open = _OpenRun(line.number, line.number)
            return self._under_way(line, self._open)
        if self._open is None and (match := _BAR.search(text)) and match["time"] is not None:
            self._bar_alone(line, match)
            return True
        if self._open is not None and (match := _CODE.match(text)):
            self._failed(line, match["text"].strip())
            return True
        if (match := _ERROR.search(text)) and (self._open is not None or text.startswith("wget: ")):
            self._failed(line, match["text"].strip())
            return True
        if _SUM.search(text):
            self._close()
            return True
        if _SAVED.search(text) and self._findings.command.program == "wget":
            self._run(line, {})
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _under_way(self, line: Line, opened: _OpenRun) -> bool:
        """Take a line between the request and the saved file."""
        text = line.text
        if _AWAITING.search(text) is None:
            match = _BAR.search(text) or _DOTS.search(text)
            if match is None:
                return False
            opened.progress = True
            opened.time = match["time"] or opened.time
        opened.last = line.number
        return True

    def _done(self, line: Line, match: re.Match[str]) -> None:
        tail = match["tail"]
        size = next(reversed(list(_SIZE.finditer(tail))), None)
        if size is None and (_TRY.search(tail) or _AT_BYTE.match(tail)):
            self._failed(line, tail.strip()[:200])
            return
        base, bits = (1024, 8) if match["what"] == "B" else (1000, 1)
        rate = bits * decimal(match["rate"]) * scale(match["unit"], base)
        figures: dict[str, object] = {"throughput_bps": rate}
        if size is not None:
            figures["bytes"] = int(size["bytes"])
        opened, alone = self._open, self._alone
        if opened is None and alone is not None and _is_near(line.number - alone.line_last, alone, figures):
            alone.columns.update(figures)
            alone.line_last = line.number
            self._alone = None
            return
        rounding = 0.01 + half_digit(match["rate"])
        if opened is not None and opened.time is not None:
            seconds = clock(opened.time)
            figures["duration_s"] = seconds or None
            last = opened.time.strip().rpartition(" ")[2][:-1]
            rounding += half_digit(last) if " " not in opened.time.strip() else 1 / max(seconds or 0.0, 1.0)
        self._run(line, figures, rounding)

    def _bar_alone(self, line: Line, match: re.Match[str]) -> None:
        """Take a finished bar without any words around it."""
        size, unit, seconds = match["size"], match["unit"], clock(match["time"]) or None
        amount = decimal(size) * scale(unit, 1024) if unit else float(grouped(size))
        figures: dict[str, object] = {"bytes": round(amount), "duration_s": seconds}
        last = match["time"].strip().rpartition(" ")[2][:-1]
        exact = (half_digit(size) if unit else 0.0) + (
            half_digit(last) if " " not in match["time"].strip() else 0.5 / (seconds or 1.0)
        )
        if seconds and exact <= _EXACT:
            figures["throughput_bps"] = 8 * amount / seconds
        self._alone = self._run(line, figures)

    def _run(self, line: Line, figures: dict[str, object], rounding: float = 0.01) -> Run:
        opened, self._open = self._open, None
        first = opened.first if opened is not None else line.number
        values = {"tool": "wget", "protocol": "file", "direction": "receive", "error": False, **figures}
        run = Run(first, line.number, values, rounding=rounding)
        self._findings.run(run)
        self._alone = None
        return run

    def _failed(self, line: Line, text: str) -> None:
        """Take a failed attempt; the run fails unless a file is saved after all."""
        if self._open is None:
            self._open = _OpenRun(line.number, line.number)
        self._open.last = line.number
        self._open.trouble.append((line.number, text))

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not (opened.trouble or opened.progress) or (opened.robots and not opened.progress):
            return
        failed = bool(opened.trouble)
        values: dict[str, object] = {"tool": "wget", "protocol": "file", "direction": "receive", "error": failed}
        for number, text in opened.trouble:
            self._findings.problem(number, "aborted", f"found {text!r}, expected a file saved whole")
        if not failed:
            self._findings.problem(
                opened.last,
                "truncated",
                "found progress and no end, expected '(… B/s) - … saved [… / …]'; run without a rate",
            )
        self._findings.run(Run(opened.first, opened.last, values))
