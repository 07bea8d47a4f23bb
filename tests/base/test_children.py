"""Processes that are started from here: what they import, when they end, and the folders that they use."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbformat.v4 import new_code_cell, new_notebook

from hecn_analysis.base.children import private_folder, tied
from hecn_analysis.base.kernels import OwnKernels
from hecn_analysis.base.places import data_dir

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs kill -9 and locks of folders"),
]

HECN = [sys.executable, "-P", "-m", "hecn_analysis"]
GROUPS = ("papermill.io", "papermill.engine", "papermill.translators", "jupyter_client.kernel_provisioners")
PR_SET_CHILD_SUBREAPER = 36


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


@pytest.fixture
def sent(tmp_path):
    """A folder with a log and, for each module that Python could look for, a file that tells when it is imported."""
    base = Path(tempfile.mkdtemp(prefix="s"))  # short: sockets lie below
    folder = base / "sent"
    (folder / "evil-1.0.dist-info").mkdir(parents=True)
    (folder / "tmp").mkdir()
    ran = tmp_path / "ran.txt"
    names = {*sys.stdlib_module_names, *packages_distributions(), "hecn_analysis", "hecn_evil"}
    names |= {
        "usercustomize",
        "sitecustomize",
        "ipython_config",
        "ipython_kernel_config",
        "jupyter_config",
        "jupyter_server_config",
        "voila",
    }
    assert {"pandas", "yaml", "plotly", "hecn_analysis", "multiprocessing"} <= names
    for name in filter(str.isidentifier, names):
        text = f"open({str(ran)!r}, 'a').write('{name} ')\n"
        for place in (folder, folder / "tmp"):
            (place / f"{name}.py").write_text(text)
    entries = "".join(f"[{group}]\nevil = hecn_evil:Evil\n" for group in GROUPS)
    (folder / "evil-1.0.dist-info" / "entry_points.txt").write_text(entries)
    (folder / "evil-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    for name in ("index.html.j2", "base.html.j2", "error.html", "voila.json", "jupyter_config.json"):
        (folder / name).write_text("{{ cycler.__init__.__globals__.os.abort() }}")
    shutil.copy(data_dir() / "logs" / "c-systems-dd.txt", folder / "dd.txt")
    yield folder
    shutil.rmtree(base)
    assert not ran.exists(), ran.read_text()


def started(folder, *arguments):
    """Environment and folder for a command that is run where somebody else's files are."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return {
        "args": [*HECN, *arguments],
        "cwd": folder,
        "env": {**environment, "TMPDIR": str(folder / "tmp")},
        "stdout": subprocess.PIPE,
        "text": True,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", ".", "-o", "../out", "--no-pdf"),
        ("brief", "port_forecast", "-o", "../out"),
        ("parse", ".", "--processes", "2"),
        ("capture", "-o", "../captured"),
        (
            "measure",
            "--tool",
            "dd-write",
            "--set",
            "tool.bytes=1MiB",
            "tool.io=buffered",
            "--repeats",
            "1",
            "-o",
            "../out",
        ),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_module_of_the_current_folder_is_imported(sent, arguments):
    done = subprocess.run(**started(sent, *arguments), timeout=500, check=False)
    assert done.returncode in {0, 1}
    assert done.stdout


def test_no_module_of_the_current_folder_is_imported_by_the_app(sent):
    with subprocess.Popen(**started(sent, "app", "--no-browser")) as running:
        address = running.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=200) as answer:  # noqa: S310 (our own server)
            page = answer.read().decode()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
    assert "application/vnd.jupyter.widget-view+json" in page


