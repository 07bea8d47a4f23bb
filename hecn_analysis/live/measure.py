"""Predicts a transfer, then runs it, and says how the two agree.

1. The inventory of both ends is captured, the path is looked at (`path`), what nobody knows is probed (`hosts`).
2. The scenario and its prediction are written before the first run.
3. The tool runs (`tools`); its output is kept as it is and read by `hecn_analysis.read`.
4. Each run is inside, below or above the interval; below, what was busy is named.

Servers and files of a measurement are gone when it ends, however it ends.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import shutil
import statistics
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import yaml

import hecn_analysis as hecn
from hecn_analysis import units
from hecn_analysis.errors import HecnError, InputError
from hecn_analysis.hardware import Scenario
from hecn_analysis.live import capture, hosts, path, programs, script, tools
from hecn_analysis.live.places import Place
from hecn_analysis.progress import track

if TYPE_CHECKING:
    from hecn_analysis.prediction import Prediction

THIS: Final = "this"
INSIDE: Final = "inside"
BELOW: Final = "below"
ABOVE: Final = "above"
FAILED: Final = "failed"

#: Busier than this, a core, a process or a line counts as what holds a run back.
_BUSY: Final = 0.9
_SPARE_S: Final = 20.0
_AMOUNT_LIMIT_S: Final = 300.0
_SERVER_S: Final = 10.0
_LOOK_S: Final = 0.1
_PORTS: Final = range(20_000, 30_000)
_CAPTURE_S: Final = 300.0
_ROLES: Final = ("sender", "receiver")


class MeasurementError(HecnError):
    """A measurement that could not be made: the tool failed, its server did not start, nothing was measured."""


@dataclass(frozen=True)
class Request:
    """What is to be measured, where.

    Attributes
    ----------
    scenario
        File or name of a scenario; None: the keys alone.
    keys
        Keys set over it. A sender or receiver that is ``this`` or is not named is the host at that end as it is found.
    sender, receiver
        Where the ends are.
    address
        Where the sender finds the receiver; None: found out.
    port
        First port of TCP to use; None: the tool's own, or free ones where both ends are on this machine.
    repeats
        How many runs.
    file
        File for a test of a disk; None: one in the current folder of that end, removed at the end.
    limit_s
        Time that a run may take; None: by its duration. [s]
    inventory, probe
        Whether to capture the ends, and to measure what is not known of them.
    """

    scenario: str | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    sender: Place = field(default_factory=Place)
    receiver: Place = field(default_factory=Place)
    address: str | None = None
    port: int | None = None
    repeats: int = 3
    file: str | None = None
    limit_s: float | None = None
    inventory: bool = True
    probe: bool = True


@dataclass(frozen=True)
class Run:
    """A run and how it compares.

    Attributes
    ----------
    run
        Its number, from 1.
    verdict
        ``inside``, ``below`` or ``above`` the interval, or ``failed``.
    measured_bps, duration_s
        What the tool says. [bit/s], [s]
    cpu_sender_fraction, cpu_receiver_fraction
        Shares of a core that its processes used, as it says. [1]
    busiest_sender_fraction, busiest_receiver_fraction
        Load of the busiest core of each end during the run. [1]
    retransmits
        Segments sent again.
    busy
        What looks busy where the run is below the interval.
    error
        Why there is no result.
    """

    run: int
    verdict: str
    measured_bps: float | None = None
    duration_s: float | None = None
    cpu_sender_fraction: float | None = None
    cpu_receiver_fraction: float | None = None
    busiest_sender_fraction: float | None = None
    busiest_receiver_fraction: float | None = None
    retransmits: int | None = None
    busy: str = ""
    error: str = ""


@dataclass(frozen=True)
class Measured:
    """A finished measurement.

    Attributes
    ----------
    folder
        Where everything is.
    prediction
        What was predicted before.
    runs
        What was measured.
    """

    folder: Path
    prediction: Prediction
    runs: tuple[Run, ...]

    @property
    def throughput_bps(self) -> float | None:
        """Median of the runs [bit/s]."""
        rates = [run.measured_bps for run in self.runs if run.measured_bps is not None]
        return statistics.median(rates) if rates else None

    @property
    def verdict(self) -> str:
        """How the median compares."""
        return verdict(self.prediction, self.throughput_bps)

    def __str__(self) -> str:
        """Say it as an engineer would."""
        rate = units.format_rate
        if self.throughput_bps is None:
            return "No run gave a result."
        done = [run for run in self.runs if run.measured_bps is not None]
        of = "in one run" if len(done) == 1 else f"the median of {len(done)} runs"
        text = f"Measured {rate(self.throughput_bps)}, {of}; "
        if not self.prediction.ladder:
            return text + "nothing that is known of the hosts and the path sets a limit to compare with."
        inside = sum(run.verdict == INSIDE for run in done)
        text += (
            f"predicted {rate(self.prediction.throughput_bps)}, between {rate(self.prediction.low_bps)} and "
            f"{rate(self.prediction.high_bps)}: {self.verdict}"
        )
        text += "." if len(done) == 1 else f" ({inside} of {len(done)} runs are inside)."
        busy = next((run.busy for run in done if run.busy), "")
        if self.verdict == BELOW:
            text += f" {busy[:1].upper()}{busy[1:]}." if busy else " Nothing that was looked at was busy."
        if self.verdict == ABOVE:
            text += f" The limit that was predicted, {self.prediction.ladder[0].title}, is not there or is set too low."
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "folder": str(self.folder),
            "sentence": str(self),
            "verdict": self.verdict,
            "throughput_bps": self.throughput_bps,
            "predicted_bps": self.prediction.throughput_bps,
            "low_bps": self.prediction.low_bps,
            "high_bps": self.prediction.high_bps,
            "bottleneck": self.prediction.bottleneck,
            "runs": [asdict(run) for run in self.runs],
        }


def verdict(prediction: Prediction, measured_bps: float | None) -> str:
    """Whether a measured rate is inside, below or above the interval.

    Parameters
    ----------
    prediction
        What was predicted.
    measured_bps
        What was measured; None: the run failed. [bit/s]
    """
    if measured_bps is None:
        return FAILED
    return BELOW if measured_bps < prediction.low_bps else ABOVE if measured_bps > prediction.high_bps else INSIDE


# a measurement -------------------------------------------------------------------------------------------------------


def measure(request: Request, folder: Path, *, progress: bool = False) -> Measured:
    """Predict and measure.

    Parameters
    ----------
    request
        What, where and how often.
    folder
        New folder for all that is found out.
    progress
        Show a bar on the standard error when it is a terminal.

    Raises
    ------
    InputError
        The scenario cannot be, or is not one that can be run; an end cannot be reached.
    MissingProgramError
        A program is not there.
    MeasurementError
        Nothing could be measured.
    """
    capture.check(folder)
    draft = _draft(request)
    ends = _ends(request, is_networked=draft.scenario.tool.protocol != "file")
    plan = tools.plan(draft.scenario, ends, draft.keys)
    for place in dict.fromkeys(_places(request, plan)):
        place.require(plan.program)
    folder.mkdir(exist_ok=True)
    (folder / "logs").mkdir()
    here = _Folder(folder)
    scenario = _Finder(request, draft, ends, here).scenario()
    here.write("scenario.yaml", _as_yaml(scenario))
    prediction = hecn.predict(scenario)
    here.write("prediction.json", prediction.to_json() + "\n")
    here.write(
        "commands.txt", "".join(f"{line}\n" for line in commands(request, plan, request.limit_s or _limit(scenario)))
    )
    runs: list[Run] = []
    with _left_tidy(request, plan, request.limit_s or _limit(scenario)):
        numbers = range(1, request.repeats + 1)
        for number in track(numbers, "measuring") if progress else numbers:
            runs.append(_run(number, request, plan, prediction, here))
            _write_runs(here, runs)
    measured = Measured(folder, prediction, tuple(runs))
    here.write("comparison.json", json.dumps(measured.to_dict(), indent=2, ensure_ascii=False) + "\n")
    if measured.throughput_bps is None:
        raise MeasurementError(f"nothing was measured: {runs[0].error} (logs are in {folder})")
    return measured


def commands(request: Request, plan: tools.Plan, limit_s: float) -> Iterator[str]:
    """The exact commands of a measurement, as they could be typed.

    Parameters
    ----------
    request
        Where.
    plan
        What.
    limit_s
        Time that a run may take. [s]
    """
    at = request.sender if plan.at == "sender" else request.receiver
    times = f"   # {request.repeats} times"
    if plan.prepare is not None:
        yield tools.shown(at.argv(plan.prepare, limit_s=limit_s)) + "   # once"
    if plan.server is not None:
        yield tools.shown(_server_argv(request, plan, limit_s)) + times
    yield tools.shown(at.argv(plan.client, limit_s=limit_s)) + times
    if plan.file is not None:
        yield tools.shown(at.argv(_removal(plan.file))) + "   # once"


def _server_argv(request: Request, plan: tools.Plan, limit_s: float) -> list[str]:
    return request.receiver.argv(plan.server or (), limit_s=limit_s + _SERVER_S, stays=True)


def _removal(file: str) -> tuple[str, ...]:
    return ("rm", "-f", "--", file)


def planned(request: Request) -> list[str]:
    """The commands that `measure` would run for the runs themselves, without running them.

    Parameters
    ----------
    request
        What, where and how often.
    """
    draft = _draft(request)
    is_networked = draft.scenario.tool.protocol != "file"
    ends = _ends(request, is_networked=is_networked)
    ping = [tools.shown(request.sender.argv(path.ping(ends.address)))] if is_networked else []
    plan = tools.plan(draft.scenario, ends, draft.keys)
    return [*ping, *commands(request, plan, request.limit_s or _limit(draft.scenario))]


# the scenario --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Draft:
    """A scenario whose hosts and path are still to be found: enough to know the commands.

    Attributes
    ----------
    scenario
        It has hosts without limits where the real ones are not known.
    keys
        What was given, and what a run does where nothing is.
    this
        The ends that are the hosts as they are found.
    """

    scenario: Scenario
    keys: Mapping[str, Any]
    this: frozenset[str]


def _draft(request: Request) -> _Draft:
    keys = dict(request.keys)
    if request.scenario is not None:
        ideal = {role: "ideal" for role in _ROLES if keys.get(role) == THIS}
        keys = {**hecn.load_scenario(request.scenario, {**keys, **ideal}).keys, **keys}
    this = frozenset(role for role in _ROLES if keys.get(role, THIS) == THIS)
    keys = {key: value for key, value in keys.items() if key not in this}
    if "tool" not in keys:
        raise InputError("no tool", f"one of {', '.join(tools.names())}")
    keys |= tools.settings(str(keys["tool"]), keys)
    draft = hecn.load_scenario({**dict.fromkeys(this, "ideal"), "path.ip": 4, **keys})
    return _Draft(draft, keys, this)


def _ends(request: Request, *, is_networked: bool) -> tools.Ends:
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
    return tools.Ends(address, port, file, is_there)


def _places(request: Request, plan: tools.Plan) -> Iterable[Place]:
    yield request.sender if plan.at == "sender" else request.receiver
    if plan.server is not None:
        yield request.receiver


def _limit(scenario: Scenario) -> float:
    if scenario.tool.bytes is not None:
        return _AMOUNT_LIMIT_S
    duration = tools.DURATION_S if scenario.tool.duration is None else scenario.tool.duration.value
    return duration + _SPARE_S


class _Finder:
    """Finds out what a scenario leaves open.

    Parameters
    ----------
    request
        What, where and how often.
    draft
        The scenario so far.
    ends
        Addresses, ports and files.
    here
        The folder for all that is found.
    """

    def __init__(self, request: Request, draft: _Draft, ends: tools.Ends, here: _Folder) -> None:
        self.request = request
        self.draft = draft
        self.tool = draft.scenario.tool
        self.ends = ends
        self.here = here
        self._inventories: dict[Place, dict[str, Any]] = {}
        self._processors: dict[Place, tuple[dict[str, Any], hosts.Shares]] = {}

    def scenario(self) -> Scenario:
        """The scenario with all that can be found out about the ends and the path; what was given goes above."""
        found: dict[str, Any] = {}
        for role, end in zip(_ROLES, (self.tool.source_end, self.tool.sink_end), strict=True):
            if end != "none":
                found |= self._host(role, on_disk=end == "disk")
        if self.tool.protocol != "file" and "path" not in self.draft.keys:
            found |= self._path()
        return hecn.load_scenario({**found, **self.draft.keys})

    def _host(self, role: str, *, on_disk: bool) -> dict[str, Any]:
        """Keys for the host at one end; none where it was named."""
        place = self.request.sender if role == "sender" else self.request.receiver
        if place not in self._inventories:
            self._inventories[place] = _inventory(place, role, self.here) if self.request.inventory else {}
        if role not in self.draft.this:
            return {}
        host = {"name": "this host", **self._inventories[place], **hosts.settings_of_kernel(place)}
        if self.request.probe:
            if self.tool.protocol != "file" and (self._on_one_machine or "cpu" not in host):
                cpu, shares = self._processor(place)
                host = hosts.with_processor(host, cpu)
                if (share := shares[_ROLES.index(role)]) is not None:
                    host["cpu_quota"] = share
            if on_disk and not self._says_disk(role):
                key, rate = self._disk(place, reads=role == "sender")
                host[key] = rate
        return {f"{role}.{key}": value for key, value in host.items()}

    @property
    def _on_one_machine(self) -> bool:
        """Whether the ends share a processor: then a byte costs it here what it costs over its loopback interface."""
        sender, receiver = self.request.sender, self.request.receiver
        return sender == receiver or (sender.is_here and receiver.is_here)

    def _says_disk(self, role: str) -> bool:
        """Whether the keys that were given say how fast an end's disk is."""
        said = (f"{role}.read_rate", f"{role}.write_rate", f"{role}.arrays")
        return any(key.startswith(said) for key in self.draft.keys)

    def _processor(self, place: Place) -> tuple[dict[str, Any], hosts.Shares]:
        """The processor of a place with what a byte costs it, and the shares of it that sender and receiver get.

        These are None where the cores are idle. A machine is asked once.
        """
        machine = Place() if place.is_here else place  # a namespace has a processor of this machine
        if machine not in self._processors:
            found = hosts.processor(machine)
            is_shared = len(hosts.busy_cores(machine)) > found["cores"] - len(_ROLES)
            runs = self._probe_loopback(machine)
            source = f"{len(runs)} runs of {self.tool.name} over the loopback interface, {hosts.PROBE_S:g} s each"
            measured = hosts.costs(runs, float(found["clock"]["value"]), source)
            shares = hosts.shares(runs, source) if is_shared else (None, None)
            self._processors[machine] = ({"send_cost": 0, "receive_cost": 0, **found, **measured}, shares)
        return self._processors[machine]

    def _disk(self, place: Place, *, reads: bool) -> tuple[str, dict[str, Any]]:
        runs = self._probe_disk(place, reads=reads)
        source = f"{len(runs)} runs of dd, {self.tool.io}, {hosts.PROBE_BYTES >> 20} MiB each"
        return ("read_rate" if reads else "write_rate"), hosts.rate(runs, source)

    def _probe_loopback(self, machine: Place) -> list[hosts.Probed]:
        """Short runs of the tool over a machine's own loopback interface."""
        request = Request(sender=machine, receiver=machine)
        scenario = hecn.load_scenario(
            {
                "sender": "ideal",
                "receiver": "ideal",
                "path.ip": 4,
                "tool": self.tool.name,
                "tool.duration": hosts.PROBE_S,
            }
        )
        plan = tools.plan(scenario, _ends(request, is_networked=True), {})
        found: list[hosts.Probed] = []
        error = ""
        for number in range(1, hosts.PROBES + 1):
            log = self.here.log(f"probe-loopback-{machine.kind}-{number}", plan.log)
            error = _one(request, plan, hosts.PROBE_S + _SPARE_S, log)
            if not error and (result := _read(log)) is not None:
                found.append((result["throughput_bps"], result["cpu_sender_fraction"], result["cpu_receiver_fraction"]))
        if not found:
            raise MeasurementError(error or f"{plan.program} at {machine}: no result over the loopback interface")
        return found

    def _probe_disk(self, place: Place, *, reads: bool) -> list[hosts.Probed]:
        """Short runs of dd on the file system of the test."""
        name = f"{self.ends.file}.probe"
        blocks = (f"bs={tools.BLOCK}", f"count={hosts.PROBE_BYTES // tools.BLOCK}")
        write = ("dd", "if=/dev/zero", f"of={name}", *blocks)
        read = ("dd", f"if={name}", "of=/dev/null", *blocks)
        how = ("iflag=direct", "oflag=direct") if self.tool.io == "direct" else (None, "conv=fdatasync")
        words = [word for word in ((*read, how[0]) if reads else (*write, how[1])) if word is not None]
        found: list[hosts.Probed] = []
        try:
            ended = place.run([*write, "conv=fsync"], limit_s=_AMOUNT_LIMIT_S)
            for number in range(1, hosts.PROBES + 1) if ended.ok else ():
                ended = place.run(words, limit_s=_AMOUNT_LIMIT_S)
                log = self.here.log(f"probe-disk-{number}", "txt")
                log.write_bytes(ended.stdout + ended.stderr)
                if ended.ok and (result := _read(log)) is not None:
                    found.append((result["throughput_bps"], None, None))
        finally:
            place.run(_removal(name))
        if not found:
            raise MeasurementError(f"dd at {place}: {ended.complaint or ended.how}")
        return found

    def _path(self) -> dict[str, Any]:
        """Keys for the path between the ends."""
        sender, receiver = self.request.sender, self.request.receiver
        rtt = None
        if "path.rtt" not in self.draft.keys:
            ended = sender.run(path.ping(self.ends.address))
            log = self.here.log("ping", "txt")
            log.write_bytes(ended.stdout + ended.stderr)
            rtt = path.round_trip(str(log))
        at_receiver = None if receiver == sender else path.device_with(receiver, self.ends.address)
        duration = float("inf")
        if self.tool.bytes is None:
            duration = tools.DURATION_S if self.tool.duration is None else self.tool.duration.value
        return path.keys(path.device(sender, self.ends.address), at_receiver, rtt, duration)


