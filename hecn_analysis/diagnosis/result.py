"""The verdict on a kind of run, as text for a terminal, HTML for a notebook and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final, overload

from hecn_analysis.base import units
from hecn_analysis.base.html_text import html_text
from hecn_analysis.diagnosis.kinds import FASTER, Kind
from hecn_analysis.diagnosis.likelihood import evidence
from hecn_analysis.diagnosis.missing import MOST, Question
from hecn_analysis.diagnosis.remedies import Change
from hecn_analysis.diagnosis.signs import Sign
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import entries

AS_EXPECTED, BELOW, ABOVE, UNDETERMINED = "as_expected", "below", "above", "undetermined"

#: Causes with which nothing is wrong.
FINE: Final = frozenset({"link", "paced"})

#: Subject of the lines that say why there was no run.
_NO_RUN: Final = "no-connection"

#: Causes with which datagrams that arrived find no room in a socket.
_TAKES_DATAGRAMS: Final = frozenset({"cpu-receiver", "receiver-app", "window-host"})

#: Signs that the same test is faster between other ends, in words.
_OTHERS: Final = MappingProxyType(
    {
        "destinations_faster": "it is slow to {destination} alone ({times} times as fast to others)",
        "sources_faster": "it is slow from {source} alone ({times} times as fast from others)",
        "way_back_faster": "it is slow this way alone ({times} times as fast the other way)",
    }
)
_PAIR: Final = "it is slow from {source} to {destination} alone ({times} times as fast between others)"

_RATES: Final = (
    *("measured_bps", "measured_low_bps", "measured_high_bps", "expected_bps", "expected_low_bps", "expected_high_bps"),
)

LINES: Final = 20
"""Lines that the verdicts of a folder take at most on a terminal."""
_WIDTH: Final = 110
_NARROW: Final = 40  # what a condition gets at the least
_WIDE: Final = 0.3  # an interval from less than this part of its end says but where it ends
_TIMES: Final = 1000
_ALSO: Final = 0.05  # a second cause at least as likely is named


@dataclass(frozen=True)
class Cause:
    """A possible cause: class, resource in words, probability [1], limit [bit/s], and lines in its favour."""

    kind: str
    resource: str
    probability: float
    limit_bps: float | None
    evidence: tuple[Statement, ...]

    def to_dict(self) -> dict[str, Any]:
        """The cause with the keys of the JSON output."""
        lines = [{"source_file": line.source_file, "line": line.line, "says": line.says} for line in self.evidence]
        named = {"class": self.kind, "resource": self.resource, "probability": self.probability}
        return {**named, "limit_bps": self.limit_bps, "evidence": lines}


@dataclass(frozen=True)
class Diagnosis:
    """The verdict on one kind of run; rates in bit/s, None if unknown.

    ``measured_…`` are median and range, ``expected_…`` what the runs should reach given all facts, None without a
    bound. ``verdict`` is as_expected, below, above or undetermined. ``causes`` have the likeliest first, and
    probabilities that sum to 1; ``changes`` and ``questions`` the most useful first. ``path`` describes the effect of
    RTT and loss if no transfer was measured, else "".
    """

    kind: Kind
    measured_bps: float | None
    measured_low_bps: float | None
    measured_high_bps: float | None
    expected_bps: float | None
    expected_low_bps: float | None
    expected_high_bps: float | None
    verdict: str
    causes: tuple[Cause, ...]
    changes: tuple[Change, ...]
    questions: tuple[Question, ...]
    signs: tuple[Sign, ...]
    path: str = ""

    def __str__(self) -> str:
        return "\n".join(text([self]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the verdict as a table in a notebook."""
        return table([self])

    @property
    def missing(self) -> tuple[Question, ...]:
        """The most informative questions; none before there is a connection."""
        return () if self.failure is not None else self.questions[:MOST]

    @property
    def finding(self) -> str:
        """The verdict in a few words."""
        if self.failure is not None:
            return "no connection came about, or it broke off"
        if self.verdict == UNDETERMINED:
            return "the limit is unknown"
        if self.causes[0].kind == "start-up" and any(sign.name == "tiny" for sign in self.signs):
            return "so few bytes show nothing about the path"
        if self._is_of_memory:
            return "the number is that of memory, the page cache, and of no disk"
        if self.causes[0].kind in _TAKES_DATAGRAMS and any(sign.name == "udp_unread" for sign in self.signs):
            return "the receiver does not take datagrams in time that arrived: its socket buffer, or its processor"
        said = evidence().causes[self.causes[0].kind].finding
        return f"{self.outlier}: {said}" if self.outlier else said

    @property
    def outlier(self) -> str:
        """How much faster the same test is between other ends, in words; "" if not clearly so."""
        told = {sign.name: float(sign.value) for sign in self.signs if sign.name in _OTHERS}
        faster = {name: phrase for name, phrase in _OTHERS.items() if told.get(name, 0.0) >= FASTER}
        if not faster:
            return ""
        is_pair = {"destinations_faster", "sources_faster"} <= faster.keys()
        phrase = _PAIR if is_pair else next(iter(faster.values()))
        ends = {"source": self.kind.source_host, "destination": self.kind.destination_host}
        return phrase.format(**ends, times=two_digits(told[next(iter(faster))]))

    @property
    def failure(self) -> Statement | None:
        """The first line that explains why runs have no rate."""
        if self.measured_bps is not None or not self.kind.failed:
            return None
        told = (statement for statement in self.kind.say("cue") if entries()[str(statement.value)].subject == _NO_RUN)
        return next(told, None)

    @property
    def _is_of_memory(self) -> bool:
        return self.causes[0].kind == "tool" and any(is_of_memory(sign) for sign in self.signs)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as in the command's JSON output.

        Returns
        -------
        dict
            The keys of the JSON output; rates in bit/s.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> from hecn_analysis.diagnosis.verdict import diagnose
        >>> diagnose(data_dir() / "logs" / "b-systems-netem.txt")[0].to_dict()["tool"]
        'nuttcp'
        """
        kind = self.kind
        return {
            **{name: getattr(kind, name) for name in ("condition", "tool", "protocol", "direction")},
            "source_host": kind.source_host,
            "destination_host": kind.destination_host,
            "streams": kind.streams or None,
            "runs": len(kind.runs),
            "source_files": kind.files,
            **{name: getattr(self, name) for name in _RATES},
            "verdict": self.verdict,
            "causes": [cause.to_dict() for cause in self.causes],
            "changes": [{**vars(change), "settings": dict(change.settings)} for change in self.changes],
            "missing": [question.to_dict() for question in self.missing],
        }


class Diagnoses(Sequence[Diagnosis]):
    """The verdicts on the kinds of run of a folder, the kind with most runs first.

    ``unused`` are names of files; ``contradictions`` are what lines state differently, and the value that counts.
    """

    def __init__(
        self, verdicts: Iterable[Diagnosis], unused: Iterable[str] = (), contradictions: Iterable[str] = ()
    ) -> None:
        self._verdicts = tuple(verdicts)
        self.unused = tuple(unused)
        self.contradictions = tuple(contradictions)

    @overload
    def __getitem__(self, place: int) -> Diagnosis: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Diagnosis, ...]: ...
    def __getitem__(self, place: int | slice) -> Diagnosis | tuple[Diagnosis, ...]:
        """Give one verdict, or several."""
        return self._verdicts[place]

    def __len__(self) -> int:
        """Count the verdicts."""
        return len(self._verdicts)

    def __str__(self) -> str:
        return "\n".join(text(self._verdicts))

    __repr__ = __str__

    def to_list(self) -> list[dict[str, Any]]:
        """Return the verdicts as in the command's JSON output.

        Returns
        -------
        list of dict
            One for each kind of run, with the keys of the JSON output; rates in bit/s.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> from hecn_analysis.diagnosis.verdict import diagnose
        >>> diagnose(data_dir() / "logs" / "b-systems-netem.txt").to_list()[0]["protocol"]
        'tcp'
        """
        return [verdict.to_dict() for verdict in self]

    def _repr_html_(self) -> str:
        """Show the verdicts as a table in a notebook."""
        return table(self._verdicts)


def is_of_memory(sign: Sign) -> bool:
    """Whether a test of a disk measured the page cache."""
    return sign.name == "page_cache" and sign.value == "from"


def text(verdicts: Sequence[Diagnosis], lines: int = LINES) -> Iterator[str]:
    """Yield the verdicts in at most so many lines: the first in full, the others as far as there is room.

    A kind whose test is clearly faster between other ends, in the other direction, or between memories comes first.

    Parameters
    ----------
    verdicts, lines
        The verdicts on the kinds of run of a folder, and the most lines.

    Yields
    ------
    str
        Lines without their ends.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import diagnose
    >>> next(text(diagnose(data_dir() / "transfers" / "before")))
    'nuttcp tcp send, 6 s, RTT below 5 ms: 9.39 Mb/s (9.29 Mb/s to 9.41 Mb/s, 6 runs)'
    """
    told = 0
    for number, verdict in enumerate(sorted(verdicts, key=lambda each: not each.kind.is_asked_for)):
        own = list(_of_one(verdict, short=number > 0))
        rest = len(verdicts) - number
        if told + len(own) > lines - (rest > 1):
            yield f"and {rest} more kind{'s' if rest > 1 else ''} of run: --format json has all"
            return
        told += len(own)
        yield from own


def _of_one(verdict: Diagnosis, *, short: bool) -> Iterator[str]:
    told = rates(verdict)
    yield f"{_cut(verdict.kind.condition, max(_WIDTH - len(told) - 2, _NARROW))}: {told}" if verdict.kind.tool else told
    likeliest = verdict.causes[0]
    yield f"  {finding(verdict)}"
    failures = list(_failures(verdict))
    yield from failures
    if short:
        return
    for line in map(_quoted, likeliest.evidence[:3]):
        if (cut := _cut(line, _WIDTH)) not in failures:
            yield cut
    for change in verdict.changes[:2]:
        yield _cut(f"  change: {change.what}", 2 * _WIDTH)
        if after := gain(change, verdict):
            yield f"    {after}"
        yield _cut(f"    do: {change.command}", 2 * _WIDTH)
        yield _cut(f"    check: {change.check}", 2 * _WIDTH)
    if verdict.path:
        yield _cut(f"  {verdict.path}", _WIDTH)
    for question in verdict.missing[:2]:
        kinds = ", ".join(question.separates)
        yield _cut(f"  to be surer: {question.command}  (tells apart {kinds})", 2 * _WIDTH)


def rates(verdict: Diagnosis) -> str:
    """Describe the measured and the expected rate, or state that the folder has none.

    Parameters
    ----------
    verdict
        The verdict on a kind of run.

    Returns
    -------
    str
        Median, range and number of the runs, and the expected interval where one is known.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import diagnose
    >>> rates(diagnose(data_dir() / "transfers" / "before")[0])
    '9.39 Mb/s (9.29 Mb/s to 9.41 Mb/s, 6 runs)'
    """
    if verdict.measured_bps is None:
        told = {float(statement.value) for statement in verdict.kind.say("told.rate_bps")}
        stated = f"; somebody states {units.format_rate(told.pop())}" if len(told) == 1 else ""
        return f"no rate was measured{stated}"
    runs = len(verdict.kind.runs)
    low, high = verdict.measured_low_bps or 0, verdict.measured_high_bps or 0
    spread = f"{_rate(low, verdict)} to {_rate(high, verdict)}, " if high > 1.005 * low else ""
    said = f"{_rate(verdict.measured_bps, verdict)} ({spread}{runs} run{'s' if runs > 1 else ''})"
    if verdict.expected_bps is None or verdict.expected_low_bps is None or verdict.expected_high_bps is None:
        return said
    if verdict.expected_low_bps < _WIDE * verdict.expected_high_bps:
        return f"{said}; at most {_rate(verdict.expected_high_bps, verdict)}"
    interval = f"{_rate(verdict.expected_low_bps, verdict)} to {_rate(verdict.expected_high_bps, verdict)}"
    return f"{said}; expected {interval}"


def _rate(bps: float, verdict: Diagnosis) -> str:
    """Format a rate; that of a disk in bytes per second."""
    return units.format_rate(bps, of="bytes" if verdict.kind.is_local else "bits")


def gain(change: Change, verdict: Diagnosis) -> str:
    """Describe the effect of a change.

    Parameters
    ----------
    change, verdict
        A change that a verdict proposes, and the verdict.

    Returns
    -------
    str
        The rate with its interval, and how many times as fast; "" if no rate is known.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import diagnose
    >>> first = diagnose(data_dir() / "transfers" / "before")[0]
    >>> gain(first.changes[0], first)
    'then 72.4 Mb/s (15.6 Mb/s to 321 Mb/s), 7.7 times as fast'
    """
    if change.throughput_bps is None or change.low_bps is None or change.high_bps is None:
        return ""
    throughput_bps, low_bps, high_bps = change.throughput_bps, change.low_bps, change.high_bps
    said = f"then {_rate(throughput_bps, verdict)} ({_rate(low_bps, verdict)} to {_rate(high_bps, verdict)})"
    if not verdict.measured_bps:
        return said
    times = throughput_bps / verdict.measured_bps
    if not 1 < times <= _TIMES:  # a pace that ends losses, or a run that stood still
        return said
    return f"{said}, {two_digits(times)} times as fast"


def two_digits(times: float) -> str:
    """Format a factor with two digits, never as a power of ten."""
    return f"{float(f'{times:.2g}'):,g}"


def finding(verdict: Diagnosis) -> str:
    """Describe the finding with the probability of its cause.

    Parameters
    ----------
    verdict
        The verdict on a kind of run.

    Returns
    -------
    str
        The finding, its class and probability, and the next likely cause.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.diagnosis.verdict import diagnose
    >>> finding(diagnose(data_dir() / "transfers" / "before")[0])
    'a port runs at the wrong speed or duplex (duplex, 44 %); or the line (42 %)'
    """
    likeliest = verdict.causes[0]
    said = f"{likeliest.kind}, {units.format_probability(likeliest.probability)}"
    if verdict.verdict == UNDETERMINED:
        said = f"likeliest: {said}"
    return f"{verdict.finding} ({said}){_also(verdict)}"


def _failures(verdict: Diagnosis) -> Iterator[str]:
    """Yield the first lines that explain why runs have no rate."""
    if verdict.failure is not None:
        yield _cut(_quoted(verdict.failure), _WIDTH)
        yield _cut(f"    do: {entries()[str(verdict.failure.value)].do}", 2 * _WIDTH)


def _quoted(statement: Statement) -> str:
    return f"    {PurePath(statement.source_file).name}:{statement.line}: {statement.says}"


def _also(verdict: Diagnosis) -> str:
    """The next cause, if it is likely: what is at its limit, and its probability."""
    _, *others = verdict.causes
    if not others or others[0].probability < _ALSO:
        return ""
    return f"; or {others[0].resource} ({units.format_probability(others[0].probability)})"


def _cut(line: str, width: int) -> str:
    line = (
        " ".join(line.split())
        if not line.startswith(" ")
        else line[: len(line) - len(line.lstrip())] + " ".join(line.split())
    )
    return line if len(line) <= width else line[: width - 1] + "…"


def table(verdicts: Sequence[Diagnosis]) -> str:
    """Return the verdicts as an HTML table."""
    heads = ("Runs", "Rate", "Verdict", "Evidence", "Change")
    rows = [
        (
            verdict.kind.condition,
            rates(verdict),
            finding(verdict),
            "\n".join(_line(verdict.causes[0])),
            "\n".join(f"{change.what}: {gain(change, verdict)}" for change in verdict.changes[:2]),
        )
        for verdict in verdicts
    ]
    return (
        "<table><thead><tr>"
        + "".join(f"<th style='text-align:left'>{head}</th>" for head in heads)
        + "</tr></thead><tbody>"
        + "".join(
            "<tr>" + "".join(f"<td style='text-align:left'>{_cell(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        + "</tbody></table>"
    )


def _line(cause: Cause) -> Iterator[str]:
    for statement in cause.evidence:
        yield f"{PurePath(statement.source_file).name}:{statement.line}: {statement.says}"


def _cell(text: str) -> str:
    """Text of a cell, whose line breaks stay."""
    return html_text(text).replace("\n", "<br>")
