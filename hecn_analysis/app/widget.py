"""The what-if app as one widget: for JupyterLab, and for the page that ``hecn app`` serves.

``view.js`` draws the page in the browser; this module answers it. A change gets a quick prediction at once, and the
full prediction when the user pauses; the full one is computed in the background, so that it delays no further change.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets
from plotly.offline import get_plotlyjs

from hecn_analysis.app import FOLDER, SCENARIO, model
from hecn_analysis.app.brief import make_brief
from hecn_analysis.figures import theme

#: Pause after the last change before the full prediction is computed. [s]
PAUSE: Final = 0.4

_HERE: Final = files("hecn_analysis.app")


class WhatIf(anywidget.AnyWidget):
    """A scenario to play with.

    Parameters
    ----------
    scenario
        YAML file, name in ``models/scenarios``, or mapping of keys; left out: two hosts of 2024 with
        100 Gb/s cards in one data centre.

    Attributes
    ----------
    state
        Keys of the current scenario; may be set.
    page
        Contents of the page, see `hecn_analysis.app.model.page`.

    Examples
    --------
    >>> app = WhatIf({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s"})
    >>> app.page["headline"]["value"]
    '9.41'
    >>> app.set("path.mtu", 9000)
    >>> app.page["headline"]["value"]
    '9.90'
    """

    _esm = _HERE.joinpath("view.js").read_text(encoding="utf-8")
    _css = _HERE.joinpath("view.css").read_text(encoding="utf-8")

    state = traitlets.Dict().tag(sync=True)
    page = traitlets.Dict().tag(sync=True)
    models = traitlets.Dict().tag(sync=True)
    parts = traitlets.Dict().tag(sync=True)
    dark_colours = traitlets.Dict(theme.DARK).tag(sync=True)

    def __init__(self, scenario: str | Path | Mapping[str, Any] | None = None) -> None:
        self._number = 0
        self._settling = False
        self._timer: asyncio.TimerHandle | None = None
        self._full_look: asyncio.Future[model.Look] | None = None
        self._start, refusal = dict(model.START), None
        try:
            self._start = model.opened(scenario)
        except Exception as error:  # noqa: BLE001 - the page shows any error
            refusal = model.refused(error)
        super().__init__(state=self._start, models=model.models(), parts=model.known_parts())
        self.on_msg(self._handle_message)
        self._settling = True
        self._update()
        if refusal is not None:
            self._cancel_full()
            self._show({**self.page, **refusal})

    def set(self, key: str, value: object) -> None:
        """Set a key of the scenario."""
        kept = {name: held for name, held in self.state.items() if name != key}
        self.state = kept if value is None else {**kept, key: value}

    @traitlets.observe("state")
    def _changed(self, change: Mapping[str, Any]) -> None:
        if not self._settling:
            return
        settled = model.settled(change["old"], change["new"])
        if settled != change["new"]:
            self.state = settled  # the change of state triggers the update
        else:
            self._update()

    def _update(self) -> None:
        """Show a quick prediction, and the full one after a pause."""
        self._cancel_full()
        try:
            look = model.glance(self.state)
            self._show(model.page(look))
        except Exception as error:  # noqa: BLE001 - a page is no place for a traceback
            self._show({**self.page, **model.refused(error)})
            return
        loop = _running_loop()
        if loop is None:
            self._show(model.page(model.in_full(look)))
        else:
            self._timer = loop.call_later(PAUSE, self._start_finish, loop, look)

    def _cancel_full(self) -> None:
        """Cancel the pending full prediction."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_finish(self, loop: asyncio.AbstractEventLoop, look: model.Look) -> None:
        self._finishing = loop.create_task(self._finish(look))  # kept: the loop itself holds its tasks weakly

    async def _finish(self, look: model.Look) -> None:
        """Compute full predictions in the background, one at a time, and show one if it is still current."""
        while self._full_look is not None and not self._full_look.done():
            await asyncio.wait([self._full_look])
        if look.state != self.state:
            return
        self._full_look = asyncio.get_running_loop().run_in_executor(None, model.in_full, look)
        try:
            full = await self._full_look
            page = model.page(full)
        except Exception as error:  # noqa: BLE001 - see `_update`
            page = {**self.page, **model.refused(error)}
        if look.state == self.state:
            self._show(page)

    def _show(self, page: dict[str, Any]) -> None:
        self._number += 1  # every answer differs, so that every one is sent
        self.page = {**page, "number": self._number}

    def _handle_message(self, _: object, message: Mapping[str, Any], __: object) -> None:
        """Perform the action that the page requests."""
        actions: dict[str, Callable[[], None]] = {
            "reset": lambda: self._replace_state(dict(self._start)),
            "open": lambda: self._replace_state(model.read(str(message["text"]), str(message["name"]))),
            "host": lambda: self._replace_state(
                model.with_host(self.state, [str(role) for role in message["roles"]], str(message["words"]))
            ),
            "captured": lambda: self._replace_state(
                model.with_captured(self.state, [str(role) for role in message["roles"]], str(message["path"]))
            ),
            "brief": self._send_brief,
            "plotly": lambda: self.send({"kind": "plotly"}, [get_plotlyjs().encode()]),
        }
        try:
            actions[str(message["kind"])]()
        except Exception as error:  # noqa: BLE001 - see `_update`
            self._show({**self.page, **model.refused(error)})

    def _replace_state(self, state: model.State) -> None:
        """Replace the whole state."""
        self._settling = False
        self.state = state
        self._settling = True
        self._update()

    def _send_brief(self) -> None:
        """Make the brief in the background, and send it to the page when it is done."""
        state = dict(self.state)

        def answer() -> dict[str, str]:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    return {"kind": "brief", **make_brief(state, Path(folder))}
            except Exception as error:  # noqa: BLE001 - see `_update`
                return {"kind": "brief", "remark": str(model.refused(error)["error"])}

        loop = _running_loop()
        if loop is None:
            self.send(answer())
        else:
            loop.run_in_executor(None, answer).add_done_callback(lambda made: self.send(made.result()))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def served() -> WhatIf:
    """The app for a page of ``hecn app``, with the scenario of the command line."""
    if FOLDER in os.environ:
        os.chdir(os.environ[FOLDER])
    return WhatIf(os.environ.get(SCENARIO) or None)
