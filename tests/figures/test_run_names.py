"""Which runs a figure shows, and how its legend names them."""

import pandas as pd
import pytest

from hecn_analysis.figures.run_names import run_names, spread


def runs(*names):
    return pd.DataFrame({"source_file": names, "run": 0, "line_first": [3] * len(names)})


def test_names_have_the_folder_where_runs_come_from_several():
    assert run_names(runs("week/9.txt", "week/10.txt")) == ["9.txt:3", "10.txt:3"]
    assert run_names(runs("a/9.txt", "b/9.txt")) == ["a/9.txt:3", "b/9.txt:3"]


@pytest.mark.parametrize(
    ("most", "shown"),
    [(5, ["a/10", "a/9", "a/11", "b/1", "b/2"]), (3, ["a/9", "a/10", "b/1"]), (2, ["a/9", "b/1"])],
)
def test_every_folder_is_shown_and_numbers_count_by_size(most, shown):
    assert spread(runs("a/10", "a/9", "a/11", "b/1", "b/2"), most)["source_file"].tolist() == shown
