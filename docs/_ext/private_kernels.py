"""Kernels of code cells exchange messages through sockets that only this user can open, not through TCP ports.

Over TCP each kernel warns in the build's log that others on the machine could listen.
"""

from pathlib import Path

import jupyter_client
from jupyter_core.paths import jupyter_runtime_dir
from sphinx.application import Sphinx
from traitlets import default

from hecn_analysis.base import kernels

_SOCKET = "kernel-00000000-0000-0000-0000-000000000000-ipc-5"  # a name as long as those of Jupyter


class PrivateKernel(jupyter_client.AsyncKernelManager):
    """Manager of a kernel behind such sockets."""

    @default("transport")
    def _private(self) -> str:
        return kernels.transport(Path(jupyter_runtime_dir()), _SOCKET)


def setup(app: Sphinx) -> dict[str, bool]:  # noqa: ARG001 (Sphinx's)
    """Let nbclient, which runs the code cells, start these."""
    jupyter_client.AsyncKernelManager = PrivateKernel
    return {"parallel_read_safe": True, "parallel_write_safe": True}
