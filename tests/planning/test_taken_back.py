"""Every change is applied as it says, also where it takes back what the file of a host sets."""

import pytest

from hecn_analysis.base.places import models_dir
from hecn_analysis.hardware import Library, load_scenario
from hecn_analysis.hardware.parts import BoardSlot
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.planning.change.change import UNSET
from hecn_analysis.planning.change.settings import possible

#: A host whose file sets everything that a change takes back: a quota, and the slot of a card that is moved.
HOST = """
like: a++
cpu_quota: 0.3
slots: {nic1: {at: pcie2, bus: pcie, gen: 1, lanes: 4, mechanical: 4, node: 0, behind: ioh0}, nic2: null, nic4: null}
"""


def of_host_file(folder, **settings):
    host = folder / "host.yaml"
    host.write_text(HOST)
    keys = {"sender": str(host), "receiver": str(host), "tool": "iperf3", "path.rate": "10 Gb/s", "path.rtt": "80 ms"}
    return load_scenario({**keys, **settings})


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory):
    own = of_host_file(tmp_path_factory.mktemp("host"), **{"receiver.cpu_quota": 0.5, "receiver.slots.nic1.lanes": 2})
    return [own, *map(load_scenario, Library(models_dir()).names("scenarios"))]


def as_set(found):
    """What a setting says of a value: its number, or the name of its part."""
    return getattr(found, "value", getattr(found, "part", found))


def test_every_change_gives_a_valid_scenario_with_its_settings(scenarios):
    for scenario in scenarios:
        for change in possible(scenario):
            changed = scenario.with_(change.settings)
            assert changed.warnings == scenario.warnings, change.name
            for key, value in change.settings.items():
                if value != UNSET:
                    wanted = value["value"] if isinstance(value, dict) else value
                    assert as_set(value_at(changed, key)) == wanted, (change.name, key)


def test_every_key_that_a_change_takes_back_is_gone(scenarios):
    own = scenarios[0]
    taken_back = [key for change in possible(own) for key, value in change.settings.items() if value == UNSET]
    slot = {f"{role}.slots.nic1.{key}" for role in ("sender", "receiver") for key in BoardSlot.model_fields}
    assert {*taken_back} == {"sender.cpu_quota", "receiver.cpu_quota", *slot}
    for change in possible(own):
        changed = own.with_(change.settings)
        for key, value in change.settings.items():
            role, *names = key.split(".")
            if value == UNSET and names == ["cpu_quota"]:
                assert value_at(changed, key) is None
            elif value == UNSET:
                at = change.settings[f"{role}.slots.nic1.at"]
                board_slot = getattr(changed, role).board.slots[at]
                assert value_at(changed, key) == getattr(board_slot, names[-1]), (change.name, key)
