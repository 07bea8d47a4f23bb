"""Verdicts as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from hecn_analysis.base import units
from hecn_analysis.base.html_text import html_text
from hecn_analysis.statements.cues import entries

if TYPE_CHECKING:
    from hecn_analysis.diagnosis.remedies import Change
    from hecn_analysis.diagnosis.verdict import Cause, Diagnosis
    from hecn_analysis.statements.statement import Statement

LINES: Final = 20
"""Lines that the verdicts of a folder take at most on a terminal."""
_WIDTH: Final = 110
_NARROW: Final = 40  # what a condition gets at the least
_WIDE: Final = 0.3  # an interval from less than this part of its end says but where it ends
_TIMES: Final = 1000
_ALSO: Final = 0.05  # causes at least as likely are named


def text(verdicts: Sequence[Diagnosis], lines: int = LINES) -> Iterator[str]:
    """Yield the verdicts in at most so many lines: the first in full, the others as far as there is room.

    A kind whose test is clearly faster between other ends, in the other direction, or between memories comes first.
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
    """Describe the measured and the expected rate, or state that the folder has none."""
    if verdict.measured_bps is None:
        told = {float(statement.value) for statement in verdict.kind.say("told.rate_bps")}
        stated = f"; somebody states {units.format_rate(told.pop())}" if len(told) == 1 else ""
        return f"no rate was measured{stated}"
    runs = len(verdict.kind.runs)
    low, high = verdict.measured_low_bps or 0, verdict.measured_high_bps or 0
    spread = f"{_rate(low, verdict)} to {_rate(high, verdict)}, " if high > 1.005 * low else ""
    words = f"{_rate(verdict.measured_bps, verdict)} ({spread}{runs} run{'s' if runs > 1 else ''})"
    if verdict.expected_bps is None or verdict.expected_low_bps is None or verdict.expected_high_bps is None:
        return words
    if verdict.expected_low_bps < _WIDE * verdict.expected_high_bps:
        return f"{words}; at most {_rate(verdict.expected_high_bps, verdict)}"
    interval = f"{_rate(verdict.expected_low_bps, verdict)} to {_rate(verdict.expected_high_bps, verdict)}"
    return f"{words}; expected {interval}"


def _rate(bps: float, verdict: Diagnosis) -> str:
    """Format a rate; that of a disk in bytes per second."""
    return units.format_rate(bps, of="bytes" if verdict.kind.is_local else "bits")


def gain(change: Change, verdict: Diagnosis) -> str:
    """Describe the effect of a change; empty if no rate is known."""
    if change.throughput_bps is None or change.low_bps is None or change.high_bps is None:
        return ""
    throughput_bps, low_bps, high_bps = change.throughput_bps, change.low_bps, change.high_bps
    words = f"then {_rate(throughput_bps, verdict)} ({_rate(low_bps, verdict)} to {_rate(high_bps, verdict)})"
    if not verdict.measured_bps:
        return words
    times = throughput_bps / verdict.measured_bps
    if not 1 < times <= _TIMES:  # a pace that ends losses, or a run that stood still
        return words
    return f"{words}, {two_digits(times)} times as fast"


def two_digits(times: float) -> str:
    """Format a factor with two digits, never as a power of ten."""
    return f"{float(f'{times:.2g}'):,g}"


def finding(verdict: Diagnosis) -> str:
    """Describe the finding with the probability of its cause or, without a likely one, the next step."""
    likeliest = verdict.causes[0]
    words = f"{likeliest.kind}, {units.format_probability(likeliest.probability)}"
    if verdict.verdict == "undetermined":
        words = f"first of many: {words}"
    return f"{verdict.finding} ({words}){_also(verdict)}"


def _failures(verdict: Diagnosis) -> Iterator[str]:
    """Yield the first lines that explain why runs have no rate."""
    if verdict.failure is not None:
        yield _cut(_quoted(verdict.failure), _WIDTH)
        yield _cut(f"    do: {entries()[str(verdict.failure.value)].do}", 2 * _WIDTH)


def _quoted(statement: Statement) -> str:
    return f"    {PurePath(statement.source_file).name}:{statement.line}: {statement.says}"


def _also(verdict: Diagnosis) -> str:
    others = [cause for cause in verdict.causes[1:4] if cause.probability >= _ALSO]
    if not others:
        return ""
    return "; or " + ", ".join(f"{cause.kind} {units.format_probability(cause.probability)}" for cause in others)


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
