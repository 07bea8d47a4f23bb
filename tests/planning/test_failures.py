"""Failures of single parts against cases computed by hand: a second of a link moves 1 Gb for each Gb/s."""

import pytest

from hecn_analysis.hardware import load_site
from hecn_analysis.planning.site.failures import _Search, failures

#: Line rate for a payload of 1 Gb/s: a packet of 9000 bytes carries 8948, and takes 9038 of the line (Ethernet, TCP).
LINE = 9038 / 8948 * 1e9
#: Bytes that take one second at 1 Gb/s.
GB = 1e9 / 8


def link(first, second, gbps=None, **more):
    keys = {"ends": [first, second], "rtt": 0, "loss": 0, "mtu": 9000, **more}
    return keys if gbps is None else {**keys, "rate": gbps * LINE}


def cluster(**more):
    """Three hosts with an access link each and a partner, behind two switches with two waves between them."""
    return {
        "hosts": {"dtn": {"host": "ideal", "count": 3}, "far": "ideal"},
        "switches": {"border": {}, "edge": {}},
        "links": {
            "access": link("dtn", "border", 1),
            "short": link("border", "edge", 3, rtt="10 ms"),
            "long": link("border", "edge", 1.5, rtt="30 ms"),
            "tail": link("edge", "far"),
        },
        "tool": "ftp",
        "set": {"tool.window": "2 GB", "sender.tcp_wmem_max": "2 GB", "receiver.tcp_rmem_max": "2 GB"},
        "transfers": [{"name": "n", "sender": "dtn", "receiver": "far", "bytes": 600 * GB}],
        **more,
    }


def found(site):
    result = failures(site)
    return result, {each.missing: each for each in result.failures}


def ends(failure):
    return [None if each.finish_s is None else pytest.approx(each.finish_s, rel=1e-2) for each in failure.transfers]


def test_a_cluster():
    """600 s each; over the longer wave 1.5 Gb/s for three; the transfers of a lost host take half of another's link."""
    result, by_name = found(cluster())
    assert result.finish_s == pytest.approx(600, rel=1e-2)
    assert ends(by_name["short"]) == [1200, 1200, 1200]
    assert by_name["short"].later_s == pytest.approx(600, rel=2e-2)
    assert by_name["short"].slowest_fraction == pytest.approx(0.5, rel=1e-2)
    assert ends(by_name["dtn1"]) == [1200, 1200, 600]
    assert by_name["dtn1"].alike == ("dtn2", "dtn3")
    assert ends(by_name["access1"]) == [1200, 1200, 600]
    assert by_name["access1"].alike == ("access2", "access3")
    assert ends(by_name["border"]) == [None, None, None]
    assert set(by_name) == {"short", "dtn1", "access1", "border", "edge", "far", "tail"}  # nobody uses the long wave
    assert [each.stopped for each in result.failures] == [3, 3, 3, 3, 0, 0, 0]
    assert str(result) == (
        "a site: without a failure, the last transfer ends at 10.0 min. Without border, 3 of 3 transfers cannot run."
    )


def test_a_transfer_that_names_a_host_stops():
    own = {"name": "own", "sender": "dtn2", "receiver": "far", "bytes": GB}
    _, by_name = found(cluster(transfers=[*cluster()["transfers"], own]))
    assert ends(by_name["dtn2"])[3] is None
    assert by_name["dtn2"].stopped == 1
    assert by_name["dtn1"].alike == ("dtn3",)


def test_a_stated_route_is_left_if_it_is_missing():
    stated = {**cluster()["transfers"][0], "path": ["access", "long", "tail"]}
    _, by_name = found(cluster(transfers=[stated]))
    assert ends(by_name["long"]) == [600, 600, 600]
    assert by_name["long"].later_s == 0.0
    assert "short" not in by_name


def test_one_of_parallel_links():
    """Four transfers on four links of 1 Gb/s: three links carry 0.75 Gb/s for each."""
    site = {
        "hosts": {"a": "ideal", "b": "ideal"},
        "links": {"trunk": link("a", "b", 1, links=4)},
        "tool": "ftp",
        "transfers": [{"sender": "a", "receiver": "b", "count": 4, "bytes": 30 * GB}],
    }
    _, by_name = found(site)
    assert ends(by_name["one of 4 links trunk"]) == [40, 40, 40, 40]


def test_one_of_the_servers_of_a_storage_system():
    """Four servers of 1 Gb/s feed two transfers; three feed each with 1.5 Gb/s: 40 s instead of 30."""
    site = {
        "hosts": {"a": {"host": "dtn-100g-2024", "count": 2, "storage": "disks"}, "b": "ideal"},
        "switches": {"s": {}},
        "links": {"up": link("a", "s", 10), "down": link("s", "b", 100)},
        "storage": {"disks": {"servers": 4, "server_rate": "1 Gb/s"}},
        "tool": "gridftp",
        "transfers": [{"sender": "a", "receiver": "b", "bytes": 60 * GB}],
    }
    result, by_name = found(site)
    failed = by_name["one of 4 servers of disks"]
    assert failed.finish_s / result.finish_s == pytest.approx(4 / 3, rel=1e-2)
    assert failed.kind == "storage"
    _, alone = found({**site, "storage": {"disks": {"read_rate": "4 Gb/s", "write_rate": "4 Gb/s"}}})
    assert alone["disks"].stopped == 2


def test_late_transfers():
    _, by_name = found(cluster(transfers=[{**cluster()["transfers"][0], "by": 900}]))
    assert {name: each.late for name, each in by_name.items()} == {
        "short": 3, "dtn1": 2, "access1": 2, "border": 0, "edge": 0, "far": 0, "tail": 0,
    }  # fmt: skip


def test_alike_parts_cost_the_same():
    """Each of the parts that are not followed themselves, followed."""
    back = {"name": "back", "sender": "far", "receiver": "dtn", "count": 2, "bytes": 100 * GB, "start": 10}
    one = {"name": "one", "sender": "dtn1", "receiver": "far", "bytes": 200 * GB}
    search = _Search(load_site(cluster(transfers=[*cluster()["transfers"], back, one])))
    tried = 0
    for part, alike in search.parts():
        first = search.failure(part, (), 600)
        for name in alike:
            other = search.failure(part._replace(name=name), (), 600)
            assert (other.stopped, other.finish_s) == (first.stopped, pytest.approx(first.finish_s))
            assert other.throughput_bps == pytest.approx(first.throughput_bps)
            tried += 1
    assert tried == 2  # dtn2 and dtn3, access2 and access3; dtn1 and access1 have one transfer more
