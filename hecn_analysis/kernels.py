"""Kernels of Jupyter as they are started from here: with this interpreter, and as `hecn_analysis.children` says.

``make lab`` hands `OwnKernels` to JupyterLab, ``hecn app`` to Voila.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager

from hecn_analysis.children import SAFE_PATH, tied

#: The longest name of a socket that every system allows (macOS; Linux: 107). [bytes]
_LONGEST_SOCKET: Final = 103


def command(module: str, *arguments: str) -> list[str]:
    """Command that starts a kernel; the placeholder in it is Jupyter's.

    Parameters
    ----------
    module
        Module that is the kernel.
    arguments
        Arguments in front of those that every kernel has.
    """
    # Older versions of IPython put the current folder back, whatever Python was told.
    common = ["-f", "{connection_file}", "--IPKernelApp.ignore_cwd=True"]
    return [*tied("KILL"), sys.executable, "-m", module, *arguments, *common]


class OwnKernels(KernelSpecManager):
    """Finds the kernels that Jupyter finds; that of Python is this interpreter, which ends with who started it."""

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
    """How to talk to a kernel: through files where the system has sockets with names as long, else through ports.

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
    has_sockets = os.name == "posix" and len(os.fsencode(folder / longest)) <= _LONGEST_SOCKET
    return "ipc" if has_sockets else "tcp"
