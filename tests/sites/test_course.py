"""The course of transfers against cases computed by hand."""

import itertools

import numpy as np
import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.sites import predict_site

GB = 1e9 / 8  # bytes that take one second at 1 Gb/s


def ends(result):
    return {each.name: pytest.approx(each.finish_s, rel=1e-6) for each in result.transfers}


def test_parking_lot(chain):
    """Bertsekas and Gallager, section 6.5.2: one transfer over all links, one over each; all get half a link."""
    one_each = [{"sender": f"h{n}", "receiver": f"h{n + 1}", "duration": 10, "name": f"hop {n}"} for n in range(3)]
    result = chain([1, 1, 1], [{"sender": "h0", "receiver": "h3", "duration": 10, "name": "all"}, *one_each])
    assert [each.throughput_bps for each in result.transfers] == pytest.approx([0.5e9] * 4)


def test_a_transfer_held_back_elsewhere_leaves_its_share(chain):
    """Links of 1 and 3: the long transfer gets half of the first, the other one on the second the rest of it."""
    result = chain(
        [1, 3],
        [
            {"name": "long", "sender": "h0", "receiver": "h2", "duration": 10},
            {"name": "first", "sender": "h0", "receiver": "h1", "duration": 10},
            {"name": "second", "sender": "h1", "receiver": "h2", "duration": 10},
        ],
    )
    assert {each.name: round(each.throughput_bps / 1e9, 6) for each in result.transfers} == {
        "long": 0.5,
        "first": 0.5,
        "second": 2.5,
    }
    assert {each.name: each.bottleneck for each in result.transfers} == {
        "long": "l1.link",
        "first": "l1.link",
        "second": "l2.link",
    }


def test_ends_of_transfers_that_come_and_go(chain):
    """Two share 1 Gb/s for 2 s, three for 3 s, and so on: every end by hand."""
    result = chain(
        [1],
        [
            {"name": "a", "sender": "h0", "receiver": "h1", "bytes": 2 * GB},
            {"name": "b", "sender": "h0", "receiver": "h1", "bytes": 4 * GB},
            {"name": "c", "sender": "h0", "receiver": "h1", "bytes": 2 * GB, "start": 2},
        ],
    )
    # 0 to 2: a and b move 1 each. 2 to 5: three move 1 each, a is done. 5 to 7: b and c move 1 each, c is done (2).
    # 7 to 8: b moves its last 1.
    assert ends(result) == {"a": 5.0, "b": 8.0, "c": 7.0}
    assert result.totals()[["time_s", "under_way"]].to_numpy() == pytest.approx(
        np.array([[0, 2], [2, 3], [5, 2], [7, 1], [8, 0]])
    )
    assert result.throughput_bps == pytest.approx(1e9)
    assert (result.bottleneck, result.bottleneck_class) == ("l1.link", "link")


def test_weights_and_paces(chain):
    """A weight of 3 against 1; a third one at its pace of 0.1 Gb/s leaves 0.9."""
    pair = {"sender": "h0", "receiver": "h1", "duration": 10}
    result = chain(
        [1],
        [
            {**pair, "name": "heavy", "weight": 1.5},
            {**pair, "name": "light", "weight": 0.5},
            {**pair, "name": "paced", "pace": 0.1e9},
        ],
    )
    assert {each.name: round(each.throughput_bps / 1e9, 4) for each in result.transfers} == {
        "heavy": 0.675,
        "light": 0.225,
        "paced": 0.1,
    }
    assert result.transfers[2].bottleneck == "h0.tool.pace"


def test_directions_of_a_link_are_apart(chain):
    there = {"sender": "h0", "receiver": "h1", "duration": 10}
    back = {"sender": "h1", "receiver": "h0", "duration": 10}
    assert [each.throughput_bps for each in chain([1], [there, back]).transfers] == pytest.approx([1e9, 1e9])


