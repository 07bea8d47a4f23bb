"""Reports of sar: tables with a clock in front of each row.

Versions: sysstat 7 to 12.7 in any locale (see `sysstat`), ``-h`` too.

Units and traps
---------------
- kB are 1024 bytes; before sysstat 8 "rxbyt/s" were bytes. With -h values have prefixes ("12.7k", of 1024).
- Rows of -n DEV are rates of an interface; the interval is the time since the row before, or since the clock in the
  heading. "Average:" rows, by whatever word, have no clock and are left.
- A report may cross midnight, and have a heading every screenful, and begin again after a restart of the host.
- Mail breaks headings and rows of interfaces, once or twice; the lines below hold the rest of their words.
- The speed of a port follows from its rate and %ifutil: of the busier direction in full duplex, of both in half duplex.
  It is left out where the result is no usual speed.
- Octets are the kernel's, without FCS. Times are local, without their zone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Any, Final

import numpy as np

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs import mpstat
from hecn_analysis.counters.programs.readings import moments
from hecn_analysis.counters.programs.sysstat import CLOCK, Days, First, first_line, later_lines
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number, scale

FORMATS: Final = ("sar-text",)
VERSIONS: Final = "sysstat 7 to 12.7"
WHOLE: Final = False

_OTHERS: Final = re.compile(r"^(?>.*?\bUID\b).*\bPID\b|\bTGID\b|\bCommand\b")
"""Headings of pidstat, which has the same first line."""
_OCTETS: Final = {"rxkB/s": ("in", 1024), "txkB/s": ("out", 1024), "rxbyt/s": ("in", 1), "txbyt/s": ("out", 1)}
_PREFIXED: Final = re.compile(r"(\d[\d.,]*)([BkKMGTP])")
_ALONE: Final = re.compile(
    r"^(?:\S{1,20}(?: [AP]M)?)?[ \t]{1,80}IFACE\s{1,80}rxpck/s\s{1,80}txpck/s"
    r"\s{1,80}(?:rxkB/s\s{1,80}txkB/s|rxbyt/s\s{1,80}txbyt/s)\s",
    re.MULTILINE,
)
_COLUMN: Final = re.compile(r"(?:[rt]x(?:pck|kB|byt|cmp|mcst|err|drop|carr|fram|fifo)|coll)/s|%ifutil")
_BROKEN: Final = re.compile(r"\bIFACE\b[^\n]{0,400}\n[ \t]{0,80}(?:[rt]x[a-zB]{2,5}/s|coll/s|%ifutil)")
_MOST: Final = 16
_SPEEDS: Final = np.array([1e7, 1e8, 1e9, 2.5e9, 5e9, 1e10, 2e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11])
"""Speeds of ports, and of two as one. [bit/s]"""
_LEAST_LOAD, _NEAR = 0.01, 0.015  # two digits of %ifutil tell a speed from here on, to so much [1]
_MEAN: Final = re.compile(r"[^\W\d]{3,20}\.?\s?:\s")
_IDLE: Final = ("%idle",)
_SYSTEM: Final = ("%system", "%sys")


def recognises(document: Document) -> bool:
    """Whether a first line is followed by a table of sar, which is neither mpstat's nor iostat's."""
    if first_line(document) is None:
        return bool(_ALONE.search(document.start))
    if re.search(r"^(?:avg-cpu|Device):?\s", document.text, re.MULTILINE):
        return False
    headings = [line for line in document.lines[:400] if CLOCK.match(line) and _is_heading(line.split()[1:])]
    others = [line for line in headings if _OTHERS.search(line) or mpstat.HEADING.search(line)]
    return bool(headings) and not others


def _is_heading(words: Sequence[str]) -> bool:
    return len(words) > 1 and not any(number(word) is not None for word in words[1:])


def _unbroken(document: Document) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; tables of interfaces that mail has broken, once or more often, are whole again."""
    kept: tuple[int, str] | None = None
    width = 0  # words of a row, from the name of the interface on
    for line, text in enumerate(document.lines, 1):
        words = text.split()
        if kept is not None:
            begun = _MEAN.match(kept[1]) or CLOCK.match(kept[1])
            known = kept[1][begun.end() if begun else 0 :].split()
            is_heading = "IFACE" in known
            if is_heading and words and all(map(_COLUMN.fullmatch, words)) and len(known) < _MOST:
                kept = (kept[0], f"{kept[1]} {text}")
                continue
            width = len(known) if is_heading else width
            is_row = begun is not None and 1 < len(known) < width and number(known[-1]) is not None
            if is_row and 0 < len(words) <= width - len(known) and all(number(word) is not None for word in words):
                kept = (kept[0], f"{kept[1]} {text}")
                continue
            yield kept
        kept = (line, text)
    if kept is not None:
        yield kept


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rates of interfaces, and the times of all tables."""
    findings.format = "sar-text"
    report = _Report(document, findings)
    later = later_lines(document)
    lines = list(_unbroken(document) if _BROKEN.search(document.text) else enumerate(document.lines, 1))
    for line, text in lines:
        if line in later:
            report.begin(later[line], document)
        elif clock := CLOCK.match(text):
            report.line(line, clock, text[clock.end() :].split())
    report.means(lines, {str(each["interface"]) for each in findings.rates})
    report.finish()


class _Report:
    """Tables of a report, whose rates are added to the findings."""

    def __init__(self, document: Document, findings: CounterFindings) -> None:
        self._findings = findings
        self._days = Days(findings)
        self._columns: Sequence[str] = ()
        self._before: float | None = None  # where the interval of the rows begins
        self._time: float | None = None
        self._host: str | None = None
        if (first := first_line(document)) is not None:
            self.begin(first, document)
            findings.facts.update(host=first.host, n_cpus=first.cpus)
        else:
            message = "found a table of sar, expected its first line with the date above it; the rates have no times"
            findings.problem(1, "truncated", message)
        self._times: list[float] = []
        self._cpu: list[tuple[float, float]] = []

    def begin(self, first: First, document: Document) -> None:
        """Read the first line of a report; that of another day may follow."""
        self._host = first.host
        self._days.begin(first, document)
        self._columns, self._before, self._time = (), None, None

    def line(self, line: int, clock: re.Match[str], words: Sequence[str]) -> None:
        """Read a line with a clock: a heading or a row."""
        if "RESTART" in words or words[:1] in (["COM"], ["COMMENT"]) or len(words) < 2:
            return
        if _is_heading(words):
            self._columns = words
            self._time = self._days.time(line, clock, " ".join(words), counts=False)
            return
        if not self._columns:
            return
        name = words[0] if self._columns[0].isupper() else ""
        time = self._days.time(line, clock, " ".join(self._columns), row=name)
        if time != self._time:
            self._before, self._time = self._time, time
        self._times += [] if time is None else [time]
        row = dict(zip(self._columns, words, strict=False))
        if "IFACE" in row and any(name in row for name in _OCTETS):
            if len(words) != len(self._columns):
                said = f"found {len(words)} values, expected {len(self._columns)}; left out"
                self._findings.problem(line, "malformed", said)
                return
            _rate(line, row, (self._host, time, self._before), self._findings)
        elif row.get("CPU") == "all" or ("CPU" not in row and "%idle" in row):
            _busy(row, self._cpu)

    def means(self, lines: Sequence[tuple[int, str]], known: Container[str]) -> None:
        """Read the averages of interfaces of which there is nothing else."""
        columns: Sequence[str] = ()
        for line, text in lines:
            mean = _MEAN.match(text)
            begun = mean or CLOCK.match(text)
            words = text[begun.end() if begun else 0 :].split() if begun or " IFACE " in text else ()
            if "IFACE" in words:
                columns = words
            elif mean and columns and len(words) == len(columns):
                row = dict(zip(columns, words, strict=True))
                if row["IFACE"] not in known:
                    _rate(line, row, (self._host, None, None), self._findings)
            elif mean and "IFACE" in columns and len(words) > 1 and words[0] not in known and not _is_heading(words):
                said = f"found {len(words)} values, expected {len(columns)}; left out"
                self._findings.problem(line, "malformed", said)
            elif begun and _is_heading(words):
                columns = ()

    def finish(self) -> None:
        """Add the facts."""
        self._findings.facts.update(moments(self._times))
        self._findings.facts.update(self._days.facts())
        if self._cpu:
            busy, system = np.array(self._cpu).T
            self._findings.facts["cpu"] = {
                "mean_busy_fraction": float(busy.mean()), "max_busy_fraction": float(busy.max()),
                "max_sys_fraction": float(system.max()),
            }  # fmt: skip


def _rate(
    line: int, row: dict[str, str], known: tuple[str | None, float | None, float | None], findings: CounterFindings
) -> None:
    host, time, before = known
    rates: dict[str, Any] = {}
    for name, (way, factor) in _OCTETS.items():
        if name in row:
            rates[f"{way}_bps"] = _bits(row[name], factor)
    length = time - before if time is not None and before is not None and time > before else None
    findings.rate(line=line, host=host, interface=row["IFACE"], time=time, interval_s=length, **rates)
    load = (number(row.get("%ifutil", "").rstrip("%")) or 0.0) / 100
    if load >= _LEAST_LOAD and (speed := _speed([rate or 0.0 for rate in rates.values()], load)) is not None:
        findings.interface(host=host, interface=row["IFACE"], speed_bps=speed)


def _speed(rates: Sequence[float], load: float) -> int | None:
    """The usual speed of a port that a load is of, if there is one [bit/s]."""
    for carried in (max(rates, default=0.0), sum(rates)):
        nearest = _SPEEDS[np.abs(np.log(_SPEEDS / max(carried / load, 1.0))).argmin()]
        if abs(carried / load / nearest - 1) <= _NEAR:
            return int(nearest)
    return None


def _bits(text: str, factor: int) -> float | None:
    prefixed = _PREFIXED.fullmatch(text)
    if prefixed:
        value = number(prefixed[1])
        return None if value is None else 8.0 * value * scale(prefixed[2], 1024)
    value = number(text)
    return None if value is None else 8.0 * factor * value


def _busy(row: dict[str, str], cpu: list[tuple[float, float]]) -> None:
    idle = next((number(row[name]) for name in _IDLE if name in row), None)
    system = next((number(row[name]) for name in _SYSTEM if name in row), None)
    if idle is not None and system is not None:
        cpu.append((1 - idle / 100, system / 100))
