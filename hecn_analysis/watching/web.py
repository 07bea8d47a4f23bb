"""Answers of sources over HTTP: JSON, from the host that was named, within a time and a size.

Only http and https are spoken, without proxies. A redirect is followed on the same host only, and never from https to
http. User and password come from the address, or from a file in the form of ``.netrc``, a token from the environment;
they are sent to their host, and are in no message and no name. An answer counts only as a whole.
"""

from __future__ import annotations

import base64
import http.client
import json
import netrc
import os
import re
import ssl
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.base.secrets import hidden
from hecn_analysis.watching.incoming import FIRST_PAUSE_S, LONGEST_PAUSE_S

#: Time to wait for the next bytes of an answer, and for all of it. [s]
_PATIENCE_S: Final = 30.0
_LONGEST_S: Final = 120.0

#: Largest answer. [B]
_LARGEST: Final = 64 << 20
_CHUNK: Final = 1 << 16

#: Pauses before a request is repeated that may succeed the next time. [s]
_PAUSES: Final = (1.0, 3.0)

#: Statuses after which the same request may succeed: too many requests, and faults of the server or its proxy.
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)

_ADVICE: Final = {
    400: "check the address and its query",
    401: "check its user and password or its token, which may have expired",
    403: "its user or token may not read this; ask its operator",
    404: "check the path of the address",
}

#: The variable with the token of a host: HECN_WATCH_TOKEN_PS_EXAMPLE_NET for ps.example.net.
_VARIABLE: Final = "HECN_WATCH_TOKEN_"


class SourceError(HecnError):
    """A source did not answer as it should. The message says what was found and what to do."""


