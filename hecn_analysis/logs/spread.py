"""Many files at once: one after another, in processes of this machine, or on the workers of a Dask cluster.

Files are handed out in groups; the results are joined in the order of the files.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any, Final

from hecn_analysis.base import cluster, tables
from hecn_analysis.base.children import end_with_parent, safe_path, short_temporary_folder
from hecn_analysis.base.errors import HecnError
from hecn_analysis.files import packed, streams
from hecn_analysis.files.documents import Document, Keeper
from hecn_analysis.files.opening import File
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import Reading, RunFindings
from hecn_analysis.logs.packing import Rows
from hecn_analysis.logs.second_reading import read_again

UNRECOGNISED: Final = "a log as nuttcp, iperf3, fio, rsync, ping or one of some forty other tools print it"
_GROUP: Final = 32
_SERVER_SOCKET: Final = "pymp-12345678/listener-12345678"  # as multiprocessing names it

Entry = tuple[str, File | OSError]
"""The name to report, and the file or why it cannot be read."""


@dataclass
class Part:
    """Results for some consecutive files: rows of the tables."""

    files: int = 0
    runs: Rows = field(default_factory=lambda: Rows("runs"))
    streams: Rows = field(default_factory=lambda: Rows("streams"))
    intervals: list[tables.Block] = field(default_factory=list)
    problems: Rows = field(default_factory=lambda: Rows("problems"))

    def read(self, keeper: Keeper, *, intervals: bool, hint: Callable[[Document], str] | None) -> None:
        """Read a file, or a member of an archive; the hint ends the message about one that no reader knows."""
        source = keeper.source
        findings = RunFindings(source.name, keep_intervals=intervals)
        registry.read(source.lines(partial(_results, findings)), findings)
        if keeper.is_short and not source.problems:  # what was left out stays out
            findings = read_again(findings, keeper.lines)
        runs, streams, blocks = findings.tables(source.content_hash)
        self.runs.join(runs)
        self.streams.join(streams)
        self.intervals += blocks
        findings.stored(source.problems)
        if not len(runs):
            said = partial(keeper.hint, hint)
            findings.unrecognised("no output of a tool that a reader knows", UNRECOGNISED, said)
        self.problems.extend(findings.problems)


_Read = Callable[[Sequence[Entry]], Part]


def read(
    files: Sequence[Entry],
    read_files: _Read,
    *,
    processes: int,
    dask: str | None,
    done: Callable[[int], object],
) -> list[Part]:
    """Read files by a function for a group of them, and return the results in order."""
    if dask is not None:
        parts = _on_dask(dask, files, read_files)
    elif processes > 1 and len(files) > _GROUP and all(map(_plain, files)):
        parts = _in_processes(processes, files, read_files)
    else:
        parts = (read_files([file]) for file in files)
    kept = []
    for part in parts:
        done(part.files)
        kept.append(part)
    return kept


def joined(parts: Iterable[Part]) -> Reading:
    """Join the rows of parts.

    Parameters
    ----------
    parts
        The parts, in the order of the rows.

    Returns
    -------
    Reading
        The tables.

    Examples
    --------
    >>> joined([Part()])
    0 runs, 0 intervals, 0 problems
    """
    whole = Part()
    for part in parts:
        whole.runs.join(part.runs)
        whole.streams.join(part.streams)
        whole.intervals += part.intervals
        whole.problems.join(part.problems)
    intervals = tables.concatenate("intervals", whole.intervals)
    return Reading(whole.runs.frame(), whole.streams.frame(), intervals, whole.problems.frame())


def read_group(files: Sequence[Entry], *, intervals: bool, hint: Callable[[Document], str] | None = None) -> Part:
    """Read files one after another."""
    part = Part(len(files))
    for name, file in files:
        for content in packed.texts(name, file, streams.FREE_BY_LINES):
            part.read(Keeper(content), intervals=intervals, hint=hint)
    return part


def _results(findings: RunFindings) -> int:
    return len(findings.runs) + len(findings.problems)


def _plain(entry: Entry) -> bool:
    """Whether a file is the same for every process, unlike a pipe and entries of /dev."""
    _, file = entry
    return isinstance(file, OSError) or file.is_repeatable


def _groups(files: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    return (files[start : start + _GROUP] for start in range(0, len(files), _GROUP))


def _in_processes(processes: int, files: Sequence[Entry], read_files: _Read) -> Iterator[Part]:
    """Read in processes that a server forks, which has loaded this module once for all of them."""
    context: Any = multiprocessing.get_context()
    with safe_path():  # all that starts processes
        with suppress(ValueError):  # where the system has no such server, each process loads it for itself
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload([__name__])
            _start_server()
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(processes, mp_context=context, initializer=end_with_parent)
        with _interrupted_afterwards():  # a process that begins when this one has ended finds nothing to read
            waiting = [pool.submit(read_files, group) for group in _groups(files)]
    with pool:
        try:
            for future in waiting:
                yield future.result()
        except BrokenProcessPool:
            raise HecnError(
                "a process that read was killed, perhaps for want of memory; read fewer files at a time, or in one "
                "process"
            ) from None
        except BaseException:  # do not wait for the files still being read
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Defer the signals that this process handles to the end of the block."""
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for name in {"SIGINT", "SIGTERM", "SIGHUP"} & set(dir(signal)):
                number = getattr(signal, name)
                if callable(signal.getsignal(number)):
                    before[number] = signal.signal(number, lambda caught, _: came.append(caught))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _start_server() -> None:
    """Start the server of processes so that an interrupt from the terminal reaches this process alone."""
    resource_tracker.ensure_running()  # starts a process, too, and takes the mask away again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with short_temporary_folder(_SERVER_SOCKET):
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _on_dask(address: str, files: Sequence[Entry], read_files: _Read) -> Iterator[Part]:
    """Read on the workers of a cluster."""
    with cluster.client(address) as client:
        absolute = [
            (name, file if isinstance(file, OSError) else replace(file, name=str(Path(file).absolute())))
            for name, file in files
        ]
        waiting = [client.submit(read_files, group, pure=False) for group in _groups(absolute)]
        for future in waiting:
            yield future.result()
