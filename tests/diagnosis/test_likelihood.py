"""Tables of likelihoods, what is counted into them, and Bayes' rule."""

from itertools import pairwise

import numpy as np
import pytest
from pydantic import ValidationError

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis import likelihood
from hecn_analysis.diagnosis.likelihood import Evidence, SignTable, Weights, evidence, fitted, likelihoods, posterior
from hecn_analysis.diagnosis.signs import _SIGNS, Sign

ROW = {"title": "{value}", "edges": [1.0], "source": "", "usual": [0.5, 0.5]}
CAUSE = {"odds": 1, "unmeasured": 1, "resource": "", "finding": ""}


def small(strength=1.0, **rows):
    """Tables with two causes, and one sign with two bins."""
    causes = {"link": {**CAUSE, "odds": 3, "unmeasured": 1}, "loss": {**CAUSE, "unmeasured": 4}}
    return Evidence.model_validate({"strength": strength, "causes": causes, "signs": {"resent": {**ROW, **rows}}})


@pytest.fixture
def tables(monkeypatch):
    """Put tables in the place of those of the project."""

    def put(table):
        monkeypatch.setattr(likelihood, "evidence", lambda: table)
        return fitted(table, {})

    return put


def test_each_sign_of_the_tables_has_a_function_and_the_other_way_round():
    assert set(evidence().signs) == set(_SIGNS)


@pytest.mark.parametrize("name", evidence().signs)
def test_a_table_is_whole(name):
    table = evidence().signs[name]
    bins = len(table.words) or len(table.edges) + 1
    assert not (table.words and table.edges)
    assert all(low < high for low, high in pairwise(table.edges))
    assert len(set(table.words)) == len(table.words)
    for row in (table.usual, *table.rows.values()):
        assert len(row) == bins
        assert bins == 1 or sum(row) == pytest.approx(1, abs=0.015)
    assert table.title
    assert table.source
    assert table.says(table.words[0] if table.words else 0.5)


@pytest.mark.parametrize("name", evidence().signs)
def test_likelihoods_with_what_was_counted_are_probabilities(name):
    rows = likelihoods()[name]
    assert rows.shape == (len(evidence().names), len(evidence().signs[name].usual))
    assert np.all((rows > 0) & (rows < 1))
    if rows.shape[1] > 1:
        assert rows.sum(axis=1) == pytest.approx(1)


def test_what_was_counted_belongs_to_the_tables():
    for name, of_causes in likelihood.counts().items():
        bins = len(evidence().signs[name].usual)
        assert evidence().signs[name].counted, name
        assert set(of_causes) <= set(evidence().names)
        assert all(len(row) == bins and min(row) >= 0 for row in of_causes.values()), name


def test_the_classes_are_those_that_are_documented():
    assert " ".join(evidence().names) == (
        "window-tool window-host loss link shaper buffer-small start-up paced shared cpu-sender cpu-receiver disk-read"
        " disk-write receiver-app slot nic mtu duplex latency-protocol tool offload wifi udp other"
    )


def test_bins_begin_at_their_edges():
    table = SignTable.model_validate({**ROW, "edges": [1, 2], "usual": [0.2, 0.3, 0.5]})
    assert [table.bin_of(value) for value in (-1e9, 0.99, 1, 1.99, 2, float("inf"))] == [0, 0, 1, 1, 2, 2]


def test_words_are_bins_and_others_are_none():
    table = SignTable.model_validate({**ROW, "edges": [], "words": ["TCP", "UDP"]})
    assert [table.bin_of(word) for word in ("TCP", "UDP", "QUIC")] == [0, 1, None]


def test_bayes_rule_by_hand(tables):
    given = tables(small(link=[0.9, 0.1], loss=[0.2, 0.8]))
    found = posterior([Sign("resent", 5.0, ())], given, exponents=Weights())
    assert found.probabilities == pytest.approx([0.3 / 1.1, 0.8 / 1.1])  # odds 3 : 1, likelihoods 0.1 and 0.8
    assert found.weights["resent"] == pytest.approx(np.log([0.1, 0.8]))


def test_the_exponent_weakens_a_sign(tables):
    given = tables(small(link=[0.9, 0.1], loss=[0.1, 0.9]))
    found = posterior([Sign("resent", 5.0, ())], given, exponents=Weights(temper=0.5))
    assert found.probabilities == pytest.approx([0.5, 0.5])  # odds 3 : 1, the root of 1 : 9


@pytest.mark.parametrize(("group", "exponent"), [("losses", 0.5), ("", 1.0)])
def test_signs_of_one_group_weigh_less_the_more_they_are(tables, group, exponent):
    row = {**ROW, "link": [0.9, 0.1], "loss": [0.1, 0.9], "group": group}
    signs = {f"sign{number}": row for number in range(4)}
    causes = {"link": CAUSE, "loss": CAUSE}
    given = tables(Evidence.model_validate({"strength": 1, "causes": causes, "signs": signs}))
    found = posterior([Sign(name, 5.0, ()) for name in signs], given, exponents=Weights(discount=0.5))
    odds = 9.0 ** (4 * exponent)  # each of four signs is 9 : 1
    assert found.probabilities == pytest.approx([1 / (1 + odds), odds / (1 + odds)])


def test_without_signs_the_odds_remain(tables):
    given = tables(small())
    assert posterior([], given).probabilities == pytest.approx([0.75, 0.25])
    assert posterior([], given, measured=False).probabilities == pytest.approx([0.2, 0.8])