@dataclass(frozen=True)
class Address:
    """Where a source is: ``url`` without user and query, the ``parameters`` of the query, and what opens it."""

    url: str
    parameters: Mapping[str, str]
    authorization: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The address as it is shown and archived: without anything secret."""
        query = urlencode(self.parameters, safe='/:,*{}[]"=~|()')
        return hidden(self.url + (f"?{query}" if query else ""))


def is_address(source: str) -> bool:
    """Whether a source is an address, not a folder."""
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", source) is not None


def address_of(text: str, *, logins: Path | None = None, is_secret: bool = False) -> Address:
    """Take apart an address; InputError if it is none of http or https, which shows nothing of a secret one."""
    scheme, separator, rest = text.partition("://")
    shown = "…" if is_secret else (scheme + separator + rest.rpartition("@")[2]).partition("?")[0]
    expected = "an address such as https://ps.example.net/esmond/perfsonar/archive/"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise InputError(f"the address {shown!r}", expected) from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise InputError(f"the address {shown!r}", expected)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if parts.path.endswith("/query"):  # of InfluxDB
        user, password = query.pop("u", user), query.pop("p", password)
    if not user and logins is not None:
        user, password = login_of(logins, host)
    token = os.environ.get(_VARIABLE + re.sub(r"[^A-Z0-9]", "_", host.upper())) or None
    basic = base64.b64encode(f"{user}:{password}".encode()).decode() if user else None
    where = f"[{host}]" if ":" in host else host
    netloc = where if port is None else f"{where}:{port}"
    url = urlunsplit((parts.scheme, netloc, parts.path or "/", "", ""))
    return Address(url, query, f"Basic {basic}" if basic else None, token)


def login_of(file: Path, host: str) -> tuple[str, str]:
    """User and password of a host, from a file that only its owner can read."""
    try:
        mode = file.stat().st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError(
                f"mode {stat.S_IMODE(mode):o}",
                "a file that only its owner can read",
                source=file,
                advice="chmod 600 it",
            )
        known = netrc.netrc(str(file)).authenticators(host)
    except OSError as error:
        raise InputError(f"{error.strerror or error}".lower(), "a file of logins", source=file) from None
    except (netrc.NetrcParseError, UnicodeDecodeError) as error:
        line = getattr(error, "lineno", None)
        expected = "'machine HOST login USER password PASSWORD' (.netrc)"
        raise InputError("a line that does not belong in .netrc", expected, source=file, line=line) from None
    return ("", "") if known is None else (known[0], known[2] or "")


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects on one host only, and none that gives up encryption."""

    max_redirections = 3

    def redirect_request(  # noqa: PLR0917 - as the base class has it
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the request to follow with; SourceError for another host."""
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        has_content = req.data is not None  # which a redirect would lose
        is_encrypted_now = (before.scheme, before.port, after.scheme, after.port) == ("http", None, "https", None)
        is_same = (before.scheme, before.port) == (after.scheme, after.port)
        if has_content or after.hostname != before.hostname or not (is_same or is_encrypted_now):
            raise SourceError(f"it redirects to {_origin(after)}; not followed; give that address if it is right")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _origin(parts: SplitResult) -> str:
    return hidden(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")


def _opener() -> urllib.request.OpenerDirector:
    """Open http and https only, without the proxies of the environment."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _SameHost(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


class Client:
    """Asks one source; ``scheme`` is the word in front of its token."""

    def __init__(self, address: Address, *, scheme: str = "Bearer") -> None:
        self.address = address
        self._open = _opener().open
        self._headers = {"User-Agent": "hecn-watch"}
        token = address.token
        if token:
            self._headers["Authorization"] = token if " " in token else f"{scheme} {token}"
        elif address.authorization:
            self._headers["Authorization"] = address.authorization

    def ask(self, path: str = "", parameters: Mapping[str, object] | None = None, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        """Return the answer below the address; SourceError if there is none. Passing faults are tried again."""
        text = self._asked(path, parameters or {}, body)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            start = hidden(text[:60].decode(errors="replace"))
            raise SourceError(f"found {start!r}, expected JSON; check the path of the address") from None

    def ask_text(self, body: object, *, accept: str) -> str:
        """Return the answer to a question as text of a kind; SourceError if there is none."""
        return self._asked("", self.address.parameters, body, accept).decode(errors="replace")

    def send(self, content: object) -> None:
        """Send content as JSON; SourceError if it was not taken. Passing faults are tried again."""
        self._asked("", self.address.parameters, content)

    def _asked(
        self, path: str, parameters: Mapping[str, object], body: object, accept: str = "application/json"
    ) -> bytes:
        query = urlencode({name: str(value) for name, value in parameters.items()})
        url = self.address.url + path + (f"?{query}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        for pause in (*_PAUSES, None):
            try:
                return self._answer(url, data, accept)
            except _PassingError as error:
                if pause is None:
                    raise SourceError(str(error)) from None
                time.sleep(pause)
        raise AssertionError

    def _answer(self, url: str, data: bytes | None, accept: str) -> bytes:
        headers = self._headers | {"Accept": accept} | ({"Content-Type": "application/json"} if data else {})
        request = urllib.request.Request(url, data, headers)  # noqa: S310 - the opener knows http and https only
        try:
            with self._open(request, timeout=_PATIENCE_S) as answer:
                return _whole(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise _of_status(error.code) from None
        except urllib.error.URLError as error:
            raise _unreached(error.reason) from None
        except (OSError, http.client.HTTPException) as error:
            raise _unreached(error) from None


@dataclass
class Backoff:
    """Pauses after faults, which double up to an hour; a fault is said once."""

    fault: str | None = None
    pause_s: float = 0.0
    again_s: float = 0.0

    def is_due(self) -> bool:
        """Whether to try again now."""
        return time.monotonic() >= self.again_s

    def failed(self, fault: str) -> bool:
        """Begin a pause; return whether the fault was not said yet."""
        is_new, self.fault = fault != self.fault, fault
        self.pause_s = min(2 * self.pause_s, LONGEST_PAUSE_S) if self.pause_s else FIRST_PAUSE_S
        self.again_s = time.monotonic() + self.pause_s
        return is_new

    def worked(self) -> None:
        """Forget the faults."""
        self.fault, self.pause_s, self.again_s = None, 0.0, 0.0


class _PassingError(HecnError):
    """The same request may succeed the next time."""


def _whole(answer: http.client.HTTPResponse) -> bytes:
    """All bytes of an answer, within the limits of time and size."""
    until, size, chunks = time.monotonic() + _LONGEST_S, 0, []
    announced = answer.headers.get("Content-Length", "")
    while chunk := answer.read1(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > _LARGEST:
            raise SourceError(f"its answer is larger than {_LARGEST >> 20} MiB; ask it for less")
        if time.monotonic() > until:
            raise _PassingError(f"its answer took longer than {_LONGEST_S:.0f} s; it or the network is too slow")
    if announced.isdecimal() and size != int(announced):
        raise _PassingError(f"its answer ended after {size} of {announced} bytes; it or a proxy closed the connection")
    return b"".join(chunks)


def _of_status(status: int) -> HecnError:
    said = f"it answers {status} {http.client.responses.get(status, '')}".rstrip()
    if status in _PASSING:
        return _PassingError(f"{said}; it is overloaded or down")
    return SourceError(f"{said}; {_ADVICE.get(status, 'check the address')}")


def _unreached(reason: object) -> HecnError:
    """Why there is no answer, in words."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        return SourceError(
            f"its certificate is not trusted ({reason.verify_message}); name a file with the certificate of its "
            "authority in SSL_CERT_FILE"
        )
    if isinstance(reason, TimeoutError):
        return _PassingError(f"no answer within {_PATIENCE_S:.0f} s; check that it runs, and firewalls")
    words = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return _PassingError(f"cannot be reached ({hidden(str(words)[:100])}); check the address, and that it runs")
