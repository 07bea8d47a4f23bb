"""Output of IOzone: tables of one cell per test, and the summaries of its throughput mode.

Versions: 3.x (3.100 to 3.506). A run is a cell of the table, row by row, with the column as its direction: write,
rewrite, read, reread, random_read, random_write, bkwd_read, record_rewrite, stride_read, fwrite, frewrite, fread,
freread, and pwrite to repreadv if built in. In throughput mode (-t) it is a "Children see throughput" line, with the
children as streams.

Units and traps
---------------
- kB (also written KB, "Kbytes") is 1024 bytes. No time is printed; the bytes are the size of the file.
- With -O (operations) or -N (microseconds) the cells are not rates: no runs, and a problem of kind ``unit``.
- Tests left out with -i leave blanks: a cell belongs to the column that it stands under, not to the next one.
- -R repeats the table as reports for a spreadsheet, "Writer report" and so on; they are read only if the table is
  missing, and never in throughput mode.
- In throughput mode the first child to finish stops the others (unless -x), so less than all files is moved. "Parent
  sees" includes start and end, and is left out.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings

_TITLE: Final = re.compile(r"^\s*+Iozone: Performance Test of File I/O")
_VERSION: Final = re.compile(r"^\s*+Version \$Revision: (?P<version>[\d.]{1,12}) ?\$")
_UNIT: Final = re.compile(
    r"^\s*+(?:(?P<operations>OPS Mode)\.|(?P<time>Microseconds/op Mode)\.|Output is in [kK]Bytes/sec)", re.IGNORECASE
)
_HEADING: Final = re.compile(r"^\s*+[kK]B\s{1,12}reclen\s{1,12}write\s{1,12}rewrite\b")
_HEADING_ABOVE: Final = re.compile(r"^\s{20,90}random\s{1,8}random\s{1,12}bkwd\s")
_CELLS: Final = re.compile(r"^\s{0,40}\d{1,15}\s{1,12}\d{1,12}(?=\s|$)[\s\d]{0,600}$")
_WORD: Final = re.compile(r"\S+")
_CHILDREN: Final = re.compile(
    r"^(?:[\w.-]{1,80}:)?[\s>]{0,40}Children see throughput for\s{1,6}(?P<count>\d{1,6}) "
    r"(?P<test>[a-z][a-z -]{2,30}?)\s{0,12}=\s{1,20}(?P<rate>\d{1,15}(?:\.\d{1,6})?) (?P<unit>[kKMG]B|ops)/sec"
)
_CHILD: Final = re.compile(
    r"^\s*+Child\[(?P<child>\d{1,6})\] xfer count =\s{1,12}(?P<moved>\d{1,15}(?:\.\d{1,6})?) [kK]B, "
    r"Throughput =\s{1,12}(?P<rate>\d{1,15}(?:\.\d{1,6})?) [kK]B/sec"
)
_THROUGHPUT: Final = re.compile(
    r"^\s*+(?:Parent sees throughput for|(?:Min|Max|Avg) throughput per |Min xfer|Each (?:process|thread) writes a|"
    r"Throughput test with|CPU [Uu]tilization|Wall)"
)
_EXCEL: Final = re.compile(r"^\s*+(?:Excel output is below:|\"Throughput report Y-axis)")
_REPORT: Final = re.compile(r"^\"(?P<title>[A-Z][\w-]{2,12}(?: \w{4,8})?) report\"$")
_RECORDS: Final = re.compile(r'^\s{2,12}(?:"\d{1,12}"\s{0,4}){1,40}$')
_REPORT_ROW: Final = re.compile(r'^"(?P<size>\d{1,15})"\s{1,6}(?P<cells>[\d\s]{1,600})$')
_QUOTED: Final = re.compile(r'^\s{0,4}"[^"]{1,100}"(?:\s{1,12}[\d.]{1,20}){0,60}\s*$')
_NAMED: Final = re.compile(
    r"^\s{0,8}(?P<name>[A-Za-z][\w./+-]{0,30}):?\s{1,12}(?=[\d\s]{10,600}$)"
)  # as people name rows
_DONE: Final = re.compile(r"^\s*+iozone test complete\.")
_FAILED: Final = re.compile(
    r"^\s*+(?:iozone: interrupted|I/O error during read|Error (?:reading|writing) block|Can not open temporary file)"
)
_ABOUT: Final = re.compile(
    r"^\s*+(?:Compiled for|Build:|Contributors:|Run began:|Auto Mode|Command line used:|Time Resolution =|Excel chart|"
    r"Processor cache|File stride size|Using (?:min|max)imum|File size set|Record Size|Include |O_DIRECT|SYNC Mode|"
    r"No retest|Min (?:process|thread)|Max (?:process|thread)|Setting no_unlink|Network distribution)",
    re.IGNORECASE,
)
_COLUMNS: Final = (
    *(
        "write",
        "rewrite",
        "read",
        "reread",
        "random_read",
        "random_write",
        "bkwd_read",
        "record_rewrite",
        "stride_read",
    ),
    *("fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread", "repread"),
    *("pwritev", "repwritev", "preadv", "repreadv"),
)
_TESTS: Final = {
    "initial writers": "write",
    "rewriters": "rewrite",
    "readers": "read",
    "re-readers": "reread",
    "reverse readers": "bkwd_read",
    "stride readers": "stride_read",
    "random readers": "random_read",
    "random writers": "random_write",
    "mixed workload": "mixed",
    "pwrite writers": "pwrite",
    "pread readers": "pread",
    "fwriters": "fwrite",
    "freaders": "fread",
}
_REPORTS: Final = {
    "writer": "write",
    "re-writer": "rewrite",
    "reader": "read",
    "re-reader": "reread",
    "random read": "random_read",
    "random write": "random_write",
    "backward read": "bkwd_read",
    "record rewrite": "record_rewrite",
    "stride read": "stride_read",
    "fwrite": "fwrite",
    "re-fwrite": "frewrite",
    "fread": "fread",
    "re-fread": "freread",
    "pwrite": "pwrite",
    "re-pwrite": "repwrite",
    "pread": "pread",
    "re-pread": "repread",
    "pwritev": "pwritev",
    "re-pwritev": "repwritev",
    "preadv": "preadv",
    "re-preadv": "repreadv",
}
_UNITS: Final = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
_WIDEST_GAP: Final = 9


class Iozone:
    """Reader of IOzone."""

    TOOLS: tuple[str, ...] = ("iozone",)
    VERSIONS: str = "3.100 to 3.506: tables, -R reports, throughput mode"
    HINTS: tuple[str, ...] = ("Iozone:", "reclen", "Children see throughput", "Excel output", ' report"', "iozone: ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._begun: int | None = None
        self._version: str | None = None
        self._rates = True
        self._edges: tuple[int, ...] = ()
        self._results = False
        self._excel = False
        self._report: str | None = None
        self._records: list[int | None] = []
        self._open: Run | None = None
        self._streams: list[dict[str, object]] = []

    def feed(self, line: Line) -> bool:
        """Take a line of IOzone's."""
        text = line.text
        if self._edges and _CELLS.match(text):
            self._row(line)
        elif self._edges and (named := _NAMED.match(text)) and len(text.split()) == len(self._edges) + 3:
            self._row(line._replace(text=text[named.end() :].rjust(len(text))), named["name"])
        elif (match := _CHILDREN.match(text)) is not None:
            self._children(line, match)
        elif self._open is not None and (match := _CHILD.match(text)) is not None:
            self._child(line, match)
        elif _HEADING.match(text):
            self._begun = self._begun or line.number
            self._edges = tuple(word.end() for word in _WORD.finditer(text))[2:]
        elif _TITLE.match(text):
            self._close()
            self._begun = line.number
        else:
            return self._in_reports(line) or (self._begun is not None and self._other_line(line))
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _other_line(self, line: Line) -> bool:
        """Take a line of IOzone without results."""
        text = line.text
        if (match := _VERSION.match(text)) is not None:
            self._version = match["version"]
            return True
        if (match := _UNIT.match(text)) is not None:
            if match["operations"] or match["time"]:
                self._rates = False
                self._findings.problem(
                    line.number,
                    "unit",
                    f"found {text.strip()!r}, expected kBytes/sec; no runs are made",
                )
            return True
        if _FAILED.match(text):
            self._findings.problem(line.number, "aborted", f"found {text.strip()[:200]!r}, expected results")
            self._results = True
            return True
        if _DONE.match(text):
            self._edges = ()
            self._results = True
            return True
        return any(kind.match(text) for kind in (_ABOUT, _HEADING_ABOVE, _THROUGHPUT))

    def _row(self, line: Line, name: str = "") -> None:
        """Take the cells of a row, each under its column."""
        words = list(_WORD.finditer(line.text))
        size, cells = int(words[0].group()), words[2:]
        if not line.complete:
            self._findings.problem(
                line.number,
                "truncated",
                "found the end of the file inside a row, expected a line feed; its last cell is left out",
            )
            cells = cells[:-1]
        self._results = True
        if int(words[1].group()) > size:
            self._findings.problem(
                line.number,
                "malformed",
                f"found a record of {words[1].group()} kB in a file of {size} kB, expected no more; no runs made",
            )
            return
        columns = self._columns(words[1].end(), cells)
        if columns is None:
            self._findings.problem(
                line.number,
                "malformed",
                f"found {len(cells)} cells, expected at most {len(self._edges)} as the heading has; no runs made",
            )
            return
        for cell, column in zip(cells, columns, strict=True):
            self._cell(line.number, (size, int(words[1].group())), int(cell.group()), _COLUMNS[column], name)

    def _columns(self, end: int, cells: list[re.Match[str]]) -> list[int] | None:
        """Return the column of each cell: the next one, or after a gap the nearest one."""
        count = min(len(self._edges), len(_COLUMNS))
        if len(cells) > count:
            return None
        if len(cells) == count:
            return list(range(count))
        columns: list[int] = []
        for position, cell in enumerate(cells):
            column = columns[-1] + 1 if columns else 0
            rest = count - (len(cells) - position)
            if cell.start() - end > _WIDEST_GAP and column < rest:
                column = min(range(column, rest + 1), key=lambda number: abs(self._edges[number] - cell.end()))
            columns.append(min(column, rest))
            end = cell.end()
        return columns

    def _cell(self, number: int, sizes: tuple[int, int | None], rate: int, direction: str, name: str = "") -> None:
        """Hand over one run; the sizes are those of the file and of a record [kB]."""
        size, record = sizes
        if not self._rates or size == 0:
            return
        values: dict[str, object] = {
            "tool": "iozone",
            "tool_version": self._version,
            "protocol": "file",
            "label": ", ".join(word for word in (name, f"reclen {record}" if record else "") if word) or None,
            "direction": direction,
            "bytes": size << 10,
            "throughput_bps": 8192.0 * rate,
        }
        self._findings.run(Run(number, number, values))

    def _children(self, line: Line, match: re.Match[str]) -> None:
        self._hand_over()
        self._begun = self._begun or line.number
        self._results = True
        if match["unit"] == "ops":
            self._findings.problem(line.number, "unit", "found a rate in ops/sec, expected kB/sec; no run is made")
            return
        values: dict[str, object] = {
            "tool": "iozone",
            "tool_version": self._version,
            "protocol": "file",
            "label": match["test"],
            "direction": _TESTS.get(match["test"]),
            "throughput_bps": 8.0 * float(match["rate"]) * _UNITS[match["unit"].upper()],
            "streams": int(match["count"]) or None,
        }
        self._open = Run(line.number, line.number, values)

    def _child(self, line: Line, match: re.Match[str]) -> None:
        if self._open is None:
            return
        self._open.line_last = line.number
        self._streams.append(
            {
                "stream": int(match["child"]),
                "line": line.number,
                "bytes": round(1024 * float(match["moved"])),
                "throughput_bps": 8192.0 * float(match["rate"]),
            }
        )

    def _in_reports(self, line: Line) -> bool:
        """Take the spreadsheet reports if there was no table."""
        text = line.text
        if _EXCEL.match(text):
            self._hand_over()
            self._begin_reports(line)
            return True
        title = _REPORT.match(text)
        if title is not None and title["title"].lower() in _REPORTS:
            self._begin_reports(line)
            self._report = None if self._results else _REPORTS[title["title"].lower()]
            self._records = []
            return True
        if not self._excel:
            return False
        if self._report is not None and _RECORDS.match(text):
            self._records = [int(word) for word in text.replace('"', " ").split()]
            return True
        if (row := _REPORT_ROW.match(text)) is not None:
            cells = [int(cell) for cell in row["cells"].split()] if self._report and line.complete else []
            records = self._records if len(self._records) >= len(cells) else [None] * len(cells)
            for record, cell in zip(records, cells, strict=False):
                if cell:
                    self._cell(line.number, (int(row["size"]), record), cell, self._report or "")
            return True
        return _QUOTED.match(text) is not None

    def _begin_reports(self, line: Line) -> None:
        """Begin reports without a test heading; their unit is in the command line above, if anywhere."""
        command = self._findings.command
        if self._begun is None and command.program == "iozone" and {"-O", "-N"} & set(command.arguments):
            self._rates = False
            self._findings.problem(
                line.number,
                "unit",
                "found -O or -N in the command line, expected kB/sec; no runs are made",
            )
        self._excel = True
        self._begun = self._begun or line.number

    def _hand_over(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.streams = self._streams
            self._streams = []
            self._findings.run(opened)

    def _close(self) -> None:
        self._hand_over()
        if self._begun is not None and not self._results and not self._excel:
            self._findings.problem(self._begun, "truncated", "found the head of a test and no results after it")
        self._forget()
