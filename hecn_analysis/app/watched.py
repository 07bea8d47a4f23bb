"""The server of ``hecn watch --serve``: its pages, JSON and metrics, on this machine only, and nothing else.

It reads what the watch has written, so that it never holds up a look. A request for the name of another host is
refused: a page of another site can make its name point here, and read the answers.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler

from hecn_analysis.app.loopback import ADDRESS, OWN_NAMES

#: Files that are served, and their kinds.
_FILES: Final = {
    re.compile(r"index\.html|series-[0-9a-f]{16}\.html"): "text/html; charset=utf-8",
    re.compile(r"status\.json"): "application/json",
    re.compile(r"metrics\.prom"): "text/plain; version=0.0.4; charset=utf-8",
}

#: Names of files by other names.
_ALSO: Final = {"": "index.html", "metrics": "metrics.prom"}

_LONGEST_REQUEST: Final = 1 << 16
_IDLE_S: Final = 60.0


class _File(RequestHandler):
    """A file of the output of a watch."""

    def initialize(self, folder: Path) -> None:
        """Keep the folder."""
        self._folder = folder

    def set_default_headers(self) -> None:
        """Let the pages do nothing but show."""
        self.set_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-store")
        self.clear_header("Server")

    def get(self, name: str) -> None:
        """Answer with the file; 404 for any other name, and for links."""
        name = _ALSO.get(name, name)
        kind = next((kind for pattern, kind in _FILES.items() if pattern.fullmatch(name)), None)
        path = self._folder / name
        if kind is None or path.is_symlink() or not path.is_file():
            raise HTTPError(404)
        self.set_header("Content-Type", kind)
        self.finish(path.read_bytes())

    head = get

    def log_exception(self, *_: object) -> None:
        """Say nothing: a request for a file that there is not concerns nobody here."""


@contextmanager
def served(folder: Path, port: int) -> Iterator[str]:
    """Serve the output of a watch while the block runs; gives the address.

    Parameters
    ----------
    folder, port
        The output, and a free port of this machine.

    Yields
    ------
    str
        The address of the page of all pairs.

    Examples
    --------
    >>> from hecn_analysis.app.loopback import port_for
    >>> with served(folder, port_for(None, option="--serve")) as address:
    ...     print(address.rpartition(":")[0])
    http://127.0.0.1
    """
    sockets = bind_sockets(port, ADDRESS)
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def start() -> HTTPServer:
        application = Application(log_function=lambda _: None)
        application.add_handlers(OWN_NAMES, [(r"/([^/]*)", _File, {"folder": folder})])
        server = HTTPServer(
            application,
            max_body_size=_LONGEST_REQUEST,
            max_header_size=_LONGEST_REQUEST,
            idle_connection_timeout=_IDLE_S,
        )
        server.add_sockets(sockets)
        return server

    def run() -> None:
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(start())
        ready.set()
        loop.run_forever()
        server.stop()
        loop.run_until_complete(server.close_all_connections())
        loop.close()

    thread = threading.Thread(target=run, name="hecn-watch-server", daemon=True)
    thread.start()
    ready.wait()
    try:
        yield f"http://{ADDRESS}:{port}/"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
