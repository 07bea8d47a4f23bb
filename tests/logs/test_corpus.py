"""Recorded outputs of many tools, where HECN_CORPUS names the folder that holds them and their manifest.

Ours are read to the last printed digit; no reader takes a file of another tool.
"""

import csv
import json
import sys

import pandas as pd
import pytest

from hecn_analysis.logs import read, registry

UNCHECKED = {"tool", "precision", "n_intervals", "error", "note", "tool_version"}
FALLBACK = 1e-3  # relative, if the manifest states no precision


@pytest.fixture(scope="module")
def manifest(corpus):
    folder = corpus / "tool-logs" if (corpus / "tool-logs").is_dir() else corpus
    csv.field_size_limit(sys.maxsize)
    with (folder / "manifest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [(folder / row["path"], row["tool"], json.loads(row["expected_json"])) for row in rows]


@pytest.fixture(scope="module")
def reading(manifest):
    return read([path for path, _, _ in manifest])


def _of(frame, path):
    return frame[frame.source_file == str(path)]


def _differences(run, expected, precision, n_intervals):
    half = {**precision, **expected.get("precision", {})}
    for key, value in expected.items():
        if key in UNCHECKED:
            continue
        actual = run[key]
        if isinstance(value, str):
            if actual != value:
                yield f"{key}: {actual}, expected {value}"
        elif (
            pd.isna(actual) or abs(float(actual) - value) > half.get(key, FALLBACK * abs(value)) * 1.0001 + 1e-9 * value
        ):
            yield f"{key}: {actual}, expected {value}"
    if bool(run["error"]) != bool(expected.get("error", False)):
        yield f"error: {run['error']}"
    if n_intervals != expected.get("n_intervals", n_intervals):
        yield f"{n_intervals} intervals, expected {expected['n_intervals']}"


def test_files_of_supported_tools_agree_with_the_manifest(manifest, reading):
    faults = []
    for path, tool, expected in manifest:
        if tool not in registry.TOOLS:
            continue
        runs, intervals = _of(reading.runs, path), _of(reading.intervals, path)
        if "runs" not in expected:
            if tool not in set(runs.tool):
                faults.append(f"{path.name}: no run of {tool}")
            continue
        if len(runs) != len(expected["runs"]) or set(runs.tool) != {tool}:
            faults.append(f"{path.name}: {len(runs)} runs of {set(runs.tool)}, expected {len(expected['runs'])}")
            continue
        for (_, run), wanted in zip(runs.iterrows(), expected["runs"], strict=True):
            mine = intervals[intervals.run == run["run"]]
            count = int(mine.stream.isna().sum()) or int((mine.stream == 0).sum())
            faults += [
                f"{path.name}: run {run['run']}: {difference}"
                for difference in _differences(run, wanted, expected.get("precision", {}), count)
            ]
    assert faults == []


def test_runs_of_supported_tools_are_read_from_mixed_files(manifest, reading):
    for path, tool, expected in manifest:
        if tool == "mixed":
            ours = [run for run in expected["runs"] if run["tool"] in registry.TOOLS]
            runs = _of(reading.runs, path)
            assert runs.tool.tolist() == [run["tool"] for run in ours]
            assert runs.throughput_bps.tolist() == pytest.approx([run["throughput_bps"] for run in ours], rel=FALLBACK)


def test_files_of_other_tools_have_no_runs(manifest, reading):
    others = [path for path, tool, _ in manifest if tool not in {*registry.TOOLS, "mixed"}]
    assert others
    for path in others:
        assert _of(reading.runs, path).empty, path.name
        assert _of(reading.problems, path).kind.tolist() == ["unrecognised"], path.name
