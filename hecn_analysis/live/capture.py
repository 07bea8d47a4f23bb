"""Captures a host: its hardware and settings, one file per command, and an index of the commands.

Nothing is written outside the folder, nothing on the host is changed, root is not needed, and no output is ever
executed. The commands are those of `inventory_commands`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import secrets
import shlex
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final

from hecn_analysis.base import records
from hecn_analysis.base.children import private_folder
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.progress import track
from hecn_analysis.files import whole
from hecn_analysis.inventory.hosts.probes import FILE
from hecn_analysis.live import probes, programs
from hecn_analysis.live.inventory_commands import COMMANDS, Command
from hecn_analysis.live.places import Place
from hecn_analysis.live.redact import Redactor

INDEX: Final = "index.csv"
COLUMNS: Final = ("file", "command", "ended", "duration_s", "note")
NOT_HERE: Final = "not here"
#: Tools that probe the processor, if installed.
PROBED: Final = ("nuttcp", "iperf3")

_WAYS: Final = ("write", "read")
_PACKED: Final = (".tar.gz", ".tgz")
_CONTROLLERS: Final = 4
_SAFE: Final = re.compile(r"[^A-Za-z0-9_.+-]")


@dataclass(frozen=True)
class Task:
    """A command to run, with every word filled in."""

    command: Command  # the command with its placeholders
    file: str  # name of the file for its output
    argv: tuple[str, ...]  # program and arguments


@dataclass(frozen=True)
class Row:
    """The row of one command in the index."""

    file: str  # the file with its output; empty without output
    command: str  # the command line
    ended: str  # how it ended: ``ok``, ``status 1``, ``time limit of 30 s``, ``not here``
    duration_s: float  # how long it ran [s]
    note: str  # the last line of its stderr, or what root would add


@dataclass(frozen=True)
class Captured:
    """A finished capture."""

    place: Path  # folder or archive that holds it
    rows: tuple[Row, ...]
    for_root: tuple[str, ...] = ()  # what root would add, each once; empty for root

    @property
    def files(self) -> int:
        """Number of files besides the index."""
        return sum(bool(row.file) for row in self.rows)


# commands to run ----------------------------------------------------------------------------------------------------


def interfaces(sys: Path = Path("/sys")) -> list[str]:
    """Network interfaces that are devices or bonds."""
    paths = sorted((sys / "class/net").glob("*"))
    return [path.name for path in paths if (path / "device").exists() or (path / "bonding").is_dir()]


def disks(sys: Path = Path("/sys")) -> list[str]:
    """Disks: block devices with hardware behind them, without optical and floppy drives."""
    paths = sorted((sys / "block").glob("*"))
    return [path.name for path in paths if (path / "device").exists() and not path.name.startswith(("sr", "fd"))]


def arrays(sys: Path = Path("/sys")) -> list[str]:
    """Arrays of software RAID."""
    return sorted(path.parent.name for path in (sys / "block").glob("*/md"))


def tasks(commands: Sequence[Command] = COMMANDS, *, private: bool = True, sys: Path = Path("/sys")) -> Iterator[Task]:
    """The commands with every word filled in."""
    values_of = {
        "interface": interfaces(sys),
        "disk": disks(sys),
        "md": arrays(sys),
        "controller": [str(number) for number in range(_CONTROLLERS)],
        "number": [str(number + 1) for number in range(_CONTROLLERS)],
    }
    for command in commands:
        if command.private and not private:
            continue
        program = next((name for name in (command.argv[0], *command.programs) if programs.which(name)), command.argv[0])
        for value in values_of[command.each] if command.each else [""]:
            if value.startswith("-"):  # a program would take such a name for an option
                continue
            words = (
                [word.replace(f"{{{command.each}}}", value) for word in command.argv[1:]] if value else command.argv[1:]
            )
            file = command.file.replace(f"{{{command.each}}}", _SAFE.sub("_", value)) if value else command.file
            yield Task(command, file, (program, *words))


# running it ----------------------------------------------------------------------------------------------------------


def capture(
    target: str | os.PathLike[str],
    *,
    redact: bool = False,
    probe: bool = False,
    progress: bool = False,
    commands: Sequence[Command] = COMMANDS,
) -> Captured:
    """Capture this host into a new folder, or an archive if the name ends in ``.tar.gz`` or ``.tgz``.

    `redact` replaces serial numbers, addresses and names by placeholders; see `hecn_analysis.live.redact`. `probe` also
    measures, in short runs, the CPU cost per byte and the rate of the disk that holds the folder; the runs keep both
    busy, and write a temporary file beside the folder. InputError if the target cannot be created, or is not empty.
    """
    target = Path(target)
    check(target)
    tasks_to_run = list(tasks(commands, private=not redact))
    rows: list[Row] = []
    files: dict[str, bytes] = {}
    with private_folder("capture") as scratch:  # some programs leave a log in their working folder
        done = (_run(task, scratch) for task in (track(tasks_to_run, "capturing") if progress else tasks_to_run))
        probe_rows: Iterable[tuple[Row, bytes]] = ()
        if probe:
            probe_rows = _probed(target.absolute().parent / f"{target.name}.{secrets.token_hex(4)}.{FILE}", scratch)
            if progress:
                probe_rows = track(probe_rows, "probing", total=_probes_planned())
        for row, output in chain(done, probe_rows):
            rows.append(row)
            if row.file:
                files[row.file] = output
    for_root = () if os.geteuid() == 0 else _for_root(tasks_to_run, rows)
    if redact:
        rows, files = redacted(rows, files, [os.uname().nodename])
    _write(target, rows, files)
    return Captured(target, tuple(rows), for_root)


def _run(task: Task, scratch: Path) -> tuple[Row, bytes]:
    line = shlex.join(task.argv)
    if programs.which(task.argv[0]) is None:
        return Row("", line, NOT_HERE, 0.0, ""), b""
    ended = programs.run(task.argv, limit_s=task.command.limit_s, cwd=scratch)
    output = ended.stdout
    if task.command.without:
        without = re.compile(task.command.without.encode())
        output = b"".join(kept for kept in output.splitlines(keepends=True) if not without.search(kept))
    return kept(task.file, line, ended, output)


def kept(file: str, line: str, ended: programs.Ended, output: bytes) -> tuple[Row, bytes]:
    """Return the index row of a program that has ended, and the content of its file: command line, then output."""
    if not output.strip():
        ending = "nothing printed" if ended.ok else ended.how
        return Row("", line, ending, round(ended.duration_s, 3), ended.complaint), b""
    if file.endswith(".txt"):
        output = f"$ {line}\n".encode() + output
    note = ended.complaint if ended.stderr.strip() else ""
    return Row(file, line, ended.how, round(ended.duration_s, 3), note), output


def _probed(file: Path, scratch: Path) -> Iterator[tuple[Row, bytes]]:
    """Rows and outputs of the probes: the installed network tools, and the disk of a file."""
    here = Place()
    with contextlib.ExitStack() as stack:
        network = [probes.loopback(here, tool, scratch) for tool in PROBED if programs.which(tool) is not None]
        direct, buffered = (
            [
                probes.disk(
                    here, f"{file.parent}/{io}-{way}-{file.name}", scratch, reads=way == "read", io=io, cold=cold
                )
                for way in _WAYS
            ]
            for io, cold in (("direct", False), ("buffered", True))
        )
        for kind in (*network, *direct, *buffered):
            stack.enter_context(contextlib.closing(kind))
        turns = [
            *(probe_run for tool in network for probe_run in (tool, *direct)),
            *([] if network else direct),
            *buffered,
        ]
        for turn in zip_longest(*turns):
            for probe in turn:
                if probe is not None:
                    yield _probe_row(probe)


def _probes_planned() -> int:
    """Number of probes of a capture on this host."""
    tools = sum(programs.which(tool) is not None for tool in PROBED)
    return probes.REPEATS * tools + sum(probes.DISK_REPEATS.values()) * len(_WAYS)


def _probe_row(probe: probes.Probe) -> tuple[Row, bytes]:
    line = shlex.join(probe.command)
    printed = probe.log.read_bytes() if probe.log.exists() else b""  # missing if the server did not start
    ended = "failed" if probe.error else "ok"
    return (
        Row(f"{probe.log.stem}.txt" if printed else "", line, ended, probe.duration_s, probe.error),
        f"$ {line}\n".encode() + printed + (f"\n{probe.load}\n".encode() if probe.load else b""),
    )


def _for_root(planned: Sequence[Task], rows: Sequence[Row]) -> tuple[str, ...]:
    """Return remarks on the outputs that only root would get, each once."""
    here = [task.command.root for task, row in zip(planned, rows, strict=True) if row.ended != NOT_HERE]
    return tuple(dict.fromkeys(remark for remark in here if remark))


def redact_folder(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> Captured:
    """Redact an earlier capture into a new folder or archive; InputError if either cannot be used."""
    source, target = Path(source), Path(target)
    check(target)
    if not source.is_dir():
        raise InputError("no such folder", "the folder of a capture", source=source)
    paths = [path for path in sorted(source.iterdir()) if path.is_file() and not path.is_symlink()]
    contents = {path.name: path.read_bytes() for path in paths}
    rows = _rows(contents.pop(INDEX, b"").decode(errors="replace"), source / INDEX)
    private = {command.file for command in COMMANDS if command.private}
    files = {name: content for name, content in contents.items() if name not in private}
    rows = [row for row in rows if row.file not in private]
    rows, files = redacted(rows, files, [])
    _write(target, rows, files)
    return Captured(target, tuple(rows))


def redacted(rows: Iterable[Row], files: dict[str, bytes], hosts: Iterable[str]) -> tuple[list[Row], dict[str, bytes]]:
    """Redact files, their names, and the index."""
    redactor = Redactor(hosts)
    texts = {name: content.decode("utf-8", errors="replace") for name, content in files.items()}
    for text in texts.values():
        redactor.learn(text)
    clean: Callable[[str], str] = redactor.clean
    cleaned = {clean(name): clean(text).encode() for name, text in texts.items()}
    return [
        Row(clean(row.file), clean(row.command), row.ended, row.duration_s, clean(row.note)) for row in rows
    ], cleaned


# the folder ----------------------------------------------------------------------------------------------------------


def check(target: Path) -> None:
    """Refuse a target that would overwrite something or cannot be created."""
    packed = target.name.endswith(_PACKED)
    if packed and target.exists():
        raise InputError("an existing archive", "a new one", source=target)
    if not packed and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError("an existing file or folder", "a new or an empty folder, or a .tar.gz", source=target)
    if not target.absolute().parent.is_dir():
        raise InputError(f"no directory {str(target.parent)!r}", "an existing directory", source=target)
    if packed:
        whole.check(target)
    else:
        whole.check_folder(target)


def _write(target: Path, rows: Sequence[Row], files: dict[str, bytes]) -> None:
    contents = {INDEX: index(rows).encode(), **files}
    if not target.name.endswith(_PACKED):
        is_new = not target.exists()
        whole.make_folder(target)
        try:
            for name, content in contents.items():
                whole.write(target / name, content)
        except BaseException:  # a partial capture would be mistaken for a complete one
            with contextlib.suppress(OSError):
                for name in contents:
                    (target / name).unlink(missing_ok=True)
                if is_new:
                    target.rmdir()
            raise
        return
    folder = re.sub(r"\.(tar\.gz|tgz)$", "", target.name)
    with whole.aside(target) as part, tarfile.open(fileobj=part, mode="w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def index(rows: Iterable[Row]) -> str:
    """The index as CSV."""
    return "".join(records.csv_rows(map(asdict, rows), COLUMNS))


def _rows(text: str, source: Path) -> list[Row]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        return [
            Row(row["file"], row["command"], row["ended"], float(row["duration_s"]), row["note"] or "")
            for row in reader
        ]
    except (KeyError, TypeError, ValueError, csv.Error):
        expected = f"a row of {', '.join(COLUMNS)}"
        raise InputError("a truncated index", expected, source=source, line=reader.line_num) from None
