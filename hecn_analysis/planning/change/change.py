"""A change of a transfer: keys of a scenario with their new values, instructions, check, risk and price.

The words of the changes are data: ``models/changes.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.hardware import Scenario, yaml_file
from hecn_analysis.hardware.quantity import Basis, Parameter

_Text = Annotated[str, Field(min_length=1)]
_Kind = Literal["setting", "tool", "path", "purchase"]

#: Value that removes a key, even one that the host's file sets; None would leave the key as the file has it.
UNSET: Final = "null"
#: Bases of a price, the weakest first.
PRICE_BASES: Final = ("assumed", "calibrated", "documented", "specification")


@dataclass(frozen=True)
class Change:
    """One way to change a transfer.

    ``settings`` are keys of the scenario with their new values, ``kind`` is ``setting`` (of a host), ``tool``, ``path``
    (which has other users) or ``purchase``. ``how`` is the command or BIOS item, ``check`` shows that it took effect,
    ``risk`` what may go wrong, and ``source`` where these instructions come from. ``price_usd`` is the price of the
    parts for both hosts, None if unknown, 0 if free; ``price_basis`` one of `PRICE_BASES`, None without a price. [USD]
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    kind: _Kind
    how: str
    check: str
    risk: str
    source: str
    price_usd: float | None = field(default=0.0)
    price_basis: Basis | None = None
    price_source: str = ""

    @property
    def is_free(self) -> bool:
        """Whether nothing has to be bought."""
        return self.kind != "purchase"


class _Description(BaseModel):
    """An entry of ``models/changes.yaml``: texts with the names of the values to fill in, in braces."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Text
    title: _Text
    kind: _Kind
    how: _Text
    check: _Text
    risk: _Text
    source: _Text


def described(
    key: str,
    settings: Mapping[str, Any],
    *,
    price: Parameter | None = None,
    pieces: int = 1,
    **values: object,
) -> Change:
    """Return a change with the texts of an entry of ``models/changes.yaml``, filled in with `values`."""
    description = descriptions()[key]
    texts = {name: text.format(**values) for name, text in description.model_dump(exclude={"kind"}).items()}
    free = description.kind != "purchase"
    return Change(
        **texts,
        kind=description.kind,
        settings=settings,
        price_usd=(0.0 if free else None) if price is None else pieces * price.value,
        price_basis=None if price is None else price.basis,
        price_source="" if price is None else price.source,
    )


@cache
def descriptions() -> dict[str, _Description]:
    """Return the descriptions of all changes by their keys."""
    return yaml_file.entries(_Description, places.models_dir() / "changes.yaml")


def is_networked(scenario: Scenario) -> bool:
    """Whether data cross a network: not in a test of a disk or within one host."""
    return scenario.tool.protocol != "file" and not scenario.path.same_host
