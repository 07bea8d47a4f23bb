"""Schedules against cases computed by hand: a second of a link moves 1 Gb."""

import itertools

import numpy as np
import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_site
from hecn_analysis.hardware.clock import date_of
from hecn_analysis.planning.site.pace_options import pace_command
from hecn_analysis.planning.site.schedule import _Search, schedule
from hecn_analysis.planning.site.slots import Windows
from hecn_analysis.sites.flows import flows_of

#: Line rate for a payload of 1 Gb/s: a packet of 9000 bytes carries 8948, and takes 9038 of the line (Ethernet, TCP).
LINE = 9038 / 8948 * 1e9
#: Bytes that take one second at 1 Gb/s.
GB = 1e9 / 8

AMOUNT = "bytes of a transfer: fixed durations and repetitions have no deadline"
EXPECTED = "a time such as 44 h, a date such as 2026-11-27 18:00 (UTC without a zone), or a day such as Friday"


def site(*transfers, rates=(1.0,), **more):
    """Hosts h0, h1, … in a row, with links l1, l2, … of payload rates in Gb/s between their switches."""
    places = range(len(rates) + 1)
    keys = {"loss": 0, "mtu": 9000, "rtt": 0}
    links = {f"l{n + 1}": {"ends": [f"s{n}", f"s{n + 1}"], "rate": rate * LINE, **keys} for n, rate in enumerate(rates)}
    return {
        "hosts": {f"h{place}": "ideal" for place in places},
        "switches": {f"s{place}": {} for place in places},
        "links": {**{f"a{n}": {"ends": [f"h{n}", f"s{n}"], "rtt": 0, "loss": 0} for n in places}, **links},
        "tool": "ftp",
        "transfers": list(transfers),
        **more,
    }


def move(name, seconds, by=None, start=0, ends=("h0", "h1")):
    """A transfer that takes some seconds at 1 Gb/s."""
    keys = {"name": name, "sender": ends[0], "receiver": ends[1], "bytes": seconds * GB, "start": start}
    return keys if by is None else {**keys, "by": by}


def times(found):
    return {
        each.name: (pytest.approx(each.start_s, abs=1e-5), pytest.approx(each.finish_s, rel=1e-6))
        for each in found.transfers
    }


def test_two_petabytes_over_a_wave():
    """2 PB = 16e15 bit at 100 Gb/s: 160,000 s = 44.4 h; of 50 h 1/9 are left, in which 250 TB would go."""
    found = schedule(site(move("big", 16e6), rates=[100]), "50 h")
    assert times(found) == {"big": (0.0, 160_000.0)}
    left = found.left[0]
    assert (left.name, left.left_fraction) == ("l1.link", pytest.approx(1 / 9))
    assert left.left_bytes == pytest.approx(20_000 * 100 * GB)
    assert found.in_time
    assert found.needed == ()


def test_all_at_once_if_that_is_in_time():
    assert times(schedule(site(move("a", 10), move("b", 10)), 60)) == {"a": (0.0, 20.0), "b": (0.0, 20.0)}


def test_the_later_deadline_waits():
    """At once, both would end at 20; the first has to by 12."""
    found = schedule(site(move("b", 10, by=21), move("a", 10, by=12)))
    assert times(found) == {"a": (0.0, 10.0), "b": (10.0, 20.0)}
    assert found.in_time


def test_without_a_deadline_last():
    found = schedule(site(move("whenever", 30), move("a", 10, by=11), move("b", 10, by=22)))
    assert times(found) == {"a": (0.0, 10.0), "b": (10.0, 20.0), "whenever": (20.0, 50.0)}
    assert [each.in_time for each in found.transfers if each.name == "whenever"] == [""]


def test_room_for_slow_runs():
    """At once, all would end at 20 of 21; one after another, the first is safe as well."""
    found = schedule(site(move("a", 10, by=21), move("b", 10, by=60)))
    assert times(found)["a"] == (0.0, 10.0)
    assert {each.name: each.in_time for each in found.transfers} == {"a": "yes", "b": "yes"}
    late = {each.name: each.late_finish_s for each in found.transfers}
    assert 10 < late["a"] < 21
    assert 20 < late["b"] < 60


def test_others_are_not_held_back():
    """Transfers on another link start at once."""
    found = schedule(
        site(move("a", 10, by=11), move("b", 10, by=21), move("c", 10, by=11, ends=("h1", "h2")), rates=[1, 1])
    )
    assert times(found) == {"a": (0.0, 10.0), "b": (10.0, 20.0), "c": (0.0, 10.0)}


