"""Run a notebook with parameters in a kernel of this interpreter, and remove everything that varies from run to run.

Papermill injects the parameters and executes; a failing cell ends the run but not the document. The stored notebook has
no times and no paths of this machine, so that the same input gives the same notebook and the same run id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_core.utils import ensure_event_loop
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from hecn_analysis.base import kernels
from hecn_analysis.base.children import SAFE_PATH, Stop, kill_group, private_folder
from hecn_analysis.briefs.origin import counted
from hecn_analysis.briefs.parameters import Value
from hecn_analysis.files import whole

logging.getLogger("papermill").addHandler(logging.NullHandler())  # the brief and its result report errors

TIME_LIMIT_S = 300  # of one cell
RUN_ID_DIGITS = 12
PAPERMILL_ERROR_TAG = "papermill-error-cell-tag"
KEPT_CELL_METADATA = ("tags",)
NOTES = "read.txt"  # in the kernel's own folder: the files that it reads


class Executed(NamedTuple):
    """An executed notebook, its run id, the reason if it stopped early, and the files that it read."""

    notebook: NotebookNode
    run_id: str
    error: str | None
    read: frozenset[str] = frozenset()


def _own_kernel(private: Path, stop: Stop) -> type[AsyncKernelManager]:
    """Return a manager that starts kernels with this interpreter, whatever kernels are installed."""
    spec = KernelSpec(
        argv=[
            *kernels.command("hecn_analysis.briefs._kernel", str(private / NOTES)),
            "--HistoryManager.enabled=False",
        ],
        display_name="Python 3",
        language="python",
        env={"IPYTHONDIR": str(private / "ipython"), **SAFE_PATH},
    )

    class OwnKernelManager(AsyncKernelManager):
        def __init__(self, **settings: Any) -> None:  # noqa: ANN401  (the base class's)
            super().__init__(**settings)
            self.connection_file = str(private / "kernel.json")
            self.transport = kernels.transport(private, "kernel-ipc-5")

        @property
        def kernel_spec(self) -> KernelSpec:
            return spec

        async def start_kernel(self, **settings: Any) -> None:  # type: ignore[override]  # noqa: ANN401
            # Drop the kernel's own complaints when it is ended; a cell's output comes back over the protocol.
            await super().start_kernel(stderr=subprocess.DEVNULL, **settings)
            if isinstance(self.provisioner, LocalProvisioner) and self.provisioner.process is not None:
                stop.call(partial(kill_group, self.provisioner.process))

    return OwnKernelManager


def execute(
    notebook: Path,
    parameters: Mapping[str, Value],
    into: Path,
    *,
    time_limit_s: float = TIME_LIMIT_S,
    stop: Stop | None = None,
) -> Executed:
    """Run a notebook and store the executed one."""
    stop = stop or Stop()
    stop.check()
    with private_folder("kernel") as private:
        running = private / "running.ipynb"  # written again after each cell
        error = _run(notebook, parameters, running, _own_kernel(private, stop), time_limit_s)
        stop.check()
        read = counted(_noted_reads(private / NOTES), private)
        cleaned = clean(read_notebook(running), parameters)
    run_id = _run_id(cleaned)
    cleaned.metadata["hecn"]["run_id"] = run_id
    write_notebook(cleaned, into)
    return Executed(cleaned, run_id, error, frozenset(read))


def _noted_reads(notes: Path) -> Iterator[tuple[str, Path]]:
    """Paths that a kernel recorded; none if it ended before."""
    if notes.exists():
        for line in notes.read_bytes().splitlines():
            yield chr(line[0]), Path(os.fsdecode(line[1:]))


def _run(
    notebook: Path, parameters: Mapping[str, Value], into: Path, kernel: type[AsyncKernelManager], time_limit_s: float
) -> str | None:
    """Execute; return the reason if it stopped early."""
    try:
        papermill.execute_notebook(
            str(notebook),
            str(into),
            parameters=dict(parameters),
            kernel_name="python3",
            language="python",
            progress_bar=False,
            execution_timeout=time_limit_s,
            kernel_manager_class=kernel,
            coalesce_streams=True,
            store_widget_state=False,
        )
    except PapermillExecutionError as failed:
        return f"{failed.ename}: {failed.evalue}"
    except CellTimeoutError:
        return f"a cell took longer than {time_limit_s:g} s"
    except DeadKernelError:
        return "the Python process that ran the notebook ended without an answer (out of memory?)"
    except RuntimeError as failed:  # Jupyter's error for a kernel that ended, or did not answer within a minute
        return f"the Python process that runs the notebook did not start (out of memory?): {failed}"
    finally:
        ensure_event_loop().close()  # Jupyter made this loop for the thread and leaves it open
    return None


def clean(notebook: NotebookNode, parameters: Mapping[str, Value]) -> NotebookNode:
    """Remove what differs between two runs of the same notebook: times, ids, papermill's notes."""
    cells = [cell for cell in notebook.cells if PAPERMILL_ERROR_TAG not in cell.metadata.get("tags", [])]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        kept = {key: cell.metadata[key] for key in KEPT_CELL_METADATA if key in cell.metadata}
        cell["metadata"] = NotebookNode(kept)  # type: ignore[no-untyped-call]
    notebook["cells"] = cells
    notebook["metadata"] = NotebookNode(  # type: ignore[no-untyped-call]
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
        hecn={"parameters": dict(parameters)},
    )
    return notebook


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook."""
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    whole.write(path, text.rstrip("\n") + "\n")


def _run_id(notebook: NotebookNode) -> str:
    """Hash of all code and all outputs."""
    content: list[Any] = [
        notebook.metadata["hecn"],
        *((cell.source, cell.get("outputs", [])) for cell in notebook.cells),
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:RUN_ID_DIGITS]
