"""Determines what a scenario leaves open: the hosts at its ends, by inventory and probes, and the path between them."""

from __future__ import annotations

import contextlib
import io
import secrets
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from hecn_analysis.base.errors import InputError
from hecn_analysis.files import whole
from hecn_analysis.hardware import Scenario, load_scenario, yaml_file
from hecn_analysis.hardware.scenario import document_of, of_document
from hecn_analysis.inventory import read_inventory
from hecn_analysis.inventory.hosts import probes as costs
from hecn_analysis.live import capture, hosts, path, probes, programs, script
from hecn_analysis.live.places import Place
from hecn_analysis.live.runs import (
    ROLES,
    Folder,
    MeasurementError,
    Request,
)
from hecn_analysis.prediction import tool_commands

THIS: Final = "this"
_CAPTURE_S: Final = 300.0


@dataclass(frozen=True)
class Draft:
    """A scenario whose hosts and path are still undetermined; it suffices to plan the commands."""

    scenario: Scenario  # the scenario, with ideal hosts in place of undetermined ones
    keys: Mapping[str, Any]  # the given keys, with the run's defaults for missing ones
    this: frozenset[str]  # ends whose host is captured


def draft_of(request: Request) -> Draft:
    """The scenario as known before any host or path is examined."""
    keys = dict(request.keys)
    this = {role for role in ROLES if keys.get(role, THIS) == THIS}
    if request.scenario is not None:
        document, of_file = _with_ideal_ends(document_of(request.scenario))
        this &= of_file | {role for role in ROLES if role in keys}
        ideal = {role: "ideal" for role in ROLES if keys.get(role) == THIS}
        keys = {**of_document(document, {**keys, **ideal}).keys, **keys}
    keys = {key: value for key, value in keys.items() if key not in this}
    if "tool" not in keys:
        raise InputError("no tool", f"one of {', '.join(tool_commands.names())}")
    keys |= tool_commands.settings(str(keys["tool"]), keys)
    draft = load_scenario({**dict.fromkeys(this, "ideal"), "path.ip": 4, **keys})
    return Draft(draft, keys, frozenset(this))


def _with_ideal_ends(document: yaml_file.Document) -> tuple[yaml_file.Document, set[str]]:
    """Put ideal hosts at the ends that a scenario leaves open; return these ends as well."""
    values = dict(document.values)
    this = set()
    for role in ROLES:
        layers = [values, changes] if isinstance(changes := values.get("set"), dict) else [values]
        named = [name for layer in layers if (name := _name_of(layer.get(role)))]
        if named and named[-1] != THIS:
            continue
        this.add(role)
        values[role] = _ideal(values.get(role))
        if len(layers) > 1 and role in layers[1]:
            values["set"] = {**layers[1], role: _ideal(layers[1][role])}
    return document.with_values(values), this


def _name_of(end: object) -> object:
    """Name of a sender or receiver, given alone or with further keys."""
    return end.get("name") if isinstance(end, dict) else end


def _ideal(end: object) -> object:
    return {**end, "name": "ideal"} if isinstance(end, dict) else "ideal"


