"""Where loss begins, in reports of mtr."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.hops import find
from tests.diagnosis import everyday as e


def said(*hops, count=100):
    text = e.mtr([(f"r{number}", loss, 10.0 * number) for number, loss in enumerate(hops, 1)], count=count)
    found = find(Document("mtr.txt", text.encode()))
    return [(one.value, one.line, one.says) for one in found if one.name == "path.loss_from_hop"]


@pytest.mark.parametrize(
    ("hops", "first", "last"),
    [
        ((0, 0, 4, 4, 5, 4), 3, 0.04),
        ((0, 70, 0, 3, 2, 3), 4, 0.03),  # the second hop only limits ICMP
        ((2, 2, 2), 1, 0.02),
        ((0, 0, 0, 6), 4, 0.06),
        ((0, 3, 100, 3), 2, 0.03),  # a hop that never answers is none
        ((0, 3, 3, 100), 2, 0.03),  # a host that drops pings
    ],
)
def test_where_loss_begins(hops, first, last):
    ((value, line, says),) = said(*hops)
    assert value == pytest.approx(last)
    assert line == 2 + first  # two lines stand above
    assert says.startswith(f"loss begins at hop {first}, r{first}, ")


@pytest.mark.parametrize("hops", [(0, 0, 0), (0, 70, 0), (0, 10, 20, 0), (0, 100, 100, 100), (5,)])
def test_loss_that_does_not_last(hops):
    assert not said(*hops)


def test_a_few_probes_tell_nothing():
    assert not said(0, 0, 20, 20, count=5)


def test_the_round_trip_time_is_that_of_the_last_hop_that_answers():
    text = e.mtr([("gw", 0, 0.4), ("isp", 0, 3.1), ("far", 0, 88.1)])
    (rtt,) = find(Document("mtr.txt", text.encode()))
    assert (rtt.name, rtt.value, rtt.line) == ("path.rtt_idle_s", pytest.approx(0.0881), 5)
