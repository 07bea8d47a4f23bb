"""Tools side by side: rows of documents and of logs, who won and whether by chance, what distance costs."""

import math

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.comparison import tool_table
from hecn_analysis.planning.matrix.cells import load_matrix
from hecn_analysis.planning.matrix.runs import match

SMALL = """
title: two tools
scenario: {sender: b, receiver: b, path: lan-10ge}
grids:
  both:
    axes: {tool: [nuttscp, rsync], tool.bytes: [64 GB], path.rtt: [0 ms, 90 ms]}
"""


@pytest.fixture(scope="module")
def documented():
    return tool_table.documented()


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "small.yaml"
    path.write_text(SMALL)
    return load_matrix(path)


@pytest.fixture(scope="module")
def logged(matrix, root):
    """Runs of a log and of its repeat, and the same as those of another tool that is half as fast."""
    runs = hecn.read(root / "data/logs/b-systems-nuttscp.txt").runs
    runs = runs[runs["tool"] == "nuttscp"]
    runs = pd.concat([runs, runs.assign(source_file="again.txt", throughput_bps=0.98 * runs["throughput_bps"])])
    files = "rsync-" + runs["source_file"]
    slower = runs.assign(tool="rsync", source_file=files, throughput_bps=runs["throughput_bps"] / 2)
    both = pd.concat([runs, slower], ignore_index=True)
    return tool_table.of_runs(matrix, both, match(matrix, both))


def test_documents_rows_are_by_condition_and_count_what_arrived(documented):
    # Summary Results (10 January 2011), page 80: a matrix of the same shape heads its columns 0 and 100 ms
    assert list(dict.fromkeys(documented["condition"])) == ["laboratory", "100 ms"]
    xdd = documented[documented["library_tool"] == "xdd"]
    assert (xdd["throughput_bps"] / 8e6).tolist() == [620, 372]
    first = documented.iloc[0]
    assert (first["tool"], first["kind"], first["source_file"]) == ("nuttcp", "memory to memory", "documents.csv")
    assert documented.set_index("tool").loc["rdmacp", "window_bytes"].isna().all()


def test_fastest_copies_of_sc09_and_whether_chance_explains_it(documented):
    copies = documented[documented["kind"] == "disk to disk"]
    near, far = tool_table.winners(copies, scatter=0.015).to_dict("records")
    assert (near["fastest"], near["second"], near["basis"]) == ("bbFTP get", "rdmacp", "scatter")
    assert near["p"] > 0.05
    assert (far["fastest"], far["second"]) == ("rdmacp", "nuttscp, default settings")
    assert far["ratio"] == pytest.approx(800 / 577)
    assert far["p"] < 0.001
    assert near["expected"].endswith(" equal")


def test_without_repeats_and_scatter_nothing_is_said_of_chance(documented):
    copies = documented[documented["kind"] == "disk to disk"]
    assert tool_table.winners(copies)["p"].isna().all()


def test_distance_costs_most_where_the_window_is_fixed(documented):
    lost = tool_table.kept(documented, "laboratory", "100 ms").set_index("tool")
    assert lost.loc["bbFTP get", "kept_fraction"] == pytest.approx(33 / 840)
    # 33 MB/s over 100 ms (Summary Results, page 80) are its windows of 256 KiB; nearby it is predicted to fill the
    # link, which the undescribed hosts of 2009 did not do: the predicted share is less than the measured one
    far = documented[(documented["tool"] == "bbFTP get") & (documented["condition"] == "100 ms")].iloc[0]
    assert far["predicted_bps"] == pytest.approx(33e6 * 8, rel=0.1)
    assert far["bottleneck_class"] == "window"
    assert lost["predicted_fraction"].idxmin() in ("bbFTP get", "bbFTP put")
    assert lost["kept_fraction"].is_monotonic_decreasing
    assert "NFS write" not in lost.index


def test_verdict_names_winners_doubt_and_distance(documented):
    copies = documented[documented["kind"] == "disk to disk"]
    said = tool_table.verdict(
        tool_table.winners(copies, scatter=0.015), tool_table.kept(copies, "laboratory", "100 ms")
    )
    assert said.startswith(
        "Laboratory: bbFTP get was fastest with 6.72 Gb/s, 1.02 times rdmacp (not significant); 100 ms:"
    )
    assert "bbFTP get kept 3.93 % of its rate" in said


def test_verdict_of_one_tool_under_one_condition_is_still_a_sentence(documented):
    one = documented.iloc[:1]
    said = tool_table.verdict(tool_table.winners(one), tool_table.kept(one, "laboratory", "laboratory").iloc[:0])
    assert said == "Laboratory: nuttcp was fastest with 7.86 Gb/s."


def test_runs_of_logs_stand_under_the_cells_of_the_matrix(logged):
    assert set(logged["condition"]) == {"both/64 GB/0 ms", "both/64 GB/90 ms"}
    assert set(logged["tool"]) == {"nuttscp", "rsync"}
    assert logged["predicted_bps"].notna().all()
    assert logged["cpu_receiver_fraction"].notna().all()


def test_repeats_are_averaged_by_their_geometric_mean(logged):
    means = tool_table.averaged(logged).set_index(["tool", "condition"])
    one = means.loc["nuttscp", "both/64 GB/0 ms"]
    part = logged[(logged["tool"] == "nuttscp") & (logged["condition"] == "both/64 GB/0 ms")]["throughput_bps"]
    assert one["runs"] == len(part)
    assert one["measured_bps"] == pytest.approx(math.exp(part.astype(float).map(math.log).mean()))
    assert one["least_bps"] <= one["measured_bps"] <= one["most_bps"]


def test_repeats_tell_of_chance_themselves(logged):
    won = tool_table.winners(logged)
    assert won["fastest"].tolist() == ["nuttscp", "nuttscp"]
    assert won["ratio"].tolist() == pytest.approx([2.0, 2.0])
    assert set(won["basis"]) == {"runs"}


def test_leader_is_set_against_each_other_tool(logged, documented):
    pairs = tool_table.against_leader(logged)
    (pair,) = pairs.to_dict("records")
    assert (pair["faster"], pair["slower"], pair["wins"], pair["pairs"]) == ("nuttscp", "rsync", 2, 1)
    assert tool_table.against_leader(documented.iloc[:1]).empty


def test_runs_of_no_cell_are_told(matrix, root):
    runs = hecn.read(root / "data/logs/hotlava-6x10ge.txt").runs
    with pytest.raises(InputError, match="found no run that fits a cell of the matrix, expected runs of its tools"):
        tool_table.of_runs(matrix, runs, match(matrix, runs))


def test_expected_cells_are_those_of_the_grid_and_measured_ones_stand_beside_the_nearest(matrix, documented):
    cells = tool_table.expected(matrix, "both")
    assert cells["cell"].tolist() == [cell.name for cell in matrix.cells]
    found = tool_table.beside(cells, tool_table.averaged(documented))
    rtt = found.set_index("condition")["path.rtt"]
    assert (set(rtt["laboratory"]), set(rtt["100 ms"])) == ({"0 ms"}, {"90 ms"})
    best = tool_table.best_expected(cells)
    assert best["tools"].tolist() == ["nuttscp", "nuttscp"]
    assert best["slowest"].tolist() == ["rsync", "rsync"]


def test_unknown_grid_gets_the_known_ones(matrix):
    with pytest.raises(InputError, match="found grid 'none', expected one of both"):
        tool_table.expected(matrix, "none")
