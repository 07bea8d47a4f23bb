"""What is read in each room of the package, and what must hold for files of any bytes there.

A room has samples (the project's own, and those of a collection that HECN_CORPUS names) and a check, which raises where
a reading is not as documented. Readers of logs, counters and captures never raise; descriptions and archives end in a
`HecnError` at most. `fuzz.mutate` makes the inputs.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import random
import tempfile
import uuid
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pandas as pd

import hecn_analysis as hecn
from fuzz import checks, mutations
from fuzz.checks import ROOT, Broken, written
from hecn_analysis import captures
from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import HecnError
from hecn_analysis.cli.predict import read_cases
from hecn_analysis.counters import registry as counters_registry
from hecn_analysis.counters.clock import Clock
from hecn_analysis.files import packed as unpacked
from hecn_analysis.files import streams
from hecn_analysis.files.documents import Document, documents
from hecn_analysis.files.opening import File
from hecn_analysis.files.source import Lines
from hecn_analysis.hardware import load_scenario
from hecn_analysis.ingest.filling import add_files
from hecn_analysis.inventory import captured
from hecn_analysis.inventory import registry as inventory_registry
from hecn_analysis.logs import registry as logs_registry
from hecn_analysis.logs.contract import RunFindings
from hecn_analysis.planning.forecast import planned_changes
from hecn_analysis.planning.matrix import cells
from hecn_analysis.planning.roadmap import milestones
from hecn_analysis.prediction import mapping
from hecn_analysis.runs.course import features
from hecn_analysis.statements.statement import NAMES
from hecn_analysis.traffic import service_levels
from hecn_analysis.traffic.known_interfaces import known_interfaces
from tests.captures import conversation
from tests.captures.conversation import Conversation

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - names in it are random
_LARGEST_SAMPLE: Final = 8_000
_NAMES: Final = (
    *("a.log", "../../../../tmp/a.log", "/etc/a.log", "a/../../b.log", "C:\\a.log", "a\x1b[2J.log", "a\nb.log", "-rf"),
    *("a!b.log", "\u202egol.a", "caf\xe9", " ", ".", "..", "con", "a" * 300 + ".log", "a.tar.gz", "=1+1"),
)


@dataclass(frozen=True)
class Input:
    """An input.

    Parameters
    ----------
    room
        The room that it is for.
    origin
        What it was made of.
    content
        Its bytes.
    size
        How many bytes it is unpacked; processor time is allowed for these. [bytes]
    check
        Reads it, and raises where the reading is not as documented.
    base_s
        Processor time that is allowed beside that for its bytes. [s]
    """

    room: str
    origin: str
    content: bytes = field(repr=False)
    size: int
    check: Callable[[], None]
    base_s: float = 1.0

    def unpacked(self) -> int:
        """Count its bytes as the package unpacks them. [bytes]."""
        with written(self.content) as path:
            return sum(
                len(piece)
                for content in unpacked.contents("a", File(str(path)), streams.FREE_BY_LINES)
                for piece in content.pieces
            )


@dataclass(frozen=True)
class Room:
    """A room.

    Parameters
    ----------
    places
        Folders and files of samples, below the checkout.
    collected
        Folder of more, below the collection.
    """

    name: str
    places: tuple[str, ...]
    collected: str | None = None

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Files of samples in a fixed order, those of the project first."""
        given = [ROOT / place for place in self.places]
        if (corpus := os.environ.get("HECN_CORPUS")) and self.collected:
            given.append(Path(corpus, self.collected))
        found = [path for place in given for path in ([place] if place.is_file() else sorted(place.rglob("*")))]
        return tuple(path for path in found if path.is_file() and not path.is_symlink())

    @cached_property
    def samples(self) -> tuple[bytes, ...]:
        """Their bytes, of long ones the beginning."""
        return tuple(path.read_bytes()[:_LARGEST_SAMPLE] for path in self.paths)

    @cached_property
    def mutator(self) -> mutations.Mutator:
        """Changes that mix the samples."""
        return mutations.Mutator(self.samples)

    def damaged(self, rng: random.Random) -> tuple[str, bytes, bytes]:
        """A sample's name, the sample, and what became of it."""
        number = rng.randrange(len(self.samples))
        sample = self.samples[number]
        return self.paths[number].name, sample, self.mutator(sample, rng)


