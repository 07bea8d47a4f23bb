"""Tables of labels."""

import pytest

from hecn_analysis.inventory import labels
from hecn_analysis.parsing import amounts

FIELDS = {
    "Size": ("size_bytes", amounts.size),
    "State": ("state", str),
    "Status": ("state", str),
    "Name": ("name", str),
}


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("6.0Gb/s", 6e9),
        ("SATA 3.0 Gb/s", 3e9),
        ("12.0Gbps, Unknown", 12e9),
        ("Unknown, 6.0Gbps", 6e9),
        ("6.0GB/s", None),
        ("Unknown", None),
        ("1234.5Gb/s", None),
    ],
)
def test_the_first_rate_of_a_link_counts(text, rate):
    assert labels.line_rate(text) == rate


def test_a_row_has_every_field_and_the_last_column_of_one_counts():
    cells = {"State": "Conf", "Status": "Online", "Size": "1 KB", "Name": "", "Other": "x"}
    assert labels.row(cells, FIELDS) == {"size_bytes": 1024, "state": "Online", "name": None}
    assert list(labels.row({}, FIELDS).items()) == [("size_bytes", None), ("state", None), ("name", None)]
