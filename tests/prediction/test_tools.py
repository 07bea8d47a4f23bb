"""What a tool itself costs and holds back: in turn, at a pace, through a filter, with work on each byte."""

import pytest

import hecn_analysis as hecn
from hecn_analysis.limits import request_response

NET = {"sender": "ideal", "receiver": "ideal", "path.rate": "10 Gb/s", "path.mtu": 9000, "tool": "iperf3"}
DISKS = {"sender": "ideal", "receiver": "ideal", "sender.read_rate": "3 Gb/s", "receiver.write_rate": "6 Gb/s"}


def predicted(base, **settings):
    return hecn.predict({**base, **{key.replace("__", "."): value for key, value in settings.items()}})


def test_reading_and_writing_in_turn_add_their_times():
    together, in_turn = predicted(DISKS, tool="pipe-copy"), predicted(DISKS, tool="dd-copy")
    assert together.throughput_bps == pytest.approx(3e9)
    assert together.bottleneck == "sender.disk"
    assert in_turn.throughput_bps == pytest.approx(2e9)  # 1 / (1/3 + 1/6)
    assert in_turn.bottleneck == "sender.disk.in-turn"  # named for the slower of the two
    assert in_turn.bottleneck_class == "disk"


def test_requests_that_are_answered_one_by_one_wait_for_the_round_trip():
    settings = {"tool__overlap": False, "tool__request": "1 MiB", "path__rtt": "10 ms", "path__mtu": 9000}
    one = predicted(NET, **settings)
    payload = 9038 / 8948 / 10e9
    assert one.throughput_bps == pytest.approx(1 / (payload + 0.010 / 2**23), rel=0.01)  # and the start-up
    assert one.bottleneck_class == "tool"
    four = predicted(NET, **settings, tool__outstanding=4)
    assert four.throughput_bps == pytest.approx(4 * one.throughput_bps, rel=0.01)


@pytest.mark.parametrize("tool", ["scp", "rsync"])
@pytest.mark.parametrize("rtt", [0.02, 0.053, 0.15])
def test_an_ssh_channel_bounds_what_is_in_flight_whatever_tcp_allows(tool, rtt):
    copy = predicted(NET, tool=tool, path__rtt=rtt)
    assert copy.throughput_bps == pytest.approx(request_response.ssh_bps(rtt), rel=0.01)
    assert (copy.bottleneck, copy.bottleneck_class) == ("receiver.window.channel", "window")
    assert predicted(NET, tool=tool, path__rtt=rtt, tool__channel=0).bottleneck_class == "link"


def test_a_channel_wider_than_the_window_of_tcp_changes_nothing():
    settings = {"path__rtt": "80 ms", "tool__window": "1 MiB"}
    wide, without = predicted(NET, **settings, tool__channel="64 MiB"), predicted(NET, **settings)
    assert (wide.throughput_bps, wide.bottleneck) == (without.throughput_bps, "receiver.window.tool")


def test_advice_for_scp_over_a_long_path_is_another_channel():
    advice = hecn.advise({**NET, "tool": "scp", "path.rtt": "53 ms"})
    assert advice.single[0].changes[0].name == "channel"


@pytest.mark.parametrize(("streams", "rate"), [(1, 2e9), (4, 8e9), (8, 9.90042e9)])
def test_a_pace_is_kept_by_each_stream(streams, rate):
    result = predicted(NET, tool__pace="2 Gb/s", tool__streams=streams)
    assert result.throughput_bps == pytest.approx(rate, rel=1e-5)
    assert result.bottleneck_class == ("tool" if streams < 8 else "link")


def test_a_filter_has_a_share_of_a_core():
    result = predicted(NET, sender__filter_rate="8 Gb/s", sender__filter_quota=0.5)
    assert result.throughput_bps == pytest.approx(4e9)
    assert result.bottleneck == "sender.cpu.filter"


def test_what_a_tool_does_to_each_byte_costs_both_cores():
    plain = predicted({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"})
    busy = predicted({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"}, tool__cost=1.0)
    for core in ("sender.cpu.core1", "receiver.cpu.core1"):
        added = busy.utilisation[core] / busy.throughput_bps - plain.utilisation[core] / plain.throughput_bps
        assert added == pytest.approx(1 / 8 / 3.2e9, rel=1e-6)


def test_the_first_block_has_to_come_through_all_stages():
    base = {**DISKS, "tool": "pipe-copy", "tool.bytes": "300 MB", "tool.request": "30 MB"}
    result = predicted(base)
    assert 8 * 300e6 / result.throughput_bps == pytest.approx(0.8 + 0.04)  # the slower's time, and a block at the other


def test_a_controller_carries_all_its_disks():
    disks = {"level": 0, "disks": 8, "disk": {"read_rate": "2 Gb/s", "write_rate": "2 Gb/s"}, "slots": ["raid"]}
    base = {"tool": "dd-read", "sender": "ideal", "sender.arrays.data": disks, "sender.slots.raid.gen": 3}
    card = {"gen": 3, "lanes": 8, "rate": "10 Gb/s", "title": "a controller"}
    result = hecn.predict({**base, "sender.slots.raid.lanes": 8, "sender.slots.raid.controller": card})
    assert result.throughput_bps == pytest.approx(10e9)
    assert result.bottleneck == "sender.raid.controller-raid"
