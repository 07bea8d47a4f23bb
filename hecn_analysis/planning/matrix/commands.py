"""Commands that run cells of a matrix: the emulated path, the file, the server, the runs; with time and data.

Users paste them into a shell, so names from the matrix are quoted or stay within a comment.
"""

from __future__ import annotations

import math
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.matrix.cells import FILES, Cell, Emulator, Matrix, amounts
from hecn_analysis.prediction import tool_commands

#: netem drops packets that exceed its queue; its default of 1000 packets is far below the BDP of a long fast path.
_LEAST_PACKETS: Final = 1000


def commands(
    matrix: Matrix,
    cells: Sequence[tuple[Cell, int]],
    *,
    address: str = "receiver",
    folder: str = "/data",
) -> Iterator[str]:
    """Lines of a plan to run cells by hand, ordered for the fewest changes of path and file.

    Parameters
    ----------
    matrix
        The matrix.
    cells
        Cells, each with the number of its runs.
    address
        Address of the receiver.
    folder
        Folder of the files at both ends.

    Yields
    ------
    str
        A line: a command, a comment, or nothing.

    Examples
    --------
    >>> print([line for line in commands(matrix, [(matrix.cells[0], 3)]) if "iperf3 -c" in line][0])
      iperf3 -c receiver -p 5201 -J -t 10 2>&1 | tee far-0ms-$run.txt
    """
    rates = {cell.name: float(rate) for cell, rate in zip(matrix.cells, matrix.outlook.throughput_bps, strict=True)}
    ordered = sorted(
        cells, key=lambda item: (item[0].scenario.path.rtt.value, item[0].scenario.path.loss.value, _size(item[0]))
    )
    spent = [(repeats, *amounts(cell.scenario, rates[cell.name])) for cell, repeats in ordered]
    whole_s = sum(repeats * (time_s + matrix.pause_s) for repeats, time_s, _ in spent)
    moved = sum(repeats * data for repeats, _, data in spent)
    runs = sum(repeats for repeats, _, _ in spent)
    yield f"# runs: {runs}, cells: {len(ordered)}, {units.format_time(whole_s)}, {units.format_bytes(moved)} to move"
    path: tuple[str, ...] = ()
    files: set[int] = set()
    for (cell, repeats), (_, time_s, data) in zip(ordered, spent, strict=True):
        load = rates[cell.name] / _line(cell)
        yield ""
        yield _comment(
            f"{cell.name}: {repeats} times {units.format_time(time_s)} and {units.format_bytes(data)}, "
            f"at {units.format_rate(rates[cell.name])} expected ({units.format_fraction(load)} of the line)"
        )
        wanted = tuple(emulated(matrix.emulator, cell))
        if wanted != path:
            yield from wanted
            path = wanted
        yield from _run(matrix, cell, repeats, (address, folder), files)


def _loss(cell: Cell) -> float:
    return float(cell.scenario.path.loss.value)


def _line(cell: Cell) -> float:
    rate = cell.scenario.path.rate
    return math.inf if rate is None else float(rate.value)


def _size(cell: Cell) -> float:
    return 0.0 if cell.scenario.tool.bytes is None else float(cell.scenario.tool.bytes.value)


def emulated(emulator: Emulator | None, cell: Cell) -> Iterator[str]:
    """Commands that set the round-trip time and loss of the path, on a forwarding host between both ends."""
    rtt, loss, rate = cell.scenario.path.rtt.value, _loss(cell), _line(cell)
    if emulator is None:
        percent = f" and {100 * loss:.6g} % loss" if loss else ""
        yield f"# needs a path of {units.format_time(rtt)}{percent}"
        return
    delay = max(0.0, rtt - units.parse(emulator.base_rtt, "time", name="emulator.base_rtt")) / 2
    packets = _LEAST_PACKETS
    if math.isfinite(rate):
        packets += math.ceil(2 * rate * delay / (8 * cell.scenario.path.mtu))
    yield "# between both ends:"
    for device, lost in ((emulator.forward, loss), (emulator.back, 0.0)):
        words = [
            "netem",
            *(["delay", f"{1e3 * delay:g}ms"] if delay else []),
            *(["loss", f"{100 * lost:.6g}%"] if lost else []),
        ]
        words = [*words, "limit", str(packets)] if delay or lost else ["pfifo", "limit", "10000"]
        yield shlex.join(["sudo", "tc", "qdisc", "replace", "dev", device, "root", *words])


def _run(matrix: Matrix, cell: Cell, repeats: int, to: tuple[str, str], files: set[int]) -> Iterator[str]:
    if FILES in cell.setting:
        yield _comment(
            f"{cell.setting[FILES]} (files@GB): the command that copies several files as one test is not known"
        )
        return
    address, folder = to
    scenario = cell.scenario
    tool, size = scenario.tool, int(_size(cell))
    file = str(PurePosixPath(folder) / (f"hecn-{size}.dat" if size else "hecn.dat"))
    if tool.name in tool_commands.names():
        try:
            plan = tool_commands.plan(
                scenario, tool_commands.Ends(address, file=file, file_is_there=True), scenario.keys
            )
        except InputError as error:
            yield _comment(str(error))
            return
        server, client = tool_commands.shown(plan.server) if plan.server else "", tool_commands.shown(plan.client)
        once = "-1" in server.split()
    elif tool.name in matrix.commands:
        template = matrix.commands[tool.name]
        values = {
            "address": shlex.quote(address),
            "file": shlex.quote(file),
            "target": shlex.quote(f"{file}.copy"),
            "target_folder": shlex.quote(f"{folder}/copies"),
            "streams": str(tool.streams),
            "bytes": str(size),
            "window": f"{tool.window.value:.0f}",
            "window_kib": f"{tool.window.value / 1024:.0f}",
            "duration": "" if tool.duration is None else f"{tool.duration.value:g}",
        }
        try:
            server, client = (_filled(text, values) for text in (template.server, template.client))
            once = template.once
        except (KeyError, ValueError) as error:
            raise InputError(
                f"{error} in the commands of {tool.name}", f"one of {', '.join(values)} in braces", source=matrix.source
            ) from None
    else:
        yield _comment(f"no command is known for {tool.name}: put one under 'commands' in the matrix {matrix.source}")
        return
    is_copy = tool.source_end == "disk"
    if is_copy and size not in files:
        files.add(size)
        yield f"head -c {size} /dev/urandom > {shlex.quote(file)}   # at the sender, once"
    loop = f"for run in $(seq {repeats}); do"
    log = f"{shlex.quote(cell.name.replace('/', '-'))}-$run.txt"
    log = f"./{log}" if cell.name.startswith("-") else log
    if server:
        again = f"{loop} {server}; done" if once else server
        yield f"{again}   # at the receiver"
    yield "# at the sender:"
    yield loop
    if is_copy:
        yield "  sync; echo 3 | sudo tee /proc/sys/vm/drop_caches > /dev/null   # at both ends"
    yield f"  {client} 2>&1 | tee {log}"
    if matrix.pause_s:
        yield f"  sleep {matrix.pause_s:g}"
    yield "done"


def _comment(text: str) -> str:
    """Comment line; line breaks in the text become spaces."""
    return f"# {' '.join(text.split())}"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Fill in the names in braces; attributes, widths and conversions of `str.format` are refused."""
    filled = ""
    for text, name, form, conversion in string.Formatter().parse(template):
        filled += text
        if name is not None:
            if form or conversion:
                raise ValueError(f"'{{{name}…}}'")
            filled += values[name]
    return filled
