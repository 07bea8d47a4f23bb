"""Numbers of a description, each with its spread and where it comes from.

A field of a host, path or tool is written as a plain value (``rate: 10 Gb/s``) or with its provenance::

    write_cost: {value: 1.75, spread: 8 %, basis: calibrated, source: data/series/c-disk-to-disk.yaml}

Either way it becomes a `Parameter`; the annotated types below (`Rate`, `Bytes`, ...) say which dimension a field has.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from hecn_analysis import units
from hecn_analysis.errors import HecnError

Basis = Literal["specification", "documented", "calibrated", "assumed"]
#: specification: a data sheet or standard; documented: stated by the cited document; calibrated: fitted to measured
#: runs; assumed: nobody measured it, so a brief must show it.


class Parameter(BaseModel):
    """A number with its spread and provenance.

    Attributes
    ----------
    value
        Central value, SI.
    spread
        Half width of the 90 % interval relative to `value` (0.1 = ±10 %).
    basis
        One of specification, documented, calibrated, assumed.
    source
        Document and place, data sheet, or file the number comes from; empty: the source of the entry it stands in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    spread: Annotated[float, Field(ge=0, lt=1)] = 0.0
    basis: Basis = "specification"
    source: str = ""
    unit: str = ""


#: Unit in which a parameter of each dimension is shown (its value is in SI).
SHOWN_UNIT = {
    "rate": "bit/s",
    "bytes": "B",
    "time": "s",
    "fraction": "",
    "frequency": "Hz",
    "transfers": "T/s",
    "cycles_per_byte": "cycles/B",
    "dollars": "USD",
}


def _parser(dimension: str, low: float, *, low_is_allowed: bool, high: float) -> BeforeValidator:
    def number(raw: Any) -> float:  # noqa: ANN401 - whatever a YAML file or a caller holds
        try:
            value = units.parse(raw, dimension)
        except HecnError as error:
            raise ValueError(str(error)) from None
        if not (low <= value if low_is_allowed else low < value) or value > high:
            bound = f"{'at least' if low_is_allowed else 'more than'} {low:g}" + (
                f" and at most {high:g}" if high < float("inf") else ""
            )
            raise ValueError(f"found {raw!r}, expected {bound} {SHOWN_UNIT[dimension]}".rstrip())
        return value

    def parse(raw: Any) -> Any:  # noqa: ANN401 - see above
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

    return BeforeValidator(parse)


def _quantity(dimension: str, low: float = 0.0, *, low_is_allowed: bool = True, high: float = float("inf")) -> Any:  # noqa: ANN401
    schema = WithJsonSchema({"anyOf": [{"type": ["number", "string"]}, {"type": "object"}], "description": dimension})
    return Annotated[Parameter, _parser(dimension, low, low_is_allowed=low_is_allowed, high=high), schema]


Rate = _quantity("rate", low_is_allowed=False)
Bytes = _quantity("bytes")
Time = _quantity("time")
Probability = _quantity("fraction", high=1.0)
Factor = _quantity("fraction")
Frequency = _quantity("frequency", low_is_allowed=False)
Transfers = _quantity("transfers", low_is_allowed=False)
CyclesPerByte = _quantity("cycles_per_byte")
