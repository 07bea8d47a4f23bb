"""``hecn purchase --site``: hosts and links to buy for a growing demand on a site."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.planning.site.growth import SitePurchase

#: Options of a purchase for two hosts, with their defaults.
_OF_TWO: Final = {
    "path": None,
    "budget": None,
    "tool": None,
    "like": None,
    "since": None,
    "direct": False,
    "front": False,
}

#: Columns of what a pool carries, and of what is full.
_LOAD: Final = ("year", "pool", "members", "demand_bps", "carries_bps", "without_one_bps")
_FULL: Final = ("name", "allows_bps", "year", "title")


def add_arguments(parser: Parser) -> None:
    """Add the options of a purchase for a site."""
    group = parser.add_argument_group("for a site with several transfers")
    group.add_argument(
        "--site",
        metavar="SITE",
        help="buy hosts and links with a cost for this site: a name in models/sites or a YAML file; --target is the "
        "rate of all its transfers together now",
    )
    group.add_argument(
        "--growth", default="0 %", metavar="FRACTION", help="growth of the demand in a year, such as 30%%"
    )
    group.add_argument("--years", type=int, default=0, metavar="N", help="years to plan for (default: 0)")
    group.add_argument(
        "--no-spare", action="store_true", help="without a spare: by default, one host and one link of each may fail"
    )
    group.add_argument(
        "--price-change", default="0 %", metavar="FRACTION", help="change of prices in a year, such as -10%%"
    )
    group.add_argument(
        "--vary",
        default="20 %",
        metavar="FRACTION",
        help="by how much the last table varies demand, growth and prices (default: 20%%)",
    )


def run(arguments: argparse.Namespace, settings: Mapping[str, Any]) -> int:
    """Find the purchase for a site and deliver it; status 1 if something else is full."""
    from hecn_analysis.hardware import load_site  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.planning.site.growth import purchase_for_site  # noqa: PLC0415 (see above)

    for name, default in _OF_TWO.items():
        if getattr(arguments, name) != default:
            raise InputError(f"--{name} with --site", "one or the other: hosts and prices are those of the site")
    site = load_site(arguments.site, settings)
    if arguments.target is None:
        raise InputError("no target", "--target RATE: that of all transfers of the site together now")
    order = purchase_for_site(
        site,
        arguments.target,
        growth=arguments.growth,
        years=arguments.years,
        spare=not arguments.no_spare,
        price_change=arguments.price_change,
        vary=arguments.vary,
    )
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(order.to_dict())
    elif form == "csv":
        columns = ["year", "pool", "kind", "build", "number", "usd", "carries_bps"]
        written = output.written([asdict(each) for each in order.bought], columns, form)
    else:
        written = _text(order)
    output.deliver(written, arguments)
    if order.full:
        say(f"found a demand that {order.full[0].name} does not carry, expected a price for it, or room")
    return 1 if order.full else 0


def _text(order: SitePurchase) -> Iterator[str]:
    """The sentence, what to buy, what that carries, what is full, and the sensitivity."""
    yield f"{order}\n\n"
    if order.bought:
        yield from output.text_rows(
            [
                {
                    "year": each.year,
                    "for": each.pool,
                    "buy": f"{each.number} x {each.build}",
                    "price": f"${each.usd:,.0f}",
                }
                for each in order.bought
            ]
        )
    else:
        yield "Nothing has to be bought.\n"
    yield "\n"
    years = {0, len(order.demands_bps) - 1, *(each.year for each in order.bought)}
    shown = [asdict(each) for each in order.loads if each.year in years]
    yield from output.text_rows([{name: row[name] for name in _LOAD} for row in shown])
    if order.full:
        yield "\nFull, without a price:\n"
        yield from output.text_rows([{name: asdict(each)[name] for name in _FULL} for each in order.full])
    if order.cases:
        yield "\n"
        rows = [
            {
                "with": each.change,
                "price": f"${each.usd:,.0f}",
                "buy": ", ".join(f"{number} x {name}" for name, number in each.members.items()) or "nothing",
            }
            for each in order.cases
        ]
        yield from output.text_rows(rows)
    yield "\nyear: at its beginning, 0 is now. without one: if the largest fails. Central values.\n"
