"""What a result shows: its sentence, its page in a notebook, its figure and its JSON."""

import json

import pytest

import hecn_analysis as hecn
from hecn_analysis.figures import plot_site_course, site_course, site_course_rows

GB = 1e9 / 8


@pytest.fixture
def result(chain):
    return chain(
        [1],
        [
            {"name": "a <b>", "sender": "h0", "receiver": "h1", "bytes": 2 * GB},
            {"name": "c", "sender": "h0", "receiver": "h1", "bytes": 2 * GB, "start": 1},
        ],
        title="a line",
    )


def test_sentence(result):
    assert str(result).startswith("a line: 2 transfers with 1.00 Gb/s together (90 % of single runs between ")
    assert str(result).endswith(", the last one done at 4.00 s; limited by l1.link.")


def test_page_of_a_notebook_is_safe(result):
    page = result._repr_html_()
    assert "a &lt;b&gt;" in page
    assert "a <b>" not in page
    assert "<code>l1.link</code></td><td>100 %</td><td>100 %</td>" in page


def test_figure_stacks_the_rates_of_each_transfer(result):
    figure = plot_site_course(result)
    assert [line.name for line in figure.data] == ["a &lt;b&gt;", "c"]
    assert {line.stackgroup for line in figure.data} == {"all"}
    assert figure.data[0].x == pytest.approx([0, 1, 3, 4])
    assert figure.data[0].y == pytest.approx([1, 0.5, 0, 0])
    assert figure.data[1].y == pytest.approx([0, 0.5, 1, 0])


def test_figure_puts_those_that_moved_least_together(result, monkeypatch):
    monkeypatch.setattr(site_course, "MOST", 1)
    rows = site_course_rows(result)
    assert list(dict.fromkeys(rows["name"])) == ["a <b>", "1 more"]
    assert rows[rows["name"] == "1 more"]["gbps"].tolist() == pytest.approx([0, 0.5, 1, 0])


def test_json_is_finite_and_whole(result):
    row = json.loads(result.to_json())
    assert row["transfers"][1]["finish_s"] == pytest.approx(4)
    assert row["interval"] == "200 draws of all that is uncertain, each followed to its end"
    assert list(result.to_frame()["name"]) == ["a <b>", "c"]


def test_a_site_is_loaded_and_changed_like_a_scenario():
    site = hecn.load_scenario("sc13-two-waves")
    assert hecn.predict(site, {"tool.bytes": "1 GB"}).transfers[0].finish_s < 10
    assert hecn.load_scenario(site, {"tool.streams": 2}).settings["tool.streams"] == 2


@pytest.mark.parametrize(
    ("seconds", "unit", "last"),
    [(100, "s", 100.0), (600, "min", 10.0), (7200, "h", 2.0), (432_000, "d", 5.0)],
)
def test_the_time_axis_has_a_unit_that_fits(chain, seconds, unit, last):
    result = chain([1], [{"sender": "h0", "receiver": "h1", "duration": seconds}])
    figure = plot_site_course(result)
    assert figure.layout.xaxis.title.text == f"Time ({unit})"
    assert max(figure.data[0].x) == pytest.approx(last)
