"""Two sets of runs: verdicts, what too few repeats cannot tell, and that chance is called chance."""

import json

import numpy as np
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import main
from hecn_analysis.comparison import causes
from hecn_analysis.figures import comparison_rows, plot_comparison
from hecn_analysis.runs import statistics

TRANSFERS = data_dir() / "transfers"


def log(path, rates, *, rtt=0.2, streams=1):
    lines = [
        f"{rate * 10 / 8 / 1.048576:.4f} MB / 10.00 sec = {rate:.4f} Mbps 10 %TX 20 %RX 0 retrans {rtt} msRTT\n"
        for rate in rates
    ]
    path.write_text("".join(f"$ nuttcp -T10 -N{streams} there\n{line}" for line in lines))
    return path


def verdict(tmp_path, a, b, **options):
    found = hecn.compare(log(tmp_path / "a", a), log(tmp_path / "b", b), **options)
    return found.groups.iloc[0]["verdict"], found


@pytest.fixture(scope="module")
def recorded():
    """The recorded transfers before and after a change."""
    return hecn.compare(TRANSFERS / "before", TRANSFERS / "after")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([900, 905, 910, 915], [800, 805, 810, 815], "slower"),
        ([900, 905, 910, 915], [1000, 1005, 1010, 1015], "faster"),
        ([900, 905, 910], [100, 105, 110], "too few runs to say"),
        ([900], [100], "too few runs to say"),
        ([900, 905, 910, 915, 920], [901, 904, 911, 914, 921], "no change seen"),
        ([100, 300, 500, 700, 900], [150, 350, 450, 750, 850], "too uncertain to tell"),
    ],
)
def test_verdict(a, b, expected, tmp_path):
    assert verdict(tmp_path, a, b)[0] == expected


def test_too_few_says_how_many_would_do(tmp_path):
    sentence = verdict(tmp_path, [900, 905, 910], [100, 105, 110])[1].groups.iloc[0]["sentence"]
    assert "from 3 and 3 runs: chance alone may do that. 4 runs each could tell." in sentence


@pytest.mark.parametrize(("a", "b"), [([900], [100]), ([900], [100, 105, 110, 115]), ([900] * 60, [100])])
def test_a_single_run_on_a_side_gives_both_figures_and_no_factor(tmp_path, a, b, capsys):
    log(tmp_path / "a", a), log(tmp_path / "b", b)
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (group,) = found["groups"]
    assert group["verdict"] == "too few runs to say"
    assert group["sentence"].startswith("900 Mb/s in A, 1")
    assert "too few runs to say" in found["sentence"]
    assert {name: group[name] for name in ("ratio", "ratio_low", "ratio_high", "p", "p_corrected")} == dict.fromkeys(
        ("ratio", "ratio_low", "ratio_high", "p", "p_corrected")
    )
    assert [found[name] for name in ("ratio", "ratio_low", "ratio_high")] == [None] * 3
    assert group["median_a_bps"] == pytest.approx(900e6)
    assert group["median_b_bps"] < 120e6


def test_repeats_that_are_too_few_have_a_factor_without_an_interval(tmp_path):
    group = verdict(tmp_path, [900, 905, 910], [800, 805, 810])[1].groups.iloc[0]
    assert group["ratio"] == pytest.approx(805 / 905)
    assert np.isnan([group["ratio_low"], group["ratio_high"]]).all()


def test_swapping_the_sets_turns_the_ratio_round(tmp_path):
    one = verdict(tmp_path, [900, 905, 910, 915], [800, 805, 810, 815])[1]
    other = verdict(tmp_path, [800, 805, 810, 815], [900, 905, 910, 915])[1]
    for name, back in (("ratio", "ratio"), ("ratio_low", "ratio_high"), ("ratio_high", "ratio_low")):
        assert one.groups.iloc[0][name] == pytest.approx(1 / other.groups.iloc[0][back])


@pytest.mark.slow  # twelve trials; the verdicts themselves are tested above
def test_no_change_is_seldom_called_one(tmp_path, monkeypatch):
    """Of sets of six kinds without a change, one in twenty may have a verdict; far fewer than one in five do."""
    monkeypatch.setattr(causes, "causes", lambda *_: {**dict.fromkeys(causes.COLUMNS), "told": ""})  # rates alone count
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(12):
        for name in "ab":
            text = ""
            for kind in range(6):
                log(tmp_path / "part", rng.lognormal(6, 0.1, 7), streams=kind + 1)
                text += (tmp_path / "part").read_text()
            (tmp_path / name).write_text(text)
        found = hecn.compare(tmp_path / "a", tmp_path / "b")
        assert len(found.groups) == 6
        wrong += found.groups["verdict"].isin(["faster", "slower"]).any()
    assert wrong <= 2


