"""Test matrices: cells, what runs cover, the next test, commands, comparison of tools, the search for the best."""

import json
import re
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import hecn_analysis as hecn
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.comparison.tools import compare_tools, conditions
from hecn_analysis.figures import matrix_coverage_rows, plot_matrix_coverage
from hecn_analysis.planning.matrix.cells import (
    Repeats,
    amounts,
    by_grid,
    load_matrix,
    matrix_names,
    plan,
    repeats_needed,
)
from hecn_analysis.planning.matrix.commands import commands
from hecn_analysis.planning.matrix.next_tests import find_best, rank_next
from hecn_analysis.planning.matrix.outlook import Belief, Outlook
from hecn_analysis.planning.matrix.runs import believed, match, status

SMALL = """
title: small
scenario: {sender: b, receiver: b, path: lan-10ge}
pause: 10 s
grids:
  copies:
    axes:
      tool: [nuttscp, hpn-scp]
      tool.bytes: [16 GB, 64 GB]
      path.rtt: [0 ms, 90 ms]
  memory:
    set: {tool: nuttcp, tool.duration: 60 s}
    axes: {path.rtt: [15 ms, 90 ms], path.loss: [0, 1e-5]}
emulator: {forward: eth2, back: eth3, base_rtt: 0.1 ms}
commands:
  nuttscp: {client: "nuttscp -w{window_kib} {file} {address}:{target}"}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "small.yaml"
    path.write_text(SMALL)
    return load_matrix(path)


@pytest.fixture(scope="module")
def shipped():
    """The shipped matrices by name; each keeps the predictions of its cells."""
    return {name: load_matrix(name) for name in matrix_names()}


def runs_of(*rows):
    return tables.make(
        "runs", [{"source_file": "log", "run": number, "error": False, **row} for number, row in enumerate(rows)]
    )


@pytest.mark.slow
def test_shipped_matrices_can_be_planned_and_say_where_they_come_from(shipped):
    for matrix in shipped.values():
        assert len(plan(matrix)) == len(matrix.cells)
        assert matrix.document
        assert matrix.place
        assert len({cell.name for cell in matrix.cells}) == len(matrix.cells)
    sizes = {cell.setting["tool.bytes"] for cell in shipped["sc09"].cells if cell.grid == "distances"}
    assert sizes == {"16 GB", "32 GB", "64 GB", "128 GB"}


def test_cells_are_predicted_as_each_would_be_alone(small):
    found = plan(small)
    for cell, row in zip(small.cells, found.to_dict("records"), strict=True):
        alone = hecn.predict(cell.scenario)
        assert row["predicted_bps"] == pytest.approx(alone.throughput_bps, rel=0.02)  # a chance of its own where lossy
        assert row["bottleneck"] == alone.bottleneck
        assert row["low_bps"] == pytest.approx(alone.low_bps, rel=0.05)
    assert found["load_fraction"].max() == pytest.approx(1, abs=1e-3)


def test_time_and_data_add_up(small):
    row = plan(small).iloc[0]
    assert row["data_bytes"] == 16e9
    assert row["time_s"] == pytest.approx(8 * 16e9 / row["predicted_bps"])
    assert row["all_time_s"] == pytest.approx(row["repeats"] * (row["time_s"] + 10))
    timed = small.cells[-1]
    assert amounts(timed.scenario, 8e9) == (60, 60e9)


@pytest.mark.parametrize("scatter", [0.01, 0.05, 0.2])
def test_repeats_are_the_fewest_whose_interval_is_narrow_enough(scatter):
    wanted = Repeats(confidence=0.9, within=0.05, at_least=1)
    count = repeats_needed(scatter, wanted)
    width = [stats.t.ppf(0.95, n - 1) * scatter / np.sqrt(n) for n in (count, count - 1) if n > 1]
    assert width[0] <= 0.05
    assert len(width) == 1 or width[1] > 0.05


def test_runs_find_their_cells_by_what_the_log_says(small):
    runs = runs_of(
        {"tool": "nuttscp", "throughput_bps": 9e9, "bytes": 64 * 2**30, "rtt_s": 0.087, "streams": 1},
        {"tool": "nuttscp", "throughput_bps": 9e9, "bytes": 16_000_000_000, "rtt_s": 0.0001},
        {"tool": "nuttscp", "throughput_bps": 9e9, "bytes": 1_000_000_000, "rtt_s": 0.0001},
        {"tool": "nuttscp", "throughput_bps": 9e9, "rtt_s": 0.0001},
        {"tool": "nuttcp", "throughput_bps": 6e9, "rtt_s": 0.09},
        {"tool": "nuttscp", "throughput_bps": 3e10, "bytes": 16_000_000_000, "rtt_s": 0.0001},
        {"tool": "dd", "throughput_bps": 9e9},
    )
    found = match(small, runs)
    assert found["cell"].fillna("").tolist() == ["copies/nuttscp/64GB/90ms", "copies/nuttscp/16GB/0ms", *[""] * 5]
    reasons = found["reason"].tolist()
    assert "tool.bytes 1e+09" in reasons[2]
    assert reasons[3] == "the log does not give tool.bytes"
    assert reasons[4] == "the log does not give path.loss"
    assert "faster than the matrix's path carries (9.90 Gb/s)" in reasons[5]
    assert match(small, runs, {"path.loss": "1e-5"})["cell"][4] == "memory/90ms/1e-5"


def test_status_counts_repeats_and_says_what_their_scatter_is_from(small):
    rates = [9.0e9, 9.2e9, 9.4e9]
    run = {"tool": "nuttscp", "bytes": 16_000_000_000, "rtt_s": 0.0}
    found = status(small, match(small, runs_of(*({**run, "throughput_bps": rate} for rate in rates)))).set_index("cell")
    row = found.loc["copies/nuttscp/16GB/0ms"]
    low, high = stats.t.interval(0.95, 2, np.mean(rates), stats.sem(rates))
    assert (row["mean_low_bps"], row["mean_high_bps"]) == pytest.approx((low, high))
    assert (row["runs"], row["scatter_of"]) == (3, "cell")
    assert row["missing"] == max(0, repeats_needed(np.std(rates, ddof=1) / np.mean(rates), small.repeats) - 3)
    assert found.loc["copies/nuttscp/16GB/90ms", "scatter_of"] == "tool"
    assert found.loc["copies/hpn-scp/16GB/0ms", "scatter_of"] == "model"


def test_the_figure_shows_repeats_that_are_there(small):
    run = {"tool": "nuttscp", "bytes": 16_000_000_000, "rtt_s": 0.0, "throughput_bps": 9e9}
    covered = status(small, match(small, runs_of(run)))
    rows = matrix_coverage_rows(covered).set_index(["row", "column"])
    assert rows.loc[("copies nuttscp 16GB", "0ms"), ["share", "words"]].tolist() == [pytest.approx(1 / 3), "1/3"]
    assert (rows["share"] > 0).sum() == 1
    assert np.nansum(plot_matrix_coverage(covered).data[0].z > 0) == 1


def test_a_run_tells_about_tests_that_share_what_it_rests_on(small):
    belief = small.belief()
    before, names = belief.mean.copy(), [cell.name for cell in small.cells]
    one, other, third = (
        names.index(f"copies/{name}") for name in ("hpn-scp/16GB/0ms", "hpn-scp/64GB/0ms", "nuttscp/16GB/0ms")
    )
    belief.tell(one, 0.7 * np.exp(before[one]))
    moved = belief.mean - before
    assert moved[one] == pytest.approx(np.log(0.7), abs=0.05)
    assert moved[third] - moved[other] > 0.05  # they share the host's core, but not the cost of encryption


def test_next_tests_take_away_what_they_say_and_do_not_repeat_what_is_known(small):
    found = rank_next(small, count=4)
    assert found["worth"].is_monotonic_decreasing
    first = [cell.name for cell in small.cells].index(found["cell"][0])
    belief = small.belief()
    before = np.trace(belief.covariance)
    gain = belief.covariance[:, first]
    after = before - (gain**2).sum() / (gain[first] + belief.noise[first])
    assert found["variance_fraction"][0] == pytest.approx(1 - after / before, rel=1e-6)
    told = believed(
        small, pd.DataFrame({"cell": [found["cell"][0]] * 5, "throughput_bps": [np.exp(belief.mean[first])] * 5})
    )
    assert rank_next(small, told, count=1)["cell"][0] != found["cell"][0]
    hours = [rank_next(small, count=1, per=per).iloc[0] for per in ("test", "time")]
    assert hours[1]["worth"] / (hours[1]["time_s"] + small.pause_s) >= hours[0]["worth"] / (
        hours[0]["time_s"] + small.pause_s
    )


def test_commands_set_up_the_path_and_run_the_cells(small):
    lines = list(commands(small, [(small.cells[1], 3), (small.cells[-1], 2)], address="10.0.0.7"))
    text = "\n".join(lines)
    assert text.startswith("# runs: 5, cells: 2, ")
    # 44.95 ms each way: two times what 10 Gb/s hold on the way, in packets of 9000 B, above netem's own 1000
    limit = 1000 + int(np.ceil(2 * 10e9 * 0.04495 / (8 * 9000)))
    assert f"sudo tc qdisc replace dev eth2 root netem delay 44.95ms loss 0.001% limit {limit}" in lines
    assert lines.count(f"sudo tc qdisc replace dev eth3 root netem delay 44.95ms limit {limit}") == 2
    assert re.search(r"nuttscp -w97656 /data/hecn-16000000000.dat 10.0.0.7:/data/hecn-16000000000.dat.copy", text)
    assert "nuttcp -P 5000 -p 5001 -T60 10.0.0.7" in text
    unknown = next(cell for cell in small.cells if cell.scenario.tool.name == "hpn-scp")
    said = f"# no command is known for hpn-scp: put one under 'commands' in the matrix {small.source}"
    assert said in list(commands(small, [(unknown, 1)]))


def test_a_name_stays_one_word_of_a_command_or_in_its_remark(tmp_path):
    """The lines are given to a shell, as people do; what would run in it makes a file."""
    name = "-x$(: > ran); `: > ran`\n: > ran; ' #"
    described = {
        "title": name,
        "scenario": {"sender": "ideal", "receiver": "ideal", "path.rate": "1 Gb/s"},
        "grids": {name: {"axes": {"tool": ["iperf3", "hpn-scp", "rsync"]}}},
        "commands": {"rsync": {"client": "echo {address} {file} {target_folder}"}},
    }
    (tmp_path / "hostile.yaml").write_text(json.dumps(described))
    matrix = load_matrix(tmp_path / "hostile.yaml")
    lines = commands(matrix, [(cell, 1) for cell in matrix.cells], address="a; : > ran", folder="/my data")
    for program, does in {
        "seq": "echo 1",
        "tee": 'printf "<%s>" "$@" >> args; while read -r x; do echo "$x"; done',
    }.items():
        (tmp_path / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / program).chmod(0o755)
    there = {"cwd": tmp_path, "env": {"PATH": str(tmp_path)}, "input": "\n".join(lines), "text": True}
    ended = subprocess.run(["/bin/sh", "-s"], **there, check=False, capture_output=True)
    assert not (tmp_path / "ran").exists()
    assert "a; : > ran /my data/hecn-68719476736.dat /my data/copies" in ended.stdout
    given = (tmp_path / "args").read_text()
    assert [f"<./{name}-{tool}-1.txt>" in given for tool in ("iperf3", "rsync")] == [True, True]


@pytest.mark.parametrize(
    "field", ["{address.__class__}", "{address!r}", "{bytes:>999999999}", "{}", "{address[0]}", "{x"]
)
def test_commands_of_a_matrix_are_filled_in_by_name_and_no_more(tmp_path, field):
    described = {
        "title": "x",
        "scenario": {"sender": "ideal", "receiver": "ideal", "path.rate": "1 Gb/s"},
        "grids": {"g": {"axes": {"tool": ["rsync"]}}},
        "commands": {"rsync": {"client": field}},
    }
    (tmp_path / "m.yaml").write_text(json.dumps(described))
    matrix = load_matrix(tmp_path / "m.yaml")
    with pytest.raises(InputError, match="in the commands of rsync, expected one of address, file"):
        list(commands(matrix, [(matrix.cells[0], 1)]))


@pytest.mark.slow
def test_every_tool_of_a_shipped_matrix_has_its_command_and_the_matrix_the_name_it_was_given(shipped):
    for name, matrix in shipped.items():
        assert matrix.source == name
        tools = {cell.scenario.tool.name: cell for cell in matrix.cells}
        text = "\n".join(commands(matrix, [(cell, 3) for cell in tools.values()], address="10.0.0.7"))
        assert "no command is known" not in text


@pytest.mark.slow
def test_a_server_that_ends_with_its_run_is_started_for_each(shipped):
    matrix = shipped["sc09"]
    cell = next(cell for cell in matrix.cells if cell.name == "distances/xdd/16GB/90ms")
    lines = list(commands(matrix, [(cell, 3)], address="10.0.0.7"))
    (server,) = [line for line in lines if line.endswith("# at the receiver")]
    assert server.startswith(
        "for run in $(seq 3); do xdd -op write -targets 1 /data/hecn-16000000000.dat.copy -e2e isdest "
    )
    (client,) = [line for line in lines if line.startswith("  xdd ")]
    for line in (server, client):
        assert "-e2e dest 10.0.0.7:40010,8 -dio -blocksize 1024 -reqsize 8192 -bytes 16000000000" in line


def test_tools_are_compared_under_the_same_conditions():
    rng = np.random.default_rng(1)
    rows = [
        {"tool": tool, "rtt_s": rtt, "throughput_bps": factor * 1e9 / (1 + 20 * rtt) * rng.lognormal(0, 0.02)}
        for rtt in (0.0, 0.015, 0.09, 0.12, 0.18, 0.25)
        for tool, factor in (("fast", 1.2), ("slow", 1.0), ("alike", 1.0))
        for _ in range(3)
    ]
    found = compare_tools(pd.DataFrame(rows), by="rtt_s")
    best = found.pairs[(found.pairs["faster"] == "fast") & (found.pairs["slower"] == "slow")].iloc[0]
    assert best["ratio_low"] < 1.2 < best["ratio_high"]
    assert best["p"] == pytest.approx(2 / 2**6)
    assert best["p_corrected"] == pytest.approx(3 * 2 / 2**6)
    assert found.friedman_p < 0.05
    same = found.pairs[~found.pairs["faster"].eq("fast")].iloc[0]
    assert same["ratio_low"] < 1 < same["ratio_high"]


def test_sums_by_grid_are_those_of_the_cells(small):
    runs = runs_of({"tool": "nuttscp", "throughput_bps": 9e9, "bytes": 16_000_000_000, "rtt_s": 0.0001})
    covered, planned = status(small, match(small, runs)), plan(small)
    sums = by_grid(small, planned, covered)
    assert sums["grid"].tolist() == ["copies", "memory"]
    assert sums["cells"].sum() == len(small.cells)
    assert sums["run"].tolist() == [1, 0]
    assert sums["missing"].sum() == covered["missing"].sum()
    assert sums["all_time_s"].sum() == pytest.approx((covered["needed"] * (planned["time_s"] + small.pause_s)).sum())


def test_tools_without_a_common_condition_are_not_compared(small):
    runs = runs_of({"tool": "nuttscp", "throughput_bps": 9e9, "bytes": 16_000_000_000, "rtt_s": 0.0001})
    with pytest.raises(InputError, match="no two tools under one condition"):
        compare_tools(conditions(small, match(small, runs)))


def test_a_matrix_that_cannot_be_is_explained(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(SMALL.replace("path.rtt: [0 ms", "path.rrt: [0 ms"))
    with pytest.raises(InputError, match=r"bad\.yaml:6: found .*path\.rrt"):
        load_matrix(path)
    with pytest.raises(InputError, match="one of sc09"):
        load_matrix("sc9")


def test_command_line(small, capsys):
    assert main(["matrix", "status", small.source, "data/logs/b-systems-nuttscp.txt", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert "copies/nuttscp/64GB/90ms" in out
    assert "cells have enough runs" in err


def test_the_best_of_a_matrix_is_found_with_few_runs_where_the_model_holds(small):
    # the truth is a set of parameters that the belief does not hold, and runs scatter about it
    outlook, values = small.outlook, [dict(cell.numbers) for cell in small.cells]
    rng, good, trials = np.random.default_rng(7), 0, 40
    for draw in range(trials):
        truth = outlook.draws_bps[:, draw]
        rest = replace(
            outlook,
            draws_bps=np.delete(outlook.draws_bps, draw, axis=1),
            candidates=np.delete(outlook.candidates, draw, axis=1),
        )
        search = find_best(
            Belief(rest, values), lambda cell, truth=truth: truth[cell] * rng.lognormal(0, outlook.repeat[cell]), 2
        )
        good += truth[search.best] >= 0.95 * truth.max()
    assert len(outlook.throughput_bps) == 12
    assert good / trials >= 0.96


def test_tests_without_a_limit_are_refused():
    free = hecn.load_scenario({"sender": "ideal", "tool": "dd-read"})
    with pytest.raises(InputError, match="no limit for"):
        Outlook.of({"free": free})


benchmark = pytest.importorskip("benchmarks.matrix_trials")  # not in the wheel


@pytest.mark.slow
def test_the_best_of_the_documents_is_found_with_a_fifth_of_their_tests():
    for group in benchmark.documents():
        found = benchmark.trials(group, 25, seed=5)
        assert found["adaptive"] >= 0.96, group.name
        assert found["adaptive"] > found["chance"]


@pytest.mark.slow
def test_the_best_of_measured_transfers_is_found_with_a_fifth_of_the_tests(corpus):
    groups = benchmark.laboratory(corpus)
    assert groups
    for group in groups:
        assert benchmark.trials(group, 50)["adaptive"] >= 0.96, group.name


def test_of_tests_predicted_alike_the_one_that_passes_less_is_expected_to_be_faster():
    copy = {"sender": "b", "receiver": "b", "path": "lan-10ge"}
    outlook = Outlook.of({tool: hecn.load_scenario({**copy, "tool": tool}) for tool in ("nuttcp", "nuttscp")})
    assert outlook.throughput_bps[0] == pytest.approx(outlook.throughput_bps[1])
    assert 0 <= outlook.caution[0] < outlook.caution[1]
    (best,) = find_best(Belief(outlook, [{"tool": "nuttcp"}, {"tool": "nuttscp"}]), lambda _: 8e9, 1).tested
    assert best == 0
