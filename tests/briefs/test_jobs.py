"""Batches: which briefs are made of one, with which parameters and under which names."""

from pathlib import Path

import pandas as pd
import pytest

from hecn_analysis import read, read_counters
from hecn_analysis.archive import selection
from hecn_analysis.archive.store import Archive
from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.briefs.jobs import jobs_of
from hecn_analysis.briefs.parameters import Brief, Declaration
from hecn_analysis.ingest.filling import add_files

PARAMETERS = {
    "counters": {"type": "files", "holds": "counters", "default": "", "help": "files"},
    "rtt": {"type": "time", "unit": "s", "default": "1 s", "range": ("0 s", "2 s"), "help": "a time"},
    "mode": {"type": "text", "default": "lan", "help": "a word"},
}
READS = Brief(Path("50_x.ipynb"), Declaration(title="X", question="?", brief="x", parameters=PARAMETERS))
PLAIN = Brief(
    Path("51_y.ipynb"), Declaration(title="Y", question="?", brief="y", parameters={"rtt": PARAMETERS["rtt"]})
)
SESSION = places.data_dir() / "counters" / "session"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """An archive of walks of a switch, and of the runs of two tools."""
    folder = tmp_path_factory.mktemp("store") / "archive"
    add_files(Archive(folder), [SESSION / "walks.txt.gz", SESSION / "iperf3-send.json", SESSION / "nuttcp.txt"])
    return folder


def test_a_batch_has_every_combination_of_values():
    jobs = jobs_of({"x": READS}, {"mode": "wan"}, ["rtt=10ms,20ms", "counters=" + __file__])
    assert jobs[0].name.startswith("x.rtt=10ms.counters=")
    assert [(job.parameters["rtt"], job.parameters["mode"], job.each["rtt"]) for job in jobs] == [
        (0.01, "wan", "10ms"),
        (0.02, "wan", "20ms"),
    ]


@pytest.mark.slow
def test_each_port_of_an_archive(archive):
    jobs = jobs_of({"x": READS}, {}, ["host", "interface", "rtt=1s"], archive)
    assert [job.name for job in jobs] == [
        f"x.rtt=1s.host=switch.interface={port}" for port in ("br0", "lo", "port1", "port2")
    ]
    assert jobs[2].parameters["counters"] == f"{archive}?host=switch&interface=port1"


def test_days_are_those_of_what_the_brief_reads(archive):
    (job,) = jobs_of({"x": READS}, {}, ["day"], archive)  # the archive has runs of an unknown day, and no counters
    assert job.each == {"day": "2026-11-22"}


def test_whole_archive(archive):
    (job,) = jobs_of({"x": READS}, {}, archive=archive)
    assert (job.name, job.parameters["counters"], job.each) == ("x", str(archive), {})


def test_names_of_files_are_possible_and_differ():
    names = [job.name for job in jobs_of({"x": READS}, {}, ["mode=xe-0/0/1,xe-0/0:1,é,../../x," + "y" * 300])]
    assert len(set(names)) == 5
    for name in names:
        assert "/" not in name
        assert len(name) < 100


@pytest.mark.parametrize(
    ("name", "each", "with_archive", "message"),
    [
        ("x", ["rtt=1s,9s"], False, "found parameter rtt: '9s', expected a value from 0 s to 2 s"),
        ("x", ["rt=1s"], False, "found parameter 'rt', expected one of rtt, counters, mode; did you mean 'rtt'?"),
        ("x", ["rtt="], False, "found no values of rtt, expected rtt=VALUE,VALUE,…"),
        (
            "x",
            ["host"],
            False,
            "found 'host' to make briefs for, without an archive, expected PARAMETER=VALUE,…, or a column",
        ),
        ("x", ["hots"], True, "found archive column 'hots', expected one of host, content_hash, protocol, tool, "),
        ("x", ["hots"], True, "; did you mean 'host'?"),
        ("x", ["tool"], True, "with a known tool, expected an archive with such rows"),
        (
            "x",
            ["counters=a,b", "host"],
            True,
            "found parameter 'counters' and an archive, expected only one of the two",
        ),
        ("y", ["host"], True, "found brief 'y' for an archive, expected one that reads files"),
    ],
)
def test_what_cannot_be_is_refused(name, each, with_archive, message, archive):
    with pytest.raises(InputError) as refused:
        jobs_of({name: {"x": READS, "y": PLAIN}[name]}, {}, each, archive if with_archive else None)
    assert message in str(refused.value)


def test_no_archive_and_several_briefs_are_refused(tmp_path):
    with pytest.raises(InputError, match="expected a folder created by 'hecn archive add'"):
        jobs_of({"x": READS}, {}, ["host"], tmp_path)
    with pytest.raises(InputError, match="found 2 briefs, expected one, to make it for each"):
        jobs_of({"x": READS, "y": PLAIN}, {}, ["rtt=1s"])


# what an archive gives to the readers


def test_counters_of_an_archive_are_those_of_its_files(archive):
    whole, files = read_counters(archive), read_counters(SESSION / "walks.txt.gz")
    pd.testing.assert_frame_equal(whole.samples, files.samples.sort_values("time", kind="stable", ignore_index=True))
    order = ["interface", "index", "time"]
    ours, theirs = (one.rates.sort_values(order, ignore_index=True) for one in (whole, files))
    pd.testing.assert_frame_equal(ours, theirs)
    assert len(whole.interfaces) == len(files.interfaces)


def test_part_of_an_archive(archive):
    found = read_counters(f"{archive}?interface=port1&host=switch")
    assert set(found.samples["interface"]) == set(found.rates["interface"]) == {"port1"}
    reading = read(f"{archive}?tool=nuttcp")
    assert set(reading.runs["tool"]) == {"nuttcp"}
    assert len(reading.intervals) == len(read(SESSION / "nuttcp.txt").intervals) > 0
    assert read([archive, SESSION / "nuttcp.txt"]).runs["tool"].value_counts()["nuttcp"] == 2 * len(reading.runs)


def test_days_of_an_archive(archive):
    days = [dict(one.conditions)["day"] for one in selection.parts(archive, ["day"])]
    assert days == ["2026-11-22", "unknown"]  # that nuttcp did not say when
    assert set(read(f"{archive}?day=unknown").runs["tool"]) == {"nuttcp"}
    assert "nuttcp" not in set(read(f"{archive}?day=2026-11-22").runs["tool"])


def test_other_paths_are_no_archive(tmp_path):
    strange = tmp_path / "what?day=x"
    strange.mkdir()
    assert selection.archive_of(strange) is None
    assert selection.archive_of("no/such?day=1") is None
