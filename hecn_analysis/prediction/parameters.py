"""Parameters of a scenario by the names that a prediction gives them: ``receiver.cpu.write_cost``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.quantity import Parameter


def with_parameters(scenario: Scenario, parameters: Mapping[str, Parameter]) -> Scenario:
    """Return the scenario with other values of parameters, by their names."""
    roles: dict[str, Any] = {}
    for name, parameter in parameters.items():
        role, *path = name.split(".")
        roles[role] = _put(roles.get(role, getattr(scenario, role)), path, parameter)
    return replace(scenario, **roles)


def _put(described: Any, path: list[str], parameter: Parameter) -> Any:  # noqa: ANN401 - model or mapping
    key, *rest = path
    is_mapping = isinstance(described, Mapping)
    below = described[key] if is_mapping else getattr(described, key)
    new = _put(below, rest, parameter) if rest else parameter
    if is_mapping:
        return {**described, key: new}
    assert isinstance(described, BaseModel)  # noqa: S101 - descriptions are made of models and mappings
    return described.model_copy(update={key: new})
