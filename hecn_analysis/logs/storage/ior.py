"""Output of IOR: rows of its result table.

Versions: 2.10 (rows only with -vv; else its summary), 3.0 to 3.2 (seven figures a row), 3.3 to 4.1 (nine figures, with
operations and latency), the comma separated rows of 4.x, and its JSON. A run is a result row, write or read; each
repetition has its row, and "remove" is not read.

Units and traps
---------------
- MiB/s is 2^20 bytes per second; the duration is "total(s)", from which IOR computes the rate. MB in 2.10 is the same.
- The bytes are known only if a warning above the row states them ("Using actual aggregate bytes moved"): a stonewalled
  test moves less than the planned "aggregate filesize".
- "Max Write" and the table "Summary of all tests" repeat the rows (and begin with "write" too). They are read only if
  there is no row: the mean is the rate and "Mean(s)" the duration of one run.
- Without either, "Max Write: … MiB/sec" and "Max Read" are runs: the best repetition.
- A negative time prints as "-". The rate is rounded to whole MiB/s from 3600 MiB/s on.
- With -vv and more, lines stand between heading and rows. The heading says which column is which.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number

_N: Final = r"\d{1,20}(?:\.\d{1,9})?"
_TITLE: Final = re.compile(r"^\s*+IOR-(?P<version>[\w.+-]{1,40}): MPI Coordinated Test of Parallel I/O")
_HEADING: Final = re.compile(r"^\s*+access\s{1,12}bw\(MiB/s\)\s")
_HEADING_CSV: Final = re.compile(r"^access,bw\(MiB/s\),")
_ROW: Final = re.compile(
    rf"^\s*+(?P<access>write|read)\s{{1,12}}(?P<rest>(?:{_N}|-|inf|nan)\s[\s\d.infa-]{{9,299}}?[\d.infa-])(?:\s{{1,4}}XXCEL)?\s*$"
)
_ROW_CSV: Final = re.compile(rf"^(?P<access>write|read),(?P<rest>{_N},[\d.,infa-]{{10,300}})$")
_CUT: Final = re.compile(r"^\s*+(?:write|read)[\s,]{1,12}\d")
_MOVED: Final = re.compile(r"WARNING: Using actual aggregate bytes moved\s{0,6}= {0,4}(?P<bytes>\d{1,20})")
_TASKS: Final = re.compile(r"^\s*+(?:tasks\s{1,24}: (?P<tasks>\d{1,9})|clients\s{1,24}[:=] (?P<clients>\d{1,9}) \()")
_SUMMARY: Final = re.compile(r"^\s*+Operation\s{1,6}Max ?\(MiB\)")
_SUMMARY_ROW: Final = re.compile(
    rf"^\s*+(?:\d{{1,6}}[:.] {{1,4}})?(?P<access>write|read)\s{{1,12}}{_N}\s{{1,12}}{_N}\s{{1,12}}"
    rf"(?P<rate>{_N})\s{{1,12}}{_N}\s{{1,12}}"
    rf"(?:(?:{_N}|inf|nan)\s{{1,12}}){{4}}(?P<seconds>{_N})(?=\s|$)"
)
_MAX: Final = re.compile(rf"^\s*+Max (?P<access>Write|Read):\s{{1,12}}(?P<rate>{_N}) MiB/sec \(")
_ERROR: Final = re.compile(r"^\s*+(?:ior )?ERROR: (?P<text>\S.{0,300})")
_END: Final = re.compile(r"^\s*+(?:Finished\s{0,24}: |Run finished: )")
_ABOUT: Final = re.compile(
    r"^\s*+(?:Began|Command line|Machine|TestID|StartTime|Path|FS|Options|Results|api|apiVersion|test filename|access|"
    r"type|segments|ordering in a file|ordering inter file|task offset|nodes|clients per node|memoryBuffer|dataAccess|"
    r"GPUDirect|repetitions|xfersize|blocksize|aggregate filesize|stonewallingTime|stoneWallingWearOut|"
    r"Summary of all tests|Run began|Command line used|Participating tasks)\s{0,24}[:=]"
    r"|^(?:------|---------)\s|^Max (?:Write|Read):|^\s*+(?:ior )?WARNING: |^stonewalling pairs|^remove\s{1,8}-|"
    r"^Commencing (?:write|read)|^Start time skew|^Summary:$"
)


class Ior(DocumentReader):
    """Reader of IOR."""

    TOOLS: tuple[str, ...] = ("IOR",)
    VERSIONS: str = "2.10, 3.0 to 4.1: text, comma separated values, JSON"
    HINTS: tuple[str, ...] = (
        "IOR-",
        "bw(MiB/s)",
        "WARNING: ",
        "write ",
        "read ",
        "write,",
        "read,",
        "Operation ",
        "Max Write:",
        "Max Read:",
        "ERROR: ",
        "tasks ",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"Version", "Began", "tests"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._forget()

    def _forget(self) -> None:
        self._begun: int | None = None
        self._version: str | None = None
        self._columns: tuple[str, ...] = ()
        self._tasks: int | None = None
        self._moved: int | None = None
        self._first: int | None = None
        self._rows = 0
        self._in_summary = self._summarised = False
        self._failed = False
        self._last = 0
        self._best: list[tuple[Line, str, float]] = []

    def feed(self, line: Line) -> bool:
        """Take a line of IOR's."""
        text = line.text
        if (match := _TITLE.match(text)) is not None:
            self._close()
            self._begun, self._version = line.number, match["version"]
        elif _HEADING.match(text) or _HEADING_CSV.match(text):
            self._begun = self._begun or line.number
            self._columns = tuple(text.replace(",", " ").split()[1:])
            self._in_summary = False
        elif (match := _MAX.match(text)) is not None:
            self._begun = self._begun or line.number
            self._best.append((line, match["access"].lower(), float(match["rate"])))
        elif self._begun is None and _SUMMARY.match(text):
            self._begun, self._in_summary = line.number, True
        elif self._begun is None or not (self._result(line) or self._other_line(line)):
            return False
        self._last = line.number
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _result(self, line: Line) -> bool:
        text = line.text
        if self._in_summary and (match := _SUMMARY_ROW.match(text)) is not None:
            if not self._rows:
                self._run(line, match["access"], float(match["rate"]), float(match["seconds"]))
                self._summarised = True
            return True
        if not self._columns or self._in_summary:
            return False
        if (match := _ROW.match(text) or _ROW_CSV.match(text)) is not None and line.complete:
            words = match["rest"].replace(",", " ").split()
            if len(words) == len(self._columns):
                values = dict(zip(self._columns, words, strict=True))
                if (tasks := values.get("numTasks", "")).isdecimal():
                    self._tasks = int(tasks)
                self._rows += 1
                rate, seconds = _number(values.get("bw(MiB/s)")), _number(values.get("total(s)"))
                self._run(line, match["access"], rate, seconds, _number(values.get("IOPS")))
                return True
        if not _CUT.match(text):
            return False
        report_damaged_line(self.findings, line, f"a row of {len(self._columns)} figures; no run made of it")
        self._rows += 1
        return True

    def _other_line(self, line: Line) -> bool:
        """Take a line of IOR without results."""
        text = line.text
        if (match := _MOVED.search(text)) is not None:
            self._moved = int(match["bytes"])
            self._first = self._first or line.number
            return True
        if (match := _TASKS.match(text)) is not None:
            self._tasks = int(match["tasks"] or match["clients"])
            return True
        if _SUMMARY.match(text):
            self._in_summary = True
            return True
        if (match := _ERROR.match(text)) is not None:
            self.findings.problem(line.number, "aborted", f"found {match['text'].strip()!r}, expected a row of results")
            self._failed = True
            return True
        if _END.match(text):
            self._columns, self._in_summary = (), False
            return True
        return _ABOUT.match(text) is not None

    def _run(
        self, line: Line, access: str, rate: float | None, seconds: float | None, iops: float | None = None
    ) -> None:
        values: dict[str, object] = {
            "tool": "IOR",
            "tool_version": self._version,
            "protocol": "file",
            "direction": access,
            "bytes": self._moved,
            "duration_s": seconds,
            "throughput_bps": None if rate is None else 8.0 * rate * (1 << 20),
            "iops": iops,
            "streams": self._tasks or None,
        }
        rounding = 0.01 + 0.5 / max(rate or 0.0, 0.5) + 0.005 / max(seconds or 0.0, 0.005)
        self.findings.run(Run(self._first or line.number, line.number, values, rounding=rounding))
        self._moved = self._first = None

    def _close(self) -> None:
        if not self._rows and not self._summarised:
            for line, access, rate in self._best:
                self._run(line, access, rate, None)
                self._summarised = True
        nothing = self._begun is not None and not self._rows and not self._summarised
        if nothing and not self._failed:
            self.findings.problem(
                self._last or self._begun, "truncated", "found the head of a test and no row of results after it"
            )
        elif nothing and self._begun is not None:
            values: dict[str, object] = {
                "tool": "IOR",
                "tool_version": self._version,
                "protocol": "file",
                "streams": self._tasks or None,
                "error": True,
            }
            self.findings.run(Run(self._begun, max(self._last, self._begun), values))
        self._forget()

    def take(self, document: JsonDocument) -> bool:
        """Take the output of -O summaryFormat=JSON."""
        tests = document.value.get("tests")
        if not isinstance(tests, list):
            return False
        version = document.value.get("Version")
        for test, last in zip(tests, [*document.lines("tests"), *[document.last] * len(tests)], strict=False):
            for result in _rows(at(test, "Results")) or _rows(at(test, "Options", "Results")):
                access = at(result, "access")
                if not isinstance(access, str) or access not in {"write", "read"}:
                    continue
                rate, seconds = number(at(result, "bwMiB")), number(at(result, "totalTime"))
                values: dict[str, object] = {
                    "tool": "IOR",
                    "tool_version": version if isinstance(version, str) else None,
                    "protocol": "file",
                    "direction": access,
                    "duration_s": seconds,
                    "throughput_bps": None if rate is None else 8.0 * rate * (1 << 20),
                    "iops": number(at(result, "iops")),
                    "streams": count(at(test, "Options", "tasks")) or None,
                }
                self.findings.run(Run(document.first, min(last, document.last), values))
        return True


def _rows(results: Any) -> list[Any]:  # noqa: ANN401 - any JSON value may be found
    """Return the rows of one test: a list, or a list of lists, one per repetition."""
    if not isinstance(results, list):
        return []
    return [row for part in results for row in (part if isinstance(part, list) else [part])]


def _number(text: str | None) -> float | None:
    """Return a figure of a row, None if IOR could not compute it."""
    try:
        value = float(text or "-")
    except ValueError:
        return None
    return value if value == value and value < 1e300 else None  # noqa: PLR0124 - NaN