def test_the_odds_of_the_project_remain_without_signs():
    for measured, key in ((True, "odds"), (False, "unmeasured")):
        odds = np.array([getattr(cause, key) for cause in evidence().causes.values()])
        assert posterior([], measured=measured).probabilities == pytest.approx(odds / odds.sum())


def test_a_word_that_no_table_has_tells_nothing():
    assert posterior([Sign("is_udp", "QUIC", ())]).probabilities == pytest.approx(posterior([]).probabilities)


def test_a_row_that_is_usual_for_all_tells_nothing(tables):
    given = tables(small())
    assert posterior([Sign("resent", 0.0, ())], given).probabilities == pytest.approx([0.75, 0.25])


def test_lines_that_name_a_cause_multiply_its_odds_untempered(tables):
    given = tables(small())
    found = posterior([], given, {"cue: port": {"loss": 9.0}}, exponents=Weights(temper=0.5))
    assert found.probabilities == pytest.approx([0.25, 0.75])  # odds 3 : 1, then 3 : 9


def test_impossible_odds_end_in_probabilities(tables):
    given = tables(small())
    found = posterior([], given, {str(number): {"loss": 1e300} for number in range(20)})
    assert found.probabilities == pytest.approx([0, 1])


def test_counts_weigh_as_the_mean_of_a_dirichlet_distribution():
    rows = fitted(small(strength=8.0, link=[0.75, 0.25]), {"resent": {"link": [1, 7]}})["resent"]
    assert rows.tolist() == [pytest.approx([7 / 16, 9 / 16]), pytest.approx([0.5, 0.5])]  # (6 + 1, 2 + 7) of 16


def test_rows_that_are_rounded_are_made_whole():
    rows = fitted(small(link=[0.33, 0.66]), {})["resent"]
    assert rows[0] == pytest.approx([1 / 3, 2 / 3])


def test_a_sign_with_one_word_tells_only_where_it_is_there(tables):
    given = tables(small(edges=[], words=["there"], usual=[0.1], link=[0.1], loss=[0.6]))
    assert given["resent"].tolist() == [[0.1], [0.6]]  # not made to sum to 1, which would tell nothing
    assert posterior([Sign("resent", "there", ())], given).probabilities == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"link": [0.9, 0.2]}, "link: found [0.9, 0.2], expected 2 probabilities with a sum of 1"),
        ({"link": [0.2, 0.3, 0.5]}, "link: found"),
        ({"usual": [0.9]}, "usual: found"),
        ({"loss": [0.0, 1.0]}, "loss"),
        ({"loss": ["much", 0.5]}, "loss"),
    ],
)
def test_a_bad_row_is_named(rows, says):
    with pytest.raises(ValidationError) as raised:
        small(**rows)
    assert says in str(raised.value)


@pytest.mark.parametrize("bad", [{"temper": 0}, {"temper": 1.5}, {"discount": -1}, {"discount": 2}])
def test_an_exponent_that_is_none_is_named(bad):
    with pytest.raises(ValidationError, match=next(iter(bad))):
        Weights(**bad)


def test_the_exponents_of_the_project_make_signs_weaker_not_stronger():
    assert 0 < likelihood.weights().temper <= 1
    assert 0 <= likelihood.weights().discount < 1


def _cut_row(text):
    return text.replace("    udp: [0.98, 0.02]\n", "    udp: [0.98]\n", 1)


def _strange_row(text):
    return text.replace("    udp: [0.98, 0.02]\n", "    upd: [0.98, 0.02]\n", 1)


def _no_odds(text):
    return text.replace("    odds: 1.6\n", "", 1)


@pytest.mark.parametrize(
    ("damage", "near", "found"),
    [
        (_cut_row, "  is_udp:", "udp: [0.98], expected 2 probabilities with a sum of 1"),
        (_strange_row, "    upd:", "a row of 'upd' in is_udp, expected"),
        (_no_odds, "  link:", "no key 'causes.link.odds'"),
        (lambda text: text.replace("strength: 30", "strength: much"), "strength:", "'much'"),
    ],
)
def test_what_is_wrong_in_the_tables_is_named_with_its_line(tmp_path, damage, near, found):
    text = damage((places.models_dir() / "evidence.yaml").read_text(encoding="utf-8"))
    file = tmp_path / "evidence.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        likelihood.read_evidence(file)
    line = text[: text.index(f"\n{near}") + 1].count("\n") + 1
    assert str(error.value).startswith(f"{file}:{line}: ")
    assert found in str(error.value)


def test_a_report_may_not_show_its_cause(tables):
    given = tables(small(link=[0.5, 0.5], loss=[0.1, 0.9]).model_copy(update={"unshown": 0.4}))
    line = {"cue: port": {"loss": 1e9}}
    assert posterior([], given, line, reported=True).probabilities == pytest.approx([0.4 * 0.2, 0.6 + 0.4 * 0.8])
    assert posterior([], given, line).probabilities == pytest.approx([0, 1], abs=1e-6)  # of a tool
    assert posterior([Sign("resent", 5.0, ())], given, reported=True).unshown == 0  # measured


def test_words_beside_measured_signs_leave_less_unshown(tables):
    given = tables(small(link=[0.99, 0.01], loss=[0.01, 0.99]).model_copy(update={"unshown": 0.4}))
    both = posterior([Sign("resent", 5.0, ())], given, {"cue: port": {"loss": 9.0}}, reported=True)
    assert 0 < both.unshown < 0.4
