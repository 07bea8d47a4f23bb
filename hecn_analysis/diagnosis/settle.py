"""Answers the questions of a diagnosis: runs their commands if possible, and judges again.

Only commands of ``models/questions.yaml`` run; no word of them comes from the files of the folder. They only read.
Those that need a transfer run beside one of the same tool, if allowed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hecn_analysis.base.errors import InputError, MissingProgramError
from hecn_analysis.diagnosis.kinds import FASTER
from hecn_analysis.diagnosis.known import words
from hecn_analysis.diagnosis.questions import End, Step, entries
from hecn_analysis.diagnosis.result import Diagnosis
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.live import capture, path
from hecn_analysis.live.asking import TRANSFER_S, Task, Transfer, ask
from hecn_analysis.live.finder import draft_of
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import Request, ends_of
from hecn_analysis.prediction import tool_commands

_TOOLS: Final = ("iperf3", "nuttcp")
_OF_END: Final = {"sender": "--from", "receiver": "--to"}
_LOOPBACK: Final = "127.0.0.1"
_NO_ADDRESS: Final = "the receiver's address is not known: --address"


@dataclass(frozen=True)
class Where:
    """Reachable ends, and what may run there.

    ``address`` is that of the receiver for the sender, by default found at the receiver; ``port`` the first TCP port of
    a transfer, by default the tool's own or free ones. ``load``: a transfer may run. ``limit_s`` is the time limit of a
    command, by default its own [s].
    """

    sender: Place | None = None
    receiver: Place | None = None
    address: str | None = None
    port: int | None = None
    load: bool = False
    limit_s: float | None = None


@dataclass(frozen=True)
class ByHand:
    """A command for a person to run, what it shows, and why it was not run."""

    what: str
    command: str
    why: str


@dataclass(frozen=True)
class Plan:
    """Commands to run, and those for a person."""

    tasks: tuple[Task, ...]
    transfer: Transfer | None
    by_hand: tuple[ByHand, ...]

    @property
    def lines(self) -> list[str]:
        """The exact commands, as for a shell."""
        beside = () if self.transfer is None else self.transfer.beside
        client = [] if self.transfer is None else [self.transfer.line]
        return [*(task.line for task in self.tasks), *client, *(f"{task.line}   # meanwhile" for task in beside)]


@dataclass(frozen=True)
class Settled:
    """A diagnosis before and after its questions were answered.

    ``folder`` has the outputs, None if nothing ran. ``before`` is the verdict on the kind with most runs; ``after`` is
    that on the repeated transfer if it is as slow, else that on the same kind with the new outputs. ``ran`` is the
    index of the outputs, ``by_hand`` is left to a person.
    """

    folder: Path | None
    before: Diagnosis
    after: Diagnosis
    ran: tuple[capture.Row, ...]
    by_hand: tuple[ByHand, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything with the keys of the JSON output."""
        return {
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "ran": [{"command": row.command, "file": row.file or None, "status": row.ended} for row in self.ran],
            "by_hand": [asdict(step) for step in self.by_hand],
        }


def settle(folder: Path, target: Path, where: Where, told: Callable[[str], None], *, progress: bool = False) -> Settled:
    """Diagnose a folder, answer its open questions, and diagnose both together.

    Parameters
    ----------
    folder, target
        The folder to diagnose, and the new folder for the outputs.
    where, told
        The reachable ends, and a function that gets each command line before it runs.
    progress
        Whether to show a progress bar.

    Returns
    -------
    Settled
        Both verdicts, the commands that ran, and the remaining ones.

    Raises
    ------
    InputError
        An end cannot be reached, or the new folder cannot be made.
    """
    before = diagnosed(folder, progress=progress)
    planned = plan(before, where)
    if not planned.lines:
        return Settled(None, before, before, (), planned.by_hand)
    capture.check(target)
    rows = ask(planned.tasks, planned.transfer, target, told)
    within = target.resolve().is_relative_to(folder.resolve())
    new = read_folder(folder, beside=() if within else (target,), progress=progress)
    repeat = "" if planned.transfer is None else f"{target.name}/{planned.transfer.file}"
    after = max(of_folder(new), key=lambda verdict: _kinship(verdict, before, repeat))
    return Settled(target, before, after, rows, (*planned.by_hand, *_failed(rows)))


