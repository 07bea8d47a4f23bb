"""Many files at once: the rows and their order do not depend on the number or kind of workers."""

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from types import SimpleNamespace

import pandas as pd
import pytest

from hecn_analysis.base import cluster
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.base.places import data_dir
from hecn_analysis.logs import read, spread
from tests.certificates import write_certificates

TABLES = ("runs", "streams", "intervals", "problems")


@pytest.fixture
def many(tmp_path):
    """Return a folder of intact, damaged and unknown files, more than one group."""
    samples = sorted((data_dir() / "samples").rglob("*.txt"))[:40]
    for number in range(2):
        for sample in samples:
            (tmp_path / f"{sample.stem}-{number}.txt").write_bytes(sample.read_bytes())
    (tmp_path / "prose.txt").write_text("nothing of the kind\n")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    return tmp_path


def same(one, other):
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(one, table), getattr(other, table))
    return not one.runs.empty and not one.intervals.empty and not one.problems.empty


@pytest.mark.slow
def test_processes_read_the_same_rows(many):
    assert same(read(many), read(many, processes=2))


def test_dask_workers_read_the_same_rows(many, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(many.parent)
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        assert same(read(many.name), read(many.name, dask=cluster.scheduler_address))


@pytest.mark.slow
def test_processes_read_under_a_temporary_folder_with_a_long_name(many, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch") / ("x" * 120)
    scratch.mkdir()
    command = [sys.executable, "-m", "hecn_analysis", "parse", str(many), "--format", "csv", "--processes"]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    one, two = (
        subprocess.run([*command, number], env=environment, capture_output=True, text=True, check=False, timeout=100)
        for number in "12"
    )
    assert (two.returncode, two.stdout, two.stderr) == (one.returncode, one.stdout, one.stderr)
    assert len(two.stdout.splitlines()) > 1
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_a_missing_scheduler_is_an_input_error(many, address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.5)
    with pytest.raises(InputError, match=r"found no Dask scheduler at .*; start one: dask scheduler"):
        read(many, dask=address)


def _killed(files, **_):  # noqa: ARG001 - stands in for the function that reads
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_an_input_error(many, monkeypatch):
    monkeypatch.setattr(spread, "read_group", _killed)
    with pytest.raises(HecnError, match="a process that read was killed"):
        read(many, processes=2)


def test_killed_workers_and_schedulers_are_an_input_error(many, monkeypatch):
    distributed = pytest.importorskip("distributed")
    faults = [distributed.KilledWorker("read", SimpleNamespace(address="tcp://w:1"), 3), CancelledError("read")]

    class Client:
        def __init__(self, *_, **__):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    for fault, words in zip(faults, ("one after another.*give them more", "is gone; start it"), strict=True):

        def result(_, fault=fault):
            raise fault

        future = type("Future", (), {"result": result})()
        monkeypatch.setattr(Client, "submit", lambda *_, future=future, **__: future, raising=False)
        monkeypatch.setattr(distributed, "Client", Client)
        with pytest.raises(HecnError, match=words):
            read(many, dask="tcp://s:1")


@pytest.mark.slow
def test_the_other_tables_do_not_depend_on_intervals(tmp_path):
    rows = "".join(" 1000.0000 MB /   1.00 sec = 8388.6080 Mbps     0 retrans\n" for _ in range(40_000))
    summary = "40000000.0000 MB / 40000.00 sec = 8388.6080 Mbps 9 %TX 9 %RX 0 retrans 0.1 msRTT\n"
    wrong = summary.replace("40000000", "50000000").replace("8388.6080", "10485.7600")
    (tmp_path / "right.log").write_text(rows + summary)
    (tmp_path / "wrong.log").write_text(rows + wrong)
    whole, short = read(tmp_path), read(tmp_path, intervals=False)
    pd.testing.assert_frame_equal(whole.runs, short.runs)
    pd.testing.assert_frame_equal(whole.problems, short.problems)
    assert len(whole.intervals) == 80_000
    assert short.intervals.empty
    assert short.problems.kind.tolist() == ["inconsistent"]


def certificates(folder):
    """Write a temporary authority and a certificate, and return the Dask configuration for them."""
    write_certificates(folder)
    node = {"cert": str(folder / "node.pem"), "key": str(folder / "node.key")}
    settings = {"ca-file": str(folder / "ca.pem"), "scheduler": node, "worker": node, "client": node}
    return {f"distributed.comm.tls.{name}": value for name, value in settings.items()}


def test_dasks_configuration_reaches_a_cluster_behind_tls(many, tmp_path_factory, monkeypatch):
    distributed = pytest.importorskip("distributed")
    import dask  # noqa: PLC0415 (only who has a cluster has it)

    tls = certificates(tmp_path_factory.mktemp("tls"))
    monkeypatch.chdir(many.parent)
    with (
        dask.config.set(tls),
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tls",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=distributed.Security(),
        ) as running,
    ):
        address = running.scheduler_address
        assert address.startswith("tls://")
        assert same(read(many.name), read(many.name, dask=address))
        with dask.config.set(certificates(tmp_path_factory.mktemp("other"))):
            monkeypatch.setattr(cluster, "_PATIENCE_S", 2)
            with pytest.raises(InputError, match=r"found no Dask scheduler at .tls.*certificate"):
                read(many.name, dask=address)
        none = {"distributed.comm.tls.ca-file": None, "distributed.comm.tls.client": {"cert": None, "key": None}}
        with dask.config.set(none):
            expected = r"found no certificates for 'tls://.*' in the configuration of Dask, expected ca-file"
            with pytest.raises(InputError, match=expected):
                read(many.name, dask=address)
        with (
            dask.config.set({"distributed.comm.require-encryption": True}),
            pytest.raises(InputError, match="encryption required by Dask configuration"),
        ):
            read(many.name, dask=address.replace("tls", "tcp"))


@pytest.mark.slow
def test_a_killed_scheduler_gives_one_line(many):
    pytest.importorskip("distributed")
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{tried.getsockname()[1]}"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as scheduler:
        assert any("Scheduler at" in line for line in scheduler.stderr)
        command = [sys.executable, "-m", "hecn_analysis", "parse", str(many), "--dask", address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as parse:
            assert any("Receive client connection" in line for line in scheduler.stderr)
            time.sleep(1)
            scheduler.kill()
            _, stderr = parse.communicate(timeout=100)
    assert parse.returncode == 1
    assert stderr == f"hecn: the Dask scheduler at {address} is gone; start it and try again\n"
