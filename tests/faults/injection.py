"""A process that something happens to: killed, interrupted or refused at a chosen operation, or after a chosen time.

`run` forks a victim from this process, which has all modules loaded. In the victim, each operation on a file below the
watched folder is a step: audit events of Python (open, rename, remove, link, …), fsync, and each read and write of a
file. A deed is done before the step of a chosen number; when that is a write, half of it is written first, when it is a
read, half of it has been read. What is written by other libraries (Parquet files) has no steps inside, and is met by
deeds after a time.
"""

import builtins
import ctypes
import errno
import gc
import io
import os
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

EVENTS = {
    *("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.listdir", "os.scandir", "os.utime"),
    *("os.truncate", "os.chmod", "os.chown"),
}
PATIENCE_S = 120.0
CLONE_NEWNS, CLONE_NEWUSER, MS_REMOUNT, MS_RDONLY, MS_REC, MS_PRIVATE = 0x20000, 0x10000000, 32, 1, 1 << 14, 1 << 18


@dataclass(frozen=True)
class Deed:
    """What happens: a signal, an errno that an operation fails with, or a function; and when."""

    what: object = signal.SIGKILL
    step: int | None = None
    after_s: float | None = None
    path: str | None = None  # only operations on this file are steps

    def __str__(self):
        name = self.what.name if isinstance(self.what, signal.Signals) else self.what
        name = errno.errorcode[name] if isinstance(name, int) else getattr(name, "__name__", name)
        when = f"at step {self.step}" if self.step is not None else f"after {self.after_s} s"
        return f"{name} {when}" + (f" of {Path(self.path).name}" if self.path else "")


@dataclass(frozen=True)
class Ended:
    """How a victim ended: its status (negative: the signal), what it wrote, its steps and how long it took."""

    status: int
    out: str
    err: str
    steps: int
    seconds: float


