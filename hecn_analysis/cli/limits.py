"""``hecn limits``: the figure functions of `hecn_analysis.limits` as commands.

Options come from the functions' signatures, help texts from their docstrings.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, socket_buffers
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say
from hecn_analysis.limits._checks import dimension

DESCRIPTION = """\
Upper limit of a slot, a link, a TCP connection or a disk array. With --rtt and
--rate, the kind tcp also gives the socket buffers to set, the loss that it
tolerates, and with --bytes the time that the transfer takes."""

EPILOG = """\
examples:
  hecn limits pcie --gen 2 --lanes 16 --max-payload 128,256
  hecn limits ethernet --rate 10Gb/s --mtu 9000
  hecn limits tcp --rtt 80ms --rate 10Gb/s --bytes 40TB
  hecn limits tcp --rtt 80ms --rate 10Gb/s --window 16MiB
  hecn limits atm --carrier oc3c --explain
  hecn limits ethernet --rate 1Gb/s --mtu 1500 --measured 990Mb/s

--explain shows the overhead of each layer, with its source. --measured does the
same, and gives reasons why a measurement may exceed the limit.

Each kind has its own --help with its options."""

DIGITS = 6  # the figures are exact, and compared with published ones

# The example in the --help of each kind; each runs as it stands.
EXAMPLES = {
    "pcie": "--gen 2 --lanes 16 --max-payload 128,256",
    "pcix": "--clock 133MHz --width 64 --burst 512,4096",
    "nic": "--gen 3 --lanes 8 --max-payload 256 --frame 64,1518 --driver polling",
    "ethernet": "--rate 10Gb/s --mtu 1500,9000",
    "atm": "--carrier oc3c --mtu 9180",
    "sonet": "--carrier oc48c --mtu 4470,9000",
    "infiniband": "--generation edr --mtu 2048,4096",
    "lag": "--links 4 --link-rate 10Gb/s --flows 1,4,16",
    "buffer": "--ingress 10Gb/s --egress 1Gb/s --buffer 512KiB --burst 64KiB,1MiB",
    "tcp": "--rtt 80ms --window 16MiB --rate 10Gb/s --mtu 9000",
    "raid": "--level 5 --disks 8 --disk-rate 80MB/s --op write",
    "disk": "--outer-rate 80MB/s --inner-rate 40MB/s",
    "ssd": "--rate 1.4GB/s --cache-rate 6GB/s --cache 400GB --amount 1TB",
    "enclosure": "--disks 24 --disk-rate 200MB/s --interface sas-6",
    "pagecache": "--size 64GiB --memory-rate 5GB/s --disk-rate 400MB/s --op write --available 96GiB",
    "cpu": "--clock 3.2GHz --cycles-per-byte 1.1",
    "memory": "--channels 3 --transfers 1333MT/s",
    "interconnect": "--link qpi-6.4 --links 2",
    "requests": "--request 1MiB --round-trip 80ms --outstanding 16 --rate 10Gb/s",
}

#: Options with a default that decides the figures, and where to find the true value.
_TO_LOOK_UP = {"pcie": {"max_payload": "lspci -vv shows it as MaxPayload of DevCtl"}}

#: Kinds whose rates people read in bytes per second.
_OF_DISKS = frozenset({"raid", "disk", "ssd", "enclosure", "pagecache"})

VALUES = """\
A value is an SI number (bit/s, bytes, seconds, fractions) or carries a unit:
10Gb/s, 204MB/s, 64GiB, 80ms, 5%. Comma-separated values give one row each."""


def add_arguments(parser: Parser) -> None:
    """Add a command for every kind; its options are added when it is chosen."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    kinds = parser.add_subparsers(title="kinds", metavar="KIND", dest="kind", required=True)
    for kind, figures in hecn.limits.KINDS.items():
        kinds.add_parser(kind, help=_summary(figures), fill=partial(_add_options, kind, figures))


