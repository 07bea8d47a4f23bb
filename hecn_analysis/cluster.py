"""A Dask cluster that somebody runs: how to reach it, and what to say where there is none."""

from __future__ import annotations

from typing import Any, Final

from hecn_analysis.errors import InputError

_PATIENCE_S: Final = 10


def client(address: str) -> Any:  # noqa: ANN401 - distributed's client, which is not imported unless asked for
    """Client of the scheduler at an address, to be used in a ``with`` statement.

    Parameters
    ----------
    address
        Address of the scheduler, e.g. ``tcp://10.0.0.1:8786``.

    Raises
    ------
    InputError
        When the package ``distributed`` is missing, or there is no scheduler.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - takes a second, and only who has a cluster needs it
    except ImportError:
        raise InputError(
            "no package 'distributed'", "it for --dask", advice="install it: pip install 'hecn-analysis[dask]'"
        ) from None
    try:
        return Client(address, timeout=_PATIENCE_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler at {address!r} ({error})",
            "the address that a scheduler prints, such as 'tcp://10.0.0.1:8786'",
            advice="start one: dask scheduler",
        ) from None
