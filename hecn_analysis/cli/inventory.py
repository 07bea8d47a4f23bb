"""``hecn inventory``: captured hosts, the facts of each file, findings and problems."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import findings, output, reading
from hecn_analysis.cli.parser import Parser, add_output_arguments

if TYPE_CHECKING:
    from hecn_analysis.inventory import CapturedHost, Inventory

TABLES = ("hosts", "sources", "findings", "problems")
PLACE = ("source_file", "format")
YAML = frozenset({".yaml", ".yml"})

DESCRIPTION = """\
Describe hosts from captured output: lspci, lscpu, dmidecode, lshw, ethtool,
sysctl, smartctl, storcli and others, as files, folders, or an sosreport
archive. Commands are recognised by the contents of a file, never by its name.
The files of one folder describe one host. Nothing in a file is ever executed."""

EPILOG = f"""\
examples:
  hecn inventory data/inventory
  hecn inventory data/inventory --table sources --format json
  hecn inventory data/inventory --table findings
  hecn inventory data/inventory --path netem-80ms-10ge --role sender
  hecn inventory data/inventory/virtual-machine -o host.yaml && \\
      hecn predict --sender host.yaml --receiver ideal --path lan-10ge --tool nuttcp
  lspci -vvv | hecn inventory -

{reading.EXIT_STATUS}"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn inventory``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="captured output, a folder or archive of it, or - for stdin"
    )
    parser.add_argument("--table", choices=TABLES, help="table to show (default: hosts; with --path: findings)")
    parser.add_argument(
        "--path", metavar="NAME", help="findings for transfers over this path: a name in models/ or a YAML file"
    )
    parser.add_argument(
        "--role", choices=("receiver", "sender"), default="receiver", help="role of the hosts (default: receiver)"
    )
    parser.add_argument("--tool", metavar="NAME", default="iperf3", help="transfer tool (default: iperf3)")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, report problems."""
    arguments.table = arguments.table or ("findings" if arguments.path else "hosts")
    inventory = hecn.read_inventory(reading.input_paths(arguments.paths), progress=True, hint=reading.hint("inventory"))
    output.deliver(_written(inventory, arguments), arguments)
    outputs = units.format_count(len(inventory.sources), "output")
    listed = arguments.table == "problems"
    without_output = () if inventory.sources else arguments.paths
    list_command = "hecn inventory --table problems lists all"
    return reading.report_problems(inventory.problems, outputs, list_command, listed=listed, nothing_in=without_output)


def _written(inventory: Inventory, arguments: argparse.Namespace) -> Iterable[str]:
    form = output.chosen_format(arguments)
    if arguments.table == "problems":
        return output.written(reading.rows_of(inventory.problems), list(inventory.problems.columns), form)
    if arguments.table == "findings":
        return findings.table(findings.checked(inventory.hosts, arguments.path, arguments.role, arguments.tool), form)
    if arguments.table == "sources":
        rows = reading.stdin_as_dash([dict(row) for row in inventory.sources])
        names = list(dict.fromkeys(name for row in rows for name in row))
        if form == "text":
            rows = [{name: row.get(name) for name in (*PLACE, "command")} | {"facts": _short(row)} for row in rows]
        return output.written(rows, names, form)
    if arguments.format is None and Path(arguments.output or "").suffix in YAML:
        return _yaml(inventory, arguments.output)
    if form == "text":
        return _texts(inventory.hosts)
    hosts = [_host(host) for host in inventory.hosts]
    return output.written(hosts, list(dict.fromkeys(name for host in hosts for name in host)), form)


def _host(host: CapturedHost) -> dict[str, Any]:
    """A host as an object: its name, source files, description, findings, and all facts."""
    return {
        "name": host.name,
        "source_files": [
            row["source_file"] for row in reading.stdin_as_dash([{"source_file": name} for name in host.source_files])
        ],
        "host": host.description,
        "findings": [finding.to_dict() for finding in host.findings.findings],
        "unchecked": [str(unchecked) for unchecked in host.findings.unchecked],
        **host.facts,
    }


def _yaml(inventory: Inventory, file: str) -> Iterable[str]:
    """The description of the only host, in the form of ``models/hosts``."""
    import yaml  # noqa: PLC0415 - for this form alone

    if len(inventory.hosts) != 1:
        names = ", ".join(host.name for host in inventory.hosts) or "none"
        raise InputError(
            f"{len(inventory.hosts)} hosts ({names})", "one host, since a file holds one description", source=file
        )
    [host] = inventory.hosts
    return [yaml.safe_dump(host.description, sort_keys=False, allow_unicode=True, width=120)]


def _texts(hosts: Sequence[CapturedHost]) -> Iterator[str]:
    """Each host as text for people."""
    for number, host in enumerate(hosts):
        yield from ("\n",) * (number > 0)
        yield from output.text_object({"host": host.name, **_figures(host)})
        yield from (f"finding  {finding}\n" for finding in host.findings.findings)


def _figures(host: CapturedHost) -> dict[str, object]:
    cpu, memory = host.machine.cpu, host.machine.memory
    figures: dict[str, object] = {
        "made of": f"{len(host.source_files)} files ({host.host.source.partition(':')[0]})",
        "system": host.machine.product,
        "processor": cpu.model,
        "sockets": cpu.sockets,
        "cores": cpu.cores,
        "memory_bytes": memory.size_bytes,
        "kernel": host.machine.kernel.kernel,
    }
    for name, slot in host.host.slots.items():
        card = slot.nic or slot.controller
        bus = f"PCIe Gen{slot.gen} x{slot.lanes}" if slot.bus == "pcie" else "PCI-X"
        figures[f"slot {name}"] = f"{bus}, {card.title if card is not None else host.machine.named(name)}"
    for name, array in host.host.arrays.items():
        level = f"RAID {array.level} of {array.disks} disks" if array.level is not None else "one disk"
        figures[f"storage {name}"] = f"{level}, {array.disk.title or 'of unknown kind'}"
    return {name: value for name, value in figures.items() if value is not None}


def _short(row: dict[str, Any]) -> str:
    """The facts of an output for people: single figures as they are, lists as their length."""
    left_out = {*PLACE, "command", "line_first", "line_last"}
    return ", ".join(
        f"{output.bare(name)} {len(value) if isinstance(value, list | dict) else output.human(name, value)}"
        for name, value in row.items()
        if name not in left_out and value is not None
    )
