"""Recorded counters of many sources, where HECN_CORPUS names the folder that holds them and their manifest.

Of each file, every fact of the manifest must be what `hecn counters --table sources` says; see the folder's own words.
"""

import csv
import json
import sys
from datetime import UTC, datetime

import pytest

from hecn_analysis.counters import read_counters

CHECKED = {
    *("n_samples", "n_rows", "n_interfaces", "n_targets", "first_time", "last_time", "first_time_local"),
    *("last_time_local", "last_poll_time", "interval_s", "step_s", "uptime_s", "last_update", "interfaces", "series"),
    *("total", "targets", "data_sources", "archives", "last_in_counter", "last_out_counter", "latest"),
    *("max_in_bps", "max_out_bps"),
}
IDENTITY = ("name", "index", "cf")
UNCHECKED = {"typical_in_bps", "peak_time", "descr", "in_drops_per_s_max", "in_errors_per_s_max"}


@pytest.fixture(scope="module")
def manifest(corpus):
    folder = corpus / "counters"
    csv.field_size_limit(sys.maxsize)
    with (folder / "manifest.csv").open(newline="") as file:
        return [(folder / row["path"], row["format"], json.loads(row["expected_json"])) for row in csv.DictReader(file)]


def _seconds(value):
    if isinstance(value, int | float):
        return float(value)
    time = datetime.fromisoformat(value)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _differences(expected, found, where, tolerance):
    """What is missing or wrong, in words."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if key not in UNCHECKED:
                yield from _differences(value, (found or {}).get(key), f"{where}.{key}", tolerance)
    elif isinstance(expected, list) and expected and isinstance(expected[0], dict):
        yield from _missing(expected, found or (), where, tolerance)
    elif "time" in where.rpartition(".")[2] and not where.endswith("_s") and expected is not None:
        if found is None or abs(_seconds(found) - _seconds(expected)) > 0.51:
            yield f"{where}: {found!r}, expected {expected!r}"
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        relative = max(tolerance.get("rel_tolerance") or 0, 0 if isinstance(expected, int) else 1e-4)
        slack = relative * abs(expected) + (tolerance.get("abs_tolerance") or 0) + 1e-9 * abs(expected)
        if isinstance(found, bool) or not isinstance(found, int | float) or abs(found - expected) > slack:
            yield f"{where}: {found!r}, expected {expected!r}"
    elif expected != found:
        yield f"{where}: {found!r}, expected {expected!r}"


def _missing(expected, found, where, tolerance):
    """The same of the objects of a list, which are found by what names them."""
    for each in expected:
        name = next((key for key in IDENTITY if key in each), None)
        only = where == ".series" and len(expected) == 1 == len(found)
        near = [own for own in found if only or name is None or own.get(name) == each[name]]
        if not near:
            yield f"{where}[{each.get(name)}]: missing"
        else:
            wanted = {key: value for key, value in each.items() if not (only and key == name)}
            yield from min((list(_differences(wanted, own, where, tolerance)) for own in near), key=len)


def test_facts_are_what_the_manifest_promises(manifest):
    sources = {source["source_file"]: source for source in read_counters([path for path, _, _ in manifest]).sources}
    faults = []
    for path, name, expected in manifest:
        source = sources.get(str(path))
        if source is None or source["format"] != name:
            faults.append(f"{path}: {source and source['format']}, expected {name}")
            continue
        wanted = {key: value for key, value in expected.items() if key in CHECKED}
        faults += [f"{path}: {fault}" for fault in _differences(wanted, source, "", expected)]
    assert not faults, "\n".join(faults)