def test_a_switch_and_shared_storage_are_shared():
    site = {
        "hosts": {"dtn": {"host": "ideal", "count": 2, "storage": "lustre"}, "far": {"host": "ideal", "count": 2}},
        "switches": {"border": {}},
        "links": {
            "campus": {"ends": ["dtn", "border"], "rate": "100 Gb/s", "rtt": 0, "mtu": 9000, "loss": 0},
            "wave": {"ends": ["border", "far"], "rate": "100 Gb/s", "rtt": 0, "mtu": 9000, "loss": 0},
        },
        "storage": {"lustre": {"servers": 2, "server_rate": "1 GB/s", "write_rate": "1 GB/s"}},
        "tool": "ftp",
        "transfers": [
            {"sender": "dtn", "receiver": "far", "duration": 10, "set": {"tool.source_end": "disk"}},
            {"sender": "far1", "receiver": "dtn1", "start": 20, "duration": 10, "set": {"tool.sink_end": "disk"}},
        ],
    }
    result = predict_site(site)
    assert [round(each.throughput_bps / 1e9, 3) for each in result.transfers] == [8.0, 8.0, 8.0]
    assert {each.bottleneck for each in result.transfers} == {"lustre.filesystem"}
    narrow = {**site, "switches": {"border": {"rate": 9038 / 8948 * 8e9}}, "storage": {"lustre": {"read_rate": 1e12,
              "write_rate": 1e12}}}  # fmt: skip
    assert [round(each.throughput_bps / 1e9, 3) for each in predict_site(narrow).transfers] == [4.0, 4.0, 8.0]


def test_a_group_sends_within_itself_on_its_own_storage():
    """Both hosts read from and write to one system of 2 GB/s: each of two copies gets a quarter of it."""
    result = predict_site({
        "hosts": {"dtn": {"host": "ideal", "count": 2, "storage": "disks"}},
        "switches": {"s": {}},
        "links": {"l": {"ends": ["dtn", "s"], "rate": "100 Gb/s", "rtt": 0, "mtu": 9000, "loss": 0}},
        "storage": {"disks": {"read_rate": "2 GB/s", "write_rate": "2 GB/s"}},
        "tool": "ftp",
        "tool.source_end": "disk",
        "tool.sink_end": "disk",
        "transfers": [{"sender": "dtn", "receiver": "dtn", "bytes": "5 GB"}],
    })  # fmt: skip
    assert [(each.name, round(each.finish_s, 2), each.bottleneck) for each in result.transfers] == [
        ("dtn1 to dtn2", 10.0, "disks.filesystem"),
        ("dtn2 to dtn1", 10.0, "disks.filesystem"),
    ]


def test_an_infinite_rate_is_no_limit(chain):
    assert chain([1, float("inf")], [{"sender": "h0", "receiver": "h2", "bytes": GB}]).transfers[
        0
    ].finish_s == pytest.approx(1)


def test_groups_copies_and_repetitions():
    site = {
        "hosts": {"a": {"host": "ideal", "count": 2}, "b": {"host": "ideal", "count": 3}},
        "switches": {"s": {}},
        "links": {
            "x": {"ends": ["a", "s"], "rate": "1 Gb/s", "rtt": 0, "loss": 0},
            "y": {"ends": ["s", "b"], "rate": "1 Gb/s", "rtt": 0, "loss": 0},
        },
        "tool": "ftp",
        "tool.bytes": "1 MB",
    }

    def pairs(**transfer):
        result = predict_site({**site, "transfers": [{"sender": "a", "receiver": "b", **transfer}]})
        return [(each.name, each.start_s) for each in result.transfers]

    assert pairs() == [("a1 to b1", 0), ("a2 to b2", 0), ("a1 to b3", 0)]
    assert sorted(name for name, _ in pairs(mesh=True)) == [f"a{m} to b{n}" for m in (1, 2) for n in (1, 2, 3)]
    assert [name for name, _ in pairs(sender="a1", receiver="b1", count=2)] == ["a1 to b1 (1)", "a1 to b1 (2)"]
    assert pairs(sender="a1", receiver="b1", every="1 h", times=3) == [
        ("a1 to b1 [1]", 0),
        ("a1 to b1 [2]", 3600),
        ("a1 to b1 [3]", 7200),
    ]
    assert [name for name, _ in pairs(receiver="a")] == ["a1 to a2", "a2 to a1"]


