"""Prior values of parameters, used before a host is measured. Data in ``models/priors.yaml``."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places, units
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.quantity import DIMENSION_OF, Parameter

#: Spread of a parameter with a calibrated value and no prior: about a factor of two.
_UNKNOWN = 0.9


class _Prior(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    until: int = 9999
    value: float | str
    spread: str
    source: Annotated[str, Field(min_length=1)]


def before_calibration(field: str, parameter: Parameter, year: int | None) -> Parameter:
    """Prior of a calibrated parameter; other parameters are returned unchanged."""
    if parameter.basis != "calibrated":
        return parameter
    for prior in _priors().get(field, ()):
        if (year or 9999) <= prior.until:
            dimension = DIMENSION_OF[parameter.unit]
            value, spread = units.parse(prior.value, dimension), units.parse(prior.spread, "fraction")
            return Parameter(value=value, spread=spread, basis="assumed", source=prior.source, unit=parameter.unit)
    return parameter.model_copy(update={"spread": _UNKNOWN, "basis": "assumed"})


@cache
def _priors() -> dict[str, tuple[_Prior, ...]]:
    document = yaml_file.load(places.models_dir() / "priors.yaml")

    def read(field: str) -> tuple[_Prior, ...]:
        place = (document.source, document.line((field,)))
        return tuple(yaml_file.validate(_Prior, entry, lambda _: place) for entry in document.values[field])

    return {field: read(field) for field in document.values}
