"""The server of ``hecn app``: Voila with one page, on this machine only, behind a token.

Each browser tab has its own kernel. It ends with the tab, a minute after its browser was killed, or with the server. At
most `MOST_PAGES` tabs can be open.

The token is in the printed address, and in a file for the browser that only this user can read, since all users can see
the arguments of a program. No line of the log contains the token.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import webbrowser
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from jinja2 import DictLoader, Environment
from jupyter_core.paths import secure_write
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError
from traitlets.config import Config
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

from hecn_analysis.app import FOLDER, SCENARIO
from hecn_analysis.app.loopback import ADDRESS
from hecn_analysis.base import kernels
from hecn_analysis.base.children import private_folder
from hecn_analysis.base.errors import HecnError

#: Limit of open pages; each has a kernel of some 200 MB.
MOST_PAGES: Final = 8

#: Time after which a kernel without a browser is ended, and the interval of the check. [s]
_IDLE: Final = 60
_LOOK: Final = 10

#: Interval of pings, and the time to wait for the answer, which Tornado limits to the interval. [ms]
_PING: Final = 30_000

_PAGE: Final = files("hecn_analysis.app") / "page"

#: The extensions of JupyterLab that the page needs; others may contact other hosts.
_EXTENSIONS: Final = ["@voila-dashboards/widgets-manager8", "@jupyter-widgets/jupyterlab-manager", "anywidget"]


#: Error page; Jupyter's own needs files that Voila does not serve.
_ERROR: Final = (
    "<!doctype html><title>{{ status_code }}</title><p>{{ status_code }} {{ status_message }}: {{ message }}</p>"
)

#: The page that leads the browser to the app.
_REDIRECT: Final = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={address}">\n'

#: The longest name of a socket of a kernel below the folder of the server.
_SOCKET: Final = f"voila_{'x' * 8}/kernel-{'x' * 36}-ipc-5"

_LOGINS: Final = ("/login", "/logout")

#: Beginnings of lines of Jupyter's log, and their replacements; None drops a line that another one repeats.
_LINES: Final = {
    "Couldn't authenticate": "a connection without the token was refused",
    "Blocking request with non-local 'Host'": "a request for the name of another host was refused",
    "wrote error: ": None,
}


class _Refused(RequestHandler):
    """The page for a request without the token; there is no other way to log in."""

    def get(self) -> None:
        """Refuse."""
        self.set_status(403)
        self.finish("This page opens with the address that hecn app has printed: it ends with a token.\n")


class _TooManyPagesError(HecnError):
    """The limit of open pages is reached."""


class _Kernels(AsyncMappingKernelManager):
    """Starts a kernel for a page, up to the limit of open pages."""

    _starting = 0

    async def start_kernel(self, **settings: Any) -> str:  # type: ignore[override]  # noqa: ANN401 - as the base class has it
        """Start a kernel and return its id."""
        if len(self.list_kernel_ids()) + self._starting >= MOST_PAGES:
            raise _TooManyPagesError
        self._starting += 1
        try:
            return str(await super().start_kernel(**settings))
        finally:
            self._starting -= 1


class _Page(TornadoVoilaHandler):  # type: ignore[misc]  # Voila has no types
    """The page of the app, or the reason why it does not open."""

    async def get(self, path: str | None = None) -> None:
        """Start a kernel and show its output."""
        try:
            await super().get(path)
        except _TooManyPagesError:
            self.set_status(503)
            self.finish(
                f"<!doctype html><title>Too many pages</title><p>{MOST_PAGES} pages of the app are open, which is the "
                "limit. Close one of them, then load this page again. A page whose browser was killed counts for up to "
                f"{_IDLE + _LOOK} seconds.</p>\n"
            )


class _Server(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila without the configuration of the user's own dashboards, and without a login page."""

    def load_config_file(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as Voila has it
        """Read no configuration files."""

    def init_handlers(self) -> list[Any]:
        """Handlers of Voila, with the app's page, and with a refusal in place of the login."""
        kept = [handler for handler in super().init_handlers() if handler[0] not in _LOGINS]
        handlers = [
            (place, _Page, *more) if kind is TornadoVoilaHandler else (place, kind, *more)
            for place, kind, *more in kept
        ]
        return [*((place, _Refused) for place in _LOGINS), *handlers]


class _Log(logging.Handler):
    """Shortens each entry of the log to one line, without the token."""

    def __init__(self, token: str, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._token, self._say = token, say

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line."""
        text = (record.getMessage().splitlines() or [""])[0]
        for beginning, replacement in _LINES.items():
            if text.startswith(beginning):
                if replacement is not None:
                    self._say(replacement)
                return
        if record.exc_info and (error := record.exc_info[1]) is not None:
            text += f": {type(error).__name__}: {' '.join(str(error).split())}"
            if os.environ.get("HECN_DEBUG"):
                text += "\n" + logging.Formatter().formatException(record.exc_info)
        for line in text.replace(self._token, "…").splitlines():
            self._say(line)


@contextlib.contextmanager
def _logged(token: str, say: Callable[[str], None]) -> Iterator[None]:
    """Send the logs of all libraries through `_Log` in this block."""
    handler, root = _Log(token, say), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def serve(scenario: str | None, *, port: int, open_browser: bool, say: Callable[[str], None]) -> None:
    """Serve the app until it is interrupted, after printing its address by `say`.

    Without a scenario the app's default opens.
    """
    token = secrets.token_urlsafe(24)
    os.environ[FOLDER] = str(Path.cwd())
    os.environ[SCENARIO] = scenario or ""
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(_PAGE), *filter(None, [os.environ.get("JUPYTER_PATH")])])
    with private_folder("app") as private, _logged(token, say):
        log = logging.getLogger(__name__)
        log.setLevel(logging.ERROR)
        server = _Server(config=_configuration(port, token, private), log=log)
        server.initialize([str(_PAGE / "what_if.ipynb")])
        address = f"http://{ADDRESS}:{port}/?token={token}"

        def ready() -> None:
            asyncio.get_running_loop().set_exception_handler(_unless_gone)
            print(address, flush=True)
            if open_browser:
                webbrowser.open(_redirect(address, private).as_uri())

        IOLoop.current().add_callback(ready)  # runs once the server listens
        with contextlib.suppress(KeyboardInterrupt):
            server.start()


def _redirect(address: str, private: Path) -> Path:
    """Write the page that leads the browser to an address; only this user can read it."""
    page = private / "open.html"
    with secure_write(str(page)) as stream:
        stream.write(_REDIRECT.format(address=address))
    return page


def _unless_gone(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an error, unless a page was merely closed before it received all messages."""
    if not isinstance(context.get("exception"), WebSocketClosedError):
        loop.default_exception_handler(context)


def _configuration(port: int, token: str, private: Path) -> Config:
    return Config(
        Voila={
            "ip": ADDRESS,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "token": token,
            "connection_dir_root": str(private),
            "tornado_settings": {
                "allow_remote_access": False,  # the Host header must name this machine
                "jinja2_env": Environment(loader=DictLoader({"error.html": _ERROR}), autoescape=True),
                "log_function": lambda _: None,
                "ws_ping_timeout": _PING,
            },
        },
        VoilaConfiguration={
            "template": "hecn",
            "allow_template_override": "NO",
            "allow_theme_override": "NO",
            "extension_allowlist": _EXTENSIONS,
            "kernel_spec_manager_class": kernels.OwnKernels,
            "multi_kernel_manager_class": _Kernels,
            "show_tracebacks": False,
        },
        KernelManager={"transport": kernels.transport(private, _SOCKET)},
        MappingKernelManager={"cull_idle_timeout": _IDLE, "cull_interval": _LOOK, "cull_connected": False},
    )
