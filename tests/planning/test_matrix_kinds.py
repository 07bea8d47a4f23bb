"""Runs that fit one cell and are no repeats of each other; the shipped matrix against the documents."""

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.matrix.cells import load_matrix
from hecn_analysis.planning.matrix.commands import commands
from hecn_analysis.planning.matrix.runs import asked_cells, believed, match, status
from hecn_analysis.runs.alike import groups, with_conditions
from hecn_analysis.runs.circumstances import circumstances, named

TOOLS = (
    *("aspera", "nuttscp", "gridftp", "rocketstream", "irods", "bbftp", "fdt", "hpn-scp", "dsync", "xdd", "rsync"),
    *("ftp", "gpfs", "pnfs", "nfs", "nfs-rdma", "nuttcp"),
)
LOG = "data/logs/b-systems-nuttscp.txt"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "small.yaml"
    path.write_text("""\
title: small
scenario: {sender: b, receiver: b, path: lan-10ge}
grids:
  copies: {axes: {tool: [nuttscp], tool.bytes: [64 GB], path.rtt: [0 ms, 90 ms]}}
  memory: {set: {tool: iperf3, tool.duration: 60 s}, axes: {path.rtt: [0 ms, 90 ms]}}
  files: {set: {tool: nuttscp, path.rtt: 90 ms}, axes: {files: [16@16, 2@128]}}
emulator: {forward: eth2, back: eth3}
""")
    return load_matrix(path)


def runs_of(*rows):
    return tables.make(
        "runs",
        [
            {"source_file": "log", "run": number, "line_first": number + 1, "line_last": number + 1, "error": False}
            | row
            for number, row in enumerate(rows)
        ],
    )


def test_runs_of_the_documents_are_pooled_with_their_repeats_only(small, root):
    runs = hecn.read(root / LOG).runs
    found = match(small, runs)
    counted = found[found["cell"].notna()].set_index("cell")
    near, far = "copies/nuttscp/64GB/0ms", "copies/nuttscp/64GB/90ms"
    assert (counted["throughput_bps"] / 1e9).round(2).to_dict() == {near: 9.82, far: 9.55}
    reasons = found["reason"].dropna().tolist()
    assert reasons[:2] == ["one of several simultaneous runs, but the cell has single runs"] * 2
    kind = "emulated path, B-systems, no retransmissions, 68.7 GB"
    of = f"not a repeat of the 1 run ({kind}) that count in {far}: "
    assert [one.removeprefix(of) for one in reasons if one.startswith(of)] == [
        "emulated path, B-systems, retransmissions, 68.7 GB",
        "real path, B-systems, no retransmissions, 68.7 GB",
    ]
    table = status(small, found).set_index("cell")
    assert table.loc[far, "kind"] == kind
    assert table["needed"].max() <= 3
    assert len(believed(small, found).tested) == 2


def test_runs_on_other_hosts_are_of_no_cell(small, root):
    found = match(small, hecn.read(root / "data/logs/c-systems-nuttscp.txt").runs)
    assert found["cell"].isna().all()
    assert "between C-systems, but the matrix has B-systems" in found["reason"].tolist()


def test_the_kind_with_most_runs_counts_and_the_others_are_named(small):
    run = {"tool": "iperf3", "protocol": "tcp", "rtt_s": 0.09, "duration_s": 60.0, "streams": 1}
    rates = [(5.0e9, 0), (5.1e9, 0), (2.0e9, 7), (2.1e9, 9), (2.2e9, 8)]
    found = match(small, runs_of(*({**run, "throughput_bps": rate, "retransmits": again} for rate, again in rates)))
    assert found["cell"].notna().tolist() == [True, True, False, False, False]  # the cell is of a path without losses
    row = status(small, found).set_index("cell").loc["memory/90ms"]
    assert (row["runs"], row["kind"]) == (2, "no retransmissions, 1 stream")
    assert row["mean_bps"] == pytest.approx(5.05e9)
    one_sided = {**run, "throughput_bps": None, "sender_throughput_bps": 5e9}
    assert match(small, runs_of(one_sided))["throughput_bps"].tolist() == [5e9]