def test_the_route_is_that_of_the_least_time():
    site = {
        "hosts": {"a": "ideal", "b": "ideal", "c": "ideal"},
        "switches": {"s": {}, "t": {}},
        "links": {
            "a-s": {"ends": ["a", "s"], "rtt": "1 ms"},
            "b-t": {"ends": ["b", "t"], "rtt": "1 ms"},
            "slow": {"ends": ["s", "t"], "rate": "100 Gb/s", "rtt": "9 ms"},
            "quick": {"ends": ["t", "s"], "rate": "1 Gb/s", "latency": "2 ms"},
            "a-c": {"ends": ["a", "c"], "rtt": 0},
            "c-t": {"ends": ["c", "t"], "rtt": 0},
        },
        "tool": "ftp",
        "transfers": [{"sender": "a", "receiver": "b", "duration": 100}],
    }
    for link in site["links"].values():
        link |= {"loss": 0, "mtu": 9000}
    assert predict_site(site).transfers[0].bottleneck == "quick.link"  # hosts such as c pass nothing on
    site["transfers"][0]["path"] = ["a-s", "slow", "b-t"]
    assert predict_site(site).transfers[0].bottleneck != "quick.link"
    site["transfers"][0]["path"] = ["a-s", "b-t"]
    with pytest.raises(InputError, match=r"^found link 'b-t' after s, expected a link with an end at s$"):
        predict_site(site)
    site["transfers"][0]["path"] = ["a-s", "slow"]
    with pytest.raises(InputError, match=r"^found a route that ends at t, expected one that ends at b$"):
        predict_site(site)
    del site["links"]["b-t"], site["transfers"][0]["path"]
    with pytest.raises(InputError, match=r"^found no way from a to b, expected links that join them$"):
        predict_site(site)


def test_faults_of_transfers(chain):
    pair = {"sender": "h0", "receiver": "h1"}
    with pytest.raises(InputError, match=r"^found 'h0' at both ends, expected another host than the sender$"):
        chain([1], [{"sender": "h0", "receiver": "h0"}])
    with pytest.raises(InputError, match=r"^found bytes of 0, expected more than 0, and an end$"):
        chain([1], [{**pair, "bytes": 0}])
    with pytest.raises(InputError, match=r"^found duration of inf, expected more than 0, and an end$"):
        chain([1], [{**pair, "duration": "inf"}])
    with pytest.raises(
        InputError, match=r"^found no limit between h0 and h1, expected a rate of a link or limits of a h"
    ):
        predict_site({
            "hosts": {"h0": "ideal", "h1": "ideal"},
            "links": {"l": {"ends": ["h0", "h1"], "rtt": 0, "loss": 0, "mtu": 9000}},
            "tool": "iperf3",
            "transfers": [{**pair, "bytes": 1e9}],
        })  # fmt: skip


def test_nothing_is_lost_and_no_link_is_more_than_full(chain):
    """Random transfers over a chain: all bytes arrive, and at no time does a link carry more than it can."""
    random = np.random.default_rng(3)
    rates = [1.0, 2.0, 0.5, 4.0]
    transfers, sizes = [], []
    for number in range(60):
        first, last = sorted(random.choice(5, 2, replace=False))
        sizes.append(float(random.integers(1, 40)) * GB / 10)
        transfers.append({
            "name": f"t{number:02}", "sender": f"h{first}", "receiver": f"h{last}", "bytes": sizes[-1],
            "start": float(random.integers(0, 50)) / 5, "weight": float(random.integers(1, 4)),
        })  # fmt: skip
    result = chain(rates, transfers)
    timeline = result.timeline
    lasts = np.diff(timeline.index)[:, None]
    moved = dict(zip(timeline, (timeline.to_numpy()[:-1] * lasts).sum(axis=0) / 8, strict=True))
    assert moved == pytest.approx({item["name"]: size for item, size in zip(transfers, sizes, strict=True)})
    for number, rate in enumerate(rates):
        crossing = [t["name"] for t in transfers if int(t["sender"][1]) <= number < int(t["receiver"][1])]
        assert timeline[crossing].sum(axis=1).max() <= rate * 1e9 * (1 + 1e-9)
    assert all(use.peak <= 1 for use in result.resources)
    assert list(itertools.islice((use.full_s for use in result.resources), 2)) == sorted(
        (use.full_s for use in result.resources[:2]), reverse=True
    )


