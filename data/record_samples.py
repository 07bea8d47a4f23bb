"""Records the sample logs of data/logs/own: runs the tools on this machine and keeps what they print.

Run it as ``python data/record_samples.py``; it takes half a minute and needs nuttcp and GNU dd. The runs go over the
loopback interface and into a temporary folder, so that no name or path of the machine is printed.
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OWN = Path(__file__).parent / "logs" / "own"

# file: the command lines of the session that it holds
SESSIONS = {
    "nuttcp-summary.txt": ["nuttcp -T1 127.0.0.1", "nuttcp -r -T1 127.0.0.1", "nuttcp -b -w256k -T1 127.0.0.1"],
    "nuttcp-intervals.txt": ["nuttcp -i0.5 -T2 127.0.0.1", "nuttcp -r -i0.5 -T2 127.0.0.1"],
    "nuttcp-udp.txt": ["nuttcp -u -R100m -i0.5 -T2 127.0.0.1", "nuttcp -u -R100m -T1 127.0.0.1"],
    "nuttcp-streams.txt": ["nuttcp -N3 -T1 127.0.0.1", "nuttcp -N3 -v -T1 127.0.0.1"],
    "nuttcp-verbose.txt": [
        "nuttcp -v -T1 127.0.0.1",
        "nuttcp -v -r -I mine -T1 127.0.0.1",
        "nuttcp -v -u -R50m -T1 127.0.0.1",
    ],
    "nuttcp-parsable.txt": [
        "nuttcp -fparse -i0.5 -T2 127.0.0.1",
        "nuttcp -fparse -v -T1 127.0.0.1",
        "nuttcp -fparse -u -R50m -T1 127.0.0.1",
    ],
    "nuttcp-rare-fields.txt": [
        "nuttcp -frunningtotal -i0.5 -T2 127.0.0.1",
        "nuttcp -fxmitstats -u -R50m -i0.5 -T2 127.0.0.1",
        "nuttcp -I mine -T1 127.0.0.1",
    ],
    "dd.txt": [
        "dd if=/dev/zero of=scratch bs=1M count=256 conv=fsync",
        "dd if=scratch of=/dev/null bs=1M",
        "dd if=/dev/zero of=small bs=619 count=1",
    ],
    "dd-progress.txt": ["dd if=/dev/zero of=/dev/null bs=64K count=1200000 status=progress"],
    "session.txt": [
        "uname -s",
        "dd if=/dev/zero of=scratch bs=1M count=64",
        "nuttcp -T1 127.0.0.1",
        "echo done",
    ],
}


def record(commands: list[str], folder: str) -> bytes:
    """Run commands one after another in a folder and give the session as a terminal would show it."""
    shown = []
    for command in commands:
        done = subprocess.run(  # noqa: S603 - the commands stand above
            command.split(), cwd=folder, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, capture_output=True, check=True
        )
        shown += [f"$ {command}\n".encode(), done.stdout, done.stderr]
    return b"".join(shown)


def main() -> int:
    """Write the samples."""
    missing = [tool for tool in ("nuttcp", "dd") if shutil.which(tool) is None]
    if missing:
        print(f"found no {', '.join(missing)}, expected them on the PATH", file=sys.stderr)
        return 1
    server = subprocess.Popen(["nuttcp", "-S", "--nofork"])  # noqa: S607 - whichever nuttcp the PATH has
    try:
        time.sleep(1)
        with tempfile.TemporaryDirectory() as folder:
            sessions = {name: record(commands, folder) for name, commands in SESSIONS.items()}
    finally:
        server.terminate()
        server.wait()
    OWN.mkdir(parents=True, exist_ok=True)
    for name, session in sessions.items():
        (OWN / name).write_bytes(session)
        print(f"{name}: {session.count(b'$ ')} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
