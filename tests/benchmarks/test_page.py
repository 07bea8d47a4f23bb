"""The page of benchmarks: what it shows of the kept results, and that every cell of it runs."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest

page = pytest.importorskip("benchmarks.page")  # not in the wheel
model = pytest.importorskip("benchmarks.deployment_model")
exponents = pytest.importorskip("benchmarks.exponents")
harness = pytest.importorskip("benchmarks.harness")

ROOT = Path(__file__).resolve().parents[2]
COSTS = model.Costs(
    poll_s=None,
    **{
        name: model.Line(1.0, 2e-6)
        for name in ("add_s", "round_bytes", "compact_s", "day_bytes", "read_s", "query_s", "worker_bytes")
    },
    compact_bytes=model.Line(0.0, 500.0),
)


def result(name, ratio, target, unit="s"):
    quartiles = (0.9 * ratio, 1.1 * ratio)
    found = harness.Result(name, "<other>", 2.0 * ratio, 2.0, unit, ratio, quartiles, target, 5)
    return json.loads(json.dumps(asdict(found)))


def curve(exponent, reason=""):
    points = [
        {"size": size, "time_s": 1e-3 * size**exponent, "added_bytes": 0, "peak_bytes": 2e8, "runs": 1}
        for size in (10, 30, 100, 300, 1000)
    ]
    return json.loads(json.dumps(exponents.summary("do it", "files", reason, points)))


def test_pairs_say_what_is_met():
    rows = page.pair_rows({"results": [result("one", 0.5, 1.0), result("two", 3.0, 1.0, "MB")]})
    assert rows["met"].tolist() == [True, False]
    assert rows["ours took"].tolist() == ["1.00 s", "6 MB"]
    fig = page.plot_pairs(rows)
    by_name = {trace.name: trace for trace in fig.data}
    assert (list(by_name["met"].x), list(by_name["missed"].x), list(by_name["allowed"].x)) == ([0.5], [3.0], [1.0, 1.0])
    assert by_name["missed"].y[0] == by_name["allowed"].y[1]
    assert by_name["missed"].error_x.array[0] == pytest.approx(0.3)
    assert "&lt;other&gt;" in str(fig.layout.annotations)


def test_facts_are_told_once_for_a_commit_and_a_day():
    machine = harness.machine()
    sections = [
        {"machine": machine | {"load": load, "commit": commit}} for load, commit in ((1, "a"), (5, "a"), (2, "b"))
    ]
    first, second = page.facts(*sections).splitlines()
    assert "commit a:" in first
    assert first.endswith("; load 1 to 5.")
    assert "commit b:" in second


def test_growth_says_what_is_too_fast():
    rows = page.growth_rows({"curves": {"fine": curve(1.0), "fast": curve(1.4), "known": curve(1.4, "it must")}})
    assert [text.partition(":")[0] for text in rows["too fast"]] == ["no", "fast", "no"]
    assert rows["time, all sizes"].tolist() == ["1.00 ± 0.00", "1.40 ± 0.00", "1.40 ± 0.00"]
    assert rows["memory, all sizes"].tolist() == ["–"] * 3
    assert rows["sizes"][0] == "10 to 1,000 files"


def test_growth_is_drawn_a_line_a_curve_and_nothing_of_what_was_not_seen():
    points = page.growth_points({"curves": {"a": curve(1.0), "b": curve(2.0)}})
    times, memory = page.plot_growth(points, "time_s"), page.plot_growth(points, "added_bytes")
    assert [trace.name for trace in times.data] == ["a (files)", "b (files)"]
    assert list(times.data[1].x) == [10, 30, 100, 300, 1000]
    assert times.data[1].y[2] == pytest.approx(10.0)
    assert [len(trace.x) for trace in memory.data] == [0, 0]
    assert times.layout.xaxis.type == times.layout.yaxis.type == "log"


def test_costs_come_back_as_they_were_kept():
    section = {"costs": json.loads(json.dumps(asdict(COSTS)))}
    assert page.costs_of(section) == COSTS
    assert "poll a round" not in page.cost_rows(COSTS)["cost"].tolist()
    shown = page.national(section).set_index("amount").iloc[:, 0]
    assert shown["cores that poll"] == "not measured"
    assert shown["readings that come"] == "3,333 /s"


def test_the_small_run_stands_beside_the_model():
    expected = dict.fromkeys(page.CHECKED, 2.0)
    rows = page.check_rows({"check": {"expected": expected, "measured": {**expected, "query_s": 3.0}}})
    assert rows.set_index("amount")["measured / model"].to_dict() == {
        words: "1.50" if name == "query_s" else "1.00" for name, (words, _) in page.CHECKED.items()
    }


@pytest.fixture(scope="module")
def kept():
    return harness.kept()


def test_what_is_kept_is_whole(kept):
    assert set(kept) == {"pairs", "growth", "deployment"}
    for name, one in kept["growth"]["curves"].items():
        sizes = [point["size"] for point in one["points"]]
        assert len(sizes) >= 5, name
        assert sizes[-1] >= 100 * sizes[0], name
        fitted = exponents.summary(one["what"], one["unit"], one["reason"], one["points"])["fits"]
        assert fitted["time_s"]["exponent"] == pytest.approx(one["fits"]["time_s"]["exponent"]), name
    check = kept["deployment"]["check"]
    assert check["measured"]["ports_found"] == check["network"]["ports"]


def test_every_cell_of_the_page_runs_and_shows_something(kept, capsys):
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\} python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    space, shown = {}, []
    for cell in cells:
        lines = [line for line in cell.splitlines() if not line.startswith(":")]
        exec("\n".join(lines[:-1]), space)  # noqa: S102 (the page's own cells)
        try:
            shown.append(eval(lines[-1], space))  # noqa: S307 (the same)
        except SyntaxError:
            exec(lines[-1], space)  # noqa: S102 (the same)
    html = [one.to_html() for one in shown if hasattr(one, "to_html")]
    assert len(html) == 9
    assert all(one.count("<td") > 10 or "plotly" in one for one in html)
    assert kept["pairs"]["machine"]["commit"] in capsys.readouterr().out
    assert len(space["pairs"]) == len(kept["pairs"]["results"])
    assert isinstance(space["growth"], pd.DataFrame)
