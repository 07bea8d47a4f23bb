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
    """Command that starts a kernel; Jupyter fills in ``{connection_file}``.

    Parameters
    ----------
    module
        Module of the kernel.
    arguments
        Arguments in front of those that every kernel has.
    """
    # Older versions of IPython add the current folder again, even with PYTHONSAFEPATH.
    common = ["-f", "{connection_file}", "--IPKernelApp.ignore_cwd=True"]
    return [*tied("KILL"), sys.executable, "-m", module, *arguments, *common]


class OwnKernels(KernelSpecManager):
    """Finds the same kernels as Jupyter; the one for Python runs this interpreter and ends with its parent."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Specification of a kernel.

        Parameters
        ----------
        kernel_name
            Its name.

        Raises
        ------
        NoSuchKernel
            There is no kernel of that name.
        """
        spec = super().get_kernel_spec(kernel_name)
        if kernel_name == NATIVE_KERNEL_NAME:
            spec.argv = command("ipykernel_launcher")
            spec.env = {**spec.env, **SAFE_PATH}
        return spec


def transport(folder: Path, longest: str) -> str:
    """Transport to a kernel: sockets in a folder if the system allows names of this length, else TCP ports.

    Parameters
    ----------
    folder
        Folder for the kernel's own files.
    longest
        The longest name of a socket in it.

    Examples
    --------
    >>> transport(Path("/tmp") / ("x" * 120), "kernel-ipc-5")
    'tcp'
    """
    return "ipc" if os.name == "posix" and is_socket_name(folder / longest) else "tcp"
