"""New changes told to an address as JSON.

Nothing of the address but its host is ever shown: the path of a webhook is often its password.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.telling import Teller
from hecn_analysis.watching.web import Client, address_of


class Webhook(Teller):
    """An address that takes changes.

    Parameters
    ----------
    text, archive, logins
        The address, the archive that keeps what was taken, and a file of logins as for sources.
    """

    def __init__(self, text: str, archive: Archive, *, logins: Path | None = None) -> None:
        address = address_of(text, logins=logins, is_secret=True)
        parts = urlsplit(address.url)
        super().__init__(f"webhook at {parts.scheme}://{parts.netloc}", archive)
        self._client = Client(address)

    def send(self, changes: Sequence[dict[str, Any]]) -> None:
        """Send changes; SourceError if the address does not take them."""
        self._client.send({"changes": list(changes)})
