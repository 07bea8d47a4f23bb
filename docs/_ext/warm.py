"""A process that has imported the command already: ``python warm.py SOCKET`` forks for each ``hecn`` of a page.

Most of the time of a short command is its imports; this way all commands of the documentation share them. `SHIM` is the
program ``hecn`` that pages run: it hands its arguments, folder, environment and standard streams to this process, and
ends with the status that comes back.
"""

import contextlib
import json
import os
import socket
import sys

SHIM = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect({address!r})
    asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(warm, [len(asked).to_bytes(4, "big")], [0, 1, 2])
    warm.sendall(asked)
    sys.exit((warm.recv(1) or b"\\1")[0])
"""


def main() -> None:
    """Import the command, and run it in a fork for each connection."""
    import plotly.graph_objects  # noqa: PLC0415, F401 - what commands import first
    import scipy.optimize  # noqa: PLC0415, F401

    import hecn_analysis as hecn  # noqa: PLC0415

    for name in hecn.__all__:
        getattr(hecn, name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            _reap()
            with connection:
                if os.fork() == 0:
                    _answer(connection)


def _reap() -> None:
    """Let go of commands that have ended, so that their time counts as that of the build."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(connection: socket.socket) -> None:
    """Run one command on the streams that came with it, and end."""
    status = 1
    try:
        size, streams, _, _ = socket.recv_fds(connection, 4, 3)
        with connection.makefile("rb") as asked:
            arguments, folder, environment = json.loads(asked.read(int.from_bytes(size, "big")))
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["hecn", *arguments]
        status = _status()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:  # the reader went away
                status = status or 1
        connection.sendall(bytes([status]))
        os._exit(0)


def _status() -> int:
    """Run the command; its exit status."""
    from hecn_analysis.__main__ import main as command  # noqa: PLC0415

    try:
        return int(command() or 0)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


if __name__ == "__main__":
    main()