def test_no_module_of_the_current_folder_is_imported_by_a_kernel_of_jupyterlab(sent, tmp_path):
    socket = tmp_path / "k.json"
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=OwnKernels(), connection_file=str(socket))
    manager.start_kernel(cwd=str(sent), stderr=subprocess.DEVNULL)
    client = manager.client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=120)
        told = []
        client.execute_interactive(
            "import sys, pandas\nfrom multiprocessing import resource_tracker\n"
            "resource_tracker.ensure_running()\nprint(sys.path)",
            output_hook=lambda message: told.append(message["content"].get("text", "")),
            timeout=120,
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert "site-packages" in "".join(told)
    assert "''" not in "".join(told)


def test_another_kernel_stays_as_it_is(tmp_path, monkeypatch):
    folder = tmp_path / "kernels" / "other"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text('{"argv": ["other"], "display_name": "Other", "language": "other"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert OwnKernels().get_kernel_spec("other").argv == ["other"]


def test_python_minus_m_keeps_the_current_folder_from_what_is_imported_later(tmp_path):
    (tmp_path / "argparse.py").write_text("raise SystemExit('imported')")
    command = [sys.executable, "-m", "hecn_analysis", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("hecn ")


RUN = """\
import sys
from pathlib import Path
from hecn_analysis.briefs._run import execute
execute(Path(sys.argv[1]), {}, Path(sys.argv[2]))
"""
POOL = """\
import multiprocessing, sys, time
from concurrent.futures import ProcessPoolExecutor
from hecn_analysis.base.children import end_with_parent
context = multiprocessing.get_context("forkserver")
pool = ProcessPoolExecutor(2, mp_context=context, initializer=end_with_parent)
waiting = [pool.submit(time.sleep, 1000) for _ in range(2)]
while len(pool._processes) < 2:
    time.sleep(0.1)
time.sleep(1)
print(*pool._processes, flush=True)
time.sleep(1000)
"""


@pytest.fixture
def adopting():
    """Orphans become children of this process, as on a desktop of the session's manager, and not of process 1."""
    try:
        library = ctypes.CDLL(None)
        adopted = library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (AttributeError, OSError):
        adopted = False
    if not adopted:
        pytest.skip("needs prctl of Linux")
    yield
    library.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def is_alive(pid):
    """Whether a process runs; one that was adopted here and has ended is waited for."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    return Path(f"/proc/{pid}").exists()


@pytest.mark.usefixtures("adopting")
@pytest.mark.skipif(not tied(), reason="setpriv is not installed (Debian, Ubuntu: apt install util-linux)")
def test_a_kernel_ends_with_a_killed_parent_and_the_next_run_removes_its_folder(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    pid = tmp_path / "pid"
    source = f"import os, pathlib, time\npathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(1000)"
    nbformat.write(new_notebook(cells=[new_code_cell(source)]), tmp_path / "in.ipynb")
    command = [sys.executable, "-c", RUN, tmp_path / "in.ipynb", tmp_path / "out.ipynb"]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(scratch)}) as parent:
        until(lambda: pid.exists() and pid.read_text())
        kernel = int(pid.read_text())
        (folder,) = scratch.iterdir()
        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        with private_folder("kernel"):
            assert folder.exists()  # its owner is alive
        assert is_alive(kernel)
        parent.kill()
    until(lambda: not is_alive(kernel), 10)
    with private_folder("kernel") as own:
        assert list(scratch.iterdir()) == [own]
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("adopting")
def test_workers_end_with_a_killed_parent():
    with subprocess.Popen([sys.executable, "-c", POOL], stdout=subprocess.PIPE, text=True) as parent:
        workers = [int(word) for word in parent.stdout.readline().split()]
        assert len(workers) == 2
        assert all(map(is_alive, workers))
        parent.kill()
    until(lambda: not any(map(is_alive, workers)), 10)


def test_only_own_abandoned_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    (tmp_path / "hecn-kernel-link").symlink_to(kept)
    (tmp_path / "hecn-kernel-file").write_text("mine")
    (tmp_path / "hecn-kernel-left").mkdir()
    (tmp_path / "hecn-kernel-left" / "link").symlink_to(kept)
    (tmp_path / "hecn-other-left").mkdir()
    expected = {"kept", "hecn-kernel-link", "hecn-kernel-file", "hecn-other-left"}
    if os.geteuid() == 0:
        (tmp_path / "hecn-kernel-theirs").mkdir()
        os.chown(tmp_path / "hecn-kernel-theirs", 65534, 65534)
        expected.add("hecn-kernel-theirs")
    with private_folder("kernel") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in tmp_path.iterdir()} == expected
    assert (kept / "mine.txt").read_text() == "mine"


def test_a_killed_report_leaves_nothing_that_the_next_one_keeps(sent, tmp_path):
    temporary = sent / "tmp"
    names = ("report", "progress")

    def there():
        return {path for name in names for path in temporary.glob(f"hecn-{name}-*")}

    with subprocess.Popen(**started(sent, "report", ".", "-o", str(tmp_path / "out"), "--no-pdf")) as running:
        until(lambda: len(there()) == len(names))
        running.kill()
    assert len(there()) == len(names)
    subprocess.run(**started(sent, "report", ".", "-o", str(tmp_path / "out"), "--no-pdf"), timeout=300, check=False)
    assert not there()
