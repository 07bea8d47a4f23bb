"""gkrellmd's protocol."""

import pandas as pd

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
