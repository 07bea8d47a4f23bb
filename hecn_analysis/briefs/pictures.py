"""Figures as files: SVG, PNG and thumbnails for the index, drawn by the installed Chromium without a network."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

from hecn_analysis.base.errors import HecnError
from hecn_analysis.briefs.pdf import find_chromium, has_sandbox, sandbox_fault_of

if TYPE_CHECKING:
    from kaleido import Kaleido

NO_PICTURE: Final = "no picture was drawn"
FORMATS: Final = ("svg", "png")
TIME_LIMIT_S: Final = 60.0
WIDTH, HEIGHT = 900, 380  # of a figure without a height of its own [px]
PNG_SCALE = 2
THUMBNAIL: Final = {"format": "webp", "width": 560, "scale": 0.8}


class PictureError(HecnError):
    """Chromium did not draw."""


class Pictures:
    """Draws figures with one Chromium, which is started for the first figure; use it in a ``with``.

    Threads may share it: they take turns.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pictures", daemon=True)
        self._drawer: Kaleido | None = None
        self._drawing: Future[Any] | None = None
        self._is_abandoned = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            if self._drawer is not None:
                self._wait(self._drawer.__aexit__(None, None, None))
            self._wait(_end_tasks())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def figure(self, spec: dict[str, Any], form: str, *, width: int = WIDTH, scale: int | None = None) -> bytes:
        """Draw a figure as in a brief."""
        dots = scale or (PNG_SCALE if form == "png" else 1)
        return self._draw(spec, {"format": form, "width": width, "scale": dots})

    def thumbnail(self, spec: dict[str, Any]) -> bytes:
        """Draw a small picture of a figure, as WebP."""
        return self._draw(spec, THUMBNAIL)

    def abandon(self) -> None:
        """Stop drawing; threads that wait for a picture get `PictureError` at once."""
        self._is_abandoned = True
        if (drawing := self._drawing) is not None:
            drawing.cancel()

    def _draw(self, spec: dict[str, Any], options: dict[str, Any]) -> bytes:
        figure = {"data": spec["data"], "layout": spec["layout"]}
        options = {**options, "height": spec["layout"].get("height") or HEIGHT}
        with self._turn:
            if self._is_abandoned:
                raise PictureError(f"{NO_PICTURE}: it was interrupted")
            try:
                return bytes(self._wait(self._started().calc_fig(figure, opts=options)))
            except HecnError:
                raise
            except Exception as error:  # any error of Kaleido or Chromium: the brief continues without the picture
                words = " ".join(str(error).split())[:200] or type(error).__name__
                raise PictureError(f"{NO_PICTURE}: Chromium or Kaleido said: {words}") from error

    def _started(self) -> Kaleido:
        if self._drawer is None:
            program = find_chromium(NO_PICTURE)
            from kaleido import Kaleido, PageGenerator  # noqa: PLC0415 (heavy, and only pictures need it)

            if not self._thread.is_alive():
                self._thread.start()
            page = PageGenerator(mathjax=False)  # MathJax is on the web
            drawer = Kaleido(path=program, n=1, page_generator=page, enable_sandbox=has_sandbox())
            try:
                self._wait(drawer.__aenter__())
            except Exception:
                with suppress(Exception):  # it may have started in part
                    self._wait(drawer.close())
                if advice := sandbox_fault_of(program):
                    raise PictureError(f"{NO_PICTURE}: {advice}") from None
                raise
            self._drawer = drawer
        return self._drawer

    def _wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 (whatever it gives)
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._drawing = future
        try:
            return future.result(TIME_LIMIT_S)
        except TimeoutError:
            future.cancel()
            raise PictureError(f"{NO_PICTURE}: Chromium took longer than {TIME_LIMIT_S:g} s") from None


async def _end_tasks() -> None:
    """Cancel tasks left by a browser that did not start."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
