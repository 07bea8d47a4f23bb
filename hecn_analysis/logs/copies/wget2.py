"""Output of wget2: its progress bars and its messages.

Versions: 1.99 to 2.2, in English.

Units and traps
---------------
- A command is one run, for any number of parallel files: "Files: 2  Bytes: 28.61M [205.84MB/s]" below the bars is the
  average of all files since the start; its last state is the result. K, M, G are powers of 1024 of bytes per second;
  with --report-speed=bits ("Gb/s") of bits per second. On a narrow terminal the line is cut.
- The speeds beside the bars ("x  100% [===>]  28.60M  5.58GB/s") are momentary speeds of one file and give no rate. If
  there is only one file, its bar gives the bytes.
- Numbers are truncated, not rounded, to two decimals. Times are not printed.
- Without bars (output not to a terminal) wget2 prints names, replies of the server and, for several files, "Downloaded:
  2 files, 28.61M bytes, …": no rate. With -nv it prints nothing.
- wget2 draws the bars by moving the cursor: they are pieces of one long line.
- "HTTP ERROR response 404 …", "Failed to …" are failures; the run fails only if nothing else was fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,6}(?:\.\d\d)?[KMGTPEZY]?"
_BEGUN: Final = re.compile(r"^\[\d{1,4}\] (?:Downloading|Checking) '\S{1,3000}' \.\.\.\s*$")
_REPLY: Final = re.compile(r"^HTTP (?P<error>ERROR )?response (?P<code>\d{3}) (?P<text>.{0,200}) \[\S{1,3000}\]\s*$")
_SAVING: Final = re.compile(r"^(?:Saving|Adding) '.{1,1000}'\s*$")
_TOTAL: Final = re.compile(
    rf"\[Files: (?P<files>\d{{1,9}})  Bytes: (?P<bytes>{_N}) ?(?:\[(?P<rate>{_N}) ?(?P<what>[Bb])/s\])?"
)
_BAR: Final = re.compile(
    rf"^(?P<name>\S.{{0,40}}?) {{1,40}}(?P<percent>\d{{1,3}})% \[[=<>* ]{{1,400}}\] {{1,12}}(?P<bytes>{_N}) ? {{1,12}}"
    rf"(?:{_N}|--\.-K) ?[Bb]/s\s*$"
)
_SUM: Final = re.compile(
    rf"^Downloaded: (?P<files>\d{{1,9}}) files, (?P<bytes>{_N}) ?bytes, \d{{1,9}} redirects, \d{{1,9}} errors\s*$"
)
_FAILED: Final = re.compile(
    r"^(?:Failed to (?:resolve|connect|read|write|parse|download)\b.{1,300}|Failed to write \d{1,9} bytes .{1,200})$"
)
_REST: Final = re.compile(r"^\s*+\]?\s*$|^https?://\S{1,3000}\s*\]\s*$|^\[(?:https?://\S{1,3000}\s*+)?\]?\s*$")


@dataclass
class _OpenRun:
    """The output of one command."""

    first: int
    last: int
    command: Command
    replies: int = 0
    files: int = 0
    amount: float | None = None
    rate: float | None = None
    bars: dict[str, tuple[int, float]] = field(default_factory=dict)
    words: bool = False
    failures: list[tuple[int, str]] = field(default_factory=list)


class Wget2:
    """Reader of wget2."""

    TOOLS: tuple[str, ...] = ("wget2",)
    VERSIONS: str = "1.99 to 2.2, in English"
    HINTS: tuple[str, ...] = (
        "] Downloading '",
        "HTTP response ",
        "HTTP ERROR response",
        "[Files: ",
        " redirects, ",
        "% [",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of wget2's."""
        text, opened = line.text, self._open
        if (match := _TOTAL.search(text)) is not None:
            self._total(line, match)
        elif (match := _BAR.match(text)) is not None:
            self._begin(line).bars[match["name"]] = int(match["percent"]), _amount(match["bytes"])
        elif _BEGUN.match(text):
            if opened is not None and opened.rate is not None:
                self._close()
            self._begin(line).words = True
        elif (match := _REPLY.match(text)) is not None:
            self._reply(line, match)
        elif (match := _SUM.match(text)) is not None:
            opened = self._begin(line)
            opened.files, opened.amount, opened.words = int(match["files"]), _amount(match["bytes"]), True
            self._close()
        elif opened is not None and (_SAVING.match(text) or _REST.match(text)):
            opened.last = line.number
        elif opened is not None and _FAILED.match(text):
            self._begin(line).failures.append((line.number, text.strip()))
        else:
            return False
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, self._findings.command)
        self._open.last = line.number
        return self._open

    def _total(self, line: Line, match: re.Match[str]) -> None:
        files = int(match["files"])
        if self._open is not None and files < self._open.files:
            self._close()
        opened = self._begin(line)
        opened.files = files
        if match["rate"] is None:
            return  # cut: its last digits, or the unit, may be missing
        opened.amount = _amount(match["bytes"])
        opened.rate = _amount(match["rate"]) * (8 if match["what"] == "B" else 1)

    def _reply(self, line: Line, match: re.Match[str]) -> None:
        opened = self._begin(line)
        opened.words = True
        if match["error"] is None:
            opened.replies += 1
        else:
            opened.failures.append((line.number, f"{match['code']} {match['text'].strip()}"))

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        done = [amount for percent, amount in opened.bars.values() if percent == 100]
        fetched = opened.replies > 0 or opened.files > 0 or bool(done)
        if not (fetched or opened.failures or opened.bars):
            return
        amount = opened.amount
        if amount is None and len(opened.bars) == 1 and done:
            amount = done[0]
        for number, text in opened.failures:
            self._findings.problem(number, "aborted", f"found {text!r}, expected a file saved whole")
        if opened.bars and not done and not opened.failures:
            self._findings.problem(
                opened.last, "truncated", "found bars that stop before their end, expected 100 %; run without a rate"
            )
            amount = opened.rate = None
        values: dict[str, object] = {
            "tool": "wget2",
            "protocol": "file",
            "direction": "receive",
            "bytes": round(amount) if amount else None,
            "throughput_bps": opened.rate if opened.files else None,
            "error": bool(opened.failures) and not fetched,
        }
        self._findings.run(Run(opened.first, opened.last, values))


def _amount(text: str) -> float:
    """Return a number whose prefix, if any, is a power of 1024."""
    return float(text[:-1]) * scale(text[-1], 1024) if text[-1].isalpha() else float(text)
