"""Parameters of a scenario by name, as in a prediction: ``receiver.cpu.write_cost``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.quantity import Parameter


def with_parameters(scenario: Scenario, parameters: Mapping[str, Parameter]) -> Scenario:
    """Scenario with some parameters replaced, by name."""
    roles: dict[str, Any] = {}
    for name, parameter in parameters.items():
        role, *path = name.split(".")
        roles[role] = _put(roles.get(role, getattr(scenario, role)), path, parameter)
    return replace(scenario, **roles)


def _put(node: Any, path: list[str], parameter: Parameter) -> Any:  # noqa: ANN401 - model or mapping
    key, *rest = path
    is_mapping = isinstance(node, Mapping)
    below = node[key] if is_mapping else getattr(node, key)
    new = _put(below, rest, parameter) if rest else parameter
    if is_mapping:
        return {**node, key: new}
    assert isinstance(node, BaseModel)  # noqa: S101 - descriptions are made of models and mappings
    return node.model_copy(update={key: new})
