"""The front of purchases: prices that are assumed look otherwise than sourced ones, builds are as measured."""

from types import SimpleNamespace

import pandas as pd
import pytest

from hecn_analysis.figures.purchase_front import plot_purchase_front, purchase_front_rows
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.planning.purchase.builds import Entry
from hecn_analysis.planning.purchase.result import Purchase


def bought(rate, usd, *, assumed, binds):
    basis = "assumed" if assumed else "documented"
    price = Parameter(value=usd / 2, spread=0.4 if assumed else 0, basis=basis)
    ends = {"throughput_bps": rate, "low_bps": 0.9 * rate, "high_bps": 1.05 * rate}
    prediction = SimpleNamespace(**ends, bottleneck=f"receiver.{binds}", bottleneck_class=binds)
    return Purchase(rate, {}, None, (Entry("sender", "card", "a <b>card</b>", 2, price),), prediction, 1, 0, rate)


@pytest.fixture
def front():
    return [bought(10e9, 4000.0, assumed=False, binds="cpu"), bought(40e9, 6000.0, assumed=True, binds="link")]


@pytest.fixture
def builds():
    return pd.DataFrame(
        {
            "build": ["B", "XSSD1++"],
            "year": [2009, 2010],
            "hosts": ["2 x B", "2 x XSSD1++"],
            "price_usd": [13600.0, 76912.0],
            "measured_bps": [9.82e9, 30.4e9],
            "measured_low_bound": pd.array([False, True], dtype="boolean"),
            "usd_per_gbps": [1385.0, 2530.0],
            "source_file": ["logs/b.txt", "documents.csv"],
            "line_first": [3, 29],
            "line_last": [3, 29],
            "document": ["HECN 2010", "HECN 2011"],
            "place": ["page 57", "accomplishment 15"],
        }
    )


def test_rows_tell_sourced_from_assumed_and_built(front, builds):
    rows = purchase_front_rows(front, builds).set_index("name")
    assert rows.kind.tolist() == ["sourced", "assumed", "built", "built"]
    assert rows.throughput_gbps.tolist() == pytest.approx([10, 40, 9.82, 30.4])
    assert rows.assumed_usd.tolist()[:2] == [0, 6000]
    assert rows.doubt_usd.tolist()[:2] == pytest.approx([0, 2400])
    assert rows.at_least.tolist() == [False, False, False, True]


def test_hover_has_the_bill_and_the_place_and_no_markup_of_others(front, builds):
    rows = purchase_front_rows(front, builds)
    assert "2 a &lt;b&gt;card&lt;/b&gt; (sender): $6,000 assumed" in rows.hover[1]
    assert "of which $6,000 assumed" in rows.hover[1]
    assert "assumed" not in rows.hover[0]
    assert "logs/b.txt:3" in rows.hover[2]
    assert "at least 30.4 Gb/s" in rows.hover[3]


def test_assumed_prices_are_open_marks_with_a_bar(front, builds):
    fig = plot_purchase_front(front, builds)
    marks = {trace.name: trace for trace in fig.data if trace.name}
    sourced, assumed = marks["predicted, processor core binds"], marks["predicted, link binds, some prices assumed"]
    assert not sourced.marker.symbol.endswith("-open")
    assert assumed.marker.symbol.endswith("-open")
    assert assumed.error_x.array == pytest.approx((2400,))
    assert {"measured", "measured, at least"} <= set(marks)
    assert fig.layout.xaxis.title.text == "Price of both ends (USD)"
    assert fig.layout.yaxis.title.text == "Throughput (Gb/s)"


def test_nothing_to_buy_says_so():
    assert plot_purchase_front([]).layout.annotations[0].text == "Nothing can be bought."
