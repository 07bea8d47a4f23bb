"""Where servers of this package listen: on this machine only, at a port of the user's or any free one."""

from __future__ import annotations

import errno
import socket
from typing import Final

from hecn_analysis.base.errors import InputError

ADDRESS: Final = "127.0.0.1"

#: Names of this machine that a request may ask for: others come from pages that made a name of theirs point here.
OWN_NAMES: Final = r"(127\.0\.0\.1|localhost)"


def port_for(port: int | None, *, option: str) -> int:
    """Return the requested port, or any free one.

    Parameters
    ----------
    port, option
        The port, None for any; the option that names it, for the error.

    Returns
    -------
    int
        The port, which was free just now; InputError if it is taken or impossible.

    Examples
    --------
    >>> port_for(80, option="--port")
    Traceback (most recent call last):
    ...
    hecn_analysis.base.errors.InputError: found port 80, expected 1024 to 65535
    """
    if port is not None and not 1024 <= port <= 65535:
        raise InputError(f"port {port}", "1024 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port or 0))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                raise InputError(
                    f"port {port}, which is in use or reserved", "a free port", advice=f"name another {option}"
                ) from None
            raise
        return int(probe.getsockname()[1])
