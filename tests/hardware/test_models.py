"""Everything under models/ loads, and no number stands there without saying where it comes from."""

import pytest
from pydantic import BaseModel

from hecn_analysis import places
from hecn_analysis.hardware import Library, Parameter, load_scenario

LIBRARY = Library(places.models_dir())
HOSTS = LIBRARY.names("hosts")
PATHS = LIBRARY.names("paths")
TOOLS = LIBRARY.names("tools")


def scenario(**keys):
    return load_scenario({"sender": "ideal", "receiver": "ideal", "path": "lan-10ge", "tool": "nuttcp", **keys})


def parameters(model, name=""):
    for field in type(model).model_fields:
        value = getattr(model, field)
        if isinstance(value, Parameter):
            yield f"{name}.{field}", value
        for key, below in value.items() if isinstance(value, dict) else [(field, value)]:
            if isinstance(below, BaseModel) and not isinstance(below, Parameter):
                yield from parameters(below, f"{name}.{key}")


@pytest.mark.parametrize("name", HOSTS)
def test_host_loads_as_sender_and_receiver(name):
    both = scenario(sender=name, receiver=name)
    assert both.sender == both.receiver
    assert both.sender.name == name


@pytest.mark.parametrize("name", PATHS)
def test_path_loads_with_a_rate_and_a_round_trip(name):
    path = scenario(path=name).path
    assert path.rate.value > 0
    assert path.rtt.value > 0


@pytest.mark.parametrize("name", TOOLS)
def test_tool_loads(name):
    assert scenario(tool=name).tool.name == name


@pytest.mark.parametrize("name", LIBRARY.names("scenarios"))
def test_scenario_loads(name):
    assert load_scenario(name).name == name


@pytest.mark.parametrize("name", HOSTS)
def test_every_number_of_a_host_has_a_source(name):
    host = scenario(sender=name).sender
    assert host.source
    without = [key for key, value in parameters(host) if value.basis in {"calibrated", "assumed"} and not value.source]
    assert not without


@pytest.mark.parametrize("name", PATHS)
def test_every_number_of_a_path_has_a_source(name):
    path = scenario(path=name).path
    assert path.source
    assert not [key for key, value in parameters(path) if value.basis in {"calibrated", "assumed"} and not value.source]


def test_calibrated_numbers_have_a_spread():
    for name in HOSTS:
        for key, value in parameters(scenario(sender=name).sender, name):
            assert value.basis != "calibrated" or value.spread > 0, key


def test_c_is_b_with_twice_the_disks_and_one_network_card():
    b, c = scenario(sender="b").sender, scenario(sender="c").sender
    assert c.arrays["raid50"].disks == 2 * b.arrays["raid50"].disks == 32
    assert "nic2" in b.slots
    assert "nic2" not in c.slots
    assert c.cpu == b.cpu
