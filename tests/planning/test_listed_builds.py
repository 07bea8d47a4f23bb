"""The documents' builds: prices of their own lists, what was measured, and what would have been cheaper."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.purchase.listed_builds import filled_links, listed_builds


def test_lists_and_measurements_are_those_of_the_documents():
    table = listed_builds(instead=False).set_index("build")
    totals = {"A+": 6500, "A++": 11_080, "i7-HotLava": 6800, "B": 6800, "C": 9000, "XSSD1++": 38_456, "X100SSD": 19_549}
    assert table.list_usd.to_dict() == totals
    assert table.price_usd["A++"] == 11_080 + 2 * 6500  # one sent to two
    assert table.price_usd["i7-HotLava"] == 6800 + 4600 + 3600  # sent to one host with two cards and one with one
    assert table.index[table.list_at_most].tolist() == ["i7-HotLava"]  # "costs less than $ 6,800 with the NIC"
    assert table.usd_per_gbps["X100SSD"] == pytest.approx(2 * 19_549 / 115)
    assert table.measured_low_bound["XSSD1++"]  # "measured at >30.4G"
    assert table.source_file.notna().all()


def test_what_is_bought_instead_reaches_what_was_measured_for_no_more():
    row = listed_builds(["B"]).iloc[0]
    assert row.instead_bps >= 0.996 * row.measured_bps  # reached at central values; the median of draws is 0.3 % less
    assert row.instead_assumed_usd < row.instead_usd <= row.price_usd
    assert "18 Western Digital" in row.instead


def test_an_unknown_build_gets_the_nearest():
    with pytest.raises(InputError, match=r"did you mean 'XSSD1\+\+'"):
        listed_builds(["XSSD1+"])


def test_a_link_is_filled_by_hosts_of_today():
    (found,) = filled_links(["25 Gb/s"], rtt="62 ms", assume_prices=True).values()
    assert found.prediction.throughput_bps >= 0.95 * 25e9
    assert 0 < found.assumed_usd < found.usd
