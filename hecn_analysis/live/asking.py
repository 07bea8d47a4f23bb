"""Runs single commands at places and keeps what each prints in a folder, as a capture does; some during a transfer."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hecn_analysis.files import whole
from hecn_analysis.live import capture, programs
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import SPARE_S, Request, run_once
from hecn_analysis.prediction import tool_commands

TRANSFER_S: Final = 15.0
"""Length of the transfer that commands run beside. [s]"""
_START_S: Final = 2.0
_APART_S: Final = 2.0


@dataclass(frozen=True)
class Task:
    """A command at a place."""

    place: Place  # where it runs
    argv: tuple[str, ...]  # program and arguments
    file: str  # name of the file for its output
    times: int = 1  # how often it runs, two seconds apart
    limit_s: float = 40.0  # time that it may take each time [s]

    @property
    def line(self) -> str:
        """The command as it could be typed here."""
        return tool_commands.shown(self.place.argv(self.argv))


@dataclass(frozen=True)
class Transfer:
    """A transfer, and the commands that run beside it."""

    request: Request
    plan: tool_commands.Plan
    file: str
    beside: tuple[Task, ...]

    @property
    def line(self) -> str:
        """The command of the client as it could be typed here."""
        return tool_commands.shown(self.request.sender.argv(self.plan.client))


def ask(
    tasks: Sequence[Task], transfer: Transfer | None, folder: Path, told: Callable[[str], None]
) -> tuple[capture.Row, ...]:
    """Run commands one after another on an idle path, then the transfer with those beside it; return the index.

    The new folder has each output as soon as its command ends. `told` gets each command line before it runs.
    """
    rows: list[capture.Row] = []

    def keep(row: capture.Row, output: bytes = b"") -> None:
        if output:
            whole.write(folder / row.file, output)
        rows.append(row)
        whole.write(folder / capture.INDEX, capture.index(rows))

    whole.make_folder(folder)
    for task in tasks:
        told(task.line)
        with _Running(task) as running:
            keep(*running.result())
    if transfer is not None:
        told(transfer.line)
        for task in transfer.beside:
            told(f"{task.line}   # meanwhile")
        _transfer(transfer, folder, keep)
    return tuple(rows)


class _Running(contextlib.ExitStack):
    """A command with a number of repetitions; `result` waits for it."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        self._runs = [self._start()]
        self._next = time.monotonic() + _APART_S

    def _start(self) -> programs.Program:
        argv = self.task.place.argv(self.task.argv, limit_s=self.task.limit_s)
        return self.enter_context(programs.Program(argv))

    def result(self) -> tuple[capture.Row, bytes]:
        """The row of the index, and the output of all its runs."""
        task, line = self.task, shlex.join(self.task.argv)
        ended = [self._runs[0].wait(task.limit_s)]
        while len(ended) < task.times and ended[-1].ok:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next += _APART_S
            ended.append(self._start().wait(task.limit_s))
        printed = [end.stdout for end in ended if end.stdout.strip()]
        output = f"$ {line}\n".encode().join(printed)
        return capture.kept(task.file, line, ended[-1], output[: programs.LARGEST])


def _transfer(transfer: Transfer, folder: Path, keep: Callable[..., None]) -> None:
    """Run the transfer and, once it has started, the commands beside it."""
    request, plan = transfer.request, transfer.plan
    limit_s = request.limit_s or TRANSFER_S + SPARE_S
    start = time.monotonic()

    def meanwhile() -> None:
        time.sleep(_START_S if transfer.beside else 0.0)
        with contextlib.ExitStack() as stack:
            for running in [stack.enter_context(_Running(task)) for task in transfer.beside]:
                keep(*running.result())

    log = folder / transfer.file
    error = run_once(request, plan, limit_s, log, meanwhile)
    duration = round(time.monotonic() - start, 3)
    file = transfer.file if log.exists() else ""
    keep(capture.Row(file, shlex.join(plan.client), "failed" if error else "ok", duration, error))