def test_both_directions_of_one_test_are_simultaneous(small):
    start = pd.Timestamp("2026-11-20 12:00", tz="UTC")
    run = {"tool": "iperf3", "protocol": "tcp", "rtt_s": 0.09, "duration_s": 60.0, "throughput_bps": 4e9}
    later = start + pd.Timedelta(61, "s")
    runs = runs_of(
        {**run, "direction": "send", "start_time": start},
        {**run, "direction": "receive", "start_time": start},
        {**run, "direction": "send", "start_time": later, "throughput_bps": 9e9},
        {**run, "direction": "send", "start_time": later + pd.Timedelta(59, "s"), "throughput_bps": 9e9},
    )
    assert circumstances(runs) == ["simultaneous", "simultaneous", None, None]
    assert match(small, runs)["cell"].notna().tolist() == [False, False, True, True]
    in_one_passage = runs.assign(start_time=pd.NaT, line_first=[1, 1, 9, 12], line_last=[8, 8, 11, 14])
    assert circumstances(in_one_passage) == ["simultaneous", "simultaneous", None, None]
    assert circumstances(runs.iloc[:0]) == []


def test_the_report_keeps_simultaneous_halves_from_single_runs(root):
    found = groups(with_conditions(hecn.read(root / LOG).runs))
    copies = found[found["tool"] == "nuttscp"]
    assert copies["runs"].tolist() == [2, 2, 1, 1]
    halves = copies[copies["circumstances"].str.startswith("simultaneous")].iloc[0]
    assert (halves["runs"], halves["most_bps"]) == (2, 5092519600.0)
    assert "real path, B-systems" in copies["circumstances"].tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Two simultaneous 64-GB file copies", ["simultaneous"]),
        ("30 Second Bi-Directional Test", ["simultaneous"]),
        ("Two uni-directional tests", []),
        ('in a ~3000km-emulated (by netem) WAN testbed between two "B-Systems"', ["emulated path", "B-systems"]),
        ("in a ~3000km real WAN testbed): GSFC->ARC", ["real path"]),
        ("RAID50 is real", []),
        ("HotLava Systems 6x10GE", []),
    ],
)
def test_circumstances_are_read_from_headings(text, words):
    assert named(text) == words


def test_the_shipped_matrix_has_all_tools_and_file_sets_of_the_documents():
    matrix = load_matrix("sc09")
    assert {cell.scenario.tool.name for cell in matrix.cells} == set(TOOLS)
    sets = {(cell.setting["tool"], cell.setting["files"]) for cell in matrix.cells if cell.grid == "files"}
    assert sets == {(tool, files) for tool in TOOLS[:-1] for files in ("16@16", "8@32", "4@64", "2@128")}
    assert {cell.scenario.tool.bytes.value for cell in matrix.cells if cell.grid == "files"} == {256e9}


def test_a_set_of_files_counts_where_the_user_says_so(small):
    run = {"tool": "nuttscp", "protocol": "file", "rtt_s": 0.09, "bytes": 256_000_000_000, "throughput_bps": 5e9}
    assert match(small, runs_of(run))["reason"].tolist() == ["the log does not give files"]
    assert match(small, runs_of(run), {"files": "2@128"})["cell"].tolist() == ["files/2@128"]
    lines = list(commands(small, [(cell, 3) for cell in asked_cells(small, ["files/2@128"])]))
    assert "2@128 (files@GB): the command that copies several files as one test is not known" in lines[-1]


def test_a_set_of_files_that_cannot_be_read_is_refused(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("{title: a, scenario: {sender: b, receiver: b, path: lan-10ge, tool: nuttscp},\n"
                    " grids: {far: {axes: {files: [sixteen]}}}}")  # fmt: skip
    with pytest.raises(InputError, match=r"found files 'sixteen', expected their number and size in GB, such as 16@16"):
        load_matrix(path)
