"""Kernels of code cells exchange messages through sockets that only this user can open, not through TCP ports.

Over TCP each kernel warns in the build's log that others on the machine could listen.
"""

import tempfile
from pathlib import Path

import jupyter_client
from sphinx.application import Sphinx
from traitlets import default

from hecn_analysis.base import kernels

_SOCKET = "kernel-ipc-5"


class PrivateKernel(jupyter_client.AsyncKernelManager):
    """Manager of a kernel behind sockets in a folder of its own."""

    @default("transport")
    def _transport(self) -> str:
        self._folder = tempfile.TemporaryDirectory(prefix="hecn-kernel-")
        return kernels.transport(Path(self._folder.name), _SOCKET)

    @default("ip")
    def _ip(self) -> str:
        return str(Path(self._folder.name) / "kernel-ipc") if self.transport == "ipc" else "127.0.0.1"

    def cleanup_ipc_files(self) -> None:
        """Remove the sockets and their folder."""
        super().cleanup_ipc_files()
        self._folder.cleanup()


def setup(app: Sphinx) -> dict[str, bool]:  # noqa: ARG001 (Sphinx's)
    """Let nbclient, which runs the code cells, start these."""
    jupyter_client.AsyncKernelManager = PrivateKernel
    return {"parallel_read_safe": True, "parallel_write_safe": True}
