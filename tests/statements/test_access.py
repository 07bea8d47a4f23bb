"""Both rates of access lines in notes."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.access import find


def said(text):
    return {one.name.partition(".")[2]: one.value for one in find(Document("notes.txt", text.encode()))}


@pytest.mark.parametrize(
    ("note", "down", "up"),
    [
        ("DSL 50/10 Mbit", 50e6, 10e6),
        ("The office line is 100 Mbit/s down, 40 up.", 100e6, 40e6),
        ("We pay for 500/100 Mbps but speedtest says 101/20.", 500e6, 100e6),
        ("fibre with 1 Gbit/s down and 200 Mbit/s up from the provider", 1e9, 200e6),
        ("Internet connection: 250 / 40 Mb/s", 250e6, 40e6),
    ],
)
def test_both_rates_of_an_access_line(note, down, up):
    assert said(note) == {"down_bps": down, "up_bps": up}


@pytest.mark.parametrize(
    "note",
    [
        "The speed test of the line gives 95/20 Mbit/s",
        "a 10/100 Mbit line card",
        "the switch has a 1000/100 Mbit line port",
        "the line is 50/10",
        "I get 50/10 Mbit/s on this line",
        "we copied 3/4 of the files over the line",
        "the line had 12 errors and 3 drops",
    ],
)
def test_other_pairs_are_not(note):
    assert said(note) == {}
