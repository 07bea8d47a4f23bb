"""The server of ``hecn app``: Voila with one page, on this machine only, behind a token.

Each browser tab has a kernel of its own. It ends with its tab; one whose browser went away without a word is ended
after a minute, and all of them when the server ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import secrets
import socket
import webbrowser
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from tornado.ioloop import IOLoop
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError
from traitlets.config import Config
from voila.app import Voila

from hecn_analysis.app import FOLDER, SCENARIO
from hecn_analysis.errors import InputError

ADDRESS: Final = "127.0.0.1"

#: Kernels that no browser is connected to are ended after this, looked for that often. [s]
_IDLE: Final = 60
_LOOK: Final = 10

#: Answer to a ping is waited for as long as pings are apart: what is longer, Tornado shortens with a warning. [ms]
_PING: Final = 30_000

_PAGE: Final = files("hecn_analysis.app") / "page"

#: All that the page needs of what is installed for JupyterLab; others may ask other hosts for something.
_EXTENSIONS: Final = ["@voila-dashboards/widgets-manager8", "@jupyter-widgets/jupyterlab-manager", "anywidget"]


class _Refused(RequestHandler):
    """What who comes without the token is sent to: there is nothing to log in with but the address."""

    def get(self) -> None:
        """Refuse."""
        self.set_status(403)
        self.finish("This page opens with the address that hecn app has printed: it ends with a token.\n")


class _Server(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila that obeys no configuration of the user's own dashboards, and has no page to log in."""

    def load_config_file(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as Voila has it
        """Take nothing from files."""

    def init_handlers(self) -> list[Any]:
        """Handlers of Voila, with a refusal in place of the login."""
        kept = [handler for handler in super().init_handlers() if "/login" not in handler[0]]
        return [("/login", _Refused), *kept]


def serve(scenario: str | None, *, port: int | None, open_browser: bool) -> None:
    """Serve the app until it is interrupted, after printing its address.

    Parameters
    ----------
    scenario
        YAML file or name of a shipped scenario to open; None: where the app starts.
    port
        Port to listen on; None: any free one.
    open_browser
        Whether to open a browser, too.

    Raises
    ------
    InputError
        The port is taken.
    """
    port = _free(port)
    token = secrets.token_urlsafe(24)
    os.environ[FOLDER] = str(Path.cwd())
    os.environ[SCENARIO] = scenario or ""
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(_PAGE), *filter(None, [os.environ.get("JUPYTER_PATH")])])
    server = _Server(config=_configuration(port, token), log_level=logging.ERROR)
    server.initialize([str(_PAGE / "what_if.ipynb")])
    address = f"http://{ADDRESS}:{port}/?token={token}"

    def ready() -> None:
        asyncio.get_running_loop().set_exception_handler(_unless_gone)
        print(address, flush=True)
        if open_browser:
            webbrowser.open(address)

    IOLoop.current().add_callback(ready)  # runs once the server listens
    with contextlib.suppress(KeyboardInterrupt):
        server.start()


def _unless_gone(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report what went wrong, but not that a page was closed before all was said to it."""
    if not isinstance(context.get("exception"), WebSocketClosedError):
        loop.default_exception_handler(context)


def _configuration(port: int, token: str) -> Config:
    return Config(
        Voila={
            "ip": ADDRESS,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "token": token,
            "tornado_settings": {"log_function": lambda _: None, "ws_ping_timeout": _PING},
        },
        VoilaConfiguration={"template": "hecn", "extension_allowlist": _EXTENSIONS, "show_tracebacks": False},
        KernelManager={"transport": "ipc" if os.name == "posix" else "tcp"},
        MappingKernelManager={"cull_idle_timeout": _IDLE, "cull_interval": _LOOK, "cull_connected": False},
    )


def _free(port: int | None) -> int:
    """Port to listen on: the one that is wanted, or any free one."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((ADDRESS, port or 0))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                raise InputError(f"port {port} that cannot be had", "a free one; without --port any is taken") from None
            raise
        return int(tried.getsockname()[1])
