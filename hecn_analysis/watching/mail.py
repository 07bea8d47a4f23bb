"""New changes told by mail, through a server that is given.

The connection is encrypted by TLS from the start (``smtps``), or as soon as the server offers it. A password is sent
over an encrypted connection only, except to this machine, and is in no message. Names from logs are in the mail as they
stand, without line breaks: they cannot add a header.
"""

from __future__ import annotations

import hashlib
import re
import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import localtime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.watching.measures import MEASURES
from hecn_analysis.watching.status import change_words
from hecn_analysis.watching.telling import Teller
from hecn_analysis.watching.web import SourceError, login_of

#: Time to wait for an answer of the server. [s]
_PATIENCE_S: Final = 30.0

_PORTS: Final = {"smtp": 25, "smtps": 465}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")

#: Longest subject, and most changes of one mail that are written out.
_LONGEST: Final = 150
_MOST: Final = 100


class Mail(Teller):
    """A mail address that is sent changes.

    Parameters
    ----------
    recipient, server, archive, logins
        The address, the server such as ``smtp://mail.example.net:587``, the archive that keeps what was sent, and a
        file of logins as for sources.
    """

    def __init__(self, recipient: str, server: str, archive: Archive, *, logins: Path | None = None) -> None:
        if re.fullmatch(r"[^\s@<>,;:\"()]{1,64}@[^\s@<>,;:\"()]{1,253}", recipient, re.ASCII) is None:
            raise InputError(f"--mail {recipient!r}", "one address, such as net-admin@example.net")
        expected = "a server such as smtp://mail.example.net:587 or smtps://mail.example.net"
        try:
            parts = urlsplit(server)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise InputError("a mail server that is no address", expected) from None
        if parts.scheme not in _PORTS or not host or parts.path.strip("/") or re.search(r"[\s\x00-\x1f]", server):
            raise InputError("a mail server that is no address", expected)
        if parts.username:
            raise InputError(
                f"a login in the address of the mail server {host}",
                "an address without one",
                advice="put it into the file of --credentials",
            )
        self._scheme, self._host, self._port = parts.scheme, host, port or _PORTS[parts.scheme]
        self._recipient = recipient
        self._login = ("", "") if logins is None else login_of(logins, host)
        super().__init__(f"mail to {recipient} by {self._host}:{self._port}", archive)

    def send(self, changes: Sequence[dict[str, Any]]) -> None:
        """Send changes as one mail; SourceError if the server does not take it."""
        mail = self._written(changes)
        try:
            with self._connected() as connection:
                connection.send_message(mail)
        except smtplib.SMTPAuthenticationError as error:
            raise SourceError(
                f"it refuses the login ({error.smtp_code}); check its user and password in the file of --credentials"
            ) from None
        except smtplib.SMTPNotSupportedError:
            raise SourceError("it takes no login; use its other port, or leave it out of --credentials") from None
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            raise SourceError(f"it refuses the recipient: {_said(code, said)}; check the address") from None
        except smtplib.SMTPResponseException as error:
            raise SourceError(
                f"it answers {_said(error.smtp_code, error.smtp_error)}; it may want a login (--credentials)"
            ) from None
        except ssl.SSLError as error:
            raise SourceError(
                f"no encrypted connection ({error.reason or error}); name the authority of its certificate in "
                "SSL_CERT_FILE, or use the server of this machine"
            ) from None
        except (smtplib.SMTPException, OSError) as error:
            words = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise SourceError(f"no answer of a mail server ({words}); check its name and port") from None

    def _connected(self) -> smtplib.SMTP:
        """Connect, encrypt, and log in."""
        context = ssl.create_default_context()
        if self._scheme == "smtps":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(self._host, self._port, timeout=_PATIENCE_S, context=context)
        else:
            connection = smtplib.SMTP(self._host, self._port, timeout=_PATIENCE_S)
        try:
            is_safe = self._scheme == "smtps" or self._host in _LOOPBACK
            connection.ehlo()
            if not is_safe and connection.has_extn("starttls"):
                connection.starttls(context=context)
                connection.ehlo()
                is_safe = True
            self._log_in(connection, is_safe=is_safe)
        except BaseException:
            connection.close()
            raise
        return connection

    def _log_in(self, connection: smtplib.SMTP, *, is_safe: bool) -> None:
        user, password = self._login
        if not user:
            return
        if not is_safe:
            raise SourceError("it offers no encryption, so the password is not sent; use smtps:// or its other port")
        connection.login(user, password)

    def _written(self, changes: Sequence[dict[str, Any]]) -> EmailMessage:
        lines = [_line(change) for change in changes]
        mail = EmailMessage()
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        mail["Subject"] = f"hecn watch: {lines[0]}"[: _LONGEST - len(more)] + more
        mail["From"] = mail["To"] = self._recipient
        mail["Date"] = localtime()
        identity = hashlib.sha256("".join(str(change["id"]) for change in changes).encode()).hexdigest()
        mail["Message-ID"] = f"<{identity[:32]}@hecn-watch.invalid>"
        shown = [f"{line}\n  page: {change['page']}" for line, change in zip(lines, changes, strict=True)]
        if len(shown) > _MOST:
            shown[_MOST:] = [f"and {len(shown) - _MOST} more, in status.json"]
        mail.set_content("\n".join(shown) + "\n")
        return mail


def _line(change: dict[str, Any]) -> str:
    """One change in one line."""
    measure = MEASURES[change["measure"]]
    test = " ".join(word for word in (change["tool"], change["protocol"], change["direction"]) if word)
    text = f"{change['source']} to {change['destination']}, {test}: {change_words(change, measure)}"
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _said(code: int, said: bytes | str) -> str:
    """An answer of a server, cut."""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"[:100]
