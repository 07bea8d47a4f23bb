"""Every figure: the rows say what is drawn, and the drawing keeps the house's rules; also for nothing."""

import dataclasses
import html
import math

import pandas as pd
import pytest

from hecn_analysis import figures, limits
from hecn_analysis.base.errors import InputError
from hecn_analysis.figures import theme
from hecn_analysis.prediction.compare import compare, load_series

HOSTILE_AS_TEXT = "&lt;script&gt;alert(1)&lt;/script&gt;"


def names(fig):
    return [trace["name"] for trace in fig.to_dict()["data"]]


def trace(fig, name):
    (found,) = [one for one in fig.to_dict()["data"] if one["name"] == name]
    return found


# measured against predicted


def test_measured_vs_predicted_rows_are_the_cases_in_gbps(comparison):
    rows = figures.measured_vs_predicted_rows(comparison)
    assert list(rows["case"]) == ["raid50", "loss", "ssd", "plan"]
    assert list(rows["predicted_gbps"]) == pytest.approx([9.70, 6.00, 33.0, 9.5])
    assert list(rows["measured_gbps"][:3]) == pytest.approx([9.82, 5.06, 30.4])
    assert math.isnan(rows["measured_gbps"][3])
    assert list(rows["at_least"]) == [False, False, True, False]


def test_hover_says_file_line_document_and_place(comparison):
    hover = figures.measured_vs_predicted_rows(comparison)["hover"]
    assert hover[0] == (
        "<b>B, RAID50</b><br>predicted 9.7 Gb/s, 90 % between 9.2 Gb/s and 9.9 Gb/s<br>binds: receiver's core 1"
        "<br>measured 9.82 Gb/s<br>logs/b.log:3-4<br>HECN 2010, B-Systems 1/4"
    )
    assert "measured at least 30.4 Gb/s" in hover[2]
    assert hover[3].endswith("<br>not measured")


def test_text_of_a_log_is_no_markup_in_a_figure(comparison):
    rows = figures.measured_vs_predicted_rows(comparison)
    assert rows["label"][2] == f"SSD {HOSTILE_AS_TEXT}"
    assert HOSTILE_AS_TEXT in rows["hover"][2]


def test_measured_and_predicted_differ_in_colour_and_in_marker(comparison):
    fig = figures.plot_measured_vs_predicted(comparison)
    assert names(fig) == [
        "predicted, processor core binds",
        "predicted, packet loss binds",
        "predicted, RAID binds",
        "predicted, link binds",
        "measured",
        "measured, at least",
    ]
    markers = [(one["marker"]["symbol"], one["marker"]["color"]) for one in fig.to_dict()["data"]]
    assert len(set(markers)) == len(markers)
    assert list(trace(fig, "measured")["x"]) == pytest.approx([9.82, 5.06])
    assert list(trace(fig, "measured, at least")["x"]) == pytest.approx([30.4])


def test_interval_bars_reach_from_low_to_high(comparison):
    bar = trace(figures.plot_measured_vs_predicted(comparison), "predicted, processor core binds")["error_x"]
    assert bar["array"] == pytest.approx([0.2])
    assert bar["arrayminus"] == pytest.approx([0.5])


def test_case_that_nothing_limits_is_left_out(comparison):
    comparison.loc[1, ["predicted_bps", "low_bps", "high_bps"]] = float("inf")
    assert list(figures.measured_vs_predicted_rows(comparison)["case"]) == ["raid50", "ssd", "plan"]


# error strip


def test_error_strip_has_only_cases_with_an_error(comparison):
    rows = figures.error_strip_rows(comparison)
    assert list(rows["case"]) == ["raid50", "loss"]
    assert list(rows["error_percent"]) == pytest.approx([-1.222, 18.577], abs=1e-3)


def test_error_strip_tells_inside_from_outside(comparison):
    fig = figures.plot_error_strip(comparison)
    assert list(trace(fig, "measured value inside the 90 % interval")["x"]) == pytest.approx([-1.222], abs=1e-3)
    assert list(trace(fig, "outside")["x"]) == pytest.approx([18.577], abs=1e-3)
    low, high = fig.layout.xaxis.range
    assert low < -18.6 < 18.6 < high


# ladder and utilisation


def test_ladder_is_slowest_first_without_the_limitless(prediction):
    rows = figures.ladder_rows(prediction)
    assert list(rows["resource"]) == ["receiver.cpu.core1", "path.link"]
    assert list(rows["throughput_gbps"]) == pytest.approx([9.7, 9.9])
    assert list(rows["binds"]) == [True, False]


