"""Sentences about a comparison, and the effect of changes."""

import pandas as pd
import pytest

from hecn_analysis import briefs
from hecn_analysis.prediction.compare import load_series


def comparison(measured, errors, inside, bound):
    return pd.DataFrame(
        {
            "title": [f"case {number}" for number in range(len(measured))],
            "measured_bps": pd.array(measured, dtype="Float64"),
            "measured_low_bound": bound,
            "error": pd.array(errors, dtype="Float64"),
            "inside": pd.array(inside, dtype="boolean"),
        }
    )


def test_lower_bounds_and_unmeasured_cases_have_no_error():
    summary = briefs.summary_of(
        comparison(
            [1e9, 2e9, None, 3e9], [0.01, -0.05, None, 0.5], [True, False, None, True], [False, False, False, True]
        )
    )
    assert (summary.cases, summary.measured, summary.inside, summary.judged) == (4, 3, 2, 2)
    assert summary.median_error == pytest.approx(0.03)
    assert summary.worst == "case 1"
    assert (
        str(summary)
        == "2 of 3 measured cases lie within the predicted 90 % interval, the median error is 3.0 % (in-sample)"
    )


def test_nothing_measured_is_said():
    summary = briefs.summary_of(comparison([None], [None], [None], [False]))
    assert str(summary) == "none of 1 cases was measured"


def test_what_if_compares_each_change_with_the_start():
    start = load_series("hotlava").scenarios["hotlava-tx128"]
    changes = briefs.what_if(start, {"MaxPayload 256": {"sender.max_payload": "256 B"}})
    assert list(changes["change"]) == ["as it is", "MaxPayload 256"]
    assert changes["gain_fraction"][0] == 0
    assert changes["gain_fraction"][1] > 0.05
    assert list(changes.columns) == list(briefs.CHANGES)


def test_slots_of_the_slides():
    rows = briefs.slot_limits([2], [128, 256])
    assert list(rows["tmt_bps"] / 1e9) == pytest.approx([53.8947, 58.5142], abs=1e-4)
    assert list(rows.columns) == list(briefs.SLOTS)
