"""The documents' changes, measured before and after: the gain from predicting both sides, and what binds then."""

import pytest

from hecn_analysis.planning.change.advise import advise
from hecn_analysis.planning.studies.pairs import compare_pairs, pairs, stated_gains, summary
from hecn_analysis.prediction.compare import load_series

#: Of these the prediction is not within 5 points; the reason stands in docs/howto/plan.md.
APART = {"proxies-ftp", "proxies-nttcp", "mended-loss-memory", "mended-loss-disk"}


@pytest.fixture(scope="module")
def table():
    return compare_pairs().set_index("pair")


@pytest.mark.slow
def test_gains_are_within_five_points_of_the_measured_ones(table):
    judged = table[table["measured_gain"].notna()].drop(index=list(APART))
    assert len(judged) == 10
    assert (judged["points"].abs() <= 5).all()
    # a factor of 68 is not to be told in points: 47 of 6686
    assert table.loc["proxies-ftp", "ratio_error"] == pytest.approx(0, abs=0.03)
    assert table["measured_gain"].isna().sum() == 4  # figures that our copies of the documents do not show


def test_the_order_of_the_ladder_is_that_of_the_documents(table):
    told = table["order_right"].dropna()
    assert len(told) == 16
    assert told.all()


def test_every_side_is_a_case_with_a_place_and_both_are_of_one_document(table):
    for name, pair in pairs().items():
        cases = load_series(pair.series).cases
        assert {*pair.before, *pair.after} <= set(cases), name
    assert table["place_before"].str.len().gt(0).all()
    assert table["document"].str.contains("HECN|NASA|GSFC").all()
    assert all(one.missing and one.words for one in stated_gains().values())


def test_the_summary_counts(table):
    assert summary(table) == {
        "pairs": 18,
        "measured": 14,
        "within_5_points": 10,
        "order_right": 16,
        "order_known": 16,
    }


@pytest.mark.parametrize(
    ("pair", "change"),
    [
        ("pcix-bursts", {"sender-mmrbc", "receiver-mmrbc"}),
        ("max-payload-transmit", {"sender-max-payload"}),
        ("application-bonding", {"one-link-a-stream"}),
    ],
)
def test_what_the_engineers_changed_is_what_is_advised(table, pair, change):
    one = pairs()[pair]
    before = load_series(one.series).scenarios[one.before[0]]
    found = advise(before, purchases=False)
    best = {advice.changes[0].name: advice.gain for advice in found.single}
    together = {frozenset(step.name for step in advice.changes): advice.gain for advice in found.together}
    gain = max([best.get(name, 0) for name in change] + [together.get(frozenset(change), 0)])
    assert gain == pytest.approx(table.loc[pair, "predicted_gain"], abs=0.02)