def test_what_has_to_grow():
    """20 s of the link within 15: it lacks a third, and ends 5 s late."""
    found = schedule(site(move("a", 10), move("b", 10)), 15)
    assert not found.in_time
    assert max(each.late_s for each in found.transfers) == pytest.approx(5)
    assert found.least_delay_s == pytest.approx(5, rel=1e-5)
    assert [(each.name, each.now_bps, each.needed_bps) for each in found.needed] == [
        ("l1.link", pytest.approx(1e9), pytest.approx(20 / 15 * 1e9))
    ]
    assert str(found).endswith(
        "misses its deadline by 5.00 s. No schedule is less than 5.00 s late; for the deadlines, let l1.link carry "
        "1.33 Gb/s instead of 1.00 Gb/s."
    )


def test_only_the_full_slot_has_to_grow():
    """From 5 to 10, 8 s of work that may start at 0 leave 2 s for 4: the link needs 12/10 of its rate."""
    found = schedule(site(move("early", 8, by=10), move("short", 4, start=5, by=10), move("night", 10, by=90)))
    assert found.least_delay_s == pytest.approx(2, rel=1e-5)
    assert found.needed[0].needed_bps == pytest.approx(1.2e9)


def test_two_links_have_to_grow():
    """The way over both takes 10 s of each in 8; the second also has 6 s more to carry, so 16 in 8."""
    found = schedule(site(move("far", 10, ends=("h0", "h2")), move("near", 6, ends=("h1", "h2")), rates=[1, 1]), 8)
    assert {each.name: each.needed_bps / 1e9 for each in found.needed} == {
        "l1.link": pytest.approx(1.25),
        "l2.link": pytest.approx(2.0),
    }
    assert found.least_delay_s == pytest.approx(8, rel=1e-5)


LONG, SHORT = move("long", 10, by=17), move("short", 5, start=5, by=10.1)


def test_in_time_only_with_priorities():
    """The short one needs the whole link from 5 to 10; the long one has to pause meanwhile, which no start does."""
    found = schedule(site(LONG, SHORT))
    starts = {each.name: (each.start_s, each.priority, round(each.finish_s, 1)) for each in found.transfers}
    assert starts == {"short": (5.0, 3, 10.0), "long": (0.0, 2, 15.0)}
    assert found.in_time
    assert [transfer.priority for transfer in found.site.transfers] == [2, 3]
    assert str(found).startswith("a site: 2 transfers with these priorities in time; the tightest, ")


def test_in_time_only_with_held_rates():
    """The site wants the long one first: the short one ends at 15, or the long one at 20."""
    found = schedule(site(LONG | {"priority": 1}, SHORT))
    assert (found.in_time, found.least_delay_s, found.needed) == (False, 0.0, ())
    assert "hold rates" in str(found)


def test_a_pace_is_a_limit_of_its_own():
    """Paced to half a Gb/s, 10 s of work take 20: the tool would have to send at 1 Gb/s."""
    found = schedule(site({**move("a", 10), "pace": 0.5e9}), 10)
    assert found.transfers[0].late_s == pytest.approx(10, rel=1e-3)
    assert found.needed[0].needed_bps == pytest.approx(1e9, rel=1e-3)
    assert found.needed[0].resource_class == "tool"


def stream(at_least, seconds=20, **more):
    """A transfer of a fixed duration that must keep a rate in Gb/s."""
    keys = {"name": "stream", "sender": "h0", "receiver": "h1", "duration": seconds, "at_least": at_least * 1e9}
    return {**keys, **more}


def by_name(found):
    return {each.name: each for each in found.transfers}


def test_a_pace_leaves_others_their_rate():
    """6 s of work within 20 need 0.3 Gb/s; in fair shares the stream, which needs 0.6, would have half of the link."""
    found = schedule(site(stream(0.6), move("bulk", 6, by=20)))
    bulk, detector = by_name(found)["bulk"], by_name(found)["stream"]
    assert bulk.required_bps == pytest.approx(0.3e9)
    assert 0.3e9 < bulk.pace_bps <= 0.4e9
    assert bulk.finish_s == pytest.approx(6e9 / bulk.pace_bps, rel=1e-3)
    assert (bulk.in_time, bulk.kept, detector.in_time, detector.pace_bps) == ("yes", "", "", None)
    assert detector.lowest_bps == pytest.approx(1e9 - bulk.pace_bps, rel=1e-3)
    assert detector.kept != "no"
    assert bulk.pace_command == f"tc qdisc replace dev PORT root fq maxrate {int(bulk.pace_bps)}bit"
    assert found.site.transfers[1].pace.value == pytest.approx(bulk.pace_bps)
    assert str(found).startswith("a site: 1 transfer with these paces in time")


