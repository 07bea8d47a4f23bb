"""``hecn purchase``: the cheapest parts for two hosts that reach a throughput, and what more money would buy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, site_purchase
from hecn_analysis.cli.parser import Parser, add_output_arguments, add_settings
from hecn_analysis.cli.remarks import say
from hecn_analysis.cli.scenario import scenario_settings

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.planning.purchase.result import Purchase

DESCRIPTION = """\
Find the cheapest parts in the catalogue for both hosts, cables included, with
which the prediction reaches a target. Sockets, slots, lanes, power, memory
channels and drive bays must fit. Every cheaper purchase either does not fit or
falls short by the central values of the model. With --site: how many hosts and
links of a site carry a growing demand, even if one of each fails."""

EPILOG = """\
examples:
  hecn purchase --target 95Gb/s
  hecn purchase --target 5Gb/s --capacity 100TB --raid 6
  hecn purchase --target 90Gb/s --between memory --path sc11-100ge --assume-prices
  hecn purchase --target 80Gb/s --path sc11-100ge --assume-prices --front
  hecn purchase --like x100ssd --path back-to-back-4x40ge
  hecn purchase --target 20Gb/s --path sc11-100ge --budget 9000 --assume-prices
  hecn purchase --site growing.yaml --target 60Gb/s --growth 30% --years 5

Parts with an assumed price are bought with --assume-prices, or if those with a
published price do not reach the target; parts without a price never. --like HOST
buys from the bill of that host, at its prices; without --target, the target is
what that host itself reaches."""


_LANS: Final = (1, 10, 25, 100, 400)  # paths lan-…ge in models/ [Gb/s]
_GOODPUT: Final = 0.99  # of an Ethernet line with packets of 9000 bytes
_FILLED: Final = 0.95  # of the line: a target that leaves room for what the model does not know


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn purchase``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("--target", metavar="RATE", help="target throughput, such as 100Gb/s")
    parser.add_argument(
        "--path",
        metavar="NAME",
        help="network path: a name in models/ or a YAML file (default: the slowest lan-… that carries the target)",
    )
    parser.add_argument(
        "--between",
        choices=["memory", "disk"],
        default="disk",
        help="what both ends of the transfer are (default: disk)",
    )
    parser.add_argument("--budget", type=float, metavar="USD", help="highest cost of both hosts together")
    parser.add_argument("--tool", metavar="NAME", help="transfer tool (default: nuttcp, with disks nuttscp)")
    parser.add_argument("--raid", type=int, choices=[0, 5, 6, 10], default=0, help="RAID level (default: 0)")
    parser.add_argument(
        "--capacity", metavar="BYTES", help="usable capacity of each host, such as 500TB, without parity and copies"
    )
    parser.add_argument(
        "--assume-prices", action="store_true", help="buy parts with an assumed price wherever they are cheaper"
    )
    parser.add_argument(
        "--since", type=int, metavar="YEAR", help="oldest year of the parts (default: ten years before the newest)"
    )
    parser.add_argument("--like", metavar="HOST", help="only parts from the bill of HOST, at its prices")
    parser.add_argument("--direct", action="store_true", help="connect both hosts by one cable, without a switch")
    parser.add_argument(
        "--reach", type=float, default=3.0, metavar="METRES", help="cable length at each host (default: 3)"
    )
    parser.add_argument("--front", action="store_true", help="also show what a larger budget would buy")
    parser.add_argument("--points", type=int, default=8, metavar="N", help="front: number of purchases (default: 8)")
    add_settings(parser, "--set", about="set a key, e.g. path.rtt=80ms")
    site_purchase.add_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the purchase and deliver it."""
    from hecn_analysis.planning.purchase import cheapest as buying  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.planning.purchase.offers import offered_by  # noqa: PLC0415 (see above)
    from hecn_analysis.planning.purchase.result import front_frame  # noqa: PLC0415 (see above)
    from hecn_analysis.planning.purchase.search import ASSUME_PRICES  # noqa: PLC0415 (see above)

    changed, others = scenario_settings(arguments.set)
    if others:
        raise InputError(f"{others[0]!r} in --set", "KEY=VALUE")
    if (doubt := units.doubt(arguments.target, "rate", name="--target")) is not None:
        say(doubt)
    if arguments.site is not None:
        return site_purchase.run(arguments, changed)
    _check_names(arguments)
    path = arguments.path or _lan_for(arguments.target)
    wanted: dict[str, Any] = {"path": path, "between": arguments.between, "tool": arguments.tool}
    wanted["settings"] = changed
    listed, target = None, arguments.target
    if arguments.like is not None:
        listed = buying.as_listed(arguments.like, **wanted)
        target = target or listed[1].throughput_bps
    if target is None:
        raise InputError("no target", "--target RATE, or --like HOST for what that host reaches")
    wanted |= {"raid": arguments.raid, "assume_prices": arguments.assume_prices, "like": arguments.like}
    wanted |= {"since": arguments.since, "capacity": arguments.capacity}
    wanted |= {"direct": arguments.direct, "reach_m": arguments.reach}
    try:
        purchases = _bought(target, arguments, wanted)
    except InputError as error:
        if error.advice != ASSUME_PRICES:
            raise
        purchases = _bought(target, arguments, {**wanted, "assume_prices": True})
        say(f"parts with a published price do not reach {target}: those with an assumed price are bought, too")
    table = front_frame(purchases) if arguments.front else purchases[0].to_frame()
    form = output.chosen_format(arguments)
    if form == "json":
        front = output.records(table) if arguments.front else None
        written = output.json_object({**purchases[0].to_dict(), **({"front": front} if front is not None else {})})
    elif form == "csv":
        written = output.written(output.records(table), list(table.columns), form)
    else:
        at_most = arguments.like is not None and offered_by(arguments.like)[2].at_most
        written = _text(purchases[0], table if arguments.front else None, listed, arguments.like, at_most=at_most)
    output.deliver(written, arguments)
    return 0


