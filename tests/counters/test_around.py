"""Hosts and times around outputs, and figures that contradict each other."""

import pandas as pd

HEAD = """Inter-|   Receive                                                |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
"""


def row(name, received):
    return f"  {name}: {received} 5000 0 0 0 0 0 0 40000 400 0 0 0 0 0 0\n"


def test_prompts_tell_which_host_a_row_is_of(counters_of):
    text = f"[ann@dtn1:~] $ cat /proc/net/dev\n{HEAD}{row('eth0', 70000)}\nroot@dtn2:/tmp# cat /proc/net/dev\n{HEAD}"
    samples = counters_of(text + row("eth0", 90000)).samples
    assert samples[["host", "in_octets"]].to_numpy().tolist() == [["dtn1", 70000], ["dtn2", 90000]]


def test_a_single_prompt_names_no_host(counters_of):
    samples = counters_of(f"ann@dtn1:~$ cat /proc/net/dev\n{HEAD}{row('eth0', 70000)}").samples
    assert samples.host.isna().all()


def test_times_of_date_in_a_loop_make_rates(counters_of):
    text = "".join(
        f"Sat Nov 28 10:00:{second} UTC 2026\n{HEAD}{row('eth0', octets)}"
        for second, octets in (("00", 70000), ("10", 1320000))
    )
    counters = counters_of(text)
    assert counters.samples.time.tolist() == list(pd.to_datetime(["2026-11-28T10:00:00Z", "2026-11-28T10:00:10Z"]))
    assert counters.rates.in_bps.tolist() == [1e6]


def test_one_time_alone_may_be_of_anything(counters_of):
    counters = counters_of(f"Sat Nov 28 10:00:00 UTC 2026\n{HEAD}{row('eth0', 70000)}")
    assert counters.samples.time.isna().all()


def test_times_that_go_back_are_left_out(counters_of):
    text = "".join(f"2026-11-28 10:00:{second}Z\n{HEAD}{row('eth0', 70000)}" for second in ("10", "00"))
    assert counters_of(text).samples.time.isna().all()


def test_more_octets_than_packets_can_hold_are_named(counters_of, said):
    assert said(counters_of(HEAD + row("eth0", 5000 * 2**20 + 1))) == [
        "3: inconsistent: found 5242880001 octets in 5000 packets of eth0, expected less than 1048576 in each; kept"
    ]
    assert said(counters_of(HEAD + row("eth0", 5000 * 2**20))) == []


def test_a_form_without_rows_is_named(counters_of, said):
    text = "  Interface                   IHQ       IQD       OHQ       OQD      RXBS      \nRXPS      TXBS\n"
    assert said(counters_of(text)) == [
        "truncated: found the form of port-tables without rows, expected those of a port"
    ]