def test_a_pace_is_that_of_each_stream():
    found = schedule(site(stream(0.6), move("bulk", 6, by=20) | {"streams": 3, "tool": "iperf3"}))
    bulk = by_name(found)["bulk"]
    assert found.site.transfers[1].pace.value == pytest.approx(bulk.pace_bps / 3)
    assert bulk.pace_command == f"iperf3 -b {int(bulk.pace_bps / 3 + 1e-6)}"


@pytest.mark.parametrize(
    ("tool", "protocol", "command"),
    [
        ("rsync", "tcp", "rsync --bwlimit=100000"),  # KiB/s
        ("scp", "tcp", "scp -l 819200"),  # kb/s
        ("https", "tcp", "curl --limit-rate 102400000"),  # bytes/s
        ("iperf3", "tcp", "iperf3 -b 204800000"),  # bit/s of each stream
        ("nuttcp", "tcp", "nuttcp -R819200"),  # kb/s of all
        ("gridftp", "tcp", "tc qdisc replace dev PORT root fq maxrate 204800000bit"),
        ("rdmacp", "rdma", ""),
    ],
)
def test_commands_have_the_units_of_their_programs(tool, protocol, command):
    assert pace_command(tool, protocol, 819.2e6, 4) == command


def test_no_pace_where_fair_shares_do():
    found = schedule(site(stream(0.4), move("bulk", 6, by=20)))
    assert by_name(found)["bulk"].pace_bps is None
    assert [each.kept for each in found.transfers if each.name == "stream"] != ["no"]


def test_the_exact_rest_is_at_risk():
    """8 s of work within 20 need all that the stream leaves: slow runs have no room."""
    found = schedule(site(stream(0.6), move("bulk", 8, by=20.1)))
    bulk = by_name(found)["bulk"]
    assert 8e9 / 20.1 <= bulk.pace_bps <= 0.4e9
    assert (found.in_time, bulk.in_time) == (True, "at risk")


def test_what_needs_nothing_has_the_rest_of_the_rate():
    found = schedule(site(stream(0.4), move("bulk", 6, by=20), move("rest", 40)))
    bulk, rest = by_name(found)["bulk"], by_name(found)["rest"]
    paces = [each.pace_bps or 0.0 for each in (bulk, rest)]
    assert rest.pace_bps is not None
    assert sum(paces) <= 0.6e9
    assert (found.disturbed, found.in_time, rest.in_time) == ((), True, "")


def test_what_needs_nothing_waits_where_nothing_is_left():
    found = schedule(site(stream(0.6), move("bulk", 8, by=20), move("rest", 5)))
    assert by_name(found)["rest"].start_s == 20
    assert by_name(found)["bulk"].pace_bps == pytest.approx(0.4e9)


def test_rates_that_cannot_all_be():
    """0.8 and 0.4 Gb/s do not fit: the deadline can be met, and the stream falls below its rate."""
    found = schedule(site(stream(0.8), move("bulk", 8, by=20)))
    assert [each.name for each in found.disturbed] == ["stream"]
    assert found.to_dict()["schedule"]["transfers"][0]["kept"] == "no"
    assert " below its at_least." in str(found)


def test_a_pace_that_only_helps_is_stated():
    """A test without a pace takes half of what the copy leaves: more than the third of fair shares, less than 0.6."""
    found = schedule(site(stream(0.6), stream(0.6) | {"name": "test", "at_least": None}, move("bulk", 2, by=20)))
    assert by_name(found)["bulk"].pace_bps is not None
    assert 0.4e9 < by_name(found)["stream"].lowest_bps < 0.6e9
    assert [each.name for each in found.disturbed] == ["stream"]


@pytest.mark.parametrize("rate", [0, float("inf")])
def test_a_rate_to_keep_is_a_rate(rate):
    with pytest.raises(InputError) as error:
        schedule(site(stream(rate), move("bulk", 6, by=20)))
    assert "at_least" in str(error.value)


def test_a_fixed_duration_ends_in_time_however_slow():
    found = schedule(site(stream(0.1), move("bulk", 6, by=60)))
    assert by_name(found)["stream"].late_finish_s == 20


def test_dates():
    found = schedule(site(move("a", 7200, by="Monday 11:00"), clock="2026-11-23 08:00"))
    assert found.transfers[0].by_s == 3 * 3600
    assert found.when(found.transfers[0].finish_s) == "Mon 2026-11-23 10:00"
    again = schedule(site(move("a", 7200)), "2026-11-23 11:00", clock=date_of("2026-11-23 08:00"))
    assert again.transfers == found.transfers


