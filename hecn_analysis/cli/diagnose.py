"""``hecn diagnose``: what holds the transfers of a folder back, and what to change."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.units import format_rate
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.diagnosis.result import Diagnoses, Diagnosis

DESCRIPTION = """\
Find what holds transfers back. Give a folder of everything available: logs of
iperf3, nuttcp and other tools, ping, output of ss, tc, ethtool, sysctl, mpstat
and others from both hosts, and notes with the rate of the circuit. Each kind of
run gets its likeliest causes with the lines that support them, the changes that
help with their gain, and the command that would tell the causes apart."""

EPILOG = """\
examples:
  hecn diagnose data/transfers/before
  hecn diagnose data/transfers/before --format json -o verdict.json
  hecn diagnose data/transfers/before --fail-below 9Mb/s || echo slow

exit status:
  0  fine
  1  a path is missing, or its files say nothing about a transfer
  2  wrong usage
  3  with --fail-below: the first kind of run is slower, or has no rate"""

STATUS_SLOW = 3
SHOWN = 5  # contradictions, and names of unused files

COLUMNS = (
    *("condition", "runs", "measured_bps", "measured_low_bps", "measured_high_bps", "expected_bps"),
    *("expected_low_bps", "expected_high_bps", "verdict", "class", "probability", "change", "after_bps"),
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn diagnose``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="folder, file or archive; each gets verdicts of its own"
    )
    parser.add_argument(
        "--fail-below", metavar="RATE", type=_rate, help="end with status 3 if the first kind of run is slower"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, judge, deliver."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        say("stopped before the verdict")
        raise


def _run(arguments: argparse.Namespace) -> int:
    for path in arguments.paths:
        Path(path).stat()  # report a missing path before reading anything
    diagnoses = {path: hecn.diagnose(path, progress=True) for path in arguments.paths}
    told = {path: diagnosis for path, diagnosis in diagnoses.items() if not _rests_on_nothing(diagnosis)}
    verdicts = [verdict for diagnosis in told.values() for verdict in diagnosis]
    output.deliver(_written(verdicts, output.chosen_format(arguments)), arguments)
    for path, diagnosis in diagnoses.items():
        _remark(path, diagnosis, usable=path in told)
    if not verdicts:
        return 1
    if arguments.fail_below is not None and _is_slow(verdicts, arguments.fail_below):
        return STATUS_SLOW
    return 1 if len(told) < len(diagnoses) else 0


def _written(verdicts: list[Diagnosis], form: str) -> Iterable[str]:
    from hecn_analysis.diagnosis import result  # noqa: PLC0415 (heavy: not for --help)

    if form == "json":
        return output.json_object([verdict.to_dict() for verdict in verdicts])
    if form == "csv":
        return output.written(map(_row, verdicts), COLUMNS, form)
    return (f"{line}\n" for line in result.text(verdicts))


def _remark(path: str, diagnosis: Diagnoses, *, usable: bool) -> None:
    """Say what the files contradict and which were not used."""
    count, names = units.format_count(len(diagnosis.unused), "file"), ", ".join(diagnosis.unused[:SHOWN])
    names += ", …" * (len(diagnosis.unused) > SHOWN)
    if not usable:
        say(
            f"{path}: found nothing that can be used in {count} ({names}), expected logs of tools, counters of ports, "
            "or captured outputs; 'hecn parse --table problems' says why a file is not read"
        )
        return
    for contradiction in diagnosis.contradictions[:SHOWN]:
        say(contradiction)
    if diagnosis.unused:
        say(f"{count} not used: {names}")


def _rests_on_nothing(diagnosis: Diagnoses) -> bool:
    """Whether no file says anything about a transfer, so that only the priors would speak."""
    return bool(diagnosis.unused) and not any(
        verdict.measured_bps is not None
        or verdict.failure is not None
        or verdict.path
        or any(cause.evidence for cause in verdict.causes)
        for verdict in diagnosis
    )


def _row(verdict: Diagnosis) -> output.Row:
    """A verdict with its likeliest cause and its first change."""
    cause, change = verdict.causes[0], verdict.changes[0] if verdict.changes else None
    return {
        **{name: value for name, value in verdict.to_dict().items() if name in COLUMNS},
        "class": cause.kind,
        "probability": cause.probability,
        "change": change and change.what,
        "after_bps": change and change.throughput_bps,
    }


def _is_slow(verdicts: list[Diagnosis], least_bps: float) -> bool:
    """Whether the kind with most runs is slower than `least_bps`, or has no measured rate."""
    measured = verdicts[0].measured_bps
    if measured is not None and measured >= least_bps:
        return False
    result = "no rate was measured" if measured is None else f"{format_rate(measured)} measured"
    say(f"{result}, expected at least {format_rate(least_bps)}")
    return True


def _rate(text: str) -> float:
    from hecn_analysis.base import units  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.base.errors import HecnError  # noqa: PLC0415

    try:
        return units.parse(text, "rate")
    except HecnError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
