"""Records the sample logs of data/samples: runs measurement and transfer tools and keeps what they print.

Run it as ``python data/record_samples.py`` (Linux, best as root); it takes some minutes. `record_sessions.py` says what
it runs. Two network namespaces, "here" and "there", are joined by a 1 Gb/s link; servers run there, clients here, in a
scratch folder. All of it lives in namespaces of this process and vanishes with it. Where no namespaces may be made,
everything runs over the loopback interface. Tools that are missing are named and left out, samples that exist already
of other versions stay.

``--tree FOLDER`` records the tools of another root folder too, for instance a Debian tree of another release made with
``mmdebstrap --include=iperf3,fio trixie FOLDER``. Names of the machine, its user and its kernel are replaced.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from record_namespaces import INSIDE, namespaces
from record_sessions import CONFIGURATIONS, SERVERS, SESSIONS, VERSIONS, Session

OWN = Path(__file__).resolve().parent / "samples"
SCRATCH = "/mnt"
HERE, THERE = "192.0.2.1", "192.0.2.2"
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C",
    "TERM": "dumb",
    "COLUMNS": "80",
    "USER": "user",
}

_UNKNOWN = re.compile(rb"(?:unrecognized|invalid|unknown|bad) option|sh: .* not found", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where commands run.

    Parameters
    ----------
    scratch
        The scratch folder, as programs see it.
    there, address
        Name and address of the other end.
    inside
        Words in front of a server's command: the namespace of the other end.
    tree
        Root folder of the programs, None for the machine's own.
    """

    scratch: str
    there: str
    address: str
    inside: tuple[str, ...] = ()
    tree: Path | None = None

    def words(self, text: str) -> str:
        """Fill in the names of a command or a file."""
        names = {"{there}": self.there, "{address}": self.address, "{scratch}": self.scratch}
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    def shell(self, command: str) -> list[str]:
        """Words that run a command in the scratch folder."""
        line = f"cd {shlex.quote(self.scratch)} && {{ {self.words(command)}\n}}"
        return [*(["chroot", str(self.tree)] if self.tree else []), "sh", "-c", line]

    def output(self, command: str, *, terminal: bool = False) -> bytes:
        """Run a command and give what it prints, standard error in between as on a screen."""
        if terminal:
            return self._on_terminal(command)
        done = subprocess.run(
            self.shell(command),
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        return done.stdout

    def _on_terminal(self, command: str) -> bytes:
        ours, theirs = pty.openpty()
        mode = termios.tcgetattr(theirs)
        mode[1] &= ~termios.OPOST  # line feeds stay line feeds
        termios.tcsetattr(theirs, termios.TCSANOW, mode)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        with subprocess.Popen(
            ["setsid", "--ctty", "--wait", *self.shell(command)],
            env=ENVIRONMENT,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            printed = bytearray()
            with contextlib.suppress(OSError):  # how the end of a terminal is told
                while select.select([ours], [], [], 60)[0] and (piece := os.read(ours, 65536)):
                    printed += piece
            process.kill()
        os.close(ours)
        return bytes(printed)

    def version(self, program: str) -> str | None:
        """Version of a program, None where there is none."""
        command, pattern = VERSIONS[program]
        found = re.search(pattern, self.output(f"{command}").decode(errors="replace"))
        return next((group for group in found.groups() if group), None) if found else None


def neutral(printed: bytes, place: Place) -> bytes:
    """Take the names of this machine out of what a tool printed."""
    system = os.uname()
    for name, instead in (
        (place.scratch, SCRATCH),
        (system.release, "6.1.0"),
        (system.version, "#1 SMP"),
        (system.nodename, "here"),
    ):
        if len(name) > 1:
            printed = re.sub(rb"(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w.-])", instead.encode(), printed)
    return printed


@contextlib.contextmanager
def servers(place: Place) -> Iterator[None]:
    """Run the servers: those of the tree, and this machine's where the tree has none."""
    running = []
    for command in SERVERS:
        for where in (place, dataclasses.replace(place, tree=None)):
            if where.output(f"command -v {command.split()[0]}"):
                words = where.shell(f"exec {command} > /dev/null 2>&1")
                running.append(subprocess.Popen([*place.inside, *words], env=ENVIRONMENT, stdin=subprocess.DEVNULL))
                break
    page = [sys.executable, "-m", "http.server", "8000", "--directory", f"{place.scratch}/pub"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running.append(subprocess.Popen([*place.inside, *page], **quiet))
    time.sleep(2)
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def record(session: Session, place: Place) -> bytes:
    """Run the commands of a session and give it as a terminal would show it, or the server's log of it."""
    log = Path(place.scratch, session.log or "server.txt")
    process = None
    if session.server:
        log.unlink(missing_ok=True)
        command = [*place.inside, *place.shell(f"exec {session.server} > server.txt 2>&1")]
        process = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
        time.sleep(1)
    logged = len(log.read_bytes()) if session.log and log.exists() else 0
    commands = session.commands
    disk = ""
    if session.disk:
        disk = (
            place.output("dd if=/dev/urandom of=disk bs=1M count=400 2> dd.log; losetup -f --show disk")
            .decode()
            .strip()
        )
        commands = tuple(command.replace("$DISK", disk) for command in commands)
    shown = []
    for command in commands:
        if session.prepare:
            place.output(session.prepare)
        printed = place.output(command, terminal=session.terminal)
        bare = place.words(command).removesuffix("")
        shown.append(f"$ {bare}\n".encode() + printed + (b"" if printed.endswith(b"\n") or not printed else b"\n"))
    if disk:
        place.output(f"losetup -d {disk}; rm disk")
    if session.log or process:
        time.sleep(1.5)
        if process:
            process.terminate()
            process.wait(10)
        return neutral(log.read_bytes()[logged:] if log.exists() else b"", place)
    return neutral(b"".join(shown), place)


def fill(place: Place) -> None:
    """Put the files to copy, the key and the configurations into the scratch folder."""
    folder = Path(place.scratch)
    for name in ("store", "pub/incoming", "empty"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "pub" / "incoming").chmod(0o777)
    for name in ("store", "pub"):
        (folder / name / "run.dat").write_bytes(os.urandom(1 << 20) * 30)
        (folder / name / "small.dat").write_bytes(bytes(3456))
    with (folder / "pub" / "big.dat").open("wb") as big:
        big.truncate(500 << 20)
    for name, text in CONFIGURATIONS.items():
        (folder / name).write_text(place.words(text))
    if shutil.which("ssh-keygen"):
        (folder / "key").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "key"], check=True)


def record_all(place: Place, wanted: list[str]) -> None:
    """Record the samples of one tree, those of the wanted tools or all."""
    fill(place)
    sessions = [session for session in SESSIONS if not wanted or session.name.partition("/")[0] in wanted]
    versions = {program: place.version(program) for program in VERSIONS}
    missing = sorted({session.program for session in sessions if not versions[session.program]})
    if missing:
        print(f"left out, for they are not there: {', '.join(missing)}", file=sys.stderr)
    with servers(place):
        for session in sessions:
            if not versions[session.program]:
                continue
            tool, _, what = session.name.partition("/")
            path = OWN / tool / f"{what}-{versions[session.program]}.txt"
            try:
                sample = record(session, place)
            except subprocess.TimeoutExpired:
                print(f"{path.relative_to(OWN)}: took too long, left out", file=sys.stderr)
                continue
            if _UNKNOWN.search(sample):
                print(f"{path.relative_to(OWN)}: an option is not known, left out", file=sys.stderr)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(sample)
            print(f"{path.relative_to(OWN)}: {len(sample)} bytes")


def join(tree: Path | None) -> None:
    """Make the two ends, the link between them and the scratch folder; everything vanishes with this process."""

    def run(command: str, *, must: bool = True) -> bool:
        return subprocess.run(command.split(), check=must, capture_output=not must).returncode == 0

    run("hostname here")
    for folder in ("/run", "/mnt", "/media"):
        run(f"mount -t tmpfs tmpfs {folder}")
    Path("/media/hosts").write_text(f"127.0.0.1 localhost\n{HERE} here\n{THERE} there\n")
    Path("/media/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
    for root in (Path("/"), tree or Path("/")):
        for name in ("hosts", "nsswitch.conf"):
            (root / "etc" / name).touch()
            run(f"mount --bind /media/{name} {root / 'etc' / name}")
    if tree:
        for name in ("proc", "dev", "sys"):
            run(f"mount --rbind /{name} {tree / name}")
        run(f"mount -t tmpfs tmpfs {tree / 'run'}")
        run(f"mount --bind /mnt {tree / 'mnt'}")
        (tree / "run" / "sshd").mkdir()
    Path("/run/sshd").mkdir()
    run("ip netns add there")
    run("ip link add veth0 type veth peer name veth1 netns there")
    for words, link, address in (("", "veth0", HERE), ("ip netns exec there ", "veth1", THERE)):
        run(f"{words}ip link set lo up")
        run(f"{words}ip addr add {address}/24 dev {link}")
        run(f"{words}ip link set {link} up")
        if not run(f"{words}tc qdisc add dev {link} root netem delay 1ms rate 1gbit limit 20000", must=False):
            run(f"{words}tc qdisc add dev {link} root tbf rate 1gbit burst 64k latency 20ms", must=False)


def main() -> int:
    """Write the samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", help="folders of data/samples to record; default: all")
    parser.add_argument("--tree", type=Path, help="root folder of other versions of the tools")
    parser.add_argument(INSIDE, action="store_true", dest="inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        join(options.tree)
        record_all(Place(SCRATCH, "there", THERE, ("ip", "netns", "exec", "there"), options.tree), options.tools)
        return 0
    words = namespaces()
    if words:
        return subprocess.run([*words, sys.executable, __file__, INSIDE, *sys.argv[1:]], check=False).returncode
    if options.tree:
        parser.error("--tree needs namespaces, which may not be made here")
    print("no namespaces may be made here: all runs go over the loopback interface", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        record_all(Place(folder, "127.0.0.1", "127.0.0.1"), options.tools)
    return 0


if __name__ == "__main__":
    sys.exit(main())