def test_another_distance_is_another_kind_and_matched_only_where_it_is_the_only_one(tmp_path):
    log(tmp_path / "a", [900, 905, 910, 915], rtt=20)
    found = hecn.compare(tmp_path / "a", log(tmp_path / "b", [800, 805, 810, 815], rtt=80)).groups
    assert found["matched_without"].tolist() == ["distance"]
    assert "although the distance differs" in found["sentence"][0]
    both = (tmp_path / "b").read_text() + log(tmp_path / "c", [700, 705], rtt=0.2).read_text()
    (tmp_path / "b").write_text(both)
    found = hecn.compare(tmp_path / "a", tmp_path / "b").groups
    assert sorted(found["verdict"]) == ["only in A", "only in B", "only in B"]


def test_nothing_in_common_is_said():
    found = hecn.compare(TRANSFERS / "before" / "iperf3-1.json", TRANSFERS / "before" / "nuttcp.txt")
    assert found.ratio is None
    kinds = "tool, protocol, direction, streams, size, distance"
    assert str(found) == f"A and B have no kind of run in common ({kinds}): 1 kind in A, 1 in B."


@pytest.mark.parametrize(
    ("b", "told"), [([100], "from one run each: too few"), ([100, 105, 110], "from 1 run in A and 3 in B: too few")]
)
def test_of_one_kind_the_sentence_is_printed_once(b, told, tmp_path, capsys):
    paths = [str(log(tmp_path / name, rates)) for name, rates in (("a", [900]), ("b", b))]
    assert main(["compare", *paths]) == 0
    names, (_, first, *rest) = (lines := capsys.readouterr().out.splitlines())[:2], lines[2:]
    assert names == [f"A: {paths[0]}", f"B: {paths[1]}"]
    assert first == "A and B have one kind of run in common."
    assert "\n".join(rest).count(told) == 1


def test_a_set_without_a_run_is_an_error_that_names_it(tmp_path):
    (tmp_path / "empty").write_text("nothing\n")
    with pytest.raises(InputError, match="no run with a rate in B"):
        hecn.compare(TRANSFERS / "before" / "nuttcp.txt", tmp_path / "empty")


def test_what_the_logs_say_beside_the_rate_stands_side_by_side(recorded):
    row = recorded.groups.set_index("tool").loc["iperf3"]
    assert row["verdict"] == "faster"
    assert row["tool_version_a"] == row["tool_version_b"] == "3.12"
    for name in ("retransmits_per_gb", "rtt_s", "cpu_sender_fraction", "cwnd_bytes"):
        assert row[f"{name}_a"] > 0
        assert row[f"{name}_b"] > 0


def test_figures_draw_every_run_and_only_what_was_measured(recorded):
    rows = comparison_rows(recorded.runs)
    assert len(rows) == len(recorded.runs)
    assert {trace.name for trace in plot_comparison(recorded.runs).data} == {
        *("runs of A", "median of A", "runs of B", "median of B"),
    }


def test_names_of_files_cannot_put_html_into_a_figure(tmp_path):
    path = log(tmp_path / "<img src=x>", [900, 905])
    runs = hecn.read(path).runs
    rows = comparison_rows(runs.assign(group="<b>x</b>", rate_bps=runs["throughput_bps"]))
    assert not rows["hover"].str.contains("<img").any()
    assert not rows["label"].str.contains("<b>").any()


@pytest.mark.parametrize(("n", "m"), [(4, 4), (6, 5), (30, 12)])
def test_interval_leaves_out_no_change_exactly_where_p_is_below_the_level(n, m):
    rng = np.random.default_rng(n)
    for _ in range(30):
        found = statistics.shift(rng.normal(0, 1, n), rng.normal(1, 1, m))
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)


def test_values_that_are_all_alike_do_not_differ():
    assert statistics.shift([1.0] * 5, [1.0] * 5)[:1] == (0.0,)
    assert statistics.shift([1.0] * 5, [1.0] * 5).p == 1.0


@pytest.mark.slow
def test_command_gives_json_and_csv(tmp_path, capsys):
    words = ["compare", str(TRANSFERS / "before"), str(TRANSFERS / "after")]
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ratio_low"] < told["ratio"] < told["ratio_high"]
    log(tmp_path / "a", [900, 905]), log(tmp_path / "b", [1000, 1005])
    words = ["compare", str(tmp_path / "a"), str(tmp_path / "b")]
    assert main([*words, "-o", str(tmp_path / "x.csv"), "--figure", str(tmp_path / "x.html")]) == 0
    assert (tmp_path / "x.csv").read_text().startswith("group,tool,")
    assert "plotly" in (tmp_path / "x.html").read_text()[:20000].lower()


@pytest.mark.parametrize("words", [["compare", "nosuch", "nosuch"], ["report", "nosuch"]])
def test_a_name_that_is_none_is_one_line_and_status_1(words, capsys):
    assert main(words) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