def _check_names(arguments: argparse.Namespace) -> None:
    """Refuse unknown names before anything else is asked for."""
    from hecn_analysis.hardware.description import Library  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.planning.purchase.offers import offered_by  # noqa: PLC0415 (see above)

    library = Library(places.models_dir())
    for kind, name in (("paths", arguments.path), ("tools", arguments.tool)):
        if name is not None:
            library.entry(kind, name)
    if arguments.like is not None:
        offered_by(arguments.like)


def _bought(target: str | float, arguments: argparse.Namespace, wanted: Mapping[str, Any]) -> tuple[Purchase, ...]:
    """The cheapest purchase for a target, or those of a front."""
    from hecn_analysis.planning.purchase import cheapest as buying  # noqa: PLC0415 (not needed for --help)

    if arguments.front:
        return buying.purchase_front(target, budget=arguments.budget, points=arguments.points, **wanted)
    return (buying.purchase(target, budget=arguments.budget, **wanted),)


def _lan_for(target: str | None) -> str:
    """The slowest path in one data centre that carries the target; says so."""
    if target is None:
        raise InputError("neither --path nor --target", "--target RATE, or --like HOST with --path NAME")
    wanted = units.parse(target, "rate", name="--target")
    for gigabits in _LANS:
        if gigabits * 1e9 * _GOODPUT >= wanted:
            say(f"path not given: lan-{gigabits}ge assumed, two hosts in one data centre")
            if (
                line := next((each for each in _LANS if _GOODPUT * each * 1e9 < wanted <= each * 1e9), None)
            ) is not None:
                most = f"{units.format_rate(_GOODPUT * line * 1e9)} of data"
                say(f"{line}GE carries at most {most}: to fill it, give a target of {_FILLED * line:g}Gb/s")
            return f"lan-{gigabits}ge"
    raise InputError(f"a target of {target}", f"at most {_LANS[-1] * _GOODPUT:.0f} Gb/s, or --path NAME")


def _text(
    purchase: Purchase,
    front: pd.DataFrame | None,
    listed: Any,  # noqa: ANN401
    like: str | None,
    *,
    at_most: bool,
) -> Iterator[str]:
    if listed is not None:
        usd, prediction = listed
        rate = output.human("throughput_bps", prediction.throughput_bps)
        price = f"less than ${usd:,.0f}" if at_most else f"${usd:,.0f}"
        yield f"Two of {like} as listed: {price}, {rate}. The cheapest from the same parts at the same prices:\n\n"
    yield f"{purchase}\n\n"
    for entry in purchase.entries:
        total = f"${entry.quantity * entry.price_usd:,.0f}"
        basis = " (assumed)" if entry.assumed else ""
        yield f"  {entry.role:<9}{entry.quantity:>3} x {entry.title or entry.part}: {total}{basis}\n"
    omitted = " Coolers, system disks and internal cables are not counted." if like is None else ""
    asked = units.format_rate(purchase.asked_bps)
    tried = f"{units.format_count(purchase.rounds, 'purchase')} predicted"
    ruled_out = f"{units.format_count(purchase.cuts, 'group')} of parts ruled out"
    yield f"\nProved cheapest for {asked} by central values: {tried}, {ruled_out}.{omitted}\n"
    if held := purchase.capacity_bytes:
        amounts = " and ".join(f"{units.format_bytes(amount)} at the {role}" for role, amount in held.items())
        yield f"Usable capacity: {amounts} (--capacity asks for more).\n"
    for drive in purchase.drives():
        sustained, burst = (units.format_rate(drive[name]) for name in ("sustained_write_bps", "write_bps"))
        spread = f", ±{units.format_fraction(drive['spread'], digits=2)}" if drive["spread"] else ""
        burst_note = f"; {burst} until its cache is full" if sustained != burst else ""
        yield f"Each {drive['title']} sustains writes of {sustained} ({drive['basis']}{spread}{burst_note}).\n"
    if front is not None:
        yield "\nwhat more money buys\n"
        for _, row in front.iterrows():
            rate = output.human("throughput_bps", row["throughput_bps"])
            more = row["bps_per_dollar"]
            gain = "" if more is None or more != more else f", {more / 1e6:,.1f} Mb/s per extra dollar"  # noqa: PLR0124 (NaN)
            yield f"  ${row['price_usd']:>9,.0f}  {rate}{gain}, limited by {row['bottleneck']}\n"
