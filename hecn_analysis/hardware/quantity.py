"""Numbers of a description, each with its spread and source.

A field of a host, path or tool is a plain value (``rate: 10 Gb/s``) or a value with its provenance::

    write_cost: {value: 1.75, spread: 8 %, basis: calibrated, source: data/series/c-disk-to-disk.yaml}

Both become a `Parameter`. The annotated types below (`Rate`, `Bytes`, ...) give the dimension of a field.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.fields import FieldInfo

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError

Basis = Literal["specification", "documented", "calibrated", "assumed"]
#: specification: a data sheet or standard; documented: stated by the cited document; calibrated: fitted to measured
#: runs; assumed: never measured, so a brief must show it.


class Parameter(BaseModel):
    """A number in SI with its provenance.

    `spread` is the half width of the 90 % interval relative to `value` (0.1 = ±10 %), and a factor less one for values
    that are known by their size alone: with 3, 90 % lie between a fourth of `value` and four times it.
    `source` is the document and place, data sheet, or file of the number; if empty, it is the source of its entry.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    spread: Annotated[float, Field(ge=0, le=19)] = 0.0
    basis: Basis = "specification"
    source: str = ""
    unit: str = ""


#: Unit to show with a parameter of each dimension (its value is in SI).
SHOWN_UNIT: Final[dict[units.Dimension, str]] = {
    "rate": "bit/s",
    "bytes": "B",
    "time": "s",
    "fraction": "",
    "frequency": "Hz",
    "transfers": "T/s",
    "cycles": "cycles",
    "cycles_per_byte": "cycles/B",
    "dollars": "USD",
    "power": "W",
    "count": "",
}

#: Dimension of a unit. A number without a unit is a fraction, which need not be whole.
DIMENSION_OF: Final[dict[str, units.Dimension]] = {
    unit: dimension for dimension, unit in SHOWN_UNIT.items() if dimension != "count"
}


#: Schema of a quantity: a number in SI, a text with a unit, or either with its provenance.
_SCHEMA = WithJsonSchema(
    {
        "anyOf": [
            {"type": ["number", "string"]},
            {
                "type": "object",
                "properties": {
                    "value": {"type": ["number", "string"]},
                    "spread": {"type": ["number", "string"]},
                    "basis": {"enum": list(get_args(Basis))},
                    "source": {"type": "string"},
                },
                "required": ["value"],
                "additionalProperties": False,
            },
        ]
    }
)


@dataclass(frozen=True)
class _Parser(BeforeValidator):
    """Validator of a quantity, with its unit."""

    unit: str = ""


def unit_of(field: FieldInfo) -> str | None:
    """Unit of a field of a model, empty for a pure number; None if the field is not a quantity."""
    return _unit_in((field.annotation, *field.metadata))


def _unit_in(parts: Iterable[Any]) -> str | None:
    """Unit of the first quantity among parts of a type annotation."""
    units_found = (part.unit if isinstance(part, _Parser) else _unit_in(get_args(part)) for part in parts)
    return next((unit for unit in units_found if unit is not None), None)


def _parser(dimension: units.Dimension, *, above: float = -float("inf"), high: float = float("inf")) -> _Parser:
    """Validator of a field of that dimension: at least 0, more than `above`, at most `high`."""

    def number(raw: object) -> float:
        try:
            value = units.parse(raw, dimension)
        except HecnError as error:
            raise ValueError(str(error)) from None
        if not 0 <= value <= high or value <= above:
            bound = ("more than 0" if above == 0 else "at least 0") + (
                f" and at most {high:g}" if high < float("inf") else ""
            )
            raise ValueError(f"found {raw!r}, expected {bound} {SHOWN_UNIT[dimension]}".rstrip())
        return value

    def parse(raw: object) -> object:
        if isinstance(raw, Parameter):
            return raw
        if not isinstance(raw, dict):
            return {"value": number(raw), "unit": SHOWN_UNIT[dimension]}
        fields = dict(raw)
        if "value" in fields:
            fields["value"] = number(fields["value"])
        if "spread" in fields:
            fields["spread"] = units.parse(fields["spread"], "fraction")
        return {"unit": SHOWN_UNIT[dimension], **fields}

    return _Parser(parse, unit=SHOWN_UNIT[dimension])


#: A text on one line, for use in sentences.
Title: TypeAlias = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]

Rate: TypeAlias = Annotated[Parameter, _parser("rate", above=0), _SCHEMA]
FlowRate: TypeAlias = Annotated[Parameter, _parser("rate"), _SCHEMA]
Bytes: TypeAlias = Annotated[Parameter, _parser("bytes"), _SCHEMA]
Time: TypeAlias = Annotated[Parameter, _parser("time"), _SCHEMA]
Probability: TypeAlias = Annotated[Parameter, _parser("fraction", high=1), _SCHEMA]
Factor: TypeAlias = Annotated[Parameter, _parser("fraction"), _SCHEMA]
Frequency: TypeAlias = Annotated[Parameter, _parser("frequency", above=0), _SCHEMA]
Transfers: TypeAlias = Annotated[Parameter, _parser("transfers", above=0), _SCHEMA]
Cycles: TypeAlias = Annotated[Parameter, _parser("cycles"), _SCHEMA]
CyclesPerByte: TypeAlias = Annotated[Parameter, _parser("cycles_per_byte"), _SCHEMA]
Dollars: TypeAlias = Annotated[Parameter, _parser("dollars"), _SCHEMA]
Count: TypeAlias = Annotated[Parameter, _parser("count", above=0), _SCHEMA]
Power: TypeAlias = Annotated[Parameter, _parser("power"), _SCHEMA]
