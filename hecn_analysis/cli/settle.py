"""``hecn measure --settle``: runs what a diagnosis asks for, and judges again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.remarks import say
from hecn_analysis.cli.scenario import ROLES

if TYPE_CHECKING:
    from hecn_analysis.diagnosis.settle import ByHand, Settled, Where

COLUMNS: Final = ("command", "file", "status")
_SHOWN: Final = 6


def run(arguments: argparse.Namespace) -> int:
    """Diagnose, run what is asked for, diagnose again, print both."""
    from hecn_analysis.diagnosis import settle  # noqa: PLC0415 (heavy: not for --help)
    from hecn_analysis.live.programs import ended_by_signals  # noqa: PLC0415

    _check(arguments)
    folder, where = Path(arguments.settle), _where(arguments)
    folder.stat()
    if arguments.dry_run:
        outcome = settle.plan(settle.diagnosed(folder, progress=True), where, look=False)
        output.show([*(f"{line}\n" for line in outcome.lines), *_by_hand(outcome.by_hand)], "text")
        return 0
    target = Path(arguments.output or _default(folder))
    try:
        with ended_by_signals():
            settled = settle.settle(folder, target, where, lambda line: say(f"runs {line}"), progress=True)
    except KeyboardInterrupt:
        say(f"stopped: the outputs so far are in {target}" if target.is_dir() else "stopped: nothing has run")
        raise
    output.show(_written(settled, arguments.format), arguments.format)
    return 0


def _default(folder: Path) -> Path:
    """The new folder beside the one that is read."""
    path = folder.resolve()
    return path.with_name(f"{path.name}-settle-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what belongs to a measurement without a diagnosis."""
    taken = [f"--{name}" for name in (*ROLES, "duration", "file") if getattr(arguments, name) is not None]
    taken += ["--set"] if arguments.set else []
    taken += [] if arguments.scenario is None else [f"scenario {arguments.scenario!r}"]
    if taken:
        advice = "the transfer of --load is like the runs of the folder"
        raise InputError(f"{taken[0]} with --settle", "the folder alone", advice=advice)


def _where(arguments: argparse.Namespace) -> Where:
    """The ends that are named; without `--from`, this machine is the sender, unless it is the receiver."""
    from hecn_analysis.diagnosis.settle import Where  # noqa: PLC0415
    from hecn_analysis.live.places import Place  # noqa: PLC0415

    sender, receiver = (
        None if text is None else Place.parse(text) for text in (arguments.sender_place, arguments.receiver_place)
    )
    if sender is None and receiver != Place():
        say("this machine counts as the sender of the runs; --from names another place")
        sender = Place()
    limit_s = None if arguments.time_limit is None else units.parse(arguments.time_limit, "time", name="--time-limit")
    return Where(sender, receiver, arguments.address, arguments.port, arguments.load, limit_s)


def _written(settled: Settled, form: str) -> Iterator[str]:
    facts = settled.to_dict()
    if form == "json":
        yield from output.json_object(facts)
        return
    if form == "csv":
        yield from output.written(facts["ran"], COLUMNS, form)
        return
    yield from _text(settled, facts["ran"])


def _text(settled: Settled, ran: Sequence[dict[str, Any]]) -> Iterator[str]:
    from hecn_analysis.diagnosis import result  # noqa: PLC0415

    yield f"before  {result.finding(settled.before)}\n"
    if settled.folder is None:
        nothing = "nothing could be run" if settled.by_hand else "nothing is left to settle"
        yield f"{nothing}: no command was run\n"
    else:
        yield f"after   {result.finding(settled.after)}\n\n"
        yield from output.written(ran, COLUMNS, "text")
    yield from _by_hand(settled.by_hand)
    if settled.folder is not None:
        yield from (
            f"still open: {question.what}  ({', '.join(question.separates)})\n" for question in settled.after.missing
        )
        yield f"\nThe outputs are in {settled.folder}; put them into the folder of the runs to keep the verdict.\n"


def _by_hand(questions: Sequence[ByHand]) -> Iterator[str]:
    """Return the commands that are left to run by hand, each once."""
    lines = list(dict.fromkeys(f"by hand: {question.command}  ({question.why})\n" for question in questions))
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"and {len(lines) - _SHOWN} more by hand: --format json has all\n"
