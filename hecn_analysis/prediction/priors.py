"""Priors of unmeasured and unstated values. Data in ``models/priors.yaml``.

A plain name (``send_cost``) is a parameter of a host before that host is measured. A dotted name (``path.loss``) is a
key of a scenario that the user did not state: a log-normal, or a mixture of several, which may hold exact values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Final, Self, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy import special

from hecn_analysis.base import places, units
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.quantity import DIMENSION_OF, Parameter
from hecn_analysis.prediction.draws import DRAWS, Z90, FloatArray

Entry = TypeVar("Entry", bound=BaseModel)

#: Spread of a parameter with a calibrated value and no prior: about a factor of two.
_UNKNOWN = 0.9

#: Unit of each key that is drawn where it is not stated.
_UNITS: Final = {
    "path.rate": "bit/s",
    "path.rtt": "s",
    "path.loss": "",
    "path.mtu": "B",
    "path.queue": "",
    "path.background": "",
    "host.tcp_rmem_max": "B",
    "host.tcp_wmem_max": "B",
    "host.cpu.clock": "Hz",
    "host.cpu.cores": "",
    "host.read_rate": "bit/s",
    "host.write_rate": "bit/s",
}


@dataclass(frozen=True)
class Circumstances:
    """Circumstances that decide the choice of a prior.

    ``rtt_s`` and ``rate_bps`` are central values down to a power of two [s], [bit/s]; ``year`` is that of the hosts or
    None; ``documented``: the description is a shipped one; ``cloud``: the host is a machine of a cloud; ``storage``:
    the kind of its storage; ``system``: its operating system.
    """

    rtt_s: float = 0.0
    rate_bps: float = float("inf")
    year: int | None = None
    documented: bool = False
    cloud: bool = False
    storage: str = ""
    system: str = "linux"


class Unstated(Parameter):
    """A parameter that the scenario does not state; ``quantiles`` are the middles of `DRAWS` equal shares.

    Parameters with the same word in ``together`` are drawn together: the lowest with the lowest.
    """

    spread: Annotated[float, Field(ge=0)] = 0.0
    quantiles: tuple[float, ...]
    together: str = ""


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Prior(_Described):
    until: int = 9999
    value: float | str
    spread: str
    source: Annotated[str, Field(min_length=1)]


class _Component(_Described):
    """One log-normal of a mixture: 90 % within `factor` of `value` either way; without a factor, `value` itself."""

    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    value: float | str
    factor: Annotated[float, Field(ge=1)] = 1.0


class _KeyPrior(_Described):
    """Prior of a key under the circumstances that it names."""

    documented: bool | None = None
    since: int | None = None
    until: int | None = None
    rtt_below: str | None = None
    rtt_from: str | None = None
    rate_below: str | None = None
    rate_from: str | None = None
    cloud: bool | None = None
    storage: str | None = None
    system: str | None = None
    together: str = ""
    parts: Annotated[list[_Component], Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if abs(sum(part.share for part in self.parts) - 1) > 1e-6:
            raise ValueError(f"found shares that sum to {sum(part.share for part in self.parts):g}, expected 1")
        return self

    def applies(self, where: Circumstances) -> bool:
        """Whether the circumstances are those of this prior."""
        return (
            self.documented in {None, where.documented}
            and self.cloud in {None, where.cloud}
            and self.storage in {None, where.storage}
            and self.system in {None, where.system}
            and (self.since is None or (where.year or 0) >= self.since)
            and (self.until is None or (where.year or 9999) <= self.until)
            and (self.rtt_below is None or where.rtt_s < units.parse(self.rtt_below, "time"))
            and (self.rtt_from is None or where.rtt_s >= units.parse(self.rtt_from, "time"))
            and (self.rate_below is None or where.rate_bps < units.parse(self.rate_below, "rate"))
            and (self.rate_from is None or units.parse(self.rate_from, "rate") <= where.rate_bps < np.inf)
        )


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


def of_key(key: str, where: Circumstances) -> Unstated:
    """Prior of a key of a scenario under some circumstances."""
    number = next(number for number, prior in enumerate(_key_priors()[key]) if prior.applies(where))
    return _parameter(key, number)


@cache
def _parameter(key: str, number: int) -> Unstated:
    prior = _key_priors()[key][number]
    unit = _UNITS[key]
    values = quantiles([(part.share, units.parse(part.value, DIMENSION_OF[unit]), part.factor) for part in prior.parts])
    low, middle, high = (float(values[place]) for place in (DRAWS // 20, (DRAWS - 1) // 2, -DRAWS // 20))
    if len(prior.parts) == 1:
        middle = units.parse(prior.parts[0].value, DIMENSION_OF[unit])
    return Unstated(
        value=middle,
        spread=float("inf") if low == 0 or middle == 0 else float(np.sqrt(high / low) - 1),
        basis="assumed",
        source=prior.source,
        unit=unit,
        quantiles=tuple(values.tolist()),
        together=prior.together,
    )


def quantiles(components: list[tuple[float, float, float]]) -> FloatArray:
    """Values at equal shares of probability of a mixture of (share, value, factor), in ascending order."""
    ends = np.round(np.cumsum([share for share, _, _ in components]) * DRAWS).astype(int)
    counts = np.diff(np.concatenate([[0], ends]))
    drawn = [
        value * factor ** (special.ndtri((np.arange(count) + 0.5) / count) / Z90)
        for count, (_, value, factor) in zip(counts, components, strict=True)
        if count
    ]
    return np.sort(np.concatenate(drawn))


@cache
def _priors() -> dict[str, tuple[_Prior, ...]]:
    return {key: _read(key, _Prior) for key in _document().values if "." not in key}


@cache
def _key_priors() -> dict[str, tuple[_KeyPrior, ...]]:
    return {key: _read(key, _KeyPrior) for key in _document().values if "." in key}


@cache
def _document() -> yaml_file.Document:
    return yaml_file.load(places.models_dir() / "priors.yaml")


def _read(key: str, model: type[Entry]) -> tuple[Entry, ...]:
    document = _document()
    place = (document.source, document.line((key,)))
    return tuple(yaml_file.validate(model, entry, lambda _: place) for entry in document.values[key])
