"""Cards behind a bridge share its uplink."""

import pytest

import hecn_analysis as hecn
from tests.prediction.steady import steady

HOST = """\
title: two cards behind a switch
source: a test
cpu: {clock: 100 GHz, cores: 8, send_cost: 0.5, receive_cost: 0.5, read_cost: 0.5, write_cost: 0.5}
bridges:
  hub: {kind: hub, rate: 300 Gb/s}
  switch: {kind: switch, gen: 3, lanes: 8, behind: hub}
slots:
  nic1: {gen: 3, lanes: 8, behind: switch, nic: {ports: 1, port_rate: 100 Gb/s, gen: 3, lanes: 8}}
  nic2: {gen: 3, lanes: 8, behind: BEHIND, nic: {ports: 1, port_rate: 100 Gb/s, gen: 3, lanes: 8}}
"""


@pytest.fixture
def prediction(tmp_path):
    def between(behind, **settings):
        host = tmp_path / "host.yaml"
        host.write_text(HOST.replace("BEHIND", behind))
        keys = {"tool": "iperf3", "tool.processes": 2, "path.rate": "100 Gb/s", "path.links": 2, "path.mtu": 9000}
        keys["path.rtt"] = 0
        return hecn.predict({"sender": str(host), "receiver": "ideal", **keys, **settings})

    return between


def test_two_cards_behind_one_uplink_have_what_one_has(prediction):
    alone = prediction("switch", **{"tool.processes": 1, "path.links": 1})
    both = prediction("switch")
    assert both.throughput_bps == pytest.approx(alone.throughput_bps, rel=1e-6)
    assert both.bottleneck == "sender.interconnect.switch"
    assert both.bottleneck_class == "interconnect"


def test_two_cards_of_which_one_hangs_elsewhere_have_twice_as_much(prediction):
    assert prediction("hub").throughput_bps == pytest.approx(2 * prediction("switch").throughput_bps, rel=1e-6)


def test_an_uplink_is_used_all_the_way_up(prediction):
    use = prediction("hub").utilisation
    assert use["sender.interconnect.hub"] == pytest.approx(
        prediction("hub").throughput_bps * (9014 / 8948) / 300e9, rel=1e-6
    )


def test_the_two_directions_of_an_uplink_are_apart(prediction):
    one, two = (prediction("switch", **{"tool.bidirectional": both}) for both in (False, True))
    assert two.throughput_bps == pytest.approx(2 * one.throughput_bps, rel=0.05)


def test_what_runs_on_another_socket_than_its_card_crosses_the_links_between_them():
    keys = {"sender": "ideal", "receiver": "a++", "tool": "nuttcp", "path": "back-to-back-4x40ge"}
    near = hecn.predict(keys)
    cores = near.scenario.receiver.cpu.cores
    card = next(slot for slot in near.scenario.receiver.slots.values() if slot.nic is not None)
    bridges = near.scenario.receiver.board.bridges
    home = bridges[card.behind].node if card.behind else card.node
    here, there = ("[0]", f"[{cores - 1}]") if home == 0 else (f"[{cores - 1}]", "[0]")
    assert "receiver.interconnect.sockets" not in hecn.predict(keys, {"receiver.app_cores": here}).utilisation
    slow = {"receiver.app_cores": there, "receiver.board.socket_link_rate": "9 Gb/s"}
    away = hecn.predict(keys, slow)
    assert away.bottleneck == "receiver.interconnect.sockets"
    assert away.throughput_bps < 8e9  # 9 Gb/s, of which 8 of 9 bits are data, and the headers of each frame


def test_two_hubs_may_pass_less_of_what_devices_write():
    keys = {"sender": "ideal", "receiver": "a++", "path": "back-to-back-12x10ge", "tool": "nuttcp"}
    keys = {**keys, "tool.bonding": False, "tool.processes": 12}
    both = hecn.predict(keys)
    assert both.bottleneck == "receiver.interconnect.hubs"
    assert both.throughput_bps == pytest.approx(59e9 * 8948 / 9014, rel=0.02)
    back = hecn.predict({**keys, "sender": "a++", "receiver": "ideal"})
    assert back.throughput_bps > 1.3 * both.throughput_bps
    assert "sender.interconnect.hubs" not in back.utilisation


def test_requests_of_what_is_sent_travel_with_what_is_received(prediction):
    keys = {"tool.processes": 1, "path.links": 1, "path.rate": "400 Gb/s", "sender.slots.nic2.behind": "hub"}
    keys = {**keys, "sender.slots.nic1.behind": "hub", "sender.slots.nic1.nic.port_rate": "400 Gb/s"}
    link = {"gen": 3, "lanes": 8, "max_payload": 256}
    both, bottleneck = steady(prediction("hub", **keys).scenario.keys, tool__bidirectional=True)
    each_way = hecn.limits.pcie(op="both", **link)["throughput_bps"] * 8948 / 9014
    assert bottleneck == "sender.slot.nic1"
    # what is sent goes on where the requests have filled the other direction
    alone = hecn.limits.pcie(op="read", **link)["throughput_bps"] * 8948 / 9014
    assert both * 1e9 < each_way + alone