class Steps:
    """Counts the steps of this process, and does the deed at one of them."""

    def __init__(self, folder, deed):
        self.folder, self.deed, self.count = str(folder), deed, 0
        self.is_busy = False

    def is_watched(self, path):
        """Whether a file is below the folder: by its name, its descriptor, or as a part file in an opened folder."""
        try:
            text = str(Path(f"/proc/self/fd/{path}").readlink()) if isinstance(path, int) else os.fsdecode(path)
        except (OSError, TypeError):
            return False
        return text == self.deed.path if self.deed.path else text.startswith((self.folder, ".hecn-"))

    def step(self, half=None):
        if self.is_busy:
            return
        self.count += 1
        if self.count == self.deed.step:
            self.is_busy = True
            try:
                if half is not None:
                    half()
                self.do()
            finally:
                self.is_busy = False

    def do(self):
        if isinstance(self.deed.what, signal.Signals):
            os.kill(os.getpid(), self.deed.what)
        elif isinstance(self.deed.what, int):
            raise OSError(self.deed.what, os.strerror(self.deed.what))
        else:
            self.deed.what()

    def audit(self, event, details):
        if event in EVENTS and details and self.is_watched(details[0]):
            self.step()

    def install(self):  # noqa: C901 - what each of Python's own does
        steps, fsync, plain_open = self, os.fsync, io.open

        def counted_fsync(descriptor):
            if not self.deed.path:
                self.step()
            fsync(descriptor)

        class Raw(io.FileIO):
            def write(self, data):
                begun = 0

                def half():
                    nonlocal begun
                    begun = io.FileIO.write(self, bytes(data)[: len(data) // 2])

                steps.step(half)
                return begun + super().write(bytes(data)[begun:])  # of who lives on, the rest

            def readinto(self, buffer):
                found = super().read(max(1, min(len(buffer), os.fstat(self.fileno()).st_size // 2)))
                steps.step()
                buffer[: len(found)] = found
                return len(found)

            def read(self, size=-1):
                return self.readall() if size < 0 else self._some(size)

            def _some(self, size):
                buffer = bytearray(size)
                return bytes(buffer[: self.readinto(buffer)])

            def readall(self):
                found = b""
                while piece := self._some(1 << 20):
                    found += piece
                return found

        def counted_open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, **more):  # noqa: PLR0917
            if more or not self.is_watched(file) or buffering == 0:
                return plain_open(file, mode, buffering, encoding, errors, newline, **more)
            raw = Raw(file, mode.replace("b", "").replace("t", ""))
            kind = io.BufferedRandom if "+" in mode else io.BufferedReader if "r" in mode else io.BufferedWriter
            binary = kind(raw)
            return binary if "b" in mode else io.TextIOWrapper(binary, encoding, errors, newline)

        os.fsync = counted_fsync
        io.open = builtins.open = counted_open
        sys.addaudithook(self.audit)


def has_begun(error):
    """Whether an error comes from the program, and not from the lines here that are about to call it."""
    return any("hecn_analysis" in frame.filename for frame in traceback.extract_tb(error.__traceback__))


class Victim:
    """A forked process that does something and meets its deed.

    Parameters
    ----------
    action
        What it does; gives its exit status.
    folder
        Where operations are steps.
    deed
        What happens to it.
    out, err
        Descriptors for its standard output and error, instead of those that are read.
    is_leaving
        It ends as Python ends, which takes longer than just to go.
    """

    def __init__(self, action, folder, deed=Deed(), *, out=None, err=None, is_leaving=False, before=None):
        self._begin, self._deed = time.monotonic(), deed
        self._out, self._err, self._told = (os.memfd_create(name) for name in ("out", "err", "told"))
        self.pid = os.fork()
        if self.pid:
            self._handle = os.pidfd_open(self.pid)
            return
        status = 70
        try:
            steps = Steps(folder, deed)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.dup2(self._out if out is None else out, 1)
            os.dup2(self._err if err is None else err, 2)
            sys.stdout = plain(1, buffered=True)
            sys.stderr = plain(2, buffered=False)
            if before is not None:
                before()
            steps.install()
            try:
                status = action()
            finally:
                steps.is_busy = True
                os.pwrite(self._told, f"{steps.count} {time.monotonic() - self._begin}".encode(), 0)
            if is_leaving:
                gc.unfreeze()
                raise Leave(status)  # noqa: TRY301 - it is to leave all of this
            sys.stdout.flush()
        except Leave:
            raise
        except SystemExit as leaving:
            status = leaving.code or 0
        except BaseException as error:  # noqa: BLE001 - as Python does
            if isinstance(error, KeyboardInterrupt) and not has_begun(error):
                os._exit(130)
            traceback.print_exc()
            status = 1
        os._exit(status)

    def wait(self):
        """Wait until it has ended, and do what is to be done after a time."""
        if self._deed.after_s is not None and not self._is_over(self._deed.after_s):
            os.kill(self.pid, self._deed.what)
        if not self._is_over(PATIENCE_S):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError(f"did not end within {PATIENCE_S:g} s; it said: {self._read(self._err)}")
        _, status = os.waitpid(self.pid, 0)
        steps, seconds = (self._read(self._told) or "0 0").split()
        ended = Ended(
            os.waitstatus_to_exitcode(status), self._read(self._out), self._read(self._err), int(steps), float(seconds)
        )
        for descriptor in (self._handle, self._out, self._err, self._told):
            os.close(descriptor)
        return ended

    def _is_over(self, seconds):
        return bool(select.select([self._handle], [], [], seconds)[0])

    @staticmethod
    def _read(descriptor):
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()


class Leave(BaseException):
    """Ends the victim as Python ends; who forked it lets this pass."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def plain(descriptor, *, buffered):
    return io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False)), "utf-8", line_buffering=not buffered
    )


def run(action, folder, deed=Deed(), **how):
    """Run a victim until it has ended."""
    return Victim(action, folder, deed, **how).wait()


def within(deed, step=None, after_s=None):
    return replace(deed, step=step, after_s=after_s)


# Disks of our own: in a mount namespace that ends with this process.


class NoDiskError(Exception):
    """Nobody lets us mount."""


def _libc(name, *arguments):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        raise NoDiskError(f"{name}: {os.strerror(ctypes.get_errno())}")


def mount_small_disk(folder, size):
    """Mount a small disk for this process and those that it forks, as root or where users may have namespaces."""
    user, group = os.geteuid(), os.getegid()
    _libc("unshare", CLONE_NEWNS | (0 if user == 0 else CLONE_NEWUSER))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _libc("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    _libc("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={size}".encode())


def make_read_only(folder, *, is_read_only=True):
    """Mount a small disk anew, to be read only or to be written again."""
    _libc("mount", b"tmpfs", os.fsencode(folder), None, MS_REMOUNT | (MS_RDONLY if is_read_only else 0), None)


def fill_disk(folder, free):
    """Leave so many bytes of a small disk free, by a file; gives it."""
    disk = os.statvfs(folder)
    filler = Path(folder) / "filler"
    filler.write_bytes(bytes(max(0, disk.f_bavail * disk.f_bsize - free)))
    return filler
