"""Every parameter that a prediction of a shipped host, path or tool rests on says where it comes from."""

from typing import get_args

import pytest

from hecn_analysis import load_scenario
from hecn_analysis.base.places import models_dir
from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.quantity import Basis, Parameter
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.parameters import with_parameters
from hecn_analysis.prediction.resources import build
from hecn_analysis.prediction.transport import Transport

LIBRARY = Library(models_dir())
HOSTS = [{"sender": host, "receiver": host, "path": "lan-10ge"} for host in LIBRARY.names("hosts")]
SCENARIOS = [
    *({**keys, "tool": tool} for keys in HOSTS for tool in ("nuttcp", "nuttscp", "dd-read", "dd-write")),
    *({"sender": "b", "receiver": "c", "path": path, "tool": "nuttcp"} for path in LIBRARY.names("paths")),
    *({"sender": "b", "receiver": "c", "path": "netem-80ms-10ge", "tool": tool} for tool in LIBRARY.names("tools")),
]


def used(scenario):
    """Parameters that a prediction asks for, by name."""
    draw = Draws(0)
    build(scenario, draw)
    if scenario.tool.protocol != "file":
        Transport.of(scenario, draw, reverse=False)
    return draw.used


def without_provenance(scenario):
    """Names of parameters that say neither themselves nor by what they stand in where they come from.

    A number that somebody fitted or assumed says so itself: no other's source covers it.
    """
    found = []
    for name, parameter in used(scenario).items():
        parts = name.split(".")
        owners = [value_at(scenario, ".".join(parts[:depth])) for depth in range(len(parts) - 1, 0, -1)]
        is_own = parameter.basis in ("calibrated", "assumed")
        sources = [parameter.source, *([] if is_own else [getattr(owner, "source", "") for owner in owners])]
        if parameter.basis not in get_args(Basis) or not any(sources):
            found.append(name)
    return found


@pytest.mark.parametrize("keys", SCENARIOS, ids=lambda keys: " ".join(dict.fromkeys(keys.values())))
def test_every_parameter_says_where_it_comes_from(keys):
    assert without_provenance(load_scenario(keys)) == []


def test_a_parameter_without_provenance_is_found():
    scenario = load_scenario({"sender": "b", "receiver": "b", "path": "lan-10ge", "tool": "nuttcp"})
    unknown = Parameter(value=0.5, spread=0.2, basis="calibrated", unit="cycles/B")
    changed = with_parameters(scenario, {"sender.cpu.send_cost": unknown})
    assert without_provenance(changed) == ["sender.cpu.send_cost"]