def test_ladder_marks_what_binds_and_the_measured_value(prediction):
    fig = figures.plot_ladder(prediction, measured_bps=9.82e9)
    assert names(fig) == ["binds now", "would bind next", "measured"]
    assert list(trace(fig, "measured")["x"]) == pytest.approx([9.82])
    shapes = [trace(fig, name)["marker"]["pattern"]["shape"] for name in ("binds now", "would bind next")]
    assert shapes == ["", "/"]  # differ in a grey print too


def test_ladder_of_an_unlimited_transfer_says_so(prediction):
    fig = figures.plot_ladder(dataclasses.replace(prediction, ladder=()))
    assert fig.layout.annotations[0].text == "Nothing limits this transfer."


def test_utilisation_is_busiest_first_and_can_leave_out_the_idle(prediction):
    assert list(figures.utilisation_rows(prediction)["percent"]) == pytest.approx([100, 98, 20])
    rows = figures.utilisation_rows(prediction, at_least=0.5)
    assert list(rows["resource"]) == ["receiver.cpu.core1", "path.link"]
    assert names(figures.plot_utilisation(prediction)) == ["binds", "has headroom"]


# PCI Express


@pytest.fixture
def hotlava():
    return pd.DataFrame(
        {
            "case": ["tx128", "tx256", "bi256"],
            "title": ["transmit, MaxPayload 128", "transmit, MaxPayload 256", "both ways, MaxPayload 256"],
            "gen": 2,
            "lanes": 16,
            "max_payload_bytes": [128, 256, 256],
            "max_read_request_bytes": [512, 4096, 4096],
            "direction": ["transmit", "transmit", "both"],
            "measured_bps": [49.0035589e9, 55.3263188e9, 75.1171917e9],
            "source_file": "logs/hotlava.log",
            "line_first": [1, 9, 20],
            "line_last": [6, 14, 31],
        }
    )


def test_pcie_rows_have_the_tmt_of_the_slides(hotlava):
    rows = figures.pcie_tmt_rows(hotlava)
    assert list(rows["tmt_gbps"]) == pytest.approx(
        [53.8947, 58.5142, 2 * 58.5142], abs=2e-4
    )  # the slides cut digits off
    assert rows["share_of_tmt"][1] == pytest.approx(0.9455, abs=5e-5)  # "94.55 % of TMT" on the slide
    assert (rows["estimate_gbps"] < rows["tmt_gbps"]).all()


def test_pcie_figure_draws_estimate_tmt_and_measured(hotlava):
    fig = figures.plot_pcie_tmt(hotlava)
    assert names(fig) == ["best estimate of the slot", "TMT of the slides", "measured"]
    assert list(trace(fig, "measured")["x"]) == pytest.approx([49.0035589, 55.3263188, 75.1171917])


# all of them


def steps(**options):
    return limits.explain("ethernet", **{"rate": 1e9, "mtu": 1500} | options)


def test_steps_of_a_limit_fall_from_the_raw_rate_to_the_limit():
    rows = figures.limit_steps_rows(steps())
    assert list(rows["label"]) == [theme.label(step.name) for step in steps().steps]
    assert rows["left_gbps"].iloc[0] == 1.0
    assert rows["left_gbps"].iloc[-1] == pytest.approx(0.941482, abs=1e-6)
    assert 1.0 - rows["takes_gbps"].sum() == pytest.approx(rows["left_gbps"].iloc[-1])
    taken = trace(figures.plot_limit_steps(steps()), "taken")
    assert list(taken["base"]) == list(rows["left_gbps"][1:])
    assert taken["marker"]["pattern"]["shape"] == "/"


def test_steps_of_a_limit_show_what_was_measured_above_it_and_why():
    above = steps(measured=1.9e9)
    rows = figures.limit_steps_rows(above)
    assert rows["measured"].sum() == 1
    assert rows["left_gbps"].iloc[-1] == pytest.approx(1.9)
    fig = figures.plot_limit_steps(above)
    assert list(trace(fig, "measured")["x"]) == pytest.approx([1.9])
    assert "times the limit" in trace(fig, "measured")["text"][0]
    assert fig.layout.xaxis.range[1] > 1.9


def test_a_gain_is_no_loss_and_no_limit_is_no_bar():
    fast = limits.explain("ssd", rate=8e9, cache_rate=48e9, cache=4e11, amount=1e12)
    assert trace(figures.plot_limit_steps(fast), "gained")["base"][0] == 8.0
    assert figures.limit_steps_rows(limits.explain("tcp", rtt=0.1)).empty
    assert figures.plot_limit_steps(limits.explain("tcp", rtt=0.1)).layout.annotations