def _of_one_host(where: Where) -> Where:
    """Use the only reachable place for both ends, for runs within one host."""
    sender, receiver = where.sender or where.receiver, where.receiver or where.sender
    return replace(where, sender=sender, receiver=receiver, address=where.address or _LOOPBACK)


def _kinship(verdict: Diagnosis, before: Diagnosis, repeat: str) -> tuple[bool, int]:
    """Whether a verdict is on the repeated transfer, if it is as slow, and how many files both verdicts share.

    The outputs describe the repeated transfer.
    """
    names, was_bps = verdict.kind.files, before.measured_bps
    is_repeat = any(bool(repeat) and name.endswith(repeat) for name in names)
    is_as_slow = verdict.measured_bps is not None and (was_bps is None or verdict.measured_bps < FASTER * was_bps)
    return is_repeat and is_as_slow, len({*names} & {*before.kind.files})


def diagnosed(folder: Path, *, progress: bool = False) -> Diagnosis:
    """Give the verdict on the kind with most runs of a folder, or on what it shows without a run."""
    return of_folder(read_folder(folder, progress=progress))[0]


def plan(verdict: Diagnosis, where: Where, *, look: bool = True) -> Plan:
    """Divide the questions of a verdict into those that can be answered here and others; `look` inspects the ends."""
    ends = _Ends(_of_one_host(where) if verdict.kind.is_loopback else where, look)
    request = ends.request(verdict)
    idle: dict[str, Task] = {}
    beside: dict[str, Task] = {}
    by_hand: list[ByHand] = []
    is_loaded = False
    for question in verdict.questions:
        entry = entries()[question.name]
        if entry.load and isinstance(request, str):
            by_hand.append(ByHand(question.what, question.command, request))
            continue
        if not entry.run and not entry.load:
            by_hand.append(ByHand(question.what, question.command, "it needs a person who knows the hosts"))
        is_loaded = is_loaded or entry.load
        for step, end in entry.steps:
            task = ends.task(step, end)
            if isinstance(task, Task):
                (beside if entry.load else idle).setdefault(task.file, task)
            else:
                by_hand.append(ByHand(question.what, f"{ends.shown(step)} on the {end}", task))
    transfer = None
    if is_loaded and isinstance(request, Request):
        transfer = _transfer(request, tuple(beside.values()))
    return Plan(tuple(idle.values()), transfer, tuple(by_hand))


def _failed(rows: Sequence[capture.Row]) -> Iterator[ByHand]:
    """Commands that printed nothing: a person can see why, and may have more rights."""
    for row in rows:
        if not row.file:
            yield ByHand("what this command shows", row.command, f"{row.ended}: {row.note}" if row.note else row.ended)


def _keys(verdict: Diagnosis) -> dict[str, Any] | str:
    """Keys of a scenario that repeats the runs of a verdict, or why not; without a run, those of a plain TCP test."""
    kind = verdict.kind
    if kind.runs.empty:
        return {"tool": kind.tool if kind.tool in _TOOLS else _TOOLS[0], "tool.duration": TRANSFER_S, "tool.streams": 1}
    first = kind.runs.iloc[0]
    rate, window = (first.get(name) for name in ("asked.rate_bps", "asked.window_bytes"))
    if kind.tool not in _TOOLS or kind.protocol != "tcp" or kind.direction not in ("", "send"):
        return f"only a TCP test of {' or '.join(_TOOLS)} from sender to receiver is repeated"
    if kind.say("asked.bytes"):
        return "a run of a fixed amount is not repeated: its duration is unknown"
    keys = {"tool": kind.tool, "tool.duration": TRANSFER_S, "tool.streams": max(kind.streams, 1)}
    if not pd.isna(window):
        keys["tool.window"] = float(window)
    if not pd.isna(rate):
        keys["tool.pace"] = float(rate) / max(kind.streams, 1)
    return keys