def _inventory(place: Place, role: str, here: _Folder) -> dict[str, Any]:
    """Capture a place and read it into a host, as far as it can be read."""
    target = here.folder / f"inventory-{role}"
    if place.is_here and place.kind == "local":
        capture.capture(target)
    else:
        ended = place.run(["sh", "-s", "--", "-"], limit_s=_CAPTURE_S, stdin=script.script().encode())
        target.mkdir()
        _unpack(ended.stdout, target)
    reader: Callable[..., Any] | None = getattr(hecn, "read_inventory", None)
    if reader is None:
        return {}
    found = reader(str(target)).hosts
    return hosts.described(found[0].host) if found else {}


def _as_yaml(scenario: Scenario) -> str:
    head = "# The scenario of a measurement, as it was predicted before it was run.\n"
    values = {"title": f"measured with {scenario.tool.name}", **_plain(scenario.keys)}
    return head + yaml.safe_dump(values, sort_keys=False)


def _plain(value: Any) -> Any:  # noqa: ANN401 - YAML
    if isinstance(value, Mapping):
        return {str(key): _plain(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(below) for below in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _unpack(packed: bytes, target: Path) -> None:
    """Put the files of an archive into a folder, as far as it is one: plain files alone, each by its bare name."""
    with contextlib.suppress(tarfile.TarError), tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.size <= programs.LARGEST:
                (target / PurePosixPath(member.name).name).write_bytes(content.read())


# runs ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Folder:
    """The folder of a measurement."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def log(self, name: str, ending: str) -> Path:
        return self.folder / "logs" / f"{name}.{ending}"


@contextlib.contextmanager
def _left_tidy(request: Request, plan: tools.Plan, limit_s: float) -> Iterator[None]:
    """Make the file that a test reads, and remove what it leaves."""
    at = request.sender if plan.at == "sender" else request.receiver
    if plan.file is not None and at.run(["test", "-e", plan.file]).ok:
        raise InputError("a file that is there", "a new one, which the test writes and removes", source=plan.file)
    try:
        if plan.prepare is not None:
            ended = at.run(plan.prepare, limit_s=limit_s)
            if not ended.ok:
                raise MeasurementError(f"{at}: {plan.program}: {ended.complaint or ended.how}")
        yield
    finally:
        if plan.file is not None:
            at.run(_removal(plan.file))


def _run(number: int, request: Request, plan: tools.Plan, prediction: Prediction, here: _Folder) -> Run:
    """One run, read and compared."""
    log = here.log(f"run-{number}", plan.log)
    limit_s = request.limit_s or _limit(prediction.scenario)
    places = (request.sender, request.receiver)
    before = [place.busy() for place in places]
    error = _one(request, plan, limit_s, log)
    after = [place.busy() for place in places]
    loads = [max(hosts.load(*both).values(), default=None) for both in zip(before, after, strict=True)]
    result = None if error else _read(log)
    if result is None:
        return Run(number, FAILED, error=error or f"{plan.program} printed no result")
    how = verdict(prediction, result["throughput_bps"])
    run = Run(
        number,
        how,
        result["throughput_bps"],
        result["duration_s"],
        result["cpu_sender_fraction"],
        result["cpu_receiver_fraction"],
        busiest_sender_fraction=loads[0],
        busiest_receiver_fraction=loads[1],
        retransmits=None if result["retransmits"] is None else int(result["retransmits"]),
    )
    return run if how != BELOW else replace(run, busy=_busy(run, prediction))


def _one(request: Request, plan: tools.Plan, limit_s: float, log: Path) -> str:
    """Start the server where there is one, run the client, keep what both print; give what went wrong."""
    at = request.sender if plan.at == "sender" else request.receiver
    with contextlib.ExitStack() as stack:
        server = None
        if plan.server is not None and plan.port is not None:
            server = stack.enter_context(programs.Program(_server_argv(request, plan, limit_s)))
            if not _ready(request.receiver, plan.port, server):
                said = server.printed()
                why = said.complaint or f"does not wait at port {plan.port}"
                return f"the server at {request.receiver} did not start: {why}"
        ended = programs.run(at.argv(plan.client, limit_s=limit_s), limit_s=limit_s)
        log.write_bytes(ended.stdout + ended.stderr)
        if server is not None:
            log.with_name(f"{log.stem}-server.txt").write_bytes(server.printed().stdout + server.printed().stderr)
    complaint = _complaint(ended)
    return f"{plan.program} at {at}: {complaint}" if complaint else ""


def _complaint(ended: programs.Ended) -> str:
    """What a tool says went wrong, nothing where all is well; iperf3 says it in its JSON, at times with status 0."""
    with contextlib.suppress(ValueError):
        found = json.loads(ended.stdout)
        if isinstance(found, dict) and found.get("error"):
            return str(found["error"])
    if ended.how.startswith("time limit"):
        return f"did not end within its {ended.how}"
    return "" if ended.ok else ended.complaint or ended.how


def _ready(place: Place, port: int, server: programs.Program) -> bool:
    """Wait until the server waits for connections."""
    until = time.monotonic() + _SERVER_S
    while server.runs and time.monotonic() < until:
        if place.listens(port):
            return True
        time.sleep(_LOOK_S)
    return False


_FIGURES: Final = ("throughput_bps", "duration_s", "cpu_sender_fraction", "cpu_receiver_fraction", "retransmits")


def _read(log: Path) -> dict[str, Any] | None:
    """The figures of the run in a log; None where it has none."""
    for row in hecn.read(log).runs.to_dict("records"):
        figures = {name: None if pd.isna(row[name]) else row[name] for name in _FIGURES}
        if figures["throughput_bps"] is None and not pd.isna(row["sender_throughput_bps"]):
            figures["throughput_bps"] = row["sender_throughput_bps"]
        if figures["throughput_bps"] is not None:
            return figures
    return None


def _busy(run: Run, prediction: Prediction) -> str:
    """What looks like holding a run back that is below its interval."""
    found = []
    for role in ("sender", "receiver"):
        share = getattr(run, f"cpu_{role}_fraction")
        core = getattr(run, f"busiest_{role}_fraction")
        if share is not None and share > _BUSY:
            found.append(f"the tool used {units.format_fraction(share)} of a core at the {role}")
        elif core is not None and core > _BUSY:
            found.append(f"a core of the {role} was {units.format_fraction(core)} busy")
    if run.retransmits:
        found.append(f"{run.retransmits} segments were sent again")
    if run.measured_bps is not None and prediction.throughput_bps > 0:
        part = run.measured_bps / prediction.throughput_bps
        shares = {name: share * part for name, share in prediction.utilisation.items()}
        found += [
            f"{name} would be {units.format_fraction(share)} busy" for name, share in shares.items() if share > _BUSY
        ]
    return ", ".join(found)


def _write_runs(here: _Folder, runs: Sequence[Run]) -> None:
    pd.DataFrame([asdict(run) for run in runs]).to_csv(here.folder / "runs.csv", index=False)


def remove(folder: Path) -> None:
    """Remove the folder of a measurement that came to nothing before its first run."""
    if folder.is_dir() and not any((folder / "logs").glob("run-*")):
        shutil.rmtree(folder)
