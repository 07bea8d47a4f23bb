"""``hecn advise``: what to change about a transfer, by what it would gain, with how and how to check."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.scenario import add_scenario_arguments, asked_scenario

if TYPE_CHECKING:
    from hecn_analysis.planning.advise import Advice, Advices

DESCRIPTION = """\
What to change: every setting and part that is known to matter is predicted,
alone and with others, and ranked by what it would gain. What is free comes
first. Each comes with the command or BIOS item, how to check that it took, its
risk and where that is known from."""

EPILOG = """\
examples:
  hecn advise hotlava-transmit
  hecn advise b-disk-to-disk-wan --free
  hecn advise --sender ideal --receiver ideal --tool nuttcp --path tpd-2geo
  hecn advise c-two-copies --format json -o advice.json"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn advise``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_scenario_arguments(parser)
    parser.add_argument("--free", action="store_true", help="only what needs no money")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="text: so many of each kind (default: 5)")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Advise, and deliver it."""
    from hecn_analysis.planning.advise import advise  # noqa: PLC0415 (not needed for --help)

    base, changed = asked_scenario(arguments)
    found = advise(base.with_(changed), purchases=not arguments.free, progress=True)
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(found.to_dict())
    elif form == "csv":
        table = found.to_frame()
        written = output.written(output.records(table), list(table.columns), form)
    else:
        written = _text(found, arguments.top)
    output.deliver(written, arguments)
    return 0


def _text(found: Advices, top: int) -> Iterator[str]:
    yield f"{found.now}\n"
    groups = {
        "free": [advice for advice in found.single if advice.is_free],
        "to buy": [advice for advice in found.single if not advice.is_free],
        "together": list(found.together),
    }
    if not any(groups.values()):
        yield "\nNo change that is known here would gain anything.\n"
    for name, advices in groups.items():
        if advices:
            yield f"\n{name}\n"
        for advice in advices[:top]:
            yield from _advice(advice, in_full=name != "together")
        if len(advices) > top:
            yield f"  … and {len(advices) - top} more (--top, or --format json)\n"
    yield f"\n{len(found.without_gain)} other changes were tried and gain nothing alone.\n"


def _advice(advice: Advice, *, in_full: bool) -> Iterator[str]:
    rate = output.human("throughput_bps", advice.prediction.throughput_bps)
    price = (
        "" if advice.is_free else " · price not known" if advice.price_usd is None else f" · ${advice.price_usd:,.0f}"
    )
    yield f"  {advice.gain:+.1%} ({advice.gain_low:+.1%} to {advice.gain_high:+.1%}), {rate}{price}: {advice.title}\n"
    if in_full:
        (change,) = advice.changes
        yield f"      how:    {change.how}\n"
        yield f"      check:  {change.check}\n"
        yield f"      risk:   {change.risk}\n"
        yield f"      source: {change.source}\n"