@pytest.fixture(params=["measured_vs_predicted", "error_strip", "ladder", "utilisation", "pcie_tmt", "limit_steps"])
def any_figure(request, comparison, prediction, hotlava):
    arguments = {"ladder": prediction, "utilisation": prediction, "pcie_tmt": hotlava, "limit_steps": steps()}
    argument = arguments.get(request.param, comparison)
    return getattr(figures, f"plot_{request.param}")(argument)


def test_every_axis_of_values_says_its_unit(any_figure):
    assert any_figure.layout.xaxis.title.text.count("(") == 1
    assert any(unit in any_figure.layout.xaxis.title.text for unit in ("(Gb/s)", "(%)"))


def test_every_figure_fits_a_phone(any_figure):
    labels = [html.unescape(one.text) for one in any_figure.layout.annotations]
    assert labels
    assert all(len(line) <= theme.LABEL_WIDTH for label in labels for line in label.split("<br>"))
    assert not any_figure.layout.yaxis.visible  # labels stand above their rows, not beside
    assert any_figure.layout.template.layout.legend.orientation == "h"
    assert any_figure.layout.width is None
    assert any_figure.layout.height > 100


@pytest.mark.parametrize("name", ["measured_vs_predicted", "error_strip"])
def test_figure_of_no_cases_says_so(name, comparison):
    for nothing in (comparison.iloc[:0], comparison.iloc[:0][[]]):
        assert getattr(figures, f"{name}_rows")(nothing).empty
        assert getattr(figures, f"plot_{name}")(nothing).to_dict()["layout"]["annotations"]


def test_pcie_figure_of_no_cases_says_so(hotlava):
    assert figures.pcie_tmt_rows(hotlava.iloc[:0]).empty
    assert figures.plot_pcie_tmt(hotlava.iloc[:0]).layout.annotations


def test_ladder_and_utilisation_of_nothing_say_so(prediction):
    nothing = dataclasses.replace(prediction, ladder=(), utilisation={})
    assert figures.ladder_rows(nothing).empty
    assert figures.utilisation_rows(nothing).empty
    assert figures.plot_utilisation(nothing).layout.annotations


def test_colours_are_those_of_okabe_and_ito_and_no_two_classes_look_alike():
    styles = list(theme.CLASSES.values())
    assert len({(style.colour, style.symbol) for style in styles}) == len(styles)
    assert theme.style_of("something new") == theme.OTHER


def test_slot_cases_say_direction_and_payload_of_the_card():
    series = load_series("hotlava")
    cases = figures.slot_cases(series, compare(series), host="i7-hotlava", slot="x16")
    assert list(cases["direction"]) == ["transmit", "receive", "transmit", "receive", "both"]
    assert list(cases["max_payload_bytes"]) == [128, 128, 256, 256, 256]
    rows = figures.pcie_tmt_rows(cases)
    assert list(rows["share_of_tmt"].round(4).dropna()) == [0.9092, 0.9455, 0.8892, 0.6419]
    with pytest.raises(InputError, match="found case 'hotlava-tx128' without x8 of i7-hotlava"):
        figures.slot_cases(series, compare(series), host="i7-hotlava", slot="x8")


# names that others gave


def test_no_name_is_markup_on_an_axis_in_a_legend_or_a_hover_text():
    name = f"<b>{'<a href=https://e.org>'}x</a> $y$\u202e"
    cells = {"cell": [f"{name}/rsync/90ms", f"far/{name}/{name}"], "runs": [0, 2], "needed": 3}
    status = pd.DataFrame({**cells, "mean_bps": [None, 7.9e9], "predicted_bps": [1e9, 8e9]})
    rates = {
        "throughput_bps": 8e9,
        "low_bps": 7e9,
        "high_bps": 9e9,
        "bottleneck": "path.link",
        "bottleneck_class": "link",
    }
    varied = pd.DataFrame([{"tool": name, **rates}, {"tool": "other", **rates}])
    measured = pd.DataFrame({"x": [name], "measured_bps": 8e9, "title": name})
    z = {"mode": name, "measured_bps": 1e9, "predicted_bps": 1e9, "low_bps": 9e8, "high_bps": 1.1e9, "error": 0.0}
    drawn = (
        figures.plot_matrix_coverage(status),
        figures.plot_whatif(varied, ["tool"], measured=measured),
        figures.plot_coverage(pd.DataFrame([{**z, "inside": True}])),
    )
    for fig in drawn:
        text = fig.to_json()
        assert "e.org" in text
        assert "<a" not in text
        assert "\\u003ca" not in text
        assert "$" not in text
        assert "\u202e" not in text
