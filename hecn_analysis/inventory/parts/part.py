"""Common base of the parts of a host: fields of known types, so that the type checker finds a misspelt fact.

Outputs are merged by name first (`hosts.machine`); `Part.of` then makes a part of the merged facts. Facts without a
field stay in `Part.facts`, for JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, Final, Self, get_args, get_origin

#: No number of a host is larger; JSON may hold any.
_LARGEST: Final = 1e30


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a host; a field is None if no output gives it, and ends in _ if its name is a keyword.

    ``facts`` are all facts of the outputs, by name and in their order, for JSON.

    Examples
    --------
    >>> from hecn_analysis.inventory.parts.network import Interface
    >>> port = Interface.of({"speed_bps": 10**10, "duplex": 1, "rx_usecs": 3})
    >>> port.speed_bps, port.duplex, port.facts["rx_usecs"]
    (10000000000, None, 3)
    """

    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """Make the part from merged facts; a value of another type than its field's is None."""
        given = ((field, facts.get(field.name.removesuffix("_"))) for field in fields(cls) if field.name != "facts")
        return cls(facts=facts, **{field.name: value for field, value in given if _is(value, field.type)})


def _is(value: object, kind: Any) -> bool:  # noqa: ANN401 - a type, or a union of them
    """Whether a value is of a type; a bool is not a number, an int is also a float."""
    kinds = [get_origin(member) or member for member in (get_args(kind) if isinstance(kind, UnionType) else (kind,))]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value) in kinds
    return (type(value) in kinds or float in kinds) and abs(value) < _LARGEST
