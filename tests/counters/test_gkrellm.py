"""gkrellmd's protocol."""

import pandas as pd

from hecn_analysis.traffic.utilisation import utilisation

SENT = """\
<gkrellmd_setup>
<version>
gkrellmd 2.3.11
<hostname>
dtn1
</gkrellmd_setup>
<initial_update>
<time>
5 30 10 21 10 126 6 324 0
<net>
eth0 5000000000 6000000000
lo 7 7
<net_routed>
eth0 1
<cpu>
0 1 2 3 4
<net>
eth0 5000001000 6000002000
"""


def test_sections(counters_of):
    counters = counters_of(SENT, time_zone="UTC")
    assert [source["format"] for source in counters.sources] == ["gkrellmd"]
    assert counters.samples[["host", "interface", "in_octets", "out_octets"]].to_numpy().tolist() == [
        ["dtn1", "eth0", 5000000000, 6000000000],
        ["dtn1", "lo", 7, 7],
        ["dtn1", "eth0", 5000001000, 6000002000],
    ]
    assert counters.samples.time.iloc[0] == pd.Timestamp("2026-11-21T10:30:05Z")
    assert counters.samples.time.isna().tolist() == [False, False, True]


def test_without_interfaces_it_is_not_ours(counters_of):
    assert not counters_of("<cpu>\n0 1 2 3 4\n").sources


def test_a_time_that_breaks_off(counters_of):
    counters = counters_of(SENT.replace("5 30 10 21 10 126 6 324 0", "5 30 10 21"), time_zone="UTC")
    assert counters.samples.in_octets.tolist() == [5000000000, 7, 5000001000]
    assert counters.samples.time.isna().all()


def test_a_rate_at_the_ceiling_of_the_display_is_flagged(counters_of):
    """GKrellM shows no more than 2**31 - 1 bytes a second: 2.147 GB/s, 17.18 Gb/s."""
    second = "<time>\n{0} 30 10 21 10 126 6 324 0\n<net>\neth0 {1} 0\n"
    text = SENT[: SENT.index("<time>")] + "".join(
        second.format(number, octets) for number, octets in enumerate([0, 2**31 - 1, 2**31 - 1 + 10**9])
    )
    rates = counters_of(text, time_zone="UTC").rates
    assert rates["flag"].tolist() == ["ceiling", "ok"]
    assert rates["in_bps"][0] == 17_179_869_176


def test_a_series_that_quotes_gkrellm_is_flagged_at_its_ceiling_and_others_are_not(counters_of):
    text = (
        "title: {} of x100ssd\n   traffic_in traffic_out\n\n1700000300: 2.147e+09 1.0e+05\n1700000600: 1.2e+09 1e+05\n"
    )
    quoting, other = (counters_of(text.format(name), f"{name}.txt").rates for name in ("GKrellM", "MRTG"))
    assert quoting["flag"].tolist() == ["given,ceiling", "given"]
    assert other["flag"].tolist() == ["given", "given"]
    assert utilisation(quoting)["unrated"].tolist() == [1]
