"""``hecn roadmap``: planned, measured and predicted milestones, and what each goal needs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.planning.roadmap.milestones import Roadmap

DESCRIPTION = """\
Show milestones towards a throughput: planned goals, measured marks beside the
prediction for the same hosts, and what each goal needs in links, slots, drives,
cores, memory channels, window and loss."""

EPILOG = """\
examples:
  hecn roadmap
  hecn roadmap 400g --table needs
  hecn roadmap hecn --milestone phase-3-wan --table needs --format json
  hecn roadmap 400g --milestone 200g-memory-near --buy assumed --table bills

needs: the smallest number of catalogue parts available by the year of the goal,
for each resource alone. known: such a part existed by then; since: the first
year with one. --buy also finds the cheapest hosts for each goal in today's
catalogue: 'sourced' uses only prices with a source; 'assumed' also uses assumed
prices, and shows their share of the total."""

TABLES = ("milestones", "needs", "bills")

#: Columns of the milestones in text.
_SHOWN = ("date", "milestone", "title", "target_bps", "measured_bps", "reached_by", "reached_fraction", "predicted_bps")
_PRICED = ("bottleneck", "price_usd", "price_assumed_usd", "price_remark")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn roadmap``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "roadmap", nargs="?", default="hecn", metavar="ROADMAP", help="hecn, 400g, or a YAML file (default: hecn)"
    )
    parser.add_argument(
        "--table", choices=TABLES, default="milestones", help="table to show (default: milestones); bills needs --buy"
    )
    parser.add_argument("--milestone", nargs="+", default=[], metavar="NAME", help="only these milestones")
    parser.add_argument(
        "--buy",
        choices=("sourced", "assumed"),
        default="",
        help="find the cheapest purchase for each goal, with sourced prices only or also assumed ones",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the roadmap and deliver the table."""
    from hecn_analysis.planning.roadmap import milestones  # noqa: PLC0415 (not needed for --help)

    buy: Literal["", "sourced", "assumed"] = arguments.buy or ("sourced" if arguments.table == "bills" else "")
    result = milestones.roadmap(arguments.roadmap, only=arguments.milestone, buy=buy)
    form = output.chosen_format(arguments)
    table: pd.DataFrame = getattr(result, arguments.table)
    if form == "text":
        output.deliver(_text(result, table, arguments.table), arguments)
    else:
        output.deliver(output.written(output.records(table), list(table.columns), form), arguments)
    return 0


def _text(result: Roadmap, table: pd.DataFrame, name: str) -> Iterator[str]:
    yield f"{result.title}\n\n"
    if name == "milestones":
        yield from output.text_rows([_shown(row) for row in output.records(table)])
        if table["price_usd"].notna().any():
            yield "\nprice: two hosts and their cables; price_assumed: the share of it at assumed prices\n"
        return
    if name == "bills":
        for goal, purchase in result.purchases.items():
            yield f"{goal}: ${purchase.usd:,.0f}, of which ${purchase.assumed_usd:,.0f} at assumed prices\n"
        yield "\n" if result.purchases else "nothing can be bought: see --table milestones\n"
        yield from output.text_rows(output.records(table))
        return
    for milestone, part in table.groupby("milestone", sort=False):
        yield f"{milestone}\n"
        rows = [
            {
                "  resource": f"  {row['resource']}",
                "need": row["need"],
                "part": row["part"],
                "known": _since(row),
            }
            for row in output.records(part)
        ]
        yield from output.text_rows(rows)
        yield "\n"


def _shown(row: output.Row) -> dict[str, object]:
    """Row of the milestones for people."""
    shown = {name: row[name] for name in (*_SHOWN, *_PRICED)}
    if row["measured_low_bound"]:
        shown["measured_bps"] = "≥ " + output.human("measured_bps", row["measured_bps"])
    for name in ("price_usd", "price_assumed_usd"):
        usd = shown.pop(name)
        shown[name.removesuffix("_usd")] = None if usd is None else f"${usd:,.0f}"
    shown["price_remark"] = shown.pop("price_remark")
    return shown


def _since(row: output.Row) -> str | None:
    if row["known"] is None:
        return None
    if row["since"] is None:
        return "no"
    return f"since {row['since']}" if row["known"] else f"not before {row['since']}"
