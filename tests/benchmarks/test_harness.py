"""The harness: ratios of rounds, budgets, what is taken, and the file of results."""

import itertools
import json

import pytest

harness = pytest.importorskip("benchmarks.harness")  # not in the wheel


def test_the_median_of_the_rounds_counts_and_the_first_round_does_not():
    ours, peer = iter([100.0, 1.0, 2.0, 3.0]), iter([1.0, 2.0, 2.0, 2.0])
    pair = harness.Pair("a", "b", lambda: next(ours), lambda: next(peer), target=1.0, take=lambda job: job())
    found = harness.measure(pair, 3)
    assert (found.ratio, found.ratio_quartiles, found.rounds) == (1.0, (0.75, 1.25), 3)
    assert found.met
    assert harness.line(found).split()[:6] == ["1.000", "0.750", "–", "1.250", "1.00", "met"]


def test_a_budget_is_a_peer():
    pair = harness.Pair("a", "one second", lambda: 0.5, 2.0, target=0.2, take=lambda job: job())
    found = harness.measure(pair, 2)
    assert (found.ratio, found.peer, found.met) == (0.25, 2.0, False)


def test_each_is_first_in_every_other_round():
    order = []
    pair = harness.Pair("a", "b", lambda: order.append("ours"), lambda: order.append("peer"), 1.0)
    harness.measure(harness.Pair(**{**vars(pair), "take": lambda job: job() or 1.0}), 3)
    assert order == ["ours", "peer", "peer", "ours", "ours", "peer", "peer", "ours"]


def test_programs_count_as_processor_time():
    job = harness.program(harness.PYTHON, "-c", "sum(range(3_000_000))")
    assert harness.processor_seconds(job) > harness.processor_seconds(lambda: None) + 0.01


def test_a_section_is_replaced_and_the_others_stay(tmp_path):
    place = tmp_path / "results.json"
    for section, value in itertools.product(("pairs", "growth"), (1, 2)):
        harness.keep(section, {"value": value}, place)
    harness.keep("pairs", {"value": 3}, place)
    found = harness.kept(place)
    assert {name: part["value"] for name, part in found.items()} == {"pairs": 3, "growth": 2}
    assert {"cpu", "commit", "time", "versions", "memory_bytes"} <= set(found["pairs"]["machine"])
    assert json.loads(place.read_text()) == found
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
