"""Output of bonnie++: block writes, rewrites and block reads.

Versions: 1.00 to 2.00, the line of comma separated values (layouts of 1.0x, 1.9x and 1.98 on) and the table that is
printed beside it. A run is a block result: write, rewrite, read. Results per character, seeks and file creation are not
transfers and are left out.

Units and traps
---------------
- Rates are KiB per second. 1.97 and later print a unit in the table ("797k", "12.3m", "1.2g", powers of 1024) and none
  in the values.
- Values and table show the same test, one on the standard output and one on the standard error: if a log has both, the
  values are read, since they have more digits.
- With -f the columns per character are blank: a row then has eight values and not twelve.
- "+++++" is a result that was too short to measure: no run, and a problem.
- The size ("7423M", "4G", "300M:64k") is the amount of each of the three tests; without a unit it is MiB.
- The three tests read and write one file of that size: a figure far above the disk's is the page cache.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_SIZE: Final = re.compile(r"(?P<size>\d{1,9})(?P<unit>[KMGTkmgt]?)(?::\d{1,9}[KMGkmg]?)?(?:[x*]\d{1,4})?$")
_VERSION: Final = re.compile(r"\d\.\d{2}[a-z]?$")
_NUMBER: Final = re.compile(r"\d{1,12}(?:\.\d{1,3})?$")
_TITLE: Final = re.compile(
    r"^\s{0,16}(?:Version\s{1,4}(?:(?P<version>\d\.\d{1,3}\w?)|@version@)\s{1,16})?-{3,6}Sequential Output-{3,8} "
    r"-{1,4}Sequential Input-"
)
_NAMES: Final = re.compile(r"^\s{0,16}(?:Machine|Name:Size|Size)\b.{0,60}/sec %CP")
_ROW: Final = re.compile(
    r"^\s{0,24}(?P<name>\S.{0,40}?|)(?:\s{1,24}|(?<=\D)|^)(?P<size>\d{1,9}[KMGTkmgt](?::\d{1,9}[KMGkmg]?)?)\s"
    r"(?P<rest>[\s\d+.kmgKMG]{10,120})$"
)
_RATE: Final = re.compile(r"(?P<rate>\d{1,12}(?:\.\d{1,3})?)(?P<unit>[kmg]?)$")
_FAILED: Final = re.compile(r"^(?:Bonnie: drastic I/O error|Can't (?:write block|read a full block|open file))")
_TABLE: Final = re.compile(
    r"^\s{10,24}(?:-Per Ch|-{3,6}Sequential Create-|-Create--|files\b)|^Latency\s|^Concurrency\s|"
    r"^\S{0,60}\s{0,40}-{3,6}Sequential Create-"
    r"|^Version\s{1,4}\d\.\d{1,3}\w?\s{1,12}-{3,6}Sequential Create-|^\s{10,24}/sec %CP"
)
_PROGRESS: Final = re.compile(
    r"^(?:(?:Writing|Reading) (?:a byte at a time|with (?:putc|getc)\(\)|intelligently)|Rewriting|start 'em|Using uid:|"
    r"(?:Create|Stat|Delete) files in )"
)
_BEGINNINGS: Final = (
    *("Version ", "------Sequential", "Bonnie: ", "Can't ", "Writing ", "Rewriting", "Reading ", "start 'em"),
    "Using uid:",
)
_DIRECTIONS: Final = ("write", "rewrite", "read")
_KILO: Final = {"": 1, "k": 1, "m": 1 << 10, "g": 1 << 20}
_UNITS: Final = "KMGT"
_FEWEST: Final = 27
_ALL: Final = 12
_BROKEN: Final = (10, 11)
_NEAR: Final = 30


@dataclass(frozen=True)
class _Result:
    """The three block results of one test, with their lines.

    Parameters
    ----------
    first, last
        Lines in the file.
    name, size, version
        What was tested.
    rates
        KiB per second with its rounding (relative), None where it was not measured or is blank.
    blank
        Which of the three were not asked for.
    """

    first: int
    last: int
    name: str
    size: str
    version: str | None
    rates: tuple[float | None, ...]
    blank: tuple[bool, ...]


@dataclass
class _Table:
    """The headings of a table so far, and the number of rows below them."""

    first: int
    version: str | None
    names: bool = False
    rows: int = 0


class Bonnie:
    """Reader of bonnie++."""

    TOOLS: tuple[str, ...] = ("bonnie++",)
    VERSIONS: str = "1.00 to 2.00, table and comma separated values"
    HINTS: tuple[str, ...] = (
        "Sequential Output-",
        "Bonnie: ",
        "Can't ",
        "Writing ",
        "Rewriting",
        *(f"Reading {way}" for way in ("a byte at a time", "with ", "intelligently")),
        "start 'em",
        "Using uid:",
    )
    HINTS_REPEATED: tuple[tuple[str, int], ...] = ((",", _FEWEST - 1),)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._table: _Table | None = None
        self._shown: _Result | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of bonnie++'s."""
        text = line.text
        if text.count(",") >= _FEWEST - 1:
            return self._values(line)
        if self._table is None and self._shown is None and not text.lstrip().startswith(_BEGINNINGS):
            return False
        return self._table_line(line) or self._other_line(text) or self._failure(line)

    def _table_line(self, line: Line) -> bool:
        """Take a line of the table, from its title to its row."""
        if (match := _TITLE.match(line.text)) is not None:
            self._flush()
            self._table = _Table(line.number, match["version"])
            return True
        if self._table is None:
            return False
        if _NAMES.match(line.text):
            self._table.names = True
            return True
        return self._table.names and (match := _ROW.match(line.text)) is not None and self._row(line, match)

    def _other_line(self, text: str) -> bool:
        """Take a line without results."""
        inside = self._table is not None or self._shown is not None
        if "-Sequential Create-" in text and self._shown is not None:
            self._table = None
        return _PROGRESS.match(text) is not None or (inside and _TABLE.match(text) is not None)

    def _failure(self, line: Line) -> bool:
        if not _FAILED.match(line.text):
            return False
        self._findings.problem(line.number, "aborted", f"found {line.text.strip()[:200]!r}, expected results")
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._flush()

    def _values(self, line: Line) -> bool:
        fields = [part.strip() for part in line.text.split(",")]
        version: str | None = None
        if _VERSION.match(fields[0]) and _VERSION.match(fields[1]) and len(fields) > 20 and _SIZE.match(fields[5]):
            version, name, size = fields[1], fields[2], fields[5]
            first = 11 if fields[0] >= "1.98" else 9
        elif _SIZE.match(fields[1]) and fields[0] and len(fields) == _FEWEST and _plausible(fields[2:14]):
            name, size, first = fields[0], fields[1], 4
        else:
            return False
        parts = [fields[first], fields[first + 2], fields[first + 6]]
        rates = tuple(float(part) if _NUMBER.match(part) else None for part in parts)
        blank = tuple(not part for part in parts)
        shown = self._shown
        if shown is not None and shown.last + _NEAR >= line.number and _same(shown.rates, rates):
            result = _Result(shown.first, line.number, name, size, version or shown.version, rates, blank)
            self._shown = self._table = None
        else:
            self._flush()
            result = _Result(line.number, line.number, name, size, version, rates, blank)
        self._hand_over(result)
        return True

    def _row(self, line: Line, match: re.Match[str]) -> bool:
        table, words = self._table, match["rest"].split()
        if table is None:
            return False
        table.rows += 1
        if line.complete and len(words) in _BROKEN:
            words.extend([""] * (_ALL - len(words)))  # mail has put the seeks on the next line
        if len(words) not in {8, _ALL}:
            expected = "12, or 8 without those per character; no run made"
            report_damaged_line(self._findings, line, expected, f"{len(words)} values after the size")
            return True
        if len(words) == 8:
            words = ["", "", *words[:4], "", "", *words[4:]]  # without results per character
        rates = []
        for word in (words[2], words[4], words[8]):
            rate = _RATE.match(word)
            rates.append(float(rate["rate"]) * _KILO[rate["unit"]] if rate else None)
        if self._shown is not None:
            self._hand_over(self._shown)
        self._shown = _Result(
            table.first if table.rows == 1 else line.number,
            line.number,
            match["name"].strip(),
            match["size"],
            table.version,
            tuple(rates),
            (False, False, False),
        )
        return True

    def _flush(self) -> None:
        """Hand over the table if no values follow it."""
        shown, self._shown = self._shown, None
        table, self._table = self._table, None
        if table is not None and not table.rows:
            self._findings.problem(table.first, "truncated", "found the head of a table and no results after it")
        if shown is not None:
            self._hand_over(shown)

    def _hand_over(self, result: _Result) -> None:
        size = _SIZE.match(result.size)
        amount = None
        if size is not None:
            power = _UNITS.index(size["unit"].upper()) + 1 if size["unit"] else 2
            amount = int(size["size"]) << (10 * power)
        for direction, rate, blank in zip(_DIRECTIONS, result.rates, result.blank, strict=True):
            if rate is None:
                if not blank:
                    self._findings.problem(
                        result.last,
                        "malformed",
                        f"found no figure for the block {direction} (too short to measure), expected KiB/s; "
                        "no run made",
                    )
                continue
            values: dict[str, object] = {
                "tool": "bonnie++",
                "tool_version": result.version,
                "protocol": "file",
                "label": result.name or None,
                "direction": direction,
                "bytes": amount,
                "throughput_bps": 8192.0 * rate,
            }
            self._findings.run(Run(result.first, result.last, values))


def _plausible(fields: list[str]) -> bool:
    """Return whether the fields of an old line are rates and percentages, with at least one rate."""
    filled = [part for part in fields if part]
    return bool(filled) and all(_NUMBER.match(part) or not part.strip("+") for part in filled)


def _same(rates: tuple[float | None, ...], other_rates: tuple[float | None, ...]) -> bool:
    """Return whether the rounded rates of the table equal those of the values."""
    return all(
        (a is None) == (b is None) and (a is None or b is None or abs(a - b) <= 0.06 * max(a, b))
        for a, b in zip(rates, other_rates, strict=True)
    )