def _add_options(kind: str, figures: Callable[..., Mapping[str, Any]], parser: Parser) -> None:
    summary = _summary(figures)
    parser.description = f"{summary[:1].upper()}{summary[1:]}.\n\n{VALUES}"
    parser.epilog = f"example:\n  hecn limits {kind} {EXAMPLES[kind]}"
    meanings = parameter_meanings(inspect.getdoc(figures) or "")
    for name, (parameter, hint) in _parameters(figures).items():
        option, meaning = option_of(name), meanings[name].replace("%", "%%")
        if hint is bool:
            on = parameter.default is False
            parser.add_argument(
                option if on else f"--no-{option[2:]}",
                dest=name,
                action="store_true" if on else "store_false",
                help=meaning if on else f"turn off: {meaning[0].lower()}{meaning[1:]}",
            )
            continue
        choices = [str(choice) for choice in get_args(hint)] if get_origin(hint) is Literal else None
        required = parameter.default is parameter.empty
        if not required and parameter.default is not None:
            meaning += f" (default: {parameter.default if choices else format(parameter.default, '.7g')})"
        parser.add_argument(
            option,
            dest=name,
            required=required,
            choices=choices,
            metavar=None if choices else (dimension(hint) or name).upper(),
            help=meaning,
        )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show the overhead of each layer step by step, with its source",
    )
    parser.add_argument(
        "--measured",
        metavar="RATE",
        help="compare a measured rate with the limit step by step, and explain why it may be higher",
    )
    add_output_arguments(parser)
    parser.set_defaults(figures=figures)


def run(arguments: argparse.Namespace) -> int:
    """Compute the figures: one object, or one row per combination if an option has several values."""
    given = _given(arguments)
    several = [name for name, values in given.items() if len(values) > 1]
    for name, where in _TO_LOOK_UP.get(arguments.kind, {}).items():
        if name not in given:
            default = inspect.signature(arguments.figures).parameters[name].default
            say(f"{option_of(name)} not given: {default} assumed ({where})")
    if arguments.explain or arguments.measured is not None:
        _explain(arguments, given, several)
        return 0
    form = output.chosen_format(arguments)
    # people read what they wrote, with its unit
    written: dict[str, dict[Any, str]] = {
        name: dict(zip(given[name], _parts(getattr(arguments, name)), strict=True)) if form == "text" else {}
        for name in several
    }
    rows = []
    for values in itertools.product(*given.values()):
        settings = dict(zip(given, values, strict=True))
        figures = arguments.figures(**settings)
        rows.append({**{name: written[name].get(settings[name], settings[name]) for name in several}, **figures})
    if several or form == "csv":
        chunks = output.written(rows, list(rows[0]), form, DIGITS)
    else:
        chunks = output.json_object(rows[0]) if form == "json" else _told(arguments.kind, given, rows[0])
    output.deliver(chunks, arguments)
    return 0