class Simulated(Room):
    """Packet captures of simulated connections, in the forms that are read."""

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Names of the captures, which no file holds."""
        return tuple(Path(name) for name, _ in self._captures)

    @cached_property
    def samples(self) -> tuple[bytes, ...]:
        """Their bytes."""
        return tuple(content for _, content in self._captures)

    @cached_property
    def _captures(self) -> list[tuple[str, bytes]]:
        found = []
        for name, connection in (("window", _full_window), ("losses", _losses), ("black-hole", _black_hole)):
            for place, end in ((0.0, "sender"), (1.0, "receiver")):
                packets = connection(conversation.Conversation(place=place)).in_order()
                found += [
                    (f"{name}-{end}.pcap", conversation.pcap(packets, snaplen=96)),
                    (f"{name}-{end}-nano.pcap", conversation.pcap(packets, order=">", nano=True, snaplen=96)),
                    (f"{name}-{end}.pcapng", conversation.pcapng(packets, snaplen=96)),
                ]
        return found


def _full_window(made: Conversation) -> Conversation:
    made.window_limited(2)
    return made


def _losses(made: Conversation) -> Conversation:
    for _ in range(3):
        missing = made.burst(12, lost=(4,))
        made.now += made.rtt_s
        made.again(missing, 0.01)
    return made


def _black_hole(made: Conversation) -> Conversation:
    missing = made.burst(10, lost=range(10))
    for number in range(4):
        made.again(missing, 0.3 * 2**number, acked=False)
    return made


LOGS: Final = Room("logs", ("tests/logs/samples", "data/samples", "data/logs"), "tool-logs")
COUNTERS: Final = Room("counters", ("tests/counters/samples", "data/counters"), "counters")
CAPTURES: Final = Simulated("captures", ())
INVENTORY: Final = Room("inventory", ("tests/inventory/samples", "data/inventory"), "inventory")


# Logs, counters, captures: from bytes to what was read, in a form that can be compared

Read = Callable[[Document], list[Any]]


def runs_of(document: Document) -> list[dict[str, Any]]:
    """Runs of a log, without what depends on where they stand in it."""
    findings = RunFindings(document.source_file)
    logs_registry.read(Lines.of(document.text), findings)
    runs, _, _ = findings.tables("")
    return [{name: value for name, value in run.items() if name not in {"run", "content_hash"}} for run in runs]


def cells_of(document: Document) -> list[Any]:
    """Readings and rates of a file of counters, which must be such as can be."""
    found = counters_registry.read(document, Clock())
    rows: list[Any] = []
    for part in found:
        part.finish()
        for table, each in (("samples", part.samples), ("rates", part.rates)):
            rows += [(table, *sorted(row.items(), key=str)) for row in each]
            for row in each:
                if faults := {k: v for k, v in tables.faults(table, row).items() if k != "time"}:
                    raise Broken(f"{table}: {list(faults.values())} in {row}")
        _check_problems(part.problems)
    return rows


def _check_problems(rows: Iterable[Mapping[str, object]]) -> None:
    for row in rows:
        if faults := tables.faults("problems", row):
            raise Broken(f"problems: {list(faults.values())} in {row}")


def facts_of(document: Document) -> list[Any]:
    """Outputs of a capture with their facts, which JSON must be able to hold, and the host they make."""
    found = inventory_registry.read(document)
    _check_problems(found.problems)
    for one in captured.hosts(found.captured):
        _check_problems(one.problems)
        str(one.findings)
        json.dumps([one.facts, one.description], allow_nan=False, default=str)
    rows = [{n: v for n, v in one.source.items() if not n.startswith("line_")} for one in found.captured]
    for row in rows:
        json.dumps(row, allow_nan=False).encode()
    return rows


def packets_of(document: Document) -> list[Any]:
    """What packet captures say, of numbers that can be, with courses of one length."""
    with written(document.content) as path:
        found = captures.read_capture(path)
    said = [statement for one in found for statement in one.statements]
    for statement in said:
        if statement.name not in NAMES or not 0 <= float(statement.value) < math.inf:
            raise Broken(f"statement: {statement}")
        if NAMES[statement.name].startswith("share ") and float(statement.value) > 1:
            raise Broken(f"share: {statement}")
    for one in found:
        _check_problems([{"source_file": "a", "kind": kind, "message": words} for kind, words in one.problems])
        for table in (direction.course.table() for direction in one.directions):
            if (table.fillna(0) < 0).any(axis=None) or not table["t_end_s"].is_monotonic_increasing:
                raise Broken(f"course: {table.describe()}")
            features(table)
    return said


READ: Final[dict[str, Read]] = {"logs": runs_of, "counters": cells_of, "inventory": facts_of, "captures": packets_of}


def _check_bytes(room: str, content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if room == "logs":
            checks.check(content)
        else:
            READ[room](Document("a.log", content))


@lru_cache(maxsize=4096)
def _good(room: str, number: int) -> list[Any]:
    """What is read from a sample as it is."""
    sample = {each.name: each for each in (LOGS, COUNTERS, INVENTORY, CAPTURES)}[room].samples[number]
    with written(sample) as path:  # some samples are compressed
        return [row for one in documents(path) for row in READ[room](Document("good.log", one.content))]


def plain(room: Room, rng: random.Random) -> Input:
    """A damaged file alone."""
    name, _, content = room.damaged(rng)
    return Input(room.name, name, content, len(content), lambda: _check_bytes(room.name, content))


# Packed files

_ARCHIVES: Final[dict[str, Callable[[Sequence[tuple[str, bytes]]], bytes]]] = {
    "tar": mutations.tar_of,
    "zip": mutations.zip_of,
    "stored zip": lambda members: mutations.zip_of(members, zipfile.ZIP_STORED),
}


def packed(rng: random.Random) -> Input:
    """Files in files: good ones beside damaged ones, with names that lead elsewhere, then damaged themselves."""
    room = rng.choice((LOGS, LOGS, COUNTERS, INVENTORY))
    number = rng.randrange(len(room.samples))
    good = room.samples[number]
    name, _, bad = room.damaged(rng)
    names = [*rng.sample(_NAMES, 3)]
    members = list(zip(names, rng.choice(([good, bad, good], [bad, good, bad], [good, good, bad])), strict=True))
    form = rng.choice((*_ARCHIVES, *_ARCHIVES, *mutations.PACKINGS))
    if form in _ARCHIVES:
        content = _ARCHIVES[form](members)
        whole = [text for text in names if members[names.index(text)][1] is good]
    else:
        content, whole = mutations.PACKINGS[form](good), []
    if whole and rng.random() < 0.5:
        return Input(
            "packed", f"{form} of {room.name}/{name}", content, sum(len(each) for _, each in members) + len(content),
            lambda: check_members(room.name, content, whole, _good(room.name, number)),
        )  # fmt: skip
    if rng.random() < 0.3:
        form, content = f"{form}.gz", mutations.PACKINGS[rng.choice(("gz", "bz2", "xz", "zst", "zip", "tar"))](content)
    damaged = mutations.flipped(content, rng) if rng.random() < 0.5 else room.mutator.bytes(content, rng)
    size = len(damaged) + len(good) + 2 * len(bad)
    return Input("packed", f"{form} of {room.name}/{name}", damaged, size, lambda: _check_packed(room.name, damaged))


def _check_packed(room: str, content: bytes) -> None:
    if room == "logs":
        checks.check(content)
        return
    with written(content) as path:
        for document in documents(path):
            document.source_file.encode()
            READ[room](document)


def check_members(room: str, content: bytes, whole: list[str], expected: list[Any]) -> None:
    """Every good member is read as if it were alone."""
    with written(content) as path:
        for document in documents(path):
            if document.source_file.partition("!")[2] in whole:
                whole.remove(document.source_file.partition("!")[2])
                _same(expected, READ[room](Document("good.log", document.content)))
    if whole:
        raise Broken(f"members that were not read: {whole}")


def _same(expected: list[Any], found: list[Any]) -> None:
    if repr(expected) != repr(found):
        raise Broken(f"read as {found}, alone as {expected}"[:600])


# Folders


def folder(rng: random.Random) -> Input:
    """A folder of a good file, a damaged one, links that lead elsewhere, to nothing and in circles, and odd names."""
    room = rng.choice((LOGS, COUNTERS, INVENTORY))
    number = rng.randrange(len(room.samples))
    name, _, bad = room.damaged(rng)
    order = rng.random() < 0.5
    odd = rng.choice([each for each in _NAMES if len(each) < 200 and each not in {".", "..", "/etc/a.log"}])

    def check() -> None:
        with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as made:
            place = Path(made)
            good = place / ("a-good.log" if order else "z-good.log")
            good.write_bytes(room.samples[number])
            (place / "damaged.log").write_bytes(bad)
            (place / odd.replace("/", "_")).write_bytes(bad)
            (place / os.fsdecode(b"\xff\xfe.log")).write_bytes(bad)
            (place / "circle").symlink_to(place, target_is_directory=True)
            (place / "nowhere").symlink_to("/nowhere/at/all")
            (place / "device").symlink_to("/dev/zero")
            os.mkfifo(place / "pipe")
            _check_folder(room.name, place, good)

    return Input("folders", f"{room.name}/{name}", bad, len(room.samples[number]) + 3 * len(bad), check)


def _check_folder(room: str, place: Path, good: Path) -> None:
    if room == "logs":
        both, alone = hecn.read(place), hecn.read(good)
        names = ("runs", "streams", "intervals", "problems")
        pairs = [(getattr(both, table), getattr(alone, table)) for table in names]
    elif room == "counters":
        counted, own = hecn.read_counters(place), hecn.read_counters(good)
        pairs = [(getattr(counted, table), getattr(own, table)) for table in ("samples", "problems")]
    else:
        captured, single = hecn.read_inventory(place), hecn.read_inventory(good)
        _same(list(single.sources), [one for one in captured.sources if one["source_file"] == str(good)])
        return
    for found, expected in pairs:
        mine = found[found["source_file"] == str(good)].reset_index(drop=True)
        if not mine.equals(expected):
            raise Broken(f"the good file beside damaged ones: {len(mine)} rows, alone {len(expected)}")


# Descriptions: YAML and CSV of people

_SMALL: Final = b"rtt_ms,loss,goodput_mbps,tool,valid\n80,0,9000,nuttcp,yes\n1,0.001,200,iperf,no\n"


def _end_of(role: str) -> Callable[[Path], object]:
    others = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3"}
    return lambda path: load_scenario({**others, role: str(path)})


def _mapped(path: Path) -> object:
    return mapping.of_table(pd.read_csv(io.BytesIO(_SMALL)), path)


def _table(path: Path) -> object:
    return mapping.of_table(path, ROOT / "models" / "mappings" / "tcp-lab.yaml")


#: Where samples of each kind of description stand, the ending of its files, and who reads it.
DESCRIPTIONS: Final[dict[str, tuple[Room, str, Callable[[Path], object]]]] = {
    "scenarios": (Room("scenarios", ("models/scenarios", "tests/cli/inputs/lan.yaml")), ".yaml", load_scenario),
    "hosts": (Room("hosts", ("models/hosts",)), ".yaml", _end_of("receiver")),
    "paths": (Room("paths", ("models/paths",)), ".yaml", _end_of("path")),
    "tools": (Room("tools", ("models/tools",)), ".yaml", _end_of("tool")),
    "mappings": (Room("mappings", ("models/mappings",)), ".yaml", _mapped),
    "tables": (Room("tables", ("tests/cli/inputs/cases.csv",), "tcp-lab/runs.csv"), ".csv", _table),
    "cases": (Room("cases", ("tests/cli/inputs/cases.csv",)), ".csv", lambda path: list(read_cases(str(path)))),
    "matrices": (Room("matrices", ("models/matrices",)), ".yaml", cells.load_matrix),
    "roadmaps": (Room("roadmaps", ("models/roadmaps",)), ".yaml", milestones.roadmap),
    "service levels": (Room("service levels", ("models/service_levels",)), ".yaml", service_levels.load),
    "changes": (Room("changes", ("data/traffic/changes.yaml",)), ".yaml", planned_changes.read_plan),
    "interfaces": (Room("interfaces", ("data/traffic/ports.yaml",)), ".yaml", lambda path: known_interfaces(str(path))),
}


def description(rng: random.Random) -> Input:
    """A damaged description."""
    kind = rng.choice(list(DESCRIPTIONS))
    room, suffix, read = DESCRIPTIONS[kind]
    name, _, content = room.damaged(rng)

    def check() -> None:
        with written(content, suffix) as path, suppress(HecnError):
            read(path)

    return Input("descriptions", f"{kind}/{name}", content, len(content), check, base_s=6.0)


# Archives of ours


@lru_cache(maxsize=1)
def _sample_archive() -> tuple[tuple[str, bytes], ...]:
    """The files of an archive of logs and counters, half of it merged."""
    numbers = (uuid.UUID(int=number) for number in itertools.count())
    same = mock.patch("uuid.uuid4", side_effect=numbers)  # the same names each time
    with tempfile.TemporaryDirectory() as made, same:
        place = Path(made, "archive")
        kept = Archive(place)
        paths = [LOGS.paths[0], COUNTERS.paths[0], LOGS.paths[9]]
        add_files(kept, paths[:2])
        kept.compact(grace_s=0)
        add_files(kept, paths[2:])
        found = [path for path in sorted(place.rglob("*")) if path.is_file()]
        return tuple((path.relative_to(place).as_posix(), path.read_bytes()) for path in found)


def archived(rng: random.Random) -> Input:
    """An archive of which one file is damaged."""
    files = _sample_archive()
    number = rng.randrange(len(files))
    name, sample = files[number]
    others = mutations.Mutator([content for _, content in files])
    change = rng.choice((others, others.lines, others.bytes))
    content = change(sample, rng)

    def check() -> None:
        with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as made:
            place = Path(made, "archive")
            for other, text in files:
                (place / other).parent.mkdir(parents=True, exist_ok=True)
                (place / other).write_bytes(content if other == name else text)
            (place / "incoming").mkdir(exist_ok=True)
            for read in (
                lambda: hecn.read(place),
                lambda: hecn.read_counters(place),
                lambda: Archive(place).query("select count(*) from runs", damaged=[]),
                lambda: Archive(place).compact(damaged=[]),
            ):
                with suppress(HecnError):
                    read()

    return Input("archives", name, content, len(content), check, base_s=3.0)


# What is shared out

#: How often each kind of input is made.
WAYS: Final[tuple[tuple[Callable[[random.Random], Input], float], ...]] = (
    (lambda rng: plain(LOGS, rng), 40.0),
    (lambda rng: plain(COUNTERS, rng), 22.0),
    (lambda rng: plain(INVENTORY, rng), 18.0),
    (lambda rng: plain(CAPTURES, rng), 8.0),
    (packed, 10.0),
    (description, 7.0),
    (folder, 0.7),
    (archived, 0.3),
)


def make(seed: int, number: int) -> Input:
    """Make an input: the same number of the same seed gives the same, with the same samples.

    Parameters
    ----------
    seed
        Seed of all of them.
    number
        Which one.
    """
    rng = random.Random(f"{seed}:{number}")  # noqa: S311 - for trying, not for secrets
    (way,) = rng.choices([way for way, _ in WAYS], [weight for _, weight in WAYS])
    return way(rng)


def warm_up() -> None:
    """Have everything imported and started that readings need, so that what they take on top of it can be measured."""
    rng = random.Random(0)  # noqa: S311 - see `make`
    for way, _ in WAYS:
        with suppress(Exception):
            way(rng).check()
