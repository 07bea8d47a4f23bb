"""Output of xdd: the lines of its result table.

Versions: 7.0 from its source (the columns have a heading line, and any may be chosen with ``-outputformat``, also with
commas in the file of ``-csvout``); 5.x and 6.x from published outputs ("T Q Bytes Ops Time Rate …"). A run is the
COMBINED line of an invocation: all targets, all passes. The targets' averages are its streams.

Units and traps
---------------
- "MBytes/s" is 10^6 bytes per second, "Elapsed" and "Time" are seconds; "Latency" is milliseconds in 7.0.
- TARGET_PASS and TARGET_AVERAGE lines precede COMBINED with ``-verbose``: adding them up counts twice. If an invocation
  ends before COMBINED, its averages are the runs, else its passes.
- Op_Type is read, write or mixed; old tables may lack it; then the command line above (``-op write``) decides. -1 means
  not computed.
- "This run terminated with errors", "was canceled": the run has figures, and `error` is true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_HEADING: Final = re.compile(
    r"^\s*+(?:What\b.{0,400}\bBandwidth\b|T\s{1,4}Q\s{1,12}Bytes\s{1,12}Ops\s{1,12}Time\s{1,12}Rate\b)"
)
_ROW: Final = re.compile(
    r"^\s*+(?P<what>TARGET_PASS|TARGET_AVERAGE|COMBINED|TARGET\s{1,6}(?:PASS\d{1,6}|Average)|Combined)"
    r"\s{0,8}(?P<rest>[\s,]\s{0,12}-?\d.{0,600})$"
)
_VERSION: Final = re.compile(r"\bXDD version (?P<version>\S{1,40})", re.IGNORECASE)
_ENDING: Final = re.compile(
    r"^Ending time for this run,.{0,100}This run (?P<how>was canceled|terminated with errors|terminated normally)"
)
_UNITS_ROW: Final = "UNITS>>"
_NAMES: Final = {
    "Bytes_Xfered": "bytes",
    "Bytes": "bytes",
    "Elapsed": "seconds",
    "Time": "seconds",
    "Bandwidth": "rate",
    "Rate": "rate",
    "IOPS": "iops",
    "Op_Type": "operation",
    "OP_Type": "operation",
    "Target": "target",
    "T": "target",
}
_SPLIT: Final = re.compile(r"[\s,]+")
_TWO_WORDS: Final = re.compile(r"\b(CPU|User|Sys) Time\b")
_DEFAULT: Final = (
    *("Pass", "Target", "Queue", "Bytes_Xfered", "Ops", "Elapsed", "Bandwidth", "IOPS", "Latency", "Pct_CPU"),
    *("Op_Type", "Xfer_Size"),
)


@dataclass
class _Row:
    """A line of the table."""

    line: int
    what: str
    values: dict[str, str]

    def number(self, name: str) -> float | None:
        """Return the value of a column, None if it is missing or not computed."""
        try:
            value = float(self.values[name])
        except (KeyError, ValueError):
            return None
        return value if value >= 0 and value == value and value < 1e300 else None  # noqa: PLR0124 - NaN


class Xdd:
    """Reader of xdd."""

    TOOLS: tuple[str, ...] = ("xdd",)
    VERSIONS: str = "5.x to 7.0, text and CSV; from source and manuals"
    HINTS: tuple[str, ...] = (
        "XDD version",
        "What ",
        "TARGET",
        "COMBINED",
        "Combined ",
        "Ending time for this run,",
        "  Rate ",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._version: str | None = None
        self._columns: tuple[str, ...] = _DEFAULT
        self._rows: list[_Row] = []
        self._open: Run | None = None
        self._begun: int | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of xdd's."""
        text = line.text
        if (match := _ROW.match(text)) is not None:
            return self._row(line, match)
        if _HEADING.match(text):
            self._close()
            self._begun = self._begun or line.number
            names = _SPLIT.split(_TWO_WORDS.sub(r"\1_Time", text).strip(" ,\t"))
            self._columns = tuple(name for name in names if name not in {"What", ""})
            return True
        if (match := _VERSION.search(text)) is not None:
            self._close()
            self._version = match["version"]
            self._begun = line.number
            return True
        if (match := _ENDING.match(text)) is not None:
            self._ending(line, match["how"])
            return True
        return _UNITS_ROW in text and self._begun is not None

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        self._begun = None

    def _row(self, line: Line, match: re.Match[str]) -> bool:
        words = _SPLIT.split(match["rest"].strip(" ,\t"))
        what = match["what"].upper().replace("TARGET ", "TARGET_")
        old = "Rate" in self._columns
        if len(words) != len(self._columns):
            expected = f"{len(self._columns)} ({', '.join(self._columns[:6])}, …); no run made of them"
            report_damaged_line(self._findings, line, expected, f"{len(words)} values")
            return True
        kind = "COMBINED" if what == "COMBINED" else "PASS" if "PASS" in what else "AVERAGE"
        values = {_NAMES[name]: word for name, word in zip(self._columns, words, strict=True) if name in _NAMES}
        row = _Row(line.number, kind, values)
        if not old and "bytes" not in values and "rate" not in values:
            return False
        if self._open is not None:
            self._close()
        self._rows.append(row)
        if kind == "COMBINED":
            self._open = self._run(row, [other for other in self._rows if other.what == "AVERAGE"])
            self._rows.clear()
        return True

    def _run(self, row: _Row, parts: list[_Row]) -> Run:
        amount, seconds, rate = row.number("bytes"), row.number("seconds"), row.number("rate")
        throughput = None if rate is None else 8e6 * rate
        operation = row.values.get("operation", "").lower() or self._requested_operation(row.line)
        values: dict[str, object] = {
            "tool": "xdd",
            "tool_version": self._version,
            "protocol": "file",
            "direction": operation if operation in {"read", "write", "mixed"} else None,
            "label": None if row.what == "COMBINED" else f"target {row.values.get('target', '?')}",
            "bytes": None if amount is None else int(amount),
            "duration_s": seconds,
            "throughput_bps": throughput,
            "iops": row.number("iops"),
            "streams": len(parts) or None,
        }
        streams = [
            {
                "stream": number,
                "line": part.line,
                "bytes": None if (moved := part.number("bytes")) is None else int(moved),
                "duration_s": part.number("seconds"),
                "throughput_bps": None if (speed := part.number("rate")) is None else 8e6 * speed,
            }
            for number, part in enumerate(parts)
        ]
        first = min([self._begun or row.line, *(part.line for part in self._rows), row.line])
        self._begun = None
        return Run(first, row.line, values, streams, rounding=0.02 + 0.0005 / max(seconds or 0.0, 0.0005))

    def _requested_operation(self, line: int) -> str:
        """Return the operation that the command line above requests."""
        command = self._findings.command
        words = command.arguments
        if command.program != "xdd" or command.line > line or "-op" not in words[:-1]:
            return ""
        return words[words.index("-op") + 1].lower()

    def _ending(self, line: Line, how: str) -> None:
        failed = how != "terminated normally"
        if failed:
            self._findings.problem(
                line.number, "aborted", f"found 'This run {how}', expected 'This run terminated normally'"
            )
        if self._open is not None:
            self._open.columns["error"] = failed
            self._open.line_last = line.number
            self._close()
        else:
            self._close(failed=failed)

    def _close(self, *, failed: bool = False) -> None:
        """Hand over the open run; without a COMBINED line the averages, else the passes."""
        opened, self._open = self._open, None
        rows, self._rows = self._rows, []
        if opened is not None:
            self._findings.run(opened)
        if not rows:
            return
        kept = [row for row in rows if row.what == "AVERAGE"] or rows
        self._findings.problem(
            rows[-1].line,
            "truncated",
            f"found no line COMBINED, expected one after the targets; {len(kept)} of theirs taken",
        )
        for row in kept:
            run = self._run(row, [])
            run.columns["error"] = failed
            self._findings.run(run)