class Finder:
    """Determines what a scenario leaves open; `here` is the folder for all results."""

    def __init__(self, request: Request, draft: Draft, ends: tool_commands.Ends, here: Folder) -> None:
        self.request = request
        self.draft = draft
        self.tool = draft.scenario.tool
        self.ends = ends
        self.here = here
        self._inventories: dict[Place, dict[str, Any]] = {}
        self._processors: dict[Place, dict[str, Any]] = {}

    def scenario(self) -> Scenario:
        """The scenario, completed by everything known about ends and path; given keys take precedence."""
        keys: dict[str, Any] = {}
        for role, end in zip(ROLES, (self.tool.source_end, self.tool.sink_end), strict=True):
            if end != "none":
                keys |= self._host(role, on_disk=end == "disk")
        if self.tool.protocol != "file" and "path" not in self.draft.keys:
            keys |= self._path()
        return load_scenario({**keys, **self.draft.keys})

    def _host(self, role: str, *, on_disk: bool) -> dict[str, Any]:
        """Keys of the host at one end; none if the host was named."""
        place = self.request.sender if role == "sender" else self.request.receiver
        if place not in self._inventories:
            self._inventories[place] = _inventory(place, role, self.here) if self.request.inventory else {}
        if role not in self.draft.this:
            return {}
        host = {"name": "this host", **self._inventories[place], **hosts.settings_of_kernel(place)}
        if self.request.probe:
            if self.tool.protocol != "file" and (self._on_one_machine or "cpu" not in host):
                host = costs.with_processor(host, self._processor(place))
            if on_disk and not self._says_disk(role):
                key, rate = self._disk(place, reads=role == "sender")
                host[key] = rate
        return {f"{role}.{key}": value for key, value in host.items()}

    @property
    def _on_one_machine(self) -> bool:
        """Whether the ends share a processor; a byte then costs what it costs over the loopback interface."""
        sender, receiver = self.request.sender, self.request.receiver
        return sender == receiver or (sender.is_here and receiver.is_here)

    def _says_disk(self, role: str) -> bool:
        """Whether the given keys state the rate of an end's disk."""
        prefixes = (f"{role}.read_rate", f"{role}.write_rate", f"{role}.arrays")
        return any(key.startswith(prefixes) for key in self.draft.keys)

    def _processor(self, place: Place) -> dict[str, Any]:
        """The processor of a place and the tool's cost on it; measured once per machine."""
        machine = Place() if place.is_here else place  # a namespace has a processor of this machine
        if machine not in self._processors:
            name = self.tool.name
            processor = hosts.processor(machine)
            runs = _results(probes.loopback(machine, name, self.here.logs), f"{name} at {machine}")
            source = f"over the loopback interface, {probes.DURATION_S:g} s each"
            measured = costs.processor({name: runs}, float(processor["clock"]["value"]), source)
            self._processors[machine] = {**measured, "cpu": {**processor, **measured.get("cpu", {})}}
        return self._processors[machine]

    def _disk(self, place: Place, *, reads: bool) -> tuple[str, dict[str, Any]]:
        io = self.tool.io
        file = f"{self.ends.file}.{secrets.token_hex(4)}.{costs.FILE}"
        runs = _results(probes.disk(place, file, self.here.logs, reads=reads, io=io), f"dd at {place}")
        source = f"{len(runs)} runs of dd, {io}, {probes.AMOUNT >> 20} MiB each"
        return ("read_rate" if reads else "write_rate"), costs.rate(runs, source)

    def _path(self) -> dict[str, Any]:
        """Keys of the path between the ends."""
        sender, receiver = self.request.sender, self.request.receiver
        rtt = None
        if "path.rtt" not in self.draft.keys:
            ended = sender.run(path.ping(self.ends.address))
            log = self.here.log("ping", "txt")
            whole.write(log, ended.stdout + ended.stderr)
            rtt = path.round_trip(str(log))
        at_receiver = None if receiver == sender else path.device_with(receiver, self.ends.address)
        duration = float("inf")
        if self.tool.bytes is None:
            duration = tool_commands.DURATION_S if self.tool.duration is None else self.tool.duration.value
        keys = path.keys(path.device(sender, self.ends.address), at_receiver, rtt, duration)
        return {**keys, "path.same_host": True} if self._on_one_machine else keys


def _results(probes_run: Iterable[probes.Probe], description: str) -> list[costs.Probed]:
    """Results of probes; raises the last error if none succeeded."""
    finished = list(probes_run)
    results = [probe.result for probe in finished if probe.result is not None]
    if not results:
        raise MeasurementError(finished[-1].error or f"{description}: no result")
    return results


def _inventory(place: Place, role: str, here: Folder) -> dict[str, Any]:
    """Capture a place and read the capture into a host, as far as possible."""
    target = here.folder / f"inventory-{role}"
    if place.is_here and place.kind == "local":
        capture.capture(target)
    else:
        ended = place.run(["sh", "-s", "--", "-"], limit_s=_CAPTURE_S, stdin=script.script().encode())
        whole.make_folder(target)
        _unpack(ended.stdout, target)
    captured = read_inventory(str(target)).hosts
    return hosts.described(captured[0].host) if captured else {}


def _unpack(packed: bytes, target: Path) -> None:
    """Unpack the regular files of an archive into a folder, each under its bare name; stop at damage."""
    with contextlib.suppress(tarfile.TarError), tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.size <= programs.LARGEST:
                whole.write(target / PurePosixPath(member.name).name, content.read())