def _transfer(request: Request, beside: tuple[Task, ...]) -> Transfer:
    """The transfer of a request, with the commands that run beside it."""
    draft = draft_of(request)
    planned = tool_commands.plan(draft.scenario, ends_of(request, is_networked=True), draft.keys)
    return Transfer(request, planned, f"{planned.program}-client.{planned.log}", beside)


class _Ends:
    """The ends, with facts about them found on demand."""

    def __init__(self, where: Where, look: bool) -> None:
        self.where = where
        self.look = look
        self._programs: dict[tuple[str, str], str] = {}
        for end in ("sender", "receiver"):
            place = self._place(end)
            if look and place is not None:
                place.require("cat")  # it can be reached

    def _place(self, end: str) -> Place | None:
        return self.where.sender if end == "sender" else self.where.receiver

    @cached_property
    def _address(self) -> str | None:
        """Address of the receiver for the sender."""
        where = self.where
        if where.address is not None and where.address.startswith("-"):
            raise InputError(f"address {where.address!r}", "an address or a name")
        if where.address is not None or where.receiver is None:
            return where.address
        try:
            return path.address_of(where.receiver, where.sender or Place())
        except InputError:
            return None

    @cached_property
    def _interfaces(self) -> dict[str, str]:
        """The interfaces of the traffic."""
        names = {}
        if self._address is not None and self.look:
            for end, of in (("sender", path.device), ("receiver", self._device_with)):
                place = self._place(end)
                device = None if place is None else of(place, self._address)
                if device is not None:
                    names[end] = device.name
        return names

    def _device_with(self, place: Place, address: str) -> path.Device | None:
        return path.device_with(place, path.resolved(self.where.sender or place, address) or address)

    def request(self, verdict: Diagnosis) -> Request | str:
        """A transfer like those of a verdict, or why it cannot run."""
        where = self.where
        if not where.load:
            return "it needs a transfer to run beside: --load"
        if where.sender is None or where.receiver is None:
            return "a transfer needs both ends: --from and --to"
        if self._address is None:
            return _NO_ADDRESS
        keys = _keys(verdict)
        if isinstance(keys, str):
            return keys
        ends = where.sender, where.receiver
        if verdict.kind.runs.empty and self._without(keys["tool"]):  # then any of the tools will do
            keys["tool"] = next((tool for tool in _TOOLS if not self._without(tool)), keys["tool"])
        if missing := self._without(keys["tool"]):
            return missing
        return Request(None, keys, *ends, self._address, where.port, repeats=1, limit_s=where.limit_s)

    def shown(self, step: Step) -> str:
        """A command for people, with general words for unknown names."""
        return shlex.join(self._filled(step, "IFACE"))

    def _filled(self, step: Step, interface: str) -> tuple[str, ...]:
        known = {**words(None), "interface": interface, "destination": self._address or "HOST"}
        return tuple(word.format(**known) for word in step.argv)

    def task(self, step: Step, end: End) -> Task | str:
        """A command at an end, or why it cannot be run there."""
        place = self._place(end)
        if place is None:
            return f"the {end} is not named: {_OF_END[end]} PLACE"
        if "{destination}" in step.argv and self._address is None:
            return _NO_ADDRESS
        interface = self._interfaces.get(end, "" if self.look else "IFACE")
        if "{interface}" in step.argv and not interface:
            return f"the interface of the {end} is not known: --address, as the sender reaches the receiver"
        if missing := self._missing(end, place, step.argv[0]):
            return missing
        limit_s = self.where.limit_s or step.limit_s
        return Task(place, self._filled(step, interface), f"{step.file}-{end}.txt", step.times, limit_s)

    def _without(self, tool: str) -> str:
        """Why a tool does not run at both ends."""
        places = (("sender", self.where.sender), ("receiver", self.where.receiver))
        told = (self._missing(end, place, tool) for end, place in places if place is not None)
        return next((name for name in told if name), "")

    def _missing(self, end: str, place: Place, program: str) -> str:
        """Explain why a program cannot run at an end, which is checked once."""
        if not self.look:
            return ""
        if (end, program) not in self._programs:
            try:
                place.require(program)
                self._programs[end, program] = ""
            except MissingProgramError as error:
                self._programs[end, program] = str(error)
        return self._programs[end, program]
