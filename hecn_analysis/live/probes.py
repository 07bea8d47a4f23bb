"""Short runs that measure unknown properties of a host: the CPU cost per byte, and the rate of its disk.

A network tool runs over the loopback interface, which neither a card nor a line limits; dd writes and reads a temporary
file. `hecn_analysis.inventory.hosts.probes` evaluates the results.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hecn_analysis.files import whole
from hecn_analysis.hardware import load_scenario
from hecn_analysis.inventory.hosts.probes import LOAD, Probed
from hecn_analysis.live.hosts import load
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import AMOUNT_LIMIT_S, SPARE_S, Request, ends_of, figures_of, removal, run_once
from hecn_analysis.prediction import tool_commands

REPEATS: Final = 4
DURATION_S: Final = 2.0
#: Repeats of each direction of a disk, past the page cache and through it; slow ones stop after `_FEWEST`.
DISK_REPEATS: Final = {"direct": 6, "buffered": 3}
_FEWEST: Final = 3
_LONG_S: Final = 6.0
#: Amount of data, larger than the caches of most disks. [B]
AMOUNT: Final = 256 << 20


@dataclass(frozen=True)
class Probe:
    """A finished probe."""

    command: tuple[str, ...]  # the command
    log: Path  # file with its output
    duration_s: float  # its duration [s]
    result: Probed | None  # throughput and shares of a core; None if it failed
    error: str = ""  # why it failed
    load: str = ""  # load of the cores during the run, as text; empty: not observed


def loopback(machine: Place, tool: str, logs: Path) -> Generator[Probe, None, None]:
    """Run a tool over a machine's own loopback interface."""
    request = Request(sender=machine, receiver=machine)
    ideal = {"sender": "ideal", "receiver": "ideal", "path.ip": 4, "tool": tool, "tool.duration": DURATION_S}
    plan = tool_commands.plan(load_scenario(ideal), ends_of(request, is_networked=True), {})
    for number in range(1, REPEATS + 1):
        log = logs / f"probe-loopback-{tool}-{machine.kind}-{number}.{plan.log}"
        started = time.monotonic()
        before = machine.busy()
        error = run_once(request, plan, DURATION_S + SPARE_S, log)
        loads = load(before, machine.busy())
        probe = _probe(plan.client, log, started, error)
        if probe.result is not None and loads:
            busy = sum(loads.values())
            result = probe.result._replace(idle_cores=len(loads) - busy)
            probe = replace(probe, result=result, load=LOAD.format(busy=busy, cores=len(loads)))
        yield probe


def disk(
    place: Place, file: str, logs: Path, *, reads: bool, io: str, cold: bool = False
) -> Generator[Probe, None, None]:
    """Run dd on a temporary file."""
    blocks = (f"bs={tool_commands.BLOCK}", f"count={AMOUNT // tool_commands.BLOCK}")
    write = ("dd", "if=/dev/zero", f"of={file}", *blocks)
    read = ("dd", f"if={file}", "of=/dev/null", *blocks)
    words: tuple[str, ...]
    if io == "direct":
        words = (*read, "iflag=direct") if reads else (*write, "oflag=direct")
    else:
        words = read if reads else (*write, "conv=fdatasync")
    log_kind = ("read" if reads else "write") if io == "direct" else ("buffered-read" if reads else "buffered-write")
    taken_s = 0.0
    try:
        ended = place.run([*write, "conv=fsync"] if reads else ["true"], limit_s=AMOUNT_LIMIT_S)
        for number in range(1, DISK_REPEATS[io] + 1):
            if number > _FEWEST and taken_s > _LONG_S:
                return
            log = logs / f"probe-disk-{log_kind}-{number}.txt"
            if cold:
                place.run(("dd", f"if={file}", "iflag=nocache", "count=0"))
            started = time.monotonic()
            if ended.ok:
                ended = place.run(words, limit_s=AMOUNT_LIMIT_S)
            whole.write(log, ended.stdout + ended.stderr)
            probe = _probe(words, log, started, "" if ended.ok else f"dd at {place}: {ended.complaint or ended.how}")
            taken_s += probe.duration_s
            yield probe
    finally:
        place.run(removal(file))


def _probe(command: tuple[str, ...], log: Path, started: float, error: str) -> Probe:
    figures = None if error else figures_of(log)
    duration = round(time.monotonic() - started, 3)
    if figures is None:
        return Probe(command, log, duration, None, error or f"{command[0]}: no result")
    result = Probed(figures["throughput_bps"], figures["cpu_sender_fraction"], figures["cpu_receiver_fraction"])
    return Probe(command, log, duration, result)
