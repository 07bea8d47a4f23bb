"""Output of curl: the progress meter, and the figures of -w.

Versions: curl 7.9 to 8.21.

Units and traps
---------------
- The meter's rows have no unit: "k", "M", "G", "T", "P" are powers of 1024 of bytes and of bytes per second. A column
  has five characters, six since 8.18: sizes from 100 000 (1 000 000) on are rounded.
- The last row is the run: its "Average Speed" (Dload, or Upload where nothing came in), the bytes received or sent, and
  "Time Spent" in whole seconds ("--:--:--" below one, blanks since 8.18: left out). "Total" is 0 if the server does not
  send it.
- Fetched data may follow the last row on its line if they went to the same terminal.
- Rows stand between carriage returns, or on lines of their own if a program replaced those. A redirection (-L) restarts
  the count below the same heading: still one run. Without -L in the command line a restarted count is the next file:
  curl before 7.66 printed the heading once. So is a finished row below another one with more time and a current speed.
- With -Z (--parallel) all files share one meter with other columns: one run.
- "curl: (6) …" is a run that failed.
- -w prints any text. Variables are read if their own names stand in front ("speed_download: 4711.000", in JSON too):
  bytes per second, bytes and seconds, without prefixes. They belong to the meter right above, if any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.parsing.amounts import clock, scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import number

_S: Final = r"\d{1,6}(?:\.\d{1,3})?[kKMGTP]?"
_T: Final = r"(?:--:--:--|\d{1,4}:\d\d:\d\d|\d{1,4}d \d\dh|\d{1,9}d|\d{1,4}y)"
_B: Final = r"\s{1,8}"
_ROW: Final = re.compile(
    rf"(?<!\S)(?P<percent>\d{{1,3}}){_B}{_S}{_B}\d{{1,3}}{_B}(?P<received>{_S}){_B}\d{{1,3}}{_B}(?P<sent>{_S}){_B}"
    rf"(?P<down>{_S}){_B}(?P<up>{_S}){_B}{_T}{_B}(?P<time>{_T}){_B}(?P<left>{_T}){_B}(?P<now>\d)"
)
_BLANK_ROW: Final = re.compile(
    rf"(?<!\S)(?P<percent>\d{{1,3}}){_B}{_S}{_B}\d{{1,3}}{_B}(?P<received>{_S}){_B}\d{{1,3}}{_B}(?P<sent>{_S}){_B}"
    rf"(?P<down>{_S}){_B}(?P<up>{_S}) [ \w:]{{7}} (?P<time>[ \w:]{{7}}) (?P<left>[ \w:]{{7}}) {{1,6}}(?P<now>\d)"
)
_PARALLEL_ROW: Final = re.compile(
    rf"(?<!\S)(?:\d{{1,3}}|--){_B}(?:\d{{1,3}}|--){_B}(?P<received>{_S}){_B}(?P<sent>{_S}){_B}\d{{1,9}}{_B}\d{{1,9}}{_B}"
    rf"{_T}{_B}(?P<time>{_T}){_B}{_T}{_B}(?P<down>{_S})(?!\S)"
)
_HEAD: Final = re.compile(r"% Total\s{1,8}% Received\s{1,8}% Xferd\s{1,8}Average Speed|(?<!\S)DL%\s{1,4}UL%\s{1,4}Dled")
_HEAD_2: Final = re.compile(r"(?<!\S)Dload\s{1,8}Upload\s{1,8}Total\s{1,8}(?:Spent|Current)\s{1,8}Left\s{1,8}Speed")
_ERROR: Final = re.compile(r"(?:^|[\s>])curl: \((?P<code>\d{1,3})\) ?(?P<text>.{0,300})")
_NAMES: Final = re.compile(
    r"(?<![\w])[\"']?(?P<name>(?:speed|size)_(?:down|up)load|time_(?:total|namelookup|\w{0,8}connect|\w{3,5}transfer|redirect))[\"']?"
    r"\s{0,24}[:=]\s{0,24}[\"']?(?P<value>\d{1,19}(?:[.,]\d{1,9})?)(?:s|\b)"
)
_VARIABLES: Final = ("speed_download", "speed_upload", "size_download", "size_upload", "time_total", "time_connect")
_NEAR: Final = 3


@dataclass
class _Meter:
    """The rows below one heading."""

    first: int
    last: int
    rows: list[re.Match[str]] = field(default_factory=list)
    parallel: bool = False


@dataclass
class _Figures:
    """The figures of -w, from one line or several."""

    first: int
    last: int
    joined: Run | None
    failed: bool = False
    values: dict[str, float] = field(default_factory=dict)


class Curl(DocumentReader):
    """Reader of curl."""

    TOOLS: tuple[str, ...] = ("curl",)
    VERSIONS: str = "7.9 to 8.21"
    HINTS: tuple[str, ...] = ("% Total", "DL%", "Dload", "--:--", "speed_", "size_", "time_", "curl: (")

    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"speed_download", "time_total"}),
        frozenset({"speed_download", "size_download"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._meter: _Meter | None = None
        self._figures: _Figures | None = None
        self._last: Run | None = None
        self._metered: Run | None = None

    def feed(self, line: Line) -> bool:  # noqa: PLR0911 - one for each kind of line
        """Take a line of curl's."""
        text, meter = line.text, self._meter
        if meter is not None:
            if match := _PARALLEL_ROW.search(text) if meter.parallel else _ROW.search(text) or _BLANK_ROW.search(text):
                self._row(line, meter, match)
                return True
            if _HEAD_2.search(text):
                meter.last = line.number
                return True
        if "%" in text and _HEAD.search(text):
            self._end()
            self._meter = _Meter(line.number, line.number, parallel="DL%" in text)
            return True
        if "curl: (" in text and (match := _ERROR.search(text)):
            self._failed(line, match)
            return True
        if "_" in text and (found_all := _NAMES.findall(text)):
            return self._named(line, found_all)
        if meter is None and "--:--:--" in text and (match := _ROW.search(text)):
            self._meter = _Meter(line.number, line.number)
            self._row(line, self._meter, match)
            return True
        return False

    def take(self, document: JsonDocument) -> bool:
        """Take the JSON of -w."""
        numbers = {name: number(document.value.get(name)) for name in _VARIABLES}
        values = {name: value for name, value in numbers.items() if value is not None}
        if not values:
            return False
        figures = self._begin_figures(document.first)
        figures.last = document.last
        figures.values = values
        if code := number(document.value.get("exitcode")):
            text = document.value.get("errormsg")
            self.findings.problem(document.first, "aborted", f"found error {code:g}, {text!r}, expected a transfer")
            figures.failed = True
        self._close_figures()
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._end()

    def _row(self, line: Line, meter: _Meter, match: re.Match[str]) -> None:
        if meter.rows and line.number > meter.last and not meter.parallel:
            before = meter.rows[-1]
            again = _bytes(match) < _bytes(before) or _seconds(match) < _seconds(before)
            command = self.findings.command
            words = command.arguments if command.program == "curl" else ("-L",)
            is_redirected = any(re.fullmatch(r"--location.*|-\w{0,20}L\w{0,20}", word) for word in words)
            if (again and _bytes(before) and not is_redirected) or _is_next(match, before):
                self._hand_over(meter, failed=False)
                meter.rows.clear()
                meter.first = line.number
        meter.rows = [match]
        meter.last = line.number

    def _failed(self, line: Line, match: re.Match[str]) -> None:
        self.findings.problem(
            line.number, "aborted", f"found error {match['code']}, {match['text'].strip()!r}, expected a transfer"
        )
        meter, self._meter = self._meter, None
        if meter is not None:
            meter.last = line.number
            self._hand_over(meter, failed=True)
            return
        self._close_figures()
        last = self._last
        if last is not None and self._belongs(last, line.number) and not last.columns["error"]:
            last.columns["error"] = True
            last.line_last = line.number
            return
        values: dict[str, object] = {"tool": "curl", "protocol": "file", "error": True}
        self.findings.run(Run(line.number, line.number, values))

    def _belongs(self, run: Run, number: int) -> bool:
        """Return whether a line is right below a run, with no command line between."""
        return self.findings.command.line <= run.line_last and number <= run.line_last + _NEAR

    def _named(self, line: Line, pairs: list[tuple[str, str]]) -> bool:
        figures = self._figures
        if figures is not None and (
            line.number > figures.last + _NEAR or any(name in figures.values for name, _ in pairs)
        ):
            self._end()
            figures = None
        if figures is None:
            figures = self._begin_figures(line.number)
        figures.last = line.number
        figures.values.update({name: float(value.replace(",", ".")) for name, value in pairs})
        return True

    def _begin_figures(self, first: int) -> _Figures:
        """Start reading variables, which belong to the meter that has just ended, if any."""
        self._end()
        meter, self._metered = self._metered, None
        joined = meter if meter is not None and self._belongs(meter, first) else None
        self._figures = _Figures(first, first, joined)
        return self._figures

    def _end(self) -> None:
        """End the transfer and hand over its run."""
        self._close_meter()
        self._close_figures()

    def _close_meter(self) -> None:
        meter, self._meter = self._meter, None
        if meter is None:
            return
        if meter.rows:
            self._hand_over(meter, failed=False)
            return
        self.findings.problem(
            meter.last,
            "truncated",
            "found the heading of the meter and no row, expected '100 … --:--:-- …'; no run made",
        )

    def _close_figures(self) -> None:
        figures, self._figures = self._figures, None
        if figures is None:
            return
        timed = "time_total" in figures.values and len(figures.values) > 1
        if not timed and not any(name.startswith("speed_") for name in figures.values):
            return
        values = figures.values
        received, sent = values.get("size_download"), values.get("size_upload")
        down, up = values.get("speed_download"), values.get("speed_upload")
        sends = bool((sent or up) and not (received or down))
        amount, rate = (sent, up) if sends else (received, down)
        if figures.failed and not amount:
            amount, rate = None, None
        updates: dict[str, object] = {
            "direction": "send" if sends else "receive" if (received or down) else None,
            "bytes": None if amount is None else round(amount),
            "duration_s": values.get("time_total"),
            "throughput_bps": None if rate is None else 8 * rate,
        }
        last = figures.joined
        if last is not None:
            last.columns.update({name: value for name, value in updates.items() if value is not None})
            last.line_last = figures.last
            return
        columns = {"tool": "curl", "protocol": "file", "error": figures.failed, **updates}
        run = Run(figures.first, figures.last, columns, rounding=0.05)
        self._last = run
        self.findings.run(run)

    def _hand_over(self, meter: _Meter, *, failed: bool) -> None:
        values: dict[str, object] = {"tool": "curl", "protocol": "file", "error": failed}
        row = meter.rows[-1] if meter.rows else None
        if row is not None and (not failed or _bytes(row)):
            received = _amount(row["received"])
            sends = not received and _amount(row["sent"]) > 0
            speed = row["up"] if sends and "up" in row.groupdict() else row["down"]
            values |= {
                "direction": "send" if sends else "receive" if received else None,
                "bytes": round(_bytes(row)),
                "throughput_bps": 8 * _amount(speed),
                "duration_s": clock(row["time"]) or None,
            }
        run = Run(meter.first, meter.last, values, rounding=1.0)
        self._last = self._metered = run
        self.findings.run(run)


def _amount(text: str) -> float:
    """Return the bytes in a column of the meter."""
    return float(text[:-1]) * scale(text[-1], 1024) if text[-1].isalpha() else float(text)


def _bytes(row: re.Match[str]) -> float:
    """Return the bytes of a row: those received, else those sent."""
    return _amount(row["received"]) or _amount(row["sent"])


def _is_next(row: re.Match[str], before: re.Match[str]) -> bool:
    """Whether a transfer was done with the row before, and the next moves as many bytes; one that waits moves none."""
    is_done = before["percent"] == "100" and not before["left"].strip(" -:")
    return is_done and _bytes(row) == _bytes(before) and _seconds(row) > _seconds(before) + 1 and row["now"] != "0"


def _seconds(row: re.Match[str]) -> float:
    """Return the time spent [s]; curl prints none below one second."""
    return clock(row["time"]) or 0.0
