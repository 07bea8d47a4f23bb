"""The commands that list models: hosts, paths, tools and parts, by the names that a scenario can use."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import InputError, did_you_mean
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.host import Array, Host
from hecn_analysis.hardware.parts import KINDS, Controller, Disk, Nic
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import make_scenario

Row = dict[str, Any]

_TITLES: Final = {
    "hosts": "List the hosts that --sender and --receiver can name, the newest first.",
    "paths": "List the paths that --path can name.",
    "tools": "List the tools that --tool can name.",
    "parts": "List the parts that hosts are built from, the newest first.",
}
_EXAMPLES: Final = {
    "hosts": "hecn hosts dtn",
    "paths": "hecn paths 10ge",
    "tools": "hecn tools disk",
    "parts": "hecn parts nics 100g",
}
_USES: Final = {
    "hosts": "hecn predict --sender dtn-10g-2018 --receiver dtn-10g-2018 --path lan-10ge --tool iperf3",
    "paths": "hecn predict --sender ideal --receiver ideal --path lan-100ge --tool iperf3",
    "tools": "hecn predict --sender b --receiver b --path lan-10ge --tool gridftp",
    "parts": "hecn predict --host 'nic=nvidia-mcx623106an-cdat slot=gen3x8'",
}


def add_arguments(kind: str, parser: Parser) -> None:
    """Add the arguments of the command that lists a kind."""
    parser.description = _TITLES[kind]
    parser.epilog = f"example:\n  {_EXAMPLES[kind]}\n\nA prediction takes such a name:\n  {_USES[kind]}"
    parser.add_argument("words", nargs="*", metavar="WORD", help="show rows that contain every word, e.g. 100g")
    add_output_arguments(parser)


def run(kind: str, arguments: argparse.Namespace) -> int:
    """List the rows of a kind that contain every word."""
    rows = list(_ROWS[kind]())
    words = [str(word).lower() for word in arguments.words]
    shown = [row for row in rows if all(word in _searched(row) for word in words)]
    if not shown:
        kinds = f", or a kind: {', '.join(KINDS)}" if kind == "parts" else ""
        expected = f"words that one row of hecn {kind} contains{kinds}"
        advice = did_you_mean(words[0], [str(next(iter(row.values()))) for row in rows])
        raise InputError(f"no {kind.removesuffix('s')} with {' and '.join(map(repr, words))}", expected, advice=advice)
    output.deliver(output.written(shown, list(rows[0]), output.chosen_format(arguments)), arguments)
    return 0


def _searched(row: Mapping[str, Any]) -> str:
    text = " ".join(str(value) for value in row.values() if value is not None).lower()
    return f"{text} {text.replace(' ', '')}"  # "100g" finds 100 Gb/s, too


def _hosts() -> Iterator[Row]:
    library = Library(places.models_dir())
    rows = []
    for name in library.names("hosts"):
        host = make_scenario({"sender": name, "receiver": "ideal", "tool": "iperf3"}).sender
        if isinstance(host, Host):
            ports = [f"{slot.nic.ports} x {_rate(slot.nic)}" for slot in host.slots.values() if slot.nic is not None]
            rows.append(
                {
                    "host": name,
                    "year": host.year,
                    "cores": None if host.cpu is None else host.cpu.cores,
                    "ports": ", ".join(dict.fromkeys(ports)) or None,
                    "arrays": ", ".join(dict.fromkeys(map(_array, host.arrays.values()))) or None,
                    "title": host.title,
                }
            )
    yield from sorted(rows, key=lambda row: (-int(row["year"] or 0), str(row["host"])))


def _rate(nic: Nic) -> str:
    return units.format_rate(nic.port_rate.value)


def _array(array: Array) -> str:
    level = "" if array.level is None else f"RAID {array.level} of "
    return level + units.format_count(array.disks, "disk")


def _paths() -> Iterator[Row]:
    for name in Library(places.models_dir()).names("paths"):
        path = make_scenario({"sender": "ideal", "receiver": "ideal", "path": name, "tool": "iperf3"}).path
        yield {
            "path": name,
            "links": path.links,
            "rate_bps": None if path.rate is None else path.rate.value,
            "rtt_s": path.rtt.value,
            "mtu": path.mtu,
            "title": path.title,
        }


def _tools() -> Iterator[Row]:
    for name in Library(places.models_dir()).names("tools"):
        tool = make_scenario({"sender": "ideal", "receiver": "ideal", "tool": name}).tool
        ends = None if tool.protocol == "file" else f"{tool.source_end} to {tool.sink_end}"
        yield {"tool": name, "protocol": tool.protocol, "copies": ends, "title": tool.title}


def _parts() -> Iterator[Row]:
    rows = [
        {
            "part": name,
            "kind": kind,
            "year": part.year,
            "figures": _FIGURES[kind](part),
            "price_usd": None if part.price is None else part.price.value,
            "title": part.title,
        }
        for kind in KINDS
        for name, part in parts(kind).items()
    ]
    yield from sorted(rows, key=lambda row: (str(row["kind"]), -int(row["year"] or 0), str(row["part"])))


#: What matters of a part in a transfer.
_FIGURES: Final[Mapping[str, Callable[[Any], str]]] = {
    "boards": lambda board: f"{len(board.slots)} slots",
    "controllers": lambda card: f"{card.disk_ports or 'any'} disk ports{_bus(card)}",
    "cpus": lambda cpu: f"{cpu.cores} cores of {cpu.clock.value / 1e9:.3g} GHz",
    "disks": lambda disk: (
        f"{_attached(disk)}reads {_bytes(disk.read_rate)}, "
        f"writes {_bytes(disk.sustained_write_rate or disk.write_rate)}"
    ),
    "enclosures": lambda chassis: f"{chassis.bays} bays",
    "modules": lambda module: f"DDR{module.ddr}, {units.format_bytes(module.size.value)}",
    "nics": lambda nic: f"{nic.ports} x {_rate(nic)}{_bus(nic)}",
    "optics": lambda optic: f"{units.format_rate(optic.rate.value)}, {optic.medium}, {optic.reach_m:g} m",
    "switches": lambda switch: ", ".join(f"{count} x {rate}" for rate, count in switch.ports.items()),
}


def _bus(card: Nic | Controller | Disk) -> str:
    return f", Gen{card.gen} x{card.lanes}" if card.gen and card.lanes else ""


def _attached(disk: Disk) -> str:
    """How a disk is attached."""
    if disk.link == "pcie":
        return f"NVMe{_bus(disk).replace(',', '')}, "
    return f"{disk.link.upper()}, " if disk.link else ""


def _bytes(rate: Parameter) -> str:
    return f"{rate.value / 8e6:,.0f} MB/s"


_ROWS: Final[Mapping[str, Callable[[], Iterable[Row]]]] = {
    "hosts": _hosts,
    "paths": _paths,
    "tools": _tools,
    "parts": _parts,
}
