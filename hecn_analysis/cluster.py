"""A Dask cluster that somebody runs: how to reach it, and what to say where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Final

from hecn_analysis.errors import HecnError, InputError

_PATIENCE_S: Final = 10


@contextmanager
def client(address: str) -> Iterator[Any]:
    """Client of the scheduler at an address, to be used in a ``with`` statement.

    Parameters
    ----------
    address
        Address of the scheduler, e.g. ``tcp://10.0.0.1:8786``.

    Raises
    ------
    InputError
        When the package ``distributed`` is missing, or there is no scheduler.
    HecnError
        When the workers that had the same work were all killed, or the scheduler is gone.
    """
    try:
        from distributed import Client, KilledWorker  # noqa: PLC0415 - takes a second, and only who has a cluster needs it
    except ImportError:
        raise InputError(
            "no package 'distributed'", "it for --dask", advice="install it: pip install 'hecn-analysis[dask]'"
        ) from None
    try:
        connected = Client(address, timeout=_PATIENCE_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler at {address!r} ({error})",
            "the address that a scheduler prints, such as 'tcp://10.0.0.1:8786'",
            advice="start one: dask scheduler",
        ) from None
    with connected:
        try:
            yield connected
        except KilledWorker:
            raise HecnError(
                f"the workers of {address} that had the same work were killed one after another, perhaps for want of "
                "memory; give them more, or read fewer files at a time"
            ) from None
        except CancelledError:
            raise HecnError(f"the Dask scheduler at {address} is gone; start it and try again") from None
