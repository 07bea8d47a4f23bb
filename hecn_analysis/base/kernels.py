"""Jupyter kernels that run this interpreter and follow the rules of `hecn_analysis.base.children`.

``make lab`` hands `OwnKernels` to JupyterLab, ``hecn app`` to Voila.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager

from hecn_analysis.base.children import SAFE_PATH, is_socket_name, tied


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that starts a kernel of a module; Jupyter fills in ``{connection_file}``."""
    # Older versions of IPython add the current folder again, even with PYTHONSAFEPATH.
    common = ["-f", "{connection_file}", "--IPKernelApp.ignore_cwd=True"]
    return [*tied("KILL"), sys.executable, "-m", module, *arguments, *common]


class OwnKernels(KernelSpecManager):
    """Finds the same kernels as Jupyter; the one for Python runs this interpreter and ends with its parent."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the specification of a kernel; raise NoSuchKernel for an unknown name."""
        spec = super().get_kernel_spec(kernel_name)
        if kernel_name == NATIVE_KERNEL_NAME:
            spec.argv = command("ipykernel_launcher")
            spec.env = {**spec.env, **SAFE_PATH}
        return spec


def transport(folder: Path, longest: str) -> str:
    """Return the transport to a kernel: sockets in a folder if the longest name of one fits there, else TCP ports."""
    return "ipc" if os.name == "posix" and is_socket_name(folder / longest) else "tcp"
