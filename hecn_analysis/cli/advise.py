"""``hecn advise``: changes to a transfer, ranked by gain, with the command to make and to check each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.scenario import add_scenario_arguments, requested_scenario
from hecn_analysis.inventory.given import host_of

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.planning.change.advise import Advice, Advices
    from hecn_analysis.planning.change.change import Change

DESCRIPTION = """\
Recommend changes: predict every setting and part known to matter, alone and
combined, and rank them by gain, free ones first. Each recommendation gives the
command or BIOS item, how to check that it took effect, its risk and its source.

A folder of captured output (hecn capture) can take the place of a scenario.
That host is then the sender, on a link as fast as its fastest port unless --path
or --set says otherwise, and faults found on it are among the changes."""

EPILOG = """\
examples:
  hecn advise hotlava-transmit
  hecn advise b-disk-to-disk-wan --free
  hecn advise --sender ideal --receiver ideal --tool nuttcp --path tpd-2geo
  hecn advise c-two-copies --format json -o advice.json
  hecn advise data/inventory/virtual-machine --path netem-80ms-10ge --free"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn advise``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_scenario_arguments(parser)
    parser.add_argument("--free", action="store_true", help="only changes that cost nothing")
    parser.add_argument(
        "--top", type=int, default=5, metavar="N", help="text: number of changes of each kind (default: 5)"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the changes and deliver them."""
    from hecn_analysis.planning.change.advise import advise  # noqa: PLC0415 (not needed for --help)

    _take_capture(arguments)
    base, changed = requested_scenario(arguments)
    scenario = base.with_(changed)
    mending = [change for role in ("sender", "receiver") for change in _fixes(getattr(arguments, role), role, scenario)]
    advices = advise(scenario, purchases=not arguments.free, also=mending, progress=True)
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(advices.to_dict())
    elif form == "csv":
        table = advices.to_frame()
        written = output.written(output.records(table), list(table.columns), form)
    else:
        written = _text(advices, arguments.top)
    output.deliver(written, arguments)
    return 0


def _take_capture(arguments: argparse.Namespace) -> None:
    """Make a captured folder given as the scenario the sender, and fill in the other parts."""
    if len(arguments.names) != 1:
        return
    host = host_of(arguments.names[0])
    if host is None:
        return
    arguments.sender = arguments.names.pop()
    arguments.receiver = arguments.receiver or "ideal"
    arguments.tool = arguments.tool or "nuttcp"
    if arguments.path is None and not any(word.startswith("path.") for word in arguments.set):
        arguments.set.append(f"path.rate={_fastest_port(host.host)} b/s")


def _fastest_port(host: Host) -> float:
    """Line rate of the fastest port, 10 Gb/s where none is known [bit/s]."""
    return max((slot.nic.port_rate.value for slot in host.slots.values() if slot.nic is not None), default=10e9)


def _fixes(name: str | None, role: str, scenario: Scenario) -> list[Change]:
    """Changes that fix the findings on a captured end."""
    host = None if name is None else host_of(name)
    if host is None:
        return []
    from hecn_analysis.planning.change.fixes import fixes_of  # noqa: PLC0415 (for a captured host only)

    findings = host.findings.on_path(scenario.path) if scenario.path.rtt.value > 0 else host.findings
    return fixes_of(findings.findings, role, scenario)


def _text(advices: Advices, top: int) -> Iterator[str]:
    yield f"{advices.now}\n"
    groups = {
        "free": [advice for advice in advices.single if advice.is_free],
        "to buy": [advice for advice in advices.single if not advice.is_free],
        "together": list(advices.together),
    }
    if not any(groups.values()):
        yield "\nNo known change would gain anything.\n"
    for name, group in groups.items():
        if group:
            yield f"\n{name}\n"
        for advice in group[:top]:
            yield from _advice(advice, in_full=name != "together")
        if len(group) > top:
            yield f"  … and {len(group) - top} more (--top, or --format json)\n"
    yield f"\n{len(advices.without_gain)} other changes were tried and gain nothing alone.\n"


def _advice(advice: Advice, *, in_full: bool) -> Iterator[str]:
    from hecn_analysis.planning.change.advise import gain_in_words  # noqa: PLC0415 (not needed for --help)

    rate = output.human("throughput_bps", advice.outcome.throughput_bps)
    price = (
        "" if advice.is_free else " · price not known" if advice.price_usd is None else f" · {advice.price_in_words}"
    )
    gain, low, high = map(gain_in_words, (advice.gain, advice.gain_low, advice.gain_high))
    yield f"  {gain} ({low} to {high}), {rate}{price}: {advice.title}\n"
    if in_full:
        (change,) = advice.changes
        yield f"      how:    {change.how}\n"
        yield f"      check:  {change.check}\n"
        yield f"      risk:   {change.risk}\n"
        yield f"      source: {change.source}\n"
        if change.price_source:
            yield f"      price:  {change.price_source}\n"