def _told(kind: str, given: Mapping[str, list[Any]], figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures as text, and for a path that TCP could fill the buffers to set."""
    stated = {name: value for name, value in figures.items() if value == value}  # noqa: PLR0124 - NaN is not itself
    yield from output.text_object(stated, DIGITS, of_disks=kind in _OF_DISKS)
    bdp = figures.get("bdp_bytes", math.nan)
    if kind != "tcp" or not math.isfinite(bdp):
        return
    streams = given.get("streams", [1])[0]
    window = given.get("window", [0.0])[0]
    if window * streams < bdp and math.isinf(figures["loss_limit_bps"]):
        yield "\n"
        if window:
            yield f"Windows of {units.format_bytes(window)} fill the line with {math.ceil(bdp / window)} streams. Or:\n"
        yield from (f"{line}\n" for line in socket_buffers.lines(bdp, streams))
    if loss := stated.get("tolerable_loss"):
        control = "Reno" if given.get("congestion_control") == ["reno"] else "CUBIC"
        packets = units.format_number(1 / loss, digits=2)
        yield f"\nLoss that {control} tolerates at the full rate: one packet in {packets}.\n"


def _explain(arguments: argparse.Namespace, given: Mapping[str, list[object]], several: list[str]) -> None:
    if several:
        options = " and ".join(map(option_of, several))
        raise InputError(f"several values of {options}", "one value of each option to explain")
    measured = arguments.measured
    if measured is not None:
        if (doubt := units.doubt(measured, "rate", name="--measured")) is not None:
            say(doubt)
        measured = units.parse(measured, "rate", name="--measured")
    settings = {name: values[0] for name, values in given.items()}
    explanation = hecn.limits.explain(arguments.kind, measured=measured, **settings)
    form = output.chosen_format(arguments)
    if form == "json":
        output.deliver(output.json_object(explanation.to_dict()), arguments)
    elif form == "csv":
        rows = explanation.rows()
        output.deliver(output.csv_rows(rows, list(rows[0])), arguments)
    else:
        remark = _of_measured(settings, measured) if arguments.kind == "tcp" and measured is not None else ""
        output.deliver([f"{explanation}\n{remark}"], arguments)


def _of_measured(settings: Mapping[str, Any], measured_bps: float) -> str:
    """What a measured rate says beside its limit: what would explain it, and the time that an amount takes."""
    remark = _what_would_explain(settings, measured_bps)
    if (amount := settings.get("bytes")) is not None:
        took, rate = units.format_time(8 * amount / measured_bps), units.format_rate(measured_bps)
        remark += f"{units.format_bytes(amount)} at {rate} take {took}.\n"
    return remark


def _what_would_explain(settings: Mapping[str, Any], measured_bps: float) -> str:
    """Window and loss that would give a rate that TCP does not exceed, where neither is stated."""
    if settings.get("window") is not None or settings.get("loss"):
        return ""
    from hecn_analysis.limits import tcp_loss  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.limits.tcp_figures import HEADERS  # noqa: PLC0415 (see above)

    rtt, streams = settings["rtt"], settings.get("streams", 1)
    window = measured_bps * rtt / 8 / streams
    packets = window / (settings.get("mtu", 1500) - HEADERS)
    if packets <= 1:
        return ""
    loss = max(float(tcp_loss.cubic_loss(packets, rtt)), float(tcp_loss.reno_loss(packets)))
    each = "" if streams == 1 else " in each stream"
    rate, time, amount = units.format_rate(measured_bps), units.format_time(rtt), units.format_bytes(window)
    packets_per_loss = units.format_number(1 / loss, digits=2)
    return (
        f"{rate} over {time} is {amount} in flight{each}. A window of that size would explain it, "
        f"or, in the long run of CUBIC, one packet in {packets_per_loss} lost: "
        "ss -ti during the transfer shows which.\n"
    )


def _given(arguments: argparse.Namespace) -> dict[str, list[Any]]:
    """Values of the given options, by parameter."""
    given: dict[str, list[Any]] = {}
    for name, (_, hint) in _parameters(arguments.figures).items():
        value = getattr(arguments, name)
        if value is None:
            continue
        if hint is bool:
            given[name] = [value]
        elif get_origin(hint) is Literal:
            given[name] = [choice for choice in get_args(hint) if str(choice) == value]
        else:
            measures = dimension(hint)
            if measures is None:
                raise TypeError(f"{arguments.kind}: parameter {name} declares no dimension")
            parts = _parts(value)
            given[name] = [units.parse(part, measures, name=option_of(name)) for part in parts]
            for doubt in filter(None, (units.doubt(part, measures, name=option_of(name)) for part in parts)):
                say(doubt)
    return given


def _parts(value: str) -> list[str]:
    """The values of an option with several."""
    return [part.strip() for part in value.split(",")]


def _parameters(figures: Callable[..., object]) -> dict[str, tuple[inspect.Parameter, Any]]:
    hints = get_type_hints(figures, include_extras=True)
    return {name: (parameter, hints[name]) for name, parameter in inspect.signature(figures).parameters.items()}


def option_of(parameter: str) -> str:
    """Command-line option of a parameter."""
    return "--" + parameter.replace("_", "-")


def parameter_meanings(doc: str) -> dict[str, str]:
    """Give the meaning of each parameter in the ``Parameters`` section of a numpy docstring, without its unit."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", doc, re.DOTALL | re.MULTILINE)
    meanings: dict[str, str] = {}
    for names, text in re.findall(
        r"^(\w[^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)+)", section[1] + "\n" if section else "", re.MULTILINE
    ):
        for name in names.partition(":")[0].split(","):
            meanings[name.strip()] = re.sub(r"\.?( \[[^][]*\])?$", "", " ".join(text.split())).replace("`", "")
    return meanings


def _summary(figures: Callable[..., object]) -> str:
    first = " ".join((inspect.getdoc(figures) or "").partition("\n\n")[0].split())
    first = first.removeprefix("Return ").removesuffix(".").replace("%", "%%")
    return first[:1].lower() + first[1:] if first[1:2].islower() else first
