"""Bounds of parts hold in every host: what is set above one is held to it, with a warning that names both."""

import pytest

from hecn_analysis import sweep
from hecn_analysis.base.errors import ValidityWarning
from hecn_analysis.base.places import models_dir
from hecn_analysis.hardware import load_scenario
from hecn_analysis.hardware.description import Library
from hecn_analysis.prediction import predict

HOTLAVA = "hotlava-transmit"
HOSTS = Library(models_dir()).names("hosts")


def warned(settings, base=HOTLAVA):
    return load_scenario(base, settings).warnings


@pytest.mark.parametrize("name", HOSTS)
def test_shipped_hosts_are_within_the_bounds_of_their_parts(name):
    assert warned({}, {"sender": name, "receiver": name, "tool": "nuttcp", "path": "loopback"}) == ()


@pytest.mark.parametrize(
    ("key", "value", "warning"),
    [
        ("max_payload", "512 B", "max_payload=512 B exceeds the 256 B of Intel X58 I/O hub: 256 B is used"),
        (
            "slots.x16.max_payload",
            "4096 B",
            "slots.x16.max_payload=4096 B exceeds the 256 B of Intel X58 I/O hub: 256 B is used",
        ),
        (
            "slots.x16.gen",
            "3",
            "slots.x16.gen=3 exceeds the 2 of slot pcie1 of Asus P6T6 WS Revolution (X58, nForce 200): 2 is used",
        ),
        (
            "memory.transfers",
            "1866 MT/s",
            (
                "memory.transfers=1866 MT/s exceeds the 1333 MT/s of Asus P6T6 WS Revolution (X58, nForce 200): "
                "1333 MT/s is used"
            ),
        ),
    ],
)
def test_what_exceeds_a_bound_is_held_to_it(key, value, warning):
    assert warned({f"sender.{key}": value}) == (f"sender.{warning}",)


def test_a_prediction_uses_the_bound_and_says_so():
    most, more = (predict(load_scenario(HOTLAVA, {"sender.max_payload": size})) for size in ("256 B", "512 B"))
    assert more.throughput_bps == most.throughput_bps
    assert more.low_bps == most.low_bps
    assert most.warnings == ()
    assert more.warnings == ("sender.max_payload=512 B exceeds the 256 B of Intel X58 I/O hub: 256 B is used",)


def test_a_slot_behind_two_bridges_is_held_to_the_smaller_bound():
    bridges = {"sender.bridges.near": {"max_payload": "128 B", "behind": "x58"}, "sender.slots.x16.behind": "near"}
    assert load_scenario(HOTLAVA, bridges | {"sender.max_payload": 256}).sender.slots["x16"].max_payload.value == 128


def test_lanes_of_a_slot_are_those_of_the_board():
    keys = {"sender": "x++", "receiver": "ideal", "tool": "nuttcp", "path": "lan-10ge", "sender.slots.nic2.lanes": 16}
    scenario = load_scenario(keys)
    assert scenario.sender.slots["nic2"].lanes == 8
    assert "sender.slots.nic2.lanes=16 exceeds the 8 of slot pcie2" in scenario.warnings[0]


def test_channels_and_generation_are_those_of_the_processors():
    keys = {"sender": "x100ssd", "receiver": "ideal", "tool": "nuttcp", "path": "lan-10ge"}
    with_fewer = keys | {"sender.cpu.memory_channels": 2, "sender.cpu.gen": 2}
    scenario = load_scenario(with_fewer)
    assert scenario.sender.memory.channels.value == 4
    assert scenario.sender.slots["nic1"].gen == 2
    assert any(text.startswith("sender.memory.channels=8 exceeds the 4 of") for text in scenario.warnings)


def test_cards_that_need_more_lanes_than_the_processor_has_are_reported():
    keys = {"sender": "x100ssd", "receiver": "ideal", "tool": "nuttcp", "path": "lan-10ge", "sender.cpu.lanes": 16}
    assert any("lanes of processor 0, which exceeds the 16 of" in text for text in load_scenario(keys).warnings)


def test_more_links_than_ports_share_the_ports():
    keys = {"sender": "i7-hotlava", "receiver": "ideal", "tool": "nuttcp", "sender.max_payload": 256}
    line = {"path.rate": "10 Gb/s", "path.mtu": 9000, "tool.bonding": True, "sender.cpu": None}
    few = {"sender.slots.x16.nic.ports": 2}
    two, four = (predict(load_scenario(keys | line | few | {"path.links": links})) for links in (2, 4))
    assert four.throughput_bps <= two.throughput_bps * 1.001
    assert "path.links=4 exceeds the 2 network ports of the sender: links share ports" in four.warnings
    assert two.warnings == ()


def test_a_sweep_holds_its_values_to_the_bound_with_a_warning():
    with pytest.warns(ValidityWarning, match="sender.max_payload=512 B exceeds the 256 B of Intel X58"):
        found = sweep(HOTLAVA, {"sender.max_payload": ["128 B", "256 B", "512 B"]}, intervals=False)
    rates = found["throughput_bps"].tolist()
    assert rates[0] < rates[1] == rates[2]
