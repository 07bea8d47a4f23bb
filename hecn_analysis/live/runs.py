"""Runs of a tool: the request, the start of a run, and the figures in its output.

Servers and temporary files of a run are removed when it ends, however it ends.
"""

from __future__ import annotations

import contextlib
import json
import math
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.files import whole
from hecn_analysis.hardware import Scenario
from hecn_analysis.live import path, programs
from hecn_analysis.live.places import Place
from hecn_analysis.logs import read
from hecn_analysis.prediction import tool_commands
from hecn_analysis.runs.rates import run_rate

ROLES: Final = ("sender", "receiver")

SPARE_S: Final = 20.0
AMOUNT_LIMIT_S: Final = 300.0
_SERVER_S: Final = 10.0
_LOOK_S: Final = 0.1
_PORTS: Final = range(20_000, 30_000)
_FIGURES: Final = ("throughput_bps", "duration_s", "cpu_sender_fraction", "cpu_receiver_fraction", "retransmits")


class MeasurementError(HecnError):
    """A measurement that could not be made: the tool failed, its server did not start, nothing was measured."""


@dataclass(frozen=True)
class Request:
    """A requested measurement."""

    scenario: str | None = None  # file or name of a scenario; None: keys only
    # keys set over it. A sender or receiver that is ``this`` or not named is the captured host at that end.
    keys: Mapping[str, Any] = field(default_factory=dict)
    # places of the ends
    sender: Place = field(default_factory=Place)
    receiver: Place = field(default_factory=Place)
    address: str | None = None  # address of the receiver for the sender; None: determined
    # first TCP port to use; None: the tool's default, or free ports if both ends are on this machine
    port: int | None = None
    repeats: int = 3  # number of runs
    file: str | None = None  # file for a disk test; None: a temporary file in the current folder of that end
    limit_s: float | None = None  # time limit of a run; None: from its duration [s]
    # whether to capture the ends, and to measure unknown properties
    inventory: bool = True
    probe: bool = True


@dataclass(frozen=True)
class Folder:
    """The folder of a measurement."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        """Write a file in the folder."""
        whole.write(self.folder / name, text)

    @property
    def logs(self) -> Path:
        """Folder of the logs."""
        return self.folder / "logs"

    def log(self, name: str, ending: str) -> Path:
        """Path of a log."""
        return self.logs / f"{name}.{ending}"


def limit_of(scenario: Scenario) -> float:
    """Return the default time limit of a run: its duration and a margin; minutes for a fixed amount [s]."""
    if scenario.tool.bytes is not None:
        return AMOUNT_LIMIT_S
    duration = tool_commands.DURATION_S if scenario.tool.duration is None else scenario.tool.duration.value
    return duration + SPARE_S


def ends_of(request: Request, *, is_networked: bool) -> tool_commands.Ends:
    """Return address, port and file of a measurement, with defaults for those not given."""
    address = "127.0.0.1"
    if is_networked:
        address = request.address or path.address_of(request.receiver, request.sender)
        if address.startswith("-"):
            raise InputError(f"address {address!r}", "an address or a name")
    port = request.port
    if port is None and request.sender.is_here and request.receiver.is_here:
        taken = request.receiver.ports() if is_networked else set()
        port = secrets.choice([number for number in _PORTS if not taken & {number, number + 1}])
    file = request.file or f"hecn-measure-{secrets.token_hex(3)}.dat"
    place = request.sender
    is_there = request.file is not None and place.run(["test", "-e", request.file]).ok
    return tool_commands.Ends(address, port, file, is_there)


def commands(request: Request, plan: tool_commands.Plan, limit_s: float) -> Iterator[str]:
    """The exact commands of a measurement, in the form for a shell."""
    at = request.sender if plan.at == "sender" else request.receiver
    times = f"   # {request.repeats} times"
    if plan.prepare is not None:
        yield tool_commands.shown(at.argv(plan.prepare, limit_s=limit_s)) + "   # once"
    if plan.server is not None:
        yield tool_commands.shown(_server_argv(request, plan, limit_s)) + times
    yield tool_commands.shown(at.argv(plan.client, limit_s=limit_s)) + times
    if plan.file is not None:
        yield tool_commands.shown(at.argv(removal(plan.file))) + "   # once"


def _server_argv(request: Request, plan: tool_commands.Plan, limit_s: float) -> list[str]:
    return request.receiver.argv(plan.server or (), limit_s=limit_s + _SERVER_S, stays=True)


def removal(file: str) -> tuple[str, ...]:
    """Command that removes a file."""
    return ("rm", "-f", "--", file)


@contextlib.contextmanager
def left_tidy(request: Request, plan: tool_commands.Plan, limit_s: float) -> Iterator[None]:
    """Create the file that a test reads, and remove the test's files at the end."""
    at = request.sender if plan.at == "sender" else request.receiver
    if plan.file is not None and at.run(["test", "-e", plan.file, "-o", "-h", plan.file]).ok:
        raise InputError("an existing file", "a new one, which the test writes and removes", source=plan.file)
    try:
        if plan.prepare is not None:
            ended = at.run(plan.prepare, limit_s=limit_s)
            if not ended.ok:
                raise MeasurementError(f"{at}: {plan.program}: {ended.complaint or ended.how}")
        yield
    finally:
        if plan.file is not None:
            at.run(removal(plan.file))


def run_once(
    request: Request,
    plan: tool_commands.Plan,
    limit_s: float,
    log: Path,
    meanwhile: Callable[[], None] = lambda: None,
) -> str:
    """Start the server, if any, run the client and store their output; return an error, or an empty text."""
    at = request.sender if plan.at == "sender" else request.receiver
    with contextlib.ExitStack() as stack:
        server = None
        if plan.server is not None and plan.port is not None:
            server = stack.enter_context(programs.Program(_server_argv(request, plan, limit_s)))
            if not _ready(request.receiver, plan.port, server):
                output = server.printed()
                reason = output.complaint or f"does not listen on port {plan.port}"
                return f"the server at {request.receiver} did not start: {reason}"
        client = stack.enter_context(programs.Program(at.argv(plan.client, limit_s=limit_s)))
        meanwhile()
        ended = client.wait(limit_s)
        whole.write(log, ended.stdout + ended.stderr)
        if server is not None:
            printed = server.printed()
            whole.write(log.with_name(f"{log.stem}-server.txt"), printed.stdout + printed.stderr)
    complaint = _complaint(ended)
    return f"{plan.program} at {at}: {complaint}" if complaint else ""


def _complaint(ended: programs.Ended) -> str:
    """Error message of a tool, empty if it succeeded; iperf3 reports errors in its JSON, sometimes with status 0."""
    with contextlib.suppress(ValueError):
        document = json.loads(ended.stdout)
        if isinstance(document, dict) and document.get("error"):
            return str(document["error"])
    if ended.how.startswith("time limit"):
        return f"did not end within its {ended.how}"
    return "" if ended.ok else ended.complaint or ended.how


def _ready(place: Place, port: int, server: programs.Program) -> bool:
    """Wait until the server listens; False if it ended or took too long."""
    until = time.monotonic() + _SERVER_S
    while server.runs and time.monotonic() < until:
        if place.listens(port):
            return True
        time.sleep(_LOOK_S)
    return False


def figures_of(log: Path) -> dict[str, Any] | None:
    """Figures of the first run with a rate in a log, or None."""
    for row in read(log).runs.to_dict("records"):
        figures = {name: None if pd.isna(row[name]) else row[name] for name in _FIGURES}
        rate = run_rate(row)
        if not math.isnan(rate):
            return figures | {"throughput_bps": rate}
    return None
