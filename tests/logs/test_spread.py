"""Many files at once: the same rows in the same order, whoever reads them."""

import os
import signal
from concurrent.futures import CancelledError
from types import SimpleNamespace

import pandas as pd
import pytest

from hecn_analysis import cluster
from hecn_analysis.errors import HecnError, InputError
from hecn_analysis.logs import read, spread
from hecn_analysis.places import data_dir

TABLES = ("runs", "streams", "intervals", "problems")


@pytest.fixture
def many(tmp_path):
    """A folder of more files than one group, good ones, damaged ones and unknown ones."""
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


def test_processes_find_the_same_rows(many):
    assert same(read(many), read(many, processes=2))


def test_dask_workers_find_the_same_rows(many, monkeypatch):
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


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_no_scheduler_is_an_error_for_people(many, address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.5)
    with pytest.raises(InputError, match=r"found no Dask scheduler at .*; start one: dask scheduler"):
        read(many, dask=address)


def _killed(files, *, intervals):  # noqa: ARG001 - stands in for the function that reads
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_an_error_for_people(many, monkeypatch):
    monkeypatch.setattr(spread, "read_group", _killed)
    with pytest.raises(HecnError, match="a process that read was killed"):
        read(many, processes=2)


def test_workers_and_schedulers_that_are_killed_are_an_error_for_people(many, monkeypatch):
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


def test_without_the_table_of_intervals_the_rest_is_the_same(tmp_path):
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
