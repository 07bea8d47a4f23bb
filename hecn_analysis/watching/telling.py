"""New changes told to somebody, each once: what a webhook and a mail share.

What was taken is a unit of the archive without rows, so that a stop or a restart repeats nothing: but a change that was
taken just before the stop of a watch comes twice, with the same ``id``. Changes are new for a week.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.changes import LEAST_S
from hecn_analysis.watching.pages import page_name
from hecn_analysis.watching.status import Status, plain
from hecn_analysis.watching.web import Backoff, SourceError


class Teller:
    """A recipient of changes. Its name shows no secret; the archive keeps which changes it accepted."""

    def __init__(self, name: str, archive: Archive) -> None:
        self.name = name
        self._archive = archive
        self._backoff = Backoff()
        self._waiting: dict[str, dict[str, Any]] = {}

    def send(self, changes: Sequence[dict[str, Any]]) -> None:
        """Send changes, each with its ``id``; SourceError if they were not taken."""
        raise NotImplementedError

    def tell(self, judged: Sequence[Status] | None) -> list[str]:
        """Send the new changes, of what was judged just now and of earlier tries; return what is to be said.

        Parameters
        ----------
        judged
            What was judged, None if nothing was.

        Returns
        -------
        list
            A remark, if they were not taken, the first time.

        Examples
        --------
        >>> from hecn_analysis.archive.store import Archive
        >>> Teller("nobody", Archive(folder / "archive")).tell([])
        []
        """
        if judged is not None:
            known = {key: content for key, content in self._new(judged) if not self._archive.has(key)}
            self._waiting = known
        if not self._waiting or not self._backoff.is_due():
            return []
        try:
            self.send([{"id": key, **content} for key, content in self._waiting.items()])
        except SourceError as error:
            is_new = self._backoff.failed(str(error))
            return [f"{self.name}: {error}; its changes wait"] if is_new else []
        self._backoff.worked()
        for key in self._waiting:
            self._archive.add(key, {}, source=self.name)
        self._waiting = {}
        return []

    def _new(self, judged: Sequence[Status]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Changes of the last week, by the newest result of all, with their keys."""
        now = max((status.last_time for status in judged), default=None)
        for status in judged:
            about = {name: value for name, value in plain(status).items() if name != "changes"}
            page = page_name(status)
            for change in status.changes:
                if now is not None and (now - pd.Timestamp(change["time"])).total_seconds() < LEAST_S:
                    identity = hashlib.sha256(f"{self.name}\n{page}\n{change['time']}".encode()).hexdigest()
                    yield f"told-{identity}", {**about, "page": page, **change}
