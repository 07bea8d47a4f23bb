"""Child programs: started from a list of arguments, never through a shell, with a time limit, and ended with us.

A program runs in its own session and is ended as a group at its time limit and on every exit, including signals
(`ended_by_signals`). With util-linux installed, the kernel also ends it when we are killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Final, Self

from hecn_analysis.base.children import tied
from hecn_analysis.base.errors import MissingProgramError

#: Folders of administrators' programs and of RAID vendors' tools, searched after the user's PATH.
FOLDERS: Final = (
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/opt/MegaRAID/storcli",
    "/opt/MegaRAID/perccli",
    "/opt/MegaRAID/MegaCli",
    "/opt/smartstorageadmin/ssacli/bin",
    "/usr/StorMan",
)

#: Package of Debian and Ubuntu that provides a program, if its name differs.
_PACKAGES: Final = {
    "ping": "iputils-ping",
    "ssh": "openssh-client",
    "dd": "coreutils",
    "sysctl": "procps",
    **dict.fromkeys(("ip", "ss", "tc"), "iproute2"),
    **dict.fromkeys(("iostat", "mpstat", "sar", "pidstat"), "sysstat"),
    **dict.fromkeys(("lspci", "setpci"), "pciutils"),
}

#: Longer output is truncated; no command of an inventory or a measurement prints that much. [B]
LARGEST: Final = 64 << 20

_GRACE_S: Final = 1.0
_POLL_S: Final = 0.02


def environment() -> dict[str, str]:
    """Environment of a program: ours, in English, with the folders of administrators' programs."""
    own = os.environ.get("PATH", os.defpath)  # an empty entry would mean the current folder
    path = os.pathsep.join([*([own] if own else []), *FOLDERS])
    return {**os.environ, "LC_ALL": "C", "PATH": path}


def which(program: str) -> str | None:
    """Path of a program; None if it is not installed."""
    return shutil.which(program, path=environment()["PATH"])


def missing(program: str, where: str = "") -> MissingProgramError:
    """Error for a missing program, with the package that provides it."""
    place = f" ({where})" if where else ""
    package = _PACKAGES.get(program, program)
    return MissingProgramError(
        f"found no {program}{place}, expected it on the PATH (Debian, Ubuntu: apt install {package})"
    )


@dataclass(frozen=True)
class Ended:
    """A program that has ended."""

    argv: tuple[str, ...]  # program and arguments
    status: int | None  # exit status; negative: the signal that ended it; None: time limit reached, or not started
    # its output
    stdout: bytes
    stderr: bytes
    duration_s: float  # its duration [s]
    # how it ended, as text: ``ok``, ``status 1``, ``signal 9``, ``time limit of 30 s``, or why it did not start
    how: str

    @property
    def ok(self) -> bool:
        """Whether it exited with status 0."""
        return self.status == 0

    @property
    def complaint(self) -> str:
        """The last line of stderr; of stdout if stderr is empty."""
        lines = (self.stderr.decode(errors="replace").strip() or self.stdout.decode(errors="replace").strip()).split(
            "\n"
        )
        return " ".join(lines[-1].split())[:300]


class Program:
    """A running program; as a context manager, it is ended at the end of the block."""

    def __init__(self, argv: Sequence[str], *, cwd: str | Path | None = None, stdin: bytes = b"") -> None:
        self.argv = tuple(argv)
        self._files: tuple[IO[bytes], ...] = tuple(
            tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end of the block)
            for _ in range(3)
        )
        stdin_file, self._out, self._err = self._files
        stdin_file.write(stdin)
        stdin_file.seek(0)
        self._start = time.monotonic()
        self._failure: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603 (a list of arguments, no shell)
                [*tied(), *self.argv],
                stdin=stdin_file,
                stdout=self._out,
                stderr=self._err,
                cwd=cwd,
                env=environment(),
                start_new_session=True,
            )
        except OSError as error:
            self._failure = f"not started: {error.strerror}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for file in self._files:
            file.close()

    @property
    def runs(self) -> bool:
        """Whether it is still running."""
        return self._process is not None and self._process.poll() is None

    def wait(self, limit_s: float) -> Ended:
        """Wait for its end; end it at the time limit."""
        if self._process is None:
            return self._ended(None, self._failure or "")
        try:
            self._process.wait(max(0.0, limit_s - (time.monotonic() - self._start)))
        except subprocess.TimeoutExpired:
            self.stop()
            return self._ended(None, f"time limit of {limit_s:g} s")
        status = self._process.returncode
        return self._ended(status, "ok" if status == 0 else f"status {status}" if status > 0 else f"signal {-status}")

    def stop(self) -> None:
        """End its process group: SIGTERM first, then SIGKILL."""
        if self._process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            until = time.monotonic() + _GRACE_S
            while self._process.poll() is None and time.monotonic() < until:
                time.sleep(_POLL_S)

    def printed(self) -> Ended:
        """Its output so far; `how` is ``running`` while it runs."""
        status = None if self._process is None else self._process.poll()
        return self._ended(status, "running" if self.runs else "ended")

    def _ended(self, status: int | None, how: str) -> Ended:
        out, err = (os.pread(file.fileno(), LARGEST, 0) for file in (self._out, self._err))
        return Ended(self.argv, status, out, err, time.monotonic() - self._start, how)


def run(argv: Sequence[str], *, limit_s: float, cwd: str | Path | None = None, stdin: bytes = b"") -> Ended:
    """Run a program to its end; failures of the program never raise an error."""
    with Program(argv, cwd=cwd, stdin=stdin) as program:
        return program.wait(limit_s)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP as well, so that every block cleans up."""

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        raise KeyboardInterrupt(f"signal {number}")

    previous: Mapping[int, object] = {}
    with contextlib.suppress(ValueError):  # only the main thread gets signals
        previous = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