def test_a_route_passes_each_place_once(chain):
    path = ["a0", "l1", "l1", "a0"]
    with pytest.raises(InputError) as error:
        chain([1], [{"sender": "h0", "receiver": "h1", "path": path, "duration": 1}])
    expected = "one that passes each host and switch once"
    assert str(error.value) == f"found a route that comes back to s0 over l1, expected {expected}"


def test_an_end_after_the_deadline_is_a_warning(chain):
    late = {"name": "a", "sender": "h0", "receiver": "h1", "bytes": 10 * GB, "by": 8}
    assert chain([1], [late]).warnings == ("a ends 2.00 s after its deadline",)
    assert chain([1], [late | {"by": 10.1}]).warnings == ()


def test_a_higher_priority_goes_first(chain):
    """From 5 to 15, the urgent one has the link; the middle one then, and the other one last, what is left of it."""
    urgent = {"name": "urgent", "sender": "h0", "receiver": "h1", "bytes": 10 * GB, "start": 5, "priority": 2}
    middle = {"name": "middle", "sender": "h0", "receiver": "h1", "bytes": 4 * GB, "start": 6, "priority": 1}
    night = {"name": "night", "sender": "h0", "receiver": "h1", "bytes": 10 * GB}
    result = chain([1], [night, middle, urgent])
    assert {each.name: round(each.finish_s, 1) for each in result.transfers} == {
        "urgent": 15.0,
        "middle": 19.0,
        "night": 24.0,
    }


def test_a_priority_leaves_what_it_cannot_use(chain):
    """Held to 0.25 Gb/s by its pace, the urgent one leaves the rest of the link; with links of its own, all of it."""
    urgent = {"name": "urgent", "sender": "h0", "receiver": "h2", "duration": 10, "pace": 0.25e9, "priority": 3}
    other = {"name": "other", "sender": "h0", "receiver": "h1", "duration": 10}
    rates = {each.name: each.throughput_bps / 1e9 for each in chain([1, 3], [urgent, other]).transfers}
    assert rates == {"urgent": pytest.approx(0.25, rel=1e-3), "other": pytest.approx(0.75, rel=1e-3)}


def test_a_full_queue_before_a_link_lengthens_the_round_trips_over_it():
    """Half queues of 10 ms and 1 ms: the transfer over both links gets a twelfth of the second, the other the rest."""
    links = {"near": ("s0", "s1", 0.5e9, 1_250_000), "far": ("s1", "s2", 1e9, 250_000)}
    hosts = {"a": "s0", "b": "s1", "c": "s2", "d": "s2"}
    site = {
        "hosts": dict.fromkeys(hosts, "ideal"),
        "switches": {name: {} for name in ("s0", "s1", "s2")},
        "links": {
            **{f"to-{host}": {"ends": [host, switch], "rtt": 0, "loss": 0} for host, switch in hosts.items()},
            **{
                name: {"ends": [near, far], "rate": rate_bps, "queue": queue, "rtt": 0, "loss": 0}
                for name, (near, far, rate_bps, queue) in links.items()
            },
        },
        "tool": "iperf3",
        "set": {"sender.congestion_control": "reno"},
        "transfers": [
            {"name": "both", "sender": "a", "receiver": "c", "duration": 100},
            {"name": "second", "sender": "b", "receiver": "d", "duration": 100},
        ],
    }
    rates = {each.name: each.throughput_bps for each in predict_site(site).transfers}
    assert rates["second"] == pytest.approx(11 * rates["both"], rel=0.05)
    site["links"]["near"]["rate"] = 100e9  # it cannot be filled: no queue waits there
    rates = {each.name: each.throughput_bps for each in predict_site(site).transfers}
    assert rates["second"] == pytest.approx(rates["both"], rel=0.05)
