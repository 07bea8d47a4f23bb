"""Contract of a reader of counters: its input and output.

A reader is a module with the names of `Reader`. It recognises its files by content alone, and reads each reading of an
interface's counters into a row of `samples`, each mean rate that the file gives into a row of `rates`.
`CounterFindings` checks the rows afterwards: an impossible value is left out and becomes a problem with its line. No
content of a file makes a reader raise. Times are seconds since 1970 in UTC (`clock` converts local times).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Protocol

import numpy as np
import pandas as pd

from hecn_analysis.base import tables, units
from hecn_analysis.base.columns import TIME
from hecn_analysis.counters.clock import Clock, LocalTimes, iso
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.problems import FileProblems

_FACTS_OF_INTERFACES: Final = ("description", "alias", "mac_address")
_OWN: Final = tuple(tables.COLUMNS["samples"])
_IDENTITY: Final = ("host", "interface", "index")
#: More octets than a packet can have: Linux counts 512 KiB as one with BIG TCP.
_LARGEST_PACKET: Final = 1 << 20
#: Formats of single metrics: there may be octets of all packets, and packets of one kind or of a narrower counter only.
_SINGLE: Final = ("prometheus", "openmetrics", "influx", "snmp")
_SHOWN: Final = tuple(name for name in _OWN if name not in {"source_file", "line", "host", "interface", "time"})


@dataclass(frozen=True)
class Counters:
    """The tables of one or more files; `hecn_analysis.base.tables.COLUMNS` describes the columns.

    `rates` has rates from the samples and from the files themselves; `sources` one mapping per file: its name, its
    format, and its contents.
    """

    samples: pd.DataFrame
    interfaces: pd.DataFrame
    rates: pd.DataFrame
    problems: pd.DataFrame
    sources: list[dict[str, object]]

    def __str__(self) -> str:
        count = units.format_count
        return (
            f"{count(len(self.samples), 'sample')} and {count(len(self.rates), 'rate')} of "
            f"{count(len(self.interfaces), 'interface')}, {count(len(self.problems), 'problem')}"
        )

    __repr__ = __str__


@dataclass
class CounterFindings(FileProblems):
    """Results of one reader for one file.

    The reader sets `format`, one of its `FORMATS`, once it is sure; `facts`, the contents of the file by name, to which
    `common_facts` are added; and `ceiling_bps`, the largest value that the writing program can count or show [bit/s].

    Examples
    --------
    >>> findings = CounterFindings("port1.log", format="mrtg-log")
    >>> findings.sample(interface="port1", time=0.0, in_octets=-7)
    >>> findings.rate(interface="port1", time=300.0, interval_s=300.0, in_bps=2e6)
    >>> findings.finish()
    >>> findings.rates[0]["flag"], [problem["kind"] for problem in findings.problems]
    ('given', ['inconsistent'])
    """

    clock: Clock = field(default_factory=Clock)
    format: str | None = None
    facts: dict[str, object] = field(default_factory=dict)
    samples: list[dict[str, object]] = field(default_factory=list)
    rates: list[dict[str, object]] = field(default_factory=list)
    interfaces: dict[tuple[object, ...], dict[str, object]] = field(default_factory=dict)
    more: dict[tuple[object, ...], dict[str, object]] = field(default_factory=dict)
    times: LocalTimes = None  # type: ignore[assignment]  # set below where the caller has none
    ceiling_bps: float | None = None

    def __post_init__(self) -> None:
        if self.times is None:
            self.times = LocalTimes(self.clock)

    def sample(self, **columns: object) -> None:
        """Add a reading of the counters of one interface.

        Parameters
        ----------
        columns
            Columns of the table of samples except the file, ``time`` in seconds since 1970; and description, alias
            and mac_address of the interface.
        """
        self._known({name: columns[name] for name in (*_IDENTITY, *_FACTS_OF_INTERFACES) if name in columns})
        self.samples.append({name: value for name, value in columns.items() if name in _OWN and value is not None})

    def rate(self, **columns: object) -> None:
        """Add a mean rate over an interval, as the file gives it; intervals of an interface do not overlap.

        Parameters
        ----------
        columns
            Columns of the table of rates except the file, ``time`` (the end) in seconds since 1970; ``flag`` is "given"
            by default.
        """
        self._known({name: columns[name] for name in _IDENTITY if name in columns})
        self.rates.append({"flag": "given", **{name: value for name, value in columns.items() if value is not None}})

    def interface(self, *, facts: Mapping[str, object] | None = None, **columns: object) -> None:
        """Add facts about an interface, even of one without counters.

        Parameters
        ----------
        columns, facts
            ``host``, ``interface`` and ``index``, which name it, and description, alias, mac_address, speed_bps, mtu,
            up; other facts by name, for the list of interfaces of the source.
        """
        key = self._known(columns)
        if facts:
            self.more.setdefault(key, {}).update(facts)

    def name_host(self, host: str) -> None:
        """Name the host of all rows without one.

        Parameters
        ----------
        host
            The name.
        """
        for row in (*self.samples, *self.rates):
            row.setdefault("host", host)
        for every in (self.interfaces, self.more):
            for key in [key for key in every if key[0] is None]:
                every.setdefault((host, *key[1:]), {}).update(every.pop(key))
        for (owner, *_), facts in self.interfaces.items():
            facts["host"] = owner

    def _known(self, columns: Mapping[str, object]) -> tuple[object, ...]:
        key = tuple(columns.get(name) for name in _IDENTITY)
        self.interfaces.setdefault(key, {}).update({n: value for n, value in columns.items() if value is not None})
        return key

    def tell_doubtful_times(self) -> None:
        """Report the local times that could not be resolved."""
        for kind, asked, expected in (
            (
                "ambiguous",
                self.times.twofold,
                "rows whose order or distance tells which it is (--time-zone may be a fixed offset: Etc/GMT-2 is +2 h)",
            ),
            ("inconsistent", self.times.skipped, "one that the clock shows (check --time-zone)"),
        ):
            if asked:
                what = "comes twice" if kind == "ambiguous" else "does not come"
                self.problem(
                    asked[0].line,
                    kind,
                    f"found local time {asked[0].local}, which {what} in {self.times.zone}, expected {expected}; "
                    + ("time left out" if len(asked) == 1 else f"{len(asked)} such times left out"),
                )

    def finish(self) -> None:
        """Check all rows, convert their times, and add the common facts."""
        for row in self.interfaces.values():
            for name, fault in tables.faults("interfaces", row).items():
                del row[name]
                self.problem(None, "inconsistent", f"{fault}; left out")
        self._check("samples", self.samples)
        self._check_sizes()
        self._check("rates", self.rates)
        if self.format is not None:
            self._check_not_empty()
            self.facts = {"source_file": self.source_file, "format": self.format, **self.facts}
            for name, value in common_facts(self).items():
                self.facts.setdefault(name, value)

    def _check_not_empty(self) -> None:
        """Report a file of a known form without any figure."""
        if not (self.samples or self.rates or self.interfaces or self.problems or any(self._contents())):
            self.problem(None, "truncated", f"found the form of {self.format} without rows, expected those of a port")

    def _contents(self) -> Iterable[object]:
        """Contents of the file apart from its rows."""
        return (
            value not in (None, [], {}, 0) for name, value in self.facts.items() if name not in {"cleaned", "source"}
        )

    def _check_sizes(self) -> None:
        """Report octets that cannot be those of the packets beside them: figures of another column, or cut off."""
        if self.format is None or self.format.startswith(_SINGLE):  # no format: an agent that was asked by SNMP
            return
        for way in ("in", "out"):
            wrong = [
                row
                for row in self.samples
                if isinstance(octets := row.get(f"{way}_octets"), int)
                and isinstance(packets := row.get(f"{way}_packets"), int)
                and octets > _LARGEST_PACKET * packets > 0
            ]
            if wrong:
                row, line, port = wrong[0], wrong[0].get("line"), wrong[0].get("interface")
                self.problem(
                    line if isinstance(line, int) else None,
                    "inconsistent",
                    f"found {row[f'{way}_octets']} octets in {row[f'{way}_packets']} packets of {port}, "
                    f"expected less than {_LARGEST_PACKET} in each"
                    + (f"; so in {len(wrong) - 1} more rows" if len(wrong) > 1 else "; kept"),
                )

    def _check(self, table: str, rows: list[dict[str, object]]) -> None:
        """Remove impossible values, with one problem per column that counts them."""
        for row in rows:
            row["source_file"] = self.source_file
        for name, column in tables.COLUMNS[table].items():
            values = [row.get(name) for row in rows]
            if column.kind == TIME:
                wrong = [value is not None and not _is_time(value) for value in values]
            elif column.fits_all(values):
                continue
            else:
                wrong = [column.fault(value) is not None for value in values]
            if not any(wrong):
                continue
            bad = [row for row, is_wrong in zip(rows, wrong, strict=True) if is_wrong]
            line = bad[0].get("line") if name != "line" else None
            self.problem(
                line if isinstance(line, int) and line > 0 else None,
                "inconsistent",
                f"{name}: found {bad[0][name]!r}, expected {column.expected}"
                + ("; left out" if len(bad) == 1 else f"; {len(bad)} such values left out"),
            )
            for row in bad:
                del row[name]


class Reader(Protocol):
    """A module that reads one format, or a family of formats."""

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of the module
        """Names of its formats, as they are reported."""

    @property
    def VERSIONS(self) -> str:  # noqa: N802
        """The programs and versions whose files it knows, for the documentation."""

    @property
    def WHOLE(self) -> bool:  # noqa: N802
        """Whether a file is of this format only; else other readers read their parts of it too."""

    def recognises(self, document: Document) -> bool:
        """Whether a file is, or holds, the format: cheap, strict, and from the content alone.

        Parameters
        ----------
        document
            The file.

        Returns
        -------
        bool
            The answer.
        """

    def read(self, document: Document, findings: CounterFindings) -> None:
        """Read a file that was recognised: set `findings.format`, add rows, facts and problems.

        Parameters
        ----------
        document, findings
            The file; the results, whose times are seconds since 1970, rates bit/s, and counters octets and packets.
        """


def common_facts(findings: CounterFindings) -> dict[str, object]:
    """Facts that follow from the rows: times and their number, interfaces with their last counters, series of rates."""
    facts: dict[str, object] = {}
    rows = findings.samples or findings.rates
    times = sorted({float(str(row["time"])) for row in rows if row.get("time") is not None})
    if times:
        facts.update(n_samples=len(times), first_time=iso(times[0]), last_time=iso(times[-1]))
        facts["interval_s"] = interval(times)
    if findings.samples or findings.interfaces:
        latest: dict[tuple[object, ...], dict[str, object]] = {
            key: {"name": row.get("interface"), **{n: v for n, v in row.items() if n != "interface"}}
            for key, row in findings.interfaces.items()
        }
        for row in findings.samples:
            key = tuple(row.get(name) for name in _IDENTITY)  # not that of an interface where its index cannot be
            latest.setdefault(key, {"name": row.get("interface")}).update({name: row.get(name) for name in _SHOWN})
        for key, more in findings.more.items():
            latest[key].update(more)
        facts["n_interfaces"] = len(latest)
        facts["interfaces"] = list(latest.values())
    if findings.rates:
        facts["series"] = series(findings.rates)
    return facts


def series(rates: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Facts of rows of rates: one mapping for each interface."""
    by_identity: dict[tuple[object, ...], list[Mapping[str, object]]] = {}
    for row in rates:
        by_identity.setdefault(tuple(row.get(name) for name in _IDENTITY), []).append(row)
    result = []
    for (_, name, _), rows in by_identity.items():
        known = sum(row.get("in_bps") is not None or row.get("out_bps") is not None for row in rows)
        facts: dict[str, object] = {"name": name, "n": known}
        for direction in ("in", "out"):
            values = [float(str(row[key])) for row in rows if row.get(key := f"{direction}_bps") is not None]
            facts[f"max_{direction}_bps"] = max(values) if values else None
            facts[f"mean_{direction}_bps"] = float(np.mean(values)) if values else None
        result.append(facts)
    return result


def interval(times: Sequence[float]) -> float | int | None:
    """Most frequent distance of sorted times, as a whole number if it is one."""
    if len(times) < 2:
        return None
    steps, counts = np.unique(np.round([after - before for before, after in pairwise(times)], 3), return_counts=True)
    step = float(steps[np.argmax(counts)])
    return int(step) if step.is_integer() else step


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and -9.2e9 < value < 9.2e9
