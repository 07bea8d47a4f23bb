"""New changes told to an address as JSON, each once.

What was taken is a unit of the archive without rows, so that a stop or a restart repeats nothing: but a change that was
taken just before the stop of a watch comes twice, with the same ``id``. Changes are new for a week. Nothing of the
address but its host is ever shown: the path of a webhook is often its password.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.changes import LEAST_S
from hecn_analysis.watching.pages import page_name
from hecn_analysis.watching.status import Status, plain
from hecn_analysis.watching.web import Backoff, Client, SourceError, address_of


class Webhook:
    """An address that takes changes.

    Parameters
    ----------
    text, archive, logins
        The address, the archive that keeps what was taken, and a file of logins as for sources.
    """

    def __init__(self, text: str, archive: Archive, *, logins: Path | None = None) -> None:
        address = address_of(text, logins=logins, is_secret=True)
        parts = urlsplit(address.url)
        self._name = f"webhook at {parts.scheme}://{parts.netloc}"
        self._client = Client(address)
        self._archive = archive
        self._backoff = Backoff()
        self._waiting: dict[str, dict[str, Any]] = {}

    def tell(self, judged: Sequence[Status] | None) -> list[str]:
        """Send the new changes, of what was judged just now and of earlier tries; return what is to be said.

        Parameters
        ----------
        judged
            What was judged, None if nothing was.

        Returns
        -------
        list
            A remark, if the address did not take them, the first time.

        Examples
        --------
        >>> from hecn_analysis.archive.store import Archive
        >>> Webhook("https://hooks.example.net/x", Archive(folder / "archive")).tell([])
        []
        """
        if judged is not None:
            known = {key: content for key, content in self._new(judged) if not self._archive.has(key)}
            self._waiting = known
        if not self._waiting or not self._backoff.is_due():
            return []
        try:
            self._client.send({"changes": [{"id": key, **content} for key, content in self._waiting.items()]})
        except SourceError as error:
            is_new = self._backoff.failed(str(error))
            return [f"{self._name}: {error}; its changes wait"] if is_new else []
        self._backoff.worked()
        for key in self._waiting:
            self._archive.add(key, {}, source=self._name)
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
                    identity = hashlib.sha256(f"{self._name}\n{page}\n{change['time']}".encode()).hexdigest()
                    yield f"told-{identity}", {**about, "page": page, **change}
