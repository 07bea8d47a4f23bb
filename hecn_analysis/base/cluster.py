"""Connection to a Dask cluster, with errors for users if it fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Final

from hecn_analysis.base.errors import HecnError, InputError

_PATIENCE_S: Final = 10


@contextmanager
def client(address: str) -> Iterator[Any]:
    """Connect to the Dask scheduler at an address such as ``tcp://10.0.0.1:8786`` or, with certificates, ``tls://…``.

    Any program that answers there can run code here: results are unpickled. InputError if the package ``distributed``
    is missing or no scheduler answers; HecnError if all workers of a task were killed, or the scheduler is gone.
    """
    try:
        from distributed import KilledWorker  # noqa: PLC0415 - takes a second, and only clusters need it
        from distributed.comm.core import CommClosedError  # noqa: PLC0415 - the same
    except ImportError:
        raise InputError(
            "no package 'distributed'", "the package for --dask", advice="run pip install 'hecn-analysis[dask]'"
        ) from None
    with _quiet(), _connected(address) as connected:
        try:
            yield connected
        except KilledWorker:
            raise HecnError(
                f"the workers of {address} with the same task were killed one after another, perhaps for lack of "
                "memory; give them more, or read fewer files at a time"
            ) from None
        except (CancelledError, CommClosedError):
            raise HecnError(f"the Dask scheduler at {address} is gone; start it and try again") from None


def _connected(address: str) -> Any:  # noqa: ANN401 - distributed has no types
    """Connect to a scheduler, with the certificates of Dask's configuration if the address begins with tls."""
    from distributed import Client  # noqa: PLC0415 (see above)

    try:
        return Client(address, timeout=_PATIENCE_S)  # type: ignore[no-untyped-call]
    except TypeError:  # raised by distributed without certificates
        raise InputError(
            f"no certificates for {address!r} in the configuration of Dask",
            "ca-file, and cert and key of the client, under distributed.comm.tls",
            advice="see https://distributed.dask.org/en/latest/tls.html",
        ) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"no Dask scheduler at {address!r} ({error})",
            "the address that a scheduler prints, such as 'tcp://10.0.0.1:8786', or 'tls://10.0.0.1:8786' with the "
            "certificates that Dask's configuration names",
            advice="start one: dask scheduler",
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the tracebacks that distributed logs in addition to its exceptions."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
