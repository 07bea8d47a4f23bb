"""What a change of a transfer is: keys of a scenario with their new values, how, how to check, the risk, the price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.quantity import Basis

#: Value that takes a key back, also one of a host's file; None would leave the key as the file has it.
UNSET: Final = "null"
#: Bases of a price, the weakest first.
PRICE_BASES: Final = ("assumed", "calibrated", "documented", "specification")


@dataclass(frozen=True)
class Change:
    """Something that can be done about a transfer.

    Attributes
    ----------
    name
        Short and unique for a scenario: ``receiver-max-payload``.
    title
        What is done, for people.
    settings
        Keys of the scenario with the values that they take.
    kind
        ``setting`` of a host, of the ``tool``, of the ``path`` (which has other users), or ``purchase``.
    how, check, risk
        The command or BIOS item; how to see that it took; what may go wrong.
    source
        Where that is known from.
    price_usd
        Of the parts, both hosts together; None: not known; 0 for what is free. [USD]
    price_basis, price_source
        How far the price is to be trusted (one of `PRICE_BASES`; None: there is none), and where it is from.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    kind: Literal["setting", "tool", "path", "purchase"]
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


def is_networked(scenario: Scenario) -> bool:
    """Whether data cross a network, which they do not in a test of a disk or within one host."""
    return scenario.tool.protocol != "file" and not scenario.path.same_host
