"""Plans for a site in ``hecn predict``: starts that meet deadlines, and what each single failure costs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.hardware import Site
    from hecn_analysis.planning.site.failures import Failures
    from hecn_analysis.planning.site.schedule import Schedule

#: Resources to show; JSON has all.
_SHOWN: Final = 12

#: Columns of what would have to grow.
_NEEDED: Final = ("name", "now_bps", "needed_bps", "title")

#: A rate of more than this part of that before is as before.
_AS_BEFORE: Final = 0.999


def add_arguments(parser: Parser) -> None:
    """Add the options of plans."""
    group = parser.add_argument_group("plans for a site")
    group.add_argument(
        "--by",
        metavar="WHEN",
        help="choose starts with which all transfers are done by a time after 0 ('44 h'), a date (2026-11-27 18:00, "
        "UTC without a zone) or the next such day (Friday, its beginning); transfers with a deadline keep it",
    )
    group.add_argument("--schedule", action="store_true", help="the same, for the deadlines that the site states (by)")
    group.add_argument(
        "--without-each",
        action="store_true",
        help="predict the site without each link, host, switch and storage server (N-1), started as --by says if given",
    )


def is_wanted(arguments: argparse.Namespace) -> bool:
    """Whether a plan is asked for."""
    return bool(arguments.schedule or arguments.without_each or arguments.by is not None)


def run(arguments: argparse.Namespace, keys: Mapping[str, str], scenarios: Sequence[str]) -> int:
    """Plan for one site."""
    for option, given in (("--cases", arguments.cases), ("--at-least", arguments.at_least)):
        if given is not None:
            raise InputError(f"{option} with --by, --schedule or --without-each", "one or the other")
    if len(scenarios) > 1:
        raise InputError(f"{len(scenarios)} scenarios", "one site to plan for")
    site = _site(keys, scenarios)
    return _failures(arguments, site) if arguments.without_each else _schedule(arguments, site)


def _site(keys: Mapping[str, str], scenarios: Sequence[str]) -> Site:
    """The site; options that describe one transfer are a site of one."""
    from hecn_analysis.hardware import Site, load_site  # noqa: PLC0415 (not needed for --help)

    if not scenarios:
        if not {"sender", "receiver"} <= {key.partition(".")[0] for key in keys}:
            raise InputError("no site to plan for", "a site, or --sender, --receiver, --path and --tool")
        return load_site({**keys, "transfers": [{}]})
    loaded = hecn.load_scenario(scenarios[0], keys)
    if isinstance(loaded, Site):
        return loaded
    raise InputError(f"{scenarios[0]}, a scenario", "a site: it has a list of transfers")


def _schedule(arguments: argparse.Namespace, site: Site) -> int:
    from hecn_analysis.planning.site.schedule import schedule  # noqa: PLC0415 (not needed for --help)

    plan = schedule(site, arguments.by)
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(plan.to_dict())
    elif form == "csv":
        rows = [asdict(each) for each in plan.transfers]
        written = output.written(rows, list(rows[0]), form)
    else:
        written = _schedule_text(plan)
    output.deliver(written, arguments)
    late, disturbed = sum(each.in_time == "no" for each in plan.transfers), len(plan.disturbed)
    if late:
        say(f"found {units.format_count(late, 'transfer')} late, expected all in time")
    if disturbed:
        say(f"found {units.format_count(disturbed, 'transfer')} below at_least, expected none")
    return 1 if late or disturbed else 0


def _schedule_text(plan: Schedule) -> Iterator[str]:
    """The sentence, the transfers, what the resources have left, and what the intervals rest on."""
    yield f"{plan}\n\n"
    has_priorities = any(each.priority for each in plan.transfers)
    paced = [each for each in plan.transfers if each.pace_bps is not None]
    is_held = bool(paced) or any(each.kept for each in plan.transfers)
    yield from output.text_rows(
        [
            {
                "name": each.name,
                "priority": each.priority if has_priorities else None,
                "start": plan.when(each.start_s),
                "finish": plan.when(each.finish_s),
                "late finish": plan.when(each.late_finish_s),
                "by": "" if each.by_s is None else plan.when(each.by_s),
                "in time": each.in_time,
                "required_bps": each.required_bps if is_held else None,
                "pace_bps": each.pace_bps,
                "throughput_bps": each.throughput_bps,
                "lowest_bps": each.lowest_bps if is_held else None,
                "kept": each.kept if is_held else None,
                "bottleneck": each.bottleneck,
            }
            for each in plan.transfers
        ]
    )
    if paced:
        yield "\nHold these to their paces. A queue (fq) limits every connection through its port, whoever opens it:\n"
        for each in paced:
            yield f"{each.name}: {each.pace_command or 'its tool has no option for a pace'}\n"
    if plan.needed:
        yield "\nTo be in time, all of these would have to carry more:\n"
        needed = [asdict(each) for each in plan.needed[:_SHOWN]]
        yield from output.text_rows([{name: row[name] for name in _NEEDED} for row in needed])
        if len(plan.needed) > _SHOWN:
            yield f"and {len(plan.needed) - _SHOWN} more\n"
    yield "\n"
    yield from output.text_rows(
        [
            {"name": each.name, "left_fraction": each.left_fraction, "room_bytes": each.left_bytes, "title": each.title}
            for each in plan.left[:_SHOWN]
        ]
    )
    if len(plan.left) > _SHOWN:
        yield f"and {len(plan.left) - _SHOWN} resources with more left\n"
    yield "\nlate finish: one run in 20 ends later. left, room: until the last deadline or end.\n"
    yield f"The intervals are those of {plan.prediction.basis}.\n"
    for warning in plan.prediction.warnings:
        yield f"\nwarning: {warning}\n"


def _failures(arguments: argparse.Namespace, site: Site) -> int:
    from hecn_analysis.planning.site.failures import failures  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.planning.site.schedule import schedule  # noqa: PLC0415 (the same)

    if arguments.schedule or arguments.by is not None:
        site = schedule(site, arguments.by).site
    study = failures(site)
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(study.to_dict())
    elif form == "csv":
        rows = [
            {"missing": each.missing, "kind": each.kind, **asdict(transfer)}
            for each in study.failures
            for transfer in each.transfers
        ]
        written = output.written(rows, ["missing", "kind", "name", "throughput_bps", "finish_s"], form)
    else:
        written = _failures_text(study)
    output.deliver(written, arguments)
    return 0


def _failures_text(study: Failures) -> Iterator[str]:
    """The sentence, and a row for each failure."""
    yield f"{study}\n\n"
    rows = []
    for each in study.failures:
        slowest = None if each.stopped or each.slowest_fraction > _AS_BEFORE else each.slowest
        rows.append(
            {
                "missing": each.missing,
                "kind": each.kind,
                "alike": len(each.alike) or None,
                "stopped": each.stopped or None,
                "late": each.late or None,
                "throughput_bps": each.throughput_bps if each.finish_s is not None else None,
                "finish_s": each.finish_s,
                "later_s": each.later_s or None,
                "slowest": slowest,
                "rate_fraction": None if slowest is None else each.slowest_fraction,
            }
        )
    yield from output.text_rows(rows)
    yield "\nalike: more parts whose loss costs the same. stopped: transfers that cannot run. late: those that miss\n"
    yield "their deadline. finish, later: of the last transfer. slowest: the one that loses most, and its rate\n"
    yield "relative to that before. "
    yield "Central values; each part is missing from the start on.\n"
