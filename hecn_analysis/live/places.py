"""Where a program runs: here, in a network namespace of this machine, or on a host reached through ssh.

A place turns a command into the list of arguments that runs it there. No local shell is involved; ssh passes quoted
words to the remote shell. A program on another host ends at its time limit, whatever happens to this process.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from hecn_analysis.base.errors import InputError
from hecn_analysis.live import programs

_NAME: Final = re.compile(r"[A-Za-z0-9_.][\w.-]*")
_HOST: Final = re.compile(
    r"(?P<host>(?:[A-Za-z0-9_][\w.+-]*@)?(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.%]+\]))(?::(?P<port>\d{1,5}))?"
)
_LISTENS: Final = "0A"  # state of a socket in /proc/net/tcp
_LOOK_S: Final = 20.0


@dataclass(frozen=True)
class Place:
    """A place to run programs."""

    kind: Literal["local", "netns", "ssh"] = "local"  # ``local``, ``netns`` or ``ssh``
    name: str = ""  # the namespace, or ``user@host`` for ssh
    port: int | None = None  # port of the ssh server; None: ssh's default

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``local``, ``netns:NAME``, ``ssh:HOST``, ``ssh:USER@HOST`` or ``ssh:HOST:PORT``; else InputError."""
        kind, _, rest = text.partition(":")
        if text == "local":
            return cls()
        if kind == "netns" and _NAME.fullmatch(rest):
            return cls("netns", rest)
        if kind == "ssh" and (match := _HOST.fullmatch(rest)):
            return cls("ssh", match["host"], None if match["port"] is None else int(match["port"]))
        raise InputError(f"place {text!r}", "local, netns:NAME, ssh:HOST or ssh:USER@HOST:PORT")

    def __str__(self) -> str:
        port = "" if self.port is None else f":{self.port}"
        return self.kind if self.kind == "local" else f"{self.kind}:{self.name}{port}"

    @property
    def is_here(self) -> bool:
        """Whether the place is on this machine."""
        return self.kind != "ssh"

    def argv(self, words: Sequence[str], *, limit_s: float | None = None, stays: bool = False) -> list[str]:
        """Return the arguments that run a command at the place; a remote host ends it after `limit_s` [s].

        A command that `stays` runs until it is ended; ssh then gives it a terminal, and closing that ends it.
        """
        if self.kind == "local":
            return list(words)
        if self.kind == "netns":
            return ["ip", "netns", "exec", self.name, *words]
        bounded = [*([] if limit_s is None else ["timeout", str(math.ceil(limit_s))]), *words]
        options = ["-tt" if stays else "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "LogLevel=ERROR"]
        return [
            "ssh",
            *options,
            *([] if self.port is None else ["-p", str(self.port)]),
            "--",
            self.name,
            shlex.join(bounded),
        ]

    def run(self, words: Sequence[str], *, limit_s: float = _LOOK_S, stdin: bytes = b"") -> programs.Ended:
        """Run a command at the place to its end, for at most `limit_s` [s], with a standard input."""
        return programs.run(self.argv(words, limit_s=limit_s), limit_s=limit_s, stdin=stdin)

    def text(self, *paths: str) -> str:
        """Contents of small files at the place, concatenated; unreadable files are skipped."""
        return self.run(["cat", *paths]).stdout.decode(errors="replace")

    def require(self, program: str) -> None:
        """Raise MissingProgramError unless a program is installed at the place, InputError if it cannot be reached."""
        if self.is_here:
            for wrapper in {"netns": ("ip",)}.get(self.kind, ()):
                if programs.which(wrapper) is None:
                    raise programs.missing(wrapper)
            if programs.which(program) is None:
                raise programs.missing(program)
            if self.kind == "local":
                return
            trial = self.run(["true"])
        else:
            if programs.which("ssh") is None:
                raise programs.missing("ssh")
            trial = self.run(["sh", "-c", 'command -v -- "$1" timeout >&2 || exit 3', "sh", program])
            if trial.status == 3:
                raise programs.missing(program, str(self))
        if not trial.ok:
            raise InputError(f"{self}: {trial.complaint or trial.how}", "a place that can run programs")

    def listens(self, port: int) -> bool:
        """Whether a program at the place listens on this TCP port."""
        return port in self.ports()

    def ports(self) -> set[int]:
        """TCP ports on which programs at the place listen."""
        rows = [line.split() for line in self.text("/proc/net/tcp", "/proc/net/tcp6").splitlines()]
        return {int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 3 and row[3] == _LISTENS}

    def busy(self) -> Mapping[str, tuple[int, int]]:
        """Busy and total ticks of each core so far; the difference of two readings gives the load."""
        ticks_of = {}
        for line in self.text("/proc/stat").splitlines():
            name, *numbers = line.split() or [""]
            if re.fullmatch(r"cpu\d+", name):
                ticks = [int(number) for number in numbers[:8]]  # user time already includes guest time
                ticks_of[name] = (sum(ticks) - ticks[3] - ticks[4], sum(ticks))
        return ticks_of