@pytest.mark.parametrize(
    ("transfers", "by", "message"),
    [
        ([move("a", 1)], None, "found no deadline, expected by of a transfer, or --by WHEN for all"),
        ([move("a", 1)], "0 s", "found a deadline '0 s', expected one after time 0, from which times count"),
        ([move("a", 1)], "1e99 d", "found a deadline '1e99 d', expected at most 1e+09 s after time 0"),
        (
            [{"sender": "h0", "receiver": "h1", "duration": 5}],
            "1 h",
            f"found no transfer that a deadline could be for, expected {AMOUNT}",
        ),
        (
            [move("a", 1)],
            "soon",
            f"found a deadline 'soon', expected {EXPECTED}",
        ),
        ([move("a", 1, start=60)], "30 s", "found a start at 60 s, expected one before the deadline, 30 s"),
    ],
)
def test_bad_deadlines(transfers, by, message):
    with pytest.raises(InputError) as error:
        schedule(site(*transfers), by)
    assert str(error.value) == message


def test_a_deadline_in_the_past():
    with pytest.raises(InputError) as error:
        schedule(site(move("a", 1), clock="2026-11-23 08:00"), "2026-11-20")
    expected = "one after 2026-11-23 08:00 UTC, from which times count"
    assert str(error.value) == f"found a deadline '2026-11-20', expected {expected}"


def test_durations_and_repetitions_keep_their_starts():
    test = {**move("test", 1), "every": 10, "times": 3}
    watch = {key: value for key, value in {**move("watch", 0), "duration": 5}.items() if key != "bytes"}
    found = schedule(site(test, watch, move("a", 10, by=60)))
    starts = {each.name: each.start_s for each in found.transfers}
    assert starts == {"test [1]": 0, "test [2]": 10, "test [3]": 20, "watch": 0, "a": 0}
    with pytest.raises(InputError) as error:
        schedule(site(move("a", 1, by=60) | {"bytes": None}, set={"tool.duration": 5}))
    assert "found by of a, which has a fixed duration, expected bytes" in str(error.value)


def test_slots_against_all_orders():
    """On one resource without earliest starts, the best order is that of the deadlines: the delay is its lateness."""
    random = np.random.default_rng(7)
    for _ in range(5):
        work, by = random.uniform(1, 5, 4), random.uniform(2, 12, 4)
        windows = Windows(np.zeros(4), by, work, np.arange(4), np.zeros(4, dtype=np.int64), np.ones(4))
        least = min(max(np.cumsum(work[list(order)]) - by[list(order)]) for order in itertools.permutations(range(4)))
        if least > 0:
            assert windows.least_delay_s() == pytest.approx(least, rel=1e-5)
            order = np.argsort(by)
            assert windows.growths()[0].factor == pytest.approx((np.cumsum(work[order]) / by[order]).max())
        else:
            assert windows.growths() == []


def test_many_resources_are_named_once():
    """Each of three links lacks another part: the sentence names the two that lack most."""
    over = {"ends": ("h0", "h3"), "name": "over", "seconds": 12}
    found = schedule(site(move(**over), rates=[1, 0.9, 0.8]), 10)
    assert [(each.name, round(each.needed_bps / each.now_bps, 3)) for each in found.needed] == [
        ("l3.link", 1.5),
        ("l2.link", 1.333),
        ("l1.link", 1.2),
    ]
    assert str(found).endswith(
        "let l3.link carry 1.20 Gb/s instead of 800 Mb/s, l2.link carry 1.20 Gb/s instead of 900 Mb/s, 1 other more."
    )


@pytest.mark.slow
def test_a_schedule_in_time_is_one_that_slots_allow():
    """Random transfers of whole seconds on one link: what is in time by the solver, no programme denies."""
    random = np.random.default_rng(3)
    in_time = 0
    for _ in range(6):
        moves = [
            move(f"t{number}", int(seconds), start=int(start), by=int(start + seconds + spare))
            for number, (seconds, start, spare) in enumerate(random.integers((1, 0, 1), (6, 12, 12), (4, 3)))
        ]
        loaded = load_site(site(*moves))
        found = schedule(loaded)
        least, needed = _Search(loaded, flows_of(loaded, 0)).shortfall()
        if found.in_time:
            assert (least, needed) == (0.0, ())
            in_time += 1
        else:
            assert found.least_delay_s <= max(each.late_s for each in found.transfers)
    assert 0 < in_time < 6
